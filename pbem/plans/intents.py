"""What players have planned in a game: in their own words, when they wrote it, and what it has answered since.

A plan is kept in the words of its owner, with the line of the log after which it was written; an answer of a plan
with the line after it. Each line has its head, so that what belongs to another course of the game does not count.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from pbem.errors import PbemError
from pbem.first_sparks.plans.plan import Always, Plan, Planned, Why, renewed_market
from pbem.first_sparks.plans.waves import same_question
from pbem.first_sparks.record import Record, at_line

if TYPE_CHECKING:  # what reads and answers is only loaded where something has been said ahead
    from pbem.first_sparks.plans.read import PlanLines
    from pbem.first_sparks.plans.report import PlanEnd

WAIT: Final = "wait"  # an early answer: ask me again when the others have answered
FORGET: Final = "forget"  # in place of an early answer: it does not count any more
MOST_ANSWERS: Final = 500


By = Literal["plan", "early", "bot"]  # early: by a message that came before its turn


# Returns until when plans wait in the technology phase of a game round, None if they do not.
Waits = Callable[[int], object]


class Moment(NamedTuple):
    """A place in a game: the number of lines of its log, the head then, and the turn."""

    line: int
    head: str
    turn: int


class Intent(NamedTuple):
    """What a player has planned, in words; when the plan was *written*; and the *answers* that it has given.

    *early* is an answer to a question that is put to several at the same time, as a plan, and *asked* is when its owner
    was asked. *writer* is the address of whoever wrote all this, "" if that does not matter: nobody else reads it, and
    it answers for nobody else; only an early answer counts for the seat, as if it had been played. The owner was
    *told* what it did before its *answers*. What the player has said *rests* while a substitute reads the letters.
    Early answers that were *played* stand apart from the *answers* until the owner has read about them.
    """

    plan: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    written: Moment | None = None
    answers: tuple[Moment, ...] = ()
    early: tuple[str, ...] = ()
    asked: Moment | None = None
    writer: str = ""
    told: bool = False
    rests: "Intent | None" = None
    played: tuple[Moment, ...] = ()


Intents = Mapping[str, Intent]  # by colour


class Ahead(NamedTuple):
    """What a player has said ahead, as values: the early answer, the plan, and the rules that hold always."""

    early: Plan | None = None
    plan: Plan | None = None
    always: Always | None = None

    def answer(self, record: Record) -> Planned:
        """Return what the clan that decides has said ahead: its early answer comes first."""
        if not any(self):
            return Planned(None, Why("silent"))
        from pbem.first_sparks.plans.answer import answer

        if self.early is not None:
            return answer(self.early, None, record.state)
        return answer(self.plan, self.always, record.state)

    def waits(self, planned: Planned, record: Record, waits: Waits) -> bool:
        """Return whether that answer waits, since it is a plan's and its owner may still look at the market."""
        by_plan = planned.move is not None and self.early is None and not planned.why.always
        return by_plan and waits(renewed_market(record.state)) is not None


class Outcome(NamedTuple):
    """A player's plan in the game as it is now: as values, what it has done, and why it is over, if it is."""

    plan: Plan | None
    always: Always | None
    did: tuple[str, ...]
    ended: "PlanEnd | None"


def moment(record: Record, line: int | None = None) -> Moment:
    """Return a place in the game, by default where it is now."""
    then = record if line is None else at_line(record, line)
    return Moment(len(then.log), then.head, then.turn)


def changed(record: Record, intent: Intent, said: "PlanLines", written: Moment | None = None) -> Intent:
    """Return what a player has planned after new lines; a new plan replaces the old one, new rules the old rules.

    To forget all ends an early answer as well. The lines were *written* in the game as it is now, if not at another
    moment.
    """
    from pbem.first_sparks.plans.write import write, write_always

    if said.forget:
        intent = without_early(intent)._replace(plan=(), always=(), written=None, answers=(), told=False)
    if said.plan is not None:
        intent = intent._replace(plan=write(said.plan), written=written or moment(record), answers=(), told=False)
    return intent._replace(always=write_always(said.always)) if said.always is not None else intent


def always_only(intent: Intent) -> Intent:
    """Return only the rules that hold always, as after a takeback."""
    return Intent(always=intent.always, writer=intent.writer, rests=intent.rests and always_only(intent.rests))


