"""Check that each commit of a push is a move: the game before it, plus one submission by the player who decides.

Nothing is trusted. The orders are read from the log and judged on the game before
the commit, and the result must equal what we ourselves would write, to the byte.
The commit that the push builds on says whether moves are signed, and with which keys.
Without a valid signature the answer says nothing else, and the secret is asked last
(see ``judges``), when nothing else can be wrong: a correct guess is the draw.
The server's hook must first make sure that the push builds on what the server has.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Final

from pbem import formats, game_files
from pbem.carriers.git.commits import Attempt, JudgedMove, moved, not_ours
from pbem.carriers.git.contents import check_plain, read_file
from pbem.carriers.git.judges import Judge, Proof
from pbem.carriers.git.point import Point, point_in
from pbem.carriers.git.repository import Commit, NotHere, Objects
from pbem.carriers.git.signing import ALLOWED_SIGNERS
from pbem.errors import NotAllowed, NotSigned, PbemError, Stale
from pbem.first_sparks.proof import audit
from pbem.first_sparks.record import SHARED
from pbem.first_sparks.state import CHANCE
from pbem.locale import phrase
from pbem.table.lines import HOST, MINUTES, TableLine, concerned
from pbem.table.matters.kinds import Answer

MOST_COMMITS: Final = 2000
THEN_AGAIN: Final = "{command}, then play again"
_SEE_STATUS: Final = "{command} shows why; games are never merged"
_TOO_OLD: Final = "the commit is too old for a game with a clock"
_OLD_MOTION: Final = "the motion is too old to be sent now"
_OLD_FOR_A_SUBSTITUTE: Final = "the commit is too old for a player who has a substitute"
_RAN: Final = "somebody's time would have run since then; if the clock of your machine is right, make it again"
_MOTION_BEFORE: Final = "the motion is dated before the commits that it follows"
_COMMIT_BEFORE: Final = "the commit is dated before the commits that it follows"
CLOCKS_DIFFER: Final = 3600  # seconds between the clocks of two machines, at most
CLOCKS_AGREE: Final = 60  # the same where a player decides that the time of another is up
CLOCKS_WRONG: Final = 86400  # the same where no time of a player depends on them


def compare(objects: Objects, old: str, new: str, judge: Judge) -> tuple[JudgedMove, ...]:
    """Return the moves of the commits after *old* up to *new*, oldest first; without *old*, of the whole game.

    Raises what is wrong with the first commit that is not a move.
    """
    chain = between(objects, old, new, MOST_COMMITS if judge.role == "server" else None)
    steps: list[JudgedMove] = []
    for commit, found in judged(objects, chain, old, judge, _published(objects, new, judge)):
        if isinstance(found, PbemError):
            found.message = phrase("commit {commit}: {what}", commit=commit.oid[:10], what=found.message)
            raise found
        steps.append(found)
    return tuple(steps)


def judged(
    objects: Objects, chain: Sequence[Commit], old: str, judge: Judge, published: bytes = b""
) -> Iterator[tuple[Commit, JudgedMove | PbemError]]:
    """Yield each commit after *old*, oldest first, with its move, or with what is wrong with it.

    A commit after one that is not a move is judged by the game in that one, or if that
    cannot be read, by the last game that can. Raises NotHere if an object is not in this clone.
    """
    point = _point(objects, objects.commit(old).tree, judge, old) if old else None
    proof = Proof(judge, len(chain) == 1, published)
    dates: list[int] = []
    latest = cache(partial(_latest, objects, old, judge))
    for commit in chain:
        try:
            if len(commit.parents) > 1:
                raise _merge(commit)
            before = point
            if before is None:
                point = _first_commit(objects, commit.tree, proof, commit.oid)
                step = _beginning(point)
            else:
                point, step = moved(Attempt(before, objects.entries(commit.tree), proof, commit))
            _check_date(before, point, commit, step.by, judge, lambda: max((latest(), *dates)))
        except NotHere:
            raise
        except PbemError as error:
            yield commit, error
            with suppress(PbemError):
                point = _point(objects, commit.tree, judge, commit.oid)
        else:
            dates.append(commit.time)
            yield commit, step


def _point(objects: Objects, tree: str, judge: Judge, commit: str = "") -> Point:
    """Return the game in a folder; raises NotSigned if moves must be signed, and nobody has a key."""
    point = point_in(objects, tree, judge.game, commit)
    if judge.signed and point.signers is None:
        hint = f"begin a game with pbem git init --key PLAYER=FILE, which writes {ALLOWED_SIGNERS}"
        raise NotSigned("moves must be signed, but this game was begun without keys", path=ALLOWED_SIGNERS, hint=hint)
    return point


def compare_staged(objects: Objects, judge: Judge) -> JudgedMove:
    """Return the move that is staged; it cannot be signed yet."""
    written = objects.git("write-tree")
    if written.status:
        raise NotAllowed(
            phrase("the staged changes cannot be committed"), hint=phrase(_SEE_STATUS, command="git status")
        )
    head = objects.git("rev-parse", "--verify", "--quiet", "HEAD")
    if head.status:
        return _beginning(_first_commit(objects, written.line, Proof(judge)))
    point = _point(objects, objects.commit(head.line).tree, judge, head.line)
    return moved(Attempt(point, objects.entries(written.line), Proof(judge)))[1]


def _beginning(point: Point) -> JudgedMove:
    """Return what the first commit does: in a shared game, the first player joins."""
    record = point.record
    by = record.chance.joined[0][0] if record.chance.joined else HOST
    return JudgedMove(point.commit, by, record.log, joined=by != HOST, length=len(record.log))


def _check_date(
    before: Point | None, point: Point, commit: Commit, by: str, judge: Judge, latest: Callable[[], int]
) -> None:
    """Raise NotAllowed for a commit of *by* whose date cannot be right, if the time of a player depends on it.

    Whoever may lose a seat has time to object, which must not have begun before anybody could see the motion. If the
    key of a substitute ends to count at a time, nobody must sign with it afterwards with an earlier date. *latest* is
    the date of the commits before it that is the latest.
    """
    said = point.minutes.lines[len(before.minutes.lines) if before else 0 :]
    clock, seat = bool(point.minutes.standing.time), any(line.proposed and concerned(line.said) for line in said)
    ends = before is not None and bool(before.minutes.substitute_key(by))
    ahead = CLOCKS_DIFFER if clock or said else CLOCKS_WRONG
    if judge.is_strict and any(_needs_time(line) for line in said):
        ahead = CLOCKS_AGREE
    if judge.now is not None and commit.time > judge.now + ahead:
        hint = phrase("correct the clock of your machine")
        raise NotAllowed(phrase("the commit is dated in the future"), hint=hint)
    if (
        judge.now is not None
        and judge.is_strict
        and (clock or seat or ends)
        and commit.time < judge.now - CLOCKS_DIFFER
    ):
        raise NotAllowed(
            phrase(_TOO_OLD if clock else _OLD_MOTION if seat else _OLD_FOR_A_SUBSTITUTE), hint=phrase(_RAN)
        )
    if (seat or ends) and commit.time < latest() - CLOCKS_WRONG:
        why = phrase(_MOTION_BEFORE) if seat else phrase(_COMMIT_BEFORE)
        raise NotAllowed(why, hint=phrase("make it again"))


def _needs_time(line: TableLine) -> bool:
    """Return whether a player decides for another one, or about the other's seat: only the time allows that."""
    is_decided = not line.proposed and line.by != HOST
    return is_decided and (isinstance(line.said, Answer) or concerned(line.said) not in ("", line.by))


