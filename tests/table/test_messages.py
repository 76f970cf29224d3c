"""Receipts, talk, the end, and answers to messages that come too late or too often."""

import re

import pytest
from tables import NAMES, Sitting, a_table, text_in

from pbem.first_sparks.phases import Answering
from pbem.locale import LANGUAGES, Language
from pbem.table import host
from pbem.table.messages.answers import MOST_NOTED, MOST_REPLIES
from pbem.table.people import BOT


@pytest.fixture
def table() -> Sitting:
    """Three at turn 6; everybody has a letter about it."""
    return a_table()


# Receipts


def test_the_first_order_of_each_player_gets_a_receipt_and_no_later_one() -> None:
    table, receipts = a_table(0), list[str]()
    for _ in range(8):
        asked, order = table.asked, table.order
        table = table.goes_on()
        receipts += [colour for colour, text in table.told.items() if f"Your order was played: {order}." in text]
        assert receipts[-1:] == [asked] or asked in receipts

    assert sorted(receipts) == sorted({"green", "red", "blue"})


def test_a_receipt_names_the_neutral_clan_though_the_order_did_not() -> None:
    table = a_table(0, 2)
    while not table.order.startswith("settle neutral"):
        table = table.goes_on()
    table = table.hears(table.asked, "news every")
    asked, order = table.asked, table.order

    table = table.hears(asked, order.replace(" neutral", ""))

    assert f"Your order was played: {order}." in table.told[asked]


def test_who_wants_no_news_gets_no_receipt_and_who_wants_all_gets_every_one() -> None:
    table = a_table(0)
    asked = table.asked

    none = table.hears(asked, "news none")
    assert asked not in none.goes_on().told

    every = a_table(6)
    every = every.hears(every.asked, "news every")
    asked, order = every.asked, every.order
    assert f"Your order was played: {order}." in every.goes_on().told[asked]


def test_who_has_resigned_reads_so_and_nothing_of_receipts_to_come() -> None:
    table = a_table(0)
    colour = table.others[0]

    left = table.hears(colour, "resign").hears(colour, "yes")

    assert left.code == "played"
    assert "Your order was played: resign." in left.told[colour]
    assert "receipts" not in left.told[colour]
    again = left.hears(colour, left.order)
    assert again.code == "refused"
    assert f"{NAMES[colour]} is no longer in the game" in again.told[colour]
    assert "turn; waiting" not in again.told[colour]


# Talk


def test_talk_is_read_once_by_everybody_else_and_never_by_the_speaker(table: Sitting) -> None:
    speaker = table.others[0]
    read = []

    table = table.hears(speaker, "What a lovely valley!")
    assert table.code == "heard"
    assert table.told == {}
    for _ in range(8):
        table = table.goes_on()
        read += [colour for colour, text in table.told.items() if "What a lovely valley!" in text]

    assert sorted(read) == sorted({"green", "red", "blue"} - {speaker})
    assert table.talk == []


def test_talk_makes_no_marker(table: Sitting) -> None:
    speaker = table.others[0]

    said = table.hears(speaker, "=== hello === [friday/6/12345678]").resent()

    for colour in {"green", "red", "blue"} - {speaker}:
        assert f"{NAMES[speaker]} ({speaker}) says: - hello - (friday/6/12345678)" in said.told[colour]


def test_words_in_answer_to_a_letter_from_before_the_own_order_are_not_passed_on(table: Sitting) -> None:
    asked = table.asked
    old = a_table(0).newest[table.seat(asked).reader]

    late = table.hears(asked, "Good luck, everybody!", old)

    assert late.code == "late"
    assert set(late.told) == {asked}
    assert late.talk == []


def test_words_in_another_answer_to_the_letter_that_one_has_answered_are_passed_on(table: Sitting) -> None:
    asked = table.asked
    answered = table.newest[table.seat(asked).reader]

    again = table.goes_on().hears(asked, "And good luck, everybody!", answered)

    assert again.talk == ["And good luck, everybody!"]


def test_nobody_can_tap_the_answers_of_another(table: Sitting) -> None:
    assert table.newest[table.seat(table.asked).reader].buttons
    for colour in table.others:
        assert table.newest[table.seat(colour).reader].buttons == ()


# The end


