"""The game as its commits tell it: what each added to the log, by its content and not by its message."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from pbem import files, formats, loading
from pbem.carriers.git.commits import told
from pbem.carriers.git.judges import Judge
from pbem.carriers.git.repository import Commit, Objects
from pbem.carriers.git.verdict import MOST_COMMITS, between, judged
from pbem.errors import NoSuchFile, PbemError
from pbem.formats import shown
from pbem.locale import Phrase, phrase_by, speaking, tr


class CommitNews(NamedTuple):
    """A commit: its id, its author's name, its day, the log lines that it added, and why it is not a move, if so.

    ``lines`` is None if the game cannot be read; ``deleted`` names the page that was deleted instead of a move, and
    ``joined`` is the colour of the player who has joined by it. ``spoken`` is what was said or decided at the table.
    """

    commit: str
    author: str
    day: str
    lines: tuple[str, ...] | None
    wrong: str
    deleted: str = ""
    joined: str = ""
    spoken: tuple[str, ...] = ()

    def __str__(self) -> str:
        wrong = [tr("not a legal move: {why}").format(why=tr(self.wrong))] if self.wrong else []
        said = told((*(self.lines or ()), *wrong), self.deleted, self.joined, self.spoken)
        return f"{self.commit[:10]} {self.day} {self.author}: {said}"


def history(objects: Objects, name: str, reader: Judge) -> tuple[tuple[CommitNews, ...], str]:
    """Return the commits up to the one called *name*, newest first, and the command that shows older ones.

    It is empty if nothing is older. What a commit does follows from the one before it, so the oldest that a shallow
    clone has is not told. Raises NoSuchFile if the newest does not contain the game.
    """
    with speaking("en"):  # in which all pages are that commits have to hold
        return _history(objects, name, reader)


def _history(objects: Objects, name: str, reader: Judge) -> tuple[tuple[CommitNews, ...], str]:
    newest = objects.commit(objects.commit_id(name))
    if reader.game not in objects.entries(newest.tree):
        hint = "use --game FILE if the game file has another name"
        raise NoSuchFile(f"{name} does not contain {reader.game}", path=reader.game, hint=hint)
    chain = [newest]
    while chain[-1].parents and len(chain) <= MOST_COMMITS:
        try:
            chain.append(objects.commit(chain[-1].parents[0]))
        except NoSuchFile:  # the clone is shallow
            return _after_first(objects, chain, reader), "git fetch --unshallow"
    if len(chain) > MOST_COMMITS:
        return _after_first(objects, chain, reader), f"pbem git log {chain[-1].oid[:10]}"
    return tuple(_tell(objects, chain[::-1], None, reader)), ""


def _after_first(objects: Objects, chain: list[Commit], reader: Judge) -> tuple[CommitNews, ...]:
    """Return what all commits but the oldest do, judged by the game in the oldest if it can be read."""
    *newer, first = chain
    try:
        return tuple(_tell(objects, newer[::-1], first, reader)) if newer else ()
    except PbemError:
        return tuple(_tell(objects, newer[::-1], None, reader))


def since(objects: Objects, old: str, new: str, reader: Judge) -> tuple[CommitNews, ...]:
    """Return the commits after *old* up to *new*, newest first; or only the last if they do not form a line.

    Without the game in the old commit the result is empty.
    """
    try:
        return tuple(_tell(objects, between(objects, old, new), objects.commit(old) if old else None, reader))
    except NoSuchFile:
        return ()
    except PbemError as error:
        return (_news(objects.commit(new), None, _wrong(error.message)),)


def _tell(objects: Objects, chain: Sequence[Commit], old: Commit | None, reader: Judge) -> list[CommitNews]:
    known = len((_log(objects, old.tree, reader.game) if old else None) or ())
    news: list[CommitNews] = []
    for commit, found in judged(objects, chain, old.oid if old else "", reader):
        if not isinstance(found, PbemError):
            joined, spoken = found.by if found.joined else "", tuple(map(shown, found.spoken))
            news.append(_news(commit, found.lines, "")._replace(deleted=found.deleted, joined=joined, spoken=spoken))
            known = found.length
            continue
        log = _log(objects, commit.tree, reader.game)
        wrong = _wrong(found.message, *(reason.message for reason in found.reasons[:1]))
        news.append(_news(commit, log if log is None else log[known:], wrong))
        known = known if log is None else len(log)
    return news[::-1]


def _wrong(*why: str) -> Phrase:
    """Return what is wrong with a commit, in the language of whoever reads the log."""
    return phrase_by(shown(": ".join(why)), lambda: shown(": ".join(map(tr, why))))


def _news(commit: Commit, lines: tuple[str, ...] | None, wrong: str) -> CommitNews:
    day = datetime.fromtimestamp(min(commit.time, 1 << 36), UTC).date().isoformat()
    return CommitNews(commit.oid, commit.author, day, lines and tuple(map(shown, lines)), wrong)


def _log(objects: Objects, tree: str, game: str) -> tuple[str, ...] | None:
    """Return the log in a commit, or None if it cannot be read."""
    try:
        entry = objects.entries(tree)[game]
        text = formats.decode(objects.read(entry.oid, "blob", files.READ_LIMIT, game), name=game)
        data: dict[str, Any] = formats.parse(text, loading.format_in(text), name=game)
        return tuple(map(str, data["log"]))
    except (PbemError, KeyError, TypeError):
        return None
