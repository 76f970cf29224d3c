"""The order language: a player's line and the log's line, and what cannot be read."""

from collections.abc import Sequence

import pytest

from pbem.errors import NotUnderstood
from pbem.first_sparks.moves import (
    Add,
    AgreeEnd,
    Buy,
    Decline,
    Discard,
    Draw,
    Drop,
    Lay,
    Move,
    Offer,
    Pass,
    Resign,
    Settle,
    SettleNeutral,
    Spread,
    SpreadNeutral,
    Starve,
    Stay,
    Take,
)
from pbem.first_sparks.notation import parse_logged, parse_order, usage

EVERY_MOVE: list[tuple[str, Move]] = [
    ("lay M13 N13", Lay("M13", "N13")),
    ("settle A1a", Settle("A1a")),
    ("settle neutral A1a", SettleNeutral("A1a")),
    ("add B2c", Add("B2c")),
    ("stay", Stay()),
    ("offer 12", Offer(12)),
    ("pass", Pass()),
    ("buy", Buy()),
    ("buy 12", Buy(12)),
    ("decline", Decline()),
    ("decline 12", Decline(12)),
    ("take", Take()),
    ("discard", Discard()),
    ("drop 7", Drop(7)),
    ("starve A1a B2c", Starve(("A1a", "B2c"))),
    ("spread A1b A1c", Spread(("A1b", "A1c"))),
    ("spread neutral A1b", SpreadNeutral(("A1b",))),
    ("resign", Resign()),
    ("agree end", AgreeEnd()),
    ("draw 23", Draw("23")),
    ("draw shuffle", Draw("shuffle")),
    ("draw C", Draw("C")),
]
OF_PLAYERS = [(text, move) for text, move in EVERY_MOVE if not isinstance(move, Draw)]


def ids(moves: Sequence[tuple[str, Move]]) -> list[str]:
    """Return the lines, to name the examples."""
    return [text for text, _ in moves]


def why_not(text: str, *expected: str) -> NotUnderstood:
    """Return the refusal of a line."""
    with pytest.raises(NotUnderstood) as refusal:
        parse_order(text, expected)
    return refusal.value


@pytest.mark.parametrize(("text", "move"), EVERY_MOVE, ids=ids(EVERY_MOVE))
def test_every_move_is_written_and_read_in_the_log(text: str, move: Move) -> None:
    """The line of a move is read as that move."""
    assert str(move) == text
    assert parse_logged(text) == move


@pytest.mark.parametrize(("text", "move"), OF_PLAYERS, ids=ids(OF_PLAYERS))
def test_every_order_is_read_whether_or_not_it_is_expected(text: str, move: Move) -> None:
    """What is out of turn is refused by the rules, not by the notation."""
    assert parse_order(text, ()) == move
    assert parse_order(text, (move.word,)) == move
    assert parse_order(text, ("offer", "pass")) == move


def test_no_two_kinds_of_move_are_equal() -> None:
    """Each move ends with its order word."""
    moves = [move for _, move in EVERY_MOVE]

    assert len(set(moves)) == len(moves)
    assert len({Settle("A1a"), Add("A1a"), Stay(), Pass(), Take()}) == 5


@pytest.mark.parametrize(
    "text",
    ["SPREAD a1B,A1C", "  spread   A1b  A1c ", "Spread A1b, A1c", "sp a1b a1c", "spread\tA1B\tA1C"],
)
def test_case_spaces_and_commas_do_not_matter(text: str) -> None:
    """A mail is written by hand."""
    assert parse_order(text, ("spread", "stay")) == Spread(("A1b", "A1c"))


@pytest.mark.parametrize("text", ["offer 7", "offer 07", "offer #7", "offer #07", "offer 007", "o 7"])
def test_a_card_is_written_by_its_number(text: str) -> None:
    """As printed or not."""
    assert parse_order(text, ("offer", "pass")) == Offer(7)


@pytest.mark.parametrize(
    ("text", "expected", "move"),
    [
        ("d", ("buy", "decline"), Decline()),
        ("d", ("take", "discard"), Discard()),
        ("d 7", ("drop",), Drop(7)),
        ("p", ("offer", "pass"), Pass()),
        ("st", ("spread", "stay"), Stay()),
        ("a a1b", ("add", "stay"), Add("A1b")),
        ("l m13 n13", ("lay",), Lay("M13", "N13")),
        ("b", ("offer", "pass"), Buy()),
    ],
)
def test_a_unique_beginning_will_do_first_among_what_is_expected(
    text: str, expected: tuple[str, ...], move: Move
) -> None:
    """Then among all orders."""
    assert parse_order(text, expected) == move


@pytest.mark.parametrize(
    ("text", "expected", "message"),
    [
        ("s", ("spread", "stay"), "'s' can mean spread or stay"),
        ("d", ("offer", "pass"), "'d' can mean decline, discard or drop"),
        ("st", ("offer", "pass"), "'st' can mean stay or starve"),
    ],
)
def test_a_beginning_of_several_orders_is_not_guessed(text: str, expected: tuple[str, ...], message: str) -> None:
    """The orders that it can mean are named."""
    assert why_not(text, *expected).message == message


