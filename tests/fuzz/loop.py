"""Inputs that nobody has thought of: seeds are changed at random, and those that reach new lines are changed on.

The loop is ours since a library for it (atheris) has no build for every Python on which pbem runs, and since most of
what matters here is the form of the inputs, which each target knows.
"""

import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random
from traceback import extract_tb
from types import CodeType, FrameType
from typing import Any, NamedTuple

from work import Hang, no_hang

import pbem
from pbem.errors import PbemError

LARGEST = 100_000  # bytes of an input
LONGEST = 30  # seconds of a processor that an input may take before we say that it hangs
MOST_TRIES = 600  # to make an input smaller
OURS = str(Path(pbem.__file__).parent)
NUMBERS = (b"0", b"1", b"-1", b"2", b"7", b"15", b"41", b"42", b"255", b"65536", b"9999999", b"1e9", b"0.5", b"01")
SIGNS = (b"\n", b"\r\n", b" ", b"\t", b"\0", b'"', b"'", b"\\", b"=", b"[", b"]", b"{", b"}", b",", b":", b"#", b"*")
ODD = ("\u202e", "\ufeff", "\u00df", "\u0130", "\u2028", "e\u0301", "\uff11", "\u96ea", "\U0001f3f4")
PIECES = (*NUMBERS, *SIGNS, *(text.encode() for text in ODD), b"\xff", b"\xed\xa0\x80", b"null", b"true", b"nan")


class Target(NamedTuple):
    """Something that reads what strangers write.

    *judge* raises what must not happen; a PbemError may. *change* is a change that keeps the form of an input.
    *glance* judges a part that differs from input to input, where all of it takes long. An input that takes
    the processor longer than so many seconds, the *longest*, hangs.
    """

    name: str
    seeds: tuple[bytes, ...]
    judge: Callable[[bytes], object]
    words: tuple[bytes, ...] = ()
    change: Callable[[bytes, Random], bytes] | None = None
    glance: Callable[[bytes], object] | None = None
    longest: float | None = None


class Finding(NamedTuple):
    """An input that does what must not be, as small as it was found, and what that is."""

    target: str
    data: bytes
    trouble: str


def fuzz(
    target: Target, seed: str, *, seconds: float = float("inf"), inputs: float = float("inf")
) -> Iterator[Finding | int]:
    """Yield what is found, each kind of trouble once; and at the end the number of inputs that were tried.

    The same seed tries the same inputs in the same order, as far as the time goes.
    """
    random, reached, known = Random(f"{target.name} {seed}"), Reached(), set[str]()
    pool, end, tried = list(target.seeds), time.monotonic() + seconds, 0
    glancing = target._replace(judge=target.glance or target.judge)
    for tried in count():
        if tried >= inputs or time.monotonic() >= end:
            break
        data = pool[tried] if tried < len(target.seeds) else changed(random.choice(pool), pool, target, random)
        with reached:
            trouble = trouble_of(glancing, data)
        if reached.is_new and tried >= len(target.seeds):
            pool.append(data)
        trouble = trouble and trouble_of(target, data)
        if trouble and trouble not in known:
            known.add(trouble)
            yield Finding(target.name, made_small(target, data, trouble), trouble)
    yield tried


def trouble_of(target: Target, data: bytes) -> str:
    """Return what an input does that must not be, in a line that is the same for the same cause; or nothing."""
    try:
        with no_hang(target.longest or LONGEST):
            target.judge(data)
    except PbemError:
        return ""
    except Hang:
        return "it hangs"
    except Exception as error:
        frames = extract_tb(error.__traceback__)
        at = next((frame for frame in reversed(frames) if frame.filename.startswith(OURS)), frames[-1])
        words = f": {error}" if isinstance(error, AssertionError) else ""
        return f"{type(error).__name__} in {at.name} of {Path(at.filename).name}{words}"
    return ""


# Changes


