"""The lines of a reply with what its writer decides ahead: plans, and answers before the turn comes.

A line that begins with "plan" is never talk: it is understood, or the whole message is refused. So is one that begins
with "always" or "if" and speaks of the game; "If you are in Berlin, let's meet" is talk, since nothing in it could be
meant to be secret. A sentence that says ahead what its writer will do is not a plan, but nor is it talk:
see ``is_said_ahead``.
"""

import re
from collections.abc import Container, Sequence
from typing import Final

from pbem.first_sparks.notation import spelled
from pbem.first_sparks.phases import Adding, Answering, Settling, Spreading
from pbem.first_sparks.plans.lines import FORMS, LONGEST_LINE, cleaned, head_of, is_unfinished
from pbem.first_sparks.plans.wishes import class_of
from pbem.first_sparks.state import GameState
from pbem.grammar import unaccented
from pbem.reading.recognisers.orders import is_slip
from pbem.reading.vocabulary import any_of, each_of

WAIT: Final = "wait"
_INTRODUCED: Final = rf"(?i)\s*(?:{any_of('plans.introductions')}[\s,:]+){{0,4}}(\w{{3,5}})(\s*:?\s*#?\d.*)"
_SECRET: Final = rf"(?i)\b{any_of('plans.secret')}\W*$"
_NO_SLIP: Final = any_of("plans.no_slips")
_FORGET: Final = any_of("plans.forget")
_WORDS: Final = frozenset((*FORMS, *each_of("plans.words")))
_TELLING: Final = frozenset((*FORMS, *each_of("plans.telling")))
_OF_THE_GAME: Final = each_of("plans.of_the_game")
_AHEAD: Final = rf"\b{any_of('plans.ahead')}"
_AHEAD_OF_CARDS: Final = rf"\b{any_of('plans.ahead_of_cards')}"
_NAMED: Final = rf"(?<!\w){any_of('doubts.named')}(?!\w)"
_GOES_ON: Final = any_of("plans.goes_on")
_SECRETLY: Final = rf"(?:{any_of('plans.secret_words')}|{any_of('plans.to_host')})"
_TO_HOST: Final = any_of("plans.to_host")
_PLACED: Final = r"#?\d{1,3}|<=?\d{1,2}|[a-z]\d[abc]?|[=>/+&-]+"
_CONDITION: Final = any_of("plans.condition")
_A_SPACE: Final = r"\b[a-z]\d[abc]\b"
_RANKING: Final = any_of("plans.ranking")
_WAITS: Final = any_of("plans.wait")
_WAITS_FOR: Final = any_of("plans.wait_for")


def plan_lines(lines: Sequence[str], others: Container[int]) -> tuple[int, ...]:
    """Return the numbers of the lines of a plan; *others* are orders and requests, which end it.

    Some mail programs put an empty line between all lines. So what is nothing but part of a plan belongs to one above.
    """
    found: list[int] = []
    goes_on = False  # the last line that is not empty is part of a plan
    for i, line in enumerate(lines):
        if not line:
            continue
        is_next = bool(found) and found[-1] == i - 1
        if goes_on and is_unfinished(lines[found[-1]]):
            found.append(i)
        elif i in others:
            goes_on = False
        elif begins_plan(line):
            found.append(i)
            goes_on = True
        elif goes_on and (_belongs(cleaned(line)) if is_next else _is_part(cleaned(line))):
            found.append(i)
        else:
            goes_on = False
    return tuple(found)


def from_plan_on(line: str) -> str:
    """Return a line from its plan on, if nothing else follows; the word may be mistyped: ``my new paln: 9 8``."""
    found = re.fullmatch(_INTRODUCED, line[:LONGEST_LINE])
    if found is None or begins_plan(line):
        return line
    word = found[1].lower()
    is_meant = word == "plan" or (is_slip(word, "plan") and re.fullmatch(_NO_SLIP, word) is None)
    is_secret = word == "plan" and re.search(_SECRET, line[: found.start(1)]) is not None
    return f"plan{found[2]}" if is_secret or (is_meant and _is_part(cleaned(found[2]))) else line