@pytest.mark.parametrize(
    ("text", "expected", "move"),
    [
        ("settle a1a", ("settle neutral",), SettleNeutral("A1a")),
        ("settle neutral a1a", ("settle neutral",), SettleNeutral("A1a")),
        ("se n a1a", ("settle neutral",), SettleNeutral("A1a")),
        ("spread a1a b1a", ("spread neutral",), SpreadNeutral(("A1a", "B1a"))),
        ("spread neut a1a", ("spread", "stay"), None),
        ("spread neut a1a", ("offer", "pass"), SpreadNeutral(("A1a",))),
        ("spread a1a", ("offer", "pass"), Spread(("A1a",))),
        ("settle a1a", ("settle",), Settle("A1a")),
        ("settle a1a", ("offer",), Settle("A1a")),
    ],
)
def test_neutral_may_be_left_out_where_only_it_is_expected(
    text: str, expected: tuple[str, ...], move: Move | None
) -> None:
    """Where the own clan is expected, ``neutral`` is no space."""
    if move is None:
        assert why_not(text, *expected).message == "'neut' is not a space; write a space like A1a"
    else:
        assert parse_order(text, expected) == move


@pytest.mark.parametrize("text", ["r", "res", "resig", "agree", "agree e", "agr end", "agree  ending"])
def test_what_cannot_be_taken_back_must_be_written_out(text: str) -> None:
    """A beginning neither resigns nor ends the game."""
    refusal = why_not(text, "offer", "pass")

    assert refusal.message.endswith("is not an order")
    assert refusal.hint == "expected offer CARD or pass"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the order is empty"),
        ("  , ", "the order is empty"),
        ("x" * 201, "an order has at most 200 characters"),
        ("hello", "'hello' is not an order"),
        ("draw 12", "'draw' is not an order"),
        ("offer", 'offer must be written as "offer CARD"'),
        ("offer 7 8", 'offer must be written as "offer CARD"'),
        ("pass 7", 'pass must be written as "pass"'),
        ("resign now", 'resign must be written as "resign"'),
        ("agree end now", 'agree end must be written as "agree end"'),
        ("starve", 'starve must be written as "starve SPACE ..."'),
        ("spread " + "A1a " * 16, 'spread must be written as "spread SPACE ..."'),
        ("spread neutral", 'spread neutral must be written as "spread neutral SPACE ..."'),
        ("offer twelve", "'twelve' is not a card; write its number, like 12"),
        ("offer 1234", "'1234' is not a card; write its number, like 12"),
        ("offer -7", "'-7' is not a card; write its number, like 12"),
        ("offer ##7", "'##7' is not a card; write its number, like 12"),
        ("settle A3a", "'a3a' is not a space; write a space like A1a"),
        ("settle A1d", "'a1d' is not a space; write a space like A1a"),
        ("settle A1aa", "'a1aa' is not a space; write a space like A1a"),
        ("lay M13 N100", "'n100' is not a cell of the map; write a cell like M13"),
        ("lay M0 N13", "'m0' is not a cell of the map; write a cell like M13"),
        ("lay M13", 'lay must be written as "lay CELL CELL"'),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_way_out(text: str, message: str) -> None:
    """The message has the word that is wrong, the hint what was expected."""
    refusal = why_not(text, "offer", "pass")

    assert refusal.message == message
    assert refusal.hint.startswith("expected ")


def test_a_refusal_shows_no_control_characters_and_no_long_text() -> None:
    """A player's text is hostile until it is cleaned."""
    strange = why_not("n\x1b[31mö 12", "offer")
    long = why_not("z" * 100, "offer")

    assert strange.message == "'n?[31m?' is not an order"
    assert strange.order == "n?[31m? 12"
    assert long.order == "z" * 57 + "..."
    assert len(long.message) < 100


def test_digits_of_other_scripts_are_no_numbers() -> None:
    """Only 0 to 9 name a card."""
    assert "is not a card" in why_not("offer \u0667", "offer").message
    assert "is not a space" in why_not("settle A\u0661a", "settle").message


@pytest.mark.parametrize("text", ["", "offers 12", "off 12", "spreadneutral A1a", "hello"])
def test_the_log_is_written_out_in_full(text: str) -> None:
    """What is not is no line of it."""
    with pytest.raises(NotUnderstood, match="it has no valid order"):
        parse_logged(text)


@pytest.mark.parametrize("text", ["offer", "draw", "draw 1 2", "settle A9a", "spread neutral"])
def test_a_line_of_the_log_that_lacks_something_is_refused(text: str) -> None:
    """It is somebody's change of the file."""
    with pytest.raises(NotUnderstood):
        parse_logged(text)


def test_usage_tells_how_orders_are_written() -> None:
    """For a hint."""
    assert usage(("offer", "pass")) == "offer CARD or pass"
    assert usage(("buy", "spread neutral")) == "buy [CARD] or spread neutral SPACE ..."
    assert usage(()) == ""
