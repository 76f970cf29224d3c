"""What a player says in a reply: orders, requests, and talk for the table. Here it is decided what a line counts as.

The rules, in terms that a player understands:

- Write every order on a line of its own. Case, spaces, bullets, numbers before it and a full stop after it do not
  matter. A one-word order such as ``buy`` must be written out: a ``B`` below a message is a name.
- Write the orders together: from the first to the last, every line that is not empty is an order.
- All other lines are talk. But some are taken for a failed order: anywhere, a line that begins like an order and has a
  number, or that is only the word of an order; next to an order, a line that ends like one (``then offer 12``) or
  begins with a word that needs more (``offer it``); without any order, every line that begins or ends like one.
- If one of these cannot be read, the whole message is refused, and every such line is named; see ``refusals.py``.
- On your turn you may also write as people do (``I offer 9, thanks``; see ``recognisers/phrases.py``). A line with
  exactly one meaning for the question is an order. If it almost has one, or is below something that looks like the head
  of an older message, it is only proposed: you are asked whether you meant it, and nothing is played.
- Lines that begin with ``plan``, ``always`` or ``if``, and those that go on with them, are a plan; see
  ``recognisers/plans.py``. No other line that sounds like one is talk: the message is refused.
- Regards, the writer's name and an address are nothing of all that at the end of a message; see ``closings.py``.
- Requests (``help``, ``show``, ...) are also lines of their own, and may be anywhere. A note goes on to an empty line
  or a plan.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import groupby, islice
from typing import Final, NamedTuple

from pbem.errors import NotUnderstood
from pbem.first_sparks.notation import ANY_TIME, expected, parse_order
from pbem.loading import MOST_ORDERS
from pbem.locale import LANGUAGES, phrase
from pbem.reading import candidates
from pbem.reading.apart import apart
from pbem.reading.candidates import Candidate, Sheet
from pbem.reading.closings import without_closing
from pbem.reading.context import NOBODY, Context
from pbem.reading.doubts import are_taken_back, is_open
from pbem.reading.languages import in_english
from pbem.reading.lines import MOST_LINES, cleaned, masked, rejoined, spoken
from pbem.reading.marks import is_dated_or_addressed, leads_in, names_a_day
from pbem.reading.quotes import LONGEST_TEXT, Written, markers_in, written
from pbem.reading.recognisers import phrases
from pbem.reading.recognisers.confirmations import in_place_of
from pbem.reading.recognisers.orders import Meaning, is_legal
from pbem.reading.recognisers.requests import asks_only
from pbem.reading.refusals import refused
from pbem.reading.vocabulary import any_of

LONGEST_TALK: Final = 4_000
_MOST_FOREIGN: Final = 40  # lines that are read in a language that is not the writer's
_MOST_BENEATH: Final = 20  # lines that may correct the order
_TOO_LONG: Final = "the message has more than {characters} characters or {lines} lines"
_TOO_MANY: Final = "the message has {n} orders, but at most {most} are accepted"
_GREETING: Final = rf"(?i){any_of('common.greetings')}\b.{{0,40}}"

# What a line can be, in the order in which it is asked: the first recogniser that knows it decides, but a plan also
# takes a line that looks like an order.
Recogniser = Callable[[list[str], Context, Mapping[int, Candidate]], dict[int, Candidate]]
RECOGNISERS: Final[tuple[Recogniser, ...]] = (
    candidates.orders,
    candidates.requests,
    candidates.plans,
    candidates.names,
    candidates.notes,
    candidates.early_answers,
    candidates.choices,
    candidates.answers,
)


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


def read_reply(text: str, context: Context = NOBODY) -> Reply:
    """Return what the player says in the text of a message with that *context*.

    Raises NotUnderstood, naming each line that is meant as an order but cannot be read; ``markers_in`` still tells
    which game it is.
    """
    if len(text) > LONGEST_TEXT or text.count("\n") > MOST_LINES:
        raise NotUnderstood(
            phrase(_TOO_LONG, characters=LONGEST_TEXT, lines=MOST_LINES),
            hint=phrase("reply without the older messages below your own"),
        )
    page = written(apart(text, context), context.letter, lambda line: in_english(line, context.language).text)
    own = without_closing(page.lines[: page.signed], context.name)
    page = page._replace(lines=(*own, *page.lines[page.signed :]))
    markers = markers_in(text)
    sheet = _in_any_language(page, context, whole=bool(markers))
    said = _said(sheet)
    if said:
        sheet = sheet._replace(orders={}, beside=sheet.beside | {*islice(sheet.phrases, 1)}, doubtful=False)
    if wrong := refused(sheet, confirms=bool(said)):
        raise wrong
    orders = context.proposed if said == "yes" else tuple(order for order, _ in groupby(sheet.orders.values()))
    if len(sheet.orders) > MOST_ORDERS:
        raise NotUnderstood(phrase(_TOO_MANY, n=len(sheet.orders), most=MOST_ORDERS))
    told = {*sheet.others}
    talk = "\n".join(line if i in told else "" for i, line in enumerate(sheet.own))
    return Reply(
        () if sheet.doubtful else orders,
        sheet.requests,
        masked(re.sub(r"\n{3,}", "\n\n", talk).strip())[:LONGEST_TALK].rstrip(),
        markers,
        tuple(_in_full(order, context) for order in orders) if sheet.doubtful else (),
        said,
        sheet.plan,
        "" if sheet.orders else sheet.early,
    )


def _in_full(order: str, context: Context) -> str:
    """Return an order as the player is asked about it: ``spread B1a`` is ``spread neutral B1a`` where that is asked."""
    if context.state is not None:
        with suppress(NotUnderstood):
            move = parse_order(order, expected(context.state.phase))
            return order if order.lower().startswith(move.word) else str(move)
    return order


def counts(line: str) -> bool:
    """Return whether a message of only this line, in English, would be more than talk: an order, a plan or a request.

    It is read as that of somebody of whom no more is known.
    """
    lines = tuple(apart(line, NOBODY).split("\n"))
    sheet = _read(Written(lines, (), (), (), (), (), len(lines), (), len(lines)), NOBODY, whole=False)
    return bool((sheet.orders and not sheet.doubtful) or sheet.plan or sheet.requests)


# What the lines are


def _in_any_language(page: Written, context: Context, *, whole: bool) -> Sheet:
    """Return what the lines are in the writer's language; if all is talk there, what they are in others.

    In another one a line counts only if every word of it is known, other than in the writer's; and no two may disagree.
    """
    read = [in_english(line, context.language) for line in page.lines]
    own = tuple(each.text for each in read)
    sheet = _sheet(page._replace(lines=own), context, whole=whole)
    if sheet.is_talk:
        found: list[Sheet] = []
        for language in LANGUAGES:
            tried = page.lines[:_MOST_FOREIGN] if language != context.language else ()
            said = [in_english(line, language) for line in tried]
            is_known = (each.whole and context.language != "en" for each in read)
            rows = zip(said, tried, is_known, strict=False)
            lines = tuple(each.text if each.whole and not known else line for each, line, known in rows)
            if lines == (own[: len(tried)] if language == "en" else tried):
                continue
            other = _sheet(page._replace(lines=(*lines, *page.lines[len(tried) :])), context, whole=whole)
            # What looks like an English order may be a word of the writer's language.
            if not other.is_talk and not (language == "en" and other.orders):
                found.append(other)
        if found and all(each.meant == found[0].meant for each in found):
            sheet = found[0]
    return sheet._replace(own=page.lines)


def _sheet(page: Written, context: Context, *, whole: bool) -> Sheet:
    """Return what the lines are, those below ``signed`` only if all above is talk.

    Only orders count there, and the player must confirm them. *whole* is whether the reply has our marker, and so the
    whole letter below it.
    """
    above = _read(page._replace(lines=page.lines[: page.signed]), context, whole=whole)
    if page.signed == len(page.lines) or not above.is_talk:
        return above
    beneath = _read(page, context, whole=whole)
    if not beneath.orders:
        return above
    beside = beneath.beside | {*range(page.signed, len(page.lines))}
    return above._replace(lines=beneath.lines, orders=beneath.orders, beside=beside, doubtful=True)


def _read(page: Written, context: Context, *, whole: bool) -> Sheet:
    lines = rejoined(page.lines)
    found: dict[int, Candidate] = {}
    for recogniser in RECOGNISERS:
        found |= recogniser(lines, context, found)
    sheet = _answering(Sheet(page, lines, page.lines, context, dict(sorted(found.items()))))
    at = next(iter(sheet.phrases), 0)
    # It may answer a quoted line above it rather than the whole letter.
    inline = bool(page.quoted) and page.quoted[0] < at and not (whole and page.quoted[-1] < at)
    sheet = _corrected(_with_orders(sheet._replace(inline=inline)))
    copied = candidates.copied_notes(lines, sheet.orders, context)
    doubtful = bool(sheet.orders) and any(_doubts(sheet))
    return sheet._replace(doubtful=doubtful, beside=sheet.beside | copied)


def _answering(sheet: Sheet) -> Sheet:
    """Return the sheet without a no that answers the proposal: an order follows in place of that."""
    if not sheet.context.proposed or not (sheet.of("order") or any(map(_is_order, sheet.phrases.values()))):
        return sheet
    noes = {i for i, meant in sheet.phrases.items() if meant.alone and meant.said == "no"}
    return sheet._replace(found={**sheet.found, **dict.fromkeys(noes, Candidate("answer"))})


def _is_order(meant: Meaning) -> bool:
    """Return whether a phrase is surely an order, and names it."""
    return meant.sure and not meant.bare


# What is played


def _with_orders(sheet: Sheet) -> Sheet:
    """Return the sheet with its orders: all that are sure, or else the only one that is guessed."""
    strict, meant = sheet.of("order"), sheet.phrases
    name = candidates.signature(sheet.lines, sheet.context, sheet.found)
    if name is not None and (len(strict) > 1 or any(each.sure for each in meant.values())):
        del strict[name]
    sure = {i: each.orders[0] for i, each in meant.items() if _is_order(each)}
    orders = strict | {i: order for i, order in sure.items() if order not in strict.values()}
    if len(orders) == 1 and (instead := _instead(next(iter(orders.values())), sheet.context)):
        orders = dict.fromkeys(orders, instead)
    guesses = {i: each.orders[0] for i, each in meant.items() if len(each.orders) == 1}
    if not orders and len(set(guesses.values())) == 1:
        orders = dict(islice(guesses.items(), 1))
    beside = frozenset(() if name is None or name in strict else (name,))
    return sheet._replace(orders=dict(sorted(orders.items())), beside=beside)


def _corrected(sheet: Sheet) -> Sheet:
    """Return the sheet with what lines beneath its only answer put in its place; they are not told to the table."""
    answers = {i: each.orders[0] for i, each in sheet.phrases.items() if len(each.orders) == 1} | {**sheet.orders}
    if sheet.context.state is None or not answers:
        return sheet
    at = min(answers)
    order, beside = answers[at], set[int]()
    others = {*sheet.of("request", "note", "plan", "early")}
    for i in islice((i for i, line in enumerate(sheet.lines) if line and i > at and i not in others), _MOST_BENEATH):
        if instead := in_place_of(order, spoken(sheet.lines[i]), sheet.context):
            order, beside = instead, beside | {i}
    if not beside or not sheet.orders.keys() <= {at, *beside}:
        return sheet
    return sheet._replace(orders={at: order}, beside=sheet.beside | beside)


def _instead(order: str, context: Context) -> str:
    """Return the order of the question that is meant by one of another question, or nothing."""
    if context.state is None:
        return ""
    words = expected(context.state.phase)
    with suppress(NotUnderstood):
        if parse_order(order, words).word in (*words, *ANY_TIME):
            return ""
    said = phrases.meaning(order, context.state)
    meant = said.orders[0] if said and len(said.orders) == 1 else order
    return meant if meant != order and is_legal(context.state, meant) else ""


def _said(sheet: Sheet) -> str:
    """Return ``yes`` or ``no`` if that is the writer's answer to the last proposal, and all that matters in the reply.

    If it could also answer the question of the game, it must be a reply to the letter with the proposal, or both
    must have the same result.
    """
    meant, context = sheet.phrases, sheet.context
    if not context.proposed or len(meant) != 1 or sheet.inline:
        return ""
    ((at, answer),) = meant.items()
    asked = sheet.of("request")
    others = [line for i, line in enumerate(sheet.lines) if line and i != at and not asks_only(asked.get(i, ""))]
    if not answer.said or any(map(is_open, others)) or any(i != at for i in sheet.orders):
        return ""
    if answer.said == "yes" and answer.sure and answer.orders == context.proposed:
        return "yes"
    return answer.said if answer.alone and (context.replies_to_it or not answer.orders) else ""


# Why orders are only proposed


def _doubts(sheet: Sheet) -> Iterator[object]:
    """Yield what may be a reason to ask before the orders are played: any one that is true is enough."""
    own, found = {sheet.lines[i] for i in sheet.orders}, sheet.phrases
    first = found.get(next(iter(sheet.orders)))
    guess = first if first and not _is_order(first) else None  # no line is surely an order
    # Plans and early answers are not a reason to ask, but "forget" alone may be about the order.
    ahead = sheet.of("plan", "early")
    rest = ["" if i in ahead and cleaned(line) != "forget" else line for i, line in enumerate(sheet.lines)]
    if guess is not None:
        yield not guess.sure  # mistyped, a question, or with words left over
        above = rest[: next(iter(sheet.orders))]
        yield not all(re.fullmatch(_GREETING, line) for line in above if line)  # below words that are no greeting
        yield sheet.inline  # it may answer a quoted line above it
        yield sheet.context.proposed and guess.said  # it begins with yes or no, while there are two questions
    else:
        # Another line may be an order too, or says yes or no to another one.
        given = {order.split()[0].lower() for order in sheet.orders.values()}
        yield not {each.orders[0] for each in found.values() if each.bare and each.sure} <= given
        others = (each for i, each in found.items() if i not in sheet.orders)
        yield any(each.orders and not each.said for each in others)
    if not found.keys().isdisjoint(sheet.orders):  # a condition, a doubt or a question is beside a phrase
        yield any(is_open(line) for line in rest if line and line not in own)
    # Lines around the orders say not to play them, or not yet; some only say the same again.
    again = {i for i, each in found.items() if each.sure and {*each.orders} <= {*sheet.orders.values()}}
    yield are_taken_back(rest, again | sheet.orders.keys(), are_free=sheet.are_free)
    # It is not the order that is written, but what this question has for it, or a line beneath it.
    yield any(order not in (sheet.found[i].text, *sheet.found[i].meaning.orders) for i, order in sheet.orders.items())
    # It is the last line, and the name of its writer.
    yield candidates.signature(sheet.lines, sheet.context, sheet.found) in sheet.orders
    yield sheet.of("early")  # the message answers for later as well
    # It is directly below "note", and so perhaps to be kept.
    yield not candidates.below_notes(sheet.lines, sheet.found).isdisjoint(sheet.orders)
    yield _may_be_old(sheet, rest)


def _may_be_old(sheet: Sheet, lines: list[str]) -> bool:
    """Return whether an order may come from an earlier message, judging by the lines above it."""
    last = max(sheet.orders)
    if last > sheet.page.doubtful:
        return True
    names = candidates.named(lines, sheet.context)
    heads = (is_dated_or_addressed, names_a_day, leads_in)  # in any language, so they are asked for the own words
    own = [line if lines[i] else "" for i, line in enumerate(sheet.own[:last])]
    above = (i for i, line in enumerate(own) if i in names or any(is_head(line) for is_head in heads))
    first = next(above, last)
    return any(i > first and _logged(order) in sheet.context.given for i, order in sheet.orders.items())


def _logged(order: str) -> str:
    """Return the order in the form of the log."""
    with suppress(NotUnderstood):
        return str(parse_order(order, ()))
    return order.lower()
