"""Servers that are not ours: they take what is no move, forget what they had, or do not let us in."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from gits import (
    BLUE,
    ENVIRONMENT,
    GAME,
    RED,
    Group,
    a_group,
    a_sealed_game,
    a_sealed_group,
    did,
    forged,
    game_at,
    git,
    pbem,
    push,
    run,
    text_after,
    without_a_hook,
)

from pbem.carriers.git.repository import without_password


@pytest.fixture
def group(tmp_path: Path) -> Group:
    return without_a_hook(a_group(tmp_path))


def pushed_by_mallory(group: Group, text: str, name: str = "x.txt") -> str:
    """Return a commit that the server has taken: the game, and what is no business of a move."""
    tree = git(group.clone, "rev-parse", f"{forged(group.clone, {GAME: text.encode(), name: b'x'})}^{{tree}}")
    mallory = {"GIT_AUTHOR_NAME": "Mallory\x1b[31m"}
    commit = git(group.clone, "commit-tree", tree, "-p", "HEAD", "-m", "a move", **mallory)
    assert push(group, commit).returncode == 0
    return commit


# Where a push goes


def test_who_plays_from_a_branch_that_the_server_refuses_reads_how_to_play_from_it(tmp_path: Path) -> None:
    judged = a_group(tmp_path)
    git(judged.clone, "switch", "--quiet", "--create", "mine")

    refused = pbem(judged.clone, "git", "note", "Hello", "--as", "red")

    assert "refs/heads/mine is not accepted here" in refused.stderr
    command = re.search(r"to play from this branch, first run (.*)$", refused.stderr, re.MULTILINE)
    assert command is not None, refused.stderr
    git(judged.clone, *command[1].split()[1:])
    did(judged.clone, *RED)


# What comes in is judged


def test_who_pulls_what_is_no_move_is_warned_in_one_line(group: Group) -> None:
    """The game agrees with itself, but more came along."""
    other = group.another_clone("other")
    text = text_after(game_at(group.clone), "red", "stay")
    commit = pushed_by_mallory(group, text, "mine.txt")

    done = pbem(other, "git", "move", "--as", "green", "--order", "resign")

    assert done.returncode == 0
    assert done.stdout.splitlines()[1] == "1 red stay came in just now"
    assert done.stderr == (
        f"warning: commit {commit[:10]} by Mallory?[31m is not a legal move: "
        "mine.txt was added, but a move may only change game.toml, minutes.txt and README.md\n"
    )


def test_commits_that_are_no_moves_are_in_the_json_too(group: Group) -> None:
    other = group.another_clone("other")
    did(group.clone, *RED)
    git(group.clone, "commit", "--quiet", "--allow-empty", "--message", "hello")
    git(group.clone, "push", "--quiet")
    empty = group.tip
    second = pushed_by_mallory(group, text_after(game_at(group.clone), "blue", "stay"))

    done = pbem(other, "git", "move", "--as", "green", "--order", "stay", "--json")

    answer = json.loads(done.stdout)
    assert answer["pulled"] == ["1 red stay", "2 blue stay"]
    assert [(one["commit"], one["lines"]) for one in answer["suspect"]] == [(second, ["2 blue stay"]), (empty, [])]
    assert [line for line in done.stderr.splitlines() if empty[:10] in line and "shows 1 more" in line]


def test_moves_that_come_in_are_no_reason_for_a_warning(group: Group) -> None:
    other = group.another_clone("other")
    did(group.clone, *RED)

    assert pbem(other, *BLUE).stderr == ""


def test_the_draws_of_a_host_are_believed_where_nothing_proves_them(tmp_path: Path) -> None:
    record, by, order = a_sealed_game()
    group = without_a_hook(a_sealed_group(tmp_path, record))
    other = group.another_clone("other")
    did(group.clone, "git", "move", "--as", by, "--order", order)
    did(group.clone, "git", "draw")

    done = pbem(other, "git", "move", "--as", by, "--order", "agree end")

    assert done.returncode == 0
    assert "came in just now" in done.stdout
    assert done.stderr == ""
    assert "no move" not in did(other, "git", "log")


def test_a_merge_that_comes_in_is_told(group: Group) -> None:
    other = group.another_clone("other")
    did(group.clone, *RED)
    side = forged(group.clone, {"x": b"x"}, parents=(group.base,))
    merge = forged(group.clone, {}, parents=("HEAD", side))
    assert push(group, merge).returncode == 0

    done = pbem(other, *BLUE)

    assert done.returncode == 0
    assert f"commit {merge[:10]} by Ann is not a legal move: commit {merge[:10]} is a merge" in done.stderr


def test_nothing_is_drawn_after_what_is_no_move(tmp_path: Path) -> None:
    group = without_a_hook(a_group(tmp_path, "--chance", "sealed"))
    host = group.another_clone("host")
    secret = group.clone / "game.secret.toml"
    commit = pushed_by_mallory(group, text_after(game_at(group.clone), "red", "stay", drawn=False))

    for _ in range(2):  # and it is not taken in by the first refusal
        done = pbem(host, "git", "draw", "--secret", secret)

        assert done.returncode == 65
        assert f"commit {commit[:10]} by Mallory?[31m is not a legal move: x.txt was added" in done.stderr
        assert git(host, "rev-parse", "HEAD") == group.base
    git(host, "pull", "--quiet", "--ff-only")  # the host says that it is right
    assert did(host, "git", "draw", "--secret", secret) == ""


def test_the_log_names_what_is_no_move(group: Group) -> None:
    """Among it a commit that changes the snapshot alone; the next one is judged by what it goes on from."""
    did(group.clone, *RED)
    text = (group.clone / GAME).read_text(encoding="utf-8")
    (group.clone / GAME).write_text(text.replace("food = 7", "food = 70", 1), encoding="utf-8")
    git(group.clone, "commit", "--quiet", "--all", "--message", "2 blue stay")
    (group.clone / GAME).write_text("broken", encoding="utf-8")
    git(group.clone, "commit", "--quiet", "--all", "--message", "broken")
    git(group.clone, "revert", "--no-edit", "HEAD")
    git(group.clone, "revert", "--no-edit", "HEAD~2")
    did(group.clone, *BLUE)

    lines = [line.partition(": ")[2] for line in did(group.clone, "git", "log").splitlines()]

    assert lines[0] == "2 blue stay"
    assert lines[1] == "not a legal move: game.toml is unchanged, so the commit has no move"  # since the last sound one
    assert lines[2] == "not a legal move: state.clans does not match the log"
    assert lines[3].startswith("not a legal move: game.toml cannot be parsed")
    assert lines[4] == "not a legal move: state.clans does not match the log"
    assert lines[5] == "1 red stay"
    assert lines[6].startswith("0 * draw")


def test_an_order_that_was_not_legal_is_named_with_its_reason(group: Group) -> None:
    game = game_at(group.clone)
    right = text_after(game, "red", "stay")
    wrong = right.replace('"1 red stay"', '"1 red add M1a"')
    git(group.clone, "reset", "--quiet", "--hard", forged(group.clone, {GAME: wrong.encode()}))

    (told, _) = json.loads(did(group.clone, "git", "log", "--json"))["commits"]

    assert told["lines"] == ["1 red add M1a"]
    assert re.match("the rules forbid this order: .*M1a", told["wrong"])


# A history that was rewritten


@pytest.mark.slow
@pytest.mark.parametrize("how", ["another move", "taken back"])
def test_a_history_that_was_rewritten_is_refused_until_it_is_taken(group: Group, how: str) -> None:
    other = group.another_clone("other")
    did(group.clone, *RED)
    lost = group.tip[:7]
    did(other, *BLUE)
    before = git(other, "rev-parse", "HEAD")
    resigned = text_after(game_at(group.clone, group.base), "red", "resign").encode()
    again = forged(group.clone, {GAME: resigned}, parents=(group.base,)) if how == "another move" else lost
    assert push(group, again).returncode == 0

    for _ in range(2):
        done = pbem(other, "git", "move", "--as", "green", "--order", "stay")

        assert done.returncode == 65
        assert (
            f"the history on origin was rewritten and no longer contains {before[:7]} by Ann: 2 blue stay"
            in done.stderr
        )
        assert git(other, "rev-parse", "HEAD") == before
        assert group.tip.startswith(again)
    git(other, *done.stderr.partition(" they are right, git ")[2].partition(" accepts")[0].split())
    assert git(other, "rev-parse", "HEAD") == group.tip
    by = "green" if how == "another move" else "blue"
    assert pbem(other, "git", "move", "--as", by, "--order", "resign").returncode == 0


def test_a_move_that_is_not_sent_yet_is_not_taken_for_one_that_was_dropped(group: Group) -> None:
    other = group.another_clone("other")
    did(group.clone, *RED)
    git(other, "pull", "--quiet")
    did(group.clone, *BLUE)
    text = text_after(game_at(other), "blue", "agree end")
    git(other, "reset", "--quiet", "--hard", forged(other, {GAME: text.encode()}, message="2 blue agree end"))

    done = pbem(other, "git", "move", "--as", "green", "--order", "stay")

    assert done.returncode == 77
    assert "somebody moved first, and your '2 blue agree end' is committed here but was not pushed" in done.stderr


# Who is not let in


@contextmanager
def over_http(group: Group, denied: dict[str, int]) -> Iterator[str]:
    """Lend the address of a server that speaks HTTP, and answers a service of git's with the status that is said."""

    class Server(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, _, query = self.path.partition("?")
            status = next((status for service, status in denied.items() if service in self.path), 0)
            if status:
                self.send_response(status)
                self.send_header("WWW-Authenticate", 'Basic realm="games"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            said = {
                **ENVIRONMENT,
                "GIT_PROJECT_ROOT": str(group.server.parent),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            }
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            done = subprocess.run(["git", "http-backend"], env=said, input=body, capture_output=True, check=True)
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            self.send_response(200)
            for line in head.decode().split("\r\n"):
                self.send_header(*line.split(": ", 1))
            self.end_headers()
            self.wfile.write(content)

        do_POST = do_GET  # noqa: N815 -- as the server wants it called

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://ann:hunter2@127.0.0.1:{server.server_port}/{group.server.name}"
        finally:
            server.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "said"), [(401, "Authentication failed for 'http://127.0.0.1"), (403, "returned error: 403")]
)
def test_who_may_not_push_is_told_so_and_the_move_is_taken_back(group: Group, status: int, said: str) -> None:
    with over_http(group, {"git-receive-pack": status}) as address:
        git(group.clone, "remote", "set-url", "origin", address)

        done = pbem(group.clone, *RED, GIT_TERMINAL_PROMPT="0")

    assert done.returncode == 77
    assert "no-access: origin does not let you push '1 red stay': " in done.stderr
    assert said in done.stderr
    assert "hint: your move was undone; check your password, token or SSH key" in done.stderr
    assert "hunter2" not in done.stderr + done.stdout
    assert git(group.clone, "rev-parse", "HEAD") == group.base
    assert git(group.clone, "status", "--porcelain") == ""


