"""The letters about what is due at a tick: reminders, warnings, and who plays from now on."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, assert_never

from pbem.ahead.intents import Intent
from pbem.club.ahead.onward import Going, about_plan, letters_after
from pbem.club.clock import (
    Back,
    Clock,
    Decide,
    Effect,
    GoOn,
    HandOver,
    Remind,
    TellHost,
    Terms,
    Then,
    Warn,
)
from pbem.club.table import Player, Roster
from pbem.club.times import left, shown
from pbem.club.writing.headlines import Headline, headline
from pbem.club.writing.letter import Letter
from pbem.club.writing.letters import Desk, letter, paragraphs, relieved
from pbem.page.page import Sections

_WARNING: Final[dict[Then, str]] = {
    "tell": "Your time is up, but an answer still counts until {due}. After that I will tell the host.",
    "answer": "Your time is up, but an answer still counts until {due}. After that your clan declines, passes or "
    "stays, where that is possible.",
    "substitute": "Your time is up, but an answer still counts until {due}. After that your substitute plays for you.",
}
_TAKES_OVER: Final = "{player} has not answered in time. You stand in from now on, by answering these letters."
_HANDED_OVER: Final = 'Your time is up, and {substitute} stands in for you from now on. When you return, write "back".'
_BACK: Final = "The time for which you were away is over."
_BACK_ASKED: Final = "The time for which you were away is over, and it is your turn again."


def letters_about(
    effects: Sequence[Effect], going: Going, before: Roster, terms: Terms, after: Clock, at: datetime
) -> tuple[tuple[Letter, ...], dict[str, Intent]]:
    """Return the letters about all effects, and what is kept of what has been said ahead; *before* is the roster then.

    A player who is no longer asked is neither reminded nor warned.
    """
    desk, letters = going.desk, list[Letter]()
    told = desk._replace(allowed="")
    why: dict[str, Sections] = {}
    says: dict[str, Headline] = {}
    for effect in effects:
        if isinstance(effect, GoOn):
            continue
        player, was = desk.roster.player(effect.colour), before.player(effect.colour)
        assert player is not None
        assert was is not None
        is_asked, plan = player.colour in desk.asked, about_plan(going.before.record, going.said, was, player)
        match effect:
            case Remind() | Warn() if is_asked:
                says_so, text = _asks_again(desk, player, terms, effect, at)
                letters.append(letter(told, player, paragraphs((text,)), says=says_so))
            case Remind() | Warn() | Decide() | TellHost():
                pass
            case HandOver():
                says[player.colour] = headline("asked", player, desk.state_for(player))
                why[player.colour] = paragraphs((_TAKES_OVER.format(player=player.name),))
                home = player._replace(absent="")
                by = player.substitute_name or player.substitute
                away = paragraphs((_HANDED_OVER.format(substitute=by),))
                letters.append(letter(told, home, (*away, *plan), says=headline("handed over", home)))
            case Back():
                if is_asked or plan:
                    why[player.colour] = (*paragraphs((_BACK_ASKED if is_asked else _BACK,)), *plan)
                letters += relieved(desk, was)
            case _ as unreachable:
                assert_never(unreachable)
    if any(question.waited for question in after.questions if question.colour in why):
        going = going._replace(desk=told)  # the letters say how much time is left
    more, kept = letters_after(going, why, says)
    return (*letters, *more), kept


def _asks_again(desk: Desk, player: Player, terms: Terms, effect: Remind | Warn, at: datetime) -> tuple[Headline, str]:
    """Return the headline and the text of a reminder or a warning."""
    state, due = desk.state_for(player), shown(effect.due, desk.club.zone)
    if isinstance(effect, Remind):
        says = headline("reminder", player, state, left=left(effect.due - at))
        return says, f"The other players are waiting for you. You have until {due}."
    hands_over = terms.then != "substitute" or (player.substitute and not player.absent)
    return headline("warning", player, state, due=due), _WARNING[terms.then if hands_over else "tell"].format(due=due)
