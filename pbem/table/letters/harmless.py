"""What keeps our letters harmless, and what makes them easy to answer.

A reply repeats our own words. So no line of a letter is an order, however a mail
program quotes it, and nothing that players say to each other is taken for an
order or a marker.
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
from pbem.reading.languages import in_english
from pbem.table.letters.letter import Button
from pbem.table.talk import Saying

MOST_BUTTONS: Final = 40  # the spaces of the largest board, and then some
_BEGINNINGS: Final = frozenset(word[:end] for word in lines.FIRST_WORDS for end in range(1, len(word) + 1)) | {"order"}
# What may surround an order: bullets, quote marks, the number of a list item, a full stop.
_AROUND: Final = r"^[\W_]*(?:\d+[.)]\s+)?[\W_]*|[\W_]+$"


def harmless(text: str) -> str:
    """Return the text with every line that is an order, or part of a plan, made harmless, however a reply quotes it."""
    found: list[str] = [""]
    for line in text.split("\n"):
        if is_order(line):
            above, fuller = _rewrapped(found[-1], line)
            found[-1:] = (above, fuller) if fuller else (found[-1], tr("e.g. {order}").format(order=line.strip()))
        else:
            found.append(line)
    return "\n".join(found[1:])


def _rewrapped(above: str, line: str) -> tuple[str, str]:
    """Return a line that is the rest of a paragraph with one word more of that *above* it, if that is harmless."""
    first, *_ = line.split()
    shorter, _, word = above.rpartition(" ")
    fuller = line.replace(first, f"{word} {first}", 1)
    is_wrapped = bool(shorter.strip()) and columns(f"{above} {first}") > WIDTH >= columns(fuller)
    return (shorter, fuller) if is_wrapped and not is_order(shorter) and not is_order(fuller) else ("", "")


def is_order(line: str) -> bool:
    """Return whether a reply of only this line, apart from bullets and quote marks, would be an order or a plan.

    It may be one in English, or in the language that is spoken.
    """
    language = spoken()
    return _is_order(line) or (language != "en" and _is_order_in(line, language))


@lru_cache(maxsize=4096)
def _is_order_in(line: str, language: Language) -> bool:
    return _is_order(in_english(line, language).text)


@lru_cache(maxsize=4096)  # most lines of a letter were in the previous one too
def _is_order(line: str) -> bool:
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
