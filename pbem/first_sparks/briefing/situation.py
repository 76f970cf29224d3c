"""The page for the next player: what has happened, the board, the market, the clans, and the question now asked.

As text it has at most 72 columns, in plain ASCII except for the players' names. Players with the box at hand never
need to compute anything, and nobody sees what is hidden.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pbem.first_sparks.adjudicator import Entry, who_decides
from pbem.first_sparks.briefing.board.drawing import draw_board
from pbem.first_sparks.briefing.board.view import LETTERS, clans_by_space, free_cells, members_by_clan
from pbem.first_sparks.briefing.duties import JOINING, Duty, duty_of, told
from pbem.first_sparks.briefing.forecast_text import how_it_may_end, how_it_will_end
from pbem.first_sparks.briefing.headings import BOARD_PICTURE, STAGES, TECHNOLOGY, section, stage_text
from pbem.first_sparks.briefing.market_text import market_blocks
from pbem.first_sparks.briefing.news import MOST_LINES, below_headings, chapters_of, parts_of
from pbem.first_sparks.briefing.question import answers, at_any_time, decider, example_orders
from pbem.first_sparks.briefing.words import (
    about_clans,
    card_text,
    counted,
    facts,
    food_word,
    harvest_text,
    own_set_lines,
    stance,
    use_text,
    who,
)
from pbem.first_sparks.components import FOOD_VALUE, FOODS, Card
from pbem.first_sparks.forecast import Outlook, food_after_eating, next_harvests
from pbem.first_sparks.notation import ORDER_HEADING, ORDER_LINE, order_text
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import HEAD_DIGITS
from pbem.first_sparks.rules import buying, game_end
from pbem.first_sparks.rules.preparation import refill_numbers, tiles_in_play
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.first_sparks.secrecy import hides_food, may_read
from pbem.first_sparks.state import Clan, GameState
from pbem.grammar import labelled, listed, one_after_another, plural
from pbem.locale import tr
from pbem.page.glue import glued, unglued
from pbem.page.page import (
    Block,
    Column,
    Drawing,
    Grid,
    Page,
    Picture,
    Profile,
    Profiles,
    Prose,
    Section,
    Sections,
    Verbatim,
)
from pbem.page.text import WIDTH, lines_of

NOTHING: Final = "You have nothing to decide now."
_DRAW: Final = "The game goes on when you draw: with pbem draw, or in a repository with pbem git draw."


def situation(
    state: GameState,
    viewer: str | None,
    history: Sequence[tuple[Entry, GameState]] = (),
    *,
    game: str,
    turn: int,
    head: str,
    unicode: bool = False,
    own_set: str = "",
    course: Sequence[tuple[Entry, GameState]] = (),
    plain: bool = False,
    asked: bool = True,
    missing: Sequence[str] = (),
    opener: str | None = None,
) -> Page:
    """Return the page for *viewer*, a colour, or for everybody if that is None.

    *history* is the news: log entries, each with the state after it. *game*,
    *turn* and *head* name the situation, so that a reply can be recognised.
    *own_set* names a component set other than the built-in one. *course* is
    the history of the whole game, of which the food is told at its end.
    In a shared game, *missing* are the clans that have not joined, and
    *opener* is the one that has to draw. A *plain* text has lists in place of drawings and tables. The question comes
    last, where a terminal shows it, unless it is not *asked*.
    """
    viewer = viewer if viewer in state.order else None
    mark = f"[{game}/{turn}/{head[:HEAD_DIGITS]}]"
    sections = (
        _header(state, viewer, game, turn, own_set, waiting=True, missing=missing, opener=opener),
        news_section(history, viewer),
        *_end(state, course),
        *position(state, viewer, unicode, plain),
        *(
            _asked(state, viewer, mark, unicode, plain, first=not state.round, draws=opener in (viewer or "",))
            if asked
            else ()
        ),
    )
    page = Page(_nonempty(sections))
    if plain:
        from pbem.page.plain import in_lists

        page = in_lists(page)
    return page


def for_letter(
    state: GameState,
    viewer: str | None,
    history: Sequence[tuple[Entry, GameState]] = (),
    *,
    game: str,
    turn: int,
    own_set: str = "",
    to_answer: str,
    course: Sequence[tuple[Entry, GameState]] = (),
    every: bool = False,
    plain: bool = False,
    nothing: str = NOTHING,
) -> Sections:
    """Return the sections of a letter to *viewer* that show the game, no two of which have the same key.

    The letter has them in an order of its own, and its first line says who is asked. *to_answer* explains
    how to answer, with a hole for an ``{order}``. *course* is as in ``situation``. If *every* event is wanted, the
    news are not folded. The blocks for *plain* letters know what to say instead of each drawing. *nothing* says that
    the viewer is not asked; it is a message, which is translated here.
    """
    viewer = viewer if viewer in state.order else None
    header = _header(state, viewer, game, turn, own_set, waiting=who_decides(state) != viewer)
    table, food = _end(state, course)
    asked = _asked(state, viewer, "", False, plain, to_answer, nothing=nothing)
    happened = news_section(history, viewer, every=every)
    return _nonempty((header, *asked, table, happened, food, *position(state, viewer, False, plain)))


def _nonempty(sections: Iterable[Section]) -> Sections:
    """Return the sections that are not empty."""
    return tuple(section for section in sections if section.blocks)


def news_section(history: Sequence[tuple[Entry, GameState]], viewer: str | None, *, every: bool = False) -> Section:
    """Return what has happened, by rounds and phases; unless *every* event is wanted, it is folded to a screen."""
    parts = parts_of(history)
    blocks = below_headings(chapters_of(parts))
    if every or len(lines_of(blocks)) <= MOST_LINES:
        return section("happened", blocks)
    from pbem.first_sparks.briefing.folding import folded

    return section("happened", below_headings(folded(parts, viewer)), tr("in short"))


def position(state: GameState, viewer: str | None, unicode: bool = False, plain: bool = False) -> Iterator[Section]:
    """Yield the sections with everything on the table, as *viewer* may know it, or everybody if that is None."""
    over = isinstance(state.phase, Ended)
    yield section("board", _board(state, unicode, plain), picture=Picture(*map(tr, BOARD_PICTURE)))
    if not over:
        yield section("harvest", _harvest_spaces(state))
        yield section("market", market_blocks(state, viewer))
    next_one = not (over or game_end.ending_clans(state))
    gloss = tr("in player order; next: the next harvest if nothing changes") if next_one else tr("in player order")
    clans = Profiles(tuple(_clans(state, viewer)), facts())
    yield section("clans", (clans, *map(Prose, () if over else about_clans(state))), gloss)


def _header(
    state: GameState,
    viewer: str | None,
    game: str,
    turn: int,
    own_set: str,
    *,
    waiting: bool,
    missing: Sequence[str] = (),
    opener: str | None = None,
) -> Section:
    """Return where the game stands, what it waits for, why it ended, will or may, and the component set it uses."""
    awaited = missing or ((opener,) if opener else ())
    texts = [_place(state, game, turn, awaited)]
    if waiting and isinstance(state.phase, Ended):
        from pbem.first_sparks.briefing.result import victory, why_won

        texts += [victory(state), why_won(state)]
    elif waiting:
        texts.append(_waiting(state, viewer, awaited, JOINING if missing else duty_of(state)))
    texts += filter(None, (how_it_will_end(state), how_it_may_end(state)))
    return section("situation", map(Prose, (*texts, *own_set_lines(own_set))))


def _place(state: GameState, game: str, turn: int, awaited: Sequence[str]) -> str:
    """Return where the game stands and who decides."""
    message = tr("{game}, turn {turn}, round {round}") if state.round else tr("{game}, turn {turn}")
    place = glued(message.format(game=game, turn=turn, round=state.round))
    if isinstance(state.phase, Ended):
        return tr("{place}: the game is over").format(place=place)
    return labelled(f"{place}, {stage_text(STAGES[state.step])}", decider(state, awaited))


def _waiting(state: GameState, viewer: str | None, awaited: Sequence[str], task: Duty) -> str:
    """Return what is asked of whom."""
    if viewer in (awaited or (who_decides(state),)):
        return told(task.yours, state)
    return told(task.awaited, state, decider(state, awaited))


def _end(state: GameState, course: Sequence[tuple[Entry, GameState]]) -> tuple[Section, Section]:
    """Return the final table and what became of the food in a game that is over; empty before."""
    if not isinstance(state.phase, Ended):
        return section("final", ()), section("food", ())
    from pbem.first_sparks.briefing.result import final_table, food_tables

    return section("final", final_table(state)), section("food", food_tables(state, course) if course else ())


# The state


def _board(state: GameState, unicode: bool, plain: bool) -> Iterator[Block]:
    """Yield the drawing with its legend, and the cells where a tile may be laid if that is asked."""
    if plain and (state.board.hexes or free_cells(state)):
        from pbem.first_sparks.briefing.board.lists import board_items

        yield Drawing((), board_items(state))
        return
    letters = {space: "".join(map(LETTERS.__getitem__, clans)) for space, clans in clans_by_space(state).items()}
    drawing = draw_board(state.board, letters, free_cells(state), unicode=unicode)
    if not drawing:
        yield Prose(tr("No tile is laid yet."))
        return
    yield Drawing(drawing)
    legend = ", ".join(glued(f"{LETTERS[colour]} {who(state, colour)}") for colour in members_by_clan(state))
    yield Prose(tr("Letters: {legend}.").format(legend=legend))
    yield Prose(tr("{sign} is a mountain.").format(sign="\u25b2" if unicode else "^"))


def _harvest_spaces(state: GameState) -> Iterator[Block]:
    """Yield the tokens on the harvest spaces, and what the next refill adds."""
    players = len(state.clans)
    complete = len(state.board.tiles) == tiles_in_play(players)
    refill = refill_numbers(state.board, players)
    ending = bool(game_end.ending_clans(state))
    rows: list[tuple[str, ...]] = []
    for food in FOODS:
        areas = " ".join(sorted(name for name, there in state.board.foods.items() if there == food))
        added = "-" if ending else f"+{refill.of(food)}" if complete else "?"
        rows.append((food_word(food), str(state.harvest.of(food)), added, str(FOOD_VALUE[food]), areas or "-"))
    titles = tr("tokens", "column"), tr("refill", "column"), tr("worth", "column")
    numbers = (Column(title, right=True) for title in titles)
    yield Grid((Column(tr("food", "column")), *numbers, Column(tr("hunting areas", "column"))), tuple(rows))
    if not complete:
        yield Prose(tr("The refill numbers will be known when the board is complete."))


def _clans(state: GameState, viewer: str | None) -> Iterator[Profile]:
    """Yield all clans in player order: food, members, cards, and the next harvest."""
    over = isinstance(state.phase, Ended) or bool(game_end.ending_clans(state))
    harvests = {} if over else next_harvests(state)
    on, tools, knows, following = facts()
    for place, clan in enumerate(state.clans, 1):
        name = f"{LETTERS[clan.colour]} {who(state, clan.colour)}"
        said = [
            (on, _places(state, clan)),
            (tools, _cards_text(state, clan.tools)),
            (knows, _cards_text(state, tuple(card for card in clan.cards if not card.is_tool))),
        ]
        if clan.members and not over:
            said.append((following, _outlook(state, clan, harvests[clan.colour], viewer)))
        standing, own = _standing(state, clan, viewer), tr("{name}, you: {standing}")
        title = own.format(name=name, standing=standing) if clan.colour == viewer else labelled(name, standing)
        yield Profile(f"{place}. ", title, tuple((label, text) for label, text in said if text))
    if state.neutral is not None:
        title = labelled(f"{LETTERS[NEUTRAL]} {who(state, NEUTRAL)}", counted(len(state.neutral), "members"))
        yield Profile("-  ", title, ((on, " ".join(state.neutral)),) if state.neutral else ())


def _standing(state: GameState, clan: Clan, viewer: str | None) -> str:
    """Return the clan's food and size, what will rot, and whether it is out of this phase or of the game."""
    members = counted(clan.size, "members")
    has = tr("food hidden, {members}") if hides_food(state, clan, viewer) else tr("{food} food, {members}")
    said = [has.format(food=clan.food, members=members)]
    if _in_phase_1(state) and buying.rotten_food(clan):
        said.append(tr("{food} food will rot at the end of phase 1").format(food=buying.rotten_food(clan)))
    in_phase = clan.resigned or clan.colour in state.waiting
    if state.step == buying.offers_and_answers.__name__ and not in_phase:
        said.append(tr("has bought or passed"))
    said += filter(None, (stance(state, clan),))
    return one_after_another(map(glued, said))


