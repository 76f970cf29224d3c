"""What each line of a reply can be: every recogniser takes the lines that are left, and says what it takes them for.

``decide.py`` has the order in which they are asked, and what follows.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count, islice, takewhile
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from pbem.first_sparks.notation import MILD, expected
from pbem.first_sparks.state import GameState
from pbem.locale import phrase_written, speaking, tr
from pbem.reading.context import Context
from pbem.reading.languages import in_english
from pbem.reading.lines import cleaned, is_order, spoken
from pbem.reading.quotes import Written
from pbem.reading.recognisers import phrases
from pbem.reading.recognisers.confirmations import corrected, to_proposal
from pbem.reading.recognisers.orders import AFTER, Meaning
from pbem.reading.recognisers.plans import WAIT, early_answer, from_plan_on, is_plainly_plan, is_secret, plan_lines
from pbem.reading.recognisers.requests import is_note, leads_to_note, request_of

# What a line is taken for; the last three are talk, unless they become an order.
LineKind = Literal["order", "request", "note", "plan", "early", "answer", "choice", "phrase", "name"]
_TALK: Final = ("choice", "phrase", "name")
_MOST_PHRASES: Final = 40  # lines that are read as phrases, at most


class Candidate(NamedTuple):
    """What a line is taken for, as an order, a request, or a plan in its *text*; and what it means as an answer."""

    kind: LineKind
    text: str = ""
    meaning: Meaning = Meaning()


class Sheet(NamedTuple):
    """The lines of a reply, and what they are taken for, by the number of the line.

    *orders* are those that are chosen, to be confirmed if they are *doubtful*. The lines *beside* belong to them: they
    were copied with an order, or answer the same question. With *inline* a phrase may answer a quoted line above it.
    The lines are in English, and *own* has them in the words of the writer.
    """

    page: Written
    lines: list[str]
    own: Sequence[str]
    context: Context
    found: dict[int, Candidate]
    orders: Mapping[int, str] = MappingProxyType({})
    doubtful: bool = False
    beside: frozenset[int] = frozenset()
    inline: bool = False

    def of(self, *kinds: LineKind) -> dict[int, str]:
        """Return the text of all lines of these kinds."""
        return {i: each.text for i, each in self.found.items() if each.kind in kinds}

    @property
    def phrases(self) -> dict[int, Meaning]:
        """What each line means that may answer the question."""
        return {i: each.meaning for i, each in self.found.items() if each.kind in ("choice", "phrase")}

    @property
    def is_talk(self) -> bool:
        """Whether there is nothing but talk."""
        return not self.orders and all(each.kind == "name" for each in self.found.values())

    @property
    def are_free(self) -> bool:
        """Whether none of the orders costs anything."""
        return all(order.split()[0].lower() in (*MILD, "discard") for order in self.orders.values())

    @property
    def requests(self) -> tuple[str, ...]:
        """The requests, notes in the writer's own words."""
        return tuple(
            self._as_written(i, " ".join((text, *self._rest_of_note(i)))) for i, text in self.of("request").items()
        )

    @property
    def plan(self) -> tuple[str, ...]:
        """The lines of a plan."""
        return tuple(self._as_written(i, text) for i, text in self.of("plan").items())

    @property
    def early(self) -> str:
        """The answer for when the others have answered, as the line of a plan."""
        return next((self._as_written(i, text) for i, text in self.of("early").items()), "")

    def _as_written(self, i: int, text: str) -> str:
        own = cleaned(self.own[i]).rstrip(" .")
        return text if own == text else phrase_written(text, own)

    def _rest_of_note(self, i: int) -> Iterator[str]:
        if _may_go_on(self.found[i], self.lines[i]):
            below = takewhile(partial(self._is_in_note, self.lines[i]), count(_beneath(self.lines, i)))
            yield from (self.own[at] for at in below)

    def _is_in_note(self, head: str, at: int) -> bool:
        each = self.found.get(at)
        return each is not None and (each.kind == "note" or _may_be_noted(each, self.lines[at], head))

    @property
    def meant(self) -> tuple[tuple[str, ...], ...]:
        """The orders and all else that is asked for or answered, whatever the lines are."""
        return tuple(self.orders.values()), *(
            (each.kind, each.text, *each.meaning.orders) for each in self.found.values()
        )

    @property
    def others(self) -> list[int]:
        """The lines that are told to the table."""
        return [i for i, line in enumerate(self.lines) if line and not self._counts(i)]

    def _counts(self, i: int) -> bool:
        return i in self.orders or i in self.beside or (i in self.found and self.found[i].kind not in _TALK)

    def only_planned(self) -> dict[int, str]:
        """Return the lines that would answer a question that was put to several, each as the line of a plan."""
        if self.context.waves or self.of("order"):
            return {}
        plan, lines = self.of("plan"), enumerate(self.lines)
        early = {i: early_answer(line, self.context.state) for i, line in lines if line and i not in plan}
        return {i: meant for i, meant in early.items() if meant not in ("", WAIT)}


