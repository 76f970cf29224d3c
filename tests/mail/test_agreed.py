"""What players agree on without the host: they take moves back, and go on without somebody."""

from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from clubs import (
    ANN,
    BOB,
    CY,
    a_club,
    a_table,
    an_order,
    keep_roster,
    letters,
    play,
    terms,
    the_asked,
    the_record,
    ticked,
    tree,
)
from people import Mail, reply

from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.carriers.rebuild import compare, rebuilt
from pbem.club import host
from pbem.club.agreements import agreements_proved
from pbem.club.folder import read_roster
from pbem.club.host import carry_on
from pbem.club.journal import journal_rows
from pbem.club.status import rows_of
from pbem.club.store import read_minutes, read_talk
from pbem.errors import Illegal, NotUnderstood
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.proof import verify
from pbem.first_sparks.record import Record
from pbem.reading.lines import cleaned
from pbem.reading.recognisers import motions as recognisers
from pbem.reading.recognisers.motions import is_request, spoken_in
from pbem.rulings import orders_of
from pbem.table.matters import kinds
from pbem.table.matters.kinds import Answer
from pbem.table.matters.matter import MotionTexts
from pbem.table.minutes import Motion
from pbem.table.people import BOT
from pbem.table.table import decides

ADDRESSES = {"green": ANN, "red": BOB, "blue": CY}
NAMES = {"green": "Ann", "red": "Bob", "blue": "Cy"}


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with one game of three at turn 6; everybody has a letter about it."""
    return a_club(tmp_path / "club", turn=6)


def newest(club: MailClub) -> dict[str, Mail]:
    """Send everybody the game as it is, and return these letters by colour."""
    letters(club)
    host.resend(club, a_table(club), to_all=True)
    return {colour: mail for mail in letters(club) for colour, address in ADDRESSES.items() if mail.to == address}


def by_colour(club: MailClub) -> dict[str, Mail]:
    """Empty the outbox, and return the letters by colour."""
    return {colour: mail for mail in letters(club) for colour, address in ADDRESSES.items() if mail.to == address}


def words_of(mail: Mail) -> str:
    return " ".join(mail.text.split())


def others_than(*colours: str) -> list[str]:
    return [colour for colour in ADDRESSES if colour not in colours]


def the_motion(club: MailClub) -> Motion | None:
    """Return what is proposed, even if the game has gone on."""
    motions = read_minutes(a_table(club)).motions
    return motions[-1] if motions else None


def is_rebuilt(club: MailClub) -> bool:
    """Return whether the messages give the same game, the log is right, and the minutes bear out what was agreed."""
    record = the_record(club)
    agreements_proved(a_table(club).game, record)
    compare(a_table(club), rebuilt(club, a_table(club))[0].record)
    return verify(record) == len(record.log)


def without(record: Record, colour: str) -> int:
    """Return the turn before the last own order of a player."""
    return orders_of(record, colour)[-1].turn - 1


# The words


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("take back", "take back"),
        ("Takeback, please.", "take back"),
        ("please take back my move", "take back"),
        ("Can I take back my last order?", "take back"),
        ("I'd like to take my last move back", "take back"),
        ("undo my last move", "take back"),
        ("go on without Bob", "exclude"),
        ("Let's go on without bob (red)!", "exclude"),
        ("can we continue without Bob please?", "exclude"),
        ("more time until 2026-12-31", "more time"),
        ("Can we have more time until Friday 3 December?", "more time"),
        ("Please give us time until 3 Jan 2027, thanks", "more time"),
        ("sorry all, I need some more time until 3 Dec", "more time"),
        ("agree to more time", "agree"),
        ("agree", "agree"),
        ("agree to take back", "agree"),
        ("I agree to go on without Bob", "agree"),
        ("withdraw", "withdraw"),
        ("I withdraw my wish.", "withdraw"),
        ("I do not agree to go on without Bob", "disagree"),
    ],
)
def test_a_line_speaks_of_a_motion_in_a_few_words(line: str, what: str) -> None:
    said = spoken_in(cleaned(line))

    assert said is not None
    assert said.what == what
    assert is_request(cleaned(line))


@pytest.mark.parametrize(
    "line",
    [
        "take that back",
        "I take it back, you play well",
        "Take back what you said about my spear",
        "back",
        "agree end",
        "I agree",
        "I agree with Bob that we should hurry",
        "disagree",
        "undo",
        "we need more time",
        "more time please",
        "I have more time until 24 December",
        "more time until 24 December would be nice",
        "without Bob this would be dull",
        "we cannot go on without food and without Bob being so slow that all of us fall asleep at this table, can we",
    ],
)
def test_other_words_do_not(line: str) -> None:
    assert not is_request(cleaned(line))


# Taking back


@pytest.mark.slow
def test_moves_are_taken_back_when_all_others_agree(club: MailClub) -> None:
    mails, record = newest(club), the_record(club)
    turn = without(record, "green")

    assert take(club, reply(mails["green"], "Oops.\n\nplease take back my move")).code == "answered"
    told = by_colour(club)
    assert "I have asked Bob and Cy." in words_of(told["green"])
    for colour in ("red", "blue"):
        assert f"Ann asks to take the game back to turn {turn}, to before Ann's last own order." in words_of(
            told[colour]
        )
        undone = next(line for line in record.log if line.startswith(f"{turn + 1} green "))
        assert undone in words_of(told[colour])
    assert take(club, reply(told["red"], "take back")).code == "answered"
    assert "You have agreed. Cy must still agree." in words_of(by_colour(club)["red"])
    assert the_record(club) == record
    assert take(club, reply(told["blue"], "I agree")).code == "answered"

    assert the_record(club).turn == turn
    done = by_colour(club)
    assert done.keys() == ADDRESSES.keys()
    assert all(
        f"All of you have agreed to take the game back to turn {turn}, as Ann asked." in words_of(m)
        for m in done.values()
    )
    assert not any("The host has taken" in words_of(mail) for mail in done.values())
    assert the_motion(club) is None
    assert (a_table(club).taken_back).exists()
    assert is_rebuilt(club)
    asked = done[decides(the_record(club))]
    assert take(club, reply(asked, an_order(asked))).code == "played"
    assert is_rebuilt(club)


def test_another_kind_of_motion_needs_words_sentences_and_what_it_does(club: MailClub) -> None:
    """What it does is known here, since the clock of a game in git decides it."""
    late, wish = the_asked(club), "let us decide without waiting"
    mover, other = others_than(late.colour)
    mails, before = newest(club), the_record(club)
    order = next(iter(main_choices(before.state))).order

    texts = MotionTexts(
        '"decide": you ask to decide for somebody',
        ("{mover} is tired of waiting", "{name}, {mover} is tired of waiting."),
        "{mover} asks to decide for somebody.",
        "{mover} has asked that.",
        "The game has gone on.",
        ("it was decided", "{name}, it was decided."),
        "It was decided, as {mover} asked.",
    )

    with (
        patch.multiple(Answer, create=True, texts=texts, moved=lambda _: Answer(late.colour, order)),
        patch.dict(kinds.MOVED, {"answer": Answer}),
        patch.dict(recognisers.MOVES, {"answer": wish}),
    ):
        assert take(club, reply(mails[mover], wish)).code == "answered"  # nobody else has to agree

    assert the_record(club).log[len(before.log)] == f"{before.turn + 1} {late.colour} {order}"
    told = by_colour(club)
    assert all(f"It was decided, as {NAMES[mover]} asked." in words_of(mail) for mail in told.values())
    assert "it was decided" in told[other].subject or "your turn" in told[other].subject
    assert is_rebuilt(club)


@pytest.mark.usefixtures("more_kinds")
def test_a_game_is_rebuilt_in_which_a_motion_has_changed_seats(club: MailClub) -> None:
    late = the_asked(club)
    mover, other = others_than(late.colour)
    take(club, reply(newest(club)[mover], f"swap with {late.name} on monday"))
    asked = by_colour(club)

    assert take(club, reply(asked[late.colour], "agree")).code == "answered"
    assert take(club, reply(asked[other], "agree")).code == "answered"

    done = {mail.to: mail for mail in letters(club)}
    assert (read_roster(a_table(club)).player(late.colour) or late).name == NAMES[mover]
    assert take(club, reply(asked[late.colour], an_order(done[ADDRESSES[mover]]))).code != "played"
    assert take(club, reply(done[ADDRESSES[mover]], an_order(done[ADDRESSES[mover]]))).code == "played"
    assert is_rebuilt(club)


def test_the_status_says_what_is_moved_and_who_must_still_agree(club: MailClub) -> None:
    late, mails = the_asked(club), newest(club)
    mover, other = others_than(late.colour)

    take(club, reply(mails[mover], f"go on without {late.name}"))

    moved = f"{NAMES[mover]} asks to go on without {late.colour}; {NAMES[other]} must still agree"
    assert next(rows_of(club))["notes"][-1] == moved
    take(club, reply(mails[mover], "withdraw"))
    assert moved not in next(rows_of(club))["notes"]


def test_what_cannot_be_done_though_all_agree_is_over_and_only_the_host_reads_why(club: MailClub) -> None:
    mails, before = newest(club), the_record(club)
    take(club, reply(mails["green"], "take back"))
    asked = by_colour(club)
    take(club, reply(asked["red"], "agree"))
    letters(club)

    with patch("pbem.table.host.undo", side_effect=Illegal("the sun is down")):
        assert take(club, reply(asked["blue"], "agree")).code == "answered"

    assert the_record(club) == before
    assert the_motion(club) is None
    mail = letters(club)
    assert {each.to for each in mail} == {*ADDRESSES.values(), club.host}
    for each in mail:
        if each.to == club.host:
            assert each.subject == f"[{before.game}] a motion could not be carried out"
            assert "as Ann had asked, but it cannot be done: the sun is down." in words_of(each)
        else:
            assert "The motion of Ann cannot be carried out." in words_of(each)
            assert "the sun is down" not in words_of(each)
    assert is_rebuilt(club)
    take(club, reply(newest(club)["red"], "Well."))
    assert not any("cannot be done" in words_of(each) for each in letters(club))


def goes_on(club: MailClub, *, by_clock: bool) -> None:
    """Let the game go on without a message: a bot plays for the player who is asked."""
    table, asked = a_table(club), the_asked(club)
    if by_clock:
        terms(club, 'then = "bot"\n')
        for hour in (0, 30, 60, 72, 84):
            letters(club)
            ticked(club, hour)
    else:
        keep_roster(table, read_roster(table).changed(asked._replace(address=BOT)))
        assert carry_on(club, table)


@pytest.mark.parametrize("by_clock", [True, False], ids=["clock", "carry on"])
def test_a_letter_that_no_message_has_caused_tells_of_a_lapsed_motion_and_what_was_said(
    club: MailClub, *, by_clock: bool
) -> None:
    mails, asked = newest(club), the_asked(club)
    speaker, mover = others_than(asked.colour)
    for colour in (speaker, mover):
        take(club, reply(mails[colour], "news every", number=5))
    assert take(club, reply(mails[speaker], "What a game!")).code == "heard"
    assert take(club, reply(mails[mover], "take back")).code == "answered"
    letters(club)

    goes_on(club, by_clock=by_clock)

    told = by_colour(club)
    assert the_asked(club).colour != asked.colour
    assert "What a game!" in told[mover].text
    assert "What a game!" not in told[speaker].text
    lapsed = "Your motion to take the game back is over, since the game has gone on."
    assert [colour for colour, mail in told.items() if lapsed in words_of(mail)] == [mover]
    assert the_motion(club) is None
    assert read_talk(a_table(club)) == ()  # who was asked to agree has read it in that letter
    host.resend(club, a_table(club), to_all=True)
    assert not any(lapsed in words_of(mail) for mail in letters(club))


def test_what_all_have_agreed_to_in_a_game_that_is_paused_since_waits(club: MailClub) -> None:
    mails, turn = newest(club), the_record(club).turn
    take(club, reply(mails["green"], "take back"))
    told = by_colour(club)
    take(club, reply(told["red"], "agree"))
    host.pause(club, a_table(club), "")
    take(club, reply(told["blue"], "agree"))
    assert the_record(club).turn == turn
    host.resume(club, a_table(club))

    take(club, reply(told["blue"], "agree", number=2))

    assert the_record(club).turn < turn


# Going on without somebody


def test_a_game_goes_on_without_somebody_when_all_others_agree(club: MailClub) -> None:
    late = the_asked(club)
    mover, other = others_than(late.colour)
    mails, before = newest(club), the_record(club)

    assert take(club, reply(mails[mover], f"let's go on without {late.name}")).code == "answered"
    told = by_colour(club)
    assert f"I have asked {NAMES[other]}." in words_of(told[mover])
    assert f"{NAMES[mover]} asks that the game goes on without {late.name} ({late.colour})." in words_of(told[other])
    assert "asks the others to go on without you" in words_of(told[late.colour])
    assert "asks to go on without you" in told[late.colour].subject
    assert take(club, reply(told[other], f"go on without {late.name}")).code == "answered"

    after = the_record(club)
    assert after.log[len(before.log)] == f"{before.turn + 1} {late.colour} resign"
    done = by_colour(club)
    assert done.keys() == ADDRESSES.keys()
    for colour in (mover, other):
        assert f"All of you have agreed to go on without {late.name}, as {NAMES[mover]}" in words_of(done[colour])
    assert "The others have agreed to go on without you" in words_of(done[late.colour])
    assert not any("The host has" in words_of(mail) or "is over, since" in words_of(mail) for mail in done.values())
    assert the_motion(club) is None
    assert is_rebuilt(club)
    asks = done[decides(after)]
    assert take(club, reply(asks, an_order(asks))).code == "played"
    assert is_rebuilt(club)


def test_an_order_of_the_player_ends_the_motion(club: MailClub) -> None:
    late = the_asked(club)
    mover, other = others_than(late.colour)
    take(club, reply(newest(club)[mover], f"go on without {late.name}"))
    told = by_colour(club)

    take(club, reply(told[late.colour], an_order(told[late.colour])))

    assert the_motion(club) is None
    over = f"{late.name} has written, so your motion to go on without {late.name} is over."
    assert any(over in words_of(mail) for mail in letters(club) if mail.to == ADDRESSES[mover])
    take(club, reply(told[other], "agree"))
    assert not the_record(club).state.clan(late.colour).resigned
    assert is_rebuilt(club)


def test_bots_need_not_agree(club: MailClub) -> None:
    """And alone with them, a player takes back at once."""
    table, turn = a_table(club), the_record(club).turn
    mail = newest(club)[the_asked(club).colour]
    for colour in others_than(the_asked(club).colour):
        host.away(club, table, colour, "", BOT)
    letters(club)

    assert take(club, reply(mail, "take back")).code == "answered"

    assert the_record(club).turn != turn
    (told,) = letters(club)
    assert "You have taken the game back to turn" in words_of(told)
    assert decides(the_record(club)) == the_asked(club).colour
    assert is_rebuilt(club)


def test_nothing_that_is_hidden_matters(club: MailClub) -> None:
    take(club, reply(newest(club)["green"], "take back"))
    text = a_table(club).minutes.read_text()
    assert "key" not in text
    assert "secret" not in text
    assert "@" not in text


def test_the_minutes_say_who_has_proposed_what_and_who_has_agreed(club: MailClub) -> None:
    mails, record = newest(club), the_record(club)
    turn, at = without(record, "green"), f"{record.turn}/{record.head[:8]}"
    ticked(club, 0)

    take(club, reply(mails["green"], "Oops, sorry!\n\ntake back"))
    told = by_colour(club)
    take(club, reply(told["red"], "I agree\n\nNo problem."))
    take(club, reply(told["blue"], "agree"))

    noon = "2026-11-21T12:00:00Z"
    assert a_table(club).minutes.read_text().splitlines() == [
        "first-sparks-minutes/1 friday",
        f"{noon} {at} green proposes to take the game back to turn {turn}",
        f"{noon} {at} green says Oops, sorry!",
        f"{noon} {at} red agrees with green",
        f"{noon} {at} red says No problem.",
        f"{noon} {at} blue agrees with green",
        f"{noon} {at} green decides to take the game back to turn {turn}",
    ]
    assert the_motion(club) is None


def test_the_minutes_say_that_a_motion_is_over_because_the_game_has_gone_on(club: MailClub) -> None:
    mails, asked = newest(club), the_asked(club).colour
    mover = others_than(asked)[0]
    take(club, reply(mails[mover], "take back"))
    while the_record(club).turn < 12 or the_motion(club) is not None:
        play(club, the_record(club).turn + 1)

    said = [line.split(" ", 3)[2:] for line in a_table(club).minutes.read_text().splitlines()[1:]]
    assert said[-1] == ["pbem", f"closes what {mover} has proposed"]
    assert [line.split(" ", 2)[0] for line in a_table(club).minutes.read_text().splitlines()[1:]] == ["-", "-"]


def test_minutes_that_cannot_be_read_stop_the_game_until_they_are_mended(club: MailClub) -> None:
    """Whoever goes on without them would lose what was decided."""
    take(club, reply(newest(club)["green"], "take back"))
    asked = the_asked(club).colour
    mail, kept = newest(club)[asked], a_table(club).minutes.read_text()
    a_table(club).minutes.write_text(f"{kept}red says\n")

    with pytest.raises(NotUnderstood, match=r"line \d of minutes.txt is not valid"):
        take(club, reply(mail, an_order(mail)))
    a_table(club).minutes.write_text(kept)

    assert take(club, reply(mail, an_order(mail))).code == "played"


def test_what_is_delivered_twice_is_done_once(club: MailClub) -> None:
    mails = newest(club)
    take(club, reply(mails["green"], "take back"))
    told = by_colour(club)
    take(club, reply(told["red"], "agree"))
    last = reply(told["blue"], "agree")
    take(club, last)
    letters(club)
    before = tree(club.folder)

    assert take(club, last).code == "duplicate"

    assert tree(club.folder) == before


@pytest.mark.parametrize("words", ["take back", "go on without Cy"])
def test_what_an_interrupted_process_has_not_done_is_done_when_the_mail_is_delivered_again(
    club: MailClub, words: str
) -> None:
    mails, record = newest(club), the_record(club)
    take(club, reply(mails["green"], words))
    told = by_colour(club)
    if words == "take back":
        take(club, reply(told["blue"], "agree"))
    last = reply(told["red"], "agree")
    with patch("pbem.carriers.mail.take.finished", side_effect=OSError("gone")), pytest.raises(OSError, match="gone"):
        take(club, last)
    assert the_record(club) == record

    assert take(club, last).code == "duplicate"

    assert the_record(club).head != record.head
    assert is_rebuilt(club)


def test_the_clock_and_the_journal_know_of_it(club: MailClub) -> None:
    ticked(club, 0)
    mails = newest(club)
    take(club, reply(mails["green"], "take back"))
    told = by_colour(club)
    take(club, reply(told["red"], "agree"))
    take(club, reply(told["blue"], "agree"))

    (row,) = [row for row in journal_rows(a_table(club).journal) if row["code"] == "taken back"]
    assert row["agreed"]
    assert ticked(club, 1) == []


def test_a_motion_about_time_stops_the_clock_of_a_club_whose_ticks_need_not_be_written_down(club: MailClub) -> None:
    mails, table = newest(club), a_table(club)
    take(club, reply(mails["green"], "more time until 24 Dec"))
    assert "No clock runs in this game now" in words_of(by_colour(club)["green"])
    ticked(club, 0)
    ticked(club, 30)
    take(club, reply(mails["green"], "more time until 2026-12-24"))
    asked = by_colour(club)
    for colour in ("red", "blue"):
        assert take(club, reply(asked[colour], "agree")).code == "answered"
    letters(club)

    assert ticked(club, 31) == []
    before = tree(table.folder)
    for hours in (60, 90, 120, 400, 430, 803):
        assert ticked(club, hours) == []
        assert row(club)["due"] == "2026-12-26T18:00:00Z", "30 hours of 3 days have run"
    assert tree(table.folder) == before
    assert letters(club) == []

    assert ticked(club, 804) == []
    (done,) = ticked(club, 822)
    assert done.what == (f"{the_asked(club).name} was reminded",)
    assert "You have until Sat 26 Dec, 18:00 UTC." in words_of(letters(club)[0])
    assert is_rebuilt(club)


def row(club: MailClub) -> dict[str, Any]:
    """Return what the status of the club says of its game."""
    (found,) = rows_of(club)
    return found
