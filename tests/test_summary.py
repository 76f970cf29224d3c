"""The text for the next player: it says everything, fits a mail, orders nothing by itself, and keeps the secrets."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import combinations, islice
from pathlib import Path
from random import Random
from typing import NamedTuple, get_args

import pytest
from bots import SECRET, a_choice, a_sensible_choice
from builders import COLOURS, NAMES, a_clan, a_game, the_components, walk_from
from work import Some

from pbem import loading
from pbem.errors import Illegal, NotUnderstood
from pbem.first_sparks.adjudicator import STEPS, Entry, adjudicate, carry_on, choices, follow, violations, who_decides
from pbem.first_sparks.briefing.board.view import LETTERS
from pbem.first_sparks.briefing.headings import STAGES
from pbem.first_sparks.briefing.news import news as what_happened
from pbem.first_sparks.briefing.notes import note, options
from pbem.first_sparks.briefing.question import MOST_WAYS, example_orders, question
from pbem.first_sparks.briefing.routes import cheapest_spreads, routes
from pbem.first_sparks.briefing.situation import situation
from pbem.first_sparks.briefing.words import counted, table_text
from pbem.first_sparks.cards import Pile
from pbem.first_sparks.chance.draws import commitment, source
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.components import FOODS, Food, LaidTile
from pbem.first_sparks.events import (
    AgreedToEnd,
    Answered,
    CardBought,
    CardDrawn,
    CardOffered,
    CardPutUnder,
    CardUnsold,
    CropLost,
    Event,
    FoodRotted,
    GameEnded,
    HarvestRefilled,
    HerbsDealt,
    Hunted,
    MarketReduced,
    MembersPlaced,
    MembersStarved,
    OfferDiscarded,
    Passed,
    PlayerOrderSet,
    Resigned,
    RoundBegan,
    ShuffleDrawn,
    TileDrawn,
    TileLaid,
    ToolDropped,
)
from pbem.first_sparks.forecast import next_harvests
from pbem.first_sparks.land.groups import areas_touched
from pbem.first_sparks.moves import Add, Buy, Decline, Move, Pass, Spread, Stay
from pbem.first_sparks.notation import ORDER_HEADING, expected, parse_order
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import (
    Adding,
    Answering,
    DrawingCard,
    DrawingTile,
    Dropping,
    Ended,
    Laying,
    Offering,
    Settling,
    SettlingNeutral,
    Spreading,
    SpreadingNeutral,
    Starving,
    TakingOrDiscarding,
)
from pbem.first_sparks.play import carried_on, played
from pbem.first_sparks.record import Chance, History, begin
from pbem.first_sparks.rules import buying, hunting, spreading
from pbem.first_sparks.secrecy import hides_food, may_read, without_foresight
from pbem.first_sparks.state import CHANCE, GameState, Harvest
from pbem.page.glue import unglued
from pbem.page.page import Choices, Column, Grid
from pbem.page.text import columns, lines_of, padded, wrapped
from pbem.page.text import text_of as page_as_text
from pbem.report import refusal

WIDTH = 72
GAMES = Path(__file__).parent / "games"
HEAD = "0123456789abcdef" * 4
MARK = "[friday-night/31/01234567]"
# Names that a player may have, and that look like orders or are as long as a name can be.
AWKWARD = ("Buy 12", "pass", "Spread A1a A1b", "W" * 24, "雪" * 24, "resign")
ASKED = (
    Laying,
    SettlingNeutral,
    Settling,
    Adding,
    Offering,
    Answering,
    TakingOrDiscarding,
    Dropping,
    Starving,
    SpreadingNeutral,
    Spreading,
)
BULLETS = " \t>|-*+•·"


def options_lines(state: GameState, viewer: str | None) -> tuple[str, ...]:
    return lines_of(question(state, viewer))


def news(history: History) -> tuple[str, ...]:
    return lines_of((what_happened(history),))


class Decision(NamedTuple):
    """A situation in which a player decides, and what has happened since the one before."""

    state: GameState
    turn: int
    history: History


@cache
def a_whole_game(
    players: int, seed: int = 0, *, hide_food: bool = False, board: str = "players", names: tuple[str, ...] = ()
) -> tuple[Decision, ...]:
    """Return the decisions of a game that is played with some sense, and its end."""
    seats = tuple(zip(COLOURS, names or tuple(NAMES.values()), strict=True))[:players]
    held = Chance("open", commitment(SECRET), SECRET.hex())
    agreed = Options(board, hide_food)  # type: ignore[arg-type]
    random, draw = Random(seed), source(f"game-{seed}", SECRET)
    record, history = carried_on(begin(f"game-{seed}", seats, agreed, the_components(), held), draw)
    decisions = [Decision(record.state, 0, history)]
    while (decides := who_decides(record.state)) is not None and record.turn < 300:
        choose = a_sensible_choice if random.random() < 0.7 else a_choice
        record, history = played(record, decides, choose(record.state, random), draw)
        decisions.append(Decision(record.state, record.turn, history))
    return tuple(decisions)


def all_games(**agreed: bool) -> Iterator[Decision]:
    """Yield the decisions of games of 2 to 6 players, by all ways to the board."""
    for players in (2, 3, 4, 5, 6):
        yield from a_whole_game(players, players, **agreed)
    yield from a_whole_game(3, 7, board="recommended", **agreed)
    yield from a_whole_game(2, 8, board="random", **agreed)


def text_of(
    state: GameState, viewer: str | None, history: History = (), *, turn: int = 31, unicode: bool = False
) -> str:
    """Return the text for a viewer, as the host of this game prints it."""
    page = situation(state, viewer, history, game="friday-night", turn=turn, head=HEAD, unicode=unicode)
    return page_as_text(page)


def viewers(state: GameState) -> tuple[str | None, ...]:
    """Return all who may read a text: every clan, and somebody who only looks on."""
    return (*state.order, None)


def section(text: str, heading: str) -> list[str]:
    """Return the lines of a section, without its heading."""
    lines = text.split(heading, 1)[1].split("\n")[1:]
    return lines[: lines.index("")]


def orders_of(text: str) -> list[str]:
    """Return the orders to copy: what stands after ``order:`` below the mark under the heading."""
    lines = text.split(f"{ORDER_HEADING}\n{MARK}\n")[1].splitlines()
    assert all(line.startswith("order: ") for line in lines)
    return [line.removeprefix("order: ") for line in lines]


# Form


@pytest.mark.slow
@pytest.mark.parametrize("hide_food", [False, True])
def test_every_text_for_everybody_fits_a_plain_mail(hide_food: bool, some: Some) -> None:
    """In games of all player counts and through every kind of decision: 72 columns, ASCII, no blank at an end."""
    seen = set()
    for state, turn, history in some(all_games(hide_food=hide_food), 2):
        seen.add(type(state.phase))
        for viewer in viewers(state):
            text = text_of(state, viewer, history, turn=turn)
            assert text.isascii()
            assert all(line.isprintable() and line == line.rstrip() for line in text.split("\n"))
            assert max(map(len, text.split("\n"))) <= WIDTH, text
    assert seen >= {*ASKED, Ended}


def test_box_characters_are_in_the_drawing_only() -> None:
    """Besides the drawings only its legend differs, which shows the mark of a mountain."""
    for state, turn, history in a_whole_game(4, 1):
        plain = text_of(state, state.order[0], history, turn=turn).split("\n\n")
        boxes = text_of(state, state.order[0], history, turn=turn, unicode=True).split("\n\n")
        differ = [box for one, box in zip(plain, boxes, strict=True) if one != box]
        assert len(differ) == (3 if isinstance(state.phase, Laying) and who_decides(state) == state.order[0] else 2)
        assert all(box.startswith("BOARD") or "▲" in box or "╭" in box for box in differ)


def check_no_order(text: str, asked: tuple[str, ...]) -> None:
    """Check that no line of the text is an order, quoted or not, with or without a bullet; and that it fits a mail."""
    for line in text.split("\n"):
        _check_no_order(line, asked)


@cache
def _check_no_order(line: str, asked: tuple[str, ...]) -> None:
    assert columns(line) <= WIDTH, line
    for words in (asked, ()):
        with pytest.raises(NotUnderstood):
            parse_order(line.lstrip(BULLETS), words)


@pytest.mark.slow
def test_no_line_of_a_text_is_an_order_whatever_the_players_are_called(some: Some) -> None:
    """A reply may quote the whole text, and a line may break anywhere."""
    for players in (2, 4, 6):
        for state, turn, history in some(a_whole_game(players, players + 20, names=AWKWARD), 4):
            for viewer in viewers(state):
                check_no_order(text_of(state, viewer, history, turn=turn), expected(state.phase))


def test_no_line_of_a_recorded_game_is_an_order() -> None:
    """Every text that goes out, the long ones at its end too; if chance decides, it has no reader in particular."""
    record = loading.load(GAMES / "2-players.toml").record
    for entry, state in record.history:
        viewer = who_decides(state)
        text = text_of(state, viewer if viewer != CHANCE else None, ((entry, state),), turn=entry.turn)
        check_no_order(text, expected(state.phase))


def test_no_line_of_a_refusal_is_an_order() -> None:
    """Wherever the legal ones are broken into lines."""
    for state, *_ in a_whole_game(5, 1):
        decides = who_decides(state)
        if decides is not None:
            refused = Illegal("the rules forbid this order", order="stay", choices=tuple(main_choices(state)))
            for line in refusal(refused).split("\n"):
                with pytest.raises(NotUnderstood):
                    parse_order(line.lstrip(BULLETS), expected(state.phase))


@pytest.mark.parametrize(("wide", "columns_of_it"), [("Ann", 3), ("雪", 2), ("Zoë", 3), ("e\u0323\u0302", 1), ("", 0)])
def test_a_wide_character_takes_two_columns_and_an_accent_none(wide: str, columns_of_it: int) -> None:
    """So that lines are as long as they look."""
    assert columns(wide) == columns_of_it
    assert padded(wide, 5) == wide + " " * (5 - columns_of_it)


@pytest.mark.slow
def test_orders_to_copy_are_legal_and_no_line_is_an_order() -> None:
    """One where the order must be chosen, both where the question is yes or no."""
    for state, _, history in all_games():
        decides = who_decides(state)
        if decides is not None:
            text = text_of(state, decides, history)
            check_no_order(text, expected(state.phase))
            orders = orders_of(text)
            yes_or_no = isinstance(state.phase, Answering | TakingOrDiscarding)
            assert len(orders) == (len(tuple(choices(state))) if yes_or_no else 1)
            for order in orders:
                assert not list(violations(state, parse_order(order, expected(state.phase))))


def test_a_text_is_the_same_every_time() -> None:
    """The caches of the first time change nothing."""
    for state, turn, history in a_whole_game(5, 3):
        assert text_of(state, "red", history, turn=turn) == text_of(state, "red", history, turn=turn)


# Who reads what


def test_who_decides_reads_the_question_and_others_who_is_waited_for() -> None:
    """The first two lines of a mail tell who decides and what; only that player gets an order to copy."""
    state = a_game(phase=Offering("red"), waiting=("red", "blue"))

    assert text_of(state, "red").splitlines()[:2] == [
        "friday-night, turn 31, round 1, phase 1 technology: Christian (red)",
        "You are asked to offer a card or pass.",
    ]
    assert "\nQUESTION\n" in text_of(state, "red")
    assert text_of(state, "blue").splitlines()[1] == "Waiting for Christian (red) to offer a card or pass."
    assert "You have nothing to decide now." in text_of(state, "blue")
    assert "QUESTION" not in text_of(state, "blue")
    assert ORDER_HEADING not in text_of(state, "blue")
    assert text_of(state, "blue").endswith(f"{MARK}\n")


def test_everybody_reads_the_question_unless_it_would_tell_hidden_food() -> None:
    """What a clan can offer tells what it can pay."""
    state = a_game(phase=Offering("red"), waiting=("red",), red=a_clan(food=8, cards=(2, 9)))
    hidden = state._replace(options=Options(hide_food=True))

    assert may_read(state, None)
    assert not may_read(hidden, None)
    assert may_read(hidden, "red")
    assert "QUESTION" in text_of(state, None)
    assert "QUESTION" not in text_of(hidden, None)
    assert options_lines(hidden, None) == ("Waiting for Christian (red) to offer a card or pass.",)
    assert options_lines(hidden, "red")[0] == "Christian (red) is asked to offer a card or pass."


def test_chance_is_waited_for_as_a_player_is() -> None:
    """Where the secret is not at hand the game stands before a draw; nobody has a question then."""
    state = a_game(phase=DrawingCard(), market=(7, 8, 9))

    assert text_of(state, None).splitlines()[1] == "Waiting for chance to draw a card."
    assert text_of(state, "*") == text_of(state, None)
    assert not may_read(state, "*")
    assert options(state) == []


def test_the_viewer_learns_which_cards_it_can_pay() -> None:
    """The crop on a card helps to pay it; who only looks on has no food."""
    state = a_game(phase=Offering("green"), crop=7, waiting=("green",), green=a_clan(food=1, cards=(3, 9)))

    market = section(text_of(state, "green"), "MARKET")

    assert "  #7 basket     2 *  berries 1-4:1 5+:2  you can pay" in market
    assert "  #8 rod        4    fish 1-4:1 5+:2     you lack 3" in market
    assert "  #9 fire       3    no food rots        you own it" in market
    assert "you" not in "".join(section(text_of(state, None), "MARKET"))


# Secrets


@pytest.mark.slow
def test_the_pile_tells_which_cards_can_come_and_nothing_of_their_order(some: Some) -> None:
    """What it tells is in the state, which has no order: whatever will be drawn, every text is the same."""
    told = 0
    for state, turn, history in some(all_games(hide_food=True), 7):
        pile = state.pile
        for viewer in viewers(state):
            text = text_of(state, viewer, history, turn=turn)
            market = " ".join(section(text, "MARKET")) if "\nMARKET\n" in text else ""
            told += f"The draw pile has {pile.size} card" in market
            line = re.search(r"To come: ([^.]*)\.", market)
            if line:
                numbers = {int(number) for number in re.findall(r"(?<!^)\b\d+\b(?! of| card)", f" {line[1]}")}
                never = pile.unseen if len(pile.unseen) == pile.never else ()
                assert numbers == {*pile.top, *pile.unseen, *pile.under}.difference(never)
                assert ("Shuffle" in line[1]) == pile.shuffle
            else:
                assert not market or not pile.size
    assert told > 150


@pytest.mark.parametrize(
    ("pile", "said"),
    [
        (
            Pile(unseen=(16, 17, 19), never=1, under=(29, 31)),
            "To come: 2 of the 3 cards 16 17 19, then Shuffle, then 29 31. The other one was removed unseen. Only the"
            " order of these groups is known.",
        ),
        (
            Pile(top=(15,), unseen=(16, 17)),
            "To come: 15, then 16 17, then Shuffle. Only the order of these groups is known.",
        ),
        (Pile(unseen=(16, 17), never=2, shuffle=False, under=(29, 31)), "To come: 29 31. Their order is not known."),
        (Pile(unseen=(16, 17), never=2, under=(29,)), "To come: Shuffle, then 29."),
        (Pile(shuffle=False), "* marks"),
    ],
)
def test_what_can_still_come_is_told(pile: Pile, said: str) -> None:
    """Card by card once it is known, and never more than the players have seen. Rule: pile-as-set (R10.2)."""
    market = " ".join(section(text_of(a_game(phase=Offering("green"), crop=7, pile=pile), "green"), "MARKET"))

    assert f"The draw pile has {counted(pile.size, 'cards')}" in market
    assert said in market
    assert ("To come" in market) == (pile.size > 0)


@pytest.mark.slow
def test_hidden_food_changes_nothing_that_others_read(some: Some) -> None:
    """With any other food of an owner of Fire every text and answer for others is the same."""
    compared = 0
    for state, turn, history in some(all_games(hide_food=True), 9):
        if isinstance(state.phase, Ended):
            continue
        texts: dict[str | None, str] = {}
        for clan in state.clans:
            for viewer in viewers(state):
                if hides_food(state, clan, viewer):
                    text = texts[viewer] = texts.get(viewer) or text_of(state, viewer, history, turn=turn)
                    for food in (0, clan.food + 40):
                        richer = state.with_clan(clan._replace(food=food))
                        assert text == text_of(richer, viewer, history, turn=turn)
                        assert options_lines(state, viewer) == options_lines(richer, viewer)
                        if may_read(state, viewer):
                            assert options(state) == options(richer)
                        compared += 1
    assert compared > 250


def test_food_is_hidden_only_by_fire_if_the_table_wants_it_from_others_and_until_the_end() -> None:
    """At the end food breaks ties, so everybody may count it."""
    fire, plain = a_clan(food=5, cards=(3, 9)), a_clan(food=5, cards=(2,))
    state = a_game(phase=Offering("blue"), green=fire, red=plain)
    hiding = state._replace(options=Options(hide_food=True))

    assert "Angelika (green): 5 food" in text_of(state, "red")
    assert "Angelika (green): food hidden" in text_of(hiding, "red")
    assert "Angelika (green): food hidden" in text_of(hiding, None)
    assert "Angelika (green), you: 5 food" in text_of(hiding, "green")
    assert "Christian (red): 5 food" in text_of(hiding, "green")
    assert "Angelika (green): 5 food" in text_of(hiding._replace(phase=Ended(("green",))), "red")


@pytest.mark.slow
def test_the_same_orders_with_other_hidden_food_read_the_same(some: Some) -> None:
    """Nobody learns from who is asked, from what is played for a clan, or from a text, how much it has.

    But for hunting and the end: who cannot feed its members loses them, and at last all food is counted.
    """
    compared = 0
    for state, turn, _ in some(all_games(hide_food=True), 9):
        for clan in state.clans if who_decides(state) not in (None, CHANCE) else ():
            if not state.hides_food(clan):
                continue
            richer = state.with_clan(clan._replace(food=clan.food + 40))
            legal = set(islice(choices(richer), 40))
            for move in (move for move in islice(choices(state), 6) if move in legal):
                told, other = course_of(state, move), course_of(richer, move)
                if any(isinstance(event, Hunted | GameEnded) for _, after in told for event in after.events):
                    continue
                assert [entry for entry, _ in told] == [entry for entry, _ in other]
                for viewer in viewers(state):
                    if viewer != clan.colour:
                        assert text_of(told[-1][1], viewer, told, turn=turn) == text_of(
                            other[-1][1], viewer, other, turn=turn
                        )
                        compared += 1
    assert compared > 500


def test_who_only_considers_a_move_does_not_see_a_hunt_or_the_end() -> None:
    """With other hidden food what a check tells is the same, and nothing is lost where food is open."""
    compared = cut = 0
    for state, *_ in all_games(hide_food=True):
        for clan in state.clans if who_decides(state) not in (None, CHANCE) else ():
            richer = state.with_clan(clan._replace(food=clan.food + 40))
            legal = set(islice(choices(richer), 40))
            for move in islice(choices(state), 6) if state.hides_food(clan) else ():
                if move in legal:
                    told, other = course_of(state, move), course_of(richer, move)
                    assert news(without_foresight(told)) == news(without_foresight(other))
                    compared += 1
                    cut += news(told) != news(without_foresight(told))
    assert compared > 500
    assert cut > 10
    (decision,) = islice((each for each in all_games() if any(a.events for _, a in each.history)), 1)
    assert news(without_foresight(decision.history)) == news(decision.history)


def course_of(state: GameState, move: Move) -> History:
    """Return the move and everything up to the next decision of a player or of chance."""
    decides = who_decides(state) or ""
    after = follow(state, decides, move)
    steps = [(Entry(9, decides, decides, move), after)]
    steps += [(Entry(9, by, clan, forced), then) for by, clan, forced, then in carry_on(after, None)]
    return tuple(steps)


def test_who_must_decline_because_its_food_is_hidden_reads_why() -> None:
    """It is asked all the same, and the only answer stands there to copy."""
    state = a_game(
        phase=Answering("red", "green", 10, (), ()), options=Options(hide_food=True), red=a_clan(food=1, cards=(2, 9))
    )

    text = text_of(state, "red")

    assert "You cannot buy it: #10 bow costs 4 and Christian has 1." in text
    assert orders_of(text) == ["decline 10"]


def test_who_answers_an_offer_reads_what_the_crop_pays_and_who_comes_later() -> None:
    state = a_game(phase=Answering("red", "green", 10, (), ("blue",)), waiting=("green", "red", "blue"))
    state = state._replace(market=state.market._replace(crop=10))

    text = " ".join(text_of(state, "red").split())

    assert "Angelika (green) offers #10 bow for 4, of which the crop on it pays 1. You have" in text
    assert "The last player in order who wants the card gets it; Steffi (blue) comes after you." in text
    assert "Steffi (blue) can still say yes; " in text


def test_an_offering_player_is_told_who_might_buy_without_looking_into_hidden_food() -> None:
    """Christian might buy the rod, but not a second Fire: that he owns one is open."""
    state = a_game(
        4,
        phase=Offering("green"),
        waiting=("green", "red", "blue", "black"),
        options=Options(hide_food=True),
        red=a_clan(food=0, cards=(2, 9)),
        blue=a_clan(food=9, cards=(1,)),
        black=a_clan(food=0, cards=(4,)),
    )

    notes = {option["order"]: option["note"] for option in options(state)}

    assert notes["offer 8"].endswith("; other possible buyers: blue and perhaps red")
    assert notes["offer 9"].endswith("; other possible buyers: blue")


# The answers


def test_every_legal_answer_is_in_the_data() -> None:
    """Listed is legal, legal is listed, and nothing twice; of the ways to spread too."""
    checked = set()
    for state, *_ in all_games():
        if isinstance(state.phase, ASKED):
            checked.add(type(state.phase))
            orders = [bare(parse_order(option["order"], expected(state.phase))) for option in options(state)]
            assert len(orders) == len(set(orders))
            assert set(orders) == set(choices(state))
    assert checked == set(ASKED)


def bare(move: Move) -> Move:
    """Return a move as ``choices`` lists it: spaces in the order of names, no card as a guard."""
    if isinstance(move, Buy | Decline):
        return move._replace(card=None)
    return move._replace(spaces=tuple(sorted(move.spaces))) if isinstance(move, Spread) else move


@pytest.mark.slow
def test_every_listed_answer_is_legal_and_in_the_text(some: Some) -> None:
    """The text groups where a tile or members may go; everywhere else the order itself stands in it."""
    for state, *_ in some(all_games(), 3):
        if (decides := who_decides(state)) is None:
            continue
        text = " ".join(text_of(state, decides).split())
        for answer in main_choices(state):
            move = parse_order(answer.order, expected(state.phase))
            assert not list(violations(state, move)), answer
            if not isinstance(state.phase, Laying | Settling | SettlingNeutral) and "cheapest to" not in note(
                state, answer
            ):
                grouped = isinstance(state.phase, Starving | SpreadingNeutral)
                assert (" ".join(move.spaces) if grouped else answer.order) in text


def test_every_way_to_lay_the_tile_is_in_the_text() -> None:
    """They are grouped by the cell of the first hex."""
    checked = 0
    for state, *_ in all_games():
        if isinstance(state.phase, Laying):
            lines = " ".join(" ".join(options_lines(state, state.phase.clan)).split())
            told = {
                f"lay {first} {second}"
                for first, seconds in re.findall(
                    r"1 on ([A-Z]\d+), [A-Z]2 on ([A-Z]\d+(?:(?:, | or )[A-Z]\d+)*)", lines
                )
                for second in re.split(", | or ", seconds)
            }
            assert told == {str(move) for move in choices(state)}
            checked += 1
    assert checked > 5


def test_every_space_to_settle_is_in_the_text_by_hunting_area() -> None:
    """Next to B1 stands Christian."""
    state = a_game(phase=Settling("green"), red=a_clan(members=("B1a",)))

    assert "  C2 berries: C2a C2b C2c" in options_lines(state, "green")
    assert not any(line.startswith("  B1") for line in options_lines(state, "green"))


def test_what_cannot_be_offered_is_told_with_the_reason() -> None:
    """The reasons are those of a refused order."""
    state = a_game(phase=Offering("green"), waiting=("green",), green=a_clan(food=3, cards=(3, 9)))

    lines = options_lines(state, "green")

    assert lines[lines.index("You cannot offer these cards:") :][1:3] == (
        "- #8 rod costs 4 and Angelika has 3.",
        "- #9 fire is a knowledge card that Angelika already owns.",
    )


def test_the_cost_of_a_card_is_what_its_buyer_pays_of_its_own() -> None:
    """The crop on the card is taken off."""
    checked = 0
    for state, *_ in all_games():
        if isinstance(state.phase, Offering | Answering):
            clan = state.clan(state.phase.clan)
            for option in options(state):
                if option["cost"] is not None:
                    number = int(option["order"].split()[1])
                    assert buying.buy(state, clan.colour, number).clan(clan.colour).food == clan.food - option["cost"]
                    checked += 1
    assert checked > 100


def test_what_is_left_after_eating_is_what_the_rules_leave() -> None:
    """The rules themselves let the clan buy or not, all food rot, and all hunt and feed, if no tool must go."""
    checked = 0
    for state, *_ in all_games():
        if isinstance(state.phase, Offering | Answering):
            colour = state.phase.clan
            for option in options(state):
                told = re.search(r"; (\d+) left after eating|; (\d+) members? would starve", option["note"])
                if told and "must discard" not in option["note"]:
                    bought = option["order"].split()[0] not in ("pass", "decline")
                    after = buying.buy(state, colour, int(option["order"].split()[1])) if bought else state
                    after = buying.rot(after)
                    harvest = after.harvest
                    for hunting_clan in after.clans[::-1]:
                        fed, harvest, hunted = hunting.hunt(after, hunting_clan, harvest)
                        if fed.colour == colour:
                            left = fed.food - (fed.size - hunted.eaten)
                    assert left == (int(told[1]) if told[1] else -int(told[2])), option
                    checked += 1
    assert checked > 100


def test_the_cost_of_new_members_is_the_spreading_cost() -> None:
    """And the clan can pay it."""
    checked = 0
    for state, *_ in all_games():
        if isinstance(state.phase, Spreading | Adding):
            clan = state.clan(state.phase.clan)
            for option in options(state):
                move = parse_order(option["order"], expected(state.phase))
                spaces = () if isinstance(move, Stay) else (move.space,) if isinstance(move, Add) else move.spaces
                cost = spreading.spreading_cost(state, clan, spaces)
                assert cost is not None
                assert option["cost"] == cost.total <= clan.food
                checked += 1
    assert checked > 400


def test_the_listed_ways_to_spread_are_the_cheapest_of_all() -> None:
    """Compared with every legal set of spaces, where these are few enough to try."""
    checked = 0
    for state, *_ in all_games():
        if isinstance(state.phase, Spreading) and state.clan(state.phase.clan).food <= 9:
            clan = state.clan(state.phase.clan)
            to_space: dict[str, int] = {}
            for_number: dict[int, int] = {}
            for spaces in spreading.spreads(state, clan):
                cost = spreading.spreading_cost(state, clan, spaces)
                assert cost is not None
                for_number[len(spaces)] = min(cost.total, for_number.get(len(spaces), 99))
                for space in spaces:
                    to_space[space] = min(cost.total, to_space.get(space, 99))
            del for_number[0]
            assert {route.space: route.cost.total for route in routes(state, clan)} == to_space
            assert {len(spaces): cost.total for spaces, cost in cheapest_spreads(state, clan)} == for_number
            checked += 1
    assert checked > 30


def test_of_very_many_ways_a_refusal_tells_the_most_telling() -> None:
    """All are in the data: with 40 food there are hundreds to spread."""
    rich = a_game(phase=Spreading("green"), step="spread", green=a_clan(food=40, members=("B1a", "B2a")))
    poor = a_game(
        phase=Starving("green", 2),
        step="hunt_and_feed",
        green=a_clan(food=0, cards=(3,), members=("B1a", "B1b", "B1c", "D1c", "D1a", "D2b")),
    )

    assert len(tuple(main_choices(rich))) == 21
    assert len(options(rich)) == len(list(choices(rich))) > 400
    assert [option["order"] for option in options(poor)][:12] == [answer.order for answer in main_choices(poor)][:12]
    assert len(options(poor)) == len(list(choices(poor)))


def test_the_cost_of_spaces_together_is_told_so_that_nobody_must_look_it_up() -> None:
    """By the three sentences of the text: base cost, mountains on the cheapest way, and shared spaces."""
    state = a_game(
        phase=Spreading("green"),
        step="spread",
        green=a_clan(food=12, cards=(3,), members=("B1a",)),
        red=a_clan(members=("B1b", "B2b")),
    )
    text = " ".join(" ".join(options_lines(state, "green")).split())
    costs = {option["order"]: option["cost"] for option in options(state)}
    speech = state.with_clan(a_clan(food=12, cards=(3, 26), members=("B1a",))._replace(colour="green", player="Ann"))

    assert (
        "New members cost 1, 3, 6, 10 or 15 food for 1, 2, 3, 4 or 5 of them. Each mountain on the cheapest way to "
        "them costs 1 more. A shared space costs 1 more for each member there, including yours."
    ) in text
    assert "1 more for each member of another clan there, as you know speech." in " ".join(
        " ".join(options_lines(speech, "green")).split()
    )
    assert " B1b berries +2 3 " in text
    assert " B2b mammoths, new ^1 +2 4 " in text
    assert costs["spread B1b B2b"] == 3 + 2 + 2 + 1
    assert costs["spread B1b B1c"] == 3 + 2


def test_a_clan_of_twelve_can_add_three_however_rich_it_is() -> None:
    """At most 15 members stand on the board."""
    members = tuple(f"{area}{letter}" for area in ("B1", "B2", "D1", "D2") for letter in "abc")
    state = a_game(phase=Spreading("green"), step="spread", green=a_clan(food=90, members=members))

    lines = " ".join(options_lines(state, "green"))

    assert "You may add up to 3, as a clan has at most 15, and can pay for up to 3 of them." in lines


def test_who_starves_reads_every_way_by_the_harvest_that_remains() -> None:
    """B2b joins B1a and B2c, so it has to stay, and B1a should, for the berries there."""
    state = a_game(
        phase=Starving("green", 1),
        step="hunt_and_feed",
        green=a_clan(food=0, cards=(3, 7), members=("B1a", "B2b", "B2c")),
    )

    lines = options_lines(state, "green")

    assert 'write "starve" and its space. The survivors must' in " ".join(lines)
    assert "All ways (2), by" in " ".join(lines)
    assert lines[-3:] == ("  harvest  starve", "        5  B2c", "        1  B1a")
    assert [option["note"] for option in options(state)] == [
        "harvest 5 and 5, eat 2 and have 3 left",
        "harvest 1 and 1, eat 2: 1 member would starve",
    ]
    assert example_orders(state) == ("starve B2c",)


def test_every_way_to_starve_is_in_the_text() -> None:
    """However many there are."""
    board = a_game(5).board.spaces
    told = 0
    for hungry in range(1, 7):
        state = a_game(
            5,
            phase=Starving("green", hungry),
            step="hunt_and_feed",
            green=a_clan(food=0, cards=(3,), members=tuple(s for s in board if s[0] in "BE")),
        )
        text = " ".join(" ".join(options_lines(state, "green")).split())
        for move in choices(state):
            assert re.search(rf"(harvest starve \d+|,|\d) {' '.join(move.spaces)}(,| \d|$)", text), move
            told += 1
    assert told > 100


def test_who_places_neutral_members_reads_every_way() -> None:
    """With one member to place only the neighbours of the neutral clan are in reach."""
    state = a_game(
        2,
        phase=SpreadingNeutral("red", 1),
        step="spread_neutral",
        neutral=("B1a", "B1b"),
        green=a_clan(members=("B1a", "B1b", "B1c")),
    )

    lines = " ".join(options_lines(state, "red"))

    assert 'as large as that of Angelika (green): write "spread neutral" and 1 space, free of charge.' in lines
    assert lines.endswith("All ways (2): B1c, B2b.")


def test_of_very_many_ways_to_place_neutral_members_the_text_tells_what_is_next_to_what() -> None:
    """From which every legal set of spaces follows, and no other; the data have them all."""
    state = a_game(
        2, phase=SpreadingNeutral("red", 6), step="spread_neutral", neutral=("B1a",), green=a_clan(members=("B1a",) * 7)
    )

    rows = [line.split() for line in options_lines(state, "red") if re.match("  [A-D][12][abc] ", line)]
    beside = {row[0]: set(row[1:]) for row in rows}
    told = {" ".join(chosen) for chosen in combinations(sorted(beside), 6) if joined(chosen, beside)}

    assert told == {option["order"].removeprefix("spread neutral ") for option in options(state)}
    assert len(told) > MOST_WAYS


def joined(chosen: tuple[str, ...], beside: dict[str, set[str]]) -> bool:
    """Return whether every chosen space leads to the neutral clan over others."""
    near = {space for space in chosen if "N" in beside[space]}
    for _ in chosen:
        near |= {space for space in chosen if near & beside[space]}
    return near == set(chosen)


def test_a_declined_card_goes_to_whom_the_note_says() -> None:
    """Nobody else is asked, so that the answer decides; but red may still answer in a letter to all at once."""
    notes = {
        ((), ("green", "blue")): "Angelika (green) must buy it",
        ((), ("green", "red", "blue")): "Angelika (green) must buy it unless somebody else wants it",
        (("red",), ("green", "red", "blue")): "Christian (red) buys it",
    }
    for (wanted_by, waiting), known in notes.items():
        state = a_game(phase=Answering("blue", "green", 8, wanted_by, ()), waiting=waiting)
        note = f"{known}; 6 left after eating unless you buy another card"
        assert options(state)[1] == {"order": "decline 8", "cost": None, "note": note}
        after = adjudicate(state, "blue", Decline())
        assert any(isinstance(event, CardBought) and event.clan in known for event in after.events)


def test_the_first_of_two_players_reads_what_a_discarded_tool_takes_with_it() -> None:
    """Worked example 12 of the rules: basket 22 and 5 berries."""
    state = a_game(
        2,
        phase=TakingOrDiscarding("green", 22),
        market=(7, 9, 22, 25, 27, 28),
        harvest=(5, 2, 3, 2),
        waiting=("green",),
    )

    note = options(state)[1]["note"]

    assert note == "it leaves the game, and 2 berries with it; then you offer again or pass"


# The state


@pytest.mark.slow
def test_everything_public_is_in_the_text(some: Some) -> None:
    """Clans, food, cards, members, market, harvest spaces, and every space of the board."""
    for state, turn, history in some(all_games(), 3):
        text = text_of(state, None, history, turn=turn)
        for clan in state.clans:
            assert f"{clan.player} ({clan.colour}): {clan.food} food" in text
            for card in clan.cards:
                assert f"#{card.number} {card.kind}:" in text
            assert not clan.members or f"   on     {' '.join(clan.members[:5])}" in text
        if not isinstance(state.phase, Ended):
            for number in state.market.cards:
                assert re.search(rf"^  #{number} {state.components.cards[number].kind} ", text, re.MULTILINE)
            for food in FOODS:
                assert re.search(rf"^  {food} +{state.harvest.of(food)} ", text, re.MULTILINE)
        drawn = "".join(section(text, "BOARD"))
        for space in state.board.spaces:
            assert space in drawn


def test_the_next_harvest_is_in_hunting_order() -> None:
    """Steffi, the last, hunts first: of 5 berries she takes 2, Christian finds 3, and Angelika 2."""
    baskets = {colour: a_clan(cards=(7,), members=("B1a",)) for colour in ("green", "red", "blue")}
    state = a_game(phase=Offering("green"), harvest=(5, 0, 0, 0), **baskets)

    harvests = next_harvests(state)

    assert list(harvests) == ["blue", "red", "green"]
    assert [harvest.tokens for harvest in harvests.values()] == [(("berries", n),) for n in (2, 1, 1)]


def test_the_next_harvest_is_what_the_hunt_brings_if_nothing_changes() -> None:
    """The rules themselves hunt, at once, from every offer of every game."""
    checked = 0
    for state, *_ in all_games():
        if isinstance(state.phase, Offering):
            told = {colour: harvest.worth for colour, harvest in next_harvests(state).items()}
            hunted = state._replace(events=())
            for colour in state.order[::-1]:
                hunted = hunting.hunt_and_feed(hunted._replace(waiting=(colour,)))
            assert {e.clan: e.harvested for e in hunted.events if isinstance(e, Hunted)} == told
            checked += 1
    assert checked > 30


def test_after_hunting_the_next_harvest_counts_the_refill_and_the_next_player_order() -> None:
    """3 players, 2 berry areas: 5 berries come. Angelika is last by size then, so she hunts first."""
    state = a_game(
        phase=Spreading("red"),
        step="spread",
        harvest=(0, 0, 0, 0),
        green=a_clan(cards=(3, 7), members=("B1a",)),
        red=a_clan(cards=(2, 14), members=("B1a", "B1b")),
    )

    harvests = next_harvests(state)

    assert list(harvests) == ["blue", "green", "red"]
    assert harvests["green"].tokens == (("berries", 2),)
    assert harvests["red"].tokens == (("berries", 1),)


def test_while_somebody_starves_the_others_have_still_to_hunt() -> None:
    """They hunt before the refill, and who has hunted after it."""
    state = a_game(
        phase=Starving("blue", 1),
        step="hunt_and_feed",
        waiting=("green", "red"),
        harvest=(4, 0, 0, 0),
        green=a_clan(cards=(3, 7), members=("B1a",)),
        blue=a_clan(food=0, cards=(1, 14), members=("B1b", "B1c")),
    )

    harvests = next_harvests(state)

    assert list(harvests) == ["red", "green", "blue"]
    assert harvests["green"].tokens == (("berries", 1),), "of the 4 that lie there"
    assert harvests["blue"].tokens == (("berries", 2),), "of 3 and 5 that are refilled"


def test_rot_is_told_while_it_is_to_come() -> None:
    """Nothing rots with Fire, or of 2 food."""
    clans = {
        "green": a_clan(food=8, cards=(3,)),
        "red": a_clan(food=8, cards=(2, 9)),
        "blue": a_clan(food=2, cards=(1,)),
    }

    before = text_of(a_game(phase=Offering("green"), waiting=("green",), **clans), None)
    after = text_of(a_game(phase=Spreading("green"), step="spread", **clans), None)

    assert "Angelika (green): 8 food, 0 members; 2 food will rot at the end of phase 1" in " ".join(before.split())
    assert before.count("at the end of phase 1") == 1
    assert "at the end of phase 1" not in after


def test_hunger_to_come_is_told() -> None:
    """1 food and 1 crop feed 2 of 4 members."""
    state = a_game(phase=Offering("green"), green=a_clan(food=1, cards=(3,), members=("B1a", "B1b", "B1c", "B2a")))

    assert "would harvest 1 crop = 1 and eat 4: 2 members would starve" in text_of(state, None)


def test_the_hunting_areas_of_a_clan_are_counted_for_virtual_tokens() -> None:
    """Two areas of a food are said to be two."""
    for state, turn, history in a_whole_game(4, 4):
        text = text_of(state, None, history, turn=turn)
        for clan in state.clans:
            food: Food
            for food in FOODS:
                areas = areas_touched(state.board, clan.members, food)
                if areas > 1:
                    assert f"{food} x{areas}" in " ".join(text.split())


def test_the_shuffle_card_and_a_reduced_market_are_told() -> None:
    """A reduced market has no future."""
    lying = a_game(phase=Offering("green"), market=(7, 8, 9, 10, 11, 12, 13), shuffle=True)
    reduced = a_game(phase=Offering("green"), market=(7, 8, 9, 10, 11, 12), places=6, reduced=True)

    assert "The Shuffle card lies above all other cards in the market." in section(text_of(lying, None), "MARKET")
    assert "future market" not in text_of(reduced, None)
    assert "future market" in text_of(lying, None)


def test_before_the_first_tile_there_is_no_board_and_no_refill() -> None:
    """The refill numbers count hunting areas."""
    state = a_game(phase=DrawingTile("green"), step="lay_landscape", board=())

    text = text_of(state, None)

    assert section(text, "BOARD") == ["No tile is laid yet."]
    assert "  fish           2       ?      3  -" in section(text, "HARVEST SPACES")


def test_a_board_of_one_tile_has_room_for_six() -> None:
    """Of its spaces five are taken, so that only one is left for all the food."""
    tile = LaidTile(the_components().tiles["E"], 0, 0, 0)
    clan = a_clan(food=40, members=("E1a", "E1b", "E1c", "E2a", "E2b"))
    state = a_game(phase=Spreading("green"), step="spread", board=(tile,), green=clan)

    assert [spaces for spaces, _ in cheapest_spreads(state, state.clan("green"))] == [("E2c",)]


def test_every_step_of_the_game_has_its_stage() -> None:
    """The header can say where every game stands."""
    assert set(STAGES) == set(STEPS)


def test_who_agrees_to_end_the_game_is_told() -> None:
    """To everybody, and how one can agree too."""
    state = a_game(phase=Offering("green"), waiting=("green",), agreed=("red",), red=a_clan(food=2, cards=(2,)))

    assert "agree end" in text_of(state, "blue")
    assert "So far: Christian (red)." in " ".join(text_of(state, "green").split())
    assert "Christian (red): 2 food, 0 members; has bought or passed; agrees to end the game" in " ".join(
        text_of(state, None).split()
    )


def test_nobody_is_invited_to_agree_who_would_be_refused() -> None:
    """Not who has agreed to end the game here, and not who has done so a hundred times; whoever is asked."""
    spent, free = a_clan(food=2, agreements=100), a_clan(food=2)
    state = a_game(phase=Offering("green"), waiting=("green",), agreed=("red",), red=free, blue=spent, green=spent)

    for viewer, said in (
        ("red", "Until the next move you agree to end the game: it ends when all agree. So far: Christian (red)."),
        ("blue", "You have agreed to end this game as often as the rules allow. So far: Christian (red)."),
        ("green", "You have agreed to end this game as often as the rules allow. So far: Christian (red)."),
        (None, "You have agreed to end this game as often as the rules allow. So far: Christian (red)."),
    ):
        text = " ".join(text_of(state, viewer).split())
        assert f'At any time you may write "resign". {said}' in text
        assert "agree end" not in text


# The end


def test_the_final_table_begins_with_the_winner_and_ends_with_who_resigned() -> None:
    """Who is equal shares a place; nothing is asked any more."""
    state = a_game(
        4,
        phase=Ended(("red",)),
        green=a_clan(food=9, members=("B1a", "B1b"), resigned=True),
        red=a_clan(food=4, members=("B1a", "B1b")),
        blue=a_clan(food=3, members=("B1a", "B1b")),
        black=a_clan(food=3, members=("B2a", "B2b")),
    )

    text = text_of(state, "blue")

    assert text.splitlines()[:2] == ["friday-night, turn 31, round 1: the game is over", "Christian (red) wins."]
    assert section(text, "FINAL TABLE") == [
        "  place  members  food  clan",
        "      1        2     4  Christian (red)",
        "      2        2     3  Steffi (blue)",
        "      2        2     3  Hedwig (black)",
        "      4        2     9  Angelika (green) (resigned)",
    ]
    assert ORDER_HEADING not in text
    assert "MARKET" not in text
    assert options_lines(state, "blue") == ("The game is over.",)


def test_a_shared_victory_is_told() -> None:
    """Several winners share it."""
    state = a_game(phase=Ended(("green", "blue")))

    assert "Angelika (green) and Steffi (blue) share the victory." in text_of(state, None).splitlines()


# What has happened


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (HerbsDealt("red", 2), "Herbs are dealt: #2 to Christian (red)."),
        (PlayerOrderSet(("red", "green")), "The player order is now Christian (red) and Angelika (green)."),
        (TileDrawn("red", "C"), "Christian (red) draws tile C (bears, berries)."),
        (TileLaid("red", "C", ("L12", "M12")), "Christian (red) lays tile C (bears, berries) on L12 and M12."),
        (MembersPlaced("red", ("B1a",), 0), "Christian (red) settles on B1a."),
        (MembersPlaced("neutral", ("B1a",), 0), "The neutral clan settles on B1a."),
        (MembersPlaced("neutral", ("B1b", "B1c"), 0), "The neutral clan adds 2 members on B1b and B1c."),
        (
            MembersPlaced("red", ("B1b", "B1c", "C1a"), 7),
            "Christian (red) adds 3 members on B1b, B1c and C1a for 7 food.",
        ),
        (MembersPlaced("red", (), 0), "Christian (red) stays."),
        (RoundBegan(3, 12), "Round 3 begins, and the crop is laid on #12 field."),
        (RoundBegan(3, None), "Round 3 begins."),
        (CardOffered("red", 12, 3, ()), "Christian (red) offers #12 field for 3."),
        (
            CardOffered("red", 12, 3, ("green",)),
            "Christian (red) offers #12 field for 3. Angelika (green) cannot buy it.",
        ),
        (Answered("green", 12, True), "Angelika (green) wants it."),
        (Answered("green", 12, False), "Angelika (green) declines."),
        (Passed("red"), "Christian (red) passes."),
        (CardBought("red", 12, 3, False), "Christian (red) buys #12 field for 3."),
        (CardBought("red", 12, 3, True), "Christian (red) buys #12 field for 3 and takes the crop on it."),
        (ToolDropped("red", 7), "Christian (red) has one tool too many and discards #7 basket."),
        (OfferDiscarded("red", 9, ()), "Christian (red) discards the offered #9 fire."),
        (
            OfferDiscarded("red", 22, (("berries", 2),)),
            "Christian (red) discards the offered #22 basket, and 2 berries with it.",
        ),
        (CardDrawn(23), "#23 bow enters the market."),
        (ShuffleDrawn(), "The Shuffle card enters the market, and the draw pile is shuffled."),
        (CropLost(12), "The crop on #12 field is lost because a lower card was drawn."),
        (CardUnsold(12), "#12 field still has the crop on it, so both leave the game."),
        (CardPutUnder(35), "#35 field, the highest card in the market, goes under the draw pile."),
        (
            MarketReduced(8),
            "The Shuffle card and #8 rod leave the game. From now on the market has 6 cards, all of them current.",
        ),
        (
            MarketReduced(None),
            "The Shuffle card leaves the game. From now on the market has 6 cards, all of them current.",
        ),
        (FoodRotted("red", 2), "Food rots: Christian (red) loses 2."),
        (
            Hunted("red", 1, (("berries", 2), ("fish", 1)), 8, 3),
            "Christian (red) harvests 2 berries + 1 fish + 1 crop = 8 and eats 3.",
        ),
        (Hunted("red", 0, (), 0, 0), "Christian (red) harvests nothing and eats nothing."),
        (MembersStarved("red", ("B1b", "B1c")), "Christian (red) loses 2 members to hunger, on B1b and B1c."),
        (
            HarvestRefilled((("berries", 4), ("fish", 1), ("bears", 0), ("mammoths", 1))),
            "The harvest spaces are refilled with 4 berries, 1 fish and 1 mammoth.",
        ),
        (Resigned("red"), "Christian (red) resigns. The clan keeps its members and cards."),
        (AgreedToEnd("red"), "Christian (red) agrees to end the game as it stands."),
        (GameEnded(("red",)), "The game is over: Christian (red) wins."),
        (GameEnded(("red", "green")), "The game is over: Christian (red) and Angelika (green) share the victory."),
    ],
)
def test_an_event_is_told(event: Event, line: str) -> None:
    """One item of the list, wrapped where it is long."""
    state = a_game(2, places=6, neutral=("B1a",), events=(event,))

    lines = news([(Entry(1, "red", "red", Pass()), state)])

    assert lines[0].startswith("- ")
    assert all(more.startswith("  ") for more in lines[1:])
    assert " ".join(text[2:] for text in lines) == line


def test_every_kind_of_event_is_told_in_some_example() -> None:
    """A new kind of event needs an example above."""
    examples = test_an_event_is_told.pytestmark[0].args[1]  # type: ignore[attr-defined]

    assert {type(event) for event, _ in examples} == set(get_args(Event))


def test_the_answers_to_an_offer_and_the_rot_of_all_are_one_line_each() -> None:
    """In the order in which they were given."""
    answers = (Answered("red", 12, False), Answered("blue", 12, True), Answered("black", 12, True))
    state = a_game(4, events=(*answers, FoodRotted("green", 1), FoodRotted("red", 2)))

    assert news([(Entry(1, "black", "black", Buy()), state)]) == (
        "- Christian (red) declines. Steffi (blue) and Hedwig (black) want it.",
        "- Food rots: Angelika (green) loses 1 and Christian (red) loses 2.",
    )


def test_who_has_no_choice_is_not_mixed_with_who_has() -> None:
    """A mark is about all whom its line names."""
    state = a_game(3)
    history = [
        (Entry(1, "*", "green", Pass()), state._replace(events=(Passed("green"),))),
        (Entry(1, "*", "red", Pass()), state._replace(events=(Passed("red"),))),
        (Entry(2, "blue", "blue", Pass()), state._replace(events=(Passed("blue"), FoodRotted("blue", 2)))),
    ]

    assert news(history) == (
        "- Angelika (green) and Christian (red) pass. There was no other choice.",
        "- Steffi (blue) passes.",
        "- Food rots: Steffi (blue) loses 2.",
    )


def test_only_the_decision_itself_was_the_only_choice_not_what_follows_from_it() -> None:
    """The first event of an entry is the decision."""
    state = a_game(3, events=(MembersPlaced("blue", (), 0), CardPutUnder(35)))

    assert news([(Entry(1, "*", "blue", Stay()), state)]) == (
        "- Steffi (blue) stays. There was no other choice.",
        "- #35 field, the highest card in the market, goes under the draw pile.",
    )


def test_rounds_that_go_by_alike_are_told_once() -> None:
    """With an empty market and nobody on the board nothing else can happen; no round and no fact is left out."""
    nobody = {colour: a_clan(0, (number,)) for number, colour in enumerate(("green", "red", "blue"), 1)}
    state = walk_from("lay_crop", market=(), pile=Pile(shuffle=False), reduced=True, order=COLOURS[2::-1], **nobody)
    history = [(Entry(1, "blue", "blue", Pass()), state)]
    history += [(Entry(1, by, clan, move), after) for by, clan, move, after in carry_on(state, None)]
    whole = " ".join(line.lstrip("- ") for line in news(history))
    each = "Steffi (blue), Christian (red) and Angelika (green) pass. There was no other choice."

    assert history[-1][1].round == 11
    assert "In each of rounds 2 to 4: " + each in whole
    assert "In each of rounds 5 to 10: " + each in whole
    assert "Round 11 begins. " + each in whole
    assert whole.count("begins") == 1
    assert whole.count("Steffi (blue) harvests 1 crop = 1 and eats nothing.") == 3


def test_why_a_game_came_to_rest_stands_in_the_first_lines() -> None:
    state = a_game(3, phase=Ended(("red",)), idle=10)

    assert " ".join(text_of(state, "red").split("\n\n")[0].splitlines()) == (
        "friday-night, turn 31, round 1: the game is over Christian (red) wins. "
        "The game ended after 10 rounds in a row without a purchase or a clan at a new size (R9.3). "
        "Of the largest clans, with 0 members each, Christian (red) has the most food (7) (R9.2)."
    )


def test_players_are_warned_before_a_game_comes_to_rest() -> None:
    """From the sixth round on, and before that nothing is said of it."""
    fifth, sixth = (a_game(3, phase=Offering("red"), idle=idle) for idle in (5, 6))

    assert "new size" not in text_of(fifth, "red")
    assert " ".join(text_of(sixth, "red").split("\n\n")[0].splitlines()[2:]) == (
        "In the last 5 rounds nobody bought a card and no clan reached a new size. The game ends after 10 such rounds "
        "in a row."
    )


@pytest.mark.parametrize("idle", [9, 10])
def test_nobody_is_warned_of_the_end_of_a_game_that_is_over(idle: int) -> None:
    """The game came to rest, or ended for another reason shortly before."""
    assert "such rounds in a row" not in text_of(a_game(3, phase=Ended(("red",)), idle=idle), "red")


def test_a_drawn_tile_that_is_laid_already_is_told_once() -> None:
    """Until it is laid, its drawing is news."""
    state = a_game(3)
    drawn = (Entry(1, "*", "*", Pass()), state._replace(events=(TileDrawn("red", "C"),)))
    laid = (Entry(2, "red", "red", Pass()), state._replace(events=(TileLaid("red", "C", ("L12", "M12")),)))

    assert len(news([drawn, laid])) == 1
    assert len(news([drawn])) == 1


def test_on_a_random_board_nobody_lays_a_tile() -> None:
    """Chance does."""
    state = a_game(3, options=Options(board="random"), events=(TileLaid("red", "C", ("L12", "M12")),))

    assert news([(Entry(0, "*", "*", Pass()), state)]) == ("- Chance lays tile C (bears, berries) on L12 and M12.",)


# How things are said


def test_a_line_is_broken_between_words_and_a_name_never() -> None:
    """So that a name which looks like an order never stands alone."""
    state = a_game(3, events=(PlayerOrderSet(("green", "red", "blue")),))
    long = state._replace(clans=tuple(clan._replace(player="Anna Bella Carla Dora") for clan in state.clans))

    lines = news([(Entry(0, "*", "*", Pass()), long)])

    assert lines == (
        "- The player order is now Anna Bella Carla Dora (green),",
        "  Anna Bella Carla Dora (red) and Anna Bella Carla Dora (blue).",
    )


def test_a_long_text_is_wrapped_at_72_columns_and_lost_nowhere() -> None:
    """Fourteen words of five columns fit beside the margin."""
    words = "word " * 60

    lines = wrapped(words.strip(), "- ", "  ")

    assert max(map(len, lines)) == 2 + 14 * 5 - 1
    assert " ".join(line[2:] for line in lines) == words.strip()


def test_columns_are_as_wide_as_what_they_hold() -> None:
    """No cell is cut, and none is padded beyond its column; a row that is too wide widens no column."""
    rows = (("#123 intelligence", "100000", "one place back"), ("#7 rod", "2", "fish"), ("#8 rod", "3", "x" * 72))

    lines = lines_of((Grid((Column("card"), Column("price", right=True), Column("use")), rows),))

    assert lines[:3] == (
        "  card                price  use",
        "  #123 intelligence  100000  one place back",
        "  #7 rod                  2  fish",
    )


def test_choices_are_as_wide_as_what_they_hold() -> None:
    """Titles too: another language may have long ones, and an order may be short or a cost great."""
    rows = (("pass", "-", "nothing"), ("offer 12", "10000", "all"))

    assert lines_of((Choices("order", "cost", rows),)) == (
        "  order      cost",
        "  pass          -  nothing",
        "  offer 12  10000  all",
    )
    assert lines_of((Choices("command", "cost", rows[:1]),)) == ("  command  cost", "  pass        -  nothing")


def test_a_row_that_is_too_wide_is_wrapped_with_its_margin() -> None:
    """A component set of one's own may have longer tables than ours."""
    columns_of_it = (Column("card"), Column("price"), Column("use"))
    row = ("#999 basket", " 15", f"berries {table_text(tuple((n, n) for n in range(1, 20)))}")

    _, *lines = lines_of((Grid(columns_of_it, (row,)),))

    assert [line[:8] for line in lines] == ["  #999 b", "      12"]
    assert " ".join(" ".join(lines).split()) == " ".join(" ".join(row).split())
    assert max(map(len, lines)) <= WIDTH


