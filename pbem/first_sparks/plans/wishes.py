"""The words of a wish: cards and classes, in one order, with what people write around them."""

import re
from collections.abc import Container, Iterable
from typing import Final

from pbem.first_sparks.components import Card
from pbem.first_sparks.plans.plan import CLASSES, Wish
from pbem.first_sparks.plans.words import kind_name, plan_phrase
from pbem.grammar import phrase_listed
from pbem.locale import Phrase, phrase, phrase_in

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
    re.findall(
        r"\w+",
        "the and or then else otherwise cards card please prefer finally lastly my best first next i want would like",
    )
)
_ANY: Final = frozenset(("any", "a", "an", "every", "each", "all"))
_ALSO: Final = {
    "plough": "plow",
    "sledge": "sled",
    "know": "knowledge",
    "knowledges": "knowledge",
    "speeches": "speech",
}
HOW: Final = 'write a number like 14, or a class like "any rod" or "any tool up to 5"'
_TWO_CLASSES: Final = '"{one}" and "{two}" are two classes; put a comma between them'
_NEVER: Final = "card {number} is never in the market of this game, which has {numbers}"
_ANOTHER_KIND: Final = "#{number} is a {card}, not a {kind}; for a class write {any_kind}"
_NO_CARD: Final = '"{word}" is not a card'
_FOLLOWED: Final = '"{word}" must be followed by one of {classes}'
_NO_CARDS: Final = "some of the words in it name no card"
_DEARER: Final = "no {kind} costs {most} or less; the cheapest costs {cheapest}"


class NoWish(ValueError):
    """Words that are not wishes; its only argument, a phrase, says why, and what would be right."""


def class_of(word: str) -> str:
    """Return the class that a word names, in the singular or plural, or ""."""
    word = _ALSO.get(word, word)
    return next((kind for kind in CLASSES if word in (kind, f"{kind}s")), "")


def wishes_in(text: str, cards: dict[int, Card], own: str = "") -> tuple[Wish, ...]:
    """Return the wishes that a text names, in its order; raises NoWish with everything that is wrong in it.

    *cards* are those that can lie in the market of this game. Where the text was translated from a writer's *own*
    words, only those are quoted.
    """
    text = _LIMIT.sub(lambda found: f" <={found[1] or found[2]} ", _NUMBER_SIGN.sub("#", text))
    text = text.replace("<= ", "<=").replace("\u2264 ", "<=").replace("\u2264", "<=")
    text = _MUTE.sub(" ", re.sub(r"<=(\d+)", r" most\1 ", _APART.sub(" , ", text)))
    wrong: list[Phrase] = []
    found: list[Wish] = []
    quotable = frozenset(_WORD.findall(own.casefold() or text))
    words = _WORD.findall(text)
    place = 0
    while place < len(words):
        wish, place = _next(words, place, cards, wrong, quotable)
        if wish is not None:
            if wish in found:
                wrong.append(phrase("{wish} is named twice; name it once", wish=name_of(wish)))
            found.append(wish)
    if not found and not wrong:
        wrong.append(phrase("{wrong}; {more}", wrong=phrase("no card is named"), more=phrase(HOW)))
    if wrong:
        raise NoWish(_together(dict.fromkeys(wrong[:8])))
    return tuple(found)


def _together(wrong: Iterable[Phrase]) -> Phrase:
    """Return all that is wrong in one text, and at its end how a card is named, if one is not."""
    together, *others = wrong
    if any(why.endswith(("is not a card", _NO_CARDS)) for why in (together, *others)):
        others.append(phrase(HOW))
    for other in others:
        together = phrase("{wrong}; {more}", wrong=together, more=other)
    return together


def _next(
    words: list[str], place: int, cards: dict[int, Card], wrong: list[Phrase], quotable: Container[str]
) -> tuple[Wish | None, int]:
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
                classes = phrase_listed(map(kind_name, CLASSES), "or")
                wrong.append(phrase(_FOLLOWED if word in quotable else _NO_CARDS, word=word, classes=classes))
                return None, place + 1
        kind = class_of(words[place])
        place += 1
        if class_of("".join(words[place : place + 1])) and kind in CLASSES[:2]:
            wrong.append(phrase(_TWO_CLASSES, one=kind_name(kind), two=kind_name(class_of(words[place]))))
        return _class(words, place, kind, cards, wrong)
    if word.startswith("most") and word[4:].isdigit():
        wrong.append(phrase('only a class can have "up to", since the price of a card is printed on it'))
    elif word != "," and word not in _NOISE:
        wrong.append(phrase(_NO_CARD if word in quotable else _NO_CARDS, word=word))
    return None, place + 1


def _card(number: int, kind: str, cards: dict[int, Card], wrong: list[Phrase]) -> Wish:
    """Return the card of that number, which must be of the *kind* that stands beside it, if one does."""
    if number not in cards:
        wrong.append(phrase(_NEVER, number=number, numbers=_ranges(sorted(cards))))
    elif kind and not Wish(0, kind).fits(cards[number]):
        is_of, any_kind = phrase_in(cards[number].kind, "card"), plan_phrase(f'"any {kind}"')
        wrong.append(phrase(_ANOTHER_KIND, number=number, card=is_of, kind=kind_name(kind), any_kind=any_kind))
    return Wish(number)


def _class(words: list[str], place: int, kind: str, cards: dict[int, Card], wrong: list[Phrase]) -> tuple[Wish, int]:
    """Return the class of that kind, with the highest price if one follows."""
    limit = re.fullmatch(r"most(\d+)", words[place]) if place < len(words) else None
    wish = Wish(0, kind, int(limit[1][:4]) if limit else None)
    if not any(map(wish.fits, cards.values())):
        cheapest = min((card.price for card in cards.values() if Wish(0, kind).fits(card)), default=None)
        if cheapest is None:
            wrong.append(phrase("this game has no {kind}", kind=kind_name(kind)))
        else:
            wrong.append(phrase(_DEARER, kind=kind_name(kind), most=wish.most, cheapest=cheapest))
    return wish, place + (1 if limit else 0)


def name_of(wish: Wish) -> str:
    """Return the wish as it is written: a number with its sign, or a class in quotes."""
    return f"#{wish.card}" if wish.card else plan_phrase(f'"{wish}"')


def _ranges(numbers: list[int]) -> Phrase:
    """Return numbers in words, neighbours together: ``7 to 9, 12 and 13``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return phrase_listed(
        phrase("{first} to {last}", first=run[0], last=run[-1]) if run[2:] else phrase_listed(map(str, run))
        for run in runs
    )
