"""Random legal play over all player counts: what must hold in every state of every game."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, islice
from random import Random

import pytest
from bots import SECRET, a_new_record, random_play
from builders import the_components

from pbem.first_sparks.adjudicator import choices, forced, is_chosen, new_game, violations, who_decides
from pbem.first_sparks.components import FOODS
from pbem.first_sparks.events import (
    CardBought,
    CardUnsold,
    FoodRotted,
    HarvestRefilled,
    Hunted,
    MarketReduced,
    MembersPlaced,
    MembersStarved,
    OfferDiscarded,
    ToolDropped,
)
from pbem.first_sparks.land.groups import bits, is_one_group
from pbem.first_sparks.moves import (
    Add,
    Buy,
    Decline,
    Discard,
    Drop,
    Move,
    Offer,
    Pass,
    Settle,
    SettleNeutral,
    Spread,
    SpreadNeutral,
    Starve,
    Stay,
    Take,
)
from pbem.first_sparks.phases import Ended, Starving
from pbem.first_sparks.proof import audit, decode, encode, verify
from pbem.first_sparks.record import Record, digest
from pbem.first_sparks.state import CHANCE, GameState

PARTS = 16  # so that several cores share them


@pytest.mark.parametrize("part", range(PARTS))
def test_random_games_keep_every_invariant(games: int, part: int) -> None:
    ways = ("players", "random", "recommended")
    ends: Counter[tuple[int, bool]] = Counter()
    for seed in range(part, games, PARTS):
        players = 2 + seed % 5
        way = ways[seed // 5 % (3 if players < 6 else 2)]
        ended = check_game(players, way, seed)
        ends[players, ended] += 1
    # Random clans may wander for long, but nearly every game comes to its end.
    assert {players for players, _ in ends} == {2, 3, 4, 5, 6}
    assert sum(count for (_, ended), count in ends.items() if ended) >= 0.95 * ends.total()


def check_game(players: int, way: str, seed: int) -> bool:
    """Play one game, check every state and the record at its end; return whether it ended."""
    record = a_new_record(players, f"random-{seed}", way)
    random = Random(seed)
    before = record.state
    all_cards = cards_in_game(before)
    gone: set[int] = set()
    end = record
    for end, entry, state in random_play(record, random):  # noqa: B007 -- the last one is the game at its end
        check_food(before, state)
        check_members(before, state)
        check_harvest(before, state)
        gone |= cards_gone(state)
        assert cards_in_game(state) == all_cards - gone, entry
        decides = who_decides(state)
        if decides not in (CHANCE, None):
            assert next(choices(state), None) is not None, f"{state.phase} is a dead end"
        before = state
    check_record(end)
    return isinstance(before.phase, Ended)


def cards_in_game(state: GameState) -> set[int]:
    """Return the cards that lie somewhere, after making sure that none lies at two places."""
    pile = state.pile
    places = [card.number for clan in state.clans for card in clan.cards]
    places += [*state.market.cards, *pile.top, *pile.unseen, *pile.under]
    assert len(places) == len(set(places)), f"a card lies at two places: {sorted(places)}"
    return set(places)


def cards_gone(state: GameState) -> set[int]:
    out = (ToolDropped, OfferDiscarded, CardUnsold, MarketReduced)
    return {event.card for event in state.events if isinstance(event, out) and event.card is not None}


def check_food(before: GameState, after: GameState) -> None:
    for clan in after.clans:
        food = before.clan(clan.colour).food
        for event in after.events:
            if getattr(event, "clan", None) != clan.colour:
                continue
            match event:
                case CardBought(price=price, crop=crop):
                    food += crop - price
                case FoodRotted(food=rotten):
                    food -= rotten
                case Hunted(harvested=harvested, eaten=eaten):
                    food += harvested - eaten
                case MembersPlaced(cost=cost):
                    food -= cost
        assert clan.food == food >= 0


def check_members(before: GameState, after: GameState) -> None:
    for clan in after.clans:
        size = before.clan(clan.colour).size
        for event in after.events:
            match event:
                case MembersPlaced(clan=colour, spaces=spaces) if colour == clan.colour:
                    size += len(spaces)
                case MembersStarved(clan=colour, spaces=spaces) if colour == clan.colour:
                    size -= len(spaces)
        assert clan.size == size <= 15
        assert len(set(clan.members)) == clan.size
        assert is_one_group(after.board, bits(after.board, clan.members))
    if after.neutral is not None:
        assert is_one_group(after.board, bits(after.board, after.neutral))
        assert len(set(after.neutral)) == len(after.neutral)


def check_harvest(before: GameState, after: GameState) -> None:
    expected = Counter(before.harvest._asdict())
    for event in after.events:
        match event:
            case HarvestRefilled(tokens=tokens):
                expected.update(dict(tokens))
            case Hunted(tokens=tokens) | OfferDiscarded(tokens=tokens):
                expected.subtract(dict(tokens))
    for food in FOODS:
        assert after.harvest.of(food) == expected[food] >= 0


def check_record(record: Record) -> None:
    """The log replays to the snapshot, the draws to the secret, and the file form to the record."""
    assert verify(record) == len(record.log)
    assert audit(record, SECRET) == record.state.draws
    components = the_components()
    data = encode(record, digest(components))
    again = decode(data, components, lambda _: components)
    assert again == record
    assert encode(again, digest(components)) == data


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_listed_choices_are_exactly_the_legal_moves(players: int) -> None:
    """In any state a move is listed if and only if it breaks no rule, and listed once."""
    random = Random(players)
    states = [
        state
        for seed in range(3)
        for *_, state in random_play(a_new_record(players, f"listed-{players}-{seed}"), random, 150)
        if who_decides(state) not in (CHANCE, None)
    ]
    asked: Counter[str] = Counter()
    for state in random.sample(states, len(states)):
        phase = state.phase
        asked[phase.name] += 1
        if asked[phase.name] <= 25:
            listed = list(islice(choices(state), 500))
            assert len(set(listed)) == len(listed)
            for move in listed:
                assert not list(violations(state, move)), f"{move} is listed in {phase}"
                assert is_chosen(state, move) is (forced(state) is None), f"{move} in {phase}"
            for move in thinkable(state) if len(listed) < 500 else ():
                legal = not list(violations(state, move))
                assert legal == (move in listed), f"{move} in {phase}"
    assert {"settling", "adding", "offering", "spreading", "starving"} <= asked.keys()


def thinkable(state: GameState) -> Iterator[Move]:
    """Yield what somebody might order, most of it forbidden, but never the same move in two ways."""
    spaces = state.board.spaces
    for form in (Settle, SettleNeutral, Add):
        yield from map(form, spaces)
    for form in (Offer, Drop):
        yield from map(form, range(50))
    yield from (Stay(), Pass(), Buy(), Decline(), Take(), Discard())
    for form in (Spread, Starve, SpreadNeutral):
        for number in (1, 2):
            yield from map(form, combinations(spaces, number))
    if isinstance(state.phase, Starving):
        yield from map(Starve, combinations(state.clan(state.phase.clan).members, state.phase.hungry))


def test_the_same_secret_gives_the_same_game() -> None:
    one, two = (list(random_play(a_new_record(4, "twice"), Random(9)))[-1][0] for _ in range(2))

    assert one == two


def test_a_new_game_waits_for_chance() -> None:
    state = new_game(the_components(), (("green", "Ann"), ("red", "Bob")), a_new_record(2).options)

    assert who_decides(state) == CHANCE
