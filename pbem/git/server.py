"""What a server does after a push: draw, publish the secret after the end, and say whose turn it is.

It draws only after a commit that the hook before the push has judged, which notes it in git's own folder, where no push
writes. The commits are made in the bare repository itself; a push that comes in between is not lost, since the
branch then stays as it is, and what follows that push draws.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from pbem import files, formats, game_files, loading, secrets
from pbem.errors import NotAllowed, PbemError, TryAgain
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.proof import audit
from pbem.first_sparks.record import Record, carried_on
from pbem.first_sparks.state import CHANCE
from pbem.git.clone import Clone, settings_of
from pbem.git.contents import read_file
from pbem.git.move import message_of, subject_of
from pbem.git.own import signing_key
from pbem.git.repository import FILE_MODE, Held, Objects, Ran, git, owned_environment
from pbem.git.signing import ALLOWED_SIGNERS, HOST, check_signature
from pbem.git.template import PAGE, README, is_ours, page, readme
from pbem.loading import GameFile

_ACCEPTED: Final = "pbem-accepted"  # the commits that were accepted last, a line each
_MOST_ACCEPTED: Final = 20
_NAMES: Final = {"GIT_AUTHOR_NAME": "pbem", "GIT_COMMITTER_NAME": "pbem"}
_ADDRESSES: Final = {"GIT_AUTHOR_EMAIL": "pbem@localhost", "GIT_COMMITTER_EMAIL": "pbem@localhost"}


class Bare(NamedTuple):
    """A bare repository with a game: its objects, the branch of the game, and the settings of git there."""

    objects: Objects
    branch: str
    settings: Mapping[str, str]

    def git(self, *arguments: str, stdin: bytes = b"") -> Ran:
        """Run git for the owner of the repository, who has a name for git in any case."""
        known = {key.upper() for key in ("user.name", "user.email") if self.settings.get(key)}
        named = {**({} if "USER.NAME" in known else _NAMES), **({} if "USER.EMAIL" in known else _ADDRESSES)}
        env = {**named, **owned_environment(), "GIT_DIR": str(self.objects.git_dir)}
        return git(*arguments, env=env, stdin=stdin)

    def did(self, what: str, *arguments: str, stdin: bytes = b"") -> str:
        """Run git, and return the line that it prints; raises TryAgain or CannotWrite if it fails."""
        done = self.git(*arguments, stdin=stdin)
        if done.status:
            raise done.failed(what, self.objects.git_dir)
        return done.line

    def tip(self) -> str:
        """Return the id of the latest commit."""
        return self.git("rev-parse", "--verify", "--quiet", self.branch).line

    def game(self, tip: str, name: str) -> tuple[dict[str, Held], GameFile]:
        """Return the entries of a commit, and the game in it."""
        held = self.objects.entries(self.objects.commit(tip).tree)
        text = formats.decode(read_file(self.objects, held, name), name=name)
        return held, loading.file_in(text, Path(name))


def open_server(objects: Objects) -> Bare:
    """Return the repository that the objects are in."""
    return Bare(objects, objects.git("symbolic-ref", "HEAD").line, settings_of(objects.git_dir))


def note_accepted(git_dir: Path, commit: str) -> None:
    """Note a commit that the hook before a push has found to be a move, so that a draw may follow it."""
    path = git_dir / _ACCEPTED
    with suppress(PbemError, OSError):
        files.replace(path, "\n".join([*_accepted(path), commit][-_MOST_ACCEPTED:]) + "\n", mode=0o600)


def _accepted(path: Path) -> list[str]:
    return files.read_text(path, 1 << 14).split() if files.exists(path) else []


def kept_going(server: Bare, name: str, secret: Path | None, key: str = "") -> Iterator[str]:
    """Make the draws that are due, and publish the secret after the end; yield what was committed.

    Nothing is done for a game whose secret is not at hand. Raises NotAllowed if the latest commit was not judged,
    Broken if the draws so far are not what the secret yields, TryAgain if somebody pushed in between.
    """
    while True:
        tip = server.tip()
        held, game = server.game(tip, name)
        record = game.record
        if record.chance.kind != "sealed" or record.chance.secret or secret is None:
            return
        due, over = who_decides(record.state) == CHANCE, isinstance(record.state.phase, Ended)
        if not due and not over:
            return
        if tip not in _accepted(server.objects.git_dir / _ACCEPTED):
            hint = "install the hook pre-receive of pbem, or draw from a clone: pbem git draw"
            raise NotAllowed("nothing was drawn, since no hook of pbem has judged the latest commit", hint=hint)
        known = secrets.read_secret(record, secret)
        audit(record, known)
        if due:
            after, history = carried_on(record, secrets.draws_from(record.game, partial(bytes, known)))
            subject = subject_of([str(entry) for entry, _ in history])
        else:
            after, subject = secrets.published_from(record, secret), subject_of([])
        made = _committed(server, tip, held, _files(server, held, game, after), message_of(subject, after), key)
        if server.git("update-ref", "-m", subject, server.branch, made, tip).status:
            raise TryAgain("somebody pushed at the same moment, and the draw was left to that push")
        note_accepted(server.objects.git_dir, made)
        yield subject


def _files(server: Bare, held: dict[str, Held], game: GameFile, after: Record) -> dict[str, bytes]:
    """Return what people and programs read of the game from now on, by name."""
    name, drawn = game.path.name, page(after).encode()
    text = game_files.text_of(after, formats.format_of(game.path, game.form), game.schema or game_files.GAME_SCHEMA)
    linked = bool(drawn) and (PAGE not in held or read_file(server.objects, held, PAGE) == drawn)
    written = {name: text.encode(), **({PAGE: drawn} if linked and PAGE not in held else {})}
    with suppress(PbemError):
        if is_ours(read_file(server.objects, held, README).decode(errors="replace"), game.record, name):
            written[README] = readme(after, name, linked=linked).encode()
    return written


def _committed(
    server: Bare, tip: str, held: dict[str, Held], written: Mapping[str, bytes], message: str, key: str
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
    made = server.did("git commit-tree", *signing, "commit-tree", *how, "-p", tip, tree, stdin=message.encode())
    if signing:
        check_signature(server.objects.commit(made), read_file(server.objects, held, ALLOWED_SIGNERS), HOST)
    return made
