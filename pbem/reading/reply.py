"""What a player says in a reply: orders, requests, and talk for the table.

The rules, in terms that a player understands:

- Write every order on a line of its own. Case, spaces, bullets, numbers before it and a full stop after it do not
  matter. A one-word order such as ``buy`` must be written out: a ``B`` below a message is a name.
- Write the orders together: from the first to the last, every line that is not empty is an order.
- All other lines are talk. But some are taken for a failed order: anywhere, a line that begins like an order and has a
  number, or that is only the word of an order; next to an order, a line that ends like one (``then offer 12``) or
  begins with a word that needs more (``offer it``); without any order, every line that begins or ends like one.
- If one of these cannot be read, the whole message is refused, and every such line is named.
- On your turn you may also write as people do (``I offer 9, thanks``; see ``phrases``). A line with exactly one meaning
  for the question is an order. If it almost has one, or is below something that looks like the head of an older
  message, it is only proposed: you are asked whether you meant it, and nothing is played.
- Lines that begin with ``plan``, ``always`` or ``if``, and those that go on with them, are a plan; see ``plan_lines``.
- Requests (``help``, ``show``, ...) are also lines of their own, and may be anywhere. A note goes on to an empty line.
"""

import re
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Final, NamedTuple

from pbem.errors import NotUnderstood, Violation
from pbem.first_sparks.notation import ANY_TIME, expected, parse_order
from pbem.loading import MOST_ORDERS
from pbem.reading import phrases
from pbem.reading.asked import NOBODY, Asked
from pbem.reading.doubts import are_taken_back, is_open
from pbem.reading.lines import MOST_LINES, cleaned, is_order, masked, rejoined, spoken
from pbem.reading.marks import is_dated_or_addressed, leads_in, names_a_day
from pbem.reading.orders import Meaning, is_legal
from pbem.reading.plan_lines import WAIT, early_answer, plan_lines
from pbem.reading.proposals import to_proposal
from pbem.reading.quoting import LONGEST_TEXT, Written, markers_in, written
from pbem.reading.refusals import Found, troubles
from pbem.reading.wishes import is_note, request_of

LONGEST_TALK: Final = 4_000
_MOST_PHRASES: Final = 40  # lines that are read as phrases, at most
_GREETING: Final = r"(?i)(?:hi|hello|hey|dear|good (?:morning|evening|day)|thanks|thank you)\b.{0,40}"
_TABLE_HEAD: Final = "order cost"


class Reply(NamedTuple):
    """What a player says.

    ``orders`` are ready for ``notation.parse_order``, ``requests`` are as ``request_of`` returns them; ``talk`` is the
    rest, without the signature and any tokens. ``markers`` are those that ``markers_in`` finds. ``proposed`` are orders
    that the player may have meant; ``orders`` is empty then.
    ``said`` is ``yes`` or ``no`` if that is the player's answer to an earlier proposal. ``plan`` has the lines of a
    plan as they stand there, and ``early`` an answer for when the others have answered; see ``early_answer``.
    """

    orders: tuple[str, ...]
    requests: tuple[str, ...]
    talk: str
    markers: tuple[str, ...]
    proposed: tuple[str, ...] = ()
    said: str = ""
    plan: tuple[str, ...] = ()
    early: str = ""


