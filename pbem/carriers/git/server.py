"""What a server does after a push and at times: draw, decide by the clock, publish the secret after the end.

It draws only after a commit that the hook before the push has judged, which notes it in git's own folder, where no push
writes. The commits are made in the bare repository itself; a push that comes in between is not lost, since the
branch then stays as it is, and what follows that push draws.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from pbem import files, formats, game_files, loading, secrets
from pbem.carriers.git.clone import Clone, settings_of
from pbem.carriers.git.commits import minutes_in, since
from pbem.carriers.git.contents import read_file
from pbem.carriers.git.effects import game_after
from pbem.carriers.git.identity import signing_key
from pbem.carriers.git.player.send import message_of, subject_of
from pbem.carriers.git.public import at_the_table
from pbem.carriers.git.repository import FILE_MODE, Held, Objects, Ran, git, owned_environment
from pbem.carriers.git.signing import ALLOWED_SIGNERS, check_signature
from pbem.carriers.git.status import Seen, now_in
from pbem.carriers.git.template import PAGE, README, is_ours, page, readme
from pbem.errors import CannotCreate, NoSuchFile, NotAllowed, NotUnderstood, PbemError, TryAgain
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.play import carried_on
from pbem.first_sparks.proof import audit
from pbem.first_sparks.record import Record
from pbem.first_sparks.state import CHANCE
from pbem.loading import GameFile
from pbem.table.limits import by_clock, is_time_up
from pbem.table.lines import HOST, MINUTES, TableLine, line_now
from pbem.table.minutes import Meeting, text_of

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
    """A bare repository with a game: its objects, the branch of the game, and the settings of git there."""

    objects: Objects
    branch: str
    settings: Mapping[str, str]

    def git(self, *arguments: str, stdin: bytes = b"", date: str = "") -> Ran:
        """Run git for the owner of the repository, who has a name for git in any case."""
        known = {key.upper() for key in ("user.name", "user.email") if self.settings.get(key)}
        named = {**({} if "USER.NAME" in known else _NAMES), **({} if "USER.EMAIL" in known else _ADDRESSES)}
        dated = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
        env = {**named, **owned_environment(), "GIT_DIR": str(self.objects.git_dir), **dated}
        return git(*arguments, env=env, stdin=stdin)

    def did(self, what: str, *arguments: str, stdin: bytes = b"", date: str = "") -> str:
        """Run git, and return the line that it prints; raises TryAgain or CannotWrite if it fails."""
        done = self.git(*arguments, stdin=stdin, date=date)
        if done.status:
            raise done.failed(what, self.objects.git_dir)
        return done.line

    def tip(self) -> str:
        """Return the id of the latest commit."""
        return self.git("rev-parse", "--verify", "--quiet", self.branch).line

    def seen(self, name: str, now: int) -> Seen:
        """Return the game as it is to be shown, at a time in seconds since 1970."""
        tip = self.tip()
        held, game = self.game(tip, name)
        return now_in(self.objects, tip, held, game.record, name, now)

    def news_since(self, old: str, name: str) -> PushNews:
        """Return what has come since a commit; everything is new if there was none."""
        held, game = self.game(self.tip(), name)
        if not old.strip("0"):
            return PushNews()
        before = self.objects.entries(self.objects.commit(old).tree)
        said = minutes_in(self.objects, held, game.record.game).lines
        known = minutes_in(self.objects, before, game.record.game).lines
        return PushNews(before.get(name) != held[name], said[len(known) :])

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

    def game(self, tip: str, name: str) -> tuple[dict[str, Held], GameFile]:
        """Return the entries of a commit, and the game in it."""
        held = self.objects.entries(self.objects.commit(tip).tree)
        text = formats.decode(read_file(self.objects, held, name), name=name)
        return held, loading.file_in(text, Path(name))


def _told_about(seen: Seen) -> str:
    stage = "late" if seen.is_late else "soon" if seen.is_soon_late else "home"
    return f"{seen.record.head} {stage} {seen.until}\n"  # who comes back has the full time, and is reminded again


def open_server(objects: Objects) -> Bare:
    """Return the repository that the objects are in."""
    return Bare(objects, objects.git("symbolic-ref", "HEAD").line, settings_of(objects.git_dir))


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


def kept_going(server: Bare, name: str, secret: Path | None, now: int, key: str = "") -> Iterator[str]:
    """Make the draws that are due, do what the clock says, and publish the secret after the end; yield what was done.

    *now* is the time in seconds since 1970. Nothing is done for a game whose secret is not at hand.

    Raises NotAllowed if the latest commit was not judged,
    Broken if the draws so far are not what the secret yields, TryAgain if somebody pushed in between.
    """
    while True:
        tip = server.tip()
        held, game = server.game(tip, name)
        record = game.record
        if record.chance.kind != "sealed" or record.chance.secret or secret is None:
            return
        due, over = who_decides(record.state) == CHANCE, isinstance(record.state.phase, Ended)
        late = None if due or over else _late(server, held, game, tip, now)
        if not (due or over or late):
            return
        if tip not in _accepted(server.objects.git_dir / _ACCEPTED):
            hint = "install the hook pre-receive of pbem, or draw from a clone: pbem git draw"
            raise NotAllowed("nothing was drawn, since no hook of pbem has judged the latest commit", hint=hint)
        known = secrets.read_secret(record, secret)
        audit(record, known)
        if due:
            after, history = carried_on(record, secrets.draws_from(record.game, partial(bytes, known)))
            subject = subject_of([str(entry) for entry, _ in history])
        elif late:
            after, subject = game_after(game, late), late.words
        else:
            after, subject = secrets.published_from(record, secret), subject_of([])
        minutes, date = minutes_in(server.objects, held, record.game), ""
        if late:
            minutes, date = minutes.after(late), f"@{late.time} +0000"
        waits = at_the_table(after, minutes, late.time if late else now)
        written = _files(server, held, game, after, waits)
        if late:
            written[MINUTES] = text_of(minutes, record.game).encode()
        made = _committed(server, tip, held, written, message_of(subject, after, waits=waits), key, date)
        # Noted before: when it is cut off afterwards, the next run goes on from here, and tells what was done.
        note_accepted(server.objects.git_dir, made)
        server.note_untold(tip)
        updated = server.git("update-ref", "-m", subject, server.branch, made, tip)
        if updated.full:
            raise updated.failed("git update-ref", server.objects.git_dir)
        if updated.status:
            raise TryAgain("somebody pushed at the same moment, and the draw was left to that push")
        yield subject


def _late(server: Bare, held: dict[str, Held], game: GameFile, tip: str, now: int) -> TableLine | None:
    """Return what the host decides for a player whose time is up, None if the clock decides nothing."""
    record, minutes = game.record, minutes_in(server.objects, held, game.record.game)
    matter = by_clock(record, minutes)
    asked_since = partial(since, server.objects, tip, game.path.name)
    meeting = Meeting(record, minutes, ALLOWED_SIGNERS in held, asked_since)
    if matter is None or not is_time_up(matter.whom, meeting, now):
        return None
    earliest = minutes.lines[-1].time if minutes.lines else 0
    return line_now(record, HOST, matter, max(now, earliest))


def _files(
    server: Bare, held: dict[str, Held], game: GameFile, after: Record, waits: Sequence[str]
) -> dict[str, bytes]:
    """Return what people and programs read of the game from now on, by name."""
    name, drawn = game.path.name, page(after).encode()
    text = game_files.text_of(after, formats.format_of(game.path, game.form), game.schema or game_files.GAME_SCHEMA)
    linked = bool(drawn) and (PAGE not in held or read_file(server.objects, held, PAGE) == drawn)
    written = {name: text.encode(), **({PAGE: drawn} if linked and PAGE not in held else {})}
    with suppress(PbemError):
        if is_ours(read_file(server.objects, held, README).decode(errors="replace"), game.record, name):
            written[README] = readme(after, name, waits, linked=linked).encode()
    return written


def _committed(
    server: Bare, tip: str, held: dict[str, Held], written: Mapping[str, bytes], message: str, key: str, date: str
) -> str:
    """Return the id of a commit on the tip with these files, signed by the host if moves are signed."""
    entries = dict(held)
    for name, data in written.items():
        oid = server.did("git hash-object", "hash-object", "-w", "--stdin", stdin=data)
        entries[name] = Held(FILE_MODE, oid)
    kinds = {"040000": "tree"}
    rows = (f"{one.mode} {kinds.get(one.mode, 'blob')} {one.oid}\t{name}\0" for name, one in entries.items())
    tree = server.did("git mktree", "mktree", "-z", stdin="".join(rows).encode(errors="surrogateescape"))
    signing: tuple[str, ...] = ()
    if ALLOWED_SIGNERS in held:
        own = signing_key(Clone(server.objects.git_dir, settings=server.settings), key)
        signing = ("-c", "gpg.format=ssh", *(("-c", f"user.signingkey={own}") if own else ()))
    how = ("--gpg-sign",) if signing else ()
    made = server.did(
        "git commit-tree", *signing, "commit-tree", *how, "-p", tip, tree, stdin=message.encode(), date=date
    )
    if signing:
        check_signature(server.objects.commit(made), read_file(server.objects, held, ALLOWED_SIGNERS), HOST)
    return made
