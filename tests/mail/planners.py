"""A whole game by mail in which people answer as bots would, plan ahead, and answer before their turn comes.

A person answers the last letter that asks, knowing what stands in it: several orders at once where nobody else comes
between them and nothing is drawn, and plans in the same mail.
"""

import shutil
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from copy import copy
from pathlib import Path
from random import Random
from typing import NamedTuple, Self
from unittest.mock import patch

from benchmark_plans import early_answer
from bots import SECRET
from builders import COLOURS, NAMES
from people import Mail, delivered, reply

from pbem import loading
from pbem.carriers.mail.settings import MailClub, read_club
from pbem.carriers.mail.setup import create
from pbem.carriers.mail.take import take
from pbem.club.folder import GameFolder
from pbem.club.seating import open_game
from pbem.club.store import load
from pbem.errors import PbemError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.bot.decide import decide
from pbem.first_sparks.bot.suggest import suggest
from pbem.first_sparks.moves import Move
from pbem.first_sparks.options import BoardWay
from pbem.first_sparks.phases import Adding, Answering, Settling, Spreading
from pbem.first_sparks.plans.together import as_asked
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
Lines = Callable[[GameState, str], Sequence[str]]  # the lines of a plan that a clan writes in a state
Moves = Callable[[GameState, str], Move]


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
        decided: Moves | None = None,
        lines: Lines | None = None,
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
        self.decided = decided or (lambda state, colour: decide(state, colour, game))
        self.lines = lines or (lambda state, colour: suggest(state, colour, game))
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

    @property
    def record(self) -> Record:
        """The game as its file has it."""
        return loading.load(self.table.game).record

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

    def send(self, colour: str, words: str, question: Question | None = None, number: int = 0) -> Verdict:
        """Answer a letter, by default the last one that asks, with these words."""
        asked = question or self.inbox.pop(colour)
        self.mails += 1
        self.sent.append((colour, words))
        verdict = take(self.club, reply(asked.mail, words, number=number))
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
        return self.send(colour, words)

    def _early(self, state: GameState, colour: str) -> str:
        phase = state.phase
        if isinstance(phase, Answering) and who_decides(self.record.state) != colour:
            shown = self.record.state
            assert isinstance(shown.phase, Answering)
            lines = early_answer(shown, shown.phase, colour, self.decided)
            return lines[0].removeprefix("plan ").replace(f" {phase.card}", "") if lines else "wait"
        if isinstance(phase, Settling):
            line = next((each for each in suggest(state._replace(phase=None), colour, "") if "settle" in each), "")
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
                verdict = self.send(colour, self.words(colour, self.inbox[colour], plans=plans))
                assert verdict.code in ("played", "planned"), (verdict, self.letters[-1].text)
            self.inbox = {each: asked for each, asked in self.inbox.items() if each in self.desk.asked}

    def to_the_end(self, *, plans: bool) -> Record:
        """Play until the game is over, and return it."""
        while who_decides(self.record.state) is not None:
            self.wait(plans=plans)
        return self.record
