"""Finding rules: by id, by number, or by the words that players use."""

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import formats
from pbem.errors import NotUnderstood
from pbem.grammar import phrase_listed, unaccented
from pbem.locale import Language, Phrase, phrase, phrase_written, speaking, tr
from pbem.page.page import Items, Prose, Section, Sections

RULEBOOK: Final = Path(__file__).parent / "first_sparks" / "rulebook.toml"
_INDENT: Final = "    "
_MOST_NEAR: Final = 5
_BEGINNING: Final = 5  # letters that forms of a word have in common
_NUMBER: Final = r"(?i)r?\d[\d.]*"
_ENDINGS: Final = ("ing", "ers", "er", "en", "ed", "es", "s")
# They say nothing about what somebody looks for.
_EMPTY: Final = frozenset(
    re.findall(
        r"\w+",
        "a about an and any are at be but by can could did do does for from has have how i if in is it its may me must "
        "my not of on one or our please rule rules should so that the their them then there they this to us was we "
        "what when where which who why will with work works would you your player players clan clans game "
        "phase somebody anybody",
    )
)


_HOW_TO_LOOK: Final = (
    '"rules" lists all rules, "rules {id}" or "rules {number}" shows one, and "rules {first}" to "rules {last}" show a '
    "chapter each"
)
_OVERVIEW: Final = (
    'These are the chapters of the rules. Write "rules R4" for a chapter, "rules R4.5" for a rule, or "rules" and '
    'a word, for example "rules rot".'
)


class Index(NamedTuple):
    """The index of the rules: its entries, the titles of the chapters, and ids by words and by how often asked."""

    rules: list[dict[str, Any]]
    chapters: dict[str, str]
    words: dict[str, list[str]]
    most_asked: list[str]


@cache
def index() -> Index:
    """Return the index of the rules, which nobody may change."""
    return Index(**formats.parse(RULEBOOK.read_text(encoding="utf-8"), "toml", name=RULEBOOK.name))


def rules_named(
    which: tuple[str, ...], own: str = "", language: Language = "en", *, only_rulings: bool = False
) -> list[dict[str, Any]]:
    """Return the rules with these ids or numbers, and those that all other words lead to; without any, all rules.

    If English words lead to none, the *own* words of somebody who reads that *language* are looked up in it. Raises
    NotUnderstood if nothing is found, with words of the index that are nearly the same.
    """
    book = index()
    names = [said for said in which if any(_is(rule, said) for rule in book.rules)]
    words = [word for said in which if said not in names for word in _words(said) if word not in _EMPTY]
    wanted: frozenset[str] = _by_words(book, tuple(map(_stem, words))) if words else frozenset()
    if own and language != "en" and not names and not wanted:
        with speaking(language):
            wanted = _by_own_words(book, own)
    found = [rule for rule in book.rules if not which or any(_is(rule, said) for said in names) or rule["id"] in wanted]
    if only_rulings:
        found = [rule for rule in found if "ruling" in rule]
    if not found:
        near = _near(words, _vocabulary(book))
        if own and language != "en":
            with speaking(language):
                near = _near(re.findall(r"\w+", own), _own_vocabulary(book))
        raise _nothing(book, phrase_written(" ".join(which), own or " ".join(which)), near)
    return found


def _is(rule: dict[str, Any], said: str) -> bool:
    number = said.upper()
    return bool(said.lower() == rule["id"] or rule["number"] == number or rule["number"].startswith(number + "."))


def _nothing(book: Index, said: Phrase, near: Iterable[str]) -> NotUnderstood:
    """Return the error that no rule was found for what somebody has *said*, with words *near* it to look for."""
    last, chapters = book.rules[-1], list(book.chapters)
    quoted = phrase_written(ascii(said), f"'{said.again()}'")
    how = phrase(_HOW_TO_LOOK, id=last["id"], number=last["number"], first=chapters[0], last=chapters[-1])
    if re.fullmatch(_NUMBER, said):
        why = phrase("no rule has the id or number {said}", said=quoted)
        return NotUnderstood(why, path=RULEBOOK.name, hint=how)
    hint = phrase("similar words that rules have: {words}", words=phrase_listed(near)) if near else how
    return NotUnderstood(phrase("no rule has the word {said}", said=quoted), path=RULEBOOK.name, hint=hint)


# Words


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower().replace("'", ""))


def _stem(word: str) -> str:
    """Return what is equal in forms of one word: ``spread`` of ``spreading``, ``win`` of ``winner``."""
    while end := next((end for end in _ENDINGS if word.endswith(end) and len(word) >= len(end) + 3), ""):
        word = word.removesuffix(end)
    word = word[:-1] if len(word) > 3 and word[-1] == word[-2] else word
    return word.removesuffix("e") if len(word) > 3 else word


