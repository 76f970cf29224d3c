"""The commands ``pbem mail``: read arguments, call, print."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from pbem import interrupts
from pbem.cli.arguments import ClubPath, Json
from pbem.cli.console import complain, show_report, write_err, write_out
from pbem.cli.host.clubs import doubts, family_of, say
from pbem.cli.new_game import BoardOption, Components, HideFood, Languages
from pbem.errors import CannotWrite, NotUnderstood, PbemError, TryAgain, UsageError
from pbem.grammar import plural
from pbem.report import done

if TYPE_CHECKING:
    from pbem.carriers.mail.outgoing.outbox import Sent
    from pbem.carriers.mail.service import MailRun
    from pbem.carriers.mail.settings import MailClub

POLL: Final = 60.0  # seconds between two checks of the mailbox


def init(
    folder: ClubPath,
    address: Annotated[str, typer.Option(metavar="ADDRESS", help="The adjudicator's address, to which players write.")],
    host: Annotated[
        str,
        typer.Option(metavar="ADDRESS", help="Your own address; you get a letter when something needs your attention."),
    ],
    provider: Annotated[
        str, typer.Option(metavar="NAME", help="Where its mailbox is: gmail, outlook, fastmail, gmx and others.")
    ] = "",
    imap: Annotated[
        str,
        typer.Option(
            metavar="HOST[:PORT]", help="Without --provider: the server that has the mail; by default port 993, TLS."
        ),
    ] = "",
    smtp: Annotated[
        str,
        typer.Option(
            metavar="HOST[:PORT]", help="Without --provider: the server that sends letters; by default port 465, TLS."
        ),
    ] = "",
    user: Annotated[
        str, typer.Option(metavar="USER", help="The user name at these servers; by default the address.")
    ] = "",
    password_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file with the password; by default CLUB/password.")
    ] = None,
    password_command: Annotated[
        str, typer.Option(metavar="COMMAND", help="A command that prints the password or token in its first line.")
    ] = "",
    auth: Annotated[
        Literal["password", "xoauth2", "oauthbearer"] | None,
        typer.Option(help="The way of login; by default that of the provider, or a password."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Create a club.

    Its folder holds the settings, an inbox and an outbox. With --provider, or with --imap and --smtp, mail travels by
    these servers. A club that has no servers yet can be given them in the same way.
    """
    from datetime import UTC, datetime

    from pbem.carriers.mail import providers
    from pbem.carriers.mail.setup import create

    known = providers.named(provider) if provider else None
    secret = str(password_file.absolute()) if password_file else ""
    named = providers.Door(imap, smtp, user, secret=secret, command=password_command)
    door = providers.door_to(address, named, auth, known)
    what = "changed the" if (folder / "club.toml").exists() else "created a"
    club = create(folder, address, host, datetime.now(UTC), door, plus=known.plus if known else True)
    text = f"{what} club in {folder}; its settings are in {folder / 'club.toml'}"
    told = providers.next_steps(club, known, find_spec("imap_tools") is not None)
    more = {"provider": provider, "next": told} if told else {}
    lines = "\n".join((text, *doubts(address, host), *told))
    say("founded", folder, lines, as_json, address=club.address, host=club.host, **more)


def new(
    folder: ClubPath,
    game: Annotated[str, typer.Argument(metavar="GAME", help="The name of the game.")],
    players: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME[:COLOUR]=ADDRESS...",
            help="The players, in seating order; a bot is called bot and needs no address.",
        ),
    ] = None,
    seats: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            max=6,
            help="The number of seats, if some are free to be taken by mail.",
            show_default=False,
        ),
    ] = 0,
    board: BoardOption = "players",
    chance: Annotated[
        Literal["sealed", "open"],
        typer.Option(help="Keep the secret of the draws in its own file, or put it into the game file."),
    ] = "sealed",
    hide_food: HideFood = False,
    components: Components = None,
    language: Languages = None,
    as_json: Json = False,
) -> None:
    """Begin a game.

    The first letters go to the outbox. With free seats the game begins when all are taken.
    """
    from pbem.carriers.mail.setup import own_club
    from pbem.club.opening import open_game
    from pbem.table.people import Opening

    said = tuple(players or ())
    club = own_club(folder)
    opening = Opening(seats or len(said), board, chance, hide_food)
    table = open_game(club, game, said, opening, components, language or ())
    begun = table.game.exists()
    text = f"{game} has begun" if begun else f'{game} is open: players join by writing "join {game} NAME"'
    sent = f"pbem mail run sends the letters, and pbem mail send {folder} does it now"
    if club.outgoing.kind == "files":
        sent = f"the letters are in {club.outbox}"
    doubtful = doubts(*(player.rpartition("=")[2] for player in said))
    lines = "\n".join((text, *([sent] if said else []), *doubtful))
    say("begun" if begun else "open", table.folder, lines, as_json, game=game)