@pytest.mark.parametrize(
    ("table", "text"),
    [
        (((1, 1), (4, 2), (7, 3)), "1-3:1 4-6:2 7+:3"),
        (((1, 1), (2, 2)), "1:1 2+:2"),
        (((1, 2),), "1+:2"),
        ((), ""),
    ],
)
def test_a_table_is_told_in_ranges(table: tuple[tuple[int, int], ...], text: str) -> None:
    """From how many to how many tokens it takes what."""
    assert unglued(table_text(table)) == text


# Whose letter is whose


def test_the_letters_of_the_clans_differ_without_their_colours() -> None:
    assert len({letter.casefold() for letter in LETTERS.values()}) == len(LETTERS) == 7


def test_a_clan_has_its_letter_wherever_it_is_named_and_on_the_board() -> None:
    """Bob is red and Rita blue: his letter is R, hers is B, and the text says so. The neutral clan has one too."""
    red, blue = a_clan(members=("D1a",)), a_clan(members=("C1a",))
    state = a_game(phase=Offering("red"), order=("red", "blue"), red=red, blue=blue, neutral=("B1a",))
    names = {"red": "Bob", "blue": "Rita"}
    state = state._replace(clans=tuple(clan._replace(player=names[clan.colour]) for clan in state.clans))
    text = text_of(state, "red")

    assert "\nLetters: R Bob (red), B Rita (blue), N the neutral clan.\n" in text
    clans = text.partition("\nCLANS")[2].partition("\n\n")[0].split("\n")
    named = [line.partition(":")[0] for line in clans if line[:3] in ("1. ", "2. ", "-  ")]
    assert named == ["1. R Bob (red), you", "2. B Rita (blue)", "-  N the neutral clan"]
    board = text.partition("\nBOARD\n")[2].partition("Letters:")[0]
    assert sorted(re.findall(r"(?<!\w)[A-Za-z](?!\w)", board)) == ["B", "N", "R"]


