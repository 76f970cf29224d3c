"""The way of a move: files -> ruling -> files. The only module that knows all the others.

Nothing is written unless everything was accepted. ``check`` is ``play`` without
the draws and without the write.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import files
from pbem.errors import (
    Broken,
    CannotCreate,
    Choice,
    Illegal,
    NoSuchFile,
    NotUnderstood,
    NotYourTurn,
    PbemError,
    Stale,
    UsageError,
)
from pbem.files import Format
from pbem.first_sparks import chance
from pbem.first_sparks.adjudicator import Draws, expected, who_decides
from pbem.first_sparks.components import COLOURS, ComponentSet
from pbem.first_sparks.notation import parse_order
from pbem.first_sparks.record import (
    HEAD_DIGITS,
    Chance,
    History,
    Record,
    audit,
    begin,
    carried_on,
    digest,
    encode,
    played,
    replayed,
    verify,
)
from pbem.first_sparks.rules.preparation import tiles_in_play
from pbem.first_sparks.state import CHANCE, Ended, GameState, Options
from pbem.reading import GameFile, Submission, built_in, load, read_any

SECRET_FORMAT: Final = "first-sparks-secret/1"  # noqa: S105 -- the name of a format
GAME_SCHEMA: Final = "./game.schema.json"


class Ruling(NamedTuple):
    """An accepted submission: the record after it, and every order, draw and forced decision on the way."""

    record: Record
    history: History


@contextmanager
def opened(path: Path, *, to_write: bool = False) -> Iterator[GameFile]:
    """Lend the game in the file; to write it, keep everybody else away for as long. See ``load`` and ``locked``."""
    with files.locked(path) if to_write else nullcontext():
        game = load(path)
        with blaming_the_snapshot(game.record):
            yield game


@contextmanager
def blaming_the_snapshot(record: Record) -> Iterator[None]:
    """Raise Broken for a bug that shows up inside if the snapshot is not what the log leads to: then it is none."""
    try:
        yield
    except PbemError:
        raise
    except Exception:
        verify(record)
        raise


# Judging


def player_of(record: Record, said: str) -> str:
    """Return the colour of the player who is called *said*, by colour or by name."""
    for colour, name in record.players:
        if said.casefold() in (colour, name.casefold()):
            return colour
    players = ", ".join(f"{name} ({colour})" for colour, name in record.players)
    message = "it is not said who plays" if not said else "nobody of that name or colour plays"
    raise NotUnderstood(message, path="player", hint=f"the players are {players}")


def judge(record: Record, submission: Submission, draw: Draws | None) -> Ruling:
    """Return the ruling on a submission: all its orders are accepted, or an error says everything that is wrong.

    Draws wait until the last order is accepted, so that nobody learns one from
    a refusal; without *draw* they are left out altogether.
    """
    _check_guards(record, submission)
    by = player_of(record, submission.player)
    if submission.named and player_of(record, submission.named) != by:
        raise NotUnderstood("the move file names another player than the command line", path="player")
    history: History = ()
    for number, order in enumerate(submission.orders, 1):
        last = number == len(submission.orders)
        decides = who_decides(record.state)
        if number > 1 and decides == CHANCE:
            raise NotYourTurn(
                f"order {number} cannot be judged yet, because chance decides first",
                order=order,
                hint="send it after the draw; nothing of this submission was played",
            )
        try:
            move = parse_order(order, expected(record.state.phase))
            record, steps = played(record, by, move, draw if last else None)
        except (Illegal, NotYourTurn) as refused:
            if decides == by:
                refused.choices = some_choices(record.state)
            raise
        history += steps
    return Ruling(record, history)


def _check_guards(record: Record, submission: Submission) -> None:
    """Raise Stale if the submission was written for another game, turn or head than the current one."""
    if submission.game not in ("", record.game):
        raise Stale(f"this is game {record.game}, the order was written for another one", path="game")
    now = f"[{record.game}/{record.turn}/{record.head[:HEAD_DIGITS]}]"
    if submission.turn not in (None, record.turn):
        message = f"the order was written for turn {submission.turn}, the game is at turn {record.turn} now"
        raise Stale(message, path="turn", hint=f"look at the game again; it is at {now}")
    if not record.head.startswith(submission.head):
        message = "the order was written for another course of the game: its head is not the current one"
        raise Stale(message, path="head", hint=f"look at the game again; it is at {now}")


def some_choices(state: GameState) -> tuple[Choice, ...]:
    """Return what the one who decides could order, with its cost: all of it, or of very many the most telling."""
    from pbem.first_sparks.answers import answers

    return tuple(Choice(answer.order, answer.cost) for answer in answers(state))


def since(record: Record, viewer: str | None) -> History:
    """Return what has happened from the viewer's last own order on; for no viewer, from the last order of anybody.

    A log that the rules as they are now read would not allow is told no more:
    the game goes on from its snapshot all the same.
    """
    history: list[Any] = []
    try:
        for entry, state in replayed(record):
            if entry.by == viewer or (viewer is None and entry.by != CHANCE):
                history.clear()
            history.append((entry, state))
    except Broken:
        return ()
    return tuple(history)


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
        data = files.parse(text, "toml", name=str(path))
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


# Doing


@cache
def _built_in_digest() -> str:
    return digest(built_in())


def new(
    path: Path,
    game: str,
    players: tuple[tuple[str, str], ...],
    *,
    options: Options,
    components: ComponentSet,
    sealed: bool,
    secret: bytes,
    form: Format,
) -> Record:
    """Begin a game in a new file; see ``begun`` and ``create``."""
    record = begun(game, players, options=options, components=components, sealed=sealed, secret=secret)
    create(path, record, secret, form)
    return record


def begun(
    game: str,
    players: tuple[tuple[str, str], ...],
    *,
    options: Options,
    components: ComponentSet,
    sealed: bool,
    secret: bytes,
) -> Record:
    """Return the record of a new game at its first decision.

    *secret* is 32 random bytes, *players* are pairs of colour and name. Raises
    UsageError where they do not fit together.
    """
    _check_new(game, players, options, components)
    held = Chance("sealed" if sealed else "open", chance.commitment(secret), "" if sealed else secret.hex())
    record = begin(game, players, options, components, held)
    return carried_on(record, chance.source(game, secret))[0]


def create(path: Path, record: Record, secret: bytes, form: Format) -> None:
    """Write a new game, and beside a sealed one a new secret file; nothing is overwritten: raises CannotCreate."""
    text = files.dump(encode(record, _built_in_digest()), form, schema=GAME_SCHEMA)
    sealed = record.chance.kind == "sealed"
    with files.locked(path):
        if path.exists() or path.is_symlink():
            raise CannotCreate(f"{path} exists already", path=str(path), hint="choose another name")
        if sealed:
            data = {"format": SECRET_FORMAT, "game": record.game, "secret": secret.hex()}
            files.create(secret_path(path), files.dump(data, "toml"), mode=0o600)
        try:
            files.create(path, text)
        except PbemError:
            if sealed:
                secret_path(path).unlink()
            raise


def game_id(path: Path) -> str:
    """Return the name that a game gets from its file: small letters, digits and hyphens; as far as there are any."""
    import unicodedata

    plain = unicodedata.normalize("NFKD", path.stem).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40]


def seats(players: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return colour and name of each player, written ``Ann`` or ``Ann:red``; colours left out are dealt in order.

    Raises UsageError for names that nobody could tell apart or read.
    """
    said = [player.rpartition(":") if ":" in player else (player, "", "") for player in players]
    wanted = [(clean_name(name), colour.strip().lower()) for name, _, colour in said]
    for name, colour in wanted:
        if colour and colour not in COLOURS:
            raise UsageError(f"{name} cannot play {colour!a}", hint=f"the colours are {', '.join(COLOURS)}")
    free = [colour for colour in COLOURS if colour not in {colour for _, colour in wanted}]
    seated = tuple((colour or (free.pop(0) if free else ""), name) for name, colour in wanted)
    for what, values in (("colour", [c for c, _ in seated]), ("name", [n.casefold() for _, n in seated])):
        if len(set(values)) < len(values):
            raise UsageError(f"two players have the same {what}")
    for colour, name in seated:
        if name.casefold() in {*COLOURS, "neutral"} - {colour}:
            raise UsageError(f"a player cannot be called {name}, that is somebody else's colour")
    return seated


