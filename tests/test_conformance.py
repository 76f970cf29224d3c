"""The conformance cases: numbered situations, orders and rulings, as data that another adjudicator could run.

``conformance/0-format.toml`` says how a case is written. Here it becomes a
situation of this program, its orders are judged one by one, and the ruling is
compared with the one that the case expects.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from builders import COLOURS, NAMES, a_clan, a_game, owns, the_components

from pbem.errors import Illegal, NotYourTurn
from pbem.first_sparks.adjudicator import adjudicate, choices, new_game, walk_on, who_decides
from pbem.first_sparks.cards import Pile
from pbem.first_sparks.components import LaidTile
from pbem.first_sparks.land.board import cell_name, cell_place, next_to, places
from pbem.first_sparks.notation import parse_logged
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.rules.two_players import REMOVED_CARDS
from pbem.first_sparks.state import CHANCE, Clan, GameState

FOLDER: Final = Path(__file__).parent / "conformance"
PROGRAM: Final = Path(__file__).parents[1] / "pbem" / "first_sparks"
SHUFFLE: Final = "shuffle"

# What a case may say, and where this program is when a case says where the game stands.
NEEDED_KEYS: Final = frozenset({"case", "title", "rules", "players", "expect"})
NEW_GAME_KEYS: Final = NEEDED_KEYS | {"at", "orders", "board_way"}
SITUATION_KEYS: Final = frozenset(
    {
        "clans",
        "board",
        "tiles",
        "harvest",
        "market",
        "crop",
        "reduced",
        "pile",
        "neutral",
        "waiting",
        "hide_food",
        "idle",
    }
)
CLAN_KEYS: Final = frozenset({"food", "cards", "members", "resigned", "largest", "agreements"})
PILE_KEYS: Final = frozenset({"top", "unseen", "never", "shuffle", "under"})
NEW_GAME: Final = "new game"
STEPS: Final = {
    "landscape": "lay_landscape",
    "neutral settles": "settle_neutral",
    "settling": "settle",
    "second members": "add_second",
    "technology": "lay_crop",
    "offers": "offers_and_answers",
    "rot": "rot",
    "hunting": "hunt_and_feed",
    "neutral spreads": "spread_neutral",
    "spreading": "spread",
    "bureaucracy": "reorder",
}

Case = dict[str, Any]


@cache
def the_format() -> dict[str, Any]:
    """Return what all cases share: the boards, and the ids of the refusals."""
    return tomllib.loads((FOLDER / "0-format.toml").read_text(encoding="utf-8"))


def all_cases() -> list[Case]:
    """Return the cases of all chapters, in the order of the chapters and of the lines."""
    chapters = sorted(FOLDER.glob("[1-9]*.toml"), key=lambda path: int(path.name.split("-")[0]))
    return [case for path in chapters for case in tomllib.loads(path.read_text(encoding="utf-8"))["case"]]


CASES: Final = all_cases()


# ---------------------------------------------------------------- a case becomes a situation


def strangers(case: Case) -> list[str]:
    """Return the keys of the case that mean nothing, and those it lacks, so that no slip goes unseen."""
    known = NEW_GAME_KEYS if case.get("at") == NEW_GAME else NEW_GAME_KEYS | SITUATION_KEYS
    wrong = [f"{key} is unknown" for key in case if key not in known]
    wrong += [f"{key} is missing" for key in NEEDED_KEYS if key not in case]
    colours = COLOURS[: case["players"]]
    for colour, clan in case.get("clans", {}).items():
        wrong += [f"clans.{colour} does not play"] * (colour not in colours)
        wrong += [f"clans.{colour}.{key} is unknown" for key in clan if key not in CLAN_KEYS]
    wrong += [f"pile.{key} is unknown" for key in case.get("pile", {}) if key not in PILE_KEYS]
    expect = case["expect"]
    facts = {"refused"} if "refused" in expect else FACTS.keys()
    wrong += [f"expect.{key} is unknown" for key in expect if key not in facts]
    wrong += [f"{refusal} is no refusal" for refusal in expect.get("refused", ()) if refusal not in refusals()]
    return wrong + ["nothing is expected"] * (not expect)


def refusals() -> Collection[str]:
    """Return the ids for which an order can be refused."""
    ids: dict[str, str] = the_format()["refusals"]
    return ids.keys()


def situation(case: Case) -> GameState:
    """Return the situation of the case, at its first decision."""
    assert not strangers(case)
    options = Options(case.get("board_way", "players"), case.get("hide_food", False))
    players: int = case["players"]
    if case.get("at") == NEW_GAME:
        return new_game(the_components(), tuple((c, NAMES[c]) for c in COLOURS[:players]), options)
    at = case.get("at", "offers")
    clans = the_clans(case)
    in_play = tuple(colour for colour, clan in clans.items() if at == "hunting" or not clan.resigned)
    waiting = tuple(case.get("waiting", in_play))
    lying = the_market(case, clans)
    cards = tuple(card for card in lying if isinstance(card, int))
    reduced = case.get("reduced", False)
    gaps: dict[str, Any] = dict(clans)
    state = a_game(
        players,
        step=STEPS[at],
        board=the_board(case),
        tiles=tuple(case.get("tiles", ())),
        harvest=tuple(case.get("harvest", (4, 2, 3, 2))),
        market=cards,
        places=(6 if players == 2 else 8) - 2 * reduced,
        crop=case.get("crop", cards[0] if at == "offers" and cards else 0) or None,
        shuffle=SHUFFLE in lying,
        reduced=reduced,
        pile=the_pile(case, clans, cards, came=reduced or SHUFFLE in lying),
        neutral=tuple(sorted(case["neutral"])) if case.get("neutral") else None,
        waiting=waiting,
        first_offer=at == "offers" and waiting == in_play,
        idle=case.get("idle", 0),
        options=options,
        **gaps,
    )
    places_of_cards = Counter(card_places(state))
    assert max(places_of_cards.values()) == 1, f"a card lies in two places: {places_of_cards.most_common(1)}"
    return walk_on(state)


def the_clans(case: Case) -> dict[str, Clan]:
    """Return the clans by colour, in player order, with the Herbs where a case names no cards."""
    colours = COLOURS[: case["players"]]
    said = case.get("clans", {})
    return {
        colour: a_clan(**{"cards": (len(colours) - place,), **said.get(colour, {})})
        for place, colour in enumerate(colours)
    }


def the_board(case: Case) -> tuple[LaidTile, ...]:
    """Return the tiles of the board: of the shared boards by their number, or as the case lists them."""
    usual = 0 if case.get("at") == "landscape" else max(case["players"], 3)
    board = case.get("board", usual)
    tiles = the_format()["boards"].get(str(board), []) if isinstance(board, int) else board
    return tuple(laid_tile(text) for text in tiles)


def laid_tile(text: str) -> LaidTile:
    """Return the tile of a text like ``D M13 N13``."""
    letter, first, second = text.split()
    place = cell_place(first)
    turned = next(turn for turn in range(6) if next_to(place, turn) == cell_place(second))
    return LaidTile(the_components().tiles[letter], *place, turned)


def the_market(case: Case, clans: dict[str, Clan]) -> tuple[int | str, ...]:
    """Return what lies in the market, the word for the Shuffle card last."""
    free = [card for card in cards_of_the_game(case) if not any(owns(clan, card) for clan in clans.values())]
    return tuple(case.get("market", free[: 6 if case["players"] == 2 else 8]))


def the_pile(case: Case, clans: dict[str, Clan], market: tuple[int, ...], *, came: bool) -> Pile:
    """Return the pile, with every card in it that lies nowhere else if the case does not say which."""
    said = case.get("pile", {})
    elsewhere = {*market, *said.get("top", ()), *said.get("unseen", ()), *said.get("under", ())}
    elsewhere |= {card.number for clan in clans.values() for card in clan.cards}
    rest = [card for card in cards_of_the_game(case) if card not in elsewhere]
    return Pile(
        top=tuple(said.get("top", ())),
        unseen=tuple(sorted(said.get("unseen", () if came else rest))),
        never=said.get("never", 0),
        shuffle=said.get("shuffle", not came),
        under=tuple(sorted(said.get("under", rest if came else ()))),
    )


def cards_of_the_game(case: Case) -> list[int]:
    """Return the numbers of the cards that are bought in a game of so many players."""
    out = REMOVED_CARDS if case["players"] == 2 else ()
    return [card for card in range(7, 42) if card not in out]


def card_places(state: GameState) -> list[int]:
    """Return every card number once for each place where it is."""
    pile = state.pile
    owned = [card.number for clan in state.clans for card in clan.cards]
    return [*owned, *state.market.cards, *pile.top, *pile.unseen, *pile.under]


# ---------------------------------------------------------------- a ruling becomes facts


class Ruling(NamedTuple):
    """The situations before and after the last order."""

    before: GameState
    after: GameState


def rule(case: Case) -> Ruling | list[str]:
    """Return the ruling on the last order of the case: what followed, or the ids for which it was refused."""
    before = after = situation(case)
    orders: list[str] = case.get("orders", [])
    for number, order in enumerate(orders, 1):
        by, _, text = order.partition(" ")
        before = after
        try:
            after = adjudicate(before, by, parse_logged(text))
        except NotYourTurn:
            why = ["not-your-turn"]
        except Illegal as refusal:
            why = [reason.rule for reason in refusal.reasons] or ["game-over"]
        else:
            continue
        assert number == len(orders), f"{order!r} was refused: {why}"
        return why
    return Ruling(before, after)


def by_colour(what: Callable[[Clan], Any]) -> Callable[[Ruling], dict[str, Any]]:
    """Return the fact that tells something of each clan."""
    return lambda ruling: {clan.colour: what(clan) for clan in ruling.after.clans}


def of_the_phase(name: str) -> Callable[[Ruling], Any]:
    """Return the fact that is a field of the phase, None in a phase that has no such field."""
    return lambda ruling: getattr(ruling.after.phase, name, None)


def of_chance(state: GameState, name: str) -> str:
    """Return for whom chance is asked, as the end of the text that says so."""
    return f"{CHANCE} {name} {getattr(state.phase, 'clan', '')}".strip()


def asks(ruling: Ruling) -> str:
    """Return who decides and what, in one text."""
    state = ruling.after
    assert state.phase is not None
    if isinstance(state.phase, Ended):
        return "ended"
    who = who_decides(state)
    return of_chance(state, state.phase.name) if who == CHANCE else f"{who} {state.phase.name}"


def market_of(ruling: Ruling) -> list[int | str]:
    """Return what lies in the market, the word for the Shuffle card last."""
    market = ruling.after.market
    return [*market.cards, *[SHUFFLE] * market.shuffle]


def out_of_game(ruling: Ruling) -> list[int]:
    """Return the cards that are nowhere."""
    return sorted(set(range(1, 42)).difference(card_places(ruling.after)))


def tiles_of(ruling: Ruling) -> list[str]:
    """Return the tiles of the board with their cells."""
    return [" ".join((laid.tile.letter, *map(cell_name, places(laid)))) for laid in ruling.after.board.tiles]


def paid(ruling: Ruling) -> dict[str, int]:
    """Return the food that each clan has given for the last order."""
    return {clan.colour: ruling.before.clan(clan.colour).food - clan.food for clan in ruling.after.clans}


def pile_of(ruling: Ruling) -> dict[str, Any]:
    """Return what is known of the pile."""
    pile = ruling.after.pile
    return {**pile._asdict(), "size": pile.size}


FACTS: Final[dict[str, Callable[[Ruling], Any]]] = {
    "asks": asks,
    "card": of_the_phase("card"),
    "number": lambda ruling: getattr(ruling.after.phase, "hungry", None) or getattr(ruling.after.phase, "new", None),
    "wanted_by": of_the_phase("wanted_by"),
    "legal": lambda ruling: [str(move) for move in choices(ruling.after)],
    "food": by_colour(lambda clan: clan.food),
    "cards": by_colour(lambda clan: [card.number for card in clan.cards]),
    "members": by_colour(lambda clan: clan.members),
    "paid": paid,
    "order": lambda ruling: ruling.after.order,
    "winners": of_the_phase("winners"),
    "market": market_of,
    "current": lambda ruling: ruling.after.market.current,
    "future": lambda ruling: ruling.after.market.future,
    "crop": lambda ruling: ruling.after.market.crop or 0,
    "reduced": lambda ruling: ruling.after.market.reduced,
    "pile": pile_of,
    "harvest": lambda ruling: ruling.after.harvest,
    "board": tiles_of,
    "neutral": lambda ruling: ruling.after.neutral or (),
    "resigned": lambda ruling: [clan.colour for clan in ruling.after.clans if clan.resigned],
    "agreed": lambda ruling: ruling.after.agreed,
    "idle": lambda ruling: ruling.after.idle,
    "out_of_game": out_of_game,
}
IN_ANY_ORDER: Final = frozenset({"legal", "winners", "board", "resigned", "agreed", "out_of_game"})


def plain(value: object) -> object:
    """Return a fact with lists for tuples all through, as a case writes it."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def fact(ruling: Ruling, key: str, wanted: object) -> object:
    """Return what is so, as far as *wanted* names it, in the form of *wanted*."""
    found = plain(FACTS[key](ruling))
    if isinstance(wanted, dict) and isinstance(found, dict):
        return {name: found[name] for name in wanted}
    if key == "out_of_game" and isinstance(wanted, list) and isinstance(found, list):
        return [card for card in found if card in wanted]
    return sorted(found) if key in IN_ANY_ORDER and isinstance(found, list) else found


