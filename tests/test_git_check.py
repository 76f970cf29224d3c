"""What a server takes and what it refuses: real pushes to a real bare repository with the shipped hook."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bots import SECRET, a_new_record
from gits import (
    GAME,
    Group,
    a_group,
    a_sealed_game,
    a_sealed_group,
    a_tree,
    before_a_draw,
    committed,
    did,
    edited,
    entries_of,
    forged,
    game_at,
    git,
    keys_of,
    needs_ssh,
    page_of,
    pbem,
    push,
    run,
    served,
    text_after,
    through_the_door,
)
from jsonschema import Draft202012Validator
from pushed import FIRST, SECOND, Pushed

from pbem import formats, game_files, loading, rulings
from pbem.carriers.git.judges import Judge
from pbem.carriers.git.verdict import compare
from pbem.errors import PbemError
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.play import carried_on
from pbem.first_sparks.record import Record
from pbem.loading import GameFile, Submission
from pbem.schema import schema_text


@pytest.fixture(scope="module")
def under_way(tmp_path_factory: pytest.TempPathFactory) -> tuple[Group, str, str]:
    """A server that has a game in which a draw follows the next order; who is asked, and that order.

    Everything that is pushed to it is refused, so that all tests can share it.
    """
    folder = tmp_path_factory.mktemp("under-way")
    clone = a_group_alone(folder)
    record, by, order = before_a_draw(a_new_record(3, "friday"))
    text = game_files.text_of(record, "toml")
    (clone / GAME).write_text(text, encoding="utf-8")
    (clone / "README.md").write_bytes(page_of(text))
    git(clone, "add", ".")
    git(clone, "commit", "--quiet", "--amend", "--no-edit")
    return served(folder), by, order


def a_group_alone(folder: Path) -> Path:
    did(
        folder,
        "git",
        "init",
        "--chance",
        "open",
        "clone",
        "Angelika",
        "Christian",
        "Steffi",
        "--action",
        "somebody/pbem@v1",
    )
    return folder / "clone"


def refused(group: Group, commit: str, *words: str) -> str:
    """Push a commit, make sure that the server refuses it and changes nothing, and return what it says."""
    before = group.tip

    done = push(group, commit)

    assert done.returncode != 0
    assert group.tip == before
    assert "Traceback" not in done.stderr
    said = "\n".join(line for line in done.stderr.splitlines() if line.startswith("remote:"))
    assert [word for word in words if word not in said] == [], done.stderr
    return said


# What is taken


def test_a_legal_move_is_taken(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    text = text_after(game_at(group.clone), "red", "stay")

    done = push(group, forged(group.clone, {GAME: text.encode(), "README.md": page_of(text)}))

    assert done.returncode == 0, done.stderr
    assert "remote:" not in done.stderr
    assert game_at(group.server, "main").record.turn == 1


def test_the_readme_may_stay_as_it_was(tmp_path: Path) -> None:
    group = a_group(tmp_path)

    commit = forged(group.clone, {GAME: text_after(game_at(group.clone), "red", "stay").encode()})

    assert push(group, commit).returncode == 0


def test_a_push_may_hold_several_moves_and_each_is_checked(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    commit = group.base
    for by in ("red", "blue", "green"):
        text = text_after(game_at(group.clone, commit), by, "stay")
        commit = forged(group.clone, {GAME: text.encode()}, parents=(commit,))
    unfair = edited(
        game_at(group.clone, commit), text, state={**formats.parse(text, "toml", name="")["state"], "idle": 9}
    )
    # The last commit is what it should be again, but one on the way is not.
    hidden = forged(group.clone, {GAME: unfair}, parents=(f"{commit}~1",))
    whole = committed(group.clone, git(group.clone, "rev-parse", f"{commit}^{{tree}}"), parents=(hidden,))

    said = refused(group, whole, hidden[:10], "state.idle does not match the log")
    assert said.count("state.idle") == 1
    assert push(group, commit).returncode == 0
    assert group.tip == commit


def test_a_player_may_resign_out_of_turn(tmp_path: Path) -> None:
    group = a_group(tmp_path)

    commit = forged(group.clone, {GAME: text_after(game_at(group.clone), "blue", "resign").encode()})

    assert push(group, commit).returncode == 0


@pytest.mark.slow
def test_the_order_with_its_draws_is_taken(under_way: tuple[Group, str, str], tmp_path: Path) -> None:
    """The same game as all the forgeries below are made of, so that each is refused for its own reason."""
    group, by, order = under_way
    text = text_after(game_at(group.clone), by, order)
    commit = forged(group.clone, {GAME: text.encode(), "README.md": page_of(text)})

    done = pbem(group.clone, "git", "check", "--json", group.base, commit)

    answer = json.loads(done.stdout)
    assert answer["ok"] is True
    assert answer["moves"][0]["by"] == by
    assert any(" * draw " in line for line in answer["moves"][0]["log"])


def test_two_who_push_at_once_cannot_both_win(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    game = game_at(group.clone)
    commits = [
        forged(group.clone, {GAME: text_after(game, "red", order).encode()})
        for order in ("stay", "resign", "agree end")
    ]

    at_once = [
        subprocess.Popen(
            ["git", "push", "--quiet", str(group.server), f"{commit}:refs/heads/main"],
            cwd=group.clone,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for commit in commits
    ]

    ends = [process.wait(timeout=120) for process in at_once]
    assert sorted(end == 0 for end in ends) == [False, False, True]
    assert group.tip == commits[ends.index(0)]


# What is refused: a forged game


def line_of(lines: list[str], part: str) -> int:
    return max(number for number, line in enumerate(lines) if part in line)


def wrong_draw(lines: list[str]) -> list[str]:
    """Return the lines with another card drawn last, one that was never seen."""
    place = line_of(lines, " * draw ")
    seen = {line.split()[-1] for line in lines}
    card = next(str(n) for n in range(20, 41) if str(n) not in seen)
    return [*lines[:place], f"{lines[place].rpartition(' ')[0]} {card}", *lines[place + 1 :]]


FORGERIES: dict[str, tuple[Callable[[GameFile, str, str, str], bytes], tuple[str, ...]]] = {
    "an illegal order": (
        lambda game, text, by, _: edited(game, text, [*game.record.log, f"{game.record.turn + 1} {by} settle A1a"]),
        (", not settle",),
    ),
    "the order of somebody who is not asked": (
        lambda game, text, by, order: edited(
            game, text, [*game.record.log, f"{game.record.turn + 1} {'red' if by != 'red' else 'blue'} {order}"]
        ),
        ("turn",),
    ),
    "somebody who does not play": (
        lambda game, text, by, order: edited(game, text, [*game.record.log, f"{game.record.turn + 1} black {order}"]),
        ("no player has the colour",),
    ),
    "a player by name": (
        lambda game, text, by, order: edited(
            game, text, [*game.record.log, f"{game.record.turn + 1} {dict(game.record.players)[by]} {order}"]
        ),
        ("no player has the colour",),
    ),
    "the host as a player": (
        lambda game, text, by, order: edited(game, text, [*game.record.log, f"{game.record.turn + 1} host resign"]),
        ("no player has the colour",),
    ),
    "a line that was sent already": (
        lambda game, text, *_: edited(
            game, text, [*game.record.log, next(line for line in game.record.log[::-1] if "*" not in line)]
        ),
        (),
    ),
    "a line that is no order": (
        lambda game, text, *_: edited(game, text, [*game.record.log, "win the game"]),
        ("a new line of the log is not valid",),
    ),
    "a snapshot by hand": (
        lambda game, text, *_: text.replace("idle = ", "idle = 1", 1).encode(),
        ("state.idle does not match the log",),
    ),
    "a log rewritten, with a head that fits": (
        lambda game, text, *_: edited(game, text, ["0 * draw 2", "0 * draw 1", *game.record.log[2:]]),
        ("line 1 of the log was rewritten",),
    ),
    "a log cut short": (
        lambda game, text, *_: edited(game, text, list(game.record.log[:-1])),
        (" of the log is missing",),
    ),
    "a wrong draw": (
        lambda game, text, *_: edited(game, text, wrong_draw(formats.parse(text, "toml", name="")["log"])),
        ("of the log does not follow from the lines before it",),
    ),
    "no draw where one is due": (
        lambda game, text, by, order: text_after(game, by, order, drawn=False).encode(),
        ("but more follows without an order",),
    ),
    "another player's name": (
        lambda game, text, *_: text.replace("Angelika", "Mallory").encode(),
        ("players does not match the log",),
    ),
    "another commitment": (
        lambda game, text, *_: text.replace('commitment = "6', 'commitment = "7').encode(),
        ("chance.commitment does not match the log",),
    ),
    "a head by hand": (
        lambda game, text, *_: edited(game, text, head="0" * 64),
        ("head does not match the log",),
    ),
    "a turn by hand": (lambda game, text, *_: edited(game, text, turn=999), ("turn does not match the log",)),
    "a key more": (lambda game, text, *_: edited(game, text, note="hello"), ("game.toml is not as pbem writes it",)),
    "a remark": (lambda game, text, *_: text.encode() + b"# hello\n", ("game.toml is not as pbem writes it",)),
    "other line ends": (
        lambda game, text, *_: text.replace("\n", "\r\n").encode(),
        ("game.toml is not as pbem writes it",),
    ),
    "JSON in a TOML file": (
        lambda game, text, *_: formats.dump(formats.parse(text, "toml", name=""), "json").encode(),
        ("game.toml is not as pbem writes it",),
    ),
    "no TOML": (lambda *_: b"\x00 = [[[", ("cannot be parsed",)),
    "no UTF-8": (lambda game, text, *_: text.encode() + b"\xff", ("is not valid UTF-8",)),
    "a log that is no list": (lambda game, text, *_: edited(game, text, log="all mine"), ("not a list of lines",)),
    "no log": (lambda *_: b'game = "friday"\n', ("not a list of lines",)),
    "a text too long": (lambda game, text, *_: text.encode() + b"#" * 200_000, ("more than 147456 characters",)),
    "an abyss of brackets": (lambda *_: b"log = " + b"[" * 9999, ("deep",)),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_game_is_refused(under_way: tuple[Group, str, str], name: str) -> None:
    """By what is in two commits, as a server judges them."""
    group, by, order = under_way
    forge, words = FORGERIES[name]
    files = {path.name: path.read_bytes() for path in group.clone.iterdir() if path.is_file()}
    game = loading.load(group.clone / GAME)
    commits: Any = Pushed(files, files | {GAME: forge(game, text_after(game, by, order), by, order)})

    with pytest.raises(PbemError) as wrong:
        compare(commits, FIRST, SECOND, Judge(GAME, "server"))

    said = " ".join((wrong.value.message, *(reason.message for reason in wrong.value.reasons)))
    assert [word for word in words if word not in said] == [], said


def test_a_huge_blob_is_not_read(under_way: tuple[Group, str, str]) -> None:
    group = under_way[0]

    refused(group, forged(group.clone, {GAME: b"#" * (5 << 20)}), "game.toml is larger than")


def test_two_submissions_in_one_commit_are_refused(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    first = text_after(game_at(group.clone), "red", "stay")
    both = text_after(game_at(group.clone, forged(group.clone, {GAME: first.encode()})), "blue", "stay")

    refused(group, forged(group.clone, {GAME: both.encode()}), "orders of blue and red", "a single submission")


def test_a_refusal_does_not_tell_what_would_have_been_drawn(under_way: tuple[Group, str, str]) -> None:
    group, by, order = under_way
    game = game_at(group.clone)
    text = text_after(game, by, order)
    right = formats.parse(text, "toml", name="")["log"]

    said = refused(group, forged(group.clone, {GAME: edited(game, text, wrong_draw(right))}))

    drawn = right[line_of(right, " * draw ")].split()[-1]
    assert f"draw {drawn}" not in said
    assert f"#{drawn}" not in said


# What is refused: everything beside the game

SIDES: dict[str, tuple[dict[str, object], str]] = {
    "a second game file": ({"saturday.toml": b"log = []\n"}, "saturday.toml was added"),
    "the game file in other letters": ({"GAME.toml": b"log = []\n"}, "GAME.toml was added"),
    "a game below": ({"games/game.toml": b"log = []\n"}, "games was added"),
    "a symbolic link in place of the game": ({GAME: ("120000", b"/etc/passwd")}, "game.toml is a symbolic link"),
    "a symbolic link beside it": ({"notes": ("120000", b"../../secret")}, "notes is a symbolic link"),
    "a submodule": ({"other": ("160000", b"1" * 40)}, "other is a submodule"),
    "a program in place of the game": ({GAME: ("100755", b"#!/bin/sh\n")}, "game.toml is an executable"),
    "no game any more": ({GAME: None}, "game.toml was removed"),
    "another workflow": ({".github/workflows/moves.yml": b"on: push\n"}, ".github was changed"),
    "a new workflow": ({".github/workflows/more.yml": b"on: push\n"}, ".github was changed"),
    "no workflow": ({".github/workflows/moves.yml": None}, ".github was removed"),
    "other attributes": ({".gitattributes": b"* filter=evil\n"}, ".gitattributes was changed"),
    "modules": ({".gitmodules": b'[submodule "x"]\n'}, ".gitmodules was added"),
    "keys": ({"allowed_signers": b"* ssh-ed25519 AAAA\n"}, "allowed_signers was added"),
    "a hook": ({".husky": b"#!/bin/sh\n"}, ".husky was added"),
    "another README": ({"README.md": b"# all mine\n"}, "README.md is not as pbem writes it"),
    "no README": ({"README.md": None}, "README.md was removed"),
    "the secret": ({"game.secret.toml": b"x"}, "is the secret of the draws"),
    "a name in two lines": ({"a\n::error::b": b"x"}, "a?::error::b was added"),
    "a name that colours": ({"\x1b[31mred": b"x"}, "?[31mred was added"),
    "a name like an option": ({"--upload-pack=evil": b"x"}, "--upload-pack=evil was added"),
    "a name that is no UTF-8": ({"\udcff\udcfe": b"x"}, "?? was added"),
    "a name that reads backwards": ({"\u202etxt.toml": b"x"}, "?txt.toml was added"),
}


@pytest.mark.parametrize("name", SIDES)
def test_whatever_else_is_changed_is_refused(under_way: tuple[Group, str, str], name: str) -> None:
    group, by, order = under_way
    changes, words = SIDES[name]
    move = {GAME: text_after(game_at(group.clone), by, order).encode()}

    refused(group, forged(group.clone, {**move, **changes}), words)  # type: ignore[arg-type]


def test_a_page_of_the_group_is_not_replaced_by_a_move(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    ours = forged(group.clone, {"README.md": b"# Ours\n"})
    git(group.server, "fetch", "--quiet", str(group.clone), f"+{ours}:main")
    text = text_after(game_at(group.clone), "red", "stay")
    move: dict[str, bytes | tuple[str, bytes] | None] = {GAME: text.encode()}

    page = forged(group.clone, {**move, "README.md": page_of(text)}, parents=(ours,))

    refused(group, page, "README.md is the group's own page")
    assert push(group, forged(group.clone, move, parents=(ours,))).returncode == 0


@pytest.mark.parametrize("name", [".git", "..", "a/b"])
def test_a_tree_that_no_git_would_write_is_refused(under_way: tuple[Group, str, str], name: str) -> None:
    group = under_way[0]
    blob = bytes.fromhex(git(group.clone, "hash-object", "-w", "--stdin", stdin=b"x"))
    evil = [*entries_of(group.clone), b"100644 " + name.encode() + b"\0" + blob]
    commit = committed(group.clone, a_tree(group.clone, *sorted(evil, key=lambda one: one.partition(b" ")[2])))

    done = pbem(group.clone, "git", "check", group.base, commit)

    assert done.returncode == 65
    assert f"{name} was added" in done.stderr
    before = group.tip
    assert push(group, commit).returncode != 0
    assert group.tip == before


def test_a_name_that_is_there_twice_is_refused(under_way: tuple[Group, str, str]) -> None:
    group = under_way[0]
    blob = bytes.fromhex(git(group.clone, "hash-object", "-w", "--stdin", stdin=b"x"))
    made = a_tree(group.clone, *entries_of(group.clone), b"100644 game.toml\0" + blob)

    done = pbem(group.clone, "git", "check", group.base, committed(group.clone, made))

    assert done.returncode == 65
    assert "lists game.toml twice" in done.stderr


@pytest.mark.parametrize("raw", [b"nothing", b"100644 \0" + bytes(20), b"100644 x\0short", b"rwx x\0" + bytes(20)])
def test_a_tree_that_is_none_is_refused(under_way: tuple[Group, str, str], raw: bytes) -> None:
    group = under_way[0]
    made = git(group.clone, "hash-object", "-w", "-t", "tree", "--literally", "--stdin", stdin=raw)

    done = pbem(group.clone, "git", "check", group.base, committed(group.clone, made))

    assert done.returncode == 65
    assert "is not in git's format" in done.stderr


@pytest.mark.parametrize("raw", [b"", b"tree x\n\n", b"author a\n\nb", b"tree %s\nparent x\n\nb"])
def test_a_commit_that_is_none_is_refused(under_way: tuple[Group, str, str], raw: bytes) -> None:
    group = under_way[0]
    text = raw.replace(b"%s", git(group.clone, "rev-parse", "HEAD^{tree}").encode())
    made = git(group.clone, "hash-object", "-w", "-t", "commit", "--literally", "--stdin", stdin=text)

    done = pbem(group.clone, "git", "check", group.base, made)

    assert done.returncode == 65
    assert "is not in git's format" in done.stderr


@pytest.mark.parametrize(("signed", "code"), [((), "not-allowed"), (("--signed",), "not-signed")])
def test_a_refusal_in_json_has_the_form_of_every_refusal(
    under_way: tuple[Group, str, str], signed: tuple[str, ...], code: str
) -> None:
    group = under_way[0]

    done = pbem(group.clone, "git", "check", "--json", *signed, group.base, forged(group.clone, {}))

    schema = json.loads(schema_text("verdict"))
    Draft202012Validator(schema["$defs"]["refusal"] | {"$defs": schema["$defs"]}).validate(json.loads(done.stdout))
    assert json.loads(done.stdout)["code"] == code


def test_a_commit_without_a_move_is_refused(under_way: tuple[Group, str, str]) -> None:
    group = under_way[0]

    refused(group, forged(group.clone, {}), "game.toml is unchanged, so the commit has no move")


# What is refused: another history


def test_history_is_not_rewritten(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    did(group.clone, "git", "move", "--as", "red", "--order", "stay")
    other = text_after(game_at(group.clone, group.base), "red", "agree end")

    refused(group, forged(group.clone, {GAME: other.encode()}, parents=(group.base,)), "does not build on")
    refused(group, group.base, "does not build on")
    refused(group, forged(group.clone, {GAME: other.encode()}, parents=()), "does not build on")


def test_a_merge_is_refused(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    text = text_after(game_at(group.clone), "red", "stay")
    side = forged(group.clone, {})

    refused(group, forged(group.clone, {GAME: text.encode()}, parents=("HEAD", side)), "is a merge")


@pytest.mark.parametrize("ref", ["refs/heads/other", "refs/tags/v1", "refs/notes/commits", "refs/replace/" + "1" * 40])
def test_no_other_ref_is_taken(under_way: tuple[Group, str, str], ref: str) -> None:
    group = under_way[0]

    done = push(group, group.base, ref=ref)

    assert done.returncode != 0
    assert "is not accepted here, only refs/heads/main is" in done.stderr
    assert git(group.server, "for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_the_game_is_not_deleted(under_way: tuple[Group, str, str]) -> None:
    group = under_way[0]

    done = push(group, "")

    assert done.returncode != 0
    assert "cannot be deleted" in done.stderr
    assert group.tip == group.base


# The first commit


@pytest.fixture(scope="module")
def not_served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a game and an empty server, to which nothing that is pushed is taken."""
    folder = tmp_path_factory.mktemp("not-served")
    a_group_alone(folder)
    git(folder, "init", "--quiet", "--bare", "--initial-branch=main", "server.git")
    did(folder, "git", "hook", "pre-receive", "--install", "server.git")
    through_the_door(folder / "server.git" / "hooks" / "pre-receive")
    return folder


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        pytest.param({"x": ("120000", b"/etc/passwd")}, "x is a symbolic link", id="a symbolic link"),
        pytest.param({"a/b/x": ("160000", b"1" * 40)}, "a/b/x is a submodule", id="a submodule below"),
        pytest.param({"x/game.secret.toml": b"x"}, "is the secret of the draws", id="the secret"),
        pytest.param({f"n{n}": b"x" for n in range(220)}, "at most 200 files", id="files without end"),
        pytest.param({GAME: None}, "game.toml is not in the commit", id="no game"),
        pytest.param({GAME: ("100755", b"x")}, "game.toml is an executable", id="a program"),
    ],
)
def test_a_game_begins_with_plain_files(not_served: Path, changes: dict[str, object], words: str) -> None:
    clone, server = not_served / "clone", not_served / "server.git"
    commit = forged(clone, changes, parents=())  # type: ignore[arg-type]
    if GAME not in changes:
        commit = forged(clone, {GAME: (clone / GAME).read_bytes(), **changes}, parents=())  # type: ignore[dict-item]

    done = run("git", "push", str(server), f"{commit}:refs/heads/main", cwd=clone)

    assert done.returncode != 0
    assert words in done.stderr
    assert git(server, "for-each-ref") == ""


