"""Whether every commit of a push is a move: the game before it, plus one submission by the player who decides.

Nothing is trusted. The orders are read from the log, judged on the game before
the commit, and what we ourselves would have written has to be there to the byte.
Which keys count, and that any do, is said by the commit that the push builds on.
No answer may depend on a draw that nobody has to make yet: who did not sign is
told nothing else, and what only the secret proves is alone in a push. It is
asked last, when nothing else can be wrong: a guess that is right is the draw.
That the push builds on what the server has is for its hook to make sure of first.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import files, formats, reading, way
from pbem.errors import Broken, NoSuchFile, NotAllowed, NotSigned, NotUnderstood, PbemError, Stale
from pbem.first_sparks import chance
from pbem.first_sparks.adjudicator import Entry, who_decides
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import Record, audit, carried_on, followed, parse_entry
from pbem.first_sparks.state import CHANCE
from pbem.git.repository import FILE_MODE, Commit, Held, NotHere, Objects, shown
from pbem.git.signing import ALLOWED_SIGNERS, HOST, check_signature
from pbem.git.template import README, is_ours, readme
from pbem.reading import GameFile, Submission

MOST_COMMITS: Final = 2000
MOST_FILES: Final = 200  # in the first commit of a game

_ODD: Final = {"100755": "a program", "120000": "a symbolic link", "160000": "a submodule"}
_KINDS: Final = {**_ODD, "040000": "a folder"}


class Terms(NamedTuple):
    """What is asked of a commit: which is the game file, whether it must be signed, the secret's file if at hand."""

    game: str
    signed: bool = False
    secret: Path | None = None
    ours: bool = False  # nobody else hears the answer, and draws that nothing here proves are believed
    pushed: bool = False  # strangers hear the answer, and the secret is not asked about what might be
    published: str = ""  # the secret, if the last commit shows it
    proves: bool = True  # whether the secret may be asked of this commit: strangers push it alone, or it is signed


class Step(NamedTuple):
    """A commit that is a move: its id, who made it (a colour or the host), the lines of the log that it adds."""

    commit: str
    by: str
    lines: tuple[str, ...]


class _Point(NamedTuple):
    """The game as a commit holds it: the folder, the game file, the keys that count."""

    entries: dict[str, Held]
    game: GameFile
    signers: bytes | None


def compare(objects: Objects, old: str, new: str, terms: Terms) -> tuple[Step, ...]:
    """Return what the commits after *old* up to *new* do, oldest first; without *old*, those of a whole game.

    Raises what is wrong with the first commit that is no move.
    """
    chain, steps = between(objects, old, new), []
    terms = terms._replace(published=_published(objects, new, terms))
    for commit, found in judged(objects, chain, old, terms):
        if isinstance(found, PbemError):
            found.message = f"commit {commit.oid[:10]}: {found.message}"
            raise found
        steps.append(found)
    return tuple(steps)


def judged(
    objects: Objects, chain: Sequence[Commit], old: str, terms: Terms
) -> Iterator[tuple[Commit, Step | PbemError]]:
    """Yield for each commit after *old*, oldest first, what it does, or what is wrong with it.

    What comes after a commit that is no move is judged by the game that this
    one holds, or if that cannot be read, by the last that can. Raises NotHere if an object is not in this clone.
    """
    point = _point(objects, objects.commit(old).tree, terms) if old else None
    alone = not terms.pushed or len(chain) == 1
    for commit in chain:
        try:
            if len(commit.parents) > 1:
                raise _merge(commit)
            if point is None:
                point, by, known = _begun(objects, commit.tree, terms._replace(proves=alone)), HOST, 0
            else:
                vouched, known = partial(_check_signed, commit, point.signers), len(point.game.record.log)
                asked = terms._replace(proves=alone or point.signers is not None)
                point, by = _moved(objects, point, commit.tree, asked, vouched)
        except NotHere:
            raise
        except PbemError as error:
            yield commit, error
            with suppress(PbemError):
                point = _point(objects, commit.tree, terms)
        else:
            yield commit, Step(commit.oid, by, point.game.record.log[known:])


