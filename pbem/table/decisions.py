"""What can be decided at a table: what a player moves who asks for it in a message, and what the game is after it.

A kind of decision has its line in ``lines``, its sentences in ``letters/motions``, and here what it does.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, assert_never

from pbem import rulings
from pbem.first_sparks.briefing.words import to_write
from pbem.first_sparks.play import DrawSource, taken_back
from pbem.first_sparks.record import Record
from pbem.loading import Submission
from pbem.locale import phrase
from pbem.rulings import orders_of
from pbem.table.lines import Answer, ChangeKey, Exclude, Matter, Pause, Replace, Resume, SetClock, TakeBack
from pbem.table.motions import voters
from pbem.table.people import BOT, Player
from pbem.table.table import Table

_NO_ORDER: Final = "You have not given an order yet, so there is nothing that you can take back."
_NOT_BEGUN: Final = "No order has been given yet. Ask the host, {host}, to give the seat of {whom} to somebody else."
_YOURSELF: Final = "To leave the game yourself, write {resign}."
_LEFT: Final = "{whom} has already left the game."
_YOU_LEFT: Final = "You have left the game, so the others decide whom they wait for."
_BOT: Final = "A bot plays for {whom}, so nobody waits for that seat."
_ALONE: Final = (
    "Nobody but you would have to agree, and you cannot decide that alone. Ask the host, {host}, who can decide for "
    "{whom}, or give the seat to somebody else or to a bot; if a clock is running, it does what the host has chosen."
)


# What is done


def game_after(record: Record, matter: Matter, draw: DrawSource | None) -> Record:
    """Return the game after a matter was decided, the same for what changes only the table; raises Illegal."""
    match matter:
        case TakeBack(to):
            return taken_back(record, to)
        case Exclude(whom):
            return _ordered(record, whom, "resign", draw)
        case Answer(whom, order):
            return _ordered(record, whom, order, draw)
        case SetClock() | ChangeKey() | Replace() | Pause() | Resume():
            return record
        case _ as unreachable:
            assert_never(unreachable)


def _ordered(record: Record, whom: str, order: str, draw: DrawSource | None) -> Record:
    return rulings.judge(record, Submission((order,), player=whom), draw).record


# What a player moves


def movable(record: Record, by: str, people: Sequence[str]) -> Iterator[Matter]:
    """Yield what a player may move by a message in the game as it is, as letters may tell it to the other *people*."""
    if own := orders_of(record, by):
        yield TakeBack(own[-1].turn - 1)
    yield from (Exclude(whom) for whom in people if whom != by)


def _take_back(table: Table, player: Player, _: Player | None) -> Matter | str:
    """Return that the game is taken back to before the player's last own order, or why that cannot be."""
    orders = orders_of(table.kept, player.colour)
    return TakeBack(orders[-1].turn - 1) if orders else phrase(_NO_ORDER)


def _exclude(table: Table, player: Player, whom: Player | None) -> Matter | str:
    """Return that the game goes on without somebody, or why that cannot be."""
    assert whom is not None  # a line that names nobody in the game is talk
    return _cannot_leave(table, player, whom) or Exclude(whom.colour)


def _cannot_leave(table: Table, player: Player, whom: Player) -> str:
    """Return why the player cannot ask to go on without somebody, or nothing."""
    holes = {"host": table.house.host, "whom": whom.name}
    if whom.colour == player.colour:
        return phrase(_YOURSELF, resign=to_write("resign"))
    if table.kept.state.clan(player.colour).resigned:
        return phrase(_YOU_LEFT)
    if table.kept.state.clan(whom.colour).resigned:
        return phrase(_LEFT, **holes)
    if whom.reader == BOT:
        return phrase(_BOT, **holes)
    if not table.kept.turn:
        return phrase(_NOT_BEGUN, **holes)
    return "" if voters(Exclude(whom.colour), player.colour, table.voting) else phrase(_ALONE, **holes)


# What a player, of whom it is about perhaps, moves by a message, or why that cannot be; by the word of its line.
MOVES: Final[Mapping[str, Callable[[Table, Player, Player | None], Matter | str]]] = {
    "take back": _take_back,
    "exclude": _exclude,
}
