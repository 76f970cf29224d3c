"""TOML and JSON in and out, the lock, and writing that happens wholly or not at all.

This is the edge of the program and knows nothing of the game. What is read here
may be hostile: it is measured before it is parsed, and no message repeats any
of it, because it might hold a secret.
"""

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, NoReturn

from pbem.errors import CannotCreate, CannotWrite, NoSuchFile, NotUnderstood, PbemError, TryAgain, UsageError

Format = Literal["toml", "json"]

READ_LIMIT = 4 * 1024 * 1024  # bytes: a mail with a game in it
PARSE_LIMIT = 128 * 1024  # characters: four times the longest game, and half a second for the worst of texts
LITTER_AGE = 3600  # seconds after which a half-written file is nobody's any more
MAX_DEPTH = 32  # of tables, objects and arrays in each other
MAX_DOTS = 8  # in one TOML key; the time that tomllib takes for a key grows with their square

# Strings and comments. Where a text breaks off in one of them the parser stops too, so that nothing hides behind it.
QUOTED = {
    "json": r'"(?:[^"\\]+|\\[\s\S])*"?',
    "toml": r'"""(?:[^"\\]+|\\[\s\S]|""?(?!"))*(?:"{3,5})?'
    r"|'''[\s\S]*?(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]+|\\.)*"?'
    r"|'[^'\n]*'?"
    r"|#[^\n]*",
}
# A value that begins as a float, a date or a time does, or a very long number.
ODD_VALUE = r"[=:,\[]\s*([+-]?(?:\d[\d_]*[.eE:-]|\d\w{18,}|inf|nan|NaN|Infinity))"


def format_of(path: Path, default: Format | None = None) -> Format:
    """Return the format that the ending of the file name tells, or else the default; without one, raise UsageError."""
    endings: dict[str, Format] = {".toml": "toml", ".json": "json"}
    form = endings.get(path.suffix.lower(), default)
    if form is None:
        hint = "choose another name, or say with --format which of them to write"
        raise UsageError(f"{shown(path)} ends neither in .toml nor in .json", path=shown(path), hint=hint)
    return form


def read_bytes(path: Path, limit: int = READ_LIMIT) -> bytes:
    """Return what is in a regular file of at most *limit* bytes.

    A symbolic link is not followed, and nothing waits for a pipe or a device.

    Raises NoSuchFile, NotUnderstood if it is too large, CannotWrite if reading breaks off.
    """
    with open_file(path) as file:
        return _read(file, limit, shown(path))


def open_file(path: Path, buffering: int = 0) -> IO[bytes]:
    """Return a regular file, open to be read; raises NoSuchFile, and does so for a link, a pipe and a device too."""
    name = shown(path)
    try:
        file = open(path, "rb", buffering=buffering, opener=_open_warily)  # noqa: SIM115 -- Path.open has no opener
    except (OSError, ValueError) as error:
        link = getattr(error, "errno", None) == errno.ELOOP
        why = "it is a symbolic link, and those are not followed" if link else _reason(error)
        raise NoSuchFile(f"{name} cannot be opened: {why}", path=name) from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise NoSuchFile(f"{name} is a pipe or a device, not a file", path=name)
    return file


def _open_warily(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY)


@contextmanager
def open_stream(path: Path | None) -> Iterator[tuple[IO[bytes], int | None]]:
    """Lend a file, or for None and ``-`` standard input, to be read line by line; and its size, if it has one."""
    if path is not None and path != Path("-"):
        with open_file(path, buffering=-1) as file:
            yield file, os.fstat(file.fileno()).st_size
    elif sys.stdin is None:
        raise NoSuchFile("standard input is closed", path="standard input")
    else:
        yield sys.stdin.buffer, None


def read_text(path: Path, limit: int = READ_LIMIT) -> str:
    """Return what is in a file as text; as ``read_bytes``, and NotUnderstood if it is not UTF-8."""
    return decode(read_bytes(path, limit), name=str(path))


def read_stdin(limit: int = READ_LIMIT) -> str:
    """Return what comes in on standard input as text; as ``read_text``."""
    name = "standard input"
    if sys.stdin is None:
        raise NoSuchFile(f"{name} is closed", path=name)
    return decode(_read(sys.stdin.buffer, limit, name), name=name)


