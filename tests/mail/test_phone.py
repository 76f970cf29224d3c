"""A letter on a phone: nothing in it is cut, and nothing has to be pushed aside."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest
from bots import SECRET, a_choice, a_new_record
from clubs import a_club, a_table
from people import read
from phone import WIDTHS, misfits

from pbem.club.store import beside
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.briefing.question import question
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.play import played
from pbem.first_sparks.record import History, Record
from pbem.locale import LANGUAGES, Language, speaking
from pbem.page.html import html_of
from pbem.page.page import Column, Grid, Items, Page, Prose, Section
from pbem.page.text import lines_of
from pbem.table.clock import Clock, Terms
from pbem.table.letters.situation import letter
from pbem.table.people import Player, Roster
from pbem.table.table import Table
from pbem.table.talk import Saying

PNG = b"\x89PNG"
WHY = (Section("why", (Prose("refused: the rules forbid this order"), Items(("#41 spear costs 15 and Cara has 6",)))),)
TALK = f"Look at https://example.org/{'a-very-long-address-' * 6}\nBye"
KINDS = {
    *("laying", "settling", "settling-neutral", "adding", "offering", "answering", "taking-or-discarding", "dropping"),
    *("spreading", "spreading-neutral", "starving", "ended"),
}


def situations(players: int) -> dict[str, tuple[Record, History]]:
    """Return for every kind of question in two games the one that says most, and an end."""
    found: dict[str, tuple[int, Record, History]] = {}
    for seed in range(2):
        name = f"a-game-with-a-long-name-of-{players}"
        record, random, draw = a_new_record(players, name, hide_food=seed == 1), Random(seed), source(name, SECRET)
        history: History = ()
        while True:
            decides = who_decides(record.state)
            kind = record.state.phase.name if record.state.phase else ""
            length = sum(map(len, lines_of(question(record.state, decides))))
            if kind not in found or length > found[kind][0]:
                found[kind] = length, record, history
            if decides is None:
                break
            record, history = played(record, decides, a_choice(record.state, random), draw)
    return {kind: (record, history) for kind, (_, record, history) in found.items()}


def pages(folder: Path, language: Language) -> Iterator[tuple[str, str]]:
    """Yield the letters to who is asked, to others, and to all at the end, with long names and with much talk."""
    club = a_club(folder)
    for players in range(2, 7):
        for number, (kind, (record, _)) in enumerate(situations(players).items()):
            names = {clan.colour: clan.player for clan in record.state.clans} | {"green": "W" * 24}
            people = (Player(colour, names[colour], "a@x.example", bytes(32), language) for colour in names)
            roster = Roster(tuple(people))
            picture = PNG if (number + players) % 2 else b""
            near = beside(club, a_table(club), record)._replace(board=lambda *_, drawn=picture: drawn)
            clock = Clock(datetime(2026, 11, 21, tzinfo=UTC))
            desk = Table(club, near, roster, record, terms=Terms(), clock=clock)
            asked = roster.player(desk.decides) or roster.players[0]
            others = [player for player in roster.players if player != asked]
            for player in (asked, *others[: kind == "offering"]):
                with speaking(language):
                    own = letter(desk, player, WHY, (Saying(player.name, TALK, ()),))
                raw = club.posted(own).data
                yield f"{players} {kind} {player.colour} {'picture' if picture else 'letters'}", read(raw).html


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_cut_on_a_phone(tmp_path: Path, language: Language) -> None:
    """In every kind of letter, for 2 to 6 players, nothing is wider than the phone or than the part that it is in."""
    shown = list(pages(tmp_path, language))
    assert {name.split()[1] for name, _ in shown} == KINDS
    assert not misfits(tmp_path, shown)


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_what_is_cut_is_found(tmp_path: Path) -> None:
    """The phone sees what is too wide, and what would have to be pushed aside; and no page that fits."""
    wide = {
        "a wide word": f'<p style="font:11px monospace">{"x" * 80}</p>',
        "pushed aside": f'<pre style="overflow-x:auto">{"x" * 80}</pre>',
        "cut": f'<div style="overflow:hidden;width:200px"><nobr>{"x" * 80}</nobr></div>',
    }
    found = misfits(tmp_path, [*wide.items(), ("fits", "<p>This fits.</p>")])
    for width in WIDTHS:
        for name in wide:
            assert any(line.startswith(f"{name}, {width} wide: ") for line in found)
    assert not any(line.startswith("fits") for line in found)


def test_headings_of_columns_break_only_in_long_words_and_numbers_do_not_touch_words() -> None:
    columns = (Column("nach"), Column("Kosten", right=True), Column("Platz"), Column("Jagdgebiete"))
    page = Page((Section("why", (Grid(columns, (("A1a", "1", "1.", "x"),)),)),))

    html = html_of(page, "", language="de")

    heads = dict(re.findall(r'<th align="\w+" style="([^"]*)">(\w+)</th>', html))
    assert [word for style, word in heads.items() if "anywhere" in style] == ["Jagdgebiete"]
    assert '<td align="right">1</td><td style="padding-left:6px">1.</td><td>x</td>' in html
