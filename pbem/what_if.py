"""Looking ahead: what would follow from orders, and what a player could do if it were their turn.

Nothing is played, drawn or written. As ``check`` does, a trial stops before a draw, and where food is hidden before a
hunt and before the end of the game: what follows would reveal what its reader must not know while deciding.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import game_files, report, rulings
from pbem.errors import NotUnderstood
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.briefing.hypothesis import supposed
from pbem.first_sparks.briefing.news import news
from pbem.first_sparks.briefing.notes import options
from pbem.first_sparks.briefing.question import question
from pbem.first_sparks.briefing.situation import for_letter
from pbem.first_sparks.briefing.words import own_set_lines, who
from pbem.first_sparks.notation import order_text
from pbem.first_sparks.phases import Adding, Answering, Settling, Spreading
from pbem.first_sparks.plans.waves import as_asked
from pbem.first_sparks.record import History, Record
from pbem.first_sparks.secrecy import may_read, without_foresight
from pbem.first_sparks.state import CHANCE
from pbem.grammar import listed
from pbem.loading import MOST_ORDERS, Submission
from pbem.locale import phrase, tr
from pbem.page.glue import unglued
from pbem.page.page import Block, Prose, Section, Sections
from pbem.page.text import WIDTH, columns, lines_of, lines_of_section
from pbem.report import Report

KEY: Final = "trial"  # of all sections, so that nothing takes them for those of the game
SUPPOSED: Final = "IF IT WERE YOUR TURN"
_HEADINGS: Final = {
    "question": "QUESTION THEN",
    "final": "FINAL TABLE THEN",
    "board": "BOARD THEN",
    "harvest": "HARVEST SPACES THEN",
    "market": "MARKET THEN",
    "clans": "CLANS THEN",
}
_CHANCE: Final = "The trial stops here, because chance decides next."
_HIDDEN: Final = (
    "Food is hidden in this game. So the trial stops before the clans hunt or the game ends: what comes then would "
    "reveal how much a clan has."
)
_EARLY: Final = "It was tried as if it were your turn already; others are asked before you."
_IF_YOU: Final = "This would follow if you played {orders}. Nothing was played, and no other player is told of it."
_IF_PLAYED: Final = (
    "This would follow if {name} played {orders}. Nothing was played, and no other player is told of it."
)
_SAME: Final = "Everything else stays as it is."
_TOO_MANY: Final = "there are {n} orders to try, but at most {most} are accepted"


class Trial(NamedTuple):
    """Legal orders of a player that were not played: what may be told of what would follow.

    *after* is the game then, None where what is hidden would show in it.
    """

    by: str
    orders: tuple[str, ...]
    history: History
    after: Record | None

    @property
    def stops(self) -> str:
        """Why the trial does not go on to a player's question: ``chance``, ``hidden``, or nothing."""
        if self.after is None:
            return "hidden"
        return "chance" if who_decides(self.after.state) == CHANCE else ""


def orders_in(text: str) -> tuple[str, ...]:
    """Return the orders in a text, which ``;`` separates; raises NotUnderstood."""
    orders = tuple(order for piece in text.split(";") if (order := " ".join(piece.split())))
    if not orders:
        hint = phrase('write an order after it; several are separated by ";"')
        raise NotUnderstood(phrase("the order to try is missing"), hint=hint)
    if len(orders) > MOST_ORDERS:
        raise NotUnderstood(phrase(_TOO_MANY, n=len(orders), most=MOST_ORDERS))
    return orders


def tried(record: Record, orders: Sequence[str], by: str) -> Trial:
    """Return what would follow from orders of the player with that colour; raises like ``judge``."""
    ruling = rulings.judge(record, Submission(tuple(orders), by), None)
    told = tuple(without_foresight(ruling.history))
    is_all = sum(len(state.events) for _, state in told) == sum(len(state.events) for _, state in ruling.history)
    return Trial(by, tuple(orders), told, ruling.record if is_all else None)


def trial_sections(record: Record, colour: str, text: str, *, waves: bool = False) -> Sections:
    """Return the answer to a request to try orders, for a letter in which the game as it is follows.

    With *waves* the player may be asked before it is the clan's turn: then it is tried as if it were.
    """
    early = _as_asked(record, colour) if waves else record
    trial = tried(early, orders_in(text), colour)
    now = {section.key: section.blocks for section in _position(record, colour, ())} if trial.after else {}
    parts = (part for part in _sections(trial, record, colour) if now.get(part.key) != part.blocks)
    same = (Section(KEY, (Prose(tr(_SAME)),)),) if trial.after else ()
    sections = (*(part._replace(key=KEY) for part in parts), *same)
    if early is record:
        return sections
    says, *follows = sections[0].blocks
    return (sections[0]._replace(blocks=(says, Prose(tr(_EARLY)), *follows)), *sections[1:])


