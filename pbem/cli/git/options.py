"""What the commands of git share: options, and how they show what was committed."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, ParamSpec, TypeVar

import typer

from pbem import report
from pbem.carriers.git.clone import settings_kept, settings_of
from pbem.carriers.git.player.send import Pushed, news
from pbem.cli.console import show_report, write_err
from pbem.cli.language import shown_in
from pbem.errors import UsageError
from pbem.first_sparks.notation import order_text
from pbem.game_files import uncommitted
from pbem.grammar import language_called
from pbem.locale import Language, phrase, speaking, spoken, tr

GAME: Final = "game.toml"
_LANGUAGE: Final = "pbem.language"
_PUSHED: Final = "{subject}: pushed to {remote}"
_COMMITTED: Final = "{subject}: committed, but not pushed, since the repository has no remote"
_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def _named(game: str) -> str:
    """Return the name of a game file; raises UsageError if it is not plain or has a folder."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,80}\.(?:toml|json)", game) or uncommitted(game):
        raise UsageError(
            "the game file must be at the top of its repository and end in .toml or .json",
            hint="for example: --game game.toml",
        )
    return game


GameOption = Annotated[
    str,
    typer.Option("--game", metavar="FILE", callback=_named, help="The game file, at the top of the repository."),
]
Key = Annotated[
    str, typer.Option("--key", metavar="FILE", help="The SSH key to sign with; by default user.signingkey.")
]
Secret = Annotated[Path | None, typer.Option("--secret", metavar="FILE", help="The secret file of a sealed game.")]
Message = Annotated[str, typer.Option("--message", "-m", metavar="TEXT", help="What you say to the others with it.")]


def own_language() -> Language:
    """Return the language that git's settings give to the player of this clone; raises UsageError."""
    code = settings_of(Path()).get(_LANGUAGE, "")
    try:
        return language_called(code) if code else "en"
    except UsageError as wrong:
        wrong.message = f"git's setting {_LANGUAGE} is {code[:40]!a}, which is not a language of pbem"
        wrong.hint += f": git config {_LANGUAGE} CODE"
        raise


def in_own_language(command: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Return a command with the text in the language of the player of this clone; with ``--json`` it is English."""
    return settings_kept()(shown_in(command, lambda given: "en" if given.get("as_json") else own_language()))


def warn() -> Callable[[str], None]:
    """Return what prints a message to standard error, in the language that is spoken now."""
    language = spoken()

    def told(text: str) -> None:
        with speaking(language):
            write_err(tr(text))

    return told


def now() -> int:
    """Return the time in seconds since 1970, by which the dates of commits are judged."""
    return int(time.time())


def show_sent(sent: Pushed, as_json: bool, said: str = "", more: tuple[str, ...] = (), **data: str) -> None:
    """Print what was committed, and what its author may see of the game now; *more* lines come last."""
    remote, path = sent.tip.clone.where, sent.tip.point.game.path
    message = phrase(_PUSHED if remote else _COMMITTED, subject=sent.subject, remote=remote)
    if not sent.commit:
        message = phrase(said or "you have drawn; it is committed with your order: pbem git move --order ORDER")
    viewer = sent.judged.player if sent.judged.player in dict(sent.record.players) else None
    planned = "; ".join(map(order_text, sent.judged.planned))
    by_plan = (tr("your plan answered: {orders}").format(orders=planned),) if planned else ()
    told = "\n".join((tr(message), *by_plan, *map(tr, news(sent.pulled, sent.waited))))
    made: dict[str, Any] = {
        "commit": sent.commit,
        "remote": remote,
        "pulled": list(sent.pulled),
        "suspect": [one._asdict() for one in sent.suspect],
        "spoken": [line.words for line in sent.judged.said],
        **data,
    }
    if not sent.goes_on:
        show_report(report.done("said", message, path, "\n".join((told, *more)), **made), as_json)
        return
    made["log"] = list(sent.log)
    seen = report.view("sent", message, path, sent.record, viewer, unicode=False)
    last = "\n".join(("", *more)) if more else ""
    result = seen._replace(words=lambda: f"{told}\n\n{seen.words()}{last}", more=lambda: {**seen.more(), **made})
    show_report(result, as_json)
