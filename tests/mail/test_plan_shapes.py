"""Plans in replies of all mail programs: none is lost, none is read as another one, and none is told to the table."""

import re
import textwrap
import tomllib
from collections.abc import Callable, Mapping
from email.message import EmailMessage
from email.policy import SMTP
from functools import partial
from html import escape
from pathlib import Path

import pytest
from clubs import a_club, letters, the_asked, the_record
from people import Mail, reply
from programs import PROGRAMS
from work import Some

from pbem.carriers.mail.incoming.content import understood
from pbem.carriers.mail.incoming.message import read_message
from pbem.carriers.mail.take import take
from pbem.errors import NotUnderstood
from pbem.first_sparks.bot.decide import decide
from pbem.first_sparks.plans.read import PlanLines, read
from pbem.locale import Language
from pbem.reading.context import Context
from pbem.reading.decide import read_reply
from pbem.reading.message import Post
from pbem.table.messages.context import context_of

SHAPES = tomllib.loads((Path(__file__).parent / "plans.toml").read_text(encoding="utf-8"))
EVERY = [(kind, written) for kind, table in SHAPES.items() for written in table["written"]]
TALK = "Hello all, what a night. I hope that everybody is well.\n\nBest wishes to the valley"


class Table:
    """Cy's question, the letter with it, and what Cy's plans mean then."""

    def __init__(self, folder: Path) -> None:
        club = a_club(folder)
        last = {mail.to: mail for mail in letters(club)}
        while (record := the_record(club)).turn < 6:
            asked = the_asked(club)
            order = str(decide(record.state, asked.colour, "q"))
            assert take(club, reply(last[asked.address], order)).code == "played"
            last |= {mail.to: mail for mail in letters(club)}
        self.player = the_asked(club)
        self.mail = last[self.player.address]
        self.state = record.state
        self.asked: Context = context_of(record, self.player.colour, record.turn, waves=True)._replace(
            letter=lambda: " ".join(self.mail.text.split())
        )

    def post(self, raw: bytes) -> Post:
        """Return a message as it is understood."""
        return understood(raw, read_message(raw), self.asked)[0]

    def means(self, lines: tuple[str, ...]) -> PlanLines:
        """Return what the lines of a plan mean."""
        return read(lines, self.state, self.player.colour)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """The position of ``plans.toml``."""
    return Table(tmp_path_factory.mktemp("club") / "club")


# Mail programs, beside those of ``programs.py``


def sent(mail: Mail, body: str, kind: str = "plain", **more: str) -> bytes:
    made = EmailMessage(policy=SMTP)
    made["From"], made["To"], made["Subject"] = mail.to, mail.reply_to, f"Re: {mail.subject}"
    made["Message-ID"], made["In-Reply-To"] = "<shape@home.example>", mail.message_id
    made["References"] = f"{mail.references} {mail.message_id}"
    made.set_content(body, subtype=kind, cte="quoted-printable")
    if more:
        made.replace_header("Content-Type", f"{made['Content-Type']}; format=flowed")
    return made.as_bytes()


def quoted(mail: Mail) -> str:
    lines = "\n".join(f"> {line}".rstrip() for line in mail.text.rstrip("\n").split("\n"))
    return f"\n\nOn Sat, Nov 21, 2026 at 10:00 First Sparks wrote:\n\n{lines}\n"


def wrapped(width: int, mail: Mail, words: str, _: int = 0) -> bytes:
    """Return a reply whose lines are broken, as old programs do it."""
    lines = [part for line in words.split("\n") for part in textwrap.wrap(line, width, break_long_words=False) or [""]]
    return sent(mail, "\n".join(lines) + quoted(mail))


def flowed(mail: Mail, words: str, _: int = 0) -> bytes:
    """Return a reply with soft breaks (RFC 3676), as Thunderbird and Apple Mail write it."""
    lines = [" \n".join(textwrap.wrap(line, 40, break_long_words=False)) for line in words.split("\n")]
    return sent(mail, "\n".join(lines) + quoted(mail), flowed="yes")


def nbsp(mail: Mail, words: str, _: int = 0) -> bytes:
    """Return a reply with blanks that do not break, as some phones write them."""
    return sent(mail, words.replace(" ", "\N{NO-BREAK SPACE}") + quoted(mail))


def paragraphs(mail: Mail, words: str, _: int = 0) -> bytes:
    """Return a page with a paragraph for each line, as Outlook writes it."""
    lines = "".join(f'<p class="MsoNormal">{escape(line) or "&nbsp;"}<o:p></o:p></p>' for line in words.split("\n"))
    return sent(
        mail, f"<html><body><div>{lines}</div><hr><b>From:</b> First Sparks<br>{mail.html}</body></html>", "html"
    )


def breaks(mail: Mail, words: str, _: int = 0) -> bytes:
    """Return a page with line breaks and bold words, as Yahoo writes it."""
    page = escape(words).replace("\n", "<br>").replace(" 10", " <b>10</b>").replace("plan", "<i>plan</i>")
    return sent(mail, f'<div dir="ltr">{page}</div><blockquote>{mail.html}</blockquote>', "html")


