"""The bot: what it decides is legal, fair, always the same, and better than chance."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest
from builders import COLOURS, a_clan, a_game, the_components, walk_from
from tournament import Player, at_random, played_game, the_bot, the_example, tournament
from work import Some, at_most

from pbem.first_sparks import phases
from pbem.first_sparks.adjudicator import forced, violations, who_decides
from pbem.first_sparks.bot.decide import decide, lead, worths
from pbem.first_sparks.bot.hardship import hardship
from pbem.first_sparks.bot.outlook import taken_before
from pbem.first_sparks.bot.prospect import BASE, contenders_of
from pbem.first_sparks.bot.reasons import reason
from pbem.first_sparks.bot.seats import is_bot, numbered
from pbem.first_sparks.bot.stall import Stall
from pbem.first_sparks.bot.tuning import DEFAULT
from pbem.first_sparks.cards import Pile
from pbem.first_sparks.components import FOODS, LaidTile
from pbem.first_sparks.moves import Add, Buy, Decline, Drop, Move, Offer, Pass, Spread, Stay
from pbem.first_sparks.options import BoardWay, Options
from pbem.first_sparks.rules import spreading
from pbem.first_sparks.rules.game_end import is_stuck
from pbem.first_sparks.rules.spreading import MOST_MEMBERS
from pbem.first_sparks.state import CHANCE, GameState
from pbem.game_setup import seats

TESTS = Path(__file__).parent
NOBODY_ASKED = {phases.DealingHerbs, phases.DrawingTile, phases.DrawingCard, phases.Ended}


def questions(games: int, hide: tuple[bool, ...] = (False, True)) -> Iterator[tuple[GameState, str]]:
    """Yield some questions of random games of all numbers of players, with who decides.

    The first 15 of a kind, and then one in 60, so that no kind is left out.
    """
    asked: Counter[type] = Counter()
    for seed in range(games):
        table: dict[str, Player] = dict.fromkeys(COLOURS[: 2 + seed % 5], at_random)
        for state, _ in played_game(table, seed, Options(hide_food=hide[seed // 5 % len(hide)])):
            by = who_decides(state)
            if by in (None, CHANCE) or forced(state) is not None:
                continue
            kind = type(state.phase)
            asked[kind] += 1
            if asked[kind] <= 15 or asked[kind] % 60 == 0:
                assert by is not None
                yield state, by


def laid(*tiles: tuple[str, int, int, int]) -> tuple[LaidTile, ...]:
    """Return a board of these tiles of the set that ships: letter, q, r, rotation."""
    return tuple(LaidTile(the_components().tiles[letter], q, r, rotation) for letter, q, r, rotation in tiles)


def spaces(names: str) -> tuple[str, ...]:
    """Return the spaces that are named by area: ``A1ab`` is A1a and A1b."""
    return tuple(area[:2] + letter for area in names.split() for letter in area[2:])


@pytest.mark.slow
def test_every_decision_is_legal_and_has_a_reason(some: Some) -> None:
    answered = set()
    for state, colour in some(questions(300), 7):
        move = decide(state, colour, "seed")
        answered.add(type(state.phase))

        assert not tuple(violations(state, move)), f"{move} in {state.phase}"
        assert reason(state, colour, move).endswith(".")

    assert answered == set(get_args(phases.Phase)) - NOBODY_ASKED


@pytest.mark.slow
def test_the_bot_knows_no_hidden_food(some: Some) -> None:
    """In two worlds that differ only in what others hide, it decides, ranks and explains the same."""
    random, hidden = Random(1), 0
    for state, colour in some(questions(100, hide=(True,)), 5):
        secret = [clan for clan in state.clans if clan.colour != colour and state.hides_food(clan)]
        if not secret:
            continue
        hidden += 1
        other = state
        for clan in secret:
            other = other.with_clan(clan.with_food(random.randrange(40)))

        assert decide(other, colour) == (move := decide(state, colour))
        assert worths(other, colour) == worths(state, colour)
        assert lead(other, colour) == lead(state, colour)
        assert reason(other, colour, move) == reason(state, colour, move)

    assert hidden > 10


def test_the_bot_asks_only_for_what_it_may_know() -> None:
    """It is wrong to ask it for a clan whose turn it is not."""
    game = a_game(phase=phases.Offering("green"), waiting=("green", "red", "blue"))

    with pytest.raises(ValueError, match="not the turn of red"):
        decide(game, "red")


def test_a_seed_chooses_among_equals_only() -> None:
    laying = next(state for state, _ in questions(1) if isinstance(state.phase, phases.Laying))
    first = who_decides(laying) or ""
    offering = a_game(phase=phases.Offering("green"), waiting=("green", "red", "blue"), green=a_clan(7, (3,), ("C1c",)))

    assert len({decide(laying, first, str(seed)) for seed in range(20)}) > 1
    assert len({decide(offering, "green", str(seed)) for seed in range(20)}) == 1


PLAYED = """
import sys
sys.path.insert(0, {tests!r})
from tournament import COLOURS, played_game, the_bot
for players in {players}:
    for state, move in played_game(dict.fromkeys(COLOURS[:players], the_bot), 3):
        print(state.phase, move)
