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
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import formats, game_files, loading, rulings, secrets
from pbem.errors import Broken, NotAllowed, NotSigned, NotUnderstood, PbemError, Stale
from pbem.first_sparks.adjudicator import Entry, who_decides
from pbem.first_sparks.chance import draws as chance
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.proof import audit, followed, parse_entry
from pbem.first_sparks.record import SHARED, Record, carried_on
from pbem.first_sparks.state import CHANCE
from pbem.git import remembered
from pbem.git.contents import check_change, check_plain, read_file
from pbem.git.judges import Judge, Proof
from pbem.git.repository import Commit, Held, NotHere, Objects, shown
from pbem.git.sharing import after_commit, after_joining, in_short, who_joins
from pbem.git.signing import ALLOWED_SIGNERS, HOST, check_signature
from pbem.git.template import PAGE, README, is_ours, page, readme
from pbem.grammar import listed
from pbem.loading import GameFile, Submission

MOST_COMMITS: Final = 2000
MOST_TOLD: Final = 10  # lines of a commit that are told one by one
FEW: Final = 8  # commits that are read one by one
_LOG: Final = re.compile(r'^(?:log =|  "log":) \[\n((?:    "[^"\\\n]+",?\n)+) *\]', re.MULTILINE)


class JudgedMove(NamedTuple):
    """A commit that is a move: its id, who made it (a colour or ``host``), the log lines that it adds.

    Without lines the player has *joined*, or it publishes the secret of a game that is over, or has *deleted* the page
    of that name.
    """

    commit: str
    by: str
    lines: tuple[str, ...]
    deleted: str = ""
    joined: bool = False

    def __str__(self) -> str:
        return told(self.lines, self.deleted, self.by if self.joined else "")


def told(lines: Sequence[str], deleted: str, joined: str = "") -> str:
    """Return what a commit did: its log lines, or what it did instead."""
    did, said = (f"{joined} joins",) if joined else (), list(map(in_short, lines))
    if len(said) > MOST_TOLD:
        kept = [line for line in said if line.split(" ")[1] != CHANCE or " * draw " in f" {line}"]
        said = [*kept[: MOST_TOLD - 1], f"{len(said) - min(len(kept), MOST_TOLD - 1)} more, up to {said[-1]}"]
    return "; ".join((*did, *said)) or (f"{deleted} deleted" if deleted else "the secret")


class _Point(NamedTuple):
    """The game in a commit: the folder, the game file, the accepted keys."""

    entries: dict[str, Held]
    game: GameFile
    signers: bytes | None


def compare(objects: Objects, old: str, new: str, judge: Judge) -> tuple[JudgedMove, ...]:
    """Return the moves of the commits after *old* up to *new*, oldest first; without *old*, of the whole game.

    Raises what is wrong with the first commit that is not a move.
    """
    chain = between(objects, old, new)
    steps: list[JudgedMove] = []
    for commit, found in judged(objects, chain, old, judge, _published(objects, new, judge)):
        if isinstance(found, PbemError):
            found.message = f"commit {commit.oid[:10]}: {found.message}"
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
    point = _point(objects, objects.commit(old).tree, judge) if old else None
    proof = Proof(judge, len(chain) == 1, published)
    for commit in chain:
        try:
            if len(commit.parents) > 1:
                raise _merge(commit)
            if point is None:
                point = _first_commit(objects, commit.tree, proof)
                step = JudgedMove(commit.oid, HOST, point.game.record.log)
            else:
                vouched = partial(_check_signed, commit, point.signers, again=judge.asks_again)
                point, step = _moved(objects, point, commit.tree, proof, vouched)
        except NotHere:
            raise
        except PbemError as error:
            yield commit, error
            with suppress(PbemError):
                point = _point(objects, commit.tree, judge)
        else:
            yield commit, step._replace(commit=commit.oid)


