"""Both markets in words: the cards with their prices and uses, and what is known of the draw pile."""

from collections.abc import Iterator

from pbem.first_sparks.briefing.forecast_text import cards_to_come
from pbem.first_sparks.briefing.words import counted, kind_word, use_text
from pbem.first_sparks.choice import net_price
from pbem.first_sparks.components import Card
from pbem.first_sparks.moves import Offer
from pbem.first_sparks.rules import buying
from pbem.first_sparks.state import Clan, GameState
from pbem.locale import tr
from pbem.page.glue import HYPHEN
from pbem.page.page import Block, Column, Grid, Prose


def market_blocks(state: GameState, viewer: str | None) -> Iterator[Block]:
    """Yield the cards of both markets with their prices and uses, and the size of the draw pile."""
    market, pile = state.market, state.pile
    rows: list[tuple[str, ...] | str] = [tr("current market, can be offered:"), *_cards(state, viewer, market.current)]
    if market.future or not market.reduced:
        rows += [tr("future market, cannot be offered yet:"), *_cards(state, viewer, market.future)]
    titles = Column(tr("card", "column")), Column(tr("price", "column"), right=True), Column(tr("use", "column"))
    yield Grid((*titles, Column(tr("you", "column") if viewer else "")), tuple(rows))
    if market.shuffle:
        yield Prose(tr("The Shuffle card lies above all other cards in the market."))
    if pile.shuffle:
        has = tr(
            "The draw pile has {cards}, including the Shuffle card. Once that is drawn, phase 4 makes the market"
            " smaller, and all of it current."
        )
    else:
        has = tr("The draw pile has {cards}.")
    yield Prose(has.format(cards=counted(pile.size, "cards")))
    if to_come := cards_to_come(state):
        yield Prose(to_come)
    if market.crop is not None:
        yield Prose(
            tr(
                "* marks the card with the crop, which is worth 1 food to its buyer. If nobody buys the card this"
                " round, it leaves the game."
            )
        )
    table = tr("{example} means that the tool takes 2 tokens if there are 4 to 6.")
    yield Prose(table.format(example=f"4{HYPHEN}6:2"))


def _cards(state: GameState, viewer: str | None, numbers: tuple[int, ...]) -> Iterator[tuple[str, ...]]:
    for number in numbers:
        card = state.components.cards[number]
        crop = "*" if state.market.crop == number else " "
        can = _can_pay(state, state.clan(viewer), card) if viewer else ""
        yield f"#{number} {kind_word(card.kind)}", f"{card.price} {crop}", use_text(state.components, card), can
    if not numbers:
        yield (tr("no card"),)


def _can_pay(state: GameState, clan: Clan, card: Card) -> str:
    """Return whether the clan could buy the card with its food, the crop on the card counted."""
    broken = {violation.rule for violation in buying.offer_violations(state, clan, Offer(card.number))}
    if "offer-new-knowledge" in broken:
        return tr("you own it")
    if "offer-affordable" in broken:
        return tr("you lack {food}").format(food=net_price(state, card.number) - clan.food)
    return tr("you can pay")
