"""Whose turn it is, in one line: for a player in a clone, and for everybody after a push."""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from pbem.carriers.git.clone import Clone, open_clone, sending, settings_of
from pbem.carriers.git.identity import player_in, signs_as_substitute
from pbem.carriers.git.point import Point, point_at
from pbem.carriers.git.public import absences, at_the_table
from pbem.carriers.git.repository import Objects, owned_environment
from pbem.carriers.git.signing import with_short_keys
from pbem.errors import NoSuchFile
from pbem.first_sparks.briefing.words import colour_word, seat_text
from pbem.first_sparks.play import waits_for
from pbem.first_sparks.record import Record
from pbem.first_sparks.state import CHANCE
from pbem.grammar import listed
from pbem.locale import tr
from pbem.table.limits import limit
from pbem.table.lines import date_of
from pbem.table.matters.matter import in_play
from pbem.table.matters.standing import Away
from pbem.table.minutes import Minutes, Motion
from pbem.table.motions import holds, missing
from pbem.table.times import shown

_JOIN: Final = "{place}: you are asked to join"
_YOUR_TURN: Final = "{place}: it is your turn"
_YOUR_TURN_UNTIL: Final = "{place}: it is your turn, until {until}"
_TIME_UP: Final = "{place}: it is your turn, and your time is up"
_WAITS: Final = "{place}: waiting for {player}"
_WAITS_UNTIL: Final = "{place}: waiting for {player} until {until}"
_THEIR_TIME_UP: Final = "{place}: the time of {player} is up"


class Status(NamedTuple):
    """Who decides in the latest commit: a colour, ``*`` for chance, None after the end; and whether it is *player*.

    Without a player, ``mine`` says whether anybody is asked. *absences* are those of players who are away, by colour.
    """

    game: str
    turn: int
    decides: str | None
    player: str
    mine: bool
    paused: bool
    absences: tuple[tuple[str, Away], ...]


class Seen(NamedTuple):
    """The game in a commit as it is to be shown: with the names of those who play now, and the minutes.

    *time* is now, and *until* is the limit of the player who is asked, in seconds since 1970; None without a clock.
    *is_home* says that the absence of that player has ended since the question was asked, and no word did that.
    """

    record: Record
    minutes: Minutes
    until: int | None
    time: int
    is_home: bool = False

    @property
    def is_late(self) -> bool:
        """Whether the time of the player who is asked is up."""
        return self.until is not None and self.time >= self.until

    @property
    def is_soon_late(self) -> bool:
        """Whether more than half of that time is over."""
        return self.until is not None and self.time >= self.until - self.minutes.standing.time.total_seconds() / 2

    @property
    def waits(self) -> tuple[str, ...]:
        """Why the game waits, in the sentences that the page of the repository has."""
        return at_the_table(self.record, self.minutes, self.time)

    def waits_for(self, reader: str) -> tuple[str, ...]:
        """Return why the game waits, in sentences that are read now, by the player of that colour if one is named."""
        return at_the_table(self.record, self.minutes, self.time, reader, self.now)

    @property
    def now(self) -> datetime:
        """The time as a date."""
        return date_of(self.time)

    def open_to(self, player: str) -> tuple[Motion, ...]:
        """Return the open motions to which a player is asked to agree."""
        return tuple(motion for motion in self._open() if player in missing(motion, in_play(self.record)))

    def about_seat_of(self, player: str) -> tuple[Motion, ...]:
        """Return the open motions of others that are about a player's seat."""
        return tuple(motion for motion in self._open() if player and motion.whom == player != motion.by)

    def _open(self) -> tuple[Motion, ...]:
        return tuple(motion for motion in self.minutes.motions if holds(motion, self.minutes, self.record))


