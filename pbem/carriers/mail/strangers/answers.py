"""Mail without a valid ticket: it changes no game except by joining one, and learns nothing of it.

A player gets the current question, at the address that we know. Former players are
told once that their letters no longer count, people who want to play are asked to
confirm, and other strangers are told once what this is, if the club allows that or
has a free seat. Spam and mail to others is never answered, since its sender is
most likely forged. The number of letters to strangers in a day is limited.
"""

import re
from collections.abc import Generator, Iterable
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from pbem import files
from pbem.carriers.mail.strangers import seats, tally
from pbem.club import folder as clubs
from pbem.club.carrier import Club
from pbem.club.folder import GameFolder
from pbem.club.index import games_with, games_with_seats
from pbem.club.journal import journal_rows
from pbem.club.opening import own_set_of
from pbem.club.players import is_known
from pbem.club.store import commit, load
from pbem.club.transaction import LONGEST_WAIT, Change, locked, write
from pbem.errors import NoSuchFile, PbemError
from pbem.locale import LANGUAGES, Language, language_named, own_words, phrase, speaking
from pbem.reading.languages import in_english
from pbem.reading.message import Post, of_text
from pbem.reading.ticket import Ticket
from pbem.sha import sha256
from pbem.table.letters.letter import Letter
from pbem.table.letters.seats import cannot_join, dismissed, invitation, to_stranger
from pbem.table.messages.verdict import Verdict, id_digest
from pbem.table.occurrences import Unproved
from pbem.table.people import Player
from pbem.table.progress import stand_still
from pbem.table.tell import tell

# How often we write to an address without a ticket within that time; club.toml limits the letters in a day.
MOST_INVITATIONS: Final = 3
MEMORY: Final = timedelta(days=30)


def respond(club: Club, sender: str, subject: str, post: Post) -> Verdict:
    """Answer a message of a person without a genuine ticket, from an address that can be answered."""
    request = _request_of(post) or _request_of(of_text(b"", subject)[0])
    if request:
        return _joining(club, sender, post, request)
    for folder in _games_of(club, sender, subject):
        return _remind(club, folder, sender)
    if not _welcomes(club):
        return Verdict("silent", NO_SEATS)
    what = f"help {sender}"
    spent = "a stranger who was already told what this is"
    with _next_letter(club, what, 1, spent, post.came, "letters") as number:
        if isinstance(number, str):
            return Verdict("silent", number)
        game = _named_in(club, f"{subject} {post.words}")
        with speaking(_language(club, game, post)):
            _write(club, what, number, to_stranger(sender, game.name if game else EXAMPLE, post.message_id))
    return Verdict("stranger", "told what this is", letters=1)


EXAMPLE: Final = "saturday"  # an invented name, since strangers are not told which games there are
NO_SEATS: Final = "a stranger, and no game has free seats"


def _welcomes(club: Club) -> bool:
    """Return whether strangers are answered: always, or while a game is waiting for players."""
    if club.strangers == "answer":
        return True
    return any(folder.private.exists() and not folder.game.exists() for folder in games_with_seats(club))


def _named_in(club: Club, words: str) -> GameFolder | None:
    """Return the game that waits for players and that somebody names who may not know how to join it."""
    said = {*re.findall(r"[a-z0-9-]+", words.lower())}
    waiting = (folder for folder in games_with_seats(club) if folder.private.exists() and not folder.game.exists())
    return next((folder for folder in waiting if folder.name in said), None)


def _games_of(club: Club, sender: str, subject: str) -> Iterable[GameFolder]:
    """Return the game of a player with the address: the one named in the subject, else the first one."""
    address = sender.encode()
    found: list[GameFolder] = []
    for folder in games_with(club, sender):
        with suppress(PbemError):
            # Most games are not even parsed.
            if address in files.read_bytes(folder.private).lower() and folder.game.exists():
                players = clubs.read_roster(folder).players
                found += [folder] * any(player.address.lower() == sender for player in players)
    named = [folder for folder in found if re.search(rf"\b{re.escape(folder.name)}\b", subject.lower())]
    return (named or found)[:1]


