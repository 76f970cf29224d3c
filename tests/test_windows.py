"""What players do on Windows: every command of theirs, without what Python lacks there, or there itself.

``PBEM_AS_WINDOWS=1 pytest tests/test_cli.py tests/test_git_move.py`` runs other tests in the same way.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from work import Clock

from pbem import files, interrupts
from pbem.errors import TryAgain

REAL = sys.platform == "win32"
SCRIPT = Path(__file__).with_name("windows.py")
PROGRAM = [sys.executable, "-m", "pbem"] if REAL else [sys.executable, str(SCRIPT)]
SEATS = ("Ann:red", "Bob:blue", "Zoë:green", "--board", "recommended", "--i-chose-it", "--secret", "0" * 64)
GIT = {
    **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_COUNT": "1",  # what the installer of Git for Windows proposes
    "GIT_CONFIG_KEY_0": "core.autocrlf",
    "GIT_CONFIG_VALUE_0": "true",
    **{f"GIT_{who}_{what}": "ann@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def pbem(*words: str | Path, cwd: Path, stdin: str = "", status: int = 0, **env: str) -> str:
    """Run the program, which has to end with that status, and return what it says."""
    done = subprocess.run(
        [*PROGRAM, *map(str, words)],
        cwd=cwd,
        env=GIT | env,
        input=stdin.encode(),
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == status, done
    assert b"Traceback" not in done.stderr
    return (done.stderr if status else done.stdout).decode()


@pytest.mark.slow
def test_a_game_is_played(tmp_path: Path) -> None:
    """By every command that a player has, with the files that it writes."""
    folder = tmp_path
    pbem("new", "friday.toml", *SEATS, cwd=folder)
    (folder / "move.toml").write_text('player = "Zoë"\norders = ["add B2c"]\n', encoding="utf-8")

    assert "legal" in pbem("check", "friday.toml", "move.toml", cwd=folder)
    assert "Bob (blue)" in pbem("play", "friday.toml", "move.toml", cwd=folder)
    assert "Zoë (green)" in pbem("show", "friday.toml", "--as", "Bob", cwd=folder)
    assert "stay" in pbem("options", "friday.toml", cwd=folder)
    pbem("plan", "friday.toml", "--as", "blue", "offer 8 if possible", cwd=folder, status=65)
    pbem("plan", "friday.toml", "--as", "red", "pass", cwd=folder)
    assert (folder / "friday.plans.toml").exists()
    pbem("play", "friday.toml", "-", "--as", "blue", cwd=folder, stdin="stay\r\n")
    pbem("play", "friday.toml", "--as", "red", "--order", "stay", "-o", "next.json", cwd=folder)
    assert "agree" in pbem("verify", "next.json", "--since", "friday.toml", cwd=folder)
    assert "Zoë" in pbem("replay", "next.json", cwd=folder)
    pbem("replay", "next.json", "--html", "-o", "game.html", cwd=folder)
    pbem("board", "next.json", "--svg", "-o", "board.svg", cwd=folder)
    pbem("convert", "next.json", "next.toml", cwd=folder)
    pbem("audit", "friday.toml", cwd=folder)
    pbem("bot", "friday.toml", cwd=folder)
    assert "2" in pbem("verify", ".", "--jobs", "2", cwd=folder)
    for path in folder.iterdir():
        assert b"\r" not in path.read_bytes(), path


@pytest.mark.slow
def test_a_game_is_played_through_git(tmp_path: Path) -> None:
    """With git's own line ends, by somebody who joins and somebody who looks."""
    pbem("git", "init", "begun", *SEATS, "--chance", "open", cwd=tmp_path)
    for words in (
        ["init", "--quiet", "--bare", "--initial-branch=main", "server.git"],
        ["-C", "begun", "push", "--quiet", "../server.git", "main"],
        ["clone", "--quiet", "server.git", "clone"],
    ):
        subprocess.run(["git", *words], cwd=tmp_path, env=GIT, check=True)
    clone = tmp_path / "clone"

    def asked() -> str:
        """Return the colour of the player whose turn it is."""
        return str(json.loads(pbem("show", "game.toml", "--json", cwd=clone))["decides"])

    pbem("git", "move", "--as", first := asked(), "--order", "stay", cwd=clone)
    pbem("git", "move", "--as", second := asked(), "--order", "stay", cwd=clone)

    assert f"{second} stay" in pbem("git", "log", cwd=clone)
    pbem("git", "check", "HEAD~2", "HEAD", cwd=clone)
    assert "turn" in pbem("git", "move", "--as", first, "--order", "stay", cwd=clone, status=77)
    assert b"\r" not in (clone / "game.toml").read_bytes()
    assert (
        subprocess.run(["git", "status", "--short"], cwd=clone, env=GIT, capture_output=True, check=True).stdout == b""
    )


