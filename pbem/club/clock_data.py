"""A game's clock in ``private.toml``, and when the clock of its club has ticked.

That is one file for all games in which a tick changes nothing else. Nothing else knows that time has run in a game
since it was last written, so it is not a cache.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, TypeVar, get_args

from pbem import files, formats
from pbem.club import private
from pbem.club.folder import GameFolder
from pbem.errors import NotUnderstood, PbemError
from pbem.grammar import listed, span, written_span
from pbem.table.clock import (
    Clock,
    MarketLook,
    Question,
    Stage,
    Terms,
    Then,
    instant,
    timestamp,
)
from pbem.table.due import run_on

T = TypeVar("T")
_MOST_SECONDS: Final = 10**9
CLUB_TICKS: Final = "ticks.toml"  # in the folder of the club
_FORMAT: Final = "pbem-club-ticks/1"
_LIMIT: Final = 256 * 1024
_LONGEST_WAIT: Final = 20.0  # seconds
_MOST_MISSED: Final = 2000  # games; so that the file can be read again


def read_clock(folder: GameFolder) -> tuple[Terms, Clock]:
    """Return the host's terms and the clock as the last tick of the club has left it; raises NotUnderstood."""
    terms, kept = kept_clock(folder)
    return terms, run_on(kept, club_ticks(folder.folder.parent.parent).reached(folder.name))


def kept_clock(folder: GameFolder) -> tuple[Terms, Clock]:
    """Return the host's terms and the clock as it is kept, perhaps without the last ticks; raises NotUnderstood."""
    return _in_section(folder, "clock", terms_from), _in_section(folder, "ticks", clock_from)


def _in_section(folder: GameFolder, name: str, read: Callable[[dict[str, Any]], T]) -> T:
    """Return what is in a section of ``private.toml``; an error names the file, the section, and perhaps the key."""
    found = private.sections(folder.private).get(name, {})
    try:
        if not formats.is_table(found):
            raise NotUnderstood("this should be a table with keys")
        return read(found)
    except NotUnderstood as wrong:
        where = f"{wrong.path} in [{name}]" if wrong.path else f"[{name}]"
        message = f"{wrong.message} ({where} of {formats.shown(folder.private)})"
        raise NotUnderstood(message, path=wrong.path or name, hint=wrong.hint) from None


def keep_clock(folder: GameFolder, clock: Clock) -> None:
    """Write the clock as a tick has left it; the game is locked."""
    private.keep(folder.private, {"ticks": clock_data(clock)})


# As data


def terms_from(data: dict[str, Any]) -> Terms:
    """Return the terms in the data of ``[clock]``, with defaults for missing keys. Raises NotUnderstood."""
    strange = sorted(data.keys() - set(Terms._fields))
    if strange:
        hint = f"known keys: {', '.join(Terms._fields)}"
        raise NotUnderstood(f"unknown key {strange[0]!a:.40}", hint=hint)
    then, reminders = data.get("then", "tell"), data.get("reminders", [])
    if then not in get_args(Then):
        values = listed((f'"{value}"' for value in get_args(Then)), "or")
        hint = f"it must be {values}"
        raise NotUnderstood("invalid value for then", path="then", hint=hint)
    if not formats.is_list(reminders):
        hint = 'they must be a list like ["1 day", "2 days"]'
        raise NotUnderstood("invalid reminders", path="reminders", hint=hint)
    spans = {key: span(data[key], key) for key in data if key not in ("then", "reminders")}
    told: dict[str, Any] = {**spans, "then": then}
    terms = Terms(**told)
    if "reminders" in data:
        terms = terms._replace(reminders=tuple(sorted(span(each, "reminders") for each in reminders)))
    else:
        terms = terms._replace(reminders=tuple(each for each in terms.reminders if each < terms.deadline))
    if any(reminder >= terms.deadline for reminder in terms.reminders):
        raise NotUnderstood("a reminder must be shorter than the deadline", path="reminders")
    return terms


def terms_data(terms: Terms) -> dict[str, Any]:
    """Return terms as ``[clock]`` has them; an empty text stands for no time at all."""
    spans = {key: written_span(value) if value else "" for key, value in terms._asdict().items() if _is_span(value)}
    return spans | {"reminders": [written_span(each) for each in terms.reminders], "then": terms.then}


def _is_span(value: object) -> bool:
    return isinstance(value, timedelta)


