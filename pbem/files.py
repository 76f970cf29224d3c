"""Reading and locking files, and writing them wholly or not at all.

This is the edge of the program and knows nothing of the game. Its input may be
hostile: no link is followed, nothing waits for a pipe, and every size is limited.
What Windows lacks is found out where it is needed, and not by the name of the system.
"""

import errno
import os
import stat
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from io import RawIOBase
from pathlib import Path
from typing import IO, Any, Final

from pbem.errors import Bug, CannotCreate, CannotWrite, NoSuchFile, NotUnderstood, PbemError, TryAgain
from pbem.formats import LONGEST_TEXT, decode, shown
from pbem.ownership import hand_on, is_litter, replaceable, set_mode

READ_LIMIT = LONGEST_TEXT  # bytes
LOCK_WAIT = 10.0  # seconds
LITTER_AGE = 3600  # seconds after which a half-written file is abandoned
BUSY_WAIT = 2.0  # seconds for which Windows may keep a file that another program is reading

_BINARY: Final[int] = getattr(os, "O_BINARY", 0)  # only Windows has it: without it a line feed becomes two bytes
_NO_LINK: Final[int] = getattr(os, "O_NOFOLLOW", 0)  # Windows has neither this nor the others
_WARILY: Final[int] = _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_FOLDER: Final[int | None] = getattr(os, "O_DIRECTORY", None)
_A_FOLDER: Final = "{} is a folder, not a file"


def read_bytes(path: Path, limit: int = READ_LIMIT) -> bytes:
    """Return the content of a regular file of at most *limit* bytes.

    A symbolic link is not followed, and nothing waits for a pipe or a device.

    Raises NoSuchFile, NotUnderstood if it is too large, CannotWrite if reading fails half-way.
    """
    with open_file(path) as file:
        return _read(file, limit, shown(path))


def open_file(path: Path, buffering: int = 0) -> IO[bytes]:
    """Return a regular file, opened for reading; raises NoSuchFile, also for a link, a pipe or a device."""
    name = shown(path)
    try:
        file = open(path, "rb", buffering=buffering, opener=_open_warily)  # noqa: SIM115 -- Path.open has no opener
    except (OSError, ValueError) as error:
        link = getattr(error, "errno", None) == errno.ELOOP
        why = "symbolic links are not followed" if link else _reason(error)
        folder = _FOLDER is None and is_folder(path)  # Windows opens none
        raise NoSuchFile(_A_FOLDER.format(name) if folder else f"{name} cannot be opened: {why}", path=name) from error
    kind = os.fstat(file.fileno()).st_mode
    if not stat.S_ISREG(kind):
        file.close()
        device = f"{name} is a pipe or a device, not a file"
        raise NoSuchFile(_A_FOLDER.format(name) if stat.S_ISDIR(kind) else device, path=name)
    return file


def exists(path: Path) -> bool:
    """Return whether something has that name; raises CannotCreate for an impossible name."""
    with _refusals(path):
        return path.exists()


def is_folder(path: Path) -> bool:
    """Return whether there is a folder of that name; False if that cannot be found out."""
    return os.path.isdir(path)  # noqa: PTH112 -- Path.is_dir raises for a name that is too long


def _open_warily(path: str, flags: int) -> int:
    if not _NO_LINK and os.path.islink(path):  # noqa: PTH114 -- a text, from ``open``
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
    return os.open(path, flags | _WARILY)