def take(
    folder: ClubPath,
    send_too: Annotated[bool, typer.Option("--send", help="Send the outbox afterwards.")] = False,
    as_json: Json = False,
) -> None:
    """Process one message from standard input.

    Exits with 0 once it is handled, whatever the outcome, or with 75 to have it delivered again.
    """
    from datetime import UTC, datetime

    from pbem.carriers.mail import take as taking
    from pbem.carriers.mail.setup import own_club
    from pbem.carriers.rounds import later
    from pbem.club.transaction import LONGEST_WAIT

    try:
        club = own_club(folder)
        verdict = taking.take(club, _mail(), datetime.now(UTC))
    except Exception as error:
        raise later(error) from error
    except KeyboardInterrupt:  # a server would send the mail back to the player for any other status
        raise TryAgain("interrupted before the message was processed; it must be delivered again") from None
    sent = None
    if send_too:
        from pbem.carriers.mail.outgoing import outbox

        with suppress(Exception):  # the message is handled all the same, and its letters go out the next time
            sent = outbox.send(club, wait=LONGEST_WAIT)
            _warn(sent)
    more: dict[str, Any] = {"verdict": verdict.code, "game": verdict.game, "turn": verdict.turn}
    more |= {"letters": verdict.letters, **(sent._asdict() if sent else {})}
    with suppress(CannotWrite):  # a closed standard output is no reason to deliver the message again
        show_report(done("taken", verdict.message, folder, str(verdict), **more), as_json)


