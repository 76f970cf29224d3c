"""The subject and the first line of every kind of letter, by which an inbox shows what the letter is about.

All of them are whole messages with named holes. They tell no more of the game than ``news`` and ``task`` tell
everybody, so no subject holds a secret. A reply repeats the subject and perhaps the first line: neither is ever an
order, and ``quotes`` recognises the line by its end.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from enum import Enum, unique
from functools import partial
from typing import Final, NamedTuple

from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.briefing.duties import duty_of, holes_of
from pbem.first_sparks.briefing.sentences import deed
from pbem.first_sparks.briefing.words import colour_word
from pbem.first_sparks.choice import net_price
from pbem.first_sparks.events import CardBought, OfferDiscarded
from pbem.first_sparks.phases import Answering, Ended, TakingOrDiscarding
from pbem.first_sparks.record import History
from pbem.first_sparks.state import CHANCE, GameState
from pbem.grammar import listed, one_line
from pbem.locale import Phrase, tr
from pbem.page.glue import unglued
from pbem.page.text import WIDTH, columns
from pbem.reading.ticket import Ticket, place_of
from pbem.table.people import Player

LONGEST_SUBJECT: Final = 60  # columns, as an inbox on a phone has them at most
_LONGEST_WORD: Final = 20  # characters of a word that is not cut

_YOUR_TURN: Final = ("{name}, it is your turn: {task}.", "{name}, it is your turn.", "It is your turn.")


@unique
class Occasion(Enum):
    """What a letter is about: its subject and its first line, and shorter ones to use where that does not fit."""

    ASKED = ("your turn: {task}", *_YOUR_TURN)
    ASKED_FOR_ANOTHER = (
        "your turn for {absent}: {task}",
        "{name}, it is your turn for {absent}: {task}.",
        "{name}, it is your turn for {absent}.",
        "It is your turn for {absent}.",
    )
    TOLD = ("{what}", "{name}, {what}. Waiting for {decider}.", "{name}, {what}.", "{what}.")
    STANDING = ("turn {turn}: waiting for {decider}", "{name}, the game is waiting for {decider}.")
    OVER = ("the game is over: {winners} wins", "{name}, the game is over: {winners} wins.")
    SHARED = (
        "the game is over: {winners} share the victory",
        "{name}, the game is over: {winners} share the victory.",
    )
    PLAYED = ("played: {order}", "{name}, you have played: {order}.")
    PLANNED = ("your plan", "{name}, I have kept what you say ahead.")
    ABOUT_A_PLAN = ("your plan", "{name}, this is about what you say ahead.")
    ANSWERED_EARLY = ("your answer", "{name}, I have kept your answer.")
    RENEWED = ("a new market", "{name}, the market was renewed.")
    ALREADY = ("already played: {order}", "{name}, you had already played: {order}.")
    REFUSED = ("refused: {order}", "{name}, your order was refused: {order}.")
    UNCLEAR = (
        "not played: your message is unclear",
        "{name}, your message is unclear, so nothing in it was played.",
    )
    PLAN_UNCLEAR = (
        "not kept: your plan is unclear",
        "{name}, your plan is unclear, so nothing of it was kept.",
    )
    NOT_NOW = ("not possible now", "{name}, what you wrote is not possible now, so nothing in it was played.")
    PROPOSED = ("did you mean {order}?", "{name}, did you mean {order}?", "Did you mean {order}?")
    LATE = (
        "too late: your message answers turn {turn}",
        "{name}, your message came too late: it answers turn {turn}.",
    )
    OUTDATED = (
        "not played: answer my latest letter",
        "{name}, you answered a letter that no longer counts.",
    )
    WHILE_PAUSED = (
        "not played: the game is paused",
        "{name}, your order was not played: the game is paused.",
    )
    EMPTY = ("no order in your message", "{name}, I found no order in your message.")
    UNSURE = ("was that a request?", "{name}, I am not sure whether you asked me for something.")
    REQUEST = ("your request: {request}", "{name}, here is the answer to your request: {request}.")
    REQUEST_REFUSED = ("request refused: {request}", "{name}, your request was refused: {request}.")
    MOTION = ("about a motion", "{name}, this is the answer to what you wrote about a motion.")
    TALK = ("{speaker} writes to the table", "{name}, {speaker} writes to the table.")
    REMINDER = (
        "reminder: {left} left",
        "{name}, you have {left} left: {task}.",
        "{name}, you have {left} left.",
        "You have {left} left.",
    )
    WARNING = ("time is up: answer by {due}", "{name}, your time is up. Please answer by {due}.")
    ANSWERED_FOR = ("played for you: {order}", "{name}, this was played for you: {order}.")
    ANSWERED_AHEAD_FOR = ("answered for you: {order}", "{name}, this was answered for you: {order}.")
    HANDED_OVER = ("your substitute plays for you now", "{name}, your time is up. Your substitute plays for you now.")
    HANDED_TO_A_BOT = ("a bot plays for you now", "{name}, your time is up. A bot plays for you now.")
    PAUSED = ("the game is paused", "{name}, the host has paused the game.")
    RESUMED = ("the game goes on", "{name}, the game goes on.")
    TAKEN_BACK = ("taken back to turn {turn}", "{name}, the host has taken the game back to turn {turn}.")
    TAKEN_BACK_TOGETHER = (
        "taken back to turn {turn}",
        "{name}, the game has been taken back to turn {turn}.",
    )
    SAFE = ("you keep your seat", "{name}, you keep your seat.")
    MOTION_OVER = ("your motion is over", "{name}, your motion is over.")
    MOTION_FAILED = (
        "a motion could not be carried out",
        "{name}, a motion could not be carried out.",
    )
    REPLACED = ("{new} plays {clan} now", "{name}, {new} plays {clan} from now on.")
    AWAY = ("{absent} is away", "{name}, {absent} is away.")
    AWAY_YOURSELF = ("you are away", "{name}, the host has noted that you are away.")
    WELCOME = ("welcome: you play {colour}", "{name}, welcome to the game. You play {colour}.")
    OPEN = ("welcome: you play {colour}", "{name}, you play {colour}. The game has not begun yet.")
    NOT_BEGUN = ("the game has not begun yet", "{name}, the game has not begun yet.")
    INVITATION = ("do you want to play?", "{name}, do you want to play in this game?")
    WITHOUT_A_TICKET = (
        "I could not accept a message sent in your name",
        "{name}, I could not accept a message sent in your name.",
    )


# In a letter of these kinds to the player whose turn it is, the subject says so too.
_ALSO_ASKED: Final[Mapping[Occasion, tuple[str, ...]]] = {
    Occasion.WELCOME: (
        "welcome, your turn: {task}",
        "{name}, welcome. It is your turn: {task}.",
        "{name}, welcome. It is your turn.",
        "Welcome. It is your turn.",
    ),
    Occasion.RESUMED: ("resumed, your turn: {task}", *_YOUR_TURN),
    Occasion.TAKEN_BACK: ("taken back, your turn: {task}", *_YOUR_TURN),
    Occasion.TAKEN_BACK_TOGETHER: ("taken back, your turn: {task}", *_YOUR_TURN),
    Occasion.MOTION_OVER: ("your motion is over, your turn: {task}", *_YOUR_TURN),
    Occasion.SAFE: ("you keep your seat, your turn: {task}", *_YOUR_TURN),
}

# Subjects of letters that nobody answers. They have no first line of their own, but begin with their only paragraph.
STRANGER: Final = "The First Sparks by email"
CANNOT_JOIN: Final = "Joining a game"
WAITING_LETTERS: Final = "Letters that could not be sent yet"
CLOCK: Final = "Time limits in your games"
REFUSED_LETTER: Final = "A letter was rejected"
_NOTICES: Final = {
    "dismissed": "you no longer play in this game",
    "relieved": "you no longer stand in for {absent}",
    "came back": "letters to {absent} bounce",
    "late": "{absent} has not answered",
    "motion failed": "a motion could not be carried out",
}


class Headline(NamedTuple):
    """The subject of a letter, without the name of the game, and its first line in several lengths, longest first."""

    subject: str
    lines: tuple[str, ...]


def headline(kind: Occasion, player: Player, state: GameState | None = None, **holes: str) -> Headline:
    """Return the headline of a letter to whoever reads the player's mail.

    *state* fills the holes ``task``, ``decider`` and ``winners``; *holes* fills the others.
    """
    known = {"name": reader_of(player), "colour": colour_word(player.colour)}
    known |= {} if state is None else _situation(state)
    if kind is Occasion.ASKED and not player.is_home:
        kind, known["absent"] = Occasion.ASKED_FOR_ANOTHER, player.name
    if kind is Occasion.OVER and state is not None and len(_winners(state)) > 1:
        kind = Occasion.SHARED
    asked = kind in _ALSO_ASKED and state is not None and who_decides(state) == player.colour
    return headline_of(_ALSO_ASKED[kind] if asked else kind.value, known | holes)


def headed(kind: Occasion, player: Player, **holes: str) -> Callable[[], Headline]:
    """Return a headline that is made with the letter; what fills its holes can be phrases."""
    return partial(headline, kind, player, None, **holes)


def headline_of(messages: Sequence[str], holes: Mapping[str, str]) -> Headline:
    """Return the headline with these messages: the subject, and the first line in several lengths, longest first."""
    subject, *lines = (tr(text) for text in messages)
    values = _filled(holes)
    return Headline(subject.format_map(values), tuple(line.format_map(values) for line in lines))


def by_situation(player: Player, state: GameState, turn: int, history: History) -> Headline:
    """Return the headline of a letter that is only about how the game stands and what has happened."""
    if isinstance(state.phase, Ended):
        return headline(Occasion.OVER, player, state)
    if who_decides(state) == player.colour:
        return headline(Occasion.ASKED, player, state)
    by, what = last_deed(history, player.colour)
    if what and by != player.colour:
        return headline(Occasion.TOLD, player, state, what=what)
    return headline(Occasion.STANDING, player, state, turn=str(turn))


def subject_of(game: str, said: str) -> str:
    """Return the subject of a letter about a game."""
    return _cut(f"[{game}] {said}", LONGEST_SUBJECT)


def notice_of(game: str, kind: str, **holes: str) -> str:
    """Return the subject of a letter about a game that nobody answers."""
    return subject_of(game, tr(_NOTICES[kind]).format_map(_filled(holes)))


def first_line(own: Ticket, says: Headline) -> str:
    """Return the first line of a letter; its end, ``(friday/57)``, is how ``quotes`` recognises it in a reply."""
    place = place_of(own)
    width = WIDTH - len(place) - 1
    line = next((line for line in says.lines if columns(line) <= width), says.lines[-1])
    return f"{_cut(line, width)} {place}"


def reader_of(player: Player) -> str:
    """Return the name of whoever reads the player's mail now: what a bot would, the player does."""
    player = player.writer
    if player.is_home:
        return player.name
    if player.substitute_name:
        return player.substitute_name
    return tr("{name}'s substitute").format(name=player.name)


