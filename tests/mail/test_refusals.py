"""What a player reads of a refusal: 72 columns, nothing of the program or the host, and no example out of place."""

import re
from pathlib import Path
from random import Random

import pytest
from clubs import a_club, a_table, an_order, letters, the_record
from hypothesis import given
from hypothesis import strategies as st
from people import Mail, a_mail, nothing_quoted, on_a_phone, reply
from test_conformance import CASES, situation
from work import Some

from pbem import report
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.club.opening import open_game
from pbem.errors import Illegal, NotUnderstood, NotYourTurn, PbemError, Violation
from pbem.first_sparks.adjudicator import adjudicate
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.notation import ORDER_WORDS, parse_logged
from pbem.page.glue import glued
from pbem.page.text import WIDTH, columns, lines_of, wrapped
from pbem.table.letters.harmless import is_order
from pbem.table.people import Opening

WIDE = "\N{CJK UNIFIED IDEOGRAPH-4E2D}"
# The order of every phase, too much, too little, mistyped, unreadable, and what surrounds orders wrongly.
BAD = (
    *(f"{word} 41 Z9z q" for word in ORDER_WORDS if word not in ("resign", "agree end")),
    *("offer 41", "offer 9999", "settle Z9z", "settle A1a A1b", "add A1a", "stay", "buy 12", "decline 12", "take"),
    *(
        "lay M13 N13",
        "lay 1",
        "drop 7",
        "starve A1a B2c",
        "spread " + " ".join(f"{c}{n}a" for c in "ABCDEF" for n in "123"),
    ),
    *("offfer 7", "offer seven", "then offer 12", "offer 7\nwell\nstay", "stay\nstay\nstay", "pass\npass", "s 1 2 3"),
    *("offer " + "x" * 90, "offer 1" + "0" * 150, f"offer 12 {WIDE * 80}", "offer 12 " + "word " * 12),
    *("rules R99.9", "rules " + "x" * 90, "news sometimes", "absent until soon", "absent until 2027-99-99", "join x y"),
)
FILES = {
    "move.toml": (
        'player = "Nobody"\norders = ["offer 7"]',
        'orders = "offer 7"',
        "what = 1",
        'orders = ["offer 7"',
        "x" * 300,
    ),
    "move.json": (
        '{"orders": 7}',
        "[]",
        '{"orders": ["stay"], "turn": 99}',
        '{"orders": ["stay"], "game": "other"}',
        "{",
    ),
    "move.txt": ("# nothing", "offer 41", "stay\n" * 300, "[friday/99/00000000]\nstay"),
}


def attached(mail: Mail, name: str, text: str) -> bytes:
    """Return a reply with a file."""
    head, _, _ = reply(mail, "", beneath=nothing_quoted).partition(b"\n\n")
    kind = b'multipart/mixed; boundary="b"'
    return (
        head.replace(b"text/plain; charset=utf-8", kind)
        + f'\n\n--b\nContent-Type: text/plain; name="{name}"\n'.encode()
        + f'Content-Disposition: attachment; filename="{name}"\n\n{text}\n--b--\n'.encode()
    )


def check(text: str) -> None:
    """Check all that holds of every text that a player gets."""
    assert [line for line in text.split("\n") if columns(line) > WIDTH] == []
    assert [line for line in text.split("\n") if is_order(line)] == []


def check_refusal(said: str) -> None:
    """Check what stands above the situation: it names no command, and no example that does not fit the moment."""
    assert not re.search(r"pbem \w|--\w|\bCLUB\b|\bGAME\b|command line|not-understood", said)
    hint = " ".join(said.partition("hint: ")[2].partition("\n\n")[0].split())
    assert not re.search(rf"for (?:instance|example):? \W*({'|'.join(ORDER_WORDS)})\b", hint)


def a_game_of(club: MailClub, number: int) -> None:
    names = [WIDE * 24, "W" * 24, "A name of many words.."][:number]
    players = tuple(f"{name}=p{n}@x.example" for n, name in enumerate(names))
    open_game(club, "long", players, Opening(number, "players" if number == 2 else "recommended"), None)


