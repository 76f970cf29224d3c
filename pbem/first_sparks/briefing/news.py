"""What has happened: events -> the items that tell them to a player."""

from collections.abc import Iterator, Sequence
from itertools import count, groupby
from typing import Final, NamedTuple, assert_never

from pbem.first_sparks.adjudicator import Entry
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
from pbem.grammar import listed
from pbem.page.glue import glued
from pbem.page.page import Items

_WARNED_AFTER: Final = 5  # rounds; fewer are nothing unusual
# What several clans do one after the other is told in one line.
_Merged = HerbsDealt | FoodRotted | Answered | Passed
_OfLandscape = PlayerOrderSet | TileDrawn | TileLaid | MembersPlaced
_OfBuying = CardOffered | CardBought | ToolDropped | OfferDiscarded
_OfMarket = CardDrawn | ShuffleDrawn | CropLost | CardUnsold | CardPutUnder | MarketReduced
_OfRounds = RoundBegan | Hunted | MembersStarved | HarvestRefilled
_OfTheEnd = Resigned | AgreedToEnd | GameEnded


class _Happening(NamedTuple):
    """An event, the state after its entry of the log, whether it was the only choice of a clan, and its number."""

    event: Event
    state: GameState
    forced: bool
    number: int


class _RoundNews(NamedTuple):
    """What is told of a game round: that it begins, its number, the card that the crop is laid on, and the rest."""

    begins: str
    number: int
    crop: int | None
    sentences: tuple[str, ...]


def news(history: Sequence[tuple[Entry, GameState]]) -> Items:
    """Return what has happened, an item a thing: every event of *history*, log entries with the state after each.

    What the adjudicator decided for a clan, because there was no choice, is
    marked. Rounds in a row in which the same happened are told once.
    """
    told: list[str] = []
    for _, group in groupby(_rounds_of(history), key=_what_happened):
        alike = tuple(group)
        if alike[1:]:
            numbers = f"{alike[0].number} {'to' if alike[2:] else 'and'} {alike[-1].number}"
            told.append(f"In each of the rounds {glued(numbers)}:")
        elif alike[0].begins:
            told.append(alike[0].begins)
        told += alike[0].sentences
    return Items(tuple(told))


def _rounds_of(history: Sequence[tuple[Entry, GameState]]) -> Iterator[_RoundNews]:
    """Yield a game round after the other; first, with no beginning, what happened before one began."""
    told = _RoundNews("", 0, None, ())
    for event, sentence in sentences(history):
        if isinstance(event, RoundBegan):
            yield told
            told = _RoundNews(sentence, event.round, event.crop, ())
        else:
            told = told._replace(sentences=(*told.sentences, sentence))
    yield told


def sentences(history: Sequence[tuple[Entry, GameState]]) -> Iterator[tuple[Event, str]]:
    """Yield every sentence about what has happened, with the first of the events that it tells."""
    for _, group in groupby(_happenings(history), key=_run):
        run = tuple(group)
        sentence = _sentence(run)
        if run[0].forced:
            sentence = f"{sentence.removesuffix('.')} {glued('(the only choice).')}"
        if sentence.startswith("the neutral clan"):
            sentence = f"T{sentence[1:]}"
        yield run[0].event, sentence


def _what_happened(told: _RoundNews) -> tuple[bool, int | None, tuple[str, ...]]:
    """Return what is equal for rounds that are told once; what came before a round began is like none."""
    return told.number > 0, told.crop, told.sentences


def _happenings(history: Sequence[tuple[Entry, GameState]]) -> Iterator[_Happening]:
    """Yield the events in their order, but for a drawn tile that is laid later in the same history."""
    laid = {event.tile for _, state in history for event in state.events if isinstance(event, TileLaid)}
    numbers = count()
    for entry, state in history:
        forced = entry.by == CHANCE != entry.clan
        for place, event in enumerate(state.events):
            if not (isinstance(event, TileDrawn) and event.tile in laid):
                # The first event of an entry is the decision itself, the others follow from it.
                yield _Happening(event, state, forced and place == 0, next(numbers))


