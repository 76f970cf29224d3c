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

HOW_IT_GOES: Final = "How the game goes:"
AT_ANY_TIME: Final = (
    'At any time you may write "resign", and leave the game permanently, or "agree end": the game ends as it stands '
    "when everyone has agreed."
)
OTHER_LANGUAGES: Final = (
    'For letters in another language, write "language" and its code: de (German), en (English), fr (French) or it '
    "(Italian)."
)
REQUESTS: Final = "You can also write one of these, on a line of its own:"
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


def forms_listed() -> tuple[str, ...]:
    """Return what a plan can say, an item each, in parentheses so that none begins as a plan does."""
    message = tr("{line}: {meaning}")
    return tuple(message.format(line=glued(f"({tr(line, 'a plan')})"), meaning=tr(FORMS[line])) for line in FORMS)


def plan_help_sections() -> Sections:
    """Return the answer to a request for help with plans."""
    return (Section("why", (Prose(tr(PLANS)), Items(forms_listed()))), *page_paragraphs("why", (tr(PLANS_END),)))
