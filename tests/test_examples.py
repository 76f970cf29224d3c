"""The examples are regenerated and compared, every byte of them; ``pytest --update`` rewrites them."""

import shutil
from pathlib import Path
from random import Random
from typing import Any

from bots import SECRET, a_sensible_choice, play_file

from pbem import files, formats, game_setup, loading, report, secrets
from pbem.cli.app import run
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import HEAD_DIGITS, Record

EXAMPLES = Path(__file__).parents[1] / "examples"
PLAYERS = ["Angelika:green", "Christian:red", "Steffi:blue"]
ABOUT = """\
A whole game of three players, from the first tile to the last member.

mails/000-to-COLOUR.txt   the text for the first player
mails/NNN-from-COLOUR.txt order NNN, exactly as it was sent
mails/NNN-to-COLOUR.txt   the text for the next player after it
game.toml                 the finished game, with its secret revealed
board.svg                 its board, drawn by pbem board game.toml --svg -o board.svg

Try it: pbem replay game.toml, pbem verify game.toml, pbem audit game.toml
"""


def a_new_file(path: Path, game: str, seats: tuple[tuple[str, str], ...], **given: Any) -> Record:
    """Begin a game in a new file."""
    record = game_setup.begin_record(game, seats, **given)
    game_setup.create(path, record, SECRET, "toml")
    return record


def tell_three_players(folder: Path) -> None:
    """Play the told game into the folder, through the same door as everybody: mails in, mails out."""
    path, mails = folder / "game.toml", folder / "mails"
    mails.mkdir(parents=True)
    (folder / "about.txt").write_text(ABOUT, encoding="utf-8")
    record = a_new_file(
        path,
        "three-players",
        game_setup.seats(PLAYERS),
        options=Options(),
        components=loading.built_in(),
        kind="sealed",
        secret=SECRET,
    )
    random = Random(5)
    send(mails, record)
    while (decides := who_decides(record.state)) is not None:
        mail = mails / f"{record.turn + 1:03}-from-{decides}.txt"
        order = a_sensible_choice(record.state, random)
        marker = f"[{record.game}/{record.turn}/{record.head[:HEAD_DIGITS]}]"
        mail.write_text(f"{marker}\n{order}\n", encoding="utf-8")
        submission = loading.signed(loading.read_submission(files.read_text(mail), None, mail.name), decides)
        record = play_file(path, submission)
        send(mails, record)
    secrets.reveal(path)
    secrets.secret_path(path).unlink()
    fix_schema(path)
    assert run(["board", str(path), "--svg", "-o", str(folder / "board.svg")]) == 0


def send(mails: Path, record: Record) -> None:
    """Write what goes out now: to the player who decides, or at the end to all."""
    viewer = who_decides(record.state)
    text = report.text_for(record, viewer, unicode=False)
    (mails / f"{record.turn:03}-to-{viewer or 'all'}.txt").write_text(text.rstrip("\n") + "\n", encoding="utf-8")


def fix_schema(path: Path) -> None:
    """Let the example's first line name the schema in this repository."""
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("./game.schema.json", "../../schemas/game.schema.json", 1), encoding="utf-8")


def tell_first_move(folder: Path) -> None:
    """Write a game in which the first card can be offered, and the move that offers one."""
    folder.mkdir(parents=True)
    path = folder / "game.toml"
    record = a_new_file(
        path,
        "first-move",
        game_setup.seats(PLAYERS),
        options=Options("recommended"),
        components=loading.built_in(),
        kind="open",
        secret=SECRET,
    )
    while record.state.round == 0:
        record = play_file(path, loading.Submission(("stay",), who_decides(record.state) or ""))
    fix_schema(path)
    move = {
        "player": who_decides(record.state),
        "turn": record.turn,
        "head": record.head[:HEAD_DIGITS],
        "move": {"order": "offer", "card": 9},
    }
    text = formats.dump(move, "toml", schema="../../schemas/move.schema.json")
    (folder / "move.toml").write_text(text, encoding="utf-8")


def contents(folder: Path) -> dict[str, str]:
    """Return every file below the folder, by its path."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in found}


def test_the_told_game_is_what_the_program_does(tmp_path: Path, update: bool) -> None:
    tell_three_players(tmp_path / "three-players")
    if update:
        shutil.rmtree(EXAMPLES / "three-players", ignore_errors=True)
        shutil.copytree(tmp_path / "three-players", EXAMPLES / "three-players")

    assert contents(tmp_path / "three-players") == contents(EXAMPLES / "three-players")


def test_the_told_game_comes_to_its_end() -> None:
    record = loading.load(EXAMPLES / "three-players" / "game.toml").record

    assert isinstance(record.state.phase, Ended)
    assert secrets.audited(EXAMPLES / "three-players" / "game.toml").log == record.log


def test_the_first_move_is_what_the_program_does(tmp_path: Path, update: bool) -> None:
    tell_first_move(tmp_path / "first-move")
    if update:
        shutil.rmtree(EXAMPLES / "first-move", ignore_errors=True)
        shutil.copytree(tmp_path / "first-move", EXAMPLES / "first-move")

    assert contents(tmp_path / "first-move") == contents(EXAMPLES / "first-move")


def test_the_first_move_can_be_played(tmp_path: Path) -> None:
    example = EXAMPLES / "first-move"
    submission = loading.read_submission(files.read_text(example / "move.toml"), "toml", "move.toml")

    record = play_file(example / "game.toml", submission, out=tmp_path / "next.toml")

    assert record.turn == submission.turn + 1
    assert loading.load(tmp_path / "next.toml").record.head == record.head