# What fills the holes


def _filled(holes: Mapping[str, str]) -> dict[str, str]:
    """Return what fills the holes, each as one line in the language that is spoken."""
    return {name: one_line(unglued(tr(each) if isinstance(each, Phrase) else each)) for name, each in holes.items()}


def _winners(state: GameState) -> tuple[str, ...]:
    """Return the names of those who have won."""
    won = state.phase.winners if isinstance(state.phase, Ended) else ()
    return tuple(state.clan(colour).player for colour in won)


def _situation(state: GameState) -> dict[str, str]:
    if isinstance(state.phase, Ended):
        return {"winners": listed(_winners(state))}
    decides = who_decides(state) or CHANCE
    decider = tr("chance", "who decides") if decides == CHANCE else state.clan(decides).player
    return {"task": _task(state), "decider": decider}


def _task(state: GameState) -> str:
    """Return what is asked, by itself; a card has its number and its price instead of its name."""
    holes = holes_of(state)
    if isinstance(state.phase, Answering | TakingOrDiscarding):
        number = state.phase.card
        holes |= {"card": tr("#{card} ({cost} food)").format(card=number, cost=net_price(state, number))}
    return tr(duty_of(state).bare).format_map(holes)


def last_deed(history: History, reader: str = "") -> tuple[str, str]:
    """Return who decided last, and what came of it: ``Ann bought #9``; empty texts if nobody has decided anything.

    If another player's decision brought it about that the *reader* did something, it is ``you bought #9``.
    """
    last = next((i for i in reversed(range(len(history))) if history[i][0].is_order), len(history))
    told = [(event, state, entry.by) for entry, state in history[last:] for event in state.events]
    # The outcome of an answer comes first.
    told.sort(key=lambda each: not isinstance(each[0], CardBought | OfferDiscarded))
    return next(((by, what) for event, state, by in told if (what := deed(state, event, by, reader))), ("", ""))


def _cut(text: str, width: int) -> str:
    """Return the text, cut behind a word to that many columns if it is longer; a long word is cut itself."""
    if columns(text) <= width:
        return text
    end = bisect_right(range(len(text)), width - len("..."), key=lambda end: columns(text[:end])) - 1
    whole = text[: end + 1].rpartition(" ")[0].rstrip(" ,;:")
    return f"{whole if end - len(whole) < _LONGEST_WORD else text[:end].rstrip()}..."
