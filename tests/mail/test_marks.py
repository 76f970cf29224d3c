"""Below what programs and phones put above an older mail nothing is played or told; above it, everything is.

Each of the ``marks`` stands where a program would put it: with the older mail unmarked, quoted below it, and answered
below the quote.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from clubs import a_club, a_table, letters, the_record
from marks import AT, LABELS, marks, wrapped
from people import nothing_quoted, reply

from pbem.carriers.mail.incoming.body import text_of_html
from pbem.carriers.mail.take import take
from pbem.club import host
from pbem.errors import NotUnderstood
from pbem.generated.words import MAIL
from pbem.reading.context import Context
from pbem.reading.decide import Reply, read_reply

# The player gave one of the orders below in an earlier turn; the other never came, or was refused.
ASKED = Context(name="Cy", given=frozenset(("offer 9",)))
OLDER = "I like my bears\noffer 9\nthose were the old words"
NEVER_PLAYED = OLDER.replace("offer 9", "offer 10")
GAPS = ("\n\n", "\n")
MARKS = tuple(marks())
KINDS = ("phone", "attribution", "original", "headers")
WRAPPED = [
    ("attribution", language, name, text)
    for kind, language, name, mark in MARKS
    if kind == "attribution" and "\n" not in mark
    for text in wrapped(mark)
]


def of(kind: str, language: str) -> Iterator[str]:
    """Yield the marks, those of attributions in every width too."""
    yield from (mark for *where, _, mark in MARKS if where == [kind, language])
    yield from (mark for *where, _, mark in WRAPPED if where == [kind, language])


def every(*kinds: str) -> Callable[[Callable[[str, str], None]], Callable[[str, str], None]]:
    """Let a test run for each language and each of these kinds of marks."""
    cases = [(kind, language) for kind in kinds for language in LABELS]
    return pytest.mark.parametrize(("kind", "language"), cases)


def said(text: str) -> tuple[tuple[str, ...], str]:
    """Return the orders and the talk."""
    read = read_reply(text, ASKED)
    return read.orders, read.talk


def test_there_are_marks_of_each_kind_in_each_language() -> None:
    for kind in KINDS:
        for language in LABELS:
            assert len(list(of(kind, language))) >= 10, (kind, language)
    assert len(MARKS) + len(WRAPPED) > 2000


@every(*KINDS)
def test_no_older_order_below_a_mark_is_played_and_nothing_below_it_is_told(kind: str, language: str) -> None:
    for mark in of(kind, language):
        for gap in GAPS:
            for older in (OLDER, NEVER_PLAYED):
                assert said(f"well done{gap}{mark}{gap}{older}") == ((), "well done"), mark
            assert below(f"{mark}{gap}offer 9") == ((), ""), mark


def below(text: str) -> tuple[tuple[str, ...], str]:
    """Return what the reply says if it is not refused."""
    try:
        return said(text)
    except NotUnderstood:
        return (), ""


@every(*KINDS)
def test_an_order_above_a_mark_is_played_even_if_it_is_the_older_one_again(kind: str, language: str) -> None:
    for mark in of(kind, language):
        for gap in GAPS:
            for order in ("buy", "offer 9", "offer 8"):
                for older in (OLDER, "> I like my bears\n> offer 9"):
                    assert said(f"{order}\nwell done{gap}{mark}{gap}{older}") == ((order,), "well done"), mark


@every("phone", "attribution")
def test_an_order_below_or_between_quoted_lines_is_played(kind: str, language: str) -> None:
    for mark in of(kind, language):
        quote = "> I like my bears\n> offer 9"
        assert said(f"{mark}\n\n{quote}\n\nbuy\nwell done") == (("buy",), "well done"), mark
        assert said(f"{mark}\n{quote}\n\nwell done\n\n> your turn") == ((), "well done"), mark


@pytest.mark.parametrize("mark", [mark for kind, _, _, mark in MARKS if kind == "quoted"])
def test_what_is_below_the_quoted_headers_of_la_poste_is_new(mark: str) -> None:
    assert said(f"well done\n\n{mark}\n> offer 9") == ((), "well done")
    assert said(f"{mark}\n> offer 9\n\nbuy\nwell done") == (("buy",), "well done")


@pytest.mark.parametrize("mark", [mark for kind, _, _, mark in MARKS if kind == "quoted"] + [f"> {AT} wrote:\n>"])
def test_an_order_right_below_quoted_headers_is_asked_about(mark: str) -> None:
    """The older mail follows without quote marks, or the player has deleted it."""
    for gap in GAPS:
        assert said(f"well done{gap}{mark}{gap}{OLDER}") == ((), "well done")
        read = read_reply(f"{mark}{gap}offer 8", ASKED)
        assert (read.orders, read.proposed, read.talk) == ((), ("offer 8",), "")


@pytest.mark.parametrize("rule", ["-" * 60, "=" * 20, "─" * 30])
def test_an_order_below_a_long_rule_is_asked_about(rule: str) -> None:
    for gap in GAPS:
        assert said(f"well done{gap}{rule}{gap}{OLDER}")[0] == ()
        assert read_reply(f"well done{gap}{rule}{gap}offer 8", ASKED).orders == ()


def test_an_order_below_the_rule_of_a_page_is_asked_about() -> None:
    page = text_of_html("<div>well done</div><hr><div>offer 8</div>")
    read = read_reply(page, ASKED)
    assert (read.orders, read.proposed, read.talk) == ((), ("offer 8",), "well done")


@pytest.mark.parametrize("language", list(LABELS))
def test_an_order_below_the_line_of_a_phone_is_asked_about(language: str) -> None:
    """It may be the older one, or the player may have written below the line that was there already."""
    for mark in of("phone", language):
        for above in ("", "well done\n\n"):
            read = read_reply(f"{above}{mark}\n\noffer 8\n", ASKED)
            assert (read.orders, read.proposed) == ((), ("offer 8",)), mark
        read = read_reply(f"show\n\n{mark}\n\noffer 8\nhelp", ASKED)
        assert read == Reply((), ("show",), "", ()), mark


@pytest.mark.parametrize("words", ["Bob wrote:", "you wrote:", "Ann Lee ha scritto:", "On Friday, Ann wrote:"])
def test_an_order_below_a_name_that_wrote_is_asked_about(words: str) -> None:
    """That is an attribution of some programs, and may be a sentence."""
    for above in ("", "well done\n\n"):
        read = read_reply(f"{above}{words}\nbears are nice\n\noffer 8\n", ASKED)
        assert (read.orders, read.proposed, read.talk) == ((), ("offer 8",), above.strip())
    assert said(f"{words}\n> bears are nice\n\nbuy") == (("buy",), "")


TALK = """
I sent from my heart
Sent from my heart
Sent with love
Sent you a card
From my point of view Bob is mad
From my window I see bears
on Friday Bob wrote: ha!
On Friday Bob wrote: ha!
On reflection, a good game
Da: yes
De: nada
Von: wegen!
An: alle
A: bears
Van: mij
To Bob: that was mean
From Bob I expect nothing
Objet : rien
Message: hello
Message du jour : les ours dorment
Le lundi je mange
Am Montag komme ich
Il giorno dopo
El oso duerme
Op naar de zege
Bob wrote a book
Ann hat mir geschrieben
Ho scritto a Bob
I love Outlook for Android
Get a download of Outlook
Ann from mobile phones knows nothing
Il messaggio originale era bello
Mensaje original y divertido
The original message was better
Original Message
--- nice ---
*** nice message ***
--- nice message ---
=== a message to all ===
--- my reply: no ---
Get bears for Ann
-----
Unterwegs habe ich an euch gedacht
Mobil bin ich nicht
Von unterwegs: viele Grüße
Gesendet mit Liebe
Envoyé avec amour
Envoyé une carte
De mon côté tout va bien
Desde mi ventana veo osos
Inviato con amore
Verzonden met liefde
I <3 you
5 < 6 and <
Provenance : Lyon
We meet on 2026-11-02 at 10:00
Wie Bob gestern geschrieben hat:
Bob schrieb gestern Abend im Chat:
""".strip().split("\n")


@pytest.mark.parametrize("talk", TALK)
def test_talk_with_similar_words_is_told_and_the_order_beside_it_played(talk: str) -> None:
    for gap in GAPS:
        assert said(f"{talk}{gap}offer 8") == (("offer 8",), talk)
        assert said(f"offer 8{gap}{talk}") == (("offer 8",), talk)
        assert said(f"hello all\n{talk}{gap}offer 8") == (("offer 8",), f"hello all\n{talk}")
        assert said(f"hello all\n{talk}\nbye") == ((), f"hello all\n{talk}\nbye")


@pytest.mark.parametrize(
    "words", ["As Bob wrote yesterday:", "Wie Bob gestern geschrieben hat:", "Note to all, I wrote:"]
)
def test_an_older_order_below_a_sentence_about_a_mail_is_asked_about(words: str) -> None:
    read = read_reply(f"{words}\nbears are nice\n\noffer 9", ASKED)
    assert (read.orders, read.proposed) == ((), ("offer 9",))


def test_brackets_that_no_line_closes_swallow_nothing() -> None:
    for opening in ("<", "<mailto:", "[mailto:", "<https://home.example/"):
        assert said(f"look {opening}\noffer 8") == (("offer 8",), f"look {opening}")
    assert said(f"look <\n\n> bears > {AT}\n\noffer 8") == (("offer 8",), "look <")


def test_every_language_has_words_of_each_kind() -> None:
    needed = {"from", "headers", "wrote", "on", "originals", "forwards", "sent", "own", "get", "devices", "feelings"}
    for language in LABELS:
        assert needed <= MAIL[language].keys(), language


def test_the_player_is_asked_whether_the_order_below_the_line_of_a_phone_counts(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club", turn=6)
    host.resend(club, a_table(club), to_all=True)
    asked, other = sorted(letters(club), key=lambda mail: not mail.asks)[:2]
    order = asked.taps[0].body.split("\n")[0]
    turn = the_record(club).turn

    words = f"well done\n\nSent from my Wiko LENNY4\n\nold lemonade\n{order}\n"
    assert take(club, reply(asked, words, beneath=nothing_quoted)).code == "proposed"
    assert the_record(club).turn == turn
    sent = letters(club)
    proposal = next(mail for mail in sent if mail.to == asked.to)
    assert f'Did you mean "{order}"?' in " ".join(proposal.text.split())
    assert "lemonade" not in "".join(mail.text for mail in sent if mail.to == other.to)
    assert take(club, reply(proposal, "yes")).code == "played"
    assert "lemonade" not in "".join(mail.text for mail in letters(club))
