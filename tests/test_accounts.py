"""The end of a game: what became of all food and all offers, and why the winners have won."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from bots import a_new_record, a_sensible_choice, random_play
from builders import a_clan, a_game, the_components

from pbem import loading
from pbem.first_sparks.adjudicator import Entry, who_decides
from pbem.first_sparks.briefing.accounts import Account, Sale, accounts_of
from pbem.first_sparks.briefing.result import why_won
from pbem.first_sparks.briefing.situation import for_letter, situation
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.components import components_from
from pbem.first_sparks.events import (
    CardBought,
    CardOffered,
    Event,
    FoodRotted,
    Hunted,
    MembersPlaced,
    MembersStarved,
    OfferDiscarded,
    RoundBegan,
)
from pbem.first_sparks.moves import Pass
from pbem.first_sparks.options import IDLE_ROUNDS
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.play import played
from pbem.first_sparks.record import History, Record
from pbem.first_sparks.state import GameState
from pbem.page.glue import unglued
from pbem.page.html import html_of
from pbem.page.page import Page
from pbem.page.text import WIDTH, columns, text_of

HERE = Path(__file__).parent
EVERY = sorted((*HERE.glob("games/*.toml"), *HERE.glob("older_games/*.toml")))


def told(*steps: tuple[GameState, tuple[Event, ...]]) -> History:
    """Return a history in which these events have happened, one entry each."""
    return tuple((Entry(1, "red", "red", Pass()), state._replace(events=events)) for state, events in steps)


# The facts


def test_a_small_game_counted_by_hand() -> None:
    """Two rounds of two clans: 7 + 11 + 1 crop on a card - 3 - 1 - 5 - 2 is 8 for green."""
    begun, crop = a_game(2, round=0, crop=None), a_game(2, round=1, crop=7)
    history = told(
        (begun, (MembersPlaced("green", ("B1a",), 0),)),
        (begun, (MembersPlaced("green", ("B1b",), 1),)),
        (crop, (MembersPlaced("red", (), 0), RoundBegan(1, 7))),
        (a_game(2, round=1), (CardOffered("green", 7, 3, ("red",)), CardBought("green", 7, 3, crop=True))),
        (a_game(2, round=1), (FoodRotted("green", 2), Hunted("red", 1, (), 1, 1))),
        (a_game(2, round=1), (Hunted("green", 1, (("berries", 2), ("mammoths", 1)), 9, 2),)),
        (a_game(2, round=2, crop=8), (RoundBegan(2, 8),)),
        (a_game(2, round=2, crop=8), (CardOffered("green", 9, 4, ()),)),
        (a_game(2, round=2, crop=8), (CardBought("red", 9, 4, crop=False),)),
        (a_game(2, round=2, crop=8), (CardOffered("green", 12, 3, ()), OfferDiscarded("green", 12, ()))),
        (a_game(2, round=2), (Hunted("red", 1, (), 1, 4), MembersStarved("red", ("C1a", "C1b")))),
        (a_game(2, round=2), (Hunted("green", 2, (), 2, 3),)),
    )

    found = accounts_of(history)

    assert found.order == ("green", "red")
    assert found.clans == (
        Account("green", (3, 4, 0, 0, 4), cards=2, spreading=1, eaten=5, rotten=2, best=9, best_round=1),
        Account("red", (2, 0, 0, 0, 0), cards=4, eaten=5, starved=2, best=1, best_round=1),
    )
    assert [(clan.harvested, clan.food) for clan in found.clans] == [(11, 8), (2, 0)]
    assert found.sales == (Sale(1, 7, 2, "green"), Sale(2, 9, 4, "red"), Sale(2, 12, 3, ""))


def test_of_equal_harvests_the_first_is_the_best() -> None:
    rounds = (RoundBegan(1, None), Hunted("red", 2, (), 2, 1), RoundBegan(2, None), Hunted("red", 2, (), 2, 1))

    assert [account.best_round for account in accounts_of(told((a_game(2), rounds))).clans] == [0, 1]


def games() -> Iterator[tuple[Record, Random]]:
    """Yield new games of every number of players and way to the board, some with hidden food or an own set."""
    data = the_components().source
    cheap = [row | {"price": max(0, row["price"] - 1)} if "price" in row else row for row in data["cards"]]
    own = components_from({**data, "name": "cheap", "cards": cheap})
    for seed in range(10):
        players, way = 2 + seed % 5, ("players", "random", "recommended")[seed % 3 if seed % 5 < 4 else seed % 2]
        components = own if seed % 4 == 3 else None
        record = a_new_record(players, f"accounts-{seed}", way, hide_food=seed % 4 == 2, components=components)
        yield record, Random(seed)


@pytest.mark.parametrize("sensible", [False, True], ids=["random", "sensible"])
def test_the_accounts_agree_with_the_log_to_its_last_line(sensible: bool) -> None:
    """At any line food harvested less what was spent and lost is the food of the clan, and each card that it has."""
    for record, random in games():
        end = careful(record, random) if sensible else last(record, random)
        lines = len(end.history)
        for line in (1, lines // 3, lines // 2, lines - 1, lines):
            history = end.history[:line]
            state, found = history[-1][1], accounts_of(history)
            assert {account.clan: account.food for account in found.clans} == {c.colour: c.food for c in state.clans}
            bought = sorted(sale.card for sale in found.sales if sale.buyer)
            assert set(bought) >= {card.number for clan in state.clans for card in clan.cards if card.kind != "herbs"}
            assert all(account.best <= account.harvested for account in found.clans)
            assert all(0 <= account.best_round <= state.round for account in found.clans)
        sizes = {clan.colour: clan.size for clan in end.state.clans}
        for account in found.clans:
            placed = sum(
                len(event.spaces)
                for _, after in end.history
                for event in after.events
                if isinstance(event, MembersPlaced) and event.clan == account.clan
            )
            assert placed - account.starved == sizes[account.clan]


def last(record: Record, random: Random) -> Record:
    *_, (end, _, _) = random_play(record, random, 300)
    return end


def careful(record: Record, random: Random) -> Record:
    while (decides := who_decides(record.state)) is not None and record.turn < 300:
        move = a_sensible_choice(record.state, random)
        record, _ = played(record, decides, move, source(record.game, bytes(range(32))))
    return record


# Why


MEMBERS = tuple(f"{area}{letter}" for area in ("A1", "A2", "B1", "B2", "C1") for letter in "abc")[:13]
ENDS = {
    "most members": (
        {"red": a_clan(food=0, members=MEMBERS), "green": a_clan(food=9, members=MEMBERS[:12])},
        ("red",),
        "A clan has reached 13 members (R9.1). Christian (red) has the largest clan, with 13 members (R9.2).",
    ),
    "more food": (
        {"red": a_clan(food=5, members=MEMBERS), "green": a_clan(food=3, members=MEMBERS)},
        ("red",),
        "A clan has reached 13 members (R9.1). "
        "Of the largest clans, with 13 members each, Christian (red) has the most food (5) (R9.2).",
    ),
    "shared": (
        {"red": a_clan(food=5, members=MEMBERS), "green": a_clan(food=5, members=MEMBERS)},
        ("green", "red"),
        "A clan has reached 13 members (R9.1). "
        "Angelika (green) and Christian (red) each have 13 members and 5 food (R9.2).",
    ),
    "agreed": (
        {"red": a_clan(members=("A1a",)), "agreed": ("green", "red", "blue")},
        ("red",),
        "All players in the game have agreed to end it (R9.3). "
        "Christian (red) has the largest clan, with 1 member (R9.2).",
    ),
    "agreed in the last idle round": (
        {"red": a_clan(members=("A1a",)), "agreed": ("green", "red", "blue"), "idle": IDLE_ROUNDS},
        ("red",),
        "All players in the game have agreed to end it (R9.3). "
        "Christian (red) has the largest clan, with 1 member (R9.2).",
    ),
    "idle": (
        {"red": a_clan(members=("A1a",)), "idle": IDLE_ROUNDS},
        ("red",),
        "The game ended after 10 rounds in a row without a purchase or a clan at a new size (R9.3). "
        "Christian (red) has the largest clan, with 1 member (R9.2).",
    ),
    "one left": (
        {"red": a_clan(), "green": a_clan(resigned=True), "blue": a_clan(members=MEMBERS, resigned=True)},
        ("red",),
        "Angelika (green) and Steffi (blue) have resigned (R9.3).",
    ),
    "a larger clan has resigned": (
        {"red": a_clan(members=("A1a", "A1b")), "green": a_clan(members=MEMBERS, resigned=True), "idle": IDLE_ROUNDS},
        ("red",),
        "The game ended after 10 rounds in a row without a purchase or a clan at a new size (R9.3). "
        "Christian (red) has the largest clan, with 2 "
        "members (R9.2). Angelika (green) has resigned and cannot win.",
    ),
}


@pytest.mark.parametrize(("gaps", "winners", "text"), ENDS.values(), ids=list(ENDS))
def test_the_text_says_why_somebody_has_won(gaps: dict[str, object], winners: tuple[str, ...], text: str) -> None:
    assert unglued(why_won(a_game(3, phase=Ended(winners), **gaps))) == text


def test_a_neutral_clan_that_is_as_large_is_named() -> None:
    state = a_game(2, phase=Ended(("red",)), red=a_clan(members=MEMBERS), neutral=MEMBERS)

    assert unglued(why_won(state)).endswith("with 13 members (R9.2). The neutral clan cannot win (R9.2).")


def test_an_agreement_in_the_last_idle_round_is_not_told_as_idle_rounds() -> None:
    state = a_game(3, phase=Ended(("red",)), agreed=("green", "red", "blue"), idle=IDLE_ROUNDS)

    text = text_of(situation(state, None, game="friday", turn=31, head="0" * 8))

    assert text.splitlines()[0] == "friday, turn 31, round 1: the game is over"


# The page


def pages(record: Record) -> str:
    """Return the text of a game as its host prints it."""
    page = situation(record.state, None, record.history[-1:], game="g", turn=1, head="0" * 8, course=record.history)
    return text_of(page)


@pytest.mark.parametrize("path", EVERY, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_last_text_tells_the_food_of_every_clan(path: Path) -> None:
    """In the order of the final table, and within the page; older games too."""
    record = loading.load(path).record

    text = pages(record)

    _, found = text.split("FOOD OF THE WHOLE GAME\n")
    lines = found.partition("\n\nBOARD")[0].splitlines()
    ranked = [line.split("  ")[-1] for line in text.split("FINAL TABLE\n")[1].split("\n\n")[0].splitlines()[1:]]
    number = len(record.players)
    assert lines[0] == "Harvested, in food:"
    assert lines[1].split() == ["crops", "berries", "fish", "bears", "mammoths", "all", "clan"]
    assert [line.split("  ")[-1] for line in lines[2 : 2 + number]] == ranked
    assert [line.split("  ")[-1].strip() for line in lines[-number:]] == ranked
    for row in (line.split() for line in lines[2 : 2 + number]):
        assert sum(map(int, row[:5])) == int(row[5])


def test_the_tables_of_food_have_room_for_the_longest_names() -> None:
    record = loading.load(HERE / "games" / "6-players.toml").record
    for name in ("W" * 24, "\u5927" * 24, "W W W W W W W W W W W W", "{n} {who} %s"):
        clans = tuple(clan._replace(player=name) for clan in record.state.clans)
        text = pages(record._replace(state=record.state._replace(clans=clans)))
        food = text.split("FOOD OF THE WHOLE GAME")[1].split("BOARD")[0]
        assert all(columns(line) <= WIDTH for line in text.splitlines())
        assert [food.count(f"({colour})") for colour, _ in record.players] == [2] * 6


def test_a_letter_tells_it_after_what_has_happened_and_html_escapes_names() -> None:
    record = loading.load(HERE / "games" / "4-players.toml").record
    clans = tuple(clan._replace(player="<b>&") for clan in record.state.clans)
    state = record.state._replace(clans=clans)

    shown = for_letter(state, "red", record.history[-1:], game="g", turn=1, to_answer="{order}", course=record.history)

    assert [section.key for section in shown] == ["situation", "final", "happened", "food", "board", "clans"]
    html = html_of(Page(shown), "g")
    assert "<b>&" not in html.replace("<b>&lt;", "")
    assert html.count("&lt;b&gt;&amp; (red)") >= 3


def test_nothing_is_told_of_the_food_while_a_game_goes_on() -> None:
    record = loading.load(HERE / "games" / "4-players.toml").record
    before = record._replace(state=record.history[-2][1])

    assert "FOOD OF THE WHOLE GAME" not in pages(before)
    assert "(R9" not in pages(before)
