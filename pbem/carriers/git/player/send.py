"""Sending something through git: pull, judge, write, commit, push. Whatever fails, nothing is lost or half done."""

import os
import time
from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path
from typing import Final, NamedTuple

from pbem import files, game_files, interrupts, loading
from pbem.carriers.git import template
from pbem.carriers.git.clone import (
    Clone,
    Look,
    check_committed,
    check_known,
    check_unlocked,
    commit,
    drop,
    open_clone,
    pull,
    push,
    sending,
)
from pbem.carriers.git.commits import pages
from pbem.carriers.git.history import CommitNews
from pbem.carriers.git.history import since as news_since
from pbem.carriers.git.identity import known_player_in, no_longer, signing_key
from pbem.carriers.git.judges import Judge
from pbem.carriers.git.point import Point, point_of, signers_after
from pbem.carriers.git.public import at_the_table, public_text, replaced, replacing
from pbem.carriers.git.repository import Objects
from pbem.carriers.git.sharing import in_short, is_value
from pbem.carriers.git.signing import ALLOWED_SIGNERS, Void, check_own_signature, void_for, with_short_keys
from pbem.errors import NotAllowed, NotSigned, PbemError
from pbem.first_sparks.record import Record, shared_lines
from pbem.first_sparks.state import CHANCE
from pbem.grammar import plural
from pbem.locale import Phrase, phrase, speaking
from pbem.rulings import Ruling
from pbem.table.lines import HOST, MINUTES, TableLine
from pbem.table.minutes import Minutes, Motion, seated, text_of


class Judgement(NamedTuple):
    """What is to be committed, and which of it are answers of the plan of *player*; *said* goes into the minutes."""

    ruling: Ruling
    planned: tuple[str, ...] = ()
    player: str = ""
    subject: str = ""
    seen: bool = False  # only the player sees it, and nothing is committed yet
    said: tuple[TableLine, ...] = ()


class Tip(NamedTuple):
    """The commit on which a move is made: the clone, the game in it, the key that was given to sign with.

    *time* is that of the commit to be made, in seconds since 1970, and *date* the same as git takes it. *came* are the
    commits that were pulled only now.
    """

    clone: Clone
    point: Point
    key: str
    time: int
    date: str
    came: Sequence[CommitNews] = ()

    @property
    def minutes(self) -> Minutes:
        """The minutes in that commit."""
        return self.point.minutes

    def player(self, said: str) -> str:
        """Return the colour of the player who is *said*, or whose clone it is; raises NotUnderstood without one."""
        return known_player_in(self.clone, self.point, said, self.key)


class Pushed(NamedTuple):
    """A move that was made: on which commit, what it is, the lines that were pulled, its first line, its own commit.

    ``suspect`` are the pulled commits that are not moves, and ``waited`` the log lines of earlier commits that were
    sent only now.
    """

    tip: Tip
    judged: Judgement
    pulled: tuple[str, ...]
    waited: tuple[str, ...]
    suspect: tuple[CommitNews, ...] = ()
    subject: str = ""
    commit: str = ""

    @property
    def record(self) -> Record:
        """The game after it."""
        return self.judged.ruling.record

    @property
    def minutes(self) -> Minutes:
        """The minutes after it."""
        return reduce(Minutes.after, self.judged.said, self.tip.minutes)

    @property
    def log(self) -> tuple[str, ...]:
        """The lines that it adds to the log."""
        return self.record.log[shared_lines(self.tip.point.record.log, self.record.log) :]

    @property
    def goes_on(self) -> bool:
        """Whether the game has changed."""
        return self.record is not self.tip.point.record

    @property
    def replaced(self) -> Motion | None:
        """The motion of the player that is over with it."""
        return replaced(self.judged.said[0], self.tip.minutes, self.record) if self.judged.said else None


_CAME: Final = "{last} came in just now"
_MORE_CAME: Final = "{last} and {more} more came in just now"
_WRONG: Final = "commit {commit} by {author} is not a legal move: {why}"
_MORE_WRONG: Final = "commit {commit} by {author} is not a legal move: {why} (pbem git log shows {more} more)"
_REMOVE: Final = "nothing was done; remove that commit, or if it is right, git pull --ff-only and try again"

Judging = Callable[[Tip], Judgement]


def _suspicion(suspect: tuple[CommitNews, ...]) -> Phrase:
    """Return the message about commits that are not moves, the oldest of which is last."""
    first, more = suspect[-1], len(suspect) - 1
    holes = {"commit": first.commit[:10], "author": first.author, "why": first.wrong}
    return phrase(_MORE_WRONG, **holes, more=more) if more else phrase(_WRONG, **holes)


