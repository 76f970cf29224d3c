"""Many games at once: find them, verify them, and print the results as a table."""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final, Generic, NamedTuple, TypeVar

from pbem import files, formats, loading, report
from pbem.errors import Bug, NoSuchFile, NotUnderstood, PbemError
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.proof import Claim, draws_proved, proved
from pbem.first_sparks.record import HEAD_DIGITS
from pbem.grammar import plural
from pbem.scripts.jobs import Workers, in_order
from pbem.scripts.shards import Keep, KeptShards
from pbem.sha import sha256

_Result = TypeVar("_Result")
_SCHEMA_LINE: Final = "#:schema "
_GAME_KEY: Final = re.compile(r'(?:^|[{,])\s*(?:\[\[?|")?(head|log|players|options|chance|state)"?\s*[]=:]', re.M)
_BESIDE: Final = re.compile(r"\.(?:secret|plans|schema)\.")
_SHARD: Final = 16  # files
_SHARD_SIZE: Final = 256 * 1024  # characters
_COLUMNS: Final = ("games", "finished", "lines", "failed")


class Place(NamedTuple):
    """A file that may be a game; it must be one if it was named, and not only found in a folder."""

    path: Path
    named: bool


class GameVerdict(NamedTuple):
    """An answer about one game or all games: a text, which may be empty, and the object that ``--json`` prints."""

    text: str
    data: dict[str, Any]


class Finding(NamedTuple):
    """What was found out about a game: its number of players, whether it is over, its lines, and what is wrong.

    *draws* is the number of draws that its secret proves, None without a secret. *components* is the data about its
    component set. A file that cannot be read has no players and no lines.
    """

    path: Path
    players: int = 0
    finished: bool = False
    lines: int = 0
    draws: int | None = None
    components: dict[str, Any] | None = None
    error: PbemError | None = None

    @classmethod
    def unread(cls, path: Path, error: PbemError) -> "Finding":
        """Return the finding about a file that could not even be read as a game."""
        return cls(path, error=error)


def places_in(paths: Iterable[Path]) -> Iterator[Place]:
    """Yield the paths that are files, and the files in the others that may be games, in order of names.

    In folders they end with ``.toml`` or ``.json``; hidden ones, secrets, plans and schemas are left out. A folder that
    be read, or is a link, is yielded as if it were named, so that it is reported like such a file.
    """
    for path in paths:
        if not files.is_folder(path):
            yield Place(path, named=True)
            continue
        shut: list[OSError] = []
        for folder, inside, names in os.walk(path, onerror=shut.append):
            inside[:] = sorted(name for name in inside if not name.startswith("."))
            yield from (Place(link, named=True) for name in inside if (link := Path(folder, name)).is_symlink())
            for name in sorted(names):
                if name.endswith((".toml", ".json")) and not name.startswith(".") and not _BESIDE.search(name):
                    yield Place(Path(folder, name), named=False)
        yield from (Place(Path(error.filename), named=True) for error in shut)


class Text(NamedTuple):
    """The content of a file, or why it cannot be read."""

    place: Place
    content: str | PbemError


class Looking(NamedTuple, Generic[_Result]):
    """How games are looked at: *work* on the claim of a file, *failed* for its error, and how results are kept.

    *written* makes JSON of a result, *read* the result of that; what has *failed* is not kept.
    """

    command: str
    work: Callable[[Path, Claim], _Result]
    failed: Callable[[Path, PbemError], _Result]
    written: Callable[[_Result], Any | None]
    read: Callable[[Any], _Result]


def each_game(
    looking: Looking[_Result], places: Iterable[Place], workers: Workers, keep: Keep | None = None
) -> Iterator[_Result | None]:
    """Yield the result for every game file, in order; see ``Looking``. The workers need not see the files.

    It is None for a file that was found in a folder and is not a game. Raises
    NoSuchFile if no file is a game.
    """
    count = 0
    about = {"command": looking.command}
    kept = KeptShards(keep, about, _name_of, len, looking.written, looking.read) if keep else None
    for _, found in in_order(partial(_looked_at, looking.work, looking.failed), _shards(places), workers, kept):
        count += sum(one is not None for one in found)
        yield from found
    if not count:
        raise NoSuchFile("no game files found")


def _shards(places: Iterable[Place]) -> Iterator[list[Text]]:
    """Yield the contents of the files, some at a time; which are together does not depend on the workers."""
    shard: list[Text] = []
    size = 0
    for place in places:
        try:
            content: str | PbemError = files.read_text(place.path)
        except PbemError as error:
            content = error
        shard.append(Text(place, content))
        size += len(content) if isinstance(content, str) else 0
        if len(shard) >= _SHARD or size >= _SHARD_SIZE:
            yield shard
            shard, size = [], 0
    if shard:
        yield shard


def _name_of(shard: list[Text]) -> str:
    """Return the name of a shard: a digest of its files, wherever they were read."""
    texts = [[str(place.path), place.named, str(content)] for place, content in shard]
    digest: str = sha256(json.dumps(texts).encode()).hexdigest()
    return digest[:32]


