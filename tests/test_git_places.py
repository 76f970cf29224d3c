"""The places where moves are checked: the shipped hooks, the CI action, the pre-commit entry."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from gits import (
    ENVIRONMENT,
    GAME,
    Group,
    a_group,
    act,
    did,
    edited,
    forged,
    game_at,
    git,
    keys_of,
    pbem,
    run,
    text_after,
    through_the_door,
    with_the_real_hook,
    without_a_hook,
)

ROOT = Path(__file__).parents[1]
ACTION = ROOT / "examples" / "github-action" / "action.yml"
DRAW = ACTION.parent / "draw" / "action.yml"


def loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


# Hooks


def test_the_hook_is_printed_as_it_is_installed(tmp_path: Path) -> None:
    group = with_the_real_hook(a_group(tmp_path))
    hook = group.server / "hooks" / "pre-receive"

    assert did(tmp_path, "git", "hook", "pre-receive") == hook.read_text(encoding="utf-8")
    assert hook.stat().st_mode & 0o777 == 0o755
    assert git(group.server, "config", "receive.denyNonFastForwards") == "true"
    assert git(group.server, "config", "receive.fsckObjects") == "true"
    assert git(group.server, "config", "core.bigFileThreshold") == "1m"
    did(tmp_path, "git", "hook", "pre-receive", "--install", group.server)


def test_the_hook_runs_no_module_that_the_environment_names(tmp_path: Path) -> None:
    """Neither another pbem nor what Python imports at its start."""
    group = with_the_real_hook(a_group(tmp_path))
    for name in ("sitecustomize.py", "pbem.py"):
        (tmp_path / name).write_text("import os\nos._exit(0)\n", encoding="utf-8")
    cheat = forged(group.clone, {"x": b"x"})

    done = run("git", "push", "origin", f"{cheat}:main", cwd=group.clone, PYTHONPATH=str(tmp_path))

    assert done.returncode != 0
    assert "x was added" in done.stderr


def test_another_hook_is_not_overwritten(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "server.git")
    hook = tmp_path / "server.git" / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")

    done = pbem(tmp_path, "git", "hook", "pre-receive", "--install", "server.git")

    assert done.returncode == 73
    assert hook.read_text(encoding="utf-8") == "#!/bin/sh\nexit 0\n"


def test_a_hook_goes_where_the_repository_looks_for_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "clone")
    git(tmp_path / "clone", "config", "core.hooksPath", ".hooks")

    did(tmp_path, "git", "hook", "pre-commit", "--install", "clone")

    assert (tmp_path / "clone" / ".hooks" / "pre-commit").exists()


@pytest.mark.parametrize("path", ["", "own/hooks"])
@pytest.mark.parametrize("place", ["below", "linked", "linked/below"])
def test_a_hook_is_asked_wherever_it_was_installed_from(tmp_path: Path, path: str, place: str) -> None:
    clone = a_group(tmp_path).clone
    if path:
        git(clone, "config", "core.hooksPath", path)
    if "linked" in place:
        git(clone, "worktree", "add", "--quiet", "-b", "linked", "linked")
    folder = clone / place
    folder.mkdir(exist_ok=True)

    did(folder, "git", "hook", "pre-commit", "--install", ".")

    (folder / "x").write_text("x", encoding="utf-8")
    git(folder, "add", "x")
    done = run("git", "commit", "-m", "x", cwd=folder)
    assert done.returncode != 0
    assert "was added" in done.stderr


def test_a_hook_does_not_go_where_it_would_judge_other_repositories(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "server.git")
    everybody = {"GIT_CONFIG_GLOBAL": str(tmp_path / "config")}
    git(tmp_path, "config", "--global", "core.hooksPath", str(tmp_path / "hooks"), **everybody)
    install = ("git", "hook", "pre-receive", "--install", "server.git")

    done = pbem(tmp_path, *install, **everybody)

    assert done.returncode == 73
    assert "contains the hooks of all your repositories" in done.stderr
    assert not (tmp_path / "hooks").exists()
    hint = done.stderr.partition("hint: git ")[2].split()
    git(tmp_path, *hint, **everybody)
    did(tmp_path, *install, **everybody)
    assert (tmp_path / "server.git" / "hooks" / "pre-receive").exists()


def test_the_hook_runs_no_module_of_the_folder_where_it_runs(tmp_path: Path) -> None:
    """A tree can hold a folder of the name pbem."""
    did(tmp_path, "git", "init", "--chance", "open", "clone", "Ann", "Bob")
    clone = tmp_path / "clone"
    did(clone, "git", "hook", "pre-commit", "--install", ".")
    (clone / "pbem").mkdir()
    (clone / "pbem" / "__main__.py").write_text("open('ran', 'w')\n", encoding="utf-8")
    (clone / "x").write_text("x", encoding="utf-8")
    git(clone, "add", "x")

    done = run("git", "commit", "-m", "x", cwd=clone)

    assert done.returncode != 0
    assert "x was added" in done.stderr
    assert not (clone / "ran").exists()


@pytest.mark.parametrize("said", ["", "\n", "a b c\n", "0 1\n", f"{'0' * 40} {'1' * 40} refs/heads/main x\n"])
def test_the_hook_understands_what_git_tells_it_and_nothing_else(tmp_path: Path, said: str) -> None:
    group = a_group(tmp_path)

    done = pbem(group.server, "git", "check", "--pushed", stdin=said)

    assert done.returncode == (0 if not said else 65)


def test_who_keeps_the_server_can_change_what_is_no_move(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    (group.clone / ".gitignore").write_text("*.secret.toml\n", encoding="utf-8")
    git(group.clone, "commit", "--quiet", "--all", "--message", "less to ignore")
    assert run("git", "push", cwd=group.clone).returncode != 0

    git(tmp_path, "--git-dir=server.git", "fetch", "--quiet", "clone", "main:main")

    did(group.clone, "git", "move", "--as", "red", "--order", "stay")
    assert git(group.server, "rev-list", "--count", "main") == "3"


def committing(clone: Path, text: bytes, *options: str) -> subprocess.CompletedProcess[str]:
    (clone / GAME).write_bytes(text)
    return run("git", "commit", *options, "-m", "a move", cwd=clone)


def test_before_a_commit_a_forged_game_is_refused_and_a_move_is_not(tmp_path: Path) -> None:
    clone = a_group(tmp_path).clone
    did(clone, "git", "hook", "pre-commit", "--install", ".")
    through_the_door(clone / ".git" / "hooks" / "pre-commit")
    game = game_at(clone)
    text = text_after(game, "red", "stay")

    forgery = committing(clone, edited(game, text, turn=5), "--all")
    assert forgery.returncode != 0
    assert "turn does not match the log" in forgery.stderr
    git(clone, "reset", "--quiet")
    # What is committed counts, and not what lies in the folder: both ways to commit use an index of their own.
    assert committing(clone, text.encode(), "--only", GAME).returncode == 0
    second = text_after(game_at(clone), "blue", "stay")
    assert committing(clone, second.encode(), "--all").returncode == 0
    (clone / GAME).write_text("forged", encoding="utf-8")
    assert json.loads(did(clone, "git", "check", "HEAD~2", "HEAD", "--json"))["moves"][1]["by"] == "blue"


def test_before_a_first_commit_the_whole_game_is_proved(tmp_path: Path) -> None:
    did(tmp_path, "git", "init", "--chance", "open", "clone", "Ann", "Bob")
    clone = tmp_path / "clone"
    git(clone, "update-ref", "-d", "HEAD")

    assert did(clone, "git", "check", "--staged").endswith("1 move checked, and it is valid\n")
    (clone / GAME).write_text(
        (clone / GAME).read_text(encoding="utf-8").replace("idle = 0", "idle = 1"), encoding="utf-8"
    )
    git(clone, "add", GAME)
    assert pbem(clone, "git", "check", "--staged").returncode == 76


def test_the_pre_commit_entry_runs_a_command_that_is_there(tmp_path: Path) -> None:
    (entry,) = loaded(ROOT / ".pre-commit-hooks.yaml")
    program, *arguments = entry["entry"].split()
    group = a_group(tmp_path)

    assert program == "pbem"
    assert entry["pass_filenames"] is False
    assert entry["language"] == "python"
    done = pbem(group.clone, *arguments)
    assert done.returncode == 65
    assert "game.toml is unchanged, so the commit has no move" in done.stderr


# CI


@pytest.mark.parametrize("action", [ACTION, DRAW], ids=["check", "draw"])
def test_no_script_of_an_action_is_put_together_from_what_strangers_say(action: Path) -> None:
    steps = loaded(action)["runs"]["steps"]

    assert [step["name"] for step in steps if "${{" in step["run"]] == []
    assert {step["shell"] for step in steps} == {"bash"}
    assert "uses" not in {key for step in steps for key in step}
    assert "checkout" not in action.read_text(encoding="utf-8").replace("checked out", "")


def test_the_workflow_may_read_and_no_more(tmp_path: Path) -> None:
    did(tmp_path, "git", "init", "--chance", "open", "game", "Ann", "Bob", "--action", "somebody/pbem/actions@v1")
    workflow = loaded(tmp_path / "game" / ".github" / "workflows" / "moves.yml")

    assert workflow["permissions"] == {"contents": "read"}
    assert set(workflow[True]) == {"push", "pull_request_target"}  # to YAML "on" is true
    (step,) = workflow["jobs"]["moves"]["steps"]
    assert step == {"uses": "somebody/pbem/actions@v1", "with": {"game": GAME}}
    assert set(step["with"]) <= set(loaded(ACTION)["inputs"])


def test_no_game_with_a_bot_begins_in_a_repository(tmp_path: Path) -> None:
    done = pbem(tmp_path, "git", "init", "friday", "Ann", "bot", "--chance", "open")

    assert done.returncode == 2
    assert "no bot plays in a repository" in done.stderr
    assert not (tmp_path / "friday").exists()


def test_no_game_begins_inside_a_bare_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--bare", "server.git")

    done = pbem(tmp_path / "server.git", "git", "init", ".", "Ann", "Bob", "--chance", "open")

    assert done.returncode == 73
    assert "a bare repository has no place for the files of a game" in done.stderr
    assert not (tmp_path / "server.git" / ".git").exists()


def test_only_the_job_that_draws_may_write_and_it_is_one_at_a_time(tmp_path: Path) -> None:
    did(tmp_path, "git", "init", "--chance", "open", "open", "Ann", "Bob", "--action", "somebody/pbem@v1")
    sealed = ("init", "game", "Ann", "Bob", "--action", "somebody/pbem@v1", "--chance", "sealed")
    unproved = pbem(tmp_path, "git", *sealed)
    assert unproved.returncode == 2
    assert not (tmp_path / "game").exists()
    for who in ("Ann", "Bob", "host"):
        assert re.search(rf"hint: .*--key {who if who == 'host' else '[a-z]+'}=their-key.pub", unproved.stderr)
    made = keys_of(tmp_path, "Ann", "Bob", "host")
    keys = [word for who, key in made.items() for word in ("--key", f"{who}={key}.pub")]
    done = did(tmp_path, "git", *sealed, *keys)

    assert done.endswith("gh secret set PBEM_SECRET --env draws < game/game.secret.toml\n")
    assert not (tmp_path / "open" / ".github" / "workflows" / "draws.yml").exists()
    assert loaded(tmp_path / "game" / ".github" / "workflows" / "moves.yml")["permissions"] == {"contents": "read"}
    workflow = loaded(tmp_path / "game" / ".github" / "workflows" / "draws.yml")
    assert workflow[True] == {"push": {"branches": ["main"]}}
    assert workflow["permissions"] == {}
    assert workflow["concurrency"] == "draws"
    (job,) = workflow["jobs"].values()
    assert (job["permissions"], job["environment"]) == ({"contents": "write"}, "draws")
    (step,) = job["steps"]
    assert step["uses"] == "somebody/pbem/examples/github-action/draw@v1"
    assert DRAW.relative_to(ROOT) == Path("examples", "github-action", "draw", "action.yml")
    up = loaded(DRAW)["runs"]["steps"][0]["env"]["PBEM"].removeprefix("${{ github.action_path }}/")
    assert (DRAW.parent / up).resolve() == ROOT
    assert set(step["with"]) == set(loaded(DRAW)["inputs"])


def acted(group: Group, old: str, new: str, **env: str) -> subprocess.CompletedProcess[str]:
    said = {"OLD": old, "NEW": new, "URL": f"file://{group.server}", "TOKEN": "t0ken", "GAME": GAME, "SIGNED": "false"}
    return act(ACTION, group.server.parent, **said | env)


@pytest.mark.slow
def test_the_action_passes_a_move_and_annotates_what_is_none(tmp_path: Path) -> None:
    group = without_a_hook(a_group(tmp_path))
    did(group.clone, "git", "move", "--as", "red", "--order", "stay")
    legal = group.tip
    game = game_at(group.clone)
    text = text_after(game, "blue", "stay")
    cheat = forged(group.clone, {GAME: edited(game, text, turn=5)})
    name = forged(group.clone, {GAME: text.encode(), "a,b:c%\n::error::d": b"x"})
    for number, commit in enumerate((cheat, name)):
        git(group.clone, "push", "--quiet", "origin", f"{commit}:refs/heads/proposal-{number}")

    passed, whole = acted(group, group.base, legal), acted(group, "0" * 40, group.base)
    forgery, odd = acted(group, legal, cheat), acted(group, legal, name)

    assert passed.returncode == 0, passed.stderr
    assert "1 move checked, and it is valid" in passed.stdout
    assert whole.returncode == 0, whole.stderr
    assert forgery.returncode == 76
    assert forgery.stdout == (f"::error file={GAME},title=broken::commit {cheat[:10]}: turn does not match the log\n")
    assert odd.returncode == 65
    assert odd.stdout.startswith("::error file=a%2Cb%3Ac%25?%3A%3Aerror%3A%3Ad,title=not-allowed::commit ")
    assert [line for line in (odd.stdout + odd.stderr).splitlines() if line.strip().startswith("::")] == [
        odd.stdout.rstrip("\n")
    ]


def test_the_action_tells_that_history_was_rewritten(tmp_path: Path) -> None:
    group = without_a_hook(a_group(tmp_path))
    did(group.clone, "git", "move", "--as", "red", "--order", "stay")
    old = group.tip
    new = forged(
        group.clone,
        {GAME: text_after(game_at(group.clone, group.base), "red", "resign").encode()},
        parents=(group.base,),
    )
    git(group.clone, "push", "--quiet", "--force", "origin", f"{new}:refs/heads/main")
    git(group.server, "reflog", "expire", "--expire=now", "--all")
    git(group.server, "gc", "--quiet", "--prune=now")

    done = acted(group, old, new)

    assert done.returncode == 77
    assert "does not build on" in done.stdout


def test_the_action_takes_no_secret() -> None:
    """A branch that somebody made up could ask it what the draws would be."""
    assert set(loaded(ACTION)["inputs"]) == {"game", "signed", "token"}


# What a clone can do to whoever reads it


@pytest.mark.slow
def test_reading_a_repository_runs_nothing_that_it_brings_along(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    did(group.clone, "git", "move", "--as", "red", "--order", "stay")
    ran = tmp_path / "ran"
    evil = tmp_path / "evil.sh"
    evil.write_text(f"#!/bin/sh\ntouch '{ran}'\n", encoding="utf-8")
    evil.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "gpg.ssh.program", "gpg.program"):
        git(group.clone, "config", key, str(evil))
    for name in ("post-index-change", "reference-transaction", "pre-commit", "post-commit", "post-merge", "pre-push"):
        hook = group.clone / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        shutil.copy(evil, hook)

    did(group.clone, "git", "check", group.base, "HEAD")
    did(group.clone, "git", "log")
    pbem(group.clone, "git", "check", "--staged")
    did(group.clone, "git", "move", "--as", "blue", "--order", "stay")

    assert not ran.exists()


def test_the_check_leaves_no_trace(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    did(group.clone, "git", "move", "--as", "red", "--order", "stay")

    def everything() -> dict[Path, bytes]:
        return {file: file.read_bytes() for file in sorted(group.clone.rglob("*")) if file.is_file()}

    before = everything()

    did(group.clone, "git", "check", group.base, "HEAD")

    assert everything() == before
    assert ENVIRONMENT["GIT_CONFIG_NOSYSTEM"] == "1"


# What does not begin


@pytest.mark.parametrize(("options", "status"), [((), 73), (("--action", "x y"), 2)], ids=["taken name", "no action"])
def test_a_game_that_does_not_begin_leaves_no_repository(options: tuple[str, ...], status: int, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("hello\n", encoding="utf-8")

    done = pbem(tmp_path, "git", "init", "--chance", "open", ".", "Ann", "Bob", *options)

    assert done.returncode == status
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


def test_the_log_of_a_game_that_is_not_there_is_no_log(tmp_path: Path) -> None:
    group = a_group(tmp_path)

    done = pbem(group.clone, "git", "log", "--game", "other.toml")

    assert done.returncode == 66
    assert "use --game FILE" in done.stderr


@pytest.mark.parametrize("command", ["status", "log"])
def test_a_repository_without_a_commit_is_told_apart_from_an_unknown_one(command: str, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    done = pbem(tmp_path, "git", command)
    assert done.returncode == 66
    assert "no-such-file: this repository has no commit yet" in done.stderr
    assert "pbem git init" in done.stderr
