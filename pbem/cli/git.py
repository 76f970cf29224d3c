"""The commands ``pbem git ...``: read arguments, call, print."""

import re
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer

from pbem import files, formats, loading, report, rulings, secrets
from pbem.cli.arguments import As, JoinSecret, Json, MovePath, NewSecret, Order
from pbem.cli.console import show_report, write_err, write_out
from pbem.cli.new_game import BoardOption, Components, HideFood, Seats, SecretDigits
from pbem.errors import CannotCreate, NotAllowed, PbemError, UsageError
from pbem.first_sparks.options import Options
from pbem.first_sparks.record import ChanceKind
from pbem.git import history, hooks
from pbem.git import move as git_move
from pbem.git.judges import Checker, Reader, Server
from pbem.git.repository import Objects
from pbem.git.signing import HOST
from pbem.git.verdict import JudgedMove, compare, compare_staged
from pbem.grammar import listed, plural

GAME: Final = "game.toml"

GameOption = Annotated[str, typer.Option("--game", metavar="FILE", help="The game file, at the top of the repository.")]
Key = Annotated[
    str, typer.Option("--key", metavar="FILE", help="The SSH key to sign with; by default user.signingkey.")
]
Secret = Annotated[Path | None, typer.Option("--secret", metavar="FILE", help="The secret file of a sealed game.")]


def init(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder, created if needed; . for this one.")],
    players: Seats,
    board: BoardOption = "players",
    chance: Annotated[
        ChanceKind,
        typer.Option(
            help="Shared: two players open each draw. Sealed: the host keeps the secret and draws. "
            "Open: anybody can compute every card to come."
        ),
    ] = "shared",
    player: As = "",
    hide_food: HideFood = False,
    components: Components = None,
    name: Annotated[
        str, typer.Option("--id", metavar="ID", help="The game's name; by default that of the folder.")
    ] = "",
    secret: SecretDigits = "",
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key", metavar="PLAYER=FILE", help="A public SSH key of a player or the host; moves must be signed."
        ),
    ] = None,
    action: Annotated[
        str, typer.Option("--action", metavar="OWNER/REPO@REF", help="A copy of pbem for GitHub's CI to use.")
    ] = "",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Create a repository for a new game.

    Commits the game file, a README with the board, Git settings, and with --action a CI workflow. A shared game
    begins when all players have joined it; with --as you are the first.
    """
    from pbem import game_setup
    from pbem.git import init as git_init

    place, seats, drawn_from = _place(folder), game_setup.seats(players), game_setup.secret_from(secret)
    record = game_setup.begin_record(
        name or game_setup.game_id(place),
        seats,
        options=Options(board, hide_food),
        components=loading.load_components(components) if components else loading.built_in(),
        kind=chance,
        secret=drawn_from,
    )
    backup: tuple[str, ...] = ()
    if chance == "shared":
        from pbem.shared.joining import backup_lines, enter

        entered = enter(record, player, secret)
        record, backup = entered.record, backup_lines("pbem git join", entered)
    begun = git_init.start(folder, _named(game), record, drawn_from, keys=_keys(key or [], seats), action=action)
    text = f"created and committed {folder / begun.path.name}, with {listed(begun.written)}"
    if not action:
        text += "\nno CI workflow was written; to get one, name a copy of pbem with --action OWNER/REPO@REF"
    elif chance == "sealed":
        secret_file = secrets.secret_path(folder / begun.path.name)
        text += f"\nthe job that draws needs the secret: gh secret set PBEM_SECRET --env draws < {secret_file}"
    text = "\n".join((text, *backup))
    files_written = [begun.path.name, *begun.written]
    more: dict[str, Any] = {"commit": begun.commit, "files": files_written, "game": record.game}
    show_report(report.done("repository", text.partition("\n")[0], begun.path, text, **more), as_json)


def _place(folder: Path) -> Path:
    """Return the resolved path of the folder; raises CannotCreate if it cannot exist."""
    try:
        return folder.absolute().resolve()
    except (OSError, RuntimeError) as error:  # the folder that we are in was deleted, or links lead in a circle
        name = formats.shown(folder)
        raise CannotCreate(f"the folder {name} cannot be created", path=name, hint="choose another folder") from error


def move(
    said: MovePath = "",
    order: Order = None,
    player: As = "",
    key: Key = "",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Pull, play a move, commit it, and push it.

    If somebody else moved first, nothing is lost. Your plan, which stays in this clone, answers what you are asked
    next; without an order it answers what you are asked now.
    """
    by_plan = loading.Submission((), player=player)
    submission = loading.submission_of(said, order, player) if said or order else by_plan
    _show_sent(git_move.move(_named(game), submission, key, write_err), submission.player, as_json)