def test_a_game_that_begins_is_proved(tmp_path: Path) -> None:
    clone = a_group_alone(tmp_path)
    text = (clone / GAME).read_text(encoding="utf-8")
    data = formats.parse(text, "toml", name="")
    data["state"]["idle"] = 3
    unfair = forged(clone, {GAME: formats.dump(data, "toml").encode()}, parents=())

    done = pbem(clone, "git", "check", "0", unfair)

    assert done.returncode == 76
    assert "the snapshot does not match the log" in done.stderr


# Who


@pytest.fixture(scope="module")
def signing(tmp_path_factory: pytest.TempPathFactory) -> tuple[Group, dict[str, Path]]:
    """A sealed game whose moves are signed, and the keys of all, of the host and of a stranger; nothing is taken."""
    folder = tmp_path_factory.mktemp("signing")
    keys = keys_of(folder, "green", "red", "blue", "host", "stranger")
    given = [word for who in ("green", "red", "blue", "host") for word in ("--key", f"{who}={keys[who]}.pub")]
    return a_group(folder, "--chance", "sealed", *given), keys


def a_signed_move(clone: Path, key: Path | None, changes: dict[str, bytes] | None = None) -> str:
    text = text_after(game_at(clone), "red", "stay", drawn=False)
    return forged(clone, {GAME: text.encode(), **(changes or {})}, key=key)


