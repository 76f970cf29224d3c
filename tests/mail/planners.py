"""A whole game by mail in which people answer as bots would, plan ahead, and answer before their turn comes.

A person answers the last letter that asks, knowing what stands in it: several orders at once where nobody else comes
between them and nothing is drawn, and plans in the same mail.
"""

import pickle
import shutil
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from copy import copy
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple, Self
from unittest.mock import patch

from benchmark_plans import early_answer
from bots import SECRET
from builders import COLOURS, NAMES
from people import Mail, delivered, nothing_quoted, on_a_phone, reply, the_top
from templates import template

from pbem import loading
from pbem.carriers.mail.settings import MailClub, read_club
from pbem.carriers.mail.setup import create
from pbem.carriers.mail.take import take
from pbem.club.folder import GameFolder
from pbem.club.opening import open_game
from pbem.club.store import load
from pbem.errors import PbemError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.bot.decide import decide
from pbem.first_sparks.bot.suggest import suggest
from pbem.first_sparks.bot.tuning import DEFAULT, Tuning
from pbem.first_sparks.moves import Move
from pbem.first_sparks.options import BoardWay
from pbem.first_sparks.phases import Adding, Answering, Settling, Spreading
from pbem.first_sparks.plans.waves import as_asked, question_to
from pbem.first_sparks.play import played
from pbem.first_sparks.record import Record, at_line, line_at
from pbem.first_sparks.state import CHANCE, GameState
from pbem.reading.ticket import LONGEST_GAME
from pbem.table.messages.verdict import Verdict
from pbem.table.people import Opening
from pbem.table.table import Table

_PLACES = {  # how the line of a plan begins that answers such a question
    Settling: ("plan settle",),
    Adding: ("plan add", "plan stay"),
    Spreading: ("plan spread", "plan stay"),
}
# A bot that looks at one course of the game for each decision: it plays and plans as well as people do by mail.
QUICK = DEFAULT._replace(habits=DEFAULT.habits[1:2], rounding=DEFAULT.rounding[1:2])


class Question(NamedTuple):
    """A letter that asks, and what its reader knows from it: the state as if it were the reader's turn."""

    mail: Mail
    turn: int
    state: GameState


