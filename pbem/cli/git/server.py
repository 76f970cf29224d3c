"""The commands of a git server: ``pbem git hook``, and what its hook runs after a push."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pbem import files, formats, report, secrets
from pbem.cli.arguments import Json
from pbem.cli.console import show_report, write_err
from pbem.cli.git.options import GAME, GameOption, named
from pbem.errors import PbemError
from pbem.first_sparks.record import Record
from pbem.first_sparks.state import CHANCE
from pbem.git import hooks, server
from pbem.git.public import public_text
from pbem.git.repository import Objects, owned_environment
from pbem.git.status import line
from pbem.grammar import listed

if TYPE_CHECKING:
    from pbem.page.page import Page


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
    named(game)
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

    Draws, publishes the secret after the end, and says whose turn it is.

    Whoever pushed is told, the command in git's setting pbem.notify runs, and if pbem.COLOUR.address is set, a letter
    to that player goes to the outbox of the club in pbem.club. These settings stay on the server.
    """
    name = named(game)
    with Objects() as objects:
        place = server.open_server(objects)
        before = [word.split() for word in files.read_stdin(hooks.PUSHED_LIMIT).splitlines()]
        if not any(words[2:] == [place.branch] for words in before):
            return
        done: list[str] = []
        try:
            done += server.kept_going(place, name, secret_at_hand(objects, name))
        except PbemError as error:
            write_err(f"{error.message}; {error.hint}" if error.hint else error.message)
        record = place.game(place.tip(), name)[1].record
    _notify(place.settings, record)
    _write(place.settings, record)
    text = "\n".join((*done, line(record)))
    show_report(report.done("pushed", line(record), Path(game), text, made=done), as_json)


def secret_at_hand(objects: Objects, game: str) -> Path | None:
    """Return the path of the game's secret file, if it is in this folder or in the repository."""
    at_hand = (place / secrets.secret_path(Path(game)).name for place in (Path(), objects.git_dir))
    return next((path for path in at_hand if path.is_file()), None)


def _notify(settings: Mapping[str, str], record: Record) -> None:
    """Run the command of the one who keeps the server, with what everybody may see of the game as its input."""
    command, decides = settings.get("pbem.notify", ""), record.asked or ""
    if not command:
        return
    player = dict(record.players).get(decides, "")
    told = {"GAME": record.game, "TURN": str(record.turn), "COLOUR": decides, "PLAYER": player, "LINE": line(record)}
    env = {**owned_environment(), **{f"PBEM_{key}": value for key, value in told.items()}}
    text = public_text(record).encode()
    try:
        subprocess.run(["/bin/sh", "-c", command], input=text, env=env, stdout=2, check=True)  # noqa: S603 -- their own
    except (OSError, subprocess.CalledProcessError) as error:
        write_err(f"the command in pbem.notify failed: {error}")


def _page(record: Record, colour: str) -> "Page":
    """Return the page of a letter, which is answered in a clone and not by mail."""
    from pbem.page.page import Page, paragraphs

    kept = tuple(part for part in report.page_for(record, colour).sections if part.key not in ("reply", "copy"))
    how = paragraphs("how", ("Play in your clone of the game, with pbem git move.",)) if record.asked else ()
    return Page((*kept, *how))


def _write(settings: Mapping[str, str], record: Record) -> None:
    """Write a letter to the player who is asked, or after the end to all, if the server knows their addresses."""
    folder, asked = settings.get("pbem.club", ""), record.missing or (record.asked,)
    if not folder or asked == (CHANCE,):
        return
    from pbem.cli.host import own_club
    from pbem.club.writing.letter import Letter

    try:
        club = own_club(Path(folder).expanduser())
        for colour, name in record.players:
            address = settings.get(f"pbem.{colour}.address", "")
            if address and (colour in asked or None in asked):
                club.put(Letter(address, name, line(record, colour), _page(record, colour)))
    except PbemError as error:
        write_err(f"no letter was written to {formats.shown(folder)}: {error.message}")