@pytest.mark.slow
@needs_ssh
def test_the_player_who_decides_has_to_sign(signing: tuple[Group, dict[str, Path]]) -> None:
    group, keys = signing

    refused(group, a_signed_move(group.clone, None), "the commit is not signed, but must be signed by red")
    refused(
        group, a_signed_move(group.clone, keys["green"]), "the commit is signed by green, but must be signed by red"
    )
    refused(group, a_signed_move(group.clone, keys["host"]), "the commit is signed by host")
    refused(group, a_signed_move(group.clone, keys["stranger"]), "the commit is signed with an unknown key")
    checked = pbem(group.clone, "git", "check", "--signed", group.base, a_signed_move(group.clone, keys["red"]))
    assert checked.returncode == 0, checked.stderr


@pytest.mark.slow
@needs_ssh
def test_keys_that_a_commit_brings_along_do_not_count(signing: tuple[Group, dict[str, Path]]) -> None:
    group, keys = signing
    mine = (group.clone / "allowed_signers").read_bytes() + b"* " + Path(f"{keys['stranger']}.pub").read_bytes()

    refused(
        group, a_signed_move(group.clone, keys["stranger"], {"allowed_signers": mine}), "allowed_signers was changed"
    )
    refused(group, forged(group.clone, {"allowed_signers": None}, key=keys["red"]), "allowed_signers was removed")


