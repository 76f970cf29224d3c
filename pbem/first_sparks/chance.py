"""Chance: draws from the game's secret, and nothing else.

Draw k of a game uses SHA-256 in counter mode. Its block j is::

    SHA-256("first-sparks-draw/1" 00 game-id-in-UTF-8 00 secret k j)

with the secret's 32 bytes and k and j as 8 bytes each, most significant first. A
block is four 64-bit words, read in the same order. For n candidates, a word below
the largest multiple of n that fits into 64 bits gives the index word mod n; other
words are skipped. ``tests/test_chance.py`` has test vectors.

Rule: what-is-secret (R10.1)
"""

from collections.abc import Callable
from typing import Final

from pbem.sha import sha256

SECRET_BYTES: Final = 32
_DOMAIN: Final = b"first-sparks-draw/1"
_WORDS: Final = 1 << 64


def source(game: str, secret: bytes) -> Callable[[int, int], int]:
    """Return the function for the index, 0 to n - 1, of draw k among n candidates in the game."""
    prefix = b"\0".join((_DOMAIN, game.encode(), secret))

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
    digest: str = sha256(secret).hexdigest()
    return digest
