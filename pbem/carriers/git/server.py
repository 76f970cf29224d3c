"""What a server does after a push and at times: draw, decide by the clock, publish the secret after the end.

It draws only after a commit that the hook before the push has judged, which notes it in git's own folder, where no push
writes. The commits are made in the bare repository itself; a push that comes in between is not lost, since the
branch then stays as it is, and what follows that push draws.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from pbem import files, game_files, secrets
from pbem.carriers.git.clone import Clone, settings_of
from pbem.carriers.git.commits import pages
from pbem.carriers.git.identity import signing_key
from pbem.carriers.git.player.send import message_of, subject_of
from pbem.carriers.git.point import Point, game_after, point_at, point_of
from pbem.carriers.git.public import at_the_table
from pbem.carriers.git.repository import FILE_MODE, Held, Objects
from pbem.carriers.git.signing import check_signature
from pbem.carriers.git.status import Seen, now_at
from pbem.errors import CannotCreate, NoSuchFile, NotAllowed, NotUnderstood, TryAgain
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.play import carried_on
from pbem.first_sparks.proof import audit
from pbem.first_sparks.state import CHANCE
from pbem.table.limits import by_clock, is_time_up
from pbem.table.lines import HOST, MINUTES, TableLine, line_now
from pbem.table.minutes import seated, text_of

_ACCEPTED: Final = "pbem-accepted"  # the commits that were accepted last, a line each
_MOST_ACCEPTED: Final = 20
_TOLD: Final = "pbem-told"  # the head of the game, and what a tick has told about it
_UNTOLD: Final = "pbem-untold"  # the commit after which something has come that nobody was told of
_NAMES: Final = {"GIT_AUTHOR_NAME": "pbem", "GIT_COMMITTER_NAME": "pbem"}
_ADDRESSES: Final = {"GIT_AUTHOR_EMAIL": "pbem@localhost", "GIT_COMMITTER_EMAIL": "pbem@localhost"}


class PushNews(NamedTuple):
    """What came with a push: whether the game has *moved*, and what was *said* at the table."""

    moved: bool = True
    said: tuple[TableLine, ...] = ()


class Bare(NamedTuple):
    """A bare repository with a game: its objects, how git is run there for its owner, and the branch of the game."""

    objects: Objects
    clone: Clone
    branch: str

    def tip(self) -> str:
        """Return the id of the latest commit."""
        return self.clone.git("rev-parse", "--verify", "--quiet", self.branch).line

    def point(self, name: str) -> Point:
        """Return the game in the latest commit."""
        return point_at(self.objects, self.tip(), name)

    def seen(self, name: str, now: int) -> Seen:
        """Return the game as it is to be shown, at a time in seconds since 1970."""
        return now_at(self.point(name), now)

    def news_since(self, old: str, name: str) -> PushNews:
        """Return what has come since a commit; everything is new if there was none."""
        if not old.strip("0"):
            return PushNews()
        after, entries = self.point(name), self.objects.entries(self.objects.commit(old).tree)
        known = point_of(self.objects, old, entries, after.game).minutes.lines
        return PushNews(entries.get(name) != after.entries[name], after.minutes.lines[len(known) :])

    def is_new(self, seen: Seen) -> bool:
        """Return whether something is to be told that a tick has not told.

        Half of the time is over, or all of it, or the absence of the player who is asked.
        """
        if not (seen.is_soon_late or seen.is_home):
            return False
        path = self.objects.git_dir / _TOLD
        return not files.exists(path) or files.read_text(path, 1 << 10) != _told_about(seen)

    def untold(self) -> str:
        """Return the commit after which a run was cut off before it had told what came, "" if all is told."""
        path = self.objects.git_dir / _UNTOLD
        known = ""
        with suppress(NoSuchFile, NotUnderstood):
            known = files.read_text(path, 1 << 10).strip()
        return "" if known.strip("0") and self.objects.git("cat-file", "-e", known).status else known

    def note_untold(self, old: str) -> None:
        """Note that what comes after that commit is still to be told."""
        if not self.untold():
            files.replace(self.objects.git_dir / _UNTOLD, f"{old}\n", mode=0o600)

    def note_told(self, seen: Seen | None) -> None:
        """Note that everything is told, and if the game is *seen*, what a tick has told about it."""
        if seen is not None:
            files.replace(self.objects.git_dir / _TOLD, _told_about(seen), mode=0o600)
        (self.objects.git_dir / _UNTOLD).unlink(missing_ok=True)


def _told_about(seen: Seen) -> str:
    stage = "late" if seen.is_late else "soon" if seen.is_soon_late else "home"
    return f"{seen.record.head} {stage} {seen.until}\n"  # who comes back has the full time, and is reminded again


def open_server(objects: Objects) -> Bare:
    """Return the repository that the objects are in, where git has a name for its owner in any case."""
    settings = settings_of(objects.git_dir)
    names = {} if settings.get("user.name") else _NAMES
    addresses = {} if settings.get("user.email") else _ADDRESSES
    unknown = {key: value for key, value in {**names, **addresses}.items() if key not in os.environ}
    env = {**unknown, "GIT_DIR": str(objects.git_dir)}
    clone = Clone(objects.git_dir, settings=settings, env=env)
    return Bare(objects, clone, objects.git("symbolic-ref", "HEAD").line)


def note_accepted(git_dir: Path, commit: str) -> None:
    """Note a commit that the hook before a push has found to be a move, so that a draw may follow it.

    Raises TryAgain and CannotWrite, since without the note nothing would ever be drawn after the commit.
    """
    path = git_dir / _ACCEPTED
    with suppress(CannotCreate):
        files.replace(path, "\n".join([*_accepted(path), commit][-_MOST_ACCEPTED:]) + "\n", mode=0o600)


def _accepted(path: Path) -> list[str]:
    with suppress(NoSuchFile, NotUnderstood):  # what is damaged is written anew
        return files.read_text(path, 1 << 14).split()
    return []


def kept_going(server: Bare, name: str, secret: Path | None, now: int) -> Iterator[str]:
    """Make the draws that are due, do what the clock says, and publish the secret after the end; yield what was done.

    *now* is the time in seconds since 1970. Nothing is done for a game whose secret is not at hand.

    Raises NotAllowed if the latest commit was not judged,
    Broken if the draws so far are not what the secret yields, TryAgain if somebody pushed in between.
    """
    while True:
        point = server.point(name)
        record = point.record
        if record.chance.kind != "sealed" or record.chance.secret or secret is None:
            return
        due, over = who_decides(record.state) == CHANCE, isinstance(record.state.phase, Ended)
        late = None if due or over else _late(point, now)
        if not (due or over or late):
            return
        if point.commit not in _accepted(server.objects.git_dir / _ACCEPTED):
            hint = "install the hook pre-receive of pbem, or draw from a clone: pbem git draw"
            raise NotAllowed("nothing was drawn, since no hook of pbem has judged the latest commit", hint=hint)
        known = secrets.read_secret(record, secret)
        audit(record, known)
        if due:
            after, history = carried_on(record, secrets.draws_from(record.game, partial(bytes, known)))
            subject = subject_of([str(entry) for entry, _ in history])
        elif late:
            after, subject = game_after(point.game, late), late.words
        else:
            after, subject = secrets.published_from(record, secret), subject_of([])
        minutes, date = point.minutes, ""
        if late:
            minutes, date = minutes.after(late), f"@{late.time} +0000"
        waits = at_the_table(after, minutes, late.time if late else now)
        written = {name: game_files.text_again(point.game, after), **pages(point, after, minutes, waits)}
        if late:
            written[MINUTES] = text_of(minutes, record.game)
        made = _committed(server.clone, point, written, message_of(subject, seated(after, minutes), waits=waits), date)
        # Noted before: when it is cut off afterwards, the next run goes on from here, and tells what was done.
        note_accepted(server.objects.git_dir, made)
        server.note_untold(point.commit)
        updated = server.clone.git("update-ref", "-m", subject, server.branch, made, point.commit)
        if updated.full:
            raise updated.failed("git update-ref", server.objects.git_dir)
        if updated.status:
            raise TryAgain("somebody pushed at the same moment, and the draw was left to that push")
        yield subject


def _late(point: Point, now: int) -> TableLine | None:
    """Return what the host decides for a player whose time is up, None if the clock decides nothing."""
    record, minutes = point.record, point.minutes
    matter = by_clock(record, minutes)
    if matter is None or not is_time_up(matter.whom, point.meeting, now):
        return None
    earliest = minutes.lines[-1].time if minutes.lines else 0
    return line_now(record, HOST, matter, max(now, earliest))


def _committed(clone: Clone, point: Point, written: Mapping[str, str], message: str, date: str) -> str:
    """Return the id of a commit on the tip with these files, signed by the host if moves are signed."""
    entries = dict(point.entries)
    for name, text in written.items():
        oid = clone.did("git hash-object", "hash-object", "-w", "--stdin", stdin=text.encode())
        entries[name] = Held(FILE_MODE, oid)
    kinds = {"040000": "tree"}
    rows = (f"{one.mode} {kinds.get(one.mode, 'blob')} {one.oid}\t{name}\0" for name, one in entries.items())
    tree = clone.did("git mktree", "mktree", "-z", stdin="".join(rows).encode(errors="surrogateescape"))
    how = ["commit-tree", "-p", point.commit, tree]
    if point.signers is not None:
        signing_key(clone, "")
        how = ["-c", "gpg.format=ssh", "commit-tree", "--gpg-sign", "-p", point.commit, tree]
    made = clone.did("git commit-tree", *how, stdin=message.encode(), date=date)
    if point.signers is not None:
        check_signature(point.objects.commit(made), point.signers, HOST)
    return made