def read_reply(text: str, asked: Asked = NOBODY) -> Reply:
    """Return what the player says in the text of a message that answers *asked*.

    Raises NotUnderstood, naming each line that is meant as an order but cannot be read; ``markers_in`` still tells
    which game it is.
    """
    if len(text) > LONGEST_TEXT or text.count("\n") > MOST_LINES:
        raise NotUnderstood(
            f"the message has more than {LONGEST_TEXT} characters or {MOST_LINES} lines",
            hint="reply without the older messages below your own",
        )
    page = written(text, asked.letter)
    markers = markers_in(text)
    found = _found(page, asked, whole=bool(markers))
    said = _confirmed(found, asked)
    if said:
        at = next(iter(found.phrases))
        found = found._replace(orders={}, said=found.said | {at}, doubtful=False)
    wrong = () if said else tuple(islice(troubles(page, found), MOST_ORDERS))
    if wrong:
        raise NotUnderstood(
            "nothing was played, because it is not clear which lines are orders",
            reasons=tuple(Violation("", trouble) for trouble in wrong),
            hint="write your orders together at the very top, each on a line of its own",
        )
    orders = asked.proposed if said == "yes" else tuple(found.orders.values())
    if len(orders) > MOST_ORDERS:
        raise NotUnderstood(f"the message has {len(orders)} orders, but at most {MOST_ORDERS} are accepted")
    talk = "\n".join("" if i in found.said else line for i, line in enumerate(found.lines))
    return Reply(
        () if found.doubtful else orders,
        tuple(found.requests.values()),
        masked(re.sub(r"\n{3,}", "\n\n", talk).strip())[:LONGEST_TALK].rstrip(),
        markers,
        orders if found.doubtful else (),
        said,
        tuple(found.lines[i] for i in found.plan),
        found.early,
    )


# What is an order


def _found(page: Written, asked: Asked, *, whole: bool) -> Found:
    """Return what the lines are, those below ``signed`` only if all above is talk.

    Only orders count there, and the player must confirm them.
    """
    above = _search(page._replace(lines=page.lines[: page.signed]), asked, whole=whole)
    if page.signed == len(page.lines) or above.orders or above.requests or above.phrases or above.plan or above.early:
        return above
    beneath = _search(page, asked, whole=whole)
    if not beneath.orders:
        return above
    said = beneath.said | set(range(page.signed, len(page.lines)))
    return above._replace(lines=beneath.lines, orders=beneath.orders, said=said, doubtful=True)


def _search(page: Written, asked: Asked, *, whole: bool) -> Found:
    """Return what the lines are; *whole* is whether the reply has our marker, and so the whole letter below it."""
    lines = rejoined(page.lines)
    strict = {i: cleaned(line) for i, line in enumerate(lines) if line and is_order(line)}
    requests = {i: wish for i, line in enumerate(lines) if line and (wish := request_of(cleaned(line)))}
    ahead = plan_lines(lines, {*strict, *requests})
    strict = {i: order for i, order in strict.items() if i not in ahead}  # "else", and in the next line "pass"
    names = _names(lines, asked)
    going_on = dict(_notes_going_on(lines, strict, requests, names, asked))
    requests |= {i: " ".join((requests[i], *(lines[at] for at in more))) for i, more in going_on.items()}
    noted = [at for more in going_on.values() for at in more]
    early = {
        i: meant
        for i, line in enumerate(lines)
        if line and i not in ahead and (meant := early_answer(line, asked.state))
    }
    only_planned = {} if strict or asked.waves else {i: meant for i, meant in early.items() if meant != WAIT}
    early = {} if strict or not asked.waves else dict(islice(early.items(), 1))
    known = {*strict, *requests, *noted, *ahead, *early}
    rest = [i for i, line in enumerate(lines) if line and i not in known]
    found = {} if strict else dict(_rows(lines, rest, asked))
    for i in [i for i in rest if i not in found][:_MOST_PHRASES]:
        if i in names:
            continue
        line = spoken(lines[i])
        if (meaning := to_proposal(line, asked) or phrases.meaning(line, asked.state)) is not None:
            found[i] = meaning
    said = frozenset(known)
    if asked.proposed and (strict or any(meant.sure and not meant.bare for meant in found.values())):
        said |= {i for i, meant in found.items() if meant.alone and meant.said == "no"}  # it answers the proposal
    found = {i: meant for i, meant in sorted(found.items()) if i not in said}
    signed = _signed(lines, strict, asked)
    if signed is not None and (len(strict) > 1 or any(meant.sure for meant in found.values())):
        del strict[signed]
    inline = _is_inline(page, next(iter(found), 0), whole=whole)
    plain = ["" if i in ahead or i in early else line for i, line in enumerate(lines)]
    orders, doubtful = _chosen(page, plain, strict, found, asked, inline=inline)
    doubtful = doubtful or signed in orders or bool(orders and early)
    said |= orders.keys() | _notes(lines, orders, asked)
    answer = "" if orders else next(iter(early.values()), "")
    is_asked = asked.state is not None
    return Found(lines, orders, requests, found, said, doubtful, is_asked, inline, ahead, answer, only_planned)


