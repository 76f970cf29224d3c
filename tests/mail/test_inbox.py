"""A Maildir is read, each mail until it was dealt with, and who watches it is woken without much ado."""

import errno
import mailbox
import os
import re
from pathlib import Path
from urllib.parse import parse_qs, unquote

import pytest
from clubs import ADDRESS, START, a_club, a_table, an_order, letters, the_record
from people import Mail, Tap, drop, reply, tapped
from work import Clock

from pbem import files
from pbem.carriers.mail.incoming import mailbox as inbox
from pbem.carriers.mail.service import run_once, watched
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.club.clock_data import read_clock
from pbem.club.folder import read_roster
from pbem.club.host import resend
from pbem.club.settings import club_text
from pbem.errors import CannotWrite, NoSuchFile, TryAgain


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club in which a game has just begun."""
    return a_club(tmp_path / "club")


def question(club: MailClub) -> Mail:
    return next(mail for mail in letters(club) if mail.asks)


def test_who_watches_a_maildir_is_woken_by_a_mail_and_sleeps_before(club: MailClub, clock: Clock) -> None:
    asked = question(club)
    rounds = watched(club, 30)
    assert next(rounds).codes == {}
    clock.at(clock.now + 20, lambda: drop(club.folder, reply(asked, an_order(asked)), "1"))

    assert next(rounds).codes == {"played": 1}

    assert clock.slept == [1.0] * 20
    rounds.close()


def test_a_mail_that_came_while_others_were_taken_wakes_at_once(club: MailClub, clock: Clock) -> None:
    asked = question(club)
    with inbox.opened(club) as box:
        assert list(box.mails()) == []
        drop(club.folder, reply(asked, an_order(asked)), "1")
        box.wait(30)
    assert clock.slept == []


def test_a_mail_that_is_too_large_is_dealt_with_and_keeps_no_other_waiting(
    club: MailClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "LARGEST_WHOLE", 2 * 1024 * 1024)
    asked = question(club)
    drop(club.folder, reply(asked, "x" * 3 * 1024 * 1024), "1")
    drop(club.folder, reply(asked, an_order(asked)), "2")
    (club.folder / "inbox" / "new" / "3").symlink_to("/etc/passwd")
    (club.folder / "inbox" / "new" / "4").mkdir()

    assert run_once(club).codes == {"refused": 1, "played": 1}


def test_of_the_mails_that_were_dealt_with_the_last_ones_stay(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing piles up, and nothing is touched that somebody else has put into ``cur``."""
    monkeypatch.setattr(inbox, "KEPT", 3)
    asked, box = question(club), club.folder / "inbox"
    (box / "cur" / "mine:2,S").write_bytes(b"a mail that somebody has read")
    for number in range(6):
        words = an_order(asked) if number == 0 else f"what is this {number}"
        drop(club.folder, reply(asked, words), str(number))
        os.utime(box / "new" / str(number), (number, number))
        assert sum(run_once(club).codes.values()) == 1

    dealt = sorted(path.name for path in (box / ".dealt" / "cur").iterdir())
    assert dealt == ["3:2,S", "4:2,S", "5:2,S"]
    assert [path.name for path in (box / "cur").iterdir()] == ["mine:2,S"]
    assert list((box / "new").iterdir()) == []
    (kept,) = a_table(club).mails.glob("*.eml")
    assert kept.read_bytes() == reply(asked, an_order(asked))
    assert mailbox.Maildir(box).list_folders() == ["dealt"]


@pytest.mark.parametrize(("flags", "codes"), [("", {"played": 1}), (":2,", {"played": 1}), (":2,F", {"played": 1})])
def test_a_mail_that_a_program_has_moved_and_nobody_read_is_taken(
    club: MailClub, flags: str, codes: dict[str, int]
) -> None:
    """Who looks into the mailbox with a mail program, or by IMAP, takes no order away."""
    asked, box = question(club), club.folder / "inbox"
    (box / "cur" / f"1{flags}").write_bytes(reply(asked, an_order(asked)))

    assert run_once(club).codes == codes
    assert [path.name for path in (box / ".dealt" / "cur").iterdir()] == ["1:2,S"]
    assert list((box / "cur").iterdir()) == []