"""


@pytest.mark.slow
def test_it_decides_the_same_in_every_process(some: Some) -> None:
    players = tuple(some((2, 5), 2))
    games = {
        subprocess.run(
            [sys.executable, "-c", PLAYED.format(tests=str(TESTS), players=players)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("0", "1")
    }

    assert len(games) == 1
    assert b"Ended" in games.pop()


@pytest.mark.slow
def test_it_judges_the_same_in_every_version_of_python() -> None:
    """To the last digit; ``sum`` adds numbers in another way since Python 3.12."""
    judged = [(lead(state, colour), worths(state, colour)) for state, colour in questions(3)]

    assert sha256(repr(judged).encode()).hexdigest()[:16] == "461b71937e01ad28"


@pytest.mark.slow
@pytest.mark.parametrize(("others", "least"), [(at_random, 0.7), (the_example, 0.5)], ids=["random", "example"])
def test_it_is_strong(others: Player, least: float) -> None:
    """``benchmark_bot.py`` measures how strong; here the same few games are far from the bound every time."""
    games = [game for players in range(2, 7) for game in tournament(players, 2, the_bot, others, 50)]

    assert sum(game.beaten for game in games) / len(games) >= least


@pytest.mark.slow
def test_it_feeds_its_clan(some: Some) -> None:
    """Of 80 clans at most one ends with a single member, and of 20 games one because nothing happens any more.

    ``benchmark_bot.py`` counts how many do in thousands of games.
    """
    ruined = idle = 0
    games = [(players, seed) for players in range(2, 7) for seed in range(70 + players % 2, 74)]
    for players, seed in some(games, 6):
        board: BoardWay = "players" if seed % 2 else "random"
        *_, (end, _) = played_game(dict.fromkeys(COLOURS[:players], the_bot), seed, Options(board=board))
        ruined += sum(clan.size <= 1 for clan in end.clans)
        idle += is_stuck(end)

    assert ruined <= 1
    assert idle <= 1


def test_a_decision_takes_little_work() -> None:
    """Some 50,000 calls in the middle of a game of six: a fraction of what a 20th of a second has room for."""
    rich = a_clan(30, (6, 22, 25), ("A1a", "A1b", "B1a", "B1b", "C1a"))
    game = walk_from("spread", 6, **dict.fromkeys(COLOURS[:6], rich))

    with at_most(600_000):
        decide(game, who_decides(game) or "")


# What anybody would do


def placed(move: Move) -> int:
    """Return how many members the move places in phase 3."""
    return len(move.spaces) if isinstance(move, Spread) else 0


def test_it_ends_a_game_that_it_wins() -> None:
    members = ("B1a", "B1b", "B1c", "C1a", "C1b", "C1c", "C2a", "C2b", "C2c", "D1a", "D1b")
    game = a_game(
        3,
        phase=phases.Spreading("green"),
        step="spread",
        green=a_clan(20, (3, 22, 25), members),
        red=a_clan(3, (2,), ("D2a",)),
        blue=a_clan(3, (1,), ("D2b",)),
    )

    move = decide(game, "green")

    assert isinstance(move, Spread)
    assert len(move.spaces) >= 2


def test_it_does_not_put_off_a_victory_to_lead_by_more() -> None:
    """Green, with 12 members, can place three and win; if it waits, its food grows, and red is stuck."""
    game = a_game(
        2,
        phase=phases.Spreading("green"),
        step="spread",
        round=11,
        board=laid(("B", 0, 0, 0), ("C", 2, 0, 0), ("A", 2, -1, 1)),
        green=a_clan(16, (30, 32, 35), spaces("A1abc A2abc B1abc B2ab C1b")),
        red=a_clan(1, (1, 7, 14), spaces("B1ac B2abc C1ab C2b")),
        neutral=spaces("A1c B1ac B2abc C1abc C2abc"),
        harvest=(1, 13, 11, 5),
        market=(37, 38, 40, 41),
        places=4,
        reduced=True,
        pile=Pile(unseen=(17, 31), never=2),
    )

    move = decide(game, "green")

    assert isinstance(move, Spread)
    assert len(move.spaces) == 3


def test_it_sees_that_a_spread_leaves_too_little_for_a_dear_tool() -> None:
    """Red could place two members, but would not have the food for any of the good tools that it can pay now.

    So clans stopped at a size that ate what they harvested: what was left, and did not rot, was never enough for a
    tool again, and the game ended idle. To see that, the outlook must look far enough and know of saving that much.
    """
    game = a_game(
        2,
        phase=phases.Spreading("red"),
        step="spread",
        round=4,
        order=("red", "green"),
        board=laid(("C", 0, 0, 0), ("B", 0, -2, 5), ("D", 1, -2, 5)),
        red=a_clan(9, (1, 9, 14, 17), spaces("C1ac C2b D2a")),
        green=a_clan(6, (2, 12, 13, 18), spaces("B1a B2ab")),
        neutral=spaces("D1abc D2b"),
        harvest=(7, 8, 4, 4),
        market=(19, 22, 25, 27, 31, 32),
        pile=Pile(unseen=(21, 23, 29, 30, 34, 35, 36, 37, 38), never=2, shuffle=True, under=(28, 40, 41)),
    )
    near = DEFAULT._replace(path=(0.5, 1.0, 1.0, 1.5))
    thriftless = DEFAULT._replace(habits=DEFAULT.habits[:-1])

    assert placed(decide(game, "red")) == 1
    assert placed(decide(game, "red", tuning=near)) == 2
    assert placed(decide(game, "red", tuning=thriftless)) == 2


def cut_off(**changes: Any) -> GameState:
    """Return a situation of a real game: red, with one member and 7 food, is asked whether it buys the rod 8 for 4.

    It would be left with 2 food next to the first way to fish, and blue and green stand next to that too, and spread
    before red: with one of them there it costs 3. Then red had never more than 2 food again, as the third of 3 rots.
    """
    gaps: dict[str, Any] = {
        "phase": phases.Answering("red", "black", 8, (), ("blue", "green")),
        "order": ("black", "white", "red", "blue", "green"),
        "waiting": ("black", "white", "red", "blue", "green"),
        "board": laid(("C", 0, 0, 0), ("A", 1, 2, 2), ("F", 0, 1, 5), ("B", 1, 3, 3), ("D", -1, 4, 2)),
        "black": a_clan(6, (2,), ("D1a", "D1c")),
        "white": a_clan(7, (5,), ("C2b",)),
        "red": a_clan(7, (4,), ("F2a",)),
        "blue": a_clan(7, (3,), ("B1c",)),
        "green": a_clan(7, (1,), ("A2b",)),
        "harvest": (4, 2, 3, 2),
        "crop": 7,
    }
    return a_game(5, **gaps | changes)


def test_a_clan_with_one_member_does_not_buy_a_tool_that_a_rival_can_cut_off() -> None:
    careless = DEFAULT._replace(hardship=0)
    free = cut_off(blue=a_clan(7, (3,), ("D2a",)), green=a_clan(7, (1,), ("C1a",)))

    assert decide(cut_off(), "red") == Decline(8)
    assert decide(cut_off(), "red", tuning=careless) == Buy(8)
    assert decide(free, "red") == Buy(8)


def test_a_clan_with_two_members_takes_what_feeds_it_rather_than_pass() -> None:
    """Blue eats 2 and harvests 1; it can pay the field 12, and no other card brings it enough in time."""
    game = a_game(
        5,
        phase=phases.Offering("blue"),
        order=("green", "blue", "white", "black", "red"),
        waiting=("blue", "white"),
        board=laid(("F", 0, 0, 0), ("B", 0, -2, 5), ("D", 1, -2, 5), ("E", 1, -4, 5), ("C", 0, -4, 5)),
        green=a_clan(6, (2,), ("D1a", "D1b")),
        blue=a_clan(6, (3,), ("C1a", "C2b")),
        white=a_clan(7, (5,), ("F1a",)),
        black=a_clan(3, (4, 10), ("B1b",)),
        red=a_clan(6, (1, 7), ("E1b",)),
        harvest=(4, 2, 3, 2),
        market=(8, 9, 11, 12, 13, 14, 24, 35),
    )

    assert decide(game, "blue") == Offer(12)


def test_a_clan_adds_no_second_member_whom_only_cards_that_rivals_may_take_would_feed() -> None:
    """Green's Herbs feed one. Four rivals took all cards that would have fed two, and it ended with one member."""
    game = a_game(
        5,
        phase=phases.Adding("green"),
        step="add_second",
        round=0,
        order=("black", "white", "red", "green", "blue"),
        waiting=("blue",),
        board=laid(("A", 0, 0, 0), ("D", 0, -1, 1), ("E", 2, -2, 5), ("F", 3, -4, 4), ("C", 3, -3, 1)),
        black=a_clan(7, (5,), ("F2b",)),
        white=a_clan(7, (4,), ("D1a",)),
        red=a_clan(7, (3,), ("E1a",)),
        green=a_clan(7, (2,), ("C1b",)),
        blue=a_clan(7, (1,), ("E2c",)),
    )

    assert decide(game, "green") == Stay()
    assert decide(game, "green", tuning=DEFAULT._replace(hardship=0)) == Add("C1c")


