"""The way of a move: what is written when, and that a wrong snapshot is never taken for a bug of ours."""

import copy
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bots import SECRET, a_new_record, random_play
from gits import a_sealed_game
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbem import cli, files, formats, output, reading, report, schema, way
from pbem.errors import Broken, CannotWrite, Illegal, NotUnderstood, NotYourTurn
from pbem.first_sparks.adjudicator import choices, who_decides
from pbem.first_sparks.chance import source
from pbem.first_sparks.record import Record, audit, carried_on, decode, digest, encode, followed, verify
from pbem.first_sparks.state import Offering
from pbem.reading import Submission


def data_of(record: Record) -> dict[str, Any]:
    return encode(record, digest(reading.built_in()))


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
    monkeypatch.setattr(output.Report, "text", stumble)
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
    """The log of a game that agrees and agrees grows to the limit of a file and not beyond."""
    record = a_record_before_the_end()
    path = written(record, tmp_path / "game.json")
    before = path.read_bytes()
    endless = record._replace(log=record.log + ("1 red buy",) * 8000)

    with way.opened(path, to_write=True) as game, pytest.raises(CannotWrite, match="could not be read again"):
        way.write(game, endless)

    assert path.read_bytes() == before


@pytest.mark.parametrize("form", ["toml", "json"])
def test_the_schema_takes_every_log_that_is_written(form: formats.Format) -> None:
    """As many of the shortest lines as the schema allows make a text that is too long already."""
    most = json.loads(schema.schema_text("game"))["properties"]["log"]["maxItems"]

    assert len(formats.dump({"log": ["1 red buy"] * (most // 2)}, form)) < formats.PARSE_LIMIT
    with pytest.raises(CannotWrite):
        formats.dump({"log": ["1 red buy"] * most}, form)


def test_several_files_are_written_under_one_lock(tmp_path: Path) -> None:
    record = a_record_before_the_end()
    path = written(record, tmp_path / "game.json")
    submission = Submission((str(next(choices(record.state))),), who_decides(record.state) or "")

    with way.opened(path, to_write=True) as game:
        ruling = way.judge(game.record, submission, way.draws_of(game.record, path))
        files.create(tmp_path / "letter.txt", "first")
        way.write(game, ruling.record)

    assert data_of(reading.load(path).record) == data_of(ruling.record)


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


def answered(data: dict[str, Any], path: Path) -> None:
    """Do with the game all that reads its snapshot."""
    path.write_text(json.dumps(data), encoding="utf-8")
    with way.opened(path) as game:
        record = game.record
        viewer = who_decides(record.state)
        for answer in (
            report.view("shown", "", path, record, viewer, unicode=False),
            report.legal_choices(path, record, viewer),
        ):
            output.made(answer, as_json=False)
            output.made(answer, as_json=True)
        for order in (*(str(move) for move in islice(choices(record.state), 2)), "pass", "resign"):
            with suppress(Illegal, NotUnderstood, NotYourTurn):
                ruling = way.judge(record, Submission((order,), viewer or "red"), way.draws_of(record, path))
                output.made(report.ruling("played", path, 0, ruling.record, unicode=False), as_json=False)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_wrong_snapshot_is_never_a_bug_of_ours(data: st.DataObject, tmp_path: Path) -> None:
    """Up to three values become what stood there in other situations: every command answers, or says it is broken."""
    game = copy.deepcopy(data.draw(st.sampled_from(situations())))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from(list(places(game["state"]))))
        at(game["state"], place[:-1])[place[-1]] = copy.deepcopy(
            data.draw(st.sampled_from(known_values()[name_of(place)]))
        )

    with suppress(Broken, NotUnderstood):
        answered(game, tmp_path / "game.json")


def test_a_snapshot_that_leads_the_rules_astray_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log tells whose fault it was: of a sound game the bug is ours."""
    sound = a_record_before_the_end()
    clan = sound.state.clans[0]
    wrong = sound._replace(state=sound.state._replace(clans=(clan._replace(food=99), *sound.state.clans[1:])))

    for record, kind in ((sound, ZeroDivisionError), (wrong, Broken)):
        with pytest.raises(kind), way.opened(written(record, tmp_path / "game.json")):
            raise ZeroDivisionError


def test_a_phase_without_any_choice_is_broken() -> None:
    record = a_record_before_the_end()
    snapshot = data_of(record)
    snapshot["state"]["phase"] = {"name": "starving", "clan": "red", "hungry": 9}

    with pytest.raises(Broken, match="nothing is legal") as refused:
        decode(snapshot, reading.built_in(), reading.own_components)

    assert refused.value.path == "state.phase"


@pytest.mark.parametrize("order", ["resign", "agree end"])
def test_what_is_allowed_at_any_time_may_come_before_a_draw_that_is_waited_for(order: str) -> None:
    """The host of a sealed game has not drawn yet, and nobody else can. Rule: resign (R9.3)."""
    record, by, before = a_sealed_game()
    waiting = way.judge(record, Submission((before,), player=by), None).record
    assert who_decides(waiting.state) == "*"

    after = way.judge(waiting, Submission((order,), player=by), None).record

    assert who_decides(after.state) == "*"
    assert verify(after) == len(waiting.log) + 1
    drawn, _ = carried_on(after, source("friday", SECRET))
    assert audit(drawn, SECRET, source("friday", SECRET)) > audit(after, SECRET, source("friday", SECRET))
    with pytest.raises(NotYourTurn, match="chance is asked"):
        way.judge(waiting, Submission(("pass",), player=by), None)
    with pytest.raises(Broken, match=r"is wrong: it is not .*, chance is asked"):
        followed(waiting, (f"{waiting.turn + 1} {by} pass",))


@pytest.mark.parametrize(
    ("there", "here"),
    [
        (("market", "cards"), ("pile", "unseen")),
        (("clans", 0, "cards"), ("market", "cards")),
        (("clans", 1, "cards"), ("clans", 2, "cards")),
        (("market", "cards"), ("market", "cards")),
    ],
)
def test_a_card_in_two_places_is_broken(there: tuple[Any, ...], here: tuple[Any, ...]) -> None:
    """Both are named; otherwise it could be drawn into a market that holds it, and the game never be read again."""
    snapshot = data_of(a_record_before_the_end())
    cards = at(snapshot["state"], here)
    cards[:] = sorted([*cards, at(snapshot["state"], there)[0]])

    with pytest.raises(Broken) as refused:
        decode(snapshot, reading.built_in(), reading.own_components)

    for place in (there, here):
        assert re.sub(r"\.(\d)", r"[\1]", ".".join(map(str, ("state", *place)))) in refused.value.message
