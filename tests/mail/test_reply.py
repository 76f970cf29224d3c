# ruff: noqa: RUF001 -- the quotes, dashes and digits that phones write are meant
"""What a reply says: no order is lost, and none of an old mail gets through.

``replies/`` holds mails in the manner of many clients, each with old orders in
what it quotes; ``expected.toml`` beside them tells what their writer says.
"""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from builders import a_clan, a_game

from pbem.carriers.mail.incoming.message import read_message
from pbem.carriers.mail.tickets import tickets_in
from pbem.errors import NotUnderstood
from pbem.first_sparks.notation import ORDER_WORDS
from pbem.first_sparks.phases import Dropping, Offering
from pbem.locale import Language
from pbem.reading.context import Context
from pbem.reading.decide import Reply, read_reply
from pbem.reading.lines import MOST_LINES, cleaned, is_order
from pbem.reading.quotes import markers_in
from pbem.reading.ticket import Ticket, marker_of

REPLIES = Path(__file__).parent / "replies"
EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((REPLIES / "expected.toml").read_text(encoding="utf-8"))
TICKET = Ticket("friday", 57, "red", "k7m2p4q8r9s3t5v6")
MARKER = marker_of(TICKET, "1a2b3c4d")
OLD = "\n".join((*MARKER, "", "You have 9 food.", "offer 9", "buy"))


def refused(text: str) -> str:
    """Return all that a refusal says about a mail with that text."""
    with pytest.raises(NotUnderstood) as caught:
        read_reply(text)
    return "\n".join((caught.value.message, *(reason.message for reason in caught.value.reasons)))


def test_every_reply_is_expected_and_there_are_many() -> None:
    assert {path.stem for path in REPLIES.glob("*.eml")} == EXPECTED.keys()
    assert len(EXPECTED) >= 60


@pytest.mark.parametrize("name", EXPECTED)
def test_no_order_is_lost_and_no_old_one_played(name: str) -> None:
    expected = EXPECTED[name]

    mail = read_message((REPLIES / f"{name}.eml").read_bytes())

    assert mail.automatic == ""
    assert mail.sender == "ann@example.org"
    assert expected.get("unreadable", "") in mail.unreadable
    assert bool(mail.unreadable) == ("unreadable" in expected)
    assert [attached.name for attached in mail.attachments] == expected.get("attachments", [])
    assert len(markers_in(mail.text)) == expected["markers"]
    if "refused" in expected:
        assert expected["refused"] in refused(mail.text)
        return
    reply = read_reply(mail.text)
    assert list(reply.orders) == expected.get("orders", [])
    assert list(reply.requests) == expected.get("requests", [])
    assert reply.talk == expected.get("talk", "")
    assert reply.markers == markers_in(mail.text)


@pytest.mark.parametrize("name", [name for name, expected in EXPECTED.items() if expected["markers"] == 2])
def test_the_marker_that_comes_back_is_the_ticket(name: str) -> None:
    mail = read_message((REPLIES / f"{name}.eml").read_bytes())
    assert tickets_in((), (), markers_in(mail.text)) == (TICKET,)
    assert tickets_in(mail.recipients, (), ()) == (TICKET,)
    assert tickets_in((), mail.references, ()) == (TICKET,)


# The lines of an order


@pytest.mark.parametrize(
    ("written", "order"),
    [
        ("offer 12", "offer 12"),
        ("  Offer #12.", "Offer #12"),
        ("OFFER\u00a012", "OFFER 12"),
        ("offer １２", "offer 12"),
        ("offer ١٢", "offer 12"),
        ("ｂｕｙ！", "buy"),
        ("“buy”", "buy"),
        ("«buy»", "buy"),
        ("*buy*", "buy"),
        ("- buy", "buy"),
        ("• buy", "buy"),
        ("– buy", "buy"),
        ("1. lay C3 C4", "lay C3 C4"),
        ("2) settle a1a;", "settle a1a"),
        ("3.buy", "buy"),
        ("(buy)", "buy"),
        ("buy 👍🏽", "buy"),
        ("offer 1️⃣2️⃣", "offer 12"),
        ("of\u00adfer\u200b 12\u200e", "offer 12"),
        ("o 12", "o 12"),
        ("s A1a", "s A1a"),
        ("agree end", "agree end"),
    ],
)
def test_an_order_is_read_however_a_phone_writes_it(written: str, order: str) -> None:
    assert read_reply(f"{written}\n\n{OLD}").orders == (order,)