def compare_staged(objects: Objects, judge: Judge) -> JudgedMove:
    """Return the move that is staged; it cannot be signed yet."""
    written = objects.git("write-tree")
    if written.status:
        raise NotAllowed("the staged changes cannot be committed", hint="git status shows why; games are never merged")
    head = objects.git("rev-parse", "--verify", "--quiet", "HEAD")
    if head.status:
        return JudgedMove("", HOST, _first_commit(objects, written.line, Proof(judge)).game.record.log)
    point = _point(objects, objects.commit(head.line).tree, judge)
    return _moved(objects, point, written.line, Proof(judge), lambda _: None)[1]


def _check_signed(commit: Commit, signers: bytes | None, who: str, *, again: bool) -> None:
    if signers is not None:
        check_signature(commit, signers, who, again=again)


def _merge(commit: Commit) -> NotAllowed:
    return NotAllowed(f"commit {commit.oid[:10]} is a merge, but games are never merged", hint="play the move again")


def between(objects: Objects, old: str, new: str) -> list[Commit]:
    """Return the commits after *old* up to *new*, oldest first: a single line, without merges."""
    chain: list[Commit] = []
    oid = new
    while oid != old:
        if len(chain) == MOST_COMMITS:
            raise NotAllowed(f"these are more than {MOST_COMMITS} commits", hint="push fewer commits at once")
        if len(chain) == FEW:
            objects.read_ahead(old, oid)
        commit = objects.commit(oid)
        if len(commit.parents) > 1:
            raise _merge(commit)
        chain.append(commit)
        if not commit.parents:
            break
        oid = commit.parents[0]
    if old and (not chain or chain[-1].parents != (old,)) and new != old:
        hint = "git pull --ff-only, then play again"
        raise Stale(f"{new[:10]} does not build on {old[:10]}, and would rewrite history", hint=hint)
    return chain[::-1]


def _point(objects: Objects, tree: str, judge: Judge) -> _Point:
    """Return the game in an accepted commit."""
    entries = objects.entries(tree)
    text = formats.decode(read_file(objects, entries, judge.game), name=judge.game)
    signers = read_file(objects, entries, ALLOWED_SIGNERS) if ALLOWED_SIGNERS in entries else None
    if judge.signed and signers is None:
        hint = f"begin a game with pbem git init --key PLAYER=FILE, which writes {ALLOWED_SIGNERS}"
        raise NotSigned("moves must be signed, but this game was begun without keys", path=ALLOWED_SIGNERS, hint=hint)
    form = remembered.form(text)
    game = loading.file_in(text, Path(judge.game), sound=not judge.asks_again and remembered.is_known(form))
    if not judge.asks_again:
        remembered.remember(form)
    return _Point(entries, game, signers)


def _published(objects: Objects, new: str, judge: Judge) -> bytes:
    """Return the secret that the game in a commit publishes, or b""; the caller checks whether it is the right one."""
    with suppress(PbemError):
        data = read_file(objects, objects.entries(objects.commit(new).tree), judge.game)
        text = formats.decode(data, name=judge.game)
        found = re.search(r"""^\s*"?secret"?\s*[=:]\s*"([0-9a-f]{64})",?$""", text, re.MULTILINE)
        return bytes.fromhex(found[1]) if found else b""
    return b""


# The first commit


def _first_commit(objects: Objects, tree: str, proof: Proof) -> _Point:
    """Return the game of a first commit: proved from its first line, and with only plain files beside it."""
    check_plain(objects, tree)
    point = _point(objects, tree, proof.judge)
    record, name = point.game.record, proof.judge.game
    if _written(point.game, record).encode() != read_file(objects, point.entries, name):
        raise _not_ours(name)
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


# A move


