"""The way of a move: files -> ruling -> files.

Nothing is written unless everything was accepted. ``check`` is ``play`` without
the draws and without the write.
"""

import re
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, assert_never

from pbem import files, formats, interrupts
from pbem.errors import (
    Broken,
    CannotCreate,
    Illegal,
    NoSuchFile,
    NotUnderstood,
    NotYourTurn,
    PbemError,
    Stale,
)
from pbem.first_sparks import chance
from pbem.first_sparks.adjudicator import Draws, who_decides
from pbem.first_sparks.components import ComponentSet
from pbem.first_sparks.events import Hunted
from pbem.first_sparks.notation import expected, parse_order
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import (
    HEAD_DIGITS,
    History,
    Record,
    audit,
    digest,
    encode,
    header,
    played,
    same_situations,
    shared_lines,
)
from pbem.first_sparks.state import CHANCE
from pbem.formats import Format
from pbem.reading import GameFile, Submission, built_in, load, read_any

SECRET_FORMAT: Final = "first-sparks-secret/1"  # noqa: S105 -- the name of a format
GAME_SCHEMA: Final = "./game.schema.json"
_BEGUN_WITH: Final = {
    "players": "other players",
    "options": "other options",
    "components": "another component set",
    "chance": "another source of chance",
}


class Ruling(NamedTuple):
    """An accepted submission: the record after it, and every order, draw and forced decision on the way."""

    record: Record
    history: History


@contextmanager
def opened(path: Path, *, to_write: bool = False, wait: float = files.LOCK_WAIT) -> Generator[GameFile]:
    """Lend the game in the file; to write it, keep everybody else away for as long. See ``load`` and ``locked``."""
    with files.locked(path, wait=wait) if to_write else nullcontext():
        yield load(path)


# Judging


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


# Chance


def secret_path(game: Path) -> Path:
    """Return where the secret of a sealed game lies: ``GAME.secret.toml`` beside it."""
    return game.with_name(f"{game.stem}.secret.toml")


def read_secret(record: Record, path: Path) -> bytes:
    """Return the secret of the game: its own if it is shown there, or else from the file beside it."""
    if record.chance.secret:
        secret = bytes.fromhex(record.chance.secret)
    else:
        try:
            text = files.read_text(path)
        except NoSuchFile as missing:
            raise NoSuchFile(
                f"the secret of this game is not here: {missing.message}",
                path=missing.path,
                hint="whoever keeps the secret has to do this, with the secret file beside the game and named after it",
            ) from None
        data = formats.parse(text, "toml", name=str(path))
        secret = _secret_of(data, path)
        if data.get("game") != record.game:
            raise Broken("the secret belongs to another game", path=str(path))
    if chance.commitment(secret) != record.chance.commitment:
        raise Broken("the secret is not the one that the game was committed to", path=str(path))
    return secret


def _secret_of(data: dict[str, Any], path: Path) -> bytes:
    said = data.get("secret")
    if data.get("format") != SECRET_FORMAT or not isinstance(said, str) or not re.fullmatch("[0-9a-f]{64}", said):
        raise NotUnderstood(
            "the file is no secret of a game", path=str(path), hint=f"it has format = {SECRET_FORMAT!r}"
        )
    return bytes.fromhex(said)


def draws_of(record: Record, path: Path) -> Draws:
    """Return the source of the game's draws; the secret is read when the first draw is made, and not before."""

    @cache
    def source() -> Draws:
        return chance.source(record.game, read_secret(record, secret_path(path)))

    return lambda n, k: source()(n, k)  # noqa: PLW0108 -- the secret is read when the first draw is made


def draws_in_memory(record: Record) -> Draws:
    """Return the source of draws of a game without a file; without its secret in it, it raises NoSuchFile at a draw."""
    if record.chance.secret:
        return draws_of(record, Path("game"))  # which is not looked at

    def refuse(_n: int, _k: int) -> int:
        raise NoSuchFile("the secret of this game is not here", hint="play it by the path of its file")

    return refuse


# Doing


def text_of(record: Record, form: Format, schema: str = GAME_SCHEMA) -> str:
    """Return the text of the game's file; raises CannotWrite if it is too long to be read again."""
    return formats.dump(data_of(record), form, schema=schema)


def data_of(record: Record) -> dict[str, Any]:
    """Return the game as the data of its file."""
    return encode(record, digest(built_in()))


def write(game: GameFile, record: Record, out: Path | None = None, form: Format | None = None) -> None:
    """Write the record in the place of the game file, or to *out*, in its format, *out*'s or *form*.

    The folder of the game is locked. Raises CannotCreate if *out* holds what would be lost.
    """
    target = out or game.path
    elsewhere = not target.parent.exists() or not target.parent.samefile(game.path.parent)
    form = form or formats.format_of(target, game.form)
    text = text_of(record, form, game.schema or GAME_SCHEMA)
    with files.locked(target) if elsewhere else nullcontext():
        if files.exists(target) and not target.samefile(game.path):
            check_replaceable(target, record)
        files.replace(target, text)