@pytest.mark.parametrize("word", ORDER_WORDS)
def test_every_order_word_is_one_that_is_meant_as_an_order(word: str) -> None:
    assert is_order(word) or word in refused(word) or word.endswith("neutral")


@pytest.mark.parametrize("name", ["B", "P", "T.", "St", "Tak", "-- B", "A"])
def test_a_name_or_a_letter_beneath_a_mail_is_no_order(name: str) -> None:
    reply = read_reply(f"nice!\n\n{name}")
    assert reply.orders == ()


@pytest.mark.parametrize("line", ["order: stay", "Order : Stay.", "* order:stay"])
def test_an_order_may_be_labelled_as_the_text_of_play_has_it(line: str) -> None:
    assert read_reply(f"{line}\n{OLD}").orders in (("stay",), ("Stay",))


def test_an_order_beneath_a_line_that_looks_like_a_notice_is_named_and_not_lost() -> None:
    said = "I will keep it strictly confidential that the bears are next on my list, yes"
    assert "'offer 9' is in the confidentiality notice" in refused(f"{said}\noffer 9\nAnn")
    assert "'offer 9' is in the confidentiality notice" in refused(f"buy\n\n{said}\noffer 9")
    assert read_reply(f"{said}\n\noffer 9").orders == ("offer 9",)


def test_a_long_order_that_was_wrapped_is_one() -> None:
    assert read_reply("spread A1a A1b\nB1a, b1b\n\nhello").orders == ("spread A1a A1b B1a, b1b",)


# The block


@pytest.mark.parametrize(
    "text",
    [
        "lay C3 C4\nsettle A1a",
        "lay C3 C4\n\n\nsettle A1a",
        "Hi,\nlay C3 C4\nsettle A1a\nAnn",
        "lay C3 C4\nhelp\nsettle A1a",
    ],
)
def test_orders_stand_together(text: str) -> None:
    assert read_reply(text).orders == ("lay C3 C4", "settle A1a")


@pytest.mark.parametrize("end", [" " * 500 + "him a beer", "\ufdfa" * 30])
def test_a_long_line_is_never_cut_to_an_order(end: str) -> None:
    assert not is_order(f"buy{end}")


def test_talk_may_be_about_orders() -> None:
    assert read_reply("offer 12\n\nI knew that you would offer 9").talk == "I knew that you would offer 9"


def test_talk_may_stand_on_both_sides() -> None:
    reply = read_reply("Hello all,\n\noffer 12\n\nTake care!\nJake")
    assert reply == Reply(("offer 12",), (), "Hello all,\n\nTake care!\nJake", ())


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("offer 12\nBen is mean\nbuy", ["Ben is mean"]),
        ("offer 12\n\nI say\n\nbuy\nand\npass", ["I say", "and"]),
        ("offer 12\n\nofer 13", ["ofer 13"]),
        ("offer 12\noffer\nhm", ["offer"]),
        ("offer 12, 13", ["offer 12, 13"]),
        ("hi\n\noffer:: x12\n\nlay C3\n\nAnn", ["offer:: x12", "lay C3"]),
        ("offer 12?\nbuy?", ["offer 12?"]),
        ("declin\n", ["declin"]),
        ("ok, I may pass", ["ok, I may pass"]),
        ("lay C3 C4\nthen perhaps settle A1a\n\nAnn", ["then perhaps settle A1a"]),
        ("order 1: lay C3 C4\nsettle A1a", ["order 1: lay C3 C4"]),
    ],
)
def test_a_line_that_may_be_an_order_refuses_the_mail_and_is_named(text: str, named: list[str]) -> None:
    said = refused(text)
    assert all(f"'{line}'" in said for line in named)


@pytest.mark.parametrize(
    "text", ["Good luck, Ben", "Take care,\nAnn", "Nothing to say\n\nStan", "", "\n\n", "Paul, what a turn"]
)
def test_talk_is_no_order(text: str) -> None:
    assert read_reply(text).talk == text.strip()


def test_an_order_that_is_repeated_is_given_once() -> None:
    assert read_reply("buy\nbuy").orders == ("buy",)


@pytest.mark.parametrize("language", ["de", "fr", "it"])
def test_a_request_in_english_is_understood_from_whoever_reads_another_language(language: Language) -> None:
    """Though "on" is a word in French."""
    assert read_reply("go on without Claire", Context(language=language)).requests == ("go on without Claire",)


def test_more_orders_than_a_submission_may_have_are_refused() -> None:
    assert "at most 20" in refused("buy\n" * 21)


