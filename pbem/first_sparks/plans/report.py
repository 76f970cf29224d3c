"""What a plan did, for its owner alone: the answers that it gave, and why it is over or was not used."""

from collections.abc import Collection, Iterator
from typing import Final, Literal, assert_never

from pbem.first_sparks.adjudicator import Entry
from pbem.first_sparks.briefing.words import numbered
from pbem.first_sparks.chance.contributions import Opens, Renews, Salts, Skips
from pbem.first_sparks.events import Answered, CardBought, CardOffered
from pbem.first_sparks.moves import (
    Add,
    AgreeEnd,
    Buy,
    Decline,
    Discard,
    Draw,
    Drop,
    Lay,
    Offer,
    Pass,
    Resign,
    Settle,
    SettleNeutral,
    Spread,
    SpreadNeutral,
    Starve,
    Stay,
    Take,
)
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.plans.plan import Plan, holds
from pbem.first_sparks.record import History
from pbem.first_sparks.state import GameState
from pbem.grammar import listed
from pbem.page.glue import glued

PlanEnd = Literal[
    "done",  # its owner has bought
    "passed",
    "phase over",
    "resigned",
    "game over",
    "replaced",  # by a newer plan
    "forgotten",
    "taken back",  # the game was, to before the plan or past an answer of it
    "new player",  # another player plays for its owner
]
_YOURS: Final = glued("your plan")
_THE_PLAN: Final = glued("The plan")
_ENDED: Final[dict[PlanEnd, str]] = {
    "done": "{plan} is done.",
    "passed": "{plan} is over, since you have passed.",
    "phase over": "{plan} is over with its phase.",
    "resigned": "{plan} is over, since you have resigned.",
    "game over": "{plan} is over with the game.",
    "replaced": "{plan} was replaced by a newer one.",
    "forgotten": "{plan} was forgotten, as you asked.",
    "taken back": "{plan} is over, because the game was taken back.",
    "new player": "{plan} is over, because another player has taken the seat.",
}


def ending(plan: Plan, since: History, state: GameState) -> PlanEnd | None:
    """Return why the plan is over, None while it holds; *since* is what has happened from when it was written."""
    if holds(plan, state):
        return None
    if state.clan(plan.colour).resigned:
        return "resigned"
    if isinstance(state.phase, Ended):
        return "game over"
    for entry, after in since:
        if any(isinstance(event, CardBought) and event.clan == plan.colour for event in after.events):
            return "done"
        if entry.clan == plan.colour and isinstance(entry.move, Pass):
            return "passed"
    return "phase over"


def report(
    plan: Plan, since: History, turns: Collection[int], ended: PlanEnd | None, *, told: bool = False
) -> tuple[str, ...]:
    """Return what plan and early answers did, in sentences; none while the plan holds and has answered nothing.

    *since* is what has happened from when it was written, *turns* are those that it played. The owner may have been
    *told* of earlier answers.
    """
    did = list(_deeds(plan, since, turns))
    sentences = [f"As you said ahead, you {listed(did)}."] if did else []
    if not (did or told) and ended is not None:
        sentences.append(f"Nothing was answered by {_YOURS}.")
    if ended is not None:
        sentences.append(over(ended))
    return tuple(sentences)


def over(ended: PlanEnd) -> str:
    """Return why a plan is over, in one sentence."""
    return _ENDED[ended].format(plan=_THE_PLAN)


def _deeds(plan: Plan, since: History, turns: Collection[int]) -> Iterator[str]:
    """Yield what the owner did by the plan, as the words after "you"."""
    for place, (entry, after) in enumerate(since):
        if entry.by == plan.colour and entry.is_order and entry.turn in turns:
            yield _deed(plan.colour, entry, after, since[place:])


def _deed(colour: str, entry: Entry, after: GameState, rest: History) -> str:
    match entry.move:
        case Buy():
            return _offer_became(colour, _card_answered(after, colour), after, rest, "said yes to {card}")
        case Decline():
            return f"declined {numbered(after, _card_answered(after, colour))}"
        case Offer(card=number):
            return _offer_became(colour, number, after, rest, "offered {card}")
        case Take():
            number = next(event.card for event in after.events if isinstance(event, CardBought))
            return _offer_became(colour, number, after, rest, "took {card}")
        case Pass():
            return "passed"
        case Discard():
            return "discarded the card that you had offered"
        case Drop(card=number):
            return f"discarded {numbered(after, number)}"
        case Stay():
            return "stayed"
        case Add(space=space):
            return f"added a member on {space}"
        case Settle(space=space):
            return f"settled on {space}"
        case SettleNeutral(space=space):
            return f"settled the neutral clan on {space}"
        case Spread(spaces=spaces):
            return f"spread to {listed(spaces)}"
        case SpreadNeutral(spaces=spaces):
            return f"spread the neutral clan to {listed(spaces)}"
        case Starve() | Lay() | Resign() | AgreeEnd() | Draw() | Opens() | Renews() | Skips() | Salts():
            return str(entry.move)
        case _ as unreachable:
            assert_never(unreachable)


def _card_answered(after: GameState, colour: str) -> int:
    return next(event.card for event in after.events if isinstance(event, Answered) and event.clan == colour)


def _offer_became(colour: str, number: int, after: GameState, rest: History, otherwise: str) -> str:
    """Return "bought", if what was offered became the clan's, or else what it did; *rest* begins with its move."""
    for place, (_, state) in enumerate(rest):
        for event in state.events:
            if isinstance(event, CardBought) and event.card == number:
                name = numbered(after, number)
                if event.clan != colour:
                    return otherwise.format(card=name)
                return f"bought {name} for {event.price}{' and took the crop on it' * event.crop}"
            if place and isinstance(event, CardOffered):
                return otherwise.format(card=numbered(after, number))
    return otherwise.format(card=numbered(after, number))
