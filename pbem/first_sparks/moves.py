"""Everything that a player can decide, each with a notation of one line.

The last field of every move is its order word, so that two kinds of move are
never equal; ``str(move)`` is the move as the log has it.
"""

from typing import Final, Literal, NamedTuple

from pbem.quick import new

SHUFFLE: Final = "shuffle"


class Lay(NamedTuple):
    """Lay the drawn landscape tile, with its hex 1 and its hex 2 on these cells of the map."""

    first: str
    second: str
    word: Literal["lay"] = "lay"

    def __str__(self) -> str:
        return f"lay {self.first} {self.second}"


class Settle(NamedTuple):
    """Put the clan's first member on a space."""

    space: str
    word: Literal["settle"] = "settle"

    def __str__(self) -> str:
        return f"settle {self.space}"


class SettleNeutral(NamedTuple):
    """Put the first member of the neutral clan on a space (2 players)."""

    space: str
    word: Literal["settle neutral"] = "settle neutral"

    def __str__(self) -> str:
        return f"settle neutral {self.space}"


class Add(NamedTuple):
    """Put a second member next to the first, in the placement round."""

    space: str
    word: Literal["add"] = "add"

    def __str__(self) -> str:
        return f"add {self.space}"


class Stay(NamedTuple):
    """Add nobody, in the placement round or while spreading."""

    word: Literal["stay"] = "stay"

    def __str__(self) -> str:
        return self.word


_STAY: Final = Stay()


class Offer(NamedTuple):
    """Offer a card of the current market for purchase."""

    card: int
    word: Literal["offer"] = "offer"

    def __str__(self) -> str:
        return f"offer {self.card}"


class Pass(NamedTuple):
    """Offer nothing and buy nothing this round."""

    word: Literal["pass"] = "pass"

    def __str__(self) -> str:
        return self.word


class Buy(NamedTuple):
    """Say yes to the offered card; a card number guards against answering another offer."""

    card: int | None = None
    word: Literal["buy"] = "buy"

    def __str__(self) -> str:
        return self.word if self.card is None else f"buy {self.card}"


class Decline(NamedTuple):
    """Say no to the offered card; a card number guards against answering another offer."""

    card: int | None = None
    word: Literal["decline"] = "decline"

    def __str__(self) -> str:
        return self.word if self.card is None else f"decline {self.card}"


class Take(NamedTuple):
    """Buy the card that you offered and the other player declined (2 players)."""

    word: Literal["take"] = "take"

    def __str__(self) -> str:
        return self.word


class Discard(NamedTuple):
    """Discard the card that you offered and the other player declined (2 players)."""

    word: Literal["discard"] = "discard"

    def __str__(self) -> str:
        return self.word


class Drop(NamedTuple):
    """Discard one tool, which may be the new one."""

    card: int
    word: Literal["drop"] = "drop"

    def __str__(self) -> str:
        return f"drop {self.card}"


class Starve(NamedTuple):
    """Remove the members that cannot be fed, named by their spaces."""

    spaces: tuple[str, ...]
    word: Literal["starve"] = "starve"

    def __str__(self) -> str:
        return f"starve {' '.join(self.spaces)}"


class Spread(NamedTuple):
    """Put new members on spaces, in any order."""

    spaces: tuple[str, ...]
    word: Literal["spread"] = "spread"

    def __str__(self) -> str:
        return f"spread {' '.join(self.spaces)}"


def spread_to(spaces: tuple[str, ...]) -> "Spread | Stay":
    """Return ``spread`` with these spaces, or ``stay`` without any; quick, since a list can have thousands."""
    return new(Spread, (spaces, "spread")) if spaces else _STAY


class SpreadNeutral(NamedTuple):
    """Put new members of the neutral clan on spaces (2 players)."""

    spaces: tuple[str, ...]
    word: Literal["spread neutral"] = "spread neutral"

    def __str__(self) -> str:
        return f"spread neutral {' '.join(self.spaces)}"


class Resign(NamedTuple):
    """Leave the game permanently; possible at any time."""

    word: Literal["resign"] = "resign"

    def __str__(self) -> str:
        return self.word


class AgreeEnd(NamedTuple):
    """Agree to end the game as it stands; possible at any time."""

    word: Literal["agree end"] = "agree end"

    def __str__(self) -> str:
        return self.word


class Draw(NamedTuple):
    """What chance decides: a card number, ``shuffle``, or the letter of a tile."""

    what: str
    word: Literal["draw"] = "draw"

    def __str__(self) -> str:
        return f"draw {self.what}"


Move = (
    Lay
    | Settle
    | SettleNeutral
    | Add
    | Stay
    | Offer
    | Pass
    | Buy
    | Decline
    | Take
    | Discard
    | Drop
    | Starve
    | Spread
    | SpreadNeutral
    | Resign
    | AgreeEnd
    | Draw
)
