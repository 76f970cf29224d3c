"""What a message answers at a table: the question to its writer, and what was proposed since."""

from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from pbem.errors import NotUnderstood, PbemError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.notation import parse_order
from pbem.first_sparks.plans.waves import as_asked, is_unchanged, opened, question_to
from pbem.first_sparks.record import Record, at_line
from pbem.loading import Submission
from pbem.locale import Language
from pbem.reading.context import Context
from pbem.reading.message import Post
from pbem.reading.quotes import repeats
from pbem.reading.ticket import Ticket
from pbem.rulings import orders_of
from pbem.table.messages.verdict import id_digest
from pbem.table.people import Player
from pbem.table.table import Table

PROPOSED: Final = "proposed"  # the journal code of a message whose order was proposed to the player
_MOST_COMPARED: Final = 40  # messages, the newest ones
TAKEN_BACK: Final = "took_back"  # the key of a row whose message says no to that
# The codes of what may come between such a question and its answer.
_BESIDE: Final = ("reminded", "played", "answered")


class Proposal(NamedTuple):
    """Orders that a player was asked to confirm, the digest of the message with them, and the id of our letter.

    *later* has the ids of our replies to requests since then; *open* is whether nothing else has come from the player.
    """

    orders: tuple[str, ...]
    digest: str
    letter: str
    later: frozenset[str] = frozenset()
    open: bool = True


def context_of(record: Record, colour: str, turn: int, *, waves: bool = False, language: Language = "en") -> Context:
    """Return what a player was asked in a turn, with the orders that the player had given by then.

    With *waves* that may be a question to several at the same time. The *language* is the writer's.
    """
    given = frozenset(str(entry.move) for entry in orders_of(record, colour) if entry.turn <= turn)
    state = record.state
    if turn != record.turn:
        before = [state for entry, state in record.history if entry.turn <= turn]
        state = before[-1] if before else state
    if waves and question_to(state, colour):
        state = as_asked(state, colour)
    name = dict(record.players).get(colour, "")
    return Context(state if who_decides(state) == colour else None, name, given, waves=waves, language=language)


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


def _still_proposed(rows: Sequence[dict[str, Any]], record: Record, colour: str) -> Proposal | None:
    """Return what was proposed to a player who has said nothing since, and is asked the same though others answered."""
    first, lines = opened(record, colour), {head: line for line, head in enumerate(record.lines.heads)}
    last = next((row for row in reversed(rows) if row.get("colour") == colour), None)
    line = lines.get(str(last.get("head", "")), -1) if last and last.get("code") == PROPOSED else -1
    if last is None or line < first or not is_unchanged(at_line(record, line).state, record.state, colour):
        return None
    return proposal_in(rows, record, colour, int(last["turn"]))


def with_proposal(context: Context, last: Proposal, ids: set[str]) -> Context:
    """Return what a message answers, given the last proposal, if it names our letters by these *ids*.

    For a message that answers another letter, anything since the proposal counts: a yes may be meant for that.
    """
    later = last.open and not context.takes_yes and not last.later.isdisjoint(ids - {""})
    replies_to_it = later or last.letter in ids
    if not (replies_to_it or last.open):
        return context
    return context._replace(proposed=last.orders, replies_to_it=replies_to_it)


def proposal_letters(rows: Sequence[dict[str, Any]], colour: str, turn: int) -> set[str]:
    """Return the ids of the letters that proposed something to the player in that turn."""
    return {str(row.get("letter", "")) for row in _rows_of(rows, colour, turn) if row.get("code") == PROPOSED}


def _rows_of(rows: Sequence[dict[str, Any]], colour: str, turn: int) -> Iterator[dict[str, Any]]:
    return (row for row in rows if (row.get("colour"), row.get("turn")) == (colour, turn))


def in_context(
    post: Post,
    record: Record,
    rows: Sequence[dict[str, Any]],
    player: Player,
    turn: int | None,
    letter: Callable[[], str],
    *,
    waves: bool = False,
) -> Post:
    """Return the message read as an answer to what the player was asked in that turn, or in no turn.

    *letter* makes the words of the letter with the question. With *waves* several can be asked at the same time.
    """
    if post.reread is None:
        return post
    colour, language = player.colour, player.language
    if turn is None:
        read = post.reread(Context(letter=letter, language=language))
        return read._replace(head=post.head, came=post.came, seen=post.seen, takes_back=False)
    context = context_of(record, colour, turn, waves=waves, language=language)._replace(letter=letter)
    last = proposal_in(rows, record, colour, turn)
    if last is None and waves and not post.head and question_to(record.state, colour):
        last = _still_proposed(rows, record, colour)  # a message without a marker answers the question of now
    ids = set(map(id_digest, post.names))
    if last is not None and last.open and not ids and last.letter in map(id_digest, post.seen):
        ids = {last.letter}  # the carrier has no threads, but its writer had that letter and has said nothing since
    if last is not None and last.letter not in ids and ids & proposal_letters(rows, colour, turn):
        last = None  # it says yes to something that the player has replaced since
    if last is not None:
        context = with_proposal(context, last, ids)
    read = post.reread(context)
    confirms = last.digest if last and context.proposed and (read.orders or read.proposed) else ""
    takes_back = read.takes_back and bool(context.proposed)
    read = read._replace(head=post.head, came=post.came, seen=post.seen)
    return read._replace(confirms=confirms, takes_back=takes_back)


# What the log says about it


def is_heard(record: Record, said: Ticket, planned: Container[int] = ()) -> bool:
    """Return whether words with that ticket are passed on: it is not older than the player's last own order.

    What a plan has answered in the turns *planned*, of which the player has not heard yet, does not count.
    """
    own = (entry.turn for entry in reversed(orders_of(record, said.colour)))
    last = next((turn for turn in own if turn not in planned), 0)
    return said.turn >= last - 1


def may_be_old(table: Table, colour: str, orders: Submission, text: str) -> bool:
    """Return whether orders that a player gave before may come from an older message quoted below the new words."""
    given = {str(entry.move) for entry in orders_of(table.record, colour)}
    repeated = not given.isdisjoint(map(str.lower, orders.orders))
    return repeated and repeats(text, _accepted(table, colour))


def _accepted(table: Table, colour: str) -> Iterator[str]:
    """Yield the texts of a player's newest accepted messages, as far as they are still there."""
    rows = [row for row in table.rows if row.get("code") == "played" and row.get("colour") == colour]
    for row in rows[-_MOST_COMPARED:]:
        with suppress(PbemError):  # the message is lost, or the host gave the order
            yield table.beside.message(row)


def was_played(record: Record, colour: str, turn: int, orders: Sequence[str]) -> bool:
    """Return whether the log has these orders of the player, directly after that turn."""
    logged = {entry.turn: entry.move for entry in orders_of(record, colour)}
    for number, order in enumerate(orders, turn + 1):
        try:
            played = logged[number]
            move = parse_order(order, (played.word,))
        except (KeyError, NotUnderstood):
            return False
        # A card number after buy or decline is a guard, and is not logged.
        if str(played) not in (str(move), move.word):
            return False
    return bool(orders)