@needs_ssh
def test_a_signature_covers_its_own_commit_alone(signing: tuple[Group, dict[str, Path]]) -> None:
    """The signature of a right move is put on another commit."""
    group, keys = signing
    right = git(group.clone, "cat-file", "commit", a_signed_move(group.clone, keys["red"]))
    wrong = right.replace("a move", "another move")
    made = git(group.clone, "hash-object", "-w", "-t", "commit", "--stdin", stdin=(wrong + "\n").encode())

    refused(group, made, "the signature by red does not match this commit")


@needs_ssh
def test_two_signatures_and_those_of_others_are_refused(signing: tuple[Group, dict[str, Path]]) -> None:
    group, keys = signing
    right = git(group.clone, "cat-file", "commit", a_signed_move(group.clone, keys["red"]))
    start, end = right.index("gpgsig "), right.index("-----END SSH SIGNATURE-----") + 28
    for wrong, words in (
        (right[:end] + right[start:end] + right[end:], "more than one signature"),
        (right[:end] + right[start:end].replace("gpgsig", "gpgsig-sha256", 1) + right[end:], "more than one signature"),
        (right.replace("SSH SIGNATURE", "PGP SIGNATURE"), "not with an SSH key"),
    ):
        made = git(
            group.clone, "hash-object", "-w", "-t", "commit", "--literally", "--stdin", stdin=(wrong + "\n").encode()
        )
        done = pbem(group.clone, "git", "check", group.base, made)

        assert done.returncode in (65, 77)
        assert words in done.stderr