def test_a_small_clan_without_food_stays_as_small_as_it_can_feed() -> None:
    """Green harvests 1 crop: a second member would starve in the round after the next one."""
    game = a_game(
        phase=phases.Spreading("green"),
        step="spread",
        green=a_clan(2, (3,), ("C1c",)),
        red=a_clan(5, (2, 8), ("D1a", "D1b")),
        blue=a_clan(5, (1, 7), ("B1a", "B1b")),
        market=(9, 13, 17, 20, 23, 27, 30, 33),
    )

    assert decide(game, "green") == Stay()


@pytest.mark.parametrize(
    ("food", "numbers", "expected"),
    [
        (2, (3, 12), 0),  # a field feeds it anywhere
        (5, (3,), 1),  # it keeps its member, and has no card
        (3, (3, 8), 1),  # the way to fish costs 4 where all rivals may come
        (4, (3, 8), 0),
        (2, (), 2),  # it harvests nothing
    ],
)
def test_hardship_is_what_a_small_clan_lacks_to_feed_itself(food: int, numbers: tuple[int, ...], expected: int) -> None:
    game = cut_off(red=a_clan(food, numbers, ("F2a",)))

    assert hardship(game, "red", (), members=1, hunted=True) == expected
    assert hardship(game, "red", (), members=3, hunted=True) == 0  # a larger clan can lose one, and go on


