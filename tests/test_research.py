"""The game as a tree: chance nodes, numbers for actions, and observations."""

import copy
import pickle
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from builders import a_clan, a_game, the_components

import pbem
from pbem.errors import Illegal, NotUnderstood, NotYourTurn, UsageError
from pbem.first_sparks import moves, phases
from pbem.first_sparks.adjudicator import choices, follow, who_decides
from pbem.first_sparks.moves import Draw, Lay, Move
from pbem.first_sparks.phases import DrawingCard, Ended, Laying
from pbem.first_sparks.state import GameState
from pbem.research.actions import actions_of
from pbem.research.node import longest
from pbem.research.observation import layout, numbers

SECRET = "0" * 64


def a_random_game(seed: int, rounds: int = 25) -> Iterator[pbem.Node]:
    """Yield every node of a random game, at most so many rounds."""
    random, node = Random(seed), pbem.root(2 + seed % 5, "players" if seed % 2 else "random", seed % 3 == 0)
    while node.decides and node.state.round <= rounds:
        yield node
        found, odds = zip(*node.outcomes or [(action, 1) for action in node.actions], strict=True)
        node = node.after(random.choices(found, odds)[0])
    yield node


def answers(node: pbem.Node) -> set[Move]:
    """Return every move that steps from this node lead to, in whatever order they are taken."""
    found: set[Move] = set()
    seen, waiting = {node}, [node]
    while waiting:
        here = waiting.pop()
        for action in here.actions:
            there = here.after(action)
            if there.state is not node.state:
                found.add(made(here, action))
            elif there not in seen:
                seen.add(there)
                waiting.append(there)
    return found


def made(node: pbem.Node, action: int) -> Move:
    from pbem.research.actions import answer

    move = answer(node.state, node.named, node.words(action))
    assert move is not None
    return move


# Chance as a node


def test_chance_is_a_node_with_probabilities() -> None:
    node = pbem.root(3)
    drawn = pbem.outcomes(node.state)

    assert pbem.decides(node.state) == "*"
    assert sum(odds for _, odds in drawn) == pytest.approx(1)
    assert {move for move, _ in drawn} == set(choices(node.state))
    assert pbem.outcomes(pbem.apply(node.state, drawn[0][0]))


def test_where_a_player_decides_nothing_is_drawn() -> None:
    game = pbem.new_game(["Ann", "Bob", "Cara"], board="recommended", secret=SECRET)

    assert pbem.outcomes(game) == ()
    assert pbem.outcomes(game.state) == ()


def test_draws_are_as_likely_as_in_a_game() -> None:
    """By the frequencies of many secrets: what the tree says is what ``play`` does."""
    first = pbem.root(3, "random").state
    said = dict(pbem.outcomes(first))
    drawn = Counter(
        pbem.new_game(["Ann:green", "Bob:red", "Cara:blue"], board="random", secret=f"{n:064x}").history[0][0].move
        for n in range(400)
    )

    assert drawn.keys() == said.keys()
    assert all(abs(number / 400 - said[move]) < 0.08 for move, number in drawn.items())  # type: ignore[index]


def test_on_a_random_board_chance_lays_the_tiles_step_by_step() -> None:
    node = next(node for node in a_random_game(1) if isinstance(node.state.phase, Laying))
    by_chance = pbem.Node(node.state._replace(options=node.state.options._replace(board="random")))
    lays = Counter[Lay]()
    for first, odds in by_chance.outcomes:
        for second, further in by_chance.after(first).outcomes:
            lays[Lay(by_chance.words(first), by_chance.words(second))] += odds * further

    assert lays.keys() == set(choices(by_chance.state))
    assert {round(odds * len(lays), 9) for odds in lays.values()} == {1.0}


def test_applying_a_move_does_nothing_else() -> None:
    """No draw and no forced decision follows, unlike in ``play``."""
    game = pbem.new_game(["Ann:red", "Bob:blue", "Cara:green"], board="recommended", secret=SECRET)
    state, by = game.state, pbem.decides(game)
    for choice in pbem.choices(state):
        assert by is not None
        assert pbem.apply(state, choice) == pbem.apply(game, choice.order) == follow(state, by, choice.move)
    assert pbem.apply(state, choice, by) == pbem.apply(state, choice)


def test_an_order_that_is_not_legal_is_refused_with_its_reasons() -> None:
    game = pbem.new_game(["Ann:red", "Bob:blue", "Cara:green"], board="recommended", secret=SECRET)

    with pytest.raises(Illegal) as refused:
        pbem.apply(game, "add D2a")
    assert [reason.rule for reason in refused.value.reasons]
    with pytest.raises(NotUnderstood):
        pbem.apply(game, "jump")
    with pytest.raises(NotYourTurn):
        pbem.apply(game, "stay", "blue" if pbem.decides(game) != "blue" else "red")
    with pytest.raises(Illegal):
        pbem.apply(pbem.root(3).state, Draw("shuffle"))
    with pytest.raises(TypeError, match="expected a move, a choice or an order, not int"):
        pbem.apply(game, 5)  # type: ignore[arg-type]


