"""A table in the files of its game's folder: read as one value, and written as one change or not at all."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from pbem import files, formats, secrets
from pbem.ahead.intents import Intent, intents_in, text_of
from pbem.club import cache as memory
from pbem.club.clock_files import TICKS, clock_text, read_clock
from pbem.club.folder import GameFolder, check_seats, read_roster, roster_text
from pbem.club.journal import journal_rows
from pbem.club.reading.received import kept_name
from pbem.club.settings import KEY_BYTES, Club
from pbem.club.toml_rows import build, read
from pbem.club.transaction import Change, write
from pbem.errors import Broken, NotUnderstood, PbemError
from pbem.first_sparks.briefing.board_svg import board_svg
from pbem.first_sparks.record import DrawSource, Record
from pbem.game_files import own_set
from pbem.loading import GameFile
from pbem.page.png import svg_to_png
from pbem.sha import sha256
from pbem.table.letters.letter import Letter
from pbem.table.motions import JointMotion
from pbem.table.people import Roster
from pbem.table.table import Beside, Table
from pbem.table.talk import MOST_SAYINGS, Saying

PICTURE_WIDTH: Final = 600  # pixels, more than one and a half for one on a phone; time and bytes grow with them
MOTION: Final = "wish.toml"
_MOTION_FORMAT: Final = "pbem-wish/1"
_NOTES_FORMAT: Final = "pbem-notes/1"
_TALK_FORMAT: Final = "pbem-talk/1"
_LARGEST: Final = 64 * 1024 * 1024  # bytes of a message

Parts = tuple[tuple[str, bytes], ...]


class OwnNote(NamedTuple):
    """The note of the player of a colour."""

    colour: str
    text: str


# Reading


def load(
    club: Club, folder: GameFolder, roster: Roster | None = None, rows: Sequence[dict[str, Any]] | None = None
) -> Table:
    """Return the table of a game that has begun; raises NoSuchFile, NotUnderstood, Broken.

    *roster* and *rows* are those of its players and journal, where they have been read before.
    """
    roster = roster or read_roster(folder)
    rows = journal_rows(folder.journal) if rows is None else rows
    record = memory.load(folder, rows).record
    check_seats(folder, roster, record)
    return table_of(club, folder, roster, record, rows)


def table_of(club: Club, folder: GameFolder, roster: Roster, record: Record, rows: Sequence[dict[str, Any]]) -> Table:
    """Return the table of a game with everything else that is in its folder."""
    table = Table(
        club,
        beside(club, folder, record),
        roster,
        record,
        read_intents(folder, record),
        read_talk(folder),
        read_notes(folder),
        read_motion(folder),
        rows=rows,
        serial=folder.journal.stat().st_size if folder.journal.exists() else 0,
    )
    with suppress(PbemError):
        terms, clock = read_clock(folder)
        return table.but(terms=terms, clock=clock)
    return table


def beside(club: Club, folder: GameFolder, record: Record) -> Beside:
    """Return what lies beside the table of a game."""

    def draw() -> DrawSource | None:
        return secrets.draws_of(record, folder.game)

    def message(row: Mapping[str, Any]) -> str:
        name = kept_name(row["turn"], row["colour"], row["digest"])
        return club.text_of(files.read_bytes(folder.mails / name, _LARGEST))

    def published_one(ended: Record) -> Record:
        return published(ended, folder)

    def board(seated: Record) -> bytes:
        return _board(folder, seated) if club.picture else b""

    return Beside(draw, published_one, board, message, lambda: os.urandom(KEY_BYTES))


def published(record: Record, folder: GameFolder) -> Record:
    """Return a finished game with the secret of its draws, and any other game unchanged.

    A secret that the host has lost does not prevent the last move: without it the game stays sealed.
    """
    with suppress(PbemError):
        return secrets.published(record, folder.game)
    return record


def _board(folder: GameFolder, record: Record) -> bytes:
    """Return the drawn board; most orders do not change it, so the last one is kept in the game's folder."""
    svg = board_svg(record.state, own_set(record))
    kept = folder.folder / f"board-{sha256(svg.encode()).hexdigest()[:16]}.png"
    if kept.exists():
        return files.read_bytes(kept)
    drawn = svg_to_png(svg, PICTURE_WIDTH) or b""
    with suppress(PbemError, OSError):
        for old in folder.folder.glob("board-*.png"):
            old.unlink()
        if drawn:
            files.replace(kept, drawn, mode=0o600)
    return drawn


