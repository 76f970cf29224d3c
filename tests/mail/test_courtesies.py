"""What players are told beyond the question: receipts, who is away, the welcome, the proof of the draws, the time."""

import re
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from clubs import ANN, BOB, CY, START, a_club, a_table, an_order, letters, play, terms, the_asked, the_record, tree
from people import Mail, reply

from pbem import loading, secrets
from pbem.carriers.mail.service import clocked
from pbem.carriers.mail.settings import MailClub, read_club
from pbem.carriers.mail.take import take
from pbem.carriers.rebuild import compare, rebuilt
from pbem.cli.app import run
from pbem.club import host
from pbem.club.folder import read_roster
from pbem.club.opening import open_game
from pbem.club.status import rows_of, table_lines
from pbem.errors import Illegal, NotUnderstood, UsageError
from pbem.first_sparks.briefing.primer import PRIMER
from pbem.locale import LANGUAGES
from pbem.table import times
from pbem.table.clock import away_until
from pbem.table.people import Opening

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with a game that has just begun."""
    return a_club(tmp_path / "club")


def words(mail: Mail) -> str:
    return " ".join(mail.text.split())


def in_zone(club: MailClub, zone: str) -> MailClub:
    """Return the club with another time zone in its file."""
    path = club.folder / "club.toml"
    path.write_text(re.sub('timezone = "[^"]*"', f'timezone = "{zone}"', path.read_text()))
    return read_club(club.folder)


# Receipts


def test_who_wants_no_news_and_who_is_answered_for_gets_no_receipt(club: MailClub) -> None:
    asked = next(mail for mail in letters(club) if mail.asks)
    take(club, reply(asked, "news none"))
    letters(club)
    take(club, reply(asked, an_order(asked), number=1))
    assert asked.to not in {mail.to for mail in letters(club)}

    host.decide(club, a_table(club))
    assert not any("Your order was played" in words(mail) for mail in letters(club))


# Letters that say the same


def test_no_letter_has_the_message_id_of_an_earlier_one(club: MailClub) -> None:
    """A server drops what has a Message-ID that it knows, and the player who waits for it never sees it."""
    seen = letters(club)
    for _ in range(3):
        host.resend(club, a_table(club), to_all=True)
        seen += letters(club)
        host.pause(club, a_table(club), "tea")
        seen += letters(club)
        host.resume(club, a_table(club))
        seen += letters(club)
        host.away(club, a_table(club), the_asked(club).colour, "", "dan@sub.example")
        seen += letters(club)
        host.back(club, a_table(club), the_asked(club).colour)
        seen += letters(club)

    assert len({mail.message_id for mail in seen}) == len(seen) > 30
    latest = next(mail for mail in reversed(seen) if mail.asks)
    bare = latest._replace(reply_to="pbem@example.org", text="gone\n" * 3)
    assert take(club, reply(bare, an_order(latest))).code == "played"  # by the ticket in the Message-ID alone


# Who is away


def test_the_others_and_the_status_learn_who_is_away_and_who_stands_in(club: MailClub) -> None:
    asked = the_asked(club)
    letters(club)
    host.away(club, a_table(club), asked.colour, "2026-08-03", "Dan=dan@sub.example")
    letters(club)
    host.resend(club, a_table(club), to_all=True)
    told = f"{asked.name} ({asked.colour}) is away until Mon 3 Aug 2026. Dan stands in."

    for mail in letters(club):
        assert (told in words(mail)) is (mail.to != "dan@sub.example")
        assert ("dan@sub.example" in mail.text) is False
    shown = " ".join(" ".join(table_lines(list(rows_of(club)))).split())
    assert "away until Mon 3 Aug 2026; Dan dan@sub.example stands in" in shown


def test_a_player_who_leaves_by_mail_is_told_of_no_time_and_the_others_of_the_absence(club: MailClub) -> None:
    asked = next(mail for mail in letters(club) if mail.asks)
    terms(club, 'deadline = "3 days"\n')
    clocked(club, START)
    take(club, reply(asked, "absent until 2026-12-31"))

    mails = letters(club)
    assert {mail.to for mail in mails} == {ANN, BOB, CY}
    for mail in mails:
        assert "You have 3 days" not in words(mail)
        assert mail.subject == f"[friday] {the_asked(club).name} is away" or mail.to == asked.to


def test_a_substitute_without_a_sound_name_or_address_changes_nothing(club: MailClub) -> None:
    before = tree(club.folder)
    for substitute in ("Dan=", "=dan@sub.example", "D\0=dan@sub.example", "Dan=pbem@example.org"):
        with pytest.raises(UsageError):
            host.away(club, a_table(club), "red", "", substitute)
    assert tree(club.folder) == before


# The welcome


def test_the_welcome_names_the_players_the_host_and_how_to_win(club: MailClub) -> None:
    for mail in letters(club):
        me = next(p for p in read_roster(a_table(club)).players if p.address == mail.to)
        intro, win, how = mail.text.split("\n\n")[1:4]
        assert f"You play {me.colour} against " in " ".join(intro.split())
        for player in read_roster(a_table(club)).players:
            assert player == me or f"{player.name} ({player.colour})" in " ".join(intro.split())
        assert "Your host is host@example.org." in " ".join(intro.split())
        assert win == "\n".join(("How the game goes:", *(f"- {line}" for line in PRIMER)))
        assert "13 members" in " ".join(win.split())
        assert len(win.split("\n")) == 1 + 8
        assert how.startswith("How to play: ")
        assert mail.text.isascii()  # or some mail programs would not quote the letter as it is
        codes = re.findall(r"\b([a-z]{2}) \([A-Z][a-z]+\)", " ".join(mail.text.split()))
        assert set(codes) == set(LANGUAGES)
        for code in codes:
            take(club, reply(mail, f"language {code}"))
            assert next(p for p in read_roster(a_table(club)).players if p.address == mail.to).language == code


def test_resigning_and_agreeing_to_end_are_explained_at_first_and_on_request(club: MailClub) -> None:
    """In the welcome, in the answer to "help", and to all when somebody has agreed; no other letter repeats them."""

    def explains(mail: Mail) -> bool:
        return all(order in " ".join(mail.text.split()) for order in ('"resign"', '"agree end"'))

    welcomes = letters(club)
    first = next(mail for mail in welcomes if not mail.asks)
    take(club, reply(first, "agree end"))
    agreed = letters(club)
    asked = next(mail for mail in agreed if mail.asks)
    take(club, reply(asked, an_order(asked)))
    told = letters(club)
    asked = next(mail for mail in told if mail.asks)
    take(club, reply(asked, "help"))
    helped = letters(club)

    assert all(map(explains, (*welcomes, *helped)))
    assert all("So far: " in " ".join(mail.text.split()) for mail in agreed)
    assert helped
    assert agreed
    assert not any("resign" in mail.text or "agree end" in mail.text for mail in told)


# The end


@pytest.mark.parametrize("chance", ["sealed", "open"])
def test_the_last_letter_has_the_secret_and_what_proves_the_draws(
    club: MailClub, chance: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = open_game(club, "sunday", (f"Ann={ANN}", f"Bob={BOB}"), Opening(2, "players", chance), None)  # type: ignore[arg-type]
    play(club, 4, "sunday")
    letters(club)
    host.decide(club, table, "resign")

    record = the_record(club, "sunday")
    mails = letters(club)
    assert record.chance.secret
    assert {mail.to for mail in mails} == {ANN, BOB}
    for mail in mails:
        assert f"\n  {record.chance.secret}\n" in mail.text
        assert "\n  pbem audit sunday.toml\n" in mail.text
        (file,) = [part for part in message_from_bytes(mail.raw).walk() if part.get_filename() == "sunday.toml"]
        (tmp_path / "sunday.toml").write_bytes(file.get_payload(decode=True))  # type: ignore[arg-type]
        monkeypatch.chdir(tmp_path)
        assert run(["audit", "sunday.toml"]) == 0
        assert run(["verify", "sunday.toml"]) == 0
    assert "draws" in capsys.readouterr().out
    compare(table, rebuilt(club, table)[0].record)
    if chance == "sealed":
        with pytest.raises(Illegal, match="has been revealed"):
            host.take_back(club, table)


def test_the_game_file_of_an_old_letter_is_sound_where_a_seat_has_changed_hands(club: MailClub, tmp_path: Path) -> None:
    """The players of the last letter and of one that "show" asks for have the names on which the hash chain stands."""
    table = open_game(club, "sunday", (f"Ann={ANN}", f"Bob={BOB}"), Opening(2, "players", "sealed"), None)
    host.replace(club, table, "Ann", "Dora", "dora@new.example")
    letters(club)
    host.decide(club, table, "resign")
    last = letters(club)
    assert take(club, reply(last[0], "show")).code == "answered"

    for mail in (*last, *letters(club)):
        (file,) = [part for part in message_from_bytes(mail.raw).walk() if part.get_filename() == "sunday.toml"]
        (tmp_path / "sunday.toml").write_bytes(file.get_payload(decode=True))  # type: ignore[arg-type]
        assert secrets.audited(tmp_path / "sunday.toml").state.draws > 0


def test_a_game_whose_secret_is_lost_ends_all_the_same(club: MailClub) -> None:
    letters(club)
    secrets.secret_path(a_table(club).game).unlink()
    for _ in range(2):
        host.decide(club, a_table(club), "resign")

    assert loading.load(a_table(club).game).record.chance.secret == ""
    assert all("has not been published yet" in words(mail) for mail in letters(club) if "is over" in mail.subject)


def test_nothing_is_published_before_the_end(club: MailClub) -> None:
    play(club, 6)
    assert the_record(club).chance.secret == ""
    assert not any("secret" in mail.text for mail in letters(club))


# Times


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        ("UTC", "Tue 24 Nov, 17:00 UTC"),
        ("Europe/Berlin", "Tue 24 Nov, 18:00 CET"),
        ("America/New_York", "Tue 24 Nov, 12:00 EST"),
        ("Asia/Kathmandu", "Tue 24 Nov, 22:45 +0545"),
        ("Pacific/Auckland", "Wed 25 Nov, 06:00 NZDT"),
    ],
)
def test_a_time_has_its_weekday_and_the_zone_of_the_club(zone: str, shown: str) -> None:
    assert times.shown(datetime(2026, 11, 24, 17, tzinfo=UTC), times.zone_of(zone)) == shown


def test_reminders_warnings_and_the_status_say_times_in_the_clubs_zone(
    club: MailClub, capsys: pytest.CaptureFixture[str]
) -> None:
    club = in_zone(club, "Europe/Berlin")
    letters(club)
    tick = ["mail", "tick", str(club.folder), "--now"]
    for time in ("2026-11-21T17:00:00Z", "2026-11-22T17:00:00Z", "2026-11-23T17:00:00Z"):
        assert run([*tick, time]) == 0
    (reminder,) = letters(club)
    assert "You have until Tue 24 Nov, 18:00 CET." in words(reminder)
    assert run([*tick, "2026-11-24T17:00:00Z"]) == 0
    (warning,) = letters(club)
    assert warning.subject == "[friday] time is up: answer by Wed 25 Nov, 06:00 CET"
    assert "still counts until Wed 25 Nov, 06:00 CET." in words(warning)
    assert "has until Wed 25 Nov, 06:00 CET\n" in capsys.readouterr().out

    assert run(["mail", "status", str(club.folder), "--now", "2026-11-24T17:00:00Z"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "Times are in the time zone Europe/Berlin."
    assert "Sat 21 Nov 18:00  Wed 25 Nov 06:00" in out
    assert max(map(len, out.splitlines())) <= 72


@pytest.mark.parametrize(
    "zone", ["", "Mars/Phobos", "../../etc/passwd", "/etc/passwd", "Europe", "europe\0", "CEST-1x", "Ä" * 300]
)
def test_what_is_no_zone_is_refused(club: MailClub, zone: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(NotUnderstood, match="is not a known time zone"):
        times.zone_of(zone)
    in_file = zone.replace("\0", "")
    with pytest.raises(NotUnderstood):
        in_zone(club, in_file)
    assert run(["mail", "status", str(club.folder)]) == 65
    assert "time zone" in capsys.readouterr().err


def test_without_a_database_only_utc_is_known_and_that_is_said(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows and in small containers."""
    import zoneinfo

    def missing(key: str) -> None:
        raise zoneinfo.ZoneInfoNotFoundError(key)

    monkeypatch.setattr(zoneinfo, "ZoneInfo", missing)
    monkeypatch.setattr(zoneinfo, "available_timezones", set)
    times.zone_of.cache_clear()
    try:
        assert read_club(club.folder).zone is UTC
        with pytest.raises(NotUnderstood, match="no time zone database") as told:
            in_zone(club, "Europe/Berlin")
        assert "tzdata" in told.value.hint
    finally:
        times.zone_of.cache_clear()


