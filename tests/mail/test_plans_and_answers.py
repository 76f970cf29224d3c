"""What players read about plans and early answers when something is in their way."""

import os
import re
from pathlib import Path

import pytest
from people import nothing_quoted, reply
from planners import Wave, a_wave, an_offer, told

from pbem.carriers.mail.take import take
from pbem.carriers.rebuild import compare, rebuilt
from pbem.club import host
from pbem.club.store import load, read_talk
from pbem.first_sparks.phases import Answering


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No power fails here."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def offer(tmp_path: Path) -> Wave:
    """Three are asked about a card that all of them can buy."""
    return an_offer(tmp_path / "club")


@pytest.mark.parametrize("words", ["buy if nobody wants it", "I'd buy it, but only if nobody wants it."])
def test_without_waves_a_condition_is_a_plan_and_the_refusal_says_how(tmp_path: Path, words: str) -> None:
    game = a_wave(tmp_path / "club", 4, Answering, 1, waves=False)
    (asked,) = game.desk.asked
    question, card = game.inbox[asked], game.record.state.phase.card  # type: ignore[union-attr]

    verdict, (letter,) = game.say(asked, words)

    assert verdict.code == "refused"
    assert "can only be said as a plan" in told(letter)
    assert "looks like an order" not in told(letter)
    line = f"plan buy {card} {'only ' * ('only' in words)}if nobody wants it".replace("only ", "")
    assert f"({line})" in told(letter)
    assert game.send(asked, line, question, number=1).code in ("played", "planned")


def test_after_a_takeback_only_the_owner_of_an_early_answer_hears_that_it_is_over(offer: Wave) -> None:
    _, second, third = offer.order
    card = offer.record.state.phase.card  # type: ignore[union-attr]
    offer.say(third, "decline")
    offer.say(second, "wait")
    before = len(offer.letters)

    host.take_back(offer.club, offer.table)
    offer.fetch()

    over = f'Your answer "decline {card}" is over, because the game was taken back.'
    letters = offer.letters[before:]
    assert len(letters) == 4
    assert [mail.to for mail in letters if over in told(mail)] == [f"{third}@x.example"]
    assert not any("Your answer" in told(mail) for mail in letters if mail.to != f"{third}@x.example")


def with_subject(raw: bytes, subject: str) -> bytes:
    """Return a mail with another subject."""
    return re.sub(rb"(?m)^Subject: .*$", f"Subject: {subject}".encode(), raw, count=1)


@pytest.mark.parametrize("subject", ["plan {card}", "Re: plan {card}", "Re: [friday] plan {card}"])
def test_a_plan_in_the_subject_alone_is_kept(offer: Wave, subject: str) -> None:
    *_, third = offer.order
    card = offer.record.state.phase.card  # type: ignore[union-attr]
    raw = reply(offer.inbox[third].mail, "", beneath=nothing_quoted)

    verdict = take(offer.club, with_subject(raw, subject.format(card=card)))
    (letter,) = offer.fetch()

    assert verdict.code == "planned"
    assert "I have kept your plan." in told(letter)
    assert load(offer.club, offer.table).ahead[third].plan
    compare(offer.table, rebuilt(offer.club, offer.table)[0].record)


def test_a_plan_in_the_subject_that_cannot_be_read_is_refused_and_told_to_nobody(offer: Wave) -> None:
    *_, third = offer.order
    raw = reply(offer.inbox[third].mail, "Hello all", beneath=nothing_quoted)

    verdict = take(offer.club, with_subject(raw, "plan 99"))
    (letter,) = offer.fetch()

    assert (verdict.code, letter.to) == ("refused", f"{third}@x.example")
    assert "card 99 is never in the market" in told(letter)
    assert not read_talk(offer.table)


def test_a_later_reply_with_words_does_not_repeat_the_plan_in_its_subject(offer: Wave) -> None:
    *_, third = offer.order
    raw = reply(offer.inbox[third].mail, "Well played, all!", beneath=nothing_quoted)

    assert take(offer.club, with_subject(raw, "Re: plan 7")).code == "empty"

    assert [saying.text for saying in read_talk(offer.table)] == ["Well played, all!"]


def test_an_early_answer_in_the_subject_alone_is_kept(offer: Wave) -> None:
    *_, third = offer.order
    raw = reply(offer.inbox[third].mail, "", beneath=nothing_quoted)

    assert take(offer.club, with_subject(raw, "Re: [friday] buy if nobody wants it")).code == "planned"
    assert third not in offer.desk.asked


@pytest.mark.parametrize("wrong", ["spread A1a", "plan 99", "buy\nor what was it called\ndecline"])
@pytest.mark.parametrize(
    ("words", "still"),
    [
        ("decline", 'Your earlier answer "decline {card}" still counts.'),
        ("wait", "You will still get a letter when the others have answered."),
        ("", ""),
    ],
)
def test_a_refusal_says_that_an_earlier_answer_still_counts(offer: Wave, words: str, still: str, wrong: str) -> None:
    *_, third = offer.order
    question, card = offer.inbox[third], offer.record.state.phase.card  # type: ignore[union-attr]
    if words:
        offer.send(third, words, question)

    assert offer.send(third, wrong, question, number=1).code == "refused"

    says = told(offer.letters[-1])
    assert still.format(card=card) in says
    assert bool(words) == ("still" in says)
    assert (third in offer.desk.asked) == (not words)


@pytest.mark.parametrize(
    ("words", "subject"),
    [
        ("wait", "[friday] not possible now"),
        ("decline\nplan 99", "[friday] not played: your message is unclear"),
        ("plan 99", "[friday] not kept: your plan is unclear"),
    ],
)
def test_only_an_unclear_message_is_called_unclear(offer: Wave, words: str, subject: str) -> None:
    first, *_ = offer.order

    verdict, (letter,) = offer.say(first, words)

    assert (verdict.code, letter.subject) == ("refused", subject)


def test_two_orders_before_the_own_turn_are_clear_but_cannot_be_kept(offer: Wave) -> None:
    *_, third = offer.order

    verdict, (letter,) = offer.say(third, "buy\ndrop 7")

    assert (verdict.code, letter.subject) == ("refused", "[friday] not possible now")
    assert "so only one order can be kept for your turn" in told(letter)


def test_who_is_away_in_a_wave_has_the_question_once_and_the_others_are_told_once(offer: Wave) -> None:
    first, second, third = offer.order
    question, begun = offer.inbox[third], len(offer.letters)

    offer.send(third, "absent until 2026-12-31", question)
    assert [mail.to for mail in offer.letters[begun:]] == [f"{third}@x.example"]

    offer.say(second, "decline")
    _, found = offer.say(first, "decline")
    assert offer.desk.asked == (third,)
    name = offer.record.state.clan(third).player
    others = [mail for mail in offer.letters[begun:] if f"{name} ({third}) is away until Thu 31 Dec" in told(mail)]
    assert sorted(mail.to for mail in others) == sorted(
        f"{colour}@x.example" for colour, _ in offer.record.players if colour != third
    )
    assert {mail.subject for mail in others} >= {f"[friday] {name} is away"}
    assert f"{third}@x.example" not in [mail.to for mail in found]

    assert offer.send(third, "decline", question, number=1).code == "played"
