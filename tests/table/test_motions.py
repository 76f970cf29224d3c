"""What players ask each other to agree to: moves taken back, and a game that goes on without somebody."""

from datetime import timedelta

import pytest
from tables import NAMES, Sitting, a_table, late_and_others

from pbem.first_sparks.adjudicator import Entry
from pbem.first_sparks.moves import Pass
from pbem.first_sparks.phases import Answering
from pbem.locale import Language, speaking
from pbem.reading.recognisers.motions import spoken_in
from pbem.rulings import orders_of
from pbem.table import host
from pbem.table.lines import TableLine, line_now
from pbem.table.matters.kinds import (
    Exclude,
    SetClock,
)
from pbem.table.matters.matter import Matter
from pbem.table.matters.takebacks import MOST_TOLD, TakeBack, by_host
from pbem.table.minutes import Minutes
from pbem.table.people import BOT
from pbem.table.progress import go_on


@pytest.fixture
def table() -> Sitting:
    """Three at turn 6; everybody has a letter about it."""
    return a_table()


@pytest.mark.parametrize(
    ("language", "end"),
    [
        ("en", "; and 2 more."),
        ("it", "; e altre 2."),
        ("fr", "\N{NO-BREAK SPACE}; et 2 de plus."),
        ("de", "; und 2 weitere."),
    ],
)
def test_of_very_many_moves_that_no_longer_count_the_rest_is_counted(language: Language, end: str) -> None:
    undone = [Entry(turn, "red", "red", Pass()) for turn in range(1, MOST_TOLD + 3)]

    with speaking(language):
        few, many = by_host(undone[:MOST_TOLD], 0), by_host(undone, 0)

    assert many == few.removesuffix(".") + end


def test_a_takeback_needs_everybody(table: Sitting) -> None:
    first, second, third = table.others[0], table.others[1], table.asked
    turn = orders_of(table.table.kept, first)[-1].turn - 1
    asked = table.hears(first, "Oops.\n\nplease take back my move")
    assert asked.code == "answered"
    assert "It is done when each of them has agreed." in asked.told[first]
    for colour in (second, third):
        said = f"{NAMES[first]} asks to take the game back to turn {turn}, to before {NAMES[first]}'s last own order."
        assert said in asked.told[colour]

    one = asked.hears(second, "take back")
    assert f"You have agreed. {NAMES[third]} must still agree." in one.told[second]
    both = one.hears(third, "I agree", asked.newest[NAMES[third].lower() + "@x.example"])

    motion = both.table.open_motion
    assert motion is not None
    assert motion.matter == TakeBack(turn)
    assert both.table.missing(motion) == ()
    done = both.after(host.undo(both.table, turn, motion))
    assert done.table.kept.turn == turn
    assert done.table.motion is None
    for text in done.told.values():
        assert f"All of you have agreed to take the game back to turn {turn}, as {NAMES[first]} asked." in text
        assert "is over" not in text
        assert "The host has taken" not in text
    assert set(done.told) == {first, second, third}


@pytest.mark.parametrize("words", ["take back", "go on without {absent}"])
def test_who_is_asked_to_agree_does_not_read_that_there_is_nothing_to_decide(table: Sitting, words: str) -> None:
    mover, other = table.others

    text = table.hears(mover, words.format(absent=NAMES[table.asked])).told[other]

    assert "Do you agree?" in text
    assert "Apart from what is asked above, you have nothing to decide now." in text
    assert "You have nothing to decide now." not in text


def test_a_yes_to_the_letter_agrees_and_a_no_ends_it(table: Sitting) -> None:
    late, name, first, second = late_and_others(table)
    asked = table.hears(first, "take back")

    agreed = asked.hears(second, "yes, sure")
    assert agreed.code == "answered"
    assert agreed.table.motion is not None
    assert agreed.table.motion.agreed == (second,)
    no = agreed.hears(late, "I disagree")
    assert no.code == "answered"
    assert no.table.motion is None
    assert no.table.kept == table.table.kept
    assert f"{name} objects, so your motion is over." in no.told[first]

    again = no.hears(second, "agree", asked.newest[agreed.seat(second).reader])
    assert "There is nothing that you are asked to agree to now." in again.told[second]