def test_an_absence_ends_with_its_day_in_the_clubs_zone() -> None:
    assert away_until("2026-12-31") == datetime(2027, 1, 1, tzinfo=UTC)
    assert away_until("2026-12-31", zone=BERLIN) == datetime(2026, 12, 31, 23, tzinfo=UTC)
    assert away_until("2026-10-25", zone=BERLIN) == datetime(2026, 10, 25, 23, tzinfo=UTC)  # a day of 25 hours


@pytest.mark.parametrize(
    ("hours", "said"),
    [
        *((72, "3 days"), (48, "2 days"), (47.9, "47 hours"), (6, "6 hours"), (2, "2 hours"), (1.5, "90 minutes")),
        *((1 / 60, "1 minute"), (0, "0 minutes"), (-5, "0 minutes")),
    ],
)
def test_what_is_left_is_said_in_the_largest_unit_of_which_there_are_two(hours: float, said: str) -> None:
    assert times.left(timedelta(hours=hours)) == said


def test_a_roster_keeps_the_name_of_who_stands_in(club: MailClub) -> None:
    host.away(club, a_table(club), "red", "", "Dan=dan@sub.example")
    host.away(club, a_table(club), "red", "2026-12-31")
    player = read_roster(a_table(club)).player("red")
    assert player is not None
    assert (player.substitute, player.substitute_name) == ("dan@sub.example", "Dan")
    assert a_table(club).private.read_text().count('substitute_name = "Dan"') == 1


# The host's commands


def test_the_list_of_commands_cuts_no_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["mail", "--help"]) == 0
    listed = capsys.readouterr().out.partition("-h, --help")[2]  # which the commands follow
    assert "retry" in listed
    assert "..." not in listed
