"""A table in the files of its game's folder: read as one value, and written as one change or not at all."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from pbem import files, game_files, loading, secrets
from pbem.club import private
from pbem.club.carrier import Club
from pbem.club.changes import has_minutes
from pbem.club.clock_data import clock_data, read_clock
from pbem.club.folder import GameFolder, check_name, check_seats, lost, read_roster, roster_sections
from pbem.club.journal import journal_rows
from pbem.club.settings import KEY_BYTES
from pbem.club.toml_rows import build, text_in
from pbem.club.transaction import Change, write
from pbem.errors import Broken, Illegal, NotUnderstood, PbemError
from pbem.first_sparks.briefing.board.picture import board_svg
from pbem.first_sparks.record import Record
from pbem.game_files import own_set
from pbem.loading import GameFile
from pbem.locale import Language
from pbem.page.png import svg_to_png
from pbem.plans.intents import Intent
from pbem.plans.rows import intents_from, rows_of
from pbem.sha import sha256
from pbem.table.letters.letter import Letter
from pbem.table.messages.verdict import kept_name
from pbem.table.minutes import Minutes, text_of
from pbem.table.minutes import read_minutes as minutes_in
from pbem.table.motions import NOT_JOINED
from pbem.table.people import Roster
from pbem.table.table import Beside, Table
from pbem.table.talk import MOST_SAYINGS, Saying

PICTURE_WIDTH: Final = 600  # pixels, more than one and a half for one on a phone; time and bytes grow with them
_DIGITS: Final = 16  # of the digest of a drawing, in the name of the file that keeps it
LARGEST: Final = 64 * 1024 * 1024  # bytes of a message

Parts = tuple[tuple[str, bytes], ...]


# Reading


def load(
    club: Club, folder: GameFolder, roster: Roster | None = None, rows: Sequence[dict[str, Any]] | None = None
) -> Table:
    """Return the table of a game; raises Illegal if it has not begun, and NoSuchFile, NotUnderstood, Broken.

    *roster* and *rows* are those of its players and journal, where they have been read before.
    """
    roster = roster or read_roster(folder)
    rows = journal_rows(folder.journal) if rows is None else rows
    if roster.opening is not None:
        raise Illegal(NOT_JOINED)
    if not folder.game.exists():
        raise lost(folder.game)
    record = load_game(folder, rows).record
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
        read_minutes(folder),
        rows=rows,
        serial=folder.journal.stat().st_size if folder.journal.exists() else 0,
    )
    with suppress(PbemError):
        terms, clock = read_clock(folder)
        return table.but(terms=terms, clock=clock)
    return table


def _secret(record: Record, path: Path) -> bytes:
    """Return the secret of a game; a file that cannot be read is broken, and no order of a player is."""
    try:
        return secrets.read_secret(record, path)
    except NotUnderstood as wrong:
        raise Broken(wrong.message, path=wrong.path, hint=wrong.hint) from None


def beside(club: Club, folder: GameFolder, record: Record) -> Beside:
    """Return what lies beside the table of a game."""

    def message(row: Mapping[str, Any]) -> str:
        name = kept_name(row["turn"], row["colour"], row["digest"])
        return club.text_of(files.read_bytes(folder.mails / name, LARGEST))

    def board(seated: Record, language: Language) -> bytes:
        return _board(club.folder / ".boards", seated, language) if club.picture else b""

    draw, publish = partial(secrets.draws_of, record, folder.game, _secret), partial(published, folder=folder)
    return Beside(draw, publish, board, message, lambda: os.urandom(KEY_BYTES))


def published(record: Record, folder: GameFolder) -> Record:
    """Return a finished game with the secret of its draws, and any other game unchanged.

    A secret that the host has lost does not prevent the last move: without it the game stays sealed.
    """
    with suppress(PbemError):
        return secrets.published(record, folder.game)
    return record


def _board(folder: Path, record: Record, language: Language) -> bytes:
    """Return the board, drawn in the language that is spoken.

    Most orders do not change it, so the last one of each game and language is kept in that folder.
    """
    svg = board_svg(record.state, own_set(record))
    name = record.game if language == "en" else f"{record.game}.{language}"
    kept = folder / f"{name}.{sha256(svg.encode()).hexdigest()[:_DIGITS]}.png"
    if kept.exists():
        return files.read_bytes(kept)
    drawn = svg_to_png(svg, PICTURE_WIDTH) or b""
    with suppress(PbemError, OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        for old in folder.glob(f"{name}.{'?' * _DIGITS}.png"):
            old.unlink()
        if drawn:
            files.replace(kept, drawn, mode=0o600)
    return drawn


def read_intents(folder: GameFolder, record: Record) -> dict[str, Intent]:
    """Return what has been said ahead, by colour; what cannot be read says nothing, and everybody is asked."""
    with suppress(NotUnderstood):
        return intents_from(private.sections(folder.private).get("plans", ()), record)
    return {}


def read_talk(folder: GameFolder) -> tuple[Saying, ...]:
    """Return what was said and has not yet been told to everybody; raises NotUnderstood."""
    rows = private.sections(folder.private).get("sayings", ())
    return tuple(build(Saying, row | {"untold": tuple(row.get("untold", ()))}, folder.private) for row in rows)


def read_notes(folder: GameFolder) -> dict[str, str]:
    """Return the notes of players to themselves, by colour; raises NotUnderstood."""
    return dict(private.sections(folder.private).get("notes", {}))


def read_minutes(folder: GameFolder) -> Minutes:
    """Return the minutes of a game; raises NotUnderstood."""
    if not folder.minutes.exists():
        if has_minutes(folder):
            raise lost(folder.minutes)
        return Minutes()
    return minutes_in(files.read_text(folder.minutes, LARGEST), folder.name)


# The game file


class _Last:
    """The last game that was read or written: the digest of its file, and what is in it.

    So ten messages of one game read it once. Without it everything is the same, only slower.
    """

    digest = ""
    game: GameFile | None = None


def digest_of(text: str) -> str:
    """Return the digest by which the journal identifies a game file."""
    digest: str = sha256(text.encode()).hexdigest()
    return digest


def load_game(folder: GameFolder, rows: Sequence[dict[str, Any]] = ()) -> GameFile:
    """Return the game of the table; a file that the journal lists as our own is not validated against the schema.

    Raises NoSuchFile, NotUnderstood, Broken.
    """
    text = text_in(folder.game, files.READ_LIMIT)
    digest = digest_of(text)
    if _Last.digest != digest or _Last.game is None or _Last.game.path != folder.game:
        ours = next((row["file"] for row in reversed(rows) if "file" in row), "") == digest
        game = loading.file_in(text, folder.game, sound=ours)
        check_name(folder, game.record)
        _Last.game, _Last.digest = game, digest
    return _Last.game


def remember(game: GameFile, text: str) -> None:
    """Remember a game that was just written."""
    _Last.digest, _Last.game = digest_of(text), game


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
    parts = list(more)
    if after.minutes != before.minutes:
        parts.append((folder.minutes.name, text_of(after.minutes, folder.name).encode()))
    if changed := dict(_changed_sections(before, after)):
        kept = private.sections(folder.private)
        parts.append((folder.private.name, private.text_with(kept, changed)))
    if after.kept.head != before.kept.head:
        game = load_game(folder, before.rows)
        changed_game: GameFile = game._replace(record=after.kept)
        text = game_files.text_again(game, after.kept)
        remember(changed_game, text)
        parts.append((folder.game.name, text.encode()))
    write(club, folder, Change(row, (before.kept.head, after.kept.head), tuple(parts), tuple(letters)))


def _changed_sections(before: Table, after: Table) -> Iterator[tuple[str, object]]:
    if after.roster != before.roster:
        yield from roster_sections(after.roster).items()
    if (ahead := rows_of(after.ahead)) != rows_of(before.ahead):
        yield "plans", ahead
    if after.sayings != before.sayings:
        yield "sayings", talk_rows(after.sayings)
    if after.notes != before.notes:
        yield "notes", dict(sorted(after.notes.items()))
    if after.clock != before.clock:
        yield "ticks", clock_data(after.clock)


def talk_rows(sayings: tuple[Saying, ...]) -> list[dict[str, Any]]:
    """Return the section of talk, limited to the most recent sayings."""
    return [{**saying._asdict(), "untold": list(saying.untold)} for saying in sayings[-MOST_SAYINGS:]]
