"""Plans when the host or the clock acts: each is kept, rests, waits or is over, and only its owner is told."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from bots import a_sensible_choice
from clubs import ANN, BOB, CY, a_club, a_table, an_order, kept, letters, terms, the_record, ticked, tree
from people import Mail, reply

from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.carriers.rebuild import compare, rebuilt
from pbem.cli.app import run
from pbem.club import deadlines, host
from pbem.club.folder import read_roster
from pbem.club.journal import journal_rows
from pbem.club.status import rows_of, table_lines
from pbem.errors import TryAgain
from pbem.first_sparks.phases import Answering, Offering, Spreading
from pbem.first_sparks.plans.plan import TECHNOLOGY
from pbem.first_sparks.state import GameState
from pbem.table.messages.verdict import Verdict
from pbem.table.table import decides

ADDRESSES = {"green": ANN, "red": BOB, "blue": CY}
LOOK = 'look = "12 hours"\n'
SUB = "sub@x.example"


def play_until(club: MailClub, reached: Callable[[GameState], bool], seed: int = 1) -> None:
    """Let people answer sensibly until the game is there; the outbox is empty then."""
    random = Random(seed)
    while not reached((record := the_record(club)).state):
        assert says(club, decides(record), str(a_sensible_choice(record.state, random))).code == "played"
    letters(club)


def asks(club: MailClub, colour: str) -> Mail:
    """Return a new letter to a player, and empty the outbox."""
    host.resend(club, a_table(club), to_all=True)
    player = read_roster(a_table(club)).player(colour)
    assert player is not None
    return next(mail for mail in letters(club) if mail.to == player.reader)


def says(club: MailClub, colour: str, words: str) -> Verdict:
    """Let a player answer a new letter; what is sent then stays in the outbox."""
    return take(club, reply(asks(club, colour), words))


def sent(club: MailClub) -> dict[str, Mail]:
    """Return the letters in the outbox by address, at most one to each, and empty it."""
    found = letters(club)
    assert len({mail.to for mail in found}) == len(found)
    return {mail.to: mail for mail in found}


def text(mail: Mail) -> str:
    return " ".join(mail.text.split())


def is_sound(club: MailClub) -> bool:
    """Return whether the game can be rebuilt from its mails."""
    compare(a_table(club), rebuilt(club, a_table(club))[0].record)
    return True


@pytest.fixture(scope="module")
def offering(tmp_path_factory: pytest.TempPathFactory) -> MailClub:
    """A club with a game in which the second of three is about to offer a card."""
    made = a_club(tmp_path_factory.mktemp("offering") / "club")
    play_until(made, lambda state: isinstance(state.phase, Offering))
    return made


@pytest.fixture
def club(offering: MailClub, tmp_path: Path) -> MailClub:
    """A copy of that club."""
    shutil.copytree(offering.folder, tmp_path / "club")
    return offering.changed(folder=tmp_path / "club")


def others(club: MailClub) -> tuple[str, str]:
    """Return the two who do not decide, in player order."""
    state = the_record(club).state
    first, second = (colour for colour in state.order if colour != decides(the_record(club)))
    return first, second


# Taking back


def test_after_a_takeback_all_plans_are_over_and_only_their_owners_are_told(club: MailClub) -> None:
    mine, other = others(club)
    says(club, mine, "plan pass\nalways drop least")
    says(club, other, "always decline 41")
    says(club, decides(the_record(club)), an_order(asks(club, decides(the_record(club)))))
    letters(club)

    host.take_back(club, a_table(club))

    told = sent(club)
    over = "The plan is over, because the game was taken back."
    assert {to for to, mail in told.items() if over in text(mail)} == {ADDRESSES[mine]}
    take(club, reply(told[ADDRESSES[mine]], "plan"))
    shown = text(letters(club)[0])
    assert '"drop least"' in shown.replace("always ", "") or "drop least" in shown
    assert "plan pass" not in shown.partition("QUESTION")[0]
    assert "41" in kept(a_table(club), "plans")
    assert is_sound(club)


# Substitutes


def test_a_plan_rests_while_a_substitute_plays_and_counts_again_afterwards(club: MailClub) -> None:
    mine, _ = others(club)
    says(club, mine, "plan pass\nplan new decline")
    letters(club)
    name = dict(the_record(club).players)[mine]

    host.away(club, a_table(club), name, "", f"Dan={SUB}")
    absent = sent(club)
    says(club, decides(the_record(club)), an_order(asks(club, decides(the_record(club)))))
    asked = sent(club)

    assert "Your plan rests while Dan stands in, who cannot see it." in text(absent[ADDRESSES[mine]])
    assert isinstance(the_record(club).state.phase, Answering)
    assert decides(the_record(club)) == mine
    assert asked[SUB].asks
    assert "pass" not in text(asked[SUB]).partition("To answer")[0].lower().replace("passes", "").replace("passed", "")

    assert take(club, reply(asked[SUB], "decline\nplan 9")).code == "played"
    letters(club)
    host.back(club, a_table(club), name)
    back = sent(club)
    assert "Your plan counts again." in text(back[ADDRESSES[mine]])
    play_on(club, mine)
    assert any(line.split()[1:] == [mine, "pass"] for line in the_record(club).log[-8:])
    assert is_sound(club)


def play_on(club: MailClub, mine: str) -> None:
    """Let the others decline and pass until a player has left the technology phase."""
    while mine in the_record(club).state.waiting and the_record(club).state.step == TECHNOLOGY:
        colour = decides(the_record(club))
        assert colour != mine, "the plan answers"
        is_offer = isinstance(the_record(club).state.phase, Answering)
        assert says(club, colour, "decline" if is_offer else "pass").code == "played"
    letters(club)


def test_a_plan_answers_at_once_when_its_owner_is_back_and_it_is_the_turn(club: MailClub) -> None:
    mine, other = others(club)
    says(club, mine, "plan pass")
    host.away(club, a_table(club), mine, "", SUB)
    says(club, decides(the_record(club)), an_order(asks(club, decides(the_record(club)))))
    turn = the_record(club).turn
    letters(club)

    host.back(club, a_table(club), mine)

    told = sent(club)
    assert the_record(club).turn == turn + 1
    assert the_record(club).log[-1] == f"{turn + 1} {mine} decline"
    assert "Your plan counts again." in text(told[ADDRESSES[mine]])
    assert told[ADDRESSES[other]].asks
    assert is_sound(club)


def test_absent_and_back_by_mail_say_what_becomes_of_the_plan(club: MailClub) -> None:
    mine, _ = others(club)
    host.away(club, a_table(club), mine, "", SUB)
    host.back(club, a_table(club), mine)
    says(club, mine, "plan pass")
    letters(club)
    question = asks(club, mine)

    take(club, reply(question, "absent"))
    away = sent(club)
    says(club, decides(the_record(club)), an_order(asks(club, decides(the_record(club)))))
    letters(club)
    turn = the_record(club).turn
    assert decides(the_record(club)) == mine
    take(club, reply(question, "back", number=7))
    back = sent(club)

    assert f"Your plan rests while {SUB} stands in, who cannot see it." in text(away[ADDRESSES[mine]])
    assert "Your plan counts again." in text(back[ADDRESSES[mine]])
    assert "As you said ahead, you declined" in text(back[ADDRESSES[mine]])
    assert the_record(club).turn == turn + 1
    assert SUB in back
    assert is_sound(club)


def test_nothing_is_said_of_plans_where_there_are_none(club: MailClub) -> None:
    mine, _ = others(club)

    host.away(club, a_table(club), mine, "", SUB)
    host.back(club, a_table(club), mine)
    host.take_back(club, a_table(club))

    assert not any("Your plan" in text(mail) or "The plan is" in text(mail) for mail in letters(club))


def test_the_clock_hands_over_and_lets_the_plan_count_again(club: MailClub) -> None:
    mine = decides(the_record(club))
    says(club, mine, "plan drop least")
    host.away(club, a_table(club), mine, "", SUB)
    host.back(club, a_table(club), mine)
    terms(club, 'then = "substitute"\n')
    for hour in (0, 30, 60, 72):
        ticked(club, hour)
    letters(club)
    ticked(club, 84)
    handed = sent(club)
    host.away(club, a_table(club), mine, "2026-11-26")
    letters(club)
    for hour in (100, 130, 140):
        ticked(club, hour)
    back = next(mail for mail in letters(club) if "over, and it is your turn again" in text(mail))

    assert f"Your plan rests while {SUB} stands in, who cannot see it." in text(handed[ADDRESSES[mine]])
    assert "our plan" not in text(handed[SUB])
    assert back.to == ADDRESSES[mine]
    assert "Your plan counts again." in text(back)


# Replacing and pausing


def test_a_new_player_learns_nothing_of_the_plan(club: MailClub) -> None:
    mine, _ = others(club)
    says(club, mine, "plan pass\nalways decline 41")
    host.replace(club, a_table(club), mine, "Dora", "dora@new.example")
    told = {mail.to: mail for mail in letters(club)}

    take(club, reply(told["dora@new.example"], "plan"))

    assert "You have no plan." in text(letters(club)[0])
    assert not any("Your plan" in text(mail) or "The plan is" in text(mail) for mail in told.values())
    assert mine not in kept(a_table(club), "plans")


def test_no_plan_answers_in_a_paused_game_and_all_do_when_it_goes_on(club: MailClub) -> None:
    mine, other = others(club)
    says(club, mine, "plan pass")
    host.away(club, a_table(club), mine, "", SUB)
    says(club, decides(the_record(club)), an_order(asks(club, decides(the_record(club)))))
    turn = the_record(club).turn
    host.pause(club, a_table(club), "")
    host.back(club, a_table(club), mine)
    for hour in (0, 30):
        ticked(club, hour)
    assert the_record(club).turn == turn
    letters(club)

    host.resume(club, a_table(club))

    told = sent(club)
    assert the_record(club).log[-1] == f"{turn + 1} {mine} decline"
    assert "As you said ahead, you declined" in text(told[ADDRESSES[mine]])
    assert told[ADDRESSES[other]].asks
    assert is_sound(club)


# Looking at a renewed market


@pytest.fixture(scope="module")
def spreading(tmp_path_factory: pytest.TempPathFactory) -> MailClub:
    """A club with a game in which the last of three is about to spread in the first round, with the time to look."""
    made = a_club(tmp_path_factory.mktemp("spreading") / "club")
    terms(made, LOOK)
    play_until(made, lambda state: isinstance(state.phase, Spreading) and not state.waiting, seed=3)
    return made


@pytest.fixture
def looking(spreading: MailClub, tmp_path: Path) -> MailClub:
    """A copy of that club."""
    shutil.copytree(spreading.folder, tmp_path / "club")
    return spreading.changed(folder=tmp_path / "club")


@pytest.mark.slow
def test_when_the_market_was_renewed_plans_wait_and_their_owners_may_change_them(looking: MailClub) -> None:
    club, last = looking, decides(the_record(looking))
    for colour in ADDRESSES:
        if colour != last:
            says(club, colour, "plan pass")
    letters(club)
    assert says(club, last, "stay\nplan pass").code == "played"
    begun = sent(club)
    turn = the_record(club).turn

    assert the_record(club).state.round == 2
    assert begun.keys() == set(ADDRESSES.values())
    waits = "The market was renewed. Your plan waits for 12 hours, and you can change it in that time."
    assert all(waits in text(mail) for mail in begun.values())
    assert {to for to, mail in begun.items() if mail.asks} == {ADDRESSES[decides(the_record(club))]}, "who may answer"
    ticked(club, 0)
    ticked(club, 6)
    (row,) = rows_of(club)
    shown = " ".join(" ".join(table_lines([row])).split())
    assert (row["asked"], row["colour"]) == ([], "")
    assert row["notes"] == ["plans wait until Sun 22 Nov, 00:00 UTC"]
    assert "pass" not in json.dumps(row)
    assert "plans wait until" in shown
    assert (the_record(club).turn, letters(club)) == (turn, [])

    first = decides(the_record(club))
    assert says(club, first, "plan pass\nplan drop least").code == "planned"
    confirmed = sent(club)
    assert "Your plan waits until Sun 22 Nov, 00:00 UTC, and you can change it until then." in text(
        confirmed[ADDRESSES[first]]
    )
    before = tree(club.folder)
    assert ticked(club, 6) == []
    assert tree(club.folder) == before


def test_at_the_tick_at_which_the_time_is_over_the_plans_answer_in_one_change(looking: MailClub) -> None:
    club, last = looking, decides(the_record(looking))
    for colour in ADDRESSES:
        if colour != last:
            says(club, colour, "plan pass")
    says(club, last, "stay\nplan pass")
    for hour in (0, 6):
        ticked(club, hour)
    letters(club)
    turn, lines = the_record(club).turn, len(journal_rows(a_table(club).journal))

    done = ticked(club, 12)

    record, rows = the_record(club), journal_rows(a_table(club).journal)[lines:]
    assert done[0].what == ("the game went on",)
    own = [line.split() for line in record.log if turn < int(line.split()[0]) <= turn + 3 and " * " not in line]
    assert [words[2] for words in own] == ["pass"] * 3
    assert [(row["code"], row["did"], len(row["then"])) for row in rows] == [("tick", ["GoOn"], 3)]
    told = sent(club)
    asked = ADDRESSES[decides(record)]
    assert told[asked].asks
    assert "As you said ahead, you passed." in text(told[asked])
    before = tree(club.folder)
    ticked(club, 12)
    assert tree(club.folder) == before
    assert is_sound(club)


def test_a_tick_that_is_broken_off_before_the_plans_answer_is_made_good_by_the_next(
    looking: MailClub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club, last = looking, decides(the_record(looking))
    for colour in ADDRESSES:
        if colour != last:
            says(club, colour, "plan pass")
    says(club, last, "stay\nplan pass")
    ticked(club, 0)
    shutil.copytree(club.folder, tmp_path / "other")
    other = club.changed(folder=tmp_path / "other")
    ticked(other, 12)
    before = tree(club.games)

    def full(*_: object) -> None:
        raise TryAgain("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(deadlines, "commit", full)
        assert [type(done.error) for done in ticked(club, 12)] == [TryAgain]
    assert tree(club.games) == before
    ticked(club, 12)

    assert tree(club.folder) == tree(other.folder)


def test_players_without_a_plan_are_asked_while_plans_wait(looking: MailClub) -> None:
    """The first one has none, and offers a card; the next one has one, and the game waits."""
    club, last = looking, decides(the_record(looking))
    says(club, last, "stay")
    ticked(club, 0)
    first = decides(the_record(club))
    letters(club)
    mine, other = others(club)
    says(club, mine, "plan pass\nplan new decline")
    letters(club)
    question = asks(club, first)
    assert "The market was renewed. All plans wait until Sun 22 Nov, 00:00 UTC." in text(question)
    assert take(club, reply(question, an_order(question))).code == "played"

    assert decides(the_record(club)) == mine
    assert not any(mail.asks for mail in letters(club))
    ticked(club, 13)
    told = sent(club)
    assert decides(the_record(club)) == other
    assert told[ADDRESSES[other]].asks
    assert is_sound(club)


def test_a_rule_that_holds_always_does_not_wait(looking: MailClub) -> None:
    club, last = looking, decides(the_record(looking))
    says(club, last, "stay")
    mine, other = others(club)
    says(club, mine, "\n".join(f"always decline any {kind}" for kind in ("tool", "knowledge")))
    first = asks(club, decides(the_record(club)))

    assert take(club, reply(first, an_order(first))).code == "played"

    assert decides(the_record(club)) == other
    assert is_sound(club)


def test_without_the_time_to_look_plans_answer_at_once(looking: MailClub) -> None:
    club, last = looking, decides(the_record(looking))
    terms(club, "")
    for colour in ADDRESSES:
        if colour != last:
            says(club, colour, "plan pass")
    assert says(club, last, "stay\nplan pass").code == "played"

    assert the_record(club).state.step != TECHNOLOGY
    assert not any("The market was renewed." in text(mail) for mail in letters(club))


def test_when_the_time_to_look_is_taken_away_the_next_tick_goes_on(looking: MailClub) -> None:
    club, last = looking, decides(the_record(looking))
    for colour in ADDRESSES:
        if colour != last:
            says(club, colour, "plan pass")
    says(club, last, "stay\nplan pass")
    terms(club, "")

    ticked(club, 0)

    assert the_record(club).state.step != TECHNOLOGY
    assert is_sound(club)


def test_a_pause_and_an_outage_do_not_count_as_time_to_look(looking: MailClub) -> None:
    club, last = looking, decides(the_record(looking))
    for colour in ADDRESSES:
        if colour != last:
            says(club, colour, "plan pass")
    says(club, last, "stay\nplan pass")
    turn = the_record(club).turn
    ticked(club, 0)
    host.pause(club, a_table(club), "")
    ticked(club, 20)
    host.resume(club, a_table(club))
    ticked(club, 30)
    ticked(club, 100)

    assert the_record(club).turn == turn
    ticked(club, 112)
    assert the_record(club).turn > turn


def test_no_answer_of_the_host_s_tools_tells_a_plan(club: MailClub, capsys: pytest.CaptureFixture[str]) -> None:
    mine, _ = others(club)
    says(club, mine, "plan any knowledge up to 7 else pass")
    for words in (["status"], ["tick", "--now", "2026-11-21T12:00:00Z"]):
        run(["mail", words[0], str(club.folder), *words[1:], "--json"])
    for command in ("pause", "resume", "resend", "takeback", "rebuild"):
        run(["mail", command, str(club.folder), "friday", "--json"])

    assert "knowledge" not in capsys.readouterr().out + a_table(club).journal.read_text()
