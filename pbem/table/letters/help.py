"""Help for players: how the game goes, what they can ask for, and what they can say ahead.

No line begins as a plan does, however a mail program wraps it: see ``plans.lines.begins``.
"""

from collections.abc import Mapping
from typing import Final

from pbem.first_sparks.briefing.primer import primer
from pbem.locale import tr
from pbem.page.glue import glued
from pbem.page.page import Items, Prose, Section, Sections
from pbem.page.page import paragraphs as page_paragraphs
from pbem.table.matters.kinds import MOVED
from pbem.table.table import House

HOW_IT_GOES: Final = "How the game goes:"
AT_ANY_TIME: Final = (
    'At any time you may write "resign", and leave the game permanently, or "agree end": the game ends as it stands '
    "when everyone has agreed."
)
# What a hint names of all that can be asked for, and each with what it does.
KNOWN_REQUESTS: Final = (
    *("help", "show", "options", "suggest", "rules rot", "try ORDER", "note TEXT", "news every", "news turn"),
    *("news none", "plain", "language it", *(kind.request for kind in MOVED.values())),
    *("absent until 2026-12-31", "back", "resign"),
)
REQUESTS: Final = "You can also write one of these, on a line of its own:"
REQUESTS_LISTED: Final = (
    '"show": the game as it stands',
    '"options": everything that is legal now, or would be if it were your turn',
    '"try" and an order: what would follow, without playing it',
    '"suggest": what a bot would order and plan in your place, and why, without playing it',
    '"rules": the chapters of the rules, and those asked for most',
    '"rules" and a number or a word, like "rules R4.5" or "rules rot": the rules about it',
    '"help plan": how to say ahead what you will answer, so that nobody has to wait for you',
    '"note" and a text: a note to yourself, which stands in your letters; "note" alone clears it',
    '"news every": a letter after every move, yours included, with everything that has happened',
    '"news turn": a letter when it is your turn, when the game has to wait or is about to end, and at its end',
    '"news none": a letter only when it is your turn',
    '"plain": letters in lists, without drawings and tables, for example for a screen reader; "plain off" ends that',
    '"language" and a code: letters in English ("language en"), Italian ("it"), French ("fr") or German ("de")',
    '"absent until 2026-12-31" or just "absent": you are away',
    '"back": you have returned',
    *(kind.texts.help for kind in MOVED.values()),
    '"resign": you leave the game permanently',
    '"agree end": you agree to end the game as it stands, and it ends when everyone has agreed',
)
PLANS: Final = (
    "You can say ahead what you will answer, so that nobody has to wait for you. Nobody else sees it. Write each of "
    "these on a line of its own, beside your order or alone, without the parentheses. A new message with such lines "
    "replaces all earlier ones. The cards and spaces are examples:"
)
# What a line means.
FORMS: Final[Mapping[str, str]] = {
    "plan 14 19": "what you want, the best first. You buy the first that is offered, but say no to it while a better "
    "one can still be bought; on your own turn you offer the first that you can buy.",
    "plan 14 else pass": "the same, and you pass if nothing in it can be offered; otherwise you are asked.",
    "plan any rod up to 8": "a card of that kind that costs at most 8.",
    "plan buy 14": "you say yes to it, whatever else is there.",
    "plan buy 14 if nobody wants it": "you say yes if nobody before you does; you can also name a player.",
    "plan decline 22": "you say no to it, before all else.",
    "plan pass": "you say no to everything, and pass on your own turn.",
    "plan offer 14 19": "what you offer on your own turn.",
    "plan new decline": "you say no to cards that are not on the table yet; otherwise you are asked.",
    "plan drop least": "of too many tools you discard the least useful one; you can also name a card.",
    "plan spread B1a at most 5 else stay": "your new members in this phase.",
    "plan settle A1a B2b": "where you settle in the placement round, the best first.",
    "always decline 22": "this holds until you change it; so does (always drop least).",
    "plan": "shows what you have said.",
    "forget": "ends all of it.",
}
PLANS_END: Final = (
    "The kinds are basket, rod, bow, spear, field, tool, knowledge, fire, plow, sled, speech and intelligence. It all "
    "holds for the technology phase that runs or comes next, or for the spreading that runs. It ends when you have "
    "bought or passed."
)


def primer_sections() -> Sections:
    """Return the game in eight lines."""
    return (Section("why", (Prose(tr(HOW_IT_GOES)), Items(primer()))),)


def help_sections(house: House) -> Sections:
    """Return the answer to a request for help: the game, how to play, and what else a player can ask for."""
    listed_requests = Section("why", (Prose(tr(REQUESTS)), Items(requests_listed())))
    return (*primer_sections(), *page_paragraphs("why", (tr(house.help),)), listed_requests)


def requests_listed() -> tuple[str, ...]:
    """Return what a player can ask for, an item each."""
    return tuple(map(tr, REQUESTS_LISTED))


def forms_listed() -> tuple[str, ...]:
    """Return what a plan can say, an item each, in parentheses so that none begins as a plan does."""
    message = tr("{line}: {meaning}")
    return tuple(message.format(line=glued(f"({tr(line, 'a plan')})"), meaning=tr(FORMS[line])) for line in FORMS)


def request_help_sections(topic: str) -> Sections:
    """Return the answer to a request for help with another request: how it is written, or else how all are."""
    about = tuple(tr(line) for line in REQUESTS_LISTED if line.startswith((f'"{topic}"', f'"{topic} ')))
    return (Section("why", (Prose(tr(REQUESTS)), Items(about or requests_listed()))),)


def plan_help_sections() -> Sections:
    """Return the answer to a request for help with plans."""
    return (Section("why", (Prose(tr(PLANS)), Items(forms_listed()))), *page_paragraphs("why", (tr(PLANS_END),)))
