"""Questions that can be put to several clans at the same time, and answers that come before their turn.

Whoever answers early is played in player order, once those before have answered. So an early answer is a plan for one
question: to say yes or no, or to place these members if they cost no more than when it was written.
"""

from collections.abc import Sequence
from typing import NamedTuple, assert_never

from pbem.errors import Illegal
from pbem.first_sparks import phases
from pbem.first_sparks.adjudicator import forced, violations, who_decides
from pbem.first_sparks.briefing.hypothesis import supposed
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.moves import Add, Buy, Decline, Move, Settle, Spread, Stay
from pbem.first_sparks.plans.plan import Acceptance, Placing, Plan, Wish, market_ahead, on_the_table
from pbem.first_sparks.record import Record
from pbem.first_sparks.rules import placement, spreading
from pbem.first_sparks.state import GameState
from pbem.locale import phrase


class OpenQuestion(NamedTuple):
    """A question that a clan is asked now, or later in the same step: the kind, the game round, and the card."""

    kind: str
    round: int
    card: int = 0


def question_to(state: GameState, colour: str) -> OpenQuestion | None:
    """Return the question that is put to the clan now or later in this step, None if it cannot answer ahead.

    An offer, new members, and the first member: whatever the others answer, the question stays the same.
    """
    match state.phase:
        case phases.Answering(clan=clan, card=card, unasked=unasked):
            return OpenQuestion("offer", state.round, card) if colour in (clan, *unasked) else None
        case phases.Spreading(clan=clan) | phases.Settling(clan=clan) | phases.Adding(clan=clan):
            return OpenQuestion(state.phase.name, state.round) if colour in (clan, *state.waiting) else None
        case phases.DealingHerbs() | phases.DrawingTile() | phases.DrawingCard() | phases.Laying():
            return None
        case phases.SpreadingNeutral(clan=clan):  # who places the neutral clan is asked for the own one after that
            spreads = colour != clan and bool(state.clan(colour).members)
            return OpenQuestion(phases.Spreading(colour).name, state.round) if spreads else None
        case phases.SettlingNeutral(clan=clan):
            settles = colour != clan and not state.clan(colour).members
            return OpenQuestion(phases.Settling(colour).name, state.round) if settles else None
        case phases.Offering():
            return None
        case phases.TakingOrDiscarding() | phases.Dropping() | phases.Starving() | phases.Ended() | None:
            return None
        case _ as unreachable:
            assert_never(unreachable)


def asked_together(state: GameState) -> tuple[str, ...]:
    """Return the clans to which the question can be put now, the one that decides first; those without a choice not.

    A clan that hides its food is asked as if it could pay.
    """
    decides = who_decides(state)
    later = (clan.colour for clan in state.in_play if clan.colour != decides and question_to(state, clan.colour))
    return (*((decides,) if decides else ()), *(colour for colour in later if forced(as_asked(state, colour)) is None))


def as_asked(state: GameState, colour: str) -> GameState:
    """Return the game as the clan is asked now: the game itself if it decides or cannot answer ahead."""
    if who_decides(state) == colour or question_to(state, colour) is None:
        return state
    if isinstance(state.phase, phases.SpreadingNeutral):
        return state.at(spreading.spread.__name__, ()).asking(phases.Spreading(colour), ())
    if isinstance(state.phase, phases.SettlingNeutral):
        return state.at(placement.settle.__name__, ()).asking(phases.Settling(colour), ())
    found = supposed(state, colour)
    return state if isinstance(found, str) else found


def same_question(record: Record, line: int, colour: str) -> bool:
    """Return whether the clan is still asked what it was asked after that number of lines of the log."""
    return question_to(record.state, colour) is not None and opened(record, colour) <= line <= len(record.log)


def opened(record: Record, colour: str) -> int:
    """Return after how many lines of the log the clan's question was opened; that of a clan not asked, now."""
    line, now = len(record.log), question_to(record.state, colour)
    while now is not None and line:
        before = record.history[line - 2][1] if line > 1 else None
        if before is None or question_to(before, colour) != now:
            return line
        line -= 1
    return line


def is_unchanged(then: GameState, now: GameState, colour: str) -> bool:
    """Return whether the clan had the same choices, at the same cost, in an earlier state of the same question."""
    return tuple(main_choices(as_asked(then, colour))) == tuple(main_choices(as_asked(now, colour)))


def check(state: GameState, colour: str, move: Move) -> None:
    """Raise Illegal, with every reason, for an order that is not legal for the clan as it is asked now."""
    asked = as_asked(state, colour)
    reasons = tuple(violations(asked, move))
    if reasons:
        offered = tuple(main_choices(asked))
        raise Illegal(phrase("the rules forbid this order"), order=str(move), reasons=reasons, choices=offered)


def early(state: GameState, colour: str, move: Move) -> Plan:
    """Return an order that comes before the clan's turn as a plan, at no higher cost than now.

    Raises Illegal like ``check``.
    """
    check(state, colour, move)
    asked = as_asked(state, colour)
    plan = Plan(colour, on_the_table(state), state.round, market_ahead(state, colour))
    if isinstance(move, Buy):
        return plan._replace(buys=(Acceptance(Wish(_offered(state)), ""),))
    if isinstance(move, Decline):
        return plan._replace(declines=(Wish(_offered(state)),))
    if isinstance(move, Spread):
        return plan._replace(spread=_placing(asked, colour, move.spaces))
    if isinstance(move, Add):
        return plan._replace(add=_placing(asked, colour, (move.space,)))
    if isinstance(move, Settle):
        return plan._replace(settle=(move.space,))
    assert isinstance(move, Stay)
    return plan._replace(stay=True)


def _placing(state: GameState, colour: str, spaces: Sequence[str]) -> Placing:
    cost = spreading.spreading_cost(state, state.clan(colour), tuple(spaces))
    assert cost is not None
    return Placing(tuple(spaces), cost.total)


def _offered(state: GameState) -> int:
    assert isinstance(state.phase, phases.Answering)
    return state.phase.card
