"""Draws from 32 bytes that nobody could know before, and nothing else.

Draw k of a game uses SHA-256 in counter mode. Its block j is::

    SHA-256("first-sparks-draw/1" 00 game-id-in-UTF-8 00 key k j)

with a key of 32 bytes, and k and j as 8 bytes each, most significant first. A
block is four 64-bit words, read in the same order. For n candidates, a word below
the largest multiple of n that fits into 64 bits gives the index word mod n; other
words are skipped.

The key is the secret of an open or sealed game. In a salted game it is
``salted(secret, salts)``, with all salts in the log so far, and in a shared one
``pair(mover, opener)``, with the values that two players have opened for these draws.
``tests/test_chance.py`` has test vectors.

Rule: what-is-secret (R10.1)
"""

from collections.abc import Callable
from functools import reduce
from typing import Final, NamedTuple

from pbem.errors import Broken
from pbem.sha import sha256

SECRET_BYTES: Final = 32
CHAIN_LENGTH: Final = 4096
_DRAW: Final = b"first-sparks-draw/1"
_CHAIN: Final = b"first-sparks-chain/1"
_LINK: Final = b"first-sparks-link/2"
_OLDER_LINK: Final = b"first-sparks-link/1"
_PAIR: Final = b"first-sparks-pair/1"
_SALT: Final = b"first-sparks-salt/1"
_IMAGINED: Final = b"first-sparks-imagined/1"
_WORDS: Final = 1 << 64


def source(game: str, key: bytes) -> Callable[[int, int], int]:
    """Return the function for the index, 0 to n - 1, of draw k among n candidates in the game."""
    prefix = b"\0".join((_DRAW, game.encode(), key))

    def draw(n: int, k: int) -> int:
        bound = _WORDS - _WORDS % n
        block = 0
        while True:
            digest: bytes = sha256(prefix + k.to_bytes(8, "big") + block.to_bytes(8, "big")).digest()
            for start in range(0, len(digest), 8):
                word = int.from_bytes(digest[start : start + 8], "big")
                if word < bound:
                    return word % n
            block += 1

    return draw


def commitment(secret: bytes) -> str:
    """Return the commitment that a sealed game publishes: the SHA-256 of its secret, in hexadecimal."""
    return _hash(secret).hex()


def salted(secret: bytes, salts: bytes) -> bytes:
    """Return the key of the draws after these salts, which have 32 bytes each; without any it is the secret itself.

    The key is SHA-256("first-sparks-salt/1" 00 key-before salt), for one salt after the other.
    """
    every = range(0, len(salts), SECRET_BYTES)
    return reduce(lambda key, at: _hash(_SALT, key + salts[at : at + SECRET_BYTES]), every, secret)


class Chain(NamedTuple):
    """The chain of a clan in a shared game: its player publishes the first value, and opens one after the other.

    Game and colour are in each link, so that values which somebody else has published are of no use to anybody. They
    are not in a game of an *older* format.
    """

    game: str
    colour: str
    older: bool = False

    def values(self, secret: bytes, shown: bytes) -> tuple[bytes, ...]:
        """Return the values that come after the one *shown* last, in the order in which they open.

        The last of the 4096 values is SHA-256("first-sparks-chain/1" 00 game 00 colour 00 secret), and the one before
        a value is ``link(value)``. Raises Broken if *shown* is not in the chain.
        """
        later: list[bytes] = []
        value = self._last(secret)
        for _ in range(CHAIN_LENGTH + 1):
            if value == shown:
                return tuple(reversed(later))
            later.append(value)
            value = self.link(value)
        raise Broken("this secret does not belong to the values that the player has opened")

    def first_value(self, secret: bytes) -> bytes:
        """Return the value that a player publishes when joining: the one before the 4096 values."""
        value = self._last(secret)
        for _ in range(CHAIN_LENGTH):
            value = self.link(value)
        return value

    def link(self, value: bytes) -> bytes:
        """Return the value before one: SHA-256("first-sparks-link/2" 00 game 00 colour 00 value).

        In a game of an older format it is SHA-256("first-sparks-link/1" 00 value).
        """
        if self.older:
            return _hash(_OLDER_LINK, value)
        return _hash(_LINK, self.game.encode(), self.colour.encode(), value)

    def _last(self, secret: bytes) -> bytes:
        return _hash(_CHAIN, self.game.encode(), self.colour.encode(), secret)


def pair(mover: bytes, opener: bytes) -> bytes:
    """Return the key of the draws that two values open: SHA-256("first-sparks-pair/1" 00 mover opener)."""
    return _hash(_PAIR, mover + opener)


def imagined(seed: str) -> bytes:
    """Return the key of a future that is only imagined: SHA-256("first-sparks-imagined/1" 00 seed-in-UTF-8)."""
    return _hash(_IMAGINED, seed.encode())


def _hash(*parts: bytes) -> bytes:
    digest: bytes = sha256(b"\0".join(parts)).digest()
    return digest