@contextmanager
def open_stream(path: Path | None) -> Generator[tuple[RawIOBase, int | None]]:
    """Yield a file, or standard input for None and ``-``, to be read as it arrives; and its size, if it has one.

    Pipes and links are allowed here: a shell makes one of ``<(command)``. Raises NoSuchFile.
    """
    named = path is not None and path != Path("-")
    if not named and sys.stdin is None:
        raise NoSuchFile("standard input is closed", path="standard input")
    name = str(path) if named else "standard input"
    try:
        # Without a buffer, reading gives what is there and does not wait for more.
        file = open(name if named else sys.stdin.fileno(), "rb", buffering=0, closefd=named)  # noqa: SIM115
    except (OSError, ValueError) as error:
        raise NoSuchFile(f"{shown(name)} cannot be opened: {_reason(error)}", path=shown(name)) from error
    with file:
        about = os.fstat(file.fileno())
        yield file, about.st_size if named and stat.S_ISREG(about.st_mode) else None


def pieces(stream: RawIOBase, most: int) -> Iterator[bytes]:
    """Yield the content of a stream as it arrives, at most *most* bytes at a time; raises CannotWrite on failure."""
    try:
        while piece := stream.read(most):
            yield piece
    except OSError as error:
        raise CannotWrite(f"reading the lines failed: {_reason(error)}") from error


def read_text(path: Path, limit: int = READ_LIMIT) -> str:
    """Return the content of a file as text; like ``read_bytes``, and NotUnderstood if it is not UTF-8."""
    return decode(read_bytes(path, limit), name=str(path))


def read_stdin(limit: int = READ_LIMIT) -> str:
    """Return the content of standard input as text; like ``read_text``."""
    name = "standard input"
    if sys.stdin is None:
        raise NoSuchFile(f"{name} is closed", path=name)
    return decode(_read(sys.stdin.buffer, limit, name), name=name)


def replace(path: Path, text: str | bytes | Iterable[bytes], *, mode: int | None = None) -> None:
    """Replace the content of a file: afterwards the new one is complete, or the old file is untouched.

    The file keeps its owner, group, access list and permissions, unless *mode* sets
    others. A missing file is created. A symbolic or hard link and a
    write-protected file are refused. A text that is too long for memory may come in pieces.

    Raises CannotCreate, TryAgain if the disk is full, CannotWrite.
    """
    data = text.encode() if isinstance(text, str) else text
    with _refusals(path):
        old = replaceable(path)

        def finish(descriptor: int) -> None:
            if old is not None:
                hand_on(descriptor, path, old, mode)
            elif mode is not None:
                set_mode(descriptor, mode)

        with _written(path, data, 0o644 if old is None and mode is None else 0o600, finish) as temporary:
            _rename(temporary, path)
    _flush_folder(path)


def _rename(temporary: Path, path: Path) -> None:
    """Give a finished file the name of the old one, on Windows when no other program is reading that any more."""
    deadline = time.monotonic() + BUSY_WAIT
    while True:
        try:
            temporary.replace(path)
        except PermissionError as error:
            if getattr(error, "winerror", None) not in (5, 32):  # denied, or in use
                raise
            if time.monotonic() >= deadline:
                hint = "nothing was changed; close it there, and try again"
                raise TryAgain(f"{shown(path)} is open in another program", path=shown(path), hint=hint) from None
            time.sleep(0.02)
        else:
            return


def create(path: Path, text: str | Iterable[bytes], *, mode: int = 0o644) -> None:
    """Write a new file, wholly or not at all; if two processes try at once, only one succeeds.

    A text that is too long for memory may come in pieces.

    The umask can take permissions away, but not those of the owner; none are added, so that 0600 keeps a secret.

    Raises CannotCreate, TryAgain if the disk is full, CannotWrite.
    """
    data = text.encode() if isinstance(text, str) else text
    with _refusals(path), _written(path, data, mode) as temporary:
        _name(temporary, path)


def create_beside(path: Path, text: str, beside: Path, private: str) -> None:
    """Write a new file, and before it a *private* one beside it that only its owner may read: both or none.

    Until both exist, the private one has a second name, that of an unfinished
    file. If a process is killed in between, the leftover is known by that name and replaced.
    The folder is locked, and signals wait. Raises CannotCreate, TryAgain if the disk is full, CannotWrite.
    """
    with _refusals(beside), _written(beside, private.encode(), 0o600) as hidden:
        if not os.path.lexists(path) and is_unfinished(beside):
            beside.unlink()
        _name(hidden, beside)
        try:
            create(path, text)
        except PbemError:
            beside.unlink()
            raise


