"""The host's commands for a running game, whatever carries the letters of the club."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from pbem import formats
from pbem.cli.arguments import ClubPath, Json
from pbem.cli.host.clubs import doubts, own_club, say
from pbem.errors import UsageError
from pbem.grammar import listed, plural

if TYPE_CHECKING:
    from pbem.club.carrier import Club
    from pbem.club.folder import GameFolder

GameName = Annotated[str, typer.Argument(metavar="GAME", help="The game's name.")]
PlayerName = Annotated[str, typer.Argument(metavar="PLAYER", help="A colour or a name.")]
Release = Annotated[bool, typer.Option("--release", help="Decide even if too much is due at once.")]


def replace(
    folder: ClubPath,
    game: GameName,
    player: PlayerName,
    seat: Annotated[str, typer.Argument(metavar="NAME=ADDRESS", help="The new player.")],
    as_json: Json = False,
) -> None:
    """Give a seat to another person or address.

    Replies to earlier letters no longer count.
    """
    from pbem.club import host

    club, table = _game(folder, game)
    name, sign, address = seat.partition("=")
    if not sign:
        raise UsageError("the new player must be given as NAME=ADDRESS", hint=club.address_hint)
    seated = host.replace(club, table, player, name.strip(), address.strip())
    text = "\n".join((f"{seated.name} now plays {seated.colour}", *doubts(address)))
    say("replaced", folder, text, as_json, game=game, colour=seated.colour)


def answer(
    folder: ClubPath,
    game: GameName,
    order: Annotated[
        list[str] | None, typer.Argument(metavar="[ORDER]", help="The order; by default decline, pass or stay.")
    ] = None,
    player: Annotated[
        str, typer.Option("--player", metavar="PLAYER", help="Another player who is asked at the same time.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Decide for the player whose turn it is, and notify them."""
    from pbem.club import host

    seated, played = host.decide(*_game(folder, game), " ".join(order or ()), player)
    say("answered", folder, f"played for {seated.name}: {played}", as_json, game=game, colour=seated.colour)


