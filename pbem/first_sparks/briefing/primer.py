"""The game in eight lines, for somebody who has never seen it: the aim, the phases, and what is different here."""

from typing import Final

from pbem.locale import tr

# Each fits into one line of a letter.
PRIMER: Final = (
    "Aim: be the largest when a clan reaches 13 members; food breaks ties.",
    "1 Technology: buy 1 card at most; the last who wants an offer buys it.",
    "2 Hunting: your tools turn tokens into food; each member eats 1 food.",
    "3 Spreading: 1 to 5 new members cost 1, 3, 6, 10 or 15 food, or more.",
    "4 Bureaucracy: larger clans move forward; food and cards are refilled.",
    "Being last is good: hunt first, spread first, the last say on a card.",
    "Rot: after phase 1 a third of your food is lost, unless you own Fire.",
    "Cards: a tool hunts one food beside your clan; knowledge bends a rule.",
)


def primer() -> tuple[str, ...]:
    """Return the eight lines in the language that is spoken."""
    return tuple(tr(PRIMER[place]) for place in range(len(PRIMER)))
