# ruff: noqa: RUF001 -- the colons and brackets of many programs are meant
"""An order of an older mail is not played again, in whatever way a program puts it beneath the new words."""

import pytest

from pbem.errors import NotUnderstood
from pbem.reading.context import Context
from pbem.reading.decide import read_reply

ADDRESS = "ann.private@home.example"
# What stands above the mail that is answered, where a program does not mark it as quoted.
HEADS = {
    "French": f"De : Ann<mailto:{ADDRESS}>\nEnvoyé le : lundi 2 novembre 2026 10:00",
    "French, bold": f"*De :* Ann<mailto:{ADDRESS}>\n*Envoyé le :* lundi 2 novembre 2026 10:00",
    "French, no-break": f"De\u00a0: Ann<mailto:{ADDRESS}>\nEnvoyé le\u00a0: lundi 2 novembre 2026\nÀ\u00a0: x",
    "French, close": f"De :Ann<mailto:{ADDRESS}>\nEnvoyé le :lundi 2 novembre 2026 10:00",
    "French, apart": f"De : Ann<mailto:{ADDRESS}>\n\nEnvoyé le : lundi 2 novembre 2026 10:00",
    "wrote without a colon": f"On Mon, Nov 2, 2026 at 10:00 AM Ann <{ADDRESS}> wrote",
    "wrote without a date": "On Monday, Ann Lee wrote",
    "wrote, wrapped": f"On Mon, Nov 2, 2026 at 10:00 AM\nAnn <{ADDRESS}>\nwrote",
    "wrote, dots": f"{ADDRESS} wrote ...",
    "German without a colon": "Am 02.11.26 um 10:00 schrieb Ann Lee",
    "French without a colon": "Le 2 nov. 2026 à 10:00, Ann Lee a écrit",
    "odd brackets": f"Ann ‹ mailto:{ADDRESS} > wrote:",
    "odd brackets alone": f"‹ mailto:{ADDRESS} > wrote:",
    "spaced brackets": f"< mailto:{ADDRESS} > wrote:",
    "Reply Message": "-----Reply Message-----",
    "Reply Message, spaced": "----- Reply Message -----",
    "Antwort Nachricht": "-----Antwort Nachricht-----",
    "Mesaj original": "-------- Mesaj original --------",
    "Date and To": f"Date: Mon, 2 Nov 2026 10:00:00 +0100\nTo: {ADDRESS}",
    "Date and To, apart": f"Date: Mon, 2 Nov 2026 10:00:00 +0100\n\nTo: {ADDRESS}",
    "Sent and Subject": "Sent: Monday, 2 November 2026 10:00\nSubject: Re: [friday] refused",
    "ISO date and name": "2016-03-03 17:21 GMT+01:00 Some One",
    "ISO date, name, address": f"2016-03-03 17:21 GMT+01:00 Some One <{ADDRESS}>",
    "ISO date, name, address, colon": f"2016-03-03 17:21 GMT+01:00 Some One <{ADDRESS}>:",
    "date alone": "2 Nov 2026, 10:00",
    "name and address": f"Ann Lee <{ADDRESS}>",
    "address alone": f"<{ADDRESS}>",
    "name, address, day": f"Ann Lee {ADDRESS} 2.11.",
    "words, address, colon": f"My mail of yesterday (Ann Lee, {ADDRESS}):",
    "our subject": "Betreff: Aw: [friday] your turn: offer a card or pass",
    "Finnish": f"Aihe: Re: [friday]\nPäiväys: 2.11.2026 10:00\nVastaanottaja: {ADDRESS}",
    "Welsh": f"Oddi wrth: Ann <{ADDRESS}>\nDyddiad: 2 Tach 2026",
    "Chinese": f"发件人：Ann <{ADDRESS}>\n日期：2026年11月2日",
    "Croatian": "Šalje: Ivo Ivić\nPoslano: ponedjeljak, 2. studenog 2026. 10:00\nPrima: Ann\nCc: Bob\nPredmet: x",
    "Slovak": "Odosielateľ: Ivo\nDátum: 2. 11. 2026 10:00\nPredmet: x",
    "Absender": "Absender: Bernd\nDatum: 02.11.2026 10:00",
    "Sender": "Sender: Bob\nRecipient: Ann\nDate: 2 Nov 2026 10:00",
    "BBCode": "[quote=Ann Lee]",
    "Chinese day": "2026年11月2日 Ann",
    "Chinese day and time": "2026年11月2日 下午10:00 Ann",
    "Begin forwarded message": "Begin forwarded message:",
    "Anfang der Nachricht": "Anfang der weitergeleiteten Nachricht:",
    "From alone": f"From: {ADDRESS}",
    "the own name": "Ann",
    "bracketed": "[Original message]",
    "bracketed, German": "[Ursprüngliche Nachricht]",
    "name, English month": "Ann Lee, 3 Nov:",
    "English month": "Nov 3rd",
    "English day and month": "Tuesday, November 3",
}
ASKED = Context(name="Ann", given=frozenset(("offer 9",)))
NO_HEADER = {"the own name", "Chinese day", "name, English month", "English month", "English day and month"}


