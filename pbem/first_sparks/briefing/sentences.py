"""Every event of the game in words: one table, in which all that texts say about an event stands side by side.

Each text is a whole message with named holes, or a pair of them, for one and for several. The news, the replay, the
subjects of letters and the reports of plans take theirs from here. No message says what is hidden.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple, assert_never

from pbem.first_sparks import events
from pbem.first_sparks.briefing.words import clans_text, counted, harvest_text, numbered, tile_text, tokens_text, who
from pbem.first_sparks.events import Event
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.first_sparks.state import GameState
from pbem.grammar import listed, plural
from pbem.locale import tr
from pbem.page.glue import glued, unbroken

_OfLandscape = events.HerbsDealt | events.PlayerOrderSet | events.TileDrawn | events.TileLaid
_OfMembers = events.MembersPlaced | events.MembersStarved
_OfOffers = events.CardOffered | events.Answered | events.Passed
_OfCards = events.CardBought | events.ToolDropped | events.OfferDiscarded
_OfMarket = (
    events.CardDrawn
    | events.ShuffleDrawn
    | events.CropLost
    | events.CardUnsold
    | events.CardPutUnder
    | events.MarketReduced
)
_OfRounds = events.RoundBegan | events.FoodRotted | events.Hunted | events.HarvestRefilled
_OfTheEnd = events.Resigned | events.AgreedToEnd | events.GameEnded


class Wording(NamedTuple):
    """What texts say about an event; empty for what they never say.

    - *news*: the sentence of the news and of the replay. A pair is about all clans that do the same one after another,
      ``{clans}``; ``{each}`` is a list of *each* for several such events.
    - *below*: the same below the heading of a round, None for the same words.
    - *several*: one sentence about several such events, which may be far apart; ``{each}`` as above. After another
      sentence about the same clan, ``{clan}`` is ``The clan``.
    - *counted*: how often it happened in several rounds, ``{n}``.
    - *deed*, *own*: a subject or a first line, by whom: ``{name}`` or ``you``.
    - *ahead*: what a plan did, in a list after "As you said ahead, you".

    A no-break space in a message is a blank at which no line is broken.
    """

    news: str | tuple[str, str] = ""
    below: str | None = None
    each: str = ""
    several: str = ""
    counted: tuple[str, str] = ("", "")
    deed: str = ""
    own: str = ""
    ahead: str = ""


def wording(state: GameState, event: Event) -> Wording:
    """Return what texts say about an event, in the *state* after it."""
    match event:
        case events.HerbsDealt() | events.PlayerOrderSet() | events.TileDrawn() | events.TileLaid():
            return _landscape(state, event)
        case events.MembersPlaced() | events.MembersStarved():
            return _members(state, event)
        case events.CardOffered() | events.Answered() | events.Passed():
            return _offers(event)
        case events.CardBought() | events.ToolDropped() | events.OfferDiscarded():
            return _cards(event)
        case events.CardDrawn() | events.ShuffleDrawn() | events.CropLost():
            return _market(event)
        case events.CardUnsold() | events.CardPutUnder() | events.MarketReduced():
            return _market(event)
        case events.RoundBegan() | events.FoodRotted() | events.Hunted() | events.HarvestRefilled():
            return _rounds(event)
        case events.Resigned() | events.AgreedToEnd() | events.GameEnded():
            return _the_end(event)
        case _ as unreachable:
            assert_never(unreachable)


def _landscape(state: GameState, event: _OfLandscape) -> Wording:
    match event:
        case events.HerbsDealt():
            return Wording(news="Herbs are dealt: {each}.", each="{number} to {clan}")
        case events.PlayerOrderSet():
            return Wording(news="The player order is now {order}.")
        case events.TileDrawn():
            return Wording(news="{clan} draws {tile}.")
        case events.TileLaid(clan=clan):
            by_chance = state.options.board == "random" or state.clan(clan).resigned
            return Wording(
                news="Chance lays {tile} on {first} and {second}."
                if by_chance
                else "{clan} lays {tile} on {first} and {second}.",
                counted=("1 tile is laid.", "{n} tiles are laid."),
                deed="{name} laid tile {letter}",
                own="you laid tile {letter}",
                ahead="laid tile {letter}",
            )
        case _ as unreachable:
            assert_never(unreachable)


def _members(state: GameState, event: _OfMembers) -> Wording:
    match event:
        case events.MembersPlaced(clan=clan, spaces=(_, *_) as spaces) if clan == NEUTRAL:
            settles = state.neutral == spaces and len(spaces) == 1
            return Wording(
                news="The neutral clan settles on {spaces}."
                if settles
                else "The neutral clan adds {members} on {spaces}.",
                several="The neutral clan places {members} on {spaces}.",
                deed="{name} placed the neutral clan",
                own="you placed the neutral clan",
                ahead="settled the neutral clan on {spaces}" if settles else "spread the neutral clan to {spaces}",
            )
        case events.MembersPlaced(spaces=()):
            return Wording(
                news=("{clans} stays.", "{clans} stay."),
                counted=("1 clan stays.", "Clans stay {n} times."),
                deed="{name} stayed",
                own="you stayed",
                ahead="stayed",
            )
        case events.MembersPlaced(cost=cost):
            return Wording(
                news="{clan} adds {members} on {spaces} for {cost} food." if cost else "{clan} settles on {spaces}.",
                several="{clan} places {members} on {spaces} for {cost} food."
                if cost
                else "{clan} places {members} on {spaces}.",
                deed="{name} added {members}",
                own="you added {members}",
                ahead="added {members} on {spaces} for {cost} food" if cost else "settled on {spaces}",
            )
        case events.MembersStarved():
            return Wording(
                news="{clan} loses {members} to hunger, on {spaces}.",
                several="{clan} loses {members} to hunger, on {spaces}.",
                deed="{name} lost {members}",
                own="you lost {members}",
                ahead="lost {members} to hunger, on {spaces}",
            )
        case _ as unreachable:
            assert_never(unreachable)


def _offers(event: _OfOffers) -> Wording:
    match event:
        case events.CardOffered(unasked=unasked):
            return Wording(
                news="{clan} offers {card} for {price}. {unasked} cannot buy it."
                if unasked
                else "{clan} offers {card} for {price}.",
                deed="{name} offered {number}",
                own="you offered {number}",
                ahead="offered {card}",
            )
        case events.Answered(wants=True):
            return Wording(
                news=("{clans} wants it.", "{clans} want it."),
                deed="{name} wants {number}",
                own="you want {number}",
                ahead="said yes to {card}",
            )
        case events.Answered():
            return Wording(
                news=("{clans} declines.", "{clans} decline."),
                deed="{name} declined {number}",
                own="you declined {number}",
                ahead="declined {card}",
            )
        case events.Passed():
            return Wording(
                news=("{clans} passes.", "{clans} pass."),
                counted=("1 clan passes.", "Clans pass {n} times."),
                deed="{name} passed",
                own="you passed",
                ahead="passed",
            )
        case _ as unreachable:
            assert_never(unreachable)


def _cards(event: _OfCards) -> Wording:
    match event:
        case events.CardBought(crop=crop):
            return Wording(
                news="{clan} buys {card} for {price} and takes the crop on it."
                if crop
                else "{clan} buys {card} for {price}.",
                several="{clan} buys {each}.",
                each="{card} for {price}",
                deed="{name} bought {number}",
                own="you bought {number}",
                ahead="bought {card} for {price} and took the crop on it" if crop else "bought {card} for {price}",
            )
        case events.ToolDropped():
            return Wording(
                news="{clan} has one tool too many and discards {card}.",
                several="{clan} discards {each}.",
                each="{card}",
                deed="{name} discarded {number}",
                own="you discarded {number}",
                ahead="discarded {card}",
            )
        case events.OfferDiscarded(tokens=tokens):
            return Wording(
                news="{clan} discards the offered {card}, and {tokens} with it."
                if tokens
                else "{clan} discards the offered {card}.",
                several="{clan} discards {each}.",
                each="{card}",
                deed="{name} discarded {number}",
                own="you discarded {number}",
                ahead="discarded the card that you had offered",
            )
        case _ as unreachable:
            assert_never(unreachable)


def _market(event: _OfMarket) -> Wording:
    match event:
        case events.CardDrawn():
            return Wording(
                news="{card} enters the market.",
                several="{n} cards enter the market: {each}.",
                each="{card}",
                counted=("1 card enters the market.", "{n} cards enter the market."),
            )
        case events.ShuffleDrawn():
            return Wording(news="The Shuffle card enters the market, and the draw pile is shuffled.")
        case events.CropLost():
            return Wording(news="The crop on {card} is lost because a lower card was drawn.")
        case events.CardUnsold():
            return Wording(news="{card} still has the crop on it, so both leave the game.")
        case events.CardPutUnder():
            return Wording(news="{card}, the highest card in the market, goes under the draw pile.")
        case events.MarketReduced(card=None):
            return Wording(
                news="The Shuffle card leaves the game. From now on the market has {places}, all of them current."
            )
        case events.MarketReduced():
            return Wording(
                news="The Shuffle card and {card} leave the game. From now on the market has {places}, all of them"
                " current."
            )
        case _ as unreachable:
            assert_never(unreachable)


def _rounds(event: _OfRounds) -> Wording:
    match event:
        case events.RoundBegan(crop=None):
            return Wording(news="Round\N{NO-BREAK SPACE}{round} begins.", below="")
        case events.RoundBegan():
            return Wording(
                news="Round\N{NO-BREAK SPACE}{round} begins, and the crop is laid on {card}.",
                below="The crop is laid on {card}.",
            )
        case events.FoodRotted():
            return Wording(news="Food rots: {each}.", several="Food rots: {each}.", each="{clan} loses {food}")
        case events.Hunted(eaten=eaten):
            return Wording(
                news="{clan} harvests {harvest} and eats {eaten}."
                if eaten
                else "{clan} harvests {harvest} and eats nothing.",
                several="Food is harvested: {each}. Together these clans eat {eaten}.",
                each="{clan} gets {harvested}",
            )
        case events.HarvestRefilled():
            return Wording(
                news="The harvest spaces are refilled with {tokens}.",
                counted=("The harvest spaces are refilled.", "The harvest spaces are refilled {n} times."),
            )
        case _ as unreachable:
            assert_never(unreachable)


def _the_end(event: _OfTheEnd) -> Wording:
    match event:
        case events.Resigned():
            return Wording(
                news="{clan} resigns. The clan keeps its members and cards.",
                deed="{name} resigned",
                own="you resigned",
                ahead="resigned",
            )
        case events.AgreedToEnd():
            return Wording(
                news="{clan} agrees to end the game as it stands.",
                deed="{name} agrees to end the game",
                own="you agree to end the game",
                ahead="agreed to end the game",
            )
        case events.GameEnded():
            return Wording(news=("The game is over: {clans} wins.", "The game is over: {clans} share the victory."))
        case _ as unreachable:
            assert_never(unreachable)


def sentence(state: GameState, happened: Sequence[Event], *, below: bool = False) -> str:
    """Return the item of the news about an event, or about several alike that follow each other.

    What their clans did differently comes in several sentences. *below* a heading, which says that a round begins, it
    may be empty.
    """
    words = wording(state, happened[0])
    if below and words.below is not None:
        return _filled(words.below, _holes(state, happened[0]))
    return " ".join(_sentences(state, happened))


def _sentences(state: GameState, happened: Sequence[Event]) -> Iterator[str]:
    for message, group in groupby(happened, key=lambda event: wording(state, event).news):
        alike = tuple(group)
        first = alike[0]
        if isinstance(message, str):
            yield _filled(message, _holes(state, first) | _each(state, alike))
        else:
            of_each = tuple(getattr(event, "clan", "") for event in alike)
            clans = first.winners if isinstance(first, events.GameEnded) else of_each
            yield plural(len(clans), *message).format(clans=clans_text(state, clans))


def several(state: GameState, happened: Sequence[Event], clan: str = "") -> str:
    """Return one sentence about several events of a kind; *clan* stands for its name, if it was named before."""
    first = happened[0]
    eaten = sum(event.eaten for event in happened if isinstance(event, events.Hunted))
    holes = _holes(state, first) | _each(state, happened) | {"n": str(len(happened)), "eaten": str(eaten)}
    return _filled(wording(state, first).several, holes | ({"clan": clan} if clan else {}))


def how_often(state: GameState, happened: Sequence[Event]) -> str:
    """Return how often the same happened in several rounds."""
    return plural(len(happened), *wording(state, happened[0]).counted)


def deed(state: GameState, event: Event, by: str, reader: str) -> str:
    """Return what somebody has done, ``Ann bought #9`` or ``you bought #9``; nothing for what only follows from it.

    *by* is who decided, the clan itself but for the neutral one.
    """
    clan = getattr(event, "clan", "")
    doer = clan if clan not in ("", NEUTRAL) else by
    words = wording(state, event)
    message = words.own if doer == reader else words.deed
    return _filled(message, _holes(state, event) | {"name": state.clan(doer).player}) if message else ""


def done_ahead(state: GameState, event: Event) -> str:
    """Return what a plan or an early answer did, as the words after "As you said ahead, you"."""
    return _filled(wording(state, event).ahead, _holes(state, event))


def _filled(message: str, holes: dict[str, str]) -> str:
    return unbroken(tr(message)).format_map(holes)


def _each(state: GameState, happened: Sequence[Event]) -> dict[str, str]:
    """Return what fills ``{each}``, if the words have it."""
    each = wording(state, happened[0]).each
    return {"each": listed(glued(_filled(each, _holes(state, event))) for event in happened)} if each else {}


def _holes(state: GameState, event: Event) -> dict[str, str]:
    """Return what fills the holes of the messages about an event, by name."""
    fields: dict[str, Any] = event._asdict()
    holes = {name: str(value) for name, value in fields.items() if isinstance(value, int)}
    if "clan" in fields:
        holes["clan"] = who(state, fields["clan"])
    if (card := fields.get("card") or (event.crop if isinstance(event, events.RoundBegan) else None)) is not None:
        holes |= {"card": numbered(state, card), "number": f"#{card}"}
    if "tile" in fields:
        holes |= {"tile": tile_text(state, fields["tile"]), "letter": fields["tile"]}
    if fields.get("spaces"):
        holes |= {"members": counted(len(fields["spaces"]), "members"), "spaces": listed(fields["spaces"])}
    if fields.get("tokens"):
        holes["tokens"] = tokens_text(fields["tokens"])
    if isinstance(event, events.TileLaid):
        holes["first"], holes["second"] = event.cells
    elif isinstance(event, events.PlayerOrderSet):
        holes["order"] = clans_text(state, event.order)
    elif isinstance(event, events.CardOffered) and event.unasked:
        holes["unasked"] = clans_text(state, event.unasked)
    elif isinstance(event, events.Hunted):
        holes["harvest"] = harvest_text(event.crops, event.tokens, event.harvested)
    elif isinstance(event, events.MarketReduced):
        holes["places"] = counted(state.market.places, "cards")
    return holes
