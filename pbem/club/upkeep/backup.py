"""A copy of a club in one file, made while it runs, and a club made from such a file.

The file is a tar archive, packed by gzip, of which the same club always gives the same bytes. Its first member names
the format, and the SHA-256 of every file. It has all that the club's folder has, with its secrets, but for what is made
again: the index, locks, and files that were being written.

Most of a club is copied while others work. Then no game may change until what has changed meanwhile is copied, too: so
no letter is missing that belongs to a move, and a message is either played or still waits.
"""

import json
import os
import re
import shutil
import stat
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final, NamedTuple

from pbem import __version__, files, formats, interrupts
from pbem.errors import Broken, CannotCreate, NoSuchFile, NotUnderstood, PbemError, UsageError
from pbem.formats import shown
from pbem.sha import sha256

FORMAT: Final = "pbem-backup/1"
_CONTENTS: Final = "pbem-backup.json"
_TOP: Final = "club"
_OURS: Final = ".pbem"  # begins the names of what is made again
_LARGEST: Final = 64 * 1024 * 1024  # bytes of a file
_WAIT: Final = 60.0  # seconds for a moment at which no game is being changed
_PIECE: Final = 1024 * 1024


class Copied(NamedTuple):
    """What a backup has: the number of files, and what was left out, since it is a link or no file at all."""

    files: int
    left_out: tuple[str, ...] = ()


class _File(NamedTuple):
    """A file as it was copied: how it looked then, and where its bytes are."""

    look: tuple[int, ...]
    mode: int
    start: int
    size: int
    digest: str


