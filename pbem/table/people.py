"""Who sits at a table: the players, who stands in for them, how they want to read, and whom a ticket proves."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from pbem.errors import Illegal
from pbem.first_sparks.options import BoardWay
from pbem.first_sparks.record import Record, called
from pbem.game_setup import seats
from pbem.locale import Language, phrase, phrase_in, tr
from pbem.plans.intents import Intent, as_read_by
from pbem.reading.ticket import Ticket, is_genuine

News = Literal["every", "turn", "none"]
TextForm = Literal["", "plain"]

BOT: Final = "bot"  # in place of an address: a bot decides, and nobody gets letters
A_BOT: Final = "a bot"
UNTIL_BACK: Final = "2999-12-31"  # the end of an absence until further notice
MOST_FORMER: Final = 60  # keys of ten takebacks with six players


class Player(NamedTuple):
    """The player of a colour: the address, the key of the tickets (32 bytes), and which news are wanted.

    ``absent`` is the last day (``2026-12-31``) or the end of a declared absence,
    or nothing; ``substitute`` is the address of the person who stands in, or
    ``bot``, and ``substitute_name`` is how the others know that person. In place
    of the substitute the clock may have put a bot as ``stand_in``, until the player
    returns. A ``plain`` text has lists in place of drawings and tables, for a
    screen reader.
    """

    colour: str
    name: str
    address: str
    key: bytes
    language: Language = "en"
    news: News = "turn"
    absent: str = ""
    substitute: str = ""
    substitute_name: str = ""
    text: TextForm = ""
    stand_in: Literal["", "bot"] = ""

    @property
    def reads_lists(self) -> bool:
        """Whether the player's letters have lists in place of drawings and tables."""
        return self.text == "plain"

    @property
    def reader(self) -> str:
        """The address that gets the letters now: the player's, or that of the deputy while the player is away."""
        return self.deputy if self.absent and self.deputy else self.address

    @property
    def deputy(self) -> str:
        """The address of whoever plays while the player is away, ``bot`` for a bot, "" if the game waits."""
        return self.stand_in or self.substitute

    @property
    def deputy_name(self) -> str:
        """The name of the deputy, as others read it: ``a bot``, or the name or address of the substitute."""
        return tr(A_BOT) if self.deputy == BOT else self.substitute_name or self.substitute

    @property
    def at_home(self) -> "Player":
        """The player as one who is not away."""
        return self._replace(absent="", stand_in="")

    @property
    def is_home(self) -> bool:
        """Whether the letters go to the player, and to nobody who stands in."""
        return self.reader == self.address

    @property
    def writer(self) -> "Player":
        """The player as one who gets the answer to a message: the player's deputy may have written it, but no bot."""
        return self.at_home if self.reader == BOT else self


class Opening(NamedTuple):
    """A game that is waiting for players: the number of seats, and the options of ``pbem new``.

    *components* is the text of the file with its own component set, "" for the built-in one. Whoever joins reads
    letters in its *language*, "" for that of the club.
    """

    seats: int
    board: BoardWay = "players"
    chance: Literal["sealed", "open"] = "sealed"
    hide_food: bool = False
    components: str = ""
    language: str = ""


class Former(NamedTuple):
    """A key that a colour had before: it proves who has written, but no order is accepted with it.

    *address* is that of a player who has been replaced since, and empty while the seat has the same player.
    """

    colour: str
    key: bytes
    address: str = ""


class Roster(NamedTuple):
    """The players of a game, its options while it is waiting for players, and why it is paused, if it is.

    No order is accepted with a *former* key, but its owner gets a reply.
    """

    players: tuple[Player, ...]
    opening: Opening | None = None
    paused: str = ""
    former: tuple[Former, ...] = ()

    def player(self, colour: str) -> Player | None:
        """Return the player of that colour, None if nobody plays it."""
        return next((player for player in self.players if player.colour == colour), None)

    def stands_in(self, player: Player) -> bool:
        """Return whether somebody plays while that player is away; a bot does only while a person plays as well.

        Where nobody waits for the player, the game waits, so that no bots play it to its end among themselves.
        """
        others = (other.reader for other in self.players if other.colour != player.colour)
        return bool(player.deputy) and (player.deputy != BOT or any(reader != BOT for reader in others))

    def changed(self, player: Player) -> "Roster":
        """Return the roster with that player replacing the one of the same colour."""
        return self._replace(players=tuple([player if p.colour == player.colour else p for p in self.players]))

    def retired(self, *players: Player) -> "Roster":
        """Return the roster with the keys of these players among the former ones."""
        former = (*self.former, *(Former(player.colour, player.key) for player in players))
        return self._replace(former=former[-MOST_FORMER:])

    def can_have_bot(self, player: Player) -> bool:
        """Return whether a bot can stand in for the player; not if it already does, or if nobody else waits."""
        return player.reader != BOT and self.stands_in(player._replace(stand_in="bot"))