def compare_staged(objects: Objects, terms: Terms) -> Step:
    """Return what would be committed now; it cannot be signed yet."""
    written = objects.git("write-tree")
    if written.status:
        raise NotAllowed("what is staged cannot be committed", hint="git status tells why; a game is never merged")
    head = objects.git("rev-parse", "--verify", "--quiet", "HEAD")
    if head.status:
        return Step("", HOST, _begun(objects, written.line, terms).game.record.log)
    point = _point(objects, objects.commit(head.line).tree, terms)
    after, by = _moved(objects, point, written.line, terms, lambda _: None)
    return Step("", by, after.game.record.log[len(point.game.record.log) :])


def _check_signed(commit: Commit, signers: bytes | None, who: str) -> None:
    if signers is not None:
        check_signature(commit, signers, who)


def _merge(commit: Commit) -> NotAllowed:
    return NotAllowed(f"commit {commit.oid[:10]} is a merge, and games are not merged", hint="play the move again")


def between(objects: Objects, old: str, new: str) -> list[Commit]:
    """Return the commits after *old* up to *new*, oldest first: one line of them, without a merge."""
    chain: list[Commit] = []
    oid = new
    while oid != old:
        if len(chain) == MOST_COMMITS:
            raise NotAllowed(f"these are more than {MOST_COMMITS} commits", hint="push fewer at a time")
        commit = objects.commit(oid)
        if len(commit.parents) > 1:
            raise _merge(commit)
        chain.append(commit)
        if not commit.parents:
            break
        oid = commit.parents[0]
    if old and (not chain or chain[-1].parents != (old,)) and new != old:
        hint = "git pull --ff-only, then play again"
        raise Stale(f"{new[:10]} does not build on {old[:10]}: history would be rewritten", hint=hint)
    return chain[::-1]


def _point(objects: Objects, tree: str, terms: Terms) -> _Point:
    """Return the game as it is in a commit that was accepted."""
    entries = objects.entries(tree)
    text = formats.decode(_file(objects, entries, terms.game), name=terms.game)
    signers = _file(objects, entries, ALLOWED_SIGNERS) if ALLOWED_SIGNERS in entries else None
    if terms.signed and signers is None:
        raise NotSigned(f"nobody can sign here: there is no {ALLOWED_SIGNERS}", path=ALLOWED_SIGNERS)
    return _Point(entries, reading.file_in(text, Path(terms.game)), signers)


def _published(objects: Objects, new: str, terms: Terms) -> str:
    """Return the secret that the game shows in a commit, or nothing; whether it fits is for others to say."""
    try:
        return _point(objects, objects.commit(new).tree, terms).game.record.chance.secret
    except PbemError:
        return ""


def _secret(record: Record, terms: Terms) -> bytes | None:
    """Return the secret of the game, if it is published or at hand; raises Broken for that of another.

    Raises NotAllowed if strangers would hear more than that their commit is taken.
    """
    published = bytes.fromhex(terms.published)
    if published and chance.commitment(published) == record.chance.commitment:
        return published
    if not (record.chance.secret or terms.secret):
        return None
    if not (record.chance.secret or terms.proves):
        raise NotAllowed("draws come alone in a push", hint="push what is before them, then them, then what follows")
    return way.read_secret(record, terms.secret or Path(terms.game))


def _file(objects: Objects, entries: dict[str, Held], name: str) -> bytes:
    entry = entries.get(name)
    if entry is None:
        raise NoSuchFile(
            f"{shown(name)} is not in the commit", path=shown(name), hint="say which file it is with --game"
        )
    if entry.mode != FILE_MODE:
        raise NotAllowed(f"{shown(name)} is {_KINDS.get(entry.mode, 'not a file')}", path=shown(name))
    return objects.read(entry.oid, "blob", files.READ_LIMIT, shown(name))


# The first commit


def _begun(objects: Objects, tree: str, terms: Terms) -> _Point:
    """Return the game of a first commit: proved from its first line, beside nothing but plain files."""
    _check_plain(objects, tree)
    point = _point(objects, tree, terms)
    record = point.game.record
    text = _file(objects, point.entries, terms.game)
    if _written(point.game, record, terms).encode() != text:
        raise _not_ours(terms.game)
    begins = all(entry.by == CHANCE for entry, _ in record.history)
    try:
        secret = _secret(record, terms._replace(proves=terms.proves and (begins or not terms.pushed)))
    except NotAllowed as refused:
        refused.message = "push the beginning of the game alone"
        refused.hint = "a game with moves is fetched by who keeps the server: git fetch CLONE main:main"
        raise
    if secret is not None:
        audit(record, secret)
    return point


