"""Several orders in one message: the news count from the first of them, and two answers to one question are told."""

from functools import cache
from pathlib import Path
from random import Random

import pytest
from bots import SECRET, a_new_record, random_play
from clubs import a_club, a_table, an_order, letters, play, the_asked, the_record
from people import Mail, reply

from pbem import game_files, report, rulings
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.carriers.rebuild import compare, rebuilt
from pbem.cli import app as cli
from pbem.club import host
from pbem.errors import NotUnderstood, NotYourTurn, PbemError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.events import MembersPlaced, Passed
from pbem.first_sparks.phases import Answering, Offering, Phase, Spreading, TakingOrDiscarding
from pbem.first_sparks.play import played
from pbem.first_sparks.record import Record
from pbem.loading import Submission

BOTH = ("pass", "stay")


def takes_both(record: Record) -> bool:
    """Return whether the player can pass and then stay without anybody else or chance between."""
    by = who_decides(record.state)
    if not isinstance(record.state.phase, Offering) or by is None:
        return False
    after = rulings.judge(record, Submission(("pass",), by), None).record
    return who_decides(after.state) == by and isinstance(after.state.phase, Spreading)


@cache
def games() -> tuple[Record, ...]:
    """Return games in which the player can give two orders at once."""
    every = (record for n in range(12) for record, _, _ in random_play(a_new_record(3, board="recommended"), Random(n)))
    return tuple({record.head: record for record in every if takes_both(record)}.values())


def asked_again(record: Record, by: str) -> Record:
    """Return the game at the next question to that player."""
    while (asked := who_decides(record.state)) not in (None, by):
        move = next(main_choices(record.state)).move
        record, _ = played(record, asked or "", move, source(record.game, SECRET))
    return record


def test_the_next_own_text_tells_the_news_of_all_orders_that_were_sent_together() -> None:
    assert len(games()) > 2
    for record in games():
        by = who_decides(record.state) or ""
        after = rulings.judge(record, Submission(BOTH, by), source(record.game, SECRET)).record

        history = rulings.since(asked_again(after, by), by)

        assert [str(entry.move) for entry, _ in history if entry.by == by] == [*BOTH]
        events = [event for _, state in history for event in state.events]
        assert Passed(by) in events
        assert MembersPlaced(by, (), 0) in events


def test_a_draw_or_another_player_between_two_orders_parts_the_news() -> None:
    """An order after a draw is never in the same submission."""
    for record, _, _ in random_play(a_new_record(3), Random(3)):
        for colour in record.state.order:
            history = rulings.since(record, colour)
            own = [number for number, (entry, _) in enumerate(history) if entry.by == colour]
            assert {entry.by for entry, _ in history[: max(own, default=0)]} <= {colour, "*"}
            assert not any(entry.clan == "*" for entry, _ in history[: max(own, default=0)])


def a_club_that_takes_both(folder: Path) -> tuple[MailClub, Mail]:
    """Return a club in which the player can give two orders at once, and the question."""
    for seed in range(7, 30):  # seven games before have no such question
        club = a_club(folder / str(seed))
        while not takes_both(record := the_record(club)) and who_decides(record.state) and record.turn < 60:
            play(club, record.turn + 1, seed=seed * 100 + record.turn)
        if takes_both(record):
            return club, next(mail for mail in letters(club) if mail.asks)
    raise AssertionError("no game was found")


def news_of(mail: Mail) -> str:
    return " ".join(mail.text.partition("WHAT HAS HAPPENED")[2].partition("\nBOARD")[0].split())


def next_question(club: MailClub, to: str) -> Mail:
    """Return the next question to a player, with everybody else answering theirs."""
    mails = letters(club)
    while (asked := next(mail for mail in mails if mail.asks)).to != to:
        assert take(club, reply(asked, an_order(asked))).code == "played"
        mails = letters(club)
    return asked


