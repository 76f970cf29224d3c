"""What the commands of git share: options, and how they show what was committed."""

import re
import time
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from pbem import report
from pbem.carriers.git.player.send import Pushed, news
from pbem.cli.console import show_report
from pbem.errors import UsageError

GAME: Final = "game.toml"

GameOption = Annotated[str, typer.Option("--game", metavar="FILE", help="The game file, at the top of the repository.")]
Key = Annotated[
    str, typer.Option("--key", metavar="FILE", help="The SSH key to sign with; by default user.signingkey.")
]
Secret = Annotated[Path | None, typer.Option("--secret", metavar="FILE", help="The secret file of a sealed game.")]
Message = Annotated[str, typer.Option("--message", "-m", metavar="TEXT", help="What you say to the others with it.")]


def named(game: str) -> str:
    """Return the name of a game file; raises UsageError if it is not plain or has a folder."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,80}\.(?:toml|json)", game) or game.endswith(".secret.toml"):
        raise UsageError(
            "the game file must be at the top of its repository and end in .toml or .json",
            hint="for example: --game game.toml",
        )
    return game


def now() -> int:
    """Return the time in seconds since 1970, by which the dates of commits are judged."""
    return int(time.time())


def show_sent(sent: Pushed, as_json: bool, said: str = "", more: tuple[str, ...] = (), **data: str) -> None:
    """Print what was committed, and what its author may see of the game now; *more* lines come last."""
    pushed, committed = (
        "{subject}: pushed to {remote}",
        "{subject}: committed, but not pushed, since the repository has no remote",
    )
    message = (pushed if sent.remote else committed).format(subject=sent.subject, remote=sent.remote)
    if not sent.commit:
        message = said or "you have drawn; it is committed with your order: pbem git move --order ORDER"
    viewer = sent.player if sent.player in dict(sent.record.players) else None
    by_plan = (f"your plan answered: {'; '.join(sent.planned)}",) if sent.planned else ()
    told = "\n".join((message, *by_plan, *news(sent.pulled, sent.waited)))
    made: dict[str, Any] = {
        "commit": sent.commit,
        "remote": sent.remote,
        "pulled": list(sent.pulled),
        "suspect": [one._asdict() for one in sent.suspect],
        "spoken": list(sent.said),
        **data,
    }
    if not sent.goes_on:
        show_report(report.done("said", message, sent.path, "\n".join((told, *more)), **made), as_json)
        return
    made["log"] = list(sent.record.log[sent.before :])
    seen = report.view("sent", message, sent.path, sent.record, viewer, unicode=False)
    last = "\n".join(("", *more)) if more else ""
    result = seen._replace(words=lambda: f"{told}\n\n{seen.words()}{last}", more=lambda: {**seen.more(), **made})
    show_report(result, as_json)
