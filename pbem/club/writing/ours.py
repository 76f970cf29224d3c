"""The words of the letters that a player got, by which they are known when they come back without a mark."""

from pbem.club.settings import Club
from pbem.club.table import Player
from pbem.club.ticket import marker_of, ticket
from pbem.club.writing.harmless import written
from pbem.club.writing.headlines import by_situation, first_line
from pbem.club.writing.letters import HOW_TO_WIN, REQUESTS
from pbem.club.writing.receipts import LAST_RECEIPT
from pbem.first_sparks.briefing.situation import for_letter
from pbem.first_sparks.record import Record, at_line
from pbem.page.page import Page
from pbem.way import own_set, since


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
    )
    own = ticket(player.key, then.game, player.colour, then.turn)
    says = by_situation(player, then.state, then.turn, then.history)
    page = Page((*first, *rest), first_line(own, says), marker_of(own, then.head))
    text = (written(page), LAST_RECEIPT, HOW_TO_WIN, club.how_to_play, club.help, REQUESTS)
    return " ".join(" ".join(text).split())
