"""Requests and absences: what is granted, what is refused, and what the letters about it say."""

from datetime import UTC, datetime

import pytest
from tables import NAMES, Sitting, a_table

from pbem.errors import Illegal
from pbem.reading.lines import cleaned
from pbem.reading.recognisers.requests import request_of
from pbem.table import host
from pbem.table.people import BOT

DAN = "dan@sub.example"


@pytest.fixture
def table() -> Sitting:
    """Three at turn 6; everybody has a letter about it."""
    return a_table()


# Absence


def test_a_day_that_is_over_is_refused_before_the_first_tick_if_the_message_has_a_time(table: Sitting) -> None:
    asked = table.asked

    refused = table.hears(asked, "absent until 2020-01-01", came=datetime(2026, 11, 21, tzinfo=UTC))

    assert refused.told[asked].startswith("[friday] request refused: absent 2020-01-01")
    assert f"{NAMES[asked]}, your request was refused: absent 2020-01-01." in refused.told[asked]
    assert "2020-01-01 is already over" in refused.told[asked]
    assert refused.seat(asked).absent == ""


def test_before_the_first_tick_a_player_reads_that_no_clock_ends_the_absence(table: Sitting) -> None:
    asked = table.asked

    unknown = table.hears(asked, "absent until 2026-12-31").told[asked]
    ticked = table.ticks(0).hears(asked, "absent until 2026-12-31").told[asked]

    assert "You are away until Thu 31 Dec 2026, and the game waits for you. No clock runs in this game now" in unknown
    assert "You are away until Thu 31 Dec, and the game waits for you. If you return sooner" in ticked


def test_a_day_without_a_year_is_understood_by_the_time_of_the_message(table: Sitting) -> None:
    asked = table.asked

    away = table.hears(asked, "absent 3 Dec", came=datetime(2026, 11, 21, tzinfo=UTC))

    assert away.seat(asked).absent == "2026-12-03"


def test_nobody_plays_two_seats_as_a_substitute(table: Sitting) -> None:
    asked, other = table.asked, table.others[0]
    seat = table.seat(other)

    with pytest.raises(Illegal, match=rf"{seat.name} \({other}\) plays in this game, and nobody plays two seats"):
        table.away(asked, substitute=seat.address.upper())
    named_before = table.with_player(asked, substitute=seat.address)
    refused = named_before.hears(asked, "absent")

    assert refused.seat(asked).absent == ""
    assert "nobody plays two seats" in refused.told[asked]
    assert set(refused.told) == {asked}


def test_nobody_stands_in_for_two(table: Sitting) -> None:
    asked, other = table.asked, table.others[0]
    away = table.away(other, substitute=DAN, name="Dan").with_player(asked, substitute=DAN.upper())

    refused = away.hears(asked, "absent")

    assert refused.seat(asked).absent == ""
    assert f"stands in for {NAMES[other]} ({other}), and nobody plays two seats" in " ".join(
        refused.told[asked].split()
    )
    assert away.back(other).hears(asked, "absent").seat(asked).absent


def test_nobody_takes_a_seat_while_standing_in_for_another(table: Sitting) -> None:
    asked, other = table.asked, table.others[0]
    away, before = table.away(asked, substitute=DAN, name="Dan"), table.seat(other)
    seat = before._replace(name="Dan", address=DAN)

    with pytest.raises(Illegal, match=rf"Dan stands in for {NAMES[asked]} \({asked}\), and nobody plays two seats"):
        host.replace(away.table, before, seat)

    after = host.replace(away.back(asked).table, before, seat).after.roster.player(other)
    assert after is not None
    assert after.key != before.key
    assert after == seat._replace(key=after.key)


def test_two_seats_of_bots_may_have_bots_as_substitutes(table: Sitting) -> None:
    first, second = table.others

    away = table.with_player(first, address=BOT).away(second, substitute=BOT)

    assert away.seat(second).reader == BOT


def test_a_substitute_stays_for_the_next_time_and_the_player_reads_so(table: Sitting) -> None:
    asked = table.asked
    away = table.away(asked, substitute=DAN, name="Dan")

    back = away.hears(asked, "back", away.newest[DAN])
    assert "Welcome back. The next time that you are away, Dan stands in for you again." in str(back.letters)
    again = back.hears(asked, "absent")

    assert "You are away from now on, and Dan stands in for you." in str(again.letters)
    assert again.seat(asked).reader == DAN


def test_who_was_not_away_reads_that(table: Sitting) -> None:
    asked = table.asked

    back = table.hears(asked, "back")

    assert "You were not away, so nothing has changed." in back.told[asked]
    assert table.back(asked).letters == {}, "the host says so of somebody who is there"


@pytest.mark.parametrize(("name", "told"), [("Dan", "is away. Dan stands in."), ("", "is away, and has a substitute.")])
def test_the_others_hear_at_once_of_a_substitute_whom_the_host_names(table: Sitting, name: str, told: str) -> None:
    away, other = table.others
    quiet = table.with_player(other, news="none")

    after = table.away(away, substitute=DAN, name=name)

    assert set(after.told) == {table.asked, other}
    for text in after.told.values():
        assert text.startswith(f"[friday] {NAMES[away]} is away")
        assert f"{NAMES[away]} ({away}) {told}" in text
        assert DAN not in text
    assert set(quiet.away(away, substitute=DAN).told) == {table.asked}


def test_who_is_asked_because_a_bot_stands_in_reads_that_first(table: Sitting) -> None:
    after = table.away(table.asked, substitute=BOT)

    assert after.told[after.asked].startswith("[friday] your turn")
    assert f"{NAMES[table.asked]} ({table.asked}) is away. A bot stands in." in after.told[after.asked]