def somebody_new(roster: Roster, before: Player, name: str, address: str) -> Player:
    """Return somebody else in the seat of a player, with the name as players have it; ``bot`` is one of the bots.

    The table gives the seat a key. Raises UsageError for an invalid name.
    """
    others = [f"{player.name}:{player.colour}" for player in roster.players if player.colour != before.colour]
    seated = dict(seats((*others, f"{name}:{before.colour}")))
    return Player(before.colour, seated[before.colour], address, b"", before.language)


def check_substitute(roster: Roster, player: Player) -> None:
    """Raise Illegal for a substitute who has a seat in the game, or stands in there, or whom others would mistake."""
    address = player.substitute.lower()
    if address in ("", BOT):
        return
    if address == player.address.lower():
        why = phrase("{name} cannot be their own substitute", name=player.name)
        raise Illegal(why, hint=phrase("the host can name somebody else who stands in, or a bot"))
    check_one_seat(roster, player.colour, player.substitute_name or player.substitute, address)
    other = next(
        (other for other in roster.players if other.colour != player.colour and other.address.lower() == address), None
    )
    if other is not None:
        why = phrase(
            "{name} ({colour}) plays in this game, and nobody plays two seats",
            name=other.name,
            colour=phrase_in(other.colour, "clan colour"),
        )
        raise Illegal(why, hint=phrase("the host can name somebody else who stands in, or a bot"))
    name = player.substitute_name or player.substitute
    if name.casefold() in (other.name.casefold() for other in roster.players):
        why = phrase("a player in this game is called {name} already", name=name)
        raise Illegal(why, hint=phrase("the host can give the substitute another name"))


def check_one_seat(roster: Roster, colour: str, name: str, address: str) -> None:
    """Raise Illegal if somebody who is to have a seat stands in for another player: nobody plays two seats."""
    for other in roster.players:
        is_theirs = other.reader.lower() == address.lower() and other.reader not in (other.address, BOT)
        if is_theirs and other.colour != colour:
            why = phrase(
                "{name} stands in for {other} ({colour}), and nobody plays two seats",
                name=name,
                other=other.name,
                colour=phrase_in(other.colour, "clan colour"),
            )
            raise Illegal(why, hint=phrase("the host can name somebody else, or let the other player be back first"))


class Writer(NamedTuple):
    """The person whom a ticket proves: the *player*, or if *gone* is an address, the seat's previous player.

    The ticket is *valid* if orders are accepted with it.
    """

    player: Player
    valid: bool
    gone: str = ""


def writer_of(roster: Roster, said: Ticket) -> Writer | None:
    """Return whom the ticket proves, by the current key or a former one; None if it is not genuine."""
    player = roster.player(said.colour)
    if player is None:
        return None
    if is_genuine(said, player.key):
        return Writer(player, valid=True)
    for former in roster.former:
        if former.colour == said.colour and is_genuine(said, former.key):
            same = former.address.lower() in ("", player.address.lower())
            return Writer(player, valid=False, gone="" if same else former.address)
    return None


# Every text and every order uses the current player's name for a seat that changed hands. The header of the game file
# keeps the name with which the game began, since the hash chain of the log depends on it, and no rule looks at a name.


def as_seated(record: Record, roster: Roster) -> Record:
    """Return the game with the names of the current players; nothing else differs, not even its head."""
    return called(record, {player.colour: player.name for player in roster.players})


# Seats of bots, and what has been said ahead by those who read the letters now


def bot_seats(roster: Roster) -> tuple[str, ...]:
    """Return the colours for which a bot decides now: in its own seat, or standing in for a player."""
    return tuple(
        player.colour
        for player in roster.players
        if player.reader == BOT and (player.address == BOT or roster.stands_in(player))
    )


def in_force(kept: Mapping[str, Intent], roster: Roster) -> dict[str, Intent]:
    """Return what has been said ahead by those who read the letters of their seats now."""
    return {player.colour: of_reader(kept, player) for player in roster.players if player.colour in kept}


def of_reader(kept: Mapping[str, Intent], player: Player) -> Intent:
    """Return what the reader of the player's letters has said ahead, and the early answer of the seat."""
    return as_read_by(kept.get(player.colour, Intent(writer=player.reader)), player.reader, player.address)


def changed_readers(before: Roster, after: Roster) -> tuple[str, ...]:
    """Return the colours whose letters somebody else reads after a change."""
    pairs = zip(before.players, after.players, strict=True)
    return tuple(new.colour for old, new in pairs if old.reader != new.reader)
