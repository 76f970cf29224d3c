"""Letters as files: every player has a folder with ``letters`` to read, and ``answers``, into which answers are put.

Who can write into a folder is its player, so that an answer needs no ticket; one with the two marked lines of a letter
answers that letter, and any other one the question of today.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar, Final, NamedTuple

from pbem import files
from pbem.club import setup
from pbem.club import table as tables
from pbem.club.deadlines import Ticked, tick_all
from pbem.club.reading.received import Verdict, of_text
from pbem.club.settings import Club, Posted, club_text, settings_of
from pbem.club.table import Player, Roster, Table, Writer
from pbem.club.ticket import Ticket, ticket, tickets_in_markers
from pbem.club.transaction import locked
from pbem.club.turn import respond
from pbem.club.writing.harmless import written
from pbem.club.writing.letter import Letter
from pbem.errors import NoSuchFile, PbemError, UsageError
from pbem.sha import sha256

FORMAT: Final = "pbem-folders/1"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
_LARGEST: Final = 256 * 1024
_HOW_TO_PLAY: Final = (
    'How to play: you get a letter in your folder "letters" when it is your turn, and it has all that you need to '
    'decide. Put a text file with your order into the folder "answers". Whatever else you write there is told to the '
    "other players. Your first order gets a receipt; later you hear only of orders that were not played, unless you "
    'write "news every". Write "help" to see what else you can ask for.'
)
_HELP: Final = (
    'You play by text files that you put into your folder "answers". Write one order a line; several are played in '
    "turn, all or none. You get a letter if an order could not be played. All else that you write is told to the "
    "others in their next letter."
)
_HINT: Final = "pbem club init CLUB --host NAME makes one"


@dataclass(frozen=True)
class FolderClub(Club):
    """A club whose addresses are the names of folders."""

    to_answer: ClassVar[str] = 'To answer, put a text file with {order} or another order into your folder "answers".'
    how_to_play: ClassVar[str] = _HOW_TO_PLAY
    help: ClassVar[str] = _HELP

    command: ClassVar[str] = "pbem club"
    to_release: ClassVar[str] = "If that is what you want, pbem club answer CLUB GAME decides for one of them."

    def folder_of(self, name: str) -> Path:
        """Return the folder of a player."""
        return self.folder / "players" / name

    def posted(self, letter: Letter) -> Posted:
        """Return the letter as a text in the folder of its reader, with the files that belong to it at its end."""
        files_too = "".join(f"\n{name}:\n\n{text}" for name, text in letter.attached)
        data = f"{letter.subject}\n\n{written(letter.page)}{files_too}".encode()
        name = f"{letter.ticket.game}-{letter.ticket.turn:04}" if letter.ticket else "notice"
        serial = sha256(data + f"\0{letter.serial}\0{letter.in_reply_to}".encode()).hexdigest()[:8]
        return Posted(self.folder_of(letter.to) / "letters" / f"{name}-{serial}.txt", data)

    def put(self, letter: Letter) -> None:
        """Write a letter that belongs to no game."""
        path, data = self.posted(letter)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        files.replace(path, data, mode=0o600)

    def id_of(self, letter: Letter) -> str:
        """Return the name of its file."""
        return self.posted(letter).path.name

    def text_of(self, raw: bytes) -> str:
        """Return what stands in an answer that was kept, below the line that says whose it is."""
        return raw.decode("utf-8", "replace").partition("\n")[2]

    def is_address(self, text: str) -> bool:
        """Return whether a folder can have that name."""
        return _NAME.fullmatch(text) is not None

    def is_ours(self, address: str) -> bool:
        """Return whether it is the adjudicator's own name."""
        return address.casefold() == self.address.casefold()


def create(folder: Path, host: str) -> FolderClub:
    """Make a club in a new or empty folder; raises CannotCreate, UsageError."""
    club = FolderClub(folder, "pbem", host, picture=False)
    if not club.is_address(host) or club.is_ours(host):
        raise UsageError(f"{host[:40]!a} cannot be the name of a folder", hint="for instance: --host Eve")
    setup.create(club, club_text(club, FORMAT), lambda: None)
    return club


def own_club(folder: Path) -> FolderClub:
    """Return the club in the folder, to be changed; raises NoSuchFile, NotUnderstood, CannotCreate."""
    club = settings_of(FolderClub, folder, FORMAT, _HINT)
    setup.check_own(folder)
    return club


def make_inboxes(club: FolderClub) -> None:
    """Make the folder for answers beside all letters."""
    for letters in club.folder.glob("players/*/letters"):
        letters.with_name("answers").mkdir(mode=0o700, exist_ok=True)


class Taken(NamedTuple):
    """What became of the answers, what the clock has done in which game, and what went wrong and still waits."""

    verdicts: tuple[Verdict, ...]
    did: tuple[Ticked, ...]
    troubles: tuple[PbemError, ...]


def run(club: FolderClub, now: datetime | None = None) -> Taken:
    """Take every answer that waits, then do what is due *now*, if it is said what time it is."""
    verdicts: list[Verdict] = []
    troubles: list[PbemError] = []
    for path in sorted(club.folder.glob("players/*/answers/*")):
        try:
            verdicts += [_take(club, path)] if path.is_file() else []
        except PbemError as error:  # it keeps the answers to other games from nothing
            troubles.append(error)
    did = tuple(tick_all(club, now)) if now else ()
    make_inboxes(club)
    return Taken(tuple(verdicts), did, (*troubles, *(game.error for game in did if game.error)))


def _take(club: FolderClub, path: Path) -> Verdict:
    """Deal with one answer, and put it aside."""
    reader = path.parent.parent.name
    text = files.read_bytes(path, _LARGEST).decode("utf-8", "replace")
    post, markers = of_text(b"", text)
    verdict = Verdict("silent", f"{reader} plays in no game that has begun")
    for table, said in _letters_answered(club, reader, tickets_in_markers(markers)):
        with locked(table):
            roster = tables.read_roster(table)
            writer = tables.writer_of(roster, said)
            if writer is not None and _is_of(writer, reader):
                raw = f"{reader} {said.game}/{said.turn} {path.name}\n{text}".encode()
                post, _ = of_text(raw, text)
                verdict = respond(club, table, roster, writer.player, said, post, valid=writer.valid)
                break
    done = path.parent / "taken"
    done.mkdir(mode=0o700, exist_ok=True)
    path.replace(done / path.name)
    return verdict


def _is_of(writer: Writer, reader: str) -> bool:
    return reader in (writer.player.address, writer.player.reader) and not writer.gone


def _letters_answered(club: FolderClub, reader: str, said: tuple[Ticket, ...]) -> Iterator[tuple[Table, Ticket]]:
    """Yield what an answer may be to: the letter that it holds, or today's question of a game, the reader's first."""
    for each in said:
        try:
            yield tables.table_of(club, each.game), each
        except NoSuchFile:
            continue
    if said:
        return
    found = [
        (table, player) for table in tables.tables(club) if table.game.exists() for player in _seats(table, reader)
    ]
    for table, (player, turn, _) in sorted(found, key=lambda each: not each[1][2]):
        yield table, ticket(player.key, table.name, player.colour, turn)


def _seats(table: Table, reader: str) -> Iterator[tuple[Player, int, bool]]:
    """Yield the seats of a reader in a game that has begun, with its turn, and whether the seat is asked."""
    from pbem.club.cache import load
    from pbem.club.writing.letters import decides

    roster: Roster = tables.read_roster(table)
    record = load(table).record
    for player in roster.players:
        if player.reader == reader:
            yield player, record.turn, decides(record) == player.colour
