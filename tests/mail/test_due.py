"""Ticks that are not written down lead to the same clock, and are left out only where they would have done nothing."""

from datetime import timedelta
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_clock import ASKED, HOUR, SITUATIONS, START, TERMS, after

from pbem.club.clock_data import clock_data, clock_from
from pbem.table.clock import Clock, Defaults, Effect, Situation, Terms, tick
from pbem.table.due import is_settled, run_on, runs, settled

MINUTES = st.lists(st.integers(0, 40 * 60), max_size=60)


class Sparing(NamedTuple):
    """A game as a club keeps it that writes only what it must: its clock, and how often that was written."""

    kept: Clock = Clock()
    written: int = 0
    looked: int = 0


def rests(terms: Terms, game: Sparing, last: Any, asked: Situation, at: Any) -> bool:
    """Return whether the index would leave the game alone at a tick."""
    clock = run_on(game.kept, last)
    if not is_settled(terms, clock, asked) or (clock.due is not None and clock.due <= at):
        return False
    return not runs(clock) or at - last <= terms.outage


def ticked(
    terms: Terms, game: Sparing, last: Any, asked: Situation, at: Any, defaults: Defaults, *, same: bool
) -> tuple[Sparing, tuple[Effect, ...]]:
    """Return the game after a tick, in the same situation as at the last one or in another."""
    before = run_on(game.kept, last)
    held = any(each.stage == "held" for each in before.questions)
    clock, effects = tick(terms, before, asked, at, defaults)
    clock = settled(terms, clock, after(asked, effects))
    if same and rests(terms, game, last, asked, at) and not (defaults == "release" and held):
        assert (clock, effects) == (run_on(game.kept, at), ()), "nothing would have been done or written"
        return game, ()
    game = game._replace(looked=game.looked + 1)
    if not effects and clock == run_on(game.kept, at):
        return game, ()
    kept = clock_from(clock_data(clock))
    assert kept == clock
    return game._replace(kept=kept, written=game.written + 1), effects


@pytest.mark.slow
@given(TERMS, MINUTES, st.lists(SITUATIONS, min_size=1, max_size=3), st.sampled_from(["play", "hold", "release"]))
def test_sparing_ticks_do_what_all_of_them_would(
    terms: Terms, gaps: list[int], situations: list[Situation], defaults: Any
) -> None:
    every, game, at, last = Clock(), Sparing(), START, None
    asked, before = situations[0], None
    for number, gap in enumerate(gaps):
        at += timedelta(minutes=gap)
        if number % 9 == 8:  # somebody has answered, or the host has changed something
            asked = situations[number // 9 % len(situations)]
        every, due = tick(terms, every, asked, at, defaults)
        game, did = ticked(terms, game, last, asked, at, defaults, same=asked is before)
        last = at

        assert did == due
        assert run_on(game.kept, last) == settled(terms, every, after(asked, due))

        asked = before = after(asked, due) if due else asked


@pytest.mark.slow
@given(TERMS, SITUATIONS, st.integers(1, 30))
def test_a_game_is_left_alone_most_of_the_time(terms: Terms, asked: Situation, minutes: int) -> None:
    terms = terms._replace(outage=60 * HOUR)
    asked = asked._replace(away=(), ready=False)
    game, at, last = Sparing(), START, None
    for number in range(100):
        at += timedelta(minutes=minutes)
        game, _ = ticked(terms, game, last, asked, at, "play", same=number > 0)
        last = at

    assert game.looked <= 2 + 3 * (len(terms.reminders) + 4)
    assert game.written <= game.looked + 3


def test_no_time_has_run_where_nobody_knows_for_how_long() -> None:
    """The folder of a game was away from the club, whose clock has ticked all the time."""
    terms = Terms()
    clock = settled(terms, tick(terms, Clock(), ASKED, START)[0], ASKED)

    assert clock.due == START + terms.reminders[0]
    assert run_on(clock, START + 1000 * HOUR) == clock