@pytest.mark.parametrize("flags", [":2,S", ":2,FS", ":2,T", ":2,RS"])
def test_a_mail_that_somebody_has_read_is_left(club: MailClub, flags: str) -> None:
    asked, box = question(club), club.folder / "inbox"
    (box / "cur" / f"1{flags}").write_bytes(reply(asked, an_order(asked)))

    assert run_once(club).codes == {}
    assert [path.name for path in (box / "cur").iterdir()] == [f"1{flags}"]


def test_a_mail_that_cannot_be_put_aside_is_told_and_harmless(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = question(club)
    drop(club.folder, reply(asked, an_order(asked)), "1")
    with monkeypatch.context() as patch:
        patch.setattr(inbox.Maildir, "_done", refuse)
        done = run_once(club)

    assert [type(trouble) for trouble in done.troubles] == [CannotWrite]
    assert run_once(club).codes == {"duplicate": 1}
    assert the_record(club).turn == 1


def refuse(_: object, path: Path) -> None:
    raise CannotWrite(f"{path} cannot be moved")


def test_a_lost_connection_is_tried_again_and_the_outbox_is_sent_all_the_same(
    club: MailClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_: MailClub) -> None:
        raise TryAgain("the mail server is away")

    with monkeypatch.context() as patch:
        patch.setattr(inbox, "opened", away)
        done = run_once(club)

    assert [type(trouble) for trouble in done.troubles] == [TryAgain]
    assert done.sent.left == 3


def test_a_mail_that_may_not_be_read_stops_the_clock_and_no_other_mail(
    club: MailClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could be the order that is waited for."""
    real = files.read_bytes

    def read_bytes(path: Path, limit: int = files.READ_LIMIT) -> bytes:
        if path.name == "of-somebody-else":
            raise NoSuchFile(f"{path} cannot be opened: permission denied") from PermissionError(errno.EACCES, "denied")
        return real(path, limit)

    asked = next(mail for mail in letters(club) if mail.asks)
    drop(club.folder, reply(asked, an_order(asked)), "an-order")
    (club.folder / "inbox" / "new" / "of-somebody-else").write_bytes(b"")
    monkeypatch.setattr(files, "read_bytes", read_bytes)

    found = run_once(club, START)

    assert found.codes == {"played": 1}
    assert [str(trouble).endswith("permission denied") for trouble in found.troubles] == [True]
    assert read_clock(a_table(club))[1].last is None
    (club.folder / "inbox" / "new" / "of-somebody-else").unlink()
    run_once(club, START)
    assert read_clock(a_table(club))[1].last == START


def test_a_maildir_that_is_away_for_a_moment_is_waited_for(club: MailClub) -> None:
    letters(club)
    rounds = watched(club, 0.05)
    assert next(rounds).troubles == ()
    folder = club.folder / "inbox"
    folder.rename(club.folder / "gone")
    assert [trouble.code for trouble in next(rounds).troubles] == ["no-such-file"]
    (club.folder / "gone").rename(folder)
    assert next(rounds).troubles == ()


@pytest.mark.parametrize("plus", [True, False])
def test_who_unsubscribes_by_the_link_of_the_mail_program_gets_no_more_news(club: MailClub, plus: bool) -> None:
    club = club.changed(plus=plus)
    (club.folder / "club.toml").write_text(club_text(club))
    letters(club)
    (player,) = resend(club, a_table(club))
    asked = question(club)
    link = re.search(rb"^List-Unsubscribe: <mailto:([^?]+)\?([^>]+)>", asked.raw, re.MULTILINE)
    assert link is not None
    filled = parse_qs(link[2].decode())
    to = unquote(link[1].decode())
    assert (to == ADDRESS) is not plus

    verdict = take(club, tapped(asked, Tap(to, filled["subject"][0], filled["body"][0])))

    assert verdict.code == "answered"
    stopped = read_roster(a_table(club)).player(player.colour)
    assert stopped is not None
    assert stopped.news == "none"
