"""The plans of a game's players in ``GAME.plans.toml``, which only its owner may read: kept, and used after a move."""

import shlex
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from pbem import files
from pbem.errors import CannotCreate, PbemError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.moves import Move
from pbem.first_sparks.notation import order_text
from pbem.first_sparks.plans.answer import answer
from pbem.first_sparks.plans.explain import explain, why_asked
from pbem.first_sparks.plans.plan import Planned, holds
from pbem.first_sparks.plans.words import plan_text
from pbem.first_sparks.play import DrawSource
from pbem.first_sparks.record import History, Record
from pbem.game_files import is_through_git, plans_path
from pbem.locale import tr
from pbem.page.glue import glued
from pbem.page.page import Items
from pbem.page.text import lines_of
from pbem.plans.answers import agreeing, bot_seats, bots_in, played_on
from pbem.plans.intents import Intent, Intents, answered_at, is_something, moment, outcome
from pbem.plans.rows import intents_in, text_of


def intents(record: Record, path: Path) -> dict[str, Intent]:
    """Return what the players of a game in the file *path* have planned, by colour, from the file beside it.

    Raises like ``intents_in``.
    """
    place = plans_path(path)
    return intents_in(files.read_text(place), record, place) if files.exists(place) else {}


def keep_intents(record: Record, path: Path, kept: Intents) -> None:
    """Replace the file of plans, which only its owner may read; the last plan takes it along. Lock the game first."""
    place = plans_path(path)
    if any(map(is_something, kept.values())):
        files.replace(place, text_of(record, kept), mode=0o600)
    elif files.exists(place):
        place.unlink()


def answered(
    record: Record, path: Path, draw: DrawSource | None, *, bots: bool
) -> tuple[Record, History, Callable[[], None] | None]:
    """Return the game after the answers that the plans beside it give; what happened; and how to note the answers.

    The *bots* at the table decide in between, and may agree to end the game.

    They are noted before the game is written: if only the note is, its heads are not in the game, and it does not
    count.
    """
    seats = bot_seats(record) if bots else ()
    kept = _readable(record, path)
    decide = bots_in(seats)
    first = agreeing(record, seats, draw, decide)
    onward = played_on(first.record, kept, draw, decide)
    history = first.history + onward.history

    return onward.record, history, partial(_keep_answers, record, path, onward.kept) if history and kept else None


def _readable(record: Record, path: Path) -> dict[str, Intent]:
    """Return what the players have planned, nothing if that cannot be read."""
    with suppress(PbemError):
        return intents(record, path)
    return {}


def _keep_answers(record: Record, path: Path, kept: Intents) -> None:
    """Note the answers of plans; raises TryAgain, CannotWrite. What may not be replaced is left as it is."""
    with suppress(CannotCreate):
        keep_intents(record, path, kept)


def orders_of(record: Record, path: Path, colour: str) -> tuple[str, ...]:
    """Return the orders that the clan's plan gives now, one after the other, up to the next draw or other player.

    A plan that cannot be read gives none.
    """
    with suppress(PbemError):
        intent = intents(record, path).get(colour, Intent())
        return tuple(order for _, order, _ in played_on(record, {colour: intent}, None).answers)
    return ()


def note_orders(record: Record, path: Path, colour: str, turns: int) -> None:
    """Note that the last *turns* of the game, all of that clan, were answers of its plan. Lock the game first."""
    kept = _readable(record, path)
    if turns and colour in kept:
        marks = tuple(moment(record)._replace(turn=record.turn - ago) for ago in reversed(range(turns)))
        _keep_answers(record, path, {**kept, colour: answered_at(kept[colour], *marks)})


def telling(record: Record, path: Path, colour: str, intent: Intent) -> tuple[str, ...]:
    """Return the lines about a plan for its player: its words, what it means now, what it did, what it answers now.

    Nothing is played: a player who keeps a plan may not have the secret of the draws. *path* is that of the game.
    """
    found = outcome(record, colour, intent)
    plan = found.plan if found.plan is not None and holds(found.plan, record.state) else None
    planned = answer(plan, found.always, record.state) if who_decides(record.state) == colour else None
    words = (*(intent.plan if plan else ()), *intent.always)
    asked = _asked_now(record, path, colour, planned) if planned and words else ()
    sentences = (*explain(plan, found.always, record.state), *found.did, *asked)
    return (*map(plan_text, words), *lines_of((Items(sentences),)))


def _asked_now(record: Record, path: Path, colour: str, planned: Planned) -> tuple[str, ...]:
    move: Move | None = planned.move
    if move is None:
        return tuple(filter(None, (why_asked(planned, record.state),)))
    told = tr('It is your turn, and nothing was played. Your plan would answer "{order}".').format(
        order=order_text(str(move))
    )
    through_git = glued(f"pbem git move --as {colour}")
    if is_through_git(path):
        return (told, tr("To play that now: {command}").format(command=through_git))
    command = glued(f"pbem play {shlex.quote(str(path))} --as {colour} --order {shlex.quote(str(move))}")
    in_clone = plans_path(path).parent != path.parent
    return (
        told,
        tr("To play that now: {command}").format(command=command),
        *((tr("In a game through git, use: {command}").format(command=through_git),) if in_clone else ()),
    )
