"""Whole games in folders and through git in a language that no program speaks; all that players can read is read."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

import pytest
from bots import a_sensible_choice
from gits import git, pbem
from group import SEATS, Group
from test_languages import Asked, is_nested, known
from test_languages_of_letters import english_in

from pbem import loading
from pbem.cli.app import run
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.record import Record
from pbem.locale import Language
from pbem.page.text import WIDTH, columns

pytestmark = pytest.mark.slow

# A rule's number and id, the line above which one writes, the code of an error, a command, and what commits are called:
# the lines of game.toml and minutes.txt that they add.
ALLOWED: Final = re.compile(
    r"""\bR[0-9]+\.[0-9]+\ [a-z-]+ | ^==\ .*\ ==.*$ | ^[a-z-]+:\ (?=⟦) | pbem\ git\ [a-z -]+
    | ^[0-9a-f]{10}\ .*$ | ⟦[a-z0-9].*?(?=:\ ṕúśĥéď)""",
    re.MULTILINE | re.VERBOSE,
)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Every language but English is the pseudo language, which remembers what it was asked for."""
    catalogue = Asked()

    def of(language: Language) -> Asked | None:
        return None if language == "en" else catalogue

    monkeypatch.setattr("pbem.locale.catalogue_of", of)
    return catalogue


def wrong_in(text: str, written: set[str]) -> Iterator[str]:
    """Yield what should not be in a text that a player reads; *written* are the words of people."""
    bare = re.sub(ALLOWED, "", text)
    yield from (f"{word} in: {bare}" for word in english_in(bare, written))


# Folders

WRITTEN: Final = {
    1: ("help", "show", "options", "rules rot", "suggest", "news every"),
    2: ("note tea", "plan pass\nalways drop least", "plan", "forget"),
    4: ("take back", "object", "take back", "agree", "agree"),
    6: ("absent until 2026-12-31", "back", "go on without Cara", "I am here"),
    8: ("news turn", "offer 99", "Well played!", "resign", "no"),
    11: ("wait", "buy if nobody wants it", "try pass", "ofer 3"),
}


def test_nothing_that_a_folder_has_of_a_whole_game_is_english(tmp_path: Path, asked: Asked) -> None:
    club, people, random, done = tmp_path / "club", list(SEATS.values()), Random(1), 0
    read, wrong, pages = set[Path](), list[str](), 0
    words = {*people, "Eve", "friday", *re.findall(r"[A-Za-z]+", " ".join(map(" ".join, WRITTEN.values())))}

    def puts(name: str, text: str) -> None:
        nonlocal pages
        answers = club / "players" / name / "answers"
        answers.mkdir(exist_ok=True)
        (answers / f"{len(read)}.txt").write_text(text, encoding="utf-8")
        assert run(["club", "run", str(club)]) == 0
        for letter in {*club.glob("players/*/letters/*.txt")} - read:
            read.add(letter)
            text = letter.read_text(encoding="utf-8").partition("#:schema ")[0]  # the last letter has the game itself
            wrong.extend((*wrong_in(text, words), *(line for line in text.splitlines() if columns(line) > WIDTH)))
        pages = len([*club.glob("players/*/letters/*.html")])

    def game() -> Record:
        return loading.load(club / "games" / "friday" / "game.toml").record

    assert run(["club", "init", str(club), "--host", "Eve"]) == 0
    assert run(["club", "new", str(club), "friday", *people, "--board", "recommended", "--language", "it"]) == 0
    while who := who_decides((record := game()).state):
        for turn in [turn for turn in WRITTEN if done < turn <= record.turn]:
            done = turn
            for number, text in enumerate(WRITTEN[turn]):
                puts(people[number % len(people)], text)
        puts(dict(record.players)[who], str(a_sensible_choice(game().state, random)))

    assert len(read) > record.turn
    assert pages == len(people)
    assert asked.messages - known() == set()
    assert not wrong, "\n".join(wrong)


# Git

RUN: Final = {
    2: ("status", "help", "log", "note tea", "absent --until 2026-12-31", "status", "back"),
    5: ("takeback --to=1", "status", "object", "takeback --to=1", "agree", "agree", "status"),
    8: ("pause", "agree", "agree", "status", "resume", "status"),
    12: (
        "clock 3 --then answer",
        "agree",
        "agree",
        "status",
        "move --order=offer_99",
        "move --order=pass",
    ),
}


def test_nothing_that_a_clone_says_in_a_whole_game_is_english(tmp_path: Path, asked: Asked) -> None:
    group, random, done, wrong = Group(tmp_path / "group", hook=False), Random(1), 0, list[str]()
    said = {*SEATS.values(), "friday", "origin", "main", "tea", "DAY", "until"}
    for colour in SEATS:
        git(group.folder / colour, "config", "pbem.language", "it")

    def runs(colour: str, *words: str) -> None:
        git(group.folder / colour, "pull", "--quiet", "--ff-only")
        who = () if words[0] in ("check", "log", "help") else ("--as", colour)
        told = pbem(group.folder / colour, "git", *words, *who, patched=True, **group.home(colour))
        for text in (told.stdout, told.stderr):
            wrong.extend(f"{words}: {each}" for each in wrong_in(text, said))
            drawn = ".-'" in text  # a drawing in characters cuts a long word
            wrong.extend([] if drawn or is_nested(text) else [f"{words}: {text}"])

    while who := (record := group.record("red")).opener or who_decides(record.state):
        for turn in [turn for turn in RUN if done < turn <= record.turn]:
            done = turn
            for number, command in enumerate(RUN[turn]):
                runs(list(SEATS)[number % len(SEATS)], *(word.replace("_", " ") for word in command.split()))
        record = group.record("red")
        orders = [str(a_sensible_choice(record.state, random))] if who_decides(record.state) else []
        if who := record.opener:
            runs(who, "draw")
            told = json.loads(group.did(who, "draw", "--json"))  # what was only seen comes with the order
            orders = [random.choice(told["options"])["order"]] if told.get("decides") and not told["commit"] else []
        for order in orders:
            runs(who or who_decides(record.state) or "", "move", "--order", order)

    runs("red", "status")
    runs("red", "log")
    assert not wrong, "\n".join(wrong)
