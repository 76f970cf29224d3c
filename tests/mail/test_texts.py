"""Letters as their readers want them: in lists for a screen reader, and with all news for who asks for every move."""

import re
from pathlib import Path

import pytest
from clubs import a_club, a_table, an_order, keep_roster, letters, the_record
from pages import games
from people import Mail, reply
from phone import misfits

from pbem.carriers.mail.incoming.body import text_of_html
from pbem.carriers.mail.outgoing.post import mail_of
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.club.folder import read_roster
from pbem.club.store import load
from pbem.errors import NotUnderstood
from pbem.first_sparks.events import CardBought
from pbem.first_sparks.record import Lines
from pbem.first_sparks.state import CHANCE
from pbem.page.page import Choices, Drawing, Grid, Profiles
from pbem.table.letters.harmless import written
from pbem.table.letters.headlines import Occasion, by_situation, headline
from pbem.table.letters.situation import letter
from pbem.table.messages.own_words import words_of_letter
from pbem.table.people import Player, Roster

DRAWN = "<table", "<pre", "<img"


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with a game that has just begun."""
    return a_club(tmp_path / "club")


def the_player(club: MailClub, address: str) -> Player:
    return next(player for player in read_roster(a_table(club)).players if player.address == address)


def in_lists(mail: Mail) -> bool:
    """Return whether a letter has lists, and nothing drawn and no table in its text and on its page."""
    lists = re.search(r"^- \w\d[abc] \(\w+\): ", mail.text, re.M) is not None
    drawn = any(mark in mail.html for mark in DRAWN) or re.search(r"\S  +\S", mail.text) is not None
    assert lists != drawn
    return lists


# In lists


def test_who_writes_plain_gets_lists_until_plain_off(club: MailClub) -> None:
    asked = next(mail for mail in letters(club) if mail.asks)
    assert not in_lists(asked)

    assert take(club, reply(asked, "Plain, please")).code == "answered"
    (answer,) = letters(club)
    assert in_lists(answer)
    assert 'To get those again, write "plain off".' in " ".join(answer.text.split())
    assert 'text = "plain"' in a_table(club).private.read_text()
    assert "<br>cost: 0" in answer.html
    orders = [[tap.body.split("\n")[0] for tap in mail.taps] for mail in (asked, answer)]
    assert orders[0] == orders[1] != []

    take(club, reply(answer, an_order(answer)))
    for turn in range(4):
        mails = letters(club)
        for mail in mails:
            assert in_lists(mail) == (mail.to == asked.to)
        question = next(mail for mail in mails if mail.asks)
        take(club, reply(question, an_order(question), number=turn))

    letters(club)
    take(club, reply(answer, "plain off", number=9))
    (again,) = letters(club)
    assert not in_lists(again)
    assert "text = " not in a_table(club).private.read_text()


def test_the_host_can_choose_lists_for_a_player_in_the_file(club: MailClub) -> None:
    table = a_table(club)
    roster = read_roster(table)
    keep_roster(table, roster.changed(roster.players[0]._replace(text="plain")))
    asked = next(mail for mail in letters(club) if mail.asks)
    take(club, reply(asked, "show"))
    (shown,) = letters(club)

    assert in_lists(shown) == (asked.to == roster.players[0].address)

    keep_roster(table, roster)
    table.private.write_text(table.private.read_text().replace('colour = "red"', 'colour = "red"\ntext = "pretty"'))
    with pytest.raises(NotUnderstood, match="text"):
        read_roster(table)


def test_a_reply_that_repeats_a_letter_in_lists_unmarked_plays_only_its_order(club: MailClub) -> None:
    """As the text and as what a mail program makes of the page."""
    asked = next(mail for mail in letters(club) if mail.asks)
    take(club, reply(asked, "plain"))
    (plain,) = letters(club)
    player, record = the_player(club, plain.to), the_record(club)
    words = words_of_letter(club, record, player, record.turn)

    for text in (plain.text, text_of_html(plain.html)):
        long = [line.lstrip("- ") for line in text.split("\n") if len(line.split()) >= 8 and "friday/" not in line]
        missing = [line for line in long if " ".join(line.split()) not in words]
        assert [line for line in missing if "From now on" not in line and "tables. To get" not in line] == []
    order = an_order(plain)
    assert take(club, reply(plain, order, beneath=lambda mail: f"\n\n{mail.text}")).code == "played"
    (entry, _) = next(line for line in the_record(club).history if line[0].turn == 1)
    assert str(entry.move) == order


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_letters_in_lists_fit_a_phone(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    found = []
    for number, situation in enumerate(games()[::11]):
        record = situation.record
        for colour in record.state.order[:2]:
            player = Player(colour, record.state.clan(colour).player, "a@x.example", bytes(32), text="plain")
            desk = load(club, a_table(club)).but(kept=record, roster=Roster(()))
            made = letter(desk, player, says=by_situation(player, record.state, record.turn, record.history))
            assert not any(isinstance(b, Drawing | Grid | Profiles) for s in made.page.sections for b in s.blocks)
            assert all(b.listed for s in made.page.sections for b in s.blocks if isinstance(b, Choices))
            assert made.picture == b""
            found.append((f"{number} {colour}", mail_of(made, "club@example.org", plus=True).html))

    assert len(found) > 10
    assert misfits(tmp_path, found) == []


# All news


def test_who_wants_news_of_every_move_reads_all_of_it(tmp_path: Path) -> None:
    """Others read it folded, if it is long: here all that has happened in a game, as if they had never moved."""
    club, record = a_club(tmp_path / "club"), games()[-1].record
    colour = record.state.order[0]
    history = tuple(
        (entry._replace(by=CHANCE) if entry.by == colour else entry, state) for entry, state in record.history
    )
    player = Player(colour, record.state.clan(colour).player, "a@x.example", bytes(32))
    kept = record._replace(lines=Lines(history, record.log, record.head))
    desk = load(club, a_table(club)).but(kept=kept, roster=Roster(()))

    short, every = (
        written(letter(desk, player._replace(news=news), says=headline(Occasion.REQUEST, player, request="show")).page)
        for news in ("turn", "every")
    )

    assert "\nWHAT HAS HAPPENED, in short\n" in short
    assert "\nWHAT HAS HAPPENED\n" in every
    assert every.count("\n") > short.count("\n") + 100
    for event in (event for _, state in history for event in state.events if isinstance(event, CardBought)):
        assert re.search(rf"buys #{event.card} \w+ for {event.price}\b", " ".join(every.split()))
        assert re.search(rf"#{event.card} \w+ for {event.price}\b", " ".join(short.split()))
