"""What a request of a player is, and what is granted; the requests themselves are in ``kinds``."""

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import NamedTuple

from pbem.page.page import Sections
from pbem.table.letters.letter import Passage
from pbem.table.people import Player
from pbem.table.table import Table

# What is said to a request, at the table as it is after the message; only what its reader may know: ``questioned`` says
# who is asked, and ``asked`` would also tell who has a plan.
Response = Callable[[Table], Sections]


class Asked(NamedTuple):
    """A request: its *text*, of a player at a table, both as earlier requests in the same message have left them.

    *writer* is the player as before the message, and *today* the latest time that is known.
    """

    table: Table
    player: Player
    text: str
    writer: Player
    today: datetime | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """What follows the first word."""
        return tuple(self.text.split()[1:])


class Granted(NamedTuple):
    """The table after a request, and the answer to it. If it is *refused*, nothing has changed, and that says why."""

    table: Table
    answer: Response
    refused: bool = False


class Request(NamedTuple):
    """A request that begins with a *word*; what it *grants*, None if it is not understood.

    A hint names it as it is *written*; its *help* are lines that begin with that in quotes. What *lasts* has an effect
    on later letters or turns, so that the player hears of it, whoever has written.
    """

    word: str
    grants: Callable[[Asked], Granted | None]
    written: tuple[str, ...] = ()
    help: tuple[str, ...] = ()
    lasts: bool = False


def told(asked: Asked, passage: Passage, *, refused: bool = False) -> Granted:
    """Return an answer that is the same however the game goes on; nothing has changed."""
    return Granted(asked.table, partial(_in_any_game, passage), refused)


def changed(asked: Asked, player: Player, passage: Passage) -> Granted:
    """Return the table with the player as requested, and an answer."""
    return Granted(asked.table.but(roster=asked.table.roster.changed(player)), partial(_in_any_game, passage))


def _in_any_game(passage: Passage, _table: Table) -> Sections:
    return passage()