def run(
    folder: ClubPath,
    once: Annotated[bool, typer.Option("--once", help="Process waiting mail, send the outbox, and exit.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Keep running until stopped, and run the clock.")] = False,
    now: Annotated[
        str, typer.Option("--now", metavar="T", help="With --once: run the clock at time T, e.g. $(date -Is).")
    ] = "",
    take_old: Annotated[
        bool, typer.Option("--take-old", help="With --once: also process mail that is older than the club.")
    ] = False,
    addresses: Annotated[
        bool, typer.Option("--addresses", help="With --watch: show the addresses in what a server has said.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Process waiting mail, run the clock, send the outbox.

    The clock runs with --watch or --now.
    """
    from datetime import UTC, datetime

    from pbem.carriers.mail.service import run_once, watched
    from pbem.carriers.mail.setup import own_club
    from pbem.club.upkeep.service import tell_manager
    from pbem.table.clock import instant

    if once == watch:
        raise UsageError("choose either --once or --watch")
    if watch and now:
        raise UsageError("--watch runs the clock by itself", hint="use --now only with --once")
    if watch and take_old:
        hint = "use --take-old only with --once"
        raise UsageError("--watch never processes mail that is older than the club", hint=hint)
    at, club = instant(now) if now else None, own_club(folder)
    if take_old:
        club = club.changed(since="")
    if watch and not as_json:
        write_out(f"watching {folder}; stop with Ctrl-C\n")
    # A round begins when it is asked for, so that its errors are recorded too.
    rounds = watched(club, POLL) if watch else (run_once(each, at, today=datetime.now(UTC)) for each in (club,))
    for round_ in _noted(club, rounds):
        for trouble in round_.troubles:
            if watch and not as_json:
                _log(trouble, addresses=addresses)
            else:
                complain(trouble, as_json and watch)
        _show_round(folder, round_, as_json, once=once)
        if watch:
            tell_manager("READY=1", "WATCHDOG=1", f"STATUS={_round_text(round_)}")
        interrupts.go_on()


def _show_round(folder: Path, round_: "MailRun", as_json: bool, *, once: bool) -> None:
    """Print what a round has done, if anything or *once*; raises TryAgain if *once* and not everything was done."""
    from pbem.carriers.mail.strangers.tally import older_text

    text, sent = _round_text(round_), round_.sent
    _warn(sent)
    if not as_json:
        old = [older_text(round_.older)] if round_.older else []
        write_out("".join(f"{line}\n" for line in (*old, *round_.verdicts, *round_.did)))
    if once and round_.troubles:
        raise TryAgain(f"not everything was done: {text}", hint=_NEXT)
    if once or round_.older or round_.verdicts or round_.did or sent.sent or sent.failed:
        more = {"codes": round_.codes, "taken": len(round_.verdicts), "later": round_.later, "did": round_.did}
        show_report(done("run", text, folder, text, **more, older=round_.older, **sent._asdict()), as_json)


def _round_text(round_: "MailRun") -> str:
    processed = plural(len(round_.verdicts), "{n} message processed", "{n} messages processed")
    return f"{processed}, {_sent_text(round_.sent)}"


_NEXT: Final = "the rest will be tried again next time; pbem mail doctor CLUB says what is wrong, and what to do"


def _noted(club: "MailClub", rounds: "Iterable[MailRun]") -> "Iterator[MailRun]":
    """Yield the rounds, and record how the club is after each of them, and after an error that ends them."""
    from pbem.carriers.mail.service import MailRun

    try:
        for round_ in rounds:
            _note(club, round_)
            yield round_
    except PbemError as error:
        _note(club, MailRun(troubles=(error,)))
        raise


_REJECTED: Final = ("{n} letter was rejected permanently", "{n} letters were rejected permanently")


def _note(club: "MailClub", round_: "MailRun") -> None:
    """Record how the club is now: letters that were rejected are trouble until the host retries or deletes them."""
    from datetime import UTC, datetime

    from pbem.carriers.mail.outgoing import outbox
    from pbem.club.upkeep.health import note_health

    troubles = [trouble.message for trouble in round_.troubles]
    if rejected := len(outbox.refused(club)):
        troubles.append(plural(rejected, *_REJECTED))
    note_health(club, datetime.now(UTC), troubles, looked=round_.looked, sent=round_.sent.sent > 0)


def _log(trouble: PbemError, *, addresses: bool) -> None:
    """Print a trouble as one line of a log, in which addresses stand only if they are wanted."""
    from pbem.club.upkeep.service import level_of_warnings

    hint = f" ({trouble.hint})" if trouble.hint else ""
    line = " ".join(f"{trouble.code}: {trouble.message}{hint}".split())
    write_err(level_of_warnings() + (line if addresses else re.sub(r"[^\s<>]+@[^\s<>,;]+", "(an address)", line)))


def send(folder: ClubPath, as_json: Json = False) -> None:
    """Send the outbox.

    Letters that the server does not accept now are tried again next time.
    """
    from pbem.carriers.mail.outgoing import outbox
    from pbem.carriers.mail.setup import own_club

    sent = outbox.send(own_club(folder))
    _warn(sent)
    trouble = outbox.raised(sent)
    if trouble is not None:
        raise trouble
    say("sent", folder, _sent_text(sent), as_json, **sent._asdict())


def _sent_text(sent: "Sent") -> str:
    went = plural(sent.sent, "{n} letter sent", "{n} letters sent")
    rejected = [f"{sent.failed} rejected permanently"] if sent.failed else []
    return ", ".join((went, *rejected, f"{sent.left} in the outbox"))


def _warn(sent: "Sent") -> None:
    """Print to standard error what the host cannot be told by mail."""
    if sent.untold:
        write_err(f"pbem: letters to the host are rejected too, so look at pbem mail status: {sent.untold}")


def _mail() -> bytes:
    """Return the message on standard input; read it to its end, which the sending process waits for."""
    from pbem.carriers.mail.incoming.message import LARGEST_WHOLE

    if sys.stdin is None:
        raise NotUnderstood("no message on standard input")
    raw = sys.stdin.buffer.read(LARGEST_WHOLE)
    while sys.stdin.buffer.read(1024 * 1024):
        pass
    # OpenSMTPD marks the null sender, that of a bounce, only by an empty variable.
    bounce = os.environ.get("SENDER") == "" and "RECIPIENT" in os.environ and not raw.startswith(b"From ")
    return b"Return-Path: <>\n" + raw if bounce else raw


COMMANDS: Final[dict[str, Callable[..., None]]] = {"init": init, "new": new, "take": take, "run": run, "send": send}


def family() -> typer.Typer:
    """Return ``pbem mail`` with its commands; those of the host only if one of them may be meant."""
    typed = sys.argv[2:] if sys.argv[1:2] == ["mail"] else []
    asked = next((word for word in typed if not word.startswith("-")), None)
    commands = COMMANDS
    if asked not in COMMANDS:
        from pbem.cli.host import mail as of_hosts

        commands = COMMANDS | of_hosts.COMMANDS
    wanted = {asked: commands[asked]} if asked in commands else commands
    return family_of("mail", "Play by email: pbem reads the replies itself.", wanted)