def _remind(club: Club, folder: GameFolder, address: str) -> Verdict:
    """Send a player who wrote without a ticket the current question, at the address that we know, once a turn."""
    with locked(folder):
        table = load(club, folder)
        player = next((player for player in table.roster.players if player.address.lower() == address), None)
        record = table.kept
        known = {(row.get("code"), row.get("turn"), row.get("colour")) for row in table.rows}
        if player is None or ("reminded", record.turn, player.colour) in known:
            return Verdict("silent", "already told in this turn, or not a player of this game", folder.name)
        told = tell(stand_still(table, table, Unproved(player)))
        row = {
            "game": record.game,
            "turn": record.turn,
            "colour": player.colour,
            "code": "reminded",
            "head": record.head,
        }
        commit(club, folder, table, told.after, row, told.letters)
    return Verdict("reminded", "sent the current question", record.game, record.turn, 1)


def dismiss(club: Club, folder: GameFolder, address: str, post: Post) -> Verdict:
    """Tell former players, once, that their letters no longer count; the game is locked.

    Only the address that got those letters is told, and it learns neither who plays now nor how the game stands.
    """
    rows = journal_rows(folder.journal)
    told = any(row.get("code") == "former" and row.get("id") == id_digest(address) for row in rows)
    if told or is_known(rows, post) or not post.person:
        return Verdict("silent", "from a player who was replaced", folder.name)
    with speaking(club.language):
        own = dismissed(folder.name, address, post.message_id)
    row = {"digest": post.digest, "id": id_digest(address), "code": "former"}
    write(club, folder, Change(row, letters=(own,)))
    return Verdict("former", "a former player was told that these letters no longer count", folder.name, None, 1)


# Who wants to play


def _request_of(post: Post) -> list[str]:
    """Return the words of a request to join, ``join GAME NAME``, if there is one."""
    for request in post.requests:
        if request.lower().startswith("join "):
            return request.split()
    return []


def _language(club: Club, game: GameFolder | None, post: Post) -> Language:
    """Return the language of whoever asks to join: that of the request, unless it says "join", or of the *game*."""
    said = next((own_words(request) for request in post.requests if request.lower().startswith("join ")), "join")
    if not said.lower().startswith("join"):
        for each in LANGUAGES:
            if in_english(said, each).text.startswith("join "):
                return each
    return seats.language_of(club, game) if game else club.language


def _joining(club: Club, sender: str, post: Post, request: list[str], *, proved: bool = False) -> Verdict:
    """Ask the sender of a request to join to confirm it, at the address that the mail gives as its own.

    This is limited for each game, and for all requests together that cannot be granted. Where a letter of pbem has
    *proved* the address, no other limit applies.
    """
    try:
        folder, name, colour = _understood(club, request)
    except seats.Unmet as wrong:
        if not proved and not _welcomes(club):
            return Verdict("silent", NO_SEATS)
        spent = "too many impossible requests to join from one address"
        kind: tally.LetterKind | None = None if proved else "letters"
        with _next_letter(club, f"refused {sender}", MOST_INVITATIONS, spent, post.came, kind) as number:
            if isinstance(number, str):
                return Verdict("silent", number)
            with speaking(_language(club, _named_in(club, " ".join(request)), post)):
                told = cannot_join(sender, wrong, post.message_id, is_last=_is_last(number))
            _write(club, f"refused {sender}", number, told)
        return Verdict("refused", wrong.message, letters=1)
    what = _joins(folder, sender)
    spent = "too many requests to join the game from one address"
    kind = None if proved else "invitations"
    with _next_letter(club, what, MOST_INVITATIONS, spent, post.came, kind) as number:
        if isinstance(number, str):
            return Verdict("silent", number, folder.name)
        own = seats.join_ticket(club, folder.name, sender, number)
        language = _language(club, folder, post)
        player, own_set = Player(seats.JOIN, name, sender, b"", language), own_set_of(folder)
        with speaking(language):
            asks = invitation(own, player, colour, own_set, post.message_id, is_last=_is_last(number))
        _write(club, what, number, asks, f"join {folder.name} {name} {colour}\n{language}")
    return Verdict("asked", "asked to confirm", folder.name, letters=1)


def _is_last(number: int) -> bool:
    """Return whether the letter is the last one, which explains why no other follows."""
    return number == MOST_INVITATIONS - 1


