"""Pages of letters as we really send them."""

from functools import cache
from random import Random
from typing import NamedTuple

from bots import SECRET, a_new_record, a_sensible_choice

from pbem.carriers.mail.outgoing.post import mail_of
from pbem.carriers.mail.settings import MailClub
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.briefing.situation import for_letter
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.play import played
from pbem.first_sparks.record import History, Record
from pbem.page.page import Page
from pbem.page.plain import in_lists
from pbem.reading.ticket import marker_of, ticket
from pbem.table.letters import harmless, headlines
from pbem.table.letters.letter import Letter
from pbem.table.letters.situation import in_order
from pbem.table.people import Player
from pbem.table.talk import Saying


class Situation(NamedTuple):
    """A game at a question, and what has happened since the last."""

    record: Record
    history: History


@cache
def games() -> tuple[Situation, ...]:
    """Return all questions of a game for each number of players, one of them with hidden food."""
    found = []
    for players in range(2, 7):
        record = a_new_record(players, f"game-{players}", hide_food=players == 3)
        random, draw, history = Random(players), source(f"game-{players}", SECRET), ()
        while (decides := who_decides(record.state)) is not None and record.turn < 60:
            if record.turn % players < 2:
                found.append(Situation(record, history))
            record, history = played(record, decides, a_sensible_choice(record.state, random), draw)
        found.append(Situation(record, history))
    return tuple(found)


def page_of(
    situation: Situation, colour: str, talk: tuple[tuple[str, str], ...] = (), *, plain: bool = False
) -> tuple[str, Page]:
    """Return the subject and the page of the letter about a situation to the player of that colour."""
    record = situation.record
    own = ticket(colour.encode() * 8, record.game, colour, record.turn)
    player = Player(colour, record.state.clan(colour).player, "ann@example.net", colour.encode() * 8)
    says = headlines.by_situation(player, record.state, record.turn, situation.history)
    shown = for_letter(
        record.state,
        colour,
        situation.history,
        game=record.game,
        turn=record.turn,
        to_answer=MailClub.to_answer,
        plain=plain,
    )
    said = harmless.talk_sections([Saying(name, words, ()) for name, words in talk])
    page = Page(in_order(shown, talk=said), headlines.first_line(own, says), marker_of(own, record.head))
    return headlines.subject_of(record.game, says.subject), in_lists(page) if plain else page


def html_of(page: Page) -> str:
    """Return the HTML of a letter that says this."""
    own = ticket(bytes(32), "friday", "red", 57)
    return mail_of(Letter("ann@example.net", "Ann", "", page, own), "club@example.org", plus=True).html
