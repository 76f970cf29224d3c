"""The order language: one line of a player's notation <-> a move.

Lower or upper case, spaces or commas, ``7``, ``07`` and ``#7`` are all the same.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple, assert_never

from pbem.errors import NotUnderstood
from pbem.first_sparks.moves import (
    SHUFFLE,
    Add,
    AgreeEnd,
    Buy,
    Decline,
    Discard,
    Draw,
    Drop,
    Lay,
    Move,
    Offer,
    Pass,
    Resign,
    Settle,
    SettleNeutral,
    Spread,
    SpreadNeutral,
    Starve,
    Stay,
    Take,
)
from pbem.first_sparks.state import (
    Adding,
    Answering,
    DealingHerbs,
    DrawingCard,
    DrawingTile,
    Dropping,
    Ended,
    Laying,
    Offering,
    Phase,
    Settling,
    SettlingNeutral,
    Spreading,
    SpreadingNeutral,
    Starving,
    TakingOrDiscarding,
)

ANY_TIME: Final = ("resign", "agree end")
LONGEST_ORDER: Final = 200
ORDER_HEADING: Final = "YOUR ANSWER"


class Form(NamedTuple):
    """How an order is written after its word: what follows, and how the move is made of it."""

    what: str
    fewest: int
    most: int
    make: Callable[..., Move]


def _space(text: str) -> str:
    if not re.fullmatch(r"[a-z][12][abc]", text):
        raise ValueError(f"{text!r} is no space; a space is written like A1a")
    return text[0].upper() + text[1:]


def _cell(text: str) -> str:
    if not re.fullmatch(r"[a-z][1-9][0-9]?", text):
        raise ValueError(f"{text!r} is no cell of the map; a cell is written like M13")
    return text.upper()


def _card(text: str) -> int:
    if not re.fullmatch(r"#?[0-9]{1,3}", text):
        raise ValueError(f"{text!r} is no card; a card is written by its number, like 12")
    return int(text.lstrip("#"))


def _drawn(text: str) -> Draw:
    return Draw(text if text == SHUFFLE or text.isdigit() else text.upper())


_FORMS: Final[dict[str, Form]] = {
    "lay": Form("CELL CELL", 2, 2, lambda first, second: Lay(_cell(first), _cell(second))),
    "settle": Form("SPACE", 1, 1, lambda space: Settle(_space(space))),
    "settle neutral": Form("SPACE", 1, 1, lambda space: SettleNeutral(_space(space))),
    "add": Form("SPACE", 1, 1, lambda space: Add(_space(space))),
    "stay": Form("", 0, 0, Stay),
    "offer": Form("CARD", 1, 1, lambda card: Offer(_card(card))),
    "pass": Form("", 0, 0, Pass),
    "buy": Form("[CARD]", 0, 1, lambda card=None: Buy(card and _card(card))),
    "decline": Form("[CARD]", 0, 1, lambda card=None: Decline(card and _card(card))),
    "take": Form("", 0, 0, Take),
    "discard": Form("", 0, 0, Discard),
    "drop": Form("CARD", 1, 1, lambda card: Drop(_card(card))),
    "starve": Form("SPACE ...", 1, 15, lambda *spaces: Starve(tuple(map(_space, spaces)))),
    "spread": Form("SPACE ...", 1, 15, lambda *spaces: Spread(tuple(map(_space, spaces)))),
    "spread neutral": Form("SPACE ...", 1, 36, lambda *spaces: SpreadNeutral(tuple(map(_space, spaces)))),
    "resign": Form("", 0, 0, Resign),
    "agree end": Form("", 0, 0, AgreeEnd),
    "draw": Form("CARD|TILE", 1, 1, _drawn),
}
ORDER_WORDS: Final = tuple(word for word in _FORMS if word != "draw")


def expected(phase: Phase | None) -> tuple[str, ...]:
    """Return the order words that answer the phase."""
    match phase:
        case DealingHerbs() | DrawingTile() | DrawingCard():
            return ("draw",)
        case Laying():
            return ("lay",)
        case SettlingNeutral():
            return ("settle neutral",)
        case Settling():
            return ("settle",)
        case Adding():
            return ("add", "stay")
        case Offering():
            return ("offer", "pass")
        case Answering():
            return ("buy", "decline")
        case TakingOrDiscarding():
            return ("take", "discard")
        case Dropping():
            return ("drop",)
        case Starving():
            return ("starve",)
        case SpreadingNeutral():
            return ("spread neutral",)
        case Spreading():
            return ("spread", "stay")
        case Ended() | None:
            return ()
        case unreachable:
            assert_never(unreachable)


def usage(words: tuple[str, ...]) -> str:
    """Return how these orders are written, for a hint: ``offer CARD, pass``."""
    return ", ".join(f"{word} {_FORMS[word].what}".strip() for word in words)


def parse_order(text: str, expected: tuple[str, ...]) -> Move:
    """Return the move that a player's line means; *expected* are the order words that are asked for now.

    A unique beginning of an order word will do, first among those expected,
    then among all; ``resign`` and ``agree end`` must be written out. Raises
    NotUnderstood with what was expected.
    """
    words = _words(text, expected)
    return _made(_word_of(words, expected, text), words, text)


@lru_cache(maxsize=1024)
def parse_logged(text: str) -> Move:
    """Return the move of a log line, where every order word is written out and chance's draws occur."""
    words = text.lower().split()
    word = next((w for w in (" ".join(words[:2]), words[0] if words else "") if w in _FORMS), None)
    if word is None:
        raise NotUnderstood("a line of the log is no order")
    return _made(word, words, text)


def _words(text: str, expected: tuple[str, ...]) -> list[str]:
    words = text.lower().replace(",", " ").split() if len(text) <= LONGEST_ORDER else []
    if not words:
        what = (
            "the order is empty" if len(text) <= LONGEST_ORDER else f"an order has at most {LONGEST_ORDER} characters"
        )
        raise NotUnderstood(what, hint=f"expected {usage(expected)}")
    return words


def _word_of(words: list[str], expected: tuple[str, ...], text: str) -> str:
    """Return the order word that the line begins with."""
    for among in (expected, ORDER_WORDS):
        found = [word for word in among if word not in ANY_TIME and word.split()[0].startswith(words[0])]
        found = [word for word in found if word.split()[0] == words[0]] or found
        neutral = len(words) > 1 and "neutral".startswith(words[1])
        found = [word for word in found if word.endswith(" neutral") == neutral] or found
        if len(found) == 1:
            return found[0]
        if found:
            raise NotUnderstood(f"{words[0]!r} can mean {' or '.join(found)}", order=_shown(text))
    for word in ANY_TIME:
        if words[: len(word.split())] == word.split():
            return word
    raise NotUnderstood(f"{_shown(words[0])!r} is no order", order=_shown(text), hint=f"expected {usage(expected)}")


def _made(word: str, words: list[str], text: str) -> Move:
    form = _FORMS[word]
    rest = words[len(word.split()) :]
    if word.endswith(" neutral") and (len(words) < 2 or not "neutral".startswith(words[1])):
        rest = words[1:]
    try:
        if not form.fewest <= len(rest) <= form.most:
            raise ValueError(f"{word} is written: {usage((word,))}")
        return form.make(*rest)
    except ValueError as wrong:
        raise NotUnderstood(str(wrong), order=_shown(text), hint=f"expected {usage((word,))}") from None


def _shown(text: str) -> str:
    """Return a player's text as it can be shown in a message: printable ASCII, and not long."""
    clean = "".join(c if " " <= c <= "~" else "?" for c in text.strip())
    return clean if len(clean) <= 60 else clean[:57] + "..."