def _stems(*texts: str) -> frozenset[str]:
    return frozenset(_stem(word) for text in texts for word in _words(text) if word not in _EMPTY)


def _near(words: Iterable[str], vocabulary: Iterable[str]) -> tuple[str, ...]:
    """Return the words of a vocabulary that are nearly the same as one of these, one of each form."""
    known: dict[str, str] = {}
    for word in sorted(vocabulary, key=lambda word: (len(word), word)):
        known.setdefault(unaccented(word.casefold()), word)
    folded = (unaccented(word.casefold()) for word in words)
    matches = (match for word in folded for match in get_close_matches(word, list(known), _MOST_NEAR, 0.6))
    near: dict[str, str] = {}
    for match in matches:
        near.setdefault(_stem(match), known[match])
    return tuple(near.values())


def _by_words(book: Index, wanted: tuple[str, ...]) -> frozenset[str]:
    """Return the ids of the rules that the words lead to.

    Those named for one of them come first, by id, chapter or ``words``, then those that only mention them; and those
    that have all of the words before those that have one.
    """
    named = {rule["id"]: _stems(rule["id"], _chapter(book, rule)) for rule in book.rules}
    for word, ids in book.words.items():
        for known in ids:
            named[known] |= {_stem(word)}
    about = {rule["id"]: named[rule["id"]] | _stems(rule["text"], rule.get("ruling", "")) for rule in book.rules}
    for matches in (all, any):
        for stems in (named, about):
            if found := frozenset(known for known, has in stems.items() if matches(word in has for word in wanted)):
                return found
    return frozenset()


def _by_own_words(book: Index, own: str) -> frozenset[str]:
    """Return the ids of the rules whose text in the language that is spoken has words that begin like the own ones."""
    wanted = _beginnings(own)
    texts = {rule["id"]: _beginnings(f"{tr(rule['text'])} {tr(rule.get('ruling', ''))}") for rule in book.rules}
    every = frozenset(rule for rule, words in texts.items() if wanted and wanted <= words)
    return every or frozenset(rule for rule, words in texts.items() if wanted & words)


def _beginnings(text: str) -> frozenset[str]:
    """Return how the longer words of a text begin, without accents, in lower case: ``marci`` of ``marciume``."""
    words = re.findall(r"\w+", unaccented(text))
    return frozenset(word[:_BEGINNING] for word in words if len(word) >= _BEGINNING - 1)


def _chapter(book: Index, rule: dict[str, Any]) -> str:
    """Return what the chapter of the rule is about, the beginning of its title."""
    return book.chapters[rule["number"].partition(".")[0]].partition(":")[0]


def _vocabulary(book: Index) -> frozenset[str]:
    """Return every word by which a rule is found, of four letters or more unless a rule is named for it."""
    texts = (text for rule in book.rules for text in (rule["text"], rule.get("ruling", "")))
    named = {word for text in (*(rule["id"] for rule in book.rules), *book.chapters.values()) for word in _words(text)}
    mentioned = {word for text in texts for word in _words(text) if len(word) > 3}
    return frozenset((named | mentioned | book.words.keys()) - _EMPTY)


def _own_vocabulary(book: Index) -> frozenset[str]:
    """Return the longer words of all rules in the language that is spoken."""
    texts = (tr(text) for rule in book.rules for text in (rule["text"], rule.get("ruling", "")))
    return frozenset(word for text in texts for word in re.findall(r"[^\W\d_]+", text) if len(word) >= _BEGINNING - 1)


# What is shown


def rule_blocks(rules: Iterable[dict[str, Any]]) -> Iterator[Prose]:
    """Yield the entries of rules, as the index has them."""
    for rule in rules:
        yield from _short(rule)
        yield Prose(tr("Source: {source}").format(source=tr(rule["source"])), _INDENT, _INDENT)
        if "ruling" in rule:
            yield Prose(tr("Our ruling: {ruling}").format(ruling=tr(rule["ruling"])), _INDENT, _INDENT)


def overview() -> Sections:
    """Return the chapters and the rules that are asked for most, for a player who asks for no rule in particular."""
    book = index()
    known = {rule["id"]: rule for rule in book.rules}
    chapters = Items(tuple(f"{number}: {tr(title)}" for number, title in book.chapters.items()))
    asked = (block for name in book.most_asked for block in _short(known[name]))
    return (
        Section("why", (Prose(tr(_OVERVIEW)), chapters)),
        Section("why", (Prose(tr("These are the rules that players ask for most:")), *asked)),
    )


def _short(rule: dict[str, Any]) -> Iterator[Prose]:
    yield Prose(f"{rule['number']} {rule['id']}")
    yield Prose(tr(rule["text"]), _INDENT, _INDENT)
