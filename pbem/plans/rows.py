"""What players have planned as data: the rows of a file, and the text of the file."""

import re
from pathlib import Path
from typing import Any, Final

from pbem import formats
from pbem.errors import Broken, NotUnderstood
from pbem.first_sparks.record import Record
from pbem.plans.intents import Intent, Intents, Moment, is_something

FORMAT: Final = "first-sparks-plans/1"
_HEAD: Final = re.compile("[0-9a-f]{64}")


def intents_in(text: str, record: Record, place: Path) -> dict[str, Intent]:
    """Return what the players of a game have planned, by colour, from the text of the file at that *place*.

    Raises Broken if the plans belong to another game, NotUnderstood for a file that is not ours; no message tells
    what is in it.
    """
    data = formats.parse(text, "toml", name=str(place))
    try:
        if data["format"] != FORMAT:
            raise ValueError
        named = _text(data["game"])
        intents = intents_from(data.get("players", ()), record)
    except (KeyError, TypeError, ValueError, NotUnderstood):
        hint = "if you do not need the plans in it, delete it"
        raise NotUnderstood(f"{formats.shown(place)} is not a file of plans", path=str(place), hint=hint) from None
    if named != record.game:
        hint = "if that game is over, delete it"
        raise Broken("the plans belong to another game", path=str(place), hint=hint)
    return intents


def intents_from(rows: Any, record: Record) -> dict[str, Intent]:  # noqa: ANN401 -- as a file has them
    """Return what the players of a game have planned, by colour, from rows of a file; raises NotUnderstood."""
    colours = {colour for colour, _ in record.players}
    try:
        every = {_text(row["colour"]): _intent(row) for row in rows}
    except (KeyError, TypeError, ValueError, AttributeError):
        raise NotUnderstood("these are no plans", path="plans") from None
    return {colour: intent for colour, intent in every.items() if colour in colours}


def rows_of(kept: Intents) -> list[dict[str, Any]]:
    """Return what the players have planned as rows of a file; those who have planned nothing are left out."""
    return [_row(colour, intent) for colour, intent in sorted(kept.items()) if is_something(intent)]


def text_of(record: Record, kept: Intents) -> str:
    """Return the text of the file with what the players have planned; those who have planned nothing are left out."""
    rows = rows_of(kept)
    return formats.dump({"format": FORMAT, "game": record.game} | ({"players": rows} if rows else {}), "toml")


def _row(colour: str, intent: Intent) -> dict[str, Any]:
    row: dict[str, Any] = {
        "colour": colour,
        "plan": list(intent.plan),
        "always": list(intent.always),
        "written": intent.written._asdict() if intent.written else None,
        "answers": [mark._asdict() for mark in intent.answers],
        "early": list(intent.early),
        "asked": intent.asked._asdict() if intent.asked else None,
        "writer": intent.writer,
        "told": intent.told,
        "rests": _row("", intent.rests) if intent.rests else None,
        "played": [mark._asdict() for mark in intent.played],
    }
    return {key: value for key, value in row.items() if value}


def _intent(row: dict[str, Any]) -> Intent:
    """Return what a row says; raises one of the errors of a wrong shape."""
    written, asked = (_mark(row[key]) if key in row else None for key in ("written", "asked"))
    if (written is None) == ("plan" in row) or (asked is None) == ("early" in row):
        raise ValueError
    plan, always, early = (tuple(map(_text, row.get(key, ()))) for key in ("plan", "always", "early"))
    answers, done = (tuple(map(_mark, row.get(key, ()))) for key in ("answers", "played"))
    rests = _intent(row["rests"]) if "rests" in row else None
    writer, told = _text(row.get("writer", "")), bool(row.get("told"))
    return Intent(plan, always, written, answers, early, asked, writer, told, rests, done)


def _mark(row: dict[str, Any]) -> Moment:
    line, head, turn = row["line"], row["head"], row["turn"]
    if not (isinstance(line, int) and isinstance(turn, int) and line >= 0 and turn >= 0 and _HEAD.fullmatch(head)):
        raise ValueError
    return Moment(line, head, turn)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
