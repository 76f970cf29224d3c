"""What one commit does to a game: judged on the game before it, and compared with what we ourselves would write."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import formats, game_files, loading, rulings, secrets
from pbem.carriers.git.contents import CHANGED, check_change, read_file
from pbem.carriers.git.effects import game_after, signers_after
from pbem.carriers.git.judges import Judge, Proof
from pbem.carriers.git.public import at_the_table
from pbem.carriers.git.repository import Held, Objects, shown
from pbem.carriers.git.sharing import after_commit, after_joining, in_short, who_joins
from pbem.carriers.git.signing import ALLOWED_SIGNERS, Void, void_for, with_short_keys
from pbem.carriers.git.template import PAGE, README, is_ours, page, readme
from pbem.errors import Broken, NotAllowed, NotSigned, NotUnderstood, Stale
from pbem.first_sparks.adjudicator import Entry, who_decides
from pbem.first_sparks.chance import draws as chance
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.play import carried_on
from pbem.first_sparks.proof import followed, parse_entry
from pbem.first_sparks.record import HEAD_DIGITS, SHARED, Record, shared_lines
from pbem.first_sparks.state import CHANCE
from pbem.grammar import listed
from pbem.loading import GameFile, Submission
from pbem.locale import phrase, tr
from pbem.table.lines import HOST, MINUTES, MOST_SAID, Says, TableLine
from pbem.table.minutes import Meeting, Minutes, read_lines, read_minutes, text_of
from pbem.table.motions import check, check_goes_on

MOST_TOLD: Final = 10  # lines of a commit that are told one by one
_SAYS_TOO_MUCH: Final = "a commit says at most {n} lines, and decides one thing before them"
_OWN_PAGE: Final = "{path} is the group's own page, and a move must not change it"
_ORDERS_OF: Final = "the commit has orders of {players}, but must be a single submission"
_LOG: Final = re.compile(r'^(?:log =|  "log":) \[\n((?:    "[^"\\\n]+",?\n)+) *\]', re.MULTILINE)


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


class Point(NamedTuple):
    """The game in a commit: the folder, the game file, the accepted keys, the minutes."""

    entries: dict[str, Held]
    game: GameFile
    signers: bytes | None
    minutes: Minutes


def point_of(objects: Objects, tree: str, judge: Judge) -> Point:
    """Return the game in an accepted commit."""
    entries = objects.entries(tree)
    text = formats.decode(read_file(objects, entries, judge.game), name=judge.game)
    signers = read_file(objects, entries, ALLOWED_SIGNERS) if ALLOWED_SIGNERS in entries else None
    if judge.signed and signers is None:
        hint = f"begin a game with pbem git init --key PLAYER=FILE, which writes {ALLOWED_SIGNERS}"
        raise NotSigned("moves must be signed, but this game was begun without keys", path=ALLOWED_SIGNERS, hint=hint)
    game = loading.file_in(text, Path(judge.game))
    return Point(entries, game, signers, minutes_in(objects, entries, game.record.game))


def minutes_in(objects: Objects, entries: dict[str, Held], game: str) -> Minutes:
    """Return the minutes that a commit keeps; without a file, nothing has been said."""
    return (
        read_minutes(formats.decode(read_file(objects, entries, MINUTES), name=MINUTES), game)
        if MINUTES in entries
        else Minutes()
    )


def since(objects: Objects, commit: str, name: str) -> int:
    """Return since when the game is where it is in a commit, in seconds since 1970, by the dates of the commits."""
    now = objects.commit(commit)
    held = objects.entries(now.tree)[name]
    while now.parents:
        before = objects.commit(now.parents[0])
        if objects.entries(before.tree).get(name) != held:
            return max(now.time, before.time)
        now = before
    return now.time


class Circumstances(NamedTuple):
    """How a commit was made: *vouched* checks who made it, *since* tells when the player was asked, *time* is its own.

    *vouched* takes who must have made it, and a key that does not count. It has no time before it is made.
    """

    vouched: Callable[[str, Void], None]
    since: Callable[[], int]
    time: int | None = None


def moved(objects: Objects, before: Point, tree: str, proof: Proof, made: Circumstances) -> tuple[Point, JudgedMove]:
    """Return the game after a commit that is one submission, or a matter of the table, and what it is."""
    entries, game, name = objects.entries(tree), before.game, before.game.path.name
    over = isinstance(game.record.state.phase, Ended)
    for path in sorted(before.entries.keys() | entries.keys()):
        if before.entries.get(path) != entries.get(path):
            check_change(path, before.entries.get(path), entries.get(path), name, over=over)
    said = _said(objects, before, entries)
    decided = bool(said) and not isinstance(said[0].said, Says)
    is_changed = before.entries.get(ALLOWED_SIGNERS) != entries.get(ALLOWED_SIGNERS)
    if is_changed and not decided:
        raise NotAllowed(phrase(CHANGED, path=ALLOWED_SIGNERS, game=name, readme=README))
    minutes = _heard(said, before, made)
    signers = before.signers
    if decided:
        by, record, signers = said[0].by, game_after(game, said[0]), signers_after(signers, said[0], before.minutes)
        is_same = record is game.record and before.entries[name] == entries[name]
        if not is_same and written_text(game, record).encode() != read_file(objects, entries, name):
            raise Broken(f"{name} is not what follows from what was decided", path=name)
    elif before.entries[name] != entries[name]:
        by, record = _submitted(objects, before, entries, made)
        if said and said[0].by != by:
            raise NotAllowed(phrase("an order and what is said with it must be of one player"), path=MINUTES)
    elif said:
        by, record = said[0].by, game.record
    elif PAGE in before.entries.keys() - entries.keys():
        by, record = _deleter(before, made), game.record
    else:
        raise NotAllowed(phrase("{path} is unchanged, so the commit has no move", path=name), path=name)
    if (is_changed or signers != before.signers) and read_file(objects, entries, ALLOWED_SIGNERS) != signers:
        raise Broken(f"{ALLOWED_SIGNERS} is not what follows from what was decided", path=ALLOWED_SIGNERS)
    time = made.time if made.time is not None else proof.judge.now or 0
    _check_pages(objects, before, entries, record, at_the_table(record, minutes, time))
    shared = shared_lines(game.record.log, record.log)
    if by == HOST and not decided and len(record.log) > shared:
        _check_drawn(game.record, record, proof, signed=before.signers is not None)
    joins = bool(game.record.missing) and record is not game.record
    deleted = PAGE if PAGE in before.entries.keys() - entries.keys() else ""
    words = tuple(line.words for line in said)
    step = JudgedMove("", by, record.log[shared:], deleted, joins, words, len(record.log))
    return Point(entries, game._replace(record=record), signers, minutes), step


def _said(objects: Objects, before: Point, entries: dict[str, Held]) -> tuple[TableLine, ...]:
    """Return the lines that a commit adds to the minutes; raises Broken if it changes others."""
    if entries.get(MINUTES) == before.entries.get(MINUTES):
        return ()
    known, data = before.minutes, read_file(objects, entries, MINUTES)
    kept = text_of(known, before.game.record.game).encode()
    if not data.startswith(kept) or len(data) == len(kept):
        minutes_in(objects, entries, before.game.record.game)
        raise Broken(f"an earlier line of {MINUTES} was changed", path=MINUTES)
    text = formats.decode(data[len(kept) :], name=MINUTES)
    if not data.endswith(b"\n") or text.encode() != data[len(kept) :]:
        raise not_ours(MINUTES)
    return read_lines(text, len(known.lines) + 2)


def _heard(said: tuple[TableLine, ...], before: Point, made: Circumstances) -> Minutes:
    """Return the minutes after new lines; raises NotSigned, NotAllowed or Illegal if they may not be written."""
    if not said:
        return before.minutes
    minutes, record, by = before.minutes, before.game.record, said[0].by
    made.vouched(by, void_for(by, said[0].said, minutes, said[0].time))
    if len(said) > MOST_SAID or any(not isinstance(line.said, Says) for line in said[1:]):
        raise NotAllowed(phrase(_SAYS_TOO_MUCH, n=MOST_SAID), path=MINUTES)
    for line in said:
        if line.by != by:
            raise NotAllowed(phrase("a commit has the words of one player"), path=MINUTES)
        if (line.turn, line.head) != (record.turn, record.head[:HEAD_DIGITS]):
            raise Stale(phrase("what was said was written at another turn of the game"), path=MINUTES)
        if made.time not in (None, line.time):
            raise Broken(f"a new line of {MINUTES} does not have the time of its commit", path=MINUTES)
        check(line, Meeting(record, minutes, before.signers is not None, made.since))
        minutes = minutes.after(line)
    return minutes


def _submitted(objects: Objects, before: Point, entries: dict[str, Held], made: Circumstances) -> tuple[str, Record]:
    """Return who has made a submission, and the game after it, as the file has it."""
    game, name = before.game, before.game.path.name
    data = read_file(objects, entries, name)
    text = formats.decode(data, name=name)
    written = _LOG.search(text)  # as we write it; what else is there is compared to the byte below
    theirs = {"log": re.findall('"(.+)"', written[1])} if written else _data_in(text, name)
    added = _added(game.record, theirs)
    if game.record.missing:
        by, value = who_joins(game.record, _data_in(text, name))
        made.vouched(by, _void(before, by, made))
        record = after_joining(game.record, by, value, added)
    else:
        by = _maker(game.record, added)
        made.vouched(by, _void(before, by, made))
        if by != HOST:
            check_goes_on(before.minutes)
        record = _judged(game, by, added) if added else _revealed(game.record, _data_in(text, name))
    ours = written_text(game, record)
    if ours.encode() != data:
        theirs = _data_in(text, name)
        _added(game.record, theirs)
        _tell_difference(_data_in(ours, name), theirs, len(game.record.log))
        raise not_ours(name)
    return by, record


def _void(before: Point, by: str, made: Circumstances) -> Void:
    return void_for(by, None, before.minutes, made.time or 0)


def _data_in(text: str, name: str) -> dict[str, Any]:
    return formats.parse(text, loading.format_in(text), name=name)


def _check_pages(
    objects: Objects, before: Point, entries: dict[str, Held], record: Record, waits: Sequence[str]
) -> None:
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
            raise NotAllowed(phrase("{path} was added, but the game is not over", path=PAGE), path=PAGE)
        raise not_ours(PAGE)
    if is_replaced:
        if not is_ours(read_file(objects, before.entries, README).decode(errors="replace"), record, name):
            raise NotAllowed(phrase(_OWN_PAGE, path=README), path=README)
        if read_file(objects, entries, README) != readme(record, name, waits, linked=linked).encode():
            raise not_ours(README)


def _deleter(before: Point, made: Circumstances) -> str:
    """Return who deleted the page of a game that is over: anybody who can sign may do so."""
    for who in (HOST, *(colour for colour, _ in before.game.record.players)):
        with suppress(NotSigned):
            made.vouched(who, _void(before, who, made))
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


def written_text(game: GameFile, record: Record) -> str:
    """Return the game file as we ourselves would write it."""
    return game_files.text_of(record, formats.format_of(game.path, game.form), game.schema or game_files.GAME_SCHEMA)


def not_ours(name: str) -> NotAllowed:
    """Return the error for a file that nobody but pbem could have meant to write."""
    hint = phrase("make moves with {command}; all players need the same version of pbem", command="pbem git move")
    return NotAllowed(phrase("{path} is not as pbem writes it", path=name), path=name, hint=hint)
