"""The secret of a game's draws: where it is kept, how it is read, and when it is published."""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from pbem import files, formats, interrupts
from pbem.errors import (
    Broken,
    Illegal,
    NoSuchFile,
    NotUnderstood,
)
from pbem.first_sparks.adjudicator import Draws
from pbem.first_sparks.chance import draws as chance
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.play import DrawSource, SaltedDraws
from pbem.first_sparks.proof import audit
from pbem.first_sparks.record import SHARED, Chance, Record
from pbem.formats import shown
from pbem.game_files import SECRET, opened, write
from pbem.loading import load
from pbem.locale import phrase

_NO_FILE: Final = Path("game")  # what a game in memory would be called; never opened
SECRET_FORMAT: Final = "first-sparks-secret/1"  # noqa: S105 -- the name of a format


def secret_path(game: Path) -> Path:
    """Return the path of a sealed game's secret: ``GAME.secret.toml`` beside the game."""
    return game.with_name(f"{game.stem}{SECRET}")


def read_secret(record: Record, path: Path) -> bytes:
    """Return the secret of the game: from the game itself, or else from the file beside it.

    Raises NoSuchFile, NotUnderstood, or Broken for a secret to which the game has not committed itself.
    """
    if record.chance.secret:
        return _committed(bytes.fromhex(record.chance.secret), record.chance, path)
    try:
        data = formats.parse(files.read_text(path), "toml", name=str(path))
    except NoSuchFile as missing:
        raise NoSuchFile(
            f"the secret of this game was not found: {missing.message}",
            path=missing.path,
            hint="only the keeper of the secret can do this, with its file beside the game and named after it",
        ) from missing.__cause__
    secret = _secret_of(data, path)
    if data.get("game") != record.game:
        raise Broken(f"{shown(path)} has the secret of another game", path=str(path))
    return _committed(secret, record.chance, path)


def _committed(secret: bytes, held: Chance, path: Path) -> bytes:
    if chance.commitment(secret) != held.commitment:
        raise Broken("the secret does not match the commitment of the game", path=str(path))
    return secret


def _secret_of(data: dict[str, Any], path: Path) -> bytes:
    said = data.get("secret")
    if data.get("format") != SECRET_FORMAT or not isinstance(said, str) or not re.fullmatch("[0-9a-f]{64}", said):
        hint = f'it needs format = "{SECRET_FORMAT}" and a secret of 64 hexadecimal digits'
        raise NotUnderstood(f"{shown(path)} is not a pbem secret file", path=str(path), hint=hint)
    return bytes.fromhex(said)


def draws_of(record: Record, path: Path, read: Callable[[Record, Path], bytes] = read_secret) -> DrawSource:
    """Return what this machine has for the game's draws; a secret is only *read* when it is needed."""
    if record.chance.kind == SHARED:
        from pbem.shared.chains import OwnChains

        return OwnChains()
    return draws_from(record.game, cache(lambda: read(record, secret_path(path))))


def draws_from(game: str, secret: Callable[[], bytes]) -> SaltedDraws:
    """Return the source of the draws from a game's secret, which is only read when the first draw is made."""

    @cache
    def source(salts: bytes) -> Draws:
        return chance.source(game, chance.salted(secret(), salts))

    return lambda n, k, salts=b"": source(salts)(n, k)


def draws_in_memory(record: Record) -> DrawSource:
    """Return the source of draws of a game without a file; without a secret in the game, a draw raises NoSuchFile."""
    if record.chance.secret and not record.chance.salted:
        return _open_draws(record.game, record.chance)
    if record.chance.secret or record.chance.kind == SHARED:
        return draws_of(record, _NO_FILE)

    def refuse(_n: int, _k: int, _salts: bytes = b"") -> int:
        raise NoSuchFile("the secret of this game is not part of it", hint="give the path of the game file instead")

    return refuse


@lru_cache(maxsize=64)
def _open_draws(game: str, held: Chance) -> SaltedDraws:
    """Return the source of draws from a secret that everybody knows; kept, since a rollout asks for every move."""
    return draws_from(game, lambda: _committed(bytes.fromhex(held.secret), held, _NO_FILE))


def published(record: Record, path: Path) -> Record:
    """Return a finished game, in the file *path*, with the secret of its draws; raises Illegal before the end."""
    return published_from(record, secret_path(path))


def published_from(record: Record, path: Path) -> Record:
    """Return a finished game with the secret of its draws, whose own file is *path*; raises Illegal before the end."""
    if record.chance.kind == SHARED:
        raise Illegal(phrase("a shared game has no secret to publish; whoever has its file can prove every draw"))
    if not isinstance(record.state.phase, Ended):
        raise Illegal("the secret can only be published once the game is over")
    secret = read_secret(record, path)
    return record._replace(chance=record.chance._replace(secret=secret.hex()))


def reveal(path: Path) -> Record:
    """Publish the secret of a finished sealed game in its file, so that everybody can audit the draws."""
    with opened(path, to_write=True) as game:
        record = published(game.record, path)
        with interrupts.hold("the secret was published"):
            write(game, record)
    return record


def audited(path: Path) -> Record:
    """Return the game after proving every draw from its secret; raises Broken if one differs."""
    record = load(path).record
    if record.chance.kind != SHARED:  # whose draws are proved whenever it is loaded
        audit(record, read_secret(record, secret_path(path)))
    return record
