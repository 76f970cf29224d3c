"""Many moves in one run: NDJSON in, one verdict for each line out, in order.

An invalid line gets a verdict that says what is wrong, and the run continues.
"""

import json
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from io import RawIOBase
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from pbem import files, formats, game_files, loading, report, rulings, secrets
from pbem.errors import Bug, NotUnderstood, PbemError, TryAgain, Violation
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.briefing.news import news
from pbem.first_sparks.record import Record
from pbem.grammar import plural
from pbem.loading import Submission
from pbem.page.text import lines_of
from pbem.scripts.jobs import in_order

LONGEST_LINE: Final = files.READ_LIMIT  # bytes
PATIENCE: Final = 20  # seconds of computing for a line
_AT_ONCE: Final = 1 << 16  # bytes that are read at a time: the capacity of a pipe
_CHUNK: Final = 64  # lines that a process is given at a time
_KEYS: Final[dict[str, tuple[str, Callable[[Any], bool]]]] = {
    "game": ("the path of a game file, or its object", lambda game: bool(game) and isinstance(game, str | dict)),
    "move": ("order lines, or the object of a move file", lambda move: bool(move) and isinstance(move, str | dict)),
    "as": ("text, the colour or name of the player", lambda player: isinstance(player, str)),
}
_last: "list[_LastGame]" = []
_busy: set[Path] = set()  # folders that were locked at the last attempt


class Line(NamedTuple):
    """A line of the input, counted from 1."""

    number: int
    text: bytes


class LineVerdict(NamedTuple):
    """The verdict on the line of that number: its JSON, and the exit status that it would have alone."""

    number: int
    text: str
    exit_status: int


class _LastGame(NamedTuple):
    """The game of the last line: the text of its file, or its data, and what they say."""

    content: str | dict[str, Any]
    record: Record


class _Task(NamedTuple):
    """The content of a line: a game by its path or as data, what a player sends, and the player."""

    game: str | dict[str, Any]
    move: str | dict[str, Any]
    player: str

    def submission(self) -> Submission:
        """Return what the player sends: order lines, or the data of a move file."""
        if isinstance(self.move, str):
            return loading.order_lines(self.move.splitlines(), "move")._replace(player=self.player)
        return loading.signed(loading.submission_in(self.move, "move"), self.player)


def chunks_of(stream: RawIOBase) -> Iterator[list[bytes]]:
    """Yield the lines of a stream without their ends, as many at a time as have arrived, up to a limit.

    Of a line that is too long, only a little more than the limit is kept.
    """
    begun = bytearray()
    for piece in files.pieces(stream, _AT_ONCE):
        first, *lines = piece.split(b"\n")
        if len(begun) <= LONGEST_LINE:
            begun += first
        if lines:
            lines.insert(0, bytes(begun))
            begun = bytearray(lines.pop())
            yield from (lines[start : start + _CHUNK] for start in range(0, len(lines), _CHUNK))
    if begun:
        yield [bytes(begun)]


def verdicts(chunks: Iterable[list[bytes]], *, playing: bool, jobs: int = 1) -> Iterator[LineVerdict]:
    """Yield the verdict on every line except blank ones, in order, as soon as it is known.

    With *playing* the verdict has the game after the move, or its file is written. Only this process writes
    files, one after the other, whatever the number of jobs. Use one such iterator at a time: the process has one clock.
    """
    with _clock() as limit:
        if jobs == 1:
            yield from (_verdict(line, limit, playing=playing) for chunk in _numbered(chunks) for line in chunk)
            return
        for chunk, found in in_order(partial(_judged, playing=playing), _numbered(chunks), jobs):
            for line, there in zip(chunk, found, strict=True):
                yield there or _verdict(line, limit, playing=playing)


def _numbered(chunks: Iterable[list[bytes]]) -> Iterator[list[Line]]:
    """Yield the lines with their numbers, without blank ones."""
    before = 0
    for chunk in chunks:
        yield [Line(n, text) for n, text in enumerate(chunk, before + 1) if text.strip() or len(text) > LONGEST_LINE]
        before += len(chunk)


def _judged(chunk: list[Line], *, playing: bool) -> list[LineVerdict | None]:
    """Return the verdicts on some lines, None for a line that has to write a file."""
    with _clock() as limit:
        return [None if playing and _names_a_file(line) else _verdict(line, limit, playing=playing) for line in chunk]


def _names_a_file(line: Line) -> bool:
    try:
        return isinstance(_task(line).game, str)
    except PbemError:
        return False


