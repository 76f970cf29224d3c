"""Time in a club: at a tick what is due is done and told, once, and nobody is answered for by accident."""

import json
import shutil
from datetime import timedelta
from functools import partial
from itertools import permutations
from pathlib import Path

import pytest
from clubs import (
    ANN,
    BOB,
    CY,
    HOST,
    START,
    a_club,
    a_table,
    an_order,
    has_ticked,
    letters,
    play_to_a_mild_question,
    terms,
    the_asked,
    the_record,
    ticked,
    tree,
)
from people import a_mail, reply

from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.cli.app import run
from pbem.club import deadlines as ticks
from pbem.club import host
from pbem.club.clock_data import read_clock
from pbem.club.folder import read_roster
from pbem.club.journal import journal_rows
from pbem.club.store import load
from pbem.errors import Illegal, NotUnderstood, Stale, TryAgain
from pbem.first_sparks import notation
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.proof import verify
from pbem.table.clock import Question, Terms

ANSWERS = 'then = "answer"\n'


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with one game, at its first question, which is green's; the outbox is empty."""
    made = a_club(tmp_path / "club")
    letters(made)
    return made


def question_of(club: MailClub) -> Question:
    """Return the only question that is open."""
    (question,) = read_clock(a_table(club))[1].questions
    return question


def test_the_first_tick_opens_the_question_and_writes_to_nobody(club: MailClub) -> None:
    assert ticked(club, 0) == []
    assert question_of(club).since == START
    assert letters(club) == []


def test_who_is_asked_is_reminded_of_the_question_and_warned_with_the_time_that_is_left(club: MailClub) -> None:
    asked = host.resend(club, a_table(club))
    question = letters(club)[0]
    ticked(club, 0)
    ticked(club, 30)
    ticked(club, 48)
    reminder = letters(club)
    ticked(club, 72)
    warning = letters(club)

    assert [player.address for player in asked] == [question.to]
    assert [mail.to for mail in reminder + warning] == [question.to] * 2
    assert "You have until Tue 24 Nov, 12:00 UTC." in " ".join(reminder[0].text.split())
    assert "still counts until Wed 25 Nov, 00:00 UTC. After that I will tell the host." in " ".join(
        warning[0].text.split()
    )
    assert [mail.marker for mail in reminder + warning] == [question.marker] * 2
    assert question.text.split("QUESTION")[1] == reminder[0].text.split("QUESTION")[1]
    assert take(club, reply(warning[0], an_order(warning[0]))).code == "played"


def test_the_host_is_told_once_when_the_grace_is_over(club: MailClub) -> None:
    for hour in (0, 30, 60, 72):
        ticked(club, hour)
    letters(club)
    ticked(club, 84)
    told = letters(club)
    for hour in (90, 120, 150):
        ticked(club, hour)

    assert [mail.to for mail in told] == [HOST]
    assert f"friday: {the_asked(club).name} has not answered since Sat 21 Nov, 12:00 UTC" in told[0].text
    assert letters(club) == []
    assert the_record(club).turn == 0


def test_the_host_is_told_the_ways_out_and_the_next_tick_takes_the_terms_as_they_are(club: MailClub) -> None:
    play_to_a_mild_question(club)
    letters(club)
    turn = the_record(club).turn
    for hour in (0, 30, 60, 72, 84):
        ticked(club, hour)
    told = next(mail for mail in letters(club) if mail.to == HOST)
    terms(club, 'deadline = "1 day"\ngrace = "2 hours"\n' + ANSWERS)

    done = ticked(club, 85)

    for way in (
        "answer CLUB GAME",
        "absent CLUB GAME",
        "--substitute",
        "replace CLUB GAME",
        "clock CLUB GAME --then answer",
    ):
        assert way in " ".join(told.text.split())
    assert done[0].what[0].startswith("played for ")
    assert done[0].what[0].endswith(": stay")
    assert the_record(club).turn == turn + 1


@pytest.mark.parametrize("way", ["substitute", "replace"])
def test_who_comes_in_after_the_time_was_up_has_all_of_it(club: MailClub, way: str) -> None:
    asked = the_asked(club)
    for hour in (0, 30, 60, 72, 84):
        ticked(club, hour)
    if way == "replace":
        host.replace(club, a_table(club), asked.name, "Dora", "new@x.example")
    else:
        host.away(club, a_table(club), asked.name, "", "new@x.example")
    letters(club)
    ticked(club, 90)
    ticked(club, 90 + 30)
    ticked(club, 90 + 48)

    assert [mail.to for mail in letters(club)] == ["new@x.example"]