def test_signing_can_be_demanded(under_way: tuple[Group, str, str]) -> None:
    group = under_way[0]

    done = pbem(group.clone, "git", "check", "--signed", group.base, forged(group.clone, {}))

    assert done.returncode == 77
    assert "moves must be signed, but this game was begun without keys" in done.stderr


# Chance that is sealed


@pytest.fixture
def drawing(tmp_path: Path) -> tuple[Path, Record, str, str]:
    """A sealed game before an order that a draw follows: the folder, the record, who is asked, the order."""
    return tmp_path, *a_sealed_game()


@pytest.mark.slow
def test_the_server_that_has_the_secret_proves_the_draws(drawing: tuple[Path, Record, str, str]) -> None:
    folder, record, by, order = drawing
    group = a_sealed_group(folder, record)
    player = group.another_clone("player")
    moved = did(player, "git", "move", "--as", by, "--order", order)
    assert "pushed to origin" in moved
    assert " * draw " not in game_at(player).record.log[-1]
    early = pbem(player, "git", "draw")
    assert early.returncode == 66
    assert "the secret of this game was not found" in early.stderr

    unproved = pbem(group.clone, "git", "draw")

    assert unproved.returncode == 65
    assert "the draws cannot be checked here" in unproved.stderr
    assert group.tip == git(group.clone, "rev-parse", "HEAD")
    shutil.copy(group.clone / "game.secret.toml", group.server)
    drawn = did(player, "git", "draw", "--secret", group.clone / "game.secret.toml")
    assert " * draw " in drawn.splitlines()[0]
    assert group.tip == git(player, "rev-parse", "HEAD")
    assert did(group.clone, "git", "draw") == ""