def _verdict(line: Line, limit: Callable[[float], object], *, playing: bool) -> LineVerdict:
    """Return the verdict on a line, which may take ``PATIENCE`` seconds of processor time before it writes.

    No known line takes longer: this is for the one that nobody has thought of, which must not hold up the others.
    """
    try:
        limit(PATIENCE)
        try:
            answer, status = (_played if playing else _checked)(_task(line)), 0
        finally:
            limit(0)
    except _TooLongError:
        name, hint = f"line {line.number}", "it was not judged; please report it as a bug"
        refusal: PbemError = NotUnderstood(f"{name} takes more than {PATIENCE} seconds to judge", path=name, hint=hint)
        answer, status = refusal.as_json(), refusal.exit_status
    except PbemError as refused:
        answer, status = refused.as_json(), refused.exit_status
    except Exception as error:  # a bug of ours, which the next line may not trigger
        answer, status = Bug.of(error).as_json(), Bug.exit_status
    return LineVerdict(line.number, json.dumps({"line": line.number, **answer}), status)


class _TooLongError(BaseException):
    """What is judged takes too long; nothing on the way may catch this."""


def _stop(*_: object) -> NoReturn:
    raise _TooLongError


@contextmanager
def _clock() -> Generator[Callable[[float], object]]:
    """Yield what raises _TooLongError after so many seconds of processor time; 0 lifts the limit."""
    other = threading.current_thread() is not threading.main_thread()  # which receives no signals
    if other or not hasattr(signal, "SIGVTALRM"):  # Windows has no such clock
        yield lambda _: None
        return
    before = signal.signal(signal.SIGVTALRM, _stop)
    try:
        yield partial(signal.setitimer, signal.ITIMER_VIRTUAL)
    finally:
        _unbounded()
        signal.signal(signal.SIGVTALRM, before)


def _unbounded() -> None:
    """Lift the time limit, so that writing is not interrupted."""
    if hasattr(signal, "SIGVTALRM"):
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _task(line: Line) -> _Task:
    """Return the content of a line; raises NotUnderstood if it is invalid."""
    name = f"line {line.number}"
    if len(line.text) > LONGEST_LINE:
        raise NotUnderstood(f"{name} is too long: it has more than {LONGEST_LINE} bytes", path=name)
    data = formats.parse(formats.decode(line.text.rstrip(), name=name), "json", name=name)
    wrong = [
        f"{key} should be {what}" if key in data else f"{key} is missing; it should be {what}"
        for key, (what, fits) in _KEYS.items()
        if not fits(data.get(key, ""))
    ]
    strange = len(data.keys() - _KEYS.keys())
    if strange:
        one = "a line should only have the keys {keys}; it also has {n} unknown key"
        more = "a line should only have the keys {keys}; it also has {n} unknown keys"
        wrong.append(plural(strange, one, more).format(keys=", ".join(_KEYS)))
    if wrong:
        reasons = tuple(Violation("schema", why) for why in wrong)
        hint = "pbem schema batch prints the schema"
        raise NotUnderstood(f"{name} does not match the schema of a batch line", path=name, hint=hint, reasons=reasons)
    return _Task(data["game"], data["move"], data.get("as", ""))


def _checked(task: _Task) -> dict[str, Any]:
    record, submission = _game(task.game), task.submission()
    history = rulings.judge(record, submission, None).history
    path = task.game if isinstance(task.game, str) else ""
    return {**report.verdict(Path(), record, history).data(), "path": path}


def _game(said: str | dict[str, Any]) -> Record:
    """Return the game of a line; the last one is remembered, since many lines in a row may be about one game."""
    if isinstance(said, str):
        text = files.read_text(Path(said))
        if not _last or _last[0].content != text:
            _last[:] = [_LastGame(text, loading.file_in(text, Path(said)).record)]
    elif not _last or not _same(said, _last[0].content):
        _last[:] = [_LastGame(said, loading.game_in(said, "game"))]
    return _last[0].record


def _same(one: dict[str, Any], other: str | dict[str, Any]) -> bool:
    """Return whether two games are the same as data, in which 1 is not true; most differ in their heads."""
    return isinstance(other, dict) and one.get("head") == other.get("head") and json.dumps(one) == json.dumps(other)


def _played(task: _Task) -> dict[str, Any]:
    """Return the answer to an accepted move: with the game after it, unless its file was written."""
    submission = task.submission()
    if isinstance(task.game, dict):
        record = _game(task.game)
        ruling = rulings.judge(record, submission, secrets.draws_in_memory(record))
        return {**_row(record, ruling, ""), "next": game_files.data_of(ruling.record)}
    path = Path(task.game)
    folder = path.parent
    # A lock that is held for long delays one line, but not every line about the folder.
    wait = 0.0 if folder in _busy else files.LOCK_WAIT
    _busy.discard(folder)
    try:
        with rulings.playing(path, submission, wait=wait) as (before, ruling):
            answer = _row(before, ruling, task.game)
            _unbounded()
    except TryAgain:
        _busy.add(folder)
        raise
    return answer


def _row(before: Record, ruling: rulings.Ruling, path: str) -> dict[str, Any]:
    record = ruling.record
    return {
        **report.done("played", f"turn {record.turn}", Path()).data(),
        "path": path,
        "game": record.game,
        "turn": record.turn,
        "head": record.head,
        "decides": who_decides(record.state),
        "log": record.log[len(before.log) :],
        "news": lines_of((news(ruling.history),)),
    }
