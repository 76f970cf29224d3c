"""Letters that come back: the host is told once, and status says it until the player writes."""

import re
from pathlib import Path

import pytest
from clubs import HOST, a_bounce, a_club, a_table, an_order, letters, the_asked, the_record
from people import Mail, a_mail, reply

from pbem.mail import host
from pbem.mail.club import Club, Opening
from pbem.mail.joining import open_game
from pbem.mail.status import rows_of, table_lines
from pbem.mail.take import take


@pytest.fixture
def club(tmp_path: Path) -> Club:
    """A club with a game of three in the placement round; nobody has answered a mail yet."""
    return a_club(tmp_path / "club")


def question(club: Club) -> Mail:
    """Return the mail in which a player is asked now, all others having been delivered too."""
    return next(mail for mail in letters(club) if mail.asks)


def test_a_letter_that_comes_back_is_told_to_the_host_once(club: Club) -> None:
    asked = question(club)
    before = the_record(club)

    verdicts = [take(club, a_bounce(asked, message=f"b{number}")).code for number in range(2)]

    (told,) = letters(club)
    assert verdicts == ["bounced", "silent"]
    assert told.to == HOST
    assert asked.to in told.text
    assert the_record(club) == before


def returned(club: Club) -> list[str]:
    """Return what status says of letters that come back."""
    lines = " ".join("\n".join(table_lines(list(rows_of(club)))).split())
    return re.findall(r"letters to (\w+ \(\w+\)) come back", lines)


def test_status_says_that_letters_come_back_until_the_player_writes(club: Club) -> None:
    asked = question(club)
    seat = the_asked(club)
    take(club, a_bounce(asked))

    assert returned(club) == [f"{seat.name} ({seat.colour})"]
    take(club, a_mail(asked.to, "pbem@example.org", "am I there?"))  # which proves nothing
    assert returned(club) == [f"{seat.name} ({seat.colour})"]
    take(club, reply(asked, "news every"))
    assert returned(club) == []
    letters(club)
    assert take(club, a_bounce(asked, message="again")).code == "bounced"
    assert returned(club) == [f"{seat.name} ({seat.colour})"]
    assert letters(club) == []  # the host was told of the address


def test_status_says_nothing_of_letters_to_an_address_from_before(club: Club) -> None:
    asked = question(club)
    seat = the_asked(club)
    take(club, a_bounce(asked))

    host.replace(club, a_table(club), seat.colour, seat.name, "better@x.example")

    assert returned(club) == []
    take(club, a_bounce(asked, message="late"))
    assert returned(club) == []


def test_an_answer_of_the_clock_is_no_mail_of_the_player(club: Club) -> None:
    asked = question(club)
    take(club, a_bounce(asked))

    host.answer(club, a_table(club), an_order(asked))

    assert len(returned(club)) == 1


def test_status_says_it_of_a_game_that_has_not_begun_or_is_broken(club: Club) -> None:
    asked = question(club)
    take(club, a_bounce(asked))
    a_table(club).game.write_text("nothing")
    letters(club)
    open_game(club, "monday", (), Opening(2), None)
    take(club, a_mail("dan@d.example", "pbem@example.org", "join monday Dan"))
    (asks,) = letters(club)
    take(club, reply(asks, "yes"))
    (welcome,) = letters(club)
    take(club, a_bounce(welcome, message="b2"))

    broken, waiting = rows_of(club)

    assert [row["address"] for row in (*broken["unreachable"], *waiting["unreachable"])] == [asked.to, "dan@d.example"]


def test_a_report_of_a_delay_or_of_a_letter_that_is_not_ours_is_told_to_nobody(club: Club) -> None:
    asked = question(club)
    token = asked.marker[1].rpartition(": ")[2].removesuffix(" ==").encode()

    assert take(club, a_bounce(asked, "delayed")).code == "robot"
    assert take(club, a_bounce(asked).replace(token, b"0" * 16)).code == "robot"
    assert letters(club) == []
