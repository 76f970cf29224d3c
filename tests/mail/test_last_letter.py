"""The letter at the end of a game: the game file and the page of the whole game come with it, as bytes of a mail."""

import email
import re
import shutil
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

import pytest
from browser import Browser, Viewed, browsing
from clubs import a_club, a_table, letters, resigned, the_record
from people import Mail, on_a_phone, read, reply

from pbem import game_files, game_page, loading
from pbem.carriers.mail.incoming.message import read_message
from pbem.carriers.mail.settings import MailClub, read_club
from pbem.carriers.mail.setup import create
from pbem.carriers.mail.take import take
from pbem.carriers.rebuild import rebuilt
from pbem.cli import app as cli
from pbem.club import private
from pbem.club.folder import GameFolder, roster_sections
from pbem.club.host import replace, resend
from pbem.club.store import load
from pbem.club.transaction import Change, write
from pbem.errors import NotUnderstood
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import Record, at_line
from pbem.page.page import Page
from pbem.reading.decide import read_reply
from pbem.table.letters.ending import whole_game
from pbem.table.letters.harmless import written
from pbem.table.letters.situation import letter
from pbem.table.people import Player, Roster

GAMES = Path(__file__).parents[1] / "games"
PHONE = Viewed(390, 844)


def before_the_end(folder: Path, players: int = 4) -> tuple[MailClub, bytes, str]:
    """Return a club with a recorded game as its last order finds it, the mail with that order, and the game's name."""
    whole = loading.load(GAMES / f"{players}-players.toml").record
    (last,) = [entry for entry, _ in whole.history if entry.turn == whole.turn and entry.by != "*"]
    record = at_line(whole, sum(entry.turn < whole.turn for entry, _ in whole.history))
    create(folder, "pbem@example.org", "host@example.org")
    club = read_club(folder).changed(picture=False)
    settings = folder / "club.toml"
    settings.write_text(settings.read_text().replace("picture = true", "picture = false"))
    table = GameFolder(club.games / record.game)
    table.folder.mkdir()
    roster = Roster(tuple(Player(clan, name, f"{clan}@x.example", bytes(32)) for clan, name in record.players))
    parts = (
        (table.game.name, game_files.text_of(record, "toml").encode()),
        (table.private.name, private.text_with({}, roster_sections(roster))),
    )
    write(club, table, Change({"code": "begun", "head": record.head}, heads=("", record.head), parts=parts))
    asked = roster.player(last.by)
    assert asked is not None
    question = read(club.posted(letter(load(club, table), asked)).data)
    return club, reply(question, str(last.move)), record.game


def attachments(mail: Mail) -> list[EmailMessage]:
    message = email.message_from_bytes(mail.raw, policy=default)
    assert isinstance(message, EmailMessage)
    return [part for part in message.iter_attachments() if isinstance(part, EmailMessage)]


def page_in(mail: Mail) -> bytes:
    """Return the page as a mail program saves it."""
    (page,) = [part for part in attachments(mail) if part.get_content_type() == "text/html"]
    content = page.get_payload(decode=True)
    assert isinstance(content, bytes)
    return content


def the_end(club: MailClub, game: str) -> Record:
    record = the_record(club, game)
    assert isinstance(record.state.phase, Ended)
    return record


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> tuple[MailClub, str, list[Mail]]:
    """A game of four that has just ended, and the letters about that; nothing is added to it."""
    club, last, game = before_the_end(tmp_path_factory.mktemp("ended") / "club")
    assert take(club, last).code == "played"
    return club, game, letters(club)


# What is attached


def test_everybody_gets_the_game_file_and_the_page(ended: tuple[MailClub, str, list[Mail]]) -> None:
    club, game, sent = ended
    record = the_end(club, game)

    assert len(sent) == 4
    for mail in sent:
        file, page = attachments(mail)
        assert (file.get_content_type(), file.get_filename()) == ("application/octet-stream", f"{game}.toml")
        assert file.get_payload(decode=True) == a_table(club, game).game.read_bytes()
        assert page["Content-Type"] == 'text/html; charset="utf-8"'
        assert page["Content-Disposition"] == f'attachment; filename="{game}.html"'
        assert page.get_payload(decode=True) == game_page.page_of(record).encode()