def is_unfinished(path: Path) -> bool:
    """Return whether a file still has its name from while it was written, since its process was killed."""
    with suppress(OSError), os.scandir(path.parent) as entries:
        mine = path.lstat().st_ino
        return any(entry.inode() == mine for entry in entries if is_litter(entry.name))
    return False


def _name(temporary: Path, path: Path) -> None:
    """Give a finished file the name *path*, which must be free; raises OSError."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:  # no hard links here, as on a memory card: claim the name, then fill it
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600))
        try:
            temporary.replace(path)
        except BaseException:
            path.unlink()
            raise
    _flush_folder(path)


@contextmanager
def locked(path: Path, *, wait: float = LOCK_WAIT, shared: bool = False) -> Generator[None]:
    """Keep every other process away from the games of this folder; the kernel ends the lock when the process ends.

    A *shared* lock only keeps away those who want it for themselves.

    The folder is locked, not the file: that outlives the replacing of the file, covers all files of a game, needs no
    write permission and leaves no litter. On NFS, which cannot do this, and on Windows, a file ``.pbem.lock`` stays.
    Another lock in the same folder has to wait, in the same process too.
    Half-written files of killed processes are deleted.

    Raises TryAgain if the folder is still locked after *wait* seconds, CannotCreate, CannotWrite.
    """
    beside = (path.parent / ".pbem.lock", os.O_RDWR | os.O_CREAT | _NO_LINK)
    folder = () if _FOLDER is None else ((path.parent, os.O_RDONLY | _FOLDER),)
    with ExitStack() as opened:
        with _refusals(path):
            for target, flags in (*folder, beside):
                descriptor = os.open(target, flags, 0o666)
                opened.callback(os.close, descriptor)
                if _lock(descriptor, path, wait, shared=shared):
                    break
            else:
                raise CannotWrite(f"{shown(path)} cannot be locked on this file system", path=shown(path))
        if not shared:
            _clean(path.parent)
        yield


def _clean(folder: Path) -> None:
    """Delete half-written files of killed processes; a young one may belong to a process that needs no lock."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if is_litter(entry.name):
                import shutil

                with suppress(OSError):
                    about = entry.stat(follow_symlinks=False)
                    named = about.st_nlink > 1 and not entry.is_dir(follow_symlinks=False)  # see create_beside
                    if named or about.st_mtime >= time.time() - LITTER_AGE:
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        shutil.rmtree(entry)
                    else:
                        Path(entry).unlink()


def _lock(descriptor: int, path: Path, wait: float, *, shared: bool) -> bool:
    """Lock an open file; return False if it cannot be locked at all."""
    deadline = time.monotonic() + wait
    while True:
        try:
            _lock_now(descriptor, shared=shared)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                message = f"another pbem process is working in the folder of {shown(path)}"
                hint = "nothing was changed; try again in a moment"
                raise TryAgain(message, path=shown(path), hint=hint) from None
            time.sleep(0.02)
        except OSError:
            return False
        else:
            return True


