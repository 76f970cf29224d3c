"""The kinds of motions: each is read as it is written, and what one changes of the seats follows from the roster."""

from datetime import timedelta

import pytest
from more_kinds import MORE, BotPlays
from tables import NAMES, Sitting, a_table, late_and_others, text_in

from pbem.errors import Illegal
from pbem.first_sparks.bot.seats import is_bot
from pbem.plans.intents import Intent
from pbem.reading.vocabulary import table as table_of_words
from pbem.table.lines import line_now, matter_in
from pbem.table.matters.kinds import (
    KINDS,
    MOVED,
    Answer,
    ChangeKey,
    Exclude,
    Pause,
    Replace,
    Resume,
    SetClock,
)
from pbem.table.matters.matter import Matter, OfSeat
from pbem.table.matters.respites import Respite
from pbem.table.matters.takebacks import TakeBack
from pbem.table.minutes import Meeting, Minutes
from pbem.table.motions import check
from pbem.table.people import BOT, somebody_new, writer_of


@pytest.fixture
def table() -> Sitting:
    """Three at turn 6; everybody has a letter about it."""
    return a_table()


def test_whatever_a_message_moves_has_words_and_sentences() -> None:
    todo = "what has a request needs words in [motions.moves] of reading/words/en.toml, and no other"
    assert MOVED.keys() == table_of_words("motions.moves").keys(), todo
    assert all(kind.texts for kind in MOVED.values())


def test_every_kind_of_motion_is_read_as_it_is_written() -> None:
    """Each class of matters is a row of the kinds, and its line says the same again."""
    matters = (
        *(TakeBack(3), Exclude("red"), SetClock(timedelta(days=2), "answer"), SetClock(timedelta())),
        *(ChangeKey("red", "ssh-ed25519 AAAA"), Replace("red", "", "Zoe Z"), Replace("red", "ssh-ed25519 A=", "Zoe")),
        *(Respite("2026-12-31"), Respite("2026-12-31", "-03:30"), Pause(), Resume(), Answer("red", "buy 3")),
    )

    assert [matter_in(str(matter)) for matter in matters] == list(matters)
    kinds = {*Matter.__subclasses__(), *OfSeat.__subclasses__()} - {OfSeat, *MORE}
    assert {*KINDS} == kinds, "add the class to KINDS in table/matters/kinds.py"
    assert {type(matter) for matter in matters} == {*KINDS}, "add a motion of the new kind above"
    assert len({kind.word for kind in KINDS}) == len(KINDS)


@pytest.mark.usefixtures("more_kinds")
def test_a_new_kind_of_motion_with_arguments_is_a_class_and_its_words(table: Sitting) -> None:
    late, name, mover, other = late_and_others(table)
    asked = table.hears(mover, f"swap with {name} on monday")

    assert f"{NAMES[mover]} asks to swap seats with {name} ({late}) on monday." in asked.told[late]
    assert set(asked.told) == {late, mover, other}
    another = asked.hears(other, f"swap with {name} on friday")
    assert "There can be only one motion at a time" in another.told[other]
    again = another.hears(mover, f"swap with {name} on monday")
    assert "It is your own motion." in again.told[mover]
    agreed = again.hears(other, "agree").hears(late, "agree")
    motion = agreed.table.open_motion
    assert motion is not None
    assert matter_in(str(motion.matter)) == motion.matter
    assert agreed.table.missing(motion) == ()


@pytest.mark.usefixtures("more_kinds")
def test_who_has_another_seat_by_a_motion_finds_no_note_or_plan_there_and_needs_a_new_letter(table: Sitting) -> None:
    late, name, mover, _ = late_and_others(table)
    noted = table.hears(late, "note wait for fire")
    noted = noted._replace(table=noted.table.but(ahead={late: Intent(always=("always drop least",), writer="x")}))

    done = noted.hears(mover, f"swap with {name} on monday").carried_out()

    assert (done.seat(late).name, done.seat(mover).name) == (NAMES[mover], name)
    assert (done.table.notes, done.table.ahead.get(late)) == ({}, None)
    assert f"{NAMES[mover]} and {name} have swapped seats." in done.told[mover]
    assert "wait for fire" not in str(done.told)
    assert done.hears(late, table.order, done.newest[done.seat(late).reader]).code == "played"
    former = writer_of(done.table.roster, table.newest[f"{name.lower()}@x.example"].ticket)
    assert former is not None
    assert not former.valid


