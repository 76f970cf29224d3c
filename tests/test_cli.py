"""The installed commands: exit code, standard output, standard error, and that a refusal changes nothing."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from bots import SECRET
from forked import door, run_program
from friday import SEATS, ZEROS, begun

from pbem import choices, decides, new_game, play, save

needs_a_host = pytest.mark.needs("posix")


def pbem(*arguments: str | Path, stdin: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the program as a process of its own."""
    return run_program(*arguments, stdin=stdin, cwd=cwd)


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A game of three on a recommended board; Cara (green), Bob (blue), Ann (red) may add a second member."""
    return begun(tmp_path)


def refused(path: Path, *arguments: str | Path, code: int, stdin: str = "") -> str:
    """Run the program, make sure that it refuses with that code and changes nothing, and return what it says."""
    folder = {file: file.read_bytes() for file in written(path.parent) if file.is_file()}
    done = pbem(*arguments, stdin=stdin)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert {file: file.read_bytes() for file in written(path.parent) if file.is_file()} == folder
    return done.stderr


def written(folder: Path) -> list[Path]:
    """Return what is in a folder, but for the lock that Windows needs there."""
    return sorted(path for path in folder.iterdir() if path.name != ".pbem.lock")


def test_new_writes_a_game_and_a_secret_that_only_its_owner_reads(tmp_path: Path) -> None:
    game, secret = tmp_path / "friday.toml", tmp_path / "friday.secret.toml"
    assert pbem("new", game, *SEATS).returncode == 0

    assert game.read_text(encoding="utf-8").startswith("#:schema ./game.schema.json\n")
    assert secret.stat().st_mode & 0o777 == 0o600
    assert ZEROS in secret.read_text(encoding="utf-8")
    assert ZEROS not in game.read_text(encoding="utf-8")


def test_new_overwrites_nothing(game: Path) -> None:
    said = refused(game, "new", game, "Ann", "Bob", code=73)

    assert "already exists" in said


@pytest.mark.parametrize(
    "players",
    [
        pytest.param(["Ann"], id="one player"),
        pytest.param(list("ABCDEFG"), id="seven players"),
        pytest.param(["Ann", "ann"], id="the same name"),
        pytest.param(["Ann:red", "Bob:red"], id="the same colour"),
        pytest.param(["Ann:pink", "Bob"], id="a colour that does not play"),
        pytest.param(["Ann\u202e", "Bob"], id="an invisible character"),
        pytest.param(["", "Bob"], id="no name"),
        pytest.param(["A" * 25, "Bob"], id="a name too long"),
        pytest.param(["red:blue", "Bob"], id="somebody else's colour as a name"),
    ],
)
def test_new_refuses_players_that_cannot_be_told_apart(tmp_path: Path, players: list[str]) -> None:
    refused(tmp_path / "game.toml", "new", tmp_path / "game.toml", *players, code=2)

    assert list(tmp_path.iterdir()) == []


def test_new_says_that_there_is_no_recommended_board_for_six(tmp_path: Path) -> None:
    path = tmp_path / "six.toml"

    said = refused(path, "new", path, *"ABCDEF", "--board", "recommended", code=2)

    assert "no recommended board for 6 players" in said


def test_play_replaces_the_game_and_prints_the_text_of_the_next_player(game: Path) -> None:
    done = pbem("play", game, "--order", "ADD b2C", "--as", "cara")

    assert done.returncode == 0
    assert done.stderr == ""
    assert "Bob (blue)" in done.stdout.splitlines()[0]
    assert '"1 green add B2c"' in game.read_text(encoding="utf-8")


def test_what_stands_under_your_answer_can_be_sent_as_it_is(game: Path, tmp_path: Path) -> None:
    answer = tmp_path / "answer.txt"
    answer.write_text(pbem("show", game, "--as", "green").stdout.partition("YOUR ANSWER\n")[2], encoding="utf-8")

    done = pbem("play", game, answer, "--as", "green")

    assert done.returncode == 0, done.stderr
    assert "order:" in answer.read_text(encoding="utf-8")


def test_play_writes_elsewhere_if_asked(game: Path, tmp_path: Path) -> None:
    before = game.read_bytes()

    done = pbem("play", game, "--order", "stay", "--as", "green", "-o", tmp_path / "next.json")

    assert done.returncode == 0
    assert game.read_bytes() == before
    assert json.loads((tmp_path / "next.json").read_text(encoding="utf-8"))["turn"] == 1


MOVES = {
    "move.toml": 'player = "green"\nmove = { order = "add", space = "B2c" }\n',
    "moves.toml": 'player = "Cara"\nturn = 0\n\n[[moves]]\norder = "add"\nspace = "B2c"\n',
    "orders.toml": 'player = "green"\norders = ["add B2c"]\n',
    "move.json": '{"player": "green", "turn": 0, "move": {"order": "add", "space": "B2c"}}',
    "move.txt": "# my answer\nadd B2c   # next to the mammoths\n",
}


@pytest.mark.parametrize("name", MOVES)
@pytest.mark.parametrize("piped", [False, True], ids=["file", "pipe"])
def test_a_move_comes_in_every_form(game: Path, name: str, piped: bool) -> None:
    move = game.with_name(name)
    move.write_text(MOVES[name], encoding="utf-8")
    player = ["--as", "green"] if name == "move.txt" else []

    done = pbem("play", game, "-" if piped else move, *player, stdin=MOVES[name] if piped else "")

    assert done.returncode == 0, done.stderr
    assert "1 green add B2c" in game.read_text(encoding="utf-8")


@pytest.mark.parametrize("heading", ["YOUR ANSWER\n", "your answer\n", ""])
def test_what_stands_around_the_order_in_our_text_may_be_copied_too(game: Path, heading: str) -> None:
    asked = pbem("show", game, "--as", "green").stdout
    mark = next(line for line in asked.splitlines() if line.startswith("[friday/"))
    move = game.with_name("answer.txt")
    move.write_text(f"{heading}{mark}\norder: add B2c\n", encoding="utf-8")

    assert "YOUR ANSWER" in asked
    assert pbem("play", game, move, "--as", "green").returncode == 0


WRONG: dict[str, tuple[str, list[str], str]] = {
    "a text": ("# A game\n\nHow it is played.\n", ["show"], "is not a game file"),
    "a picture": ('<svg xmlns="http://www.w3.org/2000/svg"/>', ["verify"], "is not a game file"),
    "other data": ("{}", ["play", "--order", "stay"], "is not a game file"),
    "a secret": (
        f'format = "first-sparks-secret/1"\ngame = "friday"\nsecret = "{ZEROS}"\n',
        ["show"],
        "is a secret file, not a game file",
    ),
    "a move": ('format = "first-sparks-move/1"\norders = ["stay"]\n', ["options"], "is a move file, not a game file"),
}


@pytest.mark.parametrize(("text", "command", "words"), WRONG.values(), ids=list(WRONG))
def test_a_file_that_is_no_game_is_said_to_be_none(tmp_path: Path, text: str, command: list[str], words: str) -> None:
    """And nothing of it is told."""
    path = tmp_path / "wrong"
    path.write_text(text, encoding="utf-8")

    said = refused(path, command[0], path, *command[1:], code=65)
    assert said.splitlines()[0] == f"not-understood: {path} {words}"
    assert ("first-sparks-game/1" in said) == (words == "is not a game file")


def test_a_game_is_no_move(game: Path) -> None:
    said = refused(game, "play", game, game, code=65)

    assert said == f"not-understood: {game} is a game file, not a move file\n"


@pytest.mark.parametrize("ending", ["yaml", ""])
def test_a_file_with_another_ending_is_written_where_the_format_is_said(game: Path, ending: str) -> None:
    other = game.with_name(f"other.{ending}".rstrip("."))

    for command in (["new", other, "Ann", "Bob"], ["convert", game, other]):
        assert "ends neither in .toml nor in .json" in refused(game, *command, code=2)
    assert pbem("convert", game, other, "--format", "json").returncode == 0
    assert json.loads(other.read_text(encoding="utf-8"))["game"] == "friday"


@pytest.mark.parametrize("family", [[], ["mail"], ["club"], ["git"]], ids=["pbem", "mail", "club", "git"])
def test_who_asks_nothing_gets_the_help(family: list[str]) -> None:
    done = pbem(*family)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == pbem(*family, "--help").stdout


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        (["schema", "gme"], "pbem schema --help"),
        pytest.param(["mail", "tick"], "pbem mail tick --help", marks=needs_a_host),
        pytest.param(["mail", "tikc"], "pbem mail --help", marks=needs_a_host),
        (["frob"], "pbem --help"),
        (["doctor", "CLUB"], "pbem mail doctor or pbem club doctor"),
        pytest.param(["club", "retry", "CLUB"], "pbem mail retry", marks=needs_a_host),
        pytest.param(["mail", "move", "CLUB"], "pbem git move", marks=needs_a_host),
        pytest.param(["mail", "new", "doctor"], "pbem mail new --help", marks=needs_a_host),
        (["retry", "new"], "pbem mail retry"),
        (["git", "new", "Ann"], "pbem git init"),
        (["git", "play", "x"], "pbem git move"),
        (["--frob"], "pbem --help"),
        (["git", "move", "x", "--order", "y"], 'for example: --order "offer 12" --as red'),
        (["check"], 'for example: game.toml --order "offer 12" --as red'),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_the_hint_is_about_the_command_that_was_meant(command: list[str], hint: str) -> None:
    done = pbem(*command)

    assert done.returncode == 2
    assert done.stderr.endswith(f"\nhint: {hint}\n")


def test_check_is_play_without_the_write(game: Path) -> None:
    before = game.read_bytes()

    done = pbem("check", game, "--order", "add B2c", "--as", "green")

    assert (done.returncode, game.read_bytes()) == (0, before)
    assert "legal" in done.stdout


def test_check_draws_nothing_and_needs_no_secret(game: Path) -> None:
    for colour in ("green", "blue", "red"):
        pbem("play", game, "--order", "stay", "--as", colour)
    game.with_name("friday.secret.toml").unlink()

    done = pbem("check", game, "--order", "offer 7", "--as", "green")

    assert done.returncode == 0, done.stderr
    refused(game, "check", game, "--order", "offer 41", "--as", "green", code=65)


def test_a_draw_without_the_secret_is_refused(game: Path) -> None:
    for colour, order in (("green", "stay"), ("blue", "stay"), ("red", "stay"), ("green", "offer 7"), ("blue", "buy")):
        assert pbem("play", game, "--order", order, "--as", colour).returncode == 0
    game.with_name("friday.secret.toml").unlink()

    said = refused(game, "play", game, "--order", "decline", "--as", "red", code=66)

    assert "friday.secret.toml" in said
    assert "only the keeper of the secret" in said


def test_every_reason_at_once_with_what_would_be_legal(game: Path) -> None:
    for colour in ("green", "blue", "red"):
        pbem("play", game, "--order", "stay", "--as", colour)

    said = refused(game, "play", game, "--order", "offer 41", "--as", "green", code=65)

    assert "[offer-current-market]" in said
    assert "[offer-affordable]" in said
    assert "costs 15 and Cara has 7" in said
    assert "you can: offer 7 (1), offer 8 (4), offer 9 (3), offer 10 (4), pass" in said


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--order", "stay", "--as", "blue"], 77, "it is not Bob's turn; waiting for Cara (green)"),
        (["--order", "stay", "--as", "white"], 65, "no player has that name or colour"),
        (
            ["--order", "stay"],
            65,
            'no player given\n\nhint: name one with --as PLAYER, or in a batch with "as"; the players are Ann (red), ',
        ),
        (["--order", "dance", "--as", "green"], 65, "'dance' is not an order"),
        (["--order", "", "--as", "green"], 65, "the command line contains no orders"),
        (["--order", "s" * 5000, "--as", "green"], 65, "at most 200 characters"),
        (["--order", "add Z9z", "--as", "green"], 65, "is not a space"),
        (["--order", "offer 7", "--as", "green"], 65, "[move-of-the-phase]"),
        (["--order", "stay", "--order", "offer 7", "--as", "green"], 77, "it is not Cara's turn"),
        (
            ["--order", "stay", "--order", "offer 7", "--as", "green"],
            77,
            "legal, but nothing was played; send that one alone",
        ),
        (["--order", "stay", "--order", "stay", "--as", "green"], 65, "you answered one question twice"),
        ([], 2, "either a move file or --order"),
        (["missing.toml"], 66, "missing.toml"),
    ],
    ids=lambda value: " ".join(map(str, value))[:30] if isinstance(value, list) else None,
)
def test_orders_that_cannot_be_played(game: Path, arguments: list[str], code: int, words: str) -> None:
    assert words in refused(game, "play", game, *arguments, code=code)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('player = "green"\nturn = 5\nmove = { order = "stay" }', 77),
        ('player = "green"\nhead = "00000000"\nmove = { order = "stay" }', 77),
        ('player = "green"\ngame = "monday"\nmove = { order = "stay" }', 77),
        ("[friday/3/00000000]\nstay", 77),
        ('player = "blue"\nmove = { order = "stay" }', 65),
        ('player = "green"\nmove = { order = "stay", card = 3 }', 65),
        ('player = "green"\nmove = { order = "fly" }', 65),
        ('player = "green"\n', 65),
        ('player = "green"\nplayer = "red"\nmove = { order = "stay" }', 65),
        ('{"player": "green", "player": "red", "move": {"order": "stay"}}', 65),
        ('{"player": "green", "move": ' + "[" * 20000, 65),
        ("player = " + "a." * 20000 + "b", 65),
        ("stay\n" * 21, 65),
        ("# nothing but a remark", 65),
        ("\x00\x01\x02", 65),
    ],
)
def test_move_files_that_cannot_be_played(game: Path, text: str, code: int) -> None:
    refused(game, "play", game, "-", "--as", "green", code=code, stdin=text)


@pytest.mark.parametrize("command", ["play", "check"])
def test_a_refusal_as_json_is_one_object(game: Path, command: str) -> None:
    done = pbem(command, game, "--order", "add D2a", "--as", "green", "--json")

    answer = json.loads(done.stdout)
    assert done.returncode == 65
    assert (answer["ok"], answer["code"], answer["rule"]) == (False, "illegal", "spread-adjacent")
    assert {"order": "stay", "cost": 0} in answer["choices"]
    assert {"message", "path", "reasons", "hint", "order"} <= answer.keys()


@pytest.mark.parametrize(
    "arguments",
    [["show"], ["show", "--as", "red"], ["options"], ["verify"], ["audit"], ["replay"]],
    ids=" ".join,
)
def test_what_only_reads_answers_in_words_and_in_json(game: Path, arguments: list[str]) -> None:
    before = game.read_bytes()
    words = pbem(arguments[0], game, *arguments[1:])
    data = pbem(arguments[0], game, *arguments[1:], "--json")

    assert (words.returncode, data.returncode, words.stderr, data.stderr) == (0, 0, "", "")
    assert words.stdout.isascii()
    assert max(map(len, words.stdout.splitlines())) <= 72
    for line in data.stdout.splitlines():
        assert isinstance(json.loads(line), dict)
    assert game.read_bytes() == before


def test_replay_as_json_gives_every_line_with_the_state_of_the_file(game: Path) -> None:
    pbem("play", game, "--order", "stay", "--as", "green", "-o", game.with_name("next.json"))
    data = json.loads(game.with_name("next.json").read_text(encoding="utf-8"))

    rows = [json.loads(line) for line in pbem("replay", game.with_name("next.json"), "--json").stdout.splitlines()]

    assert [row["entry"] for row in rows] == data["log"]
    assert rows[-1] == {"turn": 1, "entry": "1 green stay", "by": "green", "state": data["state"]}
    early = pbem("replay", game.with_name("next.json"), "--json", "--to", "0").stdout.splitlines()
    assert len(early) == len(rows) - 1


def test_a_turn_beyond_the_end_is_not_told(game: Path) -> None:
    assert "the game has no turn 1; it is at turn 0" in refused(game, "replay", game, "--to", "1", code=2)


@pytest.mark.parametrize(
    "arguments",
    [
        ["play", "friday.toml", "--order", "stay", "--as", "green", "-o", "-"],
        ["convert", "friday.toml", "-"],
        ["board", "friday.toml", "--svg", "-o", "-"],
        ["diff-engines", "-", "friday.toml", "--store"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_dash_is_no_name_of_a_file(game: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(game.parent)

    assert "not to standard output" in refused(game, *arguments, code=2)
    assert "not to standard output" in refused(game, "new", "-", "Ann", "Bob", code=2)
    assert not (game.parent / "-").exists()


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("Friday Night.toml", "friday-night"),
        ("Ärger_2.toml", "arger-2"),
        ("-x-.JSON", "x"),
        ("a" * 60 + ".toml", "a" * 40),
    ],
)
def test_a_game_is_named_after_its_file(tmp_path: Path, file: str, name: str) -> None:
    done = pbem("new", "--json", "--", tmp_path / file, "Ann", "Bob")

    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["game"] == name


def test_a_file_without_a_single_letter_names_no_game(tmp_path: Path) -> None:
    assert "--id" in refused(tmp_path / "x", "new", tmp_path / "日.toml", "Ann", "Bob", code=2)


def test_convert_there_and_back_loses_nothing(game: Path) -> None:
    there, back = game.with_name("friday.json"), game.with_name("again.toml")

    assert pbem("convert", game, there).returncode == 0
    assert pbem("convert", there, back).returncode == 0

    assert back.read_bytes() == game.read_bytes()
    assert pbem("verify", there).returncode == 0
    refused(game, "convert", game, there, code=73)


def test_show_does_not_tell_the_pile_or_the_secret(game: Path) -> None:
    state = json.loads(pbem("show", game, "--as", "green", "--json").stdout)["state"]

    assert state["pile"] == {"size": 22, "shuffle": True}


CHANGED = "the log or the header was changed: the head does not match them"
ANOTHER_SET = "the component set does not match the one that the game began with"


@pytest.mark.parametrize(
    ("old", "new", "where", "said"),
    [
        ('"1 green stay"', '"1 green add A1a"', "log[6]", "line 7 of the log is wrong: the rules forbid this order"),
        ('"1 green stay"', '"1 green stai"', "log[6]", "line 7 of the log is wrong: it has no valid order"),
        ('"1 green stay"', '"1 green add B2c"', "head", CHANGED),
        ('name = "Ann"', 'name = "Eve"', "head", CHANGED),
        ("commitment = ", 'commitment = "' + "ab" * 32 + '"#', "head", CHANGED),
        ("food = 7", "food = 70", "state.clans", "the snapshot does not match the log (state.clans)"),
        ("turn = 1", "turn = 99", "turn", "the log ends at turn 1, but the file says 99"),
        ('digest = "', 'digest = "' + "ab" * 32 + '"#', "components.digest", ANOTHER_SET),
        ('name = "reconstructed-1"', 'name = "another"', "components.digest", ANOTHER_SET),
    ],
)
def test_verify_names_what_was_changed(game: Path, old: str, new: str, where: str, said: str) -> None:
    """The first line that the rules do not allow; or, where all are allowed, that they are others than before."""
    play(game, "stay")
    text = game.read_text(encoding="utf-8")
    assert old in text
    game.write_text(text.replace(old, new, 1), encoding="utf-8")

    shown, told = pbem("verify", game), pbem("verify", game, "--json")

    assert (shown.returncode, told.returncode) == (76, 76)
    assert said in shown.stderr
    assert json.loads(told.stdout)["path"] == where


def test_a_secret_of_another_game_is_found_out(game: Path) -> None:
    secret = game.with_name("friday.secret.toml")
    secret.write_text(secret.read_text(encoding="utf-8").replace(ZEROS, SECRET.hex()), encoding="utf-8")

    assert "the secret does not match the commitment of the game" in refused(game, "audit", game, code=76)


def test_reveal_waits_for_the_end_and_lets_everybody_audit(game: Path) -> None:
    assert "once the game is over" in refused(game, "reveal", game, code=65)
    for colour in ("green", "blue"):
        assert pbem("play", game, "--order", "resign", "--as", colour).returncode == 0

    assert pbem("reveal", game).returncode == 0
    game.with_name("friday.secret.toml").unlink()

    assert pbem("audit", game).returncode == 0
    assert pbem("verify", game).returncode == 0
    assert "the game is over" in refused(game, "play", game, "--order", "stay", "--as", "red", code=65)


def test_links_folders_and_devices_are_no_game(game: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.toml"
    link.symlink_to(game)
    for path in (link, tmp_path, Path("/dev/null"), Path("/dev/zero")):
        refused(game, "show", path, code=66)
        refused(game, "play", path, "--order", "stay", "--as", "green", code=66)


def test_output_never_follows_a_link(game: Path, tmp_path: Path) -> None:
    target = tmp_path / "target.txt"
    target.write_text("mine", encoding="utf-8")
    (tmp_path / "out.toml").symlink_to(target)

    refused(game, "play", game, "--order", "stay", "--as", "green", "-o", tmp_path / "out.toml", code=73)

    assert target.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("content", ["", "{", "[", "log = 3", '{"log": []}', "\ufeff", "a" * 5_000_000], ids=range(7))
def test_a_file_that_is_no_game(tmp_path: Path, content: str) -> None:
    path = tmp_path / "game.toml"
    path.write_text(content, encoding="utf-8")

    refused(path, "show", path, code=65)


def test_two_processes_at_once_lose_nothing(game: Path) -> None:
    """Ten play the same turn at the same moment: one move is played, the others are told."""
    command = [door(), "play", str(game), "--order", "stay", "--as", "green"]
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(10)]
    said = [process.communicate()[1].decode() for process in running]
    codes = [process.returncode for process in running]

    assert codes.count(0) == 1
    assert set(codes) <= {0, 75, 77}, said
    assert not any("Traceback" in words for words in said)
    assert pbem("verify", game).returncode == 0
    assert json.loads(pbem("show", game, "--json").stdout)["turn"] == 1


def test_a_full_disk_changes_nothing(game: Path) -> None:
    """The kernel lets the process write no more than a few bytes; a signal would kill it, so it is ignored."""
    before = game.read_bytes()
    limited = "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
    limited += "sys.dont_write_bytecode = True;"  # or others would find no more than its first bytes
    limited += "resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)); sys.argv[0] = 'pbem';"
    limited += "from pbem.__main__ import main; main()"
    command = [sys.executable, "-c", limited, "play", str(game), "--order", "stay", "--as", "green"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode in (74, 75), done.stderr
    assert "Traceback" not in done.stderr
    assert game.read_bytes() == before
    assert [path.name for path in written(game.parent)] == ["friday.secret.toml", "friday.toml"]


def test_a_reader_that_goes_away_is_no_error(game: Path) -> None:
    command = f'"{door()}" show "{game}" | head -1'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_an_interrupt_is_no_traceback(game: Path) -> None:
    """Ctrl-C while the program waits for a move on standard input."""
    command = [sys.executable, "-m", "pbem", "play", str(game), "-", "--as", "green"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    process.stdin.write("stay\n")
    process.stdin.flush()
    while fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)) != bytes(4):  # what was written is not read yet
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)

    assert process.returncode == 130
    assert "Traceback" not in said


def test_rules_and_components_and_schemas_can_be_read() -> None:
    rules = pbem("rules", "--json")
    numbers = {rule["number"] for rule in json.loads(rules.stdout)["rules"]}
    rulings = pbem("rules", "--rulings").stdout
    cards = pbem("components")

    assert {"R1.1", "R4.12", "R10.2"} <= numbers
    assert "Our ruling" in rulings
    assert "basket" in cards.stdout
    assert max(map(len, (pbem("rules").stdout + cards.stdout).splitlines())) <= 72
    for kind in ("game", "move", "components"):
        assert json.loads(pbem("schema", kind).stdout)["$schema"].endswith("2020-12/schema")


def test_rules_that_do_not_exist() -> None:
    assert pbem("rules", "R99").returncode == 65


def test_somebodys_own_component_set(tmp_path: Path) -> None:
    shipped = Path(__file__).parents[1] / "pbem" / "first_sparks" / "data" / "components.toml"
    own = tmp_path / "my-box.toml"
    text = shipped.read_text(encoding="utf-8").replace('name = "reconstructed-1"', 'name = "my-box"')
    own.write_text(text.replace('kind = "rod", price = 4', 'kind = "rod", price = 6'), encoding="utf-8")

    assert pbem("components", "--check", own).returncode == 0
    assert pbem("new", tmp_path / "game.toml", "Ann", "Bob", "--components", own).returncode == 0
    own.unlink()

    shown = pbem("show", tmp_path / "game.toml")
    assert "#8 rod        6 " in shown.stdout
    assert pbem("verify", tmp_path / "game.toml").returncode == 0
    assert 'name = "my-box"' in (tmp_path / "game.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("number = 41, ", "number = 40, ", "the number 40 is not unique"),
        ('{ number = 6, kind = "herbs", crops = 1', '{ number = 6, kind = "field", price = 1, crops = 1', "six Herbs"),
        ('"1:bc", "1:e3"', '"1:bc", "1:e9"', "mountains"),
        (
            "harvest = [[1, 1], [5, 2]] },\n  { number = 8",
            "harvest = [[5, 1], [1, 2]] },\n  { number = 8",
            "not ascending",
        ),
        ('["C", -2, 1, 1]]', '["C", -5, 1, 1]]', "does not touch enough"),
        ('start = ["C1c", "B2b", "C2c"]', 'start = ["C1c", "C1b", "C2c"]', "starting spaces"),
        ("plow_bonus = 1", "plow_bonus = -1", "plow_bonus"),
    ],
)
def test_a_component_set_that_makes_no_sense(tmp_path: Path, old: str, new: str, said: str) -> None:
    shipped = Path(__file__).parents[1] / "pbem" / "first_sparks" / "data" / "components.toml"
    own = tmp_path / "my-box.toml"
    text = shipped.read_text(encoding="utf-8")
    assert old in text
    own.write_text(text.replace(old, new, 1), encoding="utf-8")

    assert said in refused(own, "components", "--check", own, code=65)
    refused(own, "new", tmp_path / "game.toml", "Ann", "Bob", "--components", own, code=65)


def test_the_hash_seed_changes_no_byte(tmp_path: Path) -> None:
    """The same orders under two hash seeds: the same files and the same texts."""
    commands = (
        f"new g.toml Ann Bob --board random --i-chose-it --secret {ZEROS}",
        "options g.toml --json",
        "show g.toml --as red",
    )
    program = "import sys; from pbem.cli.app import run; sys.exit(sum(run(each.split()) for each in sys.argv[1:]))"
    results = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        command, environment = [sys.executable, "-c", program, *commands], {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=True)
        results.append((done.stdout, (folder / "g.toml").read_bytes()))

    assert results[0] == results[1]


def test_a_card_with_its_sign_is_no_remark(game: Path) -> None:
    for colour in ("green", "blue", "red"):
        pbem("play", game, "--order", "stay", "--as", colour)

    done = pbem("check", game, "-", "--as", "green", stdin="# a remark\noffer #07 # another\n")

    assert done.returncode == 0, done.stderr


def test_the_news_begin_with_what_ones_own_order_brought_about(game: Path) -> None:
    """What followed from it at once, as rot and refill do, happened after the last text that one has read."""
    done = [pbem("play", game, "--order", "stay", "--as", colour) for colour in ("green", "blue", "red")]

    assert "Round 1, phase 1 technology\n- The crop is laid on" in done[-1].stdout
    assert "Round 1, phase 1 technology\n- The crop is laid on" in pbem("show", game, "--as", "red").stdout


def test_who_hides_its_food_is_not_told_by_its_choices(tmp_path: Path) -> None:
    """A clan that has bought Fire: the others read neither its food nor what it could pay."""
    path, owner = tmp_path / "hidden.toml", None
    played = new_game(["Ann:red", "Bob:blue"], name="hidden", secret=ZEROS, hide_food=True)
    while owner is None or decides(played) != owner:
        orders = [choice.order for choice in choices(played, few=True)]
        played = play(played, next((o for o in ("offer 9", "buy", "take", "stay") if o in orders), orders[0]))
        has_fire = (clan.colour for clan in played.state.clans if 9 in [card.number for card in clan.cards])
        owner = next(has_fire, None)
    save(played, path)
    other = "blue" if owner == "red" else "red"

    for viewer in ([], ["--as", other]):
        assert json.loads(pbem("options", path, *viewer, "--json").stdout)["options"] == []
        seen = json.loads(pbem("show", path, *viewer, "--json").stdout)
        assert [clan["food"] is None for clan in seen["state"]["clans"] if clan["colour"] == owner] == [True]
        assert seen["options"] == []
    assert json.loads(pbem("options", path, "--as", owner, "--json").stdout)["options"] != []


@pytest.mark.parametrize("closing", ["> /dev/full", ">&-"], ids=["full", "closed"])
def test_a_move_is_played_even_if_its_text_cannot_be_printed(game: Path, closing: str) -> None:
    command = f'"{sys.executable}" -m pbem play "{game}" --order stay --as green {closing}'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)

    assert done.returncode == 74
    assert "cannot write to standard output" in done.stderr
    assert "Traceback" not in done.stderr
    assert '"1 green stay"' in game.read_text(encoding="utf-8")


def test_output_overwrites_nothing_but_this_game(game: Path, tmp_path: Path) -> None:
    secret, other = game.with_name("friday.secret.toml"), tmp_path / "notes.txt"
    other.write_text("mine", encoding="utf-8")
    for path in (secret, other):
        said = refused(game, "play", game, "--order", "stay", "--as", "green", "-o", path, code=73)
        assert "does not hold this game" in said
    for _ in range(2):
        assert pbem("play", game, "--order", "stay", "--as", "green", "-o", tmp_path / "next.toml").returncode == 0


@pytest.mark.parametrize("command", ["play", "new", "convert", "board", "diff-engines", "verify"])
def test_a_name_that_is_too_long_is_no_bug(command: str, game: Path, tmp_path: Path) -> None:
    long = tmp_path / f"{'x' * 300}.toml"
    arguments: dict[str, list[str | Path]] = {
        "play": [game, "--order", "stay", "--as", "green", "-o", long],
        "new": [long, "Ann", "Bob"],
        "convert": [game, long],
        "board": [game, "--svg", "-o", long.with_suffix(".svg")],
        "diff-engines": [long, game, "--store"],
        "verify": [long],
    }

    done = pbem(command, *arguments[command])

    assert done.returncode == (66 if command == "verify" else 73), done.stderr
    assert "file name too long" in done.stderr


def test_the_marker_guards_an_order_of_the_command_line_too(game: Path) -> None:
    head = json.loads(pbem("show", game, "--json").stdout)["head"][:8]

    refused(game, "check", game, "--order", "[friday/1/00000000] stay", "--as", "green", code=77)
    assert pbem("check", game, "--order", f"[friday/0/{head}] stay", "--as", "green").returncode == 0


def test_a_name_that_the_terminal_cannot_show(tmp_path: Path) -> None:
    path = tmp_path / "game.toml"
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "pbem", "new", str(path), "\u00c9va", "Bob"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")


def test_a_format_against_the_ending_is_read_again(game: Path) -> None:
    assert pbem("play", game, "--order", "stay", "--as", "green", "--format", "json").returncode == 0

    assert json.loads(game.read_text(encoding="utf-8"))["turn"] == 1
    assert pbem("verify", game).returncode == 0


def test_a_player_may_be_named_by_colour_and_by_name(game: Path) -> None:
    move = 'player = "green"\nmove = { order = "stay" }\n'

    assert pbem("check", game, "-", "--as", "Cara", stdin=move).returncode == 0
    assert "names a different player" in refused(game, "check", game, "-", "--as", "Bob", stdin=move, code=65)


@pytest.mark.parametrize("arguments", [["schema", "move"], ["rules", "R4"], ["components"]], ids=" ".join)
def test_what_needs_no_game_answers_in_json_too(arguments: list[str]) -> None:
    answer = json.loads(pbem(*arguments, "--json").stdout)

    assert answer["ok"]
    assert answer["code"] == arguments[0]


def test_a_game_that_ends_while_its_tiles_are_laid_can_be_read_again(tmp_path: Path) -> None:
    """With all but one gone it is over, whatever is on the board."""
    path = tmp_path / "short.toml"
    assert pbem("new", path, "Ann:red", "Bob:blue", "--i-chose-it", "--secret", ZEROS).returncode == 0

    assert "The game is over: Bob (blue) wins." in pbem("play", path, "--order", "resign", "--as", "red").stdout

    assert pbem("verify", path).returncode == 0


def test_a_secret_that_lies_there_is_not_overwritten(tmp_path: Path) -> None:
    """It may be what is left of a new game that was cut off, or be needed."""
    (tmp_path / "friday.secret.toml").write_text("", encoding="utf-8")

    done = pbem("new", tmp_path / "friday.toml", "Ann", "Bob")

    assert done.returncode == 73
    assert "delete friday.secret.toml" in done.stderr
    assert [path.name for path in written(tmp_path)] == ["friday.secret.toml"]


def test_the_version_is_printed_where_nobody_watches() -> None:
    """A pipe gets what is written only when it is flushed, and the program leaves without."""
    from importlib.metadata import version

    done = pbem("--version")

    assert (done.returncode, done.stdout, done.stderr) == (0, f"pbem {version('pbem')}\n", "")
