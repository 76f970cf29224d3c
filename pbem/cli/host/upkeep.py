"""What a host does to keep a club well: see what is wrong with it, and copy it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from pbem.cli.arguments import ClubPath, Json, no_dash
from pbem.cli.console import show_report, write_out
from pbem.cli.host.clubs import carrier_of, own_club, say
from pbem.errors import Broken, NoSuchFile, NotUnderstood
from pbem.grammar import listed, plural
from pbem.report import done

if TYPE_CHECKING:
    from pbem.club.upkeep.doctor import Diagnosis

TROUBLE: Final = 1  # the status of doctor if anything is wrong


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
    for diagnosis in diagnoses(carrier_of(folder).checks(folder, now, wait)):
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

    damaged: list[str] = []

    def opened(made: Path) -> None:
        club = own_club(made)
        for game in () if nothing_lost else names_of(club):
            try:
                start_again(club, folder_of(club, game))
            except (NotUnderstood, Broken, NoSuchFile):  # and not for want of room
                damaged.append(game)

    kept = backups.restore(source, folder, opened)
    text = plural(kept.files, "{n} file was restored to {target}", "{n} files were restored to {target}")
    doctor = f"{own_club(folder).command} doctor {folder}"
    lines = [text.format(target=folder), f"never run the old club beside it; {doctor} checks whether all is well"]
    lines += [f"warning: {game} cannot be read, and its players have no new letters" for game in damaged]
    say("restored", folder, "\n".join(lines), as_json, files=kept.files)


COMMANDS: Final[dict[str, Callable[..., None]]] = {
    "doctor": doctor,
    "backup": backup,
    "restore": restore,
}
