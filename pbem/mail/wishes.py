"""What a player may wish for besides orders, and what is answered: news, help, rules, absence."""

from typing import Final

from pbem import report
from pbem.errors import NotUnderstood
from pbem.mail.club import UNTIL_BACK, Player
from pbem.mail.letters import HELP, paragraphs

MOST_WISHES: Final = 5
WISHES: Final = "help, show, options, rules R4.5, news every|turn|none, absent until 2026-12-31, back"
NEWS: Final = {"every": "of every move", "turn": "when you are asked", "none": "not at all, only questions"}


def grant(player: Player, wish: str) -> tuple[Player, str]:
    """Return the player as wished, and what is answered to one wish."""
    word, *words = wish.split()
    try:
        match word.lower(), words:
            case "help", _:
                return player, "\n\n".join(paragraphs(HELP))
            case "show" | "options", _:  # the letter has both
                return player, "\n".join(paragraphs(("Here is the game as it is now.",)))
            case "rules", _:
                from pbem.reference import rules

                return player, rules(tuple(words), only_rulings=False).text()
            case "news", [("every" | "turn" | "none") as news]:
                return player._replace(news=news), f"You get news {NEWS[news]}."
            case "stop", []:
                return player._replace(news="none"), f"You get news {NEWS['none']}."
            case "absent", ([] | [_]):
                from pbem.mail.clock import away_until

                day = words[-1] if words else UNTIL_BACK
                away_until(day)
                until = f"until {day}" if words else 'until you write "back"'
                return player._replace(absent=day), f"You are away {until}, and will be waited for."
            case "back", []:
                return player._replace(absent=""), "Welcome back."
            case "join", _:
                return player, "You play in this game already."
            case _:
                hint = f"It is written: {WISHES}."
                return player, "\n".join(paragraphs((f'I do not understand the wish "{wish[:60]}".', hint)))
    except NotUnderstood as wrong:
        return player, report.refusal(wrong, by_mail=True)