def _latest(objects: Objects, last: str, judge: Judge) -> int:
    """Return the latest date of the commits up to one, in seconds since 1970, as far as they are here.

    One in the future cannot be right, wherever it was accepted.
    """
    dates = map(int, filter(bytes.isdigit, objects.git("log", "--format=%at", last).out.split() if last else ()))
    return max((date for date in dates if judge.now is None or date <= judge.now + CLOCKS_WRONG), default=0)


def _merge(commit: Commit) -> NotAllowed:
    why = phrase("commit {commit} is a merge, but games are never merged", commit=commit.oid[:10])
    return NotAllowed(why, hint=phrase("play the move again"))


def between(objects: Objects, old: str, new: str, most: int | None = None) -> list[Commit]:
    """Return the commits after *old* up to *new*, oldest first: a single line, without merges, and *most* at once."""
    chain: list[Commit] = []
    oid = new
    while oid != old:
        if len(chain) == most:
            raise NotAllowed(f"these are more than {most} commits", hint="push fewer commits at once")
        commit = objects.commit(oid)
        if len(commit.parents) > 1:
            raise _merge(commit)
        chain.append(commit)
        if not commit.parents:
            break
        oid = commit.parents[0]
    if old and (not chain or chain[-1].parents != (old,)) and new != old:
        why = phrase("{new} does not build on {old}, and would rewrite history", new=new[:10], old=old[:10])
        raise Stale(why, hint=phrase(THEN_AGAIN, command="git pull --ff-only"))
    return chain[::-1]


def _published(objects: Objects, new: str, judge: Judge) -> bytes:
    """Return the secret that the game in a commit publishes, or b""; the caller checks whether it is the right one."""
    with suppress(PbemError):
        data = read_file(objects, objects.entries(objects.commit(new).tree), judge.game)
        text = formats.decode(data, name=judge.game)
        found = re.search(r"""^\s*"?secret"?\s*[=:]\s*"([0-9a-f]{64})",?$""", text, re.MULTILINE)
        return bytes.fromhex(found[1]) if found else b""
    return b""


# The first commit


def _first_commit(objects: Objects, tree: str, proof: Proof, commit: str = "") -> Point:
    """Return the game of a first commit: proved from its first line, and with only plain files beside it."""
    check_plain(objects, tree)
    point = _point(objects, tree, proof.judge, commit)
    record, name = point.record, proof.judge.game
    if game_files.text_again(point.game, record).encode() != point.read(name):
        raise not_ours(name)
    if MINUTES in point.entries:
        raise NotAllowed(f"{MINUTES} is there before anybody has said anything", path=MINUTES)
    if record.chance.kind == SHARED and (record.log or len(record.chance.joined) != 1):
        raise NotAllowed("a shared game begins with one player, and every other one joins by a commit", path=name)
    begins = all(entry.by == CHANCE for entry, _ in record.history)
    try:
        secret = proof.secret_of(record, alone=begins)
    except NotAllowed as refused:
        refused.message = "the beginning of the game must be pushed alone"
        refused.hint = "the keeper of the server can fetch a game with moves: git fetch CLONE main:main"
        raise
    if secret is not None:
        audit(record, secret)
    return point
