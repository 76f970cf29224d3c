"""Random games in which all write random plans: what a plan answers is what its owner could have sent by hand."""

from collections import Counter
from random import Random

import pytest
from bots import SECRET, a_choice, a_new_record
from plans import a_plan, replaced

from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.cards import Pile
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.codec import encode_state
from pbem.first_sparks.phases import Laying
from pbem.first_sparks.plans.answer import Plans, answer, known_to, played_on
from pbem.first_sparks.plans.explain import explain
from pbem.first_sparks.plans.plan import holds
from pbem.first_sparks.plans.read import PlanLines, read
from pbem.first_sparks.plans.report import ending, report
from pbem.first_sparks.plans.write import write, write_always
from pbem.first_sparks.play import played
from pbem.first_sparks.proof import verify
from pbem.first_sparks.record import Record
from pbem.first_sparks.state import CHANCE, GameState

pytestmark = pytest.mark.slow

PARTS = 4
OFTEN = 0.3  # that somebody writes a plan before an order


@pytest.fixture
def plan_games(request: pytest.FixtureRequest) -> int:
    """The number of games with plans."""
    number: int = request.config.getoption("--games") or (10_000 if request.config.getoption("--full") else 300)
    return number


@pytest.mark.parametrize("part", range(PARTS))
def test_a_planned_answer_is_what_its_owner_could_have_sent(plan_games: int, part: int) -> None:
    """Every one is legal; log, head and state are those of the same orders; nothing hidden changes any."""
    counted: Counter[str] = Counter()
    for seed in range(part, plan_games, PARTS):
        check_game(seed, counted)
    if plan_games < 300:
        return
    # Plans of all kinds were used, and asked about.
    assert {"buy", "decline", "offer", "pass", "drop", "spread", "stay", "settle", "add", "ask"} <= counted.keys()
    if plan_games < 1_000:
        return
    assert {"take", "discard", "spread neutral", "settle neutral"} <= counted.keys()
    assert {"done", "passed", "phase over"} <= counted.keys()


def check_game(seed: int, counted: Counter[str]) -> None:
    """Play one game with plans, and the same orders by hand."""
    random, other = Random(seed), Random(-1 - seed)
    players, way = 2 + seed % 5, ("players", "random", "recommended")[seed // 5 % 3 if seed % 5 < 4 else seed // 5 % 2]
    record = a_new_record(players, f"plans-{seed}", way, hide_food=seed % 3 == 0)
    begun, draw = record, source(record.game, SECRET)
    plans: Plans = {}
    planned: set[int] = set()
    written: dict[str, int] = {}
    while (decides := who_decides(record.state)) is not None and record.turn < 400:
        if random.random() < OFTEN and not isinstance(record.state.phase, Laying):
            colour = random.choice(record.state.order_in_play)
            said = a_plan(record.state, colour, random)
            plans = replaced(plans, colour, said)
            check_words(record.state, colour, said, other)
            if said.plan:
                written[colour] = len(record.log)
        before = record
        check_answer(before.state, plans, other, counted)
        record, history, turns = played_on(before, plans, draw)
        if not turns:
            record, _ = played(record, decides, a_choice(record.state, random), draw)
        planned.update(turns)
        counted.update(entry.move.word for entry, _ in history if entry.turn in turns and entry.by != CHANCE)
        for colour, line in tuple(written.items()):
            check_report(record, plans, colour, line, planned, counted)
            if not holds(plans[colour][0], record.state):
                written.pop(colour)
    check_by_hand(begun, record)


def check_words(state: GameState, colour: str, said: PlanLines, other: Random) -> None:
    """The normal form is read as the same plan and the same rules; they are explained by what their owner knows."""
    lines = (*(write(said.plan) if said.plan else ()), *(write_always(said.always) if said.always else ()))
    if lines:
        assert read(lines, state, colour) == said
    told = explain(said.plan, said.always, state)
    assert all(sentence.endswith(".") for sentence in told)
    game = elsewhere(state, colour, other)
    assert explain(said.plan, said.always, game) == told
    if lines:
        assert read(lines, game, colour) == said


def check_answer(state: GameState, plans: Plans, other: Random, counted: Counter[str]) -> None:
    """The answer is the same with other plans, other hidden food, and another pile."""
    decides = who_decides(state)
    if decides is None or decides not in plans:
        return
    found = answer(*plans[decides], state)
    counted["ask"] += found.move is None
    game = elsewhere(state, decides, other)
    assert answer(*plans[decides], game) == found
    assert known_to(game, decides) == known_to(state, decides)
    alone = {decides: plans[decides]}
    strangers = dict.fromkeys(plans, (None, None))
    assert played_on_one(state, alone) == played_on_one(state, {**strangers, **alone}) == found.move


def elsewhere(state: GameState, colour: str, other: Random) -> GameState:
    """Return a game that the clan cannot tell from this one: with other hidden food, and another pile."""
    clans = tuple(
        clan.with_food(other.randrange(30)) if state.hides_food(clan) and clan.colour != colour else clan
        for clan in state.clans
    )
    cards = tuple(other.sample(range(7, 42), 9))
    return state._replace(clans=clans, pile=Pile(cards[:1], cards[1:], 3), draws=other.randrange(99), events=())


def played_on_one(state: GameState, plans: Plans) -> object:
    """Return the answer that a set of plans gives now."""
    return answer(*plans[str(who_decides(state))], state).move


def check_report(
    record: Record, plans: Plans, colour: str, line: int, planned: set[int], counted: Counter[str]
) -> None:
    """What the plan did can be told, and why it is over."""
    plan, since = plans[colour][0], record.history[line:]
    assert plan is not None
    over = ending(plan, since, record.state)
    assert (over is None) == holds(plan, record.state)
    counted[str(over)] += 1
    told = report(plan, since, planned, over)
    assert all(sentence.endswith(".") for sentence in told)
    assert bool(told) >= (over is not None)


def check_by_hand(begun: Record, ended: Record) -> None:
    """The same orders, each sent when its question was asked, give the same log, head and state."""
    draw, record = source(begun.game, SECRET), begun
    for entry, _ in ended.history[len(begun.log) :]:
        if entry.by != CHANCE:
            record, _ = played(record, entry.by, entry.move, draw)
    assert (record.log, record.head, record.turn) == (ended.log, ended.head, ended.turn)
    assert encode_state(record.state) == encode_state(ended.state)
    assert verify(ended) == len(ended.log)
