"""What has happened: events -> the items of a list for a player."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count, groupby
from typing import Final, NamedTuple, assert_never

from pbem.first_sparks.adjudicator import Entry
from pbem.first_sparks.briefing.headings import BUREAUCRACY, STAGES, stage_of
from pbem.first_sparks.briefing.words import (
    clans_text,
    counted,
    harvest_text,
    numbered,
    tile_text,
    tokens_text,
    who,
)
from pbem.first_sparks.events import (
    AgreedToEnd,
    Answered,
    CardBought,
    CardDrawn,
    CardOffered,
    CardPutUnder,
    CardUnsold,
    CropLost,
    Event,
    FoodRotted,
    GameEnded,
    HarvestRefilled,
    HerbsDealt,
    Hunted,
    MarketReduced,
    MembersPlaced,
    MembersStarved,
    OfferDiscarded,
    Passed,
    PlayerOrderSet,
    Resigned,
    RoundBegan,
    ShuffleDrawn,
    TileDrawn,
    TileLaid,
    ToolDropped,
)
from pbem.first_sparks.options import IDLE_ROUNDS
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.rules import game_end
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.first_sparks.state import CHANCE, GameState
from pbem.grammar import listed, plural
from pbem.page.glue import glued
from pbem.page.page import Block, Items, Subheading

MOST_LINES: Final = 24  # of plain text, as many as a screen shows
_WARNED_AFTER: Final = 5  # rounds; fewer are not unusual
_FORCED: Final = glued("There was no other choice.")
# What several clans do one after the other becomes one item.
_Merged = HerbsDealt | FoodRotted | Answered | Passed
_OfLandscape = PlayerOrderSet | TileDrawn | TileLaid | MembersPlaced
_OfBuying = CardOffered | CardBought | ToolDropped | OfferDiscarded
_OfMarket = CardDrawn | ShuffleDrawn | CropLost | CardUnsold | CardPutUnder | MarketReduced
_OfRounds = RoundBegan | Hunted | MembersStarved | HarvestRefilled
_OfTheEnd = Resigned | AgreedToEnd | GameEnded


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
        return tuple(sentence for _, sentence in told_below(self.happened))


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
            told.append(f"In each of {glued(f'rounds {first.round} to {last.round}')}:")
        elif first and last and alike[1:]:
            told.append(f"In {glued(f'rounds {first.round} and {last.round}')}:")
        elif begins:
            told.append(begins)
        told += rest
    return Items(tuple(told))


def _rounds_of(history: Sequence[tuple[Entry, GameState]]) -> Iterator[_RoundNews]:
    """Yield the game rounds in order, after what happened before the first of them began."""
    began, begins, rest = None, "", list[str]()
    for event, sentence in sentences(history):
        if isinstance(event, RoundBegan):
            yield began, begins, tuple(rest)
            began, begins, rest = event, sentence, []
        else:
            rest.append(sentence)
    yield began, begins, tuple(rest)


def sentences(history: Sequence[tuple[Entry, GameState]]) -> Iterator[tuple[Event, str]]:
    """Yield every sentence about what has happened, with the first of the events that it is about."""
    return told_of(happenings(history))


def told_of(happened: Iterable[Happening]) -> Iterator[tuple[Event, str]]:
    """Yield every sentence about these happenings, with the first of the events that it is about."""
    for _, group in groupby(happened, key=_run):
        run = tuple(group)
        event, _, forced, _ = run[0]
        sentence = _sentence(run)
        yield event, f"{sentence} {_FORCED}" if forced else sentence


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
        return stage[:1].upper() + stage[1:]
    if last == first:
        return f"Round {first}, {stage}"
    if last == first + 1:
        return f"In rounds {first} and {last}, {stage}"
    return f"In each of rounds {first} to {last}, {stage}"


def told_below(happened: Iterable[Happening]) -> Iterator[tuple[Event, str]]:
    """Yield every sentence as ``told_of`` does, but below a heading, which says that a round begins."""
    told = tuple(happened)
    for event, sentence in told_of(told):
        if not isinstance(event, RoundBegan):
            yield event, sentence
        elif event.crop is not None:
            yield event, f"The crop is laid on {numbered(told[0][1], event.crop)}."


def below_headings(chapters: Iterable[Chapter]) -> tuple[Block, ...]:
    """Return the items of chapters below their headings."""
    return tuple(block for title, items in chapters if items for block in (Subheading(title), Items(items)))


def _run(told: Happening) -> tuple[str, bool, int | None]:
    """Return what is equal for events of the same item, and only for these."""
    event, _, forced, number = told
    merged = isinstance(event, _Merged) or (isinstance(event, MembersPlaced) and not event.spaces)
    return type(event).__name__, forced, None if merged else number


def _sentence(run: tuple[Happening, ...]) -> str:
    """Return the item for one event, or for several that are merged."""
    event, state, _, _ = run[0]
    match event:
        case HerbsDealt() | FoodRotted() | Answered() | Passed() | MembersPlaced(spaces=()):
            return _merged(state, tuple(event for event, _, _, _ in run))
        case PlayerOrderSet() | TileDrawn() | TileLaid() | MembersPlaced():
            return _landscape(state, event)
        case CardOffered() | CardBought() | ToolDropped() | OfferDiscarded():
            return _buying(state, event)
        case CardDrawn() | ShuffleDrawn() | CropLost() | CardUnsold() | CardPutUnder() | MarketReduced():
            return _market(state, event)
        case RoundBegan() | Hunted() | MembersStarved() | HarvestRefilled():
            return _rounds(state, event)
        case Resigned() | AgreedToEnd() | GameEnded():
            return _the_end(state, event)
        case _ as unreachable:
            assert_never(unreachable)


def _merged(state: GameState, events: tuple[Event, ...]) -> str:
    """Return one item about events of the same kind."""
    dealt = [f"#{event.card} to {who(state, event.clan)}" for event in events if isinstance(event, HerbsDealt)]
    if dealt:
        return f"Herbs are dealt: {listed(map(glued, dealt))}."
    rotten = [f"{who(state, event.clan)} loses {event.food}" for event in events if isinstance(event, FoodRotted)]
    if rotten:
        return f"Food rots: {listed(map(glued, rotten))}."
    passed = [event.clan for event in events if isinstance(event, Passed)]
    if passed:
        return _of_clans(state, passed, "{clans} passes.", "{clans} pass.")
    stayed = [event.clan for event in events if isinstance(event, MembersPlaced)]
    if stayed:
        return _of_clans(state, stayed, "{clans} stays.", "{clans} stay.")
    return _answers(state, tuple(event for event in events if isinstance(event, Answered)))


def _answers(state: GameState, events: tuple[Answered, ...]) -> str:
    said: list[str] = []
    for wants, group in groupby(events, key=lambda answer: answer.wants):
        clans = [answer.clan for answer in group]
        if wants:
            said.append(_of_clans(state, clans, "{clans} wants it.", "{clans} want it."))
        else:
            said.append(_of_clans(state, clans, "{clans} declines.", "{clans} decline."))
    return " ".join(said)


def _of_clans(state: GameState, clans: Sequence[str], one: str, other: str) -> str:
    """Return the message for one clan or for several, which stand at ``{clans}``."""
    return plural(len(clans), one, other).format(clans=clans_text(state, clans))


def _landscape(state: GameState, event: _OfLandscape) -> str:
    match event:
        case PlayerOrderSet(order=order):
            return f"The player order is now {clans_text(state, order)}."
        case TileDrawn(clan=clan, tile=tile):
            return f"{who(state, clan)} draws {tile_text(state, tile)}."
        case TileLaid(clan=clan, tile=tile, cells=(first, second)):
            if state.options.board == "random" or state.clan(clan).resigned:
                return f"Chance lays {tile_text(state, tile)} on {first} and {second}."
            return f"{who(state, clan)} lays {tile_text(state, tile)} on {first} and {second}."
        case MembersPlaced(clan=clan, spaces=(space,)) if clan == NEUTRAL and state.neutral == (space,):
            return f"The neutral clan settles on {space}."
        case MembersPlaced(clan=clan, spaces=spaces) if clan == NEUTRAL:
            return f"The neutral clan adds {counted(len(spaces), 'members')} on {listed(spaces)}."
        case MembersPlaced(clan=clan, spaces=(space,), cost=0):
            return f"{who(state, clan)} settles on {space}."
        case MembersPlaced(clan=clan, spaces=spaces, cost=cost):
            return f"{who(state, clan)} adds {counted(len(spaces), 'members')} on {listed(spaces)} for {cost} food."
        case _ as unreachable:
            assert_never(unreachable)


def _buying(state: GameState, event: _OfBuying) -> str:
    card = numbered(state, event.card)
    match event:
        case CardOffered(clan=clan, price=price, unasked=()):
            return f"{who(state, clan)} offers {card} for {price}."
        case CardOffered(clan=clan, price=price, unasked=unasked):
            return f"{who(state, clan)} offers {card} for {price}. {clans_text(state, unasked)} cannot buy it."
        case CardBought(clan=clan, price=price, crop=True):
            return f"{who(state, clan)} buys {card} for {price} and takes the crop on it."
        case CardBought(clan=clan, price=price):
            return f"{who(state, clan)} buys {card} for {price}."
        case ToolDropped(clan=clan):
            return f"{who(state, clan)} has one tool too many and discards {card}."
        case OfferDiscarded(clan=clan, tokens=()):
            return f"{who(state, clan)} discards the offered {card}."
        case OfferDiscarded(clan=clan, tokens=tokens):
            return f"{who(state, clan)} discards the offered {card}, and {tokens_text(tokens)} with it."
        case _ as unreachable:
            assert_never(unreachable)


def _market(state: GameState, event: _OfMarket) -> str:
    match event:
        case CardDrawn(card=number):
            return f"{numbered(state, number)} enters the market."
        case ShuffleDrawn():
            return "The Shuffle card enters the market, and the draw pile is shuffled."
        case CropLost(card=number):
            return f"The crop on {numbered(state, number)} is lost because a lower card was drawn."
        case CardUnsold(card=number):
            return f"{numbered(state, number)} still has the crop on it, so both leave the game."
        case CardPutUnder(card=number):
            return f"{numbered(state, number)}, the highest card in the market, goes under the draw pile."
        case MarketReduced(card=lowest):
            left = counted(state.market.places, "cards")
            if lowest is None:
                return f"The Shuffle card leaves the game. From now on the market has {left}, all of them current."
            gone = numbered(state, lowest)
            return (
                f"The Shuffle card and {gone} leave the game. From now on the market has {left}, all of them current."
            )
        case _ as unreachable:
            assert_never(unreachable)


def _rounds(state: GameState, event: _OfRounds) -> str:
    match event:
        case RoundBegan(round=number, crop=crop):
            if crop is None:
                return f"{glued(f'Round {number}')} begins."
            return f"{glued(f'Round {number}')} begins, and the crop is laid on {numbered(state, crop)}."
        case Hunted(clan=clan, crops=crops, tokens=tokens, harvested=worth, eaten=0):
            return f"{who(state, clan)} harvests {harvest_text(crops, tokens, worth)} and eats nothing."
        case Hunted(clan=clan, crops=crops, tokens=tokens, harvested=worth, eaten=eaten):
            return f"{who(state, clan)} harvests {harvest_text(crops, tokens, worth)} and eats {eaten}."
        case MembersStarved(clan=clan, spaces=spaces):
            return f"{who(state, clan)} loses {counted(len(spaces), 'members')} to hunger, on {listed(spaces)}."
        case HarvestRefilled(tokens=tokens):
            return f"The harvest spaces are refilled with {tokens_text(tokens)}."
        case _ as unreachable:
            assert_never(unreachable)


def _the_end(state: GameState, event: _OfTheEnd) -> str:
    match event:
        case Resigned(clan=clan):
            return f"{who(state, clan)} resigns. The clan keeps its members and cards."
        case AgreedToEnd(clan=clan):
            return f"{who(state, clan)} agrees to end the game as it stands."
        case GameEnded(winners=winners):
            over = f"The game is over: {victory(state, winners)}"
            return f"{over} {_why_it_ended(state)}" if game_end.ended_by(state) == "idle-rounds" else over
        case _ as unreachable:
            assert_never(unreachable)


def _why_it_ended(state: GameState) -> str:
    from pbem.first_sparks.briefing.result import how_it_ended

    return how_it_ended(state)


def how_it_may_end(state: GameState) -> str:
    """Return the warning that the game ends if nothing happens; nothing while that is far away or it is over."""
    past = state.idle - 1
    if past < _WARNED_AFTER or isinstance(state.phase, Ended) or state.options.older:
        return ""
    return (
        f"In the last {past} rounds nobody bought a card and no clan reached a new size. The game ends after"
        f" {IDLE_ROUNDS} such rounds in a row."
    )


def victory(state: GameState, winners: tuple[str, ...]) -> str:
    """Return the sentence that says who has won."""
    return _of_clans(state, winners, "{clans} wins.", "{clans} share the victory.")
