"""What the game tells its players, in a language that no program speaks: what is still English there is no message."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from html import unescape
from pathlib import Path
from random import Random
from typing import Final, get_args
from unicodedata import normalize
from unittest.mock import patch

import pytest
from catalogues import messages
from plans import a_plan
from pseudo import CLOSE, OPEN, Pseudo

from pbem import loading
from pbem.errors import Illegal
from pbem.first_sparks.adjudicator import violations, who_decides
from pbem.first_sparks.briefing.board.picture import board_svg
from pbem.first_sparks.briefing.board.view import LETTERS
from pbem.first_sparks.briefing.hypothesis import supposed
from pbem.first_sparks.briefing.notes import options
from pbem.first_sparks.briefing.primer import primer
from pbem.first_sparks.briefing.question import question
from pbem.first_sparks.briefing.situation import for_letter, situation
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.moves import Buy, Drop, Offer, Spread, Take
from pbem.first_sparks.notation import FORMS
from pbem.first_sparks.plans.explain import explain, why_asked
from pbem.first_sparks.plans.next_market import plan_ahead
from pbem.first_sparks.plans.plan import Because, Planned, Why
from pbem.first_sparks.plans.report import PlanEnd, report
from pbem.first_sparks.record import Record, at_turn
from pbem.first_sparks.state import GameState
from pbem.locale import speaking
from pbem.page.glue import unglued
from pbem.page.html import html_of
from pbem.page.lettering import width_of, writable, written
from pbem.page.page import Drawing, Page, Prose, Section
from pbem.page.plain import in_lists
from pbem.page.text import WIDTH, columns, lines_of, text_of
from pbem.report import refusal_blocks

GAMES: Final = Path(__file__).parent / "games"
# A turn in every phase of each recorded game, and its end.
TURNS: Final = {
    "2-players": (0, 2, 3, 5, 7, 8, 9, 11, 27, 41, 50, 51),
    "4-players": (0, 4, 8, 34, 36, 65, 94, 95),
    "5-players": (0, 49, 57, 61, 78, 81, 82),
    "6-players": (2, 5, 11, 18, 58, 69, 93, 94),
}
every_turn = pytest.mark.parametrize(
    ("game", "turn"), [(game, turn) for game, turns in TURNS.items() for turn in turns], ids=str
)
# Spaces, cells and hexes; clans' letters beside each other on the board; how often an area is touched.
IDS: Final = re.compile(rf"[A-Z][0-9]{{1,2}}[abc]?|[{''.join(LETTERS.values())}]+|x[0-9]+")
MARKER: Final = re.compile(r"\[[\w-]+/[0-9]+/\w+\]")
# What players write, which has no other language yet, and what stands for it.
ORDERS: Final = {*FORMS, "agree", "end", "resign", "neutral", "order", "plan", "help"}
HOLES: Final = {"CARD", "CELL", "SPACE"}


class Asked(Pseudo):
    """The pseudo language, which remembers what it was asked for."""

    def __init__(self) -> None:
        self.messages: set[tuple[str, str, str]] = set()

    def gettext(self, message: str, /) -> str:
        """Return the message in the pseudo language."""
        self.messages.add((message, "", ""))
        return super().gettext(message)

    def ngettext(self, msgid1: str, msgid2: str, n: int, /) -> str:
        """Return the message for that number in the pseudo language."""
        self.messages.add((msgid1, msgid2, ""))
        return super().ngettext(msgid1, msgid2, n)

    def pgettext(self, context: str, message: str, /) -> str:
        """Return the message in the pseudo language."""
        self.messages.add((message, "", context))
        return super().pgettext(context, message)


@cache
def known() -> set[tuple[str, str, str]]:
    return {(message.text, message.plural, message.context) for message in messages()}


@contextmanager
def in_pseudo() -> Iterator[None]:
    """Speak the pseudo language meanwhile, whoever reads; all that is asked of it must be in the catalogues."""
    asked = Asked()
    with patch("pbem.locale.catalogue_of", lambda _: asked), speaking(asked):
        yield
    assert asked.messages - known() == set()


@cache
def recorded(game: str) -> Record:
    return loading.load(GAMES / f"{game}.toml").record


def pages(record: Record, *, plain: bool = False) -> Iterator[Page]:
    """Yield the page for everybody and for the one who decides, and the parts of a letter to each of two others."""
    state, last = record.state, record.history[-12:]
    about = {"game": record.game, "turn": record.turn}
    decides = who_decides(state)
    for viewer in dict.fromkeys((None, decides)):
        yield situation(
            state, viewer, last, head=record.head, course=record.history, unicode=bool(viewer), plain=plain, **about
        )
    for colour in state.order[:2]:
        shown = for_letter(
            state, colour, record.history, to_answer="", course=record.history, plain=plain, every=True, **about
        )
        page = Page((*shown, plan_ahead(state, colour)))
        yield in_lists(page) if plain else page


def english_of(record: Record) -> set[str]:
    """Return what may stand on a page in every language: names and orders."""
    return ORDERS | HOLES | {record.game, *record.game.split("-")} | {name for _, name in record.players}


def english_in(text: str, record: Record) -> list[str]:
    """Return the words of the text that are plain English and should not be."""
    found, allowed = re.findall(r"[A-Za-z][A-Za-z0-9]+", re.sub(MARKER, "", text)), english_of(record)
    return [word for word in found if word not in allowed and not IDS.fullmatch(word)]


def is_nested(text: str) -> bool:
    """Return whether every bracket is closed after it was opened."""
    depth = 0
    for character in text:
        depth += (character == OPEN) - (character == CLOSE)
        if depth < 0:
            return False
    return not depth


def without_drawings(page: Page) -> Page:
    """Return the page without drawings in characters, which cut a long word."""
    return page._replace(
        sections=tuple(
            section._replace(blocks=tuple(block for block in section.blocks if not isinstance(block, Drawing)))
            for section in page.sections
        )
    )


@every_turn
@pytest.mark.parametrize("plain", [False, True], ids=["drawn", "in lists"])
def test_no_page_has_english_or_a_cut_message_or_a_long_line(game: str, turn: int, *, plain: bool) -> None:
    record = at_turn(recorded(game), turn)

    with in_pseudo():
        made = tuple(pages(record, plain=plain))

    for page in made:
        text = text_of(page)
        assert english_in(text, record) == []
        assert [line for line in text.splitlines() if columns(line) > WIDTH] == []
        assert is_nested(text_of(without_drawings(page)))


@every_turn
def test_no_html_has_english_or_a_cut_message(game: str, turn: int) -> None:
    record = at_turn(recorded(game), turn)

    with in_pseudo():
        made = tuple(pages(record))

    for page in made:
        html = html_of(page, "", pictures={"board": "cid:board"})
        said = unescape(re.sub(r"<style.*?</style>|<[^>]*?alt=\"([^\"]*)\"[^>]*>|<[^>]*>", r" \1 ", html))
        assert english_in(said, record) == []
        assert is_nested(unescape(re.sub("<[^>]*>", " ", html_of(without_drawings(page), ""))))


@every_turn
def test_nothing_else_that_is_said_of_a_game_is_english(game: str, turn: int) -> None:
    record = at_turn(recorded(game), turn)

    with in_pseudo():
        said = "\n".join(words_about(record))

    assert english_in(said, record) == []
    assert is_nested(said)


def words_about(record: Record) -> Iterator[str]:
    """Yield what commands answer: the question, the notes on every choice, and what others could be asked."""
    state = record.state
    yield from primer()
    yield text_of(without_drawings(Page((Section("question", question(state, None)),))))
    yield from (choice["note"] for choice in options(state))
    for colour in state.order:
        other = supposed(state, colour)
        yield text_of(Page((Section("", (Prose(other),)),))) if isinstance(other, str) else ""


@every_turn
def test_nothing_that_is_said_of_a_plan_or_a_refusal_is_english(game: str, turn: int) -> None:
    record = at_turn(recorded(game), turn)

    with in_pseudo():
        said = "\n".join((*words_about_plans(record), *words_of_a_refusal(record.state)))

    assert english_in(said, record) == []
    assert is_nested(said)


def words_about_plans(record: Record) -> Iterator[str]:
    """Yield what random plans of every player mean in this position, what they answer, and what they did until then."""
    state, random = record.state, Random(record.turn)
    for colour in state.order * 5:
        plan, always, *_ = a_plan(state, colour, random)
        yield from explain(plan, always, state)
        if plan:
            course = record.history[-40:]
            yield from report(plan, course, range(record.turn + 1), random.choice(get_args(PlanEnd)))
            for card in state.market.cards:
                asked = Planned(None, Why(random.choice(get_args(Because)), card, cost=7))
                yield unglued(why_asked(asked, state))


def words_of_a_refusal(state: GameState) -> Iterator[str]:
    """Yield refusals with all their parts: each card that may not be offered, and a purchase."""
    for move in (Buy(), *map(Offer, state.market.cards), Spread(("A1a", "A1a", "B9a")), Drop(1), Take()):
        reasons = tuple(violation._replace(rule="") for violation in violations(state, move))
        yield from lines_of(
            refusal_blocks(Illegal("", order=str(move), reasons=reasons, choices=tuple(main_choices(state))))
        )


@every_turn
def test_the_picture_of_the_board_is_drawn_as_far_as_its_letters_go(game: str, turn: int) -> None:
    state = at_turn(recorded(game), turn).state

    with in_pseudo():
        drawn = board_svg(state)

    assert 'aria-label="⟦' in drawn
    assert drawn != board_svg(state)


def test_a_picture_has_accents_and_leaves_out_what_cannot_be_written() -> None:
    words = writable("perché, forêt, größer ⟦~⟧")

    assert words == normalize("NFD", "perché, forêt, grösser ")
    assert width_of(words, 6) == width_of("perche, foret, grosser ", 6)
    accented, bare = written(words, 0, 0, 6, "#000"), written("perche, foret, grosser ", 0, 0, 6, "#000")
    assert accented.count("<path") == bare.count("<path") + 3