def _notes_going_on(
    lines: list[str], strict: Container[int], requests: dict[int, str], names: Container[int], asked: Asked
) -> Iterator[tuple[int, list[int]]]:
    """Yield each note with the lines below it, up to an empty line, since a mail program may have wrapped it.

    A sure order, a request or a name does not belong to it.
    """
    for i, wish in requests.items():
        more: list[int] = []
        for at in range(i + 1, len(lines)) if is_note(wish) else ():
            if not lines[at] or at in strict or at in requests or at in names:
                break
            meant = phrases.meaning(spoken(lines[at]), asked.state) if len(more) < _MOST_PHRASES else None
            if meant is not None and meant.sure and not meant.bare:
                break
            more.append(at)
        if more:
            yield i, more


def _signed(lines: list[str], strict: dict[int, str], asked: Asked) -> int | None:
    """Return the last of several lines if it is an order but also the name of the writer: ``Pass``."""
    written_in = [i for i, line in enumerate(lines) if line]
    last = written_in[-1] if len(written_in) > 1 else None
    return last if last in strict and cleaned(lines[last]) == asked.name else None


def _is_inline(page: Written, at: int, *, whole: bool) -> bool:
    """Return whether the line may answer a quoted line above it rather than the whole letter."""
    return bool(page.quoted) and page.quoted[0] < at and not (whole and page.quoted[-1] < at)


def _chosen(
    page: Written, lines: list[str], strict: dict[int, str], found: dict[int, Meaning], asked: Asked, *, inline: bool
) -> tuple[dict[int, str], bool]:
    """Return the orders, and whether the player must confirm them first."""
    sure = {i: said.orders[0] for i, said in found.items() if said.sure and not said.bare}
    sure = {i: order for i, order in sure.items() if order not in strict.values()}
    orders = dict(sorted({**strict, **sure}.items()))
    others = [line for i, line in enumerate(lines) if line and i not in orders]
    if orders:
        words = {order.split()[0].lower() for order in orders.values()}
        bare = {said.orders[0] for said in found.values() if said.bare and said.sure}
        doubtful = (
            not bare <= words
            or (bool(sure) and any(map(is_open, others)))
            or are_taken_back(lines, orders)
            or any(said.orders and not said.said and i not in orders for i, said in found.items())
        )
        if len(orders) == 1 and (meant := _instead(next(iter(orders.values())), asked)):
            return dict.fromkeys(orders, meant), True
    else:
        guesses = {i: said.orders[0] for i, said in found.items() if len(said.orders) == 1}
        if len(set(guesses.values())) != 1:
            return {}, False
        at, order = next(iter(guesses.items()))
        before = [line for line in lines[:at] if line and not re.fullmatch(_GREETING, line)]
        doubtful = (
            bool(asked.proposed and found[at].said)  # which of two questions does it answer?
            or not found[at].sure
            or bool(before)
            or inline
            or any(is_open(line) for line in others if line != lines[at])
            or are_taken_back(lines, {at})
        )
        orders = {at: order}
    return orders, doubtful or _is_old(page, lines, orders, asked)


