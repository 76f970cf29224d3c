"""What may be wrong with a club, step by step: checks, and what they find. A check never changes the club.

Here is what any club can have; its carrier adds steps of its own. The steps go on after one that has failed, but for
those that need it. Each has a time limit, since a server, a disk or a program may never answer.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeVar

from pbem import files
from pbem.club import toml_rows
from pbem.club.carrier import Club
from pbem.club.clock_data import club_ticks, read_clock
from pbem.club.folder import GameFolder, names_of
from pbem.club.settings import secret_key
from pbem.club.status import unreadable
from pbem.club.upkeep.health import LATEST_TICK
from pbem.errors import CannotCreate, NoSuchFile, NotUnderstood, PbemError, TryAgain
from pbem.first_sparks.phases import Ended
from pbem.formats import shown
from pbem.grammar import listed, plural
from pbem.loading import claim_in, load
from pbem.ownership import user_name
from pbem.secrets import read_secret, secret_path
from pbem.table.times import shown as shown_time

State = Literal["ok", "failed", "skipped"]
PATIENCE: Final = 90.0  # seconds for a step
_TOO_FAST: Final = timedelta(minutes=5)  # by which a clock may be wrong
_MOST_NAMED: Final = 5  # games
_LEAST_SPACE: Final = 100 * 1024 * 1024  # bytes
_LEAST_FILES: Final = 1000
_SECRETS: Final = ("club.secret.toml", "club.toml", "games", "outbox", "strangers")
_Found = TypeVar("_Found")


class Check(NamedTuple):
    """A step: *look* returns in words what is well, or raises what is wrong, with a hint what to do.

    It is skipped unless the steps that it *needs* are ok.
    """

    step: str
    look: Callable[[], str]
    needs: tuple[str, ...] = ()
    patience: float = PATIENCE


class Diagnosis(NamedTuple):
    """What a step has found: *what* there is or is wrong, and *do* is what to do about it, "" if nothing."""

    step: str
    state: State
    what: str
    do: str = ""


def diagnoses(checks: Iterable[Check]) -> Iterator[Diagnosis]:
    """Yield what each check finds, in their order, as soon as it is known."""
    well: set[str] = set()
    for check in checks:
        missing = [step for step in check.needs if step not in well]
        if missing:
            yield Diagnosis(check.step, "skipped", f'not tried: it needs "{missing[0]}"')
            continue
        try:
            what = within(check.patience, check.look)
        except (PbemError, OSError) as error:
            wrong = files.unexpected(error)
            yield Diagnosis(check.step, "failed", wrong.message, _denied(wrong) or wrong.hint)
        else:
            well.add(check.step)
            yield Diagnosis(check.step, "ok", what)


def _denied(error: PbemError) -> str:
    """Return what to do about a file that we may not use, "" if that is not what is wrong."""
    cause = error.__cause__
    if not isinstance(cause, PermissionError):
        return ""
    with suppress(OSError):
        if os.lstat(cause.filename).st_uid == os.geteuid():
            return f"chmod u+rwX {shown(cause.filename)}"
    return files.unexpected(cause).hint


def within(seconds: float, call: Callable[[], _Found]) -> _Found:
    """Return what a call returns or raises, or raise TryAgain if it takes longer; then it is left to itself."""
    from threading import Thread

    found: list[_Found] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            found.append(call())
        except BaseException as error:  # it is raised again below
            raised.append(error)

    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if raised:
        raise raised[0]
    if not found:
        raise TryAgain(f"this did not finish within {seconds:g} seconds", hint="run doctor again, and see what is slow")
    return found[0]


def all_checks(
    folder: Path, read: Callable[[], Club], more: Callable[[], Iterable[Check]], now: datetime
) -> Iterator[Check]:
    """Yield the steps of a club that *read* opens: those of its folder, of the games, and *more* of its carrier."""
    club = cache(read)
    yield Check("folder", partial(_is_there, folder))
    yield Check("owner", partial(_owned, folder), ("folder",))
    yield Check("settings", lambda: _read(club, folder / "club.toml"))
    yield Check("key", lambda: _key(club()), ("settings",))
    yield Check("modes", partial(_private, folder), ("owner",))
    yield Check("space", partial(_space, folder), ("folder",))
    yield Check("games", lambda: _games(club()), ("settings",))
    yield Check("secrets", lambda: _secrets(club()), ("games",))
    yield Check("clock ticks", lambda: _ticks(club(), now), ("settings",))
    try:
        club()
    except (PbemError, OSError):
        return  # there is no telling which steps its carrier has
    yield from more()


# The steps


def _read(club: Callable[[], Club], path: Path) -> str:
    try:
        club()
    except NotUnderstood as error:
        error.hint = error.hint or f"correct that in {shown(path)} with an editor"
        raise
    return f"{shown(path)} can be read, and has the format {toml_rows.format_in(path.parent)}"


def _is_there(folder: Path) -> str:
    if not folder.is_dir():
        raise NoSuchFile(f"{shown(folder)} is not a folder", hint="give the folder that init has made")
    return f"{shown(folder)} is a folder"


def _owned(folder: Path) -> str:
    """Everything belongs to the user who runs this, as only that user may change it."""
    owner, we = folder.stat().st_uid, os.geteuid()
    if owner != we:
        theirs = user_name(owner)
        hint = f"run every command as that user: sudo -u {theirs} pbem ..."
        if owner == 0:  # which sudo pbem leaves behind
            hint = f"as root: chown -R {user_name(we)} {shown(folder)}"
        message = f"{shown(folder)} belongs to {theirs}, and you are {user_name(we)}"
        raise CannotCreate(message, hint=hint)
    strange = [(path, user) for path, user in _everything(folder) if user != owner]
    if strange:
        (path, user), many = strange[0], plural(len(strange), "{n} file belongs", "{n} files belong")
        message = f"{many} to another user, such as {shown(path)} to {user_name(user)}"
        raise CannotCreate(message, hint=f"as root: chown -R {user_name(owner)} {shown(folder)}")
    return f"everything in it belongs to {user_name(owner)}"


def _everything(folder: Path) -> Iterator[tuple[Path, int]]:
    """Yield every file and folder with its user, but not what players have written into a folder of theirs.

    Those that are gone meanwhile are left out.
    """
    theirs = folder / "players"
    for place, folders, names in os.walk(folder):
        if Path(place).parent == theirs:
            folders[:] = [name for name in folders if name != "answers"]
        for name in (*folders, *names):
            with suppress(FileNotFoundError):
                path = Path(place, name)
                yield path, path.lstat().st_uid


def _key(club: Club) -> str:
    """Return that the club has its own key, without which nobody can take a free seat."""
    if not (club.folder / "club.secret.toml").exists():
        return "club.secret.toml is written when somebody asks for a free seat"
    try:
        secret_key(club)
    except NotUnderstood as error:
        hint = "copy it from a backup, or delete it: then people without a confirmed seat must ask again"
        raise NotUnderstood(f"{error.message}, and so nobody can join a game", hint=hint) from None
    return "club.secret.toml has the key with which people take a free seat"


def _private(folder: Path) -> str:
    """Only the owner may read the secrets, and nobody else may write."""
    if stat.S_IMODE(folder.stat().st_mode) & 0o022:
        raise CannotCreate(f"other users may write in {shown(folder)}", hint=f"chmod go-w {shown(folder)}")
    return closed(*(folder / name for name in _SECRETS))


def closed(*paths: Path, to: Literal["go", "o"] = "go") -> str:
    """Return that only their owner may read these; raises CannotCreate with the command that makes it so.

    They must be closed *to* the group and all others, or only to others, as chmod calls them.
    """
    mask = 0o077 if to == "go" else 0o007
    open_ones = [path for path in paths if path.exists() and path.stat().st_mode & mask]
    if open_ones:
        names = " ".join(map(shown, open_ones))
        message = f"other users may read or write {listed(map(shown, open_ones))}"
        raise CannotCreate(message, hint=f"chmod {to}= {names}")
    return "only their owner can read the secrets"


def _space(folder: Path) -> str:
    disk = os.statvfs(folder)
    if disk.f_flag & os.ST_RDONLY:
        hint = "mount the disk with write access; until then every message waits, and is not lost"
        raise CannotCreate("the disk can only be read, so that no message can be kept", hint=hint)
    free = disk.f_bavail * disk.f_frsize
    megabytes = free // (1024 * 1024)
    if free < _LEAST_SPACE:
        least = _LEAST_SPACE // (1024 * 1024)
        message = f"the disk is nearly full: {megabytes} MiB are free, but at least {least} should be"
        raise TryAgain(message, hint="free some space; a message that cannot be kept waits, and is not lost")
    if disk.f_files and disk.f_favail < _LEAST_FILES:
        message = f"the disk has room for only {disk.f_favail} more files, but at least {_LEAST_FILES} should fit"
        raise TryAgain(message, hint="delete files that nobody needs; the disk has too many small ones")
    return f"{megabytes} MiB are free"


def _games(club: Club) -> str:
    wrong = list(unreadable(club))
    if wrong:
        is_lost = isinstance(wrong[0], NoSuchFile)
        rebuild = f"move that file away, and {club.command} rebuild CLUB GAME makes it again"
        known = wrong[0].hint if is_lost or "game.toml" not in wrong[0].message else ""  # another hint is for players
        hint = _denied(wrong[0]) or known or rebuild
        many = plural(len(wrong), "{n} game cannot be read", "{n} games cannot be read")
        raise CannotCreate(f"{many}: {wrong[0].message}", hint=hint)
    return plural(len(names_of(club)), "{n} game can be read", "{n} games can be read")


def _secrets(club: Club) -> str:
    """Every game that is played has the secret of its draws; one that has ended needs it no more."""
    found = {name: _wrong_secret(GameFolder(club.games / name).game) for name in names_of(club)}
    wrong = {name: error for name, error in found.items() if error is not None}
    if wrong:
        many = plural(len(wrong), "{n} game has no secret of its draws", "{n} games have no secret of their draws")
        told = [f"{name}: {error.message}" for name, error in wrong.items()]
        hint = "take that file from a backup of the club; without it no draw can be made"
        first = next(iter(wrong.values()))
        raise CannotCreate(f"{many}: {_some(told, '; ')}", hint=_denied(first) or hint)
    return "every game that needs the secret of its draws has it"


def _some(told: list[str], between: str) -> str:
    """Return the first of these texts, and how many more there are."""
    more = [f"{len(told) - _MOST_NAMED} more"] if told[_MOST_NAMED:] else []
    return between.join((*told[:_MOST_NAMED], *more))


def _wrong_secret(game: Path) -> PbemError | None:
    """Return what is wrong with the secret of a game that still needs it, None if nothing is."""
    if not game.exists():
        return None
    begun = claim_in(files.read_text(game), game, sound=True).begun
    if begun.chance.kind != "sealed":
        return None
    try:
        read_secret(begun, secret_path(game))
    except PbemError as error:
        return None if isinstance(load(game).record.state.phase, Ended) else error
    return None


def _ticks(club: Club, now: datetime) -> str:
    """Return when the clock has ticked, which must be lately if there is any game."""
    last = club_ticks(club.folder).last
    hint = "let a service or cron run the club; see the guide for hosts"
    if not names_of(club):
        return "the club has no games yet, and needs no clock"
    if last is None:
        raise TryAgain("the clock has never ticked: nobody is reminded", hint=hint)
    told = shown_time(last, club.zone, now)
    if ahead := _ahead(club, now):
        games = listed(ahead[:_MOST_NAMED]) + (f" and {len(ahead) - _MOST_NAMED} more" if ahead[_MOST_NAMED:] else "")
        hint = f"once the clock of this machine is right: {club.command} resume CLUB GAME, for each of these games"
        raise TryAgain(f"the last tick in {games} was at a time in the future, so the clock stands still", hint=hint)
    if last > now + _TOO_FAST:
        hint = "once the clock of this machine is right, the next tick puts the club right"
        raise TryAgain(f"the last tick was at {told}, which is still to come", hint=hint)
    if now - last > LATEST_TICK:
        raise TryAgain(f"the last tick was at {told}; nobody has been reminded since", hint=hint)
    missed = club_ticks(club.folder).missed
    behind = [game for game in names_of(club) if now - missed.get(game, now) > LATEST_TICK]
    if behind:
        since = shown_time(missed[behind[0]], club.zone, now)
        hint = f"run it by hand, once and with --now $(date -Is): {club.command} run says why the clock stands still"
        raise TryAgain(f"the clock of {behind[0]} has not ticked since {since}", hint=hint)
    return f"the last tick was at {told}"


def _ahead(club: Club, now: datetime) -> list[str]:
    """Return the games whose clock has ticked at a time to come: until then, each tick is too early for them."""
    found: list[str] = []
    for name in names_of(club):
        with suppress(PbemError):  # another step says what is wrong
            _, clock = read_clock(GameFolder(club.games / name))
            found += [name] if clock.last is not None and clock.last > now + _TOO_FAST else []
    return found
