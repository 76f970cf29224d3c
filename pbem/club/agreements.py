"""The proof that the minutes of a club's game bear out what was agreed, and which moves were taken back."""

from pathlib import Path

from pbem import files, loading
from pbem.club.folder import GameFolder
from pbem.club.store import read_minutes
from pbem.errors import Broken
from pbem.first_sparks.record import Record
from pbem.table.agreements import doubts
from pbem.table.lines import MINUTES


def agreements_proved(game: Path, record: Record) -> int | None:
    """Return the number of lines of the minutes of a game in the folder of a club; None elsewhere, or without any.

    Raises Broken for the first line that the lines before it and the log do not bear out, NoSuchFile for minutes that
    are lost, and NotUnderstood for those that cannot be read.
    """
    folder = GameFolder(game.parent)
    if game.name != folder.game.name or not files.exists(folder.journal):
        return None
    minutes, kept = read_minutes(folder), folder.taken_back
    courses = [loading.load(path).record for path in sorted(kept.glob("*.toml"))] if files.is_folder(kept) else []
    if not minutes.lines and not courses:
        return None
    found = tuple(doubts(minutes, (*courses, record)))
    if found:
        where = f"line {found[0].number} of {MINUTES} is not borne out" if found[0].number else MINUTES
        more = f" (and {len(found) - 1} more)" if found[1:] else ""
        raise Broken(f"{where}: {found[0].why}{more}", path=str(folder.minutes))
    return len(minutes.lines)
