"""Who is away, who stands in, and who hears of it."""

from collections.abc import Callable

import pytest
from tables import NAMES, Sitting, a_table, text_in

from pbem.table import host
from pbem.table.people import BOT, UNTIL_BACK

DAN = "dan@sub.example"


@pytest.fixture
def table() -> Sitting:
    """Three at turn 6; everybody has a letter about it."""
    return a_table()


@pytest.mark.parametrize(
    ("until", "substitute", "name", "told"),
    [
        (UNTIL_BACK, "", "", "is away, and the game waits."),
        ("2026-08-03", "", "", "is away until Mon 3 Aug 2026, and the game waits."),
        (UNTIL_BACK, DAN, "", "is away, and has a substitute."),
        ("2026-08-03", DAN, "Dan", "is away until Mon 3 Aug 2026. Dan stands in."),
        ("2026-08-03T18:00:00Z", "", "", "is away until Mon 3 Aug 2026, 18:00 UTC, and the game waits."),
    ],
)
def test_an_absence_is_told_as_it_is(table: Sitting, until: str, substitute: str, name: str, told: str) -> None:
    asked = table.asked

    after = table.away(asked, until, substitute, name).resent()

    for colour in table.others:
        assert f"{NAMES[asked]} ({asked}) {told}" in after.told[colour]
        assert "sub.example" not in after.told[colour]


def test_all_are_told_at_once_if_the_game_waits_for_somebody_who_is_away(table: Sitting) -> None:
    after = table.away(table.asked)

    assert set(after.told) == {table.asked, *table.others}
    assert all(after.told[each].startswith(f"[friday] {NAMES[table.asked]} is away") for each in table.others)


def test_only_the_player_reads_of_an_absence_for_which_the_game_does_not_wait(table: Sitting) -> None:
    away, other = table.others

    after = table.away(away)
    assert set(after.told) == {away}
    assert after.told[away].startswith("[friday] you are away")
    assert 'the game waits for you. When you return, write "back".' in after.told[away]
    again = after.resent()

    assert "is away" not in again.told[other]
    assert "is away" not in again.told[table.asked]


def test_all_are_told_when_the_game_comes_to_somebody_who_is_away(table: Sitting) -> None:
    after = table.away(table.goes_on().asked).goes_on()

    assert set(after.told) >= set(after.others)
    assert all(f"({after.asked}) is away, and the game waits." in after.told[colour] for colour in after.others)


def test_a_substitute_gets_the_question_and_the_player_has_it_again_afterwards(table: Sitting) -> None:
    asked = table.asked

    away = table.away(asked, substitute=DAN, name="Dan")
    assert "You are standing in for" in away.told[asked]
    home = table.seat(asked).address
    assert set(away.letters) == {DAN, home, *(table.seat(colour).address for colour in table.others)}
    back = away.back(asked)

    assert set(back.letters) == {table.seat(asked).address, DAN}
    assert "Welcome back." in back.told[asked]
    assert f"You no longer stand in for {NAMES[asked]} ({asked})" in str(back.letters[DAN])
    assert back.goes_on().code == "played"


@pytest.mark.parametrize(("substitute", "name", "who"), [(DAN, "Dan", "Dan"), (BOT, "", "a bot")])
@pytest.mark.parametrize("is_asked", [True, False])
def test_a_player_whom_the_host_marks_as_away_hears_who_plays_and_is_not_asked(
    table: Sitting, substitute: str, name: str, who: str, *, is_asked: bool
) -> None:
    colour = table.asked if is_asked else table.others[0]

    away = table.away(colour, substitute=substitute, name=name)

    letter = away.letters[table.seat(colour).address]
    assert letter.subject == "[friday] you are away"
    assert f'{who} stands in for you. When you return, write "back".' in text_in(letter)
    assert f"{NAMES[colour]}, the host has noted that you are away." in text_in(letter)
    assert not letter.buttons
    back = away.hears(colour, "back", letter)
    assert back.code == "answered"
    assert back.seat(colour).is_home


def test_a_substitute_has_the_question_once_whatever_else_happens(table: Sitting) -> None:
    other, _ = table.others

    away = table.away(table.asked, substitute=DAN)
    assert "You are standing in for" in str(away.letters[DAN])

    assert set(away.away(other).letters) == {table.seat(other).address}


def test_a_player_who_leaves_by_a_message_is_told_of_it_and_the_substitute_is_asked(table: Sitting) -> None:
    asked = table.asked
    table = table.with_player(asked, substitute=DAN, substitute_name="Dan")

    away = table.hears(asked, "absent")

    assert "Dan stands in for you" in str(away.letters[table.seat(asked).address])
    assert "You are standing in for" in str(away.letters[DAN])


