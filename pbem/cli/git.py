"""The commands ``pbem git ...``: read arguments, call, print."""

import re
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from pbem import files, formats, game_setup, loading, report, rulings, secrets
from pbem.cli.arguments import As, BoardOption, Components, HideFood, Json, MovePath, Order, Seats, SecretDigits
from pbem.cli.console import show_report, write_err, write_out
from pbem.errors import CannotCreate, NotAllowed, PbemError, UsageError
from pbem.first_sparks.options import Options
from pbem.git import history, hooks
from pbem.git import init as git_init
from pbem.git import move as git_move
from pbem.git.judges import Checker, Reader, Server
from pbem.git.repository import Objects
from pbem.git.signing import HOST
from pbem.git.verdict import JudgedMove, compare, compare_staged

GAME: Final = "game.toml"

GameOption = Annotated[str, typer.Option("--game", metavar="FILE", help="The game file, at the top of the repository.")]
Key = Annotated[str, typer.Option("--key", metavar="FILE", help="Sign with this SSH key, else with user.signingkey.")]
Secret = Annotated[Path | None, typer.Option("--secret", metavar="FILE", help="The secret file of a sealed game.")]


def init(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder, created if needed; . for this one.")],
    players: Seats,
    board: BoardOption = "players",
    chance: Annotated[
        Literal["sealed", "open"],
        typer.Option(help="Open: everybody draws. Sealed: the host keeps the secret and draws."),
    ] = "open",
    hide_food: HideFood = False,
    components: Components = None,
    name: Annotated[str, typer.Option("--id", metavar="ID", help="The game's name; else that of the folder.")] = "",
    secret: SecretDigits = "",
    key: Annotated[
        list[str] | None,
        typer.Option("--key", metavar="PLAYER=FILE", help="A player's public SSH key, or host=FILE: moves are signed."),
    ] = None,
    action: Annotated[
        str, typer.Option("--action", metavar="OWNER/REPO@REF", help="Where a copy of pbem lies for GitHub's CI.")
    ] = "",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Make a folder a game repository: game file, README with the board, git's settings, CI."""
    place, seats, drawn_from = _place(folder), game_setup.seats(players), game_setup.secret_from(secret)
    record = game_setup.begin_record(
        name or game_setup.game_id(place),
        seats,
        options=Options(board, hide_food),
        components=loading.load_components(components) if components else loading.built_in(),
        sealed=chance == "sealed",
        secret=drawn_from,
    )
    begun = git_init.start(folder, _named(game), record, drawn_from, keys=_keys(key or [], seats), action=action)
    text = f"{folder / begun.path.name} is begun and committed, with {', '.join(begun.written)}"
    if not action:
        text += "\nno CI workflow was written; --action says where a copy of pbem lies for it"
    elif chance == "sealed":
        secret_file = secrets.secret_path(folder / begun.path.name)
        text += f"\nthe job that draws needs a secret: gh secret set PBEM_SECRET --env draws < {secret_file}"
    files_written = [begun.path.name, *begun.written]
    more: dict[str, Any] = {"commit": begun.commit, "files": files_written, "game": record.game}
    show_report(report.done("repository", text.partition("\n")[0], begun.path, text, **more), as_json)


def _place(folder: Path) -> Path:
    """Return where the folder is, by its own name; raises CannotCreate for what is nowhere."""
    try:
        return folder.absolute().resolve()
    except (OSError, RuntimeError) as error:  # the folder that we are in was deleted, or links lead in a circle
        name = formats.shown(folder)
        raise CannotCreate(f"{name} cannot be made a folder", path=name, hint="begin in a new folder") from error


def move(
    said: MovePath = "",
    order: Order = None,
    player: As = "",
    key: Key = "",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Pull, play a move, commit it and push it; if somebody moved first nothing is lost."""
    submission = loading.submission_of(said, order, player)
    _show_sent(git_move.move(_named(game), submission, key, write_err), submission.player, as_json)


def draw(secret: Secret = None, key: Key = "", game: GameOption = GAME, as_json: Json = False) -> None:
    """Answer for chance in a sealed game, as the keeper of its secret: pull, draw, commit and push."""
    _show_sent(git_move.draw(_named(game), secret, key), "", as_json)


def check(
    old: Annotated[str, typer.Argument(metavar="[OLD]", help="The commit that was accepted; zeros for none.")] = "",
    new: Annotated[str, typer.Argument(metavar="[NEW]", help="The last of the commits after it.")] = "",
    signed: Annotated[bool, typer.Option("--signed", help="Refuse a game whose moves are not signed.")] = False,
    secret: Secret = None,
    staged: Annotated[bool, typer.Option("--staged", help="Check what would be committed now.")] = False,
    pushed: Annotated[bool, typer.Option("--pushed", help="Check a push, as a pre-receive hook.")] = False,
    annotate: Annotated[bool, typer.Option("--annotate", help="Tell GitHub's CI which file is wrong.")] = False,
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Say whether every commit after OLD up to NEW is one legal move by the player who decides."""
    if bool(old and new) + staged + pushed != 1 or bool(old) != bool(new):
        raise UsageError("say which commits to check", hint="pbem git check OLD NEW, or --staged, or --pushed")
    if annotate and as_json:
        raise UsageError("say either --annotate or --json: the one is a line for GitHub")
    name = _named(game)
    try:
        with Objects() as objects:
            secret = secret or _secret_at_hand(objects, name)
            checker = Checker(name, signed, secret)
            if staged:
                steps: tuple[JudgedMove, ...] = (compare_staged(objects, checker),)
            elif pushed:
                told = files.read_stdin(hooks.PUSHED_LIMIT)
                steps = tuple(hooks.pushed(objects, told, Server(name, signed, secret)))
            else:
                base = objects.commit_id(old) if old.strip("0") else ""
                steps = compare(objects, base, objects.commit_id(new), checker)
    except PbemError as error:
        if annotate:
            said = _annotation(game if not isinstance(error, NotAllowed) else error.path or game, error)
            write_out(said, done=False)
        raise
    lines = [f"{step.commit[:10]} {step.by}: {'; '.join(step.lines) or 'the secret'}".lstrip() for step in steps]
    message = f"{len(steps)} {'move' if len(steps) == 1 else 'moves'}, all as they should be"
    data = [{"commit": step.commit, "by": step.by, "log": list(step.lines)} for step in steps]
    text = "\n".join((*lines, message))
    show_report(report.done("moves", message, Path(game), text, moves=data), as_json, done=False)


def log(
    name: Annotated[str, typer.Argument(metavar="[COMMIT]", help="The last commit to tell of.")] = "HEAD",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Tell the game from its commits, newest first: who committed what, and when."""
    with Objects() as objects:
        reader = Reader(_named(game), _secret_at_hand(objects, game))
        told, older = history.history(objects, name, reader)
    note = f"there are older commits: pbem git log {older[:10]}" if older else ""
    text = "\n".join((*map(str, told), *([note] if note else ())))
    show_report(
        report.done("told", note, Path(game), text, commits=[one._asdict() for one in told]), as_json, done=False
    )


def hook(
    which: Annotated[Literal["pre-receive", "pre-commit"], typer.Argument(help="For a server, or for a player.")],
    repository: Annotated[
        Path | None, typer.Option("--install", metavar="REPOSITORY", help="Put it in its place there.")
    ] = None,
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Print the hook that refuses what is no move, or install it in a repository."""
    _named(game)
    if repository is None:
        text = hooks.script(which, game)
        show_report(report.done("hook", "", Path(which), text, script=text), as_json, done=False)
        return
    path = hooks.install(which, game, repository)
    show_report(report.done("installed", f"{path} is in its place", path), as_json)


def _show_sent(sent: git_move.Pushed, player: str, as_json: bool) -> None:
    """Print that it was made, and what its maker may see of the game now."""
    where = f"pushed to {sent.remote}" if sent.remote else "committed, and there is no remote to push to"
    message = f"{sent.subject}: {where}"
    viewer = rulings.player_of(sent.record, player) if player else None
    told = "\n".join((message, *(f"{one} before it" for one in git_move.news(sent.pulled, sent.waited))))
    seen = report.view("sent", message, sent.path, sent.record, viewer, unicode=False)
    made = {
        "commit": sent.commit,
        "remote": sent.remote,
        "pulled": list(sent.pulled),
        "suspect": [one._asdict() for one in sent.suspect],
        "log": list(sent.record.log[sent.before :]),
    }
    result = seen._replace(words=lambda: f"{told}\n\n{seen.words()}", more=lambda: {**seen.more(), **made})
    show_report(result, as_json)


def _annotation(path: str, error: PbemError) -> str:
    """Return what GitHub shows beside a file; what a stranger wrote cannot be taken for another command."""

    def escaped(text: str, signs: str) -> str:
        return re.sub(f"[{signs}]", lambda found: f"%{ord(found[0]):02X}", text)

    reasons = "".join(f"\n- {reason.message}" for reason in error.reasons)
    said = escaped(f"{error.message}{reasons}", "%\r\n")
    place = escaped(path, "%\r\n:,")
    return f"::error file={place},title={error.code}::{said}\n"


def _secret_at_hand(objects: Objects, game: str) -> Path | None:
    """Return where the secret of the game lies, if it is in this folder or in the repository."""
    at_hand = (place / secrets.secret_path(Path(game)).name for place in (Path(), objects.git_dir))
    return next((path for path in at_hand if path.is_file()), None)


def _named(game: str) -> str:
    """Return the name of a game file; raises UsageError for one that is not plain or lies in a folder."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,80}\.(?:toml|json)", game) or game.endswith(".secret.toml"):
        raise UsageError(
            "the game file lies at the top of its repository and ends in .toml or .json", hint="--game game.toml"
        )
    return game


def _keys(said: list[str], seats: tuple[tuple[str, str], ...]) -> dict[str, tuple[str, str]]:
    """Return for each colour, or the host, the name of a public key file and its text."""
    called = {HOST: HOST} | {colour: colour for colour, _ in seats} | {name.casefold(): c for c, name in seats}
    keys: dict[str, tuple[str, str]] = {}
    for pair in said:
        who, _, name = pair.partition("=")
        if who.casefold() not in called or not name:
            raise UsageError("a key is given as PLAYER=FILE, or host=FILE", hint="--key Ann=ann.pub")
        keys[called[who.casefold()]] = (name, files.read_text(Path(name), 1 << 14))
    return keys


def family() -> typer.Typer:
    """Return the commands."""
    app = typer.Typer(help="Play through a git repository in which every commit is a move.", no_args_is_help=True)
    for command in (init, move, draw, check, log, hook):
        app.command(command.__name__)(command)
    return app
