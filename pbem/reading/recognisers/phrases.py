"""What a player's line means as an answer to the current question: ``I offer 9, thanks`` -> ``offer 9``.

The order language of ``notation`` is strict, but people write to each other, and on phones. A phrase is an order only
if every word of it is accounted for: words before (``ok, I'll``), the word of an order, what it is about, words
after (``please``). If it is mistyped, negated, a question, or has words left over, it is a guess, which the player
must confirm. A condition, or a word about somebody else, makes it talk.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pbem.first_sparks.briefing.notes import note
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.notation import LONGEST_ORDER, MILD, expected, order_text
from pbem.first_sparks.phases import Answering, TakingOrDiscarding
from pbem.first_sparks.state import GameState
from pbem.page.glue import unglued
from pbem.reading.recognisers.orders import (
    AFTER,
    ALONE,
    LIKE,
    NOISE,
    SURE,
    Meaning,
    cards,
    choice,
    hidden_in,
    read,
    turned,
    with_word,
)
from pbem.reading.vocabulary import any_of

LONGEST: Final = LONGEST_ORDER + 60
_LONGEST_LINE: Final = 1_000  # of several sentences
_MOST_SENTENCES: Final = 12
_SENTENCE: Final = r"(?<=[.!?;])\s+"
_MOST_AROUND: Final = 12  # words around an answer, on each side
# How an answer is spelled.
_REMARK: Final = r"(?:^|\s)#(?!\s*\d).*"
_NUMBER: Final = rf"{any_of('orders.numbers')}\s*(?=\d)|{any_of('orders.number_of_a_kind')}"
_PUNCTUATION: Final = r"[^\w\s?#]+|_+"
_APART: Final = r"\b([a-z])[ -]?([12])[ -]?([abc])\b"
_GLUED: Final = r"\b([a-z]{3,})#?(\d{1,3})\b"
# Complete answers that name no order.
_POLITE: Final = rf"(?: {any_of('answers.polite')})*"
_NOTHING: Final = rf"(?:{any_of('answers.before_nothing')} )*{any_of('answers.nothing')}{_POLITE}"
_PERHAPS_NOTHING: Final = (
    rf"(?:{any_of('answers.before_perhaps_nothing')} )*{any_of('answers.perhaps_nothing')}{_POLITE}"
)
_MINE: Final = rf"(?:{any_of('answers.before_mine')} )*{any_of('answers.mine')}{_POLITE}"
_OK: Final = rf"{any_of('answers.ok')}{_POLITE}"
_DECLINED: Final = rf"(?:{any_of('answers.before_declined')} )*{any_of('answers.declined')}{_POLITE}"
_PERHAPS_DECLINED: Final = rf"(?:{any_of('answers.before_declined')} )*{any_of('answers.perhaps_declined')}{_POLITE}"
_GOES: Final = any_of("orders.goes")
_GONE: Final = rf"{any_of('orders.gone')}{_POLITE}"
_NO_REASON: Final = rf"(?i)\b{any_of('answers.no_reason')}\b"
# Words around an answer.
_YES: Final = rf"{any_of('answers.yes')}(?= |$)"
_NO: Final = rf"{any_of('answers.no')}(?= |$)"
_LAUGHS: Final = rf"{any_of('answers.laughs')}\b"
_OPENING: Final = rf"^(?:{any_of('answers.openings')}(?= |$) ?)*"
_BEFORE: Final = rf"{any_of('answers.before')}(?= |$)"
_PERHAPS: Final = rf"{any_of('answers.perhaps_before')}(?= |$)"
_PERHAPS_AFTER: Final = rf" ,?{any_of('answers.perhaps_after')}$"
_TALK: Final = rf"\b{any_of('answers.talk')}\b"
_NOT: Final = rf"\b{any_of('answers.not')}\b"
# The neutral clan goes to a space, which another question asks, or is in the news.
_NEUTRAL: Final = r"\bneutrals?\b(?: [a-z]+| \d){0,5} [a-z][12][abc]\b"
_ANYTHING: Final = rf"\b{any_of('answers.anything')}\b"


def meaning(line: str, state: GameState | None) -> Meaning | None:
    """Return what the line means if it is the writer's turn in *state*, None if it can only be talk.

    Without a state it is not the writer's turn: then nothing is guessed, and a bare word means nothing. In a line of
    several sentences, the only one that names an order is a guess: ``Good to play again! I offer 9. See you!``;
    if two name different orders, the line can mean both: ``Pass. Actually offer 9.``
    """
    found = _of_sentence(line, state)
    if state is None or (found and (found.sure or found.odd)) or len(line) > _LONGEST_LINE:
        return found
    sentences = re.split(_SENTENCE, line, maxsplit=_MOST_SENTENCES)
    each = [one for sentence in sentences if (one := _reasoned(sentence, state))] if len(sentences) > 1 else []
    orders = tuple(dict.fromkeys(one.orders for one in each if one.orders and not one.bare))
    if len(orders) > 1:
        return Meaning(tuple(dict.fromkeys(order for one in orders for order in one)))
    mild = all(order.split()[0] in MILD for one in orders for order in one)
    denied = not mild and any(one.said == "no" for one in each)
    if orders and not denied:
        return Meaning(orders[0])
    return found if found and found.orders else _beside_a_reason(line, state) or found


def _reasoned(sentence: str, state: GameState) -> Meaning | None:
    found = _of_sentence(sentence, state)
    return found if found and found.orders else _beside_a_reason(sentence.rstrip(".!"), state) or found


def _beside_a_reason(line: str, state: GameState) -> Meaning | None:
    """Return the guess for an order with a reason: ``little food left, I pass``, ``decline, I don't need it``."""
    if ", " not in line or "?" in line:
        return None
    reason, _, last = line.rpartition(", ")
    first, _, why = line.partition(", ")
    orders = [] if re.search(_NO_REASON, reason) else [last]
    orders += [first] if " " in why and not re.search(_TALK, _plain(why)) else []  # "take that, Bob"
    found = (_of_sentence(order, state) for order in orders)
    return next((Meaning(each.orders) for each in found if each and each.sure and not (each.bare or each.said)), None)