def _run(told: _Happening) -> tuple[str, bool, int | None]:
    """Return what is equal for events of one line, and for no others."""
    event = told.event
    merged = isinstance(event, _Merged) or (isinstance(event, MembersPlaced) and not event.spaces)
    return type(event).__name__, told.forced, None if merged else told.number


def _sentence(run: tuple[_Happening, ...]) -> str:
    """Return what one event, or several of a kind that is merged, say."""
    state = run[0].state
    match run[0].event:
        case HerbsDealt() | FoodRotted() | Answered() | Passed() | MembersPlaced(spaces=()):
            return _merged(state, tuple(told.event for told in run))
        case PlayerOrderSet() | TileDrawn() | TileLaid() | MembersPlaced() as event:
            return _landscape(state, event)
        case CardOffered() | CardBought() | ToolDropped() | OfferDiscarded() as event:
            return _buying(state, event)
        case CardDrawn() | ShuffleDrawn() | CropLost() | CardUnsold() | CardPutUnder() | MarketReduced() as event:
            return _market(state, event)
        case RoundBegan() | Hunted() | MembersStarved() | HarvestRefilled() as event:
            return _rounds(state, event)
        case Resigned() | AgreedToEnd() | GameEnded() as event:
            return _the_end(state, event)
        case _ as unreachable:
            assert_never(unreachable)


def _merged(state: GameState, events: tuple[Event, ...]) -> str:
    """Return one sentence about events of one kind."""
    dealt = [f"#{event.card} to {who(state, event.clan)}" for event in events if isinstance(event, HerbsDealt)]
    if dealt:
        return f"Herbs are dealt: {', '.join(map(glued, dealt))}."
    rotten = [f"{event.food} of {who(state, event.clan)}" for event in events if isinstance(event, FoodRotted)]
    if rotten:
        return f"Food rots: {', '.join(map(glued, rotten))}."
    passed = [event.clan for event in events if isinstance(event, Passed)]
    if passed:
        return f"{_all_do(state, passed, 'passes', 'pass')}."
    stayed = [event.clan for event in events if isinstance(event, MembersPlaced)]
    if stayed:
        return f"{_all_do(state, stayed, 'stays', 'stay')}."
    return _answers(state, tuple(event for event in events if isinstance(event, Answered)))


def _answers(state: GameState, events: tuple[Answered, ...]) -> str:
    said: list[str] = []
    for wants, group in groupby(events, key=lambda answer: answer.wants):
        verbs = ("wants it", "want it") if wants else ("declines", "decline")
        said.append(_all_do(state, [answer.clan for answer in group], *verbs))
    return f"{'; '.join(said)}."


def _all_do(state: GameState, clans: Sequence[str], does: str, do: str) -> str:
    return f"{clans_text(state, clans)} {do if clans[1:] else does}"


def _landscape(state: GameState, event: _OfLandscape) -> str:
    match event:
        case PlayerOrderSet(order=order):
            return f"The player order is now {', '.join(who(state, colour) for colour in order)}."
        case TileDrawn(clan=clan, tile=tile):
            return f"{who(state, clan)} draws {tile_text(state, tile)}."
        case TileLaid(clan=clan, tile=tile, cells=cells):
            if state.options.board == "random" or state.clan(clan).resigned:
                return f"T{tile_text(state, tile)[1:]} comes to lie on {cells[0]} and {cells[1]}."
            return f"{who(state, clan)} lays {tile_text(state, tile)} on {cells[0]} and {cells[1]}."
        case MembersPlaced(clan=clan, spaces=(space,), cost=0) if clan != NEUTRAL or state.neutral == (space,):
            return f"{who(state, clan)} settles on {space}."
        case MembersPlaced(clan=clan, spaces=spaces, cost=cost):
            price = f" for {cost} food" if cost else ""
            return f"{who(state, clan)} adds {counted(len(spaces), 'members')} on {listed(spaces)}{price}."
        case _ as unreachable:
            assert_never(unreachable)