def now_at(point: Point, time: int) -> Seen:
    """Return the game in a commit as it is to be shown, at a time in seconds since 1970."""
    record, minutes, until, is_home = point.record, point.minutes, None, False
    asked = record.asked
    if asked in dict(record.players) and asked and not minutes.standing.is_paused:
        absence = minutes.standing.absence(asked)
        ended = absence.ends if absence is not None and absence.ends <= time else 0
        with suppress(NoSuchFile):  # the clone is shallow, and does not know since when
            asked_since = point.since() if minutes.standing.time or ended else 0
            until = limit(asked, minutes, asked_since, time) if minutes.standing.time else None
            is_home = asked_since < ended
    return Seen(point.seated, minutes, until, time, is_home)


def status(name: str, player: str, time: int) -> tuple[Status, str]:
    """Return whose turn it is in the latest commit of the repository that we are in, at a time, and the line for it."""
    with Objects(env=owned_environment()) as objects:
        point = point_at(objects, objects.commit_id("HEAD"), name)
        now = now_at(point, time)
        clone = Clone(Path(), settings=settings_of(Path()))
        who = player_in(clone, point, player)
        told = line(now, who, is_substitute=signs_as_substitute(clone, now.minutes, who))
        if objects.git("rev-list", "-1", "@{upstream}..HEAD").line:
            command = sending(open_clone(Path()))
            told += "\n" + tr("What is committed here has not been pushed yet: {command}").format(command=command)
    record, decides, paused = point.record, point.record.asked, now.minutes.standing.is_paused
    is_asked = who in (record.missing or (decides,)) if who else bool(record.missing) or decides not in (CHANCE, None)
    mine = (is_asked and not paused) or bool(now.open_to(who))
    away = absences(record, now.minutes, time)
    return Status(record.game, record.turn, decides, who, mine, paused, away), told


def line(now: Seen, player: str = "", *, is_substitute: bool = False) -> str:
    """Return one line that says whose turn it is, to the player of that colour or a substitute if one is named."""
    asked = _proposed(tr("{by} proposes to {matter}, and you are asked to agree"), now.open_to(player))
    warns = tr("{by} proposes to {matter}, and any move or word from you ends that")
    motions = (*asked, *_proposed(warns, now.about_seat_of(player)), *_own_motion(now, player))
    first = "; ".join((_turn(now, player), *motions))
    waits = now.waits_for("" if is_substitute else player)
    return " ".join((f"{first}.", *waits)) if waits else first


def _proposed(message: str, motions: tuple[Motion, ...]) -> tuple[str, ...]:
    """Return a message about each motion, with who has moved it and what."""
    words = ((colour_word(motion.by), with_short_keys(tr(motion.matter.in_words))) for motion in motions)
    return tuple(message.format(by=by, matter=matter) for by, matter in words)


def _own_motion(now: Seen, player: str) -> tuple[str, ...]:
    """Return who must still agree to the open motion of a player, in words; without a motion, or voters, nothing."""
    motion = now.minutes.by(player)
    if motion is None or not holds(motion, now.minutes, now.record):
        return ()
    asked = missing(motion, in_play(now.record))
    matter = with_short_keys(tr(motion.matter.in_words))
    message = tr("{missing} must still agree to your motion to {matter}")
    return (message.format(missing=listed(map(colour_word, asked)), matter=matter),) if asked else ()


def _turn(now: Seen, player: str) -> str:
    record, until, decides = now.record, now.until, now.record.asked
    place = tr("{game}, turn {turn}").format(game=record.game, turn=record.turn)
    if record.missing:
        return tr(_JOIN).format(place=place) if player in record.missing else f"{place}: {tr(waits_for(record))}"
    if decides is None:
        return tr("{place}: the game is over").format(place=place)
    if now.minutes.standing.is_paused:
        return tr("{place}: nobody is asked to move").format(place=place)
    if decides == CHANCE:
        return tr("{place}: waiting for the host to draw").format(place=place)
    if decides == player:
        text = tr(_TIME_UP if now.is_late else _YOUR_TURN if until is None else _YOUR_TURN_UNTIL)
    else:
        text = tr(_THEIR_TIME_UP if now.is_late else _WAITS if until is None else _WAITS_UNTIL)
    day = shown(date_of(until or 0), UTC, now.now)
    return text.format(place=place, player=seat_text(dict(record.players)[decides], decides), until=day)