@pytest.mark.usefixtures("more_kinds")
def test_no_letter_counts_again_when_players_have_their_seats_again_by_another_motion(table: Sitting) -> None:
    late, _, mover, _ = late_and_others(table)
    before = table.newest[table.seat(late).reader].ticket

    for _ in range(2):
        named = table.seat(late).name
        table = table.hears(mover, f"swap with {named} on monday").carried_out()

    assert table.seat(late).name == NAMES[late]
    former = writer_of(table.table.roster, before)
    assert former is not None
    assert not former.valid


@pytest.mark.usefixtures("more_kinds")
def test_whoever_loses_a_seat_by_a_motion_is_told_so_and_so_is_the_substitute(table: Sitting) -> None:
    late, name, mover, other = late_and_others(table)
    lost = table.seat(late).address
    table = table.away(late, substitute="dora@x.example", name="Dora")
    asked = table.hears(mover, f"let a bot play for {name}")
    assert f"{NAMES[mover]} asks to let a bot play for you." in text_in(asked.letters[lost])  # whose seat it is
    to_substitute = text_in(asked.letters["dora@x.example"])
    assert f"{NAMES[mover]} asks to let a bot play for {name}." in to_substitute
    assert f"Any order or word from you or from {name} ends that motion." in to_substitute

    done = asked.hears(other, "agree").carried_out()

    assert (done.seat(late).name, done.seat(late).reader) == ("Bot", BOT)
    assert "It is your seat: a bot plays." in text_in(done.letters[lost])
    assert "no more letters about this game" in text_in(done.letters[lost])
    assert f"You no longer stand in for {name}" in text_in(done.letters["dora@x.example"])
    assert set(done.told) >= {mover, other}
    assert done.said[-2:] == [
        f"{mover} decides to let a bot play for {late}",
        f"host decides to seat Bot as {late}",
    ]
    assert matter_in(f"let a bot play for {late}").in_git is False


def test_what_only_a_club_can_do_is_refused_in_a_repository(table: Sitting) -> None:
    late, _, mover, _ = late_and_others(table)
    record = table.table.kept
    line = line_now(record, mover, BotPlays(late), 1, proposed=True)

    with pytest.raises(Illegal, match="only be decided in a club, not in a repository"):
        check(line, Meeting(record, Minutes(), is_signed=False, asked_since=lambda: 1))


@pytest.mark.usefixtures("more_kinds")
def test_whoever_rests_by_a_motion_keeps_the_seat_and_the_letters(table: Sitting) -> None:
    late, name, mover, other = late_and_others(table)
    before = table.newest[table.seat(late).address]
    asked = table.hears(mover, f"let {name} rest until 2026-12-24")

    done = asked.hears(other, "agree").carried_out()

    assert (done.seat(late).absent, done.seat(late).key) == ("2026-12-24", table.seat(late).key)
    assert f"{name} ({late}) is away until Thu 24 Dec 2026, and the game waits." in done.told[other]
    assert "It is your seat: somebody rests." in done.told[late]
    assert done.said[-1] == f"{mover} decides to let {late} rest until 2026-12-24"
    assert done.hears(late, table.order, before).code == "played"


@pytest.mark.parametrize("bots", [(), ("Bot",), ("Bot 2",), ("Bot", "Bot 2")])
def test_a_bot_that_gets_a_seat_has_a_name_that_no_other_seat_has(bots: tuple[str, ...]) -> None:
    table = a_table(players=4)
    others = [player.colour for player in table.table.roster.players][1:]
    for colour, bot in zip(others, bots, strict=False):
        table = table.with_player(colour, name=bot, address=BOT)
    roster = table.table.roster

    seated = roster.changed(somebody_new(roster, roster.players[0], "bot", BOT))

    assert len({player.name for player in seated.players}) == 4
    assert is_bot(seated.players[0].name)