# The recognisers: each returns what it takes the lines for, given what others have *found*


def orders(lines: list[str], _context: Context, _found: Mapping[int, Candidate]) -> dict[int, Candidate]:
    """Return the lines that are nothing but an order."""
    return {i: Candidate("order", cleaned(line)) for i, line in enumerate(lines) if line and is_order(line)}


def requests(lines: list[str], _context: Context, found: Mapping[int, Candidate]) -> dict[int, Candidate]:
    """Return the lines that ask for something."""
    requests = ((i, request_of(cleaned(lines[i]))) for i in _left(lines, found))
    return {i: Candidate("request", request) for i, request in requests if request}


def plans(lines: list[str], _context: Context, found: Mapping[int, Candidate]) -> dict[int, Candidate]:
    """Return the lines of a plan, even if one looks like an order: "else", and in the next line "pass"."""
    told = [line if i in found else from_plan_on(line) for i, line in enumerate(lines)]
    return {i: Candidate("plan", told[i]) for i in plan_lines(told, found)}


def names(lines: list[str], context: Context, found: Mapping[int, Candidate]) -> dict[int, Candidate]:
    """Return the lines that are the writer's name, and the last line if it is two capitalised words, like a name."""
    return {i: Candidate("name") for i in sorted(named(lines, context)) if i not in found}


def notes(lines: list[str], context: Context, found: Mapping[int, Candidate]) -> dict[int, Candidate]:
    """Return the lines below each note that belong to it, up to an empty one: a mail program may have wrapped it.

    All of it may be below its head, ``note:``, with a line between. A sure order, a request, a name or a plan does not
    belong to it; a line that only looks like a plan does, and is read as one nevertheless.
    """
    joined: dict[int, Candidate] = {}
    for i, each in found.items():
        more: list[int] = []
        for at in range(_beneath(lines, i), len(lines)) if _may_go_on(each, lines[i]) else ():
            if not lines[at] or (at in found and not _may_be_noted(found[at], lines[at], lines[i])):
                break
            meant = phrases.meaning(spoken(lines[at]), context.state) if len(more) < _MOST_PHRASES else None
            if meant is not None and meant.sure and not meant.bare:
                break
            more.append(at)
        joined |= {at: Candidate("note") for at in more if at not in found}
    return joined


def below_notes(lines: list[str], found: Mapping[int, Candidate]) -> frozenset[int]:
    """Return the lines directly below ``note`` alone: they can be meant to be kept, even if they are orders."""
    heads = (i for i, each in found.items() if each.kind == "request" and leads_to_note(cleaned(lines[i])))
    return frozenset(_beneath(lines, i) for i in heads)


def _may_be_noted(each: Candidate, line: str, head: str) -> bool:
    """Return whether a line of a plan may be part of a note above it: it only looks like one, or nothing else is."""
    return each.kind == "plan" and (not is_plainly_plan(line) or leads_to_note(cleaned(head)))


def _may_go_on(each: Candidate, line: str) -> bool:
    return each.kind == "request" and (is_note(each.text) or leads_to_note(cleaned(line)))


def _beneath(lines: list[str], i: int) -> int:
    """Return the line below one, or the next but one if it is empty and a colon leads to it."""
    is_apart = lines[i].rstrip().endswith(":") and not any(lines[i + 1 : i + 2])
    return i + 2 if is_apart else i + 1


def early_answers(lines: list[str], context: Context, found: Mapping[int, Candidate]) -> dict[int, Candidate]:
    """Return the first line that answers a question that is put to several, if no line is an order."""
    if not context.waves or _has_order(found):
        return {}
    early = ((i, early_answer(lines[i], context.state)) for i in _left(lines, found))
    return dict(islice(((i, Candidate("early", meant)) for i, meant in early if meant), 1))


