"""An order in people's words: its own word, another word for it, or only what it is about: cards, spaces, cells."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Final, NamedTuple

from pbem.errors import NotUnderstood
from pbem.first_sparks.adjudicator import violations
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.components import FOODS
from pbem.first_sparks.notation import ANY_TIME, FORMS, MILD, ORDER_WORDS, expected, parse_order
from pbem.first_sparks.phases import Answering, Dropping, Laying, Offering, TakingOrDiscarding
from pbem.first_sparks.state import GameState
from pbem.reading.vocabulary import any_of, each_of, table

# Other words for the word of an order: sure ones, and possible ones.
SURE: Final[Mapping[str, str]] = {
    **{word.split()[0]: word.split()[0] for word in ORDER_WORDS if word not in ANY_TIME},
    **table("orders.sure"),
}
LIKE: Final[Mapping[str, Sequence[str]]] = table("orders.perhaps")
# They need nothing after them.
ALONE: Final = tuple(word for word, form in FORMS.items() if not form.fewest and word not in ANY_TIME)
NOISE: Final = any_of("orders.noise")
AFTER: Final = rf"(?:^| ){any_of('answers.after')}$"
_NUMBERS: Final = {word: number for number, word in enumerate(each_of("common.numbers_from_four"), 4)}
SPACE: Final = r"[a-z][12][abc]"
_LIKE_A_SPACE: Final = rf"{SPACE}|[a-h][ilz][abc]"
_REST_OF_SPACE: Final = r"[12]?[abc]"
_NO_SPACE: Final = r"[a-z]\d[a-z]?|\d[a-z]"
_MISREAD: Final = str.maketrans("ilz", "112")
_CELL: Final = r"[a-z][1-9][0-9]?"
_FOODS: Final[Mapping[str, str]] = {**{food: food for food in FOODS}, **table("orders.foods")}
PLACED: Final = ("settle", "settle neutral", "add", "spread", "spread neutral", "starve")
_TILES: Final = each_of("orders.tiles")
_INSTEAD: Final = each_of("orders.instead")
_MEMBERS: Final = any_of("orders.members")
_AWAY: Final = rf"^{any_of('orders.away')}$"
_DAY: Final = rf" {any_of('orders.day')}$"
_UNFINISHED: Final = rf" {any_of('orders.unfinished')}$"
_COST: Final = rf" {any_of('orders.costs')}$"
_CLAUSE: Final = rf" {any_of('answers.clauses')} "
_CHOICE: Final = rf" {any_of('answers.choices')} "
_NO_SLIP: Final = any_of("orders.no_slips")
_RESIGN: Final = any_of("orders.resign")
_AGREE: Final = any_of("orders.agree_end")
# What an order is about, who gives it, and its word.
_TURNED: Final = r"(?:want (?:to )?)?(?P<what>(?:[^\s,]+ ){1,8}?)(?P<who>i |we )?(?P<word>[a-z]+)"
_NOUNS: Final = frozenset(("move", "place"))  # at the end of a line: "C1c must be a lovely place"
_MOST_BEFORE: Final = 4  # words before that of an order that need not be understood for a guess


class Meaning(NamedTuple):
    """What a line means.

    ``orders`` are the orders that it can be: one if that is clear, none if it is meant as one but cannot be read.
    It is *sure* if it has exactly one meaning, and *bare* if it names no order (``yes``, ``9``), so that the
    lines before it decide whether it is one. *said* is ``yes`` or ``no`` if the line begins with that, and *alone* is
    whether it says nothing else. With an *odd* word, which only looks like a space, it cannot be read.
    """

    orders: tuple[str, ...] = ()
    sure: bool = False
    bare: bool = False
    said: str = ""
    alone: bool = False
    odd: str = ""


def arguments(word: str, words: Sequence[str], state: GameState | None) -> tuple[tuple[str, ...], list[str]]:
    """Return the arguments of an order in the order language, and the words that are left over."""
    if word in ("offer", "drop"):
        numbers, kinds, unread = cards(words, state)
        pool = _pool(state)
        kind = tuple(number for number in pool if state and state.components.cards[number].kind in kinds)
        if numbers and kinds and not set(numbers) <= set(kind):
            return (), unread
        return tuple(map(str, numbers or kind)), unread
    if word == "lay":
        return _cells(words, state)
    spaces: list[str] = []
    left: list[str] = []
    for text in words:
        if re.fullmatch(SPACE, text):
            spaces.append(text[0].upper() + text[1:])
        elif found := _with_food(text, word, words, state):
            spaces += found
        elif not (re.fullmatch(NOISE, text) or re.fullmatch(_MEMBERS, text)):
            left.append(text)
    return tuple(dict.fromkeys(spaces)), left


def _with_food(text: str, word: str, words: Sequence[str], state: GameState | None) -> tuple[str, ...]:
    """Return the spaces that a food stands for, "the berries": those that may be named alone, and have it.

    If several are taken together, the food stands for one only; beside spaces that have it, it says no more.
    """
    food = _FOODS.get(text)
    if food is None or state is None or word not in PLACED:
        return ()
    named = [text[0].upper() + text[1:] for text in words if re.fullmatch(SPACE, text)]
    if named:
        return tuple(space for space in named if state.board.foods.get(space[:2]) == food)
    orders = (listed.order.removeprefix(f"{word} ") for listed in main_choices(state))
    found = tuple(dict.fromkeys(each for each in orders if state.board.foods.get(each[:2]) == food and " " not in each))
    return found if len(found) == 1 or FORMS[word].most == 1 else ()


def _pool(state: GameState | None) -> tuple[int, ...]:
    """Return the cards that the question is about."""
    if state is not None and isinstance(state.phase, Offering):
        return state.market.current
    if state is not None and isinstance(state.phase, Dropping):
        return tuple(card.number for card in state.clan(state.phase.clan).tools)
    return ()


def cards(words: Iterable[str], state: GameState | None) -> tuple[tuple[int, ...], tuple[str, ...], list[str]]:
    """Return the numbers and the kinds of cards that are named, and the words that are left over."""
    every: set[str] = {card.kind for card in state.components.cards.values()} if state else set()
    numbers: list[int] = []
    kinds: list[str] = []
    left: list[str] = []
    for text in words:
        number = text.lstrip("#")
        if number.isdigit() and number.isascii() and len(number) <= 3:
            numbers.append(int(number))
        elif number in _NUMBERS:
            numbers.append(_NUMBERS[number])
        elif text in every or text.removesuffix("s") in every:
            kinds.append(text if text in every else text.removesuffix("s"))
        elif left or not re.fullmatch(NOISE, text):
            left.append(text)
    return tuple(dict.fromkeys(numbers)), tuple(dict.fromkeys(kinds)), left


def _cells(words: Sequence[str], state: GameState | None) -> tuple[tuple[str, ...], list[str]]:
    """Return the two cells of a tile, even if each is named with its hex: ``C1 on M13, C2 on N13``."""
    cells = [text for text in words if re.fullmatch(_CELL, text)]
    tile = state.phase.tile.lower() if state is not None and isinstance(state.phase, Laying) else ""
    noise = {*cells, *_TILES, tile}
    left = [text for text in words if text not in noise and not re.fullmatch(NOISE, text)]
    if len(cells) == 4 and {cells[0], cells[2]} == {f"{tile}1", f"{tile}2"}:
        named = {cells[0]: cells[1], cells[2]: cells[3]}
        cells = [named[f"{tile}1"], named[f"{tile}2"]]
    return (tuple(cell.upper() for cell in cells) if len(cells) == 2 else ()), left


def read(core: str, state: GameState | None, *, own: bool = False) -> Meaning | None:
    """Return the meaning of a line that begins with the word of an order, or names what one is about."""
    if re.fullmatch(_RESIGN, core):
        return Meaning(("resign",), sure=True)
    if re.fullmatch(_AGREE, core):
        return Meaning(("agree end",), sure=True)
    if core == "agree" and state and state.agreed:
        return Meaning(("agree end",))
    text, cost = re.sub(_AWAY, r"lose \g<what>", core), re.search(_COST, core)
    if cost:
        text = core[: cost.start()]
    first, *rest = text.split()
    found = next((made for made in _verbs(first, rest, state, own=own) if made), None)
    if found is None and state is not None:
        found = _bare(text.split(), state)
    if found and found.sure and cost:
        found = found._replace(sure=_costs(state, found.orders[0], int(cost["food"])))
    elif found and found.sure and _is_about_more(text, state):
        is_placed = found.orders[0].startswith(PLACED)  # "C1b, a" may have two spaces
        found = Meaning() if is_placed else found._replace(sure=False)
    clause = re.sub(AFTER, "", re.split(_CLAUSE, core, maxsplit=1)[0])
    if clause not in ("", core) and not (found and (found.orders or found.odd)):  # ``pass, too expensive``
        first, *rest = clause.split()
        begun = next((made for made in _verbs(first, rest, state) if made), None)
        asked: set[str] = {word.split()[0] for word in expected(state.phase)} if state else set()
        found = begun._replace(sure=False) if begun and {order.split()[0] for order in begun.orders} & asked else found
    return found


def _is_about_more(text: str, state: GameState | None) -> bool:
    """Return whether an order may be another thing: ``I buy on the 9``, but not ``on the 9 fire``; or ``I buy in``."""
    _, *rest = text.split()
    ends, (_, kinds, _) = f" {' '.join(rest)}", cards(rest, state)
    return re.search(_UNFINISHED, ends) is not None or (re.search(_DAY, ends) is not None and not kinds)


def turned(core: str, state: GameState | None, *, own: bool = False) -> Meaning | None:
    """Return the meaning of a line that ends with the word of an order: ``the 9 I offer``, or a German infinitive."""
    found = re.fullmatch(_TURNED, core)
    if found is None or found["word"] not in {*SURE, *LIKE} - _NOUNS:
        return None
    about = found["what"].split()
    _, kinds, _ = cards(about, state)
    if not kinds and not any(c.isdigit() for c in found["what"]) and _FOODS.keys().isdisjoint(about):
        return None
    return read(f"{found['word']} {found['what']}", state, own=own or found["who"] is not None)


def hidden_in(core: str, state: GameState | None) -> Meaning | None:
    """Return the guess for a word of the question after others that are not understood: ``hmm I stay``."""
    words = core.split()
    asked: set[str] = {word.split()[0] for word in expected(state.phase)} if state else set()
    for at in range(1, min(_MOST_BEFORE, len(words) - 1) + 1):
        # "the second one I place on A1a"
        is_own = words[at - 1] in ("i", "we") and words[at] in {*SURE, *LIKE} and not asked & {"buy", "take"}
        if (words[at] in asked or is_own) and (found := read(" ".join(words[at:]), state)) and found.orders:
            return found._replace(sure=False)
    return None


def _costs(state: GameState | None, order: str, food: int) -> bool:
    """Return whether the order costs that much food, with a crop on the card or without."""
    if state is None:
        return True
    for listed in main_choices(state):
        if listed.order.split()[: len(order.split())] == order.split() and listed.cost == food:
            return True
    number = order.rsplit(maxsplit=1)[-1].lstrip("#")
    card = state.components.cards.get(int(number)) if number.isdigit() else None
    return card is not None and card.price == food


def _verbs(first: str, rest: Sequence[str], state: GameState | None, *, own: bool = False) -> Iterator[Meaning | None]:
    """Yield what the words can mean, the likeliest first, if the first of them is the word of an order.

    With *own* it is the writer who does it: ``I'll take it``.
    """
    asked = () if state is None else expected(state.phase)
    now = {word.split()[0]: word for word in asked}
    word = SURE.get(first, "")
    if word in now or (word and state is None):
        yield with_word(now.get(word, word), rest, state, sure=True)
    elif word == "discard" and isinstance(state.phase if state else None, Dropping):
        yield with_word("drop", rest, state, sure=True)
    else:
        begins = [full for name, full in now.items() if name.startswith(first)]
        if len(begins) == 1 and (rest or len(first) > 1):
            yield with_word(begins[0], rest, state, sure=True, bare=True)
        for like in LIKE.get(first, ()):
            if like in now:
                if own and like in ("buy", "take"):
                    yield with_word(now[like], rest, state, sure=True, strict=True)
                yield with_word(now[like], rest, state)
        if word:
            yield with_word(word, rest, state, sure=True, strict=True)
        elif len(begins) == 1:
            yield Meaning((begins[0],), bare=True) if begins[0] in ALONE else None
        elif not re.fullmatch(_NO_SLIP, first):
            for name, full in now.items():
                if is_slip(first, name):
                    yield with_word(full, rest, state, strict=True)


def with_word(
    word: str,
    rest: Sequence[str],
    state: GameState | None,
    *,
    sure: bool = False,
    bare: bool = False,
    strict: bool = False,
) -> Meaning | None:
    """Return the meaning of the word of an order with its arguments; if *strict*, None unless everything fits."""
    if word in ALONE:
        return _alone(word, rest, state, sure=sure, bare=bare, strict=strict)
    if word in PLACED and state is not None and (mended := _mended(rest)) != [*rest]:
        return _with_mended(word, rest, mended, state)
    found, left = arguments(word, rest, state)
    if not found:
        return Meaning() if sure and not bare and not strict else None
    if left and strict:
        return None
    if FORMS[word].most > 1:
        first, _ = arguments(word, list(takewhile(lambda text: text not in _INSTEAD, rest)), state)
        return Meaning((f"{word} {' '.join(first or found)}",), sure=sure and not left)
    orders = tuple(f"{word} {each}" for each in found)
    if len(orders) > 1 and state is not None:  # of several cards of a kind, perhaps only one is affordable
        legal = tuple(order for order in orders if is_legal(state, order))
        return Meaning(legal if len(legal) == 1 else orders)
    return Meaning(orders, sure=sure and not left and len(orders) == 1)


def _mended(words: Sequence[str]) -> list[str]:
    """Return the words with the spaces that may be meant, ``B1a Blb`` and ``B1a, b``; "" for any other like one."""
    made: list[str] = []
    last = ""  # the space before a word
    for at, text in enumerate(words):
        beneath = next(iter(words[at + 1 :]), ",")
        near = text[0] + text[1].translate(_MISREAD) + text[2] if re.fullmatch(_LIKE_A_SPACE, text) else ""
        if near:
            last = near
        elif last and re.fullmatch(_REST_OF_SPACE, text) and (text != "a" or not beneath.isalpha()):
            near = last = last[: 3 - len(text)] + text
        else:
            near = "" if re.fullmatch(_NO_SPACE, text) else text
        made.append(near)
    return made


def _with_mended(word: str, words: Sequence[str], mended: Sequence[str], state: GameState) -> Meaning:
    """Return the guess for an order with spaces that are mistyped or shortened, if it can be nothing else."""
    found = with_word(word, mended, state) if "" not in mended else None
    if found and len(found.orders) == 1 and is_legal(state, found.orders[0]):
        return found._replace(sure=False)
    odd = next(text for text, meant in zip(words, mended, strict=True) if text != meant)
    return Meaning(odd=odd.capitalize())


def _alone(
    word: str, rest: Sequence[str], state: GameState | None, *, sure: bool, bare: bool, strict: bool
) -> Meaning | None:
    """Return the meaning of an order without arguments, which may name the card: ``buy it``, ``decline #9 spear``."""
    phase = state.phase if state else None
    card = phase.card if isinstance(phase, (Answering, TakingOrDiscarding)) else None
    numbers, kinds, left = cards(rest, state)
    if left:
        if strict or (left[0] != "," and not numbers):
            return Meaning() if sure and not bare and not strict else None
        return Meaning((word,))
    if kinds and (card is None or state is None or state.components.cards[card].kind not in kinds):
        return Meaning()
    if word in ("buy", "decline") and len(numbers) == 1:
        return Meaning((f"{word} {numbers[0]}",), sure, bare)
    if set(numbers) - {card} or (numbers and word in ("pass", "stay")):
        return Meaning()
    return Meaning((word,), sure, bare)