def as_read_by(intent: Intent, reader: str, owner: str) -> Intent:
    """Return what is said ahead when somebody else reads the letters: the *owner* of the seat, or a substitute.

    What the owner has said rests then, and what a substitute has said is over when the owner is back.
    """
    if intent.writer == reader:
        return intent
    both = (intent._replace(early=(), asked=None, rests=None), intent.rests or Intent(writer=reader))
    own = next((each for each in both if each.writer == reader), Intent(writer=reader))
    rests = next((each for each in both if each.writer == owner != reader and is_something(each)), None)
    return own._replace(early=intent.early, asked=intent.asked, rests=rests)


def readdressed(intent: Intent, old: str, new: str) -> Intent:
    """Return what a player has said ahead, who has another address now; what a substitute has said is over."""
    own = as_read_by(intent, old, old)
    return own._replace(writer=new)


def answered_turns(kept: Intents, colour: str) -> frozenset[int]:
    """Return the turns in which what a player has said ahead has answered, and of which that player was not told."""
    said = kept.get(colour, Intent())
    return frozenset(mark.turn for mark in (*said.answers, *said.played))


def without_early(intent: Intent) -> Intent:
    """Return what is left without an early answer."""
    return intent._replace(early=(), asked=None)


def without_plan(intent: Intent) -> Intent:
    """Return what is left when the plan is over: the rules that hold always, and an early answer."""
    return intent._replace(plan=(), written=None, answers=(), told=False)


def outcome(record: Record, colour: str, intent: Intent) -> Outcome:
    """Return a player's plan in the game as it is now."""
    if intent.written is None and not intent.always:
        return Outcome(None, None, (), None)
    from pbem.first_sparks.plans.read import read
    from pbem.first_sparks.plans.report import ending, over, report

    always = read(intent.always, record.state, colour).always if intent.always else None
    if intent.written is None:
        return Outcome(None, always, (), None)
    heads = record.lines.heads
    if not _is_in(heads, intent.written):
        return Outcome(None, always, (over("taken back"),), "taken back")
    line = intent.written.line
    plan = read(intent.plan, at_line(record, line).state, colour).plan
    assert plan is not None
    turns = {mark.turn for mark in intent.answers if _is_in(heads, mark)}
    since = record.history[line:]
    ended = ending(plan, since, record.state)
    did = report(plan, since, turns, ended, told=intent.told)
    return Outcome(plan if ended is None else None, always, did, ended)


def early_plan(record: Record, colour: str, intent: Intent) -> Plan | None:
    """Return a player's early answer as a plan, None if it says to wait or its question is over."""
    asked = intent.asked
    if asked is None or intent.early in ((), (WAIT,)) or not is_early(record, colour, intent):
        return None
    from pbem.first_sparks.plans.read import read

    return read(intent.early, at_line(record, asked.line).state, colour).plan


def early_order(intent: Intent) -> str:
    """Return a player's early answer as an order, without the highest cost; "" without one, or for one that waits."""
    line = next(iter(intent.early), WAIT)
    return "" if line == WAIT else line.removeprefix("plan ").partition(" at most ")[0]


def is_early(record: Record, colour: str, intent: Intent) -> bool:
    """Return whether a player has answered a question that is still open, or said to wait."""
    asked = intent.asked
    if asked is None or not _is_in(record.lines.heads, asked):
        return False
    return same_question(record, asked.line, colour)


def said_ahead(record: Record, colour: str, intent: Intent) -> Ahead:
    """Return what a player has said ahead; words that cannot be read any more say nothing."""
    early: Plan | None = None
    with suppress(PbemError):
        early = early_plan(record, colour, intent)
    with suppress(PbemError):
        found = outcome(record, colour, intent)
        return Ahead(early, found.plan, found.always)
    return Ahead(early)


def answered_at(intent: Intent, *marks: Moment) -> Intent:
    """Return a plan with more of its answers; one that was noted before a run was cut off stands there once."""
    before = (mark for mark in intent.answers if mark not in marks)
    return intent._replace(answers=(*before, *marks)[-MOST_ANSWERS:])


def is_something(intent: Intent) -> bool:
    """Return whether anything is planned."""
    return any(intent._replace(writer="", told=False))


def _is_in(heads: tuple[str, ...], mark: Moment) -> bool:
    return mark.line < len(heads) and heads[mark.line] == mark.head