def test_a_yes_that_could_answer_the_question_of_the_game_is_not_played() -> None:
    table = next(t for turn in range(6, 40) if isinstance((t := a_table(turn)).table.kept.state.phase, Answering))
    asked = table.hears(table.others[0], "take back")

    answer = asked.hears(table.asked, "yes")

    assert answer.code == "proposed"
    assert answer.table.kept == table.table.kept
    assert answer.table.motion is not None
    assert answer.table.motion.agreed == ()


@pytest.mark.parametrize(
    ("language", "words", "code"),
    [
        *(("en", words, "proposed") for words in ("I decline", "decline", "I refuse", "not for me", "take it")),
        *(("de", words, "proposed") for words in ("Ich lehne ab", "abgelehnt", "Ich nehme an", "angenommen")),
        *(("fr", words, "proposed") for words in ("je refuse", "d'accord")),
        ("it", "rifiuto", "proposed"),
        *(("en", words, "played") for words in ("buy", "I buy it")),
        ("de", "kaufe", "played"),
        *(("en", words, "answered") for words in ("I agree", "Yes, I agree", "object")),
    ],
)
def test_what_may_answer_a_motion_is_no_order_in_reply_to_the_letter_about_it(
    language: Language, words: str, code: str
) -> None:
    table = next(t for turn in range(6, 40) if isinstance((t := a_table(turn)).table.kept.state.phase, Answering))
    table = table.with_player(table.asked, language=language).hears(table.others[0], "take back")

    assert table.hears(table.asked, words).code == code


def test_a_no_that_passes_on_the_own_turn_is_not_played_either(table: Sitting) -> None:
    late, _, mover, _ = late_and_others(table)

    answer = table.hears(mover, "take back").hears(late, "No, thanks")

    assert answer.code == "proposed"
    assert answer.table.kept == table.table.kept
    assert f"If you meant to answer what {NAMES[mover]} has asked all of you" in answer.told[late]
    assert answer.hears(late, "disagree").table.motion is None


def test_a_motion_is_withdrawn_by_nobody_but_its_owner(table: Sitting) -> None:
    asked = table.hears("green", "take back")

    other = asked.hears("red", "withdraw")
    assert "You have no motion" in other.told["red"]
    own = other.hears("green", "withdraw")

    assert set(own.told) == {"green"}
    assert "Your motion is withdrawn." in own.told["green"]
    assert "objects" not in own.told["green"]
    assert own.table.motion is None


def test_a_motion_lapses_when_the_game_goes_on_and_its_owner_reads_that_once(table: Sitting) -> None:
    mover, _ = table.others
    over = "Your motion to take the game back is over, since the game has gone on."
    read = []

    table = table.hears(mover, "take back")
    for _ in range(8):
        table = table.goes_on()
        read += [colour for colour, text in table.told.items() if over in text]

    assert read == [mover]
    assert table.table.motion is None


@pytest.mark.slow
def test_an_owner_reads_that_a_motion_is_over_though_somebody_else_has_made_another_since() -> None:
    over = "Your motion to take the game back is over, since the game has gone on."
    untold = 0
    for turn in range(4, 16):
        table = a_table(turn, players=4)
        owner, mover = table.others[:2]
        gone_on = table.hears(owner, "take back").goes_on()
        if owner not in gone_on.told and gone_on.asked:
            untold += 1
            told = gone_on.hears(mover, "take back").told
            assert over in told[owner]
            assert not any(over in text for colour, text in told.items() if colour != owner)
    assert untold


def test_the_end_of_a_motion_does_not_hide_whose_turn_it_is(table: Sitting) -> None:
    mover, other = table.asked, table.others[0]
    moved = table.hears(mover, "take back")

    ended = moved.hears(other, "object", moved.newest[moved.seat(other).reader])

    assert ended.told[mover].startswith("[friday] your motion is over, your turn: ")
    assert "it is your turn" in ended.told[mover]
    third = table.others[1]
    asked = table.hears(other, f"go on without {NAMES[mover]}")
    kept = asked.hears(third, "object", asked.newest[asked.seat(third).reader])
    assert kept.told[mover].startswith("[friday] you keep your seat, your turn: ")


