"""The text for the next player: what has happened, the board, the market, the clans, and the question now asked.

At most 72 columns, plain ASCII but for the players' names. Who owns the box
never needs to compute anything, and nobody sees what is hidden.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pbem.first_sparks.adjudicator import Entry, choices, who_decides
from pbem.first_sparks.answers import may_read, net_price, options
from pbem.first_sparks.board import Hex, cell_place
from pbem.first_sparks.components import FOOD_VALUE, FOODS, Card
from pbem.first_sparks.drawing import WIDTH, draw_board
from pbem.first_sparks.moves import Lay, Offer
from pbem.first_sparks.news import how_it_may_end, news, victory, why_it_ended
from pbem.first_sparks.notation import ORDER_HEADING
from pbem.first_sparks.outlook import Outlook, food_after_eating, next_harvests
from pbem.first_sparks.phases import Ended, Laying
from pbem.first_sparks.question import decider, example_orders, options_lines, task
from pbem.first_sparks.record import HEAD_DIGITS
from pbem.first_sparks.rules import buying
from pbem.first_sparks.rules.preparation import refill_numbers, tiles_in_play
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.first_sparks.state import Clan, GameState
from pbem.first_sparks.texts import (
    card_text,
    clans_text,
    counted,
    fitted,
    glued,
    harvest_text,
    hides_food,
    own_set_lines,
    use_text,
    who,
    wrapped,
)

__all__ = [
    "ORDER_HEADING",
    "hides_food",
    "may_read",
    "news",
    "options",
    "options_lines",
    "summarize",
    "summarize_for_letter",
]

# A clan's letter on the board is that of its colour, whatever its player's name is; so every list of clans says both.
LETTERS: Final = {
    "green": "G",
    "red": "R",
    "blue": "B",
    "black": "K",
    "white": "W",
    "yellow": "Y",
    NEUTRAL: "N",
}
# Where in the game a step of the adjudicator stands.
STAGES: Final = {
    "deal_herbs": "preparation",
    "lay_landscape": "preparation",
    "settle_neutral": "placement round",
    "settle": "placement round",
    "add_second": "placement round",
    "set_first_order": "placement round",
    "lay_crop": "phase 1 technology",
    "offers_and_answers": "phase 1 technology",
    "close_market": "phase 1 technology",
    "rot": "phase 1 technology",
    "hunt_and_feed": "phase 2 hunting",
    "spread_neutral": "phase 3 spreading",
    "spread": "phase 3 spreading",
    "end": "phase 3 spreading",
    "reorder": "phase 4 bureaucracy",
    "refill": "phase 4 bureaucracy",
    "put_highest_under": "phase 4 bureaucracy",
    "remove_shuffle_card": "phase 4 bureaucracy",
}


def summarize(
    state: GameState,
    viewer: str | None,
    history: Sequence[tuple[Entry, GameState]] = (),
    *,
    game: str,
    turn: int,
    head: str,
    unicode: bool = False,
    own_set: str = "",
) -> str:
    """Return the text for *viewer*, the colour who reads, or for everybody if that is None.

    *history* is what it tells as news: entries of the log, each with the state
    after it. *game*, *turn* and *head* name the situation, so that a reply can
    be recognised. *own_set* names a component set that is not the one which ships.
    The question comes last: that is what a terminal shows.
    """
    viewer = viewer if viewer in state.order else None
    mark = f"[{game}/{turn}/{head[:HEAD_DIGITS]}]"
    happened = _headed("WHAT HAS HAPPENED", news(history))
    header = (
        *_place(state, f"{game}, turn {turn}"),
        *_waiting(state, viewer),
        *_warning(state),
        *own_set_lines(own_set),
    )
    rest = _final_table(state), *_position(state, viewer, unicode), *_asked(state, viewer, mark, unicode)
    return _joined(header, happened, *rest) + "\n"


def summarize_for_letter(
    state: GameState,
    viewer: str | None,
    history: Sequence[tuple[Entry, GameState]] = (),
    *,
    game: str,
    turn: int,
    own_set: str = "",
) -> tuple[str, str]:
    """Return the text for *viewer* as a letter has it, in two parts: what is asked, or who has won, and all else.

    The letter carries what a reply is recognised by, and its first line says who is asked.
    """
    viewer = viewer if viewer in state.order else None
    header = (
        *_place(state, f"{game}, turn {turn}"),
        *(_waiting(state, viewer) if who_decides(state) != viewer else ()),
        *_warning(state),
        *own_set_lines(own_set),
    )
    first = _joined(header, *_asked(state, viewer, "", unicode=False), _final_table(state))
    return first, _joined(_headed("WHAT HAS HAPPENED", news(history)), *_position(state, viewer, unicode=False))


def _position(state: GameState, viewer: str | None, unicode: bool) -> Iterator[Iterable[str]]:
    """Yield the sections with all that lies on the table."""
    yield _headed("BOARD", _board(state, unicode))
    if not isinstance(state.phase, Ended):
        yield _harvest_spaces(state)
        yield _market(state, viewer)
    yield _clans(state, viewer)


def _joined(*sections: Iterable[str]) -> str:
    """Return the sections that say something, with an empty line between them."""
    return "\n\n".join("\n".join(lines) for lines in map(tuple, sections) if lines)


def _headed(heading: str, lines: Sequence[str]) -> tuple[str, ...]:
    return (heading, *lines) if lines else ()


def _place(state: GameState, named: str) -> tuple[str, ...]:
    """Return where the game is and who decides."""
    played = f", round {state.round}" if state.round else ""
    if isinstance(state.phase, Ended):
        return wrapped(f"{glued(named)}{glued(played)}: the game is over{why_it_ended(state)}")
    return wrapped(f"{glued(named)}{glued(played)}, {STAGES[state.step]}: {decider(state)}")


def _waiting(state: GameState, viewer: str | None) -> tuple[str, ...]:
    """Return what is asked, or who has won."""
    if isinstance(state.phase, Ended):
        return wrapped(victory(state, _winners(state)))
    asked = "You are asked" if who_decides(state) == viewer else f"Waiting for {decider(state)}"
    return wrapped(f"{asked} {task(state)}.")


def _warning(state: GameState) -> tuple[str, ...]:
    """Return that the game may end before long, if nothing changes."""
    warning = how_it_may_end(state)
    return wrapped(warning) if warning else ()


# The end


def _winners(state: GameState) -> tuple[str, ...]:
    return state.phase.winners if isinstance(state.phase, Ended) else ()


def _final_table(state: GameState) -> Iterator[str]:
    """Yield the clans of a finished game, the winners first: most members, then most food; the resigned come last."""
    if not isinstance(state.phase, Ended):
        return
    winners = _winners(state)
    ranks = {clan.colour: (clan.colour not in winners, clan.resigned, -clan.size, -clan.food) for clan in state.clans}
    yield "FINAL TABLE"
    yield "  place  members  food  clan"
    for clan in sorted(state.clans, key=lambda clan: ranks[clan.colour]):
        place = 1 + sum(rank < ranks[clan.colour] for rank in ranks.values())
        left = " (resigned)" if clan.resigned else ""
        yield from fitted(f"  {place:>5}  {clan.size:>7}  {clan.food:>4}  {who(state, clan.colour)}{left}")


# The state


def _board(state: GameState, unicode: bool) -> tuple[str, ...]:
    """Return the drawing, with the cells where a tile may be laid if that is asked, and its legend."""
    everybody = {clan.colour: clan.members for clan in state.clans}
    if state.neutral is not None:
        everybody[NEUTRAL] = state.neutral
    letters = {colour: letter for colour, letter in LETTERS.items() if colour in everybody}
    standing: dict[str, str] = {}
    for colour, letter in letters.items():
        for space in everybody[colour]:
            standing[space] = standing.get(space, "") + letter
    drawing = draw_board(state.board, standing, free_cells(state), unicode=unicode)
    if not drawing:
        return ("No tile is laid yet.",)
    legend = ", ".join(glued(f"{letter} {who(state, colour)}") for colour, letter in letters.items())
    mountain = "\u25b2" if unicode else "^"
    return (*drawing, "", *wrapped(f"Letters: {legend}."), f"{mountain} is a mountain.")


def free_cells(state: GameState) -> tuple[Hex, ...]:
    """Return the cells that a legal order to lay the tile can name."""
    if not isinstance(state.phase, Laying):
        return ()
    cells = {cell for move in choices(state) if isinstance(move, Lay) for cell in (move.first, move.second)}
    return tuple(cell_place(cell) for cell in sorted(cells))


def _harvest_spaces(state: GameState) -> Iterator[str]:
    """Yield what lies on the harvest spaces, and what the next refill adds."""
    players = len(state.clans)
    complete = len(state.board.tiles) == tiles_in_play(players)
    refill = refill_numbers(state.board, players)
    yield "HARVEST SPACES"
    yield "  food      tokens  refill  worth  hunting areas"
    for food in FOODS:
        areas = " ".join(sorted(name for name, there in state.board.foods.items() if there == food))
        added = f"+{refill.of(food)}" if complete else "?"
        row = f"  {food:<9} {state.harvest.of(food):>6}  {added:>6}  {FOOD_VALUE[food]:>5}  {areas or '-'}"
        yield from fitted(row)
    if not complete:
        yield "The refill numbers are known when the board is complete."


def _market(state: GameState, viewer: str | None) -> Iterator[str]:
    """Yield the cards of both markets with what they cost and do, and the size of the draw pile."""
    market, pile = state.market, state.pile
    yield "MARKET"
    yield f"  card             price  use                            {'you' if viewer else ''}".rstrip()
    yield "current market, can be offered:"
    yield from _cards(state, viewer, market.current)
    if market.future or not market.reduced:
        yield "future market, can only be seen:"
        yield from _cards(state, viewer, market.future)
    if market.shuffle:
        yield "  The Shuffle card lies above them all."
    among = ", the Shuffle card among them" if pile.shuffle else ""
    yield from wrapped(f"The draw pile has {counted(pile.size, 'cards')}{among}.")
    if market.crop is not None:
        yield "* bears the crop, worth 1 food to its buyer."
    yield "4-6:2 in a table means: it takes 2 where 4 to 6 tokens lie."


def _cards(state: GameState, viewer: str | None, numbers: tuple[int, ...]) -> Iterator[str]:
    for number in numbers:
        card = state.components.cards[number]
        crop = "*" if state.market.crop == number else ""
        can = _can_pay(state, state.clan(viewer), card) if viewer else ""
        name = f"#{number} {card.kind}"
        yield from fitted(f"  {name:<16}  {card.price:>3} {crop:<1}  {use_text(state.components, card):<30} {can}")
    if not numbers:
        yield "  no card"


def _can_pay(state: GameState, clan: Clan, card: Card) -> str:
    """Return whether the clan could buy the card with its food, the crop on the card counted."""
    broken = {violation.rule for violation in buying.offer_violations(state, clan, Offer(card.number))}
    if "offer-new-knowledge" in broken:
        return "you own it"
    return f"you lack {net_price(state, card) - clan.food}" if "offer-affordable" in broken else "you can pay"


def _clans(state: GameState, viewer: str | None) -> Iterator[str]:
    """Yield all clans in player order: food, members, cards, and the next harvest."""
    over = isinstance(state.phase, Ended)
    yield "CLANS, in player order" + ("" if over else "; next is the next harvest, if nothing changes")
    harvests = next_harvests(state)
    for place, clan in enumerate(state.clans, 1):
        you = ", you" if clan.colour == viewer else ""
        named = f"{LETTERS[clan.colour]} {who(state, clan.colour)}{you}"
        yield from wrapped(f"{named}: {_standing(state, clan, viewer)}", f"{place}. ", "   ")
        yield from _row("on", _places(state, clan))
        yield from _row("tools", _cards_text(state, clan.tools))
        yield from _row("knows", _cards_text(state, tuple(card for card in clan.cards if not card.is_tool)))
        if clan.members and not over:
            yield from _row("next", _outlook(state, clan, harvests[clan.colour], viewer))
    if state.neutral is not None:
        members = counted(len(state.neutral), "members")
        yield from wrapped(f"{LETTERS[NEUTRAL]} {who(state, NEUTRAL)}: {members}", "-  ")
        yield from _row("on", " ".join(state.neutral))


def _row(name: str, text: str) -> tuple[str, ...]:
    return wrapped(text, f"   {name:<5}  ", " " * 10) if text else ()


def _standing(state: GameState, clan: Clan, viewer: str | None) -> str:
    """Return the clan's food and size, what would rot, and whether it is out of this phase or of the game."""
    food = "food hidden" if hides_food(state, clan, viewer) else f"{clan.food} food"
    facts = [food, counted(clan.size, "members")]
    if _in_phase_1(state) and buying.rotten_food(clan):
        facts.append(f"rots {buying.rotten_food(clan)} at the end of phase 1")
    if clan.resigned:
        facts.append("resigned")
    elif state.step == buying.offers_and_answers.__name__ and clan.colour not in state.waiting:
        facts.append("has bought or passed")
    if clan.colour in state.agreed:
        facts.append("agrees to end the game")
    return ", ".join(map(glued, facts))