def test_no_player_is_the_one_that_decides() -> None:
    """As for ``play``, None says the same as no name."""
    game = pbem.new_game(["Ann:red", "Bob:blue"], board="recommended", secret=SECRET)
    first = pbem.choices(game)[0]

    after = pbem.apply(game, first, None)

    assert after == pbem.apply(game, first) == pbem.apply(game, first, pbem.decides(game) or "")


def test_a_player_can_resign_out_of_turn() -> None:
    game = pbem.new_game(["Ann:red", "Bob:blue"], board="recommended", secret=SECRET)

    assert pbem.apply(game, "agree end", "blue").agreed == ("blue",)
    after = pbem.apply(game, "resign", "blue")

    assert pbem.winners(after) == ("red",)
    assert pbem.returns(after) == {"red": 1.0, "blue": -1.0}
    with pytest.raises(Illegal, match="over"):
        pbem.apply(after, "pass")


# What a game is worth


@pytest.mark.parametrize(
    ("winning", "worth"),
    [
        (("green",), {"green": 1.0, "red": -0.5, "blue": -0.5}),
        (("green", "blue"), {"green": 0.25, "red": -0.5, "blue": 0.25}),
        (("green", "red", "blue"), {"green": 0.0, "red": 0.0, "blue": 0.0}),
    ],
)
def test_what_a_game_is_worth_adds_up_to_nothing(winning: tuple[str, ...], worth: dict[str, float]) -> None:
    over = a_game(green=a_clan(), red=a_clan(), blue=a_clan())._replace(phase=Ended(winning))

    assert pbem.winners(over) == winning
    assert pbem.returns(over) == worth
    assert sum(pbem.returns(over).values()) == 0


def test_nobody_has_won_before_the_end() -> None:
    assert pbem.winners(pbem.root(4).state) == ()
    assert set(pbem.returns(pbem.root(4).state).values()) == {0.0}


# Numbers


def test_numbers_have_a_fixed_meaning() -> None:
    """Whoever has trained on them goes on with them: a change here breaks what others have kept."""
    words = actions_of(the_components()).words

    assert words[:8] == ("done", "pass", "buy", "decline", "take", "discard", "A1a", "A1b")
    assert words[41:43] == ("F2c", "offer 1")
    assert (words[83], words[124], words[165]) == ("drop 1", "draw 1", "draw shuffle")
    assert words[166:173] == ("draw A", "draw B", "draw C", "draw D", "draw E", "draw F", "A1")
    assert (len(words), actions_of(the_components()).cells) == (822, 172)
    assert len(set(words)) == len(words)
    assert [actions_of(the_components()).of_players(board) for board in ("recommended", "random", "players")] == [
        172,
        172,
        822,
    ]


@pytest.mark.parametrize("seed", range(5))
def test_the_steps_lead_to_every_legal_answer_and_to_no_other(seed: int) -> None:
    few = 300  # answers of the nodes that are looked at; a clan can have thousands of ways to spread
    seen = Counter[type[Any]]()
    for node in a_random_game(seed):
        legal = set(choices(node.state))
        kind = type(node.state.phase)
        if node.named or len(legal) > few or seen[kind] > 12:
            continue
        seen[kind] += 1
        assert answers(node) == legal
    assert len(seen) >= 8


def test_neutral_members_and_the_starving_are_named_one_by_one() -> None:
    kinds = {phases.SpreadingNeutral: moves.SpreadNeutral, phases.Starving: moves.Starve}
    seen = Counter[type[Any]]()
    for seed in range(0, 60, 5):  # games of two players
        for node in a_random_game(seed):
            kind = type(node.state.phase)
            if kind in kinds and not node.named and seen[kind] < 8:
                legal = set(choices(node.state))
                if len(legal) < 300:
                    seen[kind] += 1
                    assert answers(node) == legal
    assert seen.keys() == kinds.keys()


def test_the_actions_come_in_ascending_order_and_reach_the_end() -> None:
    for seed in range(10):
        *nodes, last = a_random_game(seed, 400)

        assert all(list(node.actions) == sorted(set(node.actions)) != [] for node in nodes)
        assert all(tuple(action for action, _ in node.outcomes) in ((), node.actions) for node in nodes)
        assert last.decides is None
        assert last.actions == last.outcomes == ()
        assert len(nodes) < longest(last.state.components, len(last.state.clans)) / 20


def test_a_number_that_is_not_legal_is_refused_with_those_that_are() -> None:
    node = pbem.root(3)

    with pytest.raises(Illegal, match="action 0 is not legal now") as refused:
        node.after(0)
    assert refused.value.hint == "legal: 124 (draw 1), 125 (draw 2) and 126 (draw 3)"
    many = next(each for each in a_random_game(1) if len(each.actions) > 12)
    with pytest.raises(Illegal) as refused:
        many.after(1)
    assert refused.value.hint.startswith("some that are legal: ")
    *_, last = a_random_game(0, 400)
    with pytest.raises(Illegal) as refused:
        last.after(0)
    assert refused.value.hint == "the game is over"


