"""How long a motion is open, who reads of that, and what counts as an answer to it."""

import pytest
from tables import NAMES, Sitting, a_table, late_and_others, text_in

from pbem.errors import Illegal
from pbem.first_sparks.briefing.words import to_write
from pbem.locale import Language, speaking, tr
from pbem.page.text import text_of
from pbem.table import host
from pbem.table.people import BOT, UNTIL_BACK, somebody_new


@pytest.fixture
def table() -> Sitting:
    """Three at turn 6; everybody has a letter about it."""
    return a_table()


@pytest.mark.parametrize("moves", ["more time until 2026-12-24", "go on without Cy"])
def test_a_motion_about_the_table_stays_open_while_the_game_goes_on(moves: str) -> None:
    table = a_table(players=4).ticks(0).hears("black", moves)  # whose turn it is not
    assert "The game goes on meanwhile." in table.told["green"]
    before = table.newest

    later = table.goes_on()

    assert later.table.open_motion is not None
    asked = later.asked
    reminds = 'You have not answered that yet: send "agree" or "object" in a message of its own.'
    is_voter = asked not in ("black", later.table.open_motion.whom)
    assert (reminds in later.told[asked]) == is_voter
    for colour in ("green", "red", "blue"):
        if colour == later.table.open_motion.whom:  # any word ends it
            continue
        later = later.hears(colour, "agree", before[later.seat(colour).reader])
        assert later.table.open_motion is not None
    assert later.table.missing(later.table.open_motion) == ()


@pytest.mark.parametrize("words", ["take back", "more time until 2026-12-24", "go on without Cy"])
def test_nobody_moves_anything_while_a_bot_plays_for_them(words: str) -> None:
    table = a_table().ticks(0)
    away = next(colour for colour in table.others if NAMES[colour] != "Cy")
    player = table.seat(away)

    moved = table.away(away, substitute=BOT).hears(away, words, table.newest[player.address])

    assert moved.table.open_motion is None
    told = text_in(moved.letters[player.address])
    assert 'A bot plays for you now, so the others decide without you. When you are back, write "back" first.' in told


def test_who_has_agreed_to_a_motion_is_not_reminded_of_it() -> None:
    table = a_table(players=4).ticks(0).hears("black", "more time until 2026-12-24")
    voter = table.asked
    assert voter != "black"

    agreed = table.hears(voter, "agree")
    for _ in agreed.others:
        agreed = agreed.goes_on()
        assert "You have not answered that yet" not in agreed.told.get(voter, "")


@pytest.mark.parametrize("words", ["object", "I disagree.", "object!"])
def test_who_has_agreed_can_still_object(words: str) -> None:
    table = a_table(players=4).ticks(0).hears("black", "more time until 2026-12-24")
    voter = next(colour for colour in table.others if colour != "black")

    agreed = table.hears(voter, "agree")
    objected = agreed.hears(voter, words)

    assert agreed.table.open_motion is not None
    assert objected.table.open_motion is None
    assert "black" in objected.told
    assert agreed.hears(voter, "agree").code == "answered"


def test_a_motion_to_take_moves_back_is_over_when_the_game_goes_on(table: Sitting) -> None:
    mover = table.others[0]
    moved = table.hears(mover, "take back")
    assert "If the game goes on before that, the motion is over." in moved.told[table.asked]

    assert moved.goes_on().table.open_motion is None


def test_an_agreement_counts_for_no_other_motion_of_the_same_turn(table: Sitting) -> None:
    """The letter that it answers may have told of the one before."""
    late, _, mover, other = late_and_others(table)
    for each in (late, mover, other):
        table = table.hears(each, "news every")
    first = table.ticks(0).hears(mover, "more time until 2026-12-24").goes_on()
    letter = first.newest[first.seat(other).reader]
    gone_on = first if other in first.told else first.resent()
    letter = gone_on.newest[gone_on.seat(other).reader]

    second = gone_on.hears(mover, "withdraw").hears(mover, f"go on without {NAMES[late]}")

    assert second.table.open_motion is not None
    old = second.hears(other, "agree", letter)
    assert "You answered an older letter." in old.told[other]
    agreed = second.hears(other, "agree").table
    assert agreed.open_motion is not None
    assert agreed.missing(agreed.open_motion) == ()