class MailGame:
    """A game in a club of its own, and the letters that its players have not answered."""

    def __init__(
        self,
        folder: Path,
        players: int,
        *,
        game: str = "friday",
        waves: bool = True,
        hide_food: bool = False,
        board: BoardWay = "random",
        tuning: Tuning = QUICK,
    ) -> None:
        assert len(game) <= LONGEST_GAME
        create(folder, "pbem@example.org", "host@example.org")
        settings = folder / "club.toml"
        text = settings.read_text().replace("picture = true", "picture = false")
        settings.write_text(text if waves else text.replace("waves = true", "waves = false"))
        self.club: MailClub = read_club(folder)
        seats = [f"{NAMES[colour]}:{colour}={colour}@x.example" for colour in COLOURS[:players]]
        with patch("pbem.game_setup.secret_from", lambda _: SECRET):
            open_game(self.club, game, seats, Opening(players, board, hide_food=hide_food), None)
        self.table = GameFolder(self.club.games / game)
        self.hide_food = hide_food
        self.tuning = tuning
        self._read: tuple[bytes, Record] | None = None
        self.inbox: dict[str, Question] = {}  # by colour
        self.letters: list[Mail] = []
        self.mails = 0
        self.waited: Counter[str] = Counter()  # the steps at which the table has waited, by phase
        self.sent: list[tuple[str, str]] = []  # the colour, and the words
        self.accepted: dict[str, str] = {}  # the words of the last message of each colour that counted
        self.fetch()

    def copied(self, folder: Path) -> Self:
        """Return the same game in another folder, where it goes on in another way."""
        other = copy(self)
        shutil.copytree(self.club.folder, folder)
        other.club = read_club(folder)
        other.table = GameFolder(other.club.games / self.table.name)
        other.inbox, other.letters, other.sent = dict(self.inbox), list(self.letters), list(self.sent)
        other.waited, other.accepted = Counter(self.waited), dict(self.accepted)
        return other

    def decided(self, state: GameState, colour: str) -> Move:
        """Return the move that a clan makes in a state in which it decides."""
        return decide(state, colour, self.table.name, self.tuning)

    def lines(self, state: GameState, colour: str) -> Sequence[str]:
        """Return the lines of a plan that a clan writes in a state."""
        return suggest(state, colour, self.table.name, self.tuning)

    @property
    def record(self) -> Record:
        """The game as its file has it."""
        found = self.table.game.read_bytes()
        if self._read is None or self._read[0] != found:
            self._read = found, loading.load(self.table.game).record
        return self._read[1]

    @property
    def waits(self) -> int:
        """At how many steps the table has waited."""
        return self.waited.total()

    @property
    def begun(self) -> Record:
        """The game as it began."""
        return loading.load(self.table.begun).record

    @property
    def desk(self) -> Table:
        """The desk, which knows who is asked."""
        return load(self.club, self.table)

    def fetch(self) -> list[Mail]:
        """Read the letters that have come."""
        mails = delivered(self.club.folder)
        for mail in mails:
            self.letters.append(mail)
            if mail.asks:
                self.inbox[mail.to.partition("@")[0]] = self.question(mail)
        return mails

    def question(self, mail: Mail) -> Question:
        """Return what a letter asks."""
        turn, record = int(mail.marker[0].split("/")[1]), self.record
        state = at_line(record, line_at(record, turn)).state
        return Question(mail, turn, as_asked(state, mail.to.partition("@")[0]))

    def beneath(self, mail: Mail) -> str:
        """Return what is beneath a reply: one in three quotes the letter."""
        return nothing_quoted(mail) if self.mails % 3 else on_a_phone(mail)

    def send(
        self,
        colour: str,
        words: str,
        question: Question | None = None,
        number: int = 0,
        beneath: Callable[[Mail], str] = the_top,
    ) -> Verdict:
        """Answer a letter, by default the last one that asks, with these words."""
        asked = question or self.inbox.pop(colour)
        self.mails += 1
        self.sent.append((colour, words))
        verdict = take(self.club, reply(asked.mail, words, number=number, beneath=beneath))
        if verdict.code in ("played", "planned"):
            self.accepted[colour] = words
        self.fetch()
        return verdict

    def words(self, colour: str, question: Question, *, plans: bool) -> str:
        """Return what a player writes: orders, or what counts when the others have answered; and a plan."""
        state, decides = question.state, who_decides(self.record.state)
        early = decides != colour or question.turn != self.record.turn
        if early and plans and (lines := self._placing(question, colour)):
            return "\n".join(lines)
        said = self._early(state, colour) if early else self._orders(colour)
        if said == "wait" or not plans:
            return said
        lines = self.lines(state, colour)
        return "\n".join((said, *lines))

    def _placing(self, question: Question, colour: str) -> Sequence[str]:
        """Return a plan that says where members go, which may rank spaces or pay a little more than now.

        None without a place in it: the question is of another kind, or it was the player's turn when it was asked.
        """
        places = _PLACES.get(type(question.state.phase))
        if places is None:
            return ()
        then = at_line(self.record, line_at(self.record, question.turn)).state
        lines = self.lines(then, colour)
        return lines if any(line.startswith(places) for line in lines) else ()

    def answers(self, random: Random, plans: Collection[str]) -> Verdict:
        """Let somebody who is asked answer, whoever it is; *plans* are the colours of those who plan."""
        colour = random.choice(sorted(self.inbox.keys() & set(self.desk.asked)))
        words = self.words(colour, self.inbox[colour], plans=colour in plans)
        return self.send(colour, words, beneath=self.beneath)

    def _early(self, state: GameState, colour: str) -> str:
        phase = state.phase
        if isinstance(phase, Answering) and who_decides(self.record.state) != colour:
            shown = self.record.state
            assert isinstance(shown.phase, Answering)
            lines = early_answer(shown, shown.phase, colour, self.decided)
            return lines[0].removeprefix("plan ").replace(f" {phase.card}", "") if lines else "wait"
        if isinstance(phase, Settling):
            line = next((each for each in self.lines(state._replace(phase=None), colour) if "settle" in each), "")
            return line.removeprefix("plan ") or str(self.decided(state, colour))
        return str(self.decided(state, colour))

    def _orders(self, colour: str) -> str:
        """Return the orders of the player as long as nobody else decides and nothing is drawn."""
        record, orders = self.record, list[str]()
        step = record.state.step
        while who_decides(record.state) == colour and (record.state.step == step or not self.hide_food):
            move = self.decided(record.state, colour)
            orders.append(str(move))
            try:
                record, history = played(record, colour, move, None)
            except PbemError:  # a draw follows
                break
            if any(entry.clan == CHANCE for entry, _ in history):
                break
        return "\n".join(orders)

    def waiting(self, colour: str) -> bool:
        """Return whether the player's last message that counted asked to wait for the others."""
        return self.accepted.get(colour) == "wait"

    def wait(self, *, plans: bool) -> None:
        """Let everybody who is asked answer, the one who decides last, so that all answers count."""
        state = self.record.state
        decides = who_decides(state) or ""
        self.waited[state.phase.name if state.phase else ""] += 1
        assert decides in self.inbox, (self.record.turn, state.phase, self.inbox.keys())
        for colour in sorted(self.inbox, key=lambda colour: (colour == decides, colour)):
            if colour in self.inbox and colour in self.desk.asked:
                words = self.words(colour, self.inbox[colour], plans=plans)
                verdict = self.send(colour, words, beneath=self.beneath)
                assert verdict.code in ("played", "planned"), (verdict, self.letters[-1].text)
            self.inbox = {each: asked for each, asked in self.inbox.items() if each in self.desk.asked}

    def to_the_end(self, *, plans: bool) -> Record:
        """Play until the game is over, and return it."""
        while who_decides(self.record.state) is not None:
            self.wait(plans=plans)
        return self.record


