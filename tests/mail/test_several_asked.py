"""Several players are asked at the same time: each has a time of their own, and the host's tools know all of them."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from clubs import (
    ANN,
    BOB,
    CY,
    HOST,
    a_club,
    a_table,
    keep_roster,
    letters,
    terms,
    the_record,
    ticked,
    tree,
)
from people import Mail, reply

from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.carriers.rebuild import compare, rebuilt
from pbem.cli.app import run
from pbem.club import deadlines, host
from pbem.club.deadlines import stand_in
from pbem.club.folder import read_roster
from pbem.club.journal import journal_rows
from pbem.club.status import rows_of, table_lines
from pbem.club.store import load
from pbem.errors import Illegal, TryAgain
from pbem.first_sparks.phases import Adding
from pbem.table.clock import timestamp
from pbem.table.messages.verdict import Verdict
from pbem.table.people import Player
from pbem.table.questions import ASKS
from pbem.table.table import Table, decides

ADDRESSES = {"green": ANN, "red": BOB, "blue": CY}
ANSWERS = 'then = "answer"\n'


def asks(club: MailClub, colour: str) -> Mail:
    """Return a new letter to a player, and empty the outbox."""
    host.resend(club, a_table(club), to_all=True)
    reader = read_roster(a_table(club)).player(colour)
    assert reader is not None
    return next(mail for mail in letters(club) if mail.to == reader.reader)


def says(club: MailClub, colour: str, words: str) -> Verdict:
    """Let a player answer a new letter; what is sent then stays in the outbox."""
    return take(club, reply(asks(club, colour), words))


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with a game in which all three are asked to add their second member; the outbox is empty."""
    made = a_club(tmp_path / "club", waves=True)
    letters(made)
    assert isinstance(the_record(made).state.phase, Adding)
    return made


def the_table(club: MailClub) -> Table:
    """Return the table as it is now."""
    return load(club, a_table(club))


def order_of(club: MailClub) -> tuple[str, ...]:
    """Return who is asked, the one who decides first."""
    return tuple(each.colour for each in the_table(club).situation.awaited)


def text(mail: Mail) -> str:
    return " ".join(mail.text.split())


# The clock


def test_everybody_who_is_asked_is_reminded_and_warned_and_nobody_who_has_answered(club: MailClub) -> None:
    first, second, third = order_of(club)
    ticked(club, 0)
    assert says(club, second, "stay").code == "planned"
    letters(club)
    for hour in (30, 48):
        ticked(club, hour)
    reminded = letters(club)
    ticked(club, 72)
    warned = letters(club)

    assert {mail.to for mail in reminded} == {ADDRESSES[first], ADDRESSES[third]}
    assert {mail.to for mail in warned} == {ADDRESSES[first], ADDRESSES[third]}
    assert all(mail.asks for mail in reminded + warned)


def test_the_time_of_a_question_goes_on_while_others_answer(club: MailClub) -> None:
    first, second, third = order_of(club)
    for hour in (0, 30):
        ticked(club, hour)
    assert says(club, second, "stay").code == "planned"
    assert says(club, first, "stay").code == "played"
    assert decides(the_record(club)) == third
    letters(club)

    ticked(club, 48)
    reminded = letters(club)
    ticked(club, 72)
    ticked(club, 84)

    assert [mail.to for mail in reminded] == [ADDRESSES[third]]
    told = next(mail for mail in letters(club) if mail.to == HOST)
    name = dict(the_record(club).players)[third]
    assert f"{name} has not answered since Sat 21 Nov, 12:00 UTC" in text(told)


def test_time_begins_again_for_a_player_who_answered_and_is_asked_again(club: MailClub) -> None:
    """The clock sees no question of a player who has answered."""
    first, second, _ = order_of(club)
    ticked(club, 0)
    says(club, second, "wait")
    ticked(club, 30)
    assert second not in {each.colour for each in the_table(club).clock.questions}
    says(club, first, "stay")
    ticked(club, 40)

    question = next(each for each in the_table(club).clock.questions if each.colour == second)
    assert timestamp(question.since) == "2026-11-23T04:00:00Z"


