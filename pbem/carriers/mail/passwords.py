"""The passwords and tokens of a club's mailboxes: where they come from, and how a server is shown them.

A password_command is run without a shell: what club.toml says is what runs, with no variable, pattern or pipe in it,
and a time limit ends the program itself. Nothing that it prints is ever repeated, in no error either.
"""

import os
import re
import select
import shlex
import subprocess
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from pbem import files, interrupts
from pbem.carriers.mail.settings import WayIn, WayOut
from pbem.errors import NoSuchFile, NotUnderstood, TryAgain
from pbem.formats import shown
from pbem.grammar import listed
from pbem.ownership import user_name

_Connection = TypeVar("_Connection")
TIME_LIMIT: Final = 60.0  # seconds for the command, which may have to fetch a token or to ask for a passphrase
LONGEST: Final = 64 * 1024  # bytes that the command may print; a token has some thousands
_SIGNS: Final = "|$;&<>*`"
_SOON: Final = 0.05  # seconds


class LoginRefused(TryAgain):
    """The server does not accept the password or token."""


def secrets(box: WayOut | WayIn) -> Iterator[str]:
    """Yield the password or token, and once another one, if the command has another when the first was refused.

    A token that has expired is renewed so. A refused password is not tried again: that could lock the account.
    Raises NotUnderstood, NoSuchFile, TryAgain.
    """
    first = password(box)
    yield first
    if box.password_command and (other := password(box)) != first:
        yield other


def logged_in(
    box: WayOut | WayIn,
    connect: Callable[[], _Connection],
    log_in: Callable[[_Connection, str], None],
    leave: Callable[[_Connection], None],
) -> _Connection:
    """Return a connection on which the server has accepted the password or token.

    Raises TryAgain if it accepts none, LoginRefused if it has said so.
    """
    refused = TryAgain("no login was tried")
    for secret in secrets(box):
        connection = connect()
        try:
            log_in(connection, secret)
        except BaseException as error:
            leave(connection)
            if not isinstance(error, TryAgain):
                raise
            refused = error
        else:
            return connection
    raise refused


def password(box: WayOut | WayIn) -> str:
    """Return the password or token, from the variable, file or command that club.toml names.

    Raises NotUnderstood or NoSuchFile if the settings are wrong, TryAgain if the command has failed.
    """
    if box.password_command:
        if box.password_env or box.password_file:
            hint = "keep password_command, or password_env or password_file"
            raise NotUnderstood("club.toml names more than one place for a password", path="club.toml", hint=hint)
        return _from_command(box.password_command)
    if box.password_env:
        found = os.environ.get(box.password_env)
        if found is None:
            name = box.password_env if re.fullmatch(r"[A-Z_][A-Z0-9_]*", box.password_env) else "of password_env"
            message = f"the environment variable {name}, which holds the password, is not set"
            hint = "set it where pbem runs, in its service or crontab too; or use password_file"
            raise NoSuchFile(message, path="club.toml", hint=hint)
        return found
    if box.password_file:
        found = _in_file(Path(box.password_file)).partition("\n")[0].rstrip("\r")
        if not found:
            hint = "write the password into its first line"
            raise NotUnderstood(f"the file {box.password_file} has no password", path="password_file", hint=hint)
        return found
    hint = "set password_command, or password_file to the path of a file, or password_env to the name of a variable"
    raise NotUnderstood("club.toml does not say where the password is", path="club.toml", hint=hint)


def _in_file(path: Path) -> str:
    """Return what a password_file says; raises NoSuchFile, NotUnderstood."""
    try:
        return files.read_text(path, 4096)
    except NoSuchFile as error:
        if not path.is_absolute():  # and perhaps the password itself
            hint = "give the whole path of a file, and write the password into its first line"
            raise NoSuchFile(
                "the file that password_file names does not exist", path="password_file", hint=hint
            ) from None
        name = shown(path)
        error.hint = f"write the password into the first line of {name}, and then: chmod go= {name}"
        if isinstance(error.__cause__, PermissionError):
            us = user_name(os.geteuid())
            error.hint = f"{us}, who runs pbem, must be able to read it: chown {us} {name}; chmod u+r {name}"
        raise


