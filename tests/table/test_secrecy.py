"""What players may see never depends on what another has said ahead: whoever has answered is still told to be asked.

Each table here is there twice, with what somebody has said ahead or noted, and without it. All that others read must be
the same. ``mail/test_plan_secrecy.py`` plays whole games in that way.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cache
from typing import Final, NamedTuple, get_args

import pytest
from tables import NAMES, Sitting, a_table

from pbem.page.page import Sections
from pbem.reading.lines import cleaned
from pbem.reading.recognisers.motions import is_request
from pbem.reading.recognisers.requests import request_of
from pbem.reading.vocabulary import each_of, table
from pbem.table import host
from pbem.table.clock import Terms
from pbem.table.letters.letter import Letter, paragraphs
from pbem.table.minutes import Motion
from pbem.table.occurrences import Agreed, GameBegun, HandedOver, Occurrence, Unproved
from pbem.table.people import UNTIL_BACK
from pbem.table.progress import Progress, stand_still
from pbem.table.requests.kinds import HELP, KNOWN, REQUESTS
from pbem.table.tell import Telling, tell

HOLES: Final = {"ORDER": "pass", "TEXT": "tea", "NAME": "Cy"}  # what is written in place of a word in capitals
MOST: Final = 5  # requests that are answered in one message
DAN: Final = "dan@sub.example"
# What people write besides.
WRITTEN: Final = ("plan", "forget", "wait", "offer 99", "nonsense 7", "agree", "withdraw", "object", "hello")


class Case(NamedTuple):
    """A table of four at a *turn*, with waves or not, and what a player says ahead or notes there: nothing is played.

    If everybody *looks* at the new market then, plans wait for that.
    """

    turn: int
    waves: bool
    planner: str
    words: tuple[str, ...]
    looks: bool = False

    @property
    def began(self) -> Sitting:
        """The table before."""
        terms = Terms(look=timedelta(days=9)) if self.looks else Terms()
        return a_table(self.turn, 4, waves=self.waves).ticks(0, terms=terms)

    def then(self, said: Sitting) -> Sitting:
        """Return the table when the market is new, if there is a time to look at it."""
        return said.goes_on() if self.looks else said


CASES: Final = (
    Case(18, False, "blue", ("plan pass\nalways drop least", "note tea")),  # green offers; red, black and blue wait
    Case(14, True, "red", ("stay", "note tea")),  # blue spreads, and red, black and green can answer as well
    Case(19, True, "blue", ("plan pass",)),  # black is offered a card, and so are red and blue
    Case(19, True, "red", ("wait",)),
    Case(17, False, "green", ("plan pass",), True),  # red spreads, and green comes first in the next game round
)


class Pair(NamedTuple):
    """A table where the *planner* has said or noted something, and the same one without that."""

    planner: str
    secret: Sitting
    bare: Sitting

    def then(self, act: Callable[..., Sitting], *about: object) -> "Pair":
        """Return both tables after the same thing has occurred at them."""
        return Pair(self.planner, act(self.secret, *about), act(self.bare, *about))

    def check(self, about: object) -> None:
        """Assert that all but the planner read the same of what has occurred."""
        assert others(self.secret, self.planner) == others(self.bare, self.planner), about


def others(sitting: Sitting, planner: str) -> tuple[str, Mapping[str, Letter]]:
    own = (DAN, f"{NAMES[planner]}@x.example".lower())
    return sitting.code, {to: letter for to, letter in sitting.letters.items() if to not in own}


@cache
def a_pair(case: Case) -> Pair:
    began = case.began
    secret = began
    for words in case.words:
        secret = secret.hears(case.planner, words)
    assert secret.table.kept == began.table.kept
    bare = secret._replace(table=secret.table.but(ahead={}, notes={}))
    pair = Pair(case.planner, secret, bare).then(case.then)
    assert pair.secret.table.kept == pair.bare.table.kept
    assert pair.secret.table.ahead or pair.secret.table.notes
    return pair


def another(sitting: Sitting, planner: str) -> str:
    """Return who decides, or else somebody who is not the planner."""
    return next(colour for colour in (sitting.asked, *sitting.others) if colour != planner)


def all_away(sitting: Sitting) -> Sitting:
    for player in sitting.table.roster.players:
        sitting = sitting.away(player.colour)
    return sitting


def occurs(sitting: Sitting, occurrence: Occurrence) -> Sitting:
    return sitting.after(stand_still(sitting.table, sitting.table, occurrence))


def handed(sitting: Sitting, colour: str) -> Sitting:
    return sitting.with_player(colour, absent=UNTIL_BACK, stand_in="bot")


def moved(sitting: Sitting, planner: str) -> Sitting:
    return sitting.hears(another(sitting, planner), "take back")


def without(sitting: Sitting, planner: str) -> Sitting:
    return sitting.hears(another(sitting, planner), f"go on without {NAMES[planner]}")


def motion_at(sitting: Sitting) -> Motion:
    motion = sitting.table.motion
    assert motion is not None
    return motion


def resumed(sitting: Sitting) -> Sitting:
    return sitting.after(host.resume(sitting.table))


def replaced(sitting: Sitting, colour: str) -> Sitting:
    before = sitting.seat(colour)
    return sitting.after(host.replace(sitting.table, before, before._replace(name="Zoe", address="zoe@x.example")))


def requests() -> tuple[str, ...]:
    """Return everything that players can ask for, once each, as they write it."""
    listed = re.findall('"([^"]+)"', " ".join(HELP))
    known = (re.sub("[A-Z]{4,}", lambda hole: HOLES[hole[0]], each) for each in (*KNOWN, *listed))
    topics = (f"help {topic}" for topic in table("requests.topics"))
    return tuple(
        dict.fromkeys(
            (*known, "stop", "unsubscribe", "join friday Zoe", "absent Thu 31 Dec", "away until 31 Dec", *topics)
        )
    )


def given(*values: object, **named: object) -> Sections:
    """Return that from which a letter is made."""
    return paragraphs((repr((values, named)),))


def in_messages(requests: Sequence[str]) -> Iterator[str]:
    """Yield messages with these requests: a motion stands alone, and of others as many as are answered."""
    together = [each for each in requests if request_of(cleaned(each)) and not is_request(each)]
    yield from (each for each in requests if each not in together)
    yield from ("\n".join(together[first : first + MOST]) for first in range(0, len(together), MOST))


def test_whatever_can_be_asked_for_is_tried_here() -> None:
    """A new request with which no test below would ask is missed here."""
    every = [each.lower() for each in requests()]
    assert {request.word for request in REQUESTS} <= {each.split()[0] for each in every}
    assert [words for words in each_of("requests.plain") if not any(re.fullmatch(words, each) for each in every)] == []


@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_answer_depends_on_what_another_has_said_ahead(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pbem.table.letters.advice.advice_sections", given)  # a bot needs long for its advice
    pair = a_pair(case)
    readers = [player.colour for player in pair.bare.table.roster.players if player.colour != case.planner]
    for number, words in enumerate((*in_messages(requests()), *WRITTEN)):
        reader = readers[number % len(readers)]
        pair.then(Sitting.hears, reader, words).check((reader, words))


# What occurs at a table: who decides, or somebody else who has said nothing, is *another*.
ACTS: Final[Mapping[str, Callable[[Sitting, str], Sitting]]] = {
    "begun": lambda at, _: occurs(at, GameBegun()),
    "resent": lambda at, _: at.resent(),
    "resent to some": lambda at, _: at.after(host.resend(at.table, to_all=False)),
    "away": lambda at, planner: at.away(planner),
    "away, and then the game as it is": lambda at, planner: at.away(planner).resent(),
    "away with a substitute": lambda at, planner: at.away(planner, substitute=DAN, name="Dan"),
    "away and back": lambda at, planner: at.away(planner).back(planner),
    "away until tomorrow": lambda at, planner: at.away(planner, "2026-11-22").ticks(30, 49),
    "another away": lambda at, planner: at.away(another(at, planner)),
    "all away, and then the game as it is": lambda at, _: all_away(at).resent(),
    "handed over": lambda at, planner: occurs(handed(at, planner), HandedOver(at.seat(planner))),
    "another handed over": lambda at, planner: occurs(
        handed(at, another(at, planner)), HandedOver(at.seat(another(at, planner)))
    ),
    "paused": lambda at, _: at.after(host.pause(at.table, "tea")),
    "paused, and then the game as it is": lambda at, _: at.after(host.pause(at.table, "tea")).resent(),
    "resumed": lambda at, _: resumed(at.after(host.pause(at.table, "tea"))),
    "replaced": replaced,
    "another replaced": lambda at, planner: replaced(at, another(at, planner)),
    "taken back": lambda at, _: at.after(host.undo(at.table, at.table.kept.turn - 1)),
    "reminded": lambda at, _: at.ticks(30, 49),
    "warned": lambda at, _: at.ticks(30, 60, 73),
    "talk": lambda at, planner: at.hears(another(at, planner), "Well played!").resent(),
    "talk of the planner": lambda at, planner: at.hears(planner, "Well played!").resent(),
    "another says something ahead": lambda at, planner: at.hears(another(at, planner), "always drop least"),
    "in another's name": lambda at, planner: occurs(at, Unproved(at.seat(another(at, planner)))),
    "a motion": moved,
    "a motion against the planner": without,
    # not "take back", which is first about an early answer that the planner has given
    "a motion of the planner": lambda at, planner: at.hears(planner, f"go on without {NAMES[another(at, planner)]}"),
    "an objection": lambda at, planner: moved(at, planner).hears(planner, "object"),
    "agreed": lambda at, planner: occurs(at, Agreed(motion_at(without(at, planner)))),
    "failed": lambda at, planner: moved(at, planner).after(
        host.cannot_carry_out(moved(at, planner).table, motion_at(moved(at, planner)))
    ),
}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_letter_depends_on_what_another_has_said_ahead(case: Case) -> None:
    for name, act in ACTS.items():
        a_pair(case).then(act, case.planner).check(name)


def test_whatever_can_occur_does_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """An occurrence without an act is missed here; of what depends on an order, games by mail are compared."""
    seen = set[type]()

    def noted(step: Progress) -> Telling:
        seen.update(map(type, step.occurrences))
        return tell(step)

    monkeypatch.setattr("tables.tell", noted)
    for act in ACTS.values():
        act(a_pair(CASES[0]).bare, CASES[0].planner)

    assert set(get_args(Occurrence)) - seen == set()
