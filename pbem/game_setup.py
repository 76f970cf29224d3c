"""A new game: its players, name, secret, and first file."""

import os
import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import cast, get_args

from pbem import files, formats, interrupts
from pbem.errors import CannotCreate, UsageError
from pbem.first_sparks.bot.seats import is_bot, numbered
from pbem.first_sparks.chance import draws as chance
from pbem.first_sparks.components import COLOURS, ComponentSet
from pbem.first_sparks.options import BoardWay, Options
from pbem.first_sparks.play import carried_on
from pbem.first_sparks.record import SHARED, Chance, ChanceKind, Record, begin
from pbem.first_sparks.rules.preparation import tiles_in_play
from pbem.formats import Format
from pbem.game_files import text_of
from pbem.locale import phrase
from pbem.secrets import SECRET_FORMAT, draws_from, secret_path


def begin_record(
    game: str,
    players: tuple[tuple[str, str], ...],
    *,
    options: Options,
    components: ComponentSet,
    kind: ChanceKind,
    secret: bytes,
    salted: bool = False,
) -> Record:
    """Return the record of a new game at its first decision; a shared one waits for its players to join.

    *secret* is 32 random bytes, of which a shared game needs none; *players* are pairs of colour and name. Raises
    UsageError for an invalid combination.
    """
    check_new(game, players, options, components)
    if kind == SHARED:
        if any(is_bot(name) for _, name in players):
            raise UsageError("a bot has no secret of its own, so it cannot play in a shared game")
        return begin(game, players, options, components, Chance(SHARED))
    shown = secret.hex() if kind == "open" else ""
    record = begin(game, players, options, components, Chance(kind, chance.commitment(secret), shown, salted))
    return carried_on(record, draws_from(game, lambda: secret))[0]


def create(path: Path, record: Record, secret: bytes, form: Format) -> None:
    """Write a new game, and a new secret file beside a sealed one; raises CannotCreate instead of overwriting one."""
    text = text_of(record, form)
    with files.locked(path), interrupts.hold():
        if files.exists(path) or path.is_symlink():
            raise CannotCreate(f"{path} already exists", path=str(path), hint="choose another name")
        if record.chance.kind != "sealed":
            files.create(path, text)
            return
        secret_file = secret_path(path)
        if files.exists(secret_file) and not files.is_unfinished(secret_file):
            hint = f"choose another name, or delete {secret_file.name} if it belongs to no game"
            raise CannotCreate(f"{secret_file} already exists", path=str(secret_file), hint=hint)
        files.create_beside(path, text, secret_file, secret_text(record.game, secret))


def secret_text(game: str, secret: bytes) -> str:
    """Return what the file with the secret of a sealed game has."""
    return formats.dump({"format": SECRET_FORMAT, "game": game, "secret": secret.hex()}, "toml")


def game_id(path: Path) -> str:
    """Return the name that a game gets from its file: lowercase letters, digits and hyphens; it may be empty."""
    import unicodedata

    plain = unicodedata.normalize("NFKD", path.stem).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40]


def seats(players: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return colour and name of each player, written ``Ann`` or ``Ann:red``; missing colours are assigned in order.

    Seats that are called ``bot`` get the names of bots: ``Bot``, ``Bot 2`` and so on. Raises UsageError for names that
    are invalid or could be confused.
    """
    return _seats(tuple(players))


@lru_cache(maxsize=16)  # whoever plays a thousand games in memory seats the same players each time
def _seats(players: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    said = [player.rpartition(":") if ":" in player else (player, "", "") for player in players]
    names = numbered(clean_name(name) for name, _, _ in said)
    wanted = [(name, colour.strip().lower()) for name, (_, _, colour) in zip(names, said, strict=True)]
    for name, colour in wanted:
        if colour and colour not in COLOURS:
            raise UsageError(f"unknown colour {colour!a} for {name}", hint=f"the colours are {', '.join(COLOURS)}")
    free = [colour for colour in COLOURS if colour not in {colour for _, colour in wanted}]
    seated = tuple((colour or (free.pop(0) if free else ""), name) for name, colour in wanted)
    if len({colour for colour, _ in seated}) < len(seated):
        raise UsageError("two players have the same colour")
    if len({name.casefold() for _, name in seated}) < len(seated):
        raise UsageError("two players have the same name")
    for colour, name in seated:
        if name.casefold() in {*COLOURS, "neutral"} - {colour}:
            why = phrase("a player cannot be called {name}, since that is what another clan is called", name=name)
            raise UsageError(why)
    return seated


def clean_name(name: str) -> str:
    """Return a player's name in one form (NFC): 1 to 24 printable characters, none of them invisible."""
    import unicodedata

    clean = " ".join(unicodedata.normalize("NFC", name).split(" ")).strip()
    if not 1 <= len(clean) <= 24 or not clean.isprintable() or any(c in clean for c in ":*[]"):
        raise UsageError(
            phrase("a player's name must have 1 to 24 letters, digits, spaces and symbols, but none of : * [ ]"),
            hint="for example: pbem new game.toml Ann Bob:blue",
        )
    return clean


def secret_from(said: str, kind: ChanceKind | None = None, *, chosen: bool = True) -> bytes:
    """Return the secret that is given in hexadecimal, or else 32 random bytes.

    Raises UsageError for a sealed game whose secret is given, unless its owner says that it was *chosen*.
    """
    if not said:
        return os.urandom(chance.SECRET_BYTES)
    if kind == "sealed" and not chosen:
        message = "whoever chooses the secret of a sealed game can compute every card to come"
        raise UsageError(message, hint="leave out --secret, or for a test add --i-chose-it")
    if not re.fullmatch("[0-9a-fA-F]{64}", said):
        raise UsageError("a secret must have 64 hexadecimal digits")
    return bytes.fromhex(said)


def check_new(game: str, players: tuple[tuple[str, str], ...], options: Options, components: ComponentSet) -> None:
    """Raise UsageError if there cannot be such a game."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,39}", game):
        raise UsageError(
            "a game's name must have 1 to 40 lowercase letters, digits and hyphens, and not begin with a hyphen",
            hint="choose one with --id, for example --id friday-night",
        )
    ways = get_args(BoardWay)
    if options.board not in ways:
        raise UsageError(f"the board must be one of {', '.join(ways)}")
    if not isinstance(cast("object", options.hide_food), bool):  # a caller of the library may pass anything
        raise UsageError("hide_food must be true or false")
    if not 2 <= len(players) <= 6:
        raise UsageError(f"a game needs 2 to 6 players, not {len(players)}")
    if options.board == "recommended" and tiles_in_play(len(players)) not in components.boards:
        raise UsageError(
            f"the component set has no recommended board for {len(players)} players",
            hint="use --board random or --board players",
        )