def test_the_clock_plays_through_the_door_of_all_orders_and_says_so(club: MailClub) -> None:
    colour = play_to_a_mild_question(club)
    letters(club)
    terms(club, ANSWERS)
    before = the_record(club)
    for hour in (0, 30, 60, 72):
        ticked(club, hour)
    letters(club)

    done = ticked(club, 84)

    after = the_record(club)
    assert after.log[len(before.log)] == f"{after.turn} {colour} stay"
    assert verify(after) == len(after.log)
    name = dict(after.players)[colour]
    assert done == [("friday", (f"played for {name}: stay",), None)]
    row = next(row for row in journal_rows(a_table(club).journal) if row["turn"] == after.turn)
    assert (row["code"], row["colour"], row["instead"]) == ("played", colour, True)
    sent = {mail.to: mail for mail in letters(club)}
    address = {"green": ANN, "red": BOB, "blue": CY}
    assert sent.keys() == {address[colour], address[who_decides(after.state) or ""]}
    assert "I have played for you: stay" in " ".join(sent[address[colour]].text.split())
    assert question_of(club).turn == after.turn, "the next question is open since the same tick"


@pytest.mark.parametrize("data", ["", ANSWERS, 'then = "substitute"\n'], ids=["tell", "answer", "substitute"])
def test_a_second_tick_at_the_same_time_changes_no_byte(club: MailClub, data: str) -> None:
    colour = play_to_a_mild_question(club)
    host.away(club, a_table(club), colour, "2026-11-20", "sub@x.example")
    terms(club, data)
    for hour in (0, 24, 48, 60, 72, 84, 108, 132, 156, 168, 400):
        ticked(club, hour)
        before = tree(club.folder)

        ticked(club, hour)

        assert tree(club.folder) == before


def test_the_same_ticks_of_the_same_data_lead_to_the_same_bytes(club: MailClub, tmp_path: Path) -> None:
    play_to_a_mild_question(club)
    terms(club, ANSWERS)
    shutil.copytree(club.folder, tmp_path / "other")
    other = club.changed(folder=tmp_path / "other")
    for hour in (0, 30, 60, 72, 84, 90):
        ticked(club, hour)
        ticked(other, hour)

    assert tree(club.folder) == tree(other.folder)