def check(case: Case) -> None:
    """Compare the ruling on the case with the one that it expects."""
    ruling = rule(case)
    expect = case["expect"]
    if isinstance(ruling, list):
        assert "refused" in expect, f"refused: {ruling}"
        assert sorted(ruling) == sorted(expect["refused"])
        return
    assert "refused" not in expect, f"accepted, but to be refused: {expect['refused']}"
    wanted = {key: sorted(value) if key in IN_ANY_ORDER else value for key, value in expect.items()}
    assert {key: fact(ruling, key, value) for key, value in wanted.items()} == wanted


# ---------------------------------------------------------------- the cases


@pytest.mark.parametrize("case", CASES, ids=[str(case["case"]) for case in CASES])
def test_case(case: Case) -> None:
    """The adjudicator rules as the case expects."""
    check(case)


def numbers(case: Case) -> tuple[int, ...]:
    """Return the number of a case as numbers: chapter, rule, count."""
    return tuple(map(int, case["case"].split(".")))


def test_numbers_ascend_and_name_the_rule() -> None:
    """Numbers are unique and ascending, and a case is numbered for the first rule that it names."""
    found = [numbers(case) for case in CASES]

    assert found == sorted(set(found))
    assert all(case["rules"][0] == "R" + case["case"].rpartition(".")[0] for case in CASES)


