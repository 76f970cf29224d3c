"""Many moves in one run: NDJSON in, one verdict a line out, in order.

Whatever is wrong with a line gets a verdict that says so, and the run goes on.
"""

import json
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from pbem import files, formats, reading, report, way
from pbem.errors import Bug, NotUnderstood, PbemError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.news import news
from pbem.first_sparks.record import Record
from pbem.jobs import in_order
from pbem.reading import Submission

LONGEST_LINE: Final = 4 * formats.PARSE_LIMIT  # bytes
_CHUNK: Final = 16  # lines that a process is given at a time
_KEYS: Final = ("game", "move", "as")
_last: list[tuple[str, Record]] = []


class Line(NamedTuple):
    """A line of the question, counted from 1."""

    number: int
    text: bytes


class Verdict(NamedTuple):
    """A line of the answer: its JSON, and the exit status that it would have alone."""

    text: str
    exit_status: int


class _Task(NamedTuple):
    """What a line asks: a game by its path, or as the data of a game file; what a player sends; who that is."""

    game: str | dict[str, Any]
    move: str | dict[str, Any]
    player: str

    def submission(self) -> Submission:
        """Return what the player sends: order lines, or the data of a move file."""
        if isinstance(self.move, str):
            return reading.order_lines(self.move.splitlines(), "move")._replace(player=self.player)
        return reading.signed(reading.submission_in(self.move, "move"), self.player)


def lines_of(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a stream; of one that is too long hardly more than what makes it so."""
    while line := stream.readline(LONGEST_LINE + 1):
        yield line
        while len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            line = stream.readline(LONGEST_LINE + 1)


def verdicts(lines: Iterable[bytes], *, playing: bool, jobs: int = 1) -> Iterator[Verdict]:
    """Yield the verdict on every line but blank ones, in order.

    *playing* answers with the game after the move, or writes its file. Files are
    written by this process alone, one after the other, whatever the number of jobs.
    """
    numbered = (Line(number, text) for number, text in enumerate(lines, 1) if text.strip())
    if jobs == 1:
        yield from (verdict(line, playing=playing) for line in numbered)
        return
    for chunk, found in in_order(partial(_judged, playing=playing), _chunks(numbered), jobs):
        for line, there in zip(chunk, found, strict=True):
            yield there or verdict(line, playing=playing)


def _chunks(lines: Iterator[Line]) -> Iterator[list[Line]]:
    while chunk := list(islice(lines, _CHUNK)):
        yield chunk


def _judged(chunk: list[Line], *, playing: bool) -> list[Verdict | None]:
    """Return the verdicts on some lines, None for a line that has to write a file."""
    return [None if playing and _names_a_file(line) else verdict(line, playing=playing) for line in chunk]


def _names_a_file(line: Line) -> bool:
    try:
        return isinstance(_task(line).game, str)
    except PbemError:
        return False


def verdict(line: Line, *, playing: bool) -> Verdict:
    """Return the verdict on a line."""
    try:
        answer, status = (_played if playing else _checked)(_task(line)), 0
    except PbemError as refusal:
        answer, status = refusal.as_json(), refusal.exit_status
    except Exception as error:  # a bug of ours, but the next line may do without it
        answer, status = Bug.of(error).as_json(), Bug.exit_status
    return Verdict(json.dumps({"line": line.number, **answer}), status)


def _task(line: Line) -> _Task:
    """Return what a line asks; raises NotUnderstood where it is no such question."""
    name = f"line {line.number}"
    if len(line.text) > LONGEST_LINE:
        raise NotUnderstood(f"{name} is too long: it has more than {LONGEST_LINE} bytes", path=name)
    data = formats.parse(formats.decode(line.text.rstrip(), name=name), "json", name=name)
    game, move, player = (data.pop(key, "") for key in _KEYS)
    if data or not (isinstance(game, str | dict) and isinstance(move, str | dict) and isinstance(player, str)):
        game = move = ""
    if not game or not move:
        raise NotUnderstood(
            f"{name} should have the keys game and move, may have as, and no others; a game is a path or a game file's "
            "object, a move is order lines or a move file's object",
            path=name,
            hint="pbem schema batch prints the form",
        )
    return _Task(game, move, player)


def _checked(task: _Task) -> dict[str, Any]:
    record, submission = _game(task.game), task.submission()
    with way.blaming_the_snapshot(record):
        history = way.judge(record, submission, None).history
        path = task.game if isinstance(task.game, str) else ""
        return {**report.verdict(Path(), record, history).data(), "path": path}


def _game(said: str | dict[str, Any]) -> Record:
    """Return the game of a line; the one before is remembered, since many moves of one game come in a row."""
    text = files.read_text(Path(said)) if isinstance(said, str) else json.dumps(said)
    if not _last or _last[0][0] != text:
        record = reading.game_in(said, "game") if isinstance(said, dict) else reading.file_in(text, Path(said)).record
        _last[:] = [(text, record)]
    return _last[0][1]


def _played(task: _Task) -> dict[str, Any]:
    """Return the answer to an accepted move: the game after it, or what is said when its file was written."""
    submission = task.submission()
    if isinstance(task.game, dict):
        record = _game(task.game)
        with way.blaming_the_snapshot(record):
            ruling = way.judge(record, submission, way.draws_in_memory(record))
            return {**_told(record, ruling, ""), "next": way.data_of(ruling.record)}
    path = Path(task.game)
    with way.opened(path, to_write=True) as file:
        ruling = way.judge(file.record, submission, way.draws_of(file.record, path))
        answer = _told(file.record, ruling, task.game)
        way.write(file, ruling.record)
    return answer


def _told(before: Record, ruling: way.Ruling, path: str) -> dict[str, Any]:
    record = ruling.record
    return {
        **report.done("played", f"turn {record.turn}", Path()).data(),
        "path": path,
        "game": record.game,
        "turn": record.turn,
        "head": record.head,
        "decides": who_decides(record.state),
        "log": record.log[len(before.log) :],
        "news": news(ruling.history),
    }
