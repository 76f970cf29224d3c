"""What a player's line means as an answer to the question now asked: ``I offer 9, thanks`` -> ``offer 9``.

The order language of ``notation`` is strict; people write to each other, and on phones. A phrase is read only
if every word of it is accounted for: words before (``ok, I'll``), the word of an order, what it is about, words
after (``please``). One that is mistyped, negated, asked, or has words left over is a guess, which the player is asked
about. A condition, or a word about somebody else, makes it talk.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pbem.errors import NotUnderstood
from pbem.first_sparks.adjudicator import violations
from pbem.first_sparks.answers import answers
from pbem.first_sparks.notation import LONGEST_ORDER, ORDER_WORDS, expected, parse_order
from pbem.first_sparks.state import Answering, Dropping, GameState, Laying, Offering, TakingOrDiscarding


class Meaning(NamedTuple):
    """What a line means.

    ``orders`` are the orders that it can be: one where that is clear, none where it is meant as one and cannot be read.
    It is *sure* if it has exactly one meaning, and *bare* if it names no order (``yes``, ``9``), so that what
    stands before it decides whether it is one. *said* is ``yes`` or ``no`` where the line begins so.
    """

    orders: tuple[str, ...] = ()
    sure: bool = False
    bare: bool = False
    said: str = ""


# What stands around an answer.
_YES: Final = re.compile(r"(?:yes|yep|yeah|yup|yea|y|ja|of course)(?= |$)")
_NO: Final = re.compile(r"(?:no|nope|nah|n|nein)(?= |$)")
_OK: Final = frozenset(("ok", "okay", "sure", "fine", "all right", "alright", "right"))
_BEFORE: Final = re.compile(
    r"(?:(?:hi|hello|hey|dear)(?: all| there| everyone| everybody| team| folks| friends| guys| host| pbem)?"
    r"|ok(?:ay)?|all ?right|right|well|so|then|now|fine|sure|please|pls|plz|and|sorry|,"
    r"|(?:my )?(?:order|answer|move|choice|turn|reply|decision)(?: is)?"
    r"|im|i am|ill|i will|i shall|we will|id (?:like|love)|i would (?:like|love)|i want to|i wanna|i wish to"
    r"|i must|i have to|going to|gonna|ive decided|i decided?|i choose to|let me|lets|just|to|i|we)(?= |$)"
)
_PERHAPS: Final = re.compile(r"(?:i (?:think|guess|suppose|may|might)|maybe|perhaps|probably|will|may|might)(?= |$)")
_AFTER: Final = re.compile(
    r"(?:^| )(?:please|pls|plz|thanks(?: a lot| all| again)?|thank ?you|thx|tx|ty|cheers|then|now|too|again|today"
    r"|put|for me|(?:for |in )?this (?:time|round|turn)|for now|ok(?:ay)?|all|everyone|everybody|guys|folks|haha|lol|xd"
    r"|have fun|good luck|see you(?: soon| later)?|best wishes|(?:best|kind) regards|regards|greetings|,)$"
)
_COST: Final = re.compile(r" for (\d{1,3})(?: foods?)?$")
# Conditions, what was, and what is about somebody else.
_TALK: Final = re.compile(
    r"\b(?:if|would|should|could|unless|until|when|what|why|who|how|which|you|your|youre|u|he|she|they|him|her"
    r"|them|his|their|was|were|did|had|has|cant|can|cannot|never|or|but|because|wait|instead|after|before|than|next)\b"
)
_NOT: Final = re.compile(r"\b(?:not|dont|do not|wont|nothing|none|without)\b")
_ANYTHING: Final = re.compile(r"\b(?:want|wish|like|anything|any|more|at all|going|do)\b")

# How an answer is written.
_REMARK: Final = re.compile(r"(?:^|\s)#(?!\s*\d).*")
_SIGN: Final = re.compile(r"(?:\bn[or]\.|\bnumber\b|№|#)\s*(?=\d)")
_PUNCTUATION: Final = re.compile(r"[^\w\s?#]+|_+")
_APART: Final = re.compile(r"\b([a-z]) ?([12]) ?([abc])\b")
_GLUED: Final = re.compile(r"\b([a-z]{3,})#?(\d{1,3})\b")
_SPACE: Final = re.compile(r"[a-z][12][abc]")
_CELL: Final = re.compile(r"[a-z][1-9][0-9]?")
_LONGEST: Final = LONGEST_ORDER + 60
_MOST_AROUND: Final = 12  # words around an answer, on each side
_NOISE: Final = re.compile(r"the|an?|my|our|to|on|at|in|into|onto|of|card|tool|this|that|it|one|,|&|\+|with|and")
_MEMBERS: Final = re.compile(r"first|second|new|more|members?|m[ae]n|meeples?|clan|spaces?|neutral|\d")
_WORDS_FROM_FOUR: Final = "four five six seven eight nine ten eleven twelve thirteen fourteen"
_NUMBERS: Final = {word: number for number, word in enumerate(_WORDS_FROM_FOUR.split(), 4)}
# What else is said for the word of an order, surely and perhaps; then, the word of another question.
_WORDS: Final = {word.split()[0]: word.split()[0] for word in ORDER_WORDS if word not in ("resign", "agree end")}
_SURE: Final = {
    **_WORDS,
    **{"offering": "offer", "passing": "pass", "buying": "buy", "purchase": "buy", "declining": "decline"},
    **{"refuse": "decline", "taking": "take", "discarding": "discard", "dropping": "drop", "staying": "stay"},
    **{"settling": "settle", "adding": "add", "spreading": "spread", "laying": "lay"},
}
_LIKE: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("propose", "bid", "choose", "pick", "nominate", "auction", "sell"), ("offer",)),
    **dict.fromkeys(("want", "get", "grab"), ("buy", "take", "offer")),
    **dict.fromkeys(("expand", "grow", "go", "move", "place", "put"), ("spread", "add", "settle", "lay")),
    **dict.fromkeys(("remove", "kill", "lose"), ("starve", "drop")),
    **dict.fromkeys(("skip", "nothing", "remain"), ("pass", "stay", "decline")),
    **{"reject": ("decline",), "buy": ("take", "offer"), "take": ("buy", "offer"), "discard": ("decline",)},
    **{"drop": ("discard", "decline"), "decline": ("pass", "stay", "discard"), "stay": ("pass", "decline")},
    **{"pass": ("decline", "stay", "discard"), "spread": ("add", "settle"), "add": ("spread", "settle")},
    **{"settle": ("spread", "add"), "starve": ("drop",)},
}
_MILD: Final = ("pass", "decline", "stay")
_ALONE: Final = ("stay", "pass", "take", "discard", "buy", "decline")  # they need nothing after them
_NO_SLIP: Final = re.compile(r"bye|by|say|day|best|bay|boy|past|post|and|may|made|lady|ready|off|other|later")
_RESIGN: Final = re.compile(r"(?:resign|resigning|quit|leave the game|resign from the game)")
_AGREE: Final = re.compile(r"agree(?:d)?(?: to)?(?: the| an)? end(?:ing)?(?: the game| of the game)?")


def meaning(line: str, state: GameState | None) -> Meaning | None:
    """Return what the line means to whom *state* asks, None for what can only be talk.

    Without a state, to one who is not asked: then nothing is guessed, and a bare word means nothing.
    """
    if len(line) > _LONGEST or "~" in line:  # it may be struck out
        return None
    text = _plain(line)
    asks, text = "?" in text, " ".join(text.replace("?", " , ").split())
    said, rest = _said(text)
    core, perhaps = _inside(rest)
    if not core:
        return _yes_or_no(text, said, state)
    if core.startswith(("resign ", "resign,")):
        found = Meaning(("resign",))
    elif _TALK.search(core) or (asks and not text.endswith(",")):
        found = None
    elif _NOT.search(core) or (said == "no" and core in _SURE and core not in _ALONE):
        found = _negated(core, state)
    else:
        found = _read(core, state)
    if found is None:
        return _yes_or_no(text, said, state, more=True) if said else None
    mild = bool(found.orders) and found.orders[0].split()[0] in _MILD
    sure = found.sure and not (asks or perhaps or (said and (said == "no") != mild and not _is_free(found, said)))
    return found._replace(sure=sure, said=said) if sure or state or "resign" in found.orders else None


def rows(state: GameState) -> Iterator[tuple[str, str]]:
    """Yield every listed answer, and the row of the question in which it stands: order, cost, note."""
    for answer in answers(state):
        cost = "-" if answer.cost is None else str(answer.cost)
        yield answer.order, " ".join(f"{answer.order} {cost} {answer.note}".replace("\0", " ").split())


def is_about_others(line: str) -> bool:
    """Return whether the line is a condition, a question to others, or about them."""
    return len(line) <= _LONGEST and bool(_TALK.search(_plain(line)))


def is_legal(state: GameState, order: str) -> bool:
    """Return whether the order is a legal answer to the question."""
    try:
        return not any(violations(state, parse_order(order, expected(state.phase))))
    except NotUnderstood:
        return False


def _plain(line: str) -> str:
    """Return the line in lower case, its words apart: ``,`` for all punctuation, ``?`` for a question."""
    text = re.sub(r"(?<=\w)['\u2019`\u00b4](?=\w)", "", _REMARK.sub("", line.lower()))
    text = _SIGN.sub("#", text).replace("+", " ").replace("&", " ")
    text = _GLUED.sub(r"\1 \2", _PUNCTUATION.sub(" , ", text))
    return _APART.sub(r"\1\2\3", " ".join(text.split()))


def _said(text: str) -> tuple[str, str]:
    """Return whether the text begins with a yes or a no, and what is left of it."""
    text = re.sub(r"^(?:(?:hi|hello|hey|well|oh|,)(?: all| everyone)? )*", "", text)
    for said, words in (("yes", _YES), ("no", _NO)):
        if found := words.match(text):
            return said, text[found.end() :].strip()
    return "", text


def _inside(text: str) -> tuple[str, bool]:
    """Return the text without the words that people put around an answer, and whether some say that it is open."""
    perhaps = False
    for _ in range(_MOST_AROUND):
        maybe = _PERHAPS.match(text)
        found = maybe or _BEFORE.match(text)
        if not found or (len(found[0]) == len(text) and text in _SURE):
            break
        perhaps = perhaps or bool(maybe)
        text = text[found.end() :].lstrip()
    for _ in range(_MOST_AROUND):
        if not (after := _AFTER.search(text)):
            break
        text = text[: after.start()]
    return text.strip(), perhaps


def _is_free(found: Meaning, said: str) -> bool:
    """Return whether a yes before it does not matter: ``yes, offer 9``; after a no only a mild order does."""
    return said == "yes" and not {"decline"} & {order.split()[0] for order in found.orders}


# Without the word of an order


def _yes_or_no(text: str, said: str, state: GameState | None, *, more: bool = False) -> Meaning | None:
    """Return what a yes or a no means, with *more* behind it that is not understood; ``ok`` is perhaps a yes."""
    if not said and text.strip(" ,") not in _OK:
        return None
    asked = () if state is None else expected(state.phase)
    sure = bool(said) and not more
    if isinstance(state.phase if state else None, Answering):
        return Meaning(("decline" if said == "no" else "buy",), sure, bare=True, said=said)
    if not said or more:
        return None
    mild = tuple(word for word in asked if word in _MILD and said == "no")
    return Meaning(mild, bare=True, said=said)


def _negated(core: str, state: GameState | None) -> Meaning | None:
    """Return the guess that who does not want to buy, offer or spread declines, passes or stays."""
    if state is None:
        return None
    asked = expected(state.phase)
    mild = tuple(word for word in asked if word in _MILD)
    words = [word for word in _ANYTHING.sub(" ", _NOT.sub(" ", core)).split() if not _NOISE.fullmatch(word)]
    verbs = {_SURE.get(word, "") for word in words[:1]} | set(_LIKE.get(words[0], ()) if words else ())
    active = {word.split()[0] for word in asked if word not in _MILD}
    known = not words or (verbs & active and len(words) <= 2)
    return Meaning(mild) if mild and known else None


# With one


def _read(core: str, state: GameState | None) -> Meaning | None:
    if _RESIGN.fullmatch(core):
        return Meaning(("resign",), sure=True)
    if _AGREE.fullmatch(core):
        return Meaning(("agree end",), sure=True)
    if core == "agree" and state and state.agreed:
        return Meaning(("agree end",))
    text, cost = core, _COST.search(core)
    if cost:
        text = core[: cost.start()]
    first, *rest = text.split()
    found = next((made for made in _verbs(first, rest, state) if made), None)
    if found is None and state is not None:
        found = _bare(text.split(), state)
    if found and found.sure and cost:
        found = found._replace(sure=_costs(state, found.orders[0], int(cost[1])))
    return found


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
    word = _SURE.get(first, "")
    if word in now or (word and state is None):
        yield _with(now.get(word, word), rest, state, sure=True)
    elif word == "discard" and isinstance(state.phase if state else None, Dropping):
        yield _with("drop", rest, state, sure=True)
    else:
        begins = [full for name, full in now.items() if name.startswith(first)]
        if len(begins) == 1 and (rest or len(first) > 1):
            yield _with(begins[0], rest, state, sure=True, bare=True)
        for like in _LIKE.get(first, ()):
            if like in now:
                yield _with(now[like], rest, state)
        if word:
            yield _with(word, rest, state, sure=True)
        elif len(begins) == 1:
            yield Meaning((begins[0],), bare=True) if begins[0] in _ALONE else None
        elif not _NO_SLIP.fullmatch(first):
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
    if word in _ALONE:
        return _alone(word, rest, state, sure=sure, bare=bare, strict=strict)
    arguments, exact, left = _arguments(word, rest, state)
    if not arguments:
        return Meaning() if sure and not bare and not strict else None
    if left and strict:
        return None
    many = word in ("spread", "spread neutral", "starve", "lay")
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
        if word in _MILD or word in ("take", "discard"):
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
    if word in ("offer", "drop"):
        numbers, kinds, unread = _cards(words, state)
        pool = _pool(state)
        kind = tuple(number for number in pool if state and state.components.cards[number].kind in kinds)
        if numbers and kinds and not set(numbers) <= set(kind):
            return (), False, unread
        exact = not any(name in words for name in _NUMBERS)
        return tuple(map(str, numbers or kind)), exact, unread
    if word == "lay":
        return _cells(words, state)
    spaces: list[str] = []
    left: list[str] = []
    for text in words:
        if _SPACE.fullmatch(text):
            spaces.append(text[0].upper() + text[1:])
        elif not (_NOISE.fullmatch(text) or _MEMBERS.fullmatch(text)):
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
    every = {card.kind for card in state.components.cards.values()} if state else set()
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
        elif left or not _NOISE.fullmatch(text):
            left.append(text)
    return tuple(dict.fromkeys(numbers)), tuple(dict.fromkeys(kinds)), left


def _cells(words: Sequence[str], state: GameState | None) -> tuple[tuple[str, ...], bool, list[str]]:
    """Return the two cells of a tile, also where each is named with its hex: ``C1 on M13, C2 on N13``."""
    cells = [text for text in words if _CELL.fullmatch(text)]
    tile = state.phase.tile.lower() if state is not None and isinstance(state.phase, Laying) else ""
    noise = {*cells, "tile", "hex", tile}
    left = [text for text in words if text not in noise and not _NOISE.fullmatch(text)]
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
