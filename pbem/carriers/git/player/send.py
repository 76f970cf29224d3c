"""Sending something through git: pull, judge, write, commit, push. Whatever fails, nothing is lost or half done."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial, reduce
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
from pbem.carriers.git.commits import minutes_in, since
from pbem.carriers.git.effects import signers_after
from pbem.carriers.git.history import CommitNews
from pbem.carriers.git.history import since as news_since
from pbem.carriers.git.identity import no_longer, signing_key
from pbem.carriers.git.judges import Reader
from pbem.carriers.git.public import at_the_table, public_text, replaced, replacing
from pbem.carriers.git.repository import Held, Objects
from pbem.carriers.git.sharing import in_short, is_value
from pbem.carriers.git.signing import ALLOWED_SIGNERS, Void, check_own_signature, void_for, with_short_keys
from pbem.errors import NotSigned, PbemError
from pbem.first_sparks.record import Record, shared_lines
from pbem.first_sparks.state import CHANCE
from pbem.grammar import plural
from pbem.loading import GameFile
from pbem.locale import Phrase, phrase, speaking
from pbem.rulings import Ruling
from pbem.table.lines import HOST, MINUTES, TableLine
from pbem.table.minutes import Meeting, Minutes, Motion, text_of


class Pushed(NamedTuple):
    """A move that was made: the game file, what was pulled, the number of log lines before it, the record, its commit.

    ``suspect`` are the pulled commits that are not moves, ``waited`` the log
    lines of earlier commits that were sent only now, ``planned`` the orders that
    the player's plan gave. ``said`` is what was said with it, ``minutes`` are those after it, and
    ``goes_on`` says whether the game has changed. The player's motion ``replaced`` is over with it, if it is not None.
    """

    path: Path
    pulled: tuple[str, ...]
    suspect: tuple[CommitNews, ...]
    waited: tuple[str, ...]
    before: int
    record: Record
    subject: str
    commit: str
    remote: str
    planned: tuple[str, ...] = ()
    player: str = ""
    said: tuple[str, ...] = ()
    minutes: Minutes = Minutes()
    goes_on: bool = True
    replaced: Motion | None = None


class Judgement(NamedTuple):
    """What is to be committed, and which of it are answers of the plan of *player*; *said* goes into the minutes."""

    ruling: Ruling
    planned: tuple[str, ...] = ()
    player: str = ""
    subject: str = ""
    seen: bool = False  # only the player sees it, and nothing is committed yet
    said: tuple[TableLine, ...] = ()


class Tip(NamedTuple):
    """The commit on which a move is made: the clone, its objects, the id, the entries and the minutes of that commit.

    *time* is that of the commit to be made, in seconds since 1970, and *date* the same as git takes it. *asked_since*
    returns since when the player who is asked has been. *came* are the commits that were pulled only now.
    """

    clone: Clone
    objects: Objects
    commit: str
    held: Mapping[str, Held]
    minutes: Minutes
    time: int
    date: str
    asked_since: Callable[[], int]
    came: Sequence[CommitNews] = ()

    def meeting(self, record: Record) -> Meeting:
        """Return the game there with its minutes."""
        return Meeting(record, self.minutes, ALLOWED_SIGNERS in self.held, self.asked_since)


_CAME: Final = "{last} came in just now"
_MORE_CAME: Final = "{last} and {more} more came in just now"
_WRONG: Final = "commit {commit} by {author} is not a legal move: {why}"
_MORE_WRONG: Final = "commit {commit} by {author} is not a legal move: {why} (pbem git log shows {more} more)"

Judging = Callable[[GameFile, Tip], Judgement]


def suspicion(suspect: tuple[CommitNews, ...]) -> Phrase:
    """Return the message about commits that are not moves, the oldest of which is last."""
    first, more = suspect[-1], len(suspect) - 1
    holes = {"commit": first.commit[:10], "author": first.author, "why": first.wrong}
    return phrase(_MORE_WRONG, **holes, more=more) if more else phrase(_WRONG, **holes)


def heeding(warn: Callable[[str], None]) -> Callable[[tuple[CommitNews, ...]], None]:
    """Return what a player does about incoming commits that are not moves: *warn* gets a message, and we go on."""
    return lambda suspect: warn(phrase("warning: {what}", what=suspicion(suspect)))


def send(name: str, judged: Judging, key: str, heed: Callable[[tuple[CommitNews, ...]], None]) -> Pushed:
    """Make the move that *judged* returns for the game; *heed* gets the incoming commits that are not moves."""
    clone = open_clone(Path())
    check_known(clone)
    with clone.objects() as objects, speaking("en"):  # what is committed is the same for everybody
        return _sent(clone, objects, name, judged, key, heed)


def _sent(
    clone: Clone,
    objects: Objects,
    name: str,
    judged: Judging,
    key: str,
    heed: Callable[[tuple[CommitNews, ...]], None],
) -> Pushed:
    """Make the move in the clone; see ``send``."""
    came: list[CommitNews] = []

    def look(old: str, new: str) -> None:
        told = news_since(objects, old, new, _reader(name))
        came.extend(told)
        if _wrong(told):
            heed(_wrong(told))

    path = clone.folder / name
    with files.locked(path):
        check_unlocked(clone)
        check_committed(clone, [name, template.README, MINUTES, ALLOWED_SIGNERS])
        tip, theirs = pull(clone, look)
        waited, unsent = _send_waiting(clone, objects, name, (tip, theirs), look)
        pulled = _told_in(came)
        try:
            text = files.read_text(path)
            file = loading.file_in(text, path)
            place = _tip(clone, objects, tip, file)._replace(came=came)
            judgement = judged(file, place)
        except PbemError as error:
            for each in news(pulled, waited):
                error.add_note(each)
            error.hint = unsent or error.hint
            raise
        before, after = file.record, judgement.ruling.record
        told = Pushed(
            path, pulled, _wrong(came), waited, shared_lines(before.log, after.log), after, "", "", clone.where
        )
        minutes = reduce(Minutes.after, judgement.said, place.minutes)
        told = told._replace(planned=judgement.planned, player=judgement.player, minutes=minutes)
        told = told._replace(goes_on=after is not before, said=tuple(line.words for line in judgement.said))
        told = told._replace(replaced=_replaced(place, judgement))
        if judgement.seen:
            return told
        subject = judgement.subject or subject_of([str(entry) for entry, _ in judgement.ruling.history])
        made = _committed(place, file, judgement, subject, key)
        if clone.remote:
            push(clone, tip, look)
            interrupts.done(f"{subject!r} was played and pushed")
    return told._replace(suspect=_wrong(came), subject=subject, commit=made)


def _reader(name: str) -> Reader:
    """Return who reads the incoming commits: this player, now."""
    return Reader(name, now=int(time.time()))


def _tip(clone: Clone, objects: Objects, tip: str, file: GameFile) -> Tip:
    """Return the commit on which a move is made."""
    held = objects.entries(objects.commit(tip).tree) if tip else {}
    minutes = minutes_in(objects, held, file.record.game)
    seconds, date = clone.date(minutes.lines[-1].time if minutes.lines else 0)
    asked_since = partial(since, objects, tip, file.path.name)
    return Tip(clone, objects, tip, held, minutes, seconds, date, asked_since)


def _committed(tip: Tip, file: GameFile, judgement: Judgement, subject: str, key: str) -> str:
    """Write and commit what was judged, or nothing; return the id of the commit."""
    clone, before, ruling = tip.clone, file.record, judgement.ruling
    is_new, name = ruling.record is not before, file.path.name
    waits = at_the_table(ruling.record, reduce(Minutes.after, judgement.said, tip.minutes), tip.time)
    pages = _pages(clone, tip.held, before, ruling.record, name, waits)
    written = {**pages, **_minutes_and_keys(tip, judgement)}
    names = [*([name] if is_new else []), *(one.name for one in written)]
    kept = {place: _content(place) for place in (clone.folder / one for one in names)}
    try:
        _note(judgement, file.path)
        if is_new:
            game_files.write(file, ruling.record)
        for place, text in written.items():
            files.replace(place, text)
        who = judgement.player or next((entry.by for entry, _ in ruling.history if entry.by != CHANCE), HOST)
        words = [line.words for line in judgement.said if line.words != subject]
        over = _replaced(tip, judgement)
        words += [replacing(over)] if over else []
        message = message_of(subject, ruling.record, words, waits)
        said = judgement.said[0].said if judgement.said else None
        return _signed(tip, names, message, key, who, void_for(who, said, tip.minutes, tip.time))
    except BaseException:
        with interrupts.hold():
            clone.git("reset", "--soft", "--quiet", tip.commit)
            for place, data in kept.items():  # not with git, which fails at the lock that made the commit fail
                if data is None:
                    place.unlink(missing_ok=True)
                else:
                    files.replace(place, data)
            for one in names:  # git restores none of them if it does not know one
                clone.git("restore", "--staged", "--", one)
        raise


def _replaced(tip: Tip, judgement: Judgement) -> Motion | None:
    """Return the motion that is over with the one that is to be committed."""
    return replaced(judgement.said[0], tip.minutes, judgement.ruling.record) if judgement.said else None


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
        return (), f"{suspicion(suspect)}; it was not pushed, and {drop(clone)} drops it" if suspect else ""
    push(clone, theirs, look)
    return _told_in(told), ""


def _pages(
    clone: Clone, held: Mapping[str, Held], before: Record, after: Record, name: str, waits: Sequence[str]
) -> dict[Path, str]:
    """Return what people read of the game after a move, by path: the README, and once it is over the page of all of it.

    Without what the group has made itself: its own README, or another file in the place of the page.
    """
    readme, place = clone.folder / template.README, clone.folder / template.PAGE
    page, there = template.page(after), place.name in held
    linked = bool(page) and (_content(place) == page.encode() if there else _is_free(place))
    return {
        **({readme: template.readme(after, name, waits, linked=linked)} if _is_ours(readme, before, name) else {}),
        **({place: page} if linked and not there else {}),
    }


def _minutes_and_keys(tip: Tip, judgement: Judgement) -> dict[Path, str]:
    """Return the files that change by what is said or decided, by path: the minutes, and perhaps the keys."""
    if not judgement.said:
        return {}
    minutes = reduce(Minutes.after, judgement.said, tip.minutes)
    written = {tip.clone.folder / MINUTES: text_of(minutes, judgement.ruling.record.game)}
    signers = tip.held.get(ALLOWED_SIGNERS)
    if signers is not None:
        before = tip.objects.read(signers.oid, "blob", files.READ_LIMIT, ALLOWED_SIGNERS)
        after = signers_after(before, judgement.said[0], tip.minutes)
        if after is not None and after != before:
            written[tip.clone.folder / ALLOWED_SIGNERS] = after.decode()
    return written


def _is_ours(page: Path, record: Record, name: str) -> bool:
    """Return whether pbem may write the README, which else is the group's own."""
    try:
        return template.is_ours(files.read_text(page), record, name)
    except PbemError:
        return False


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


def _signed(tip: Tip, names: list[str], message: str, key: str, who: str, void: Void) -> str:
    """Commit on the tip, signed if moves are, and return the id.

    Raises NotSigned if the key is not one of *who*, or if it is the *void* one of a substitute.
    """
    clone, objects = tip.clone, tip.objects
    signers = tip.held.get(ALLOWED_SIGNERS)
    key = signing_key(clone, key) if signers else ""
    new = [name for name in names if name not in tip.held]
    commit(clone, names, message, new=new, key=key, signed=signers is not None, date=tip.date)
    made = objects.head()
    if signers:
        text = objects.read(signers.oid, "blob", files.READ_LIMIT, ALLOWED_SIGNERS)
        try:
            check_own_signature(objects.commit(made), text, who, void, again=False)
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
