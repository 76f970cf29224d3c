"""Whole games by mail in every language, and in one that no program speaks, in which each mail is read.

People answer, tap, talk, ask for things, plan, go away, and agree on what they move; the clock ticks; the last letter
has the page of the whole game. What they write is English, in which everybody is understood.
"""

import email
import re
from collections.abc import Iterator, Sequence
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
from phone import WIDTHS, misfits
from test_languages import Asked, is_nested, known
from test_languages_of_letters import english_in
from test_languages_replay import CODES, texts_of

from pbem.carriers.mail.settings import MailClub, read_club
from pbem.carriers.mail.setup import create
from pbem.carriers.mail.take import take
from pbem.club.opening import open_game
from pbem.club.store import load
from pbem.locale import LANGUAGES, Language
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


def sent(club: MailClub, people: dict[str, str], languages: Sequence[str] = ()) -> Iterator[Mail]:
    """Let people, by their addresses, play a whole game, and yield every mail that they get."""
    random, newest, hours, done = Random(len(people)), dict[str, Mail](), 0, 0

    def arrived() -> Iterator[Mail]:
        for mail in delivered(club.folder):
            if mail.to != HOST:
                newest[mail.to] = mail
                yield mail

    def answered(to: str, words: str) -> Iterator[Mail]:
        take(club, reply(newest[to], words, beneath=nothing_quoted))
        return arrived()

    seats = tuple(f"{name}={address}" for address, name in people.items())
    open_game(club, "friday", seats, Opening(len(people), "recommended"), None, languages=languages)
    yield from arrived()
    while decides(record := the_record(club)):
        for turn in [turn for turn in REQUESTS if done < turn <= record.turn]:
            done = turn
            for number, words in enumerate(REQUESTS[turn]):
                yield from answered(list(people)[number % len(people)], words)
        table = load(club, a_table(club))
        player = table.roster.player(random.choice(table.asked))
        assert player is not None
        order = str(a_sensible_choice(table.state_for(player), random))
        tap = next((tap for tap in newest[player.reader].taps if tap.body.startswith(f"{order}\n")), None)
        if tap is not None and random.random() < 0.3:
            take(club, tapped(newest[player.reader], tap))
            yield from arrived()
        else:
            yield from answered(player.reader, order)
        if random.random() < 0.2:
            hours += 30
            ticked(club, hours)
            yield from arrived()


def a_new_club(folder: Path) -> MailClub:
    create(folder, "pbem@example.org", HOST)
    settings = folder / "club.toml"
    settings.write_text(settings.read_text().replace("picture = true", "picture = false"))
    return read_club(folder)


def people_of(players: int) -> dict[str, str]:
    return {f"{name.lower()}@home.example": name for name in NAMES[:players]}


def pages_with(mail: Mail) -> Iterator[tuple[str, ...]]:
    """Yield the texts of the page of the whole game that comes with a mail."""
    for part in email.message_from_bytes(mail.raw, policy=default).iter_attachments():
        if part.get_content_type() == "text/html":
            yield tuple(text for text in texts_of(str(part.get_content())) if text not in CODES)


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4])
def test_no_mail_of_a_whole_game_has_english_or_a_long_line(players: int, tmp_path: Path) -> None:
    asked, wrong, replays = Asked(), list[str](), 0
    said = {*NAMES, "friday", *re.findall(r"[A-Za-z][A-Za-z0-9]+", " ".join(map(" ".join, REQUESTS.values())))}

    with patch("pbem.locale.catalogue_of", lambda _: asked):
        for mail in sent(a_new_club(tmp_path / "club"), people_of(players)):
            shown = re.sub(r"<style.*?</style>|<[^>]*?(?:alt|title)=\"([^\"]*)\"[^>]*>|<[^>]*>", r" \1 ", mail.html)
            page = [text for texts in pages_with(mail) for text in texts]
            replays += bool(page)
            wrong += [text for text in page if not is_nested(text)]
            for text in (mail.subject, mail.text, unescape(shown), "\n".join(page)):
                english = english_in(re.sub(NUMBERED, "", text), said)
                wrong += [f"{word}: {mail.subject}" for word in english]
            wrong += [line for line in mail.text.splitlines() if columns(line) > WIDTH]

    assert asked.messages - known() == set()
    assert replays == players
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.needs("chromium")
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_mail_of_a_whole_game_fits_on_a_phone_and_in_a_terminal(language: Language, tmp_path: Path) -> None:
    mails = list(sent(a_new_club(tmp_path / "club"), people_of(3), [language]))

    assert len(mails) > 60
    assert [line for mail in mails for line in mail.text.splitlines() if columns(line) > WIDTH] == []
    pages = [(f"{number} {mail.subject}", mail.html) for number, mail in enumerate(mails)]
    assert not misfits(tmp_path, pages, widths=WIDTHS[:1])  # no letter changes with the width