@pytest.mark.parametrize("name", HEADS)
@pytest.mark.parametrize("above", ["", "well done\n\n", "Hi all,\nthat was a round\n"])
def test_an_old_order_beneath_what_looks_like_a_header_is_not_played(name: str, above: str) -> None:
    try:
        reply = read_reply(f"{above}{HEADS[name]}\n\noffer 9\n", ASKED)
    except NotUnderstood:
        return
    assert reply.orders == ()
    assert ADDRESS not in reply.talk
    assert name in NO_HEADER or not any(line in reply.talk for line in HEADS[name].split("\n") if line)


@pytest.mark.parametrize("name", HEADS)
def test_an_order_above_it_is_played_or_both_are_refused(name: str) -> None:
    try:
        reply = read_reply(f"buy\n\n{HEADS[name]}\n\noffer 9\n", ASKED)
    except NotUnderstood:
        return
    assert reply.orders in (("buy",), ())


@pytest.mark.parametrize("name", HEADS)
def test_an_order_above_it_alone_is_played_and_no_header_is_told(name: str) -> None:
    reply = read_reply(f"buy\nwell done\n\n{HEADS[name]}\n\n> You have 9 food.\n> offer 9\n", ASKED)

    assert reply.orders == ("buy",)
    assert ADDRESS not in reply.talk
    assert reply.talk.startswith("well done")


@pytest.mark.parametrize(
    "headers", [HEADS["Date and To"], HEADS["French"], "From: Ann\nSent: Mon, 2 Nov 2026\nTo: x\nSubject: [friday]"]
)
@pytest.mark.parametrize(
    ("own", "read"),
    [
        ("buy\nBob: nice move", (("buy",), (), (), "Bob: nice move")),
        ("buy\nPlan: 9 8 else pass", (("buy",), ("Plan: 9 8 else pass",), (), "")),
        ("buy\nNote: Bob bluffs", (("buy",), (), ("note Bob bluffs",), "")),
        ("My order: buy", (("buy",), (), (), "")),
    ],
)
def test_what_is_written_directly_above_the_headers_is_read(headers: str, own: str, read: tuple[object, ...]) -> None:
    reply = read_reply(f"{own}\n\n{headers}\n\nYou have 9 food.\noffer 9\n", ASKED)

    assert (reply.orders, reply.plan, reply.requests, reply.talk) == read


@pytest.mark.parametrize("own", ["Where: Rome\nWhen: 29 Nov 2026 20:00", "Bob: see you on 29.11.2026\nCara: ok!"])
def test_own_lines_with_a_name_and_a_date_are_no_headers(own: str) -> None:
    reply = read_reply(f"buy\n\n{own}\n\nplan 9 8", ASKED)

    assert (reply.orders, reply.plan, reply.talk) == (("buy",), ("plan 9 8",), own)


@pytest.mark.parametrize("order", ["offer 9", "Offer #9.", "I offer 9"])
@pytest.mark.parametrize("day", ["2026-12-24", "24.12.", "2026年12月24日"])
def test_an_order_given_before_is_asked_about_beneath_a_date_or_a_name(order: str, day: str) -> None:
    above = f"We meet on {day} at the lake\n\n"

    again = read_reply(above + order, ASKED)
    first = read_reply(above + order, ASKED._replace(given=frozenset()))

    assert again.orders == ()
    assert again.proposed == ((order.rstrip("."),) if order[0] in "oO" else ("offer 9",))
    assert first.orders == again.proposed


@pytest.mark.parametrize(
    "talk",
    [
        "In 2024 Bob wrote a book about bears",
        "See you on 2026-12-24 at 18:00 at the lake house",
        "My list: bears, fish",
        "Next round: Friday 20:15 at my place?",
        "Bears: 3\nFish: 2",
        "I wrote to Bob",
        "We meet in May, and in March 3 of us were ill",
        "[sigh]",
        "*** well done ***",
        "To Bob: that was mean",
        "http://example.org/rules",
    ],
)
def test_talk_about_dates_and_lists_is_told(talk: str) -> None:
    assert read_reply(f"{talk}\n\nbuy").talk == talk
    assert read_reply(f"buy\n\n{talk}").orders == ("buy",)
