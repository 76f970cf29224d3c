"""Letters keep to the rules of large receivers, as far as a sender can, and no two robots talk for long."""

import email
import re
from email.message import Message
from pathlib import Path
from urllib.parse import parse_qs, unquote

import pytest
from clubs import ADDRESS, HOST, a_club, a_table, letters, play_to_the_end, the_asked, the_record
from people import Mail, a_mail, read

from pbem.carriers.mail.settings import MailClub, read_club
from pbem.carriers.mail.take import take
from pbem.club.folder import read_roster
from pbem.club.host import resend
from pbem.club.settings import club_text
from pbem.table.letters.letter import paragraphs
from pbem.table.letters.notices import notice

CLIPPED = 100 * 1024  # bytes: Gmail shows no more of a page


def heads(mails: list[Mail]) -> list[Message]:
    return [email.message_from_bytes(mail.raw) for mail in mails]


def of_a_whole_game(folder: Path, *, picture: bool = False) -> list[Mail]:
    """Return every letter of a game, which take six times as long with pictures, and one to the host."""
    club = a_club(folder)
    (club.folder / "club.toml").write_text(club_text(club.changed(picture=picture)))
    club = read_club(club.folder)
    found: list[Mail] = []
    unlink = Path.unlink

    def kept(path: Path, missing_ok: bool = False) -> None:
        if path.parent == club.outbox / "new":
            found.append(read(path.read_bytes()))
        unlink(path, missing_ok)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "unlink", kept)
        play_to_the_end(club)
    club.put(notice(HOST, "trouble", paragraphs(("There is trouble.",))))
    return [*found, *letters(club)]


@pytest.fixture(scope="module")
def mails(tmp_path_factory: pytest.TempPathFactory) -> list[Mail]:
    """The letters of a whole game."""
    return of_a_whole_game(tmp_path_factory.mktemp("game") / "club")


def without_replay(message: Message) -> int:
    """Return the size of a mail without what is attached to it."""
    attached = [part for part in message.walk() if part.get_content_disposition() == "attachment"]
    return len(message.as_bytes()) - sum(len(part.as_bytes()) for part in attached)


@pytest.mark.slow
def test_every_letter_is_small_enough_to_be_shown_whole(tmp_path: Path) -> None:
    mails = of_a_whole_game(tmp_path / "club", picture=True)

    assert len(mails) > 30
    assert max(without_replay(message) for message in heads(mails)) < CLIPPED


@pytest.mark.slow
def test_every_letter_comes_from_the_club_and_says_that_a_program_wrote_it(mails: list[Mail]) -> None:
    """The address in From is that of the envelope, which outbox tests, so that SPF and DKIM speak for it."""
    assert len(mails) > 30
    for message in heads(mails):
        assert re.fullmatch(rf"First Sparks <{re.escape(ADDRESS)}>", str(message["From"]))
        assert message["Auto-Submitted"].startswith("auto-")
        assert message["Sender"] is None
        assert message["Message-ID"].endswith("@example.org>")
        assert message["Precedence"] is None  # some receivers take "bulk" for advertisements


@pytest.mark.slow
def test_all_letters_of_a_game_are_one_thread(mails: list[Mail]) -> None:
    roots = {str(message["References"]).split()[0] for message in heads(mails) if message["List-Id"]}

    assert roots == {"<friday.thread@example.org>"}


def test_every_letter_to_a_player_can_be_stopped_by_a_mail_and_none_claims_one_click(mails: list[Mail]) -> None:
    """One click (RFC 8058) needs a page on the web, which a club does not have."""
    of_games = [message for message in heads(mails) if message["List-Id"]]

    assert of_games
    for message in of_games:
        assert re.fullmatch(r"<mailto:[!-;=?-~]+>", message["List-Unsubscribe"])
        assert message["List-Unsubscribe-Post"] is None


@pytest.mark.parametrize("whole", [True, False])
def test_who_unsubscribes_gets_no_news_and_has_not_resigned(tmp_path: Path, whole: bool) -> None:
    """Mail programs send that mail at the press of a button, some with no more than its subject."""
    club = a_club(tmp_path / "club")
    asked = next(mail for mail in letters(club) if mail.asks)
    address, _, query = email.message_from_bytes(asked.raw)["List-Unsubscribe"].strip("<>").partition("?")
    said = parse_qs(query)
    text = said["body"][0].replace("\r\n", "\n") if whole else ""
    colour = the_asked(club).colour

    verdict = take(club, a_mail(asked.to, unquote(address.removeprefix("mailto:")), text, subject=said["subject"][0]))

    player = read_roster(a_table(club)).player(colour)
    assert (verdict.code, player and player.news) == ("answered", "none")
    assert the_asked(club).colour == colour
    assert the_record(club).turn == 0


# Two clubs


@pytest.fixture
def two(tmp_path: Path) -> tuple[MailClub, MailClub]:
    """Two clubs, each a player of the other: strangers are answered in both."""
    clubs = []
    for own, other in (("pbem@one.example", "pbem@two.example"), ("pbem@two.example", "pbem@one.example")):
        folder = tmp_path / own.partition("@")[2]
        club = a_club(folder)
        seat = the_asked(club)
        private = a_table(club).private
        private.write_text(private.read_text().replace(seat.address, other))
        (folder / "club.toml").write_text(club_text(club.changed(address=own)))
        clubs.append(read_club(folder))
        letters(clubs[-1])
        resend(clubs[-1], a_table(club))
    return clubs[0], clubs[1]


def as_it_arrives(raw: bytes, lost: str) -> bytes:
    """Return a letter as another server delivers it, without the headers that a gateway has taken out."""
    return re.sub(rf"(?im)^(?:{lost}):[^\n]*\n(?:[ \t][^\n]*\n)*".encode(), b"", raw) if lost else raw


@pytest.mark.parametrize("lost", ["", "X-Pbem", "X-Pbem|Auto-Submitted", "X-Pbem|Auto-Submitted|List-[A-Za-z-]+"])
def test_two_clubs_that_write_to_each_other_fall_silent(two: tuple[MailClub, MailClub], lost: str) -> None:
    """Even where a gateway takes out all signs of a robot, they do not go on for ever."""
    one, other = two
    (first,) = [mail for mail in letters(one) if mail.to == other.address and mail.asks]
    letters(other)
    club, way, said = other, [first], 0
    while way and said < 20:
        verdicts = [take(club, as_it_arrives(mail.raw, lost)) for mail in way]
        assert "played" not in {verdict.code for verdict in verdicts}
        club = one if club is other else other
        way = [mail for mail in letters(other if club is one else one) if mail.to == club.address]
        said += len(way)

    assert said == (0 if lost in ("", "X-Pbem") else said)
    assert said <= 4
    assert the_record(one).turn == the_record(other).turn == 0
