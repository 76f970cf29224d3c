"""The letters about what is due at a tick: reminders, warnings, and who plays from now on."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, assert_never

from pbem.club.ahead.onward import Going, Remaining, about_plan, letters_after
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
from pbem.club.table import BOT, Player, Roster
from pbem.club.ticket import ticket
from pbem.club.times import left, shown
from pbem.club.writing.headlines import Headline, headline
from pbem.club.writing.letter import Letter
from pbem.club.writing.letters import Desk, letter, paragraphs, plain, relieved
from pbem.page.page import Sections

_WARNING: Final[dict[Then, str]] = {
    "tell": "Your time is up, but an answer still counts until {due}. After that I will tell the host.",
    "answer": "Your time is up, but an answer still counts until {due}. After that your clan declines, passes or "
    "stays, where that is possible.",
    "substitute": "Your time is up, but an answer still counts until {due}. After that your substitute plays for you.",
    "bot": "Your time is up, but an answer still counts until {due}. After that a bot stands in for you.",
}
_TAKES_OVER: Final = "{player} has not answered in time. You stand in from now on, by answering these letters."
_HANDED_OVER: Final = 'Your time is up, and {substitute} stands in for you from now on. When you return, write "back".'
_TO_BOT: Final = 'Your time is up, and a bot stands in for you from now on. When you return, write "back".'
_BACK: Final = "The time for which you were away is over."
_BACK_ASKED: Final = "The time for which you were away is over, and it is your turn again."


def letters_about(
    effects: Sequence[Effect], going: Going, before: Roster, terms: Terms, after: Clock, at: datetime
) -> tuple[tuple[Letter, ...], Remaining]:
    """Return the letters about all effects, and what is kept then; *before* is the roster before them.

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
            case HandOver() if player.reader == BOT:
                letters.append(_to_bot(told, was, plan))
                letters += relieved(desk, was)
            case HandOver():
                says[player.colour] = headline("asked", player, desk.state_for(player))
                why[player.colour] = paragraphs((_TAKES_OVER.format(player=player.name),))
                home = player.at_home
                away = paragraphs((_HANDED_OVER.format(substitute=player.deputy_name),))
                letters.append(letter(told, home, (*away, *plan), says=headline("handed over", home)))
            case Back():
                if is_asked or plan:
                    why[player.colour] = (*paragraphs((_BACK_ASKED if is_asked else _BACK,)), *plan)
                letters += relieved(desk, was)
            case _ as unreachable:
                assert_never(unreachable)
    if any(question.waited for question in after.questions if question.colour in why):
        going = going._replace(desk=told)  # the letters say how much time is left
    more, left_to_tell = letters_after(going, why, says)
    return (*letters, *more), left_to_tell


def _to_bot(desk: Desk, before: Player, about: Sections) -> Letter:
    """Return the letter to a player for whom a bot stands in from now on, without a question."""
    home, record = before.at_home, desk.record
    own = ticket(home.key, record.game, home.colour, record.turn)
    return plain(own, home, headline("handed to a bot", home), (*paragraphs((_TO_BOT,)), *about), head=record.head)


def _asks_again(desk: Desk, player: Player, terms: Terms, effect: Remind | Warn, at: datetime) -> tuple[Headline, str]:
    """Return the headline and the text of a reminder or a warning."""
    state, due = desk.state_for(player), shown(effect.due, desk.club.zone, at)
    if isinstance(effect, Remind):
        says = headline("reminder", player, state, left=left(effect.due - at))
        return says, f"The other players are waiting for you. You have until {due}."
    tells = terms.then == "substitute" and (player.absent or not desk.roster.stands_in(player))
    tells = tells or (terms.then == "bot" and not desk.roster.can_have_bot(player))
    return headline("warning", player, state, due=due), _WARNING["tell" if tells else terms.then].format(due=due)
