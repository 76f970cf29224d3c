"""The commands of a club: read arguments, call, print."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from pbem import files, interrupts
from pbem.cli.arguments import BoardOption, ClubPath, Components, HideFood, Json
from pbem.cli.console import complain, show_report, write_err, write_out
from pbem.errors import Bug, CannotWrite, NotUnderstood, PbemError, TryAgain, UsageError
from pbem.report import done

if TYPE_CHECKING:
    from pbem.mail.outgoing.outbox import Sent

POLL: Final = 60.0  # seconds between two looks into the mailbox


def init(
    folder: ClubPath,
    address: Annotated[str, typer.Option(metavar="ADDRESS", help="The adjudicator's address, to which players write.")],
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Yours; you are told what needs a person.")],
    as_json: Json = False,
) -> None:
    """Make a club. Its folder has the settings, an inbox and an outbox."""
    from datetime import UTC, datetime

    from pbem.mail.setup import create

    club = create(folder, address, host, datetime.now(UTC))
    text = f"{folder} is a club now; its settings are in {folder / 'club.toml'}"
    show_report(done("founded", text, folder, text, address=club.address, host=club.host), as_json)


def new(
    folder: ClubPath,
    game: Annotated[str, typer.Argument(metavar="GAME", help="The name of the game.")],
    players: Annotated[list[str] | None, typer.Argument(metavar="NAME[:COLOUR]=ADDRESS...")] = None,
    seats: Annotated[int, typer.Option(min=0, max=6, help="So many play; free seats are taken by mail.")] = 0,
    board: BoardOption = "players",
    chance: Annotated[Literal["sealed", "open"], typer.Option(help="As for pbem new.")] = "sealed",
    hide_food: HideFood = False,
    components: Components = None,
    as_json: Json = False,
) -> None:
    """Begin a game. The first letters go to the outbox; with free seats it begins when all are taken."""
    from pbem.club.seating import open_game
    from pbem.club.table import Opening
    from pbem.mail.setup import own_club

    said = tuple(players or ())
    club = own_club(folder)
    opening = Opening(seats or len(said), board, chance, hide_food)
    table = open_game(club, game, said, opening, components)
    begun = table.game.exists()
    text = f"{game} has begun" if begun else f'{game} waits for players: who writes "join {game} NAME" may come in'
    show_report(done("begun" if begun else "open", text, table.folder, text, game=game), as_json)


def take(
    folder: ClubPath,
    send_too: Annotated[bool, typer.Option("--send", help="Send the outbox afterwards.")] = False,
    as_json: Json = False,
) -> None:
    """Process one mail from standard input. The exit status is 0 when it is done, 75 to try again later."""
    from datetime import UTC, datetime

    from pbem.club.transaction import LONGEST_WAIT
    from pbem.mail import take as taking
    from pbem.mail.outgoing import outbox
    from pbem.mail.setup import own_club

    try:
        club = own_club(folder)
        verdict = taking.take(club, _mail(), datetime.now(UTC))
    except Exception as error:
        raise _later(error) from error
    except KeyboardInterrupt:  # a server would send the mail back to the player for any other status
        raise TryAgain("interrupted before the message was processed; it must be delivered again") from None
    sent = None
    if send_too:
        with suppress(Exception):  # the mail is dealt with all the same, and its letters go out the next time
            sent = outbox.send(club, wait=LONGEST_WAIT)
            _warn(sent)
    more: dict[str, Any] = {"verdict": verdict.code, "game": verdict.game, "turn": verdict.turn}
    more |= {"letters": verdict.letters, **(sent._asdict() if sent else {})}
    with suppress(CannotWrite):  # nobody listens: that is no reason to bring the mail again
        show_report(done("taken", verdict.message, folder, str(verdict), **more), as_json)


def run(
    folder: ClubPath,
    once: Annotated[bool, typer.Option("--once", help="Deal with the mail that waits, send, and leave.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Go on until you are stopped, and tick the clock.")] = False,
    now: Annotated[str, typer.Option("--now", metavar="T", help="With --once: tick, it is T; $(date -Is).")] = "",
    take_old: Annotated[
        bool, typer.Option("--take-old", help="With --once: take the mail that came before you made the club, too.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Process waiting mail, tick, and send the outbox. The clock ticks with --watch or --now."""
    from datetime import UTC, datetime

    from pbem.club.clock import instant
    from pbem.club.tally import older_text
    from pbem.mail.running import run_once, watched
    from pbem.mail.setup import own_club

    if once == watch:
        raise UsageError("say either --once or --watch")
    if watch and now:
        raise UsageError("--watch has a clock of its own", hint="--now goes with --once")
    if watch and take_old:
        raise UsageError("--watch never takes mail that is older than the club", hint="--take-old goes with --once")
    at, club = instant(now) if now else None, own_club(folder)
    if take_old:
        club = club.changed(since="")
    for round_ in watched(club, POLL) if watch else [run_once(club, at, today=datetime.now(UTC))]:
        dealt, sent = _counted(len(round_.verdicts), "mail"), _sent_text(round_.sent)
        text = f"{dealt} dealt with, {sent}"
        for trouble in round_.troubles:
            complain(trouble, as_json and watch)
        _warn(round_.sent)
        if not as_json:
            old = [older_text(round_.older)] if round_.older else []
            write_out("".join(f"{line}\n" for line in (*old, *round_.verdicts, *round_.did)))
        if once and round_.troubles:
            raise TryAgain(f"{text}, but not all is done", hint="what is left is taken up again the next time")
        if once or round_.older or round_.verdicts or round_.did or round_.sent.sent or round_.sent.failed:
            more = {"codes": round_.codes, "taken": len(round_.verdicts), "later": round_.later, "did": round_.did}
            more["older"] = round_.older
            show_report(done("run", text, folder, text, **more, **round_.sent._asdict()), as_json)
            sys.stdout.flush()  # who watches wants to see it now, in the log of a service too
        interrupts.go_on()