def clean_name(name: str) -> str:
    """Return a player's name in one form (NFC): 1 to 24 characters that print, none of them invisible."""
    import unicodedata

    clean = " ".join(unicodedata.normalize("NFC", name).split(" ")).strip()
    if not 1 <= len(clean) <= 24 or not clean.isprintable() or any(c in clean for c in ":*[]"):
        raise UsageError(
            "a player's name has 1 to 24 letters, digits, spaces and signs, but none of : * [ ]",
            hint="for instance: pbem new game.toml Ann Bob:blue",
        )
    return clean


def secret_from(said: str) -> bytes:
    """Return the secret that is written in hexadecimal; 32 random bytes if nothing is said."""
    if not said:
        return os.urandom(chance.SECRET_BYTES)
    if not re.fullmatch("[0-9a-fA-F]{64}", said):
        raise UsageError("a secret is 64 hexadecimal digits")
    return bytes.fromhex(said)


def _check_new(game: str, players: tuple[tuple[str, str], ...], options: Options, components: ComponentSet) -> None:
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", game):
        raise UsageError(
            "the name of a game has 1 to 40 small letters, digits and hyphens, and no hyphen first",
            hint="give it with --id, for instance --id friday-night",
        )
    if not 2 <= len(players) <= 6:
        raise UsageError(f"{len(players)} players cannot play, 2 to 6 can")
    if options.board == "recommended" and tiles_in_play(len(players)) not in components.boards:
        raise UsageError(
            f"there is no recommended board for {len(players)} players", hint="use --board random or players"
        )


