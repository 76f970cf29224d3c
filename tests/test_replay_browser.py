"""The page of a game in a real browser: keys, links, slider, charts, narrow and wide, light and dark, on paper."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bots import a_new_record
from browser import Browser, Viewed, browsing
from test_replay_page import FOUR, GAMES, a_game_played

from pbem import loading
from pbem.cli.app import run
from pbem.first_sparks.record import Lines, Record
from pbem.first_sparks.replay.page import Assets, replay_page

pytestmark = pytest.mark.slow  # each needs a browser

PHONE, SCREEN = Viewed(390, 844), Viewed(1200, 900)
LAST = 95
NOW = "[document.getElementById('turn').textContent, document.getElementById('slider').value, location.hash].join(' ')"
# What a reader sees of a step: the clans, the market, the harvest spaces, the words, and the members on the board.
SEEN = """(page => {
  const inside = (id) => [...page.querySelectorAll(id)].map((part) => part.innerHTML.replace(/>\\s+/g, ">"));
  const words = page.querySelector("#view").textContent.replace(/\\s+/g, "");
  const members = [...page.querySelectorAll("#members use")].map((use) => use.outerHTML).sort();
  const place = page.querySelector("[data-fact=place]").textContent;
  return [inside("#clans [data-clan]"), inside("#market"), inside("#harvest"), words, members, place];
})"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser for all tests of this file."""
    with browsing(tmp_path_factory.mktemp("browser")) as lent:
        yield lent


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the page of a whole game of four."""
    target = tmp_path_factory.mktemp("page") / "game.html"
    assert run(["replay", str(FOUR), "--html", "-o", str(target)]) == 0
    return target.as_uri()


def at(step: int) -> str:
    return f"{step} {step} #{step}"


def assets() -> Assets:
    folder = Path(str(loading.__file__)).parent / "first_sparks" / "replay"
    return Assets(*((folder / name).read_text(encoding="utf-8") for name in ("replay.css", "replay.js")))


def written(record: Record, path: Path) -> str:
    path.write_text(replay_page(record, assets()), encoding="utf-8")
    return path.as_uri()


def test_it_opens_at_the_end_without_a_complaint(browser: Browser, page: str) -> None:
    browser.open(page, PHONE)

    assert browser.value(NOW) == f"{LAST} {LAST} "
    told = browser.value("document.getElementById('told').textContent.trim()")
    assert told.endswith("The game is over: Steffi (blue) wins.")
    assert browser.complaints() == []


def test_why_somebody_has_won_is_said_at_the_end_alone(browser: Browser, page: str) -> None:
    why = "document.querySelector('[data-fact=why]')"
    browser.open(page, PHONE)

    assert browser.value(f"{why}.textContent").endswith("Steffi (blue) has the largest clan, with 13 members (R9.2).")
    browser.press("ArrowLeft")
    assert browser.value(f"getComputedStyle({why}).display") == "none"
    browser.press("End")
    assert browser.value(f"{why}.getBoundingClientRect().height") > 0


def test_keys_go_from_turn_to_turn(browser: Browser, page: str) -> None:
    browser.open(page, SCREEN)

    for key, step in (("ArrowLeft", 94), ("ArrowLeft", 93), ("ArrowRight", 94), ("Home", 0), ("ArrowLeft", 0)):
        browser.press(key)
        assert browser.value(NOW) == at(step)
    browser.press("End")
    browser.press("ArrowRight")
    assert browser.value(NOW) == at(LAST)
    assert browser.complaints() == []


def test_keys_move_the_slider_once_where_it_has_the_focus(browser: Browser, page: str) -> None:
    browser.open(page, SCREEN)
    browser.value("document.getElementById('slider').focus()")
    browser.press("ArrowLeft")
    assert browser.value(NOW) == at(94)


def test_a_link_opens_its_turn(browser: Browser, page: str) -> None:
    browser.open(f"{page}#60", PHONE)
    assert browser.value(NOW) == at(60)
    assert browser.value("scrollY") == 0

    browser.value("location.hash = '#7'")
    browser.wait_for(f"{NOW} === '{at(7)}'")
    for nonsense in ("#96", "#-1", "#x", "#1e1"):
        browser.open(f"{page}{nonsense}", PHONE)
        assert browser.value("document.getElementById('turn').textContent") == str(LAST)
    assert browser.complaints() == []


def test_an_entry_of_the_log_leads_to_its_board(browser: Browser, page: str) -> None:
    browser.open(page, PHONE)

    browser.click('#log a[href="#42"] span')

    browser.wait_for(f"{NOW} === '{at(42)}'")
    told = browser.value("document.getElementById('told').textContent.trim()")
    assert told == "Steffi (blue) adds 2 members on B1b and C1b for 3 food."
    assert browser.value("[...document.querySelectorAll('#log [aria-current]')].map(a => a.hash)") == ["#42"]
    assert browser.value("document.getElementById('board').getBoundingClientRect().top") >= 0
    browser.value("history.back()")
    browser.wait_for("document.getElementById('turn').textContent === '95'")


def test_buttons(browser: Browser, page: str) -> None:
    browser.open(page, PHONE)

    for button, step in (("first", 0), ("next", 1), ("next", 2), ("back", 1), ("last", LAST)):
        browser.click(f"#{button}")
        assert browser.value(NOW) == at(step)
    assert browser.value("[...document.querySelectorAll('button:disabled')].map(b => b.id)") == ["next", "last"]


def test_it_plays_until_it_is_stopped(browser: Browser, page: str) -> None:
    browser.open(f"{page}#{LAST - 2}", PHONE)
    browser.click("#play")
    assert browser.value("document.getElementById('play').getAttribute('aria-label')") == "Pause"
    browser.wait_for(f"{NOW} === '{at(LAST)}'")
    browser.wait_for("document.getElementById('play').getAttribute('aria-label') === 'Play'")

    browser.click("#play")  # at the end it begins again
    assert browser.value("document.getElementById('turn').textContent") == "0"
    browser.click("#play")
    assert browser.value("document.getElementById('play').getAttribute('aria-label')") == "Play"
    assert browser.complaints() == []


def test_the_slider(browser: Browser, page: str) -> None:
    browser.open(page, SCREEN)
    browser.click("#slider", 0.5)
    assert abs(int(browser.value("document.getElementById('turn').textContent")) - LAST / 2) <= 1


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_click_on_a_chart_jumps(browser: Browser, page: str, number: int) -> None:
    browser.open(page, SCREEN)
    chart = f"figure:nth-of-type({number + 1}) .chart"

    for step in (0, 30, 80):
        x = 26 + (336 - 26) * step / LAST
        browser.click(chart, x / 360)
        assert browser.value(NOW) == at(step)
        line = browser.value(f"document.querySelector('{chart} .now').getAttribute('transform')")
        assert float(line.removeprefix("translate(").split()[0]) == pytest.approx(x)


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_the_script_shows_what_the_page_of_that_turn_shows(browser: Browser, path: Path, tmp_path: Path) -> None:
    """Without a script the page of a game up to a turn is what the script makes of the page of the whole game."""
    record = loading.load(path).record
    address = written(record, tmp_path / "game.html")
    browser.open(address, SCREEN)
    for step in sorted({0, 1, 2, 7, *range(0, record.turn, 9), record.turn}):
        browser.value(f"location.hash = '#{step}'")
        browser.wait_for(f"document.getElementById('turn').textContent === '{step}'")
        alone = json.dumps(replay_page(record, Assets("", ""), step))
        parsed = f"new DOMParser().parseFromString({alone}, 'text/html')"
        assert browser.value(f"{SEEN}(document)") == browser.value(f"{SEEN}({parsed})"), step


def test_later_tiles_are_not_shown(browser: Browser, tmp_path: Path) -> None:
    record = a_game_played(a_new_record(3), 12)
    browser.open(written(record, tmp_path / "laying.html"), SCREEN)
    shown = "document.querySelectorAll('#board [data-tile]:not([hidden])').length / 3"

    browser.press("Home")
    first = browser.value(shown)
    browser.press("End")

    assert (first, browser.value(shown)) == (1, len(record.state.board.tiles))
    assert (
        browser.value("getComputedStyle(document.querySelector('#board [hidden]') ?? document.body).display") == "block"
    )


@pytest.mark.parametrize("players", range(2, 7))
def test_nothing_is_wider_than_a_phone_after_any_turn(browser: Browser, tmp_path: Path, players: int) -> None:
    widest = (
        "(() => { let most = 0; const [root, slider] = [document.documentElement, document.getElementById('slider')];"
        " document.getElementById('first').click();"
        " for (let left = slider.max; left >= 0; left--) { most = Math.max(most, root.scrollWidth);"
        " document.getElementById('next').click() } return most })()"
    )
    for number in (0, 4, 45):
        record = a_game_played(a_new_record(players, hide_food=True), number)
        address = written(record, tmp_path / "game.html")
        for width in (360, 390):
            browser.open(address, Viewed(width, 844))
            assert browser.value(widest) == width
            assert browser.value("document.getElementById('turn').textContent") == str(record.turn)
            assert browser.complaints() == []


def test_long_names_fit(browser: Browser, tmp_path: Path) -> None:
    record = loading.load(FOUR).record
    clan = record.state.clans[0]
    named = record.state.with_clan(clan._replace(player="W" * 40))
    history = (*record.history[:-1], (record.history[-1][0], named))
    record = record._replace(state=named, lines=Lines(history, record.log, record.head))
    browser.open(written(record, tmp_path / "game.html"), PHONE)
    assert browser.value("document.documentElement.scrollWidth") == 390


def test_light_and_dark(browser: Browser, page: str) -> None:
    """Text can be read on its ground in both: a contrast of 4.5 at least, as WCAG asks."""
    grounds = set()
    for dark in (False, True):
        browser.open(page, SCREEN._replace(dark=dark))
        grounds.add(browser.value("getComputedStyle(document.body).backgroundColor"))
        for selector in ("body", "header p", "h2", "small", "#told", ".card", "#market .more span", "#log a b"):
            ink, ground = browser.value(
                f"(part => [getComputedStyle(part).color, [part, ...parents(part)].map(p => getComputedStyle(p)"
                ".backgroundColor).find(c => c !== 'rgba(0, 0, 0, 0)')])(document.querySelector("
                f"'{selector}')); function parents(p) {{ const all = []; while (p = p.parentElement) all.push(p);"
                " return all }"
            )
            assert contrast(ink, ground) >= 4.5, (selector, dark, ink, ground)
    assert len(grounds) == 2


def test_on_paper_it_is_light_and_has_no_buttons(browser: Browser, page: str) -> None:
    browser.open(page, Viewed(794, 1123, dark=True, media="print"))

    assert browser.value("getComputedStyle(document.getElementById('controls')).display") == "none"
    assert browser.value("getComputedStyle(document.documentElement).getPropertyValue('--ink')") == "#3a3128"
    assert browser.paper().startswith(b"%PDF-")


def test_without_scripts_there_is_the_end_the_tables_and_the_log(browser: Browser, page: str) -> None:
    browser.open(f"{page}#60", PHONE._replace(scripts=False))

    assert browser.value("document.getElementById('controls').hidden") is True
    assert browser.value("document.getElementById('turn').textContent") == str(LAST)
    assert browser.value("document.querySelectorAll('#members use').length") == 41
    assert browser.value("document.querySelector(':target').textContent").startswith("60 ")
    assert browser.value("document.querySelectorAll('#log li').length") > 141
    assert browser.value("document.documentElement.scrollWidth") == 390


def contrast(one: str, other: str) -> float:
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def luminance(colour: str) -> float:
    parts: list[Any] = [int(part) / 255 for part in colour.removeprefix("rgb(").rstrip(")").split(",")]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True)))