def _check_plain(objects: Objects, tree: str) -> None:
    """Raise NotAllowed if anything in the folder or below is more than a plain file, or a secret."""
    waiting, seen = [("", tree)], 0
    while waiting:
        folder, oid = waiting.pop()
        entries = objects.entries(oid)
        alike = {name.casefold(): name for name in entries}
        for name, entry in entries.items():
            path, seen = f"{folder}{name}", seen + 1
            if (other := alike[name.casefold()]) != name:
                why = f"{shown(path)} and {shown(other)} are one file on many machines"
                raise NotAllowed(why, path=shown(path))
            if seen > MOST_FILES:
                raise NotAllowed(f"a game begins with at most {MOST_FILES} files")
            _check_no_secret(path)
            if entry.mode == "040000":
                waiting.append((f"{path}/", entry.oid))
            elif entry.mode != FILE_MODE:
                raise NotAllowed(f"{shown(path)} is {_KINDS.get(entry.mode, 'not a file')}", path=shown(path))


def _check_no_secret(path: str) -> None:
    if path.casefold().endswith(".secret.toml"):
        hint = "whoever has seen the commit knows all draws to come; begin another game"
        raise NotAllowed(f"{shown(path)} is the secret of the draws and is not for others", path=shown(path), hint=hint)


# A move


def _moved(
    objects: Objects, before: _Point, tree: str, terms: Terms, vouched: Callable[[str], None]
) -> tuple[_Point, str]:
    """Return the game after a commit that is one submission, and who made it, for whom *vouched* is asked first."""
    entries = objects.entries(tree)
    for name in sorted(before.entries.keys() | entries.keys()):
        if before.entries.get(name) != entries.get(name):
            _check_change(name, before.entries.get(name), entries.get(name), terms)
    if before.entries[terms.game] == entries[terms.game]:
        raise NotAllowed(f"{terms.game} is unchanged, so that there is no move in it", path=terms.game)
    data = _file(objects, entries, terms.game)
    text = formats.decode(data, name=terms.game)
    theirs = formats.parse(text, reading.format_in(text), name=terms.game)
    added = _added(before.game.record, theirs)
    by = _maker(before.game.record, added)
    vouched(by)
    signed = terms._replace(signed=before.signers is not None)
    record = _judged(before.game.record, by, added, terms) if added else _revealed(before.game.record, theirs)
    ours = _written(before.game, record, terms)
    if ours.encode() != data:
        known = len(before.game.record.log)
        _tell_difference(formats.parse(ours, reading.format_in(ours), name=terms.game), theirs, known)
        raise _not_ours(terms.game)
    if before.entries.get(README) != entries.get(README):
        page = readme(record, terms.game)
        replaced = _file(objects, before.entries, README).decode(errors="replace")
        if not is_ours(replaced, record, terms.game):
            raise NotAllowed(f"{README} is a page of the group, and no move changes it", path=README)
        if _file(objects, entries, README) != page.encode():
            raise _not_ours(README)
    if by == HOST and added:
        _check_drawn(before.game.record, record, signed)
    return before._replace(entries=entries, game=before.game._replace(record=record)), by


def _check_change(name: str, before: Held | None, after: Held | None, terms: Terms) -> None:
    """Raise NotAllowed unless a move may change what has that name in this way."""
    path = shown(name)
    if after:
        _check_no_secret(name)
        if after.mode in _ODD and (before is None or after.mode != before.mode):
            raise NotAllowed(f"{path} is {_ODD[after.mode]} now", path=path)
    if name not in {terms.game, README} or before is None or after is None:
        how = "added" if before is None else "removed" if after is None else "changed"
        raise NotAllowed(f"{path} is {how}, and a move changes {terms.game} and {README} alone", path=path)
    if after.mode != before.mode:
        raise NotAllowed(f"the mode of {path} is changed", path=path)


def _added(record: Record, data: dict[str, Any]) -> tuple[Entry, ...]:
    """Return what the log of the new game file has more than the record."""
    log = data.get("log")
    if not isinstance(log, list) or not all(isinstance(line, str) for line in log):
        raise NotUnderstood("the log is not a list of lines", path="log")
    for number, (line, now) in enumerate(zip(record.log, log, strict=False), 1):
        if line != now:
            raise Broken(f"line {number} of the log was rewritten", path=f"log[{number - 1}]")
    if len(log) < len(record.log):
        raise Broken(f"line {len(log) + 1} of the log is gone", path=f"log[{len(log)}]")
    try:
        return tuple(map(parse_entry, log[len(record.log) :]))
    except NotUnderstood as wrong:
        raise NotUnderstood(f"a new line of the log is wrong: {wrong.message}", path="log") from None