def _moved(
    objects: Objects, before: _Point, tree: str, proof: Proof, vouched: Callable[[str], None]
) -> tuple[_Point, JudgedMove]:
    """Return the game after a commit that is one submission, and the move; *vouched* checks first who made it."""
    entries, game, name = objects.entries(tree), before.game, before.game.path.name
    over = isinstance(game.record.state.phase, Ended)
    for path in sorted(before.entries.keys() | entries.keys()):
        if before.entries.get(path) != entries.get(path):
            check_change(path, before.entries.get(path), entries.get(path), name, over=over)
    if before.entries[name] == entries[name]:
        if PAGE not in before.entries.keys() - entries.keys():
            raise NotAllowed(f"{name} is unchanged, so the commit has no move", path=name)
        by = _deleter(game.record, vouched)
        _check_pages(objects, before, entries, game.record)
        return before._replace(entries=entries), JudgedMove("", by, (), PAGE)
    data = read_file(objects, entries, name)
    text = formats.decode(data, name=name)
    written = _LOG.search(text)  # as we write it; what else is there is compared to the byte below
    theirs = {"log": re.findall('"(.+)"', written[1])} if written else _data_in(text, name)
    added = _added(game.record, theirs)
    if game.record.missing:
        by, value = who_joins(game.record, _data_in(text, name))
        vouched(by)
        record = after_joining(game.record, by, value, added)
    else:
        by = _maker(game.record, added)
        vouched(by)
        record = _judged(game, by, added) if added else _revealed(game.record, _data_in(text, name))
    ours = _written(game, record)
    if ours.encode() != data:
        theirs = _data_in(text, name)
        _added(game.record, theirs)
        _tell_difference(_data_in(ours, name), theirs, len(game.record.log))
        raise _not_ours(name)
    if not proof.judge.asks_again:
        remembered.remember(remembered.form(ours))
    _check_pages(objects, before, entries, record)
    if by == HOST and added:
        _check_drawn(game.record, record, proof, signed=before.signers is not None)
    step = JudgedMove("", by, record.log[len(game.record.log) :], joined=bool(game.record.missing))
    return before._replace(entries=entries, game=game._replace(record=record)), step


def _data_in(text: str, name: str) -> dict[str, Any]:
    return formats.parse(text, loading.format_in(text), name=name)


def _check_pages(objects: Objects, before: _Point, entries: dict[str, Held], record: Record) -> None:
    """Raise NotAllowed unless what people read is as we write it: the README, if it is ours, and an added page.

    A README is linked with the page of the game if that is there. No move has to add it: an older pbem did not.
    """
    name, linked = before.game.path.name, False
    is_new = PAGE in entries.keys() - before.entries.keys()
    is_replaced = before.entries.get(README) != entries.get(README)
    if PAGE in entries and (is_new or is_replaced):
        drawn = page(record)
        linked = bool(drawn) and read_file(objects, entries, PAGE) == drawn.encode()
    if is_new and not linked:
        if not isinstance(record.state.phase, Ended):
            raise NotAllowed(f"{PAGE} was added, but the game is not over", path=PAGE)
        raise _not_ours(PAGE)
    if is_replaced:
        if not is_ours(read_file(objects, before.entries, README).decode(errors="replace"), record, name):
            raise NotAllowed(f"{README} is the group's own page, and a move must not change it", path=README)
        if read_file(objects, entries, README) != readme(record, name, linked=linked).encode():
            raise _not_ours(README)


def _deleter(record: Record, vouched: Callable[[str], None]) -> str:
    """Return who deleted the page of a game that is over: anybody who can sign may do so."""
    for who in (HOST, *(colour for colour, _ in record.players)):
        with suppress(NotSigned):
            vouched(who)
            return who
    raise NotSigned("the commit deletes a file, and must be signed by the host or a player of the game")


def _added(record: Record, data: dict[str, Any]) -> tuple[Entry, ...]:
    """Return the entries that the log of the new game file adds to the record."""
    log = data.get("log")
    if not formats.is_list(log) or not all(isinstance(line, str) for line in log):
        raise NotUnderstood("the log is not a list of lines", path="log")
    for number, (line, now) in enumerate(zip(record.log, log, strict=False), 1):
        if line != now:
            raise Broken(f"line {number} of the log was rewritten", path=f"log[{number - 1}]")
    if len(log) < len(record.log):
        raise Broken(f"line {len(log) + 1} of the log is missing", path=f"log[{len(log)}]")
    try:
        return tuple(map(parse_entry, log[len(record.log) :]))
    except NotUnderstood as wrong:
        raise NotUnderstood(f"a new line of the log is not valid: {wrong.message}", path="log") from None