# Pauses


def test_letters_of_a_paused_game_do_not_say_how_to_answer(table: Sitting) -> None:
    asked = table.asked
    assert "To answer, write" in table.resent().told[asked]
    assert table.resent().letters[table.seat(asked).address].buttons

    paused = table.after(host.pause(table.table, "tea")).resent()

    text = paused.told[asked]
    assert text.startswith("[friday] the game is paused")
    assert "No orders are accepted until it is resumed." in text
    assert "You cannot answer now. When the game is resumed, you get this question again." in text
    assert "To answer" not in text
    assert "You cannot answer now." not in paused.told[table.others[0]]
    assert paused.letters[table.seat(asked).address].buttons == ()
    assert "To answer, write" in paused.after(host.resume(paused.table)).told[asked]


# What was refused, and what was not understood


def test_a_refused_request_is_the_one_that_the_headline_names(table: Sitting) -> None:
    asked = table.asked

    both = table.hears(asked, "show\nnews sometimes")

    assert f"{NAMES[asked]}, your request was refused: news sometimes." in both.told[asked]
    assert "here is the answer to your request: show." in table.hears(asked, "show").told[asked]


def test_an_answer_about_a_motion_says_that_it_is_one(table: Sitting) -> None:
    asked = table.asked

    text = table.hears(asked, "withdraw").told[asked]

    assert f"{NAMES[asked]}, this is the answer to what you wrote about a motion." in text
    assert "You have no motion that you could withdraw." in text


def test_a_plan_that_cannot_be_read_is_called_a_plan(table: Sitting) -> None:
    asked = table.asked

    text = table.hears(asked, "plan 99").told[asked]

    assert text.startswith("[friday] not kept: your plan is unclear")
    assert "card 99 is never in the market of this game" in text


@pytest.mark.parametrize("name", ["Zed", "Zed.", "Annabel"])
def test_who_asks_to_go_on_without_nobody_is_asked_who_is_meant(table: Sitting, name: str) -> None:
    asked = table.asked

    answer = table.hears(asked, f"go on without {name}")

    assert f"nobody in this game is called {name.strip('.')}. The players are" in answer.told[asked]
    assert answer.talk == []
    assert set(answer.told) == {asked}


@pytest.mark.parametrize("words", ["Let us go on without delay", "go on without Zed\nI mean it, friends"])
def test_other_words_about_going_on_are_talk(table: Sitting, words: str) -> None:
    said = table.hears(table.others[0], words)

    assert said.talk != []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("help absent", '"absent until 2026-12-31" or just "absent": you are away'),
        ("help with news", '"news turn": a letter when it is your turn'),
        ("Help take back, please", '"take back": you ask the others'),
        ("help go on without", '"go on without" and a name'),
    ],
)
def test_help_with_one_request_tells_of_that_one(table: Sitting, words: str, told: str) -> None:
    asked = table.asked

    answer = table.hears(asked, words)

    assert answer.code == "answered"
    assert told in answer.told[asked]
    assert '"suggest"' not in answer.told[asked]


@pytest.mark.parametrize("words", ["help Bob", "help me think", "help absent friends"])
def test_help_with_anything_else_is_talk(table: Sitting, words: str) -> None:
    assert table.hears(table.others[0], words).talk != []


# A seat that changes hands


def test_whoever_takes_a_seat_is_not_spoken_of_as_somebody_else(table: Sitting) -> None:
    asked, other = table.asked, table.others[0]
    before = table.seat(asked)

    after = table.after(host.replace(table.table, before, before._replace(name="Zoe", address="zoe@x.example")))

    assert f"You play {asked} from now on, instead of {before.name}." in after.told[asked]
    assert f"Zoe plays {asked} from now on" not in after.told[asked]
    assert f"Zoe plays {asked} from now on, instead of {before.name}." in after.told[other]


# Waves


def test_a_letter_to_several_says_what_to_write_to_wait() -> None:
    wave = next(each for turn in range(12, 60) if len((each := a_table(turn, waves=True)).table.asked) > 1)
    later = next(colour for colour in wave.table.asked if colour != wave.asked)

    assert 'To be asked when the others have answered, write "wait".' in wave.newest_text(later)
    assert wave.hears(later, "wait").code == "planned"


# What the host's log says


@pytest.mark.parametrize(
    ("words", "log"),
    [
        (("plan",), "shown what the player has said ahead"),
        (("forget",), "ended the player's plans"),
        (("plan pass",), "kept what the player says ahead"),
    ],
)
def test_the_log_says_what_became_of_a_plan(table: Sitting, words: tuple[str, ...], log: str) -> None:
    said = table
    for line in words:
        said = said.hears(table.others[0], line)

    assert (said.code, said.log) == ("planned", log)


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("options ?", "options"),
        ("Options?", "options"),
        ("back :)", "back"),
        ("sorry, help", "help"),
        ("help, sorry", "help"),
        ("is anybody back?", ""),
    ],
)
def test_a_request_may_end_with_a_question_mark_or_a_smile(line: str, request_: str) -> None:
    assert request_of(cleaned(line)) == request_


@pytest.mark.parametrize("words", ["try offer the {kind}", "try offer {card}, please"])
def test_what_is_tried_is_read_as_in_a_reply(words: str) -> None:
    table = a_table(3)
    state = table.table.kept.state
    card = state.components.cards[state.market.cards[1]]
    asked = table.asked

    plain = table.hears(asked, f"try offer {card.number}").told[asked]
    said = table.hears(asked, words.format(kind=card.kind, card=card.number)).told[asked]

    assert f"offer {card.number}" in plain
    assert said == plain
