"""What players read about plans and early answers when something is in their way."""

import os
from pathlib import Path

import pytest
from test_waves import Wave, told

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