def _looked_at(
    work: Callable[[Path, Claim], _Result], failed: Callable[[Path, PbemError], _Result], shard: list[Text]
) -> list[_Result | None]:
    return [_looked_at_one(work, failed, text) for text in shard]


def _looked_at_one(
    work: Callable[[Path, Claim], _Result], failed: Callable[[Path, PbemError], _Result], text: Text
) -> _Result | None:
    (path, named), content = text
    if isinstance(content, PbemError):
        return failed(path, content)
    try:
        if not named and _is_no_game(content, path):
            return None
        return work(path, loading.claim_in(content, path))
    except PbemError as error:
        return failed(path, error)
    except Exception as error:  # the next game may be without the bug
        return failed(path, Bug.of(error))


def _is_no_game(text: str, path: Path) -> bool:
    """Return whether a text is a file of another kind; raises NotUnderstood for what may be the remains of a game."""
    kinds = loading.kinds_in(text)
    if kinds:
        return "game" not in kinds or '"$schema": "https://json-schema.org/' in text
    name = formats.shown(path)
    if len(set(_GAME_KEY.findall(text))) > 3:  # other programs have a word or two of these
        raise NotUnderstood(f"{name} has the keys of a game, but not its format", path=name)
    begun = text.strip()
    if _SCHEMA_LINE.startswith(begun[: len(_SCHEMA_LINE)]) and "\n" not in begun:
        raise NotUnderstood(f"{name} is empty, or only its beginning is left", path=name)
    if len(text) <= formats.PARSE_LIMIT:  # a longer text cannot be a game
        with suppress(formats.OddValue):
            formats.parse(text, loading.format_in(text), name=name)
    return True


def wrong(path: Path, error: PbemError) -> GameVerdict:
    """Return the answer about a file that failed."""
    where = f" ({error.path})" if error.path not in ("", str(path)) else ""
    named = "" if error.message.startswith(str(path)) else f"{path}: "
    return GameVerdict(f"{named}{error.message}{where}", {**error.as_json(), "file": str(path)})


def verified(places: Iterable[Place], workers: Workers, keep: Keep | None = None) -> Iterator[GameVerdict]:
    """Yield for every game whether log, chain, snapshot and draws agree, and finally a table of all games."""
    rows: dict[int, Counter[str]] = {}
    own_sets: Counter[str] = Counter()
    others = 0
    for found in each_game(_VERIFYING, places, workers, keep):
        if found is None:
            others += 1
            continue
        path, players, finished, lines, draws, components, error = found
        if components and not components["built_in"]:
            own_sets[components["digest"][:HEAD_DIGITS]] += 1
        rows.setdefault(players, Counter()).update(
            games=1, finished=int(finished), lines=lines, failed=int(error is not None)
        )
        about = {"ok": True, "code": "verified", "message": "", "path": str(path), "rule": ""}
        about |= {"lines": lines, "draws": draws, "components": components, "file": str(path)}
        yield wrong(path, error) if error else GameVerdict("", about)
    total = {column: sum(row[column] for row in rows.values()) for column in _COLUMNS}
    message = plural(total["games"], "{n} game, {failed} failed", "{n} games, {failed} failed").format_map(total)
    about = {"ok": not total["failed"], "code": "archive", "message": message, "path": "", "rule": ""}
    yield GameVerdict(
        "\n".join((_table(rows, total, others), *_own_sets(own_sets))), about | total | {"others": others}
    )


def _verified(path: Path, said: Claim) -> Finding:
    found = Finding(path, len(said.begun.players), lines=len(said.log))
    try:
        record = proved(said)
        draws = draws_proved(record)
    except PbemError as error:
        return found._replace(error=error)
    over = isinstance(record.state.phase, Ended)
    return found._replace(finished=over, draws=draws, components=report.set_of(record))


def _written(found: Finding) -> list[Any] | None:
    """Return a finding as JSON, without an error, which is better found out again."""
    return None if found.error else [str(found.path), *found[1:-1]]


def _read(row: list[Any]) -> Finding:
    path, *others = row
    return Finding(Path(path), *others)


_VERIFYING: Final = Looking("verify", _verified, Finding.unread, _written, _read)


def _table(rows: dict[int, Counter[str]], total: dict[str, int], others: int) -> str:
    """Return a row for each number of players, and one for all games; ``?`` is for files that could not be read.

    *others* is the number of files that are not games; if there are any, they have a row too.
    """
    named = [(str(players or "?"), row) for players, row in sorted(rows.items())]
    lines = [["players", *_COLUMNS]]
    lines += [[name, *(str(row[column]) for column in _COLUMNS)] for name, row in (*named, ("all", total))]
    lines += [["no game", str(others)]] if others else []
    return "\n".join("".join(f"{word:>10}" for word in line) for line in lines)


def _own_sets(games: Counter[str]) -> Iterator[str]:
    """Yield a line for every component set that is not the built-in one, by the first digits of its digest."""
    for digits, number in sorted(games.items()):
        own = plural(number, "{n} game uses its own component set", "{n} games use their own component sets")
        yield f"{own}, {digits}"
