"""Rebuild a game from its messages: read and judge every accepted one again, from the beginning.

What people said and agreed, and what only the host may read, is made from the lines that each change has left.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import files, game_files, interrupts, loading, rulings, secrets
from pbem.club.carrier import Club
from pbem.club.changes import kept_of, restored
from pbem.club.folder import GameFolder, read_roster
from pbem.club.host import AGREED, MATTER
from pbem.club.journal import journal_rows, new_seats
from pbem.club.store import LARGEST, published, read_minutes
from pbem.club.transaction import locked
from pbem.errors import Broken, Illegal, NoSuchFile, PbemError
from pbem.first_sparks.notation import expected, parse_order
from pbem.first_sparks.plans.read import read
from pbem.first_sparks.play import played as record_after
from pbem.first_sparks.record import Record, at_line, at_turn, called, line_at
from pbem.formats import shown
from pbem.loading import GameFile, Submission
from pbem.locale import Language
from pbem.plans.intents import Intent, always_only, as_read_by, changed, moment, readdressed, said_ahead
from pbem.reading.context import Context
from pbem.reading.message import Post
from pbem.sha import sha256
from pbem.table.costs import THEN
from pbem.table.lines import TableLine, matter_in
from pbem.table.messages.context import PROPOSED, context_of
from pbem.table.messages.hear import EARLY, LANGUAGE, PLAN, STANDS_IN, UNSALTED
from pbem.table.messages.own_words import words_of_letter
from pbem.table.messages.plans import early_words
from pbem.table.messages.verdict import kept_name
from pbem.table.minutes import moved_in
from pbem.table.motions import NOT_JOINED

_SUBSTITUTE: Final = "substitute"  # the writer of what a substitute has said ahead; the player is ""
_WAY_OUT: Final = "the command rebuild CLUB GAME -o FILE writes the game to which the messages lead"


class Rebuilding(NamedTuple):
    """A game on its way from the beginning: what has been said ahead in it, and the names of those who took a seat."""

    record: Record
    ahead: dict[str, Intent]
    names: dict[str, str]


def rebuilt(club: Club, folder: GameFolder) -> tuple[GameFile, int]:
    """Return the game that the accepted messages give, and their number; the game file is not needed.

    The journal says which messages these are and what was taken back. Raises
    NoSuchFile for a missing message, Broken for one that is not the accepted one
    or that now leads to another game.
    """
    with locked(folder):
        if not folder.begun.exists() and read_roster(folder).opening is not None:
            raise Illegal(NOT_JOINED)
        begun = loading.load(folder.begun)
        course, played = Rebuilding(begun.record, {}, {}), 0
        rows, said = journal_rows(folder.journal), read_minutes(folder).lines
        proposals = {row.get("digest"): row for row in rows if row.get("code") == PROPOSED}
        for row in rows:
            try:
                if row.get("code") == "taken back":
                    ahead = {colour: always_only(intent) for colour, intent in course.ahead.items()}
                    course = Rebuilding(at_turn(course.record, int(row["turn"])), ahead, course.names)
                elif row.get("code") == AGREED:
                    course = _decided(folder, course, row)
                elif row.get("code") in ("played", "planned"):
                    course, played = _once_more(club, folder, course, row, proposals, said), played + 1
                for seat in new_seats(row):
                    course.names[seat.colour] = seat.name
                    left = course.ahead.pop(seat.colour, None)
                    if left is not None and seat.is_same:
                        course.ahead[seat.colour] = readdressed(left, "", "")
                if THEN in row:
                    course = _answered(folder, course, row)
            except (KeyError, TypeError, ValueError):
                raise Broken("the journal is damaged", path=str(folder.journal)) from None
    return begun._replace(record=published(course.record, folder)), played


def _once_more(
    club: Club,
    folder: GameFolder,
    course: Rebuilding,
    row: dict[str, Any],
    proposals: dict[Any, dict[str, Any]],
    said: Sequence[TableLine],
) -> Rebuilding:
    """Return the game after one accepted message, without what was answered to it for others.

    Letters may have told of motions, which are among what was *said* at the table.
    """
    record, colour = course.record, row["colour"]
    seated = called(record, course.names)
    intent = as_read_by(course.ahead.get(colour, Intent()), _SUBSTITUTE if STANDS_IN in row else "", "")
    path, raw = _kept(folder, row["turn"], colour, row["digest"])
    try:
        language = row.get(LANGUAGE, "en")
        asked = context_of(seated, colour, row.get(EARLY, record.turn), waves=EARLY in row, language=language)
        asked = asked._replace(letter=partial(_letter, club, folder, course, colour, language, said))
        asked = _with_proposal(club, folder, asked, row, proposals)
        post = club.post_of(raw, asked)
        if post.wrong is not None:
            raise post.wrong
        if PLAN in row:
            line = line_at(record, row[PLAN])
            lines = read(post.plan, at_line(seated, line).state, colour)
            intent = changed(record, intent, lines, moment(record, line))
        if EARLY in row:
            line = line_at(record, row[EARLY])
            words = early_words(post, at_line(seated, line).state, seated.state, colour)
            intent = intent._replace(early=words, asked=moment(record, line))
        if not {PLAN, EARLY} & row.keys() and not _orders(post):
            raise Broken("it contains no orders", path=str(path))
        if _orders(post) and EARLY not in row:
            # A move file may name a player who no longer has the seat; it was accepted as that player's.
            submission = loading.signed(post.orders or Submission(_orders(post)), colour)._replace(named="")
            salt = "" if row.get("instead") or row.get(UNSALTED) else post.salt
            record = rulings.judge(record, submission, secrets.draws_of(record, folder.game), salt).record
    except PbemError as wrong:
        raise Broken(f"{path.name} is no longer accepted: {wrong.message}", path=str(path)) from None
    if THEN not in row:
        _check_head(record, row, path.name, path)
    return course._replace(record=record, ahead={**course.ahead, colour: intent})


def _decided(folder: GameFolder, course: Rebuilding, row: dict[str, Any]) -> Rebuilding:
    """Return the game after what all have agreed to."""
    draw = secrets.draws_of(course.record, folder.game)
    record = matter_in(row[MATTER]).game_after(course.record, draw)
    if THEN not in row:
        _check_head(record, row, row[MATTER], folder.journal)
    return course._replace(record=record)


def _answered(folder: GameFolder, course: Rebuilding, row: dict[str, Any]) -> Rebuilding:
    """Return the game after the answers for which nobody was asked; raises Broken if a plan does not give its own."""
    record = course.record
    for colour, order, by in row[THEN]:
        if by != "bot":
            intent = course.ahead.get(colour, Intent())
            readers = (intent, intent.rests or intent)  # a substitute may have begun or stopped to read the letters
            if order not in {str(said_ahead(record, colour, each).answer(record).move) for each in readers}:
                why = f"the plan of {colour} does not answer {order!a}, which the journal records"
                raise Broken(why, path=str(folder.journal))
        move = parse_order(order, expected(record.state.phase))
        record = record_after(record, colour, move, secrets.draws_of(record, folder.game))[0]
    _check_head(record, row, f"what follows turn {course.record.turn}", folder.journal)
    return course._replace(record=record)


def _check_head(record: Record, row: dict[str, Any], what: str, path: Path) -> None:
    if record.head != row["head"]:
        raise Broken(f"{what} does not lead to the game that the journal records", path=str(path))


def _with_proposal(
    club: Club, folder: GameFolder, context: Context, row: dict[str, Any], proposals: dict[Any, dict[str, Any]]
) -> Context:
    """Return what the row's message replied to, with the proposal of an earlier one that it confirmed, if any.

    That proposal may be from an earlier turn: another player may have agreed to end in between.
    """
    if not (digest := row.get("confirms")):
        return context
    before = proposals[digest]
    _, raw = _kept(folder, before["turn"], before["colour"], digest)
    earlier = {key: value for key, value in proposals.items() if key != digest}
    post = club.post_of(raw, _with_proposal(club, folder, context, before, earlier))
    return context._replace(proposed=_orders(post), replies_to_it=True)


def _letter(
    club: Club, folder: GameFolder, course: Rebuilding, colour: str, language: Language, said: Sequence[TableLine]
) -> str:
    """Return the words of the letter that was answered, in the language that the player read then."""
    player = read_roster(folder).player(colour)
    if player is None:
        return ""
    record, player = called(course.record, course.names), player._replace(language=language)
    return words_of_letter(club, record, player, record.turn, moved=moved_in(said, course.record))


def _kept(folder: GameFolder, turn: int, colour: str, digest: str) -> tuple[Path, bytes]:
    """Return a stored message and its path; raises NoSuchFile, or Broken if it was changed."""
    path = folder.mails / kept_name(turn, colour, digest)
    try:
        raw = files.read_bytes(path, LARGEST)
    except NoSuchFile as lost:
        raise NoSuchFile(f"a message is missing: {lost.message}", path=str(path)) from None
    if sha256(raw).hexdigest() != digest:
        raise Broken(f"{path.name} is not the message that was accepted", path=str(path))
    return path, raw


def _orders(post: Post) -> tuple[str, ...]:
    """Return the orders of a message, also those that need a yes; the host's and the clock's do not."""
    return post.proposed or (post.orders.orders if post.orders else ())


def compare(folder: GameFolder, record: Record) -> None:
    """Raise Broken unless the game file contains that game."""
    found = loading.load(folder.game).record
    if found.head != record.head:
        same = next((n for n, pair in enumerate(zip(found.log, record.log, strict=False)) if len(set(pair)) > 1), None)
        if same is None:
            why = f"the messages lead to turn {record.turn}, but the game file is at turn {found.turn}"
        else:
            why = f"the messages do not lead to the game in the file: line {same + 1} of the log differs"
        raise Broken(why, path=str(folder.game), hint=_WAY_OUT)


def restore(club: Club, folder: GameFolder) -> tuple[GameFile, int, list[str]]:
    """Write what is lost of a game's files; return the game, the number of its messages, and what was written.

    Raises NoSuchFile, Broken; then nothing was written, or only a part.
    """
    written: list[str] = []
    if not (folder.private.exists() and folder.minutes.exists()) and folder.changes.exists():
        with locked(folder):
            written = restored(folder, kept_of(folder))
    made, mails = rebuilt(club, folder)
    if not folder.game.exists():
        with locked(folder):
            _check_named(folder)
            write(made, folder.game)
        written.append(folder.game.name)
    return made, mails, written


def _check_named(folder: GameFolder) -> None:
    """Raise Broken if the journal misses a message that was kept: without it the game would begin again too early."""
    rows = journal_rows(folder.journal)
    named = {kept_name(0, "", str(row.get("digest", ""))).rpartition("-")[2] for row in rows}
    lost = sorted(path.name for path in folder.mails.glob("*.eml") if path.name.rpartition("-")[2] not in named)
    if lost:
        raise Broken(f"the journal is damaged: it does not name {lost[0]}", path=str(folder.journal), hint=_WAY_OUT)


def write(game: GameFile, out: Path) -> None:
    """Write a rebuilt game to a new file; raises CannotCreate."""
    text = game_files.text_again(game._replace(path=out), game.record)
    with interrupts.hold(f"{shown(out)} was written"):
        files.create(out, text)
