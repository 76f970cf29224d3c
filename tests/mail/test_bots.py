"""Bots in a club: in seats of their own, as substitutes, and from the clock; with one person, and with none."""

import re
from pathlib import Path
from unittest.mock import patch

import pytest
from clubs import (
    ADDRESS,
    ANN,
    BOB,
    CY,
    HOST,
    SECRET,
    a_club,
    a_table,
    an_order,
    keep_roster,
    kept,
    letters,
    resigned,
    terms,
    the_asked,
    the_record,
    ticked,
)
from people import Mail, reply

from pbem.carriers.mail.settings import MailClub, read_club
from pbem.carriers.mail.setup import create
from pbem.carriers.mail.take import take
from pbem.carriers.rebuild import compare, rebuilt
from pbem.cli.app import run
from pbem.club import folder as clubs
from pbem.club import host
from pbem.club.agreements import agreements_proved
from pbem.club.folder import read_roster
from pbem.club.host import carry_on
from pbem.club.journal import journal_rows
from pbem.club.opening import open_game
from pbem.club.status import rows_of
from pbem.club.store import read_talk
from pbem.club.transaction import locked
from pbem.first_sparks.bot.decide import decide
from pbem.first_sparks.bot.reasons import reason
from pbem.first_sparks.proof import verify
from pbem.table.people import BOT, UNTIL_BACK, Opening, Player
from pbem.table.table import decides


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with one game of three people at turn 6."""
    return a_club(tmp_path / "club", turn=6)


@pytest.mark.parametrize(
    ("players", "found"),
    [
        (("Ann", "bot"), {"Ann": "Ann", "Bot": BOT}),
        (("Ann=ann", "bot"), {"Ann": "ann", "Bot": BOT}),
        (("Ann:red=ann", "Bob", "Bot:blue"), {"Ann": "ann", "Bob": "Bob", "Bot": BOT}),
        (("Ann Lee=ann", "Robbie=Bot"), {"Ann Lee": "ann", "Robbie": BOT}),
    ],
)
def test_a_club_of_folders_takes_addresses_and_bots_as_one_by_mail_does(
    players: tuple[str, ...], found: dict[str, str], tmp_path: Path
) -> None:
    assert run(["club", "init", str(tmp_path / "club"), "--host", "Eve"]) == 0
    assert run(["club", "new", str(tmp_path / "club"), "friday", *players]) == 0

    table = clubs.GameFolder(tmp_path / "club" / "games" / "friday")
    assert {player.name: player.address for player in read_roster(table).players} == found
    folders = {path.name for path in (tmp_path / "club" / "players").iterdir()}
    assert folders == {address for address in found.values() if address != BOT}


def alone(folder: Path, *, waves: bool = False) -> MailClub:
    """Return a club with one game of Ann and two bots."""
    create(folder, ADDRESS, HOST)
    text = (folder / "club.toml").read_text().replace("picture = true", "picture = false")
    (folder / "club.toml").write_text(text if waves else text.replace("waves = true", "waves = false"))
    club = read_club(folder)
    with patch("pbem.game_setup.secret_from", lambda _: SECRET):
        open_game(club, "friday", (f"Ann:red={ANN}", "bot", "bot"), Opening(3, "recommended"), None)
    return club


def with_bot(club: MailClub, player: Player) -> None:
    """Name a bot as the substitute of a player in ``players.toml``."""
    table = a_table(club)
    roster = read_roster(table)
    keep_roster(table, roster.changed(player._replace(substitute=BOT)))


def words_of(mail: Mail) -> str:
    return " ".join(mail.text.split())


def is_rebuilt(club: MailClub) -> bool:
    """Return whether the messages give the same game, the log is right, and the minutes bear out what was agreed."""
    record = the_record(club)
    agreements_proved(a_table(club).game, record)
    again = rebuilt(club, a_table(club))[0].record
    compare(a_table(club), again)
    return verify(record) == len(record.log) and again.chance == record.chance


# In seats of their own


@pytest.mark.slow
@pytest.mark.parametrize("waves", [False, True])
def test_one_person_plays_a_whole_game_by_mail_with_bots(tmp_path: Path, waves: bool) -> None:
    club = alone(tmp_path / "club", waves=waves)
    sent = letters(club)
    while decides(the_record(club)):
        assert {mail.to for mail in sent} == {ANN}
        question = next(mail for mail in reversed(sent) if mail.asks)
        assert take(club, reply(question, an_order(question))).code == "played"
        sent = letters(club)

    assert "game is over" in sent[-1].subject
    assert is_rebuilt(club)


@pytest.mark.slow
def test_when_the_only_person_resigns_the_bots_play_to_the_end(tmp_path: Path) -> None:
    club = alone(tmp_path / "club")
    question = letters(club)[-1]
    assert question.asks

    assert resigned(club, question).code == "played"

    assert not decides(the_record(club))
    assert [mail.to for mail in letters(club)] == [ANN]
    assert is_rebuilt(club)


def test_bots_agree_to_end_a_game_when_all_people_do(tmp_path: Path) -> None:
    club = alone(tmp_path / "club")
    question = letters(club)[-1]

    assert take(club, reply(question, "agree end")).code == "played"

    assert not decides(the_record(club))
    assert is_rebuilt(club)


# As substitutes


def test_a_bot_that_the_host_names_answers_at_once_and_the_others_read_it(club: MailClub) -> None:
    away, before = the_asked(club), the_record(club)
    letters(club)

    assert run(["mail", "absent", str(club.folder), "friday", away.colour, "--substitute", "bot"]) == 0

    after = the_record(club)
    assert after.log[len(before.log)].startswith(f"{before.turn + 1} {away.colour} ")
    assert decides(after) not in ("", away.colour)
    own, *told = sorted(letters(club), key=lambda mail: mail.to != away.address)
    assert 'You are away from now on, and a bot stands in for you. When you return, write "back".' in words_of(own)
    assert {mail.to for mail in told} == {
        player.address for player in read_roster(a_table(club)).players if player.colour != away.colour
    }
    assert all(f"{away.name} ({away.colour}) is away. A bot stands in." in words_of(mail) for mail in told)
    (asked,) = (mail for mail in told if mail.asks)
    assert asked.to == the_asked(club).address
    assert is_rebuilt(club)
    while decides(the_record(club)) != away.colour and the_record(club).turn < after.turn + 12:
        assert take(club, reply(asked, an_order(asked))).code == "played"
        asked = next(mail for mail in letters(club) if mail.asks)
    assert read_roster(a_table(club)).player(away.colour).reader == BOT  # type: ignore[union-attr]
    assert is_rebuilt(club)


def test_who_is_away_with_a_bot_is_asked_again_when_back(club: MailClub) -> None:
    away = the_asked(club)
    with_bot(club, away)
    question = next(mail for mail in letters(club) if mail.to == away.address and mail.asks)

    assert take(club, reply(question, "absent")).code == "answered"

    told = {mail.to: mail for mail in letters(club)}
    assert "You are away from now on, and a bot stands in for you." in words_of(told[away.address])
    assert not told[away.address].asks
    assert told.keys() == {away.address, the_asked(club).address}
    assert decides(the_record(club)) != away.colour
    assert take(club, reply(told[away.address], "show")).code == "answered"
    assert [mail.to for mail in letters(club)] == [away.address]
    assert take(club, reply(told[away.address], "back")).code == "answered"
    assert "Welcome back." in words_of(letters(club)[-1])
    assert is_rebuilt(club)
    asked = told[the_asked(club).address]
    while decides(the_record(club)) != away.colour:
        assert take(club, reply(asked, an_order(asked))).code == "played"
        asked = next(mail for mail in letters(club) if mail.asks)
    assert asked.to == away.address
    assert is_rebuilt(club)


def test_nobody_plays_while_all_are_away(club: MailClub) -> None:
    """The bots do not play the rest among themselves."""
    for player in read_roster(a_table(club)).players:
        host.away(club, a_table(club), player.colour, "", "bot")
    record = the_record(club)

    assert decides(record)
    with locked(a_table(club)):
        assert not carry_on(club, a_table(club))
    (row,) = rows_of(club)
    assert row["due"] is None
    host.back(club, a_table(club), "green")
    assert decides(the_record(club)) == "green"
    assert the_record(club).turn > record.turn
    assert is_rebuilt(club)


def test_who_plays_alone_with_bots_can_be_away(tmp_path: Path) -> None:
    club = alone(tmp_path / "club")
    with_bot(club, the_asked(club))
    question = letters(club)[-1]

    assert take(club, reply(question, "absent")).code == "answered"

    assert decides(the_record(club)) == "red"
    (told,) = letters(club)
    assert told.to == ANN
    assert "the game waits for you" in words_of(told)
    assert take(club, reply(told, an_order(told))).code == "played"
    assert {mail.to for mail in letters(club)} == {ANN}


def test_a_paused_game_waits_for_the_bot_too(club: MailClub) -> None:
    away, turn = the_asked(club), the_record(club).turn
    host.pause(club, a_table(club), "")
    host.away(club, a_table(club), away.colour, "", "bot")
    assert the_record(club).turn == turn

    host.resume(club, a_table(club))

    assert the_record(club).turn > turn
    assert is_rebuilt(club)


def test_the_last_letter_reaches_who_is_away_with_a_bot(club: MailClub) -> None:
    host.away(club, a_table(club), "green", "", "bot")
    letters(club)
    with locked(a_table(club)):
        pass
    for name in ("red", "blue"):
        while decides(the_record(club)) == "green":
            pass
        if not decides(the_record(club)):
            break
        host.resend(club, a_table(club), to_all=True)
        mail = next(m for m in letters(club) if m.to == {"red": BOB, "blue": CY}[name])
        assert take(club, reply(mail, "resign")).code == "proposed"
        asks = next(asks for asks in letters(club) if asks.to == mail.to)
        assert take(club, reply(asks, "yes")).code == "played"

    assert not decides(the_record(club))
    assert ANN in {mail.to for mail in letters(club)}


def test_a_seat_goes_to_a_bot(club: MailClub) -> None:
    asked = the_asked(club)

    assert run(["mail", "replace", str(club.folder), "friday", asked.colour, "Robbie=bot"]) == 0

    assert decides(the_record(club)) != asked.colour
    assert is_rebuilt(club)


def test_the_host_decides_for_a_bot_that_has_not_decided(club: MailClub) -> None:
    asked = the_asked(club)
    table = a_table(club)
    keep_roster(table, read_roster(table).changed(asked._replace(address=BOT)))

    seated, order = host.decide(club, table, an_order(next(m for m in letters(club) if m.to == asked.address)))

    assert (seated.colour, bool(order)) == (asked.colour, True)
    assert is_rebuilt(club)


# By the clock


def test_after_the_grace_period_a_bot_stands_in_and_is_warned_of(club: MailClub) -> None:
    terms(club, 'then = "bot"\n')
    late, before = the_asked(club), the_record(club)
    letters(club)
    for hour in (0, 30, 60, 72):
        ticked(club, hour)
    assert any("After that a bot stands in for you." in words_of(mail) for mail in letters(club))

    (done,) = ticked(club, 84)

    assert done.what == (f"a bot plays for {late.name} from now on",)
    after = the_record(club)
    assert after.log[len(before.log)].startswith(f"{before.turn + 1} {late.colour} ")
    told = {mail.to: mail for mail in letters(club)}
    assert told.keys() == {late.address, the_asked(club).address}
    assert 'a bot stands in for you from now on. When you return, write "back".' in words_of(told[late.address])
    assert not told[late.address].asks
    (row,) = rows_of(club)
    assert row["colour"] == decides(after)
    assert ticked(club, 84) == []
    assert is_rebuilt(club)
    assert take(club, reply(told[late.address], "back")).code == "answered"
    player = read_roster(a_table(club)).player(late.colour)
    assert player is not None
    assert (player.absent, player.stand_in, player.substitute) == ("", "", "")


def test_the_bot_of_the_clock_comes_after_a_substitute_who_is_silent_too(club: MailClub) -> None:
    terms(club, 'then = "bot"\n')
    late = the_asked(club)
    host.away(club, a_table(club), late.colour, "", "Sue=sue@s.example")
    for hour in (0, 30, 60, 72):
        ticked(club, hour)
    letters(club)

    ticked(club, 84)

    told = {mail.to: words_of(mail) for mail in letters(club) if mail.to != HOST}
    assert "You no longer stand in" in told["sue@s.example"]
    assert decides(the_record(club)) != late.colour
    host.back(club, a_table(club), late.colour)
    assert read_roster(a_table(club)).player(late.colour).substitute == "sue@s.example"  # type: ignore[union-attr]


def test_no_bot_plays_on_for_the_only_person(tmp_path: Path) -> None:
    club = alone(tmp_path / "club")
    terms(club, 'then = "bot"\n')
    turn = the_record(club).turn
    for hour in (0, 30, 60, 72):
        ticked(club, hour)
    assert any("After that I will tell the host." in words_of(mail) for mail in letters(club))

    ticked(club, 84)

    assert the_record(club).turn == turn
    assert [mail.to for mail in letters(club)] == [HOST]


def test_a_tick_finishes_what_an_interrupted_process_has_left(club: MailClub) -> None:
    asked, table, turn = the_asked(club), a_table(club), the_record(club).turn
    gone = asked._replace(absent=UNTIL_BACK, substitute=BOT)
    keep_roster(table, read_roster(table).changed(gone))

    ticked(club, 0)

    assert the_record(club).turn > turn
    assert journal_rows(table.journal)[-1]["code"] == "tick"
    assert is_rebuilt(club)


# What a bot would do


@pytest.mark.parametrize("words", ["suggest", "plan suggest", "Plan: suggest.", "please suggest a move"])
def test_a_bot_suggests_an_order_and_a_plan_and_nothing_is_played(club: MailClub, words: str) -> None:
    asked, record = the_asked(club), the_record(club)
    question = next(mail for mail in letters(club) if mail.to == asked.address and mail.asks)

    assert take(club, reply(question, words)).code == "answered"

    (told,) = letters(club)
    move = decide(record.state, asked.colour, record.game)
    assert f'A bot would answer "{move}" in your place. {reason(record.state, asked.colour, move)}' in words_of(told)
    assert "your request: suggest" in told.subject
    assert the_record(club) == record
    assert not kept(a_table(club), "plans")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        (ANN, "A bot would plan this, without the parentheses: (plan "),
        (BOB, "there is nothing that you could say ahead."),
    ],
)
def test_a_suggestion_out_of_turn_is_only_a_plan(club: MailClub, address: str, said: str) -> None:
    """Bob has bought, and so has nothing to plan."""
    host.resend(club, a_table(club), to_all=True)
    mail = next(mail for mail in letters(club) if mail.to == address)

    assert take(club, reply(mail, "suggest")).code == "answered"

    (told,) = letters(club)
    assert "A bot would answer" not in told.text
    assert said in words_of(told)
    assert "e.g." not in told.text
    assert not re.search(r"(?m)^\W*plan ", told.text)


def test_a_letter_that_nobody_gets_tells_nothing(club: MailClub) -> None:
    """While a bot stands in for a player, what the others say waits until the player is back."""
    asked = the_asked(club)
    host.resend(club, a_table(club), to_all=True)
    mails = {mail.to: mail for mail in letters(club)}
    away, speaker = (player for player in read_roster(a_table(club)).players if player.colour != asked.colour)
    host.away(club, a_table(club), away.colour, "", "bot")
    assert take(club, reply(mails[speaker.address], "What a game!")).code == "heard"
    letters(club)

    host.pause(club, a_table(club), "lunch")

    assert away.address not in {mail.to for mail in letters(club)}
    assert [saying.untold for saying in read_talk(a_table(club))] == [(away.colour,)]