def clock_from(data: dict[str, Any]) -> Clock:
    """Return the clock in the data of ``[ticks]``; raises NotUnderstood."""
    try:
        last = _time(data, "last") if "last" in data else None
        questions = tuple(map(_question, data.get("question", [])))
        look = _look_in(data["look"]) if "look" in data else None
        return Clock(last, questions, look, _time(data, "due") if "due" in data else None)
    except (KeyError, TypeError, AttributeError, OverflowError):
        hint = "delete that section to restart the clock"
        raise NotUnderstood("the clock is damaged", hint=hint) from None


def _question(row: dict[str, Any]) -> Question:
    since, stage = _time(row, "since"), row["stage"]
    if stage not in get_args(Stage):
        raise KeyError(stage)
    waited, reminded = _seconds(row["waited"]), _seconds(row["reminded"])
    stands = _time(row, "stands") if "stands" in row else None
    told = _seconds(row.get("told", 0))
    return Question(row["turn"], row["head"], row["colour"], since, waited, reminded, stage, stands, told)


def _look_in(row: dict[str, Any]) -> MarketLook:
    return MarketLook(row["round"], _time(row, "since"), _seconds(row["waited"]), row.get("runs") is True)


def _time(row: dict[str, Any], key: str) -> datetime:
    try:
        return instant(row[key])
    except NotUnderstood as wrong:
        raise NotUnderstood(wrong.message, path=key, hint=wrong.hint) from None


def _seconds(value: int) -> timedelta:
    return timedelta(seconds=max(0, min(value, _MOST_SECONDS)))


def clock_data(clock: Clock) -> dict[str, Any]:
    """Return the data of ``[ticks]``: durations in seconds."""
    data: dict[str, Any] = {"last": timestamp(clock.last)} if clock.last is not None else {}
    if clock.questions:
        data["question"] = list(map(_row, clock.questions))
    data |= {"look": _row(clock.look)} if clock.look is not None else {}
    return data | ({"due": timestamp(clock.due)} if clock.due is not None else {})


def _row(value: Question | MarketLook) -> dict[str, Any]:
    return {key: _plain(each) for key, each in value._asdict().items() if each is not None and (key != "told" or each)}


def _plain(value: object) -> object:
    if isinstance(value, timedelta):
        return int(value.total_seconds())
    return timestamp(value) if isinstance(value, datetime) else value


# Ticks of the club


class ClubTicks(NamedTuple):
    """The time of the last tick, and up to when ticks have reached the games that it has *missed*, by name."""

    last: datetime | None = None
    missed: Mapping[str, datetime] = MappingProxyType({})

    def reached(self, game: str) -> datetime | None:
        """Return the last tick that has reached a game, None if there was none."""
        return self.missed.get(game, self.last)


def club_ticks(folder: Path) -> ClubTicks:
    """Return the ticks of the club in the folder; none if the file is lost or damaged, after which time may stand."""
    with suppress(PbemError):
        path = folder / CLUB_TICKS
        return _ticks_in(files.read_text(path, _LIMIT)) if path.exists() else ClubTicks()
    return ClubTicks()


@lru_cache(maxsize=1)  # each game that is looked at asks for it
def _ticks_in(text: str) -> ClubTicks:
    data = formats.parse(text, "toml", name=CLUB_TICKS)
    missed = data.get("missed", {})
    try:
        return ClubTicks(instant(data["last"]), {name: instant(missed[name]) for name in missed})
    except (KeyError, TypeError):
        return ClubTicks()


def note_tick(folder: Path, at: datetime, failed: Collection[str], *, went_back: bool) -> None:
    """Record a tick that was done in all games but those in which it has *failed*; raises PbemError.

    A time before the last tick counts only if ticks *went back* in a game, or if it was too early in
    none: the host has put a wrong time right.
    """
    path = folder / CLUB_TICKS
    with files.locked(path, wait=_LONGEST_WAIT):
        before = club_ticks(folder)
        if before.last is not None and at < before.last and failed and not went_back:
            return
        missed = {name: before.reached(name) or at for name in sorted(failed)[:_MOST_MISSED]}
        after = ClubTicks(at, missed)
        if after != before:
            data: dict[str, Any] = {"format": _FORMAT, "last": timestamp(at)}
            if missed:
                data["missed"] = {name: timestamp(time) for name, time in missed.items()}
            files.replace(path, formats.dump(data, "toml"), mode=0o600)
