"""The words of the letters that a player got, by which they are known when they come back without a mark."""

from pbem.first_sparks.record import Record, at_line
from pbem.first_sparks.summary import summarize_for_letter
from pbem.mail.club import Player
from pbem.mail.headlines import by_situation, first_line
from pbem.mail.letters import HELP, HOW_TO_PLAY, HOW_TO_WIN
from pbem.mail.receipts import LAST_RECEIPT
from pbem.mail.ticket import marker_of, ticket
from pbem.mail.wording import harmless
from pbem.way import own_set, since


def words_of_letter(record: Record, player: Player, turn: int) -> str:
    """Return the words of a letter to the player about how the game stood at the end of that turn, a blank apart.

    What such a letter says of the mail that it answers is not among them.
    """
    then = at_line(record, sum(entry.turn <= turn for entry, _ in record.history))
    history = since(then, player.colour)
    parts = summarize_for_letter(
        then.state, player.colour, history, game=then.game, turn=then.turn, own_set=own_set(then)
    )
    own = ticket(player.key, then.game, player.colour, then.turn)
    first = first_line(own, by_situation(player, then.state, then.turn, then.history).line)
    text = (first, *marker_of(own, then.head), *map(harmless, parts), LAST_RECEIPT, HOW_TO_WIN, HOW_TO_PLAY, *HELP)
    return " ".join(" ".join(text).split())
