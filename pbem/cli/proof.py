"""The commands that prove: ``pbem verify``, ``diff-engines``, ``reveal`` and ``audit``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pbem import files, game_files, loading, report, secrets
from pbem.cli.console import show_report, watched, write_out
from pbem.errors import Broken, UsageError
from pbem.first_sparks.proof import draws_proved
from pbem.first_sparks.record import SHARED

if TYPE_CHECKING:  # Typer, which the arguments need, is not on the shortcut; see ``_for_typer`` in ``app.py``
    from collections.abc import Iterable
    from pathlib import Path

    from pbem.cli.arguments import ClusterAt, Digests, GamePath, Games, Jobs, Json, KeepIn, Since, Store
    from pbem.first_sparks.record import Record
    from pbem.scripts.archive import GameVerdict


def verify(
    games: Games,
    since: Since = None,
    as_json: Json = False,
    jobs: Jobs = 1,
    cluster: ClusterAt = None,
    keep: KeepIn = None,
) -> int:
    """Prove that log, chain and snapshot agree.

    The draws are proved too if the game file has the secret, and for a game in the folder of a club, that its minutes
    bear out what was agreed and taken back. For several games, print a table.
    """
    if len(games) == 1 and not files.is_folder(games[0]):
        record = loading.load(games[0]).record
        draws = draws_proved(record)
        added = game_files.added_since(since, record) if since else None
        borne_out = _agreements_proved(games[0], record)
        show_report(report.proof(games[0], record, draws, since, added, borne_out), as_json, done=False)
        return 0
    if since:
        raise UsageError("--since needs exactly one game file", hint="pbem verify NEW.toml --since OLD.toml")
    from pbem.cli.workers import workers_of
    from pbem.scripts.archive import places_in, verified

    places = watched(places_in(games), sum(1 for _ in places_in(games)))
    with workers_of(jobs, cluster, keep) as (workers, kept):
        return _tell(verified(places, workers, kept), as_json)


def _agreements_proved(game: Path, record: Record) -> int | None:
    """Return the number of lines of the minutes beside a game, if it is one of a club; raises Broken, NoSuchFile."""
    if not files.is_folder(game.with_name("mails")):  # what knows a club's folder is only loaded for one
        return None
    from pbem.club.agreements import agreements_proved

    return agreements_proved(game, record)


def diff_engines(
    digests: Digests,
    games: Games,
    store: Store = False,
    as_json: Json = False,
    jobs: Jobs = 1,
    cluster: ClusterAt = None,
    keep: KeepIn = None,
) -> int:
    """Find the games that a change to the rules affects.

    With --store, replay the games and store a digest of every situation. Without it, compare them with the stored
    digests, and name each game that differs and the first line of its log that does.
    """
    from pbem.cli.workers import workers_of
    from pbem.scripts import engines
    from pbem.scripts.archive import places_in

    places = watched(places_in(games), sum(1 for _ in places_in(games)))
    with workers_of(jobs, cluster, keep) as (workers, kept):
        if store:
            return _tell(engines.store(digests, places, workers, kept), as_json)
        with engines.stored(digests) as before:
            return _tell(engines.changes(places, before, workers, kept), as_json)


def reveal(game: GamePath, as_json: Json = False) -> None:
    """Publish the secret of a finished game.

    It is written to the game file, so that everybody can audit the draws.
    """
    secrets.reveal(game)
    show_report(report.done("revealed", "the secret is now in the game file", game), as_json)


def audit(game: GamePath, as_json: Json = False) -> None:
    """Prove every draw of a game from its secret."""
    record = secrets.audited(game)
    draws = record.state.draws
    proved = report.DRAWS_PROVED[record.chance.kind == SHARED].format(draws=draws)
    message = "; ".join((proved, *report.own_set_note(record)))
    show_report(report.done("audited", message, game, draws=draws), as_json, done=False)


def _tell(verdicts: Iterable[GameVerdict], as_json: bool, *, done: bool = False) -> int:
    """Print answers about many games; return 0 if all is well with them."""
    well = True
    for text, data in verdicts:
        if as_json or text:
            write_out(f"{json.dumps(data) if as_json else text}\n", done=done)
        well = well and data["ok"]
    return 0 if well else Broken.exit_status
