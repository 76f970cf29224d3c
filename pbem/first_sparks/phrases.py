"""What a player's line means as an answer to the question now asked: ``I offer 9, thanks`` -> ``offer 9``.

The order language of ``notation`` is strict; people write to each other, and on phones. A phrase is read only
if every word of it is accounted for: words before (``ok, I'll``), the word of an order, what it is about, words
after (``please``). One that is mistyped, negated, asked, or has words left over is a guess, which the player is asked
about. A condition, or a word about somebody else, makes it talk.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pbem.errors import NotUnderstood
from pbem.first_sparks.adjudicator import violations
from pbem.first_sparks.answers import answers
from pbem.first_sparks.notation import FORMS, MILD, expected, parse_order
from pbem.first_sparks.phases import Answering, Dropping, Laying, Offering, TakingOrDiscarding
from pbem.first_sparks.state import GameState
from pbem.first_sparks.vocabulary import (
    AFTER,
    AGREE,
    ALONE,
    ANYTHING,
    APART,
    BEFORE,
    CELL,
    COST,
    GLUED,
    LIKE,
    LONGEST,
    MEMBERS,
    MOST_AROUND,
    MOST_BEFORE,
    NO,
    NO_SLIP,
    NOISE,
    NOT,
    NUMBERS,
    OK,
    PERHAPS,
    PUNCTUATION,
    REMARK,
    RESIGN,
    SIGN,
    SPACE,
    SURE,
    TALK,
    YES,
)


class Meaning(NamedTuple):
    """What a line means.

    ``orders`` are the orders that it can be: one where that is clear, none where it is meant as one and cannot be read.
    It is *sure* if it has exactly one meaning, and *bare* if it names no order (``yes``, ``9``), so that what
    stands before it decides whether it is one. *said* is ``yes`` or ``no`` where the line begins so, and *alone* that
    it says nothing else.
    """

    orders: tuple[str, ...] = ()
    sure: bool = False
    bare: bool = False
    said: str = ""
    alone: bool = False


def meaning(line: str, state: GameState | None) -> Meaning | None:
    """Return what the line means to whom *state* asks, None for what can only be talk.

    Without a state, to one who is not asked: then nothing is guessed, and a bare word means nothing.
    """
    if len(line) > LONGEST or "~" in line:  # it may be struck out
        return None
    text = _plain(line)
    asks, text = "?" in text, " ".join(text.replace("?", " , ").split())
    said, rest = _said(text)
    core, perhaps = _inside(rest)
    if not core:
        return _yes_or_no(text, said, state, more=asks)
    if core.startswith(("resign ", "resign,")):
        found = Meaning(("resign",))
    elif TALK.search(core) or (asks and not text.endswith(",")):
        found = None
    elif NOT.search(core) or (said == "no" and core in SURE and core not in ALONE):
        found = _negated(core, state)
    else:
        found = _read(core, state) or _hidden_in(core, state)
    if found is None:
        return _yes_or_no(text, said, state, more=True) if said else None
    mild = bool(found.orders) and found.orders[0].split()[0] in MILD
    sure = found.sure and not (asks or perhaps or (said and (said == "no") != mild and not _is_free(found, said)))
    return found._replace(sure=sure, said=said) if sure or state or "resign" in found.orders else None


def rows(state: GameState) -> Iterator[tuple[str, str]]:
    """Yield every listed answer, and the row of the question in which it stands: order, cost, note."""
    for answer in answers(state):
        cost = "-" if answer.cost is None else str(answer.cost)
        yield answer.order, " ".join(f"{answer.order} {cost} {answer.note}".replace("\0", " ").split())


def is_about_others(line: str) -> bool:
    """Return whether the line is a condition, a question to others, or about them."""
    return len(line) <= LONGEST and bool(TALK.search(_plain(line)))


def is_legal(state: GameState, order: str) -> bool:
    """Return whether the order is a legal answer to the question."""
    try:
        return not any(violations(state, parse_order(order, expected(state.phase))))
    except NotUnderstood:
        return False


def _plain(line: str) -> str:
    """Return the line in lower case, its words apart: ``,`` for all punctuation, ``?`` for a question."""
    text = re.sub(r"(?<=\w)['\u2019`\u00b4](?=\w)", "", REMARK.sub("", line.lower()))
    text = SIGN.sub("#", text).replace("+", " ").replace("&", " ")
    text = GLUED.sub(r"\1 \2", PUNCTUATION.sub(" , ", text))
    return APART.sub(r"\1\2\3", " ".join(text.split()))


def _said(text: str) -> tuple[str, str]:
    """Return whether the text begins with a yes or a no, and what is left of it."""
    text = re.sub(r"^(?:(?:hi|hello|hey|well|oh|,)(?: all| everyone)? )*", "", text)
    for said, words in (("yes", YES), ("no", NO)):
        if found := words.match(text):
            return said, text[found.end() :].strip()
    return "", text


def _inside(text: str) -> tuple[str, bool]:
    """Return the text without the words that people put around an answer, and whether some say that it is open."""
    perhaps = False
    for _ in range(MOST_AROUND):
        maybe = PERHAPS.match(text)
        found = maybe or BEFORE.match(text)
        if not found or (len(found[0]) == len(text) and text in SURE):
            break
        perhaps = perhaps or bool(maybe)
        text = text[found.end() :].lstrip()
    for _ in range(MOST_AROUND):
        if not (after := AFTER.search(text)):
            break
        text = text[: after.start()]
    return text.strip(), perhaps


def _is_free(found: Meaning, said: str) -> bool:
    """Return whether a yes before it does not matter: ``yes, offer 9``; after a no only a mild order does."""
    return said == "yes" and not {"decline"} & {order.split()[0] for order in found.orders}


# Without the word of an order


def _yes_or_no(text: str, said: str, state: GameState | None, *, more: bool = False) -> Meaning | None:
    """Return what a yes or a no means, with *more* behind it that is not understood; ``ok`` is perhaps a yes."""
    if not said and text.strip(" ,") not in OK:
        return None
    asked = () if state is None else expected(state.phase)
    sure = bool(said) and not more
    if isinstance(state.phase if state else None, Answering):
        return Meaning(("decline" if said == "no" else "buy",), sure, bare=True, said=said, alone=sure)
    if not said or more:
        return None
    mild = tuple(word for word in asked if word in MILD and said == "no")
    return Meaning(mild, bare=True, said=said, alone=True)


def _negated(core: str, state: GameState | None) -> Meaning | None:
    """Return the guess that who does not want to buy, offer or spread declines, passes or stays."""
    if state is None:
        return None
    asked = expected(state.phase)
    mild = tuple(word for word in asked if word in MILD)
    words = [word for word in ANYTHING.sub(" ", NOT.sub(" ", core)).split() if not NOISE.fullmatch(word)]
    verbs = {SURE.get(word, "") for word in words[:1]} | set(LIKE.get(words[0], ()) if words else ())
    active = {word.split()[0] for word in asked if word not in MILD}
    known = not words or (verbs & active and len(words) <= 2)
    return Meaning(mild) if mild and known else None


# With one


def _read(core: str, state: GameState | None) -> Meaning | None:
    if RESIGN.fullmatch(core):
        return Meaning(("resign",), sure=True)
    if AGREE.fullmatch(core):
        return Meaning(("agree end",), sure=True)
    if core == "agree" and state and state.agreed:
        return Meaning(("agree end",))
    text, cost = core, COST.search(core)
    if cost:
        text = core[: cost.start()]
    first, *rest = text.split()
    found = next((made for made in _verbs(first, rest, state) if made), None)
    if found is None and state is not None:
        found = _bare(text.split(), state)
    if found and found.sure and cost:
        found = found._replace(sure=_costs(state, found.orders[0], int(cost[1])))
    return found


def _hidden_in(core: str, state: GameState | None) -> Meaning | None:
    """Return the guess for a word of the question behind others that are not understood: ``hmm I stay``."""
    words = core.split()
    asked: set[str] = {word.split()[0] for word in expected(state.phase)} if state else set()
    for at in range(1, min(MOST_BEFORE, len(words) - 1) + 1):
        if words[at] in asked and (found := _read(" ".join(words[at:]), state)) and found.orders:
            return found._replace(sure=False)
    return None


def _costs(state: GameState | None, order: str, food: int) -> bool:
    """Return whether the order costs as much as is said, with a crop on the card or without."""
    if state is None:
        return True
    for answer in answers(state):
        if answer.order.split()[: len(order.split())] == order.split() and answer.cost == food:
            return True
    number = order.rsplit(maxsplit=1)[-1].lstrip("#")
    card = state.components.cards.get(int(number)) if number.isdigit() else None
    return card is not None and card.price == food


def _verbs(first: str, rest: Sequence[str], state: GameState | None) -> Iterator[Meaning | None]:
    """Yield what the words can mean, the likeliest first, if the first of them is the word of an order."""
    asked = () if state is None else expected(state.phase)
    now = {word.split()[0]: word for word in asked}
    word = SURE.get(first, "")
    if word in now or (word and state is None):
        yield _with(now.get(word, word), rest, state, sure=True)
    elif word == "discard" and isinstance(state.phase if state else None, Dropping):
        yield _with("drop", rest, state, sure=True)
    else:
        begins = [full for name, full in now.items() if name.startswith(first)]
        if len(begins) == 1 and (rest or len(first) > 1):
            yield _with(begins[0], rest, state, sure=True, bare=True)
        for like in LIKE.get(first, ()):
            if like in now:
                yield _with(now[like], rest, state)
        if word:
            yield _with(word, rest, state, sure=True)
        elif len(begins) == 1:
            yield Meaning((begins[0],), bare=True) if begins[0] in ALONE else None
        elif not NO_SLIP.fullmatch(first):
            for name, full in now.items():
                if _is_slip(first, name):
                    yield _with(full, rest, state, strict=True)


def _with(
    word: str,
    rest: Sequence[str],
    state: GameState | None,
    *,
    sure: bool = False,
    bare: bool = False,
    strict: bool = False,
) -> Meaning | None:
    """Return what the word of an order means with what follows it; nothing that does not fit if *strict*."""
    if word in ALONE:
        return _alone(word, rest, state, sure=sure, bare=bare, strict=strict)
    arguments, exact, left = _arguments(word, rest, state)
    if not arguments:
        return Meaning() if sure and not bare and not strict else None
    if left and strict:
        return None
    many = FORMS[word].most > 1
    orders = (f"{word} {' '.join(arguments)}",) if many else tuple(f"{word} {each}" for each in arguments)
    if len(orders) > 1 and state is not None:  # of several cards of a kind, perhaps one can be paid
        legal = tuple(order for order in orders if is_legal(state, order))
        orders, exact = (legal if len(legal) == 1 else orders), False
    return Meaning(orders, sure=sure and exact and not left and len(orders) == 1)


def _alone(
    word: str, rest: Sequence[str], state: GameState | None, *, sure: bool, bare: bool, strict: bool
) -> Meaning | None:
    """Return what an order means that needs nothing, or only names the card: ``buy it``, ``decline #9 spear``."""
    phase = state.phase if state else None
    card = phase.card if isinstance(phase, (Answering, TakingOrDiscarding)) else None
    numbers, kinds, left = _cards(rest, state)
    if left:
        if strict or (left[0] != "," and not numbers):
            return Meaning() if sure and not bare else None
        return Meaning((word,))
    if kinds and (card is None or state is None or state.components.cards[card].kind not in kinds):
        return Meaning()
    if word in ("buy", "decline") and len(numbers) == 1:
        return Meaning((f"{word} {numbers[0]}",), sure, bare)
    if set(numbers) - {card} or (numbers and word in ("pass", "stay")):
        return Meaning()
    return Meaning((word,), sure, bare)


