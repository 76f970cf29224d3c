"""The answers of commands: a text for people and an object for programs, which say the same."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pbem import game_files, rulings
from pbem.errors import Broken, PbemError
from pbem.first_sparks.adjudicator import Entry, who_decides
from pbem.first_sparks.codec import encode_state
from pbem.first_sparks.record import SHARED, History, Record, digest
from pbem.first_sparks.state import GameState

if TYPE_CHECKING:
    from pbem.page.page import Block, Page


LEGAL: Final = "legal; nothing was written"
DRAWS_PROVED: Final = {
    False: "the secret yields all {draws} draws",
    True: "the values that the players have opened yield all {draws} draws",
}


class Report(NamedTuple):
    """An answer in both forms, of which only the requested one is made."""

    code: str
    message: str
    path: Path
    words: Callable[[], str]
    more: Callable[[], dict[str, Any]]

    def text(self) -> str:
        """Return the text for people."""
        from pbem.locale import tr

        return self.words() or tr(self.message)

    def data(self) -> dict[str, Any]:
        """Return the object that ``--json`` prints."""
        about = {"ok": True, "code": self.code, "message": self.message, "path": str(self.path), "rule": ""}
        return {**about, **self.more()}


def done(code: str, message: str, path: Path, text: str = "", **more: Any) -> Report:  # noqa: ANN401 -- JSON values
    """Return the report of a success; without a text, the message is printed."""
    return Report(code, message, path, lambda: text, lambda: more)


def view(
    code: str, message: str, path: Path, record: Record, viewer: str | None, *, unicode: bool, plain: bool = False
) -> Report:
    """Return the game as the viewer may see it; None is a viewer who may only see what everybody may see.

    The text has the drawing in box characters with *unicode*, and no drawing at all if it is *plain*.
    """
    return Report(
        code,
        message,
        path,
        lambda: text_for(record, viewer, unicode=unicode, plain=plain),
        lambda: _situation(record, viewer),
    )


def text_for(record: Record, viewer: str | None, *, unicode: bool, plain: bool = False) -> str:
    """Return the page for the viewer as text."""
    from pbem.page.text import text_of

    return text_of(page_for(record, viewer, unicode=unicode, plain=plain))


def page_for(
    record: Record, viewer: str | None, *, unicode: bool = False, plain: bool = False, asked: bool = True
) -> "Page":
    """Return the page for the viewer, with what has happened since the viewer's own last order.

    The question and how to answer can be left out.
    """
    from pbem.first_sparks.briefing.situation import situation

    return situation(
        record.state,
        viewer,
        rulings.since(record, viewer),
        game=record.game,
        turn=record.turn,
        head=record.head,
        unicode=unicode,
        own_set=game_files.own_set(record),
        course=record.history,
        plain=plain,
        missing=record.missing,
        opener=record.opener,
        asked=asked,
    )


def ruling(code: str, path: Path, before: int, record: Record, *, unicode: bool, plain: bool = False) -> Report:
    """Return the report of an accepted submission: the text for the next player, and the log lines after *before*."""
    viewer = record.asked
    report = view(code, f"turn {record.turn}", path, record, viewer, unicode=unicode, plain=plain)
    return report._replace(
        more=lambda: {**report.more(), "log": list(record.log[before:]), "summary": report.words()},
    )


def verdict(path: Path, record: Record, history: History) -> Report:
    """Return the report of a legal submission that was only checked."""
    from pbem.first_sparks.briefing.news import news
    from pbem.first_sparks.briefing.words import own_set_lines
    from pbem.first_sparks.secrecy import without_foresight
    from pbem.locale import tr
    from pbem.page.text import lines_of

    lines = lines_of((news(without_foresight(history)),))
    told = (*own_set_lines(game_files.own_set(record)), *lines)
    text = "\n".join((tr(LEGAL), *(f"  {line}" for line in told)))
    return done("legal", LEGAL, path, text, game=record.game, news=list(lines))


def legal_choices(path: Path, record: Record, viewer: str | None) -> Report:
    """Return every legal choice of the player whose turn it is, with its cost, if the viewer may know them."""
    from pbem.first_sparks.briefing.words import own_set_lines
    from pbem.page.text import lines_of

    return Report(
        "options",
        "",
        path,
        lambda: "\n".join((*lines_of(_asked(record, viewer)), *own_set_lines(game_files.own_set(record)))),
        lambda: {**_who(record), **_deciding(record), **_options(record, viewer)},
    )


def _asked(record: Record, viewer: str | None) -> "tuple[Block, ...]":
    """Return the question with every answer, or for whom a shared game waits."""
    from pbem.first_sparks.briefing.question import question
    from pbem.first_sparks.briefing.words import colour_word
    from pbem.grammar import capital
    from pbem.locale import tr
    from pbem.page.page import Prose

    if record.missing:
        waits = tr("The game begins when everybody has joined; still missing: {colours}.")
        return (Prose(waits.format(colours=", ".join(map(colour_word, record.missing)))),)
    if record.opener is None:
        return question(record.state, viewer)
    clan = f"{dict(record.players)[record.opener]} ({colour_word(record.opener)})"
    return (Prose(capital(tr("{clan} has to draw first.").format(clan=clan))),)


def _deciding(record: Record) -> dict[str, Any]:
    """Return who decides, and in a shared game who has to join, and who has to draw."""
    decides: dict[str, Any] = {"decides": who_decides(record.state)}
    if record.chance.kind != SHARED:
        return decides
    return decides | {"missing": list(record.missing), "opener": record.opener}


def _options(record: Record, viewer: str | None) -> dict[str, Any]:
    from pbem.first_sparks.briefing.notes import options
    from pbem.first_sparks.secrecy import may_read

    readable = may_read(record.state, viewer)
    return {"options": options(record.state) if readable else [], "all": readable}


def story(record: Record, history: History) -> str:
    """Return the course of the game, or of a part of it: every event, under headings by round and phase."""
    from pbem.first_sparks.briefing.news import below_headings, chapters_of, parts_of
    from pbem.first_sparks.briefing.words import own_set_lines
    from pbem.page.text import lines_of

    lines = (*own_set_lines(game_files.own_set(record)), *lines_of(below_headings(chapters_of(parts_of(history)))))
    return "\n".join(lines).rstrip("\n") + "\n"


def proof(
    path: Path,
    record: Record,
    draws: int | None,
    since: Path | None,
    added: game_files.Added | None,
    minutes: int | None = None,
) -> Report:
    """Return what was proved of a game: its log, its draws if possible, and that it continues another file.

    If so many lines of *minutes* bear out what was agreed, that is said too.
    """
    from pbem.grammar import plural

    said = [f"the log ({len(record.log)} lines), the chain and the snapshot agree"]
    more: dict[str, Any] = {"lines": len(record.log), "draws": draws, "components": set_of(record)}
    if draws is not None:
        said.append(DRAWS_PROVED[record.chance.kind == SHARED].format(draws=draws))
    said += own_set_note(record)
    if minutes is not None:
        told = ("its minutes ({n} line) bear out what was agreed", "its minutes ({n} lines) bear out what was agreed")
        said.append(plural(minutes, *told))
    if added:
        more["added"] = added._asdict()
        turns, lines = plural(added.turns, "{n} turn", "{n} turns"), plural(added.lines, "{n} line", "{n} lines")
        said.append(f"added since {since}: {turns}, {lines}" if added.lines else f"nothing was added since {since}")
    return done("verified", "; ".join(said), path, **more)


def own_set_note(record: Record) -> tuple[str, ...]:
    """Return what a message of one line says about a component set that is not the built-in one."""
    from pbem.locale import phrase

    digits = game_files.own_set(record)
    return (phrase("this game uses its own component set, {digits}", digits=digits),) if digits else ()


def replay_lines(steps: Iterable[tuple[Entry, GameState]]) -> Iterator[str]:
    """Yield a JSON object for every line of the log: turn, entry, by, and the state after it as in the game file."""
    for entry, state in steps:
        row = {"turn": entry.turn, "entry": str(entry), "by": entry.by, "state": encode_state(state)}
        yield json.dumps(row)


def refusal(error: PbemError) -> str:
    """Return an error as a terminal shows it: notes, the message, every reason with its rule, what is legal, the hint.

    No line is an order by itself, so that a reply which quotes it orders nothing.
    """
    from pbem.first_sparks.notation import order_text
    from pbem.locale import tr
    from pbem.page.text import columns, lines_of, padded

    lines = [f"{error.code}: {_what(error)}"]
    if error.order:
        lines = [tr("refused, and nothing was changed: {what}").format(what=_what(error))]
        lines.append(tr("  order: {order}").format(order=order_text(error.order)))
    reasons = [(rule, tr(why)) for rule, why in error.reasons]
    width = min(60, max((columns(why) for _, why in reasons), default=0))
    lines += (f"- {padded(why, width)}  [{rule}]" if rule else f"- {why}" for rule, why in reasons)
    hint = ("", tr("hint: {hint}").format(hint=tr(error.hint))) if error.hint else ()
    return "\n".join((*map(tr, error.notes), *lines, *lines_of(_choices(error)), *hint))


def refusal_blocks(error: PbemError) -> "tuple[Block, ...]":
    """Return an error for a player by mail, who has no use for codes and commands."""
    from pbem.first_sparks.notation import order_text
    from pbem.locale import tr
    from pbem.page.page import Items, Prose

    order = (Prose(order_text(error.order), f"  {tr('your order:')} ", "    "),) if error.order else ()
    reasons = tuple(f"{tr(why)} [{rule}]" if rule else tr(why) for rule, why in error.reasons)
    said = tr("hint: {hint}").format(hint=tr(error.hint))
    hint = (Prose(said, apart=True),) if error.hint and "pbem " not in error.hint else ()
    return (Prose(tr("refused: {what}").format(what=_what(error))), *order, Items(reasons), *_choices(error), *hint)


def _what(error: PbemError) -> str:
    from pbem.locale import tr

    known = not isinstance(error, Broken) or error.path in error.message
    return tr(error.message) if known else f"{tr(error.message)} ({error.path})"


def _choices(error: PbemError) -> "tuple[Block, ...]":
    """Return what would be legal, if the error lists it."""
    from pbem.first_sparks.notation import order_text
    from pbem.locale import tr
    from pbem.page.glue import glued
    from pbem.page.page import Prose
    from pbem.page.text import columns, padded_left

    can = [
        glued(order_text(each.order) if each.cost is None else f"{order_text(each.order)} ({each.cost})")
        for each in error.choices
    ]
    first, others = f"{tr('you can:')} ", f"{tr('also:')} "
    width = max(columns(first), columns(others))
    return (Prose(", ".join(can), padded_left(first, width), padded_left(others, width)),) if can else ()


def _who(record: Record) -> dict[str, Any]:
    return {"game": record.game, "turn": record.turn, "head": record.head}


def set_of(record: Record) -> dict[str, Any]:
    """Return the data by which a program can tell the component set from others."""
    return {
        "name": record.components.name,
        "digest": digest(record.components),
        "built_in": not game_files.own_set(record),
    }


def _situation(record: Record, viewer: str | None) -> dict[str, Any]:
    """Return the game as data: the state as the viewer may see it, who decides, and what is legal."""
    return {
        **_who(record),
        "players": [{"colour": colour, "name": name} for colour, name in record.players],
        "components": set_of(record),
        **_deciding(record),
        "state": seen(record.state, viewer),
        **_options(record, viewer),
    }


def seen(state: GameState, viewer: str | None) -> dict[str, Any]:
    """Return the snapshot as the viewer may see it: hidden food is null, and of the pile only the size is shown."""
    from pbem.first_sparks.secrecy import hides_food

    snapshot = encode_state(state)
    snapshot["pile"] = {"size": state.pile.size, "shuffle": state.pile.shuffle}
    for row, clan in zip(snapshot["clans"], state.clans, strict=True):
        if hides_food(state, clan, viewer):
            row["food"] = None
    return snapshot
