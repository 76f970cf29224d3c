"""The host's commands for a running game, whatever carries the letters of the club."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Protocol, cast

import typer

from pbem import formats
from pbem.cli.arguments import ClubPath, Json, no_dash
from pbem.cli.console import show_report, write_out
from pbem.errors import PbemError, UsageError
from pbem.grammar import listed, plural
from pbem.report import done

if TYPE_CHECKING:
    from datetime import datetime

    from pbem.club.carrier import Club
    from pbem.club.folder import GameFolder
    from pbem.club.upkeep.doctor import Check, Diagnosis

GameName = Annotated[str, typer.Argument(metavar="GAME", help="The game's name.")]
PlayerName = Annotated[str, typer.Argument(metavar="PLAYER", help="A colour or a name.")]
Release = Annotated[bool, typer.Option("--release", help="Decide even if too much is due at once.")]

TROUBLE: Final = 1  # the status of doctor if anything is wrong

# The module that opens a club, by the name of the format of its settings; one that is unknown is refused there.
CARRIERS: Final = {"pbem-club": "pbem.carriers.mail.setup", "pbem-folders": "pbem.carriers.folders"}


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

    name, sign, address = seat.partition("=")
    if not sign:
        raise UsageError("the new player must be given as NAME=ADDRESS", hint="for example: Bea=bea@example.org")
    seated = host.replace(*_game(folder, game), player, name.strip(), address.strip())
    say("replaced", folder, f"{seated.name} now plays {seated.colour}", as_json, game=game, colour=seated.colour)


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

    seated = host.away(*_game(folder, game), player, until, substitute)
    text = f"{seated.name} is away, and the clock waits"
    if seated.deputy:
        text = f"{seated.name} is away, and {seated.deputy_name} stands in"
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


def doctor(
    folder: ClubPath,
    wait: Annotated[
        int,
        typer.Option(
            "--wait", metavar="SECONDS", min=1, max=1800, help="How long to wait for the letter to the club itself."
        ),
    ] = 60,
    as_json: Json = False,
) -> None:
    """Say what is wrong with a club, step by step, and what to do.

    Nothing is changed; a club by mail sends a letter to itself, and deletes it. Exits with 0 only if all is well.
    """
    from datetime import UTC, datetime

    from pbem.club.upkeep.doctor import diagnoses

    found: list[Diagnosis] = []
    now = datetime.now(UTC).replace(microsecond=0)
    for diagnosis in diagnoses(_carrier(folder).checks(folder, now, wait)):
        found.append(diagnosis)
        if not as_json:
            write_out("\n".join(_told(diagnosis)) + "\n", done=False)
    failed = sum(each.state == "failed" for each in found)
    text = plural(failed, "{n} step has failed", "{n} steps have failed") if failed else "all is well"
    steps = [each._asdict() for each in found]
    show_report(done("examined", text, folder, text, ok=not failed, steps=steps), as_json, done=False)
    if failed:
        raise typer.Exit(TROUBLE)


def _told(diagnosis: "Diagnosis") -> Iterator[str]:
    """Yield the lines of a diagnosis."""
    yield f"{diagnosis.state:<8} {diagnosis.step}: {diagnosis.what}"
    if diagnosis.do:
        yield f"         -> {diagnosis.do}"


def backup(
    folder: ClubPath,
    target: Annotated[
        Path, typer.Argument(metavar="FILE", callback=no_dash, help="The new file, such as club.tar.gz.")
    ],
    as_json: Json = False,
) -> None:
    """Write a club into one file, while it runs.

    The file has all its secrets. It is complete, or it is not made.
    """
    from pbem.club.upkeep import backup as backups

    kept = backups.write(folder, target)
    text = plural(kept.files, "{n} file was written to {target}", "{n} files were written to {target}")
    text = text.format(target=target)
    if kept.left_out:
        text += f"\nwarning: links are not followed, so this was left out: {listed(kept.left_out)}"
    say("backed-up", target, text, as_json, files=kept.files, left_out=list(kept.left_out))


def restore(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="The file that backup has written.", readable=False)],
    folder: ClubPath,
    nothing_lost: Annotated[
        bool,
        typer.Option("--nothing-lost", help="Nobody has moved since: letters that are out can be answered."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Make a club from a backup, in a new folder.

    Moves made after the backup are not in it. So every player gets a new letter, and replies to older ones do not
    count. Never run the old club beside the new one.
    """
    from pbem.club.folder import folder_of, names_of
    from pbem.club.host import start_again
    from pbem.club.upkeep import backup as backups

    def opened(made: Path) -> None:
        club = own_club(made)
        for game in () if nothing_lost else names_of(club):
            start_again(club, folder_of(club, game))

    kept = backups.restore(source, folder, opened)
    text = plural(kept.files, "{n} file was restored to {target}", "{n} files were restored to {target}")
    more = f"never run the old club beside it; {own_club(folder).command} doctor {folder} looks whether all is well"
    say("restored", folder, f"{text.format(target=folder)}\n{more}", as_json, files=kept.files)


def upgrade(folder: ClubPath, as_json: Json = False) -> None:
    """Make a club that an older version has made one of this version.

    Stop what runs the club, and make a backup of it first.
    """
    from pbem.club.upkeep import upgrade as upgrades

    made = upgrades.upgrade(folder)
    is_new = made.before == made.after
    lines = [f"{folder} had the format {made.before}, and has {made.after} now"]
    lines = [f"{folder} has the format {made.after}, and nothing was changed"] if is_new else lines
    if made.new_key:
        lines = [f"{folder} had lost its key, and has a new one; who has not yet confirmed a seat must ask again"]
    lines += [f"{game}: the motion of a player was dropped, who can move it again" for game in made.dropped]
    say("upgraded", folder, "\n".join(lines), as_json, games=list(made.games), dropped=list(made.dropped))


def own_club(folder: Path) -> "Club":
    """Return the club in the folder, to be changed; the format of its settings says what carries its letters."""
    return _carrier(folder, strict=True).own_club(folder)


class _Carrier(Protocol):
    """The module that opens a club."""

    def own_club(self, folder: Path, /) -> "Club": ...
    def checks(self, folder: Path, now: "datetime", wait: float, /) -> "Iterator[Check]": ...


def _carrier(folder: Path, *, strict: bool = False) -> _Carrier:
    """Return the module that opens the club; unless it is *strict*, the one for mail if nobody can tell."""
    from importlib import import_module

    from pbem.club import toml_rows

    path, form = folder / "club.toml", None
    with nullcontext() if strict else suppress(PbemError, OSError):
        if path.exists():
            form = formats.parse(toml_rows.text_in(path), "toml", name=str(path)).get("format")
    module = import_module(CARRIERS.get(str(form).partition("/")[0], CARRIERS["pbem-club"]))
    return cast("_Carrier", module)


def _game(folder: Path, game: str) -> "tuple[Club, GameFolder]":
    from pbem.club.folder import folder_of

    club = own_club(folder)
    return club, folder_of(club, game)


def say(code: str, path: Path, text: str, as_json: bool, **more: object) -> None:
    """Print what was done."""
    show_report(done(code, text.partition("\n")[0], path, text, **more), as_json)


COMMANDS: Final[dict[str, Callable[..., None]]] = {
    "doctor": doctor,
    "backup": backup,
    "restore": restore,
    "upgrade": upgrade,
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
