"""Whole games by mail in a language that no program speaks, with every mail read as text, as a page and by its subject.

People answer, tap, talk, ask for things, plan, go away, and agree on what they move; the clock ticks; the last letter
has the page of the whole game. Their orders are English, in which everybody is understood.
"""

import email
import re
from collections.abc import Iterator
from email.policy import default
from html import unescape
from pathlib import Path
from random import Random
from typing import Final
from unittest.mock import patch

import pytest
from bots import a_sensible_choice
from clubs import HOST, a_table, the_record, ticked
from people import Mail, delivered, nothing_quoted, reply, tapped
from test_languages import Asked, is_nested, known
from test_languages_of_letters import english_in
from test_languages_replay import CODES, texts_of

from pbem.carriers.mail.settings import MailClub, read_club
from pbem.carriers.mail.setup import create
from pbem.carriers.mail.take import take
from pbem.club.opening import open_game
from pbem.club.store import load
from pbem.page.text import WIDTH, columns
from pbem.table.people import Opening
from pbem.table.table import decides

pytestmark = pytest.mark.salted

NAMES: Final = ("Ann", "Bob", "Cara", "Zoe")
# What everybody writes beside the orders, and when: before which turn of the game.
REQUESTS: Final = {
    1: ("help", "help plan", "show", "options", "rules rot", "suggest", "news every"),
    2: ("note tea at four", "plan pass\nalways drop least", "plan", "forget", "plain", "plain off"),
    4: ("take back", "object", "take back", "agree", "agree"),
    6: ("absent until 2026-12-31", "back", "go on without Zoe", "I am here"),
    8: ("news turn", "offer 99", "Well played!", "pass", "resign", "no"),
    11: ("wait", "buy if nobody wants it", "try pass", "absent until 2020-01-01", "ofer 3"),
}
NUMBERED: Final = re.compile(r"\bR[0-9]+\.[0-9]+ [a-z-]+")  # a rule's number and id


class Reader:
    """Who reads every mail; *wrong* is what should not be in one, *replays* how many had the page of the game."""

    def __init__(self, club: MailClub) -> None:
        self.club = club
        self.newest: dict[str, Mail] = {}
        self.wrong: list[str] = []
        self.replays = 0
        self.said = {"friday", "Ann", "Bob", "Cara", "Zoe"}

    def hears(self, words: str) -> None:
        """Note what somebody has written."""
        self.said.update(re.findall(r"[A-Za-z][A-Za-z0-9]+", words))

    def reads(self) -> None:
        """Read what has come."""
        for mail in delivered(self.club.folder):
            if mail.to == HOST:
                continue
            self.newest[mail.to] = mail
            for text in self.texts(mail):
                self.wrong += [f"{word}: {mail.subject}" for word in english_in(text, self.said)]
            self.wrong += [line for line in mail.text.splitlines() if columns(line) > WIDTH]

    def texts(self, mail: Mail) -> Iterator[str]:
        """Yield what a reader sees of a mail."""
        yield mail.subject
        yield re.sub(NUMBERED, "", mail.text)
        shown = re.sub(r"<style.*?</style>|<[^>]*?(?:alt|title)=\"([^\"]*)\"[^>]*>|<[^>]*>", r" \1 ", mail.html)
        yield re.sub(NUMBERED, "", unescape(shown))
        for part in email.message_from_bytes(mail.raw, policy=default).iter_attachments():
            if part.get_content_type() == "text/html":
                page = tuple(text for text in texts_of(str(part.get_content())) if text not in CODES)
                self.wrong += [text for text in page if not is_nested(text)]
                self.replays += 1
                yield "\n".join(page)


def answered(reader: Reader, to: str, words: str) -> None:
    """Let a player answer the newest letter."""
    reader.hears(words)
    take(reader.club, reply(reader.newest[to], words, beneath=nothing_quoted))
    reader.reads()


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4])
def test_no_mail_of_a_whole_game_has_english_or_a_long_line(players: int, tmp_path: Path) -> None:
    asked, random = Asked(), Random(players)
    create(tmp_path / "club", "pbem@example.org", HOST)
    settings = tmp_path / "club" / "club.toml"
    settings.write_text(settings.read_text().replace("picture = true", "picture = false"))
    club = read_club(tmp_path / "club")
    reader = Reader(club)
    people = {f"{name.lower()}@home.example": name for name in NAMES[:players]}

    with patch("pbem.locale.catalogue_of", lambda _: asked):
        seats = tuple(f"{name}={address}" for address, name in people.items())
        open_game(club, "friday", seats, Opening(players, "recommended"), None)
        reader.reads()
        hours, done = 0, 0
        while decides(record := the_record(club)):
            for turn in [turn for turn in REQUESTS if done < turn <= record.turn]:
                done = turn
                for number, words in enumerate(REQUESTS[turn]):
                    answered(reader, list(people)[number % players], words)
            table = load(club, a_table(club))
            player = table.roster.player(random.choice(table.asked))
            assert player is not None
            mail = reader.newest[player.reader]
            order = str(a_sensible_choice(table.state_for(player), random))
            tap = next((tap for tap in mail.taps if tap.body.startswith(f"{order}\n")), None)
            if tap is not None and random.random() < 0.3:
                take(club, tapped(mail, tap))
                reader.reads()
            else:
                answered(reader, player.reader, order)
            if random.random() < 0.2:
                hours += 30
                ticked(club, hours)
                reader.reads()

    assert asked.messages - known() == set()
    assert reader.replays == players
    assert not reader.wrong, "\n".join(reader.wrong)