def _understood(club: Club, request: list[str]) -> tuple[GameFolder, str, str]:
    """Return the game, name and colour of a request to join; raises Unmet if it cannot be granted."""
    game = request[1].lower() if request[1:] else ""
    if game:
        try:
            folder = clubs.folder_of(club, game)
        except NoSuchFile as none:
            raise seats.Unmet(none.message, hint=phrase("Ask the host for the name of your game.")) from None
        if request[2:] or folder.game.exists():
            return folder, *seats.seat_asked_for(folder, request[2:])
    example = game or EXAMPLE
    raise seats.Unmet(
        phrase('to join, write "join", the name of the game, and the name you want to play under'),
        hint=phrase("For example: {example}.", example=f'"join {example} Zoe"'),
    )


def confirmed(club: Club, folder: GameFolder, said: Ticket, sender: str, post: Post) -> Verdict:
    """Seat somebody who answers our letter with a yes or another request to join; ask other people again.

    The ticket proves that the writer reads the mail of the address that got the letter. Neither silence nor anything
    that a robot may have written counts as a yes.
    """
    request = _request_of(post)
    if not request and not post.person:
        return Verdict("robot", "sent by a robot, so it does not confirm")
    if not request and ("stop" in post.requests or seats.says_no(post.words)):
        return Verdict("silent", "does not want to play")
    sure = post.wrong is None and (bool(request) or seats.says_yes(post.words))
    what = _joins(folder, sender)
    asked, language = _question(club, what, said.turn)
    request = request or asked
    if seats.plays(folder, sender):
        request = ["join", folder.name]  # confirmed before, and no longer remembered
    elif not sure or len(request) < 3 or request[1].lower() != folder.name:
        return _joining(club, sender, post, request or ["join", folder.name], proved=True)
    try:
        with locked(folder):
            reads = language_named(language) or seats.language_of(club, folder)
            code = seats.join(club, folder, request[2:], sender, post.digest, reads)
    except seats.Unmet:
        return _joining(club, sender, post, request, proved=True)
    for number in range(MOST_INVITATIONS):
        _place(club, what, number).unlink(missing_ok=True)
    return Verdict(code, "a request to join was confirmed", folder.name, 0)


def _joins(folder: GameFolder, address: str) -> str:
    return f"join {folder.name} {address}"


# What we remember of letters to strangers: one file for each, with what the letter asks


def forget(club: Club, at: datetime) -> None:
    """Forget letters that were written long before a time, by the times of their files."""
    folder = club.folder / "strangers"
    with files.locked(folder / "old", wait=LONGEST_WAIT):
        _forget(folder, at.timestamp())


def _forget(folder: Path, at: float) -> None:
    for path in folder.iterdir():
        if path.stat().st_mtime < at - MEMORY.total_seconds():
            path.unlink()


@contextmanager
def _next_letter(
    club: Club, what: str, most: int, spent: str, came: datetime | None, kind: tally.LetterKind | None
) -> Generator[int | str]:
    """Yield the number of the next letter about something to one address, or the reason not to send it.

    *spent* is the reason if there have been too many already. The letter counts for the day on which the mail *came*,
    unless it has no *kind*. Of two mails at once the second waits, so that every letter has its own number.
    """
    folder = club.folder / "strangers"
    with files.locked(folder / what, wait=LONGEST_WAIT):
        number = next((number for number in range(most) if not _place(club, what, number).exists()), None)
        if number is None:
            yield spent
        elif kind and not tally.spent(club, came, kind):
            yield "the limit of letters to strangers for this day is reached"
        else:
            if came is not None:  # nothing else forgets them in a club without a clock
                _forget(folder, came.timestamp())
            yield number


def _write(club: Club, what: str, number: int, letter: Letter, asks: str = "") -> None:
    """Put the letter into the outbox, and then remember that it was written, and what it asks."""
    club.put(letter)
    files.replace(_place(club, what, number), asks, mode=0o600)


def _question(club: Club, what: str, number: int) -> tuple[list[str], str]:
    """Return the words that the letter asks to confirm, or nothing if it asks for no confirmation, and its language."""
    try:
        words, _, language = files.read_text(_place(club, what, number)).partition("\n")
    except NoSuchFile:
        return [], ""
    return words.split(), language


def _place(club: Club, what: str, number: int) -> Path:
    return club.folder / "strangers" / f"{sha256(what.encode()).hexdigest()[:24]}.{number}"
