"""The library: begin, load, judge, play and retell games from Python.

A game is an immutable value; where one is expected, the path of its file works
too. Errors are a ``PbemError``, as on the command line.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from pbem import files, formats, game_files, game_setup, interrupts, loading, report, rulings, secrets
from pbem.errors import Broken, Illegal, NotUnderstood, NotYourTurn
from pbem.errors import PbemError as PbemError  # noqa: PLC0414 -- the package hands it on as part of the surface
from pbem.first_sparks.adjudicator import Entry, violations, who_decides
from pbem.first_sparks.choice import Choice, every_choice, main_choices
from pbem.first_sparks.moves import Move
from pbem.first_sparks.options import BoardWay, Options
from pbem.first_sparks.plans.plan import Plan
from pbem.first_sparks.play import chosen, imagined_game
from pbem.first_sparks.proof import verify
from pbem.first_sparks.record import SHARED, Record
from pbem.first_sparks.state import CHANCE, GameState
from pbem.loading import Submission
from pbem.page.page import Page

Game = Record
FilePath = str | os.PathLike[str]
Value = TypeVar("Value")
_NAME: Final = "game"
_FEW: Final = 64  # choices that are looked through; of more it is quicker to judge one
_listed: list[tuple[GameState, tuple[Choice, ...]]] = []  # the last state whose choices were listed, and these


def new_game(
    players: Sequence[str],
    *,
    name: str = _NAME,
    board: BoardWay = "players",
    hide_food: bool = False,
    secret: str = "",
    components: FilePath | None = None,
) -> Game:
    """Return a new game, in memory and with open chance, at its first decision.

    *players* are 2 to 6 names in seating order, ``Ann`` or ``Ann:red``;
    *secret* is 64 hexadecimal digits, random by default; *components* is the file of
    another set. Raises UsageError, and the errors of ``load``. For sealed chance begin the game with ``pbem new``.
    """
    if isinstance(players, str):
        raise TypeError("expected a list of names, not one text")
    return game_setup.begin_record(
        name,
        game_setup.seats(players),
        options=Options(board, hide_food),
        components=loading.load_components(Path(components)) if components else loading.built_in(),
        kind="open",
        secret=game_setup.secret_from(secret),
    )


def load(source: FilePath | Mapping[str, Any]) -> Game:
    """Return the game in a file, or in the object of a JSON game file."""
    if not isinstance(source, Mapping):
        return loading.load(Path(source)).record
    try:
        text = json.dumps(source, default=_as_dict)
    except (ValueError, RecursionError):  # also for numbers that are too long for Python
        raise NotUnderstood(
            "the object cannot be written as JSON: it contains itself, or is nested too deeply"
        ) from None
    return loading.game_in(formats.parse(text, "json", name=_NAME), _NAME)


def save(game: Game, path: FilePath) -> None:
    """Write the game to a TOML or JSON file, by its ending; only an earlier turn of the same game is replaced.

    Raises CannotCreate for any other existing file, and Broken for a game that its log does not lead to.
    """
    target = Path(path)
    try:
        verify(of_type(Record, game))
    except Broken as wrong:
        wrong.hint = "a game can be saved if its log leads to it; a game of imagine cannot"
        raise
    text = game_files.text_of(game, formats.format_of(target))
    with files.locked(target), interrupts.hold("the game was saved"):
        if files.exists(target):
            game_files.check_replaceable(target, game)
        files.replace(target, text)


def decides(game: Game | GameState | FilePath) -> str | None:
    """Return the colour of the clan whose turn it is, ``*`` for chance, None after the end.

    In a game chance only decides after ``check``, in a state wherever a draw is due.
    """
    return who_decides(state_of(game))


def choices(game: Game | GameState | FilePath, *, few: bool = False) -> tuple[Choice, ...]:
    """Return every legal choice: its move, its order, and the food that it costs; no choices after the end.

    There may be some 20,000 ways to spread. With *few* they are only: to stay, the cheapest
    way for every number of members, and the cheapest way to every space in reach.
    """
    state = state_of(game)
    found = tuple(main_choices(state) if few else every_choice(state))
    _listed[:] = [(state, found)]
    return found


def note(game: Game | FilePath, choice: Choice) -> str:
    """Return in a few words what else to know about a choice in this game: ``you would harvest 7 and 5, not 3 and 3``.

    Raises Illegal for a choice that is not legal now, for example one from an earlier turn.
    """
    from pbem.first_sparks.briefing.notes import note as note_on
    from pbem.page.glue import unglued

    state = _game(game).state
    reasons = tuple(violations(state, of_type(Choice, choice).move))
    if reasons:
        raise Illegal("this choice is not legal now", order=choice.order, reasons=reasons)
    return unglued(note_on(state, choice))


def check(game: Game | FilePath, orders: str | Sequence[str], player: str | None = None) -> Game:
    """Return the game after the orders, before chance draws anything; nothing is written.

    *orders* are lines as players send them; *player* is a colour or name, by default the one whose turn it is. Raises
    Illegal with every reason, NotYourTurn, NotUnderstood, Stale.
    """
    before = _game(game)
    return rulings.judge(before, _submission(before, orders, player), None).record


def play(
    game: Game | FilePath, orders: str | Sequence[str], player: str | None = None, *, plans: Sequence[Plan] = ()
) -> Game:
    """Return the game after the orders, at the next decision; a game that is given by its path is also written.

    An open game has its secret in it, so that this tells what will be drawn: search in ``imagine``, not here.

    Orders and errors are those of ``check``. A sealed game is played by its path, with its secret beside it. The
    *plans*, one for each clan, answer what is asked after the orders; a game file has its own, those of ``pbem plan``.
    """
    if isinstance(game, Record):
        draw = secrets.draws_in_memory(game)
        move = _listed_as(game, orders) if not player else None
        if move is not None:
            after = chosen(game, move, draw)
        else:
            after = rulings.judge(game, _submission(game, orders, player), draw).record
        if not plans:
            return after
        from pbem.first_sparks.plans.answer import played_on

        kept = {of_type(Plan, plan).colour: (plan, None) for plan in plans}
        return played_on(after, kept, draw)[0]
    if plans:
        raise TypeError("the plans for a game file lie beside it; give the game itself instead of its path")
    with rulings.playing(Path(game), lambda record: _submission(record, orders, player)) as (_, ruling):
        return ruling.record


def imagine(game: Game | FilePath, seed: str | int) -> Game:
    """Return the same situation at the next decision, with another future: its draws follow from *seed* alone.

    Bots and rollouts search in it, so that they cannot look at what will come: ``play`` in an open game draws what its
    secret yields. What has happened stays; the log of an imagined game proves nothing, and ``save`` refuses it.
    """
    from pbem.first_sparks.chance.draws import imagined

    return imagined_game(_game(game), imagined(seed_text(seed)))


def plan(game: Game | FilePath, lines: str | Sequence[str], player: str) -> Plan:
    """Return a plan for the player, a colour or name, from lines as ``pbem plan`` takes them: ``14 19 else pass``.

    It remembers which cards lie on the table now, and for which phase it is. Raises NotUnderstood with everything
    that is wrong; also for rules that hold always, which a program can keep by itself.
    """
    from pbem.first_sparks.plans.lines import begins
    from pbem.first_sparks.plans.read import read

    record = _game(game)
    said = lines.splitlines() if isinstance(lines, str) else lines
    colour = rulings.player_of(record, of_type(str, player))
    found = read([line if begins(line) else f"plan {line}" for line in said], record.state, colour)
    if found.plan is None or found.always is not None or found.forget:
        raise NotUnderstood("these lines are not a plan alone", path="plan")
    return found.plan


def planned(game: Game | FilePath, plan: Plan) -> Move | None:
    """Return what the plan answers to the open question; None if it is not its owner's, or the plan does not say."""
    from pbem.first_sparks.plans.answer import answer

    state = _game(game).state
    return answer(plan, None, state).move if who_decides(state) == of_type(Plan, plan).colour else None