def send(name: str, judged: Judging, key: str, warn: Callable[[str], None] | None = None) -> Pushed:
    """Make the move that *judged* returns for the game.

    *warn* gets a message about incoming commits that are not moves, and we go on; without it they raise NotAllowed.
    """
    clone = open_clone(Path())
    check_known(clone)
    with clone.objects() as objects, speaking("en"):  # what is committed is the same for everybody
        return _sent(clone, objects, name, judged, key, warn)


def _sent(
    clone: Clone, objects: Objects, name: str, judged: Judging, key: str, warn: Callable[[str], None] | None
) -> Pushed:
    """Make the move in the clone; see ``send``."""
    came: list[CommitNews] = []

    def look(old: str, new: str) -> None:
        told = news_since(objects, old, new, _reader(name))
        came.extend(told)
        if suspect := _wrong(told):
            if warn is None:
                raise NotAllowed(_suspicion(suspect), hint=_REMOVE)
            warn(phrase("warning: {what}", what=_suspicion(suspect)))

    path = clone.folder / name
    with files.locked(path):
        check_unlocked(clone)
        check_committed(clone, [name, template.README, MINUTES, ALLOWED_SIGNERS])
        tip, theirs = pull(clone, look)
        waited, unsent = _send_waiting(clone, objects, name, (tip, theirs), look)
        pulled = _told_in(came)
        try:
            place = _tip(clone, objects, tip, path, key)._replace(came=came)
            judgement = judged(place)
        except PbemError as error:
            for each in news(pulled, waited):
                error.add_note(each)
            error.hint = unsent or error.hint
            raise
        told = Pushed(place, judgement, pulled, waited, _wrong(came))
        if judgement.seen:
            return told
        subject = judgement.subject or subject_of([str(entry) for entry, _ in judgement.ruling.history])
        told = told._replace(subject=subject)
        made = _committed(told)
        if clone.remote:
            push(clone, tip, look)
            interrupts.done(f"{subject!r} was played and pushed")
    return told._replace(suspect=_wrong(came), commit=made)


def _reader(name: str) -> Judge:
    """Return who reads the incoming commits: this player, now."""
    return Judge(name, "reader", now=int(time.time()))


def _tip(clone: Clone, objects: Objects, tip: str, path: Path, key: str) -> Tip:
    """Return the commit on which a move is made."""
    game = loading.file_in(files.read_text(path), path)
    point = point_of(objects, tip, objects.entries(objects.commit(tip).tree), game)
    seconds, date = clone.date(point.minutes.lines[-1].time if point.minutes.lines else 0)
    return Tip(clone, point, key, seconds, date)


def _committed(move: Pushed) -> str:
    """Write and commit a move, or nothing; return the id of the commit."""
    tip, said = move.tip, move.judged.said
    clone, game = tip.clone, tip.point.game
    waits = at_the_table(move.record, move.minutes, tip.time)
    page = clone.folder / template.PAGE
    written = pages(tip.point, move.record, move.minutes, waits, lambda: _is_free(page)) | _minutes_and_keys(move)
    names = [*([game.path.name] if move.goes_on else []), *written]
    kept = {place: _content(place) for place in (clone.folder / name for name in names)}
    try:
        _note(move.judged, game.path)
        if move.goes_on:
            game_files.write(game, move.record)
        for name, text in written.items():
            files.replace(clone.folder / name, text)
        made_by = (entry.by for entry, _ in move.judged.ruling.history if entry.by != CHANCE)
        who = move.judged.player or next(made_by, HOST)
        words = [line.words for line in said if line.words != move.subject]
        words += [replacing(move.replaced)] if move.replaced else []
        message = message_of(move.subject, seated(move.record, move.minutes), words, waits)
        return _signed(tip, names, message, who, void_for(who, said[0].said if said else None, tip.minutes, tip.time))
    except BaseException:
        with interrupts.hold():
            clone.git("reset", "--soft", "--quiet", tip.point.commit)
            for place, data in kept.items():  # not with git, which fails at the lock that made the commit fail
                if data is None:
                    place.unlink(missing_ok=True)
                else:
                    files.replace(place, data)
            for name in names:  # git restores none of them if it does not know one
                clone.git("restore", "--staged", "--", name)
        raise


def _wrong(told: Sequence[CommitNews]) -> tuple[CommitNews, ...]:
    """Return the commits that are not moves."""
    return tuple(one for one in told if one.wrong)


