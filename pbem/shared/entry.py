"""Shared games: how players join one, and open the draws that wait for them."""

import shlex
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from pbem import game_files, game_setup, interrupts
from pbem.errors import NotAllowed, NotUnderstood, NotYourTurn
from pbem.first_sparks.clans import seat_name, seats_listed
from pbem.first_sparks.play import joined, opened, renewed_chain, waits_for
from pbem.first_sparks.record import SHARED, Record
from pbem.locale import phrase, tr
from pbem.report import Report
from pbem.rulings import Ruling, keep, player_of
from pbem.shared import chains


class Entered(NamedTuple):
    """A game that a player has joined, and the player's secret, which may have been *restored*."""

    record: Record
    colour: str
    secret: bytes
    restored: bool = False


def enter(record: Record, player: str, said: str = "") -> Entered:
    """Return the game that a player has joined, whose new secret is kept; the last to join opens the first draws.

    *said* is a secret in hexadecimal. A player can also bring an old one back. Raises NotAllowed, UsageError, Broken.
    """
    check_shared(record)
    if not player:
        hint = phrase(
            "say who you are with --as PLAYER; the players are {players}", players=seats_listed(record.players)
        )
        raise NotUnderstood(phrase("no player given"), path="player", hint=hint)
    colour, secret = player_of(record, player), game_setup.secret_from(said)
    if colour not in record.missing:
        if not said:
            name = dict(record.players)[colour]
            hint = phrase("to bring a secret back, add --secret and the digits that pbem join printed")
            raise NotAllowed(phrase("{player} has already joined this game", player=seat_name(name, colour)), hint=hint)
        chains.restored(record, colour, secret)
        return Entered(record, colour, secret, restored=True)
    begun = joined(record, colour, chains.begun(record, colour, secret))
    if not begun.missing:
        begun, _ = opened(begun, colour, chains.OwnChains())
    return Entered(begun, colour, secret)


def check_shared(record: Record) -> None:
    """Raise NotAllowed unless the players share the draws of the game."""
    if record.chance.kind != SHARED:
        raise NotAllowed(phrase("in this game the players do not share the draws, so nobody has to join or to draw"))


@contextmanager
def joining(path: Path, player: str, said: str = "") -> Generator[Entered]:
    """Let a player join the game in a file, which is written at the end of the block; see ``enter``."""
    with game_files.opened(path, to_write=True) as game:
        done = enter(game.record, player, said)
        yield done
        if not done.restored:
            with interrupts.hold("the game was joined"):
                game_files.write(game, done.record)


def drawn(record: Record, player: str, *, renew: bool = False) -> Ruling:
    """Return what follows when a player opens the draw that is due, or begins a new chain, which a game allows once.

    Raises NotYourTurn if the game waits for somebody else, and NotAllowed if the secret is needlessly replaced.
    """
    check_shared(record)
    by = player_of(record, player)
    if record.missing or (record.opener != by and not renew):
        raise NotYourTurn(waits_for(record) or phrase("no draw is due"))
    if not renew:
        return Ruling(*opened(record, by, chains.OwnChains()))
    if chains.is_here(record, by) and not chains.is_spent(record, by):
        why = phrase("your secret is on this machine, so you need no new one")
        raise NotAllowed(why, hint=phrase("draw without --new-secret"))
    return Ruling(*renewed_chain(record, by, chains.begun(record, by, game_setup.secret_from("")), chains.OwnChains()))


@contextmanager
def drawing(path: Path, player: str, *, renew: bool = False) -> Generator[tuple[Record, Ruling]]:
    """Lend a game before and after a player's draw; the file is written at the end of the block. See ``drawn``."""
    with game_files.opened(path, to_write=True) as game:
        ruling = drawn(game.record, player, renew=renew)
        yield game.record, ruling
        keep(game, ruling.record)


def with_backup(answer: Report, game: Path, joined: Entered) -> Report:
    """Return the answer with the command by which the player can bring the secret back."""
    told, line = backup_lines(f"pbem join {shlex.quote(str(game))}", joined)
    log, backup = list(joined.record.log), line.strip()
    return answer._replace(
        words=lambda: f"{answer.text()}\n{tr(told)}\n{line}\n",
        more=lambda: {"log": log, **answer.more(), "summary": answer.words(), "backup": backup},
    )


def renewed(record: Record, player: str) -> Entered:
    """Return a game with the new secret that a player has on this machine."""
    colour = player_of(record, player)
    return Entered(record, colour, chains.secret_of(record, colour))


def backup_lines(command: str, joined: Entered) -> tuple[str, str]:
    """Return the line by which a player can bring the secret back, after a sentence about it."""
    why = phrase("Keep this line for yourself. It brings your secret back if this machine is lost:")
    return why, f"  {command} --as {joined.colour} --secret {joined.secret.hex()}"