def test_food_kept_for_a_card_that_feeds_it_is_no_hardship() -> None:
    game = cut_off(red=a_clan(4, (4,), ("F2a",)))

    assert hardship(game, "red", (12,), members=1, hunted=True) == 0
    assert hardship(game, "red", (9,), members=1, hunted=True) == 1  # Fire brings no food


def test_cards_that_rivals_may_all_take_are_a_hardship_as_likely_as_they_do() -> None:
    """Of the 8 cards of the market, the field 12 and the spear 13 would feed red."""
    game = cut_off()

    def lacking(rivals: int) -> float:
        return hardship(game, "red", game.market.cards, members=1, hunted=False, rivals=rivals)

    assert lacking(0) == lacking(1) == 0
    assert lacking(2) == pytest.approx(2 / 8 * 1 / 7)
    assert lacking(3) == pytest.approx(3 / 8 * 2 / 7)


def test_a_clan_with_one_member_sees_that_a_rival_comes_from_two_spaces_away() -> None:
    """Green would keep 2 food with the bow 10. Red, two spaces from C1c, on green's way to bears, came there first."""
    game = a_game(
        phase=phases.Offering("green"),
        order=("blue", "green", "red"),
        waiting=("green", "red"),
        board=laid(("B", 0, 0, 0), ("D", 0, -2, 5), ("C", 1, -2, 5)),
        blue=a_clan(3, (3, 8), ("D1a",)),
        green=a_clan(7, (2,), ("D2b",)),
        red=a_clan(7, (1,), ("C2b",)),
        market=(7, 9, 10, 11, 12, 13, 14, 39),
        crop=7,
    )

    assert decide(game, "green") == Pass()
    assert decide(game, "green", tuning=DEFAULT._replace(hardship=0)) == Offer(10)


