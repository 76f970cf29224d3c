"""Rulings on submissions: a game file and orders in, the new game file out.

Nothing is written unless everything was accepted. ``check`` is ``play`` without
the draws and without the write.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pbem import files, interrupts
from pbem.errors import (
    Illegal,
    NotUnderstood,
    NotYourTurn,
    Stale,
)
from pbem.first_sparks.adjudicator import Draws, who_decides
from pbem.first_sparks.events import Hunted
from pbem.first_sparks.notation import expected, parse_order
from pbem.first_sparks.record import (
    HEAD_DIGITS,
    History,
    Record,
    played,
    same_situations,
)
from pbem.first_sparks.state import CHANCE
from pbem.formats import Format
from pbem.game_files import opened, write
from pbem.loading import GameFile, Submission
from pbem.secrets import draws_of


class Ruling(NamedTuple):
    """An accepted submission: the record after it, and every order, draw and forced decision on the way."""

    record: Record
    history: History


def player_of(record: Record, said: str) -> str:
    """Return the colour of the player who is called *said*, by colour or by name."""
    for colour, name in record.players:
        if said.casefold() in (colour, name.casefold()):
            return colour
    players = ", ".join(f"{name} ({colour})" for colour, name in record.players)
    message = "nobody of that name or colour plays" if said else "it is not said who plays"
    raise NotUnderstood(message, path="player", hint=f"{'' if said else 'say as whom; '}the players are {players}")


def judge(record: Record, submission: Submission, draw: Draws | None) -> Ruling:
    """Return the ruling on a submission: all its orders are accepted, or an error says everything that is wrong.

    Draws wait until the last order is accepted, so that nobody learns one from
    a refusal; without *draw* they are left out altogether. Where food is hidden
    a hunt waits too: who would be asked after it tells whether a clan starves.
    """
    _check_guards(record, submission)
    by = player_of(record, submission.player)
    if submission.named and player_of(record, submission.named) != by:
        raise NotUnderstood("the move file names another player than the one who gives the order", path="player")
    history: History = ()
    for number, order in enumerate(submission.orders, 1):
        last = number == len(submission.orders)
        decides = who_decides(record.state)
        first = "chance decides" if decides == CHANCE else "the hunt comes" if _hunted(history) else ""
        if number > 1 and first:
            message = f"order {number} cannot be judged yet, because {first} first"
            raise NotYourTurn(message, order=order, hint=_send_first(number))
        try:
            move = parse_order(order, expected(record.state.phase))
            record, steps = played(record, by, move, draw if last else None)
        except (Illegal, NotYourTurn) as refused:
            if decides == by:
                from pbem.first_sparks.choice import main_choices

                refused.choices = tuple(main_choices(record.state))
            else:
                refused.order = " ".join(order.split())  # it was read as an answer to another's question
            refused.hint = refused.hint or _send_first(number)
            raise
        history += steps
    return Ruling(record, history)


def _hunted(history: History) -> bool:
    """Return whether there was a hunt in a game with hidden food, which ``check`` does not tell either."""
    return any(isinstance(event, Hunted) for _, state in history if state.options.hide_food for event in state.events)


def _send_first(number: int) -> str:
    """Return the way out for who has sent several orders, of which the *number*-th is the first that is refused."""
    if number == 1:
        return ""
    before, alone = ("the order before it is", "it") if number == 2 else (f"the {number - 1} before it are", "them")
    return f"{before} allowed, but nothing was played: send {alone} alone"


def _check_guards(record: Record, submission: Submission) -> None:
    """Raise Stale if the submission was written for another game or situation than the current one."""
    if submission.game not in ("", record.game):
        raise Stale(f"this is game {record.game}, the order was written for another one", path="game")
    now = f"[{record.game}/{record.turn}/{record.head[:HEAD_DIGITS]}]"
    same = [(turn, head) for turn, head in same_situations(record) if submission.turn in (None, turn)]
    if not same:
        message = f"the order was written for turn {submission.turn}, the game is at turn {record.turn} now"
        raise Stale(message, path="turn", hint=f"look at the game again; it is at {now}")
    if not any(head.startswith(submission.head) for _, head in same):
        message = "the order was written for another course of the game: its head is not the current one"
        raise Stale(message, path="head", hint=f"look at the game again; it is at {now}")


def since(record: Record, viewer: str | None) -> History:
    """Return what has happened from the viewer's last own order on; for no viewer, from the last order of anybody."""
    makers = [entry.by for entry, _ in record.history]
    own = [number for number, by in enumerate(makers) if by == viewer or (viewer is None and by != CHANCE)]
    return record.history[own[-1] if own else 0 :]


def keep(game: GameFile, record: Record, out: Path | None = None, form: Format | None = None) -> None:
    """Write a move that was accepted, as ``write`` does: a signal that ends us afterwards comes too late."""
    with interrupts.hold(f"the move was played: {record.game} is at turn {record.turn}"):
        write(game, record, out, form)


@contextmanager
def playing(
    path: Path,
    submission: Submission | Callable[[Record], Submission],
    *,
    out: Path | None = None,
    form: Format | None = None,
    wait: float = files.LOCK_WAIT,
) -> Generator[tuple[Record, Ruling]]:
    """Judge a submission, and lend the game before it with the ruling; the game is written when that was told.

    A *submission* may depend on the game. See ``judge`` and ``write``.
    """
    with opened(path, to_write=True, wait=wait) as game:
        given = submission if isinstance(submission, Submission) else submission(game.record)
        ruling = judge(game.record, given, draws_of(game.record, path))
        yield game.record, ruling
        keep(game, ruling.record, out, form)