def _buying(state: GameState, event: _OfBuying) -> str:
    match event:
        case CardOffered(clan=clan, card=number, price=price, unasked=unasked):
            cannot = f" Cannot buy it: {clans_text(state, unasked)}." if unasked else ""
            return f"{who(state, clan)} offers {numbered(state, number)} for {price}.{cannot}"
        case CardBought(clan=clan, card=number, price=price, crop=crop):
            taken = " and takes the crop on it" if crop else ""
            return f"{who(state, clan)} buys {numbered(state, number)} for {price}{taken}."
        case ToolDropped(clan=clan, card=number):
            return f"{who(state, clan)} has a tool too many and discards {numbered(state, number)}."
        case OfferDiscarded(clan=clan, card=number, tokens=tokens):
            gone = f", and {tokens_text(tokens)} with it" if tokens else ""
            return f"{who(state, clan)} puts the offered {numbered(state, number)} out of the game{gone}."
        case _ as unreachable:
            assert_never(unreachable)


def _market(state: GameState, event: _OfMarket) -> str:
    match event:
        case CardDrawn(card=number):
            return f"{numbered(state, number)} comes into the market."
        case ShuffleDrawn():
            return "The Shuffle card comes into the market, and the draw pile is shuffled."
        case CropLost(card=number):
            return f"The crop on {numbered(state, number)} is lost, because a lower card has come."
        case CardUnsold(card=number):
            return f"{numbered(state, number)} still bears the crop: both leave the game."
        case CardPutUnder(card=number):
            return f"{numbered(state, number)}, the highest of the market, goes under the draw pile."
        case MarketReduced(card=lowest):
            gone = f" and {numbered(state, lowest)} leave" if lowest is not None else " leaves"
            return (
                f"The Shuffle card{gone} the game; the market is {state.market.places} cards from now on,"
                " and all of them are current."
            )
        case _ as unreachable:
            assert_never(unreachable)


def _rounds(state: GameState, event: _OfRounds) -> str:
    match event:
        case RoundBegan(round=number, crop=crop):
            laid = f", and the crop is laid on {numbered(state, crop)}" if crop is not None else ""
            return f"{glued(f'Round {number}')} begins{laid}."
        case Hunted(clan=clan, crops=crops, tokens=tokens, harvested=worth, eaten=eaten):
            return f"{who(state, clan)} harvests {harvest_text(crops, tokens, worth)} and eats {eaten or 'nothing'}."
        case MembersStarved(clan=clan, spaces=spaces):
            return f"{who(state, clan)} loses {counted(len(spaces), 'members')} for want of food, on {listed(spaces)}."
        case HarvestRefilled(tokens=tokens):
            return f"The harvest spaces get {tokens_text(tokens)} more."
        case _ as unreachable:
            assert_never(unreachable)


def _the_end(state: GameState, event: _OfTheEnd) -> str:
    match event:
        case Resigned(clan=clan):
            return f"{who(state, clan)} resigns; members and cards stay."
        case AgreedToEnd(clan=clan):
            return f"{who(state, clan)} agrees to end the game as it stands."
        case GameEnded(winners=winners):
            return f"The game is over{why_it_ended(state)}: {victory(state, winners)}"
        case _ as unreachable:
            assert_never(unreachable)


def why_it_ended(state: GameState) -> str:
    """Return the end of the sentence that the game is over, where the board does not show why."""
    if not game_end.is_stuck(state):
        return ""
    if state.options.older:
        return f" after {state.idle} rounds in which nothing changed"
    return f" after {IDLE_ROUNDS} rounds in which no card was bought and no clan reached a new size"


def how_it_may_end(state: GameState) -> str:
    """Return a warning that a game that is not over ends if nothing happens; nothing while that is far away."""
    past = state.idle - 1
    if past < _WARNED_AFTER or isinstance(state.phase, Ended) or state.options.older:
        return ""
    return (
        f"In the last {past} rounds no card was bought and no clan reached a new size:"
        f" after {IDLE_ROUNDS} such rounds in a row the game ends."
    )


def victory(state: GameState, winners: tuple[str, ...]) -> str:
    """Return the sentence that says who has won."""
    return f"{clans_text(state, winners)} {'share the victory' if winners[1:] else 'wins'}."
