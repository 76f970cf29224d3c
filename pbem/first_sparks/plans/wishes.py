"""The words of a wish: cards and classes, in one order, with what people write around them."""

import re
from typing import Final

from pbem.first_sparks.components import Card
from pbem.first_sparks.plans.plan import CLASSES, Wish
from pbem.grammar import listed

_APART: Final = re.compile(r"[;/>&+\u2192]|\.(?=\s|$)")
_MUTE: Final = re.compile(r"[:=!\"()\[\]{}*_~|]")
_WORD: Final = re.compile(r"#?\w+(?:[-'.]\w+)*|,|[^\s\w]")
_NUMBER: Final = re.compile(r"#?0{0,2}(\d{1,3})")
_NUMBER_SIGN: Final = re.compile(r"\b(?:n[or]\.|number|card|nr)\s*(?=#?\d)|#\s+(?=\d)")
_LIMIT: Final = re.compile(
    r",?\s*\b(?:(?:that )?cost(?:s|ing)? |for |priced )?(?:(?:up to|at most|max(?:imum)?|no more than)\.? ?(\d+)"
    r"|(\d+) or (?:less|cheaper|below))(?: foods?)?\b"
)
_NOISE: Final = frozenset(
    re.findall(r"\w+", "the and or then cards card please prefer finally lastly my best first next i want would like")
)
_ANY: Final = frozenset(("any", "a", "an", "every", "each", "all"))
_ALSO: Final = {
    "plough": "plow",
    "sledge": "sled",
    "know": "knowledge",
    "knowledges": "knowledge",
    "speeches": "speech",
}
NO_CARD: Final = "is not a card"
HOW: Final = 'write a number like 14, or a class like "any rod" or "any tool up to 5"'


class NoWish(ValueError):
    """Words that are not wishes; its text says why, and what would be right."""


def class_of(word: str) -> str:
    """Return the class that a word names, in the singular or plural, or ""."""
    word = _ALSO.get(word, word)
    return next((kind for kind in CLASSES if word in (kind, f"{kind}s")), "")


def wishes_in(text: str, cards: dict[int, Card]) -> tuple[Wish, ...]:
    """Return the wishes that a text names, in its order; raises NoWish with everything that is wrong in it.

    *cards* are those that can lie in the market of this game.
    """
    text = _LIMIT.sub(lambda found: f" <={found[1] or found[2]} ", _NUMBER_SIGN.sub("#", text))
    text = text.replace("<= ", "<=").replace("\u2264 ", "<=").replace("\u2264", "<=")
    text = _MUTE.sub(" ", re.sub(r"<=(\d+)", r" most\1 ", _APART.sub(" , ", text)))
    wrong: list[str] = []
    found: list[Wish] = []
    words = _WORD.findall(text)
    place = 0
    while place < len(words):
        wish, place = _next(words, place, cards, wrong)
        if wish is not None:
            if wish in found:
                wrong.append(f"{_name(wish)} is named twice; name it once")
            found.append(wish)
    if not found and not wrong:
        wrong.append(f"no card is named; {HOW}")
    if wrong:
        told = dict.fromkeys(wrong[:8])
        how = (HOW,) if any(text.endswith(NO_CARD) for text in told) else ()  # said once
        raise NoWish("; ".join((*told, *how)))
    return tuple(found)


def _next(words: list[str], place: int, cards: dict[int, Card], wrong: list[str]) -> tuple[Wish | None, int]:
    """Return the wish that begins at that place, if any, and the place after it; add to *wrong* what is wrong."""
    word = words[place]
    following = words[place + 1] if place + 1 < len(words) else ""
    number, kind = _NUMBER.fullmatch(word), class_of(following)
    if number:  # perhaps followed by its kind, as the texts name it
        return _card(int(number[1]), kind, cards, wrong), place + (2 if kind else 1)
    number, kind = _NUMBER.fullmatch(following), class_of(word)
    if number and kind:  # the other way round: "basket 14"
        return _card(int(number[1]), kind, cards, wrong), place + 2
    if word in _ANY or class_of(word):
        if word in _ANY:
            place += 1
            if not class_of(following):
                wrong.append(f'"{word}" must be followed by one of {listed(CLASSES, "or")}')
                return None, place + 1
        kind = class_of(words[place])
        place += 1
        if class_of("".join(words[place : place + 1])) and kind in CLASSES[:2]:
            wrong.append(f'"{kind}" and "{words[place]}" are two classes; put a comma between them')
        return _class(words, place, kind, cards, wrong)
    if word.startswith("most") and word[4:].isdigit():
        wrong.append('only a class can have "up to", since the price of a card is printed on it')
    elif word != "," and word not in _NOISE:
        wrong.append(f'"{word}" {NO_CARD}')
    return None, place + 1


def _card(number: int, kind: str, cards: dict[int, Card], wrong: list[str]) -> Wish:
    """Return the card of that number, which must be of the *kind* that stands beside it, if one does."""
    if number not in cards:
        wrong.append(f"card {number} is never in the market of this game, which has {_ranges(sorted(cards))}")
    elif kind and not Wish(0, kind).fits(cards[number]):
        wrong.append(f'#{number} is a {cards[number].kind}, not a {kind}; for a class write "any {kind}"')
    return Wish(number)


def _class(words: list[str], place: int, kind: str, cards: dict[int, Card], wrong: list[str]) -> tuple[Wish, int]:
    """Return the class of that kind, with the highest price if one follows."""
    limit = re.fullmatch(r"most(\d+)", words[place]) if place < len(words) else None
    wish = Wish(0, kind, int(limit[1][:4]) if limit else None)
    if not any(map(wish.fits, cards.values())):
        cheapest = min((card.price for card in cards.values() if Wish(0, kind).fits(card)), default=None)
        none, dearer = f"this game has no {kind}", f"no {kind} costs {wish.most} or less; the cheapest costs {cheapest}"
        wrong.append(none if cheapest is None else dearer)
    return wish, place + (1 if limit else 0)


def _name(wish: Wish) -> str:
    return f"#{wish.card}" if wish.card else f'"{wish}"'


def _ranges(numbers: list[int]) -> str:
    """Return numbers in words, neighbours together: ``7 to 9, 12 and 13``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return listed(f"{run[0]} to {run[-1]}" if run[2:] else listed(map(str, run)) for run in runs)
