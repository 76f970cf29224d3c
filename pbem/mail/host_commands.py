"""The host's commands: time, and what to do with a running game."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final

import typer

from pbem.arguments import ClubPath, Json
from pbem.club.table import Table, table_of
from pbem.errors import UsageError
from pbem.mail.settings import MailClub, read_club
from pbem.mail.setup import own_club
from pbem.output import complain, show_report
from pbem.report import done

Game = Annotated[str, typer.Argument(metavar="GAME", help="The game's name.")]
Player = Annotated[str, typer.Argument(metavar="PLAYER", help="A colour or a name.")]
Now = Annotated[str, typer.Option("--now", metavar="T", help="The time now, for instance $(date -Is).")]


def tick(
    folder: ClubPath,
    now: Now,
    release: Annotated[bool, typer.Option("--release", help="Answer for those too who are held back.")] = False,
    as_json: Json = False,
) -> None:
    """Remind, warn, and do what is due at a time. The same time twice does nothing the second time."""
    from pbem.club.clock import instant, said
    from pbem.mail.running import clocked

    at = instant(now)
    found, wrong = clocked(own_club(folder), at, release=release)
    lines = [f"{game.game}: {what}" for game in found for what in game.what]
    for error in wrong:
        complain(error, as_json=False)
    rows = [{"game": game.game, "did": game.what, "error": game.error.message if game.error else ""} for game in found]
    text = "\n".join(lines) or "nothing is due"
    show_report(done("ticked", said(at), folder, text, ok=not wrong, now=said(at), games=rows), as_json)
    if wrong:
        raise typer.Exit(wrong[0].exit_status)


def status(
    folder: ClubPath, now: Annotated[str, typer.Option("--now", metavar="T")] = "", as_json: Json = False
) -> None:
    """Show who is waited for in every game. Letters that do not go out and mail from strangers are listed too."""
    from pbem.club import tally
    from pbem.club.clock import instant
    from pbem.club.status import letter_lines, rows_of, table_lines
    from pbem.mail.outgoing import undelivered as overdue

    at, club = instant(now) if now else None, read_club(folder)
    rows, letters = list(rows_of(club, at)), list(overdue.rows_of(club))
    days, older = tally.days_of(club), tally.older_mails(club)
    text = "\n".join(
        (*table_lines(rows, club.timezone), *letter_lines(letters, club.timezone), *tally.lines_of(days, older))
    )
    more = {"strangers": [day._asdict() for day in days], "older": older.mails}
    show_report(done("status", "", folder, text, games=rows, letters=letters, **more), as_json, done=False)


def replace(
    folder: ClubPath,
    game: Game,
    player: Player,
    seat: Annotated[str, typer.Argument(metavar="NAME=ADDRESS", help="Who plays from now on.")],
    as_json: Json = False,
) -> None:
    """Give a seat to another person or address. Replies to earlier letters no longer count."""
    from pbem.club import host

    name, sign, address = seat.partition("=")
    if not sign:
        raise UsageError("it is not said who plays from now on", hint="for instance: Bea=bea@example.org")
    made = host.replace(*_game(folder, game), player, name.strip(), address.strip())
    _say("replaced", folder, f"{made.name} plays {made.colour} from now on", as_json, game=game, colour=made.colour)


def answer(
    folder: ClubPath,
    game: Game,
    order: Annotated[list[str] | None, typer.Argument(metavar="[ORDER]", help="Else decline, pass or stay.")] = None,
    as_json: Json = False,
) -> None:
    """Decide for the player whose turn it is, and notify them."""
    from pbem.club import host

    made, played = host.answer(*_game(folder, game), " ".join(order or ()))
    _say("answered", folder, f"{made.name} is answered for: {played}", as_json, game=game, colour=made.colour)


def absent(
    folder: ClubPath,
    game: Game,
    player: Player,
    until: Annotated[str, typer.Option("--until", metavar="DAY", help="The last day; else until back.")] = "",
    substitute: Annotated[str, typer.Option("--substitute", metavar="[NAME=]ADDRESS", help="Who stands in.")] = "",
    as_json: Json = False,
) -> None:
    """Note that a player is away. The clock waits, or the substitute plays."""
    from pbem.club import host

    made = host.away(*_game(folder, game), player, until, substitute)
    how = f"{made.substitute_name or made.substitute} stands in" if made.substitute else "the clock waits"
    _say("absent", folder, f"{made.name} is away, {how}", as_json, game=game, colour=made.colour, until=made.absent)


def back(folder: ClubPath, game: Game, player: Player, as_json: Json = False) -> None:
    """Note that a player is back."""
    from pbem.club import host

    made = host.back(*_game(folder, game), player)
    _say("back", folder, f"{made.name} is back", as_json, game=game, colour=made.colour)


def pause(
    folder: ClubPath,
    game: Game,
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="What the players are told.")] = "",
    as_json: Json = False,
) -> None:
    """Pause a game. No order is accepted, no time runs, and all players are told."""
    from pbem.club import host

    host.pause(*_game(folder, game), why)
    _say("paused", folder, f"{game} is paused", as_json, game=game)


def resume(folder: ClubPath, game: Game, as_json: Json = False) -> None:
    """Resume a paused game. Its clock starts at the next tick."""
    from pbem.club import host

    host.resume(*_game(folder, game))
    _say("resumed", folder, f"{game} goes on", as_json, game=game)


def takeback(
    folder: ClubPath,
    game: Game,
    to: Annotated[int | None, typer.Option("--to", metavar="TURN", min=0, help="The turn to go back to.")] = None,
    as_json: Json = False,
) -> None:
    """Take back the last move, or all after a turn. They are kept in a folder, and all players are told."""
    from pbem.club import host

    record, drawn = host.take_back(*_game(folder, game), to)
    text = f"{game} is at turn {record.turn} again"
    if drawn:
        text += "\nwarning: a draw was among it; players know now what will be drawn if the same is asked again"
    _say("taken-back", folder, text, as_json, game=game, turn=record.turn, head=record.head, drawn=drawn)


def resend(
    folder: ClubPath,
    game: Game,
    everybody: Annotated[bool, typer.Option("--all", help="To all players, not only to who is asked.")] = False,
    as_json: Json = False,
) -> None:
    """Send the current question again. With --all, every player gets a letter."""
    from pbem.club import host

    players = host.resend(*_game(folder, game), to_all=everybody)
    text = ", ".join(player.name for player in players) or "nobody"
    _say("resent", folder, f"sent again to {text}", as_json, game=game, colours=[player.colour for player in players])


def retry(
    folder: ClubPath,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="As status lists them; else all.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Put refused letters back into the outbox."""
    from pbem.mail.outgoing import outbox

    number = outbox.retry(own_club(folder), tuple(names or ()))
    text = f"{number} {'letter' if number == 1 else 'letters'} will be sent again"
    _say("retried", folder, text, as_json, letters=number)


