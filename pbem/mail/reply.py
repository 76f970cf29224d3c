# ruff: noqa: RUF001 -- the quotes and dashes that phones write are meant
"""What a player says in a reply: orders, requests, and talk for the table.

The rule, as a player may read it:

- Every order stands on a line of its own; case, spaces, bullets, numbers before it and a full stop behind it do not
  matter. A word that is a whole order, as ``buy``, is written out: ``B`` under a mail is a name.
- The orders stand together: from the first to the last every line is an order, empty lines apart.
- All other lines are talk. But a line that begins as an order does and has a number, or is the word of an order
  alone, is meant as one wherever it stands; so is a line next to an order that ends as one (``then offer 12``) or
  begins with a word that needs more (``offer seven``), and in a mail without any order each that begins or ends as one.
- If one of these cannot be read, the mail is refused as a whole, and every such line is named.
- Requests (``help``, ``show``, ...) are lines of their own too, and stand anywhere.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from pbem.errors import NotUnderstood, Violation
from pbem.first_sparks.notation import LONGEST_ORDER, ORDER_WORDS, parse_order
from pbem.mail.quoting import LONGEST_TEXT, Written, markers_in, written
from pbem.reading import MOST_ORDERS

MOST_LINES: Final = 4_000
LONGEST_TALK: Final = 4_000
_LONGEST_LINE: Final = LONGEST_ORDER + 40  # with a bullet and the like
_LONGEST_WORD: Final = 12
_FEW_WORDS: Final = 8

_DATE: Final = r"\d{4}-\d\d-\d\d"
_REQUEST: Final = re.compile(
    rf"help|show|options|rules(?: [a-z0-9.-]+)?|join [a-z0-9-]{{1,40}} \S.{{0,60}}|back|stop|news(?: \w{{1,20}})?"
    rf"|absent(?: until \S{{1,40}}| {_DATE})?",
    re.IGNORECASE,
)
# What people put around a wish: "I am absent until 2026-12-31", "help me, please".
_POLITE: Final = re.compile(
    r"^(?:(?:hi|hello|please|pls|i am|i'm|(?:i will|i'll) be(?= absent)),? )+"
    r"|(?:,? (?:please|pls|thanks|thank you|me))+$",
    re.IGNORECASE,
)
_FIRST_WORDS: Final = tuple(dict.fromkeys(word.split()[0] for word in ORDER_WORDS))
_BULLET: Final = re.compile(r"^(?:[-*+•◦▪‣·–—]\s*|\(?\d{1,2}[.)]\s*(?=[^\W\d]))+(?=\S)")
_LABEL: Final = re.compile(r"^order ?: ?", re.IGNORECASE)  # as the text of pbem play has it
_AROUND: Final = " .。、!,;*_`'\"()"
# A token, wherever it stands: whoever reads it could write in the player's name. What was encoded for a link or a
# mail (%20, %2520, =20) may stand before it, and a program may have broken it in two.
_DIGIT: Final = "[0-9a-hjkmnp-tv-z]"
_TOKEN: Final = re.compile(
    r"(?:(?<![0-9a-z])|(?<=[%=][0-9a-f]{2})|(?<=%25[0-9a-f]{2}))"
    rf"{_DIGIT}(?:(?:=?[ \t]*\n[>|\t ]*\n?| )?{_DIGIT}){{15}}(?![0-9a-z])",
    re.IGNORECASE,
)
_QUOTE_MARKS: Final = {ord(mark): "'" for mark in "‘’‚‛“”„‟«»‹›「」『』"}


class Reply(NamedTuple):
    """What a player says.

    ``orders`` are ready for ``notation.parse_order``, ``requests`` are in lower case but for the name in
    ``join GAME NAME``; ``talk`` is the rest, without signature and without any token. ``markers`` are those that
    ``markers_in`` finds.
    """

    orders: tuple[str, ...]
    requests: tuple[str, ...]
    talk: str
    markers: tuple[str, ...]


def read_reply(text: str) -> Reply:
    """Return what the player says in the text of a mail.

    Raises NotUnderstood naming each line that is meant as an order and cannot be read as one; ``markers_in`` tells
    all the same which game it is.
    """
    if len(text) > LONGEST_TEXT or text.count("\n") > MOST_LINES:
        raise NotUnderstood(
            f"the text of the mail has more than {LONGEST_TEXT} characters or {MOST_LINES} lines",
            hint="answer without the old mails beneath",
        )
    page = written(text)
    lines = _rejoined(page.lines)
    orders = [i for i, line in enumerate(lines) if is_order(line)]
    requests = [i for i, line in enumerate(lines) if _request(cleaned(line))]
    said = {*orders, *requests}
    others = [i for i, line in enumerate(lines) if line and i not in said]
    troubles = tuple(islice(_troubles(page, lines, orders, others), MOST_ORDERS))
    if troubles:
        raise NotUnderstood(
            "the mail was not played, because it is not clear what in it is an order",
            reasons=tuple(Violation("", trouble) for trouble in troubles),
            hint="write your orders together above all else, each on a line of its own",
        )
    if len(orders) > MOST_ORDERS:
        raise NotUnderstood(f"the mail has {len(orders)} orders, and at most {MOST_ORDERS} are taken")
    talk = "\n".join("" if i in said else line for i, line in enumerate(lines))
    return Reply(
        tuple(cleaned(lines[i]) for i in orders),
        tuple(_request(cleaned(lines[i])) for i in requests),
        _masked(re.sub(r"\n{3,}", "\n\n", talk).strip())[:LONGEST_TALK].rstrip(),
        markers_in(text),
    )


def cleaned(line: str) -> str:
    """Return the line as an order is written: ASCII digits and quotes, no bullet, no emoji, nothing around it.

    A line that is too long for an order stays as it is.
    """
    return _cleaned(line) if len(line) <= _LONGEST_LINE else line


@lru_cache(maxsize=MOST_LINES)  # each line is asked about several times, and some take long
def _cleaned(line: str) -> str:
    plain = line if line.isascii() else unicodedata.normalize("NFKC", line.translate(_QUOTE_MARKS))
    if len(plain) > _LONGEST_LINE:  # a letter can stand for eighteen
        return line
    text = " ".join((plain if plain.isascii() else "".join(_plain(plain))).split())
    return _LABEL.sub("", _BULLET.sub("", text, count=1).strip(_AROUND))


def _plain(line: str) -> Iterator[str]:
    for c in line:
        if c.isascii():
            yield c
        elif unicodedata.category(c) == "Nd":
            yield str(unicodedata.digit(c))
        elif unicodedata.category(c) not in {"So", "Sk", "Me", "Cf"} and not "\ufe00" <= c <= "\ufe0f":
            yield c


def is_order(line: str) -> bool:
    """Return whether the line is an order in some situation of the game."""
    text = cleaned(line)
    return len(text) <= LONGEST_ORDER and _is_order(text)


@lru_cache(maxsize=MOST_LINES)
def _is_order(text: str) -> bool:
    words = text.lower().replace(",", " ").split()
    if not words or (len(words) == 1 and words[0] not in ORDER_WORDS):
        return False
    among = [word for word in ORDER_WORDS if word.startswith(words[0]) or words[0] == word.split()[0]]
    return any(_parses(text, word) for word in among)


def _parses(text: str, word: str) -> bool:
    try:
        parse_order(text, (word,))
    except NotUnderstood:
        return False
    return True


def _rejoined(lines: Sequence[str]) -> list[str]:
    """Return the lines, with a long order that the client has wrapped in one."""
    whole: list[str] = []
    for line in lines:
        if (
            whole
            and whole[-1]
            and line
            and not is_order(line)
            and is_order(whole[-1])
            and is_order(f"{whole[-1]} {line}")
        ):
            whole[-1] += f" {line}"
        else:
            whole.append(line)
    return whole


def _request(text: str) -> str:
    """Return the request that a cleaned line is, nothing if it is none."""
    if text.lower().startswith("join "):
        return text if _REQUEST.fullmatch(text) else ""
    bare = _POLITE.sub("", text.lower()).replace("unsubscribe", "stop")
    is_request = _REQUEST.fullmatch(bare) and not bare.startswith("join ")
    return bare.replace(" until ", " ") if is_request else ""


# What is refused


def _troubles(page: Written, lines: Sequence[str], orders: Sequence[int], others: Sequence[int]) -> Iterator[str]:
    """Yield what stands in the way of reading the mail, each line that does by itself."""
    beside = {at + step for at in orders for step in (-1, 1)}
    for i in others:
        if orders and orders[0] < i < orders[-1]:
            yield f"{_shown(lines[i])} stands between your orders and is none"
        elif _is_meant_as_order(lines[i]) or (i in beside and _is_order_in_words(lines[i])):
            yield f"{_shown(lines[i])} is no order that can be read"
    for line in filter(is_order, page.torn):
        yield f"{_shown(line)} may be a piece of the quoted line above it"
    for line in filter(is_order, page.notice):
        yield f"{_shown(line)} stands in the notice of confidence"
    if orders:
        return
    words = [lines[i] for i in others]
    for line in words[:-1] or words:
        if _is_nearly_an_order(line) and not _is_meant_as_order(line):
            yield f"{_shown(line)} is nearly an order"
    for line in filter(is_order, page.signature):
        yield f"{_shown(line)} stands beneath the line of your signature"
    for line in () if words else filter(is_order, page.beneath):
        yield f"{_shown(line)} stands beneath the beginning of the mail that you answer"


def _is_meant_as_order(line: str) -> bool:
    """Return whether the line begins as an order does and has a number, or is an order word and nothing else."""
    words = cleaned(line).lower().split()
    if len(words) == 1:
        return words[0] in _FIRST_WORDS
    return bool(words) and _is_like_an_order_word(words[0]) and any(c.isdigit() for word in words[1:] for c in word)


def _is_nearly_an_order(line: str) -> bool:
    """Return whether the line begins as an order does, or ends as one; ``Take care,`` ends a mail and is none."""
    words = cleaned(line).lower().split()
    begins = bool(words) and not line.rstrip().endswith(",") and _is_like_an_order_word(words[0])
    return begins or _ends_as_order(line)


def _ends_as_order(line: str) -> bool:
    """Return whether a short line ends as an order, like ``I'd like to buy`` or ``then offer 12``."""
    words = cleaned(line).lower().split()
    ends = (" ".join(words[at:]) for at in range(1, len(words)) if words[at] in _FIRST_WORDS)
    return len(words) <= _FEW_WORDS and any(map(is_order, ends))


