"""The password or token that a command prints: it comes from its first line, and is told to nobody but the server."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from servers import wait_until

from pbem.carriers.mail import passwords
from pbem.carriers.mail.passwords import after_refusal, bearer, password, secrets
from pbem.carriers.mail.settings import WayIn, WayOut, read_club
from pbem.carriers.mail.setup import create
from pbem.club.settings import club_text
from pbem.errors import NoSuchFile, NotUnderstood, PbemError, TryAgain

SECRET = "a very secret word"  # noqa: S105


def from_python(code: str, *arguments: str | Path) -> WayOut:
    """Return settings with a command that runs Python."""
    return WayOut(password_command=shlex.join([sys.executable, "-c", code, *map(str, arguments)]))


def trouble_of(box: WayOut) -> PbemError:
    with pytest.raises(PbemError) as trouble:
        password(box)
    assert "secret" not in repr(trouble.value.as_json())
    assert trouble.value.__cause__ is None
    return trouble.value


@pytest.mark.parametrize(
    "printed", [SECRET, f"{SECRET}\n", f"{SECRET}\r\n", f"{SECRET}\nuser: pbem\nurl: mail.example.org\n"]
)
def test_the_first_line_is_the_password(printed: str) -> None:
    assert password(from_python("import sys; sys.stdout.write(sys.argv[1])", printed)) == SECRET


def test_the_blanks_of_a_password_and_letters_beyond_ascii_are_kept() -> None:
    assert password(from_python("import sys; sys.stdout.buffer.write(' pässword '.encode())")) == " pässword "


def test_a_token_of_many_kilobytes_is_read_whole() -> None:
    assert password(from_python("print('x' * 16000); print('y' * 40000)")) == "x" * 16000


def test_no_shell_reads_the_command(tmp_path: Path) -> None:
    box = WayOut(password_command=f"echo $HOME; touch {tmp_path}/made | cat > '{tmp_path}/a b'")

    assert password(box) == f"$HOME; touch {tmp_path}/made | cat > {tmp_path}/a b"
    assert list(tmp_path.iterdir()) == []


def test_the_command_reads_nothing_and_what_it_complains_of_is_dropped(capfd: pytest.CaptureFixture[str]) -> None:
    code = f"import sys; print('{SECRET}', file=sys.stderr); print(repr(sys.stdin.read()))"

    assert password(from_python(code)) == "''"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (f"import sys; print('{SECRET}'); print('{SECRET}', file=sys.stderr); sys.exit(3)", "exited with 3"),
        (f"import os; print('{SECRET}', flush=True); os.kill(os.getpid(), 9)", "was ended by a signal"),
        ("", "no password in its first line"),
        (f"print(); print('{SECRET}')", "no password in its first line"),
        (f"print('{SECRET}' + chr(7))", "no password in its first line"),
        (f"import sys; sys.stdout.buffer.write(b'{SECRET}' + bytes([255]))", "other than text"),
        (f"while True: print('{SECRET}' * 100)", "more than 64 KiB"),
    ],
)
def test_what_went_wrong_is_told_and_nothing_that_the_command_has_printed(code: str, told: str) -> None:
    trouble = trouble_of(from_python(code))

    assert isinstance(trouble, TryAgain)
    assert told in trouble.message


@pytest.mark.parametrize("keeps_printing", [True, False])
def test_a_command_that_does_not_end_is_ended_with_all_that_it_has_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keeps_printing: bool
) -> None:
    monkeypatch.setattr(passwords, "TIME_LIMIT", 0.5)
    child = f"echo {SECRET}; while :; do touch {tmp_path}/alive; sleep 0.05; done"
    close = "" if keeps_printing else "exec > /dev/null; "
    box = WayOut(password_command=shlex.join(["sh", "-c", f"{close}sh -c '{child}' & wait"]))

    trouble = trouble_of(box)

    assert "was ended after 0.5 seconds" in trouble.message
    time.sleep(0.2)
    (tmp_path / "alive").unlink(missing_ok=True)
    time.sleep(0.3)
    assert not (tmp_path / "alive").exists()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command_too(tmp_path: Path, how: signal.Signals) -> None:
    create(tmp_path / "club", "pbem@example.org", "you@example.org")
    line = shlex.join(["sh", "-c", f"echo $$ > {tmp_path}/pid; exec sleep 300"])
    there = WayIn("imap", "INBOX", "127.0.0.1", 1, "none", "pbem", password_command=line)
    club = read_club(tmp_path / "club").changed(incoming=there)
    (club.folder / "club.toml").write_text(club_text(club))

    command = [sys.executable, "-m", "pbem", "mail", "run", str(club.folder), "--once"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        wait_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text().strip(), what="a command")
        running.send_signal(how)
        assert running.wait(60) == 130

    wait_until(lambda: is_over(int((tmp_path / "pid").read_text())), what="the end of the command")


def is_over(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def test_what_a_command_leaves_running_keeps_nobody_waiting(tmp_path: Path) -> None:
    """As the agent of a key ring, which may hold the output of the command open."""
    code = f"sleep 300 & echo $! > {tmp_path}/agent; echo {SECRET}"

    assert password(WayOut(password_command=shlex.join(["sh", "-c", code]))) == SECRET

    os.kill(int((tmp_path / "agent").read_text()), signal.SIGKILL)  # it was left running


@pytest.mark.parametrize("line", ["'", '"pass show', "   "])
def test_a_line_that_is_no_command_is_an_error_of_the_settings(line: str) -> None:
    assert isinstance(trouble_of(WayOut(password_command=line)), NotUnderstood)


@pytest.mark.parametrize("line", ["/nowhere/pass show mail", "~/bin/token", "/"])
def test_a_program_that_is_not_there_is_an_error_of_the_settings(line: str) -> None:
    trouble = trouble_of(WayOut(password_command=line))

    assert isinstance(trouble, NoSuchFile)
    assert "no shell" in trouble.hint


def test_signs_for_a_shell_are_named_if_the_command_fails() -> None:
    box = WayOut(password_command=f"{sys.executable} -c 'raise SystemExit(1)' ~/{SECRET} | head -1")
    assert trouble_of(box).hint.startswith("no shell reads password_command, so it cannot use | and ~: give")
    assert "no shell" not in trouble_of(from_python("import sys; sys.exit(1)")).hint
    assert "no shell" not in trouble_of(WayOut(password_command="sh -c 'false | exit 1'")).hint  # noqa: S106


def test_a_password_in_the_place_of_a_name_is_told_to_nobody() -> None:
    for box in (WayOut(password_file=SECRET), WayOut(password_env=SECRET)):
        assert trouble_of(box).hint


def test_a_password_file_that_is_not_there_or_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p"
    box = WayOut(password_file=str(path))
    with pytest.raises(NoSuchFile) as trouble:
        password(box)
    assert trouble.value.hint == f"write the password into the first line of {path}, and then: chmod go= {path}"

    def denied(*_: object) -> str:
        raise NoSuchFile("p cannot be opened: permission denied") from PermissionError(13, "no")

    monkeypatch.setattr(passwords.files, "read_text", denied)
    with pytest.raises(NoSuchFile) as trouble:
        password(box)
    assert "must be able to read it: chown " in trouble.value.hint


@pytest.mark.parametrize("more", [{"password_env": "PBEM_SOMEWHERE"}, {"password_file": "/nowhere"}])
def test_two_places_for_one_password_are_an_error_of_the_settings(more: dict[str, str]) -> None:
    assert isinstance(trouble_of(WayOut(password_command="echo x")._replace(**more)), NotUnderstood)  # noqa: S106


def test_a_password_that_is_refused_is_offered_only_once(tmp_path: Path) -> None:
    counted = from_python("import sys; open(sys.argv[1], 'a').write('.'); print('same')", tmp_path / "runs")

    assert list(secrets(counted)) == ["same"]
    assert (tmp_path / "runs").read_text() == ".."


def test_a_token_that_is_refused_is_asked_for_anew_once(tmp_path: Path) -> None:
    code = "import os, sys; open(sys.argv[1], 'a').write('.'); print(os.path.getsize(sys.argv[1]))"

    assert list(secrets(from_python(code, tmp_path / "runs"))) == ["1", "2"]


def test_a_file_is_not_read_again(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("one\n")
    offered = secrets(WayOut(password_file=str(tmp_path / "password")))
    assert next(offered) == "one"
    (tmp_path / "password").write_text("two\n")

    assert list(offered) == []


def test_a_token_is_shown_as_each_way_of_login_wants_it() -> None:
    """The first is Google's own example, and the second that of RFC 7628."""
    google = WayIn(auth="xoauth2", user="someuser@example.com")
    rfc = WayIn(auth="oauthbearer", user="user@example.com", host="server.example.com", port=143)

    assert bearer(google, "ya29.vF9dft4qmTc2Nvb3RlckBhdHRhdmlzdGEuY29tCg") == (
        "user=someuser@example.com\1auth=Bearer ya29.vF9dft4qmTc2Nvb3RlckBhdHRhdmlzdGEuY29tCg\1\1"
    )
    assert bearer(rfc, "vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==") == (
        "n,a=user@example.com,\1host=server.example.com\1port=143\1auth=Bearer "
        "vF9dft4qmTc2Nvb3RlckBhbHRhdmlzdGEuY29tCg==\1\1"
    )
    assert bearer(rfc._replace(user="a,b=c"), "x").startswith("n,a=a=2Cb=3Dc,\1")
    assert (after_refusal(google), after_refusal(rfc)) == ("", "\1")
