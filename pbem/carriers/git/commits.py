"""What one commit does to a game: judged on the game before it, and compared with what we ourselves would write."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, NamedTuple

from pbem import formats, game_files, loading, rulings, secrets
from pbem.carriers.git.contents import CHANGED, check_change, read_file
from pbem.carriers.git.judges import Proof
from pbem.carriers.git.point import Point, game_after, signers_after
from pbem.carriers.git.public import at_the_table
from pbem.carriers.git.repository import Commit, Held
from pbem.carriers.git.sharing import after_commit, after_joining, in_short, who_joins
from pbem.carriers.git.signing import ALLOWED_SIGNERS, check_new_keys, check_own_signature, void_for, with_short_keys
from pbem.carriers.git.template import PAGE, README, is_ours, page, readme
from pbem.errors import Broken, NotAllowed, NotSigned, NotUnderstood, PbemError, Stale
from pbem.first_sparks.adjudicator import Entry, who_decides
from pbem.first_sparks.chance import draws as chance
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.play import carried_on
from pbem.first_sparks.proof import followed, parse_entry
from pbem.first_sparks.record import HEAD_DIGITS, SHARED, Record, shared_lines
from pbem.first_sparks.state import CHANCE
from pbem.formats import shown
from pbem.grammar import listed
from pbem.loading import GameFile, Submission
from pbem.locale import phrase, tr
from pbem.table.lines import HOST, MINUTES, MOST_SAID, Says, TableLine, Utterance
from pbem.table.minutes import Minutes, read_lines, read_minutes, seated, text_of
from pbem.table.motions import check, check_goes_on

MOST_TOLD: Final = 10  # lines of a commit that are told one by one
_SAYS_TOO_MUCH: Final = "a commit says at most {n} lines, and decides one thing before them"
_OWN_PAGE: Final = "{path} is the group's own page, and a move must not change it"
_ORDERS_OF: Final = "the commit has orders of {players}, but must be a single submission"


class JudgedMove(NamedTuple):
    """A commit that is a move: its id, who made it (a colour or ``host``), the log lines that it adds.

    Without lines the player has *joined*, or it publishes the secret of a game that is over, or has *deleted* the page
    of that name. *spoken* is what was said or decided at the table.
    """

    commit: str
    by: str
    lines: tuple[str, ...]
    deleted: str = ""
    joined: bool = False
    spoken: tuple[str, ...] = ()
    length: int = 0  # of the log after it

    def __str__(self) -> str:
        return told(self.lines, self.deleted, self.by if self.joined else "", self.spoken)


def told(lines: Sequence[str], deleted: str, joined: str = "", spoken: Sequence[str] = ()) -> str:
    """Return what a commit did: its log lines, or what it did instead, and what was said in it."""
    did, said = (f"{joined} joins",) if joined else (), list(map(in_short, lines))
    if len(said) > MOST_TOLD:
        kept = [line for line in said if line.split(" ")[1] != CHANCE or " * draw " in f" {line}"]
        left = len(said) - min(len(kept), MOST_TOLD - 1)
        said = [*kept[: MOST_TOLD - 1], tr("{n} more, up to {line}").format(n=left, line=said[-1])]
    return "; ".join((*did, *said, *map(with_short_keys, spoken))) or (
        tr("{file} deleted").format(file=deleted) if deleted else tr("the secret")
    )


class Attempt(NamedTuple):
    """An attempt at a move: the game before it, the entries after it, and its commit, None before that is made."""

    before: Point
    entries: dict[str, Held]
    proof: Proof
    commit: Commit | None = None

    @property
    def time(self) -> int:
        """When it was made, in seconds since 1970."""
        return self.commit.time if self.commit else self.proof.judge.now or 0

    def read(self, name: str) -> bytes:
        """Return the content of a file after it; raises like ``read_file``."""
        return read_file(self.before.objects, self.entries, name)

    def differs(self, name: str) -> bool:
        """Return whether it adds, removes or replaces the file."""
        return self.before.entries.get(name) != self.entries.get(name)

    def check_signed(self, by: str, said: Utterance | None = None) -> None:
        """Raise NotSigned unless it is signed by that player or the host, as far as it can be."""
        if self.commit is not None and self.before.signers is not None:
            void = void_for(by, said, self.before.minutes, self.time)
            check_own_signature(self.commit, self.before.signers, by, void, again=self.proof.judge.is_strict)


def moved(attempt: Attempt) -> tuple[Point, JudgedMove]:
    """Return the game after a commit that is one submission, or a matter of the table, and what it is."""
    before, entries, proof = attempt.before, attempt.entries, attempt.proof
    game, name = before.game, before.game.path.name
    over = isinstance(game.record.state.phase, Ended)
    for path in filter(attempt.differs, sorted(before.entries.keys() | entries.keys())):
        check_change(path, before.entries.get(path), entries.get(path), name, over=over)
    said = _said(attempt)
    decided = bool(said) and not isinstance(said[0].said, Says)
    if attempt.differs(ALLOWED_SIGNERS) and not decided:
        raise NotAllowed(phrase(CHANGED, path=ALLOWED_SIGNERS, game=name, readme=README))
    minutes = _heard(said, attempt)
    signers = before.signers
    if decided:
        by, record, signers = said[0].by, game_after(game, said[0]), signers_after(signers, said[0], before.minutes)
        is_same = record is game.record and not attempt.differs(name)
        if not is_same and game_files.text_again(game, record).encode() != attempt.read(name):
            raise Broken(f"{name} is not what follows from what was decided", path=name)
    elif attempt.differs(name):
        by, record = _submitted(attempt)
        if said and said[0].by != by:
            raise NotAllowed(phrase("an order and what is said with it must be of one player"), path=MINUTES)
    elif said:
        by, record = said[0].by, game.record
    elif PAGE in before.entries.keys() - entries.keys():
        by, record = _deleter(attempt), game.record
    else:
        raise NotAllowed(phrase("{path} is unchanged, so the commit has no move", path=name), path=name)
    if (attempt.differs(ALLOWED_SIGNERS) or signers != before.signers) and attempt.read(ALLOWED_SIGNERS) != signers:
        raise Broken(f"{ALLOWED_SIGNERS} is not what follows from what was decided", path=ALLOWED_SIGNERS)
    _check_pages(attempt, record, minutes)
    shared = shared_lines(game.record.log, record.log)
    if by == HOST and not decided and len(record.log) > shared:
        _check_drawn(game.record, record, proof, signed=before.signers is not None)
    joins = bool(game.record.missing) and record is not game.record
    deleted = PAGE if PAGE in before.entries.keys() - entries.keys() else ""
    words = tuple(line.words for line in said)
    oid = attempt.commit.oid if attempt.commit else ""
    step = JudgedMove(oid, by, record.log[shared:], deleted, joins, words, len(record.log))
    return Point(before.objects, oid, entries, game._replace(record=record), signers, minutes), step


def _said(attempt: Attempt) -> tuple[TableLine, ...]:
    """Return the lines that a commit adds to the minutes; raises Broken if it changes others."""
    if not attempt.differs(MINUTES):
        return ()
    known, game, data = attempt.before.minutes, attempt.before.record.game, attempt.read(MINUTES)
    kept = text_of(known, game).encode()
    if not data.startswith(kept) or len(data) == len(kept):
        read_minutes(formats.decode(data, name=MINUTES), game)
        raise Broken(f"an earlier line of {MINUTES} was changed", path=MINUTES)
    text = formats.decode(data[len(kept) :], name=MINUTES)
    if not data.endswith(b"\n") or text.encode() != data[len(kept) :]:
        raise not_ours(MINUTES)
    return read_lines(text, len(known.lines) + 2)


def _heard(said: tuple[TableLine, ...], attempt: Attempt) -> Minutes:
    """Return the minutes after new lines; raises NotSigned, NotAllowed or Illegal if they may not be written."""
    before = attempt.before
    if not said:
        return before.minutes
    minutes, record, by = before.minutes, before.record, said[0].by
    attempt.check_signed(by, said[0].said)
    if len(said) > MOST_SAID or any(not isinstance(line.said, Says) for line in said[1:]):
        raise NotAllowed(phrase(_SAYS_TOO_MUCH, n=MOST_SAID), path=MINUTES)
    for line in said:
        if line.by != by:
            raise NotAllowed(phrase("a commit has the words of one player"), path=MINUTES)
        if (line.turn, line.head) != (record.turn, record.head[:HEAD_DIGITS]):
            raise Stale(phrase("what was said was written at another turn of the game"), path=MINUTES)
        if attempt.commit and attempt.commit.time != line.time:
            raise Broken(f"a new line of {MINUTES} does not have the time of its commit", path=MINUTES)
        check(line, before.meeting._replace(minutes=minutes))
        check_new_keys(line, before.signers, minutes)
        minutes = minutes.after(line)
    return minutes


def _submitted(attempt: Attempt) -> tuple[str, Record]:
    """Return who has made a submission, and the game after it, as the file has it."""
    game, name = attempt.before.game, attempt.before.game.path.name
    data = attempt.read(name)
    theirs = _data_in(formats.decode(data, name=name), name)
    added = _added(game.record, theirs)
    if game.record.missing:
        by, value = who_joins(game.record, theirs)
        attempt.check_signed(by)
        record = after_joining(game.record, by, value, added)
    else:
        by = _maker(game.record, added)
        attempt.check_signed(by)
        if by != HOST:
            check_goes_on(attempt.before.minutes)
        record = _judged(game, by, added) if added else _revealed(game.record, theirs)
    ours = game_files.text_again(game, record)
    if ours.encode() != data:
        _tell_difference(_data_in(ours, name), theirs, len(game.record.log))
        raise not_ours(name)
    return by, record


def _data_in(text: str, name: str) -> dict[str, Any]:
    return formats.parse(text, loading.format_in(text), name=name)


def _check_pages(attempt: Attempt, record: Record, minutes: Minutes) -> None:
    """Raise NotAllowed unless what people read is as we write it: the README, if it is ours, and an added page.

    A README is linked with the page of the game if that is there. No move has to add it: an older pbem did not.
    """
    before, name, linked = attempt.before, attempt.before.game.path.name, False
    is_new = PAGE in attempt.entries.keys() - before.entries.keys()
    if PAGE in attempt.entries and (is_new or attempt.differs(README)):
        drawn = page(record)
        linked = bool(drawn) and attempt.read(PAGE) == drawn.encode()
    if is_new and not linked:
        if not isinstance(record.state.phase, Ended):
            raise NotAllowed(phrase("{path} was added, but the game is not over", path=PAGE), path=PAGE)
        raise not_ours(PAGE)
    if attempt.differs(README):
        if not is_ours(before.read(README).decode(errors="replace"), record, name):
            raise NotAllowed(phrase(_OWN_PAGE, path=README), path=README)
        waits = at_the_table(record, minutes, attempt.time)
        if attempt.read(README) != readme(seated(record, minutes), name, waits, linked=linked).encode():
            raise not_ours(README)


def _deleter(attempt: Attempt) -> str:
    """Return who deleted the page of a game that is over: anybody who can sign may do so."""
    for who in (HOST, *(colour for colour, _ in attempt.before.record.players)):
        with suppress(NotSigned):
            attempt.check_signed(who)
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
        raise NotAllowed(phrase(_ORDERS_OF, players=shown(listed(players))))
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


def pages(
    point: Point, after: Record, minutes: Minutes, waits: Sequence[str], is_free: Callable[[], bool] = lambda: True
) -> dict[str, str]:
    """Return what people read of a game after it has gone on, by name: the README, and when it ends its page.

    Without what the group has made itself: its own README, or a page of its own in a place that *is_free* for ours.
    After the end a page that is not there has been deleted.
    """
    name, drawn, is_there = point.game.path.name, page(after), PAGE in point.entries
    is_new = bool(drawn) and not is_there and not isinstance(point.record.state.phase, Ended) and is_free()
    linked = is_new or (bool(drawn) and is_there and point.read(PAGE) == drawn.encode())
    written = {PAGE: drawn} if is_new else {}
    with suppress(PbemError):
        if is_ours(point.read(README).decode(errors="replace"), point.record, name):
            written[README] = readme(seated(after, minutes), name, waits, linked=linked)
    return written


def not_ours(name: str) -> NotAllowed:
    """Return the error for a file that nobody but pbem could have meant to write."""
    hint = phrase("make moves with {command}; all players need the same version of pbem", command="pbem git move")
    return NotAllowed(phrase("{path} is not as pbem writes it", path=name), path=name, hint=hint)