def decode(data: bytes, *, name: str) -> str:
    """Return UTF-8 as text, without a byte order mark and with plain line ends."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{shown(name)} is not UTF-8 text: the byte at offset {error.start} cannot be read"
        hint = "save the file again with the encoding UTF-8"
        raise NotUnderstood(message, path=shown(name), hint=hint) from None  # the error holds the whole file
    return text.removeprefix("\ufeff").replace("\r\n", "\n")


def parse(text: str, form: Format, *, name: str) -> dict[str, Any]:
    """Return the table or object that a text holds: strings, whole numbers, truth values, arrays, tables.

    The reference to a schema is not part of it; ``schema_line`` returns that. JSON
    may hold ``null``, which a schema has to refuse. *name* is for the message.

    Raises NotUnderstood for everything else, in less than a second.
    """
    data = _load(text, form, name)
    if form == "json" and isinstance(data.get("$schema"), str):
        del data["$schema"]
    return data


def schema_line(text: str, form: Format) -> str:
    """Return the reference to a schema that a file carries, or nothing: one printable line, fit for ``dump``."""
    reference: Any = ""
    if form == "json":
        with suppress(NotUnderstood):
            reference = _load(text, form, "").get("$schema")
    else:
        match = re.match(r"\ufeff?#:schema (.*)", text)
        reference = match[1].strip() if match else ""
    return reference if isinstance(reference, str) and reference.isprintable() else ""


def dump(data: dict[str, Any], form: Format, *, schema: str = "") -> str:
    """Return the text of a file that ``parse`` reads as the same data, with a reference to a schema if there is one.

    The order of the keys is kept, but in TOML values stand before tables.

    Raises CannotWrite if it is longer than what ``parse`` reads.
    """
    if form == "json":
        import json

        reference = {"$schema": schema} if schema else {}
        text = json.dumps(reference | data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    else:
        import tomli_w

        text = (f"#:schema {schema}\n" if schema else "") + tomli_w.dumps(data)
    if len(text) > PARSE_LIMIT:
        raise CannotWrite(f"the new file would have more than {PARSE_LIMIT} characters and could not be read again")
    return text


def replace(path: Path, text: str | bytes, *, mode: int | None = None) -> None:
    """Put a text in the place of a file: afterwards it is there whole, or the old file is untouched.

    The file keeps its permissions unless *mode* says others. A file that is not
    there is created. A symbolic link and a write-protected file are refused.

    Raises CannotCreate, TryAgain if the disk is full, CannotWrite.
    """
    data = text.encode() if isinstance(text, str) else text
    with _refusals(path):
        kept = _permissions(path)
        exact = kept if mode is None else mode
        with _written(path, data, 0o644 if exact is None else exact, exact=exact is not None) as temporary:
            temporary.replace(path)
    _flush_folder(path)


def create(path: Path, text: str, *, mode: int = 0o644) -> None:
    """Write a new file, whole or not at all; of two that try at once only one succeeds.

    The umask can take permissions away, but not those of the owner; none are
    added, not even for a moment, so that 0600 keeps a secret.

    Raises CannotCreate, TryAgain if the disk is full, CannotWrite.
    """
    data = text.encode()
    with _refusals(path), _written(path, data, mode, exact=False) as temporary:
        try:
            path.hardlink_to(temporary)
        except FileExistsError:
            raise
        except OSError:  # no hard links here, as on a memory card: claim the name, then fill it
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            temporary.replace(path)
    _flush_folder(path)


@contextmanager
def locked(path: Path, *, wait: float = 10.0) -> Iterator[None]:
    """Keep every other process away from the games of this folder; the kernel ends the lock when the process ends.

    The folder is locked and not the file: it outlives the replacing, covers the
    files that belong to a game, needs no leave to write and leaves no litter. A
    file system that cannot do this (NFS) gets the file ``.pbem.lock``, which stays.
    Another lock in the same folder has to wait, in the same process too. What
    a process left half-written here when it was killed is cleaned away.

    Raises TryAgain if the folder is still locked after *wait* seconds, CannotCreate, CannotWrite.
    """
    folder = (path.parent, os.O_RDONLY | os.O_DIRECTORY)
    beside = (path.parent / ".pbem.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
    with ExitStack() as opened:
        with _refusals(path):
            for target, flags in (folder, beside):
                descriptor = os.open(target, flags, 0o666)
                opened.callback(os.close, descriptor)
                if _lock(descriptor, path, wait):
                    break
            else:
                raise CannotWrite(f"{shown(path)} cannot be locked on this file system", path=shown(path))
        _clean(path.parent)
        yield


def _clean(folder: Path) -> None:
    """Delete the half-written files of killed processes; a young one may belong to somebody who needs no lock."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".pbem-") and entry.name.endswith(".tmp"):
                import time

                with suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_mtime < time.time() - LITTER_AGE:
                        Path(entry).unlink()