def write(game: GameFile, record: Record, out: Path | None = None, form: Format | None = None) -> None:
    """Write the record in the place of the game file, or to *out*, in its format, *out*'s or *form*."""
    target = out or game.path
    if target.exists() and not target.samefile(game.path):
        _check_same_game(target, record)
    form = form or files.format_of(target, game.form)
    files.replace(target, files.dump(encode(record, _built_in_digest()), form, schema=game.schema or GAME_SCHEMA))


def _check_same_game(target: Path, record: Record) -> None:
    """Raise CannotCreate unless the file holds this game too, at whatever turn; nothing else is overwritten."""
    try:
        same = load(target).record.game == record.game
    except PbemError:
        same = False
    if not same:
        raise CannotCreate(
            f"{target} exists already and does not hold this game", path=str(target), hint="choose another name"
        )


def play(
    path: Path, submission: Submission, *, out: Path | None = None, form: Format | None = None
) -> tuple[int, Record]:
    """Judge a submission and write the game after it; see ``judge`` and ``write``.

    Return the number of log lines before it, and the record after it.
    """
    with opened(path, to_write=True) as game:
        ruling = judge(game.record, submission, draws_of(game.record, path))
        write(game, ruling.record, out, form)
    return len(game.record.log), ruling.record


def reveal(path: Path) -> Record:
    """Publish the secret of a finished sealed game in its file, so that everybody can audit the draws."""
    with opened(path, to_write=True) as game:
        record = game.record
        if not isinstance(record.state.phase, Ended):
            raise Illegal("the secret is published when the game is over, and not before")
        secret = read_secret(record, secret_path(path))
        record = record._replace(chance=record.chance._replace(secret=secret.hex()))
        write(game, record)
    return record


def audited(path: Path) -> int:
    """Return the number of draws of a game, every one of which its secret gives; raises Broken otherwise."""
    record = load(path).record
    secret = read_secret(record, secret_path(path))
    return audit(record, secret, chance.source(record.game, secret))


def convert(path: Path, out: Path, form: Format | None = None) -> Format:
    """Write a game, move or component file in another format, and return which; nothing is lost or overwritten."""
    text = files.read_text(path)
    data, read = read_any(text, path)
    form = form or files.format_of(out, "json" if read == "toml" else "toml")
    files.create(out, files.dump(data, form, schema=files.schema_line(text, read)))
    return form
