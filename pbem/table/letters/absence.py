"""Why a game waits, in sentences: a player is away, or plans wait so that their owners can look at the market."""

from datetime import datetime, timedelta, tzinfo
from typing import Final

from pbem.grammar import in_words
from pbem.page.glue import glued
from pbem.table.lines import Away
from pbem.table.people import BOT, UNTIL_BACK, Player
from pbem.table.times import last_day, shown

# A player who is away, until when, and who stands in.
_WAITS: Final = "{player} is away, and the game waits."
_WAITS_UNTIL: Final = "{player} is away until {day}, and the game waits."
_STANDS_IN: Final = "{player} is away. {substitute} stands in."
_STANDS_IN_UNTIL: Final = "{player} is away until {day}. {substitute} stands in."
_SUBSTITUTE: Final = "{player} is away, and has a substitute."
_SUBSTITUTE_UNTIL: Final = "{player} is away until {day}, and has a substitute."
_BOT: Final = "{player} is away. A bot stands in."
_BOT_UNTIL: Final = "{player} is away until {day}. A bot stands in."
# The same for that player.
_YOU_WAIT: Final = "You are away, and the game waits."
_YOU_WAIT_UNTIL: Final = "You are away until {day}, and the game waits."
_FOR_YOU: Final = "You are away. {substitute} stands in for you."
_FOR_YOU_UNTIL: Final = "You are away until {day}. {substitute} stands in for you."
# The market was renewed. No line begins with the word plan, which would make it one.
_OWN_UNTIL: Final = (
    f"The market was renewed. {glued('Your plan')} waits until {{due}}, and you can change it until then."
)
_OWN_FOR: Final = (
    f"The market was renewed. {glued('Your plan')} waits for {{span}}, and you can change it in that time."
)
_ALL_UNTIL: Final = f"The market was renewed. {glued('All plans')} wait until {{due}}."
_ALL_FOR: Final = f"The market was renewed. {glued('All plans')} wait for {{span}}."


def absence(zone: tzinfo, player: Player, now: datetime | None) -> str:
    """Return the message that a player is away, until when, and who stands in."""
    messages = (_WAITS, _WAITS_UNTIL)
    if player.deputy == BOT:
        messages = (_BOT, _BOT_UNTIL)
    elif player.deputy:
        messages = (_STANDS_IN, _STANDS_IN_UNTIL) if player.substitute_name else (_SUBSTITUTE, _SUBSTITUTE_UNTIL)
    open_end = player.absent == UNTIL_BACK
    day = "" if open_end else last_day(player.absent, zone, now)
    called = f"{player.name} ({player.colour})"
    return messages[not open_end].format(player=called, day=day, substitute=player.substitute_name)


def own_absence(zone: tzinfo, away: Away, now: datetime | None) -> str:
    """Return the message to a player who is away, until when, and who stands in."""
    messages = (_FOR_YOU, _FOR_YOU_UNTIL) if away.substitute else (_YOU_WAIT, _YOU_WAIT_UNTIL)
    day = last_day(away.until, zone, now) if away.until else ""
    return messages[bool(day)].format(day=day, substitute=away.substitute)


def look_text(look: datetime | timedelta, zone: tzinfo, now: datetime | None, *, is_own: bool) -> str:
    """Return the message that plans wait until a time, or for a time; *is_own* if the reader has one."""
    if isinstance(look, datetime):
        return (_OWN_UNTIL if is_own else _ALL_UNTIL).format(due=shown(look, zone, now))
    return (_OWN_FOR if is_own else _ALL_FOR).format(span=in_words(look))
