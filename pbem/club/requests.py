"""What a player may wish for besides orders, and what is answered: news, help, rules, absence."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from pbem import report
from pbem.club.reading.lines import cleaned
from pbem.club.settings import Club
from pbem.club.table import UNTIL_BACK, Player
from pbem.club.times import last_day
from pbem.club.writing.letters import REQUESTS, paragraphs
from pbem.errors import NotUnderstood
from pbem.page.page import Prose, Section, Sections

MOST_WISHES: Final = 5
WISHES: Final = "help, show, options, rules R4.5, news every|turn|none, absent until 2026-12-31, back"
NEWS: Final = {"every": "of every move", "turn": "when you are asked", "none": "not at all, only questions"}
LONGEST_NEAR: Final = 8  # words
_UNDO: Final = 'To change it, write "news every", "news turn" or "news none".'
_LASTING: Final = ("absent", "back", "news", "stop")
_NEAR: Final = re.compile(
    r"(?:(?:hi|hello|please|i|i'm|i'll|am|will|be|want|would|like|to|need|on) )*"
    r"(?:(?:absent|away|holidays?|vacation|resign(?:ing)?|unsubscribe)\b.*|(?:back|help|options)(?: \S+)?)"
)


def is_lasting(wishes: Iterable[str]) -> bool:
    """Return whether a wish changes what comes later, so that the player has to know of it, whoever has written."""
    return any(wish.split()[0] in _LASTING for wish in wishes)


def at_home(player: Player) -> Player:
    """Return the player as one who reads the answer at the own address, also while a substitute answers."""
    return player._replace(absent="")


def nearly(words: str) -> Sections:
    """Return what is said of a line of talk that begins as a wish does: how it is written, if it was meant as one."""
    for line in map(cleaned, words.splitlines()):
        if len(line.split()) <= LONGEST_NEAR and _NEAR.fullmatch(line.lower().replace(",", "")):
            hint = f'If you meant me by "{line}", write one of these on a line of its own: {WISHES}, resign. '
            return paragraphs((f"{hint}As it is it was only told to the others.",))
    return ()


def grant(club: Club, player: Player, wish: str, now: datetime | None = None) -> tuple[Player, Sections]:
    """Return the player as wished, and what is answered to one wish; *now* is the time, if it is known."""
    zone = club.zone
    word, *words = wish.split()
    try:
        match word.lower(), words:
            case "help", _:
                return player, paragraphs((club.help, REQUESTS))
            case "show" | "options", _:  # the letter has both
                return player, paragraphs(("Here is the game as it is now.",))
            case "rules", _:
                from pbem.lookup import rule_blocks, rules_named

                return player, (Section("why", tuple(rule_blocks(rules_named(tuple(words))))),)
            case "news", [("every" | "turn" | "none") as news]:
                return player._replace(news=news), _news(news)
            case "stop", []:
                return player._replace(news="none"), _news("none")
            case "absent", ([] | [_]):
                from pbem.club.clock import away_until

                day = words[-1] if words else UNTIL_BACK
                away_until(day, now, zone)
                until = f"until {last_day(day, zone)}" if words else "from now on"
                stand_in = player.substitute_name or player.substitute
                who = f"{stand_in} stands in for you" if stand_in else "the game waits for you"
                text = f'You are away {until}, and {who}. When you are back, write "back".'
                return player._replace(absent=day), paragraphs((text,))
            case "back", []:
                return player._replace(absent=""), paragraphs(("Welcome back.",))
            case "join", _:
                return player, paragraphs(("You play in this game already.",))
            case _:
                hint = f"It is written: {WISHES}."
                return player, (Section("why", (Prose(f'I do not understand the wish "{wish[:60]}".'), Prose(hint))),)
    except NotUnderstood as wrong:
        return player, (Section("why", report.refusal_blocks(wrong)),)


def _news(news: str) -> Sections:
    return paragraphs((f"You get news {NEWS[news]}. {_UNDO}",))