# Whole texts

OFFERING = """\
friday-night, turn 31, round 3, phase 1 technology: Christian (red)
You are asked to offer a card or pass.

WHAT HAS HAPPENED
Round 3, phase 1 technology
- Angelika (green) buys #9 fire for 3.

BOARD
          .-'-.       .-'^^       .-'-.
      _.-' C2a '-._.-'  ^  ^^^_.-'  :  '-._
      |' .  R  ^^^^ D1b ^ D1a | D2b : D2a |
      |  berries  ^     ^     |     :     |
      | C2b : C2c ^   fish    | mammoths  |
      |     :     ^. ' D1c ' .|. ' D2c ' .|
    .-'-.   :   .-'-.       .-'^^   R   .-'
_.-' C1a '-._.-' B2c '-._.-' B1c ^^^_.-'
|' .     . '|' .     . '^' .     . '|
|   bears   | mammoths  ^  berries  |
| C1b : C1c | B2a : B2b ^ B1a : B1b |
|     :  B  |  R  :     ^  G  :  G  |
'-.   :   ^^'-.   :   ^^'-.   :   .-'
   '-._^^^     '-._^^^     '-._.-'

Letters: G Angelika (green), R Christian (red), B Steffi (blue).
^ is a mountain.

HARVEST SPACES
  food      tokens  refill  worth  hunting areas
  berries        4      +5      2  B1 C2
  fish           2      +3      3  D1
  bears          3      +2      3  C1
  mammoths       2      +3      4  B2 D2

MARKET
  card        price  use                 you
current market, can be offered:
  #7 basket     2 *  berries 1-4:1 5+:2  you can pay
  #8 rod        4    fish 1-4:1 5+:2     you can pay
  #9 fire       3    no food rots        you can pay
  #10 bow       4    bears 1-5:1 6+:2    you can pay
future market, cannot be offered yet:
  #11 rod       5    fish 1-3:1 4+:2     you can pay
  #12 field     3    2 crops             you can pay
  #13 spear     5    mammoths 1+:1       you can pay
  #14 basket    3    berries 1-3:1 4+:2  you can pay
The draw pile has 28 cards, including the Shuffle card. Once that is
drawn, phase 4 makes the market smaller, and all of it current.
To come: 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35
36 37 38 39 40 41, then Shuffle.
Only the order of these groups is known.
* marks the card with the crop, which is worth 1 food to its buyer. If
nobody buys the card this round, it leaves the game.
4-6:2 means that the tool takes 2 tokens if there are 4 to 6.

CLANS, in player order; next: the next harvest if nothing changes
1. G Angelika (green): food hidden, 2 members; has bought or passed
   on     B1a B1b (berries)
   tools  #3 herbs: 1 crop
   knows  #9 fire: no food rots
   next   would harvest 1 crop = 1 and eat 2
2. R Christian (red), you: 6 food, 3 members;
   2 food will rot at the end of phase 1
   on     B2a C2a D2c (berries, mammoths x2)
   tools  #2 herbs: 1 crop; #14 basket: berries 1-3:1 4+:2
   next   would harvest 2 berries + 1 crop = 5, eat 3 and have 6 left
3. B Steffi (blue): 3 food, 1 member;
   1 food will rot at the end of phase 1
   on     C1c (bears)
   tools  #1 herbs: 1 crop; #12 field: 2 crops
   next   would harvest 3 crops = 3, eat 1 and have 4 left
The food of a clan that owns Fire is hidden from all others until the
game is over.

QUESTION
You have 6 food and 2 tools (limit 3). If others want the card you
offer, the last one in player order to say yes buys it, and you choose
again. You must buy it if nobody wants it. The two harvests are those of
this round and of the next. What is left after eating takes rot into
account. All this, and your place in the next round, is certain only if
nothing else changes.
  order     cost
  offer 7      1  basket: berries 1-4:1 5+:2; price 2, the crop on it
                  pays 1; you would harvest 7 and 9, not 5 and 5; 8 left
                  after eating; next round 1st of 3: you hunt and spread
                  last; other possible buyers: blue
  offer 8      4  rod: fish 1-4:1 5+:2; you would still harvest 5 and 5;
                  4 left after eating; next round 1st of 3: you hunt and
                  spread last; no other possible buyers
  offer 9      3  fire: no food rots; 5 left after eating; next round
                  1st of 3: you hunt and spread last; other possible
                  buyers: blue
  offer 10     4  bow: bears 1-5:1 6+:2; you would still harvest 5 and
                  5; 4 left after eating; next round 1st of 3: you hunt
                  and spread last; no other possible buyers
  pass         -  you buy nothing this round, whatever is offered later;
                  6 left after eating; next round 1st of 3: you hunt and
                  spread last

Answer with the line in brackets and your order, for example:

YOUR ANSWER
[friday-night/31/01234567]
order: offer 7
"""