def test_a_long_text_is_refused() -> None:
    assert "lines" in refused("a\n" * (MOST_LINES + 1))


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("Help!", "help"),
        ("SHOW", "show"),
        ("rules R4.5", "rules r4.5"),
        ("join friday Ann Lee red", "join friday Ann Lee red"),
        ("absent", "absent"),
        ("absent until 2026-12-24.", "absent 2026-12-24"),
        ("news turn", "news turn"),
        ("stop", "stop"),
        ("Unsubscribe.", "stop"),
        ("options please", "options"),
        ("Help me, please!", "help"),
        ("I am absent until 2026-12-31", "absent 2026-12-31"),
        ("Hi, I\u2019ll be absent until 2026-12-31, thanks", "absent 2026-12-31"),
        ("I am back", "back"),
    ],
)
def test_a_request_is_a_line_of_its_own(line: str, request_: str) -> None:
    assert read_reply(f"hi\n{line}\nAnn").requests == (request_,)
    assert read_reply(f"hi, {line} I said, at once and so on\nAnn").requests == ()


@pytest.mark.parametrize("talk", ["I will be back", "I'm in", "thank you", "please", "help yourself", "show off"])
def test_talk_is_no_request(talk: str) -> None:
    assert read_reply(talk)[1:3] == ((), talk)


# What is old


@pytest.mark.parametrize(
    "words", ["On Mon, 3 Nov 2026 at 10:00, X <a@b> wrote:", "X <a@b> schrieb am 3.11.2026:", "3/11/2026 10:00, a@b:"]
)
def test_what_follows_an_attribution_unquoted_is_never_played(words: str) -> None:
    assert read_reply(f"buy\n\n{words}\n\noffer 9").orders == ("buy",)
    assert read_reply(f"well done\n\n{words}\noffer 9").orders == ()
    assert "'offer 9' is below" in refused(f"{words}\n\noffer 9")


def test_a_wrapped_attribution_is_no_talk() -> None:
    reply = read_reply("buy\n\nSee you\nOn Mon, 3 Nov 2026 at 10:00, X of the Club\n<a@b> wrote:\n\n> offer 9")
    assert reply == Reply(("buy",), (), "See you", ())


def test_the_marker_is_put_together_from_many_lines() -> None:
    torn = "== write your orders\nABOVE this line ==\n[friday/57/\n1a2b3c4d]\n== for red\nonly: k7m2p4q8r9s3t5v6 =="
    assert tickets_in((), (), markers_in(torn.replace("\n", "\n> > "))) == (TICKET,)


def test_a_refused_mail_still_tells_its_ticket() -> None:
    assert tickets_in((), (), markers_in(f"ofer 12\n{OLD}")) == (TICKET,)


def test_none_of_the_lines_that_begin_our_mails_is_an_order() -> None:
    assert not any(map(is_order, OLD.split("\n")[:4]))


def test_a_cleaned_line_is_clean() -> None:
    assert all(cleaned(cleaned(line)) == cleaned(line) for line in ("1. “Offer” １２ 👍.", "- - buy", "*“buy”*"))


@pytest.mark.parametrize("name", EXPECTED)
def test_no_talk_and_no_refusal_tells_a_token(name: str) -> None:
    text = read_message((REPLIES / f"{name}.eml").read_bytes()).text.replace("> ", "")
    for torn in (text, "well,\n" + "\n".join(text.split(" "))):
        try:
            said = read_reply(torn).talk
        except NotUnderstood as refusal:
            said = "\n".join((refusal.message, *(reason.message for reason in refusal.reasons)))
        assert TICKET.token not in said


@pytest.mark.parametrize(
    "form",
    [
        "mailto:pbem%2Bfriday.57.red.{0}%40x?body=buy%0A%0A%3D%3D%20for%20red%20only%3A%20{0}%20%3D%3D",
        "mailto:pbem?body=for%2520red%2520only%253A%2520{0}%2520",
        "body=3Dfor=20red=20only:=20{0}=20=3D=3D",
        "pbem+friday.57.red.{0}@x <friday.57.red.{0}.0123456789abcdef@x>",
        "my code is {1}=\n{2}, see",
        "my code is {1}\n{2}, see",
        "my code is {1} {2}, see",
        "MY CODE IS {3}",
    ],
)
def test_no_form_in_which_a_token_travels_is_told(form: str) -> None:
    token = TICKET.token
    pasted = form.format(token, token[:7], token[7:], token.upper())

    said = read_reply(f"look at this\n{pasted}").talk
    with pytest.raises(NotUnderstood) as refusal:
        read_reply(f"buy\n{pasted}\ndecline")

    for text in (said, *(reason.message for reason in refusal.value.reasons if "\n" not in pasted)):
        assert token[:7] not in text.lower()
        assert token[7:] not in text.lower()


