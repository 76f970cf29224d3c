"""Rebuild a game from its mails: read and judge every accepted mail again, from the beginning."""

from functools import partial
from pathlib import Path
from typing import Any, Final

from pbem import files, interrupts, loading, rulings, secrets
from pbem.club.host import at_turn
from pbem.club.journal import journal_rows
from pbem.club.reading.asked import PROPOSED, Asked, asked_in
from pbem.club.reading.received import Post, kept_name
from pbem.club.seating import BEGUN
from pbem.club.table import Table, read_roster
from pbem.club.transaction import locked
from pbem.club.turn import game_text
from pbem.club.writing.ours import words_of_letter
from pbem.errors import Broken, NoSuchFile, PbemError
from pbem.first_sparks.record import Record
from pbem.formats import shown
from pbem.loading import GameFile, Submission
from pbem.mail.incoming.message import LARGEST_WHOLE, read_message
from pbem.mail.incoming.understanding import understood
from pbem.mail.settings import MailClub
from pbem.sha import sha256

_WAY_OUT: Final = "pbem mail rebuild CLUB GAME -o FILE writes the game to which the messages lead"


def rebuilt(club: MailClub, table: Table) -> tuple[GameFile, int]:
    """Return the game that the accepted mails give, and their number; the game file is not needed.

    The journal says which mails these are and what was taken back. Raises
    NoSuchFile for a missing mail, Broken for one that is not the accepted one
    or that now leads to another game.
    """
    with locked(table):
        begun = loading.load(table.folder / BEGUN)
        record, played = begun.record, 0
        rows = journal_rows(table.journal)
        proposals = {row.get("digest"): row for row in rows if row.get("code") == PROPOSED}
        names: dict[str, str] = {}  # of players who took over a seat: a mail may be signed with such a name
        for row in rows:
            try:
                if row.get("code") == "taken back":
                    record = at_turn(record, int(row["turn"]))
                elif row.get("code") == "replaced":
                    names[row["colour"]] = str(row.get("name", ""))
                elif row.get("code") == "played":
                    name = names.get(row["colour"], "")
                    record, played = _once_more(club, table, record, row, proposals, name), played + 1
            except (KeyError, TypeError, ValueError):
                raise Broken("the journal is damaged", path=str(table.journal)) from None
    return begun._replace(record=record), played


def _once_more(
    club: MailClub, table: Table, record: Record, row: dict[str, Any], proposals: dict[Any, dict[str, Any]], name: str
) -> Record:
    """Return the game after one accepted mail; *name* is its writer's if the seat has changed hands."""
    colour = row["colour"]
    path, raw = _kept(table, row["turn"], colour, row["digest"])
    try:
        asked = asked_in(record, colour, record.turn)
        asked = asked._replace(name=name or asked.name, letter=partial(_letter, club, table, record, colour))
        asked = _in_the_light(table, asked, row, proposals)
        post = understood(raw, read_message(raw), asked)[0]
        if not _orders(post):
            raise Broken("it contains no orders", path=str(path))
        # A move file may name a player who no longer has the seat; it was accepted as that player's.
        submission = loading.signed(post.orders or Submission(_orders(post)), colour)._replace(named="")
        after = rulings.judge(record, submission, secrets.draws_of(record, table.game)).record
    except PbemError as wrong:
        raise Broken(f"{path.name} is no longer accepted: {wrong.message}", path=str(path)) from None
    if after.head != row["head"]:
        raise Broken(f"{path.name} does not lead to the game that the journal records", path=str(path))
    return after


def _in_the_light(table: Table, asked: Asked, row: dict[str, Any], proposals: dict[Any, dict[str, Any]]) -> Asked:
    """Return what the row's mail replied to, with the proposal of an earlier mail that it confirmed or changed, if any.

    That proposal may be from an earlier turn: another player may have agreed to end in between.
    """
    if not (digest := row.get("confirms")):
        return asked
    before = proposals[digest]
    _, raw = _kept(table, before["turn"], before["colour"], digest)
    earlier = {key: value for key, value in proposals.items() if key != digest}
    post = understood(raw, read_message(raw), _in_the_light(table, asked, before, earlier))[0]
    return asked._replace(proposed=_orders(post), replies_to_it=True)


def _letter(club: MailClub, table: Table, record: Record, colour: str) -> str:
    """Return the words of the letter that was answered."""
    player = read_roster(table).player(colour)
    return words_of_letter(club, record, player, record.turn) if player else ""


def _kept(table: Table, turn: int, colour: str, digest: str) -> tuple[Path, bytes]:
    """Return a stored mail and its path; raises NoSuchFile, or Broken if it was changed."""
    path = table.mails / kept_name(turn, colour, digest)
    try:
        raw = files.read_bytes(path, LARGEST_WHOLE)
    except NoSuchFile as lost:
        raise NoSuchFile(f"a message is missing: {lost.message}", path=str(path)) from None
    if sha256(raw).hexdigest() != digest:
        raise Broken(f"{path.name} is not the message that was accepted", path=str(path))
    return path, raw


def _orders(post: Post) -> tuple[str, ...]:
    """Return the orders of a mail, also those that need a yes; the host's and the clock's do not."""
    return post.proposed or (post.orders.orders if post.orders else ())


def compare(table: Table, record: Record) -> None:
    """Raise Broken unless the game file contains that game."""
    found = loading.load(table.game).record
    if found.head != record.head:
        same = next((n for n, pair in enumerate(zip(found.log, record.log, strict=False)) if len(set(pair)) > 1), None)
        if same is None:
            why = f"the messages lead to turn {record.turn}, but the game file is at turn {found.turn}"
        else:
            why = f"the messages do not lead to the game in the file: line {same + 1} of the log differs"
        raise Broken(why, path=str(table.game), hint=_WAY_OUT)


def write(game: GameFile, out: Path) -> None:
    """Write a rebuilt game to a new file; raises CannotCreate."""
    text = game_text(game._replace(path=out), game.record)
    with interrupts.hold(f"{shown(out)} was written"):
        files.create(out, text)