@pytest.mark.slow
def test_a_draw_that_the_secret_does_not_give_is_refused(drawing: tuple[Path, Record, str, str]) -> None:
    folder, record, by, order = drawing
    group = a_sealed_group(folder, record)
    shutil.copy(group.clone / "game.secret.toml", group.server)
    did(group.clone, "git", "move", "--as", by, "--order", order)
    draw = source(record.game, SECRET)
    other = carried_on(game_at(group.clone).record, lambda n, k: (draw(n, k) + 1) % n)[0]

    refused(
        group,
        forged(group.clone, {GAME: game_files.text_of(other, "toml").encode()}),
        "the draws are not what the secret yields",
    )


def after_draws(group: Group, before: str, line: str) -> bytes:
    """Return the text of the game at a commit with one draw more, whatever follows."""
    return edited(
        game_at(group.clone, before),
        git(group.clone, "show", f"{before}:{GAME}") + "\n",
        [*game_at(group.clone, before).record.log, line],
    )


@pytest.mark.slow
def test_a_server_that_has_the_secret_cannot_be_asked_what_a_move_would_bring(
    drawing: tuple[Path, Record, str, str],
) -> None:
    """Who tries a move with every draw that could follow it learns nothing from the refusals."""
    folder, record, by, order = drawing
    group = a_sealed_group(folder, record)
    shutil.copy(group.clone / "game.secret.toml", group.server)
    moved = forged(group.clone, {GAME: text_after(game_at(group.clone), by, order, drawn=False).encode()})
    after = game_at(group.clone, moved).record
    draw = source(record.game, SECRET)
    right = carried_on(after, draw)[0]
    assert " * draw " in right.log[len(after.log)]
    wrong = carried_on(after, lambda n, k: (draw(n, k) + 1) % n)[0]
    guesses = {name: game_files.text_of(guess, "toml").encode() for name, guess in (("right", right), ("wrong", wrong))}

    said = {}
    for name, text in guesses.items():
        guess = forged(group.clone, {GAME: text}, parents=(moved,))
        bad = forged(group.clone, {"x": b"x"}, parents=(guess,))
        said[name] = refused(group, bad, "draws must be pushed alone").replace(guess[:10], "")

    assert said["right"] == said["wrong"]
    assert push(group, moved).returncode == 0
    drawn = forged(group.clone, {GAME: guesses["right"]}, parents=(moved,))
    assert push(group, drawn).returncode == 0