def test_a_clan_with_one_member_sees_that_rivals_buy_what_would_feed_it_before_the_next_round() -> None:
    """Yellow is the first of six. It kept its food for the next round, in which no card that fed it was left."""
    game = a_game(
        6,
        phase=phases.Offering("yellow"),
        order=("yellow", "black", "green", "red", "white", "blue"),
        waiting=("yellow", "black", "green", "white", "blue"),
        board=laid(("D", 0, 0, 0), ("A", 0, -2, 5), ("B", 1, -2, 5), ("F", 1, -4, 5), ("E", 0, -4, 5), ("C", 1, -6, 5)),
        yellow=a_clan(7, (6,), ("C2b",)),
        black=a_clan(7, (5,), ("D1b",)),
        green=a_clan(7, (4,), ("D2b",)),
        red=a_clan(3, (3, 10), ("A2b",)),
        white=a_clan(7, (2,), ("B1c",)),
        blue=a_clan(7, (1,), ("A1a",)),
        market=(7, 8, 9, 11, 12, 13, 14, 15),
        crop=7,
    )

    assert decide(game, "yellow") == Offer(7)
    assert decide(game, "yellow", tuning=DEFAULT._replace(hardship=0)) == Pass()


def a_stall(**changes: Any) -> Stall:
    """Return a market of two players in which 7 has the crop, 16 comes next, and then the Shuffle card."""
    cards = the_components().cards
    stall = {"deck": [16], "under": [41], "never": 0, "places": 6, "crop": 7, "shuffle": True, "is_shown": False}
    return Stall(cards, [7, 8, 12, 13, 14, 17], **{**stall, "is_reduced": False, **changes})


def test_it_foresees_that_only_an_unsold_card_with_the_crop_leaves() -> None:
    """A clan that waited for 12 passed, and starved: 7 was sold with its crop, so nothing else left the market."""
    unsold, sold = a_stall(), a_stall()

    unsold.remove_unsold()
    sold.remove(the_components().cards[7])
    sold.remove_unsold()

    assert [card.number for card in unsold.current] == [8, 12, 13]
    assert [card.number for card in sold.current] == [8, 12, 13]
    assert a_stall(crop=0).current == a_stall().current


def test_it_foresees_that_the_lowest_card_of_a_reduced_market_leaves() -> None:
    """A clan saved for a tool that was gone before it had the food, and for which only dearer ones came."""
    stall = a_stall(deck=[])

    stall.renew()  # 17 goes under, and the Shuffle card, which replaces it, leaves with 7
    assert [card.number for card in stall.current] == [8, 12, 13, 14]

    stall.lay_crop()
    stall.remove_unsold()
    assert [card.number for card in stall.current] == [12, 13, 14, 17]