def told(mail: Mail) -> str:
    """Return a letter up to its news, as one line."""
    return " ".join(mail.text.partition("\nQUESTION")[0].partition("\nWHAT HAS HAPPENED")[0].split("\n", 3)[3].split())


class Wave(MailGame):
    """A game whose players answer as the bot would, up to the question that a test is about."""

    def until(self, kind: type, asked: int) -> "Wave":
        """Play on until so many are asked a question of that kind."""
        while not (isinstance(self.record.state.phase, kind) and len(self.desk.asked) == asked):
            decides = who_decides(self.record.state) or ""
            assert (
                self.send(decides, str(self.decided(self.record.state, decides)), beneath=nothing_quoted).code
                == "played"
            )
        assert set(self.desk.asked) <= self.inbox.keys()
        return self

    @property
    def order(self) -> tuple[str, ...]:
        """Who is asked, in the order in which the answers count."""
        record, order = self.record, list[str]()
        for colour in self.desk.asked:
            assert question_to(record.state, colour)
        phase, waiting = record.state.phase, record.state.waiting
        if isinstance(phase, Answering):
            order = [phase.clan, *phase.unasked]
        elif isinstance(phase, Adding):
            order = [phase.clan, *waiting]
        elif isinstance(phase, Spreading | Settling):
            order = [phase.clan, *reversed(waiting)]
        return tuple(colour for colour in order if colour in self.desk.asked)

    def say(self, colour: str, words: str) -> tuple[Verdict, list[Mail]]:
        """Answer the last letter that asked; return what became of it and the letters."""
        before = len(self.letters)
        return self.send(colour, words), self.letters[before:]


def a_wave(folder: Path, players: int, kind: type, asked: int, *, waves: bool = True) -> Wave:
    """Return such a game on the recommended board when so many are asked a question of that kind for the first time."""
    return _a_wave(players, kind, asked, waves=waves).copied(folder)


def an_offer(folder: Path) -> Wave:
    """Return a game of four of whom three are asked about a card that all of them can buy."""
    return a_wave(folder, 4, Answering, 3)


@cache
def _a_wave(players: int, kind: type, asked: int, *, waves: bool) -> Wave:
    def make(place: Path) -> None:
        place.mkdir()
        wave = Wave(place / "club", players, board="recommended", waves=waves).until(kind, asked)
        (place / "wave.pickle").write_bytes(pickle.dumps(wave))

    place = template("wave", make, players, kind, asked, waves)
    wave: Wave = pickle.loads((place / "wave.pickle").read_bytes())  # noqa: S301 -- which we have written
    wave.club = read_club(place / "club")
    return wave