@pytest.mark.parametrize("words", ["wherever the bears", "see them 2 or 3 more\ntests", "the best are\nred and green"])
def test_words_are_no_token(words: str) -> None:
    assert read_reply(words).talk == words


@pytest.mark.parametrize(
    "text", ["stay\noffer something", "offer something\nstay", "add B2c\nspread everywhere", "stay\ndrop it"]
)
def test_an_order_in_words_beside_an_order_refuses_the_mail(text: str) -> None:
    """Half of what was meant must not be played."""
    with pytest.raises(NotUnderstood):
        read_reply(text)


def test_a_number_may_be_a_word() -> None:
    assert read_reply("stay\noffer seven").orders == ("stay", "offer 7")


@pytest.mark.parametrize("talk", ["Take care", "Pass me the salt", "Buy you a beer", "Stay well"])
def test_talk_beside_an_order_is_talk(talk: str) -> None:
    assert read_reply(f"stay\n{talk}").orders == ("stay",)


def test_the_subject_above_a_first_line_is_ours_where_letters_are_files() -> None:
    letter = "[friday] your turn: buy or decline #29\n\nAnn, it is your turn to buy or decline. (friday/57)"
    assert read_reply(f"buy\n\n{letter}\n\nWHAT HAS HAPPENED") == Reply(("buy",), (), "WHAT HAS HAPPENED", ())
    other = letter.replace("[friday] your turn: buy or decline #29", "[monday] is the day")
    assert read_reply(other)[2] == "[monday] is the day"


def test_a_line_of_a_phone_that_is_quoted_ends_no_reply() -> None:
    said = read_reply("> Who begins?\n> Sent from my iPhone\n\nI do, of course!\noffer 9")

    assert (said.orders, said.talk) == (("offer 9",), "I do, of course!")


@pytest.mark.parametrize("talk", ["any news from Bob?", "unless it rains, see you"])
def test_talk_in_a_paragraph_below_a_plan_is_no_part_of_it(talk: str) -> None:
    said = read_reply(f"plan buy 9\n\n{talk}")

    assert (said.plan, said.talk) == (("plan buy 9",), talk)


@pytest.mark.parametrize("above", ["stay\nAnn <ann@home.example>", "thanks\nOn Tue Ann wrote"])
def test_a_plan_below_what_may_be_the_head_of_an_older_mail_is_named_and_not_kept(above: str) -> None:
    assert "plan buy 9" in refused(f"{above}\nplan buy 9")


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("de", "abwesend bis 5. Dezember, Vertretung Karl <karl@gmx.example>"),
        ("de", "Abwesend bis 5. Dezember, Vertretung Karl <karl@gmx.example>"),
        ("it", "ragazzi, scrivetemi a Niccolò <nic2@libero.example>"),
        ("en", "my new address: Ann <ann2@home.example>"),
        ("en", "write to Karl <karl@home.example>: he knows more"),
    ],
)
def test_a_sentence_with_an_address_is_no_head_of_an_older_mail(language: Language, line: str) -> None:
    assert read_reply(f"{line}\nTill Friday!", Context(language=language)).talk == f"{line}\nTill Friday!"


def test_an_order_before_an_address_in_its_line_is_asked_about() -> None:
    state = a_game(phase=Offering("green"), waiting=("green", "red"), green=a_clan(9))
    asked = Context(state, "Ann", language="it")

    assert read_reply("Passo. Scrivetemi a Niccolò <nic2@libero.example>", asked).proposed == ("pass",)


LETTER = "You have 9 food. The market has four cards today and more tomorrow. offer 9 costs you 5 food now"


@pytest.mark.parametrize(
    ("text", "orders", "talk"),
    [
        ("The market has four cards today\nLovely!", (), "Lovely!"),
        ("The market has four cards\nLovely!", (), "The market has four cards\nLovely!"),
        ("The market has four cards today\nand more tomorrow.\n\noffer 9", ("offer 9",), ""),
        ("The market has four cards today\nand more tomorrow.\noffer 9", (), ""),
        ("> You have 9 food.\noffer 9 costs you 5 food now", (), ""),
    ],
)
def test_six_words_of_our_letter_or_less_beside_them_are_not_the_writers(
    text: str, orders: tuple[str, ...], talk: str
) -> None:
    said = read_reply(text, Context(letter=lambda: LETTER))

    assert (said.orders, said.talk) == (orders, talk)


