"""Rulings on submissions: what is written when, and that nobody believes a snapshot."""

import copy
import json
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bots import SECRET, a_new_record, random_play
from gits import a_sealed_game
from hypothesis import given
from hypothesis import strategies as st

from pbem import files, game_files, loading, report, rulings, schema, secrets
from pbem.cli import app as cli
from pbem.errors import Broken, CannotWrite, Illegal, NotUnderstood, NotYourTurn, Stale
from pbem.first_sparks import play as playing
from pbem.first_sparks import proof as records
from pbem.first_sparks.adjudicator import choices, who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.moves import Move
from pbem.first_sparks.phases import Offering
from pbem.first_sparks.play import carried_on
from pbem.first_sparks.proof import audit, encode, followed, verify
from pbem.first_sparks.record import Lines, Record, digest
from pbem.first_sparks.state import GameState
from pbem.generated import shapes
from pbem.loading import Submission


def data_of(record: Record) -> dict[str, Any]:
    return encode(record, digest(loading.built_in()))


def written(record: Record, path: Path) -> Path:
    path.write_text(json.dumps(data_of(record)), encoding="utf-8")
    return path


def a_record_before_the_end() -> Record:
    played = random_play(a_new_record(3), Random(1))
    return next(record for record, _, _ in played if isinstance(record.state.phase, Offering))


# ---------------------------------------------------------------- nothing is written before all is ready


@pytest.mark.parametrize("command", ["play", "new"])
def test_a_bug_in_the_text_comes_before_the_write(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*_: object) -> str:
        raise ZeroDivisionError

    path = tmp_path / "game.json"
    monkeypatch.setattr(report.Report, "text", stumble)
    arguments = [command, str(path), "Ann", "Bob"]
    if command == "play":
        record = a_record_before_the_end()
        written(record, path)
        arguments[2:] = ["--as", who_decides(record.state) or "", "--order", str(next(choices(record.state)))]
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}

    with pytest.raises(ZeroDivisionError):
        cli.run(arguments)

    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_what_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    """No game that the rules allow has so long a log."""
    record = a_record_before_the_end()
    path = written(record, tmp_path / "game.json")
    before = path.read_bytes()
    endless = record._replace(lines=Lines(record.history, record.log + ("1 red buy",) * 300_000, (record.head,)))

    with game_files.opened(path, to_write=True) as game, pytest.raises(CannotWrite, match="could not be read again"):
        game_files.write(game, endless)

    assert path.read_bytes() == before


def test_several_files_are_written_under_one_lock(tmp_path: Path) -> None:
    record = a_record_before_the_end()
    path = written(record, tmp_path / "game.json")
    submission = Submission((str(next(choices(record.state))),), who_decides(record.state) or "")

    with game_files.opened(path, to_write=True) as game:
        ruling = rulings.judge(game.record, submission, secrets.draws_of(game.record, path))
        files.create(tmp_path / "letter.txt", "first")
        game_files.write(game, ruling.record)

    assert data_of(loading.load(path).record) == data_of(ruling.record)


# ---------------------------------------------------------------- wrong snapshots


@cache
def situations() -> tuple[dict[str, Any], ...]:
    """Return game files, one in each phase, of 2 and of 4 players."""
    found: dict[tuple[int, str], dict[str, Any]] = {}
    for players, seed in ((2, 1), (2, 2), (4, 3), (4, 4)):
        for record, _, _ in random_play(a_new_record(players), Random(seed)):
            found.setdefault((players, record.state.phase.name if record.state.phase else ""), data_of(record))
    return tuple(found.values())


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield (*place, key)
        yield from places(inner, (*place, key))


