"""The commands of a git server: ``pbem git hook``, and what its hook runs after a push."""

import re
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Literal

import typer

from pbem import files, formats, report, secrets
from pbem.carriers.git import hooks, server
from pbem.carriers.git.clone import settings_of
from pbem.carriers.git.public import public_text
from pbem.carriers.git.repository import Objects, owned_environment
from pbem.carriers.git.status import Seen, line
from pbem.cli.arguments import Json
from pbem.cli.console import show_report, write_err
from pbem.cli.git.options import GAME, GameOption, now
from pbem.cli.language import read_in
from pbem.errors import CannotWrite, PbemError, TryAgain, UsageError
from pbem.grammar import language_called, listed
from pbem.locale import Language, speaking

_UNWRITTEN = (TryAgain, CannotWrite)


def hook(
    which: Annotated[
        Literal["pre-receive", "post-receive", "pre-commit"],
        typer.Argument(help="pre-receive and post-receive are for a server, pre-commit for a player."),
    ],
    repository: Annotated[
        Path | None, typer.Option("--install", metavar="REPOSITORY", help="Install it in this repository.")
    ] = None,
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Print or install a hook.

    pre-receive and pre-commit reject invalid moves. post-receive draws if the secret of a sealed game is in the
    repository, and says whose turn it is; it is installed together with pre-receive.
    """
    if repository is None:
        text = hooks.script(which, game)
        show_report(report.done("hook", "", Path(which), text, script=text), as_json, done=False)
        return
    path = hooks.install(which, game, repository)
    paths = [str(path)]
    if which == "pre-receive":
        try:
            paths.append(str(hooks.install("post-receive", game, repository)))
        except PbemError as kept:
            write_err(f"warning: {kept.message}; it should also run: pbem git pushed --game {game}")
        for warning in hooks.wrong_branch(repository, game):
            write_err(f"warning: {warning}")
    show_report(report.done("installed", f"installed {listed(paths)}", path), as_json)


def pushed(game: GameOption = GAME, as_json: Json = False) -> None:
    """Do what follows a push, as the hook post-receive.

    Draws, decides for a player whose time is up if the clock says so, publishes the secret after the end, and says
    whose turn it is.

    Whoever pushed is told, the command in git's setting pbem.notify runs, and if pbem.COLOUR.address is set, a letter
    to that player goes to the outbox of the club in pbem.club. Players are told in the language of
    pbem.COLOUR.language. These settings stay on the server.
    """
    with Objects() as objects:
        place = server.open_server(objects)
        told = files.read_stdin(hooks.PUSHED_LIMIT)
        pushed_refs = [word.split() for word in told.splitlines()]
        old = next((words[0] for words in pushed_refs if words[2:] == [place.branch]), None)
        if old is None:
            return
        with suppress(PbemError):
            place.note_untold(old)
        done, seen, trouble = _kept_going(place, game)
        trouble += _tell(place, seen, place.news_since(place.untold() or old, game))
        language = "en" if as_json else _language_of_pusher(objects, told, game)
    with speaking(language):
        _show(game, done, seen, trouble, as_json)


def tick(game: GameOption = GAME, as_json: Json = False) -> None:
    """Do what is due now on a server, for a timer.

    Run it every hour, for example. Like pushed, it draws and goes by the clock. It reminds a player when half of the
    time is over, or when an absence has ended by its date, and tells everybody when the time is up. If nothing is due,
    nothing is printed.
    """
    with Objects() as objects:
        place = server.open_server(objects)
        before, untold = place.tip(), place.untold()
        if not before:  # nothing has been pushed yet
            return
        done, seen, trouble = _kept_going(place, game)
        is_left = any(isinstance(error, _UNWRITTEN) for error in trouble)  # the next tick does it, and tells
        is_news = bool(done or untold)
        is_time = not (is_news or is_left) and place.is_new(seen)
        if is_news or is_time:
            trouble += _tell(place, seen, place.news_since(untold or before, game), is_time=is_time)
    _show(game, done, seen, trouble, as_json, is_new=is_news or is_time)


def _kept_going(place: server.Bare, name: str) -> tuple[list[str], Seen, list[PbemError]]:
    """Do what is due, and return what was done, with the game after it, and what prevented the rest."""
    done: list[str] = []
    trouble: list[PbemError] = []
    try:
        for subject in server.kept_going(place, name, secret_at_hand(place.objects, name), now()):
            done.append(subject)  # noqa: PERF402 -- what was done before an error is told too
    except PbemError as error:
        _complain(error)
        trouble.append(error)
    return done, place.seen(name, now()), trouble


def _show(
    game: str, done: list[str], seen: Seen, trouble: list[PbemError], as_json: bool, *, is_new: bool = True
) -> None:
    """Print what was done, and whose turn it is; exit with the status of what went wrong."""
    if is_new:
        text = "\n".join((*done, line(seen)))
        show_report(report.done("pushed", line(seen), Path(game), text, made=done), as_json)
    if trouble:
        raise typer.Exit(trouble[0].exit_status)


@contextmanager
def answering(objects: Objects, told: str, game: str) -> Generator[None]:
    """Show errors meanwhile in the language of the player whose push git has *told* the hook of."""
    try:
        yield
    except PbemError:
        with read_in(_language_of_pusher(objects, told, game)):
            raise


def _language_of_pusher(objects: Objects, told: str, game: str) -> Language:
    """Return the language that the settings of the server give to the player who has pushed, or English."""
    settings = settings_of(objects.git_dir)
    if not any(re.fullmatch(r"pbem\.[a-z]+\.language", key) for key in settings):
        return "en"
    colour = hooks.pusher(objects, told, game)
    with suppress(UsageError):  # what follows the push says so
        return language_called(settings.get(f"pbem.{colour}.language", "") or "en")
    return "en"


def secret_at_hand(objects: Objects, game: str) -> Path | None:
    """Return the path of the game's secret file, if it is in this folder or in the repository."""
    at_hand = (place / secrets.secret_path(Path(game)).name for place in (Path(), objects.git_dir))
    return next((path for path in at_hand if path.is_file()), None)


def _tell(place: server.Bare, seen: Seen, news: server.PushNews, *, is_time: bool = False) -> list[PbemError]:
    """Tell the players the news, or how the *time* runs, and note it; return what prevented it.

    Letters come first: if it is cut off and told again, the same letter is there once.
    """
    try:
        _write(place.clone.settings, seen, news)
        _notify(place.clone.settings, seen)
        place.note_told(seen if is_time else None)
    except _UNWRITTEN as error:
        _complain(error)
        return [error]
    return []


def _notify(settings: Mapping[str, str], seen: Seen) -> None:
    """Run the command of the one who keeps the server, with what everybody may see of the game as its input."""
    command, record = settings.get("pbem.notify", ""), seen.record
    if not command:
        return
    decides = record.asked or ""
    player = dict(record.players).get(decides, "")
    told = {"GAME": record.game, "TURN": str(record.turn), "COLOUR": decides, "PLAYER": player, "LINE": line(seen)}
    env = {**owned_environment(), **{f"PBEM_{key}": value for key, value in told.items()}}
    text = public_text(record, seen.waits).encode()
    try:
        subprocess.run(["/bin/sh", "-c", command], input=text, env=env, stdout=2, check=True)  # noqa: S603 -- their own
    except (OSError, subprocess.CalledProcessError) as error:  # whoever has pushed must not read the command
        why = f"exit status {error.returncode}" if isinstance(error, subprocess.CalledProcessError) else "no shell"
        write_err(f"the command in pbem.notify failed: {why}")


def _write(settings: Mapping[str, str], seen: Seen, news: server.PushNews) -> None:
    """Write letters to the outbox of the club that the server knows, with the addresses of the players."""
    folder = settings.get("pbem.club", "")
    if not folder:
        return
    from pbem.carriers.git.letters import letters
    from pbem.cli.host.clubs import own_club

    addresses = {colour: _address(settings, seen, colour, name) for colour, name in seen.record.players}
    try:
        club = own_club(Path(folder).expanduser())
        languages: dict[str, Language] = {colour: _language(settings, colour) or club.language for colour in addresses}
        for each in letters(seen, news, addresses, languages):
            club.put(each)
    except _UNWRITTEN:
        raise
    except PbemError as error:
        write_err(f"no letter was written to {formats.shown(folder)}: {error.message}")


def _address(settings: Mapping[str, str], seen: Seen, colour: str, name: str) -> str:
    """Return where letters to a player go, "" if nowhere.

    What was set for somebody who had the seat before is left alone: those letters would tell what only its player may
    know. So once a seat has changed hands, an address needs the name of its player.
    """
    from email.utils import parseaddr

    said = settings.get(f"pbem.{colour}.address", "")
    whom, address = parseaddr(said)
    is_known = whom.casefold() == name.casefold() if whom else colour not in dict(seen.minutes.standing.names)
    if said and not is_known:
        command = f"git config pbem.{colour}.address '{name} <ADDRESS>'"
        write_err(f"no letters go to {name} ({colour}), who has that seat now; {command} says where")
    return (address or said) if is_known else ""


def _language(settings: Mapping[str, str], colour: str) -> Language | None:
    """Return the language in which that player reads letters, None unless the server knows it."""
    code = settings.get(f"pbem.{colour}.language", "")
    try:
        return language_called(code) if code else None
    except UsageError as wrong:
        write_err(f"git's setting pbem.{colour}.language is ignored: {wrong.message}")
        return None


def _complain(error: PbemError) -> None:
    """Say in one line what went wrong, since git puts ``remote:`` before each."""
    write_err(f"{error.message}; {error.hint}" if error.hint else error.message)