class Relation(NamedTuple):
    """How a game relates to an earlier file of it, and with how many of the same lines their logs begin."""

    kind: Literal["another game", "another course", "older", "secret lost", "continued"]
    shared: int = 0


def relation(new: Record, old: Record) -> Relation:
    """Return whether the *new* game continues the *old* one, which it does too if nothing has happened since."""
    if header(new) != header(old):
        return Relation("another game")
    shared = shared_lines(old.log, new.log)
    if shared < min(len(old.log), len(new.log)):
        return Relation("another course", shared)
    if len(new.log) < len(old.log):
        return Relation("older", shared)
    return Relation("secret lost" if old.chance.secret and not new.chance.secret else "continued", shared)


def check_replaceable(target: Path, record: Record) -> None:
    """Raise CannotCreate unless the file holds this game, at this turn or an earlier one: nothing else is lost."""
    why = "exists already and does not hold this game"
    with suppress(PbemError):
        there = load(target).record
        kind, shared = relation(record, there)
        if kind == "continued":
            return
        if kind == "another course":
            why = f"holds another course of this game, from line {shared + 1} of the log on"
        elif kind == "older":
            now, then = (f"turn {there.turn}", f"turn {record.turn}")
            if there.turn == record.turn:  # draws are not counted as turns
                now, then = (f"line {len(there.log)} of its log", f"line {len(record.log)}")
            why = f"holds this game at {now}, and would go back to {then}"
        elif kind == "secret lost":
            why = "holds this game with its secret published, and that would be lost"
    raise CannotCreate(f"{target} {why}", path=str(target), hint="choose another name, or move that file away")


class Added(NamedTuple):
    """What a game has more than it had: lines of its log, and turns."""

    lines: int
    turns: int


def added_since(old: Path, new: Record) -> Added:
    """Return what the game has more than in the file *old*; raises Broken unless it is the same game, played on."""
    before = load(old).record
    kind, shared = relation(new, before)
    match kind:
        case "another game":
            raise _another_game(old, before, new)
        case "another course":
            line, was = new.log[shared], before.log[shared]
            raise Broken(f'line {shared + 1} of the log differs: "{line}", and in {old} "{was}"', path=f"log[{shared}]")
        case "older":
            ends, end = (f"line {len(record.log)} (turn {record.turn})" for record in (new, before))
            raise Broken(f"it is older: its log ends at {ends}, and that of {old} at {end}", path="log")
        case "secret lost":
            raise Broken(f"the secret is gone, which {old} publishes", path="chance.secret")
        case "continued":
            return Added(len(new.log) - shared, new.turn - before.turn)
        case _ as unreachable:
            assert_never(unreachable)


def _another_game(old: Path, before: Record, new: Record) -> Broken:
    """Return the error that says by what two games differ from the beginning."""
    then, now = header(before), header(new)
    for key, what in _BEGUN_WITH.items():
        if before.game == new.game and then[key] != now[key]:
            return Broken(f"it is another game than in {old}: it was begun with {what}", path=key)
    return Broken(f"it is another game than in {old}: {new.game}, not {before.game}", path="game")


def own_set(record: Record) -> str:
    """Return by which digits texts name the component set of a game, or nothing if it is the one that ships."""
    return digits_of_set(record.components)


def digits_of_set(components: ComponentSet) -> str:
    """Return by which digits texts name a component set, or nothing if it is the one that ships."""
    if components is built_in() or digest(components) == digest(built_in()):
        return ""
    return digest(components)[:HEAD_DIGITS]


def keep(game: GameFile, record: Record, out: Path | None = None, form: Format | None = None) -> None:
    """Write a move that was accepted, as ``write`` does: a signal that ends us afterwards comes too late."""
    with interrupts.held(f"the move was played: {record.game} is at turn {record.turn}"):
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


def published(record: Record, path: Path) -> Record:
    """Return a game that is over, in the file *path*, with the secret of its draws; raises Illegal before the end."""
    if not isinstance(record.state.phase, Ended):
        raise Illegal("the secret is published when the game is over, and not before")
    secret = read_secret(record, secret_path(path))
    return record._replace(chance=record.chance._replace(secret=secret.hex()))


def reveal(path: Path) -> Record:
    """Publish the secret of a finished sealed game in its file, so that everybody can audit the draws."""
    with opened(path, to_write=True) as game:
        record = published(game.record, path)
        with interrupts.held("the secret was published"):
            write(game, record)
    return record


def audited(path: Path) -> Record:
    """Return a game of which the secret gives every draw; raises Broken otherwise."""
    record = load(path).record
    audit(record, read_secret(record, secret_path(path)))
    return record


def convert(path: Path, out: Path, form: Format | None = None) -> Format:
    """Write a game, move or component file in another format, and return which; nothing is lost or overwritten."""
    text = files.read_text(path)
    data, read = read_any(text, path)
    form = form or formats.format_of(out)
    converted = formats.dump(data, form, schema=formats.schema_line(text, read))
    with interrupts.held(f"{formats.shown(out)} was written"):
        files.create(out, converted)
    return form
