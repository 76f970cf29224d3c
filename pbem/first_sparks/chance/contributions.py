"""What players contribute to chance, as lines of the log that are no decisions, and what follows from them.

In a shared game, the draws after a decision are opened by two: the *mover*, who has decided, and the *opener*, the
clan that is asked next. Each opens the next value of a chain whose first value was published before the game. So
nobody can know a draw before the decision, and nobody can steer it, unless these two work together; and whoever has
the log can prove it. In a salted game every mail of a player adds a salt to the secret of the keeper.
"""

import re
from collections.abc import Collection
from typing import Final, Literal, NamedTuple

from pbem.errors import Illegal, NotUnderstood
from pbem.first_sparks.chance.draws import Chain, pair
from pbem.first_sparks.phases import DealingHerbs, DrawingCard, DrawingTile, Ended
from pbem.first_sparks.state import GameState

MOST_SKIPPED: Final = 512  # values at once, so that a line is proved in no time
_LINE: Final = "(renews|opens|skips|salts) ([0-9a-f]{64})"


class Opens(NamedTuple):
    """Open the next value of your chain, 64 hexadecimal digits, for the draws after the last decision."""

    value: str
    word: Literal["opens"] = "opens"

    def __str__(self) -> str:
        return f"opens {self.value}"


class Renews(NamedTuple):
    """Begin a new chain with this first value, since the secret of the old one is lost."""

    value: str
    word: Literal["renews"] = "renews"

    def __str__(self) -> str:
        return f"renews {self.value}"


class Skips(NamedTuple):
    """Pass over the values of your chain up to this one, which were opened for moves that have been taken back."""

    value: str
    word: Literal["skips"] = "skips"

    def __str__(self) -> str:
        return f"skips {self.value}"


class Salts(NamedTuple):
    """Add 32 bytes, in hexadecimal, to the secret of the draws that come."""

    value: str
    word: Literal["salts"] = "salts"

    def __str__(self) -> str:
        return f"salts {self.value}"


Contribution = Opens | Renews | Skips | Salts
_KINDS: Final[dict[str, type[Contribution]]] = {"opens": Opens, "renews": Renews, "skips": Skips, "salts": Salts}
_BEGINNINGS: Final = tuple(f"{word} " for word in _KINDS)


def parse_contribution(text: str) -> Contribution | None:
    """Return the contribution in a log line, without its turn and player; None if it is a decision."""
    if not text.startswith(_BEGINNINGS):
        return None
    found = re.fullmatch(_LINE, text)
    if found is None:
        raise NotUnderstood(f"{text.partition(' ')[0]} needs 64 hexadecimal digits")
    return _KINDS[found[1]](found[2])


class Given(NamedTuple):
    """All contributions so far.

    ``shown`` has the value of each chain that was opened last, by colour, and ``first`` the first values of all chains;
    ``mover`` is the clan whose decision the next draws follow, and ``value`` what it has opened for them; ``key`` is
    what they are drawn from, once two have opened.
    ``renewed`` are the clans that have renewed their chains, ``passed_over`` those that did so while these draws
    were due, and could have chosen theirs to suit the mover's value. ``salts`` are all salts, 32 bytes each, and
    ``may_salt`` is the clan whose order was the last line.
    """

    shown: tuple[tuple[str, str], ...] = ()
    first: tuple[str, ...] = ()
    mover: str = ""
    value: str = ""
    key: bytes = b""
    renewed: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()
    salts: bytes = b""
    may_salt: str = ""

    def decided(self, by: str) -> "Given":
        """Return what is contributed after a decision: the draws that follow it need two new values."""
        return self._replace(mover=by, value="", key=b"", passed_over=(), may_salt=by)

    def after(self, by: str, said: Contribution) -> "Given":
        """Return what is contributed after one more line of a clan, which ``check`` has accepted."""
        if isinstance(said, Salts):
            return self._replace(salts=self.salts + bytes.fromhex(said.value), may_salt="")
        shown = tuple((colour, said.value if colour == by else value) for colour, value in self.shown)
        if isinstance(said, Renews):
            passed_over = (*self.passed_over, by) if self.value and not self.key else self.passed_over
            first, renewed = (*self.first, said.value), (*self.renewed, by)
            return self._replace(shown=shown, first=first, renewed=renewed, passed_over=passed_over)
        if isinstance(said, Skips):
            return self._replace(shown=shown)
        if not self.value:
            return self._replace(shown=shown, mover=by, value=said.value)
        return self._replace(shown=shown, key=pair(bytes.fromhex(self.value), bytes.fromhex(said.value)))