def test_who_may_not_even_look_is_told_so(group: Group) -> None:
    with over_http(group, {"git-upload-pack": 401}) as address:
        git(group.clone, "remote", "set-url", "origin", address)

        done = pbem(group.clone, *RED, "--json", GIT_TERMINAL_PROMPT="0")

    assert done.returncode == 77
    answer = json.loads(done.stdout)
    assert answer["code"] == "no-access"
    assert answer["hint"].startswith("nothing was changed; ")
    assert "hunter2" not in done.stdout


def test_over_http_a_move_goes_through_and_no_password_is_shown(group: Group) -> None:
    git(group.server, "config", "http.receivepack", "true")
    with over_http(group, {}) as address:
        git(group.clone, "config", "branch.main.remote", address)
        done = pbem(group.clone, *RED)

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1 red stay: pushed to http://127.0.0.1:")
    assert "hunter2" not in done.stdout


@pytest.mark.parametrize(
    "said",
    [
        "ann@example.org: Permission denied (publickey).",
        "ERROR: Permission to ann/friday.git denied to bob.",
        "ERROR: Repository not found.",
    ],
)
def test_what_ssh_says_is_shown(group: Group, tmp_path: Path, said: str) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 255\n", encoding="utf-8")
    ssh.chmod(0o755)
    git(group.clone, "remote", "set-url", "origin", "ann@example.org:friday.git")

    done = pbem(group.clone, *RED, GIT_SSH_COMMAND=str(ssh), PATH=os.environ["PATH"])

    assert done.returncode == 77
    assert said.partition(": ")[2].rstrip(".") in done.stderr.splitlines()[0]


def test_a_line_that_is_down_is_no_lack_of_a_key(group: Group, tmp_path: Path) -> None:
    ssh = tmp_path / "ssh"
    ssh.write_text("#!/bin/sh\necho 'ssh: connect to host example.org: timed out' >&2\nexit 255\n", encoding="utf-8")
    ssh.chmod(0o755)
    git(group.clone, "remote", "set-url", "origin", "ann@example.org:friday.git")

    assert pbem(group.clone, *RED, GIT_SSH_COMMAND=str(ssh)).returncode == 75
    assert run("git", "status", "--porcelain", cwd=group.clone).stdout == ""


@pytest.mark.parametrize("credentials", ["ann", "ann:secret", "ann:s@cr@et", "ann@home.example:secret"])
def test_no_address_is_shown_with_a_password(credentials: str) -> None:
    assert without_password(f"to https://{credentials}@git.example/x.git") == "to https://git.example/x.git"
