"""From the lines of a mail to thoughts: each is one thing that a plan says, apart from bullets, quotes and commas.

The lines are those of the writer; quotations were removed before.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, cast

from pbem.locale import Phrase, phrase_written

LONGEST_LINE: Final = 400  # characters
MOST_LINES: Final = 60
MOST_SHOWN: Final = 60  # characters of the writer's own words in a message

Head = Literal["plan", "always", "if", "forget"]

# What every form begins with, after the word "plan".
FORMS: Final = ("buy", "decline", "pass", "offer", "new", "drop", "take", "discard", "spread", "stay", "settle", "add")
_QUOTES: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032`\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u2039\u203a", '"'),
        "\u2116": "#",
        "\u00ad": "",
        "\u200b": "",
    }
)
_BULLET: Final = re.compile(
    r"(?:[\s>*\u2022\xb7\u2023\u2043\u25e6\u25aa\u25cf\u25cb\u25a0\u25a1\-\u2013\u2014\u2212+~_\"'|]+"
    r"|\(?[1-6][.)](?=\s)|\(?[a-h]\)(?=\s)|\[[ x]?\])+"
)
_MARKS: Final = " \"'*_~|"
# A few words may lead to it that say nothing of their own: "and for the market: plan 14 19".
_FORM: Final = rf"(?:{'|'.join(FORMS)})\b"
_LEADING: Final = (
    "and|then|also|please|for|in|on|the|my|our|this|next|later|ahead|now|future|market|rounds?|turns?|phases?|game|"
    "technology|spreading|cards?|tools?"
)
_LEAD: Final = rf"(?:(?:(?:{_LEADING})\b[ ,]*){{1,8}}:|(?:and|then)\b) ?"
# Our own letters write (plan) and (help plan) with a comma behind, which nobody else does.
_HEAD: Final = re.compile(
    rf"(?:my (?=plan\s*(?:[:=\d#]|is\b))|{_LEAD}(?=(?:plan|always)\b[\s:=]*(?:#?\d|{_FORM})))?"
    r"(plan|always|if|forget)s?(?![^\W\d_]|'[a-z]|\),)"
    r"[\s:=.,;*_\"'\-\u2013\u2014\u2212]*"
)
_ENCLOSED: Final = re.compile(r"\((plan\b.*)\)[.!]?")
# Or the next one in parentheses, as our letters list several: "(plan 14 else pass), (plan new ask) and (plan drop 9)".
_NEXT: Final = re.compile(
    r"\s*[;.,!]+\s+(?:and |then |but )*(?=(?:(?:plan|always|forget)\b"
    r"|(?:buy|decline|offer|new|drop|take|discard|spread|settle|add|stay)\b))"
    r"|\)?[\s;.,]+(?:and )?\((?=(?:plan|always)\b)"
)
_WRAPPED: Final = re.compile(r"(?:else|otherwise|at most|up to|or less|unless|wants?|most|to|less|it)\b")

_UNFINISHED: Final = re.compile(r"(?:\b(?:else|otherwise|or|then|any|if|unless|new|always)[,:]?|:)$")
# The condition of a purchase, wrapped onto a line of its own.
_THE_REST: Final = re.compile(
    r"(?:only )?if .{1,60}? (?:wants?|buys?|takes?|says? yes(?: to)?)(?: (?:it|that|this|one))?[.!]?"
)


class Thought(NamedTuple):
    """One thing that a plan says: how it began, and the rest in lower case, without bullets and quotes.

    *line* is the one with which it began.
    """

    head: Head
    body: str
    line: str = ""

    @property
    def own(self) -> str:
        """The line in the words of its writer, if they were translated."""
        return self.line.again() if isinstance(self.line, Phrase) else ""

    @property
    def shown(self) -> str:
        """The writer's words, for a message: printable, cut if they are long."""
        short = _shown(self.body or self.head)
        return phrase_written(short, _shown(self.own)) if self.own else short


def _shown(words: str) -> str:
    clean = "".join(c if c.isprintable() else "?" for c in words)
    return clean if len(clean) <= MOST_SHOWN else f"{clean[: MOST_SHOWN - 3]}..."


def begins(line: str) -> bool:
    """Return whether a line begins with plan, always, if or forget, and so must be understood or refused."""
    return bool(head_of(line))


def head_of(line: str) -> Head | Literal[""]:
    """Return the word with which a line begins like a plan, or "" if it does not."""
    found = _HEAD.match(cleaned(line[:LONGEST_LINE]))
    return cast("Head", found[1]) if found else ""


def is_unfinished(line: str) -> bool:
    """Return whether a line of a plan must go on with the next one, which a mail program has wrapped."""
    return _UNFINISHED.search(cleaned(line)) is not None


def cleaned(line: str) -> str:
    """Return a line in lower case, without the bullet, quote or mark before it and after it, or parentheses around."""
    text = unicodedata.normalize("NFKC", line.translate(_QUOTES)).casefold().translate(_QUOTES)
    text = " ".join(text.split())
    bullet = _BULLET.match(text)
    text = text[bullet.end() if bullet else 0 :].rstrip(_MARKS)
    enclosed = _ENCLOSED.fullmatch(text)
    return enclosed[1].rstrip(_MARKS) if enclosed else text


def thoughts(lines: Sequence[str]) -> Iterator[Thought]:
    """Yield the thoughts of the lines of a plan, of which there are at most ``MOST_LINES`` of ``LONGEST_LINE`` each.

    A line that begins with nothing of that kind goes on with the thought before: a wrapped line, or an item of a list.
    Before any such thought it is a thought of its own, which begins with "plan".
    """
    open_head: Head | None = None
    begun = ""
    pending: list[str] = []
    for line in lines:
        text = cleaned(line)
        if not text:
            continue
        found = _HEAD.match(text)
        if open_head is not None and (found is None or (pending[-1].startswith("buy ") and _THE_REST.fullmatch(text))):
            pending = _continued(pending, text, is_item=_BULLET.match(" ".join(line.split())) is not None)
            continue
        if open_head is not None:
            yield from _split(open_head, pending, begun)
        open_head, pending = cast("Head", found[1] if found else "plan"), [text[found.end() if found else 0 :]]
        begun = line
    if open_head is not None:
        yield from _split(open_head, pending, begun)


def _continued(pending: list[str], text: str, *, is_item: bool) -> list[str]:
    """Return the bodies of a thought with one more line: a body of its own, or more of the last one."""
    *rest, last = pending
    if not last:
        return [*rest, text]
    first, before = text.split(" ", 1)[0].rstrip(":,.;"), last.split(" ", 1)[0].rstrip(":,.;")
    if first in FORMS and not _UNFINISHED.search(last):
        return [*pending, text]
    if _WRAPPED.match(text) and not (is_item and before in FORMS[:8]):
        return [*rest, f"{last} {text}"]
    if is_item and before in FORMS:
        return [*pending, text]
    return [*rest, f"{last}, {text}" if is_item else f"{last} {text}"]


def _split(head: Head, bodies: list[str], line: str) -> Iterator[Thought]:
    """Yield the thoughts of one line, in which several may stand: ``plan 14 19; drop least``."""
    if head in ("if", "forget"):
        yield Thought(head, " ".join(bodies), line)
        return
    for body in bodies:
        now = head
        for piece in _NEXT.split(body):
            found = _HEAD.match(piece)
            if found and found[1] in ("plan", "always", "forget"):
                now, piece = cast("Head", found[1]), piece[found.end() :]  # noqa: PLW2901 -- without its head
            said = piece.strip(" ,;:.")
            yield Thought(now, said if "(" in said else said.rstrip(")"), line)