def awaited(given: Given, state: GameState) -> str | None:
    """Return who must open the draws that are due in a shared game: first the mover, then the opener.

    None if no draw is due, or two have opened it. A clan that has resigned is passed over. The opener is the clan
    that is asked or served next in the step at work if that is not the mover, else the next in player order. If
    nobody else is left, since the only other player has renewed its chain, the mover opens twice: the decision was
    made before.
    """
    if given.key or not isinstance(state.phase, DealingHerbs | DrawingTile | DrawingCard):
        return None
    if not given.value:
        return next(colour for colour in _from(state, given.mover) if colour in state.order_in_play)
    asked = (state.phase.clan,) if isinstance(state.phase, DrawingTile) else state.waiting[:1]
    others = [colour for colour in (*asked, *_from(state, given.mover)) if colour != given.mover]
    able = (*(colour for colour in others if colour not in given.passed_over), given.mover, *others)
    return next(colour for colour in able if colour in state.order_in_play)


def _from(state: GameState, colour: str) -> tuple[str, ...]:
    """Return the clans in player order, beginning with that one."""
    at = state.order.index(colour)
    return state.order[at:] + state.order[:at]


def is_incomplete(given: Given, state: GameState) -> bool:
    """Return whether the mover has not opened, which belongs to the decision that a draw follows."""
    return not given.value and awaited(given, state) == given.mover


def check(given: Given, state: GameState, chain: Chain, said: Contribution, *, salted: bool) -> None:
    """Raise Illegal unless the clan of the chain may contribute this now; a game that is *salted* takes salts."""
    by = chain.colour
    if isinstance(said, Salts):
        if not salted:
            raise Illegal("this game takes no salts")
        if given.may_salt != by:
            raise Illegal(f"a salt of {by} must come right after an order of {by}")
        return
    if isinstance(said, Renews):
        _check_renewal(given, state, chain, said)
        return
    if isinstance(said, Skips):
        _check_skipped(given, state, chain, said)
        return
    due = awaited(given, state) if given.shown else None
    if due != by:
        raise Illegal(f"no value of {by} is due" if due is None else f"a value of {due} is due, not of {by}")
    if chain.link(bytes.fromhex(said.value)).hex() != dict(given.shown)[by]:
        raise Illegal(f"this is not the next value of the chain of {by}")


def check_new(chain: Chain, value: str, known: Collection[str]) -> None:
    """Raise Illegal if the first value of a chain is one of the game already; whoever copies one could open nothing.

    In a game of an older format its links are not bound to the clan, and it was not refused.
    """
    if value in known and not chain.older:
        raise Illegal(f"the first value of {chain.colour} has been published in this game before")


def _check_renewal(given: Given, state: GameState, chain: Chain, said: Renews) -> None:
    """Raise Illegal unless the clan may begin a new chain: once in a game, and not after opening for a draw to come."""
    by = chain.colour
    if by not in dict(given.shown) or by not in state.order_in_play or isinstance(state.phase, Ended):
        raise Illegal(f"{by} has no chain in this game")
    if by in given.renewed:
        raise Illegal(f"{by} has already renewed its chain, and may do so only once in a game")
    if given.value and by == given.mover and awaited(given, state) is not None:
        raise Illegal(f"{by} has opened a value for the next draw, and must wait until it is made")
    check_new(chain, said.value, {*given.first, *dict(given.shown).values()})


def _check_skipped(given: Given, state: GameState, chain: Chain, said: Skips) -> None:
    """Raise Illegal unless the clan may pass over these values, while no draw is due, so that none can be chosen."""
    by = chain.colour
    if by not in dict(given.shown) or isinstance(state.phase, Ended):
        raise Illegal(f"{by} has no chain in this game")
    if awaited(given, state) is not None:
        raise Illegal(f"{by} must not pass over a value while a draw is due")
    if not _is_soon(chain, said.value, dict(given.shown)[by]):
        raise Illegal(f"this is not one of the next {MOST_SKIPPED} values of the chain of {by}")


def _is_soon(chain: Chain, value: str, shown: str) -> bool:
    """Return whether a value is one of the next of a chain after the one that was *shown*."""
    linked, last = bytes.fromhex(value), bytes.fromhex(shown)
    return any((linked := chain.link(linked)) == last for _ in range(MOST_SKIPPED))