def test_it_foresees_which_cards_rivals_take() -> None:
    """Of two clans that want a card the later one in player order gets it: a clan that waits for it gets nothing.

    So clans with two members declined a field for 3, waited for a rod that a later clan took, and starved.
    """
    clans = {
        "green": a_clan(6, (3,), ("D1a", "D1b")),
        "red": a_clan(7, (2,), ("D1c",)),
        "blue": a_clan(2, (1,), ("B1a",)),
    }
    game = a_game(3, phase=phases.Offering("green"), waiting=("green", "red", "blue"), market=(8, 9, 15, 18), **clans)
    assert game.board.foods["D1"] == "fish"

    assert taken_before(game, "green", ["red"], DEFAULT) == [8]
    assert taken_before(game, "green", ["blue"], DEFAULT) == []  # it cannot pay


def test_it_spares_the_tool_that_brings_least() -> None:
    clan = a_clan(5, (3, 25, 29, 36), ("C2a", "B1a", "D1b"))
    game = a_game(phase=phases.Dropping("green"), waiting=("red", "blue"), green=clan, harvest=(12, 9, 3, 2))

    assert decide(game, "green") == Drop(3)


def test_the_way_to_a_food_costs_what_the_rules_ask() -> None:
    """The bot buys a tool for a food that its clan is not near only if it can pay for the way there."""
    compared = 0
    for state, colour in questions(100):
        clan = state.clan(colour).with_food(99)
        if not isinstance(state.phase, phases.Spreading) or clan.size >= MOST_MEMBERS:
            continue
        sides = {side.colour: side for side in contenders_of(state, colour)}
        for food, (steps, extra) in zip(FOODS, sides[colour].ways, strict=True):
            one = [cost for space, cost in spreading.reach(state, clan) if state.board.foods[space[:2]] == food]
            if steps == 1:
                assert BASE[1] + extra == min(one)
                compared += 1
            elif steps:
                assert not one or min(one) > BASE[steps] + extra

    assert compared > 20


def test_worths_rank_the_cards_of_the_market() -> None:
    game = a_game(
        phase=phases.Offering("green"),
        waiting=("green", "red", "blue"),
        green=a_clan(7, (3, 9), ("B1a",)),
        market=(7, 8, 12, 15, 29, 31, 35, 41),
    )

    ranked = worths(game, "green")

    assert sorted(number for number, _ in ranked) == [7, 8, 12, 29, 31, 35, 41]  # it owns Fire
    assert [worth for _, worth in ranked] == sorted((worth for _, worth in ranked), reverse=True)
    assert dict(ranked)[7] > dict(ranked)[41]
    assert decide(game, "green") in (Offer(7), Offer(12), Offer(8), Pass())


def test_who_is_ahead_has_the_lead() -> None:
    game = a_game(
        3,
        phase=phases.Spreading("red"),
        step="spread",
        green=a_clan(12, (3, 22, 25), ("B1a", "B1b", "B1c", "C1a", "C1b", "C1c")),
        red=a_clan(3, (2,), ("D2a",)),
        blue=a_clan(5, (1,), ("D2b", "D2c")),
    )

    assert lead(game, "green") > 0
    assert max(lead(game, "red"), lead(game, "blue")) < 0


# Seats


def test_a_seat_called_bot_gets_the_next_name_of_a_bot() -> None:
    assert seats(["Ann:red", "bot", "bot:blue", "BOT"]) == (
        ("red", "Ann"),
        ("green", "Bot"),
        ("blue", "Bot 2"),
        ("black", "Bot 3"),
    )
    assert numbered(["Ann", "Robot"]) == ("Ann", "Robot")


def test_only_these_names_are_bots() -> None:
    assert [name for name in ("Bot", "Bot 2", "Bot 6", "bot", "Bot 7", "Bot 1", "Botty", "Robot") if is_bot(name)] == [
        "Bot",
        "Bot 2",
        "Bot 6",
    ]
