"""The letter on the front page is one that we send, as a phone shows it; ``pytest --update`` draws it anew."""

from datetime import UTC, datetime
from html import escape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from clubs import a_club, a_table
from people import Mail, read

from pbem import loading
from pbem.club.store import beside
from pbem.first_sparks.record import Record, at_line
from pbem.locale import Language, speaking
from pbem.table.clock import Clock, Terms
from pbem.table.letters.situation import letter
from pbem.table.people import Player, Roster
from pbem.table.table import Table

EXAMPLES = Path(__file__).parents[2] / "examples"
PICTURES: dict[Language, Path] = {
    "en": EXAMPLES / "by-mail" / "letter.svg",
    "it": EXAMPLES / "by-mail" / "letter.it.svg",
}
TURN = 44
# The letter is the one thing in the picture that we have not written for it: an SVG shows HTML, as wide as a phone.
FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" width="390" height="900" viewBox="0 0 390 900" role="img" aria-label="A letter">
<rect width="390" height="900" rx="34" fill="#2b2620"/>
<foreignObject x="15" y="22" width="360" height="856">
<div xmlns="http://www.w3.org/1999/xhtml" style="height:856px;overflow:hidden;border-radius:16px;background:#fbf7ec">
<div style="padding:12px;background:#ffffff;color:#3a3128;font:15px/1.4 sans-serif">\
<b>First Sparks</b><br/>{subject}</div>
<div style="{style}">
{letter}
</div>
</div>
</foreignObject>
</svg>
"""


def the_letter(folder: Path, language: Language) -> Mail:
    """Return the letter to who is asked at a turn of the told game."""
    record = at_turn(loading.load(EXAMPLES / "three-players" / "game.toml").record, TURN)
    clans = record.state.clans
    roster = Roster(
        tuple(Player(clan.colour, clan.player, "player@example.org", bytes(32), language) for clan in clans)
    )
    club = a_club(folder)
    near = beside(club, a_table(club), record)._replace(board=lambda *_: b"")
    table = Table(
        club.changed(waves=False), near, roster, record, terms=Terms(), clock=Clock(datetime(2026, 11, 21, tzinfo=UTC))
    )
    asked = roster.player(table.decides)
    assert asked is not None
    with speaking(language):
        own = letter(table, asked)
    return read(club.posted(own).data)


def at_turn(record: Record, turn: int) -> Record:
    """Return the game as it stood when so many orders had been played, and all was drawn that follows from them."""
    return at_line(record, sum(entry.turn <= turn for entry, _ in record.history))


def on_a_phone(mail: Mail) -> str:
    """Return the HTML of a letter in the frame of a phone, which cuts it off below."""
    style, _, rest = mail.html.partition('<body style="')[2].partition('">')
    body = rest.partition("</body>")[0].strip().replace("<br>", "<br/>")
    return FRAME.format(subject=escape(mail.subject), style=style, letter=body)


@pytest.mark.parametrize("language", PICTURES)
def test_a_letter_on_the_front_page_is_as_we_send_it(tmp_path: Path, language: Language, update: bool) -> None:
    drawn, picture = on_a_phone(the_letter(tmp_path, language)), PICTURES[language]
    if update:
        picture.write_text(drawn, encoding="utf-8")

    assert drawn == picture.read_text(encoding="utf-8")
    assert ElementTree.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 -- we have drawn it
