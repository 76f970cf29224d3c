"""What has happened: events -> the items of a list for a player."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, groupby
from typing import Final, NamedTuple

from pbem.first_sparks.adjudicator import Entry
from pbem.first_sparks.briefing.headings import BUREAUCRACY, STAGES, stage_of, stage_text
from pbem.first_sparks.briefing.sentences import sentence
from pbem.first_sparks.events import (
    Answered,
    Event,
    FoodRotted,
    GameEnded,
    HerbsDealt,
    MembersPlaced,
    Passed,
    RoundBegan,
    TileDrawn,
    TileLaid,
)
from pbem.first_sparks.rules import game_end
from pbem.first_sparks.state import CHANCE, GameState
from pbem.grammar import capital
from pbem.locale import tr
from pbem.page.glue import glued, unbroken
from pbem.page.page import Block, Items, Subheading

MOST_LINES: Final = 24  # of plain text, as many as a screen shows
_FORCED: Final = "There was no other choice."
_EACH_ROUND: Final = "In each of rounds\N{NO-BREAK SPACE}{first}\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}{last}:"
_BOTH_ROUNDS: Final = "In rounds\N{NO-BREAK SPACE}{first}\N{NO-BREAK SPACE}and\N{NO-BREAK SPACE}{last}:"
# What several clans do one after the other becomes one item.
_Merged = HerbsDealt | FoodRotted | Answered | Passed

# An event, the state after its log entry, whether it was a clan's only choice, and its number.
Happening = tuple[Event, GameState, bool, int]
# A heading and its items.
Chapter = tuple[str, tuple[str, ...]]
# The news of a game round: how it began, None for what came before the first round, that in words, and the rest.
_RoundNews = tuple[RoundBegan | None, str, tuple[str, ...]]


class PhaseNews(NamedTuple):
    """What has happened in one phase of a game round; round 0 is what came before the first."""

    round: int
    stage: str
    happened: tuple[Happening, ...]

    @property
    def told(self) -> tuple[str, ...]:
        """Every sentence about it, to stand below its heading."""
        return tuple(said for _, said in told_of(self.happened, below=True))


def news(history: Sequence[tuple[Entry, GameState]]) -> Items:
    """Return what has happened, an item for each event of *history*, which has log entries and the state after each.

    Decisions that the adjudicator took for a clan without a choice are marked. Rounds in a row with the same events
    become one.
    """
    told: list[str] = []
    for _, group in groupby(_rounds_of(history), key=_what_happened):
        alike = tuple(group)
        (first, begins, rest), (last, _, _) = alike[0], alike[-1]
        if first and last and alike[2:]:
            told.append(unbroken(tr(_EACH_ROUND)).format(first=first.round, last=last.round))
        elif first and last and alike[1:]:
            told.append(unbroken(tr(_BOTH_ROUNDS)).format(first=first.round, last=last.round))
        elif begins:
            told.append(begins)
        told += rest
    return Items(tuple(told))


def _rounds_of(history: Sequence[tuple[Entry, GameState]]) -> Iterator[_RoundNews]:
    """Yield the game rounds in order, after what happened before the first of them began."""
    began, begins, rest = None, "", list[str]()
    for event, said in sentences(history):
        if isinstance(event, RoundBegan):
            yield began, begins, tuple(rest)
            began, begins, rest = event, said, []
        else:
            rest.append(said)
    yield began, begins, tuple(rest)


def sentences(history: Sequence[tuple[Entry, GameState]]) -> Iterator[tuple[Event, str]]:
    """Yield every sentence about what has happened, with the first of the events that it is about."""
    return told_of(happenings(history))


def told_of(happened: Iterable[Happening], *, below: bool = False) -> Iterator[tuple[Event, str]]:
    """Yield every sentence about these happenings, with the first of the events that it is about.

    *below* a heading, the sentences do not say that a round begins.
    """
    for _, group in groupby(happened, key=_run):
        run = tuple(group)
        if said := _sentence(run, below=below):
            yield run[0][0], said


def _what_happened(told: _RoundNews) -> tuple[bool, int | None, tuple[str, ...]]:
    """Return what is equal for rounds that become one; what came before the first round equals no round."""
    began, _, rest = told
    return began is not None, began.crop if began else None, rest


def happenings(history: Sequence[tuple[Entry, GameState]]) -> Iterator[Happening]:
    """Yield the events in order, except a drawn tile that is laid later in the same history."""
    laid = {event.tile for _, state in history for event in state.events if isinstance(event, TileLaid)}
    numbers = count()
    for entry, state in history:
        forced = entry.by == CHANCE != entry.clan
        for place, event in enumerate(state.events):
            if not (isinstance(event, TileDrawn) and event.tile in laid):
                # The first event of an entry is the decision itself, the others follow from it.
                yield event, state, forced and place == 0, next(numbers)


def parts_of(history: Sequence[tuple[Entry, GameState]]) -> tuple[PhaseNews, ...]:
    """Return what has happened in every phase, in the order of the game."""
    told = tuple(happenings(history))
    number, stage = _beginning(told)
    placed: list[tuple[int, str, Happening]] = []
    for happening in told:
        event = happening[0]
        number = event.round if isinstance(event, RoundBegan) else number
        stage = stage_of(event, number, stage)
        placed.append((number, stage, happening))
    groups = groupby(placed, key=lambda each: each[:2])
    return tuple(PhaseNews(number, stage, tuple(each for *_, each in group)) for (number, stage), group in groups)


def _beginning(told: tuple[Happening, ...]) -> tuple[int, str]:
    """Return the game round and the phase in which a history begins."""
    if not told:
        return 0, ""
    state = told[0][1]
    began = sum(isinstance(event, RoundBegan) for event in state.events)
    return state.round - began, BUREAUCRACY if began else STAGES.get(state.step, "")


def chapters_of(parts: Iterable[PhaseNews]) -> Iterator[Chapter]:
    """Yield every phase with all its items, below its heading; rounds in a row with the same events become one."""
    rounds = (
        (number, tuple((part.stage, part.told) for part in group))
        for number, group in groupby(parts, key=lambda part: part.round)
    )
    for _, group in groupby(rounds, key=lambda told: (told[0] > 0, told[1])):
        alike = tuple(group)
        for stage, items in alike[0][1]:
            yield heading_of(alike[0][0], alike[-1][0], stage), items


def heading_of(first: int, last: int, stage: str) -> str:
    """Return the heading of a phase in one round, or in each of several rounds in a row."""
    if not first:
        return capital(stage_text(stage))
    if last == first:
        heading = tr("Round {first}, {phase}")
    elif last == first + 1:
        heading = tr("In rounds {first} and {last}, {phase}")
    else:
        heading = tr("In each of rounds {first} to {last}, {phase}")
    return heading.format(first=first, last=last, phase=stage_text(stage))


def below_headings(chapters: Iterable[Chapter]) -> tuple[Block, ...]:
    """Return the items of chapters below their headings."""
    return tuple(block for title, items in chapters if items for block in (Subheading(title), Items(items)))


def _run(told: Happening) -> tuple[str, bool, int | None]:
    """Return what is equal for events of the same item, and only for these."""
    event, _, forced, number = told
    merged = isinstance(event, _Merged) or (isinstance(event, MembersPlaced) and not event.spaces)
    return type(event).__name__, forced, None if merged else number


def _sentence(run: tuple[Happening, ...], *, below: bool) -> str:
    """Return the item for one event, or for several that are merged; empty if a heading says it all."""
    event, state, forced, _ = run[0]
    said = sentence(state, tuple(event for event, *_ in run), below=below)
    if isinstance(event, GameEnded) and game_end.ended_by(state) == "idle-rounds":
        from pbem.first_sparks.briefing.result import how_it_ended

        said = f"{said} {how_it_ended(state)}"
    return f"{said} {glued(tr(_FORCED))}" if forced else said