def _is_old(page: Written, lines: list[str], orders: dict[int, str], asked: Asked) -> bool:
    """Return whether an order may come from an earlier message, judging by the lines above it."""
    last = max(orders)
    if last > page.doubtful:
        return True
    names = _names(lines, asked)
    heads = (is_dated_or_addressed, names_a_day, leads_in)
    above = (i for i, line in enumerate(lines[:last]) if i in names or any(is_head(line) for is_head in heads))
    first = next(above, last)
    return any(i > first and _logged(order) in asked.given for i, order in orders.items())


def _logged(order: str) -> str:
    """Return the order in the form of the log."""
    with suppress(NotUnderstood):
        return str(parse_order(order, ()))
    return order.lower()


def _instead(order: str, asked: Asked) -> str:
    """Return the order of the question that is meant by one of another question, or nothing."""
    if asked.state is None:
        return ""
    words = expected(asked.state.phase)
    with suppress(NotUnderstood):
        if parse_order(order, words).word in (*words, *ANY_TIME):
            return ""
    said = phrases.meaning(order, asked.state)
    meant = said.orders[0] if said and len(said.orders) == 1 else order
    return meant if meant != order and is_legal(asked.state, meant) else ""


def _names(lines: list[str], asked: Asked) -> frozenset[int]:
    """Return the lines that are the writer's name, and the last line if it is two capitalised words, like a name."""
    own = asked.name.casefold()
    found = {i for i, line in enumerate(lines) if own and cleaned(line).casefold() == own}
    written_in = [i for i, line in enumerate(lines) if line]
    last = lines[written_in[-1]].strip() if len(written_in) > 1 else ""
    if last.istitle() and re.fullmatch(r"[A-Za-z]+ [A-Za-z]+", last):
        found.add(written_in[-1])
    return frozenset(found)


def _rows(lines: list[str], rest: Iterable[int], asked: Asked) -> Iterator[tuple[int, Meaning]]:
    """Yield the lines that were copied from the choices in our letter; a single one is sure."""
    words = expected(asked.state.phase) if asked.state else ()
    likely = [i for i in rest if len(lines[i].split()) > 2 and cleaned(lines[i]).startswith(words)] if words else []
    if not likely or asked.state is None:
        return
    rows = tuple(phrases.rows(asked.state))
    found = {i: order for i in likely for order, row in rows if _is_row(cleaned(lines[i]), order, row)}
    alone = len(found) == 1 and not any(" ".join(line.split()) == _TABLE_HEAD for line in lines)
    yield from ((i, Meaning((order,), sure=alone)) for i, order in found.items())


def _is_row(line: str, order: str, row: str) -> bool:
    return row.startswith(line) and len(line) > len(order) + 1


def _notes(lines: list[str], orders: dict[int, str], asked: Asked) -> frozenset[int]:
    """Return the lines that were copied together with a choice: the note beside it in our letter."""
    if asked.state is None or len(orders) != 1:
        return frozenset()
    ((at, order),) = orders.items()
    beneath = [i for i in range(at + 1, min(at + 6, len(lines))) if len(lines[i].split()) > 3]
    if not beneath:
        return frozenset()
    words = order.lower().split()
    notes = " ".join(row for name, row in phrases.rows(asked.state) if name.split()[: len(words)] == words)
    return frozenset(i for i in beneath if " ".join(lines[i].split()) in notes)


def _confirmed(found: Found, asked: Asked) -> str:
    """Return ``yes`` or ``no`` if that is the writer's answer to the last proposal, and all that matters in the reply.

    If it could also answer the question of the game, it must be a reply to the letter with the proposal, or both
    must have the same result.
    """
    at, meant = next(iter(found.phrases.items()), (0, None))
    if not asked.proposed or meant is None or not meant.said or found.inline or len(found.phrases) > 1:
        return ""
    others = [line for i, line in enumerate(found.lines) if line and i != at]
    if any(map(is_open, others)) or any(i != at for i in found.orders):
        return ""
    if meant.said == "yes" and meant.sure and meant.orders == asked.proposed:
        return "yes"
    return meant.said if meant.alone and (asked.replies_to_it or not meant.orders) else ""