@needs_ssh
def test_who_did_not_sign_is_told_nothing_else(signing: tuple[Group, dict[str, Path]]) -> None:
    """A guessed draw without the host's key is refused for the key, be it right or wrong."""
    group, keys = signing
    guess = after_draws(group, "HEAD", "0 * draw 7")

    refused(group, forged(group.clone, {GAME: guess}, key=keys["red"]), "but must be signed by host")


def test_a_player_who_knows_the_secret_makes_no_draws(drawing: tuple[Path, Record, str, str]) -> None:
    folder, record, by, order = drawing
    group = a_sealed_group(folder, record)
    draw = source(record.game, SECRET)
    cheat = rulings.judge(record, Submission((order,), player=by), draw).record

    refused(
        group,
        forged(group.clone, {GAME: game_files.text_of(cheat, "toml").encode()}),
        "of the log does not follow from the lines before it",
    )


@pytest.mark.slow
@needs_ssh
def test_the_host_signs_the_draws(drawing: tuple[Path, Record, str, str]) -> None:
    folder, record, by, order = drawing
    keys = keys_of(folder, "green", "red", "blue", "host")
    given = [word for who, key in keys.items() for word in ("--key", f"{who}={key}.pub")]
    group = a_sealed_group(folder, record, *given)
    unsigned = pbem(group.clone, "git", "move", "--as", by, "--order", order)
    assert unsigned.returncode == 2
    assert "no key was given" in unsigned.stderr
    did(group.clone, "git", "move", "--as", by, "--order", order, "--key", keys[by])

    by_a_player = pbem(group.clone, "git", "draw", "--key", keys[by])

    assert by_a_player.returncode == 77
    assert f"the commit is signed by {by}, but must be signed by host" in by_a_player.stderr
    did(group.clone, "git", "draw", "--key", keys["host"])
    assert group.tip == git(group.clone, "rev-parse", "HEAD")


