"""The page of a game as a file: complete by itself, so that it can be sent and kept."""

from typing import Final

from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import Record
from pbem.game_files import own_set

LARGEST: Final = 1024 * 1024  # bytes of a page that comes without being asked for; a usual one has a tenth of them


def page_of(record: Record, last: int | None = None, *, language: str = "en") -> str:
    """Return the page of a game up to the turn *last*, or of all of it: the same bytes for the same game.

    *language* is the code of the one that is spoken.
    """
    from importlib.resources import files

    from pbem.first_sparks.replay.page import Assets, replay_page

    folder = files("pbem.first_sparks.replay")
    style, script = ((folder / name).read_text(encoding="utf-8") for name in ("replay.css", "replay.js"))
    return replay_page(record, Assets(style, script), last, own_set(record), language=language)


def final_page(record: Record, *, language: str = "en") -> str:
    """Return the page of a game that is over, and nothing if it goes on, or if the page has more than ``LARGEST``."""
    if not isinstance(record.state.phase, Ended):
        return ""
    page = page_of(record, language=language)
    return page if len(page.encode()) <= LARGEST else ""


def is_page(start: bytes) -> bool:
    """Return whether a file that begins with these bytes, at least 300 of them, is such a page."""
    from pbem.first_sparks.replay.page import HEAD, START

    language, head, _ = start.removeprefix(START.encode()).partition(HEAD.encode())
    return start.startswith(START.encode()) and bool(head) and language.replace(b"-", b"").isalnum()