def bearer(box: WayOut | WayIn, token: str) -> str:
    """Return what proves by a token who we are, as XOAUTH2 or OAUTHBEARER (RFC 7628) want it."""
    if box.auth == "oauthbearer":
        user = box.user.replace("=", "=3D").replace(",", "=2C")
        return f"n,a={user},\1host={box.host}\1port={box.port}\1auth=Bearer {token}\1\1"
    return f"user={box.user}\1auth=Bearer {token}\1\1"


def after_refusal(box: WayOut | WayIn) -> str:
    """Return what a server wants to hear once it has said why it refuses a token, before it refuses the login."""
    return "\1" if box.auth == "oauthbearer" else ""


def _from_command(line: str) -> str:
    """Return the first line that a command prints; raises NotUnderstood, NoSuchFile, TryAgain."""
    words = _words_of(line)
    if not words:
        hint = 'write it as in a shell, such as password_command = "pass show mail/pbem"'
        raise NotUnderstood("password_command in club.toml is not a command", path="password_command", hint=hint)
    with _started(words) as program:
        printed = _printed(program)
    if program.returncode:
        why = f"exited with {program.returncode}" if program.returncode > 0 else "was ended by a signal"
        raise _failed(why, of_a_shell(line))
    first = printed.partition(b"\n")[0].rstrip(b"\r")
    try:
        found = first.decode()
    except UnicodeError:
        raise _failed("has printed something other than text") from None
    if not found.isprintable() or not found.strip():
        raise _failed("has printed no password in its first line")
    return found


@contextmanager
def _started(words: list[str]) -> Generator[subprocess.Popen[bytes]]:
    """Run a command with nothing to read; when the block is left, it and all that it has started are ended."""
    program: subprocess.Popen[bytes] | None = None
    try:
        with interrupts.hold():  # until we know which process it is
            program = _run(words)
        yield program
    finally:
        if program is not None:
            _ended(program)


def _run(words: list[str]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 -- a command of the club's owner
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # it could hold the secret, too
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is not a command"
        hint = "give its whole path; no shell reads the line, so ~ and $ mean nothing in it"
        message = f"the program of password_command in club.toml cannot be run: {why}"
        raise NoSuchFile(message, path="password_command", hint=hint) from None


def _ended(program: subprocess.Popen[bytes]) -> None:
    if program.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(program.pid, 9)
    assert program.stdout is not None
    program.stdout.close()
    program.wait()


def _printed(program: subprocess.Popen[bytes]) -> bytes:
    """Return all that a program prints until it ends, although what it has started may hold its output open."""
    assert program.stdout is not None
    until, printed = time.monotonic() + TIME_LIMIT, b""
    while (rest := until - time.monotonic()) > 0:
        ended = program.poll() is not None
        if not select.select([program.stdout], [], [], 0 if ended else min(_SOON, rest))[0]:
            if ended:
                return printed
            continue
        part = os.read(program.stdout.fileno(), LONGEST)
        printed += part
        if len(printed) > LONGEST:
            raise _failed(f"has printed more than {LONGEST // 1024} KiB")
        if not part:
            with suppress(subprocess.TimeoutExpired):
                program.wait(rest)
                return printed
    raise _failed(f"was ended after {TIME_LIMIT:g} seconds")


def _words_of(line: str) -> list[str]:
    """Return the words of a command, none if a quote in it has no end."""
    with suppress(ValueError):
        return shlex.split(line)
    return []


def of_a_shell(line: str) -> str:
    """Return what to say of signs in a command that only a shell understands, "" for no such sign."""
    words = _words_of(line)
    bare = [word for word in words if not re.search(r"\s", word)]  # others were in quotes, for a program
    signs = {word[0] for word in bare if word[:1] == "~"} | {sign for word in bare for sign in _SIGNS if sign in word}
    if not signs or words[0].endswith("sh"):
        return ""
    marks = listed(sorted(signs))
    return f"no shell reads password_command, so it cannot use {marks}: give whole paths, or write sh -c '...'"


def _failed(why: str, hint: str = "") -> TryAgain:
    """Return the error of a command, which says nothing of what it has printed."""
    hint = hint or "run it by hand as the club's user: its first line must be the password or the token"
    return TryAgain(f"the password_command in club.toml {why}", path="password_command", hint=hint)
