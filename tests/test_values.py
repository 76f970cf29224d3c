"""States, clans and records are values: copies with changes, equal if they say the same."""

import pickle
from copy import deepcopy
from random import Random

import pytest
from bots import SECRET, a_choice, a_new_record, random_play
from builders import a_clan, a_game

from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.play import played
from pbem.first_sparks.proof import verify
from pbem.first_sparks.record import Lines, Record, next_head


def test_a_state_is_a_value() -> None:
    game, same = a_game(green=a_clan(food=3)), a_game(green=a_clan(food=3))

    assert game == same
    assert hash(game) == hash(same)
    assert game != game._replace(idle=game.idle + 1)
    assert game != "a state"
    assert pickle.loads(pickle.dumps(game)) == game  # noqa: S301 -- our own
    assert len(repr(game)) < 200


def test_a_clan_is_a_value() -> None:
    clan = a_clan(food=3)

    assert clan == a_clan(food=3)
    assert hash(clan) == hash(a_clan(food=3))
    assert clan.with_food(4) == clan._replace(food=4) != clan
    assert clan != "a clan"
    assert pickle.loads(pickle.dumps(clan)) == clan  # noqa: S301 -- our own
    assert "food=3" in repr(clan)


def test_what_is_no_field_cannot_be_changed() -> None:
    for value in (a_game(), a_clan(), a_game().market, a_game().pile):
        with pytest.raises(TypeError, match="foot"):
            value._replace(foot=1)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def test_the_market_and_the_pile_are_values() -> None:
    for value, same, name in ((a_game().market, a_game().market, "places"), (a_game().pile, a_game().pile, "never")):
        more = value._replace(**{name: getattr(value, name) + 1})

        assert value == same != more
        assert hash(value) == hash(same)
        assert getattr(more, name) == getattr(value, name) + 1
        assert pickle.loads(pickle.dumps(value)) == value  # noqa: S301 -- our own
        assert f"{name}=" in repr(value)
        assert value._asdict().keys() == {*value._fields}


def test_a_log_is_the_same_whenever_it_is_made() -> None:
    """At every line, as when it is read again from a file, or at the end of the game."""
    *_, (asked, _, _) = asked_for = list(random_play(a_new_record(3), Random(1)))
    *_, (left, _, _) = random_play(a_new_record(3), Random(1))

    assert [record.log for record, _, _ in asked_for][-1] == left.log
    assert (asked.head, asked.history, asked.lines) == (left.head, left.history, left.lines)
    assert hash(asked.lines) == hash(left.lines)
    assert verify(left) == len(left.log)


def test_a_game_whose_log_was_not_asked_for_can_be_copied_and_sent_to_another_process() -> None:
    """Only what was made of it is sent: a chain of a thousand turns would be too deep."""
    before, draw = a_new_record(3, "friday"), source("friday", SECRET)
    left = before
    for _ in range(12):
        left = played(left, of(left), a_choice(left.state, Random(3)), draw)[0]
    copy, sent = deepcopy(left), pickle.loads(pickle.dumps(left))  # noqa: S301 -- our own

    assert copy == sent == left
    assert (copy.log, copy.head, copy.history) == (sent.log, sent.head, sent.history)
    assert verify(sent) == len(left.log)
    assert left.lines.__reduce__() == (Lines, (left.history, left.log, left.lines.heads))


def test_games_that_part_have_logs_of_their_own() -> None:
    before, draw = a_new_record(3, "friday"), source("friday", SECRET)
    one, other = (played(before, of(before), a_choice(before.state, Random(n)), draw)[0] for n in (1, 2))

    assert before.log == one.log[: len(before.log)] == other.log[: len(before.log)]
    assert (one.lines != other.lines) == (one.log != other.log)
    assert Lines((), (), ("0",)).then((), ("1 red pass",)).head == next_head("0", "1 red pass")


def of(record: Record) -> str:
    """Return who decides."""
    return who_decides(record.state) or ""