def _lock_now(descriptor: int, *, shared: bool = False) -> None:
    """Lock an open file until it is closed; raises BlockingIOError if it is locked."""
    try:
        import fcntl
    except ImportError:  # On Windows its first byte is locked: one call, for which no library is needed.
        windows: Any = import_module("msvcrt")
        try:
            windows.locking(descriptor, windows.LK_NBLCK, 1)
        except PermissionError:
            raise BlockingIOError(errno.EWOULDBLOCK, os.strerror(errno.EWOULDBLOCK)) from None
    else:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def write_all(descriptor: int, data: bytes) -> None:
    """Write data to an open file: a disk that is nearly full may take only a part at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


@contextmanager
def _written(
    path: Path, data: bytes | Iterable[bytes], mode: int, finish: Callable[[int], None] = lambda _: None
) -> Generator[Path]:
    """Yield a finished file in the folder of *path* that is deleted unless it is renamed.

    The umask reduces its *mode*, but not the owner's part. *finish* may change the open file before
    anything is written.
    """
    temporary = path.with_name(f".pbem-{os.urandom(8).hex()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
    try:
        with os.fdopen(descriptor, "wb", buffering=0):
            granted = stat.S_IMODE(os.fstat(descriptor).st_mode)
            if granted | mode & stat.S_IRWXU != granted:
                set_mode(descriptor, granted | mode & stat.S_IRWXU)
            finish(descriptor)
            for piece in (data,) if isinstance(data, bytes) else data:
                write_all(descriptor, piece)
            os.fsync(descriptor)
        yield temporary
    finally:
        with suppress(OSError):  # the work is done, even if our temporary name stays for an hour
            temporary.unlink()


def _flush_folder(path: Path) -> None:
    """Make a new name survive a power cut; a failure is ignored, since the file is already in its place."""
    with suppress(OSError):
        descriptor = os.open(path.parent, os.O_RDONLY | (_FOLDER or 0))
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


_DENIED = {errno.EROFS, errno.EACCES, errno.EPERM}
_WRONG_NAMES = {None, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL}  # a sign that Windows reserves


def is_full(error: Exception) -> bool:
    """Return whether the disk, or our share of it, is full."""
    return getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def _refusals(path: Path) -> Generator[None]:
    """Turn refusals of the operating system, when a file is written or locked, into errors that a person can solve."""
    name = shown(path)
    try:
        yield
    except FileExistsError as error:
        hint = "choose another name, or move the old file away"
        raise CannotCreate(f"{name} already exists and is not overwritten", path=name, hint=hint) from error
    except FileNotFoundError as error:
        raise CannotCreate(f"the folder of {name} does not exist", path=name) from error
    except (OSError, ValueError) as error:
        if is_full(error):
            hint = "nothing was changed; free some space and try again"
            raise TryAgain(f"{name} cannot be written because the disk is full", path=name, hint=hint) from error
        kind: type[PbemError] = CannotCreate if getattr(error, "errno", None) in _DENIED | _WRONG_NAMES else CannotWrite
        raise kind(f"{name} cannot be written: {_reason(error)}", path=name) from error


def unexpected(error: Exception) -> PbemError:
    """Return the error as one that the user can correct, or as a bug in pbem."""
    if not isinstance(error, OSError):
        return error if isinstance(error, PbemError) else Bug.of(error)
    name = shown(error.filename) if isinstance(error.filename, str | Path) else "a file"
    if error.errno in _DENIED:
        hint = "the user who runs pbem must own the folder and everything in it"
        return CannotCreate(f"{name} cannot be used: {_reason(error)}", path=name, hint=hint)
    if is_full(error):
        hint = "free some space and try again"
        return TryAgain(f"{name} cannot be written because the disk is full", path=name, hint=hint)
    return CannotWrite(f"{name}: {_reason(error)}", path=name) if error.errno == errno.EIO else Bug.of(error)


def _reason(error: OSError | ValueError) -> str:
    """Return the reason that the operating system gives, for the end of a message."""
    return (getattr(error, "strerror", None) or "not a valid file name").lower()


def _read(file: IO[bytes], limit: int, name: str) -> bytes:
    """Return the whole content of a file."""
    data = b""
    try:
        while len(data) <= limit and (chunk := file.read(limit + 1 - len(data))):
            data += chunk
    except OSError as error:
        raise CannotWrite(f"{name} cannot be read: {_reason(error)}", path=name) from error
    if len(data) > limit:
        raise NotUnderstood(f"{name} is too large: it has more than {limit} bytes", path=name)
    return data