def _maker(record: Record, added: tuple[Entry, ...]) -> str:
    """Return who must have made a submission: the player who orders, or the host for draws and the secret."""
    players = sorted({entry.by for entry in added if entry.by != CHANCE})
    if len(players) > 1:
        raise NotAllowed(f"the commit has orders of {shown(listed(players))}, but must be a single submission")
    if players and players[0] not in dict(record.players):
        raise NotUnderstood(f"no player has the colour {players[0][:80]!a}", path="log")
    return players[0] if players else HOST


def _judged(game: GameFile, by: str, added: tuple[Entry, ...]) -> Record:
    """Return the record after the orders, with the draws that follow if anybody can make them; or after draws alone."""
    if by == HOST:
        return _drawn(game.record, tuple(map(str, added)))
    if game.record.chance.kind == SHARED:
        return after_commit(game.record, by, added, game.path.name)
    lines = [str(entry.move) for entry in added if entry.by != CHANCE]
    submission = Submission(loading.order_lines(lines, game.path.name).orders, player=by)
    draw = secrets.draws_of(game.record, game.path) if game.record.chance.secret else None
    return rulings.judge(game.record, submission, draw).record


def _drawn(record: Record, added: tuple[str, ...]) -> Record:
    """Return the record after possible draws; whether they are right is checked last."""
    after, _ = followed(record, added)
    if who_decides(after.state) == CHANCE or carried_on(after, None)[1]:
        raise Broken("draws are missing before a player decides", path="log")
    return after


def _check_drawn(before: Record, after: Record, proof: Proof, *, signed: bool) -> None:
    """Raise an error unless the secret proves the draws, or the host's signature until the secret is published.

    The error does not say which draw is wrong, since that would confirm those before it.
    """
    secret = proof.secret_of(before, signed=signed)
    if secret is not None:
        if carried_on(before, secrets.draws_from(before.game, partial(bytes, secret)))[0].log != after.log:
            raise Broken("the draws are not what the secret yields", path="log")
    elif not proof.judge.believes(signed=signed):
        raise NotAllowed(
            "the draws cannot be checked here: there is neither the secret nor a signature of the host",
            hint="keep the secret where commits are checked, or begin the game with keys for all players and the host",
        )


def _revealed(record: Record, data: dict[str, Any]) -> Record:
    """Return the record with its secret published: the only change without a new line in the log."""
    said = data.get("chance")
    secret = said.get("secret") if formats.is_table(said) else None
    if (
        isinstance(record.state.phase, Ended)
        and record.chance.kind == "sealed"
        and not record.chance.secret
        and isinstance(secret, str)
    ):
        digits = re.fullmatch("[0-9a-f]{64}", secret)  # a game file has no other form of them
        if digits and chance.commitment(bytes.fromhex(secret)) == record.chance.commitment:
            return record._replace(chance=record.chance._replace(secret=secret))
    return record


def _tell_difference(ours: dict[str, Any], theirs: dict[str, Any], known: int) -> None:
    """Raise Broken for the first difference between the new game file and what its log leads to, if the data differ.

    The error does not say what we have instead: it might be a draw that a guesser wants to know.
    """
    lines, said = ours["log"][known:], theirs["log"][known:]
    for number, line in enumerate(said):
        if lines[number : number + 1] != [line]:
            where = known + number
            raise Broken(f"line {where + 1} of the log does not follow from the lines before it", path=f"log[{where}]")
    if len(lines) > len(said):
        raise Broken(f"the log ends at line {known + len(said)}, but more follows without an order", path="log")
    for key, value in ours.items():
        there = theirs.get(key)
        if formats.is_table(value) and formats.is_table(there):
            part = next((f".{part}" for part in value if value[part] != there.get(part)), "")
        else:
            part = ""
        if value != there:
            raise Broken(f"{key}{part} does not match the log", path=f"{key}{part}")


def _written(game: GameFile, record: Record) -> str:
    """Return the game file as we ourselves would write it."""
    return game_files.text_of(record, formats.format_of(game.path, game.form), game.schema or game_files.GAME_SCHEMA)


def _not_ours(name: str) -> NotAllowed:
    hint = "make moves with pbem git move; all players need the same version of pbem"
    return NotAllowed(f"{name} is not as pbem writes it", path=name, hint=hint)