def _of_sentence(line: str, state: GameState | None) -> Meaning | None:
    if len(line) > LONGEST or "~" in line or line.startswith("+"):  # it may be struck out; +1 is no number
        return None
    text = _plain(line)
    asks, text = "?" in text, " ".join(text.replace("?", " , ").split())
    joking, text = bool(re.match(_LAUGHS, text)), re.sub(_OPENING, "", text)
    if state is not None and (found := _in_other_words(text.strip(" ,"), state)):
        return found._replace(sure=found.sure and not (asks or joking))
    if re.search(_NEUTRAL, text) and not (state and any("neutral" in word for word in expected(state.phase))):
        return None
    said, rest = _split_yes_or_no(text)
    core, perhaps, own = _inside(rest)
    if not core:
        polite = re.fullmatch(_POLITE, f" {rest}".rstrip())
        return _yes_or_no(said, state, more=asks or joking or not polite)
    if core.startswith(("resign ", "resign,")):
        found = Meaning(("resign",))
    elif several := choice(core, state):
        found = several
    elif (talk := re.search(_TALK, core)) or (asks and not text.endswith(",")):
        found = _and_more(core[: talk.start()], state) if talk else None
    elif re.search(_NOT, core) or (said == "no" and _is_negated(core, rest, state)):
        found = _negated(core, state)
    else:
        last = turned(core, state, own=own)
        found = last if last and last.sure else read(core, state, own=own) or last or hidden_in(core, state)
    if found is None:
        return _yes_or_no(said, state, more=True)
    sure = found.sure or (said == "yes" and found.bare and found.orders == ("buy",))
    mild = bool(found.orders) and found.orders[0].split()[0] in MILD
    sure = sure and not (asks or joking or perhaps or (said and (said == "no") != mild and not _is_free(found, said)))
    return found._replace(sure=sure, said=said) if sure or state or "resign" in found.orders else None


def _and_more(text: str, state: GameState | None) -> Meaning | None:
    """Return that a line cannot be read that gives an order "and" goes on with talk: ``spread B1a and next round``."""
    before, _, _ = text.rpartition(" and ")
    found = read(before, state) if before else None
    if state is None or found is None or not found.sure or found.bare:
        return None
    return Meaning() if found.orders[0].startswith(expected(state.phase)) else None


def rows(state: GameState) -> Iterator[tuple[str, str]]:
    """Yield every legal choice in the question, with its row there: order, cost, note."""
    for listed in main_choices(state):
        cost = "-" if listed.cost is None else str(listed.cost)
        yield listed.order, " ".join(f"{order_text(listed.order)} {cost} {unglued(note(state, listed))}".split())


def is_about_others(line: str) -> bool:
    """Return whether the line is a condition, a question to others, or about them."""
    return len(line) <= LONGEST and bool(re.search(_TALK, _plain(line)))


def _plain(line: str) -> str:
    """Return the line in lower case with its words apart: ``,`` for all punctuation, ``?`` for a question."""
    text = re.sub(r"(?<=\w)['\u2019`\u00b4](?=\w)", "", re.sub(_REMARK, "", line.lower()))
    text = re.sub(_APART, r"\1\2\3", re.sub(_NUMBER, "#", text)).replace("+", " ").replace("&", " ")
    return " ".join(re.sub(_GLUED, r"\1 \2", re.sub(_PUNCTUATION, " , ", text)).split())


def _split_yes_or_no(text: str) -> tuple[str, str]:
    """Return whether the text begins with a yes or a no, and the rest of it."""
    for said, words in (("yes", _YES), ("no", _NO)):
        if found := re.match(words, text):
            return said, text[found.end() :].strip()
    return "", text


