"""A new phase, move, event or effect stops in every place that has to know it.

Most stop the type check; here is what it cannot see.
"""

import ast
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import get_args

import pytest
from bots import a_new_record, random_play
from builders import COLOURS, NAMES, the_components

import pbem
from pbem.first_sparks import events, moves, phases
from pbem.first_sparks.adjudicator import choices, follow, new_game, violations, who_decides
from pbem.first_sparks.decisions import RULES
from pbem.first_sparks.moves import Move
from pbem.first_sparks.notation import ANY_TIME, MILD, ORDER_WORDS, expected, parse_logged
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import Phase
from pbem.first_sparks.state import CHANCE, GameState
from pbem.reading.recognisers import phrases
from pbem.table import clock

ROOT = Path(pbem.__file__).parent
UNIONS = (phases.Phase, moves.Move, events.Event, clock.Effect)
MEMBERS = {kind.__name__ for union in UNIONS for kind in get_args(union)}
SEEDS = range(12)


@cache
def situations() -> dict[type[Phase], GameState]:
    """Return a state in which each kind of decision is waited for, and can be answered in all ways.

    They are out of games of two, where all of them come up.
    """
    seats = tuple((colour, NAMES[colour]) for colour in COLOURS[:2])
    found: dict[type[Phase], GameState] = {}
    for state in (new_game(the_components(), seats, Options()), *(s for seed in SEEDS for s in a_game(seed))):
        assert state.phase is not None
        kind = type(state.phase)
        if kind not in found or len(words(found[kind])) < len(words(state)):
            found[kind] = state
    return found


def words(state: GameState) -> set[str]:
    """Return the words of the orders that can be given now."""
    return {move.word for move in islice(choices(state), 20)}


def a_game(seed: int) -> list[GameState]:
    """Return the states of a random game of two."""
    return [state for _, _, state in random_play(a_new_record(2, "seen"), Random(seed))]


@cache
def examples() -> dict[type[Move], Move]:
    """Return a move of each kind that answers a decision."""
    return {type(move): move for state in situations().values() for move in choices(state)}


def test_every_phase_is_reached_and_every_move_answers_one() -> None:
    """But the two that can be sent at any time."""
    kinds = {kind._field_defaults["word"]: kind for kind in get_args(Move)}

    assert situations().keys() == set(get_args(Phase))
    assert {kind for word, kind in kinds.items() if word not in ANY_TIME} == examples().keys()
    assert len(kinds) == len(get_args(Move))


@pytest.mark.parametrize("phase", get_args(Phase))
def test_a_phase_is_answered_by_what_it_expects_and_by_nothing_else(phase: type[Phase]) -> None:
    """Each such order has its rule, which brings something about."""
    state = situations()[phase]
    asked = expected(state.phase)

    for word, move in ((move.word, move) for move in (*examples().values(), moves.Resign(), moves.AgreeEnd())):
        broken = [violation.rule for violation in violations(state, move)]
        assert ("move-of-the-phase" in broken) == (word not in asked)
        if word not in asked:
            assert len(broken) == 1
            assert (phase, type(move)) not in RULES
    for move in choices(state):
        assert move.word in asked
        assert follow(state, who_decides(state) or "", move).events


def test_every_move_has_its_notation() -> None:
    """The words of the order language are those of the moves; a draw is chance's."""
    every = (*examples().values(), moves.Resign(), moves.AgreeEnd())

    assert [parse_logged(str(move)) for move in every] == [*every]
    assert {*ORDER_WORDS, "draw"} == {kind._field_defaults["word"] for kind in get_args(Move)}


def test_every_order_is_read_as_a_phrase_too() -> None:
    """A player who writes the order as it stands there means it, whatever follows its word."""
    for state in situations().values():
        for move in choices(state) if who_decides(state) != CHANCE else ():
            found = phrases.meaning(f"I {move}, please", state)
            assert found is not None
            assert (found.orders, found.sure) == ((str(move),), True)


def test_a_clock_knows_what_it_may_answer() -> None:
    """A clan's decision has one order that changes least, or stands here as one that only its player can take."""
    waits = {phases.Laying, phases.SettlingNeutral, phases.Settling, phases.TakingOrDiscarding, phases.Dropping}
    waits |= {phases.Starving, phases.SpreadingNeutral}

    for kind, state in situations().items():
        if who_decides(state) not in (CHANCE, None):
            assert len({*expected(state.phase)} & {*MILD}) == (kind not in waits), kind


def named(pattern: ast.pattern) -> set[str]:
    """Return the classes that the pattern names."""
    classes = (part.cls for part in ast.walk(pattern) if isinstance(part, ast.MatchClass))
    return {cls.attr if isinstance(cls, ast.Attribute) else cls.id for cls in classes if isinstance(cls, ast.expr)}


def test_a_match_goes_through_the_whole_union() -> None:
    """It ends in ``assert_never``, so that the type check finds what it lacks; who means only some says isinstance."""
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "match " in text else ():
            if isinstance(node, ast.Match) and any(named(case.pattern) & MEMBERS for case in node.cases):
                last = ast.unparse(node.cases[-1])
                wrong += [f"{path.relative_to(ROOT)}:{node.lineno} {last}"] * ("assert_never(" not in last)

    assert wrong == []
