"""What a message says ahead: a plan, or an answer to a question that is put to several at the same time."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from pbem.ahead.intents import WAIT, Intent, as_read_by, changed, early_order, early_plan, is_early, moment, outcome
from pbem.club.ahead.kept import of_reader
from pbem.club.reading.plan_lines import is_wait
from pbem.club.reading.received import Post
from pbem.club.table import Player
from pbem.club.ticket import Ticket
from pbem.club.writing.answers import Seat
from pbem.club.writing.letters import paragraphs
from pbem.club.writing.receipts import receipt_of
from pbem.errors import Illegal, NotUnderstood
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.notation import expected, parse_order
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.plans.plan import holds
from pbem.first_sparks.plans.together import as_asked, check, early, question_to, same_question
from pbem.first_sparks.record import Record, at_line, at_turn, line_at, same_situations
from pbem.first_sparks.state import GameState
from pbem.grammar import listed
from pbem.page.glue import glued
from pbem.page.page import Items, Prose, Section, Sections

if TYPE_CHECKING:  # what reads a plan is only loaded for messages with one
    from pbem.first_sparks.plans.read import PlanLines

NEVER_TOLD: Final = (
    f"A line that begins with {glued('the word plan, always or if')} is read in this way, and is never passed on; to "
    "write to the other players, begin it with another word"
)
OVER: Final = "the game is over, so there is nothing left to plan"
LEFT: Final = "you have left the game, so there is nothing left to plan"
KEPT: Final = "I have kept your plan. Nobody else sees it, except the keeper of the club's folder."
KEPT_NEW: Final = "I have kept your new plan. Nobody else sees it, except the keeper of the club's folder."
NO_PLAN: Final = "You have no plan."
FORGOTTEN: Final = "You have no plan any more."
HOW: Final = 'To change it, send a new one, which replaces all of it; to drop it, write "forget" on a line of its own.'
ONE_ORDER: Final = "others are asked at the same time, so only one order can be kept for your turn"
PLAN_THE_REST: Final = "send the first order alone; what comes after it can be planned, for example (plan drop least)"
EARLY: Final = 'I have kept your answer: "{order}". It is played when it is your turn.'
NOTHING_TO_WAIT_FOR: Final = {
    "over": "The game is over, so there is nothing to wait for.",
    "turn": "It is your turn, and nobody is asked before you, so there is nobody to wait for.",
    "asked": "You answered an older letter. To wait for the others, answer the one that asks you.",
    "": "You are not asked now, so you need not say that you wait. You get a letter when it is your turn.",
}
NOT_TOLD: Final = "I have not passed that on to the other players."
WAITS: Final = "You will get a letter when the others have answered."


def planned(seat: Seat, said: Ticket, post: Post) -> "PlanLines":
    """Return what the lines of a plan say, read as its writer saw the game in the letter that the message answers.

    Raises NotUnderstood with everything that is wrong, and Illegal if what the plan is about is over by now.
    """
    from pbem.first_sparks.plans.read import read

    colour, state = seat.player.colour, seat.record.state
    closed = OVER if isinstance(state.phase, Ended) else LEFT if state.clan(colour).resigned else ""
    try:
        lines = read(post.plan, at_turn(seat.record, said.turn).state, colour)
    except NotUnderstood as wrong:
        if closed:
            raise Illegal(closed) from None
        wrong.hint = f"{wrong.hint}. {NEVER_TOLD}"
        raise
    if closed and (lines.plan or lines.always):
        raise Illegal(closed)
    if lines.plan is not None and not holds(lines.plan, state):
        raise Illegal(
            f"you answered a letter of turn {said.turn}, and what you plan there is over",
            hint="answer a newer letter",
        )
    return lines


def answered_early(seat: Seat, said: Ticket, post: Post) -> Intent | None:
    """Return what the player has said ahead after an answer to a question that is put to several; None without one.

    The question may have been put to the player a while ago: what the others have answered since does not matter.
    Raises Illegal for an answer that is not legal, then or now, or that cannot be kept, and NotUnderstood.
    """
    record, colour = seat.game.record, seat.player.colour
    line = line_at(record, said.turn)
    if not seat.club.waves or not question_to(record.state, colour) or not same_question(record, line, colour):
        return None
    is_first = who_decides(record.state) == colour and said.turn in dict(same_situations(record))
    if is_first and post.early == WAIT:
        raise Illegal("nobody is asked before you, so there is nobody to wait for")
    if is_first and not post.early:
        return None
    words = early_words(post, at_line(seat.record, line).state, seat.record.state, colour)
    if not words:
        return None
    return of_reader(seat.ahead, seat.player)._replace(early=words, asked=moment(record, line))


def early_words(post: Post, then: GameState, now: GameState, colour: str) -> tuple[str, ...]:
    """Return what a message answers before the player's turn comes, as lines of a plan; nothing if it does not.

    *then* is the game as the player knew it. Raises Illegal, NotUnderstood.
    """
    if post.early:
        if post.early != WAIT:
            from pbem.first_sparks.plans.read import read

            read((post.early,), then, colour)
        return (post.early,)
    orders = post.orders.orders if post.orders else post.proposed
    if len(orders) > 1:
        raise Illegal(ONE_ORDER, hint=PLAN_THE_REST)
    return _as_plan(then, now, colour, orders[0]) if orders else ()


def _as_plan(then: GameState, now: GameState, colour: str, order: str) -> tuple[str, ...]:
    """Return an order as an early answer, at no higher cost than then; nothing if it does not answer the question."""
    from pbem.first_sparks.plans.write import write

    words = expected(as_asked(then, colour).phase)
    move = parse_order(order, words)
    if move.word not in words:
        return ()
    check(now, colour, move)
    return write(early(then, colour, move))


def ahead_after(seat: Seat, said: Ticket, lines: "PlanLines | None", answer: Intent | None) -> dict[str, Intent]:
    """Return what all have said ahead after the lines of a plan and an early answer of the player."""
    intent, record = answer or of_reader(seat.ahead, seat.player), seat.game.record
    if lines is not None:
        intent = changed(record, intent, lines, moment(record, line_at(record, said.turn)))
    return {**seat.ahead, seat.player.colour: intent}


def confirmation(
    then: Record,
    record: Record,
    state: GameState,
    player: Player,
    lines: "PlanLines",
    before: Mapping[str, Intent],
    after: Mapping[str, Intent],
) -> Sections:
    """Return what a player reads about the own plan after a message with lines of one: what it means, and would do.

    *then* is the game before the message, *record* the game now, and *state* its state with the names of the current
    players.
    """
    from pbem.first_sparks.plans.explain import explain

    colour = player.colour
    intent, old = of_reader(after, player), of_reader(before, player)
    found = outcome(record, colour, intent)
    told: tuple[str, ...] = ()
    if old.written not in (None, intent.written):
        told = outcome(then, colour, old._replace(told=True)).did
    plan = found.plan if found.plan is not None and holds(found.plan, state) else None
    means = explain(plan, found.always, state, early_plan(record, colour, intent))
    if lines.show or not (lines.plan or lines.always):
        first = "" if means else FORGOTTEN if lines.forget else NO_PLAN
    else:
        first = "" if not means else KEPT_NEW if told else KEPT
    words = (*(intent.plan if plan else ()), *intent.always)
    quoted = listed(f'"{line}"' for line in words) if lines.show and words else ""
    spelled = f"You wrote: {quoted}." if quoted else ""
    is_kept = lines.show and is_early(record, colour, intent)
    kept = (WAITS if intent.early == (WAIT,) else EARLY.format(order=early_order(intent))) if is_kept else ""
    blocks = tuple(Prose(text) for text in (kept, *told, first, spelled) if text)
    means_blocks = (Items(means), Prose(HOW)) if means else ()
    return (Section("why", (*blocks, *means_blocks)),) if blocks or means_blocks else ()


def confirmed_to(
    seat: Seat,
    after: Record,
    state: GameState,
    lines: "PlanLines | None",
    ahead: Mapping[str, Intent],
    receipt: Sections,
    at_once: Sequence[str],
) -> Sections:
    """Return what a player reads about a message: its *receipt*, and what its *lines* of a plan mean.

    *after* and *state* are the game after it, in which *ahead* has been said ahead. What was said ahead has played the
    orders *at_once*; then an early answer was not early any more.
    """
    if at_once and receipt:
        receipt = receipt_of(seat.record, seat.player, at_once[:1])
    if lines is None:
        return receipt
    return (*receipt, *confirmation(seat.game.record, after, state, seat.player, lines, seat.ahead, ahead))


def without_wait(seat: Seat, post: Post) -> tuple[Post, str]:
    """Return a message without a line that says to wait, which is not talk; and why there is nobody to wait for.

    A line that answers a question is an early answer, and not among the words.
    """
    lines = post.words.splitlines()
    left = [line for line in lines if not is_wait(line)]
    if len(left) == len(lines) or post.orders or not post.person:
        return post, ""
    colour, desk = seat.player.colour, seat.desk
    when = "over" if not desk.decides else "turn" if desk.decides == colour else "asked" if colour in desk.asked else ""
    return post._replace(words="\n".join(left).strip()), f"{NOTHING_TO_WAIT_FOR[when]} {NOT_TOLD}"


def early_receipt(intent: Intent, order: str) -> Sections:
    """Return the receipt for an early answer."""
    if intent.early == (WAIT,):
        return paragraphs((WAITS,))
    return paragraphs((EARLY.format(order=order),)) if intent.early else ()


_STILL_COUNTS: Final = "Your earlier answer {order} still counts."
_STILL_WAITS: Final = "You will still get a letter when the others have answered."


def still_ahead(seat: Seat) -> Sections:
    """Return what a player reads whose message was refused, and who has an early answer: that it still counts."""
    intent = of_reader(seat.ahead, seat.player)
    if not is_early(seat.game.record, seat.player.colour, intent):
        return ()
    order = early_order(intent)
    return paragraphs((_STILL_COUNTS.format(order=glued(f'"{order}"')) if order else _STILL_WAITS,))


_ANSWER_OVER: Final = "Your answer {order} is over, because the game was taken back."


def taken_back(intent: Intent, reader: Player, player: Player) -> tuple[str, ...]:
    """Return what the *reader* of letters to a player reads about what is not said ahead any more after a takeback.

    A plan is told to its owner, an early answer to whoever reads the letters now, as the *player* says.
    """
    from pbem.first_sparks.plans.report import over

    own = as_read_by(intent, reader.reader, player.address)
    order = early_order(intent) if reader.reader == player.reader else ""
    answer = _ANSWER_OVER.format(order=glued(f'"{order}"')) if order else ""
    return (*((over("taken back"),) if own.plan else ()), *((answer,) if answer else ()))