def _bare(words: Sequence[str], state: GameState) -> Meaning | None:
    """Return the guess for a line that names a card or spaces, and no order: ``9``, ``fire``, ``B1a C2b``."""
    for word in expected(state.phase):
        if word in MILD or word in ("take", "discard"):
            continue
        if word == "buy" and isinstance(state.phase, Answering):
            card = state.components.cards[state.phase.card]
            numbers, kinds, left = _cards(words, state)
            if not left and (numbers or kinds) and {*numbers} <= {card.number} and {*kinds} <= {card.kind}:
                return Meaning(("buy",), bare=True)
        elif (made := _with(word, words, state, sure=True)) and made.orders:
            _, _, left = _arguments(word, words, state)
            if not left:
                return made._replace(sure=False, bare=True)
    return None


# What an order is about


def _arguments(word: str, words: Sequence[str], state: GameState | None) -> tuple[tuple[str, ...], bool, list[str]]:
    """Return what follows the word of an order, whether it is exact, and the words that are left over."""
    if FORMS[word].what == "CARD":
        numbers, kinds, unread = _cards(words, state)
        pool = _pool(state)
        kind = tuple(number for number in pool if state and state.components.cards[number].kind in kinds)
        if numbers and kinds and not set(numbers) <= set(kind):
            return (), False, unread
        exact = not any(name in words for name in NUMBERS)
        return tuple(map(str, numbers or kind)), exact, unread
    if FORMS[word].what == "CELL CELL":
        return _cells(words, state)
    spaces: list[str] = []
    left: list[str] = []
    for text in words:
        if SPACE.fullmatch(text):
            spaces.append(text[0].upper() + text[1:])
        elif not (NOISE.fullmatch(text) or MEMBERS.fullmatch(text)):
            left.append(text)
    return tuple(dict.fromkeys(spaces)), True, left


