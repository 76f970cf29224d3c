"""The secret of a game's draws: where it lies, how it is read, and when it is published."""

import re
from functools import cache
from pathlib import Path
from typing import Any, Final

from pbem import files, formats, interrupts
from pbem.errors import (
    Broken,
    Illegal,
    NoSuchFile,
    NotUnderstood,
)
from pbem.first_sparks import chance
from pbem.first_sparks.adjudicator import Draws
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import (
    Record,
    audit,
)
from pbem.game_files import opened, write
from pbem.loading import load

SECRET_FORMAT: Final = "first-sparks-secret/1"  # noqa: S105 -- the name of a format


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
        with interrupts.hold("the secret was published"):
            write(game, record)
    return record


def audited(path: Path) -> Record:
    """Return a game of which the secret gives every draw; raises Broken otherwise."""
    record = load(path).record
    audit(record, read_secret(record, secret_path(path)))
    return record