@pytest.mark.slow
@pytest.mark.parametrize("number", [2, 3])
def test_every_letter_in_every_phase_has_72_columns_and_says_what_helps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, some: Some
) -> None:
    monkeypatch.setattr("os.fsync", lambda _: None)  # there are hundreds of mails, and none need outlive a power cut
    club = a_club(tmp_path / "club", "other")
    letters(club)
    a_game_of(club, number)
    random, phases, refused = Random(5), set(), 0
    while question := next((mail for mail in letters(club) if mail.asks), None):
        phase = type(the_record(club, "long").state.phase)
        if phase not in phases:
            bad = [
                reply(question, words, number=n, beneath=nothing_quoted if n % 3 else on_a_phone)
                for n, words in enumerate(BAD)
            ]
            bad += [attached(question, name, text) for name, texts in FILES.items() for text in texts]
            kept = {path: path.read_bytes() for path in (a_table(club, "long").game, a_table(club, "long").journal)}
            for raw in some(bad, 4):
                verdict = take(club, raw)
                refused += verdict.code == "refused"
                for mail in letters(club):
                    check(mail.text)
                    if verdict.code in ("refused", "answered"):
                        check_refusal(mail.text.split("\n\nlong, turn")[0])
                for path, before in kept.items():  # and with it the number of answers in one turn
                    path.write_bytes(before)
        phases.add(phase)
        raw = reply(question, an_order(question, random), beneath=nothing_quoted)
        assert take(club, raw).code == "played"
    assert len(phases) >= 4
    assert refused > 25


REFUSED = [case for case in CASES if "refused" in case["expect"]]


@pytest.mark.parametrize("case", REFUSED, ids=[str(case["case"]) for case in REFUSED])
def test_every_refusal_of_the_rules_has_72_columns_by_mail(case: dict[str, list[str]]) -> None:
    state = situation(case)
    *before, last = (order.partition(" ")[::2] for order in case["orders"])
    for by, text in before:
        state = adjudicate(state, by, parse_logged(text))

    with pytest.raises((Illegal, NotYourTurn)) as refused:
        adjudicate(state, last[0], parse_logged(last[1]))
    refused.value.order = last[1]
    refused.value.choices = tuple(main_choices(state))

    said = "\n".join(lines_of(report.refusal_blocks(refused.value)))
    check(said)
    assert all(f"[{reason.rule}]" in said for reason in refused.value.reasons)


@pytest.mark.parametrize(
    "wish",
    ["join", "join x", "join nothing Zoe", "join friday Zoe", "join monday A:B", "join monday Ann", "join monday red"],
)
def test_a_refused_wish_to_join_has_72_columns_and_no_command(tmp_path: Path, wish: str) -> None:
    club = a_club(tmp_path / "club")
    open_game(club, "monday", ("Ann:red=ann@x.example",), Opening(2), None)
    letters(club)

    take(club, a_mail("dan@d.example", "pbem@example.org", wish))

    for mail in letters(club):
        check(mail.text)
        check_refusal(mail.text)


def test_who_asks_for_a_rule_that_is_none_is_told_what_can_be_asked_for(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    asked = letters(club)[0]

    assert take(club, reply(asked, "rules R99.9")).code == "answered"

    text = " ".join(letters(club)[0].text.split())
    assert "no rule has the id or number 'r99.9'" in text
    named = re.findall(r'"(rules[^"]*)"', text.partition("hint: ")[2])
    assert (named[0], len(named)) == ("rules", 5)
    for known in named:
        assert take(club, reply(asked, known)).code == "answered"
        assert "no rule has" not in letters(club)[0].text


# The tools


a_text = st.text(st.sampled_from("ab \0" + WIDE + "\N{COMBINING ACUTE ACCENT}"), max_size=300)


@given(a_text, st.sampled_from(["", "- ", "  order: "]), st.sampled_from(["", "  ", "   also: "]))
def test_what_is_wrapped_has_72_columns_and_loses_nothing(text: str, first: str, rest: str) -> None:
    lines = wrapped(text, first, rest)

    assert max(map(columns, lines)) <= WIDTH
    bare = [line.removeprefix(rest if number else first) for number, line in enumerate(lines)]
    assert "".join("".join(bare).split()) == "".join(text.replace("\0", " ").split())


def test_what_is_glued_is_broken_only_where_it_has_to_be() -> None:
    short, long = glued("a b " * 5 + "c"), glued("spread " + "A1a " * 20 + "end")

    assert wrapped(f"{'x' * 60} {short}") == ("x" * 60, "a b a b a b a b a b c")
    assert wrapped(long) == (f"spread {'A1a ' * 16}".strip(), "A1a A1a A1a A1a end")


def printed(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


@given(st.text(max_size=120), st.lists(st.tuples(st.sampled_from(["", "offer-affordable"]), st.text(max_size=200))))
def test_any_refusal_has_72_columns_by_mail(order: str, reasons: list[tuple[str, str]]) -> None:
    shown = " ".join("".join(c if c.isprintable() else " " for c in order).split())
    why = tuple(
        Violation(rule, " ".join("".join(c if c.isprintable() else " " for c in text).split()))
        for rule, text in reasons
    )
    error: PbemError = NotUnderstood(f"{shown} is no order", order=shown, reasons=why, hint=f"expected {shown}")

    assert max(map(columns, lines_of(report.refusal_blocks(error)))) <= WIDTH