def test_there_is_one_motion_at_a_time(table: Sitting) -> None:
    asked = table.hears("green", "take back")

    second = asked.hears("red", "go on without Cy").told["red"]
    assert "Ann has asked to take the game back to turn" in second
    assert "There can be only one motion at a time" in second
    assert "It is your own motion." in asked.hears("green", "take back").told["green"]


def test_an_agreement_to_an_earlier_motion_does_not_count_for_a_later_one(table: Sitting) -> None:
    first = table.hears("green", "take back")
    letter = first.newest[first.seat("red").reader]
    second = first.hears("green", "withdraw").hears("blue", "take back")

    late = second.hears("red", "agree", letter)

    assert "You answered an older letter." in late.told["red"]
    assert late.table.motion is not None
    assert late.table.motion.agreed == ()


def test_motions_of_a_player_in_a_turn_are_limited(table: Sitting) -> None:
    for _ in range(3):
        table = table.hears("green", "take back")
        assert set(table.told) == set(NAMES) & {"green", "red", "blue"}
        table = table.hears("green", "withdraw")

    table = table.hears("green", "take back")

    assert set(table.told) == {"green"}
    assert "You have asked for this often enough in this turn." in table.told["green"]
    assert table.table.motion is None


@pytest.mark.parametrize("reason", [", she never answers", " because she is away", ", red"])
def test_a_reason_beside_a_motion_is_no_part_of_the_name(table: Sitting, reason: str) -> None:
    late, name, mover, _ = late_and_others(table)
    motion = table.hears(mover, f"I'd like to go on without {name}{reason.replace('red', late)}").table.open_motion

    assert motion is not None
    assert motion.whom == late


def test_a_name_is_understood_without_its_accents(table: Sitting) -> None:
    late, _, mover, _ = late_and_others(table)
    said = table.with_player(late, name="Benoît").hears(mover, "go on without benoit")

    assert "I have asked" in said.told[mover]


def test_whoever_agrees_to_take_back_and_goes_on_is_asked_what_is_meant(table: Sitting) -> None:
    asked = table.hears(table.others[0], "take back")

    both = asked.hears(table.asked, f"agree\n{table.order}")

    assert both.code == "proposed"
    assert both.table.open_motion is not None
    assert "If you meant to answer what" in both.told[table.asked]


@pytest.mark.parametrize(
    "words", ["I take back my offer", "Withdraw my offer, please", "cancel my last move", "undo my move"]
)
def test_a_late_wish_to_change_the_own_order_is_a_wish_to_take_it_back(table: Sitting, words: str) -> None:
    motion = table.hears(table.others[0], words).table.open_motion

    assert motion is not None
    assert motion.matter.word == "take back"


def test_an_order_beside_a_wish_to_take_back_is_only_proposed(table: Sitting) -> None:
    answer = table.hears(table.asked, f"{table.order}\n\ntake back")

    assert answer.code == "proposed"
    assert answer.table.kept == table.table.kept
    assert answer.table.motion is None


@pytest.mark.parametrize("words", ["take back", "go on without Bob"])
def test_nothing_is_moved_in_a_paused_game(table: Sitting, words: str) -> None:
    paused = table.after(host.pause(table.table, ""))

    answer = paused.hears("green", words)

    assert "This has to wait until the game is resumed." in answer.told["green"]
    assert answer.table.motion is None


def test_what_was_moved_before_a_pause_waits_for_its_end(table: Sitting) -> None:
    asked = table.hears("green", "take back").hears("red", "agree")
    paused = asked.after(host.pause(asked.table, ""))
    assert "This has to wait until the game is resumed." in paused.hears("blue", "agree").told["blue"]
    resumed = paused.after(host.resume(paused.table))

    agreed = resumed.hears("blue", "agree")

    motion = agreed.table.open_motion
    assert motion is not None
    assert agreed.table.missing(motion) == ()