def test_the_page_is_the_one_that_the_command_makes_of_the_attached_game(
    ended: tuple[MailClub, str, list[Mail]], tmp_path: Path
) -> None:
    _, game, sent = ended
    content = attachments(sent[0])[0].get_payload(decode=True)
    assert isinstance(content, bytes)
    (tmp_path / f"{game}.toml").write_bytes(content)

    assert cli.run(["replay", str(tmp_path / f"{game}.toml"), "--html", "-o", str(tmp_path / "page.html")]) == 0

    assert (tmp_path / "page.html").read_bytes() == page_in(sent[0])


def test_the_letter_says_what_the_page_is(ended: tuple[MailClub, str, list[Mail]]) -> None:
    _, game, sent = ended
    said = f"{game}.html, which comes with this letter, shows every turn of the game when you open it in a browser."
    for mail in sent:
        assert said in " ".join(mail.text.split())
        assert said in " ".join(mail.html.split())
        assert mail.text.index("comes with this letter") < mail.text.index("To verify every draw")


def test_the_lines_of_the_mail_are_short_and_it_stays_small(ended: tuple[MailClub, str, list[Mail]]) -> None:
    for mail in ended[2]:
        assert max(map(len, mail.raw.split(b"\n"))) <= 998  # RFC 5322
        assert len(mail.raw) < 256 * 1024


def test_before_the_end_nothing_is_attached(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club", turn=5)
    resend(club, a_table(club), to_all=True)

    assert [attachments(mail) for mail in letters(club)] == [[]] * 4


def test_who_asks_for_the_game_again_gets_both_files_again(tmp_path: Path) -> None:
    club, last, game = before_the_end(tmp_path / "club")
    take(club, last)
    sent = letters(club)

    assert take(club, reply(sent[0], "show")).code == "answered"
    resend(club, a_table(club, game), to_all=True)

    again = letters(club)
    assert len(again) == 5
    assert {page_in(mail) for mail in again} == {page_in(sent[0])}


def test_a_page_that_is_too_large_is_left_out_and_the_letter_says_how_to_make_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club, last, game = before_the_end(tmp_path / "club")
    size = len(game_page.page_of(loading.load(GAMES / "4-players.toml").record).encode())
    monkeypatch.setattr(game_page, "LARGEST", size - 1)

    take(club, last)

    for mail in letters(club):
        assert [part.get_filename() for part in attachments(mail)] == [f"{game}.toml"]
        assert "comes with this letter" not in mail.text
        how = f"save {game}.toml and run: pbem replay {game}.toml --html -o {game}.html"
        assert how in " ".join(mail.text.split())
    monkeypatch.setattr(game_page, "LARGEST", size)
    resend(club, a_table(club, game), to_all=True)
    assert {len(page_in(mail)) for mail in letters(club)} == {size}


def test_whoever_has_a_seat_now_is_named_on_the_page(tmp_path: Path) -> None:
    club, last, game = before_the_end(tmp_path / "club")
    replace(club, a_table(club, game), "black", "Zoe <b>", "zoe@z.example")
    letters(club)
    take(club, last)

    pages = {page_in(mail).decode() for mail in letters(club)}

    (page,) = pages
    assert "Zoe &lt;b&gt; (black)" in page
    assert "Hedwig" not in page


# The same letters


def test_the_page_is_made_once_for_all_letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Record] = []
    really = game_page.page_of
    monkeypatch.setattr(game_page, "page_of", lambda record, **more: made.append(record) or really(record, **more))
    club, last, _ = before_the_end(tmp_path / "club", players=6)
    assert made == []

    take(club, last)

    assert (len(made), len(letters(club))) == (1, 6)


def test_the_same_last_mail_gives_the_same_letters(tmp_path: Path) -> None:
    found: list[list[bytes]] = []
    for number in range(2):
        club, last, _ = before_the_end(tmp_path / f"club-{number}")
        take(club, last)
        found.append([mail.raw for mail in letters(club)])
    assert found[0] == found[1]


