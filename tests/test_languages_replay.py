"""A game as one page, with the facts for its script, and statistics, in a language that no program speaks."""

import json
import re
from collections.abc import Iterator
from html import unescape

import pytest
from test_languages import GAMES, TURNS, english_in, in_pseudo, is_nested, recorded

from pbem.first_sparks.components import COLOURS, FOODS
from pbem.first_sparks.replay.page import Assets, replay_page
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.game_page import is_page, page_of
from pbem.page.text import WIDTH, columns, text_of
from pbem.scripts.archive import places_in
from pbem.scripts.stats import statistics
from pbem.scripts.stats_html import html_of
from pbem.scripts.stats_rows import MailRow
from pbem.scripts.stats_text import page_of as page_of_statistics

ATTRIBUTES = re.compile(r"\b(?:title|aria-label|data-unknown|data-pause)=\"([^\"]*)\"")
# Keys and codes of facts, which no reader sees.
CODES = {*COLOURS, *FOODS, NEUTRAL}


def texts_in(page: str) -> Iterator[str]:
    """Yield what a reader of the page sees or hears without its script: its text and attributes."""
    bare = re.sub(r"<(style|script)\b.*?</\1>", "", page, flags=re.DOTALL)
    yield unescape(re.sub(r"<[^>]*>", "\n", bare))
    yield from map(unescape, ATTRIBUTES.findall(bare))


def texts_of(page: str) -> Iterator[str]:
    """Yield what a reader of a game's page sees or hears: that, and the texts of the facts for its script."""
    yield from texts_in(page)
    data = re.search(r"<script type=\"application/json\" id=\"game\">(.*?)</script>", page)
    assert data
    for facts in json.loads(data[1])["steps"]:
        yield from (fact for fact in facts.values() if isinstance(fact, str))
        yield from (each for fact in facts.values() if isinstance(fact, list) for each in fact if isinstance(each, str))


@pytest.mark.parametrize("game", TURNS)
def test_no_page_of_a_game_has_english_or_a_cut_message(game: str) -> None:
    record = recorded(game)

    for last in (0, 3, record.turn // 2, record.turn):
        with in_pseudo():
            page = replay_page(record, Assets("p {}", ""), last)

        texts = [text for text in texts_of(page) if text not in CODES]
        assert english_in("\n".join(texts), record) == []
        assert all(map(is_nested, texts))


@pytest.mark.parametrize("language", ["en", "it", "pt-BR"])
def test_a_page_says_in_which_language_it_is_and_is_known_as_one(language: str) -> None:
    page = page_of(recorded("2-players"), 3, language=language)

    assert f'<html lang="{language}">' in page
    assert is_page(page.encode()[:300])


@pytest.mark.parametrize("other", ["", "<!DOCTYPE html>", '<!DOCTYPE html>\n<html lang="en">\n<head>\n<title>'])
def test_another_page_is_none_of_ours(other: str) -> None:
    assert not is_page(other.encode())


def test_no_statistics_are_english_or_wider_than_a_page() -> None:
    counted = statistics(places_in((GAMES,)), 1)
    found = counted._replace(mails=(MailRow("4-players", 3, 2),), copies=1, others=1)

    with in_pseudo():
        text, html = text_of(page_of_statistics(found)), html_of(found, language="it")

    games = {name for game in TURNS for _, name in recorded(game).players}
    assert {*english_in(text, recorded("4-players"))} <= games
    assert is_nested(text)
    assert [line for line in text.splitlines() if columns(line) > WIDTH] == []
    texts = tuple(texts_in(html))
    assert {*english_in("\n".join(texts), recorded("4-players"))} <= games
    assert all(map(is_nested, texts))