class _Copy:
    """A copy of a folder in one unnamed file, brought up to date as often as wanted."""

    def __init__(self, folder: Path, spool: IO[bytes]) -> None:
        self.folder = folder
        self.spool = spool
        self.files: dict[str, _File] = {}
        self.folders: list[str] = []
        self.left_out: list[str] = []

    def refresh(self) -> None:
        """Copy what has changed, and forget what is gone; raises PbemError."""
        before, self.files, self.folders, self.left_out = self.files, {}, [], []
        for place, folders, names in os.walk(self.folder, onerror=_refuse):
            folders[:] = sorted(name for name in folders if not name.startswith(_OURS))
            for name in (*folders, *sorted(names)):
                path = Path(place, name)
                try:
                    about = path.lstat()
                except FileNotFoundError:
                    continue
                inside = path.relative_to(self.folder).as_posix()
                if stat.S_ISDIR(about.st_mode):
                    self.folders.append(inside)
                elif not stat.S_ISREG(about.st_mode):
                    self.left_out.append(inside)
                elif not name.startswith(_OURS):
                    self._keep(inside, path, about, before.get(inside))

    def _keep(self, inside: str, path: Path, about: os.stat_result, before: _File | None) -> None:
        look = (about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns)
        if before is not None and before.look == look:
            self.files[inside] = before
            return
        try:
            data = files.read_bytes(path, _LARGEST)
        except NoSuchFile as gone:
            if isinstance(gone.__cause__, FileNotFoundError):
                return
            raise
        start = self.spool.seek(0, os.SEEK_END)
        self.spool.write(data)
        self.files[inside] = _File(look, stat.S_IMODE(about.st_mode), start, len(data), sha256(data).hexdigest())

    def members(self) -> Iterator[tuple[tarfile.TarInfo, Iterable[bytes]]]:
        """Yield the members of the archive, with their bytes."""
        digests = {name: self.files[name].digest for name in sorted(self.files)}
        about = {"format": FORMAT, "version": __version__, "files": digests}
        text = json.dumps(about, indent=0).encode() + b"\n"
        yield _member(_CONTENTS, 0o600, len(text)), (text,)
        for name in sorted((*self.folders, *self.files)):
            kept = self.files.get(name)
            if kept is None:
                yield _member(f"{_TOP}/{name}", 0o700, None), ()
            else:
                info = _member(f"{_TOP}/{name}", kept.mode & 0o755, kept.size)
                info.mtime = max(0, kept.look[2] // 10**9)
                yield info, self._bytes(kept)

    def _bytes(self, kept: _File) -> Iterator[bytes]:
        self.spool.seek(kept.start)
        yield self.spool.read(kept.size)


def _refuse(error: OSError) -> None:
    """Let no folder be left out that is there and cannot be read; raises PbemError."""
    if not isinstance(error, FileNotFoundError):
        raise files.unexpected(error) from error


def _member(name: str, mode: int, size: int | None) -> tarfile.TarInfo:
    """Return a member of the archive: a folder without a size."""
    info = tarfile.TarInfo(name)
    info.mode, info.size = mode, size or 0
    info.type = tarfile.DIRTYPE if size is None else tarfile.REGTYPE
    return info


def write(folder: Path, target: Path) -> Copied:
    """Write a club into a new file that only its owner may read: wholly, or not at all.

    Raises NoSuchFile, UsageError, CannotCreate if the file exists, TryAgain if a game is being changed for too long.
    """
    if not (folder / "club.toml").is_file():
        raise NoSuchFile(
            f"{shown(folder)} is not a club", path=shown(folder), hint="give the folder with its club.toml"
        )
    if folder.resolve() in target.resolve().parents:
        raise UsageError("a backup cannot be inside its club", hint="write it elsewhere, best to another disk")
    if files.exists(target):
        raise CannotCreate(f"{shown(target)} already exists", path=shown(target), hint="give a new name")
    with _unnamed(target) as spool:
        copy = _Copy(folder, spool)
        copy.refresh()
        with files.locked(folder / "games" / "all", wait=_WAIT):  # which everybody shares who changes a game
            copy.refresh()
        with interrupts.hold(f"{shown(target)} was written"):
            files.create(target, _packed(copy.members()), mode=0o600)
        return Copied(len(copy.files), tuple(copy.left_out))


@contextmanager
def _unnamed(target: Path) -> Generator[IO[bytes]]:
    try:
        spool = tempfile.TemporaryFile(dir=target.parent)  # noqa: SIM115 -- closed below
    except OSError as error:
        why = error.strerror
        raise CannotCreate(f"{shown(target)} cannot be created: {why}", path=shown(target)) from error
    with spool:
        yield spool


def _packed(members: Iterable[tuple[tarfile.TarInfo, Iterable[bytes]]]) -> Iterator[bytes]:
    packer = zlib.compressobj(wbits=31)  # gzip, without a time or a name
    for info, data in members:
        yield packer.compress(info.tobuf(tarfile.PAX_FORMAT))
        for piece in data:
            yield packer.compress(piece)
        yield packer.compress(bytes(-info.size % tarfile.BLOCKSIZE))
    yield packer.compress(bytes(2 * tarfile.BLOCKSIZE)) + packer.flush()


# Back again


def restore(source: Path, folder: Path, check: Callable[[Path], object]) -> Copied:
    """Make a club from a backup in a folder that is new or empty: wholly, or not at all.

    *check* opens the club before it gets its name, and raises what is wrong with it. Raises NoSuchFile, NotUnderstood
    for what is not a backup, Broken for a damaged one, CannotCreate.
    """
    if files.exists(folder) and (not folder.is_dir() or any(folder.iterdir())):
        hint = "give a new folder; nothing was changed"
        raise CannotCreate(f"{shown(folder)} already exists", path=shown(folder), hint=hint)
    with files.locked(folder), files.open_file(source, _PIECE) as file:
        made = folder.with_name(f".pbem-{os.urandom(8).hex()}.tmp")
        try:
            made.mkdir(mode=0o700)
            kept = _unpack(file, made, source)
            _checked(check, made, folder)
            os.sync()  # once for all files
            with interrupts.hold(f"{shown(folder)} is a club now"):
                made.replace(folder)
        except OSError as error:
            wrong = files.unexpected(error)
            if files.is_full(error):
                raise wrong from error
            raise CannotCreate(f"{shown(folder)} cannot be made: {wrong.message}", hint=wrong.hint) from error
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return kept


def _checked(check: Callable[[Path], object], made: Path, folder: Path) -> None:
    try:
        check(made)
    except PbemError as error:
        error.message = error.message.replace(shown(made), shown(folder))
        raise


def _unpack(file: IO[bytes], made: Path, source: Path) -> Copied:
    name = shown(source)
    damaged = Broken(f"the backup {name} is damaged", path=name, hint="take another one; nothing was changed")
    try:
        with tarfile.open(fileobj=file, mode="r|gz") as archive:
            digests = _contents(archive, name)
            seen = set[str]()
            while (member := archive.next()) is not None:
                seen |= {_unpacked(archive, member, made, digests, damaged)} - {""}
    except (tarfile.TarError, EOFError, zlib.error, FileExistsError) as error:
        raise damaged from error
    except OSError as error:
        if type(error).__name__ == "BadGzipFile":
            raise damaged from error
        raise
    if seen != digests.keys():
        raise damaged
    return Copied(len(seen))


def _contents(archive: tarfile.TarFile, name: str) -> dict[str, str]:
    """Return the digests of the files in a backup; raises NotUnderstood."""
    strange = NotUnderstood(f"{name} is not a backup of pbem", path=name)
    first = archive.next()
    if first is None or first.name != _CONTENTS or not first.isreg() or first.size > _LARGEST:
        raise strange
    about = formats.parse(_data(archive, first).decode("utf-8", "replace"), "json", name=name)
    found, digests = str(about.get("format")), about.get("files")
    if re.fullmatch(r"pbem-backup/[0-9]{1,9}", found) and found != FORMAT:
        hint = "restore it with the version of pbem that has made it"
        raise NotUnderstood(f"{name} has the format {found}, and this version of pbem needs {FORMAT}", hint=hint)
    if found != FORMAT or not formats.is_table(digests):
        raise strange
    return {inside: str(digest) for inside, digest in digests.items()}


def _unpacked(
    archive: tarfile.TarFile, member: tarfile.TarInfo, made: Path, digests: dict[str, str], damaged: PbemError
) -> str:
    """Write a member, and return its name if it is a file: nothing but files and folders, and nothing outside.

    This is stricter than the filter "data" of tarfile, which Python 3.11 does not always have.
    """
    top, *parts = PurePosixPath(member.name).parts or ("",)
    inside = "/".join(parts)
    if top != _TOP or not parts or ".." in parts or member.name != f"{_TOP}/{inside}":
        raise damaged
    path = made.joinpath(*parts)
    if member.isdir():
        path.mkdir(mode=0o700, exist_ok=True)
        return ""
    if not member.isreg() or inside not in digests or member.size > _LARGEST:
        raise damaged
    data = _data(archive, member)
    if sha256(data).hexdigest() != digests[inside]:
        raise damaged
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, member.mode & 0o755 | 0o600)
    with os.fdopen(descriptor, "wb") as out:
        out.write(data)
    os.utime(path, (member.mtime, member.mtime))
    return inside


def _data(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file: Any = archive.extractfile(member) or BytesIO()
    data: bytes = file.read()
    return data