def _told_in(commits: Sequence[CommitNews]) -> tuple[str, ...]:
    """Return what the commits did and said, oldest first."""
    in_order = (line for one in reversed(commits) for line in (*(one.lines or ()), *one.spoken))
    return tuple(line for line in in_order if not is_value(line))


def _note(judgement: Judgement, path: Path) -> None:
    """Note which answers the plan gave, before the game is written: until then the note does not count."""
    if judgement.planned:
        from pbem.plans.files import note_orders

        note_orders(judgement.ruling.record, path, judgement.player, len(judgement.planned))


def _send_waiting(
    clone: Clone, objects: Objects, name: str, tips: tuple[str, str], look: Look
) -> tuple[tuple[str, ...], str]:
    """Send what was committed here but never pushed, if every commit of it is a move.

    Returns its lines, and a hint about a commit that is not a move and was not pushed. Raises what ``push`` does.
    """
    tip, theirs = tips
    if not theirs or tip == theirs:
        return (), ""
    told = news_since(objects, theirs, tip, _reader(name))
    suspect = _wrong(told)
    if suspect or not told:
        return (), f"{_suspicion(suspect)}; it was not pushed, and {drop(clone)} drops it" if suspect else ""
    push(clone, theirs, look)
    return _told_in(told), ""


def _minutes_and_keys(move: Pushed) -> dict[str, str]:
    """Return the files that change by what is said or decided, by name: the minutes, and perhaps the keys."""
    if not move.judged.said:
        return {}
    written = {MINUTES: text_of(move.minutes, move.record.game)}
    before = move.tip.point.signers
    after = signers_after(before, move.judged.said[0], move.tip.minutes)
    return written if after is None or after == before else {**written, ALLOWED_SIGNERS: after.decode()}


def _is_free(place: Path) -> bool:
    """Return whether the page of a game can be added where none is committed: the place is empty, or has our page."""
    from pbem.game_page import is_page

    try:
        data = _content(place)
    except PbemError:
        return False
    return data is None or is_page(data[:300])


def _content(path: Path) -> bytes | None:
    """Return the content of a file, None if nothing has that name."""
    return files.read_bytes(path, files.READ_LIMIT) if os.path.lexists(path) else None


def _signed(tip: Tip, names: list[str], message: str, who: str, void: Void) -> str:
    """Commit on the tip, signed if moves are, and return the id.

    Raises NotSigned if the key is not one of *who*, or if it is the *void* one of a substitute.
    """
    clone, point = tip.clone, tip.point
    key = signing_key(clone, tip.key) if point.signers is not None else ""
    new = [name for name in names if name not in point.entries]
    commit(clone, names, message, new=new, key=key, signed=point.signers is not None, date=tip.date)
    made = point.objects.head()
    if point.signers is not None:
        try:
            check_own_signature(point.objects.commit(made), point.signers, who, void, again=False)
        except NotSigned as wrong:
            wrong.hint = no_longer(clone, tip.minutes, key) or wrong.hint
            raise
    subject = message.partition("\n")[0]
    if clone.remote:
        interrupts.done(f"{subject!r} is committed here; {sending(clone)} pushes it")
    else:
        interrupts.done(f"{subject!r} is committed here")
    return made


def news(pulled: tuple[str, ...], waited: tuple[str, ...]) -> list[str]:
    """Return a message about what was pulled, and one about what was pushed only now."""
    told: list[str] = []
    if pulled:
        holes = {"last": with_short_keys(pulled[-1]), "more": len(pulled) - 1}
        told.append(phrase(_CAME, **holes) if len(pulled) == 1 else phrase(_MORE_CAME, **holes))
    if waited:
        told.append(phrase("your earlier {move} was pushed", move=subject_of(waited)))
    return told


def subject_of(lines: Sequence[str]) -> str:
    """Return the first order or draw as it is logged, and how many more there are."""
    known = [line for line in lines if not is_value(line)]
    orders = [line for line in known if line.split(" ")[1] != CHANCE] or known or [in_short(line) for line in lines]
    if not orders:
        return "the secret"
    return plural(len(orders), "{first}", "{first} and {more} more").format(first=orders[0], more=len(orders) - 1)


def message_of(subject: str, record: Record, words: Sequence[str] = (), waits: Sequence[str] = ()) -> str:
    """Return a commit message: the orders, what was said, what everybody may see of the game, its place in the game.

    For what it *waits* see ``public_text``.
    """
    trailers = f"Pbem-Game: {record.game}\nPbem-Turn: {record.turn}\nPbem-Head: {record.head}\n"
    said = "\n\n".join((subject, *words))
    return f"{said}\n\n{public_text(record, waits)}\n{trailers}"