def test_every_case_is_told() -> None:
    """A case has a title of one line, real rule numbers, and 2 to 6 players."""
    for case in CASES:
        assert 10 < len(case["title"]) <= 120, case["case"]
        assert all(re.fullmatch(r"R(\d+)\.(\d+)", number) for number in case["rules"]), case["case"]
        assert 2 <= case["players"] <= 6, case["case"]


def test_titles_differ() -> None:
    """No two cases say that they show the same."""
    titles = Counter(case["title"] for case in CASES)

    assert [title for title, times in titles.items() if times > 1] == []


def test_spread() -> None:
    """There are enough cases, in every chapter and for every number of players, and enough refusals among them."""
    chapters = Counter(numbers(case)[0] for case in CASES)
    players = Counter(case["players"] for case in CASES)
    refused = sum("refused" in case["expect"] for case in CASES)

    assert len(CASES) >= 170
    assert all(chapters[chapter] for chapter in range(1, 10))
    assert all(players[number] >= 15 for number in range(2, 7))
    assert 50 <= refused <= len(CASES) - 100


def test_every_refusal_is_expected_somewhere() -> None:
    """The refusals that are documented, those that cases expect, and those that the program knows are the same."""
    expected = {refusal for case in CASES for refusal in case["expect"].get("refused", ())}
    sources = [path for path in PROGRAM.rglob("*.py") if not path.name.startswith("components")]
    source = "".join(path.read_text(encoding="utf-8") for path in sources)
    known = {*re.findall(r'Violation\(\s*"([a-z-]+)"', source), "not-your-turn", "game-over"}

    assert expected == set(refusals())
    assert known == set(refusals())