def test_nothing_is_moved_before_the_first_order() -> None:
    table = a_table(0)

    assert "You have not given an order yet" in table.hears("green", "take back").told["green"]
    assert "No order has been given yet." in table.hears("green", "go on without Bob").told["green"]


def test_nothing_is_moved_when_the_game_is_over() -> None:
    table = next(t for turn in range(60, 400, 20) if (t := a_table(turn)).table.is_over) if False else ended()

    for words in ("take back", "go on without Bob"):
        assert "The game is over, so there is nothing left" in table.hears("green", words).told["green"]


def ended() -> Sitting:
    """Return a table at which only green has not resigned."""
    table = a_table(0)
    for colour in ("red", "blue"):
        asks = table.hears(colour, "resign")
        assert asks.code == "proposed"
        table = asks.hears(colour, "yes")
        assert table.code == "played"
    return table


def test_of_two_players_the_other_agrees_to_a_takeback_and_nobody_goes_on_alone() -> None:
    table = a_table(1, 2)
    (mover,) = {colour for colour in ("green", "red") if orders_of(table.table.kept, colour)}
    other = "red" if mover == "green" else "green"

    alone = table.hears(other, f"go on without {NAMES[mover]}")
    assert "you cannot decide that alone. Ask the host, host@example.org" in alone.told[other]
    agreed = table.hears(mover, "take back").hears(other, "agree")

    motion = agreed.table.open_motion
    assert motion is not None
    assert agreed.table.missing(motion) == ()


@pytest.mark.parametrize("salted", [False, True])
def test_draws_that_would_be_the_same_again_are_named(*, salted: bool) -> None:
    """With salts of the players' messages they would be others."""
    table = next(t for turn in range(6, 60) if " * draw " in f" {undone(t := a_table(turn))} ")
    chance = table.table.kept.chance._replace(salted=salted)
    table = table._replace(table=table.table.but(kept=table.table.kept._replace(chance=chance)))

    told = table.hears(table.others[0], "take back").told[table.asked]

    assert ("The draws among them would be the same again in the same situation." in told) is not salted


def undone(table: Sitting) -> str:
    """Return the lines of the log since the last own order of a player whose turn it is not."""
    record = table.table.kept
    turn = orders_of(record, table.others[0])[-1].turn if orders_of(record, table.others[0]) else record.turn
    return " ".join(str(entry) for entry, _ in record.history if entry.turn >= turn)


def test_nothing_is_taken_back_once_the_secret_is_public(table: Sitting) -> None:
    kept = table.table.kept
    known = table._replace(table=table.table.but(kept=kept._replace(chance=kept.chance._replace(kind="sealed"))))

    answer = known.hears("green", "take back")

    assert "The secret of the draws is public, so nothing can be changed in this game." in answer.told["green"]
    assert answer.table.motion is None


def test_moves_that_are_taken_back_end_all_motions_and_a_clock_counts_from_when_it_was_set() -> None:
    """What was agreed before might not be agreed after it."""
    record = a_table().table.kept

    def line(by: str, said: Matter, *, proposed: bool = False) -> TableLine:
        return line_now(record, by, said, 1000, proposed=proposed)

    moved = (
        Minutes().after(line("green", Exclude("red"), proposed=True)).after(line("blue", TakeBack(2), proposed=True))
    )
    assert len(moved.motions) == 2
    assert moved.after(line("green", TakeBack(3))).motions == ()
    assert len(moved.after(line("green", SetClock(timedelta(days=1)))).motions) == 2
    assert moved.after(line("green", SetClock(timedelta(days=1)))).standing.clock_set == 1000


# Going on without somebody


def test_all_others_must_agree_to_go_on_without_somebody(table: Sitting) -> None:
    late, name, mover, other = late_and_others(table)

    asked = table.hears(mover, f"let's go on without {name}")

    assert f"I have asked {NAMES[other]}." in asked.told[mover]
    assert f"{NAMES[mover]} asks that the game goes on without {name} ({late})." in asked.told[other]
    assert "asks to go on without you" in asked.told[late]
    assert "asks the others to go on without you" in asked.told[late]
    motion = asked.hears(other, f"go on without {name}").table.open_motion
    assert motion is not None
    assert motion.agreed == (other,)