def _bare(words: Sequence[str], state: GameState) -> Meaning | None:
    """Return the guess for a line that names a card or spaces but no order: ``9``, ``fire``, ``B1a C2b``."""
    for word in expected(state.phase):
        if word in MILD or word in ("take", "discard"):
            continue
        if word == "buy" and isinstance(state.phase, Answering):
            card = state.components.cards[state.phase.card]
            numbers, kinds, left = cards(words, state)
            if not left and (numbers or kinds) and {*numbers} <= {card.number} and {*kinds} <= {card.kind}:
                return Meaning(("buy",), bare=True)
        elif (made := with_word(word, words, state, sure=True)) and made.orders:
            _, left = arguments(word, words, state)
            if not left:
                return made._replace(sure=False, bare=True)
    return None


def is_slip(word: str, meant: str) -> bool:
    """Return whether the words differ only by one letter, or by two that are swapped."""
    if len(word) < 3 or abs(len(word) - len(meant)) > 1 or word == meant:
        return False
    same = next((at for at, (a, b) in enumerate(zip(word, meant, strict=False)) if a != b), min(len(word), len(meant)))
    a, b = word[same:], meant[same:]
    swapped = len(a) == len(b) > 1 and a[0] == b[1] and a[1] == b[0] and a[2:] == b[2:]
    return swapped or a[1:] == b[1:] or a[1:] == b or a == b[1:]


def choice(core: str, state: GameState | None) -> Meaning | None:
    """Return the orders if the line leaves the choice open: ``8 or 9``."""
    pieces = re.split(_CHOICE, core)
    if state is None or len(pieces) < 2:
        return None
    found = [read(piece.strip(" ,"), state) for piece in pieces if piece.strip(" ,")]
    orders = tuple(dict.fromkeys(order for one in found if one for order in one.orders))
    return Meaning(orders) if all(one and one.orders for one in found) and len(orders) > 1 else None


def is_legal(state: GameState, order: str) -> bool:
    """Return whether the order is a legal answer to the question."""
    try:
        return not any(violations(state, parse_order(order, expected(state.phase))))
    except NotUnderstood:
        return False
