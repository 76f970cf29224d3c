"""Chance: the documented construction of a draw, step by step and against written-down values."""

from collections import Counter
from hashlib import sha256

import pytest

from pbem.first_sparks.chance.draws import SECRET_BYTES, commitment, source

SECRET = bytes(range(32))
GAME = "the-first-game"

# Block j of draw k of this game with this secret, by the draw: worked out with nothing but SHA-256.
BLOCKS = {
    (0, 0): "41d80dca85b82830cfcdb65dc4f1b4a1cf36440a451b49d7a739f075dce76dd4",
    (1, 0): "b95a0952fe9804b194ee68ae2ff6073a57b6854f1ff0d6d33169d7fcd4413d1e",
    (2, 0): "728d738bcc8c3190092c2d32e271bf59baaa40aff516c6f697a314179afb6b0c",
    (3, 0): "325c96940f8489984e40d0bf26e843e4d49491c59c52d82dcdc5b007e9f96618",
    (10, 0): "ee441b6ee101eb87b55f2abf9d08ee82974e0eda32364a98e165b145e3e5efbc",
    (10, 1): "8b4575ca994693d9307cffbcdc8be669ad24cdfb751d6dd8a1b786c1c1c1111a",
}
FIRST_OF_DRAW_1 = 0xB95A0952FE9804B1


@pytest.mark.parametrize(("k", "j"), BLOCKS, ids=str)
def test_a_block_is_made_as_the_documentation_says(k: int, j: int) -> None:
    """Domain, 00, game, 00, secret, k and j with 8 bytes each."""
    made_of = b"first-sparks-draw/1" + b"\x00" + b"the-first-game" + b"\x00" + SECRET
    made_of += bytes([0, 0, 0, 0, 0, 0, 0, k]) + bytes([0, 0, 0, 0, 0, 0, 0, j])

    assert sha256(made_of).hexdigest() == BLOCKS[k, j]


@pytest.mark.parametrize(
    ("k", "word"),
    [(0, 0x41D80DCA85B82830), (1, 0xB95A0952FE9804B1), (2, 0x728D738BCC8C3190), (3, 0x325C96940F848998)],
    ids=["draw 0", "draw 1", "draw 2", "draw 3"],
)
def test_the_first_word_of_the_block_gives_the_index(k: int, word: int) -> None:
    """The first eight bytes, most significant first, modulo the number of candidates."""
    draw = source(GAME, SECRET)

    assert draw(1 << 64, k) == word
    assert BLOCKS[k, 0].startswith(f"{word:016x}")
    assert [draw(n, k) for n in (1, 2, 3, 6, 22, 28, 35)] == [word % n for n in (1, 2, 3, 6, 22, 28, 35)]


@pytest.mark.parametrize(
    ("k", "indices"),
    [
        (0, [0, 0, 1, 4, 0, 24, 31]),
        (1, [0, 1, 2, 5, 17, 9, 23]),
        (2, [0, 0, 2, 2, 16, 16, 16]),
        (3, [0, 0, 0, 0, 16, 0, 21]),
    ],
    ids=["draw 0", "draw 1", "draw 2", "draw 3"],
)
def test_vectors_for_other_languages(k: int, indices: list[int]) -> None:
    """Among 1, 2, 3, 6, 22, 28 and 35 candidates."""
    draw = source(GAME, SECRET)

    assert [draw(n, k) for n in (1, 2, 3, 6, 22, 28, 35)] == indices


def test_words_above_the_largest_multiple_are_passed_over() -> None:
    """Of 2^64 words 2^63 + 1 are taken: of draw 1 the third is the first one below."""
    draw = source(GAME, SECRET)

    assert draw((1 << 63) + 1, 1) == 0x57B6854F1FF0D6D3
    assert BLOCKS[1, 0][32:48] == "57b6854f1ff0d6d3"


def test_when_a_whole_block_is_passed_over_the_next_one_follows() -> None:
    """Draw 10 finds its word in block 1, and there it is the second."""
    draw = source(GAME, SECRET)

    assert all(int(BLOCKS[10, 0][start : start + 16], 16) > 1 << 63 for start in range(0, 64, 16))
    assert draw((1 << 63) + 1, 10) == 0x307CFFBCDC8BE669
    assert BLOCKS[10, 1][16:32] == "307cffbcdc8be669"


def test_the_largest_multiple_itself_is_passed_over_and_the_word_below_is_not() -> None:
    """The first word of draw 1 is the bound for as many candidates, and the last index for one more."""
    draw = source(GAME, SECRET)

    assert draw(FIRST_OF_DRAW_1, 1) == 0x94EE68AE2FF6073A
    assert draw(FIRST_OF_DRAW_1 + 1, 1) == FIRST_OF_DRAW_1


def test_the_id_of_the_game_is_taken_in_utf_8() -> None:
    """An id with an umlaut has two bytes for it."""
    made_of = b"first-sparks-draw/1\x00h\xc3\xb6hle\x00" + SECRET + bytes(16)

    assert sha256(made_of).hexdigest() == "f508bd9f7ea0dae4844b1f305259bddbe15fd4b9b3c5c24478a3c3710eb86a87"
    assert source("höhle", SECRET)(1 << 64, 0) == 0xF508BD9F7EA0DAE4


def test_draws_depend_on_the_game_the_secret_and_the_number_alone() -> None:
    """The same draw twice is the same; each of the three changes it. Rule: what-is-secret (R10.1)."""
    many = 1 << 64
    draw = source(GAME, SECRET)

    assert draw(many, 7) == draw(many, 7) == source(GAME, SECRET)(many, 7)
    others = {source("another", SECRET)(many, 7), source(GAME, bytes(32))(many, 7), draw(many, 8), draw(many, 7)}
    assert len(others) == 4


def test_every_index_comes_about_as_often() -> None:
    """6,000 draws among six: each index 900 to 1,100 times."""
    draw = source(GAME, SECRET)

    times = Counter(draw(6, k) for k in range(6000))

    assert sorted(times) == [0, 1, 2, 3, 4, 5]
    assert all(900 < number < 1100 for number in times.values())


def test_the_commitment_is_the_sha_256_of_the_secret() -> None:
    """Of the 32 bytes, in hexadecimal. Rule: what-is-secret (R10.1)."""
    assert len(SECRET) == SECRET_BYTES
    assert commitment(SECRET) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