def test_a_motion_is_over_when_its_mover_leaves_or_a_bot_plays_for_whom_it_is_about(table: Sitting) -> None:
    late, name, mover, _ = late_and_others(table)
    moved = table.hears(mover, f"go on without {name}")
    assert moved.table.open_motion is not None

    assert moved.away(mover, substitute=BOT).table.open_motion is None
    assert moved.away(late, substitute=BOT).table.open_motion is None
    left = moved.hears(mover, "resign")
    left = left if left.code == "played" else left.hears(mover, "yes")
    assert left.table.open_motion is None


def test_whose_motion_the_host_has_ended_reads_so(table: Sitting) -> None:
    late, name, mover, other = late_and_others(table)
    moved = table.hears(mover, f"go on without {name}")
    before = moved.seat(other)

    seat = somebody_new(moved.table.roster, before, "Zoe", "zoe@x.example")
    replaced = moved.after(host.replace(moved.table, before, seat))
    undone = moved.after(host.undo(moved.table, moved.table.kept.turn - 1))

    for told in (replaced.told, undone.told):
        assert f"Your motion to go on without {name} is over" in told[mover]
    assert replaced.table.motion is None
    assert late


def test_both_readers_of_a_seat_hear_that_a_motion_about_it_is_over(table: Sitting) -> None:
    late, name, mover, other = late_and_others(table)
    table = table.away(late, substitute="dora@x.example", name="Dora")
    moved = table.hears(mover, f"go on without {name}")

    over = moved.hears(other, "object")

    assert "You keep your seat." in text_in(over.letters[table.seat(late).address])
    assert f"The motion about the seat of {name} is over, and nothing has changed." in over.told[late]
    assert "You keep your seat." not in over.told[late]
    motion = moved.table.open_motion
    assert motion is not None
    failed = moved.after(host.cannot_carry_out(moved.table, motion))
    assert failed.letters.keys() >= {table.seat(late).address, "dora@x.example"}


def test_a_bot_that_stands_in_is_told_to_nobody_twice(table: Sitting) -> None:
    late, _, mover, _ = late_and_others(table)
    stands_in = table.with_player(late, absent=UNTIL_BACK, stand_in="bot")

    said = stands_in.hears(late, "Hello all", stands_in.newest[table.seat(late).address])

    assert "Your time is up" not in str([text_in(letter) for letter in said.letters.values()])
    assert mover


def test_an_agreement_to_an_older_letter_counts_and_one_beside_an_order_does_not() -> None:
    moved = a_table(players=4).ticks(0).hears("black", "more time until 2026-12-24")
    voter = moved.asked
    asks = moved.newest[moved.seat(voter).reader]
    later = moved.goes_on()

    yes = later.hears(voter, "yes", asks)
    assert "You have agreed." in yes.told[voter]
    beside = moved.hears(voter, f"{moved.order}\nagree")
    assert (beside.code, beside.talk) == ("played", [])
    assert 'I have not counted "agree"' in beside.told[voter]
    objects = moved.hears(voter, f"{moved.order}\nI object!\nSee you")
    assert (objects.code, objects.talk) == ("played", ["See you"])
    assert 'I have not counted "I object"' in objects.told[voter]
    assert objects.table.open_motion is not None
    nobody_asks = a_table(players=4)
    assert nobody_asks.hears(nobody_asks.asked, f"{nobody_asks.order}\nI object!").talk == ["I object!"]


def test_whoever_ends_a_motion_about_the_own_seat_by_a_word_reads_that_it_is_safe(table: Sitting) -> None:
    late, name, mover, _ = late_and_others(table)
    warned = table.hears(mover, f"go on without {name}")

    said = warned.hears(late, "I am here")

    assert "Nobody asks to go on without you any more. You keep your seat." in said.told[late]
    assert said.table.open_motion is None


def test_what_is_said_beside_the_last_agreement_is_told(table: Sitting) -> None:
    late, name, mover, other = late_and_others(table)

    agreed = table.hears(mover, f"go on without {name}").hears(other, "agree\n\nMerry Christmas!")

    assert agreed.talk == ["Merry Christmas!"]
    assert agreed.carried_out().seat(late).name == name