def _inside(text: str) -> tuple[str, bool, bool]:
    """Return the text without the words around an answer, whether it is unsure, and whether it is about the writer."""
    perhaps = own = False
    for _ in range(_MOST_AROUND):
        maybe = re.match(_PERHAPS, text)
        found = maybe or re.match(_BEFORE, text)
        if not found or (len(found[0]) == len(text) and text in SURE):
            break
        perhaps, own = perhaps or bool(maybe), own or found[0].startswith("i")
        text = text[found.end() :].lstrip()
    if open_end := re.search(_PERHAPS_AFTER, text):
        text, perhaps = text[: open_end.start()], True
    return _without_end(text), perhaps, own


def _without_end(text: str) -> str:
    """Return the text without the words that people put after an answer."""
    for _ in range(_MOST_AROUND):
        if not (after := re.search(AFTER, text)):
            break
        text = text[: after.start()]
    return text.strip()


def _is_free(found: Meaning, said: str) -> bool:
    """Return whether a yes before it does not matter: ``yes, offer 9``; after a no only a mild order does."""
    return said == "yes" and not {"decline"} & {order.split()[0] for order in found.orders}


# Without the word of an order


def _in_other_words(text: str, state: GameState) -> Meaning | None:
    """Return the meaning of complete answers that name no order: ``nothing for me``, ``mine``, ``B2c can go``."""
    asked = expected(state.phase)
    mild, gets = _mild(asked), tuple(word for word in asked if word in ("buy", "take"))
    if "decline" in asked and re.fullmatch(_DECLINED, text):
        return Meaning(("decline",), sure=True)
    if mild and (sure := bool(re.fullmatch(_NOTHING, text))) | bool(re.fullmatch(_PERHAPS_NOTHING, text)):
        return Meaning(mild, sure and mild[0] in MILD, bare=True, said="no")
    if "buy" in asked and re.fullmatch(_OK, text):
        return Meaning(("buy",), bare=True)
    if "decline" in asked and re.fullmatch(_PERHAPS_DECLINED, text):
        return Meaning(("decline",))
    if "discard" in asked and re.fullmatch(_GONE, text):
        return Meaning(("discard",))
    if gets and re.fullmatch(_MINE, text):
        return Meaning(gets, sure=True, bare=True, said="yes")
    if (goes := re.fullmatch(_GOES, _without_end(text))) and asked and asked[0] in ("starve", "drop"):
        return with_word(asked[0], goes["what"].split(), state, strict=True)
    return None


def _mild(asked: Sequence[str]) -> tuple[str, ...]:
    """Return the order that a no to the question means, if there is one."""
    return tuple(word for word in asked if word in MILD) or tuple(word for word in asked if word == "discard")


def _yes_or_no(said: str, state: GameState | None, *, more: bool = False) -> Meaning | None:
    """Return what a yes or a no means; *more* is whether words follow that are not understood."""
    asked = () if state is None else expected(state.phase)
    sure = bool(said) and not more
    if "buy" in asked and said:
        return Meaning(("decline" if said == "no" else "buy",), sure, bare=True, said=said, alone=sure)
    if not said or more:
        return None
    mild = _mild(asked) if said == "no" else ()
    return Meaning(mild, sure=bool({*mild} & {*MILD}), bare=True, said=said, alone=True)


def _is_negated(core: str, rest: str, state: GameState | None) -> bool:
    """Return whether a no denies what follows, ``no offer``, ``no basket``; with a comma it may not: ``no, buy``."""
    denied, is_apart = SURE.get(core, ""), rest.startswith(",")
    if state is not None and not is_apart and "buy" in expected(state.phase) and _names_the_card(core.split(), state):
        return True
    return bool(denied) and denied not in MILD and (denied not in ALONE or not is_apart)


def _names_the_card(words: Sequence[str], state: GameState) -> bool:
    """Return whether the words name the card of the question and nothing else."""
    if not isinstance(state.phase, Answering | TakingOrDiscarding):
        return False
    card = state.components.cards[state.phase.card]
    numbers, kinds, left = cards(words, state)
    return not left and {*numbers} <= {card.number} and {*kinds} <= {card.kind}


def _negated(core: str, state: GameState | None) -> Meaning | None:
    """Return the guess that a player who does not want to buy, offer or spread declines, passes or stays."""
    if state is None:
        return None
    asked = expected(state.phase)
    mild = _mild(asked)
    words = [word for word in re.sub(_ANYTHING, " ", re.sub(_NOT, " ", core)).split() if not re.fullmatch(NOISE, word)]
    verbs = {SURE.get(word, "") for word in words[:1]} | set(LIKE.get(words[0], ()) if words else ())
    active = {word.split()[0] for word in asked if word not in mild}
    known = not words or (verbs & active and len(words) <= 2) or _names_the_card(words, state)
    return Meaning(mild) if mild and known else None
