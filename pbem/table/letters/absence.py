"""Why a game waits, in sentences: a player is away, or plans wait so that their owners can look at the market."""

from datetime import datetime, timedelta, tzinfo
from typing import Final

from pbem.first_sparks.briefing.words import seat_text
from pbem.grammar import in_words
from pbem.locale import tr
from pbem.page.glue import unbroken
from pbem.table.matters.standing import Away
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
# Until the player returns, until a day, and until a day without a clock: then nothing sees that the day has passed.
_FROM_NOW_ON: Final = (
    'You are away from now on, and the game waits for you. When you return, write "back".',
    'You are away until {day}, and the game waits for you. If you return sooner, write "back".',
    "You are away until {day}, and the game waits for you. "
    'No clock runs in this game now, so write "back" when you return.',
)
_STOOD_IN: Final = (
    'You are away from now on, and {substitute} stands in for you. When you return, write "back".',
    'You are away until {day}, and {substitute} stands in for you. If you return sooner, write "back".',
    "You are away until {day}, and {substitute} stands in for you. "
    'No clock runs in this game now, so write "back" when you return.',
)
# The market was renewed. No line begins with the word plan, which would make it one.
_OWN_UNTIL: Final = (
    "The market was renewed. Your\N{NO-BREAK SPACE}plan waits until {due}, and you can change it until then."
)
_OWN_FOR: Final = (
    "The market was renewed. Your\N{NO-BREAK SPACE}plan waits for {span}, and you can change it in that time."
)
_ALL_UNTIL: Final = "The market was renewed. All\N{NO-BREAK SPACE}plans wait until {due}."
_ALL_FOR: Final = "The market was renewed. All\N{NO-BREAK SPACE}plans wait for {span}."


def absence(zone: tzinfo, player: Player, now: datetime | None) -> str:
    """Return the message that a player is away, until when, and who stands in."""
    ends = player.absent != UNTIL_BACK
    if player.deputy == BOT:
        message = tr(_BOT_UNTIL if ends else _BOT)
    elif not player.deputy:
        message = tr(_WAITS_UNTIL if ends else _WAITS)
    elif player.substitute_name:
        message = tr(_STANDS_IN_UNTIL if ends else _STANDS_IN)
    else:
        message = tr(_SUBSTITUTE_UNTIL if ends else _SUBSTITUTE)
    day = last_day(player.absent, zone, now) if ends else ""
    return message.format(player=seat_text(player.name, player.colour), day=day, substitute=player.substitute_name)


def own_absence(zone: tzinfo, away: Away, now: datetime | None) -> str:
    """Return the message to a player who is away, until when, and who stands in."""
    if away.substitute:
        message = tr(_FOR_YOU_UNTIL if away.until else _FOR_YOU)
    else:
        message = tr(_YOU_WAIT_UNTIL if away.until else _YOU_WAIT)
    return message.format(day=last_day(away.until, zone, now) if away.until else "", substitute=away.substitute)


def away_from_now_on(zone: tzinfo, player: Player, today: datetime | None, *, is_timed: bool, stands_in: bool) -> str:
    """Return the message to a player who goes away, which says who plays meanwhile and how to return."""
    ends = player.absent != UNTIL_BACK
    place = 0 if not ends else 1 if is_timed else 2
    message = tr(_STOOD_IN[place]) if stands_in else tr(_FROM_NOW_ON[place])
    day = last_day(player.absent, zone, today) if ends else ""
    return message.format(day=day, substitute=player.deputy_name)


def look_text(look: datetime | timedelta, zone: tzinfo, now: datetime | None, *, is_own: bool) -> str:
    """Return the message that plans wait until a time, or for a time; *is_own* if the reader has one."""
    if isinstance(look, datetime):
        return unbroken(tr(_OWN_UNTIL if is_own else _ALL_UNTIL)).format(due=shown(look, zone, now))
    return unbroken(tr(_OWN_FOR if is_own else _ALL_FOR)).format(span=in_words(look))
