"""Whole recorded games: a file in ``games/`` is tested by being there. ``pytest --update`` plays them anew."""

from pathlib import Path
from random import Random

import pytest
from bots import SECRET, a_new_record, a_sensible_choice

import pbem
from pbem import files, formats, loading
from pbem.errors import Broken
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.options import IDLE_ROUNDS
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.play import carried_on, played
from pbem.first_sparks.proof import audit, encode, followed, parse_entry, verify
from pbem.first_sparks.record import Record, begin, digest
from pbem.first_sparks.state import CHANCE

GAMES = Path(__file__).parent / "games"
OLDER = GAMES.with_name("older_games")  # begun before idle rounds ended a game
EVERY = sorted((*GAMES.glob("*.*"), *OLDER.glob("*.*")))
# How each is played: number of players, way to the board, seed of the players' whims.
RECORDED = {
    "2-players": (2, "players", 3),
    "4-players": (4, "random", 1),
    "5-players": (5, "recommended", 2),
    "6-players": (6, "players", 1),
}


def played_out(name: str) -> Record:
    """Return a whole game between careful players."""
    players, board, seed = RECORDED[name]
    record, random = a_new_record(players, name, board), Random(seed)
    while (decides := who_decides(record.state)) is not None:
        record, _ = played(record, decides, a_sensible_choice(record.state, random), source(name, SECRET))
    return record


def text_of(record: Record, path: Path) -> str:
    own = digest(loading.built_in())
    return formats.dump(encode(record, own), formats.format_of(path), schema="../../schemas/game.schema.json")


@pytest.mark.parametrize("name", RECORDED)
def test_a_whole_game_is_recorded_for_each_number_of_players(name: str, update: bool) -> None:
    path = GAMES / f"{name}.toml"
    if update:
        files.replace(path, text_of(played_out(name), path))
    record = loading.load(path).record

    assert isinstance(record.state.phase, Ended)
    assert len(record.players) == RECORDED[name][0]


@pytest.mark.parametrize("path", EVERY, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_recorded_game_verifies_and_audits(path: Path) -> None:
    record = loading.load(path).record

    assert verify(record) == len(record.log)
    assert audit(record, SECRET) == record.state.draws


@pytest.mark.parametrize("path", EVERY, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_recorded_game_replays_byte_for_byte(path: Path) -> None:
    """From its players' orders alone: every draw, every forced decision and every byte of the file comes again."""
    old = loading.load(path).record
    draw = source(old.game, SECRET)
    record, _ = carried_on(begin(old.game, old.players, old.options, old.components, old.chance), draw)

    for entry in map(parse_entry, old.log):
        if entry.by != CHANCE:
            record, _ = played(record, entry.by, entry.move, draw)

    assert text_of(record, path) == path.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", RECORDED)
def test_a_game_goes_there_and_back_between_toml_and_json_byte_for_byte(name: str) -> None:
    """In both directions, from the first tile on to the last line; no file is written before that tile lies."""
    whole = loading.load(GAMES / f"{name}.toml").record
    for entry, state in (step for step in whole.history if step[1].board.tiles):
        data = encode(whole._replace(state=state, turn=entry.turn), digest(loading.built_in()))
        toml, json = formats.dump(data, "toml"), formats.dump(data, "json")
        assert formats.dump(formats.parse(toml, "toml", name=name), "json") == json
        assert formats.dump(formats.parse(json, "json", name=name), "toml") == toml


@pytest.mark.parametrize("name", ["2-players", "idle"])
def test_a_game_that_was_begun_before_idle_rounds_ended_one_goes_on_by_its_own_rule(name: str) -> None:
    """The other tests replay it to its last byte; one of them stood still for longer than a new game may."""
    old = loading.load(OLDER / f"{name}.toml").record
    assert old.options.older

    new = begin(old.game, old.players, old.options._replace(idle_rounds=IDLE_ROUNDS), old.components, old.chance)

    if name == "idle":
        with pytest.raises(Broken, match="the game is over"):
            followed(new, old.log)
    else:
        assert followed(new, old.log)[0].state.phase == old.state.phase


def test_one_place_knows_by_what_an_older_game_is_known() -> None:
    """All else asks ``Options.older``; the codec leaves the key out."""
    package = Path(pbem.__file__).parent
    knowing = {path.name for path in package.rglob("*.py") if ".idle_rounds" in path.read_text(encoding="utf-8")}
    assert knowing == {"options.py"}