def test_whoever_has_left_the_game_moves_nothing(table: Sitting) -> None:
    gone = table.others[0]
    table = table.hears(gone, "resign")
    table = table if table.code == "played" else table.hears(gone, "yes")

    moved = table.ticks(0).hears(gone, "more time until 2026-12-24")

    assert moved.table.open_motion is None
    assert "You have left the game, so the others decide what becomes of it." in moved.told[gone]


def test_nobody_loses_a_seat_to_whom_nobody_but_the_mover_has_agreed(table: Sitting) -> None:
    late, name, mover, other = late_and_others(table)
    moved = table.hears(mover, f"go on without {name}").away(other, substitute=BOT)
    motion = moved.table.open_motion
    assert motion is not None
    assert moved.table.missing(motion) == ()

    with pytest.raises(Illegal, match="nobody but the mover has agreed"):
        host.carry_out(moved.table, motion)
    assert late


# Its words in a reply


MOVES = ["go on without Ann", "more time until 2026-12-24", "take back", "let a bot play for Ann"]


@pytest.mark.slow
@pytest.mark.usefixtures("more_kinds")
@pytest.mark.parametrize("moves", MOVES)
@pytest.mark.parametrize("then", ["moved", "objected", "written", "done", "failed"])
def test_what_letters_say_of_a_motion_is_no_talk_where_a_reply_repeats_it_unmarked(moves: str, then: str) -> None:
    """But for how long somebody has, and what a takeback undoes, which nobody can tell later."""
    table = a_table().ticks(0).hears("red", moves)
    motion = table.table.open_motion
    assert motion is not None
    match then:
        case "objected":
            table = table.hears("blue", "object")
        case "written":
            table = table.hears("green", "no way")
        case "done":
            table = table.hears("blue", "agree").carried_out()
        case "failed":
            table = table.after(host.cannot_carry_out(table.table, motion))
    before, seats = table.talk, {player.reader: player.colour for player in table.table.roster.players}
    repeated = 0
    for reader in table.letters.keys() & seats:  # but who has lost the seat
        letter = table.letters[reader]
        for paragraph in text_of(letter.page).split("\n\n"):
            is_own = "TABLE TALK" in paragraph or paragraph.startswith(("You have objected", "I have asked"))
            if len(paragraph.split()) < 6 or is_own or "no longer count:" in paragraph or "to answer." in paragraph:
                continue
            heard = table.hears(seats[reader], f"thanks everybody\n\n{paragraph}")
            assert heard.talk in ([*before, "thanks everybody"], before), paragraph
            repeated += 1
    assert repeated


def test_a_motion_is_moved_again_in_the_words_of_the_letter() -> None:
    """But what a program has torn off a line that it quotes is still ours."""
    moves = "more time until Thu 24 Dec 2026"
    table = a_table().ticks(0).hears("red", moves).hears("blue", "object")
    assert table.table.open_motion is None

    for said in (moves, f"- {moves}.", f"{moves}\n\nBob"):
        assert table.hears("red", said).table.open_motion is not None
    assert table.hears("red", f"> Bob asks for\n{moves}").table.open_motion is None


@pytest.mark.parametrize(
    ("language", "moves"),
    [
        ("de", "mehr Zeit bis Do 24. Dez 2026"),
        ("fr", "plus de temps jusqu'au jeu 24 déc 2026"),
        ("fr", "plus de temps jusqu'au mardi 1er déc 2026"),
        ("it", "più tempo fino a gio 24 dic 2026"),
    ],
)
def test_so_is_one_in_another_language(language: Language, moves: str) -> None:
    table = a_table().with_player("red", language=language).with_player("green", language=language).ticks(0)
    asked = table.hears("red", moves)
    assert moves.rpartition("24")[2] in asked.told["green"]  # a day as letters have it

    objected = asked.hears("blue", "object")

    assert objected.hears("green", moves).table.open_motion is not None


