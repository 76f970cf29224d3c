"""Tickets: what proves that a mail comes from a player, and for which turn of which game it was written.

A ticket's token is an HMAC with the player's own key over game, colour and turn.
Every mail of ours carries it three ways, one of which comes back with any reply:
in the plus-address of Reply-To, in our Message-ID, which References repeats, and in
the marker, two lines at the top of the text.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

# What fits into a line of 72 columns with the marker, and into the 64 characters of an address before the @.
LONGEST_GAME: Final = 16
LONGEST_LOCAL: Final = 16
MARKER: Final = "== write your orders ABOVE this line =="

# What the first line of a letter ends with, above the marker: ``(friday/57)``; it is bold, for which some put a star.
FIRST_LINE: Final = re.compile(r"\([a-z0-9][a-z0-9-]{0,39}/[0-9]{1,6}\)[*_]{0,2}$")

# Crockford's base 32: no i, l, o, u, which are misread or make words.
_DIGITS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_DOMAIN: Final = b"pbem-mail/1"
_TICKET: Final = r"([a-z0-9][a-z0-9-]{0,39})\.([0-9]{1,6})\.([a-z]{3,6})\.([0-9a-hjkmnp-tv-z]{16})"
_SITUATION: Final = re.compile(r"([a-z0-9][a-z0-9-]{0,39})\s*/\s*([0-9]{1,6})\s*/\s*[0-9a-f]{8}")
_OWNER: Final = re.compile(r"\b([a-z]{3,6})\b(?:\s+only)?\s*:?\s+([0-9a-hjkmnp-tv-z]{16})\b")


class Ticket(NamedTuple):
    """Who writes, and in which situation: game, turn, the player's colour, and the token that proves it."""

    game: str
    turn: int
    colour: str
    token: str

    def __str__(self) -> str:
        return f"{self.game}.{self.turn}.{self.colour}.{self.token}"


def ticket(key: bytes, game: str, colour: str, turn: int) -> Ticket:
    """Return the ticket that the player with that key has for one turn of a game."""
    import hmac

    message = b"\0".join((_DOMAIN, game.encode(), colour.encode(), str(turn).encode()))
    return Ticket(game, turn, colour, digits_of(hmac.digest(key, message, "sha256")))


def digits_of(digest: bytes) -> str:
    """Return the first 80 bits of a digest as 16 digits that survive mail, mouth and lower case."""
    number = int.from_bytes(digest[:10], "big")
    return "".join(_DIGITS[number >> shift & 31] for shift in range(75, -5, -5))


def is_genuine(said: Ticket, key: bytes) -> bool:
    """Return whether the token is the one that the key gives, in a time that does not depend on how much of it is."""
    import hmac

    return hmac.compare_digest(ticket(key, said.game, said.colour, said.turn).token, said.token)


# The three carriers


def address_of(said: Ticket, address: str) -> str:
    """Return the plus-address to which a reply goes: ``pbem+friday.57.red.TOKEN@example.org``."""
    local, _, host = address.partition("@")
    return f"{local}+{said}@{host}"


def message_id_of(said: Ticket, content: str, address: str) -> str:
    """Return the Message-ID of a mail with that content: the same mail has the same one again."""
    from pbem.first_sparks.sha import sha256

    return f"<{said}.{digits_of(sha256(content.encode()).digest())}@{address.partition('@')[2]}>"


def marker_of(said: Ticket, head: str) -> tuple[str, str]:
    """Return the two lines that stand beneath the first one in every mail that may be answered."""
    return f"{MARKER} [{said.game}/{said.turn}/{head[:8]}]", f"== for {said.colour} only: {said.token} =="


def place_of(said: Ticket) -> str:
    """Return with what the first line of every mail ends that may be answered; see ``FIRST_LINE``."""
    return f"({said.game}/{said.turn})"


# And back


def tickets_in(recipients: Iterable[str], references: Iterable[str], markers: Iterable[str]) -> tuple[Ticket, ...]:
    """Return the tickets that a mail carries, each once: those of its addresses, its references, its markers.

    References name the whole thread, the mail that is answered last: of each game and player
    only the last turn counts there, and of several markers the first one.
    """
    found = [*_dotted(recipients, r"\+{}@"), *_newest(_dotted(references, r"<{}\."), last=True)]
    found += _newest(_marked(markers), last=False)
    return tuple(dict.fromkeys(found))


def _dotted(texts: Iterable[str], form: str) -> Iterator[Ticket]:
    pattern = re.compile(form.format(_TICKET))
    for text in texts:
        for match in pattern.finditer(text.lower()):
            yield Ticket(match[1], int(match[2]), match[3], match[4])


def _marked(markers: Iterable[str]) -> Iterator[Ticket]:
    """Yield the tickets of the markers: a situation, and after it the line that says whose it is."""
    text = " ".join(markers).lower()
    situations = list(_SITUATION.finditer(text))
    ends = [after.start() for after in situations[1:]] + [len(text)]
    for situation, end in zip(situations, ends, strict=False):
        owner = _OWNER.search(text, situation.end(), end)
        if owner:
            yield Ticket(situation[1], int(situation[2]), owner[1], owner[2])


def _newest(found: Iterable[Ticket], *, last: bool) -> tuple[Ticket, ...]:
    listed = list(found)
    return tuple(listed[-1:] if last else listed[:1])