def _maker(record: Record, added: tuple[Entry, ...]) -> str:
    """Return who has to have made a submission: the player who orders, or for draws and a secret the host."""
    players = sorted({entry.by for entry in added if entry.by != CHANCE})
    if len(players) > 1:
        raise NotAllowed(f"it holds orders of {shown(' and '.join(players))}, but a commit is one submission")
    if players and players[0] not in dict(record.players):
        raise NotUnderstood("nobody of that colour plays", path="log")
    return players[0] if players else HOST


def _judged(record: Record, by: str, added: tuple[Entry, ...], terms: Terms) -> Record:
    """Return the record after the orders, which draws follow only if everybody can make them; or after draws alone."""
    if by == HOST:
        return _drawn(record, tuple(map(str, added)))
    orders = reading.order_lines([str(entry.move) for entry in added if entry.by != CHANCE], terms.game).orders
    draw = way.draws_of(record, Path(terms.game)) if record.chance.secret else None
    return way.judge(record, Submission(orders, player=by), draw).record


def _drawn(record: Record, added: tuple[str, ...]) -> Record:
    """Return the record after draws that could be; whether they are right is asked when all else is."""
    after, _ = followed(record, added)
    if who_decides(after.state) == CHANCE or carried_on(after, None)[1]:
        raise Broken("the draws break off before a player decides", path="log")
    return after


def _check_drawn(before: Record, after: Record, terms: Terms) -> None:
    """Raise what is wrong unless the secret proves the draws, or the host's signature until the secret is published.

    Which of them is wrong is not told: those before it would be right.
    """
    secret = _secret(before, terms)
    if secret is not None:
        if carried_on(before, chance.source(before.game, secret))[0].log != after.log:
            raise Broken("the draws are not what the secret gives", path="log")
    elif not (terms.signed or terms.ours):
        raise NotAllowed(
            "nobody here can say whether these draws are right",
            hint="keep the secret where commits are checked, or begin the game with the keys of all and of the host",
        )


def _revealed(record: Record, data: dict[str, Any]) -> Record:
    """Return the record with its secret published; nothing else may happen without a new line in the log."""
    said = data.get("chance")
    secret = said.get("secret") if isinstance(said, dict) else None
    if isinstance(record.state.phase, Ended) and not record.chance.secret and isinstance(secret, str):
        digits = re.fullmatch("[0-9a-f]{64}", secret)  # other ways to write them are no game file
        if digits and chance.commitment(bytes.fromhex(secret)) == record.chance.commitment:
            return record._replace(chance=record.chance._replace(secret=secret))
    return record


def _tell_difference(ours: dict[str, Any], theirs: dict[str, Any], known: int) -> None:
    """Raise Broken at the first thing in the new game file that is not what its log leads to, if the data differ.

    What we have instead is not told: it might be a draw that a guesser wants to know.
    """
    lines, said = ours["log"][known:], theirs["log"][known:]
    for number, line in enumerate(said):
        if lines[number : number + 1] != [line]:
            raise Broken(f"line {known + number + 1} of the log is not what follows", path=f"log[{known + number}]")
    if len(lines) > len(said):
        raise Broken(f"the log breaks off after line {known + len(said)}, but the game goes on by itself", path="log")
    for key, value in ours.items():
        there = theirs.get(key)
        if isinstance(value, dict) and isinstance(there, dict):
            part = next((f".{part}" for part in value if value[part] != there.get(part)), "")
        else:
            part = ""
        if value != there:
            raise Broken(f"{key}{part} is not what the log leads to", path=f"{key}{part}")


def _written(game: GameFile, record: Record, terms: Terms) -> str:
    """Return what we ourselves would write in the place of the game file."""
    return way.text_of(record, formats.format_of(Path(terms.game), game.form), game.schema or way.GAME_SCHEMA)


def _not_ours(name: str) -> NotAllowed:
    hint = "pbem git move writes it; if you did, all need the same version of pbem"
    return NotAllowed(f"{name} holds something else than pbem writes there", path=name, hint=hint)