def absent(
    folder: ClubPath,
    game: GameName,
    player: PlayerName,
    until: Annotated[
        str, typer.Option("--until", metavar="DAY", help="The last day; by default until the player is back.")
    ] = "",
    substitute: Annotated[
        str, typer.Option("--substitute", metavar="[NAME=]ADDRESS", help="The person who plays meanwhile, or bot.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Mark a player as away.

    The clock waits for the player, or a substitute plays.
    """
    from pbem.club import host

    seated, stands_in = host.away(*_game(folder, game), player, until, substitute)
    text = f"{seated.name} is away, and the clock waits"
    if seated.deputy and not stands_in:
        text += "; a bot stands in only while another person plays"
    elif seated.deputy:
        text = f"{seated.name} is away, and {seated.deputy_name} stands in"
        text = "\n".join((text, *doubts(seated.deputy)))
    say("absent", folder, text, as_json, game=game, colour=seated.colour, until=seated.absent)


def back(folder: ClubPath, game: GameName, player: PlayerName, as_json: Json = False) -> None:
    """Mark a player as back."""
    from pbem.club import host

    before = host.back(*_game(folder, game), player)
    home = before.at_home
    text = f"{home.name} is back" if before != home else f"{home.name} was not away"
    if before != home and home.deputy:
        text = f"{home.name} is back; {home.deputy_name} stands in again the next time"
    say("back", folder, text, as_json, game=game, colour=home.colour)


def pause(
    folder: ClubPath,
    game: GameName,
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="The reason to give the players.")] = "",
    as_json: Json = False,
) -> None:
    """Pause a game.

    No orders are accepted and the clock stops. All players are told.
    """
    from pbem.club import host

    host.pause(*_game(folder, game), why)
    say("paused", folder, f"{game} is paused", as_json, game=game)


def resume(folder: ClubPath, game: GameName, as_json: Json = False) -> None:
    """Resume a paused game.

    Its clock starts again at the next tick.
    """
    from pbem.club import host

    was_paused = host.resume(*_game(folder, game))
    text = f"{game} has resumed" if was_paused else f"{game} was not paused; its clock starts again at the next tick"
    say("resumed", folder, text, as_json, game=game)


def takeback(
    folder: ClubPath,
    game: GameName,
    to: Annotated[
        int | None,
        typer.Option("--to", metavar="TURN", min=0, help="The turn to go back to; by default one move back."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Take back the last move, or all moves after a turn.

    They are kept in a folder, and all players are told.
    """
    from pbem.club import host

    record, drawn = host.take_back(*_game(folder, game), to)
    text = f"{game} is at turn {record.turn} again"
    if drawn:
        text += "\nwarning: draws were taken back; players now know what the same draws will give again"
    say("taken-back", folder, text, as_json, game=game, turn=record.turn, head=record.head, drawn=drawn)


def clock(
    folder: ClubPath,
    game: GameName,
    deadline: Annotated[
        str, typer.Option("--deadline", metavar="TIME", help='The time for an answer, like "3 days".')
    ] = "",
    reminders: Annotated[
        list[str] | None, typer.Option("--reminder", metavar="TIME", help="When to remind; can be given several times.")
    ] = None,
    grace: Annotated[str, typer.Option("--grace", metavar="TIME", help="The time that is left after a warning.")] = "",
    then: Annotated[
        str, typer.Option("--then", metavar="WHAT", help="What follows: tell, answer, substitute or bot.")
    ] = "",
    absence: Annotated[
        str, typer.Option("--absence", metavar="TIME", help="The longest that a game waits for somebody who is away.")
    ] = "",
    outage: Annotated[
        str, typer.Option("--outage", metavar="TIME", help="A longer gap between ticks does not count.")
    ] = "",
    look: Annotated[
        str, typer.Option("--look", metavar="TIME", help="How long plans wait when the market was renewed.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Show the terms of a game's clock, or change some of them.

    The next tick goes by them, also for open questions.
    """
    from pbem.club import host
    from pbem.club.clock_data import terms_data

    given = {"deadline": deadline, "grace": grace, "then": then, "absence": absence, "outage": outage, "look": look}
    changes: dict[str, object] = {key: said for key, said in given.items() if said}
    changes |= {"reminders": reminders} if reminders else {}
    terms = terms_data(host.set_clock(_game(folder, game)[1], changes))
    text = formats.dump({key: value for key, value in terms.items() if value}, "toml").rstrip()
    say("clock", folder, text, as_json, game=game, **terms)


def resend(
    folder: ClubPath,
    game: GameName,
    everybody: Annotated[
        bool, typer.Option("--all", help="Send to all players, not only to the one whose turn it is.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Send the current question again.

    With --all, every player gets a letter.
    """
    from pbem.club import host

    players = host.resend(*_game(folder, game), to_all=everybody)
    text = f"sent again to {listed(player.name for player in players)}" if players else "no letter was sent"
    say("resent", folder, text, as_json, game=game, colours=[player.colour for player in players])


def rebuild(
    folder: ClubPath,
    game: GameName,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the rebuilt game here.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Replay a game from its accepted messages.

    Compares it with the game file, or writes it to a new file. What is lost of the
    game's files is written again.
    """
    from pbem.carriers.rebuild import compare, rebuilt, restore, write
    from pbem.club.changes import differences, kept_of

    club, table = _game(folder, game)
    restored, other = list[str](), list[str]()
    if out is not None:
        made, mails = rebuilt(club, table)
        write(made, out)
        text = f"rebuilt {out} from {plural(mails, '{n} message', '{n} messages')}"
    else:
        made, mails, restored = restore(club, table)
        compare(table, made.record)
        other = differences(table, kept_of(table)) if table.changes.exists() else []
        text = plural(mails, "{n} message leads to the current game", "{n} messages lead to the current game")
    record = made.record
    more = {"restored": restored, "differs": other}
    text = "\n".join((text, *_about_rebuilt(restored, other)))
    say("rebuilt", out or table.game, text, as_json, game=game, mails=mails, turn=record.turn, head=record.head, **more)


def _about_rebuilt(restored: list[str], other: list[str]) -> Iterator[str]:
    """Yield what the host should know of a rebuilt game."""
    if restored:
        yield f"written again: {listed(restored)}"
    if "private.toml" in restored:
        yield "The time of open questions begins again at the next tick."
    if other:
        yield f"not as the messages and commands have left it: {listed(other)}"


def _game(folder: Path, game: str) -> "tuple[Club, GameFolder]":
    from pbem.club.folder import folder_of

    club = own_club(folder)
    return club, folder_of(club, game)


COMMANDS: Final[dict[str, Callable[..., None]]] = {
    "replace": replace,
    "answer": answer,
    "absent": absent,
    "back": back,
    "pause": pause,
    "resume": resume,
    "takeback": takeback,
    "resend": resend,
    "clock": clock,
    "rebuild": rebuild,
}