def rebuild(
    folder: ClubPath,
    game: Game,
    out: Annotated[Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the rebuilt game.")] = None,
    as_json: Json = False,
) -> None:
    """Replay a game from its accepted mails. Compare it with the game file, or write it to a new one."""
    from pbem.mail.rebuild import compared, rebuilt, written

    club, table = _game(folder, game)
    made, mails = rebuilt(club, table)
    if out is not None:
        written(made, out)
        text = f"{out} is rebuilt from {mails} mails"
    else:
        compared(table, made.record)
        text = f"{mails} mails lead to the game as it stands"
    record = made.record
    _say("rebuilt", out or table.game, text, as_json, game=game, mails=mails, turn=record.turn, head=record.head)


def _game(folder: Path, game: str) -> tuple[MailClub, Table]:
    club = own_club(folder)
    return club, table_of(club, game)


def _say(code: str, path: Path, text: str, as_json: bool, **more: object) -> None:
    show_report(done(code, text.partition("\n")[0], path, text, **more), as_json)


COMMANDS: Final[dict[str, Callable[..., None]]] = {
    "tick": tick,
    "status": status,
    "replace": replace,
    "answer": answer,
    "absent": absent,
    "back": back,
    "pause": pause,
    "resume": resume,
    "takeback": takeback,
    "resend": resend,
    "retry": retry,
    "rebuild": rebuild,
}