def send(folder: ClubPath, as_json: Json = False) -> None:
    """Send the outbox. Letters that the server does not take now stay for the next time."""
    from pbem.mail.outgoing import outbox
    from pbem.mail.setup import own_club

    sent = outbox.send(own_club(folder))
    _warn(sent)
    trouble = outbox.raised(sent)
    if trouble is not None:
        raise trouble
    text = _sent_text(sent)
    show_report(done("sent", text, folder, text, **sent._asdict()), as_json)


def _sent_text(sent: "Sent") -> str:
    refused = f"{sent.failed} refused for good, " if sent.failed else ""
    return f"{_counted(sent.sent, 'letter')} sent, {refused}{sent.left} in the outbox"


def _warn(sent: "Sent") -> None:
    """Say on standard error what the host cannot be told by mail."""
    if sent.untold:
        write_err(f"pbem: letters to the host are refused too, so look at pbem mail status: {sent.untold}")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _mail() -> bytes:
    """Return the mail on standard input, to its end: who has sent it waits for us to read it all."""
    from pbem.mail.incoming.message import LARGEST_WHOLE

    if sys.stdin is None:
        raise NotUnderstood("there is no mail on standard input")
    raw = sys.stdin.buffer.read(LARGEST_WHOLE)
    while sys.stdin.buffer.read(1024 * 1024):
        pass
    # OpenSMTPD says of the null sender, that of a bounce, only this much.
    bounce = os.environ.get("SENDER") == "" and "RECIPIENT" in os.environ and not raw.startswith(b"From ")
    return b"Return-Path: <>\n" + raw if bounce else raw


def _later(error: Exception) -> TryAgain:
    """Return the error with which a mail is left to the one who brought it: nothing of it was lost."""
    if isinstance(error, OSError):
        error = files.unexpected(error)
    if isinstance(error, TryAgain):
        return error
    if isinstance(error, PbemError) and not isinstance(error, Bug):
        return TryAgain(error.message, path=error.path, hint=error.hint)
    from traceback import extract_tb

    place = extract_tb(error.__traceback__)[-1]
    message = f"a bug of ours, {type(error).__name__} in {place.name}:{place.lineno}; the mail must be taken again"
    return TryAgain(message)


COMMANDS: Final[dict[str, Callable[..., None]]] = {"init": init, "new": new, "take": take, "run": run, "send": send}
# More of them, in modules that are read only when they are asked for.
MORE: Final = ("pbem.cli.mail_host",)


def family() -> typer.Typer:
    """Return ``pbem mail`` with all its commands; of the host's module only the names, unless it is asked for."""
    app = typer.Typer(
        name="mail",
        help="Play by email: the adjudicator answers its own mail.",
        rich_markup_mode=None,
        no_args_is_help=True,
        add_completion=False,
    )
    asked = next((word for word in sys.argv[2:] if not word.startswith("-")), None)
    commands = dict(COMMANDS)
    if asked not in COMMANDS:
        for module in MORE:
            commands |= import_module(module).COMMANDS
    for name, command in commands.items():
        if asked not in commands or asked == name:
            app.command(name)(command)
    return app
