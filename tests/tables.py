"""Tables at which tests sit down: what somebody writes, what follows, and who reads what. No folder, and no process."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from hashlib import sha256
from random import Random
from typing import Any, ClassVar, NamedTuple

from bots import SECRET, a_sensible_choice
from builders import the_components

from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance.draws import commitment, source
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.options import Options
from pbem.first_sparks.play import carried_on, played
from pbem.first_sparks.record import Chance, Record, begin
from pbem.page.text import text_of
from pbem.reading.context import NOBODY, Context
from pbem.reading.message import Post, of_text
from pbem.table import host
from pbem.table.clock import Effect, Terms, tick
from pbem.table.letters.letter import Letter
from pbem.table.messages.hear import hear
from pbem.table.messages.verdict import id_digest
from pbem.table.messages.votes import ASKED
from pbem.table.people import UNTIL_BACK, Player, Roster, writer_of
from pbem.table.progress import Progress
from pbem.table.questions import ASKS
from pbem.table.table import Beside, Table
from pbem.table.tell import Telling, tell
from pbem.table.ticks import ticked

NAMES = {"green": "Ann", "red": "Bob", "blue": "Cy", "black": "Di", "white": "Ed"}
GAME = "friday"
START = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Home:
    """The club in which a table stands."""

    host = "host@example.org"
    zone: tzinfo = UTC
    to_answer: ClassVar[str] = "To answer, write {order}."
    how_to_play: ClassVar[str] = "How to play: write your order."
    help: ClassVar[str] = "Write one order per line."

    def __init__(self, *, waves: bool = False) -> None:
        """Ask one after the other, or with *waves* all whose answers do not depend on each other."""
        self.waves = waves

    def id_of(self, letter: Letter) -> str:
        """Return the id by which a reply names the letter."""
        return sha256(repr(letter).encode()).hexdigest()


class Sitting(NamedTuple):
    """A table after what was said or done at it last: what became of that, and the *letters* about it, by address.

    *newest* has the last letter that each address got, and *effects* are what a tick has found to do. *log* is what the
    host reads of a message.
    """

    table: Table
    code: str = ""
    letters: Mapping[str, Letter] = {}
    newest: Mapping[str, Letter] = {}
    effects: tuple[Effect, ...] = ()
    log: str = ""

    def hears(
        self, colour: str, words: str, to: Letter | None = None, *, person: bool = True, came: datetime | None = None
    ) -> "Sitting":
        """Return the table after a player's answer *to* a letter, by default the newest one; a robot is no *person*.

        *came* is the time of the message, if the carrier knows it.
        """
        table, letter = self.table, to or self.newest[self.seat(colour).reader]
        assert letter.ticket is not None
        writer = writer_of(table.roster, letter.ticket)
        assert writer is not None
        raw, head = f"{len(table.rows)} {colour} {words}".encode(), letter.page.marker[0].rstrip("]")[-8:]
        names = (table.house.id_of(letter),)

        def read(context: Context = NOBODY) -> Post:
            post, _ = of_text(raw, words, context)
            return post._replace(message_id=f"<{post.digest}>", names=names, head=head, person=person, reread=read)

        post = read()._replace(came=came)
        heard = hear(table, writer.player, letter.ticket, post, valid=writer.valid)
        if heard.step is None:
            return self._replace(code=heard.code, letters={}, log=heard.words)
        told = tell(heard.step)
        row = {"digest": post.digest, "id": id_digest(post.message_id), "colour": colour, "code": heard.code}
        return self._told(told, row | dict(heard.row))._replace(code=heard.code, log=heard.words)

    def after(self, step: Progress, **row: Any) -> "Sitting":
        """Return the table after what the host or the clock has done, with what the journal notes of it."""
        return self._told(tell(step), dict(step.row) | row)

    def _told(self, told: Telling, row: dict[str, Any]) -> "Sitting":
        table, id_of = told.after, told.after.house.id_of
        row |= {"game": GAME, "turn": table.kept.turn, "head": table.kept.head}
        row |= {"letter": id_digest(id_of(told.answer))} if told.answer else {}
        row |= {ASKED: [id_digest(id_of(each)) for each in told.asks]} if told.asks else {}
        letters = {letter.to: letter for letter in told.letters}
        assert len(letters) == len(told.letters), "nobody gets two letters about one thing"
        table = table.but(rows=(*table.rows, row), serial=table.serial + 1)
        return Sitting(table, "", letters, {**self.newest, **letters})

    def away(self, colour: str, until: str = UNTIL_BACK, substitute: str = "", name: str = "") -> "Sitting":
        """Return the table after the host has said that a player is away."""
        before = self.seat(colour)
        player = before._replace(absent=until, substitute=substitute, substitute_name=name)
        return self.after(host.away(self.table, before, player))

    def back(self, colour: str) -> "Sitting":
        """Return the table after the host has said that a player is back."""
        return self.after(host.back(self.table, self.seat(colour)))

    def ticks(self, *hours: float, terms: Terms | None = None) -> "Sitting":
        """Return the table after ticks so many hours after ``START``; the clock decides for nobody at a table.

        The letters are those of the last tick, and so are the *effects* that it had.
        """
        terms = terms or self.table.terms or Terms()
        found = self._replace(table=self.table.but(terms=terms))
        for each in hours:
            at = START + timedelta(hours=each)
            clock, effects = tick(terms, found.table.clock, found.table.situation, at)
            found = found.after(ticked(found.table, terms, clock, effects, at))._replace(effects=effects)
        return found

    # What one looks at

    def seat(self, colour: str) -> Player:
        """Return a player."""
        player = self.table.roster.player(colour)
        assert player is not None
        return player

    @property
    def told(self) -> dict[str, str]:
        """What was read about the last thing, by colour: a subject and a text in one line, without marks for lines."""
        readers = {player.reader: player.colour for player in self.table.roster.players}
        return {readers[to]: text_in(letter) for to, letter in self.letters.items() if to in readers}

    def newest_text(self, colour: str) -> str:
        """Return the newest letter to the reader of a seat, in one line."""
        return text_in(self.newest[self.seat(colour).reader])

    @property
    def asked(self) -> str:
        """The colour of the player whose turn it is."""
        return self.table.decides

    @property
    def others(self) -> tuple[str, ...]:
        """The colours of those whose turn it is not."""
        return tuple(player.colour for player in self.table.roster.players if player.colour != self.asked)

    @property
    def order(self) -> str:
        """An order that is legal now."""
        return next(iter(main_choices(self.table.kept.state))).order

    @property
    def talk(self) -> list[str]:
        """What has been said that somebody has not read yet."""
        return [saying.text for saying in self.table.sayings]

    @property
    def said(self) -> list[str]:
        """The lines of the minutes, without time and place."""
        return [line.words for line in self.table.minutes.lines]

    def resent(self) -> "Sitting":
        """Return the table after the host has sent everybody the game as it is."""
        return self.after(host.resend(self.table, to_all=True), **{ASKS: list(self.table.asked)})

    def with_player(self, colour: str, **changes: Any) -> "Sitting":
        """Return the table with somebody who is otherwise, as if it had always been so."""
        roster = self.table.roster.changed(self.seat(colour)._replace(**changes))
        return self._replace(table=self.table.but(roster=roster))

    def carried_out(self) -> "Sitting":
        """Return the table after its open motion was carried out."""
        motion = self.table.open_motion
        assert motion is not None
        return self.after(host.carry_out(self.table, motion))

    def goes_on(self) -> "Sitting":
        """Return the table after an order of the player whose turn it is."""
        after = self.hears(self.asked, self.order)
        assert after.code == "played"
        return after


def late_and_others(table: Sitting) -> tuple[str, str, str, str]:
    """Return who is asked, with the name, and the two others."""
    return table.asked, NAMES[table.asked], *table.others  # type: ignore[return-value]


def text_in(letter: Letter) -> str:
    """Return a letter in one line, its subject first."""
    return " ".join(f"{letter.subject} {text_of(letter.page)}".split())


def a_table(turn: int = 6, players: int = 3, *, waves: bool = False) -> Sitting:
    """Return a table whose players have played sensibly up to that *turn*; all of them have a letter about it."""
    record = _played(turn, players)
    roster = Roster(
        tuple(
            Player(colour, name, f"{name.lower()}@x.example", sha256(colour.encode()).digest())
            for colour, name in record.players
        )
    )
    beside = Beside(
        lambda: source(GAME, SECRET), lambda ended: ended, lambda *_: b"", lambda _: "", lambda: sha256(b"new").digest()
    )
    return Sitting(Table(Home(waves=waves), beside, roster, record)).resent()


@cache
def _played(turn: int, players: int) -> Record:
    seats = tuple(NAMES.items())[:players]
    held, draw, random = Chance("open", commitment(SECRET), SECRET.hex()), source(GAME, SECRET), Random(1)
    record, _ = carried_on(begin(GAME, seats, Options("recommended"), the_components(), held), draw)
    while record.turn < turn:
        record, _ = played(record, who_decides(record.state) or "", a_sensible_choice(record.state, random), draw)
    return record
