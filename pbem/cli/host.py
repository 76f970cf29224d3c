"""The host's commands for a running game, whatever carries the letters of the club."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from pbem.cli.arguments import ClubPath, Json
from pbem.cli.console import show_report
from pbem.errors import UsageError
from pbem.report import done

if TYPE_CHECKING:
    from pbem.club.settings import Club
    from pbem.club.table import Table

GameName = Annotated[str, typer.Argument(metavar="GAME", help="The game's name.")]
PlayerName = Annotated[str, typer.Argument(metavar="PLAYER", help="A colour or a name.")]


def replace(
    folder: ClubPath,
    game: GameName,
    player: PlayerName,
    seat: Annotated[str, typer.Argument(metavar="NAME=ADDRESS", help="Who plays from now on.")],
    as_json: Json = False,
) -> None:
    """Give a seat to another person or address. Replies to earlier letters no longer count."""
    from pbem.club import host

    name, sign, address = seat.partition("=")
    if not sign:
        raise UsageError("it is not said who plays from now on", hint="for instance: Bea=bea@example.org")
    seated = host.replace(*_game(folder, game), player, name.strip(), address.strip())
    say(
        "replaced", folder, f"{seated.name} plays {seated.colour} from now on", as_json, game=game, colour=seated.colour
    )


def answer(
    folder: ClubPath,
    game: GameName,
    order: Annotated[list[str] | None, typer.Argument(metavar="[ORDER]", help="Else decline, pass or stay.")] = None,
    as_json: Json = False,
) -> None:
    """Decide for the player whose turn it is, and notify them."""
    from pbem.club import host

    seated, played = host.decide(*_game(folder, game), " ".join(order or ()))
    say("answered", folder, f"{seated.name} is answered for: {played}", as_json, game=game, colour=seated.colour)


def absent(
    folder: ClubPath,
    game: GameName,
    player: PlayerName,
    until: Annotated[str, typer.Option("--until", metavar="DAY", help="The last day; else until back.")] = "",
    substitute: Annotated[str, typer.Option("--substitute", metavar="[NAME=]ADDRESS", help="Who stands in.")] = "",
    as_json: Json = False,
) -> None:
    """Note that a player is away. The clock waits, or the substitute plays."""
    from pbem.club import host

    seated = host.away(*_game(folder, game), player, until, substitute)
    how = f"{seated.substitute_name or seated.substitute} stands in" if seated.substitute else "the clock waits"
    say(
        "absent", folder, f"{seated.name} is away, {how}", as_json, game=game, colour=seated.colour, until=seated.absent
    )


def back(folder: ClubPath, game: GameName, player: PlayerName, as_json: Json = False) -> None:
    """Note that a player is back."""
    from pbem.club import host

    seated = host.back(*_game(folder, game), player)
    say("back", folder, f"{seated.name} is back", as_json, game=game, colour=seated.colour)


def pause(
    folder: ClubPath,
    game: GameName,
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="What the players are told.")] = "",
    as_json: Json = False,
) -> None:
    """Pause a game. No order is accepted, no time runs, and all players are told."""
    from pbem.club import host

    host.pause(*_game(folder, game), why)
    say("paused", folder, f"{game} is paused", as_json, game=game)


def resume(folder: ClubPath, game: GameName, as_json: Json = False) -> None:
    """Resume a paused game. Its clock starts at the next tick."""
    from pbem.club import host

    host.resume(*_game(folder, game))
    say("resumed", folder, f"{game} goes on", as_json, game=game)


def takeback(
    folder: ClubPath,
    game: GameName,
    to: Annotated[int | None, typer.Option("--to", metavar="TURN", min=0, help="The turn to go back to.")] = None,
    as_json: Json = False,
) -> None:
    """Take back the last move, or all after a turn. They are kept in a folder, and all players are told."""
    from pbem.club import host

    record, drawn = host.take_back(*_game(folder, game), to)
    text = f"{game} is at turn {record.turn} again"
    if drawn:
        text += "\nwarning: a draw was among it; players know now what will be drawn if the same is asked again"
    say("taken-back", folder, text, as_json, game=game, turn=record.turn, head=record.head, drawn=drawn)


def resend(
    folder: ClubPath,
    game: GameName,
    everybody: Annotated[bool, typer.Option("--all", help="To all players, not only to who is asked.")] = False,
    as_json: Json = False,
) -> None:
    """Send the current question again. With --all, every player gets a letter."""
    from pbem.club import host

    players = host.resend(*_game(folder, game), to_all=everybody)
    text = ", ".join(player.name for player in players) or "nobody"
    say("resent", folder, f"sent again to {text}", as_json, game=game, colours=[player.colour for player in players])


def own_club(folder: Path) -> "Club":
    """Return the club in the folder, to be changed, by mail or by files as its settings say."""
    from pbem import files
    from pbem.folders import carrier
    from pbem.mail import setup

    path = folder / "club.toml"
    by_files = path.exists() and carrier.FORMAT in files.read_text(path)[:200]
    return carrier.own_club(folder) if by_files else setup.own_club(folder)


def _game(folder: Path, game: str) -> "tuple[Club, Table]":
    from pbem.club.table import table_of

    club = own_club(folder)
    return club, table_of(club, game)


def say(code: str, path: Path, text: str, as_json: bool, **more: object) -> None:
    """Print what was done."""
    show_report(done(code, text.partition("\n")[0], path, text, **more), as_json)


COMMANDS: Final[dict[str, Callable[..., None]]] = {
    "replace": replace,
    "answer": answer,
    "absent": absent,
    "back": back,
    "pause": pause,
    "resume": resume,
    "takeback": takeback,
    "resend": resend,
}
