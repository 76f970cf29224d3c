"""Tickets: they prove that a message comes from a player, and for which turn of which game it was written.

A ticket's token is an HMAC with the player's own key over game, colour and turn.
Every letter has it in the marker, two lines at the top of the text; a carrier may also send it in other ways.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final, NamedTuple

from pbem.locale import Language, spoken

# What fits into a line of 72 columns with the marker, and into the 64 characters of an address before the @.
LONGEST_GAME: Final = 16
# In ASCII and no longer than the English one. They are no messages of a catalogue: all are looked for in every reply.
MARKERS: Final[Mapping[Language, str]] = {
    "en": "== write your orders ABOVE this line ==",
    "it": "== scrivi gli ordini SOPRA la riga ==",
    "fr": "== ordres AU-DESSUS de cette ligne ==",
    "de": "== Befehle OBERHALB dieser Zeile ==",
}

# How the first line of a letter ends, above the marker: ``(friday/57)``; some programs put a star after bold text.
FIRST_LINE: Final = re.compile(r"\(([a-z0-9][a-z0-9-]{0,39})/[0-9]{1,6}\)[*_]{0,2}$")

# Crockford's base 32: no i, l, o, u, which are misread or make words.
_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_DOMAIN: Final = b"pbem-mail/1"
TICKET: Final = r"([a-z0-9][a-z0-9-]{0,39})\.([0-9]{1,6})\.([a-z]{3,6})\.([0-9a-hjkmnp-tv-z]{16})"
_SITUATION: Final = re.compile(r"([a-z0-9][a-z0-9-]{0,39})\s*/\s*([0-9]{1,6})\s*/\s*[0-9a-f]{8}")
_OWNER: Final = re.compile(r"\b([a-z]{3,6})\b(?:\s+only)?\s*:?\s+([0-9a-hjkmnp-tv-z]{16})\b")


class Ticket(NamedTuple):
    """A reply's game, turn and player's colour, and the token that proves them."""

    game: str
    turn: int
    colour: str
    token: str

    def __str__(self) -> str:
        return f"{self.game}.{self.turn}.{self.colour}.{self.token}"


def ticket(key: bytes, game: str, colour: str, turn: int) -> Ticket:
    """Return the ticket of the player with that key for one turn of a game."""
    import hmac

    message = b"\0".join((_DOMAIN, game.encode(), colour.encode(), str(turn).encode()))
    return Ticket(game, turn, colour, digits_of(hmac.digest(key, message, "sha256")))


def digits_of(digest: bytes) -> str:
    """Return the first 80 bits of a digest as 16 digits that survive mail, mouth and lower case."""
    number = int.from_bytes(digest[:10], "big")
    return "".join(_DIGITS[number >> shift & 31] for shift in range(75, -5, -5))


def is_genuine(said: Ticket, key: bytes) -> bool:
    """Return whether the token is the one that the key gives; compared in constant time."""
    import hmac

    return hmac.compare_digest(ticket(key, said.game, said.colour, said.turn).token, said.token)


# The marker


def marker_of(said: Ticket, head: str) -> tuple[str, str]:
    """Return the two lines below the first one in every letter that can be answered, in the language that is spoken."""
    language = spoken()
    owner = f"for {said.colour} only" if language == "en" else said.colour
    return f"{MARKERS[language]} [{said.game}/{said.turn}/{head[:8]}]", f"== {owner}: {said.token} =="


def place_of(said: Ticket) -> str:
    """Return the end of the first line of every letter that can be answered; see ``FIRST_LINE``."""
    return f"({said.game}/{said.turn})"


def tickets_in_markers(markers: Iterable[str]) -> tuple[Ticket, ...]:
    """Return the ticket of the first marker, if any: a situation, followed by the line with its owner."""
    return tuple(islice(_marked(markers), 1))


def _marked(markers: Iterable[str]) -> Iterator[Ticket]:
    """Yield the tickets of the markers: each is a situation, followed by the line with its owner."""
    text = " ".join(markers).lower()
    situations = list(_SITUATION.finditer(text))
    ends = [after.start() for after in situations[1:]] + [len(text)]
    for situation, end in zip(situations, ends, strict=False):
        owner = _OWNER.search(text, situation.end(), end)
        if owner:
            yield Ticket(situation[1], int(situation[2]), owner[1], owner[2])
