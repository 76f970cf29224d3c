"""Rulings on submissions: a game file and orders in, the new game file out.

Nothing is written unless everything was accepted. ``check`` is ``play`` without
drawing or writing.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, cast

from pbem import files, game_files, interrupts
from pbem.errors import (
    Illegal,
    NotUnderstood,
    NotYourTurn,
    Stale,
    UsageError,
)
from pbem.first_sparks.adjudicator import OVER, Entry, who_decides
from pbem.first_sparks.bot.seats import is_bot
from pbem.first_sparks.clans import seats_listed
from pbem.first_sparks.events import Hunted
from pbem.first_sparks.moves import Pass
from pbem.first_sparks.notation import ANY_TIME, expected, order_text, parse_order
from pbem.first_sparks.phases import Laying, Offering, Phase
from pbem.first_sparks.play import Chains, DrawSource, opened, played, waits_for
from pbem.first_sparks.record import HEAD_DIGITS, History, Record, same_situations
from pbem.first_sparks.state import CHANCE
from pbem.formats import Format
from pbem.game_files import plans_path, write
from pbem.grammar import phrase_listed
from pbem.loading import GameFile, Submission
from pbem.locale import Phrase, phrase, phrase_by, phrase_in, phrase_of
from pbem.secrets import draws_of


class Ruling(NamedTuple):
    """An accepted submission: the record after it, and every order, draw and forced decision on the way."""

    record: Record
    history: History


def player_of(record: Record, said: str) -> str:
    """Return the colour of the player who is called *said*, by colour or by name."""
    return one_of(record.players, said)


def one_of(seats: tuple[tuple[str, str], ...], said: str) -> str:
    """Return the colour of the player who is called *said*, among pairs of colour and name; raises NotUnderstood."""
    folded = said.casefold()
    for colour, name in seats:
        if folded in (colour, name.casefold()):
            return colour
    players = seats_listed(seats)
    if said:
        hint = phrase("the players are {players}", players=players)
        raise NotUnderstood(phrase("no player has that name or colour"), path="player", hint=hint)
    raise NotUnderstood(
        phrase("no player given"),
        path="player",
        hint=phrase('name one with --as PLAYER, or in a batch with "as"; the players are {players}', players=players),
    )


def judge(record: Record, submission: Submission, draw: DrawSource | None, salt: str = "") -> Ruling:
    """Return the ruling on a submission: all its orders are accepted, or an error says everything that is wrong.

    Draws wait until the last order is accepted, so that nobody learns one from
    a refusal; without *draw* they are left out altogether. With hidden food
    a hunt waits too, since the question after it tells whether a clan starves.

    A player who has to open a draw of a shared game does so first. A *salt* is that of the player's mail.
    """
    _check_guards(record, submission)
    if not submission.player and who_decides(record.state) is None:  # nobody's turn, which would be the player's
        raise Illegal(OVER, order=submission.orders[0])
    by = player_of(record, submission.player)
    if submission.named and player_of(record, submission.named) != by:
        why = phrase("the move file names a different player from the one who sent it")
        raise NotUnderstood(why, path="player")
    history: History = ()
    if draw is not None and record.opener == by and not _needs_no_question(submission):
        record, history = opened(record, by, cast("Chains", draw))
    _check_opened(record, submission)
    first = len(history)
    asked: Phase | None = None
    for number, order in enumerate(submission.orders, 1):
        last = number == len(submission.orders)
        decides = who_decides(record.state)
        hunted = _hunted(history[first:])  # who decides after the hunt, chance too, depends on what it has brought
        now = record.state.phase if decides == by and not hunted else None
        if asked is not None and _answers_again(asked, submission.orders[number - 2], order, now):
            both = phrase_listed(map(_quoted, submission.orders[number - 2 : number]), "or")
            why = phrase("you answered one question twice: send one order")
            raise NotUnderstood(why, hint=phrase("send either {orders}", orders=both))
        if number > 1 and (decides == CHANCE or hunted):
            message = phrase("order {n} cannot be judged yet, because chance decides first", n=number)
            if hunted:
                message = phrase("order {n} cannot be judged yet, because the hunt comes first", n=number)
            raise NotYourTurn(message, order=order, hint=_send_first(number))
        try:
            move = parse_order(order, expected(record.state.phase))
            asked = record.state.phase if move.word in expected(record.state.phase) else None
            record, steps = played(record, by, move, draw if last else None, salt if last else "")
        except (Illegal, NotYourTurn) as refused:
            if decides == by:
                from pbem.first_sparks.choice import main_choices

                refused.choices = tuple(main_choices(record.state))
            else:
                refused.order = " ".join(order.split())  # it was read as an answer to another player's question
            refused.hint = refused.hint or _send_first(number)
            raise
        history += steps
    return Ruling(record, history)


def _check_opened(record: Record, submission: Submission) -> None:
    """Raise NotYourTurn if a shared game waits for somebody to join or to draw, unless the order needs no question."""
    if record.missing or (record.opener is not None and not _needs_no_question(submission)):
        hint = phrase("a player joins with pbem join, or in a repository with pbem git join")
        if record.opener is not None and not record.missing:
            who = phrase_in(record.opener, "clan colour")
            hint = phrase("{player} draws with pbem draw, or in a repository with pbem git draw", player=who)
        raise NotYourTurn(waits_for(record), hint=hint)


def _quoted(order: str) -> Phrase:
    return phrase_by(f'"{order}"', lambda: f'"{order_text(order)}"')


def _needs_no_question(submission: Submission) -> bool:
    """Return whether all orders can be given at any time: to resign, or to agree to end the game."""
    orders = [" ".join(order.lower().split()) for order in submission.orders]
    return bool(orders) and all(order in ANY_TIME for order in orders)


def _answers_again(asked: Phase, before: str, order: str, now: Phase | None) -> bool:
    """Return whether an order answers the question that the order *before* it in the submission has answered.

    It does not if it answers the question that the player is asked *now*, or if an offer or a tile comes before it,
    since chance may be all that keeps that question from coming again.
    """
    if _answers(order, now):
        return False
    repeatable = isinstance(asked, (Offering, Laying))
    return _answers(order, asked) and not (repeatable and parse_order(before, expected(asked)).word != Pass().word)


def _answers(order: str, asked: Phase | None) -> bool:
    try:
        return parse_order(order, expected(asked)).word in expected(asked)
    except NotUnderstood:
        return False


def _hunted(history: History) -> bool:
    """Return whether there was a hunt in a game with hidden food, whose result ``check`` does not show either."""
    return any(isinstance(event, Hunted) for _, state in history if state.options.hide_food for event in state.events)


def _send_first(number: int) -> str:
    """Return the hint for a player who sent several orders, of which the *number*-th is the first to be refused."""
    if number == 1:
        return ""
    return phrase_of(
        number - 1,
        "the order before it is legal, but nothing was played; send that one alone",
        "the {n} orders before it are legal, but nothing was played; send those alone",
    )


def _check_guards(record: Record, submission: Submission) -> None:
    """Raise Stale if the submission was written for another game or for another position of this one."""
    if submission.game not in ("", record.game):
        why = phrase("this is game {game}, but the order was written for another game", game=record.game)
        raise Stale(why, path="game")
    if submission.turn is None and not submission.head:
        return
    now = f"[{record.game}/{record.turn}/{record.head[:HEAD_DIGITS]}]"
    same = [(turn, head) for turn, head in same_situations(record) if submission.turn in (None, turn)]
    if not same:
        message = phrase(
            "the order was written for turn {turn}, but the game is now at turn {now}",
            turn=submission.turn,
            now=record.turn,
        )
        raise Stale(message, path="turn", hint=phrase("look at the game again; it is at {now}", now=now))
    if not any(head.startswith(submission.head) for _, head in same):
        message = phrase("the order was written for a different history of the game: its head does not match")
        raise Stale(message, path="head", hint=phrase("look at the game again; it is at {now}", now=now))


def orders_of(record: Record, colour: str) -> tuple[Entry, ...]:
    """Return the orders that the player has given, in the order of the log."""
    return tuple(entry for entry, _ in record.history if entry.by == colour and entry.is_order)


def since(record: Record, viewer: str | None) -> History:
    """Return what has happened from the viewer's own last order on; without a viewer, from anybody's last order on.

    All orders of the viewer that may have been sent together with the last one count, since the log does not tell:
    those with no draw and no other player's order in between.
    """
    makers = [entry.by if entry.is_order else CHANCE for entry, _ in record.history]
    own = [number for number, by in enumerate(makers) if by == viewer or (viewer is None and by != CHANCE)]
    first = own[-1] if own else 0
    for number in range(first - 1, -1, -1) if viewer is not None else ():
        entry = record.history[number][0]
        if (
            makers[number] not in (viewer, CHANCE)
            or entry.clan == CHANCE
            or _hunted(record.history[number : number + 1])
        ):
            break
        first = number if makers[number] == viewer else first
    return record.history[first:]


def keep(
    game: GameFile,
    record: Record,
    out: Path | None = None,
    form: Format | None = None,
    note: Callable[[], None] | None = None,
) -> None:
    """Write an accepted move, as ``write`` does, after a *note* on it; a signal that comes afterwards is too late."""
    with interrupts.hold(f"the move was played: {record.game} is at turn {record.turn}"):
        if note is not None:
            note()
        write(game, record, out, form)


@contextmanager
def playing(
    path: Path,
    submission: Submission | Callable[[Record], Submission] | None,
    *,
    out: Path | None = None,
    form: Format | None = None,
    wait: float = files.LOCK_WAIT,
    bots: bool = False,
) -> Generator[tuple[Record, Ruling]]:
    """Judge a submission, and lend the game before it with the ruling; the game is written at the end of the block.

    The plans that lie beside the game answer the questions after it, and so do the *bots* at the table, who need no
    submission. It may depend on the game. See ``judge`` and ``write``. Raises UsageError if no bot is there to decide.
    """
    with game_files.opened(path, to_write=True, wait=wait) as game:
        if bots and not any(is_bot(name) for _, name in game.record.players):
            hint = 'begin a game with bots by naming them "bot": pbem new game.toml Ann bot bot'
            raise UsageError("no player of this game is a bot", hint=hint)
        given = submission(game.record) if callable(submission) else submission
        draw, note = draws_of(game.record, path), None
        ruling = judge(game.record, given, draw) if given else Ruling(game.record, ())
        if bots or files.exists(plans_path(path)):
            from pbem.plans.files import answered

            record, history, note = answered(ruling.record, path, draw, bots=bots)
            ruling = Ruling(record, ruling.history + history)
        if not (given or ruling.history):
            hint = 'for example: --order "offer 12" --as red'
            raise UsageError("no bot has to decide now; give either a move file or --order", hint=hint)
        yield game.record, ruling
        keep(game, ruling.record, out, form, note if out in (None, path) else None)