@pytest.mark.slow
def test_by_mail_the_news_count_from_the_message(tmp_path: Path) -> None:
    """Two orders in one mail are both told; of two in two mails only the last, since the first was told before."""
    club, asked = a_club_that_takes_both(tmp_path)
    name = the_asked(club).name
    passed = f"{name} ({the_asked(club).colour}) passes"

    verdict = take(club, reply(asked, "pass\nstay"))

    assert verdict.code == "played"
    assert passed in news_of(next_question(club, asked.to))
    compare(a_table(club), rebuilt(club, a_table(club))[0].record)

    host.take_back(club, a_table(club), (verdict.turn or 0) - len(BOTH))
    again = next(mail for mail in letters(club) if mail.asks)
    assert again.to == asked.to
    assert take(club, reply(again, "pass")).code == "played"
    again = next(mail for mail in letters(club) if mail.asks)
    assert passed in news_of(again)
    assert take(club, reply(again, "stay")).code == "played"
    assert passed not in news_of(next_question(club, asked.to))


# Two answers to one question


def a_question(kind: type[Phase], players: int) -> Record:
    every = (record for n in range(20) for record, _, _ in random_play(a_new_record(players), Random(n)))
    return next(record for record in every if isinstance(record.state.phase, kind))


@pytest.mark.parametrize(("kind", "players"), [(Answering, 3), (TakingOrDiscarding, 2)])
def test_both_example_lines_sent_back_are_two_answers_to_one_question(
    kind: type[Phase], players: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = a_question(kind, players)
    path, move = tmp_path / "game.toml", tmp_path / "move.txt"
    path.write_text(game_files.text_of(record, "toml"), encoding="utf-8")
    by = who_decides(record.state) or ""
    text = report.text_for(record, by, unicode=False)
    move.write_text(text.partition("YOUR ANSWER\n")[2], encoding="utf-8")
    before = path.read_bytes()

    assert cli.run(["play", str(path), str(move), "--as", by]) == 65

    said = capsys.readouterr().err
    first, second = (choice.order for choice in main_choices(record.state))
    assert "you answered one question twice: send one order" in said
    assert f'send either "{first}" or "{second}"' in said
    assert "chance" not in said
    assert path.read_bytes() == before


@pytest.mark.parametrize("orders", [("pass", "pass"), ("pass", "offer 7")])
def test_a_second_answer_after_a_pass_is_one_too_many(orders: tuple[str, str]) -> None:
    record = a_question(Offering, 3)

    with pytest.raises(NotUnderstood, match="one question twice"):
        rulings.judge(record, Submission(orders, who_decides(record.state) or ""), None)


def test_orders_that_may_follow_each_other_are_no_two_answers() -> None:
    """After an offer there may be another one, and the neutral clan is settled before the own one."""
    record = a_question(Offering, 3)
    by = who_decides(record.state) or ""
    offers = [choice.order for choice in main_choices(record.state)][:2]
    with pytest.raises(NotYourTurn):
        rulings.judge(record, Submission((*offers, "pass"), by), None)

    two = next(r for r, _, _ in random_play(a_new_record(2, board="recommended"), Random(1)))
    by = who_decides(two.state) or ""
    first = next(main_choices(two.state)).order
    with pytest.raises(PbemError) as refused:
        rulings.judge(two, Submission((first, "settle Z9z"), by), None)
    assert "twice" not in refused.value.message


def test_by_mail_two_answers_are_refused_with_the_question(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    while not isinstance(the_record(club).state.phase, Answering):
        play(club, the_record(club).turn + 1)
    asked = next(mail for mail in letters(club) if mail.asks)
    before = a_table(club).game.read_bytes()

    assert take(club, reply(asked, "buy\ndecline")).code == "refused"

    (answer,) = letters(club)
    assert "you answered one question twice: send one order" in " ".join(answer.text.split())
    assert a_table(club).game.read_bytes() == before