def choices(lines: list[str], context: Context, found: Mapping[int, Candidate]) -> dict[int, Candidate]:
    """Return the lines that were copied from the choices in our letter, if no line is an order; one alone is sure."""
    if context.state is None or _has_order(found):
        return {}
    words = expected(context.state.phase)
    likely = [i for i in _left(lines, found) if len(lines[i].split()) > 2 and cleaned(lines[i]).startswith(words)]
    rows = tuple(_rows(context.state, context)) if likely else ()
    copied = {i: order for i in likely for order, row in rows if _is_row(cleaned(lines[i]), order, row)}
    with speaking(context.language):
        head = in_english(f"{tr('order', 'column')} {tr('cost', 'column')}", context.language).text
    alone = len(copied) == 1 and not any(" ".join(line.split()) == head for line in lines)
    return {i: Candidate("choice", meaning=Meaning((order,), sure=alone)) for i, order in copied.items()}


def answers(lines: list[str], context: Context, found: Mapping[int, Candidate]) -> dict[int, Candidate]:
    """Return the lines that answer the question in people's words: that of the game, or ours; none is a secret."""
    read: dict[int, Candidate] = {}
    for i in islice((i for i in _left(lines, found) if not is_secret(lines[i])), _MOST_PHRASES):
        line = _without_name(spoken(lines[i]), context)
        meant = to_proposal(line, context) or phrases.meaning(line, context.state)
        if (meant := corrected(line, meant, context)) is not None:
            read[i] = Candidate("phrase", meaning=_with_proposed(meant, context))
    return read


def _with_proposed(meant: Meaning, context: Context) -> Meaning:
    """Return what a line means; a mere yes to the question that may confirm another order means both."""
    is_open = meant.bare and meant.said == "yes" and bool(meant.orders) and context.proposed not in ((), meant.orders)
    return Meaning((*context.proposed, *meant.orders)) if is_open else meant


def copied_notes(lines: list[str], orders: Mapping[int, str], context: Context) -> frozenset[int]:
    """Return the lines that were copied together with a choice: the note beside it in our letter."""
    if context.state is None or len(orders) != 1:
        return frozenset()
    ((at, order),) = orders.items()
    beneath = [i for i in range(at + 1, min(at + 6, len(lines))) if len(lines[i].split()) > 3]
    if not beneath:
        return frozenset()
    words = order.lower().split()
    noted = " ".join(row for name, row in _rows(context.state, context) if name.split()[: len(words)] == words)
    return frozenset(i for i in beneath if cleaned(lines[i]) in noted)


def _rows(state: GameState, context: Context) -> Iterator[tuple[str, str]]:
    """Yield every legal choice with its row in the writer's letter, translated as lines are."""
    with speaking(context.language):
        rows = tuple(phrases.rows(state))
    return ((order, cleaned(in_english(row, context.language).text)) for order, row in rows)


def named(lines: list[str], context: Context) -> frozenset[int]:
    """Return the lines that are or may be a name, whatever else they can be."""
    own, last = context.name.casefold(), _last(lines)
    found = {i for i, line in enumerate(lines) if own and cleaned(line).casefold() == own}
    return frozenset(found if last is None or not _is_like_a_name(lines[last].strip()) else {*found, last})


def signature(lines: list[str], context: Context, found: Mapping[int, Candidate]) -> int | None:
    """Return the last of several lines if it is an order but also the name of the writer: ``Pass``."""
    last = _last(lines)
    is_order_too = last is not None and last in found and found[last].kind == "order"
    return last if last is not None and is_order_too and cleaned(lines[last]) == context.name else None


def _left(lines: list[str], found: Mapping[int, Candidate]) -> Iterable[int]:
    return (i for i, line in enumerate(lines) if line and i not in found)


def _has_order(found: Mapping[int, Candidate]) -> bool:
    return any(each.kind == "order" for each in found.values())


def _without_name(line: str, context: Context) -> str:
    """Return a line without the writer's name behind a number, a mark or a farewell: "offer 9 regards Ann"."""
    words, name = line.split(), context.name.split()
    signed = bool(name) and [word.casefold() for word in words[-len(name) :]] == [word.casefold() for word in name]
    if not signed or any(map(is_order, name)):
        return line
    rest = " ".join(words[: -len(name)])
    is_end = re.search(r"[a-z]?\d[abc]?$|[,.!)]$", rest) or re.search(AFTER, f" {rest.lower()}")
    return rest if is_end and not re.search(r"\d", context.name) else line


def _last(lines: list[str]) -> int | None:
    """Return the last of several lines."""
    written = [i for i, line in enumerate(lines) if line]
    return written[-1] if len(written) > 1 else None


def _is_like_a_name(line: str) -> bool:
    first, _, second = line.partition(" ")
    return line.istitle() and all(part.isascii() and part.isalpha() for part in (first, second))


def _is_row(line: str, order: str, row: str) -> bool:
    return row.startswith(line) and len(line) > len(order) + 1
