"""The words of the letters that a player got, by which they are known when they come back without a mark."""

from html.parser import HTMLParser

from pbem.club.settings import Club
from pbem.club.table import Player
from pbem.club.ticket import marker_of, ticket
from pbem.club.writing.harmless import buttons, harmless, written
from pbem.club.writing.headlines import by_situation, first_line
from pbem.club.writing.letter import TAP, Button
from pbem.club.writing.letters import HOW_TO_WIN, REQUESTS, who_plays
from pbem.club.writing.receipts import LAST_RECEIPT
from pbem.first_sparks.briefing.situation import for_letter
from pbem.first_sparks.record import Record, at_line
from pbem.game_files import own_set
from pbem.page.html import Tap, Taps, html_of
from pbem.page.page import Page
from pbem.rulings import since


def words_of_letter(club: Club, record: Record, player: Player, turn: int) -> str:
    """Return the words of a letter to the player about how the game stood at the end of that turn, a blank apart.

    What such a letter says of the mail that it answers is not among them.
    """
    then = at_line(record, sum(entry.turn <= turn for entry, _ in record.history))
    history = since(then, player.colour)
    first, rest = for_letter(
        then.state,
        player.colour,
        history,
        game=then.game,
        turn=then.turn,
        own_set=own_set(then),
        to_answer=club.to_answer,
        course=then.history,
    )
    own = ticket(player.key, then.game, player.colour, then.turn)
    says = by_situation(player, then.state, then.turn, then.history)
    page = Page((*first, *rest), first_line(own, says), marker_of(own, then.head))
    shown = _shown(page, buttons(then.state, player.colour))
    who = who_plays(then, player.colour, club.host)
    text = (written(page), LAST_RECEIPT, who, HOW_TO_WIN, club.how_to_play, club.help, REQUESTS, shown)
    return " ".join(" ".join(text).split())


def _shown(page: Page, answers: tuple[Button, ...]) -> str:
    """Return what is seen of a letter as HTML, in which answers can be tapped and a picture is the board."""
    taps = Taps("question", TAP, tuple(Tap(*answer, "") for answer in answers))
    reader = _Words()
    reader.feed(html_of(page, "", taps, pictures={"board": ""}, shown=harmless))
    reader.close()
    return " ".join(reader.seen)


class _Words(HTMLParser):
    """What is seen of a page as HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_data(self, data: str) -> None:
        self.seen.append(data)