# ---------------------------------------------------------------- the runner itself


PLAIN_CASE: Final[Case] = {
    "case": "4.2.1",
    "title": "Who passes is out",
    "rules": ["R4.2"],
    "players": 3,
    "orders": ["green pass"],
    "expect": {"asks": "red offering"},
}


def test_a_plain_case_passes() -> None:
    """The case that the next tests spoil is a good one."""
    check(PLAIN_CASE)


@pytest.mark.parametrize(
    "slip",
    [
        {"order": ["green pass"]},
        {"clans": {"green": {"foods": 7}}},
        {"clans": {"black": {"food": 7}}},
        {"pile": {"above": [15]}},
        {"expect": {}},
        {"expect": {"ask": "red offering"}},
        {"expect": {"refused": ["not-your-turns"]}},
        {"expect": {"refused": ["not-your-turn"], "asks": "red offering"}},
        {"expect": {"food": {"black": 7}}},
        {"expect": {"pile": {"above": []}}},
        {"at": "new game", "harvest": [4, 2, 3, 2]},
        {"market": [7, 7, 8, 9, 10, 11, 12, 13]},
    ],
    ids=str,
)
def test_a_slip_in_a_case_fails(slip: Case) -> None:
    """A key that means nothing, a clan that does not play or a card in two places fails the case."""
    with pytest.raises((AssertionError, KeyError)):
        check(PLAIN_CASE | slip)


@pytest.mark.parametrize(
    "wrong",
    [
        {"expect": {"asks": "blue offering"}},
        {"expect": {"refused": ["not-your-turn"]}},
        {"orders": ["red pass"]},
        {"orders": ["red pass"], "expect": {"refused": ["move-of-the-phase"]}},
        {"orders": ["red pass", "green pass"]},
        {"expect": {"out_of_game": [7]}},
        {"expect": {"winners": ["green"]}},
    ],
    ids=str,
)
def test_a_wrong_expectation_fails(wrong: Case) -> None:
    """A ruling other than the expected one fails the case, and so does an earlier order that is refused."""
    with pytest.raises(AssertionError):
        check(PLAIN_CASE | wrong)
