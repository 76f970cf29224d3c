"""What a message says ahead: a plan, or an answer to a question that is put to several at the same time."""

from typing import TYPE_CHECKING, Final

from pbem.errors import Illegal, NotUnderstood
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.notation import ANY_TIME, expected, parse_order
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.plans.plan import holds
from pbem.first_sparks.plans.waves import as_asked, check, early, question_to, same_question
from pbem.first_sparks.record import at_line, at_turn, line_at, same_situations
from pbem.first_sparks.state import GameState
from pbem.grammar import sentences
from pbem.locale import Phrase, phrase, phrase_by, tr
from pbem.page.glue import unbroken
from pbem.plans.intents import FORGET, WAIT, Intent, changed, moment, without_early
from pbem.reading.message import Post
from pbem.reading.recognisers.plans import is_wait
from pbem.table.messages.answers import PlayersMessage
from pbem.table.table import Table

if TYPE_CHECKING:  # what reads a plan is only loaded for messages with one
    from pbem.first_sparks.plans.read import PlanLines

# With no-break spaces, so that no line of a letter begins with one of these words.
NEVER_TOLD: Final = (
    "A line that begins with the\u00a0word\u00a0plan,\u00a0always\u00a0or\u00a0if is read in this way, and is never "
    "passed on; to write to the other players, begin it with another word"
)
OVER: Final = "the game is over, so there is nothing left to plan"
LEFT: Final = "you have left the game, so there is nothing left to plan"
ONE_ORDER: Final = "others are asked at the same time, so only one order can be kept for your turn"
PLAN_THE_REST: Final = "send the first order alone; what comes after it can be planned, for example (plan drop least)"
NOTHING_TO_WAIT_FOR: Final = {
    "over": "The game is over, so there is nothing to wait for.",
    "turn": "It is your turn, and nobody is asked before you, so there is nobody to wait for.",
    "asked": "You answered an older letter. To wait for the others, answer the one that asks you.",
    "": "You are not asked now, so you need not say that you wait. You get a letter when it is your turn.",
}
NOT_TOLD: Final = "I have not passed that on to the other players."


def planned(message: PlayersMessage) -> "PlanLines | None":
    """Return what the lines of a plan say, read as its writer saw the game in the letter that the message answers.

    Raises NotUnderstood with everything that is wrong, and Illegal if what the plan is about is over by now.
    """
    if not message.post.plan:
        return None
    from pbem.first_sparks.plans.read import read

    record, colour, turn = message.table.record, message.colour, message.said.turn
    state = record.state
    closed = phrase(OVER if isinstance(state.phase, Ended) else LEFT if state.clan(colour).resigned else "")
    try:
        lines = read(message.post.plan, at_turn(record, turn).state, colour)
    except NotUnderstood as wrong:
        if closed:
            raise Illegal(closed) from None
        wrong.hint = _with_way_out(wrong.hint)
        raise
    if closed and (lines.plan or lines.always):
        raise Illegal(closed)
    if lines.plan is not None and not holds(lines.plan, state):
        why = phrase("you answered a letter of turn {turn}, and what you plan there is over", turn=turn)
        raise Illegal(why, hint=phrase("answer a newer letter"))
    return lines


def _with_way_out(hint: str) -> Phrase:
    """Return a hint about lines of a plan, and how such a line can be talk."""
    return phrase_by(
        f"{hint}. {unbroken(NEVER_TOLD)}",
        lambda: tr("{hint}. {way_out}").format(hint=tr(hint), way_out=unbroken(tr(NEVER_TOLD))),
    )


def answered_early(message: PlayersMessage) -> Intent | None:
    """Return what the player has said ahead after an answer to a question that is put to several; None without one.

    The question may have been put to the player a while ago: what the others have answered since does not matter.
    Raises Illegal for an answer that is not legal, then or now, or that cannot be kept, and NotUnderstood.
    """
    table, post, turn, colour = message.table, message.post, message.said.turn, message.colour
    record = table.kept
    line = line_at(record, turn)
    is_asked = message.valid and table.house.waves and question_to(record.state, colour)
    if not is_asked or not same_question(record, line, colour):
        return None
    is_first = who_decides(record.state) == colour and turn in dict(same_situations(record))
    if is_first and post.early == WAIT:
        raise Illegal(phrase("nobody is asked before you, so there is nobody to wait for"))
    if is_first and not post.early:
        return None
    if post.early == FORGET:
        return without_early(message.intent)
    words = early_words(post, at_line(table.record, line).state, table.record.state, colour)
    return message.intent._replace(early=words, asked=moment(record, line)) if words else None


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
        raise Illegal(phrase(ONE_ORDER), hint=phrase(PLAN_THE_REST))
    return _as_plan(then, now, colour, orders[0]) if orders else ()


def _as_plan(then: GameState, now: GameState, colour: str, order: str) -> tuple[str, ...]:
    """Return an order as an early answer, at no higher cost than then; nothing for one that counts at any time."""
    from pbem.first_sparks.plans.write import write

    move = parse_order(order, expected(as_asked(then, colour).phase))
    if move.word in ANY_TIME:
        return ()
    check(now, colour, move)
    return write(early(then, colour, move))


def about_what_is_ahead(lines: "PlanLines | None", answer: Intent | None) -> str:
    """Return what the host reads of a message with lines of a plan, or an early answer, that has played nothing."""
    if (answer and answer.early) or (lines and (lines.plan or lines.always)):
        return "kept what the player says ahead"
    if lines is None:
        return "ended what the player had answered"
    return "ended the player's plans" if lines.forget else "shown what the player has said ahead"


def ahead_after(message: PlayersMessage, lines: "PlanLines | None", answer: Intent | None) -> dict[str, Intent]:
    """Return what all have said ahead after the lines of a plan and an early answer of the player."""
    intent, record = message.intent, message.table.kept
    if lines is not None:
        intent = changed(record, intent, lines, moment(record, line_at(record, message.said.turn)))
    if answer is not None:
        intent = intent._replace(early=answer.early, asked=answer.asked)
    return {**message.table.ahead, message.colour: intent}


def without_wait(table: Table, colour: str, post: Post) -> tuple[Post, str]:
    """Return a message without a line that says to wait, which is not talk; and why there is nobody to wait for.

    A line that answers a question is an early answer, and not among the words.
    """
    lines = post.words.splitlines()
    left = [line for line in lines if not is_wait(line)]
    if len(left) == len(lines) or post.orders or not post.person:
        return post, ""
    if not table.decides:
        when = "over"
    else:
        when = "turn" if table.decides == colour else "asked" if colour in table.asked else ""
    return post._replace(words="\n".join(left).strip()), sentences(phrase(NOTHING_TO_WAIT_FOR[when]), phrase(NOT_TOLD))