def test_a_bot_stands_in_while_a_person_plays_and_not_alone(table: Sitting) -> None:
    asked = table.asked

    assert table.away(asked, substitute=BOT).table.kept.turn > table.table.kept.turn
    for colour in table.others:
        table = table.with_player(colour, address=BOT)
    alone = table.away(asked, substitute=BOT)

    assert alone.table.kept == table.table.kept
    assert alone.asked == asked


def test_no_letter_goes_to_a_bot(table: Sitting) -> None:
    table = table.with_player(table.others[0], address=BOT)

    for _ in range(4):
        table = table.hears(table.asked, table.order)
        assert BOT not in table.letters
        assert table.seat(table.asked).address != BOT


# Notes, which nobody else may read


def test_a_substitute_neither_reads_nor_writes_notes(table: Sitting) -> None:
    asked = table.asked
    noted = table.hears(asked, "note attack at the fish")
    assert "Your note says: attack at the fish" in noted.told[asked]

    away = noted.away(asked, substitute=DAN, name="Dan")
    assert "attack at the fish" not in away.told[asked]
    for words in ("note a plan of Dan's", "note"):
        answer = away.hears(asked, words)
        assert "I did not keep the note" in answer.told[asked]
        assert "attack at the fish" not in answer.told[asked]

    assert "Your note says: attack at the fish" in away.back(asked).told[asked]


@pytest.mark.parametrize(("name", "keeps"), [("Zoe", False), ("", True)], ids=["somebody else", "another address"])
def test_a_note_stays_with_its_player_and_not_with_the_seat(table: Sitting, name: str, *, keeps: bool) -> None:
    asked = table.asked
    noted = table.hears(asked, "note attack at the fish")
    before = noted.seat(asked)
    seat = before._replace(name=name or before.name, address="new@x.example", key=b"another key")

    after = noted.after(host.replace(noted.table, before, seat))

    assert ("attack at the fish" in after.told[asked]) is keeps


def test_a_note_is_in_the_own_letters_alone_until_it_is_cleared(table: Sitting) -> None:
    asked = table.asked
    noted = table.hears(asked, "Hello\nnote attack\nat the fish\n\nGood luck, all")
    assert noted.talk == ["Hello\n\nGood luck, all"]
    for colour, text in noted.resent().told.items():
        assert ("attack at the fish" in text) is (colour == asked)

    other = noted.hears(asked, "note buy fire")
    assert "attack" not in other.told[asked]
    cleared = other.hears(asked, "note")

    assert "I have cleared your note. It said: buy fire" in cleared.told[asked]
    assert "You have no note." in cleared.hears(asked, "Note.").told[asked]


# Pauses


def test_a_paused_game_takes_no_order_and_all_read_why(table: Sitting) -> None:
    paused = table.after(host.pause(table.table, "tea"))
    assert set(paused.told) == set(NAMES) & {"green", "red", "blue"}
    assert all("tea" in text for text in paused.told.values())

    assert paused.hears(table.asked, table.order).code == "paused"
    resumed = paused.after(host.resume(paused.table))
    assert all("The game goes on." in text for text in resumed.told.values())

    assert resumed.goes_on().code == "played"


@pytest.mark.parametrize(
    "does", [host.resume, lambda table: host.resend(table, to_all=False)], ids=["resume", "resend"]
)
def test_what_changes_nothing_is_told_to_nobody_else(table: Sitting, does: Callable[..., object]) -> None:
    after = table.after(does(table.table))  # type: ignore[arg-type]

    assert set(after.told) <= {table.asked}


def test_a_player_who_is_asked_reads_that_first_even_if_it_is_the_turn_of_somebody_who_is_away() -> None:
    """With waves, an order can put a question to several, the first of whom is away."""
    waves = (each for turn in range(1, 40) if len((each := a_table(turn, waves=True)).table.asked) > 1)
    wave = next(each for each in waves if a_table(each.table.kept.turn - 1).asked not in each.table.asked)
    before = a_table(wave.table.kept.turn - 1, waves=True)
    order = next(str(entry.move) for entry, _ in reversed(wave.table.kept.history) if entry.is_order)
    other = next(colour for colour in wave.table.asked if colour != wave.asked)

    after = before.away(wave.asked).hears(before.asked, order)

    assert after.asked == wave.asked
    assert after.told[other].startswith("[friday] your turn")
    assert f"{NAMES[wave.asked]} ({wave.asked}) is away, and the game waits." in after.told[other]