def _is_order_in_words(line: str) -> bool:
    """Return whether a short line ends as an order, or begins with a word that needs more, like ``offer seven``."""
    words = cleaned(line).lower().split()
    needs_more = bool(words) and words[0] in _FIRST_WORDS and not is_order(words[0])
    return _ends_as_order(line) or (needs_more and len(words) <= _FEW_WORDS)


def _is_like_an_order_word(word: str) -> bool:
    """Return whether the word is a whole, a shortened or a mistyped word of an order."""
    from difflib import get_close_matches

    word = word.strip(":;?!.'")[:_LONGEST_WORD]
    shortened = len(word) >= 3 and any(whole.startswith(word) for whole in _FIRST_WORDS)
    return shortened or bool(get_close_matches(word, _FIRST_WORDS, 1, 0.8))


def _masked(text: str) -> str:
    """Return the text without any token; words that have as many letters together as a token have no digits."""
    return _TOKEN.sub(lambda found: "..." if _is_token(found[0]) else found[0], text)


def _is_token(text: str) -> bool:
    pieces = [any(c.isdigit() for c in piece) for piece in re.split(r"[^0-9a-z]+", text.lower())]
    return len(pieces) == 1 or all(pieces) or ("\n" in text and any(pieces))


def _shown(line: str) -> str:
    line = _masked(line)
    return f"'{line if len(line) <= 60 else line[:57] + '...'}'"
