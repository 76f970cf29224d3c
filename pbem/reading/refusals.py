"""Why a reply is refused: the lines of it that are meant as orders, and cannot be read as one."""

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import islice
from typing import Final

from pbem.errors import NotUnderstood, Violation
from pbem.first_sparks.decisions import who_decides
from pbem.first_sparks.notation import order_phrase
from pbem.first_sparks.plans.words import plan_text
from pbem.first_sparks.state import GameState
from pbem.grammar import phrase_listed
from pbem.loading import MOST_ORDERS
from pbem.locale import Language, Phrase, phrase, phrase_by
from pbem.page.glue import glued
from pbem.reading.candidates import Sheet
from pbem.reading.languages import in_english
from pbem.reading.lines import FIRST_WORDS, cleaned, is_order, shown
from pbem.reading.recognisers import phrases
from pbem.reading.recognisers.motions import spoken_in, takes_answer_back, without_wishes
from pbem.reading.recognisers.plans import is_plainly_plan, is_said_ahead, is_to_host

_LONGEST_WORD: Final = 12
_FEW_WORDS: Final = 8
# In parentheses, so that no line of a letter begins as a plan does.
_ONLY_PLANNED: Final = "{line} can only be said as a plan: write ({plan}), without the parentheses"
_WHICH_LINES: Final = "nothing was played, because it is not clear which lines are orders"
_TOGETHER: Final = "write your orders together at the very top, each on a line of its own"
_NOT_CLEAR: Final = "nothing was played, because it is not clear what you mean"
_NOT_FOR_ALL: Final = "nothing was played or passed on, because some of it may not be for all players"
_HELP_WITH_PLANS: Final = 'write "help plan" to see how plans are written'
_NOT_TOLD: Final = (
    "{line} may be a plan or a note, which the others should not read: begin its line with that word, or say it in "
    "other words"
)
_NOT_TO_HOST: Final = (
    "{line} may be for the host alone, but all players read what you write here: write to the host directly, whom "
    "your first letter names"
)
_BELOW_ANOTHER: Final = "{line} is below something that looks like the beginning of an older message"
_SIGNED: Final = "{line} is below your signature line"
_UNREADABLE: Final = "{line} cannot be read as an order"
_NO_SPACE: Final = '{line} cannot be read as an order: "{word}" is not a space'


def refused(sheet: Sheet, *, confirms: bool) -> NotUnderstood | None:
    """Return the error that says why the message cannot be read, with a reason for each line; None if it can be.

    Beside a yes or no that *confirms* something, or does not, anything is talk but a secret.
    """
    planned = {} if confirms else sheet.only_planned()
    others = (i for i in sheet.others if i not in planned)
    secret = [i for i in others if _may_be_secret(sheet.own[i], sheet.context.language)]
    troubles = () if confirms else _troubles(sheet, planned, secret)
    wrong = tuple(Violation("", trouble) for trouble in islice(troubles, MOST_ORDERS))
    secrets = tuple(Violation("", _why_secret(sheet, i)) for i in secret[:MOST_ORDERS])
    if not wrong and not secrets:
        return None
    reasons = (*wrong, *secrets)
    if not wrong:
        return NotUnderstood(phrase(_NOT_FOR_ALL), reasons=reasons, hint=phrase(_HELP_WITH_PLANS))
    if sum(map(bool, sheet.lines)) == 1:
        return NotUnderstood(phrase(_NOT_CLEAR), reasons=reasons)
    return NotUnderstood(phrase(_WHICH_LINES), reasons=reasons, hint=phrase(_TOGETHER))


def _may_be_secret(line: str, language: Language) -> bool:
    return is_said_ahead(in_english(line, language).text)


def _why_secret(sheet: Sheet, i: int) -> Phrase:
    """Return why a line is not told to the others."""
    english = in_english(sheet.own[i], sheet.context.language).text
    return phrase(_NOT_TO_HOST if is_to_host(english) else _NOT_TOLD, line=shown(sheet.own[i]))