def at(data: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        data = data[key]
    return data


def name_of(place: tuple[Any, ...]) -> str:
    """Return what a value is called: its key, or that of the list in which it stands."""
    return ".".join(str(key) if isinstance(key, str) else "*" for key in place[-2:])


@cache
def known_values() -> dict[str, list[Any]]:
    """Return, by name, the values that stand in some snapshot."""
    found: dict[str, dict[str, Any]] = {}
    for data in situations():
        for place in places(data["state"]):
            value = at(data["state"], place)
            found.setdefault(name_of(place), {})[json.dumps(value)] = value
    return {name: list(values.values()) for name, values in found.items()}


@pytest.mark.slow
@given(data=st.data())
def test_a_wrong_snapshot_is_never_believed(data: st.DataObject) -> None:
    """Up to three values become what stood there in other situations; if that changes anything, the file is broken."""
    sound = data.draw(st.sampled_from(situations()))
    game = copy.deepcopy(sound)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(list(places(game["state"]))))
        at(game["state"], place[:-1])[place[-1]] = copy.deepcopy(
            data.draw(st.sampled_from(known_values()[name_of(place)]))
        )

    try:
        record = loading.game_in(game, "game")
    except (Broken, NotUnderstood):
        assert game["state"] != sound["state"]
    else:
        assert game["state"] == sound["state"]
        assert data_of(record) == sound


def test_a_snapshot_that_lacks_something_is_not_believed() -> None:
    """Nor is one that passes itself off as an older version's, which counted no idle rounds."""
    record = next(record for record, _, _ in random_play(a_new_record(2), Random(1)) if record.state.neutral)
    lacking, older = data_of(record), data_of(record)
    del lacking["state"]["neutral"]
    older["state"]["quiet"] = older["state"].pop("idle")

    for data in (lacking, older):
        with pytest.raises(Broken, match="the snapshot does not match the log"):
            loading.game_in(data, "game")


def test_the_hint_helps_who_has_upgraded_in_the_middle_of_a_game() -> None:
    data = data_of(a_record_before_the_end())
    data["log"][-1] = f"{data['turn']} red lay A1 A2"

    with pytest.raises(Broken, match=f"line {len(data['log'])} of the log is wrong") as refused:
        loading.game_in(data, "game")

    assert "finish it with the older version" in refused.value.hint