def test_who_has_not_agreed_to_end_the_game_hears_that_others_do(table: Sitting) -> None:
    first, second = table.others
    one = table.hears(first, "agree end")
    assert set(one.told) >= {second, table.asked}
    assert "agrees to end the game" in one.told[second]

    name = NAMES[first]
    assert f"{name} ({first}) agrees to end the game as it stands. If you agree as well, write" in one.told[table.asked]
    assert "If you agree as well" not in one.told[second]

    two = one.hears(second, "agree end")
    assert first not in two.told
    assert two.told[table.asked]
    over = two.hears(table.asked, "agree end")

    assert over.table.is_over
    assert all("is over" in text for text in over.told.values())
    assert len(over.told) == 3


@pytest.mark.parametrize("news", ["turn", "none"])
def test_after_the_end_who_wants_no_news_hears_no_talk(table: Sitting, news: str) -> None:
    first, second = table.others
    table = table.with_player(second, news=news)
    for colour in (first, second, table.asked):
        table = table.hears(colour, "agree end")
    assert table.table.is_over

    said = table.hears(first, "Well played!")

    assert (second in said.told) is (news == "turn")
    assert first not in said.told


# Requests


def test_a_request_is_answered_to_its_writer_alone(table: Sitting) -> None:
    other = table.others[0]

    for words, answer in {
        "help": "Write one order per line.",
        "news every": "You will get a letter after every move",
        "rules rot": "rot",
        "frobnicate\nshow": "Here is the game as it is now.",
    }.items():
        after = table.hears(other, words)
        assert after.code == "answered"
        assert set(after.told) == {other}
        assert answer in after.told[other]


def test_of_many_requests_the_first_five_are_answered(table: Sitting) -> None:
    other = table.others[0]

    text = table.hears(other, "\n".join(["help plan", "rules", "rules rot", "show", "options", "news none"])).told[
        other
    ]

    assert "I answer only the first 5 requests in a message." in text
    assert "You will get a letter only when it is your turn." not in text


def test_players_who_have_left_need_not_agree(table: Sitting) -> None:
    first, second = table.others
    left = table.hears(second, "resign").hears(second, "yes")
    assert left.code == "played"

    moved = left.hears(first, "take back")

    motion = moved.table.open_motion
    assert motion is not None
    assert [player.colour for player in moved.table.missing(motion)] == [table.asked]


# Too late, and too often


def test_an_order_that_was_played_is_not_played_again(table: Sitting) -> None:
    asked, order, letter = table.asked, table.order, table.newest[table.seat(table.asked).reader]
    after = table.goes_on()

    again = after.hears(asked, f"{order}\n\nas I said", letter)

    assert again.code == "already"
    assert again.table.kept == after.table.kept
    assert "You had already played this in turn 7" in again.told[asked]


def test_resigning_is_asked_about_in_reply_to_any_letter_but_one_that_no_longer_counts(table: Sitting) -> None:
    other = table.others[0]
    old = table.newest[table.seat(other).reader]
    after = table.goes_on()
    assert after.hears(other, "resign", old).code == "proposed"

    back = after.after(host.undo(after.table, 5))

    assert back.hears(other, "resign", old).code == "late"


def test_two_robots_that_answer_each_other_come_to_an_end(table: Sitting) -> None:
    other, answers = table.others[0], list[bool]()
    for number in range(MOST_NOTED + 3):
        after = table.hears(other, f"rules R4.{number}")
        answers.append(bool(after.told))
        if after.told and not answers.count(False):
            last = after.told[other]
        table = after

    assert answers.count(True) == MOST_REPLIES
    assert "This is my last reply to a message like this in this turn." in last
    assert sum(row.get("colour") == other for row in table.table.rows) == MOST_NOTED


@pytest.mark.parametrize(("words", "most"), [("", 2), ("Hello, all", 6)])
def test_what_has_no_order_is_answered_a_few_times(table: Sitting, words: str, most: int) -> None:
    asked, answers = table.asked, 0
    for _ in range(8):
        table = table.hears(asked, words)
        answers += asked in table.told

    assert answers == most


# What is answered before the own turn


def asked_together() -> Sitting:
    """Return a table at which several are asked about a card at the same time."""
    found = (a_table(turn, 4, waves=True) for turn in range(6, 60))
    return next(t for t in found if len(t.table.asked) > 1 and isinstance(t.table.kept.state.phase, Answering))


def test_who_is_asked_first_has_nobody_to_wait_for() -> None:
    table = asked_together()

    refused = table.hears(table.asked, "wait")

    assert refused.code == "refused"
    assert "nobody is asked before you, so there is nobody to wait for" in refused.told[table.asked]


