"""The current question: what to decide, every legal answer with its cost, and an order to copy.

Only the orders to copy are valid orders, so a reply that quotes the text orders nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Final, assert_never

from pbem.first_sparks import phases
from pbem.first_sparks.adjudicator import choices, violations, who_decides
from pbem.first_sparks.briefing.board.drawing import draw_turns
from pbem.first_sparks.briefing.board.view import compass_word
from pbem.first_sparks.briefing.duties import duty_of, told
from pbem.first_sparks.briefing.examples import best_drop, best_offer, best_spread
from pbem.first_sparks.briefing.forecast_text import how_it_will_end
from pbem.first_sparks.briefing.notes import note
from pbem.first_sparks.briefing.spread_text import prices, table_of_routes
from pbem.first_sparks.briefing.words import clans_text, counted, food_word, numbered, tile_text, who
from pbem.first_sparks.choice import Choice, losses, main_choices
from pbem.first_sparks.clans import tool_limit
from pbem.first_sparks.land.board import Board, cell_place, rotation_of
from pbem.first_sparks.land.groups import around
from pbem.first_sparks.moves import Buy, Lay, Move, Offer, Settle, SettleNeutral
from pbem.first_sparks.notation import order_text
from pbem.first_sparks.rules import game_end, spreading, two_players
from pbem.first_sparks.secrecy import may_read
from pbem.first_sparks.state import CHANCE, Clan, GameState
from pbem.grammar import labelled, listed, plural
from pbem.locale import tr
from pbem.page.glue import glued
from pbem.page.page import Block, Choices, Column, Drawing, Grid, Items, Prose

MOST_WAYS: Final = 100
_HARVESTS: Final = (
    "The two harvests are those of this round and of the next. What is left after eating takes rot into account. All"
    " this, and your place in the next round, is certain only if nothing else changes."
)
_NEXT_HARVESTS: Final = (
    "The two harvests are those of the next two rounds. What is left after eating takes rot into account. All this, and"
    " your place in the next round, is certain only if nothing else changes."
)


def decider(state: GameState, awaited: Sequence[str] = ()) -> str:
    """Return the name of who decides, which may be chance, or nobody when the game is over.

    *awaited* are those for whom a shared game waits, to join or to draw.
    """
    if awaited:
        return listed(who(state, colour) for colour in awaited)
    decides = who_decides(state)
    if decides is None:
        return tr("nobody", "who decides")
    return tr("chance", "who decides") if decides == CHANCE else who(state, decides)


def question(state: GameState, viewer: str | None) -> tuple[Block, ...]:
    """Return the question with every answer, or only who must decide if *viewer* may not read them."""
    if who_decides(state) is None:
        return (Prose(tr("The game is over.")),)
    will_end = tuple(map(Prose, filter(None, (how_it_will_end(state),))))
    if not may_read(state, viewer):
        return (Prose(told(duty_of(state).awaited, state, decider(state))), *will_end)
    return (Prose(told(duty_of(state).theirs, state, decider(state))), *will_end, *answers(state))


def answers(state: GameState, *, unicode: bool = False, plain: bool = False) -> Iterator[Block]:
    """Yield everything needed to answer the question, for a text that says elsewhere who is asked to do what.

    The blocks for a *plain* page know what to say instead of each drawing.
    """
    match state.phase:
        case phases.Laying() as phase:
            yield from _laying(state, phase, unicode, plain)
        case phases.SettlingNeutral() | phases.Settling() as phase:
            yield from _settling(state, phase)
        case phases.Adding(clan=colour):
            yield from _adding(state, state.clan(colour))
        case phases.Offering(clan=colour):
            yield from _offering(state, state.clan(colour))
        case phases.Answering() as phase:
            yield from _answering(state, phase)
        case phases.TakingOrDiscarding() as phase:
            yield from _taking(state, phase)
        case phases.Dropping(clan=colour):
            yield from _dropping(state, state.clan(colour))
        case phases.Starving() as phase:
            yield from _starving(state, phase)
        case phases.SpreadingNeutral() as phase:
            yield from _spreading_neutral(state, phase)
        case phases.Spreading(clan=colour):
            yield from _spreading(state, state.clan(colour))
        case phases.DealingHerbs() | phases.DrawingTile() | phases.DrawingCard() | phases.Ended() | None:
            pass
        case _ as unreachable:
            assert_never(unreachable)


def example_orders(state: GameState) -> tuple[str, ...]:
    """Return a legal order to copy and change, or both if the question is yes or no."""
    few = tuple(main_choices(state))
    match state.phase:
        case phases.Answering() | phases.TakingOrDiscarding():
            return tuple(choice.order for choice in few)
        case phases.Dropping(clan=colour):
            return (best_drop(state, state.clan(colour), few).order,)
        case phases.Offering(clan=colour):
            return (best_offer(state, state.clan(colour), few).order,)
        case phases.Spreading(clan=colour):
            return (best_spread(state, state.clan(colour), few).order,)
        case phases.Laying() | phases.SettlingNeutral() | phases.Settling() | phases.Adding():
            return tuple(choice.order for choice in few[:1])
        case phases.Starving() | phases.SpreadingNeutral():
            return tuple(choice.order for choice in few[:1])
        case phases.DealingHerbs() | phases.DrawingTile() | phases.DrawingCard() | phases.Ended() | None:
            return ()
        case _ as unreachable:
            assert_never(unreachable)


def at_any_time(state: GameState, reader: str, *, first: bool) -> str:
    """Return what the reader may write whoever is asked: in the *first* texts, and when somebody has agreed to end."""
    if not (first or state.agreed):
        return ""
    if reader in state.agreed:
        text = tr(
            'At any time you may write "resign". Until the next move you agree to end the game: it ends when all agree.'
        )
    elif any(game_end.agree_violations(state, reader)):
        text = tr('At any time you may write "resign". You have agreed to end this game as often as the rules allow.')
    else:
        text = tr('At any time you may write "resign", or "agree end": the game ends when everyone has agreed.')
    so_far = tr("So far: {clans}.").format(clans=clans_text(state, state.agreed)) if state.agreed else ""
    return f"{text} {so_far}".rstrip()


# The landscape and the placement round


def _laying(state: GameState, phase: phases.Laying, unicode: bool, plain: bool) -> Iterator[Block]:
    tile = state.components.tiles[phase.tile]
    one, other = f"{tile.letter}1", f"{tile.letter}2"
    first, second = map(food_word, tile.hunting_areas)
    cells = [(move.first, move.second) for move in choices(state) if isinstance(move, Lay)]
    this = tr(
        "This is {tile}. You may turn it. Below are its six turns, each named by the direction from {one} to {other}."
    )
    yield Prose(this.format(tile=tile_text(state, phase.tile), one=one, other=other))
    if plain:
        from pbem.first_sparks.briefing.board.lists import turn_items

        yield Drawing((), turn_items(tile))
    else:
        yield Drawing(draw_turns(tile, unicode=unicode))
    write = tr("Write {order}: first the cell for {one} ({first}), then the cell for {other} ({second}).").format(
        order=glued(order_text("lay CELL CELL")), one=one, other=other, first=first, second=second
    )
    covered = tr("On the board, a cell with a name but no food can be covered.")
    yield Prose(f"{write} {_turn_text(one, other, cells[0])} {covered}")
    must = plural(
        min(2, len(state.board.tiles)),
        "The tile must share an edge with the tile on the board.",
        "The tile must share edges with at least {n} tiles on the board.",
    )
    yield Prose(f"{must} {tr('All legal placements:')}")
    message = tr("{one} on {cell}, {other} on {cells}")
    yield _listing(
        message.format(one=one, other=other, cell=start, cells=listed((b for _, b in group), "or"))
        for start, group in groupby(cells, key=lambda pair: pair[0])
    )


def _turn_text(one: str, other: str, cells: tuple[str, str]) -> str:
    """Return how the two cells of an order say how the tile is turned, with an example."""
    turn = rotation_of(*map(cell_place, cells))
    assert turn is not None
    message = tr(
        "The two cells are next to each other and so decide how it is turned: {one} on {first} and {other} on {second}"
        " is the turn {turn}."
    )
    return message.format(one=one, other=other, first=cells[0], second=cells[1], turn=compass_word(turn))


def _listing(rows: Iterable[str]) -> Items:
    """Return rows without bullets."""
    return Items(tuple(rows), "  ", " " * 6)


def _settling(state: GameState, phase: phases.Settling | phases.SettlingNeutral) -> Iterator[Block]:
    if isinstance(phase, phases.SettlingNeutral):
        how = tr("Write {order} to put the neutral clan's first member there, free of charge.")
        order = glued(order_text("settle neutral SPACE"))
    else:
        how, order = (
            tr("Write {order} to put your first member there, free of charge."),
            glued(order_text("settle SPACE")),
        )
    must = tr("It must stand next to a hunting area where no clan stands yet.")
    yield Prose(f"{how.format(order=order)} {must} {tr('All legal spaces:')}")
    spaces = [move.space for move in choices(state) if isinstance(move, Settle | SettleNeutral)]
    yield _listing(
        labelled(f"{area} {food_word(state.board.foods[area])}", " ".join(group))
        for area, group in groupby(spaces, key=lambda space: space[:2])
    )


def _adding(state: GameState, clan: Clan) -> Iterator[Block]:
    yield Prose(tr("You have {food} food and may add a second member next to the first.").format(food=clan.food))
    yield _rows(state, main_choices(state))


# Phase 1


def _offering(state: GameState, clan: Clan) -> Iterator[Block]:
    have = tr("You have {food} food and {tools} (limit {limit}).").format(
        food=clan.food, tools=counted(len(clan.tools), "tools"), limit=tool_limit(clan)
    )
    others = tr(
        "If others want the card you offer, the last one in player order to say yes buys it, and you choose again."
    )
    yield Prose(f"{have} {others} {_if_nobody(state)} {tr(_HARVESTS)}")
    yield _rows(state, main_choices(state))
    reasons = tuple(why for number in state.market.current if (why := _why_not(state, Offer(number))))
    if reasons:
        cards = plural(len(reasons), "You cannot offer this card:", "You cannot offer these cards:")
        yield Prose(cards)
        yield Items(reasons)


def _why_not(state: GameState, move: Move) -> str:
    """Return why the move is not among the answers, as a sentence; nothing if it is."""
    reasons = [tr(violation.message) for violation in violations(state, move)]
    return f"{'; '.join(reasons)}." if reasons else ""


def _if_nobody(state: GameState) -> str:
    if state.two_players and state.first_offer:
        return tr("You may discard this first card instead of buying it if the other player does not buy it.")
    return tr("You must buy it if nobody wants it.")


_OFFERED: Final = "{clan} offers {card} for {price}. You have {food} food."
_OFFERED_WITH_CROP: Final = "{clan} offers {card} for {price}, of which the crop on it pays 1. You have {food} food."


def _answering(state: GameState, phase: phases.Answering) -> Iterator[Block]:
    clan, price = state.clan(phase.clan), state.components.cards[phase.card].price
    offered = tr(_OFFERED_WITH_CROP if state.market.crop == phase.card else _OFFERED)
    holes = {"clan": who(state, phase.offerer), "card": numbered(state, phase.card), "price": price, "food": clan.food}
    texts = [offered.format_map(holes)]
    if phase.wanted_by:
        wanted = plural(len(phase.wanted_by), "{clans} already wants it.", "{clans} already want it.")
        texts.append(wanted.format(clans=clans_text(state, phase.wanted_by)))
    if phase.unasked:
        later = plural(
            len(phase.unasked),
            "The last player in order who wants the card gets it; {clans} comes after you.",
            "The last player in order who wants the card gets it; {clans} come after you.",
        )
        texts.append(later.format(clans=clans_text(state, phase.unasked)))
    else:
        texts.append(tr("The last player in order who wants the card gets it, and you come last."))
    yield Prose(" ".join((*texts, tr(_HARVESTS))))
    yield _rows(state, main_choices(state))
    if why := _why_not(state, Buy()):
        yield Prose(tr("You cannot buy it: {why}").format(why=why))


def _taking(state: GameState, phase: phases.TakingOrDiscarding) -> Iterator[Block]:
    declined = tr("The other player does not buy {card}, your first offer. You have {food} food.").format(
        card=numbered(state, phase.card), food=state.clan(phase.clan).food
    )
    yield Prose(f"{declined} {tr(_HARVESTS)}")
    yield _rows(state, main_choices(state))


def _dropping(state: GameState, clan: Clan) -> Iterator[Block]:
    message = tr("You have {tools} and may keep {limit}. The tool you discard leaves the game.")
    have = message.format(tools=counted(len(clan.tools), "tools"), limit=tool_limit(clan))
    yield Prose(f"{have} {tr(_HARVESTS)}")
    yield _rows(state, main_choices(state))


# Phases 2 and 3


def _starving(state: GameState, phase: phases.Starving) -> Iterator[Block]:
    every = losses(state, phase)
    how = plural(
        phase.hungry,
        'You cannot feed {n} of your members: write "starve" and its space.',
        'You cannot feed {n} of your members: write "starve" and their {n} spaces.',
    )
    message = tr("The survivors must form one connected group. All ways ({ways}), by the value of your next harvest:")
    yield Prose(f"{how} {message.format(ways=len(every))}")
    groups = groupby(every, key=lambda loss: loss[0])
    rows = tuple((str(worth), _ways(move.spaces for *_, move in group)) for worth, group in groups)
    yield Grid((Column(tr("harvest", "column"), right=True), Column(order_text("starve"))), rows, hangs=True)


def _spreading_neutral(state: GameState, phase: phases.SpreadingNeutral) -> Iterator[Block]:
    neutral = state.neutral or ()
    message = plural(
        phase.new,
        'The neutral clan must become as large as that of {who}: write "spread neutral" and {n} space, free of charge.'
        " All members of the neutral clan must be connected.",
        'The neutral clan must become as large as that of {who}: write "spread neutral" and {n} spaces, free of charge.'
        " All members of the neutral clan must be connected.",
    )
    yield Prose(message.format(who=who(state, state.order[0])))
    ways = tuple(islice(two_players.neutral_spreads(state, phase), MOST_WAYS + 1))
    if len(ways) <= MOST_WAYS:
        every = tr("All ways ({number}): {ways}.")
        yield Prose(every.format(number=len(ways), ways=_ways(move.spaces for move in ways)))
        return
    near = around(state.board, neutral)
    yield Prose(tr("Every space in reach, and the spaces next to it (N: a neutral member):"))
    rows: list[tuple[str, ...]] = []
    for space in _reachable(state.board, neutral, phase.new):
        beside = [there for there, _ in state.board.neighbours[space] if there not in neutral]
        rows.append((space, "N" if space in near else "", " ".join(beside)))
    yield Grid((Column(), Column(), Column()), tuple(rows), gap=1)


def _ways(ways: Iterable[tuple[str, ...]]) -> str:
    """Return a list of sets of spaces; no line breaks within a set."""
    return ", ".join(glued(" ".join(spaces)) for spaces in ways)


def _reachable(board: Board, members: tuple[str, ...], steps: int) -> tuple[str, ...]:
    """Return the spaces at most *steps* from the members."""
    group = members
    for _ in range(steps):
        group += around(board, group)
    return tuple(sorted(set(group).difference(members)))


_MAY_ADD: Final = (
    "You have {food} food and {members}. You may add up to {most} and can pay for up to {payable} of them."
)
_MAY_ADD_FEWER: Final = (
    "You have {food} food and {members}. You may add up to {most}, as a clan has at most {limit}, and can pay for up to"
    " {payable} of them."
)


def _spreading(state: GameState, clan: Clan) -> Iterator[Block]:
    from pbem.first_sparks.briefing.routes import cheapest_spreads, every_route

    cheapest, most = cheapest_spreads(state, clan), spreading.most_new(clan)
    message = tr(_MAY_ADD if most == spreading.MOST_NEW else _MAY_ADD_FEWER)
    holes = {"food": clan.food, "members": counted(clan.size, "members"), "most": most, "payable": len(cheapest)}
    said = message.format_map({**holes, "limit": spreading.MOST_MEMBERS})
    forecast = f" {tr(_NEXT_HARVESTS)}" if not game_end.ending_clans(state) else ""
    yield Prose(f"{said} {prices(clan)}{forecast}")
    yield _rows(state, islice(main_choices(state), 1 + len(cheapest)))
    every = every_route(state, clan)
    if every:
        yield from table_of_routes(state, clan, every)
    if cheapest[1:]:
        other_ways = tr(
            "You can combine these spaces in other ways, if each is next to your clan or to another space that you"
            " name."
        )
        yield Prose(other_ways)


def _rows(state: GameState, some: Iterable[Choice]) -> Choices:
    """Return a table of choices: order, cost and note."""
    rows = ((order_text(row.order), "-" if row.cost is None else str(row.cost), note(state, row)) for row in some)
    return Choices(tr("order", "column"), tr("cost", "column"), tuple(rows))