def changed(data: bytes, pool: list[bytes], target: Target, random: Random) -> bytes:
    """Return the input after some changes, most of them small."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        if target.change is not None and random.random() < 0.75:
            data = target.change(data, random)
        else:
            data = random.choice(CHANGES)(data, pool, target, random)
    return data[:LARGEST]


def _put(data: bytes, _pool: list[bytes], target: Target, random: Random) -> bytes:
    """Put a word somewhere, perhaps in the place of what is there."""
    at = random.randint(0, len(data))
    word = random.choice(target.words if target.words and random.random() < 0.6 else PIECES)
    return data[:at] + word + data[at + random.choice((0, 0, 1, len(word))) :]


def _cut(data: bytes, _pool: list[bytes], _target: Target, random: Random) -> bytes:
    at = random.randint(0, len(data))
    return data[:at] + data[at + random.choice((1, 1, 2, 8, 64, 1024)) :]


def _repeat(data: bytes, _pool: list[bytes], _target: Target, random: Random) -> bytes:
    at = random.randint(0, len(data))
    piece = data[at : at + random.choice((1, 4, 16, 64, 256))]
    return data[:at] + piece * random.choice((2, 2, 3, 20)) + data[at + len(piece) :]


def _flip(data: bytes, _pool: list[bytes], _target: Target, random: Random) -> bytes:
    if not data:
        return b"\0"
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]


def _lines(data: bytes, _pool: list[bytes], _target: Target, random: Random) -> bytes:
    """Drop a line, say it twice, or put it elsewhere."""
    lines = data.split(b"\n")
    line = lines.pop(random.randrange(len(lines)))
    for _ in range(random.choice((0, 1, 2))):
        lines.insert(random.randint(0, len(lines)), line)
    return b"\n".join(lines)


def _number(data: bytes, _pool: list[bytes], _target: Target, random: Random) -> bytes:
    """Put another number in the place of one."""
    at = random.randint(0, len(data))
    while at < len(data) and not data[at : at + 1].isdigit():
        at += 1
    end = at
    while data[end : end + 1].isdigit():
        end += 1
    return data[:at] + random.choice(NUMBERS) + data[end:]


def _cross(data: bytes, pool: list[bytes], _target: Target, random: Random) -> bytes:
    """Go on as another input does."""
    other = random.choice(pool)
    return data[: random.randint(0, len(data))] + other[random.randint(0, len(other)) :]


CHANGES = (_put, _put, _cut, _repeat, _flip, _lines, _lines, _number, _cross)


def made_small(target: Target, data: bytes, trouble: str) -> bytes:
    """Return a part of the input with the same trouble, from which nothing can be left out, as far as we have tried."""
    if trouble == "it hangs":
        return data  # each try would take as long
    tries, size = MOST_TRIES, max(1, len(data) // 2)
    while tries > 0 and size:
        at, begun_with = 0, len(data)
        while at < len(data) and tries > 0:
            less = data[:at] + data[at + size :]
            tries -= 1
            if trouble_of(target, less) == trouble:
                data = less
            else:
                at += size
        size = size if len(data) < begun_with and size > 1 else size // 2
    return data


# What was reached


class Reached:
    """Which lines of the program have been run, in the blocks that it is the context of."""

    def __init__(self) -> None:
        self.is_new = False
        self._left: dict[CodeType, set[int]] = {}

    def __enter__(self) -> None:
        self.is_new = False
        self._before = sys.gettrace()
        sys.settrace(self._called)

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)

    def _called(self, frame: FrameType, _event: str, _of: object) -> Callable[..., Any] | None:
        """Follow a function of ours as long as there are lines of it that were never run."""
        code = frame.f_code
        if not code.co_filename.startswith(OURS):
            return None
        if code not in self._left:
            self._left[code] = {line for _, _, line in code.co_lines() if line}
        return self._followed if self._left[code] else None

    def _followed(self, frame: FrameType, event: str, _of: object) -> Callable[..., Any]:
        left = self._left[frame.f_code]
        if event == "line" and frame.f_lineno in left:
            left.discard(frame.f_lineno)
            self.is_new = True
        return self._followed
