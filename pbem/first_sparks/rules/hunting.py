"""Phase 2: going hunting and feeding the clan. There is nothing to decide unless food runs short."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from operator import attrgetter
from typing import Final

from pbem.errors import Violation
from pbem.first_sparks.components import FOOD_VALUE, FOODS, Card, Food
from pbem.first_sparks.events import Hunted, MembersStarved
from pbem.first_sparks.land.board import Board
from pbem.first_sparks.land.groups import areas_touched, bits, is_one_group
from pbem.first_sparks.moves import Starve
from pbem.first_sparks.phases import Starving
from pbem.first_sparks.state import Clan, GameState, Harvest
from pbem.locale import phrase
from pbem.quick import new

_TABLE: Final = attrgetter("harvest")


def hunt_and_feed(state: GameState) -> GameState:
    """Let every clan hunt and feed, the last in player order first; stop where a clan must choose who starves.

    Rule: hunting-order (R5.1)
    """
    clans, harvest, waiting = {clan.colour: clan for clan in state.clans}, state.harvest, state.waiting
    phase, events = None, list(state.events)
    while waiting and phase is None:
        colour, waiting = waiting[-1], waiting[:-1]
        clans[colour], harvest, hunted = hunt(state, clans[colour], harvest)
        events.append(hunted)
        hungry = clans[colour].size - hunted.eaten
        if hungry:
            phase = Starving(colour, hungry)
    state = state._replace(
        clans=tuple(clans.values()), harvest=harvest, waiting=waiting, phase=phase, events=tuple(events)
    )
    if phase is None or not clans[phase.clan].resigned:
        return state
    return hunt_and_feed(starve_for(state))


def crops_harvested(state: GameState, clan: Clan) -> int:
    """Return the crops that Herbs and Fields give, wherever the clan stands; they are unlimited.

    The Plow adds its bonus to each Field and never to Herbs. The size of the
    bonus is our ruling: the English rules give no number, the French say one.

    Rules: field-and-herbs (R5.2), plow (R8.2)
    """
    crops = fields = 0
    for card in clan.cards:
        crops += card.crops
        fields += card.kind == "field"
    return crops + fields * state.components.plow_bonus if fields and clan.knows("plow") else crops


def tokens_harvested(board: Board, clan: Clan, food: Food, lying: int) -> int:
    """Return the tokens of *food* that the clan's tools take from a harvest space with *lying* tokens.

    A tool works if a member stands next to a hunting area of its food. Standing
    next to two or three areas adds one or two virtual tokens when the table is
    read; these are never harvested themselves.

    Rules: tools (R5.3), virtual-tokens (R5.4)
    """
    tools = [card for card in clan.cards if card.food == food]
    touched = areas_touched(board, clan.members, food) if tools else 0
    return most_tokens(tools, lying, touched - 1) if touched else 0


def most_tokens(tools: list[Card], lying: int, virtual: int) -> int:
    """Return the most tokens that the tools take one after the other, in the best order.

    The tokens that one tool takes are gone before the next one counts.

    Rule: best-order-of-tools (R5.6)
    """
    if len(tools) == 1:
        return taken_by(tools[0], lying, virtual)
    return _most_tokens(tuple(sorted(tools, key=_TABLE)), lying, virtual)


@lru_cache(maxsize=4096)
def _most_tokens(tools: tuple[Card, ...], lying: int, virtual: int) -> int:
    """Return the most tokens that the tools, sorted by their tables, take: each begins in turn, equal ones only once.

    A tool that takes nothing now takes nothing later either, when there are fewer tokens.
    """
    most = 0
    for place, tool in enumerate(tools):
        taken = taken_by(tool, lying, virtual)
        if taken and (place == 0 or tool.harvest != tools[place - 1].harvest):
            rest = tools[:place] + tools[place + 1 :]
            most = max(most, taken + _most_tokens(rest, lying - taken, virtual))
    return most


def taken_by(tool: Card, lying: int, virtual: int) -> int:
    """Return the tokens that one tool takes: never more than there are, nothing from an empty space.

    Our ruling; the sources are silent.

    Rule: no-more-than-there (R5.5)
    """
    return min(tool.tokens(lying + virtual), lying)


def harvest_of(board: Board, clan: Clan, harvest: Harvest) -> tuple[tuple[Food, int], ...]:
    """Return the tokens that the clan would take from the harvest spaces, by food, without zeros."""
    hunted = [card.food for card in clan.cards if card.food]
    taken: list[tuple[Food, int]] = []
    for food, lying in zip(FOODS, harvest, strict=True) if hunted else ():
        tokens = tokens_harvested(board, clan, food, lying) if food in hunted else 0
        if tokens:
            taken.append((food, tokens))
    return tuple(taken)


def harvest_value(crops: int, tokens: tuple[tuple[Food, int], ...]) -> int:
    """Return the value of crops and tokens in food: crop 1, berry 2, fish 3, bear 3, mammoth 4.

    Rule: food-values (R0)
    """
    for food, number in tokens:
        crops += FOOD_VALUE[food] * number
    return crops


def hunt(state: GameState, clan: Clan, harvest: Harvest) -> tuple[Clan, Harvest, Hunted]:
    """Return the clan after its harvest has become food and each member has eaten 1, what is left, and the event.

    As many members as possible must be fed. If the food runs short, the clan
    spends all it has and must choose who starves.

    Rule: feed-all (R5.7)
    """
    crops, tokens = crops_harvested(state, clan), harvest_of(state.board, clan, harvest)
    harvested = harvest_value(crops, tokens)
    food = clan.food + harvested
    eaten = min(food, len(clan.members))
    for kind, number in tokens:
        harvest = harvest.less(kind, number)
    return clan.with_food(food - eaten), harvest, new(Hunted, (clan.colour, crops, tokens, harvested, eaten))


def starve_violations(state: GameState, phase: Starving, move: Starve) -> Iterator[Violation]:
    """Yield every rule that removing these members breaks.

    As many members leave as could not be fed, and the survivors stay one group.

    Rule: starving (R5.8)
    """
    clan = state.clan(phase.clan)
    spaces = move.spaces
    strangers = tuple(space for space in spaces if space not in clan.members)
    if strangers:
        where = {"player": clan.player, "spaces": " ".join(strangers), "members": " ".join(clan.members)}
        yield Violation("starve-own", phrase("{player} has no member on {spaces}, only on {members}", **where))
    if len(set(spaces)) != phase.hungry or len(spaces) != phase.hungry:
        holes = {"hungry": phase.hungry, "size": clan.size, "named": len(spaces)}
        why = phrase("{hungry} of {size} members cannot be fed, but the order names {named}", **holes)
        if len(set(spaces)) < len(spaces):
            why = phrase("{hungry} of {size} members cannot be fed, but the order names {named}, some twice", **holes)
        yield Violation("starve-number", why)
    survivors = tuple(space for space in clan.members if space not in spaces)
    if not is_one_group(state.board, bits(state.board, survivors)):
        why = phrase("the survivors on {spaces} would not form one group", spaces=" ".join(survivors))
        yield Violation("starve-one-group", why)


def starves(state: GameState, phase: Starving) -> Iterator[Starve]:
    """Yield the ways to starve, the last members by the names of their spaces first."""
    board, members = state.board, state.clan(phase.clan).members
    group = bits(board, members)
    for removed in combinations(members[::-1], phase.hungry):
        if is_one_group(board, group ^ bits(board, removed)):
            yield Starve(removed[::-1])


def starve_for(state: GameState) -> GameState:
    """Return the state after a clan that has resigned starves: it loses the last members by name that leave one group.

    Our ruling, like everything that happens to a clan without a player.

    Rule: resigned-starving (R9.3)
    """
    phase = state.phase
    assert isinstance(phase, Starving)
    return starve(state._replace(phase=None), phase, next(starves(state, phase)))


def starve(state: GameState, phase: Starving, move: Starve) -> GameState:
    """Return the state without the starved members.

    A clan that has lost them all stays in the game and can buy, but has no member
    next to which a new one could stand. Our ruling; no source has a way back.

    Rule: last-member-lost (R5.9)
    """
    clan = state.clan(phase.clan)
    survivors = tuple(space for space in clan.members if space not in move.spaces)
    starved = MembersStarved(phase.clan, tuple(sorted(move.spaces)))
    return state.with_members(clan._replace(members=survivors), starved)
