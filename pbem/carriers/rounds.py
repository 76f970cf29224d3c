"""A round of a carrier that knows who has written what: take what came, then let the clock tick.

A message with the two marker lines of a letter answers that letter, and any other one answers the current question.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple

from pbem import files
from pbem.club import folder as clubs
from pbem.club.carrier import Club
from pbem.club.deadlines import Ticked, tick_all
from pbem.club.folder import GameFolder
from pbem.club.host import finished
from pbem.club.index import folder_named, games_with
from pbem.club.journal import journal_rows
from pbem.club.players import KNOWN, is_known, respond
from pbem.club.store import load_game
from pbem.club.transaction import LONGEST_WAIT, locked
from pbem.errors import NoSuchFile, NotUnderstood, PbemError, TryAgain
from pbem.reading.message import of_text
from pbem.reading.ticket import Ticket, ticket, tickets_in_markers
from pbem.table.messages.verdict import Verdict
from pbem.table.people import Player, Writer, writer_of
from pbem.table.table import decides


class Came(NamedTuple):
    """A message as it came: the address of its *writer*, which the carrier vouches for, and a *name* of its own.

    No other message of the writer has that name with the same text, and a message keeps it until it is *done*. *read*
    returns its text, None if somebody else has taken it meanwhile, and raises NotUnderstood for what has no text, which
    the writer is told. *done* is called when it needs no further attention. Both may raise other errors, after which
    the next round takes it again. *at* is the time when it was written, and *seen* has the ids of the letters that its
    writer had then, if the carrier knows it.
    """

    writer: str
    name: str
    read: Callable[[], str | None]
    done: Callable[[], None]
    at: datetime | None = None
    seen: Collection[str] = ()


class Taken(NamedTuple):
    """What became of the messages, what the clock did in each game, and what went wrong and is left for later."""

    verdicts: tuple[Verdict, ...]
    did: tuple[Ticked, ...]
    troubles: tuple[PbemError, ...]


def take_all(club: Club, came: Iterable[Came], now: datetime | None = None, *, release: bool = False) -> Taken:
    """Process what came, then run the clock if *now* is given; *release* as in ``tick_all``.

    The clock stands in the games of whoever has written what cannot be processed now: it may be an answer in time.
    """
    verdicts: list[Verdict] = []
    troubles: list[PbemError] = []
    unread: set[str] = set()
    for message in came:
        try:
            verdict = _taken(club, message)
        except Exception as error:  # the messages about other games are still processed
            troubles.append(error if isinstance(error, PbemError) else later(error))
            unread |= {folder.name for folder in games_with(club, message.writer)}
            continue
        if verdict is None:
            continue
        verdicts.append(verdict)
        try:
            message.done()
        except PbemError as error:  # it is read again, and recognised
            troubles.append(error)
    did = tuple(tick_all(club, now, release=release, but=unread)) if now else ()
    return Taken(tuple(verdicts), did, (*troubles, *(game.error for game in did if game.error)))


def later(error: Exception) -> TryAgain:
    """Return what kept a message from being processed as trouble that is not its own: it must be processed again."""
    told = files.unexpected(error)
    return told if isinstance(told, TryAgain) else TryAgain(told.message, path=told.path, hint=told.hint)


def _taken(club: Club, message: Came) -> Verdict | None:
    """Process one message, also one that has no text; None if it is gone meanwhile. Raises PbemError as ``take``."""
    try:
        text = message.read()
    except NotUnderstood as wrong:
        return take(club, message, "", wrong)
    return None if text is None else take(club, message, text)


def take(club: Club, message: Came, text: str, wrong: NotUnderstood | None = None) -> Verdict:
    """Process one message, of which something may be *wrong*; one that another round has processed does nothing.

    It is the same message whatever is asked in the meantime, in whichever game of its writer. Raises PbemError for
    trouble that is not its own, and then it must be processed again.
    """
    address = message.writer
    raw = f"{address} {message.name!a}\n{text}".encode()
    post, markers = of_text(raw, text)
    post = post._replace(came=message.at, seen=message.seen)
    post = post if wrong is None else post._replace(wrong=wrong, reread=None)
    with files.locked(club.journal, wait=LONGEST_WAIT):  # two rounds would choose two games for the same message
        answered = list(_letters_answered(club, address, tickets_in_markers(markers)))
        for folder, _ in answered:
            with suppress(PbemError), locked(folder):  # which finishes a change that another round has left
                pass
            if is_known(journal_rows(folder.journal), post):
                return Verdict("duplicate", KNOWN, folder.name)
        for folder, said in answered:
            with locked(folder):
                roster = clubs.read_roster(folder)
                writer = writer_of(roster, said)
                if writer is not None and _is_of(writer, address):
                    verdict = respond(club, folder, roster, writer.player, said, post, valid=writer.valid)
                    finished(club, folder)
                    return verdict
    return Verdict("silent", f"{address} is not in any game that has begun")


def kept_text(raw: bytes) -> str:
    """Return the text of a message as ``take`` keeps it, below the line that says whose it is."""
    return raw.decode("utf-8", "replace").partition("\n")[2]


def _is_of(writer: Writer, address: str) -> bool:
    return address in (writer.player.address, writer.player.reader) and not writer.gone


def _letters_answered(club: Club, address: str, said: tuple[Ticket, ...]) -> Iterator[tuple[GameFolder, Ticket]]:
    """Yield what a message may answer: the letter that it quotes, or a game's current question, the writer's first."""
    for each in said:
        try:
            yield folder_named(club, each.game, address), each
        except NoSuchFile:
            continue
    if said:
        return
    found: list[tuple[GameFolder, tuple[Player, int, bool]]] = []
    wrong: PbemError | None = None
    for folder in games_with(club, address):
        try:
            found += ((folder, seat) for seat in _seats(folder, address))
        except PbemError as error:
            wrong = error
    if wrong is not None and not found:  # it may be that game which is meant
        raise wrong
    for folder, (player, turn, _) in sorted(found, key=lambda each: not each[1][2]):
        yield folder, ticket(player.key, folder.name, player.colour, turn)


def _seats(folder: GameFolder, address: str) -> Iterator[tuple[Player, int, bool]]:
    """Yield the seats of an address in a game that has begun, with its turn, and whether the seat is asked.

    A player who is away has a seat as well as the substitute.
    """
    roster = clubs.read_roster(folder)
    if roster.opening is not None and not folder.game.exists():
        return
    record = load_game(folder).record
    for player in roster.players:
        if address in (player.reader, player.address):
            yield player, record.turn, decides(record) == player.colour and player.reader == address
