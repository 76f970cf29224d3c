"""A seat for somebody who asks for it by mail, in a game that waits for players.

Anybody who asks to join must confirm it, by answering a letter to the address that the request came from, since a
sender can be forged. Until then nobody is seated.
"""

import os
import re
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

from pbem import game_setup
from pbem.club import folder as clubs
from pbem.club.carrier import Club
from pbem.club.folder import GameFolder
from pbem.club.opening import begun_or_open, free_colours
from pbem.club.settings import KEY_BYTES, secret_key
from pbem.club.transaction import write
from pbem.errors import NotUnderstood, UsageError
from pbem.first_sparks.components import COLOURS
from pbem.grammar import phrase_listed
from pbem.locale import LANGUAGES, Language, language_named, phrase, phrase_in
from pbem.reading.languages import in_english
from pbem.reading.lines import cleaned, spoken
from pbem.reading.recognisers.confirmations import plain_answer
from pbem.reading.ticket import Ticket, is_genuine, ticket
from pbem.reading.vocabulary import any_of
from pbem.table.people import Player

Joined = Literal["joined", "begun", "duplicate"]

JOIN: Final = "join"  # takes the place of the colour in a ticket, as the number of the letter takes that of the turn
_APART: Final = r"[\s,.!;-]+"
_OPENS: Final = rf"(?:{any_of('answers.openings')}{_APART})"
_AGREES: Final = rf"(?:{any_of('confirmations.agrees')}|{any_of('joining.it_was_me')})"
_MORE: Final = rf"(?:{_AGREES}|{any_of('confirmations.thanks')}|{any_of('joining.gladly')})"
_YES: Final = rf"(?i){_OPENS}?{_AGREES}(?:{_APART}{_MORE}){{0,6}}[\s,.!]*"
_NO: Final = rf"(?i){_OPENS}?(?:{any_of('confirmations.denies')}{_APART}){{0,3}}{any_of('joining.denies')}\W*"
# What some write between the game and the name, in any language: "join saturday and the name Zoe".
_BEFORE_NAME: Final = (
    r"(?i)^(?:(?:mitspielen|mitmachen)\b[ .,!?]*)?(?:(?:(?:and|with|under|und|mit|unter|et|avec|sous|e|con|sotto) )?"
    r"(?:the|my|dem|der|den|mein|meinem|le|mon|il|mio) (?:name|namen|nom|nome)(?: is| ist| de| est| di| è)?"
    r"|as|als|comme|come|(?:ich )?hei(?:ß|ss)e|je m'appelle|mi chiamo|i am|i'm|ich bin)[ :]+(?=\S)"
)
_GREETING: Final = r"(?i)(?:hi|hello|hey|dear)\b[\w ,.!-]{0,30}"


class Unmet(NotUnderstood):
    """A request to join that cannot be granted, in words for its sender; any other error is for the host."""


def join_ticket(club: Club, game: str, address: str, number: int) -> Ticket:
    """Return the ticket that proves that its holder reads the mail of that address; each letter has its own."""
    return ticket(_join_key(club, address), game, JOIN, number)


def confirms(club: Club, said: Ticket, address: str) -> bool:
    """Return whether the ticket was sent to that address, from which the mail comes."""
    return said.colour == JOIN and is_genuine(said, _join_key(club, address))


def _join_key(club: Club, address: str) -> bytes:
    import hmac

    return hmac.digest(secret_key(club), address.lower().encode(), "sha256")


def seat_asked_for(folder: GameFolder, words: Sequence[str]) -> tuple[str, str]:
    """Return the name and colour that somebody wants in a game that is waiting for players; the colour may be empty.

    *words* are those after ``join GAME``. Raises Unmet.
    """
    roster = clubs.read_roster(folder)
    free = free_colours(roster)
    if roster.opening is None:
        raise Unmet(phrase("the game {game} has already begun, and all its seats are taken", game=folder.name))
    colour = words[-1].lower() if len(words) > 1 and words[-1].lower() in COLOURS else ""
    if colour and colour not in free:
        colours = phrase_listed(phrase_in(each, "clan colour") for each in free)
        taken = phrase("{colour} is already taken", colour=phrase_in(colour, "clan colour"))
        raise Unmet(taken, hint=phrase("These colours are free: {colours}.", colours=colours))
    said = re.sub(_BEFORE_NAME, "", " ".join(words[:-1] if colour else words))
    try:
        name = game_setup.clean_name(said)
        if name.casefold() in (player.name.casefold() for player in roster.players):
            taken = phrase("the name {name} is already taken", name=name)
            raise Unmet(taken, hint=phrase("Choose another one."))
        game_setup.seats(
            [*(f"{player.name}:{player.colour}" for player in roster.players), f"{name}:{colour or free[0]}"]
        )
    except UsageError as wrong:
        raise Unmet(wrong.message, hint=wrong.hint) from None
    return name, colour


def plays(folder: GameFolder, address: str) -> bool:
    """Return whether somebody with that address has a seat in the game."""
    return any(player.address.lower() == address for player in clubs.read_roster(folder).players)


def says_yes(words: str) -> bool:
    """Return whether the first line after any greeting is a plain yes in any language, which no machine writes."""
    return _says(words, lambda line: re.fullmatch(_YES, line) is not None)


def says_no(words: str) -> bool:
    """Return whether the first line after any greeting says no, or that somebody else has asked."""
    return _says(words, lambda line: plain_answer(line) == "no" or re.fullmatch(_NO, line) is not None)


def _says(words: str, is_said: Callable[[str], bool]) -> bool:
    lines = [spoken(line.strip()) for line in words.splitlines() if line.strip()][:2]
    for each in LANGUAGES:
        own = [cleaned(in_english(line, each).text) for line in lines]
        is_greeted = len(own) > 1 and re.fullmatch(_GREETING, own[0]) is not None
        if any(map(is_said, own if is_greeted else own[:1])):
            return True
    return False


def language_of(club: Club, folder: GameFolder) -> Language:
    """Return the language in which people read letters who join a game that is waiting for players."""
    opening = clubs.read_roster(folder).opening
    return language_named(opening.language if opening is not None else "") or club.language


def join(club: Club, folder: GameFolder, words: Sequence[str], address: str, digest: str, language: Language) -> Joined:
    """Seat somebody whose address is proved, as *words* ask, and begin the game if it is full; the game is locked.

    Return the code for the journal: ``joined``, ``begun``, or ``duplicate`` if the
    address already plays. Raises Unmet if the request cannot be granted.
    """
    roster = clubs.read_roster(folder)
    if plays(folder, address):
        return "duplicate"
    name, colour = seat_asked_for(folder, words)
    player = Player(colour or free_colours(roster)[0], name, address, os.urandom(KEY_BYTES), language)
    change = begun_or_open(club, folder, roster._replace(players=(*roster.players, player)), (player,))
    row: dict[str, Any] = {"digest": digest, "colour": player.colour, **change.journal}
    if row["code"] == "open":
        row["code"] = "joined"
    write(club, folder, change._replace(journal=row))
    code: Joined = row["code"]
    return code