def read_intents(folder: GameFolder, record: Record) -> dict[str, Intent]:
    """Return what has been said ahead, by colour; a file with anything else says nothing, and everybody is asked.

    Raises NoSuchFile if it is there but cannot be opened: whoever goes on without it would lose all plans.
    """
    with suppress(NotUnderstood, Broken):
        if folder.plans.exists():
            return intents_in(files.read_text(folder.plans), record, folder.plans)
    return {}


def read_talk(folder: GameFolder) -> tuple[Saying, ...]:
    """Return what was said and has not yet been told to everybody."""
    if not folder.talk.exists():
        return ()
    rows = read(folder.talk, _TALK_FORMAT).get("sayings", [])
    return tuple(build(Saying, row | {"untold": tuple(row.get("untold", ()))}, folder.talk) for row in rows)


def read_notes(folder: GameFolder) -> dict[str, str]:
    """Return the notes of players to themselves, by colour; raises NotUnderstood."""
    if not folder.notes.exists():
        return {}
    notes = (build(OwnNote, row, folder.notes) for row in read(folder.notes, _NOTES_FORMAT).get("notes", []))
    return {note.colour: note.text for note in notes}


def read_motion(folder: GameFolder) -> JointMotion | None:
    """Return the last motion in the game, or None; a file that cannot be read counts as none."""
    path = folder.folder / MOTION
    with suppress(PbemError):
        row = read(path, _MOTION_FORMAT).get("wish") if path.exists() else None
        if row is not None:
            lists = {key: tuple(row.get(key, ())) for key in ("agreed", "letters")} if formats.is_table(row) else {}
            return build(JointMotion, row | lists if lists else row, path)
    return None


# Writing


def commit(
    club: Club,
    folder: GameFolder,
    before: Table,
    after: Table,
    row: dict[str, Any],
    letters: Iterable[Letter] = (),
    more: Parts = (),
) -> None:
    """Write what is different after a step, *more* files, the letters, and the row of the journal, as one change."""
    parts = [*more, *_changed_files(folder, before, after)]
    if after.kept.head != before.kept.head:
        game = memory.load(folder, before.rows)
        changed: GameFile = game._replace(record=after.kept)
        text = memory.game_text(game, after.kept)
        memory.remember(changed, text)
        parts.append((folder.game.name, text.encode()))
    write(club, folder, Change(row, before.kept.head, after.kept.head, tuple(parts), tuple(letters)))


def _changed_files(folder: GameFolder, before: Table, after: Table) -> Iterable[tuple[str, bytes]]:
    if after.roster != before.roster:
        yield folder.players.name, roster_text(after.roster).encode()
    if (ahead := text_of(after.kept, after.ahead)) != text_of(after.kept, before.ahead):
        yield folder.plans.name, ahead.encode()
    if after.sayings != before.sayings:
        yield folder.talk.name, talk_text(after.sayings).encode()
    if after.notes != before.notes:
        rows = [OwnNote(colour, after.notes[colour])._asdict() for colour in sorted(after.notes)]
        yield folder.notes.name, formats.dump({"format": _NOTES_FORMAT, "notes": rows}, "toml").encode()
    if after.motion != before.motion:
        yield MOTION, motion_text(after.motion).encode()
    if after.clock != before.clock:
        yield TICKS, clock_text(after.clock)


def talk_text(sayings: tuple[Saying, ...]) -> str:
    """Return the text of ``talk.toml``, limited to the most recent sayings."""
    rows = [{**saying._asdict(), "untold": list(saying.untold)} for saying in sayings[-MOST_SAYINGS:]]
    return formats.dump({"format": _TALK_FORMAT, "sayings": rows}, "toml")


def motion_text(motion: JointMotion | None) -> str:
    """Return the text of the file that keeps the last motion, if there was one."""
    data: dict[str, Any] = {"format": _MOTION_FORMAT}
    if motion is not None:
        data["wish"] = motion._asdict() | {"agreed": list(motion.agreed), "letters": list(motion.letters)}
    return formats.dump(data, "toml")