def _lock(descriptor: int, path: Path, wait: float) -> bool:
    """Lock what is open, or return that it cannot be locked at all."""
    import fcntl
    import time

    deadline = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                message = f"another pbem is at work in the folder of {shown(path)}"
                hint = "nothing was changed; try again in a moment"
                raise TryAgain(message, path=shown(path), hint=hint) from None
            time.sleep(0.02)
        except OSError:
            return False
        else:
            return True


@contextmanager
def _written(path: Path, data: bytes, mode: int, *, exact: bool) -> Iterator[Path]:
    """Lend a finished file in the folder of *path* that disappears unless it is renamed."""
    temporary = path.with_name(f".pbem-{os.urandom(8).hex()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "wb", buffering=0):
            granted = stat.S_IMODE(os.fstat(descriptor).st_mode)
            wanted = mode if exact else granted | mode & stat.S_IRWXU
            if granted != wanted:
                os.fchmod(descriptor, wanted)
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            os.fsync(descriptor)
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _permissions(path: Path) -> int | None:
    """Return the permission bits of the file that is to be replaced, or None if there is none."""
    try:
        kind = path.lstat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISREG(kind) and os.access(path, os.W_OK):
        return kind & 0o777
    what = "write-protected" if stat.S_ISREG(kind) else "a symbolic link" if stat.S_ISLNK(kind) else "not a file"
    raise CannotCreate(f"{shown(path)} is {what} and is not replaced", path=shown(path))


def _flush_folder(path: Path) -> None:
    """Make a new name last through a power cut; the file is in its place already, so that a failure is none."""
    with suppress(OSError):
        descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _refusals(path: Path) -> Iterator[None]:
    """Turn what the operating system refuses, when a file is written or locked, into what a person can mend."""
    name = shown(path)
    try:
        yield
    except FileExistsError as error:
        hint = "choose another name, or move the old file away"
        raise CannotCreate(f"{name} exists already and is not overwritten", path=name, hint=hint) from error
    except FileNotFoundError as error:
        raise CannotCreate(f"there is no folder for {name}", path=name) from error
    except (OSError, ValueError) as error:
        code = getattr(error, "errno", None)
        if code in {errno.ENOSPC, errno.EDQUOT}:
            hint = "nothing was changed; make room and try again"
            raise TryAgain(f"{name} cannot be written because the disk is full", path=name, hint=hint) from error
        denied = {None, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP}
        kind: type[PbemError] = CannotCreate if code in denied else CannotWrite
        raise kind(f"{name} cannot be written: {_reason(error)}", path=name) from error


def _reason(error: OSError | ValueError) -> str:
    """Return the reason of the operating system, as the end of a sentence."""
    return (getattr(error, "strerror", None) or "this cannot be the name of a file").lower()


def shown(name: Path | str) -> str:
    """Return a file name that can be printed anywhere."""
    return "".join(character if character.isprintable() else "?" for character in str(name))


def _read(file: IO[bytes], limit: int, name: str) -> bytes:
    """Return all that a file holds."""
    data = b""
    try:
        while len(data) <= limit and (chunk := file.read(limit + 1 - len(data))):
            data += chunk
    except OSError as error:
        raise CannotWrite(f"{name} cannot be read: {_reason(error)}", path=name) from error
    if len(data) > limit:
        raise NotUnderstood(f"{name} is too large: it has more than {limit} bytes", path=name)
    return data


class _Source(NamedTuple):
    """A text that is being parsed; ``bare`` has blanks for its strings and comments, at the same positions."""

    name: str
    text: str
    bare: str

    def refused(self, why: str, position: int | None = None, *, place: str = "") -> NotUnderstood:
        """Return the refusal, with line (of a text that has several) and column if the position is known."""
        if position is not None:
            line, column = self.text.count("\n", 0, position) + 1, position - self.text.rfind("\n", 0, position)
            place = f"at line {line}, column {column}"
        if "\n" not in self.text:  # it may be a line itself
            place = place.replace("line 1, ", "")
        return NotUnderstood(f"{self.name} cannot be understood {place}".strip() + f": {why}", path=self.name)

    def refuse_odd_value(self, _: str = "") -> NoReturn:
        """Refuse a value that our formats do not have, at the place where the first one seems to be."""
        match = re.search(ODD_VALUE, self.bare)
        why = "a value should be a text in quotes or a whole number of at most 18 digits"
        raise self.refused(why, match and match.start(1)) from None


def _load(text: str, form: Format, name: str) -> dict[str, Any]:
    """Return everything that a text holds: measure it, parse it, judge the values."""
    text = text.removeprefix("\ufeff")
    source = _Source(shown(name), text, "")
    if len(text) > PARSE_LIMIT:
        raise source.refused(f"it has more than {PARSE_LIMIT} characters")
    source = source._replace(bare=re.sub(QUOTED[form], lambda quoted: " " * len(quoted[0]), text))
    depth = 0
    for bracket in re.finditer(r"[][{}]", source.bare):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > MAX_DEPTH:
            raise source.refused(f"brackets lie more than {MAX_DEPTH} deep in each other", bracket.start())
    try:
        data = _json(source) if form == "json" else _toml(source)
    except RecursionError:
        raise source.refused("it is nested too deeply") from None
    if not isinstance(data, dict):
        raise source.refused("there should be one object in braces")
    _judge_values(data, source)
    return data


def _json(source: _Source) -> Any:  # noqa: ANN401 -- whatever JSON holds
    """Return what a text holds as JSON."""
    import json

    closed = 0

    def as_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal closed
        closed += 1  # objects come in the order of their closing braces
        members = dict(pairs)
        if len(members) < len(pairs):
            ends = [brace.start() for brace in re.finditer("}", source.bare)]
            raise source.refused("the object that ends here has a key twice", ends[closed - 1])
        return members

    refuse = source.refuse_odd_value
    try:
        return json.loads(source.text, object_pairs_hook=as_object, parse_float=refuse, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise source.refused(_in_words(error.msg), error.pos) from None
    except ValueError:  # more digits than Python converts
        source.refuse_odd_value()


def _toml(source: _Source) -> dict[str, Any]:
    """Return what a text holds as TOML."""
    import tomllib

    dotted = re.search(rf"(?:\.[^.\n=,]*){{{MAX_DOTS + 1}}}", source.bare)
    if dotted:
        raise source.refused(f"a key has more than {MAX_DOTS} dots", dotted.start())

    try:
        return tomllib.loads(source.text, parse_float=source.refuse_odd_value)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\((at [a-z0-9, ]+)\)\Z", str(error))
        words = place[1].replace("end of document", "the end") if place else ""
        raise source.refused(_in_words(str(error)), place=words) from None
    except ValueError:  # more digits than Python converts
        source.refuse_odd_value()


def _in_words(message: str) -> str:
    """Return what a parser complains of, less all that it might quote from the file."""
    if message.startswith(("Cannot ", "Duplicate ")):
        return "a key or a table comes a second time, or does not fit what stands before"
    if message.startswith(("Invalid value", "Expecting value")):
        return "there should be a value, and text needs double quotes"
    known = re.match(r"""(?:[A-Za-z/\\ -]|["']\W{1,5}["'])*""", message)
    return (known[0].strip().lower() if known else "") or "it is not well-formed"


def _judge_values(data: dict[str, Any], source: _Source) -> None:
    """Refuse what the parsers let through and our formats do not have."""
    waiting: list[tuple[Any, int]] = [(data, 1)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, dict | list):
            if depth > MAX_DEPTH:
                raise source.refused(f"tables lie more than {MAX_DEPTH} deep in each other")
            inside = [*value, *value.values()] if isinstance(value, dict) else value
            waiting.extend((inner, depth + 1) for inner in inside)
        elif isinstance(value, str):
            if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
                raise source.refused("half a character (a lone surrogate) stands in a text")
        elif value is not None and not (isinstance(value, int) and abs(value) < 10**18):
            source.refuse_odd_value()
