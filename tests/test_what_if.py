"""Looking ahead: nothing is played, drawn or told that its reader must not know, and every refusal has its reasons."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bots import a_new_record, random_play
from builders import a_clan, a_game
from test_hidden_food import PROBES, alike, probes

from pbem import game_files, report, what_if
from pbem.cli import app as cli
from pbem.errors import PbemError
from pbem.first_sparks.adjudicator import choices, who_decides
from pbem.first_sparks.briefing.hypothesis import supposed
from pbem.first_sparks.briefing.question import question
from pbem.first_sparks.briefing.routes import every_route, routes
from pbem.first_sparks.briefing.situation import position
from pbem.first_sparks.briefing.spread_text import MOST_BEYOND
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.phases import (
    Answering,
    Dropping,
    Ended,
    Offering,
    Settling,
    SettlingNeutral,
    Spreading,
    Starving,
)
from pbem.first_sparks.play import played
from pbem.first_sparks.record import Record
from pbem.first_sparks.secrecy import may_read
from pbem.first_sparks.state import CHANCE
from pbem.page.glue import unglued
from pbem.page.page import Grid
from pbem.page.text import WIDTH, columns, lines_of

Run = Callable[..., tuple[int, str, str]]


@cache
def situations() -> tuple[Record, ...]:
    """Return games of two to five players, one in each phase."""
    found: dict[tuple[int, str], Record] = {}
    for players in (2, 3, 5):
        for seed in (1, 2, 3):
            for record, _, _ in random_play(a_new_record(players), Random(seed), most_turns=120):
                found.setdefault((players, type(record.state.phase).__name__), record)
    return tuple(found.values())


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> tuple[int, str, str]:
        return cli.run([*arguments]), *capsys.readouterr()

    return run


def written(record: Record) -> Path:
    path = Path("game.toml")
    path.write_text(game_files.text_of(record, "toml"), encoding="utf-8")
    return path


def orders_of(record: Record) -> list[str]:
    return [choice.order for choice in main_choices(record.state)][:6]


# What would follow


def test_a_trial_tells_what_the_order_would_bring_and_writes_nothing(run: Run) -> None:
    tried = 0
    for record in situations():
        by = who_decides(record.state)
        if by is None:
            continue
        path = written(record)
        before = path.read_bytes()
        for order in orders_of(record)[:2]:
            status, text, _ = run("options", "game.toml", "--after", order)
            _, data, _ = run("options", "game.toml", "--after", order, "--json")
            after, _ = played(record, by, next(c.move for c in main_choices(record.state) if c.order == order), None)
            answer = json.loads(data)
            assert (status, answer["code"], answer["by"], answer["orders"]) == (0, "tried", by, [order])
            assert (answer["turn"], answer["head"]) == (record.turn, record.head)
            assert answer["state"] == report.seen(after.state, None)
            assert answer["decides"] == who_decides(after.state)
            assert answer["stops"] == ("chance" if who_decides(after.state) == CHANCE else "")
            assert text.startswith("A TRIAL: NOTHING WAS PLAYED\n")
            assert max(map(columns, text.splitlines())) <= WIDTH
            assert ("QUESTION THEN" in text) == may_read(after.state, None)
            tried += 1
        assert path.read_bytes() == before
        assert {each.name for each in Path().iterdir()} == {"game.toml"}
    assert tried > 20


def test_a_trial_has_a_heading_for_each_section_about_the_table() -> None:
    states = [state for _, _, state in random_play(a_new_record(3, "friday"), Random(1), 20)]
    assert {section.key for state in states[::10] for section in position(state, None)} <= what_if._HEADINGS.keys()


def test_a_trial_draws_nothing() -> None:
    """With any secret the same is told: that chance comes next."""
    stopped = 0
    for record in situations():
        by = who_decides(record.state)
        for order in orders_of(record) if by else ():
            trial = what_if.tried(record, (order,), by or "")
            assert all(entry.clan != CHANCE for entry, _ in trial.history)
            stopped += trial.stops == "chance"
    assert stopped > 5


def test_several_orders_are_tried_one_after_the_other(run: Run) -> None:
    """The second of two players settles for the neutral clan, and then for the own one."""
    record = next(record for record in situations() if isinstance(record.state.phase, SettlingNeutral))
    by, first = who_decides(record.state) or "", orders_of(record)[0]
    after, _ = played(record, by, next(choices(record.state)), None)
    second = orders_of(after)[0]
    assert isinstance(after.state.phase, Settling)
    written(record)

    status, text, _ = run("options", "game.toml", "--as", by, "--after", f" {first} ;{second};")
    said = " ".join(text.split())

    assert status == 0
    assert f'played "{first}" and then "{second}". Nothing was played' in said
    refused, _, error = run("options", "game.toml", "--as", by, "--after", f"{first}; settle Z9z")
    assert refused == 65
    assert "Z9z" in error


@pytest.mark.parametrize(
    ("orders", "status", "says"),
    [
        ("", 65, "the order to try is missing"),
        (" ; ", 65, "the order to try is missing"),
        ("dance", 65, "'dance' is not an order"),
        ("offer 41", 65, "[offer-current-market]"),
        ("pass; pass", 65, "you answered one question twice"),
        ("offer 7;" * 21, 65, "at most 20 are accepted"),
    ],
)
def test_orders_that_cannot_be_tried_are_refused_like_a_move(orders: str, status: int, says: str, run: Run) -> None:
    record = next(record for record in situations() if isinstance(record.state.phase, Offering))
    written(record)

    found, out, error = run("options", "game.toml", "--after", orders)

    assert (found, out) == (status, "")
    assert says in error


def test_orders_of_another_player_are_refused(run: Run) -> None:
    record = next(record for record in situations() if isinstance(record.state.phase, Offering))
    other = next(colour for colour in record.state.order if colour != who_decides(record.state))
    written(record)

    status, out, error = run("options", "game.toml", "--as", other, "--after", "pass")

    assert (status, out) == (77, "")
    assert "turn; waiting for" in error


def test_a_trial_may_end_the_game(run: Run) -> None:
    record = next(record for record in situations() if len(record.players) == 2 and who_decides(record.state))
    written(record)

    status, text, _ = run("options", "game.toml", "--after", "resign")

    assert status == 0
    assert "FINAL TABLE THEN" in text
    assert "the game is over" in text


# What is hidden


@PROBES
def test_a_trial_is_alike_where_only_hidden_food_differs(number: int) -> None:
    """It stops before a hunt, whatever is tried after it and in whatever form it is asked for."""
    probe, hidden = probes()[number], 0
    for orders in probe.submissions:
        answers = []
        for record in (probe.one, probe.other):
            try:
                found = what_if.after_orders(Path("game"), record, ";".join(orders), probe.player)
                answers.append((found.text(), found.data()))
                hidden += found.data()["stops"] == "hidden"
                sections = what_if.trial_sections(record, probe.player, ";".join(orders))
                answers[-1] = (*answers[-1], sections)  # type: ignore[assignment]
            except PbemError as refused:
                answers.append((report.refusal(refused), refused.as_json()))
        alike(*answers)
    assert hidden


@PROBES
def test_what_a_player_could_do_out_of_turn_is_alike_where_only_hidden_food_of_others_differs(number: int) -> None:
    probe = probes()[number]
    for viewer in probe.one.state.order:
        if report.seen(probe.one.state, viewer) != report.seen(probe.other.state, viewer):
            continue
        answers = [what_if.out_of_turn(Path("game"), record, viewer) for record in (probe.one, probe.other)]
        alike(*((answer.text(), answer.data()) for answer in answers))


# As if it were another player's turn


def as_if(record: Record, colour: str) -> dict[str, Any]:
    return what_if.out_of_turn(Path("game"), record, colour).data()


def test_out_of_turn_a_player_reads_the_choices_of_the_same_question_or_why_there_are_none(run: Run) -> None:
    listed = reasons = 0
    for record in situations():
        decides = who_decides(record.state)
        for colour in record.state.order if decides else ():
            if colour == decides:
                continue
            written(record)
            status, text, _ = run("options", "game.toml", "--as", colour)
            data = as_if(record, colour)
            assert status == 0
            assert text.startswith("Waiting for ")
            assert (data["options"], data["all"], data["decides"]) == ([], False, decides)
            found, why = data["if_asked"]["options"], data["if_asked"]["why"]
            assert bool(found) != bool(why)
            said = " ".join(text.split())
            assert ("none of this can be played now" in said) == bool(found)
            assert why in said
            assert max(map(columns, text.splitlines())) <= WIDTH
            listed, reasons = listed + bool(found), reasons + bool(why)
    assert listed > 10
    assert reasons > 10


def test_the_choices_out_of_turn_are_those_of_a_player_who_is_asked() -> None:
    """Both can pay the same, so both could do the same."""
    state = a_game(phase=Offering("green"), waiting=("green", "red"), green=a_clan(9), red=a_clan(9))

    other = supposed(state, "red")

    assert not isinstance(other, str)
    assert [choice.order for choice in main_choices(other)] == [choice.order for choice in main_choices(state)]


@pytest.mark.parametrize(
    ("state", "colour", "why"),
    [
        (a_game(phase=Offering("green"), waiting=("green",)), "red", "has already bought a card or passed"),
        (a_game(phase=Offering("green"), red=a_clan(resigned=True)), "red", "has resigned"),
        (a_game(phase=Answering("green", "red", 9, (), ()), waiting=("green", "red")), "red", "offers #9 fire"),
        (a_game(phase=Spreading("green"), red=a_clan(9, members=())), "red", "has no member on the board"),
        (a_game(phase=Settling("green"), red=a_clan(9, members=("B2b",))), "red", "has already settled"),
        (a_game(phase=Dropping("green")), "red", "does not have too many tools"),
        (a_game(phase=Starving("green", 1)), "red", "does not have to choose who starves now"),
        (a_game(phase=Ended(("green",))), "red", "The game is over."),
    ],
)
def test_where_there_is_nothing_to_ask_the_reason_is_told(state: Any, colour: str, why: str) -> None:
    found = supposed(state, colour)

    assert isinstance(found, str)
    assert why in unglued(found)


def test_whose_turn_it_is_reads_the_plain_choices(run: Run) -> None:
    record = next(record for record in situations() if isinstance(record.state.phase, Offering))
    written(record)

    assert run("options", "game.toml", "--as", who_decides(record.state) or "")[:2] == run("options", "game.toml")[:2]


# Spaces beyond the means


@pytest.mark.parametrize("food", [0, 1, 3, 6, 12, 40])
def test_spaces_that_cost_more_than_the_clan_has_stand_below_a_line_with_their_price(food: int) -> None:
    state = a_game(phase=Spreading("green"), green=a_clan(food, members=("B2b",)))
    clan = state.clan("green")
    rich = clan.with_food(100)

    table = next(
        block for block in question(state, "green") if isinstance(block, Grid) and block.columns[0].title == "to"
    )

    lines = [row for row in table.rows if isinstance(row, str)]
    at = table.rows.index(lines[0]) if lines else len(table.rows)
    own, beyond = table.rows[:at], table.rows[at + 1 :]
    price = {route.space: str(route.cost.total) for route in routes(state, rich)}
    assert [row[0] for row in own] == [route.space for route in routes(state, clan)]
    assert len(beyond) == min(MOST_BEYOND, len(every_route(state, clan)) - len(own))
    for row in (*own, *beyond):
        assert not isinstance(row, str)
        assert row[3] == price[row[0]]
        assert (int(row[3]) <= food) == (row in own)
    assert len(lines) == bool(beyond)
    assert max(map(columns, lines_of(question(state, "green")))) <= WIDTH