def join(
    player: As = "", secret: JoinSecret = "", key: Key = "", game: GameOption = GAME, as_json: Json = False
) -> None:
    """Pull, join a shared game, commit, and push.

    Your secret is kept on this machine, in your data folder. The line that is printed at the end brings it back.
    """
    from pbem.shared.joining import backup_lines

    joined = git_move.join(_named(game), player, secret, key, write_err)
    told, line = backup_lines("pbem git join", joined.entered)
    message = f"your secret for {joined.entered.record.game} is kept again" if joined.entered.restored else ""
    _show_sent(joined.pushed, joined.entered.colour, as_json, message, (told, line), backup=line.strip())


def draw(
    secret: Secret = None,
    player: As = "",
    new_secret: NewSecret = False,
    key: Key = "",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Pull, draw what is due, commit, and push.

    In a sealed game, the keeper of the secret draws. In a shared game, the player who is awaited does; if that
    player is asked next, the draw is committed with the order.
    """
    name = _named(game)
    if new_secret:
        _show_sent(git_move.renew(name, player, key, write_err), player, as_json)
    elif player:
        _show_sent(git_move.move(name, loading.Submission((), player=player), key, write_err), player, as_json)
    else:
        _show_sent(git_move.draw(name, secret, key), "", as_json)


def check(
    old: Annotated[str, typer.Argument(metavar="[OLD]", help="The last accepted commit; zeros for none.")] = "",
    new: Annotated[str, typer.Argument(metavar="[NEW]", help="The last commit to check.")] = "",
    signed: Annotated[bool, typer.Option("--signed", help="Reject a game whose moves are not signed.")] = False,
    secret: Secret = None,
    staged: Annotated[bool, typer.Option("--staged", help="Check what is staged for the next commit.")] = False,
    pushed: Annotated[bool, typer.Option("--pushed", help="Check a push, as a pre-receive hook.")] = False,
    annotate: Annotated[bool, typer.Option("--annotate", help="Annotate the offending file in GitHub's CI.")] = False,
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Check that each commit is one legal move.

    It must be made by the player whose turn it is. The commits are those after OLD up to NEW, those of a push, or
    the one that is staged.
    """
    if bool(old and new) + staged + pushed != 1 or bool(old) != bool(new):
        hint = "pbem git check OLD NEW, pbem git check --staged, or pbem git check --pushed"
        raise UsageError("give either OLD and NEW, --staged or --pushed", hint=hint)
    if annotate and as_json:
        raise UsageError("choose either --annotate or --json; both print what is wrong to standard output")
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
    lines = [f"{step.commit[:10]} {step.by}: {step}".lstrip() for step in steps]
    message = plural(len(steps), "{n} move checked, and it is valid", "{n} moves checked, all valid")
    data = [{"commit": s.commit, "by": s.by, "log": list(s.lines), "deleted": s.deleted} for s in steps]
    text = "\n".join((*lines, message))
    show_report(report.done("moves", message, Path(game), text, moves=data), as_json, done=False)


def log(
    name: Annotated[str, typer.Argument(metavar="[COMMIT]", help="The commit to start from.")] = "HEAD",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Retell the game from its commits, newest first.

    Shows who committed what, and when.
    """
    with Objects() as objects:
        reader = Reader(_named(game), _secret_at_hand(objects, game))
        told, older = history.history(objects, name, reader)
    note = f"for older commits: pbem git log {older[:10]}" if older else ""
    text = "\n".join((*map(str, told), *([note] if note else ())))
    show_report(
        report.done("told", note, Path(game), text, commits=[one._asdict() for one in told]), as_json, done=False
    )


def hook(
    which: Annotated[
        Literal["pre-receive", "pre-commit"],
        typer.Argument(help="pre-receive is for a server, pre-commit for a player."),
    ],
    repository: Annotated[
        Path | None, typer.Option("--install", metavar="REPOSITORY", help="Install it in this repository.")
    ] = None,
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Print or install a hook that rejects invalid moves."""
    _named(game)
    if repository is None:
        text = hooks.script(which, game)
        show_report(report.done("hook", "", Path(which), text, script=text), as_json, done=False)
        return
    path = hooks.install(which, game, repository)
    show_report(report.done("installed", f"installed {path}", path), as_json)


def _show_sent(
    sent: git_move.Pushed, player: str, as_json: bool, said: str = "", more: tuple[str, ...] = (), **data: str
) -> None:
    """Print what was committed, and what its author may see of the game now; *more* lines come last."""
    pushed, committed = (
        "{subject}: pushed to {remote}",
        "{subject}: committed, but not pushed, since the repository has no remote",
    )
    message = (pushed if sent.remote else committed).format(subject=sent.subject, remote=sent.remote)
    if not sent.commit:
        message = said or "you have drawn; it is committed with your order: pbem git move --order ORDER"
    viewer = rulings.player_of(sent.record, player) if player else None
    by_plan = (f"your plan answered: {'; '.join(sent.planned)}",) if sent.planned else ()
    told = "\n".join((message, *by_plan, *git_move.news(sent.pulled, sent.waited)))
    seen = report.view("sent", message, sent.path, sent.record, viewer, unicode=False)
    made = {
        "commit": sent.commit,
        "remote": sent.remote,
        "pulled": list(sent.pulled),
        "suspect": [one._asdict() for one in sent.suspect],
        "log": list(sent.record.log[sent.before :]),
    }
    last = "\n".join(("", *more)) if more else ""
    result = seen._replace(
        words=lambda: f"{told}\n\n{seen.words()}{last}", more=lambda: {**seen.more(), **made, **data}
    )
    show_report(result, as_json)


def _annotation(path: str, error: PbemError) -> str:
    """Return what GitHub shows beside a file, escaped so that nothing in it is taken for another command."""

    def escaped(text: str, signs: str) -> str:
        return re.sub(f"[{signs}]", lambda found: f"%{ord(found[0]):02X}", text)

    reasons = "".join(f"\n- {reason.message}" for reason in error.reasons)
    said = escaped(f"{error.message}{reasons}", "%\r\n")
    place = escaped(path, "%\r\n:,")
    return f"::error file={place},title={error.code}::{said}\n"


def _secret_at_hand(objects: Objects, game: str) -> Path | None:
    """Return the path of the game's secret file, if it is in this folder or in the repository."""
    at_hand = (place / secrets.secret_path(Path(game)).name for place in (Path(), objects.git_dir))
    return next((path for path in at_hand if path.is_file()), None)


def _named(game: str) -> str:
    """Return the name of a game file; raises UsageError if it is not plain or has a folder."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,80}\.(?:toml|json)", game) or game.endswith(".secret.toml"):
        raise UsageError(
            "the game file must be at the top of its repository and end in .toml or .json",
            hint="for example: --game game.toml",
        )
    return game


def _keys(said: list[str], seats: tuple[tuple[str, str], ...]) -> dict[str, tuple[str, str]]:
    """Return the name and text of a public key file by colour, or by ``host``."""
    called = {HOST: HOST} | {colour: colour for colour, _ in seats} | {name.casefold(): c for c, name in seats}
    keys: dict[str, tuple[str, str]] = {}
    for pair in said:
        who, _, name = pair.partition("=")
        if who.casefold() not in called or not name:
            message = "a key must be given as PLAYER=FILE or host=FILE, for a player of this game"
            raise UsageError(message, hint="for example: --key Ann=ann.pub")
        keys[called[who.casefold()]] = (name, files.read_text(Path(name), 1 << 14))
    return keys


def family() -> typer.Typer:
    """Return the commands."""
    app = typer.Typer(help="Play through git: every commit is a move.", no_args_is_help=True)
    for command in (init, join, move, draw, check, log, hook):
        app.command(command.__name__)(command)
    return app