def test_the_host_of_a_club_needs_another_system(tmp_path: Path) -> None:
    """It is said at once, before anything is read or written; the help is there."""
    for family in ("mail", "club"):
        said = pbem(family, "run", "club", cwd=tmp_path, status=2)
        assert f"pbem {family} is for the host, who needs Linux or macOS" in said
        assert "Usage" in pbem(family, "--help", cwd=tmp_path)


def test_a_name_that_the_console_cannot_show_is_no_reason_to_fail(tmp_path: Path) -> None:
    """Such a sign becomes another one; what goes to a file is UTF-8 and can be read again."""
    pbem("new", "friday.toml", "日本:red", "Bob:blue", *SEATS[3:], cwd=tmp_path, PYTHONIOENCODING="cp1252")

    shown = pbem("show", "friday.toml", cwd=tmp_path)
    (tmp_path / "answer.txt").write_text(shown.partition("YOUR ANSWER\n")[2], encoding="utf-8")

    assert "日本" in shown
    assert "\r" not in shown
    assert "??" in pbem("show", "friday.toml", cwd=tmp_path, PYTHONIOENCODING="cp1252")
    pbem("check", "friday.toml", "answer.txt", "--as", "日本", cwd=tmp_path)


def test_whoever_comes_second_waits(tmp_path: Path) -> None:
    """A game is locked by a file beside it, which stays; the lock ends with the process."""
    (tmp_path / "friday.toml").touch()
    start = (
        "" if REAL else f"import sys; sys.path.insert(0, {str(SCRIPT.parent)!r}); import windows; windows.pretend();"
    )
    hold = f"{start} import sys; from pathlib import Path; from pbem import files; path = Path('friday.toml');"
    first = subprocess.Popen(
        [sys.executable, "-c", f"{hold}\nwith files.locked(path): print(flush=True); sys.stdin.read()"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert first.stdout is not None
    first.stdout.readline()
    second = [sys.executable, "-c", f"{hold}\nwith files.locked(path, wait=0): pass"]

    waiting = subprocess.run(second, cwd=tmp_path, capture_output=True, check=False)
    first.kill()
    first.communicate()
    let_in = subprocess.run(second, cwd=tmp_path, capture_output=True, check=False)

    assert b"another pbem process is working in the folder of friday.toml" in waiting.stderr
    assert (let_in.returncode, let_in.stderr) == (0, b"")
    assert (tmp_path / ".pbem.lock").read_bytes() == b""


def test_links_and_folders_are_no_game(tmp_path: Path) -> None:
    """Without flags that refuse them when a file is opened."""
    assert "is a folder, not a file" in pbem("show", ".", cwd=tmp_path, status=66)
    if not REAL:  # there only an administrator may make one
        (tmp_path / "friday.toml").touch()
        (tmp_path / "link.toml").symlink_to("friday.toml")
        assert "symbolic links are not followed" in pbem("show", "link.toml", cwd=tmp_path, status=66)


@pytest.mark.parametrize("tries", [3, 10**6])
def test_a_file_that_another_program_reads_is_replaced_when_it_has_read_it(
    tries: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    """Windows renames nothing over a file that is open, but a scanner of viruses closes it soon."""
    path, left, rename = tmp_path / "friday.toml", [tries], Path.replace
    path.write_text("old", encoding="utf-8")

    def busy(self: Path, target: Path) -> Path:
        left[0] -= 1
        if left[0] <= 0:
            return rename(self, target)
        error = PermissionError(13, "Permission denied")
        error.winerror = 32  # type: ignore[attr-defined]
        raise error

    monkeypatch.setattr(Path, "replace", busy)
    if tries == 3:
        files.replace(path, "new")
    else:
        with pytest.raises(TryAgain, match=r"friday\.toml is open in another program"):
            files.replace(path, "new")
        assert clock.now >= files.BUSY_WAIT

    assert path.read_text(encoding="utf-8") == ("new" if tries == 3 else "old")
    assert [one.name for one in tmp_path.iterdir()] == ["friday.toml"]


def test_an_interrupt_comes_again_without_a_clock_that_sends_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python drops an exception that is raised while something is deleted; a thread raises it again."""
    monkeypatch.delattr(signal, "SIGALRM", raising=False)

    def wait() -> None:
        interrupts._again_after(0.01)
        for _ in range(6000):
            time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        wait()
