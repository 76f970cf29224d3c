"""The order language: one line of a player's notation <-> a move.

Lower or upper case, spaces or commas, ``7``, ``07`` and ``#7`` are all the same.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Literal, assert_never

from pbem.errors import NotUnderstood
from pbem.first_sparks import moves, phases
from pbem.first_sparks.moves import SHUFFLE, Move
from pbem.first_sparks.phases import Phase
from pbem.grammar import phrase_listed
from pbem.locale import Phrase, phrase, phrase_by, tr

PLACES: Final = ("CARD", "SPACE", "CELL")  # what stands for one in the form of an order
_SPACE: Final = r"[A-Za-z]\d{1,2}[A-Ca-c]?"
_PLACES: Final = "|".join(PLACES)
ANY_TIME: Final = ("resign", "agree end")
LONGEST_ORDER: Final = 200
MILD: Final = ("decline", "pass", "stay")  # the answers that change least, at most one for a question
# What stands above the order that is copied from a page, and before it.
ORDER_HEADING: Final = "YOUR ANSWER"
ORDER_LINE: Final = "order: {order}"


# What follows the word of an order.
What = Literal["", "CARD", "[CARD]", "CARD|TILE", "SPACE", "SPACE ...", "CELL CELL"]


class Form:
    """How an order is written after its word: what follows, and which move it makes."""

    def __init__(self, what: What, fewest: int, most: int, make: "Callable[..., Move]") -> None:
        self.what: Final = what
        self.fewest: Final = fewest
        self.most: Final = most
        self.make: Final = make


def _space(text: str) -> str:
    if not re.fullmatch(r"[a-z][12][abc]", text):
        raise ValueError(phrase("{text} is not a space; write a space like A1a", text=repr(text)))
    return text[0].upper() + text[1:]


def _cell(text: str) -> str:
    if not re.fullmatch(r"[a-z][1-9][0-9]?", text):
        raise ValueError(phrase("{text} is not a cell of the map; write a cell like M13", text=repr(text)))
    return text.upper()


def _card(text: str) -> int:
    if not re.fullmatch(r"#?[0-9]{1,3}", text):
        raise ValueError(phrase("{text} is not a card; write its number, like 12", text=repr(text)))
    return int(text.lstrip("#"))


def _drawn(text: str) -> str:
    return text if text == SHUFFLE or text.isdigit() else text.upper()


FORMS: Final[dict[str, Form]] = {
    "lay": Form("CELL CELL", 2, 2, moves.Lay),
    "settle": Form("SPACE", 1, 1, moves.Settle),
    "settle neutral": Form("SPACE", 1, 1, moves.SettleNeutral),
    "add": Form("SPACE", 1, 1, moves.Add),
    "stay": Form("", 0, 0, moves.Stay),
    "offer": Form("CARD", 1, 1, moves.Offer),
    "pass": Form("", 0, 0, moves.Pass),
    "buy": Form("[CARD]", 0, 1, moves.Buy),
    "decline": Form("[CARD]", 0, 1, moves.Decline),
    "take": Form("", 0, 0, moves.Take),
    "discard": Form("", 0, 0, moves.Discard),
    "drop": Form("CARD", 1, 1, moves.Drop),
    "starve": Form("SPACE ...", 1, 15, moves.Starve),
    "spread": Form("SPACE ...", 1, 15, moves.Spread),
    "spread neutral": Form("SPACE ...", 1, 36, moves.SpreadNeutral),
    "resign": Form("", 0, 0, moves.Resign),
    "agree end": Form("", 0, 0, moves.AgreeEnd),
    "draw": Form("CARD|TILE", 1, 1, moves.Draw),
}
ORDER_WORDS: Final = tuple(word for word in FORMS if word != "draw")


def mildest(phase: Phase | None) -> str:
    """Return the order that changes least - decline, pass or stay - while a phase waits for an answer, or ""."""
    return next((word for word in expected(phase) if word in MILD), "")


def expected(phase: Phase | None) -> tuple[str, ...]:
    """Return the order words that answer the phase."""
    match phase:
        case phases.DealingHerbs() | phases.DrawingTile() | phases.DrawingCard():
            return ("draw",)
        case phases.Laying():
            return ("lay",)
        case phases.SettlingNeutral():
            return ("settle neutral",)
        case phases.Settling():
            return ("settle",)
        case phases.Adding():
            return ("add", "stay")
        case phases.Offering():
            return ("offer", "pass")
        case phases.Answering():
            return ("buy", "decline")
        case phases.TakingOrDiscarding():
            return ("take", "discard")
        case phases.Dropping():
            return ("drop",)
        case phases.Starving():
            return ("starve",)
        case phases.SpreadingNeutral():
            return ("spread neutral",)
        case phases.Spreading():
            return ("spread", "stay")
        case phases.Ended() | None:
            return ()
        case _ as unreachable:
            assert_never(unreachable)


def usage(words: tuple[str, ...]) -> str:
    """Return how to write one of these orders, for a hint: ``offer CARD or pass``."""
    forms = (f"{word} {FORMS[word].what}".strip() for word in words)
    return phrase_listed(map(order_phrase, forms), "or") if words else ""


def order_text(order: str) -> str:
    """Return an order as players write it in the language that is spoken."""
    words = order.split()
    for number in (2, 1):
        word = " ".join(words[:number])
        if word in FORMS:
            return " ".join((tr(word, "order"), *(spelled(what) for what in words[number:])))
    return order


def spelled(what: str) -> str:
    """Return what follows an order, a space or cell as the board has it: ``D2a`` of ``d2A``."""
    if re.fullmatch(_SPACE, what):
        return f"{what[0].upper()}{what[1:].lower()}"
    return re.sub(_PLACES, _place, what)


def _place(found: re.Match[str]) -> str:
    return tr(found[0], "what follows an order")


def order_phrase(order: str) -> Phrase:
    """Return an order that can be said in another language."""
    return phrase_by(order, partial(order_text, order))


def _hint(words: tuple[str, ...]) -> str:
    return phrase("expected {orders}", orders=usage(words)) if words else ""


def parse_order(text: str, expected: tuple[str, ...]) -> Move:
    """Return the move that a player's line means; *expected* are the order words that answer the question.

    The unique beginning of an order word is enough, first among those expected,
    then among all; ``resign`` and ``agree end`` must be written out. Raises
    NotUnderstood with what was expected.
    """
    words = _words(text, expected)
    return _build(_word_of(words, expected, text), words, text)


def parse_logged(text: str) -> Move:
    """Return the move of a log line, in which order words are written out and may be draws of chance."""
    words = text.lower().split()
    word = next((w for w in (" ".join(words[:2]), words[0] if words else "") if w in FORMS), None)
    if word is None:
        raise NotUnderstood("it has no valid order")
    return _build(word, words, text)


def _words(text: str, expected: tuple[str, ...]) -> list[str]:
    words = text.lower().replace(",", " ").split() if len(text) <= LONGEST_ORDER else []
    if not words:
        why = phrase("the order is empty")
        if len(text) > LONGEST_ORDER:
            why = phrase("an order has at most {n} characters", n=LONGEST_ORDER)
        raise NotUnderstood(why, hint=_hint(expected))
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
            why = phrase(
                "{word} can mean {orders}", word=repr(words[0]), orders=phrase_listed(map(order_phrase, found), "or")
            )
            raise NotUnderstood(why, order=_shown(text))
    for word in ANY_TIME:
        if words[: len(word.split())] == word.split():
            return word
    why = phrase("{word} is not an order", word=repr(_shown(words[0])))
    raise NotUnderstood(why, order=_shown(text), hint=_hint(expected))


def _build(word: str, words: list[str], text: str) -> Move:
    form = FORMS[word]
    rest = words[len(word.split()) :]
    if word.endswith(" neutral") and (len(words) < 2 or not "neutral".startswith(words[1])):
        rest = words[1:]
    try:
        if not form.fewest <= len(rest) <= form.most:
            raise ValueError(phrase('{word} must be written as "{orders}"', word=word, orders=usage((word,))))
        return form.make(*_values(form.what, rest))
    except ValueError as wrong:
        raise NotUnderstood(wrong.args[0], order=_shown(text), hint=_hint((word,))) from None


def _values(what: What, texts: Sequence[str]) -> tuple[object, ...]:
    """Return the values for a move; raises ValueError for a text that is not one."""
    match what:
        case "":
            return ()
        case "CARD" | "[CARD]":
            return tuple(map(_card, texts))
        case "CARD|TILE":
            return tuple(map(_drawn, texts))
        case "CELL CELL":
            return tuple(map(_cell, texts))
        case "SPACE":
            return tuple(map(_space, texts))
        case "SPACE ...":
            return (tuple(map(_space, texts)),)
        case _ as unreachable:
            assert_never(unreachable)


def _shown(text: str) -> str:
    """Return a player's text for a message: printable ASCII, cut if it is long."""
    clean = "".join(c if " " <= c <= "~" else "?" for c in text.strip())
    return clean if len(clean) <= 60 else clean[:57] + "..."