def replay(game: Game | FilePath) -> Iterator[tuple[Entry, GameState]]:
    """Yield every line of the log with the state after it."""
    return iter(_game(game).history)


def summary(game: Game | FilePath, player: str = "", *, unicode: bool = False) -> str:
    """Return the text for the player, or without one the text that everybody may read."""
    record = _game(game)
    return report.text_for(record, rulings.player_of(record, of_type(str, player)) if player else None, unicode=unicode)


def situation(game: Game | FilePath, player: str = "") -> Page:
    """Return the page of ``summary`` as a value: sections by key, with tables, lists and paragraphs.

    ``pbem.page`` turns it into text, HTML or plain data.
    """
    record = _game(game)
    return report.page_for(record, rulings.player_of(record, of_type(str, player)) if player else None)


def _as_dict(value: object) -> dict[Any, Any]:
    """Return any mapping as a dict, for JSON."""
    if not isinstance(value, Mapping):
        raise TypeError(f"a game cannot contain {type(value).__name__}")
    return dict(cast("Mapping[str, object]", value))


def of_type(kind: type[Value], value: object) -> Value:
    """Return the value, or raise TypeError, since Python does not check annotations."""
    if not isinstance(value, kind):
        raise TypeError(f"expected {kind.__name__}, not {type(value).__name__}")
    return value


def seed_text(seed: str | int) -> str:
    """Return a seed as text, in which 1 and "1" are the same; raises TypeError."""
    return str(seed) if isinstance(seed, int) else of_type(str, seed)


def _game(game: Game | FilePath) -> Game:
    return game if isinstance(game, Record) else load(game)


def state_of(game: Game | GameState | FilePath) -> GameState:
    """Return the state of a game, in memory or in a file; a state is its own."""
    return game if isinstance(game, GameState) else _game(game).state


def _listed_as(game: Game, orders: str | Sequence[str]) -> Move | None:
    """Return the move whose order is exactly this text, if ``choices`` has listed it for this very state.

    Rollouts ask and play all the time: such a move is legal, and need not be read and judged again. None in a shared
    game, in which somebody may have to draw first.
    """
    if len(_listed) == 1 and game.chance.kind != SHARED:
        state, found = _listed[0]
        if state is game.state and len(found) <= _FEW:
            for choice in found:
                if choice.order == orders:
                    return choice.move
    return None


def _submission(game: Game, orders: str | Sequence[str], player: str | None) -> Submission:
    by = of_type(str, player or "") or who_decides(game.state) or ""
    if by == CHANCE:
        hint = "check draws nothing; play the orders up to here, and go on with the game that play returns"
        raise NotYourTurn("chance decides now, and no player", hint=hint)
    lines = orders.splitlines() if isinstance(orders, str) else orders
    return loading.order_lines(lines, "the submission")._replace(player=by)