def _in_phase_1(state: GameState) -> bool:
    return STAGES[state.step] == TECHNOLOGY


def _places(state: GameState, clan: Clan) -> str:
    """Return the clan's spaces and the hunting areas next to them: ``A1a A1b B2c (berries x2, fish)``."""
    touched = [state.board.foods[area] for area in sorted({space[:2] for space in clan.members})]
    areas = [(food_word(food), touched.count(food)) for food in FOODS if food in touched]
    near = ", ".join(f"{food} x{count}" if count > 1 else food for food, count in areas)
    return f"{' '.join(clan.members)} ({near})" if clan.members else ""


def _cards_text(state: GameState, cards: tuple[Card, ...]) -> str:
    return one_after_another(glued(labelled(card_text(card), use_text(state.components, card))) for card in cards)


def _outlook(state: GameState, clan: Clan, harvest: Outlook, viewer: str | None) -> str:
    """Return the clan's next harvest and feeding; in phase 1 also the outcome, if its food is open."""
    would = harvest_text(*harvest)
    if not _in_phase_1(state) or hides_food(state, clan, viewer):
        return tr("would harvest {harvest} and eat {eaten}").format(harvest=would, eaten=clan.size)
    left = food_after_eating(clan, harvest.worth)
    if left >= 0:
        fed = tr("would harvest {harvest}, eat {eaten} and have {left} left")
        return fed.format(harvest=would, eaten=clan.size, left=left)
    hungry = plural(
        -left,
        "would harvest {harvest} and eat {eaten}: {n} member would starve",
        "would harvest {harvest} and eat {eaten}: {n} members would starve",
    )
    return hungry.format(harvest=would, eaten=clan.size)