def _pool(state: GameState | None) -> tuple[int, ...]:
    """Return the cards that the question is about."""
    if state is not None and isinstance(state.phase, Offering):
        return state.market.current
    if state is not None and isinstance(state.phase, Dropping):
        return tuple(card.number for card in state.clan(state.phase.clan).tools)
    return ()


def _cards(words: Iterable[str], state: GameState | None) -> tuple[tuple[int, ...], tuple[str, ...], list[str]]:
    """Return the numbers and the kinds of cards that are named, and the words that are left over."""
    every: set[str] = {card.kind for card in state.components.cards.values()} if state else set()
    numbers: list[int] = []
    kinds: list[str] = []
    left: list[str] = []
    for text in words:
        number = text.lstrip("#")
        if number.isdigit() and number.isascii() and len(number) <= 3:
            numbers.append(int(number))
        elif number in NUMBERS:
            numbers.append(NUMBERS[number])
        elif text in every or text.removesuffix("s") in every:
            kinds.append(text if text in every else text.removesuffix("s"))
        elif left or not NOISE.fullmatch(text):
            left.append(text)
    return tuple(dict.fromkeys(numbers)), tuple(dict.fromkeys(kinds)), left


def _cells(words: Sequence[str], state: GameState | None) -> tuple[tuple[str, ...], bool, list[str]]:
    """Return the two cells of a tile, also where each is named with its hex: ``C1 on M13, C2 on N13``."""
    cells = [text for text in words if CELL.fullmatch(text)]
    tile = state.phase.tile.lower() if state is not None and isinstance(state.phase, Laying) else ""
    noise = {*cells, "tile", "hex", tile}
    left = [text for text in words if text not in noise and not NOISE.fullmatch(text)]
    if len(cells) == 4 and {cells[0], cells[2]} == {f"{tile}1", f"{tile}2"}:
        named = {cells[0]: cells[1], cells[2]: cells[3]}
        cells = [named[f"{tile}1"], named[f"{tile}2"]]
    return (tuple(cell.upper() for cell in cells) if len(cells) == 2 else ()), True, left


def _is_slip(word: str, meant: str) -> bool:
    """Return whether the word is the other one but for one letter, or two that changed places."""
    if len(word) < 3 or abs(len(word) - len(meant)) > 1 or word == meant:
        return False
    same = next((at for at, (a, b) in enumerate(zip(word, meant, strict=False)) if a != b), min(len(word), len(meant)))
    a, b = word[same:], meant[same:]
    swapped = len(a) == len(b) > 1 and a[0] == b[1] and a[1] == b[0] and a[2:] == b[2:]
    return swapped or a[1:] == b[1:] or a[1:] == b or a == b[1:]
