"""The plans of a game's players in ``GAME.plans.toml``, which only its owner may read: kept, and used after a move.

A plan is kept in the words of its owner, with the line of the log after which it was written; an answer of a plan
with the line after it. Each line has its head, so that what belongs to another course of the game does not count.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import files, formats
from pbem.errors import Broken, NotUnderstood, PbemError
from pbem.first_sparks.adjudicator import Draws, who_decides
from pbem.first_sparks.moves import Move
from pbem.first_sparks.plans.answer import answer, played_on
from pbem.first_sparks.plans.explain import explain, why_asked
from pbem.first_sparks.plans.plan import Always, Plan, Planned, holds
from pbem.first_sparks.plans.read import PlanLines, read
from pbem.first_sparks.plans.report import PlanEnd, ending, over, report
from pbem.first_sparks.plans.write import write, write_always
from pbem.first_sparks.record import History, Record, at_line, first_head, next_head
from pbem.game_files import plans_path
from pbem.page.glue import glued
from pbem.page.page import Items
from pbem.page.text import lines_of

FORMAT: Final = "first-sparks-plans/1"
_HEAD: Final = re.compile("[0-9a-f]{64}")
_MOST_ANSWERS: Final = 500


class Moment(NamedTuple):
    """A place in a game: the number of lines of its log, the head then, and the turn."""

    line: int
    head: str
    turn: int


class Intent(NamedTuple):
    """What a player has planned, in words; when the plan was written; and the answers that it has given."""

    plan: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    written: Moment | None = None
    answers: tuple[Moment, ...] = ()


class Outcome(NamedTuple):
    """A player's plan in the game as it is now: as values, what it has done, and why it is over, if it is."""

    plan: Plan | None
    always: Always | None
    did: tuple[str, ...]
    ended: PlanEnd | None


def intents(record: Record, path: Path) -> dict[str, Intent]:
    """Return what the players of a game in the file *path* have planned, by colour, from the file beside it.

    Raises Broken if the plans belong to another game, NotUnderstood for a file that is not ours; no message tells
    what is in it.
    """
    place = plans_path(path)
    if not files.exists(place):
        return {}
    data = formats.parse(files.read_text(place), "toml", name=str(place))
    try:
        if data["format"] != FORMAT:
            raise ValueError
        rows = {_text(row["colour"]): _intent(row) for row in data.get("players", ())}
        named = _text(data["game"])
    except (KeyError, TypeError, ValueError, AttributeError):
        hint = "if you do not need the plans in it, delete it"
        raise NotUnderstood(f"{formats.shown(place)} is not a file of plans", path=str(place), hint=hint) from None
    if named != record.game:
        hint = "if that game is over, delete it"
        raise Broken("the plans belong to another game", path=str(place), hint=hint)
    colours = {colour for colour, _ in record.players}
    return {colour: intent for colour, intent in rows.items() if colour in colours}


def keep_intents(record: Record, path: Path, kept: dict[str, Intent]) -> None:
    """Replace the file of plans, which only its owner may read; the last plan takes it along. Lock the game first."""
    place, rows = plans_path(path), [_row(colour, intent) for colour, intent in sorted(kept.items()) if any(intent)]
    if rows:
        data = {"format": FORMAT, "game": record.game, "players": rows}
        files.replace(place, formats.dump(data, "toml"), mode=0o600)
    elif files.exists(place):
        place.unlink()


def changed(record: Record, intent: Intent, said: PlanLines) -> Intent:
    """Return what a player has planned after new lines; a new plan replaces the old one, new rules the old rules."""
    if said.forget:
        intent = Intent()
    if said.plan is not None:
        here = Moment(len(record.log), record.head, record.turn)
        intent = intent._replace(plan=write(said.plan), written=here, answers=())
    return intent._replace(always=write_always(said.always)) if said.always is not None else intent


def outcome(record: Record, colour: str, intent: Intent) -> Outcome:
    """Return a player's plan in the game as it is now."""
    always = read(intent.always, record.state, colour).always if intent.always else None
    if intent.written is None:
        return Outcome(None, always, (), None)
    heads = _heads(record)
    if not _is_in(heads, intent.written):
        return Outcome(None, always, (over("taken back"),), "taken back")
    line = intent.written.line
    plan = read(intent.plan, at_line(record, line).state, colour).plan
    assert plan is not None
    turns = {mark.turn for mark in intent.answers if _is_in(heads, mark)}
    since = record.history[line:]
    ended = ending(plan, since, record.state)
    return Outcome(plan if ended is None else None, always, report(plan, since, turns, ended), ended)