# ---------------------------------------------------------------- what a proof costs


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the lines of logs that are judged from now on, nothing being remembered yet."""
    lines: list[str] = []
    judge = records.adjudicate

    def noted(state: GameState, by: str, move: Move) -> GameState:
        lines.append(f"{by} {move}")
        return judge(state, by, move)

    monkeypatch.setattr(records, "adjudicate", noted)
    monkeypatch.setattr(playing, "adjudicate", noted)
    monkeypatch.setattr(records, "_proved", {})
    return lines


def positions(players: int, seed: int, game: str = "test") -> list[Record]:
    """Return a game after each order, as it was played."""
    found = {record.turn: record for record, _, _ in random_play(a_new_record(players, game), Random(seed))}
    return list(found.values())


def test_of_successive_positions_each_is_judged_from_the_one_before(judged: list[str]) -> None:
    course = positions(4, 3)
    judged.clear()

    for record in course:
        assert loading.game_in(data_of(record), "game") == record

    assert len(judged) == len(course[-1].log)


@pytest.mark.parametrize("order", [reversed, lambda course: sorted(course, key=lambda record: -record.turn % 7)])
def test_positions_of_one_game_in_any_order_are_judged_once(
    order: Callable[[list[Record]], Iterable[Record]], judged: list[str]
) -> None:
    course = positions(3, 1)
    judged.clear()

    for record in order(course):
        assert loading.game_in(data_of(record), "game") == record

    assert len(judged) == len(course[-1].log)


def test_only_so_many_games_are_remembered(judged: list[str]) -> None:
    games = [data_of(a_new_record(3, f"game-{number}")) for number in range(40)]

    for data in games:
        loading.game_in(data, "game")
    assert len(records._proved) == 32  # a batch of many games takes no more memory than of a few

    judged.clear()
    loading.game_in(games[-1], "game")
    assert judged == []


def test_of_the_positions_of_many_games_each_line_is_read_once_and_each_game_begun_once(
    monkeypatch: pytest.MonkeyPatch, judged: list[str]
) -> None:
    courses = [positions(3, 1, "one"), positions(4, 3, "other"), positions(2, 5, "third")]
    read: list[str] = []
    begun: list[str] = []
    is_log_entry, begin = shapes.is_log_entry, records.begin

    def noted(line: str) -> bool:
        read.append(line)
        return is_log_entry(line)

    def begins(game: str, *header: Any) -> Record:
        begun.append(game)
        return begin(game, *header)

    monkeypatch.setattr(shapes, "is_log_entry", noted)
    monkeypatch.setattr(records, "begin", begins)
    monkeypatch.setattr(schema, "_known_lines", set())
    monkeypatch.setattr(records, "_begun", {})
    judged.clear()
    for one in zip(*courses, strict=False):  # as many as the shortest has
        for record in one:
            assert loading.game_in(data_of(record), "game") == record

    logs = [last.log for last in one]
    assert {*read} == {line for log in logs for line in log}
    assert len(read) <= sum(map(len, logs))
    assert begun == ["one", "other", "third"]
    assert len(judged) == sum(map(len, logs))


def test_a_line_that_was_read_is_known_only_as_text_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "_known_lines", set())
    monkeypatch.setattr(schema, "_MOST_KNOWN", 300)
    record = a_record_before_the_end()
    data = data_of(record)
    loading.game_in(data, "game")

    for wrong in (1, None, ["1 red pass"], {"1": 2}, "1 red", "1 red pass\n", True):
        with pytest.raises(NotUnderstood) as refused:
            loading.game_in(data | {"log": [*data["log"], wrong]}, "game")
        assert f"log[{len(record.log)}]" in refused.value.reasons[0].message
    for number in range(8):
        for course in positions(3, number, f"game-{number}")[-1:]:
            loading.game_in(data_of(course), "game")
        assert len(schema._known_lines) <= 300


def test_what_was_proved_proves_no_other_game(judged: list[str]) -> None:
    """The header counts, and the snapshot and the head are compared each time."""
    sound = data_of(a_record_before_the_end())
    loading.game_in(sound, "game")

    for change in (
        {"players": [sound["players"][0] | {"name": "Zoe"}, *sound["players"][1:]]},
        {"head": "0" * 64},
        {"turn": sound["turn"] + 1},
        {"state": sound["state"] | {"draws": 0}},
        {"log": sound["log"][:-1]},
    ):
        with pytest.raises(Broken):
            loading.game_in(sound | change, "game")
    judged.clear()
    assert data_of(loading.game_in(sound, "game")) == sound
    assert judged == []


def test_a_move_is_told_from_the_same_replay_that_proves_the_game(judged: list[str], tmp_path: Path) -> None:
    """The text needs what has happened since the reader's last order, and that was replayed already."""
    record = a_record_before_the_end()
    path = written(record, tmp_path / "game.json")
    judged.clear()

    assert cli.run(["play", str(path), "--as", who_decides(record.state) or "", "--order", "pass"]) == 0

    assert len(judged) == len(record.log) + 1


# ---------------------------------------------------------------- chance


@pytest.mark.parametrize("order", ["resign", "agree end"])
def test_what_is_allowed_at_any_time_may_come_before_a_draw_that_is_waited_for(order: str) -> None:
    """The host of a sealed game has not drawn yet, and nobody else can. Rule: resign (R9.3)."""
    record, by, before = a_sealed_game()
    waiting = rulings.judge(record, Submission((before,), player=by), None).record
    assert who_decides(waiting.state) == "*"

    after = rulings.judge(waiting, Submission((order,), player=by), None).record

    assert who_decides(after.state) == "*"
    assert verify(after) == len(waiting.log) + 1
    drawn, _ = carried_on(after, source("friday", SECRET))
    assert audit(drawn, SECRET) > audit(after, SECRET)
    with pytest.raises(NotYourTurn, match="waiting for chance"):
        rulings.judge(waiting, Submission(("pass",), player=by), None)
    with pytest.raises(Broken, match=r"is wrong: it is not .*; waiting for chance"):
        followed(waiting, (f"{waiting.turn + 1} {by} pass",))


# ---------------------------------------------------------------- orders that were prepared


def after(record: Record, by: str, order: str) -> Record:
    return rulings.judge(record, Submission((order,), player=by), None).record


