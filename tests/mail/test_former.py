"""Letters from before a takeback, or of who was replaced: they prove whose they are, and are worth nothing."""

from pathlib import Path

import pytest
from clubs import ANN, BOB, CY, a_bounce, a_club, a_table, an_order, kept, letters, play, the_asked, the_record
from people import read, reply

from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.club import host
from pbem.club.folder import read_roster
from pbem.first_sparks.moves import AgreeEnd
from pbem.first_sparks.play import played
from pbem.first_sparks.record import at_line, called, same_situations


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with one game at turn 6; the letter with the question is in the outbox."""
    return a_club(tmp_path / "club", turn=6)


def test_a_reply_to_a_letter_from_before_a_takeback_is_a_late_one(club: MailClub) -> None:
    asked = next(mail for mail in letters(club) if mail.asks)
    orders = [tap.body.split("\n")[0] for tap in asked.taps]
    assert take(club, reply(asked, orders[0])).code == "played"
    after = next(mail for mail in letters(club) if mail.asks)
    host.take_back(club, a_table(club))
    letters(club)
    before = a_table(club).game.read_bytes()

    verdicts = [take(club, reply(mail, an_order(mail), number=1)).code for mail in (asked, after)]

    assert verdicts == ["late", "late"]
    assert a_table(club).game.read_bytes() == before
    told = {mail.to: mail for mail in letters(club)}
    assert told.keys() == {asked.to, after.to}
    late = told[asked.to]
    assert "before the game was taken back" in " ".join(late.text.split())
    assert take(club, reply(late, orders[1])).code == "played"
    assert take(club, reply(asked, orders[1], number=2)).code == "already"


def test_no_former_ticket_plays_however_often_the_game_is_put_back(club: MailClub) -> None:
    """The question of the same turn comes again with the same head, and only its last letter can be answered."""
    letters(club)
    seen = []
    for _ in range(4):
        host.resend(club, a_table(club))
        (asked,) = letters(club)
        seen.append(asked)
        assert take(club, reply(asked, an_order(asked))).code == "played"
        host.take_back(club, a_table(club))
        letters(club)

    assert [take(club, reply(mail, an_order(mail), number=1)).code for mail in seen] == ["late"] * 4
    assert the_record(club).turn == 6
    assert len(read_roster(a_table(club)).former) == 12


def test_wishes_and_words_of_a_letter_from_before_a_takeback_change_nothing(club: MailClub) -> None:
    asked = next(mail for mail in letters(club) if mail.asks)
    other = next(address for address in (ANN, BOB, CY) if address != asked.to)
    take(club, reply(asked, an_order(asked)))
    host.take_back(club, a_table(club))
    letters(club)

    before = a_table(club).private.read_bytes()

    for words in ("news every", "absent", "Hello all"):
        assert take(club, reply(asked, words)).code == "late"
        (late,) = letters(club)
        assert late.to == asked.to
        assert "nothing you wrote was passed on" in " ".join(late.text.split())
    assert a_table(club).private.read_bytes() == before
    assert not kept(a_table(club), "sayings")
    assert take(club, a_bounce(asked)).code == "bounced"
    assert other not in {mail.to for mail in letters(club)}


def test_with_an_old_letter_nobody_speaks_and_a_wish_is_told_to_the_player(club: MailClub) -> None:
    asked = next(mail for mail in letters(club) if mail.asks)
    take(club, reply(asked, an_order(asked)))
    heard = [take(club, reply(asked, "well played")).code]
    while the_asked(club).address != asked.to:
        play(club, the_record(club).turn + 1)
    heard.append(take(club, reply(asked, "well played again")).code)
    play(club, the_record(club).turn + 1)
    letters(club)
    heard.append(take(club, reply(asked, "I give up and you are all fools")).code)
    (late,) = letters(club)
    wished = take(club, reply(asked, "news none\nand you are all fools", sender="eve@evil.example")).code
    (told,) = letters(club)

    assert heard == ["heard", "empty", "late"]
    assert wished == "answered"
    assert late.to == told.to == asked.to
    text = " ".join(told.text.split())
    assert "You will get a letter only when it is your turn. To change that, write" in text
    assert "The rest of your message was not passed on" in text
    assert "fools" not in kept(a_table(club), "sayings")


def test_a_wish_that_would_not_be_answered_is_not_met(club: MailClub) -> None:
    asked = next(mail for mail in letters(club) if mail.asks)
    for number in range(30):
        take(club, reply(asked, "show", number=number))
    letters(club)

    take(club, reply(asked, "news none"))

    assert letters(club) == []
    assert "none" not in a_table(club).private.read_text()


@pytest.mark.parametrize("wish", ["news none", "absent until 2026-12-31", "back"])
def test_a_lasting_wish_is_told_to_the_player_also_while_a_substitute_answers(club: MailClub, wish: str) -> None:
    player = the_asked(club)
    host.away(club, a_table(club), player.colour, "", "sub@x.example")
    letter = next(mail for mail in letters(club) if mail.to == "sub@x.example")

    take(club, reply(letter, wish))

    assert player.address in {mail.to for mail in letters(club)}


@pytest.mark.parametrize("put_back", [False, True])
def test_who_was_replaced_is_told_once_that_the_letters_are_worth_nothing_and_learns_nothing(
    club: MailClub, put_back: bool
) -> None:
    asked = next(mail for mail in letters(club) if mail.asks)
    if put_back:
        take(club, reply(asked, an_order(asked)))
        host.take_back(club, a_table(club))
    seat = the_asked(club)
    host.replace(club, a_table(club), seat.colour, "Dora", "dora@x.example")
    letters(club)
    before = a_table(club).game.read_bytes()

    verdicts = [take(club, reply(asked, an_order(asked), sender="eve@evil.example", number=n)).code for n in (1, 2)]

    assert verdicts == ["former", "silent"]
    assert a_table(club).game.read_bytes() == before
    (told,) = letters(club)
    assert told.to == seat.address
    assert "its seat has another player now, or another address." in " ".join(told.text.split())
    assert not any(word in told.text for word in ("Dora", "dora@", "BOARD", "QUESTION", "==", "http"))
    assert read(told.raw).reply_to == club.address


def test_a_robot_of_who_was_replaced_is_not_answered(club: MailClub) -> None:
    asked = next(mail for mail in letters(club) if mail.asks)
    host.replace(club, a_table(club), the_asked(club).colour, "Dora", "dora@x.example")
    letters(club)

    for header in ("Precedence: bulk", "Subject: Automatic reply"):
        raw = reply(asked, "I am away", headers=[header]).replace(b"Subject: Re:", b"X-Subject:")
        assert take(club, raw).code == "silent"
    assert take(club, a_bounce(asked)).code == "robot"
    assert letters(club) == []


def test_who_has_the_seat_under_another_name_or_again_is_no_former_player(club: MailClub) -> None:
    asked = next(mail for mail in letters(club) if mail.asks)
    seat = the_asked(club)
    host.replace(club, a_table(club), seat.colour, "Dora", "dora@x.example")
    host.replace(club, a_table(club), seat.colour, "Once More", seat.address.upper())
    letters(club)

    assert take(club, reply(asked, an_order(asked))).code == "late"
    (late,) = letters(club)
    assert late.to.lower() == seat.address


def test_with_the_name_of_a_substitute_the_game_keeps_every_head(club: MailClub) -> None:
    record = the_record(club)
    agreed, _ = played(record, next(colour for colour, _ in record.players), AgreeEnd(), None)
    renamed = called(agreed, {colour: f"{name}'s aunt" for colour, name in record.players})

    assert renamed.head == agreed.head
    assert renamed.players != agreed.players
    for number in range(len(agreed.log) + 1):
        assert at_line(renamed, number).head == at_line(agreed, number).head
    assert (
        same_situations(renamed) == same_situations(agreed) == ((agreed.turn, agreed.head), (record.turn, record.head))
    )
