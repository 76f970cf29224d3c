"""What players read about what they have said ahead: that it is kept, what it means, what it did, that it is over."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from pbem.errors import PbemError
from pbem.first_sparks.briefing.words import to_write
from pbem.first_sparks.notation import order_text
from pbem.first_sparks.plans.plan import holds
from pbem.first_sparks.plans.words import plan_text
from pbem.grammar import listed
from pbem.locale import tr
from pbem.page.glue import glued, unbroken
from pbem.page.page import Items, Prose, Section, Sections
from pbem.plans.intents import WAIT, Intent, as_read_by, early_order, early_plan, is_early, outcome, without_plan
from pbem.table.letters.letter import paragraphs
from pbem.table.people import Player, of_reader
from pbem.table.progress import Progress, stand_still
from pbem.table.table import Table

if TYPE_CHECKING:  # what reads a plan is only loaded for messages with one
    from pbem.first_sparks.plans.read import PlanLines

KEPT: Final = "I have kept your plan. Nobody else sees it, except the keeper of the club's folder."
KEPT_NEW: Final = "I have kept your new plan. Nobody else sees it, except the keeper of the club's folder."
NO_PLAN: Final = "You have no plan."
FORGOTTEN: Final = "You have no plan any more."
HOW: Final = 'To change it, send a new one, which replaces all of it; to drop it, write "forget" on a line of its own.'
_EARLY: Final = 'I have kept your answer: "{order}". It is played when it is your turn.'
WAITS: Final = "You will get a letter when the others have answered."
_STILL_COUNTS: Final = (
    "Your earlier answer {order} still counts. To take it back, write {take_back} on a line of its own."
)
_STILL_WAITS: Final = "You will still get a letter when the others have answered."
_NO_LONGER: Final = "Your answer {order} does not count any more, so you are asked again."
_ANSWER_OVER: Final = "Your answer {order} is over, because the game was taken back."
_RESTS: Final = "Your\N{NO-BREAK SPACE}plan rests while {substitute} stands in, who cannot see it."
_COUNTS: Final = "Your\N{NO-BREAK SPACE}plan counts again."


def confirmation(step: Progress, player: Player, lines: "PlanLines") -> Sections:
    """Return what a player reads about the own plan after a message with lines of one: what it means, and would do."""
    from pbem.first_sparks.plans.explain import explain

    colour, record, state = player.colour, step.after.kept, step.after.record.state
    intent, old = of_reader(step.after.ahead, player), of_reader(step.before.ahead, player)
    found = outcome(record, colour, intent)
    told: tuple[str, ...] = ()
    if old.written not in (None, intent.written):
        told = outcome(step.before.kept, colour, old._replace(told=True)).did
    plan = found.plan if found.plan is not None and holds(found.plan, state) else None
    means = explain(plan, found.always, state, early_plan(record, colour, intent))
    if lines.show or not (lines.plan or lines.always):
        first = "" if means else tr(FORGOTTEN if lines.forget else NO_PLAN)
    else:
        first = "" if not means else tr(KEPT_NEW if told else KEPT)
    words = (*(intent.plan if plan else ()), *intent.always)
    quoted = listed(f'"{plan_text(line)}"' for line in words) if lines.show and words else ""
    spelled = tr("You wrote: {lines}.").format(lines=quoted) if quoted else ""
    is_kept = lines.show and is_early(record, colour, intent)
    kept = _kept_early(intent, plan_text(early_order(intent))) if is_kept else ""
    blocks = tuple(Prose(text) for text in (kept, *told, first, spelled) if text)
    means_blocks = (Items(means), Prose(tr(HOW))) if means else ()
    return (Section("why", (*blocks, *means_blocks)),) if blocks or means_blocks else ()


def what_is_ahead(table: Table, player: Player) -> Sections:
    """Return what a player has said ahead, and what it means; nothing if that is nothing."""
    from pbem.first_sparks.plans.read import PlanLines

    intent = of_reader(table.ahead, player)
    says_any = intent.plan or intent.always or is_early(table.kept, player.colour, intent)
    return confirmation(stand_still(table, table), player, PlanLines(show=True)) if says_any else ()


def early_receipt(intent: Intent, orders: Sequence[str]) -> Sections:
    """Return the receipt for an early answer."""
    return paragraphs((_kept_early(intent, listed(map(order_text, orders))),)) if intent.early else ()


def _kept_early(intent: Intent, order: str) -> str:
    """Return that an early answer is kept."""
    return tr(WAITS) if intent.early == (WAIT,) else tr(_EARLY).format(order=order)


def still_ahead(table: Table, player: Player) -> Sections:
    """Return what a player reads whose message was refused, and who has an early answer: that it still counts."""
    intent = of_reader(table.ahead, player)
    if not is_early(table.kept, player.colour, intent):
        return ()
    order, take_back = plan_text(early_order(intent)), tr(to_write("take back"))
    counts = tr(_STILL_COUNTS).format(order=glued(f'"{order}"'), take_back=take_back)
    return paragraphs((counts if order else tr(_STILL_WAITS),))


def dropped(step: Progress, player: Player) -> Sections:
    """Return what a player reads whose early answer does not count any more: by the own message, and by no move."""
    before, after = of_reader(step.before.ahead, player), of_reader(step.after.ahead, player)
    is_dropped = is_early(step.before.kept, player.colour, before) and not after.early
    if step.is_moved or not is_dropped or player.colour not in step.after.asked:
        return ()
    order = plan_text(early_order(before))
    return paragraphs((tr(_NO_LONGER).format(order=glued(f'"{order}"') if order else tr(to_write("wait"))),))


def reported(step: Progress, colour: str, ahead: Mapping[str, Intent]) -> tuple[Mapping[str, Intent], tuple[str, ...]]:
    """Return what has been said ahead when a player has read what the own plan did, and that, as one paragraph."""
    if colour not in step.after.in_force:
        return ahead, ()
    intent = ahead.get(colour, Intent())
    if intent.played:
        intent = intent._replace(played=())
    kept = {**ahead, colour: intent} if colour in ahead else dict(ahead)
    if intent.written is None:
        return kept, ()
    found = outcome(step.after.kept, colour, intent)
    if not found.did:
        return kept, ()
    left = without_plan(intent) if found.ended else intent._replace(answers=(), told=True)
    return {**ahead, colour: left}, (" ".join(found.did),)


def lost_ahead(intent: Intent, reader: Player, player: Player) -> tuple[str, ...]:
    """Return what the *reader* of letters to a player reads about what is not said ahead any more after a takeback.

    A plan is told to its owner, an early answer to whoever reads the letters now, as the *player* says.
    """
    from pbem.first_sparks.plans.report import over

    own = as_read_by(intent, reader.reader, player.address)
    order = plan_text(early_order(intent)) if reader.reader == player.reader else ""
    answer = tr(_ANSWER_OVER).format(order=glued(f'"{order}"')) if order else ""
    return (*((over("taken back"),) if own.plan else ()), *((answer,) if answer else ()))


def about_plan(table: Table, before: Player, player: Player) -> Sections:
    """Return what a player reads about the own plan when a substitute begins or stops to read the letters."""
    if before.reader == player.reader:
        return ()
    own = as_read_by(table.ahead.get(player.colour, Intent()), player.address, player.address)
    with suppress(PbemError):
        if outcome(table.kept, player.colour, own).plan is not None:
            rests = unbroken(tr(_RESTS)).format(substitute=player.deputy_name)
            return paragraphs((unbroken(tr(_COUNTS)) if player.is_home else rests,))
    return ()