@pytest.mark.parametrize("call", ["commit", "stand_in"])
def test_a_tick_that_is_broken_off_is_made_good_by_the_next(
    club: MailClub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    play_to_a_mild_question(club)
    terms(club, ANSWERS)
    for hour in (0, 30, 60, 72):
        ticked(club, hour)
    shutil.copytree(club.folder, tmp_path / "other")
    other = club.changed(folder=tmp_path / "other")
    ticked(other, 84)

    def full(*_: object) -> None:
        raise TryAgain("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(ticks, call, full)
        assert [type(done.error) for done in ticked(club, 84)] == [TryAgain]
    ticked(club, 84)

    broken_off, whole = tree(club.folder), tree(other.folder)
    for files in (broken_off, whole):
        del files[
            "games/friday/mails/journal.ndjson"
        ]  # its last line says what a tick did, and one did less than the other
    assert broken_off == whole


def test_after_an_outage_the_host_is_told_and_nobody_else_and_the_time_does_not_count(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club", "friday", "monday")
    letters(club)
    for game in ("friday", "monday"):
        terms(club, ANSWERS, game)
    ticked(club, 0)
    ticked(club, 7 * 24)
    told = letters(club)
    ticked(club, 7 * 24 + 24)

    assert [mail.to for mail in told] == [HOST]
    text = " ".join(told[0].text.split())
    for game in ("friday", "monday"):
        assert f"{game}: the clock did not tick for more than 36 hours after Sat 21 Nov, 12:00 UTC" in text
    assert letters(club) == []


def test_an_outage_promises_no_time_where_it_was_up(club: MailClub) -> None:
    for hour in (0, 30, 60, 72, 84):
        ticked(club, hour)
    letters(club)

    ticked(club, 200)

    (told,) = letters(club)
    assert "that time does not count against" in " ".join(told.text.split())
    assert "longer" not in told.text


def test_when_too_many_would_be_answered_for_nobody_is_until_the_host_says_so(tmp_path: Path) -> None:
    games = ("a", "b", "c")
    club = a_club(tmp_path / "club", *games)
    for game in games:
        play_to_a_mild_question(club, game)
        terms(club, ANSWERS, game)
    turns = [the_record(club, game).turn for game in games]
    for hour in (0, 30, 60, 72):
        ticked(club, hour)
    letters(club)
    ticked(club, 84)
    told = letters(club)
    ticked(club, 96)
    quiet = letters(club)
    held = [the_record(club, game).turn for game in games]
    ticked(club, 96, release=True)

    assert [mail.to for mail in told] == [HOST]
    assert "--release" in told[0].text
    assert quiet == []
    assert held == turns
    assert [the_record(club, game).turn for game in games] == [turn + 1 for turn in turns]


def test_the_order_of_the_games_makes_no_difference(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club", "a", "b", "c", "d")
    for game in "abc":
        play_to_a_mild_question(club, game)
        terms(club, ANSWERS, game)
    for hour in (0, 30, 60, 72):
        ticked(club, hour)
    games = [ticks.timed(table, load(club, table)) for table in map(partial(a_table, club), "abcd")]

    assert {ticks.too_many(club, order, START + timedelta(hours=84)) for order in permutations(games)} == {True}
    assert {ticks.too_many(club, order, START + timedelta(hours=84)) for order in permutations(games[1:])} == {False}


def test_an_order_of_the_clock_that_is_not_accepted_changes_nothing(
    club: MailClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_to_a_mild_question(club)
    terms(club, ANSWERS)
    for hour in (0, 30, 60, 72):
        ticked(club, hour)
    letters(club)
    before = the_record(club)
    monkeypatch.setattr(notation, "MILD", ("add", "offer", "buy", "spread"))

    assert isinstance(ticked(club, 84)[0].error, Illegal)
    assert the_record(club) == before
    assert letters(club) == []


def test_more_than_the_club_allows_at_once_are_held_back(club: MailClub) -> None:
    play_to_a_mild_question(club)
    terms(club, ANSWERS)
    turn = the_record(club).turn
    strict = club.changed(answers_at_once=0)
    for hour in (0, 30, 60, 72, 84):
        ticked(strict, hour)

    assert the_record(club).turn == turn
    ticked(club, 84)
    assert the_record(club).turn == turn, "what was held back waits for the host"


def test_an_absence_that_is_over_already_is_refused(club: MailClub) -> None:
    host.resend(club, a_table(club))
    question = letters(club)[0]
    ticked(club, 0)

    take(club, reply(question, "absent until 2026-11-20"))

    assert "2026-11-20 is already over" in " ".join(letters(club)[0].text.split())
    assert the_asked(club).absent == ""
    with pytest.raises(NotUnderstood, match="is already over"):
        host.away(club, a_table(club), the_asked(club).colour, "2026-11-20")


def test_a_question_is_handed_to_the_substitute_who_is_named(club: MailClub) -> None:
    table = a_table(club)
    terms(club, 'then = "substitute"\n')
    away = the_asked(club)
    host.away(club, table, away.colour, "", "sub@x.example")
    host.back(club, table, away.colour)
    for hour in (0, 30, 60, 72):
        ticked(club, hour)
    letters(club)
    ticked(club, 84)
    sent = {mail.to: mail for mail in letters(club)}

    assert sent.keys() == {away.address, "sub@x.example"}
    assert "stand in from now on" in " ".join(sent["sub@x.example"].text.split())
    assert take(club, reply(sent[away.address], "back")).code == "answered"
    assert read_roster(table).player(away.colour).reader == away.address  # type: ignore[union-attr]


def test_a_time_before_the_last_tick_changes_nothing(club: MailClub) -> None:
    ticked(club, 48)
    before = tree(club.folder)

    done = ticked(club, 47)

    assert isinstance(done[0].error, Stale)
    assert tree(club.folder) == before


def test_a_wrong_time_is_put_right_by_resume(club: MailClub) -> None:
    ticked(club, 24 * 365 * 10)
    host.resume(club, a_table(club))

    assert ticked(club, 0) == []
    assert ticked(club, 1) == []
    assert letters(club) == []


def test_a_game_that_is_not_sound_keeps_no_other_waiting(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club", "friday", "monday")
    terms(club, "deadline = 3\n")
    ticked(club, 0)
    ticked(club, 24)
    (bad,) = ticked(club, 24)

    assert (bad.game, type(bad.error)) == ("friday", NotUnderstood)
    assert read_clock(a_table(club, "monday"))[1].last == START + timedelta(hours=24)
    assert [row["error"] == "" for row in status_of(club)] == [False, True]


def status_of(club: MailClub) -> list[dict[str, object]]:
    from pbem.club.status import rows_of

    return list(rows_of(club))


def test_status_says_in_72_columns_who_is_waited_for(club: MailClub, capsys: pytest.CaptureFixture[str]) -> None:
    for hour in (0, 36, 72):
        ticked(club, hour)
    host.pause(club, a_table(club), "the holidays, in which nobody of us wants to think of anything but of food")

    assert run(["mail", "status", str(club.folder), "--now", (START + timedelta(hours=72)).isoformat()]) == 0
    lines = capsys.readouterr().out.splitlines()

    assert lines[1] == f"friday     0  {the_asked(club).name:11}  Sat 21 Nov 12:00  -"
    assert all(len(line) <= 72 for line in lines)
    assert "paused: the holidays" in lines[2]
    assert lines[-1].strip() == "warned"
    assert run(["mail", "status", str(club.folder), "--json", "--now", "2026-12-21T12:00:00+01:00"]) == 0
    row = json.loads(capsys.readouterr().out)["games"][0]
    assert (row["turn"], row["colour"], row["since"], row["due"]) == (
        0,
        the_asked(club).colour,
        "2026-11-21T12:00:00Z",
        None,
    )
    assert "no tick since Tue 24 Nov, 12:00 UTC" in row["notes"]


def test_tick_tells_what_it_did_and_what_went_wrong(club: MailClub, capsys: pytest.CaptureFixture[str]) -> None:
    at = ["--now", "2026-11-21T12:00:00Z"]
    assert run(["mail", "tick", str(club.folder), *at]) == 0
    assert capsys.readouterr().out == "nothing is due\n"
    assert run(["mail", "tick", str(club.folder), "--now", "2026-11-20T12:00:00Z"]) == 77
    assert "friday: the last tick was at 2026-11-21T12:00:00Z" in capsys.readouterr().err
    assert run(["mail", "tick", str(club.folder), "--now", "yesterday"]) == 65
    assert run(["mail", "tick", str(club.folder)]) == 2
    capsys.readouterr()
    ticked(club, 30)
    assert run(["mail", "tick", str(club.folder), "--now", "2026-11-23T13:00:00+01:00", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["games"] == [{"game": "friday", "did": [f"{the_asked(club).name} was reminded"], "error": ""}]


def test_a_game_that_waits_for_players_has_no_clock(club: MailClub) -> None:
    from pbem.club.opening import open_game
    from pbem.table.people import Opening

    open_game(club, "monday", (f"Ann={ANN}",), Opening(3), None)

    assert ticked(club, 0) == []
    assert not has_ticked(a_table(club, "monday"))
    assert status_of(club)[1]["notes"] == ["waiting for players: 1 of 3 seats are taken"]


def test_a_stranger_s_mail_moves_no_clock(club: MailClub) -> None:
    ticked(club, 0)
    before = a_table(club).private.read_bytes()
    take(club, a_mail("eve@evil.example", "pbem@example.org", "absent until 2030-01-01\nback"))

    assert a_table(club).private.read_bytes() == before
    assert all(not player.absent for player in read_roster(a_table(club)).players)


def test_the_host_changes_one_term_of_the_clock_and_the_others_stay(
    club: MailClub, capsys: pytest.CaptureFixture[str]
) -> None:
    terms(club, 'deadline = "1 day"\nreminders = []\ngrace = "2 hours"\n')
    before = a_table(club).private.read_text()

    for words in (["--then", "later"], ["--deadline", "soon"], ["--reminder", "2 days"]):
        assert run(["mail", "clock", str(club.folder), "friday", *words]) == 65, words
        assert a_table(club).private.read_text() == before
    assert run(["mail", "clock", str(club.folder), "friday", "--then", "bot"]) == 0

    shown = capsys.readouterr().out
    for line in ('deadline = "1 day"', 'grace = "2 hours"', 'then = "bot"', 'outage = "36 hours"'):
        assert line in shown
    assert read_clock(a_table(club))[0] == Terms(timedelta(days=1), (), timedelta(hours=2), "bot")


def test_terms_that_cannot_be_read_keep_nobody_from_playing(club: MailClub) -> None:
    ticked(club, 0)
    terms(club, 'deadline = "soon"')

    assert take(club, a_reply(club)).code == "played"


def a_reply(club: MailClub) -> bytes:
    """Return an answer to the question that is asked now."""
    host.resend(club, a_table(club))
    (asked,) = letters(club)
    return reply(asked, an_order(asked))