def _troubles(sheet: Sheet, only_planned: Mapping[int, str], secret: Sequence[int]) -> Iterator[Phrase]:
    """Yield what cannot be read as what it is meant for, or *only_planned*, for each line that is not *secret*."""
    page, lines, own, orders, plan = sheet.page, sheet.lines, sheet.own, list(sheet.orders), sheet.of("plan")

    def is_plan(line: str) -> bool:
        return is_plainly_plan(in_english(line, sheet.context.language).text)

    def is_meant(line: str) -> bool:
        return is_order(in_english(line, sheet.context.language).text) or is_plan(line)

    for i, planned in only_planned.items():
        can_be = _can_be_planned(planned, sheet.context.state)
        plan_of_it = phrase_by(glued(planned), partial(_as_written, planned))
        yield phrase(_ONLY_PLANNED if can_be else _UNREADABLE, line=shown(own[i]), plan=plan_of_it)
    others = [i for i in sheet.others if i not in only_planned and i not in secret]
    if orders and orders[0] < page.doubtful < orders[-1]:
        yield phrase(_BELOW_ANOTHER, line=shown(own[orders[-1]]))
    beside = {at + step for at in orders for step in (-1, 1)}
    unclear = () if orders or plan else tuple(_unclear(sheet, others, {*only_planned, *secret}))
    named = {i for i in others if any(reason.startswith(shown(own[i])) for reason in unclear)}
    for i in others:
        if orders and orders[0] < i < orders[-1]:
            yield phrase("{line} is between your orders, but is not an order", line=shown(own[i]))
        elif i not in named and (_is_meant_as_order(lines[i]) or (i in beside and _is_order_in_words(lines[i]))):
            yield _unreadable(sheet, i)
    for i in plan:
        if i > page.doubtful:
            yield phrase(_BELOW_ANOTHER, line=shown(own[i]))
    for line in filter(is_meant, page.torn):
        yield phrase("{line} may be part of the quoted line above it", line=shown(line))
    for line in filter(is_meant, page.notice):
        yield phrase("{line} is in the confidentiality notice", line=shown(line))
    for line in filter(is_plan, (*page.beneath_phone, *page.signature)):
        yield phrase(_SIGNED, line=shown(line))
    if orders or plan:
        return
    yield from unclear
    for i in others[:-1] or others:
        if _is_nearly_an_order(lines[i]) and not _is_meant_as_order(lines[i]) and i not in named:
            yield phrase("{line} looks like an order, but cannot be read as one", line=shown(own[i]))
    for line in (line for line in page.signature if not is_plan(line) and is_meant(line)):
        yield phrase(_SIGNED, line=shown(line))
    for line in () if others else filter(is_meant, page.beneath):
        yield phrase("{line} is below the beginning of the letter that you answer", line=shown(line))


def _as_written(planned: str) -> str:
    """Return the line of a plan as its writer's letters would have it."""
    return glued(plan_text(planned))


def _can_be_planned(line: str, state: GameState | None) -> bool:
    """Return whether a line that was made of an answer can be read as a plan; ``plan buy 8 if sleep`` cannot."""
    from pbem.first_sparks.plans.read import read

    decides = None if state is None else who_decides(state)
    with suppress(NotUnderstood):
        return state is not None and decides is not None and bool(read((line,), state, decides))
    return False


def _unclear(sheet: Sheet, others: Sequence[int], told: Container[int]) -> Iterator[Phrase]:
    """Yield a reason for each phrase that can mean several orders, or none; another one is *told* of some lines."""
    guesses = {said.orders for said in sheet.phrases.values() if said.orders}
    alone = sheet.context.state is not None and len(others) == 1
    for i, said in sheet.phrases.items():
        if i in told:
            continue
        line = sheet.own[i]
        if len(said.orders) > 1 or (said.orders and len(guesses) > 1):
            yield phrase(
                "{line} can mean {orders}", line=shown(line), orders=phrase_listed(map(order_phrase, said.orders), "or")
            )
        elif said.bare and not said.orders and alone:
            yield phrase("{line} does not answer the question", line=shown(line))
        elif not said.orders and not said.bare and not _is_meant_as_order(sheet.lines[i]):
            yield _unreadable(sheet, i)


def _unreadable(sheet: Sheet, i: int) -> Phrase:
    """Return why a line is not an order."""
    line, said = shown(sheet.own[i]), sheet.phrases.get(i)
    return phrase(_NO_SPACE, line=line, word=said.odd) if said and said.odd else phrase(_UNREADABLE, line=line)


def _is_meant_as_order(line: str) -> bool:
    """Return whether the line begins like an order and has a number, or is only an order word."""
    words = cleaned(line).lower().split()
    if len(words) == 1:
        return words[0] in FIRST_WORDS
    return bool(words) and _is_like_an_order_word(words[0]) and any(c.isdigit() for word in words[1:] for c in word)


def _is_nearly_an_order(line: str) -> bool:
    """Return whether the line begins or ends like an order.

    Not so ``Take care,``, which ends a message, ``agree, have a nice holiday``, which answers a motion, or
    ``take that back``.
    """
    if (without_wishes(line) != line and spoken_in(cleaned(line))) or takes_answer_back(cleaned(line)):
        return False
    words = cleaned(line).lower().split()
    begins = bool(words) and not line.rstrip().endswith(",") and _is_like_an_order_word(words[0])
    return begins or _ends_as_order(line)


def _ends_as_order(line: str) -> bool:
    """Return whether a short line ends like an order: ``I'd like to buy``, ``then offer 12``."""
    words = cleaned(line).lower().split()
    ends = (" ".join(words[at:]) for at in range(1, len(words)) if words[at] in FIRST_WORDS)
    return len(words) <= _FEW_WORDS and any(map(is_order, ends)) and not phrases.is_about_others(line)


def _is_order_in_words(line: str) -> bool:
    """Return whether a short line ends like an order, or begins with a word that needs more: ``offer something``."""
    words = cleaned(line).lower().split()
    needs_more = bool(words) and words[0] in FIRST_WORDS and not is_order(words[0])
    return _ends_as_order(line) or (needs_more and len(words) <= _FEW_WORDS)


@lru_cache(maxsize=1024)
def _is_like_an_order_word(word: str) -> bool:
    """Return whether the word is a complete, shortened or mistyped word of an order."""
    from difflib import get_close_matches

    word = word.strip(":;?!.'")[:_LONGEST_WORD]
    shortened = len(word) >= 3 and any(whole.startswith(word) for whole in FIRST_WORDS)
    return shortened or bool(get_close_matches(word, FIRST_WORDS, 1, 0.8))