def test_a_name_is_only_put_together_with_an_address_directly_below_it() -> None:
    said = read_reply("Best Wishes\n\n[https://x.example/\nabc] is new\noffer 9")

    assert (said.orders, said.talk) == (("offer 9",), "Best Wishes\n\n[https://x.example/ abc] is new")


def test_a_colon_below_a_sentence_is_not_the_end_of_an_attribution() -> None:
    assert read_reply("I like my bears\n:\noffer 9").talk == "I like my bears\n:"


@pytest.mark.parametrize(
    ("name", "language", "end"),
    [
        ("Hans", "de", "MfG\nHans Müller\nMusterstr. 8\n10115 Berlin"),
        ("Ann", "en", "Best regards,\nAnn Smith\nAcme Corp\nTel. +44 20 1234"),
        ("Luc", "fr", "Bises\n\nLuc Martin\n8 rue de la Paix"),
        ("Gina", "it", "Cordiali saluti\nGina Rossi\nVia Roma 8"),
        ("Ann", "en", "Cheers\nAnn"),
        ("Élodie", "fr", "Élodie\n\nÉlodie Dubois\nTél : 06 12 34 56 78"),
        ("Élodie", "fr", "Élodie Dubois\n+33 6 12 34 56 78\n12 rue des Lilas\n75011 Paris"),
        ("Élodie", "fr", "Bien à vous,\nÉlodie DUBOIS\nDirectrice"),
        ("Élodie", "fr", "Bises\nÉlodie\n\nCordialement,\nÉlodie Dubois\n06 12 34 56 78"),
        ("Élodie", "fr", "Amicalement, Élodie"),
        ("Niccolò", "it", "Niccolò Rossi\nVia Roma 12\n20100 Milano\ntel 02 123456"),
        ("Niccolò", "it", "Un abbraccio, Niccolò"),
        ("Niccolò", "it", "Ciao\nNic"),
        ("Niccolò", "it", "Grazie e buona giornata\nNiccolò"),
        ("Niccolò", "it", "Buona serata a tutti\nN. Rossi"),
        ("Niccolò", "it", "Distinti saluti\nDott. Niccolò Rossi"),
        ("Jürgen", "de", "Mit freundlichen Grüßen\ni.A. Jürgen Müller\nMüller GmbH\nTel: 089/123456"),
        ("Jürgen", "de", "LG Jürgen M."),
        ("Jürgen", "de", "VG\nJ."),
        ("Jürgen", "de", "Liebe Grüße aus München\nJürgen"),
        ("Jürgen", "en", "VG Jürgen"),
    ],
)
def test_how_a_writer_signs_is_told_to_nobody(name: str, language: Language, end: str) -> None:
    reply = read_reply(f"offer 8\nHi all!\n\n{end}", Context(name=name, language=language))

    assert (reply.orders, reply.talk) == (("offer 8",), "Hi all!")


@pytest.mark.parametrize(
    "text",
    [
        "défausse 7\n\nCordialement,\nÉlodie Dubois\n06 12 34 56 78",
        "montre\ndéfausse 7\n\nBises\nÉlodie\n06 12 34 56 78",
    ],
)
def test_a_telephone_number_beneath_the_name_is_no_order(text: str) -> None:
    state = a_game(phase=Dropping("green"), green=a_clan(9, cards=(7, 8, 10, 11)))

    reply = read_reply(text, Context(state, "Élodie", language="fr"))

    assert (reply.orders, reply.talk) == (("drop 7",), "")


@pytest.mark.parametrize("order", ["offer 9", "Offer 9", "Pass"])
def test_an_order_beneath_the_name_is_no_part_of_the_signature(order: str) -> None:
    assert read_reply(f"Hi all!\n\nBest regards\nAnn\n{order}", Context(name="Ann")).orders == (order,)


@pytest.mark.parametrize(
    "end",
    [
        "Thanks\nBob\nNice move",
        "Thanks\nAnn\nPS: Nice Move Bob 2",
        "Thanks\nAnn\nI want 2 more days",
        "Thanks\nAnn\nGood luck",
        "Thanks Bob",
        "Thanks!",
        "Regards to Bob",
        "Best regards",
        "LG",
        "Regards\nAnn\nPS: well done, Bob",
        "Ann\nTel 9",
        "Ann",
        "Ann\nNice 8",
    ],
)
def test_what_stands_beneath_a_name_and_may_be_talk_is_told(end: str) -> None:
    reply = read_reply(f"offer 8\nHi all!\n\n{end}", Context(name="Ann"))

    assert reply.talk == f"Hi all!\n\n{end}"
