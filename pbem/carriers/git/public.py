"""The game as the page of its repository and its commits show it: to everybody, and so to nobody in particular."""

from collections.abc import Sequence
from datetime import UTC
from typing import Final

from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.briefing.headings import section
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import Record
from pbem.first_sparks.secrecy import may_read
from pbem.first_sparks.state import CHANCE
from pbem.page.glue import glued
from pbem.page.page import Page, Prose, Section
from pbem.page.text import text_of
from pbem.report import page_for
from pbem.table.minutes import Minutes, seated

PAUSED: Final = "The game is paused, and no orders are accepted. Any player can resume it with pbem git resume."


def at_the_table(record: Record, minutes: Minutes, time: int) -> tuple[str, ...]:
    """Return why the game waits, in sentences: it is paused, or players are away at a time in seconds since 1970."""
    if isinstance(record.state.phase, Ended):
        return ()
    said = [PAUSED] if minutes.is_paused else []
    for colour, name in seated(record, minutes).players:
        away = None if record.state.clan(colour).resigned else minutes.away(colour, time)
        if away is not None:
            from pbem.table.letters.absence import absence
            from pbem.table.people import UNTIL_BACK, Player

            player = Player(colour, name, "", b"", absent=away.until or UNTIL_BACK)
            said.append(
                absence(UTC, player._replace(substitute=away.substitute, substitute_name=away.substitute), None)
            )
    return tuple(said)


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
    gloss = f"of {record.state.clan(decides).player} ({decides}), with the cost in food"
    return (section("choices", (Prose(", ".join(can)),), gloss),)