def _as_asked(record: Record, colour: str) -> Record:
    """Return the game in which the clan is asked now, if it is asked at the same time as the one that decides.

    That one comes next; of an offer, it and the others before the clan have said nothing.
    """
    state, decides = record.state, who_decides(record.state)
    if decides in (None, CHANCE, colour) or not isinstance(state.phase, Answering | Spreading | Adding | Settling):
        return record
    asked = as_asked(state, colour)
    if asked is state:
        return record
    assert decides is not None
    if not isinstance(asked.phase, Answering):
        others = tuple(other for other in asked.waiting if other != colour)
        next_first = isinstance(asked.phase, Adding)  # new members are added in player order, the rest in reverse
        asked = asked._replace(waiting=(decides, *others) if next_first else (*others, decides))
    return record._replace(state=asked)


def _sections(trial: Trial, record: Record, viewer: str | None) -> Iterator[Section]:
    """Yield the page of a trial as the viewer may read it; the keys are those of the game's own page."""
    said = listed((f'"{order_text(order)}"' for order in trial.orders), "and then")
    if_played = tr(_IF_YOU if trial.by == viewer else _IF_PLAYED)
    first = Prose(if_played.format(name=who(record.state, trial.by), orders=said))
    rest = (Prose(tr(_CHANCE if trial.stops == "chance" else _HIDDEN)),) if trial.stops else ()
    yield Section(KEY, (first, news(trial.history), *rest), tr("A TRIAL: NOTHING WAS PLAYED"))
    if trial.after is not None:
        yield from _position(trial.after, viewer, trial.history)


def _position(record: Record, viewer: str | None, history: History) -> Iterator[Section]:
    """Yield the sections of the page about a game that are not about how to answer, or what has happened."""
    shown = for_letter(
        record.state, viewer, game=record.game, turn=record.turn, to_answer="", course=record.history if history else ()
    )
    for section in shown:
        if section.key in _HEADINGS:
            heading = tr(_HEADINGS[section.key])
            gloss = section.gloss if columns(f"{heading}, {section.gloss}") <= WIDTH else ""
            yield section._replace(heading=heading, gloss=gloss, picture=None)
        elif section.key == "situation":
            yield section


def after_orders(path: Path, record: Record, text: str, player: str) -> Report:
    """Return the report of a trial, of the player whose turn it is unless one is named."""
    decides = who_decides(record.state)
    viewer = rulings.player_of(record, player) if player else None
    by = viewer or (decides if decides not in (None, CHANCE) else rulings.player_of(record, ""))
    trial = tried(record, orders_in(text), by or "")
    return Report(
        "tried", "nothing was played", path, lambda: _text(trial, record, viewer), lambda: _data(trial, record, viewer)
    )


def _text(trial: Trial, record: Record, viewer: str | None) -> str:
    own_set = (Section(KEY, tuple(map(Prose, own_set_lines(game_files.own_set(record))))),)
    sections = (*_sections(trial, record, viewer), *own_set)
    return "\n\n".join("\n".join(lines_of_section(section)) for section in sections if section.blocks)


def _data(trial: Trial, record: Record, viewer: str | None) -> dict[str, Any]:
    """Return the trial as data: *turn* and *head* are those of the game as it is, *state* the one after the orders."""
    after = trial.after
    readable = after is not None and may_read(after.state, viewer)
    return {
        "game": record.game,
        "turn": record.turn,
        "head": record.head,
        "by": trial.by,
        "orders": list(trial.orders),
        "news": list(lines_of((news(trial.history),))),
        "stops": trial.stops,
        "decides": who_decides(after.state) if after else None,
        "state": report.seen(after.state, viewer) if after else None,
        "options": options(after.state) if after and readable else [],
        "all": readable,
    }


# As if it were another player's turn


def supposed_blocks(record: Record, colour: str) -> Iterator[Block]:
    """Yield what that player could do if asked what another is asked now, or why nothing."""
    state, name = record.state, who(record.state, colour)
    as_if = supposed(state, colour)
    yield from question(state, colour)
    if isinstance(as_if, str):
        nothing = tr("There is nothing that {name} could be asked now.").format(name=name)
        yield Prose(f"{nothing} {as_if}")
        return
    yield Prose(tr("It is not the turn of {name}, and none of this can be played now.").format(name=name))
    yield Prose(tr("If {name} were asked now:").format(name=name), apart=True)
    yield from question(as_if, colour)[1:]


def supposed_data(record: Record, colour: str) -> dict[str, Any]:
    """Return the same as data: the *clan*, and its *options* or *why* it has no options."""
    as_if = supposed(record.state, colour)
    if isinstance(as_if, str):
        return {"clan": colour, "options": [], "why": unglued(as_if)}
    return {"clan": colour, "options": options(as_if), "why": ""}


def out_of_turn(path: Path, record: Record, viewer: str) -> Report:
    """Return the report on what a player could do whose turn it is not."""
    plain = report.legal_choices(path, record, viewer)
    own_set = own_set_lines(game_files.own_set(record))
    return plain._replace(
        words=lambda: "\n".join((*lines_of(supposed_blocks(record, viewer)), *own_set)),
        more=lambda: {**plain.more(), "if_asked": supposed_data(record, viewer)},
    )