@pytest.mark.parametrize("words", ["I am here, sorry!", "help", "offer 99", "an order"])
def test_any_word_of_the_player_ends_the_motion(table: Sitting, words: str) -> None:
    late, name, mover, other = late_and_others(table)
    asked = table.hears(mover, f"go on without {name}")

    here = asked.hears(late, table.order if words == "an order" else words)

    assert here.table.motion is None
    over = f"{name} has written, so your motion to go on without {name} is over."
    assert over in here.told[mover]
    assert here.hears(other, "agree", asked.newest[here.seat(other).reader]).table.motion is None


def test_a_robot_of_the_player_does_not(table: Sitting) -> None:
    late, name, mover, _ = late_and_others(table)
    asked = table.hears(mover, f"go on without {name}")

    assert asked.hears(late, "I am on holiday", person=False).table.motion is not None


def test_who_was_to_leave_hears_that_the_motion_is_over_and_talk_ends_none(table: Sitting) -> None:
    late, _, mover, other = late_and_others(table)
    asked = table.hears(mover, f"go on without {late}")
    letter = asked.newest[asked.seat(other).reader]

    talk = asked.hears(other, "I disagree, give it a day")
    assert talk.table.motion is not None
    assert "If you meant to answer what" in talk.told[other]
    no = talk.hears(other, "I disagree.", letter)

    assert "Nobody asks to go on without you any more." in no.told[late]
    assert "objects" in no.told[mover]


def test_nobody_goes_on_without_a_bot_or_without_who_has_left_or_without_oneself(table: Sitting) -> None:
    left = table.hears("blue", "resign").hears("blue", "yes")
    assert left.code == "played"
    left = left.with_player("red", address=BOT)

    for whom, why in {
        "Cy": "Cy has already left the game.",
        "Ann": "To leave the game yourself",
        "Bob": "A bot plays that seat, so nobody waits for it.",
    }.items():
        assert why in left.hears("green", f"go on without {whom}").told["green"]


def test_who_goes_on_without_delay_talks(table: Sitting) -> None:
    said = table.hears(table.others[0], "let's go on without delay")

    assert said.code == "heard"
    assert said.table.motion is None
    assert said.talk == ["let's go on without delay"]


def test_bots_need_not_agree(table: Sitting) -> None:
    """And alone with them, a player has nobody to ask."""
    for colour in table.others:
        table = table.with_player(colour, address=BOT)

    done = table.hears(table.asked, "take back")

    assert done.code == "answered"
    motion = done.table.open_motion
    assert motion is not None
    assert done.table.missing(motion) == ()
    assert done.told == {}


def test_what_no_message_has_caused_tells_of_a_lapsed_motion_too(table: Sitting) -> None:
    """A bot has the seat of the player who is asked, and plays."""
    late, _, speaker, mover = late_and_others(table)
    for colour in (speaker, mover):
        table = table.hears(colour, "news every")
    table = table.hears(speaker, "What a game!").hears(mover, "take back").with_player(late, address=BOT)

    told = table.after(go_on(table.table, table.table))

    lapsed = "Your motion to take the game back is over, since the game has gone on."
    assert [colour for colour, text in told.told.items() if lapsed in text] == [mover]
    assert "What a game!" not in told.told[speaker]
    assert told.table.motion is None


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("Hello, I agree", "agree"),
        ("I agree, cheers", "agree"),
        ("I object, sorry Bruno", "disagree"),
        ("Sorry all, take back", "take back"),
        ("hello, withdraw", "withdraw"),
        ("I withdraw, sorry", "withdraw"),
        ("I agree, sorry not", None),
        ("I agree that this is fun", None),
        ("Sorry, I agreed with Bob about the fish", None),
    ],
)
def test_a_greeting_or_thanks_may_stand_beside_what_is_said_of_a_motion(line: str, what: str | None) -> None:
    said = spoken_in(line)
    assert (said.what if said else None) == what