def prepared(record: Record, order: str) -> tuple[Submission, ...]:
    """Return an order of who is asked as it is written for this situation: by its turn, its head, or both."""
    whole = Submission((order,), who_decides(record.state) or "", record.game, record.turn, record.head[:8])
    return whole, whole._replace(head=""), whole._replace(turn=None), whole._replace(head=record.head)


def test_an_order_is_not_stale_because_others_agree_to_end_the_game() -> None:
    """They change nothing of what is asked; even who is asked may agree first and answer then."""
    record = a_record_before_the_end()
    asked = who_decides(record.state) or ""
    others = [colour for colour in record.state.order if colour != asked]
    once = after(record, others[0], "agree end")
    for now in (once, after(once, others[1], "agree end"), after(once, asked, "agree end")):
        for order in ("pass", *prepared(record, "pass"), *prepared(once, "pass")):
            submission = order if isinstance(order, Submission) else Submission((order,), asked)
            played = rulings.judge(now, submission, None).record
            assert played.log[len(now.log)] == f"{now.turn + 1} {asked} pass"
            assert verify(played)


def test_an_order_is_stale_after_anything_else() -> None:
    """Also if somebody agrees after it, and if turn and head are those of two different moments."""
    record = a_record_before_the_end()
    asked = who_decides(record.state) or ""
    other, third = [colour for colour in record.state.order if colour != asked]
    resigned, moved = after(record, other, "resign"), after(record, asked, "pass")
    agreed = after(record, other, "agree end")
    for now in (resigned, after(resigned, third, "agree end"), moved, after(moved, other, "agree end")):
        for submission in prepared(record, "pass"):
            with pytest.raises(Stale):
                rulings.judge(now, submission, None)
    for turn, head in ((record.turn, agreed.head), (agreed.turn, record.head), (record.turn - 1, ""), (None, "f" * 8)):
        with pytest.raises(Stale):
            rulings.judge(agreed, Submission(("pass",), asked, turn=turn, head=head), None)


def test_what_was_written_for_a_game_that_has_ended_meanwhile_is_refused() -> None:
    record = now = a_record_before_the_end()
    for colour in record.state.order:
        now = after(now, colour, "agree end")

    for submission in prepared(record, "pass"):
        for said in (submission, submission._replace(player="")):  # a player need not say who it is to learn that
            with pytest.raises(Illegal, match="the game is over"):
                rulings.judge(now, said, None)


@pytest.mark.parametrize("name", ["settling-neutral", "spreading-neutral", "taking-or-discarding"])
@pytest.mark.parametrize("board", ["recommended", "players"])
def test_what_only_two_players_are_asked_is_broken_for_three(name: str, board: str) -> None:
    """It was a bug of ours, with a recommended board."""
    data = data_of(a_new_record(3, board=board))
    more = {"spreading-neutral": {"new": 1}, "taking-or-discarding": {"card": 7}}.get(name, {})
    data["state"]["phase"] = {"name": name, "clan": "red", **more}

    with pytest.raises(Broken):
        loading.game_in(data, "game")


@pytest.mark.parametrize("cells", [["A1", "B1"], ["Z99", "Y99"], ["M14", "N14"]])
def test_a_tile_where_no_game_lays_one_is_broken(cells: list[str]) -> None:
    """At the edge of the map it was a bug of ours in the drawing, which has no letters beyond it."""
    for players, board in ((4, "players"), (3, "recommended")):
        data = data_of(a_new_record(players, board=board))
        data["state"]["board"][:1] = [{"tile": "A", "cells": cells}]
        if board == "players":
            data["state"] |= {"phase": {"name": "laying", "clan": "green", "tile": "B"}, "step": "lay_landscape"}

        with pytest.raises(Broken) as refused:
            loading.game_in(data, "game")

        assert refused.value.path == "state.board"


def test_an_error_is_shown_as_it_was_said_last() -> None:
    """Who knows more says it anew, and a log of the error does not say the first words."""
    error = NotYourTurn("it is not Ann's turn")

    error.message = f"friday: {error.message}"

    assert str(error) == error.message == "friday: it is not Ann's turn"