SPREADING = """\
friday-night, turn 31, round 5, phase 3 spreading: Angelika (green)
You are asked to spread or stay.

WHAT HAS HAPPENED
Round 5, phase 3 spreading
- Christian (red) adds 1 member on B2c for 3 food.

BOARD
          .-'-.       .-'^^       .-'-.
      _.-' C2a '-._.-'  ^  ^^^_.-'  :  '-._
      |' .     ^^^^ D1b ^ D1a | D2b : D2a |
      |  berries  ^     ^     |     :     |
      | C2b : C2c ^   fish    | mammoths  |
      |     :     ^. ' D1c ' .|. ' D2c ' .|
    .-'-.   :   .-'-.       .-'^^       .-'
_.-' C1a '-._.-' B2c '-._.-' B1c ^^^_.-'
|' .     . '|' . RB  . '^' .  G  . '|
|   bears   | mammoths  ^  berries  |
| C1b : C1c | B2a : B2b ^ B1a : B1b |
|     :     |     :  B  ^  G  :  R  |
'-.   :   ^^'-.   :   ^^'-.   :   .-'
   '-._^^^     '-._^^^     '-._.-'

Letters: G Angelika (green), R Christian (red), B Steffi (blue).
^ is a mountain.

HARVEST SPACES
  food      tokens  refill  worth  hunting areas
  berries        4      +5      2  B1 C2
  fish           2      +3      3  D1
  bears          3      +2      3  C1
  mammoths       2      +3      4  B2 D2

MARKET
  card        price  use                 you
current market, can be offered:
  #7 basket     2    berries 1-4:1 5+:2  you can pay
  #8 rod        4    fish 1-4:1 5+:2     you can pay
  #9 fire       3    no food rots        you can pay
  #10 bow       4    bears 1-5:1 6+:2    you can pay
future market, cannot be offered yet:
  #11 rod       5    fish 1-3:1 4+:2     you can pay
  #12 field     3    2 crops             you can pay
  #13 spear     5    mammoths 1+:1       you can pay
  #14 basket    3    berries 1-3:1 4+:2  you can pay
The draw pile has 27 cards, including the Shuffle card. Once that is
drawn, phase 4 makes the market smaller, and all of it current.
To come: 15 16 17 18 19 20 21 22 23 24 25 27 28 29 30 31 32 33 34 35 36
37 38 39 40 41, then Shuffle. Only the order of these groups is known.
4-6:2 means that the tool takes 2 tokens if there are 4 to 6.

CLANS, in player order; next: the next harvest if nothing changes
1. G Angelika (green), you: 12 food, 2 members
   on     B1a B1c (berries)
   tools  #3 herbs: 1 crop; #8 rod: fish 1-4:1 5+:2
   knows  #26 speech: a shared space costs 1 less
   next   would harvest 1 crop = 1 and eat 2
2. R Christian (red): 6 food, 2 members
   on     B1b B2c (berries, mammoths)
   tools  #2 herbs: 1 crop
   next   would harvest 1 crop = 1 and eat 2
3. B Steffi (blue): 3 food, 2 members
   on     B2b B2c (mammoths)
   tools  #1 herbs: 1 crop; #12 field: 2 crops
   next   would harvest 3 crops = 3 and eat 2

QUESTION
You have 12 food and 2 members. You may add up to 5 and can pay for up
to 4 of them. New members cost 1, 3, 6, 10 or 15 food for 1, 2, 3, 4 or
5 of them. Each mountain on the cheapest way to them costs 1 more. A
shared space costs 1 more for each member of another clan there, as you
know speech. The two harvests are those of the next two rounds. What is
left after eating takes rot into account. All this, and your place in
the next round, is certain only if nothing else changes.
  order                   cost
  stay                       0  add nobody: harvest 1 and 1, eat 2 and
                                have 7 left; next round 1st of 3: you
                                hunt and spread last
  spread D1c                 1  cheapest for 1: harvest 7 and 7, eat 3
                                and have 12 left; next round 1st of 3:
                                you hunt and spread last
  spread D1a D1c             3  cheapest for 2: harvest 7 and 7, eat 4
                                and have 9 left; next round 1st of 3:
                                you hunt and spread last
  spread D1a D1b D1c         6  cheapest for 3: harvest 7 and 7, eat 5
                                and have 6 left; next round 1st of 3:
                                you hunt and spread last
  spread D1a D1b D1c D2b    10  cheapest for 4: harvest 7 and 7, eat 6
                                and have 3 left; next round 1st of 3:
                                you hunt and spread last

Every space in reach, with the cheapest way there, and what the space
adds to the base cost: ^1 for a mountain, +2 for sharing it. The columns
next and then are your next two harvests, which are now worth 1 and 1;
place is yours in the next player order.
  to  area          +     cost next then place spread
  D1c fish, new              1    7    7 1st   D1c
  B1b berries       +1       2    1    1 1st   B1b
  D2c mammoths, new ^1       2    1    1 1st   D2c
  B2b mammoths, new ^1 +1    3    1    1 1st   B2b
  D1a fish, new              3    7    7 1st   D1c D1a
  D1b fish, new              3    7    7 1st   D1c D1b
  D2a mammoths, new          4    1    1 1st   D2c D2a
  D2b mammoths, new          4    1    1 1st   D2c D2b
  B2a mammoths, new          5    1    1 1st   B2b B2a
  B2c mammoths, new +2       5    7    7 1st   D1c B2c
  C2c berries, new  ^1       7    7    7 1st   D1c D1b C2c
  C1c bears, new             8    1    1 1st   B2b B2a C1c
  C2b berries, new          11    7    7 1st   D1c D1b C2c C2b
  C1a bears, new            12    1    1 1st   B2b B2a C1c C1a
  C1b bears, new            12    1    1 1st   B2b B2a C1c C1b
  C2a berries, new  ^1      12    7    7 1st   D1c D1b C2c C2a
You can combine these spaces in other ways, if each is next to your clan
or to another space that you name.

Answer with the line in brackets and your order, for example:

YOUR ANSWER
[friday-night/31/01234567]
order: spread D1c
"""