def _in_phase_1(state: GameState) -> bool:
    return STAGES[state.step].startswith("phase 1")


def _places(state: GameState, clan: Clan) -> str:
    """Return the spaces where the clan stands and the hunting areas next to it: ``A1a A1b B2c (fish, 2 berries)``."""
    touched = [state.board.foods[area] for area in sorted({space[:2] for space in clan.members})]
    areas = [f"{touched.count(food)} {food}" if touched.count(food) > 1 else food for food in FOODS if food in touched]
    return f"{' '.join(clan.members)} ({', '.join(areas)})" if clan.members else ""


def _cards_text(state: GameState, cards: tuple[Card, ...]) -> str:
    return "; ".join(glued(f"{card_text(card)}: {use_text(state.components, card)}") for card in cards)


def _outlook(state: GameState, clan: Clan, harvest: Outlook, viewer: str | None) -> str:
    """Return the clan's next harvest and feeding; in phase 1 also what it comes to, if its food is open."""
    text = f"would harvest {harvest_text(*harvest)}, eats {clan.size}"
    if not _in_phase_1(state) or hides_food(state, clan, viewer):
        return text
    left = food_after_eating(clan, harvest.worth)
    return f"{text}, then has {left}" if left >= 0 else f"{text}: {counted(-left, 'members')} would starve"


# The question


def _asked(state: GameState, viewer: str | None, mark: str, unicode: bool) -> Iterator[tuple[str, ...]]:
    """Yield the question with every answer and an order to copy for those who may read it, for others only a word."""
    any_time = 'At any time you may write "resign", or "agree end": the game ends when all have agreed.'
    if state.agreed:
        any_time += f" So far: {clans_text(state, state.agreed)}."
    if isinstance(state.phase, Ended):
        return
    if not may_read(state, viewer):
        if viewer is not None:
            more = "You have resigned." if state.clan(viewer).resigned else any_time
            yield (*wrapped(f"Nothing is asked of you now. {more}"), *((mark,) if mark else ()))
        return
    yield ("QUESTION", *options_lines(state, viewer, unicode=unicode))
    orders = example_orders(state)
    if not mark:
        said = " or ".join(f'"{order}"' for order in orders)
        said = glued(said) if len(said) <= WIDTH else said
        yield wrapped(f"To answer, press reply, write {said} or another order at the very top, and send. {any_time}")
        return
    one = "one of these orders" if orders[1:] else "your order, for instance this"
    yield wrapped(f"Answer with the line in brackets and {one}. {any_time}")
    yield (ORDER_HEADING, mark, *(f"order: {order}" for order in orders))
