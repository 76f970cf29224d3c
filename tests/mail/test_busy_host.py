"""Whole games with waves, plans, a clock and a busy host: nobody who is asked is without a letter that asks."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from clubs import START, a_club, a_table, letters, terms, the_record
from people import Mail, nothing_quoted, on_a_phone, reply
from planners import QUICK

from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.carriers.rebuild import compare, rebuilt
from pbem.club import host
from pbem.club.deadlines import tick_all
from pbem.club.folder import read_roster
from pbem.club.status import rows_of, table_lines
from pbem.club.store import load
from pbem.errors import PbemError
from pbem.first_sparks.bot.decide import decide
from pbem.first_sparks.phases import Answering, Ended, Offering, Spreading
from pbem.first_sparks.plans.waves import as_asked
from pbem.table.people import Roster
from pbem.table.table import decides

pytestmark = pytest.mark.salted

LONGEST = 2000


class Evening:
    """A club whose players answer as a bot would, and whose host does something every now and then."""

    def __init__(self, club: MailClub, random: Random) -> None:
        """Begin with the letters that are in the outbox."""
        self.club, self.random, self.hours, self.inbox = club, random, 0, dict[str, Mail]()

    @property
    def roster(self) -> Roster:
        """The players as they are now."""
        return read_roster(a_table(self.club))

    def someone(self) -> str:
        """Return the colour of any player."""
        return self.random.choice(self.roster.players).colour

    def ticks(self) -> None:
        """Let time pass."""
        self.hours += self.random.choice((1, 6, 13, 30))
        done = tick_all(self.club, START + timedelta(hours=self.hours), release=True)
        assert [each.error for each in done if each.error] == []

    def takes_back(self) -> None:
        """Take back up to four turns; earlier letters no longer count."""
        with suppress(PbemError):
            host.take_back(
                self.club, a_table(self.club), max(0, the_record(self.club).turn - self.random.randint(1, 4))
            )
            self.inbox.clear()

    def replaces(self) -> None:
        """Give a seat to somebody else, or another address to a player."""
        player, number = self.roster.player(self.someone()), self.random.randrange(10**6)
        assert player is not None
        name = self.random.choice((player.name, f"N{number}"))
        host.replace(self.club, a_table(self.club), player.colour, name, f"n{number}@x.example")
        self.inbox.pop(player.reader, None)

    def goes(self) -> None:
        """Let a player be away, perhaps with a substitute."""
        colour = self.someone()
        host.away(self.club, a_table(self.club), colour, "", self.random.choice(("", f"sub-{colour}@x.example")))

    def decides(self) -> None:
        """Answer for one of those who are asked, if the mildest order will do."""
        with suppress(PbemError):
            host.decide(self.club, a_table(self.club))

    def plays(self) -> None:
        """Let one of those who are asked answer, perhaps with a plan or a request."""
        club, random, record = self.club, self.random, the_record(self.club)
        if self.roster.paused:
            host.resume(club, a_table(club))
            return
        asked = load(club, a_table(club)).asked
        if not asked:
            self.ticks()
            return
        player = self.roster.player(random.choice(asked))
        assert player is not None
        state = as_asked(record.state, player.colour)
        words, chance = str(decide(state, player.colour, "x", QUICK)), random.random()
        if isinstance(state.phase, Answering | Spreading) and chance < 0.1 and decides(record) != player.colour:
            words = "wait"
        if chance > 0.9:
            words += "\nback" if player.absent else "\nabsent"
        elif chance > 0.3 and isinstance(state.phase, Offering | Spreading | Answering):
            cards = random.sample(state.market.cards, min(2, len(state.market.cards)))
            words += f"\nplan {' '.join(map(str, cards))} else pass\nplan drop least\nalways drop least"
        quotes = on_a_phone if random.random() < 0.3 else nothing_quoted
        raw = reply(self.inbox.pop(player.reader), words, beneath=quotes)
        assert take(club, raw).code in ("played", "planned")

    def goes_on(self) -> None:
        """Do anything, mostly let a player answer."""
        tools: dict[Callable[[], object], int] = {
            self.plays: 70,
            self.ticks: 12,
            self.goes: 4,
            lambda: host.back(self.club, a_table(self.club), self.someone()): 6,
            self.takes_back: 1,
            self.replaces: 1,
            lambda: host.pause(self.club, a_table(self.club), ""): 1,
            lambda: host.resend(self.club, a_table(self.club)): 1,
            self.decides: 2,
        }
        self.random.choices(tuple(tools), tuple(tools.values()))[0]()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_nobody_who_is_asked_is_forgotten_whatever_the_host_does(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    club = a_club(tmp_path / "club", waves=seed % 4 != 0)
    then, look = random.choice(("answer", "tell", "substitute")), random.choice(("", 'look = "12 hours"\n'))
    terms(club, f'then = "{then}"\noutage = "99 days"\n{look}')
    evening = Evening(club, random)

    for _ in range(LONGEST):
        evening.inbox |= {mail.to: mail for mail in letters(club) if mail.asks}
        record = the_record(club)
        if isinstance(record.state.phase, Ended):
            break
        asked = load(club, a_table(club)).but(roster=evening.roster).asked
        readers = {player.reader for player in evening.roster.players if player.colour in asked}
        assert readers <= evening.inbox.keys(), f"turn {record.turn}: who is asked has no letter"
        assert max(map(len, table_lines(list(rows_of(club))))) <= 72
        evening.goes_on()

    assert isinstance(the_record(club).state.phase, Ended)
    compare(a_table(club), rebuilt(club, a_table(club))[0].record)