def answered(record: Record, path: Path, draw: Draws | None) -> tuple[Record, History, Callable[[], None] | None]:
    """Return the game after the answers that the plans beside it give; what happened; and how to note the answers.

    They are noted before the game is written: if only the note is, its heads are not in the game, and it does not
    count. Plans that cannot be read or played answer nothing, and their owners are asked: a move of somebody else
    must not fail because of them, nor tell that there are any.
    """
    kept: dict[str, Intent] = {}
    plans: dict[str, tuple[Plan | None, Always | None]] = {}
    with suppress(PbemError):
        kept = intents(record, path)
    for colour, intent in kept.items():
        with suppress(PbemError):
            found = outcome(record, colour, intent)
            plans[colour] = (found.plan, found.always)
    history: History = ()
    marks: list[tuple[str, Moment]] = []
    while (decides := who_decides(record.state)) is not None and decides in plans:
        # The plan of one clan at a time, to know the head after its answers.
        try:
            after, steps, turns = played_on(record, {decides: plans[decides]}, draw)
        except PbemError:  # the secret is not here, and the answer needs a draw
            break
        if not turns:
            break
        record = after
        history += steps
        marks += [(decides, Moment(len(record.log), record.head, turn)) for turn in turns]
    for colour, mark in marks:
        intent = kept[colour]
        kept[colour] = intent._replace(answers=(*intent.answers, mark)[-_MOST_ANSWERS:])

    def note() -> None:
        with suppress(PbemError):
            keep_intents(record, path, kept)

    return record, history, note if marks else None


def orders_of(record: Record, path: Path, colour: str) -> tuple[str, ...]:
    """Return the orders that the clan's plan gives now, one after the other, up to the next draw or other player.

    A plan that cannot be read gives none.
    """
    with suppress(PbemError):
        found = outcome(record, colour, intents(record, path).get(colour, Intent()))
        _, history, turns = played_on(record, {colour: (found.plan, found.always)}, None)
        return tuple(str(entry.move) for entry, _ in history if entry.turn in turns and entry.by == colour)
    return ()


def note_orders(record: Record, path: Path, colour: str, turns: int) -> None:
    """Note that the last *turns* of the game, all of that clan, were answers of its plan. Lock the game first."""
    with suppress(PbemError):
        kept = intents(record, path)
        if turns and colour in kept:
            marks = tuple(Moment(len(record.log), record.head, record.turn - ago) for ago in reversed(range(turns)))
            answers = (*kept[colour].answers, *marks)[-_MOST_ANSWERS:]
            keep_intents(record, path, {**kept, colour: kept[colour]._replace(answers=answers)})


def telling(record: Record, colour: str, intent: Intent) -> tuple[str, ...]:
    """Return the lines about a plan for its player: its words, what it means now, what it did, what it answers now."""
    found = outcome(record, colour, intent)
    plan = found.plan if found.plan is not None and holds(found.plan, record.state) else None
    planned = answer(plan, found.always, record.state) if who_decides(record.state) == colour else None
    words = (*(intent.plan if plan else ()), *intent.always)
    asked = _asked_now(record, colour, planned) if planned and words else ()
    sentences = (*explain(plan, found.always, record.state), *found.did, *asked)
    return (*words, *lines_of((Items(sentences),)))


def _asked_now(record: Record, colour: str, planned: Planned) -> tuple[str, ...]:
    move: Move | None = planned.move
    if move is None:
        return tuple(filter(None, (why_asked(planned, record.state),)))
    told = f'It is your turn, and a plan only answers what is asked later; this one would answer "{move}".'
    command = glued(f'pbem play GAME --as {colour} --order "{move}"')
    return (told, f"Play that with: {command}")


def _heads(record: Record) -> tuple[str, ...]:
    return tuple(accumulate(record.log, next_head, initial=first_head(record)))


def _is_in(heads: tuple[str, ...], mark: Moment) -> bool:
    return mark.line < len(heads) and heads[mark.line] == mark.head


def _row(colour: str, intent: Intent) -> dict[str, Any]:
    row: dict[str, Any] = {"colour": colour}
    if intent.plan:
        row["plan"] = list(intent.plan)
    if intent.always:
        row["always"] = list(intent.always)
    if intent.written is not None:
        row["written"] = intent.written._asdict()
    if intent.answers:
        row["answers"] = [mark._asdict() for mark in intent.answers]
    return row


def _intent(row: dict[str, Any]) -> Intent:
    """Return what a row says; raises one of the errors of a wrong shape."""
    written = _mark(row["written"]) if "written" in row else None
    if (written is None) == ("plan" in row):
        raise ValueError
    plan, always = (tuple(map(_text, row.get(key, ()))) for key in ("plan", "always"))
    return Intent(plan, always, written, tuple(map(_mark, row.get("answers", ()))))


def _mark(row: dict[str, Any]) -> Moment:
    line, head, turn = row["line"], row["head"], row["turn"]
    if not (isinstance(line, int) and isinstance(turn, int) and line >= 0 and turn >= 0 and _HEAD.fullmatch(head)):
        raise ValueError
    return Moment(line, head, turn)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
