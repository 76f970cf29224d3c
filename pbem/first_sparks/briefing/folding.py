"""What has happened, folded until it fits a screen: what is bookkeeping or long ago becomes sentences with counts.

Nothing that matters to the reader is left out: their own clan, purchases, new and lost members, and the end.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from pbem.first_sparks.briefing.news import (
    MOST_LINES,
    Chapter,
    Happening,
    PhaseNews,
    below_headings,
    heading_of,
    told_of,
)
from pbem.first_sparks.briefing.sentences import how_often, several
from pbem.first_sparks.events import (
    Answered,
    CardBought,
    CardDrawn,
    CardOffered,
    CardUnsold,
    CropLost,
    Event,
    FoodRotted,
    GameEnded,
    HarvestRefilled,
    Hunted,
    MarketReduced,
    MembersPlaced,
    MembersStarved,
    OfferDiscarded,
    Passed,
    Resigned,
    RoundBegan,
    ShuffleDrawn,
    TileLaid,
    ToolDropped,
)
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.first_sparks.state import GameState
from pbem.locale import tr
from pbem.page.glue import glued
from pbem.page.text import lines_of

_TOLD: Final = (ShuffleDrawn, MarketReduced, Resigned, GameEnded)


def length(chapters: Iterable[Chapter]) -> int:
    """Return how many lines the chapters take in plain text."""
    return len(lines_of(below_headings(chapters)))


def folded(parts: Sequence[PhaseNews], viewer: str | None) -> tuple[Chapter, ...]:
    """Return what has happened in at most a screen, if possible, for *viewer*, a colour or None.

    As many phases as necessary are told briefly, beginning with those that are longest ago. If that is not enough,
    all rounds before the last become one chapter.
    """
    whole = [(heading_of(part.round, part.round, part.stage), part.told) for part in parts]
    short = [(title, brief(part, viewer)) for (title, _), part in zip(whole, parts, strict=True)]
    longer, shorter = ([length((chapter,)) for chapter in chapters] for chapters in (whole, short))
    for number in range(len(parts) + 1):
        if sum(shorter[:number]) + sum(longer[number:]) <= MOST_LINES:
            return (*short[:number], *whole[number:])
    before = [part for part in parts if part.round < parts[-1].round]
    room = MOST_LINES - sum(shorter[len(before) :])
    if not before or sum(shorter[: len(before)]) <= room:
        return tuple(short)
    return (*_long_ago(before), *short[len(before) :])


def brief(part: PhaseNews, viewer: str | None) -> tuple[str, ...]:
    """Return the sentences about a phase without its bookkeeping; those of one kind become one, where the last was."""
    left = _without_answers(part.happened, viewer)
    by_kind: dict[str, list[Happening]] = {}
    for happening in left:
        by_kind.setdefault(_kind(happening, viewer), []).append(happening)
    said: list[str] = []
    for kind, group in groupby(left, key=lambda happening: _kind(happening, viewer)):
        run, alike = tuple(group), by_kind[kind]
        if not kind or not alike[1:]:
            said += (sentence for _, sentence in told_of(run, below=True))
        elif run[-1] is alike[-1]:
            said.append(_together(alike))
    return tuple(said)


def _without_answers(happened: Sequence[Happening], viewer: str | None) -> list[Happening]:
    """Return what has happened without the offers that somebody has taken, and the answers to them.

    Those of the viewer stay. Where the crop is laid is left out too, if what became of it is told.
    """
    gone = any(isinstance(e, CardUnsold | CropLost) or (isinstance(e, CardBought) and e.crop) for e, *_ in happened)
    left: list[Happening] = []
    offer: list[Happening] = []
    for happening in happened:
        event = happening[0]
        if gone and isinstance(event, RoundBegan):
            continue
        if isinstance(event, CardOffered | Answered):
            offer.append(happening)
            continue
        taken = isinstance(event, CardBought | OfferDiscarded) and event.clan != viewer
        if not taken or any(_is_of(viewer, each) for each, *_ in offer):
            left += offer
        offer = []
        left.append(happening)
    return left + offer


def _is_of(viewer: str | None, event: Event) -> bool:
    return getattr(event, "clan", None) == viewer is not None


def _kind(happening: Happening, viewer: str | None) -> str:
    """Return a name that is equal for happenings that are told together, and empty for what is told by itself."""
    event, _, forced, _ = happening
    if _is_of(viewer, event):
        return ""
    if isinstance(event, Passed) or (isinstance(event, MembersPlaced) and not event.spaces):
        return f"{type(event).__name__} {forced}"
    return type(event).__name__ if isinstance(event, CardDrawn | Hunted) else ""


def _together(alike: Sequence[Happening]) -> str:
    """Return one sentence about happenings of one kind."""
    state, events = alike[0][1], [event for event, *_ in alike]
    hunts = [event for event in events if isinstance(event, Hunted)]
    if hunts:
        return several(state, _harvests(hunts))
    if isinstance(events[0], CardDrawn):
        return several(state, events)
    return next(said for _, said in told_of(alike))


def _harvests(hunts: Iterable[Hunted]) -> tuple[Hunted, ...]:
    """Return the harvests of each clan as one, in the order of the first of each."""
    sums: dict[str, Hunted] = {}
    for clan, _, _, harvested, eaten in hunts:
        before = sums.get(clan, Hunted(clan, 0, (), 0, 0))
        sums[clan] = before._replace(harvested=before.harvested + harvested, eaten=before.eaten + eaten)
    return tuple(sums.values())


def _rot(rots: Iterable[FoodRotted]) -> tuple[FoodRotted, ...]:
    """Return the rot of each clan as one, in the order of the first of each."""
    lost: dict[str, int] = {}
    for clan, food in rots:
        lost[clan] = lost.get(clan, 0) + food
    return tuple(FoodRotted(clan, food) for clan, food in lost.items())


def _long_ago(parts: Sequence[PhaseNews]) -> Iterator[Chapter]:
    """Yield all these rounds as one chapter: what each clan did, and how often the rest happened."""
    happened = [happening for part in parts for happening in part.happened]
    state, events = happened[-1][1], [event for event, *_ in happened]
    colours = (*state.order, NEUTRAL) if state.neutral is not None else state.order
    sums = (_harvests(e for e in events if isinstance(e, Hunted)), _rot(e for e in events if isinstance(e, FoodRotted)))
    telling = tuple(happening for happening in happened if isinstance(happening[0], _TOLD))
    told = (
        *(_deeds(state, colour, events) for colour in colours),
        *(several(state, each) for each in sums if each),
        *(said for _, said in told_of(telling)),
        " ".join(_counts(state, events)),
    )
    yield _rounds(parts[0].round, parts[-1].round), tuple(filter(None, told))


def _rounds(first: int, last: int) -> str:
    """Return the heading of several rounds."""
    if not first:
        return tr("Before round {round}").format(round=last + 1)
    if first == last:
        return tr("Round {round}").format(round=first)
    heading = tr("Rounds {first} and {last}") if last == first + 1 else tr("Rounds {first} to {last}")
    return heading.format(first=first, last=last)


def _deeds(state: GameState, colour: str, events: Sequence[Event]) -> str:
    """Return what a clan did in several rounds, in sentences of which the first names it."""
    done = tuple(_sums(colour, [event for event in events if _is_of(colour, event)]))
    return " ".join(several(state, alike, glued(tr("The clan")) if place else "") for place, alike in enumerate(done))


def _sums(clan: str, events: Sequence[Event]) -> Iterator[Sequence[Event]]:
    """Yield what a clan did in several rounds by kind; members that it placed or lost are one event."""
    placed = [event for event in events if isinstance(event, MembersPlaced) and event.spaces]
    starved = tuple(space for event in events if isinstance(event, MembersStarved) for space in event.spaces)
    if bought := [event for event in events if isinstance(event, CardBought)]:
        yield bought
    if placed:
        spaces = tuple(space for event in placed for space in event.spaces)
        yield (MembersPlaced(clan, spaces, sum(event.cost for event in placed)),)
    if discarded := [event for event in events if isinstance(event, ToolDropped | OfferDiscarded)]:
        yield discarded
    if starved:
        yield (MembersStarved(clan, starved),)


def _counts(state: GameState, events: Sequence[Event]) -> Iterator[str]:
    """Yield how often what is left happened in several rounds."""
    for kind in (TileLaid, CardDrawn, Passed, MembersPlaced, HarvestRefilled):
        alike = [event for event in events if isinstance(event, kind) and not getattr(event, "spaces", ())]
        if alike:
            yield how_often(state, alike)