def test_the_whole_text_of_an_offering() -> None:
    """With a crop, a clan that hides its food, and one that could buy too."""
    state = a_game(
        phase=Offering("red"),
        waiting=("red", "blue"),
        crop=7,
        round=3,
        options=Options(hide_food=True),
        green=a_clan(food=9, cards=(3, 9), members=("B1a", "B1b")),
        red=a_clan(food=6, cards=(2, 14), members=("B2a", "C2a", "D2c")),
        blue=a_clan(food=3, cards=(1, 12), members=("C1c",)),
        events=(CardBought("green", 9, 3, crop=False),),
    )
    history = ((Entry(30, "green", "green", Buy()), state),)

    assert text_of(state, "red", history) == OFFERING


def test_the_whole_text_of_a_spreading() -> None:
    """With mountains, shared spaces, Speech, and two rivals."""
    state = a_game(
        phase=Spreading("green"),
        step="spread",
        round=5,
        harvest=Harvest(4, 2, 3, 2),
        green=a_clan(food=12, cards=(3, 8, 26), members=("B1a", "B1c")),
        red=a_clan(food=6, cards=(2,), members=("B1b", "B2c")),
        blue=a_clan(food=3, cards=(1, 12), members=("B2b", "B2c")),
        events=(MembersPlaced("red", ("B2c",), 3),),
    )
    history = ((Entry(30, "red", "red", Spread(("B2c",))), state),)

    assert text_of(state, "green", history) == SPREADING