@pytest.mark.parametrize("words", ["take back", "agree", "go on without Cy", "more time until 2026-12-24", "withdraw"])
def test_a_motion_of_which_only_a_pause_is_in_the_way_waits_for_nobody(words: str) -> None:
    table = a_table().ticks(0)
    mover, other, last = table.asked, *table.others
    moved = table.hears(mover, "take back").hears(other, "agree")
    paused = moved.after(host.pause(moved.table, "tea")).away(last, substitute=BOT)
    assert paused.table.open_motion is not None
    assert paused.table.missing(paused.table.open_motion) == ()

    told = paused.hears(mover, words).told[mover]

    assert ("has to wait until the game is resumed" in told) == (words != "withdraw")


@pytest.mark.parametrize(
    "words",
    [
        "Fine with me.",
        "OK with me",
        "I don't mind",
        "No objection from me",
        "Meinetwegen!",
        "Von mir aus gern",
        "Ça me va.",
        "Aucune objection",
        "Per me va bene",
        "nessuna obiezione",
    ],
)
def test_what_people_write_in_reply_to_a_letter_about_a_motion_is_a_yes(words: str) -> None:
    moved = a_table().ticks(0)
    moved = moved.hears(moved.asked, "take back")
    voter = moved.others[0]

    agreed = moved.hears(voter, words)

    assert agreed.table.open_motion is not None
    assert voter not in [player.colour for player in agreed.table.missing(agreed.table.open_motion)]


def _asked_in(language: Language) -> tuple[Sitting, str]:
    """Return a table with a motion of the player whose turn it is, and somebody with that language who is asked."""
    table = a_table(players=4).ticks(0)
    voter = table.others[0]
    return table.with_player(voter, language=language).hears(table.asked, "more time until 2026-12-24"), voter


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "Kein Problem!"),
        ("de", "Mach nur"),
        ("de", "Ok schönen Urlaub"),
        ("de", "Ich stimme zu, gute Reise Élodie!"),
        ("fr", "ok, bonnes vacances"),
        ("fr", "accord"),
        ("fr", "Je suis d'accord, bon voyage Jürgen !"),
        ("it", "Volentieri"),
        ("it", "Ci sto"),
        ("it", "Ok buone vacanze"),
        ("it", "Accetto, buon viaggio Jürgen!"),
        ("en", "Sure, no problem!"),
        ("en", "I agree, have a nice holiday!"),
    ],
)
def test_a_yes_with_kind_words_agrees(language: Language, words: str) -> None:
    table, voter = _asked_in(language)

    motion = table.hears(voter, words).table.open_motion

    assert motion is not None
    assert voter in motion.agreed


@pytest.mark.parametrize(("language", "words"), [("fr", "Je préférerais que non"), ("en", "I'd rather not, sorry")])
def test_who_would_rather_not_objects(language: Language, words: str) -> None:
    table, voter = _asked_in(language)

    assert table.hears(voter, words).table.open_motion is None


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "Ja, aber nur bis zum 3."),
        ("de", "Ungern"),
        ("de", "Enthaltung"),
        ("fr", "Oui mais seulement jusqu'au 3"),
        ("fr", "Non. Enfin si, d'accord."),
        ("it", "Sì, ma solo fino al 3"),
        ("it", "Accetto, ma solo fino al 3"),
        ("en", "ok, have a nice holiday, but only until the 3rd"),
        ("en", "sure, have fun on the 3rd"),
    ],
)
def test_whoever_answers_a_motion_unclearly_reads_how_to_answer_it(language: Language, words: str) -> None:
    table, voter = _asked_in(language)

    unclear = table.hears(voter, words)

    motion = unclear.table.open_motion
    assert motion is not None
    assert voter not in motion.agreed
    with speaking(language):
        assert tr(to_write("agree")).replace("\0", " ") in unclear.told[voter]


def test_a_long_letter_to_the_others_is_no_answer_to_a_motion() -> None:
    table, voter = _asked_in("en")

    said = table.hears(voter, "What a game this is: three of us have hunted the same mammoth, and nobody has eaten it.")

    assert voter not in said.told
    assert said.table.open_motion is not None


def test_who_has_agreed_can_chat_without_a_question_about_it() -> None:
    table, voter = _asked_in("en")

    assert voter not in table.hears(voter, "agree").hears(voter, "See you all on Friday!").told
