"""What players read about their time: reminders, warnings, and that somebody plays for them from now on."""

from typing import Final

from pbem.locale import tr
from pbem.table.clock import Remind, Then
from pbem.table.letters.headlines import Headline, Occasion, headline
from pbem.table.occurrences import Reminded
from pbem.table.people import Player
from pbem.table.table import Table
from pbem.table.times import left, shown

_WARNING: Final[dict[Then, str]] = {
    "tell": "Your time is up, but an answer still counts until {due}. After that I will tell the host.",
    "answer": "Your time is up, but an answer still counts until {due}. After that your clan declines, passes or "
    "stays, where that is possible.",
    "substitute": "Your time is up, but an answer still counts until {due}. After that your substitute plays for you.",
    "bot": "Your time is up, but an answer still counts until {due}. After that a bot stands in for you.",
}
WAITED_FOR: Final = "The other players are waiting for you. You have until {due}."
# The same where others are asked as well, who may not have answered either; nobody is told whether they have.
_ALSO_WAITED_FOR: Final = "The game is waiting for your answer. You have until {due}."
TAKES_OVER: Final = "{player} has not answered in time. You stand in from now on, by answering these letters."
HANDED_OVER: Final = 'Your time is up, and {substitute} stands in for you from now on. When you return, write "back".'
TO_BOT: Final = 'Your time is up, and a bot stands in for you from now on. When you return, write "back".'
BACK: Final = "The time for which you were away is over."
BACK_ASKED: Final = "The time for which you were away is over, and it is your turn again."


def asks_again(table: Table, player: Player, reminded: Reminded) -> tuple[Headline, str]:
    """Return the headline and the text of a reminder or a warning."""
    effect, terms, at = reminded
    state, due = table.state_for(player), shown(effect.due, table.house.zone, at)
    if isinstance(effect, Remind):
        says = headline(Occasion.REMINDER, player, state, left=left(effect.due - at))
        return says, tr(_ALSO_WAITED_FOR if len(table.questioned) > 1 else WAITED_FOR).format(due=due)
    tells = terms.then == "substitute" and (player.absent or not table.roster.stands_in(player))
    tells = tells or (terms.then == "bot" and not table.roster.can_have_bot(player))
    return headline(Occasion.WARNING, player, state, due=due), tr(_WARNING["tell" if tells else terms.then]).format(
        due=due
    )