def test_the_clock_answers_before_the_turn_of_a_player_for_as_little_as_possible(club: MailClub) -> None:
    """The first one is away and waited for, so that only the others are late."""
    first, second, third = order_of(club)
    terms(club, ANSWERS)
    ticked(club, 0)
    host.away(club, a_table(club), first, "2026-12-10")
    for hour in (30, 60, 72):
        ticked(club, hour)
    letters(club)
    turn = the_record(club).turn

    done = ticked(club, 84)

    assert {line.partition(" for ")[2].partition(":")[2] for line in done[0].what} == {" stay"}
    assert the_record(club).turn == turn
    assert order_of(club) == (first,)
    told = {mail.to: text(mail) for mail in letters(club)}
    assert told.keys() == {ADDRESSES[second], ADDRESSES[third]}
    assert all("Your time was up, so I have answered for you: stay." in said for said in told.values())
    assert all("this was played for you" not in said for said in told.values())
    ticked(club, 100)
    assert letters(club) == []

    host.back(club, a_table(club), first)
    letters(club)
    assert says(club, first, "stay").code == "played"
    log = the_record(club).log
    assert [line.split()[1:3] for line in log[-3:]] == [[first, "stay"], [second, "stay"], [third, "stay"]]
    compare(a_table(club), rebuilt(club, a_table(club))[0].record)


def test_several_who_are_late_are_answered_for_one_after_the_other(club: MailClub) -> None:
    asked = order_of(club)
    terms(club, ANSWERS)
    for hour in (0, 30, 60, 72):
        ticked(club, hour)
    held = ticked(club, 84)
    turn = the_record(club).turn

    done = ticked(club, 84, release=True)
    again = ticked(club, 84, release=True)

    assert all("I have decided nothing" in line for line in held[0].what), "three of three are too many at once"
    names = dict(the_record(club).players)
    assert done[0].what == tuple(f"played for {names[colour]}: stay" for colour in asked)
    assert again == []
    assert [line.split()[1:3] for line in the_record(club).log if int(line.split()[0]) > turn][:3] == [
        [colour, "stay"] for colour in asked
    ]
    compare(a_table(club), rebuilt(club, a_table(club))[0].record)


