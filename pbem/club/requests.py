"""What players may request besides giving orders, and the answers: news, help, rules, absence."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from pbem import report
from pbem.club.reading.lines import cleaned
from pbem.club.settings import Club
from pbem.club.table import UNTIL_BACK, Player
from pbem.club.times import last_day
from pbem.club.writing.letters import decides, help_sections, paragraphs
from pbem.errors import Illegal, NotUnderstood, NotYourTurn, Stale
from pbem.first_sparks.record import Record
from pbem.page.glue import GLUE, glued
from pbem.page.page import Prose, Section, Sections

MOST_WISHES: Final = 5
# No line of a letter begins with a word that is an order by itself.
_AWAY_AND_BACK: Final = glued("2026-12-31, back")
WISHES: Final = (
    f"help, show, options, rules rot, try ORDER, note TEXT, news every|turn|none, plain, absent until {_AWAY_AND_BACK}"
)
LONGEST_NEAR: Final = 8  # words
_NEWS: Final = {
    "every": (
        "You will get a letter after every move, with everything that has happened. "
        'To change that, write "news turn" or "news none".'
    ),
    "turn": 'You will get a letter when it is your turn. To change that, write "news every" or "news none".',
    "none": 'You will get a letter only when it is your turn. To change that, write "news every" or "news turn".',
}
_AWAY: Final = 'You are away from now on, and the game waits for you. When you return, write "back".'
_AWAY_UNTIL: Final = 'You are away until {day}, and the game waits for you. If you return sooner, write "back".'
_STOOD_IN: Final = 'You are away from now on, and {substitute} stands in for you. When you return, write "back".'
_STOOD_IN_UNTIL: Final = (
    'You are away until {day}, and {substitute} stands in for you. If you return sooner, write "back".'
)
_IN_LISTS: Final = (
    "From now on your letters have lists in place of drawings, pictures and tables. "
    'To get those again, write "plain off".'
)
_DRAWN: Final = 'From now on your letters have drawings and tables again. To get lists, write "plain".'
_LASTING: Final = ("absent", "back", "news", "plain", "stop")
_NEAR: Final = (
    r"(?:(?:hi|hello|please|i|i'm|i'll|am|will|be|want|would|like|to|need|on) )*"
    r"(?:(?:absent|away|holidays?|vacation|resign(?:ing)?|unsubscribe)\b.*|(?:back|help|options)(?: \S+)?)"
)


def is_lasting(wishes: Iterable[str]) -> bool:
    """Return whether a request has a lasting effect, so that the player must hear of it, whoever has written."""
    return any(wish.split()[0] in _LASTING for wish in wishes)


def at_home(player: Player) -> Player:
    """Return the player as one whose letters go to their own address, even while a substitute plays."""
    return player._replace(absent="")


def nearly(words: str) -> Sections:
    """Return how to write a request, if a line of talk looks like one."""
    for line in map(cleaned, words.splitlines()):
        if len(line.split()) <= LONGEST_NEAR and re.fullmatch(_NEAR, line.lower().replace(",", "")):
            told = f'I passed "{line}" on to the other players, and did nothing else with it.'
            hint = f"If it was meant for me, write one of these on a line of its own: {WISHES},{GLUE}resign."
            return paragraphs((f"{told} {hint}",))
    return ()


def grant(
    club: Club, player: Player, wish: str, record: Record, now: datetime | None = None
) -> tuple[Player, Sections]:
    """Return the player as requested, and the answer to one request in the game; *now* is the time, if it is known."""
    zone = club.zone
    word, *words = wish.split()
    try:
        match word.lower(), words:
            case "help", _:
                return player, help_sections(club)
            case "try", _:
                from pbem.what_if import trial_sections

                return player, trial_sections(record, player.colour, " ".join(words))
            case "options", _ if decides(record) not in ("", player.colour):
                from pbem.what_if import SUPPOSED, supposed_blocks

                return player, (Section("trial", tuple(supposed_blocks(record, player.colour)), SUPPOSED),)
            case "show" | "options", _:  # every letter has both
                return player, paragraphs(("Here is the game as it is now.",))
            case "rules", []:
                from pbem.rule_search import overview

                return player, overview()
            case "rules", _:
                from pbem.rule_search import rule_blocks, rules_named

                return player, (Section("why", tuple(rule_blocks(rules_named(tuple(words))))),)
            case "news", [("every" | "turn" | "none") as news]:
                return player._replace(news=news), paragraphs((_NEWS[news],))
            case "stop", []:
                return player._replace(news="none"), paragraphs((_NEWS["none"],))
            case "plain", ([] | ["off"]):
                text = _DRAWN if words else _IN_LISTS
                return player._replace(text="" if words else "plain"), paragraphs((text,))
            case "absent", ([] | [_]):
                from pbem.club.clock import away_until

                day = words[-1] if words else UNTIL_BACK
                away_until(day, now, zone)
                stand_in = player.substitute_name or player.substitute
                messages = (_STOOD_IN, _STOOD_IN_UNTIL) if stand_in else (_AWAY, _AWAY_UNTIL)
                text = messages[bool(words)].format(day=last_day(day, zone), substitute=stand_in)
                return player._replace(absent=day), paragraphs((text,))
            case "back", []:
                return player._replace(absent=""), paragraphs(("Welcome back.",))
            case "join", _:
                return player, paragraphs(("You are already playing in this game.",))
            case _:
                unknown, hint = f'I do not understand the request "{wish[:60]}".', f"You can write: {WISHES}."
                return player, (Section("why", (Prose(unknown), Prose(hint))),)
    except (Illegal, NotYourTurn, NotUnderstood, Stale) as wrong:
        return player, (Section("why", report.refusal_blocks(wrong)),)