def test_a_game_that_was_rebuilt_from_its_mails_gives_the_same_letters(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club", turn=8)
    letters(club)
    resend(club, a_table(club), to_all=True)
    first, second, _ = letters(club)
    assert resigned(club, first).code == "played"
    letters(club)
    game, _ = rebuilt(club, a_table(club))
    other = tmp_path / "other"
    shutil.copytree(tmp_path / "club", other)
    copy = read_club(other)
    a_table(copy).game.write_text(game_files.text_of(game.record, "toml"), encoding="utf-8")

    sent: list[list[bytes]] = []
    for each in (club, copy):
        assert resigned(each, second).code == "played"
        sent.append([mail.raw for mail in letters(each)])

    assert sent[0] == sent[1]
    assert {page_in(read(raw)) for raw in sent[0]} == {game_page.page_of(the_end(club, "friday")).encode()}


# What comes back


def test_a_reply_that_brings_the_files_along_says_only_what_was_written(
    ended: tuple[MailClub, str, list[Mail]], tmp_path: Path
) -> None:
    club, game, sent = ended
    shutil.copytree(club.folder, tmp_path / "club")
    club = read_club(tmp_path / "club")
    body = reply(sent[0], "Thank you all!", beneath=on_a_phone)
    head, _, text = body.decode().partition("\n\n")
    head = re.sub("Content-Type: .*", 'Content-Type: multipart/mixed; boundary="b"', head)
    files = "".join(f"--b\n{part.as_bytes().decode()}\n" for part in attachments(sent[0]))
    raw = f"{head}\n\n--b\nContent-Type: text/plain; charset=utf-8\n\n{text}\n{files}--b--\n".encode()

    assert "<script>" not in read_message(raw).text
    assert take(club, raw).code in ("heard", "refused")
    told = [mail for mail in letters(club) if "Thank you all!" in mail.text]
    assert told
    for mail in told:
        assert "DOCTYPE" not in mail.text
        assert game in mail.subject


def test_thanks_above_the_whole_letter_without_marks_are_all_that_is_told(
    ended: tuple[MailClub, str, list[Mail]], tmp_path: Path
) -> None:
    club, _, sent = ended
    shutil.copytree(club.folder, tmp_path / "club")
    club = read_club(tmp_path / "club")

    take(club, reply(sent[0], "Thank you all!", beneath=lambda mail: f"\n\n{mail.text}"))

    told = [mail for mail in letters(club) if "Thank you all!" in mail.text]
    assert len(told) == 3
    for mail in told:
        assert mail.text.count("comes with this letter") <= 1


@pytest.mark.parametrize("attached", [("friday.toml", "friday.html"), ("friday.toml", "")])
def test_no_line_of_it_is_an_order_however_it_is_wrapped(attached: tuple[str, str]) -> None:
    text = written(Page(whole_game(*attached)))
    assert "every turn of the game" in text
    for width in range(12, 80):
        for line in textwrap.wrap(text, width):
            with suppress(NotUnderstood):  # who deletes everything above a line that begins with "save" is asked
                found = read_reply(line)
                assert (found.orders, found.proposed, found.requests) == ((), (), ()), line


# On a phone


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browsing(tmp_path_factory.mktemp("browser")) as lent:
        yield lent


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4, 5, 6])
def test_a_friend_looks_at_the_attached_page_on_a_phone(players: int, browser: Browser, tmp_path: Path) -> None:
    """The file as a mail program saves it, with nothing else: every turn fits, and nothing is fetched."""
    club, last, game = before_the_end(tmp_path / "club", players)
    take(club, last)
    mail = letters(club)[0]
    saved = tmp_path / "downloads" / f"{game}.html"
    saved.parent.mkdir()
    saved.write_bytes(page_in(mail))
    record = the_end(club, game)

    for dark in (False, True):
        browser.open(saved.as_uri(), PHONE._replace(dark=dark))
        assert browser.value("document.documentElement.scrollWidth") == 390
        assert browser.value("document.querySelector('#view').textContent.includes('The game is over')")
        assert browser.value("document.querySelector('[data-fact=why]').getBoundingClientRect().height") > 0
        assert browser.value("document.querySelectorAll('#food tbody tr').length") == 2 * len(record.players)
        inside = (
            "[...document.querySelectorAll('#food th, #food td')].filter(c => c.scrollWidth > c.clientWidth).length"
        )
        assert browser.value(inside) == 0
        browser.click("#first")
        browser.click("#next")
        assert browser.value("document.getElementById('turn').textContent") == "1"
        assert browser.value("document.documentElement.scrollWidth") == 390
        assert browser.complaints() == []
    assert browser.value("document.getElementById('slider').max") == str(record.turn)