# The question


def _asked(
    state: GameState,
    viewer: str | None,
    mark: str,
    unicode: bool,
    plain: bool,
    to_answer: str = "",
    *,
    first: bool = False,
    draws: bool = False,
    nothing: str = NOTHING,
) -> Iterator[Section]:
    """Yield the question with every answer and an order to copy for those who may read it, a remark for others.

    *draws* says that the viewer has to draw in a shared game.
    """
    decides = who_decides(state)
    if decides is None:
        return
    if not may_read(state, viewer):
        if viewer is not None:
            resigned = state.clan(viewer).resigned
            more = tr("You have resigned.") if resigned else at_any_time(state, viewer, first=first)
            copied = (Verbatim((mark,)),) if mark else ()
            now = tr(_DRAW) if draws else tr(nothing or NOTHING)
            yield section("reply", (Prose(f"{now} {more}".rstrip()), *copied))
        return
    # Everybody else reads here, too, who is asked; the player has read it above.
    every = answers(state, unicode=unicode, plain=plain)
    yield section("question", every, "" if viewer else tr("to {who}").format(who=unglued(decider(state))))
    orders, any_time = tuple(map(order_text, example_orders(state))), at_any_time(state, viewer or decides, first=first)
    if not mark:
        said = listed((f'"{order}"' for order in orders), "or")
        said = glued(said) if len(said) <= WIDTH else said
        yield section("reply", (Prose(f"{to_answer.format(order=said)} {any_time}".rstrip()),))
        return
    if orders[1:]:
        how = tr("Answer with the line in brackets and one of these orders.")
    else:
        how = tr("Answer with the line in brackets and your order, for example:")
    yield section("reply", (Prose(f"{any_time} {how}".lstrip()),))
    yield section(
        "copy", (Verbatim((tr(ORDER_HEADING), mark, *(tr(ORDER_LINE).format(order=each) for each in orders))),)
    )