@needs_ssh
def test_draws_that_cannot_be_are_refused_though_the_host_signs(drawing: tuple[Path, Record, str, str]) -> None:
    folder, record, by, order = drawing
    keys = keys_of(folder, "green", "red", "blue", "host")
    given = [word for who, key in keys.items() for word in ("--key", f"{who}={key}.pub")]
    group = a_sealed_group(folder, record, *given)
    did(group.clone, "git", "move", "--as", by, "--order", order, "--key", keys[by])
    game, text = game_at(group.clone), git(group.clone, "show", f"HEAD:{GAME}") + "\n"
    bought = next(line for line in game.record.log[::-1] if " offer " in line).split()[-1]
    lines = [*game.record.log, f"{game.record.turn} * draw {bought}"]

    refused(group, forged(group.clone, {GAME: edited(game, text, lines)}, key=keys["host"]), "of the log is wrong")


@pytest.mark.slow
def test_the_secret_is_published_after_the_end(drawing: tuple[Path, Record, str, str]) -> None:
    folder, record, *_ = drawing
    group = a_sealed_group(folder, record)
    early = formats.parse(git(group.clone, "show", f"HEAD:{GAME}"), "toml", name="")
    early["chance"]["secret"] = SECRET.hex()
    refused(
        group,
        forged(group.clone, {GAME: formats.dump(early, "toml", schema="./game.schema.json").encode()}),
        "chance does not match the log",
    )
    for by in ("red", "blue", "green"):
        did(group.clone, "git", "move", "--as", by, "--order", "agree end")
    did(group.clone, "reveal", GAME)
    git(group.clone, "commit", "--quiet", "--all", "--message", "the secret")

    git(group.clone, "push", "--quiet")

    assert group.tip == git(group.clone, "rev-parse", "HEAD")
    assert "the secret yields all " in did(group.clone, "audit", GAME)
