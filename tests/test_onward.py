"""What is played without anybody being asked, and for whom a clone plays: what only few games come to."""

from types import SimpleNamespace
from typing import Any

import pytest
from tables import a_table

from pbem.carriers.git import identity
from pbem.errors import NoSuchFile, PbemError
from pbem.first_sparks.moves import Move, Pass
from pbem.first_sparks.record import Record
from pbem.plans import answers
from pbem.plans.answers import agreeing, played_on


def passes(_: Record, __: str) -> Move:
    return Pass()


def nothing(_: Record, __: str) -> None: ...


@pytest.mark.parametrize("keeps_secret", [False, True])
def test_an_answer_that_needs_a_draw_waits_for_the_secret_and_who_keeps_it_tries_again(
    monkeypatch: pytest.MonkeyPatch, *, keeps_secret: bool
) -> None:
    def no_secret(*_: object) -> None:
        raise NoSuchFile("the secret is not here")

    monkeypatch.setattr(answers, "played", no_secret)
    record = a_table(8).table.kept

    if keeps_secret:
        with pytest.raises(PbemError, match="the secret is not here"):
            played_on(record, {}, None, passes, keeps_secret=True)
    else:
        assert played_on(record, {}, None, passes).record == record


def test_bots_agree_to_the_end_once_all_people_have() -> None:
    record = a_table(8).table.kept
    one, two, bot = (clan.colour for clan in record.state.clans)

    def after(*agreed: str) -> list[str]:
        now = record._replace(state=record.state._replace(agreed=agreed))
        return [colour for colour, _, _ in agreeing(now, {bot}, None, nothing).answers]

    assert after() == after(one) == after(two) == []
    assert after(one, two) == [bot]


@pytest.mark.parametrize(("signs", "plays"), [(1, "the one"), (2, "the asked one"), (0, "nobody")])
def test_a_key_that_signs_for_several_plays_for_who_is_asked(
    monkeypatch: pytest.MonkeyPatch, signs: int, plays: str
) -> None:
    record = a_table(8).table.kept
    asked = str(record.asked)
    other, third = (colour for colour, _ in record.players if colour != asked)
    found = {1: [other], 2: [other, asked], 0: [other, third]}[signs]
    monkeypatch.setattr(identity, "who_signs", lambda *_: found)
    monkeypatch.setattr(identity, "key_in", lambda _: "key")
    monkeypatch.setattr(identity, "_public_key", lambda *_: "key")
    clone: Any = SimpleNamespace(settings={})
    point: Any = SimpleNamespace(seated=record, signers=b"")

    player = identity.player_in(clone, point, "")

    assert player == {"the one": other, "the asked one": asked, "nobody": ""}[plays]
