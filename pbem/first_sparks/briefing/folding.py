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
    told_below,
    told_of,
)
from pbem.first_sparks.briefing.words import counted, numbered, who
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
from pbem.grammar import listed, plural
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
            said += (sentence for _, sentence in told_below(run))
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
    drawn = [event.card for event in events if isinstance(event, CardDrawn)]
    if drawn:
        return f"{len(drawn)} cards enter the market: {listed(numbered(state, card) for card in drawn)}."
    hunts = [event for event in events if isinstance(event, Hunted)]
    if hunts:
        return _harvests(state, hunts)
    return next(sentence for _, sentence in told_of(alike))


def _harvests(state: GameState, hunts: Sequence[Hunted]) -> str:
    """Return one sentence about the harvests of all clans, in one round or in several."""
    worth: dict[str, int] = {}
    for hunt in hunts:
        worth[hunt.clan] = worth.get(hunt.clan, 0) + hunt.harvested
    gets = listed(glued(f"{who(state, clan)} gets {harvested}") for clan, harvested in worth.items())
    return f"Food is harvested: {gets}. Together these clans eat {sum(hunt.eaten for hunt in hunts)}."


def _rot(state: GameState, rots: Sequence[FoodRotted]) -> str:
    """Return one sentence about the rot of several rounds."""
    lost: dict[str, int] = {}
    for rot in rots:
        lost[rot.clan] = lost.get(rot.clan, 0) + rot.food
    return f"Food rots: {listed(glued(f'{who(state, clan)} loses {food}') for clan, food in lost.items())}."


def _long_ago(parts: Sequence[PhaseNews]) -> Iterator[Chapter]:
    """Yield all these rounds as one chapter: what each clan did, and how often the rest happened."""
    happened = [happening for part in parts for happening in part.happened]
    state, events = happened[-1][1], [event for event, *_ in happened]
    colours = (*state.order, NEUTRAL) if state.neutral is not None else state.order
    hunts = [event for event in events if isinstance(event, Hunted)]
    rots = [event for event in events if isinstance(event, FoodRotted)]
    telling = tuple(happening for happening in happened if isinstance(happening[0], _TOLD))
    told = (
        *(_deeds(state, colour, events) for colour in colours),
        *((_harvests(state, hunts),) if hunts else ()),
        *((_rot(state, rots),) if rots else ()),
        *(sentence for _, sentence in told_of(telling)),
        " ".join(_counts(events)),
    )
    yield _rounds(parts[0].round, parts[-1].round), tuple(filter(None, told))


def _rounds(first: int, last: int) -> str:
    """Return the heading of several rounds."""
    if not first:
        return f"Before round {last + 1}"
    if first == last:
        return f"Round {first}"
    return f"Rounds {first} and {last}" if last == first + 1 else f"Rounds {first} to {last}"


def _deeds(state: GameState, colour: str, events: Sequence[Event]) -> str:
    """Return what a clan did in several rounds, in sentences of which the first names it."""
    clan = "The neutral clan" if colour == NEUTRAL else who(state, colour)
    told = _messages(state, [event for event in events if _is_of(colour, event)])
    return " ".join(message.format(clan=glued("The clan") if place else clan) for place, message in enumerate(told))


def _messages(state: GameState, events: Sequence[Event]) -> Iterator[str]:
    """Yield what a clan did in several rounds, with a hole for the ``{clan}``."""
    bought = [event for event in events if isinstance(event, CardBought)]
    if bought:
        cards = listed(glued(f"{numbered(state, event.card)} for {event.price}") for event in bought)
        yield f"{{clan}} buys {cards}."
    placed = [event for event in events if isinstance(event, MembersPlaced) and event.spaces]
    if placed:
        spaces = [space for event in placed for space in event.spaces]
        members, cost = counted(len(spaces), "members"), sum(event.cost for event in placed)
        if cost:
            yield f"{{clan}} places {members} on {listed(spaces)} for {cost} food."
        else:
            yield f"{{clan}} places {members} on {listed(spaces)}."
    gone = [numbered(state, event.card) for event in events if isinstance(event, ToolDropped | OfferDiscarded)]
    if gone:
        yield f"{{clan}} discards {listed(gone)}."
    starved = [space for event in events if isinstance(event, MembersStarved) for space in event.spaces]
    if starved:
        yield f"{{clan}} loses {counted(len(starved), 'members')} to hunger, on {listed(starved)}."


def _counts(events: Sequence[Event]) -> Iterator[str]:
    """Yield how often what is left happened in several rounds."""
    tiles = sum(isinstance(event, TileLaid) for event in events)
    if tiles:
        yield plural(tiles, "1 tile is laid.", "{n} tiles are laid.")
    cards = sum(isinstance(event, CardDrawn) for event in events)
    if cards:
        yield plural(cards, "1 card enters the market.", "{n} cards enter the market.")
    passes = sum(isinstance(event, Passed) for event in events)
    if passes:
        yield plural(passes, "1 clan passes.", "Clans pass {n} times.")
    stays = sum(isinstance(event, MembersPlaced) and not event.spaces for event in events)
    if stays:
        yield plural(stays, "1 clan stays.", "Clans stay {n} times.")
    refills = sum(isinstance(event, HarvestRefilled) for event in events)
    if refills:
        yield plural(refills, "The harvest spaces are refilled.", "The harvest spaces are refilled {n} times.")