def test_a_node_is_a_value() -> None:
    """Undoing a step is keeping the node before it."""
    for node in a_random_game(3, 2):
        same = pbem.Node(node.state._replace(), node.named)
        assert (node, hash(node)) == (same, hash(same))
        assert copy.deepcopy(node) is node
        assert copy.deepcopy(node.state) is node.state
        assert len(repr(node)) < 250
        if node.actions:
            after = node.after(node.actions[0])
            assert after == node.after(node.actions[0]) != node
            assert pickle.loads(pickle.dumps(after)) == after  # noqa: S301 -- our own


def test_a_node_of_a_game_begins_where_the_game_is() -> None:
    game = pbem.new_game(["Ann", "Bob"], board="recommended", secret=SECRET)

    assert pbem.Node(game).state is game.state
    assert pbem.Node(game).decides == pbem.decides(game)


def test_a_board_that_the_set_does_not_have_is_refused() -> None:
    with pytest.raises(UsageError, match="no recommended board"):
        pbem.root(6, "recommended")
    with pytest.raises(UsageError, match="2 to 6"):
        pbem.root(7)


# What a player may know


def test_an_observation_hides_the_food_of_others_with_fire() -> None:
    fire, none = a_clan(food=9, cards=(9,)), a_clan(food=4)
    state = a_game(green=fire, red=none)
    hidden = state._replace(options=state.options._replace(hide_food=True))
    assert state.clan("green").knows("fire")

    def food(state: GameState, viewer: str) -> dict[str, int | None]:
        return {clan.colour: clan.food for clan in pbem.observe(state, viewer).clans}

    assert food(state, "red")["green"] == food(hidden, "green")["green"] == 9
    assert food(hidden, "red")["green"] is None
    assert food(hidden, "red")["red"] == food(hidden, "green")["red"] == 4
    assert food(hidden._replace(phase=Ended(("green",))), "red")["green"] == 9


def test_an_observation_depends_on_nothing_that_is_hidden() -> None:
    """Two states that differ in hidden food only look the same, as a value, as text and as numbers."""
    states = [
        a_game(green=a_clan(food=food, cards=(9,)), red=a_clan(food=4))._replace(
            options=pbem.root(2, hide_food=True).state.options
        )
        for food in (3, 12)
    ]
    one, other = (pbem.observe(state, "red") for state in states)

    assert states[0] != states[1]
    assert (one, str(one), hash(one)) == (other, str(other), hash(other))
    assert numbers(one, the_components()) == numbers(other, the_components())
    assert pbem.observe(states[0], "green") != pbem.observe(states[1], "green")


def test_who_names_spaces_is_the_only_one_to_see_them() -> None:
    node = next(node for node in a_random_game(1) if node.named)
    decides = node.decides or ""

    assert pbem.observe(node, decides).named == node.named
    assert all(not pbem.observe(node, other).named for other in node.state.order if other != decides)


@pytest.mark.parametrize("players", [2, 6])
def test_an_observation_always_has_as_many_numbers(players: int) -> None:
    length = sum(number for _, number in layout(players))
    names = [name for name, _ in layout(players)]
    found = set()
    for node in a_random_game(players - 2):
        if isinstance(node.state.phase, DrawingCard):
            continue
        seen = numbers(pbem.observe(node, node.state.order[0]), node.state.components)
        assert len(seen) == length
        assert all(isinstance(number, int) and -30 < number < 1000 for number in seen)
        found.add(tuple(seen))

    assert len(found) > 40
    assert len(set(names)) == len(names)


def test_the_numbers_say_what_the_layout_names() -> None:
    game = pbem.new_game(["Ann:red", "Bob:blue", "Cara:green"], board="recommended", secret=SECRET)
    flat, blocks = iter(numbers(pbem.observe(game, "Ann"), game.state.components)), {}
    for name, length in layout(3):
        blocks[name] = [next(flat) for _ in range(length)]
    place = game.state.order.index("red") + 1
    clan = game.state.clan("red")

    assert blocks[f"clan {place} is the viewer"] == [1]
    assert blocks[f"clan {place}: food"] == [clan.food]
    assert sum(blocks[f"clan {place}: members"]) == clan.size
    assert blocks["harvest spaces"] == [*game.state.harvest]
    assert [at for at, there in enumerate(blocks["current market"], 1) if there] == [*game.state.market.current]
    assert sum(blocks["phase"]) == 1


def test_nobody_else_can_look() -> None:
    with pytest.raises(NotUnderstood, match="no player has that name"):
        pbem.observe(pbem.root(2), "yellow")


# For notebooks


def test_a_notebook_shows_the_board() -> None:
    game = pbem.new_game(["Ann", "Bob"], board="recommended", secret=SECRET)

    assert game._repr_html_() == game.state._repr_html_() == pbem.Node(game)._repr_html_()
    assert game._repr_html_().startswith('<svg style="')
    assert len(repr(game)) < 200
    assert hash(game) == hash(game._replace())
    assert who_decides(game.state)
