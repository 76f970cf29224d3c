"""What will certainly lie in the market of the next round, for those who want to say now what they will answer.

No word stands where a line that a mail client wraps would begin like a plan: see ``plans.lines.begins``.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from pbem.first_sparks.briefing.headings import section
from pbem.first_sparks.briefing.words import card_text, colour_word
from pbem.first_sparks.forecast import next_markets, worth_of, worth_with
from pbem.first_sparks.phases import Ended, SpreadingNeutral
from pbem.first_sparks.plans.words import plan_text
from pbem.first_sparks.rules import buying, game_end, placement, spreading
from pbem.first_sparks.state import Clan, GameState
from pbem.grammar import listed
from pbem.locale import tr
from pbem.page.glue import glued, unbroken
from pbem.page.page import Block, Column, Grid, Prose, Section

_ADDING: Final = placement.add_second.__name__
_SPREADING: Final = spreading.spread.__name__


class MarketAhead(NamedTuple):
    """What is certain of the market of the next round: cards by number, in ascending order.

    The cards in *either* lie in the current market or in the future one, by what is drawn. *crop* is None if that
    depends on it too; *drawn* says whether a card is drawn before that round.
    """

    current: tuple[int, ...]
    either: tuple[int, ...]
    future: tuple[int, ...]
    crop: int | None
    drawn: bool


def market_ahead(state: GameState) -> MarketAhead:
    """Return what everybody knows of the market of the next round, in a placement round or phase 3."""
    markets = tuple(next_markets(state))
    current, future = _in_all(one.current for one in markets), _in_all(one.future for one in markets)
    either = _in_all(one.cards for one in markets) - current - future
    crops = {one.crop for one in markets}
    crop = crops.pop() if len(crops) == 1 else None
    lying, perhaps, later = (tuple(sorted(cards)) for cards in (current, either, future))
    return MarketAhead(lying, perhaps, later, crop, len(markets) > 1)


def _in_all(cards: Iterable[tuple[int, ...]]) -> set[int]:
    first, *others = map(set[int], cards)
    return first.intersection(*others)


def plan_ahead(state: GameState, colour: str) -> Section:
    """Return what the clan's player can say now about the market of the next round, and what is certain of it.

    Nothing in it depends on food that others hide. It has no blocks if nobody spreads or adds members, if the game
    is about to end, if the player has resigned, or if the clan can buy no card that is certain.
    """
    return section("plan", tuple(_blocks(state, colour)))


def _blocks(state: GameState, colour: str) -> Iterator[Block]:
    spreads = state.step in (_ADDING, _SPREADING) or isinstance(state.phase, SpreadingNeutral)
    over = isinstance(state.phase, Ended) or game_end.ending_clans(state) or game_end.is_stuck(state)
    clan = state.clan(colour)
    if not spreads or over or clan.resigned:
        return
    ahead = market_ahead(state)
    if not any(_can_pay(state, clan, ahead, number) for number in (*ahead.current, *ahead.either, *ahead.future)):
        return
    then = state._replace(market=state.market._replace(crop=ahead.crop))
    now = tr("You can say now what you want in the market of round {round}; it may save you a letter.")
    yield Prose(now.format(round=state.round + 1))
    yield Prose(tr(_ONE_MORE if ahead.drawn else _NO_MORE))
    if ahead.crop is not None:
        yield Prose(unbroken(tr(_CROP)))
    columns = (
        Column(tr("card", "column")),
        Column(tr("price", "column"), right=True),
        Column(tr("harvest", "column"), right=True),
        Column(tr("others who can pay", "column")),
    )
    yield Grid(columns, tuple(_rows(then, clan, ahead)), hangs=True)
    yield Prose(tr(_SUPPOSED).format(worth=worth_of(then, clan), food=clan.food))
    if example := _example(then, clan, ahead):
        yield Prose(example)


def _can_pay(state: GameState, clan: Clan, ahead: MarketAhead, number: int) -> bool:
    """Return whether the clan could buy the card with its food of today, and with a crop on it if one may lie there."""
    crop = number if ahead.crop is None else ahead.crop
    return buying.can_buy(state._replace(market=state.market._replace(crop=crop)), clan, number)


def _rows(state: GameState, clan: Clan, ahead: MarketAhead) -> Iterator[tuple[str, ...] | str]:
    below = {
        tr("in the current market:"): ahead.current,
        tr("in the current or the future market:"): ahead.either,
        tr("in the future market:"): ahead.future,
    }
    for heading, numbers in below.items():
        if numbers:
            yield heading
        for number in numbers:
            card = state.components.cards[number]
            crop = "*" if number == ahead.crop else " "
            own = buying.knows_already(clan, card)
            harvest = tr("you own it") if own else str(worth_with(state, clan, card))
            yield card_text(card), f"{card.price} {crop}", harvest, _others(state, clan, number)


def _others(state: GameState, clan: Clan, number: int) -> str:
    """Return which other clans can pay for the card; of those that hide food only what everybody knows."""
    able = [other for other in state.in_play if other.colour != clan.colour and buying.is_asked(state, other, number)]
    doubt = tr("perhaps {colour}")
    perhaps = [glued(doubt.format(colour=colour_word(other.colour))) for other in able if state.hides_food(other)]
    known = [colour_word(other.colour) for other in able if not state.hides_food(other)]
    return listed([*known, *perhaps]) if able else tr("nobody", "who can pay")


def _example(state: GameState, clan: Clan, ahead: MarketAhead) -> str:
    """Return how to say it, with the cards that the clan can pay and with which it harvests most.

    Nothing if it can buy none of them.
    """
    cards, certain = state.components.cards, ahead.current or ahead.either or ahead.future
    payable = [number for number in certain if _can_pay(state, clan, ahead, number)]
    if not payable:
        return ""
    best = sorted(payable, key=lambda number: (-worth_with(state, clan, cards[number]), cards[number].price))[:2]
    plan = " ".join(("plan", *map(str, best)))
    line, names = glued(f"({plan_text(plan)})"), [card_text(cards[number]) for number in best]
    meaning = tr(_TWO if names[1:] else _ONE).format(line=line, first=names[0], second=names[-1])
    return f"{meaning} {unbroken(tr(_MORE))}"


_ONE_MORE: Final = "These cards will lie there, and one more that is drawn later, about which you would be asked."
_NO_MORE: Final = "These cards will lie there, and no others until one is bought."
# No blank stands before the word, and a comma behind: so no line is what somebody writes who means it.
_ONE: Final = "For example, {line}, without the parentheses, says that you want {first}."
_TWO: Final = (
    "For example, {line}, without the parentheses, says that you want {first}, and {second} when that cannot be bought."
)
_MORE: Final = (
    "It can stand beside your order, or come later. Write (plan), which shows what you have said, or"
    " (help\N{NO-BREAK SPACE}plan), which explains all that can be said."
)
_CROP: Final = "* marks the card on which the crop will lie, which is worth 1\N{NO-BREAK SPACE}food to its buyer."
_SUPPOSED: Final = (
    "The harvest is yours in that round with the card; with none of them it is {worth}. This supposes that nobody adds"
    " any more members. Prices are compared with the food of today; you have {food}."
)
