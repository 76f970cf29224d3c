"""The game as the page of its repository and its commits show it: to everybody, and so to nobody in particular."""

from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.briefing.headings import section
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.record import Record
from pbem.first_sparks.secrecy import may_read
from pbem.first_sparks.state import CHANCE
from pbem.page.glue import glued
from pbem.page.page import Page, Prose, Section
from pbem.page.text import text_of
from pbem.report import page_for


def public_text(record: Record) -> str:
    """Return what everybody may see of the game now, with the choices of the player who is asked."""
    page = page_for(record, None, asked=False)
    return text_of(Page((*page.sections, *_choices(record)), page.headline, page.marker))


def _choices(record: Record) -> tuple[Section, ...]:
    """Return the choices that all may know, each with its cost; of many ways to spread the cheapest ones."""
    decides = who_decides(record.state)
    if decides in (None, CHANCE) or not may_read(record.state, None):
        return ()
    assert decides is not None
    can = [glued(c.order if c.cost is None else f"{c.order} ({c.cost})") for c in main_choices(record.state)]
    gloss = f"of {record.state.clan(decides).player} ({decides}), with the cost in food"
    return (section("choices", (Prose(", ".join(can)),), gloss),)