def listed(mail: Mail, words: str, _: int = 0) -> bytes:
    """Return a page in which lines that begin like an item of a list are one, as Gmail makes them of what is typed."""
    page, items = "", []
    for line in (*words.split("\n"), ""):
        if item := re.match(r"\s*(?:[-*\u2022\u2013]|\d[.)])\s+(.*)", line):
            items.append(f"<li>{escape(item[1])}</li>")
            continue
        page += f"<ul>{''.join(items)}</ul>" if items else ""
        page, items = page + f"<div>{escape(line) or '<br>'}</div>", []
    return sent(mail, f'{page}<div class="gmail_quote"><blockquote>{mail.html}</blockquote></div>', "html")


WAYS: dict[str, Callable[[Mail, str, int], bytes]] = {
    **{program.__name__: program for program in PROGRAMS},
    **{f"wrapped at {width}": partial(wrapped, width) for width in (60, 66, 72, 78)},
    **{way.__name__: way for way in (flowed, nbsp, paragraphs, breaks, listed)},
}


def test_there_are_many_shapes() -> None:
    assert len(EVERY) >= 60


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_no_plan_is_lost_and_none_is_told(table: Table, way: str, some: Some) -> None:
    trouble = []
    for number, (kind, written) in some(enumerate(EVERY), 3):
        wanted = table.means(tuple(SHAPES[kind]["plain"]))
        for said in (written, f"{written}\n\n{TALK}", f"Hi,\n\n{written}\n\n{TALK}"):
            post = table.post(WAYS[way](table.mail, said, number))
            if post.wrong is not None:
                trouble.append((said, str(post.wrong), [reason.message for reason in post.wrong.reasons]))
                continue
            try:
                found = table.means(post.plan)
            except Exception as wrong:
                trouble.append((said, post.plan, wrong))
                continue
            if found != wanted or post.orders or post.proposed:
                trouble.append((said, post.plan, found))
            if re.search(r"plan|decline|drop|forget|else|\d", post.words.replace("planet", ""), re.IGNORECASE):
                trouble.append((said, post.words))
    assert trouble == []


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_an_order_beside_it_is_played(table: Table, way: str, some: Some) -> None:
    for number, (kind, written) in some(enumerate(EVERY), 3):
        if "forget" in written.lower():
            continue
        for said in (f"offer 10\n{written}\n\n{TALK}", f"{written}\n\noffer 10\n\n{TALK}"):
            post = table.post(WAYS[way](table.mail, said, number))
            assert post.wrong is None, (said, post.wrong)
            assert post.orders, said
            assert post.orders.orders == ("offer 10",), said
            assert table.means(post.plan) == table.means(tuple(SHAPES[kind]["plain"])), said


SECRETS: Mapping[Language, tuple[str, ...]] = {
    "en": (
        "paln 9 8", "pla 9 8", "Also plan 9 8", "New plan: 9 8", "The plan: 9 8", "secret plan: 9 8", "I plan 9 8",
        "my note: 9", "my secret note: 9", "For my eyes only: 9",
        "my secret plan: 9 first, then 8", "Private: 9", "For the host only: 9", "secret note: 9",
    ),
    "de": (
        "neuer Plan: 9 8", "Paln 9 8", "auch plan 9 8", "Ich plane 9 8", "Hier mein Plan: 9 8", "Meine Notiz: 9",
        "Nur für den Spielleiter: 9",
    ),
    "fr": (
        "Nouveau plan : 9 8", "Voici mon plan : 9 8", "aussi plan 9 8", "Ma note : 9", "Pour l'hôte seulement : 9",
        "Ne le dis pas aux autres : 9",
    ),
    "it": (
        "nuovo piano: 9 8", "Ecco il mio piano: 9 8", "pinao 9 8", "La mia nota: 9", "Solo per l'arbitro: 9",
        "Non dirlo agli altri: 9",
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", SECRETS)
def test_a_plan_or_note_that_is_introduced_or_mistyped_is_told_to_nobody(table: Table, language: Language) -> None:
    for written in SECRETS[language]:
        reply = read_reply(f"stay\n{written}", table.asked._replace(language=language))

        assert ([*map(str, (*reply.plan, *reply.requests))] != [], reply.talk) == (True, ""), written


@pytest.mark.parametrize(
    "talk",
    [
        "I plan to be back at 9",
        "let us play at 9",
        "(plan 14 19): what you want",
        "I plan 2 trips this year.",
        "The plan: 2 beers and bed.",
        "Our plan: 2 fields first, then fire",
        "My clan: 9 10",
        "My clan: 3 food",
        "so plan 2 it is",
        "The plain 5",
        "Bob: thanks\nCy: meet at 18:30?\nAll: good luck",
    ],
)
def test_what_only_looks_like_a_plan_is_none(table: Table, talk: str) -> None:
    assert read_reply(f"stay\n{talk}", table.asked).plan == ()


@pytest.mark.parametrize("mark", ["--", "\N{EM DASH}", "\nSent from my iPhone"])
def test_a_plan_below_the_signature_line_is_not_lost_without_a_word(table: Table, mark: str) -> None:
    with pytest.raises(NotUnderstood) as wrong:
        read_reply(f"pass\n{mark}\nplan 9 8 else pass", table.asked)

    assert [reason.message for reason in wrong.value.reasons] == ["'plan 9 8 else pass' is below your signature line"]
    for other in (
        "Ann, who plans ahead",
        "If this was not for you, take no action within 9 days.",
    ):
        assert read_reply(f"pass\n{mark}\n{other}", table.asked).orders == ("pass",)
