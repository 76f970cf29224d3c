"""Random plans for tests: lines as somebody might write them in this position of a game, most of them valid."""

from itertools import islice
from random import Random

from pbem.errors import NotUnderstood
from pbem.first_sparks.adjudicator import choices
from pbem.first_sparks.land.groups import around
from pbem.first_sparks.phases import SpreadingNeutral
from pbem.first_sparks.plans.answer import Plans
from pbem.first_sparks.plans.plan import CLASSES, Always, Plan, cards_in_game, placement_runs, spreading_runs
from pbem.first_sparks.plans.read import PlanLines, read
from pbem.first_sparks.rules.spreading import reach
from pbem.first_sparks.state import GameState


def a_wish(state: GameState, random: Random) -> str:
    """Return a card, mostly one on the table, or a class."""
    if random.random() < 0.3:
        limit = f" up to {random.randint(2, 12)}" if random.random() < 0.5 else ""
        return f"any {random.choice(CLASSES)}{limit}"
    everything = tuple(cards_in_game(state.components, len(state.clans)))
    return str(random.choice(state.market.cards if state.market.cards and random.random() < 0.8 else everything))


def wishes(state: GameState, random: Random, most: int = 4) -> str:
    """Return some wishes, none of them twice."""
    return " ".join(dict.fromkeys(a_wish(state, random) for _ in range(random.randint(1, most))))


def some_lines(state: GameState, colour: str, random: Random) -> list[str]:
    """Return the lines of a plan, which may contradict each other."""
    others = [clan.colour for clan in state.clans if clan.colour != colour]
    who = random.choice(("nobody", "somebody", *others))
    forms = {
        wishes(state, random) + random.choice(("", " else pass", " else ask")): 0.6,
        f"buy {a_wish(state, random)}": 0.3,
        f"buy {a_wish(state, random)} if {who} wants it": 0.3,
        f"decline {wishes(state, random)}": 0.3,
        "pass": 0.05,
        f"offer {wishes(state, random)}": 0.2,
        f"new {random.choice(('ask', 'decline'))}": 0.4,
        f"drop {random.choice(('least', '1', '2', '7', '8', '14'))}": 0.5,
        **({random.choice(("take", "discard")): 0.7} if state.two_players else {}),
        **_places(state, colour, random),
    }
    lines = [f"plan {form}" for form, chance in forms.items() if random.random() < chance]
    rules = {"drop least": 0.3, f"decline {wishes(state, random)}": 0.2}
    return lines + [f"always {rule}" for rule, chance in rules.items() if random.random() < chance]


def _places(state: GameState, colour: str, random: Random) -> dict[str, float]:
    """Return the forms about spaces that make sense in this step."""
    clan, spaces = state.clan(colour), state.board.spaces
    ends = random.choice(("", " at most 2", " at most 5", " else stay", " at most 4 else stay"))
    if placement_runs(state):
        near = around(state.board, clan.members) or spaces
        neutral = {f"settle neutral {' '.join(random.sample(spaces, 3))}": 0.5} if state.two_players else {}
        adds = f"add {' '.join(random.sample(near, min(2, len(near))))}{ends}"
        return {f"settle {' '.join(random.sample(spaces, 4))}": 0.7, adds: 0.7, **neutral}
    if not spreading_runs(state):
        return {}
    chosen: tuple[str, ...] = ()
    while random.random() < 0.7 and (reached := reach(state, clan, chosen)):
        chosen = (*chosen, random.choice(reached)[0])
    neutral = {}
    if isinstance(state.phase, SpreadingNeutral):
        ways = tuple(islice(choices(state), 20))
        neutral = {str(random.choice(ways)): 0.7}
    return {**({f"spread {' '.join(chosen)}{ends}": 0.8} if chosen else {"stay": 0.5}), **neutral}


def a_plan(state: GameState, colour: str, random: Random) -> PlanLines:
    """Return a random plan that is valid; perhaps none, if what was thought of is not."""
    lines = some_lines(state, colour, random)
    while lines:
        try:
            return read(lines, state, colour)
        except NotUnderstood:
            lines.pop(random.randrange(len(lines)))
    return PlanLines()


def replaced(plans: Plans, colour: str, said: PlanLines) -> dict[str, tuple[Plan | None, Always | None]]:
    """Return the plans after a player has written: a new plan, or new rules, replaces the old as a whole."""
    plan, always = plans.get(colour, (None, None))
    return {**plans, colour: (said.plan or plan, said.always or always)}
