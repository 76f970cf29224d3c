"""Ticks that are not written down lead to the same clock, and are left out only where they would have done nothing."""

from datetime import timedelta
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from test_clock import ASKED, HOUR, SITUATIONS, START, TERMS, after

from pbem.club.clock_data import clock_data, clock_from
from pbem.table.clock import Clock, Defaults, Effect, Situation, Terms, tick
from pbem.table.quiet import caught_up, run_on, runs, says_the_same, settled

MINUTES = st.lists(st.integers(0, 40 * 60), max_size=60)


class Sparing(NamedTuple):
    """A game as a club keeps it that writes only what it must: its clock, and how often that was written."""

    kept: Clock = Clock()
    written: int = 0
    looked: int = 0


def rests(terms: Terms, game: Sparing, last: Any, at: Any) -> bool:
    """Return whether the index would leave the game alone at a tick."""
    kept, quiet = game.kept, game.kept.quiet
    if quiet is None or (quiet.due is not None and quiet.due <= at):
        return False
    covered = caught_up(kept, last).last
    return not runs(kept, quiet) or at - covered <= terms.outage


def ticked(
    terms: Terms, game: Sparing, last: Any, asked: Situation, at: Any, defaults: Defaults, *, same: bool
) -> tuple[Sparing, tuple[Effect, ...]]:
    """Return the game after a tick, in the same situation as at the last one or in another."""
    kept, quiet = game.kept, game.kept.quiet
    held = any(each.stage == "held" for each in kept.questions)
    if same and rests(terms, game, last, at) and not (defaults == "release" and held):
        assert quiet is not None
        if quiet.until is None or at < quiet.until:
            after_it = settled(terms, tick(terms, caught_up(kept, last), asked, at, defaults)[0], asked, "friday")
            assert says_the_same(kept, after_it), "a club without an index writes nothing either"
            return game, ()
        clock = run_on(terms, kept, at, "friday")
        assert clock is not None
        written = clock_from(clock_data(clock))
        full = settled(terms, tick(terms, caught_up(kept, last), asked, at, defaults)[0], asked, "friday")
        assert written == full, "what the clock alone says is what the whole game says"
        return game._replace(kept=written, written=game.written + 1), ()
    clock, effects = tick(terms, caught_up(kept, last), asked, at, defaults)
    clock = settled(terms, clock, after(asked, effects), "friday")
    game = game._replace(looked=game.looked + 1)
    if not effects and says_the_same(kept, clock):
        return game, ()
    return game._replace(kept=clock_from(clock_data(clock)), written=game.written + 1), effects


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
        assert caught_up(game.kept, last) == every

        asked = before = after(asked, due) if due else asked


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
    clock = settled(terms, tick(terms, Clock(), ASKED, START)[0], ASKED, "friday")

    (question,) = caught_up(clock, START + 1000 * HOUR).questions

    assert question.waited == 0 * HOUR
