"""The game as the page of its repository and its commits show it: to everybody, and so to nobody in particular."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from pbem.carriers.git.signing import with_short_keys
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.briefing.headings import section
from pbem.first_sparks.briefing.words import colour_word, seat_text
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import Record
from pbem.first_sparks.secrecy import may_read
from pbem.first_sparks.state import CHANCE
from pbem.locale import tr
from pbem.page.glue import glued
from pbem.page.page import Page, Prose, Section
from pbem.page.text import text_of
from pbem.report import page_for
from pbem.table.lines import TableLine
from pbem.table.matters.matter import in_play
from pbem.table.matters.standing import Away
from pbem.table.minutes import Minutes, Motion, seated
from pbem.table.motions import holds

_REPLACES: Final = "This replaces an earlier motion of {by}: to {matter}."
PAUSED: Final = "The game is paused, and no orders are accepted. Any player can resume it with {resume}."


def at_the_table(
    record: Record, minutes: Minutes, time: int, reader: str = "", now: datetime | None = None
) -> tuple[str, ...]:
    """Return why the game waits, in sentences: it is paused, or players are away at a time in seconds since 1970.

    The *reader* is a colour if they are for that player alone. A day has no year if it is soon after *now*; what is
    kept is read at any time, and so always has one.
    """
    is_over = isinstance(record.state.phase, Ended)
    said = [tr(PAUSED).format(resume="pbem git resume")] if minutes.standing.is_paused and not is_over else []
    for colour, away in absences(record, minutes, time):
        from pbem.table.letters.absence import absence, own_absence
        from pbem.table.people import UNTIL_BACK, Player

        name = dict(seated(record, minutes).players)[colour]
        player = Player(colour, name, "", b"", absent=away.until or UNTIL_BACK)
        player = player._replace(substitute=away.substitute, substitute_name=away.substitute)
        said.append(own_absence(UTC, away, now) if colour == reader else absence(UTC, player, now))
    return tuple(said)


def absences(record: Record, minutes: Minutes, time: int) -> tuple[tuple[str, Away], ...]:
    """Return who is away at a time in seconds since 1970, by colour: those who still play, and none after the end."""
    playing = () if isinstance(record.state.phase, Ended) else in_play(record)
    found = ((colour, minutes.standing.away(colour, time)) for colour in playing)
    return tuple((colour, away) for colour, away in found if away is not None)


def replaced(line: TableLine, before: Minutes, record: Record) -> Motion | None:
    """Return the open motion of the same player that is over with a new one; None unless the line is such a motion."""
    motion = before.by(line.by) if line.proposed else None
    return motion if motion is not None and holds(motion, before, record) else None


def replacing(motion: Motion) -> str:
    """Return the message that a new motion of the same player replaces this one."""
    return tr(_REPLACES).format(by=colour_word(motion.by), matter=with_short_keys(tr(motion.matter.in_words)))


def public_text(record: Record, waits: Sequence[str] = ()) -> str:
    """Return why the game *waits*, and what everybody may see of it now, with the choices of who is asked."""
    page = page_for(record, None, asked=False)
    text = text_of(Page((*page.sections, *_choices(record)), page.headline, page.marker))
    return "\n\n".join((*waits, text))


def _choices(record: Record) -> tuple[Section, ...]:
    """Return the choices that all may know, each with its cost; of many ways to spread the cheapest ones."""
    decides = who_decides(record.state)
    if decides in (None, CHANCE) or not may_read(record.state, None):
        return ()
    assert decides is not None
    can = [glued(c.order if c.cost is None else f"{c.order} ({c.cost})") for c in main_choices(record.state)]
    clan = seat_text(record.state.clan(decides).player, decides)
    gloss = tr("of {clan}, with the cost in food").format(clan=clan)
    return (section("choices", (Prose(", ".join(can)),), gloss),)
