"""What players read about plans and early answers when something is in their way."""

import os
from pathlib import Path

import pytest
from test_waves import Wave, told

from pbem.club import host
from pbem.first_sparks.phases import Answering


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No power fails here."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def offer(tmp_path: Path) -> Wave:
    """Three are asked about a card that all of them can buy."""
    return Wave(tmp_path / "club", 4, board="recommended").until(Answering, 3)


@pytest.mark.parametrize("words", ["buy if nobody wants it", "I'd buy it, but only if nobody wants it."])
def test_without_waves_a_condition_is_a_plan_and_the_refusal_says_how(tmp_path: Path, words: str) -> None:
    game = Wave(tmp_path / "club", 4, board="recommended", waves=False).until(Answering, 1)
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
