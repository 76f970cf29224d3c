"""What keeps our letters harmless, and what makes them easy to answer.

A reply repeats our own words. So no line of a letter is an order, a plan or a request,
however a mail program quotes it, and nothing that players say to each other is taken for
one or for a marker.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from pbem.first_sparks.briefing.words import seat_text
from pbem.first_sparks.choice import Choice, main_choices
from pbem.first_sparks.components import COLOURS
from pbem.first_sparks.moves import Decline, Pass, Stay
from pbem.first_sparks.notation import order_text
from pbem.first_sparks.phases import Laying
from pbem.first_sparks.plans import lines as lines_of_plans
from pbem.first_sparks.secrecy import may_read
from pbem.first_sparks.state import GameState
from pbem.grammar import one_line
from pbem.locale import Language, spoken, tr
from pbem.page.page import Page, Prose, Section, Sections
from pbem.page.text import WIDTH, columns, text_of, wrapped
from pbem.reading import lines
from pbem.reading.decide import counts
from pbem.reading.languages import in_english
from pbem.reading.recognisers.requests import NOTE
from pbem.table.letters.letter import Button
from pbem.table.talk import Saying

MOST_BUTTONS: Final = 40  # the spaces of the largest board, and then some
_MOST_WORDS: Final = 8  # of an order or a request in a line of its own
_MOST_MOVED: Final = 3  # words from the line above
_A_WORD: Final = r"[^\W\d_]{3}"
_BEGINNINGS: Final = frozenset(word[:end] for word in lines.FIRST_WORDS for end in range(1, len(word) + 1)) | {"order"}
# What may surround an order: bullets, quote marks, the number of a list item, a full stop.
_AROUND: Final = r"^[\W_]*(?:\d+[.)]\s+)?[\W_]*|[\W_]+$"


def harmless(text: str) -> str:
    """Return the text with every line made harmless that is an order, a plan or a request, however it is quoted."""
    found = ["", *text.split("\n"), ""]
    for at in range(1, len(found) - 1):
        above, line, below = found[at - 1 : at + 2]
        if is_order(line):
            marked = tr("e.g. {order}").format(order=line.strip())
            found[at - 1 : at + 2] = _rewrapped(above, line, below) or (above, "\n".join(wrapped(marked)), below)
    return "\n".join(found[1:-1])


def _rewrapped(above: str, line: str, below: str) -> tuple[str, ...]:
    """Return a line that goes on with a paragraph, made harmless, between the two around it; nothing if it cannot be.

    It begins with the last words of the one above. Its own last words are below if it has too little room for all.
    """
    was = line
    for _ in range(_MOST_MOVED if _is_wrapped(above, line) else 0):
        above, _, word = above.rpartition(" ")
        line = _with_word(word, line)
        if columns(line) > WIDTH and _is_wrapped(was, below):
            line, _, word = line.rpartition(" ")
            below = _with_word(word, below)
        fits = above.strip() and max(map(columns, (line, below))) <= WIDTH
        if fits and not is_order(above) and not is_order(line):
            return above, line, below
    return ()


def _is_wrapped(line: str, below: str) -> bool:
    """Return whether the line *below* may go on with a paragraph: its first word has no room in this one."""
    return bool(below.strip()) and columns(f"{line} {below.split(maxsplit=1)[0]}") > WIDTH


def _with_word(word: str, line: str) -> str:
    return line.replace(line.lstrip(), f"{word} {line.lstrip()}")


def is_order(line: str) -> bool:
    """Return whether a reply of only this line, apart from bullets and quote marks, would be an order, plan or request.

    It may be one in English, or in the language that is spoken.
    """
    return _is_order(line, spoken())


@lru_cache(maxsize=4096)  # most lines of a letter were in the previous one too
def _is_order(line: str, language: Language) -> bool:
    english = in_english(line, language).text
    return (
        _is_strict(line)
        or (language != "en" and _is_strict(english))
        or (_is_like_an_answer(english) and counts(english))
    )


def _is_like_an_answer(line: str) -> bool:
    """Return whether a line may be read as more than talk: in few words, or as a plan or a note."""
    is_short = len(line.split()) <= _MOST_WORDS and re.search(_A_WORD, line) is not None
    return is_short or line[:4].lower() == NOTE or bool(lines_of_plans.head_of(line))


def _is_strict(line: str) -> bool:
    """Return whether a line begins a plan, or is an order as the game writes it."""
    start = line[:40].lower()
    if ("plan" in start or "always" in start) and lines_of_plans.head_of(line) in ("plan", "always"):
        return True
    bare = re.sub(_AROUND, "", line)
    begins = re.match("[a-z]*", bare.lower())
    likely = not bare.isascii() or (begins is not None and begins[0] in _BEGINNINGS)
    return likely and lines.is_order(bare)


def written(page: Page) -> str:
    """Return the page as the text of a letter."""
    return harmless(text_of(page))


def talk_sections(sayings: Sequence[Saying]) -> Sections:
    """Return what players have said, so that no reply can turn it into an order or a marker."""
    blocks = tuple(block for saying in sayings for block in _paragraphs_of(_speaks(saying.name), saying.text))
    return (Section("talk", blocks, tr("TABLE TALK")),) if blocks else ()


def note_sections(text: str) -> Sections:
    """Return a note that its reader has written, as harmless as talk, or nothing for an empty note."""
    blocks = tuple(_paragraphs_of(tr("Your note says:"), text))
    return (Section("note", blocks),) if blocks else ()


def _speaks(name: str) -> str:
    """Return what stands before the words of somebody who is kept as ``Ann (red)``."""
    speaker, _, colour = name.removesuffix(")").rpartition(" (")
    return tr("{speaker} says:").format(speaker=seat_text(speaker, colour) if colour in COLOURS else name)


def _paragraphs_of(says: str, words: str) -> Iterator[Prose]:
    label = begins = f"{says} "
    for line in words.translate(str.maketrans("[]", "()")).splitlines():
        text = re.sub("={2,}", "-", one_line(line))
        if not text:
            continue
        lines = wrapped(text, label, "| ")
        if any(map(is_order, lines)):
            for part in lines:
                yield Prose(
                    part.removeprefix(label).lstrip("| "), begins if label == begins or is_order(part) else "| "
                )
                label = "| "
        else:
            yield Prose(text, label, "| ")
        label = "| "


def _free(choice: Choice) -> str:
    """Return the label of an answer that costs no food."""
    message = tr("{order} (no cost)") if isinstance(choice.move, Decline | Pass | Stay) else tr("{order} now")
    return message.format(order=order_text(choice.order))


def _priced(choice: Choice) -> str:
    """Return the label of an answer with its cost."""
    return tr("{order} for {cost} food").format(order=order_text(choice.order), cost=choice.cost)


def buttons(state: GameState, colour: str) -> tuple[Button, ...]:
    """Return the answers to tap: every legal choice of the player.

    The result is empty if there are too many to choose from, as when laying a tile.
    """
    if not may_read(state, colour) or isinstance(state.phase, Laying):
        return ()
    # The label is never the bare order, since a reply could repeat it on a line of its own.
    return tuple(
        Button(order_text(choice.order), _priced(choice) if choice.cost else _free(choice))
        for choice in islice(main_choices(state), MOST_BUTTONS)
    )
