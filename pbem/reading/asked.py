"""What a reply answers: the question of the game, or our question whether the player meant something."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.notation import expected
from pbem.first_sparks.plans.together import as_asked, question_to
from pbem.first_sparks.record import Record
from pbem.first_sparks.state import GameState
from pbem.reading.earlier import orders_of

PROPOSED: Final = "proposed"  # the journal code of a message whose order was proposed to the player
TAKEN_BACK: Final = "took_back"  # the key of a row whose message says no to that
# The codes of what may come between such a question and its answer.
_BESIDE: Final = ("reminded", "played", "answered")


class Asked(NamedTuple):
    """The writer of a reply, and what it answers.

    *state* is the situation in which it is the writer's turn, None if it is somebody else's; *name* is the writer's;
    *given* are the orders that the writer gave in earlier turns. *proposed* are the last orders that the writer was
    asked to confirm, and *replies_to_it* is whether the reply answers that letter. *letter* makes the words of the
    letter, one blank apart, by which the reply's quotes of it are recognised. With *waves* an answer may wait for
    those of others.
    """

    state: GameState | None = None
    name: str = ""
    given: frozenset[str] = frozenset()
    proposed: tuple[str, ...] = ()
    replies_to_it: bool = False
    letter: Callable[[], str] = str
    waves: bool = False

    @property
    def takes_yes(self) -> bool:
        """Whether a yes can answer the question of the game."""
        return self.state is not None and not {"buy", "take"}.isdisjoint(expected(self.state.phase))


NOBODY: Final = Asked()


class Proposal(NamedTuple):
    """Orders that a player was asked to confirm, the digest of the message with them, and the id of our letter.

    *later* has the ids of our replies to requests since then; *open* is whether nothing else has come from the player.
    """

    orders: tuple[str, ...]
    digest: str
    letter: str
    later: frozenset[str] = frozenset()
    open: bool = True


def asked_in(record: Record, colour: str, turn: int, *, waves: bool = False) -> Asked:
    """Return what a player was asked in a turn, with the orders that the player had given by then.

    With *waves* that may be a question to several at the same time.
    """
    given = frozenset(str(entry.move) for entry in orders_of(record, colour) if entry.turn <= turn)
    state = record.state
    if turn != record.turn:
        before = [state for entry, state in record.history if entry.turn <= turn]
        state = before[-1] if before else state
    if waves and question_to(state, colour):
        state = as_asked(state, colour)
    name = dict(record.players).get(colour, "")
    return Asked(state if who_decides(state) == colour else None, name, given, waves=waves)


def proposal_in(rows: Sequence[dict[str, Any]], record: Record, colour: str, turn: int) -> Proposal | None:
    """Return the last proposal to the player in a turn, unless it was taken back or the game has changed."""
    later: list[str] = []
    is_open = True
    for row in reversed(list(_rows_of(rows, colour, turn))):
        if row.get(TAKEN_BACK):
            return None
        if row.get("code") == PROPOSED:
            if turn == record.turn and row.get("head") != record.head:
                return None
            orders = tuple(map(str, row.get("orders", ())))
            return Proposal(orders, str(row["digest"]), str(row.get("letter", "")), frozenset(later), is_open)
        later.append(str(row.get("letter", "")))
        is_open = is_open and row.get("code") in _BESIDE
    return None


def in_the_light(asked: Asked, last: Proposal, ids: set[str]) -> Asked:
    """Return what a message answers, given the last proposal, if it names our letters by these *ids*.

    For a message that answers another letter, anything since the proposal counts: a yes may be meant for that.
    """
    replies_to_it = last.letter in ids or (last.open and not asked.takes_yes and not last.later.isdisjoint(ids - {""}))
    return asked._replace(proposed=last.orders, replies_to_it=replies_to_it) if replies_to_it or last.open else asked


def proposing(rows: Sequence[dict[str, Any]], colour: str, turn: int) -> set[str]:
    """Return the ids of the letters that proposed something to the player in that turn."""
    return {str(row.get("letter", "")) for row in _rows_of(rows, colour, turn) if row.get("code") == PROPOSED}


def _rows_of(rows: Sequence[dict[str, Any]], colour: str, turn: int) -> Iterator[dict[str, Any]]:
    return (row for row in rows if (row.get("colour"), row.get("turn")) == (colour, turn))