def test_a_tick_that_is_broken_off_between_two_answers_is_made_good_by_the_next(
    club: MailClub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terms(club, ANSWERS)
    for hour in (0, 30, 60, 72):
        ticked(club, hour)
    shutil.copytree(club.folder, tmp_path / "other")
    other = club.changed(folder=tmp_path / "other")
    ticked(other, 84, release=True)
    answered: list[str] = []

    def once(*said: Any) -> Player:
        if answered:
            raise TryAgain("the disk is full")
        answered.append(said[4])
        return stand_in(*said)

    with monkeypatch.context() as broken:
        broken.setattr(deadlines, "stand_in", once)
        assert [type(done.error) for done in ticked(club, 84, release=True)] == [TryAgain]
    ticked(club, 84, release=True)

    assert the_record(club) == the_record(other)
    assert {mail.to for mail in letters(club)} == {mail.to for mail in letters(other)}
    assert order_of(club) == order_of(other)


@pytest.mark.parametrize("data", ["", ANSWERS, 'then = "substitute"\n'], ids=["tell", "answer", "substitute"])
def test_a_second_tick_at_the_same_time_changes_no_byte(club: MailClub, data: str) -> None:
    host.away(club, a_table(club), order_of(club)[1], "2026-11-20", "sub@x.example")
    host.away(club, a_table(club), order_of(club)[0], "2026-12-20")
    terms(club, data)
    for hour in (0, 24, 48, 60, 72, 84, 108, 132, 156, 168, 400):
        ticked(club, hour)
        before = tree(club.folder)

        ticked(club, hour)

        assert tree(club.folder) == before


# Status


def test_status_names_everybody_who_is_asked_and_has_not_answered(
    club: MailClub, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second, third = order_of(club)
    ticked(club, 0)
    says(club, second, "stay\nplan pass")
    ticked(club, 1)
    host.away(club, a_table(club), third, "")

    (row,) = rows_of(club)
    assert run(["mail", "status", str(club.folder), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["games"][0]
    shown = list(table_lines([row]))

    assert said == row
    assert [(each["colour"], each["since"], each["due"]) for each in row["asked"]] == [
        (first, "2026-11-21T12:00:00Z", "2026-11-24T12:00:00Z"),
        (third, None, None),
    ]
    assert (row["colour"], row["since"], row["due"]) == (first, "2026-11-21T12:00:00Z", "2026-11-24T12:00:00Z")
    names = dict(the_record(club).players)
    assert names[second] not in " ".join(shown)
    assert [line.split()[:3] for line in shown[1:3]] == [["friday", "0", names[first]], [names[third], "-", "-"]]
    assert shown[3].strip() == "away" or "away" in shown[3]
    assert max(map(len, shown)) <= 72
    assert "plan" not in json.dumps(row)


# The host's tools


def test_the_substitute_of_a_player_who_is_asked_with_others_is_asked_at_once(club: MailClub) -> None:
    first, second, third = order_of(club)
    for hour in (0, 30):
        ticked(club, hour)

    host.away(club, a_table(club), second, "", "sub@x.example")
    sent = letters(club)
    ticked(club, 48)

    assert {mail.to for mail in sent if mail.subject.startswith("[friday] your turn")} == {"sub@x.example"}
    assert {mail.to for mail in sent if "is away" in mail.subject} == {ADDRESSES[first], ADDRESSES[third]}
    assert journal_rows(a_table(club).journal)[-2][ASKS] == [second]
    assert {mail.to for mail in letters(club)} == {ADDRESSES[first], ADDRESSES[third]}, "the substitute has full time"
    assert says(club, second, "stay").code == "planned"
    assert says(club, first, "stay").code == "played"
    assert not any(mail.asks for mail in letters(club)), "nobody is sent the question again"


def test_the_others_hear_once_that_a_player_is_away_when_the_game_stops_there(club: MailClub) -> None:
    first, second, third = order_of(club)

    host.away(club, a_table(club), second, "2026-12-24")
    assert [mail.to for mail in letters(club)] == [ADDRESSES[second]], "the game goes on until then"
    assert says(club, first, "stay").code == "played"

    sent = {mail.to: text(mail) for mail in letters(club)}
    assert sent.keys() == {ADDRESSES[first], ADDRESSES[third]}
    name = dict(the_record(club).players)[second]
    told = f"{name} ({second}) is away until Thu 24 Dec 2026, and the game waits."
    assert all(told in said for said in sent.values())


def test_an_absence_by_mail_is_that_of_a_player_who_is_asked(club: MailClub) -> None:
    first, second, third = order_of(club)
    ticked(club, 0)

    assert says(club, second, "absent until 2026-12-24").code == "answered"
    sent = {mail.to for mail in letters(club)}
    for hour in (30, 60, 72):
        ticked(club, hour)

    assert sent == {ADDRESSES[second]}
    assert {mail.to for mail in letters(club)} == {ADDRESSES[first], ADDRESSES[third]}
    waited = {question.colour: question.waited.total_seconds() / 3600 for question in the_table(club).clock.questions}
    assert waited == {first: 72, second: 0, third: 72}


def test_the_question_is_sent_again_to_all_who_are_asked(club: MailClub) -> None:
    first, second, third = order_of(club)
    says(club, third, "stay")
    letters(club)

    sent = host.resend(club, a_table(club))

    assert {player.colour for player in sent} == {first, second}
    assert {mail.to for mail in letters(club)} == {ADDRESSES[first], ADDRESSES[second]}


def test_what_was_answered_for_a_player_is_told_in_the_language_of_the_letter(club: MailClub) -> None:
    first, _, third = order_of(club)
    roster = read_roster(a_table(club))
    keep_roster(a_table(club), roster._replace(players=tuple(each._replace(language="de") for each in roster.players)))
    terms(club, ANSWERS)

    host.decide(club, a_table(club), "", third)
    answered = text(letters(club)[0])
    host.decide(club, a_table(club))
    played = next(text(mail) for mail in letters(club) if mail.to == ADDRESSES[first])
    for hour in (0, 30, 60, 72, 84):
        ticked(club, hour)

    assert "Die Spielleitung hat für dich geantwortet: bleibe." in answered
    assert "Die Spielleitung hat für dich gespielt: bleibe." in played
    assert any("Deine Zeit war um, darum habe ich für dich gespielt: bleibe." in text(each) for each in letters(club))


def test_the_host_answers_for_one_of_those_who_are_asked(club: MailClub) -> None:
    first, second, third = order_of(club)
    names = dict(the_record(club).players)
    folder = str(club.folder)

    assert run(["mail", "answer", folder, "friday", "--player", names[third]]) == 0
    sent = letters(club)
    with pytest.raises(Illegal, match="not asked now"):
        host.decide(club, a_table(club), "", third)
    with pytest.raises(Illegal):
        host.decide(club, a_table(club), "add E2c", second)

    assert [mail.to for mail in sent] == [ADDRESSES[third]]
    assert "The host has answered for you: stay. It is played when it is your turn." in text(sent[0])
    assert order_of(club) == (first, second)
    assert host.decide(club, a_table(club))[0].colour == first
    assert host.decide(club, a_table(club))[0].colour == second
    assert [line.split()[1:3] for line in the_record(club).log if "stay" in line] == [
        [first, "stay"],
        [second, "stay"],
        [third, "stay"],
    ]
    compare(a_table(club), rebuilt(club, a_table(club))[0].record)


def test_after_a_takeback_all_who_are_asked_then_get_the_question(club: MailClub) -> None:
    first, second, third = order_of(club)
    says(club, third, "stay")
    says(club, first, "stay")
    letters(club)

    host.take_back(club, a_table(club))

    told = {mail.to: mail for mail in letters(club)}
    assert order_of(club) == (first, second, third), "early answers are over"
    assert all(told[ADDRESSES[colour]].asks for colour in (first, second, third))
    assert take(club, reply(told[ADDRESSES[third]], "wait")).code == "planned"
    assert take(club, reply(told[ADDRESSES[second]], "stay")).code == "planned"
    assert take(club, reply(told[ADDRESSES[first]], "stay")).code == "played"
    assert [mail.to for mail in letters(club) if mail.asks] == [ADDRESSES[third]]
    compare(a_table(club), rebuilt(club, a_table(club))[0].record)


def test_who_takes_a_seat_over_is_asked_whatever_the_former_player_answered(club: MailClub) -> None:
    first, second, third = order_of(club)
    says(club, second, "stay\nplan pass")
    names = dict(the_record(club).players)

    host.replace(club, a_table(club), second, "Dora", "dora@new.example")

    told = {mail.to: mail for mail in letters(club)}
    assert told["dora@new.example"].asks
    assert order_of(club) == (first, second, third)
    assert not any("plan pass" in text(mail) or "The plan is" in text(mail) for mail in told.values())
    assert take(club, reply(told["dora@new.example"], "wait")).code == "planned"
    assert names[second] != "Dora"


def test_who_only_gets_another_address_has_answered_all_the_same(club: MailClub) -> None:
    first, second, third = order_of(club)
    says(club, second, "stay\nalways drop least")
    name = dict(the_record(club).players)[second]

    host.replace(club, a_table(club), second, name, "new@x.example")

    assert order_of(club) == (first, third)
    asked = asks(club, second)
    assert asked.to == "new@x.example"
    take(club, reply(asked, "plan"))
    assert "drop least" in text(letters(club)[0])


def test_a_player_who_leaves_has_no_answer_and_no_plan_any_more(club: MailClub) -> None:
    first, second, third = order_of(club)
    says(club, second, "stay\nplan pass")
    assert says(club, second, "resign").code == "proposed"
    take(club, reply(letters(club)[0], "yes"))

    assert order_of(club) == (first, third)
    assert the_record(club).state.clan(second).resigned
