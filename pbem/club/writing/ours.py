"""The words of the letters that a player got, by which they are known when they come back without a mark."""

import re
from html import unescape
from typing import Final

from pbem.club.table import Player
from pbem.club.ticket import marker_of, ticket
from pbem.club.writing.harmless import buttons, harmless, written
from pbem.club.writing.headlines import by_situation, first_line
from pbem.club.writing.letter import TAP, Button
from pbem.club.writing.letters import HELP, HOW_TO_PLAY, HOW_TO_WIN, who_plays
from pbem.club.writing.receipts import LAST_RECEIPT
from pbem.first_sparks.briefing.situation import for_letter
from pbem.first_sparks.record import Record, at_line
from pbem.page.html import Tap, Taps, html_of
from pbem.page.page import Page
from pbem.way import own_set, since

_TAG: Final = re.compile(r"<[^>]*>")


def words_of_letter(record: Record, player: Player, turn: int, host: str) -> str:
    """Return the words of a letter to the player about how the game stood at the end of that turn, a blank apart.

    What such a letter says of the mail that it answers is not among them.
    """
    then = at_line(record, sum(entry.turn <= turn for entry, _ in record.history))
    history = since(then, player.colour)
    first, rest = for_letter(then.state, player.colour, history, game=then.game, turn=then.turn, own_set=own_set(then))
    own = ticket(player.key, then.game, player.colour, then.turn)
    says = by_situation(player, then.state, then.turn, then.history)
    page = Page((*first, *rest), first_line(own, says), marker_of(own, then.head))
    shown = _shown(page, buttons(then.state, player.colour))
    who = who_plays(then, player.colour, host)
    text = (written(page), LAST_RECEIPT, who, HOW_TO_WIN, HOW_TO_PLAY, *HELP, shown)
    return " ".join(" ".join(text).split())


def _shown(page: Page, answers: tuple[Button, ...]) -> str:
    """Return what is seen of a letter as HTML, in which answers can be tapped and a picture is the board."""
    taps = Taps("question", TAP, tuple(Tap(*answer, "") for answer in answers))
    html = html_of(page, "", taps, pictures={"board": ""}, shown=harmless)
    return unescape(_TAG.sub(" ", html))
