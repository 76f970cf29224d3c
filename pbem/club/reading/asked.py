"""What a reply answers: the question of the game, and ours whether something was meant that the player wrote before."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from pbem.club.reading.past import orders_of
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.notation import expected
from pbem.first_sparks.record import Record
from pbem.first_sparks.state import GameState

PROPOSED: Final = "proposed"  # the code in the journal of a mail whose order the player was asked about
TAKEN_BACK: Final = "took_back"  # the key of a row whose mail says no to that
# What comes between such a question and its answer without a word about it.
_BESIDE: Final = ("reminded", "played", "answered")


class Asked(NamedTuple):
    """Whom a reply is from, and what it answers.

    *state* is the situation that asks the writer, None if it asks somebody else; *name* is the writer's;
    *given* are the orders that the writer has given in earlier turns. *proposed* are the orders about which the
    writer was asked last whether they were meant, *replies_to_it* whether it is that letter which the reply answers.
    *letter* are the words of the letter, a blank apart, by which what comes back of it is known.
    """

    state: GameState | None = None
    name: str = ""
    given: frozenset[str] = frozenset()
    proposed: tuple[str, ...] = ()
    replies_to_it: bool = False
    letter: str = ""

    @property
    def takes_yes(self) -> bool:
        """Whether the question of the game is answered by a yes."""
        return self.state is not None and not {"buy", "take"}.isdisjoint(expected(self.state.phase))


NOBODY: Final = Asked()


class Proposal(NamedTuple):
    """Orders about which a player was asked, the digest of the mail that held them, and the id of our letter.

    *later* are the ids of what was answered to requests since, *open* is that nothing else came from the player.
    """

    orders: tuple[str, ...]
    digest: str
    letter: str
    later: frozenset[str] = frozenset()
    open: bool = True


def asked_in(record: Record, colour: str, turn: int) -> Asked:
    """Return what a player was asked in a turn, and what the player had given until then."""
    given = frozenset(str(entry.move) for entry in orders_of(record, colour) if entry.turn <= turn)
    state = record.state
    if turn != record.turn:
        before = [state for entry, state in record.history if entry.turn <= turn]
        state = before[-1] if before else state
    return Asked(state if who_decides(state) == colour else None, dict(record.players).get(colour, ""), given)


def proposal_in(rows: Sequence[dict[str, Any]], record: Record, colour: str, turn: int) -> Proposal | None:
    """Return what the player was asked about last in a turn, unless it was taken back or the game has changed."""
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
    """Return what a mail answers that names letters of ours by these *ids*, when that was proposed last.

    What came between counts for a mail that answers another letter: then a yes may be meant for that.
    """
    replies_to_it = last.letter in ids or (last.open and not asked.takes_yes and not last.later.isdisjoint(ids - {""}))
    return asked._replace(proposed=last.orders, replies_to_it=replies_to_it) if replies_to_it or last.open else asked


def proposing(rows: Sequence[dict[str, Any]], colour: str, turn: int) -> set[str]:
    """Return the ids of the letters that have asked the player in that turn whether something was meant."""
    return {str(row.get("letter", "")) for row in _rows_of(rows, colour, turn) if row.get("code") == PROPOSED}


def _rows_of(rows: Sequence[dict[str, Any]], colour: str, turn: int) -> Iterator[dict[str, Any]]:
    return (row for row in rows if (row.get("colour"), row.get("turn")) == (colour, turn))
