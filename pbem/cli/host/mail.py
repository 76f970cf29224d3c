"""The host's commands that are about mail: the clock, undelivered letters, and a game rebuilt from its messages."""

from collections.abc import Callable
from typing import Annotated, Final

import typer

from pbem.cli.arguments import ClubPath, Json, Stats
from pbem.cli.console import complain, show_report
from pbem.cli.host import games, upkeep
from pbem.cli.host.clubs import say, show_status
from pbem.cli.host.games import Release
from pbem.grammar import plural
from pbem.report import done

Now = Annotated[str, typer.Option("--now", metavar="T", help="The current time (RFC 3339), e.g. $(date -Is).")]


def tick(
    folder: ClubPath,
    now: Now,
    release: Release = False,
    as_json: Json = False,
) -> None:
    """Run the clock: remind, warn, and decide what is due.

    Running it again for the same time does nothing.
    """
    from pbem.carriers.mail.service import clocked
    from pbem.carriers.mail.setup import own_club
    from pbem.table.clock import instant, timestamp

    at = instant(now)
    found, wrong = clocked(own_club(folder), at, release=release)
    lines = [f"{game.game}: {what}" for game in found for what in game.what]
    for error in wrong:
        complain(error, as_json=False)
    rows = [{"game": game.game, "did": game.what, "error": game.error.message if game.error else ""} for game in found]
    text = "\n".join(lines) or "nothing is due"
    show_report(done("ticked", timestamp(at), folder, text, ok=not wrong, now=timestamp(at), games=rows), as_json)
    if wrong:
        raise typer.Exit(wrong[0].exit_status)


def status(
    folder: ClubPath,
    now: Annotated[str, typer.Option("--now", metavar="T", help="Warn if the last tick was long before T.")] = "",
    stats: Stats = False,
    as_json: Json = False,
) -> None:
    """Show whose turn it is in every game.

    Undelivered letters and mail from strangers are listed too.
    """
    from pbem.carriers.mail.outgoing import delays as overdue
    from pbem.carriers.mail.settings import read_club
    from pbem.carriers.mail.strangers import tally
    from pbem.club.status import letter_lines
    from pbem.table.clock import instant

    at, club = instant(now) if now else None, read_club(folder)
    letters, days, older = list(overdue.rows_of(club)), tally.days_of(club), tally.older_mails(club)
    lines = (*letter_lines(letters, club.timezone, at), *tally.lines_of(days, older))
    about = {"letters": letters, "strangers": [day._asdict() for day in days], "older": older.mails}
    show_status(club, at, as_json, stats=stats, lines=lines, about=about)


def retry(
    folder: ClubPath,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Letters as status names them; by default all.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Put rejected letters back into the outbox."""
    from pbem.carriers.mail.outgoing import outbox
    from pbem.carriers.mail.setup import own_club

    number = outbox.retry(own_club(folder), tuple(names or ()))
    sends = "the next pbem mail run or pbem mail send sends"
    one, other = (
        f"{{n}} letter is in the outbox again; {sends} it",
        f"{{n}} letters are in the outbox again; {sends} them",
    )
    text = plural(number, one, other) if number else "no letter was rejected"
    say("retried", folder, text, as_json, letters=number)


COMMANDS: Final[dict[str, Callable[..., None]]] = {
    "tick": tick,
    "status": status,
    **upkeep.COMMANDS,
    **games.COMMANDS,
    "retry": retry,
}