def is_plainly_plan(line: str) -> bool:
    """Return whether a line that stands where nothing is read begins like a plan, and speaks of the game."""
    return head_of(line) in ("plan", "always") and _is_about_the_game(cleaned(line).partition(" ")[2])


def is_said_ahead(line: str) -> bool:
    """Return whether a line of talk sounds like a plan or a note, so that the others should not read it."""
    text = cleaned(line)
    if re.search(_AHEAD, text) or is_secret(line):
        return True
    names = re.search(_NAMED, text) is not None
    return names and not text.endswith("?") and re.search(_AHEAD_OF_CARDS, text) is not None


def is_secret(line: str) -> bool:
    """Return whether a line is openly marked as not for all, or as words to the host alone."""
    return re.search(_SECRETLY, cleaned(line)) is not None


def is_to_host(line: str) -> bool:
    """Return whether a line is marked as words to the host."""
    return re.search(_TO_HOST, cleaned(line)) is not None


def begins_plan(line: str) -> bool:
    """Return whether a line must be understood as a plan; "forget" alone is one, "forget it" is talk."""
    head, text = head_of(line), cleaned(line)
    if head == "forget":
        return re.fullmatch(_FORGET, text) is not None
    return head == "plan" or (bool(head) and _is_about_the_game(text))


def _is_about_the_game(text: str) -> bool:
    """Return whether a line has a number, a class of cards, or a word that orders and plans have."""
    return any(c.isdigit() for c in text) or any(
        class_of(word) or word.startswith(_OF_THE_GAME) for word in re.findall(r"[a-z]+", text)
    )


def _belongs(text: str) -> bool:
    """Return whether a line goes on with the plan above it."""
    return re.match(_GOES_ON, text) is not None or all(map(_is_of_a_plan, _words_of(text)))


def _is_part(text: str) -> bool:
    """Return whether a line is nothing but part of a plan: each of its words, and one that talk does not have alone."""
    words = _words_of(text)
    says = any(any(c.isdigit() for c in word) or word in _TELLING or class_of(word) for word in words)
    return says and all(map(_is_of_a_plan, words))


def _words_of(text: str) -> list[str]:
    return list(filter(None, re.split(r"[\s,;:.()]+", text)))


def _is_of_a_plan(word: str) -> bool:
    return word in _WORDS or bool(class_of(word)) or re.fullmatch(_PLACED, word) is not None


def early_answer(line: str, state: GameState | None) -> str:
    """Return an answer that only counts when the others have answered, as a line of a plan; "" for any other line.

    ``buy if nobody wants it`` and ``wait`` answer an offer; several spaces to settle on, or to add on, are a ranking.
    """
    if state is None:
        return ""
    text, phase = cleaned(line).rstrip(".!"), state.phase
    if not isinstance(phase, Answering | Settling | Adding | Spreading):
        return ""
    if isinstance(phase, Answering) and (found := re.fullmatch(_CONDITION, text)):
        return f"plan buy {phase.card} {found['condition']}"
    if isinstance(phase, Settling | Adding) and re.fullmatch(_RANKING, text):
        word = "settle" if isinstance(phase, Settling) else "add"
        return f"plan {word} {' '.join(map(spelled, re.findall(_A_SPACE, text)))}"
    found = re.fullmatch(_WAITS_FOR, text)
    whom = unaccented(found["whom"]) if found else ""
    waits = is_wait(line) or any(whom in (clan.colour, unaccented(clan.player)) for clan in state.clans)
    return WAIT if waits else ""


def is_wait(line: str) -> bool:
    """Return whether a line says that its writer waits for the others; without others to wait for, it says nothing."""
    return re.fullmatch(_WAITS, cleaned(line).rstrip(".!")) is not None