def test_who_answers_early_is_told_alone_and_the_answer_is_played_in_its_turn() -> None:
    table = asked_together()
    last = table.table.asked[-1]

    early = table.hears(last, "decline")
    assert early.code == "planned"
    assert early.table.kept == table.table.kept
    assert set(early.told) <= {last}
    assert last not in early.table.asked
    while early.asked != last and isinstance(early.table.kept.state.phase, Answering):
        early = early.hears(early.asked, "decline")
        assert early.code == "played"

    declined = [entry.by for entry, _ in early.table.kept.history if str(entry.move).startswith("decline")]
    assert last in declined


@pytest.mark.slow
def test_a_suggestion_is_for_the_question_that_one_is_asked() -> None:
    table = asked_together()
    last = table.table.asked[-1]

    told = table.hears(last, "suggest").told[last]

    assert re.search('A bot would answer "(buy|decline)[^"]*" in your place.', told)


def test_the_order_of_a_host_who_keeps_the_secret_adds_no_salt(table: Sitting) -> None:
    """Or the own message could be written again and again until a draw suits."""
    asked = table.asked
    by_host = table.with_player(asked, address=table.table.house.host).resent().goes_on()

    assert by_host.table.rows[-1].get("unsalted") is True
    assert "unsalted" not in table.goes_on().table.rows[-1]


def test_rules_that_hold_always_survive_a_takeback_also_those_of_who_is_away(table: Sitting) -> None:
    asked = table.asked
    kept = table.hears(asked, "always decline 41")
    assert kept.code == "planned"
    away = kept.away(asked, substitute="dan@sub.example").hears(asked, "always decline 40")
    assert away.code == "planned"

    undone = away.after(host.undo(away.table, 5)).back(asked)

    assert "always decline 41" in str(undone.table.in_force[asked].always)


def test_a_player_for_whom_a_bot_stands_in_is_not_called_a_substitute() -> None:
    table = a_table()
    player = table.others[0]
    letter = table.newest[table.seat(player).reader]

    told = table.away(player, substitute=BOT).hears(player, "buy 17 and 18", letter).letters

    text = text_in(told[table.seat(player).address])
    assert NAMES[player] in text
    assert "substitute" not in text


@pytest.mark.parametrize("order", ["offer 7", "spread B1a"])
def test_who_is_asked_with_others_hears_what_is_asked(order: str) -> None:
    table = a_table(0, 3, waves=True)
    last = table.table.asked[-1]

    refused = table.hears(last, order)

    assert refused.code == "refused"
    assert f"expected add SPACE or stay, not {order.split(maxsplit=1)[0]}" in " ".join(refused.told[last].split())
    assert "turn; waiting for" not in refused.told[last]


# Plans in other languages


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("de", "Plan für nächste Runde: Speer, sonst Acker"),
        ("de", "Mein Plan ist geheim :)"),
        ("fr", "Mon plan est secret :)"),
        ("it", "Il mio piano è segreto :)"),
        ("de", "plan irgendein Bob"),
        ("de", "plan 8 Korb"),
    ],
)
def test_a_refused_plan_is_not_told_in_english_words(language: Language, line: str) -> None:
    table = a_table()
    player = table.others[0]

    refused = table.with_player(player, language=language).hears(player, line)

    assert refused.code == "refused"
    quoted = re.findall(r'"([^"]*)"', refused.told[player])
    english = {"for", "round", "note", "secret", "it", "is", "any", "basket", "any basket", "tool"}
    assert english.isdisjoint(quoted)
    assert not re.search(r"\b(tool|knowledge|name no card)\b", refused.told[player])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_suggestion_is_understood_as_it_stands_in_a_letter(language: Language) -> None:
    table = a_table()
    player = table.others[0]
    table = table.with_player(player, language=language)
    suggested = re.search(r"\((?:plan|piano) .*?\)(?=\.)", table.hears(player, "suggest").told[player])
    assert suggested is not None
    assert suggested[0].count("(") > 1
    half = suggested[0].index("(", 1)

    for lines in (suggested[0], f"{suggested[0][:half]}\n{suggested[0][half:]}"):
        assert table.hears(player, lines).code == "planned"


def test_several_plans_in_parentheses_are_one_plan() -> None:
    table = a_table()
    player = table.others[0]

    in_a_line = table.hears(player, "(plan 10 9 else pass), (plan new decline) and (plan drop 14)")
    in_lines = table.hears(player, "plan 10 9 else pass\nplan new decline\nplan drop 14")

    assert in_a_line.told[player] == in_lines.told[player]
