"""The commands ``pbem git ...``: read arguments, call, print."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem import files, formats, loading, report, secrets
from pbem.carriers.git import history, hooks
from pbem.carriers.git import status as git_status
from pbem.carriers.git.judges import Judge
from pbem.carriers.git.player import draws
from pbem.carriers.git.player import move as git_move
from pbem.carriers.git.repository import Objects
from pbem.carriers.git.server import note_accepted
from pbem.carriers.git.verdict import compare, compare_staged
from pbem.cli.arguments import As, JoinSecret, Json, MovePath, NewSecret, Order
from pbem.cli.console import show_report, write_out
from pbem.cli.git import table
from pbem.cli.git.help import guide
from pbem.cli.git.options import (
    GAME,
    GameOption,
    Key,
    Message,
    Secret,
    in_own_language,
    now,
    own_language,
    show_sent,
    warn,
)
from pbem.cli.git.server import answering, hook, pushed, secret_at_hand, tick
from pbem.cli.language import ordered_in, read_in
from pbem.cli.new_game import BoardOption, ChoseIt, Components, HideFood, Seats, SecretDigits
from pbem.errors import CannotCreate, Illegal, NotAllowed, PbemError, UsageError
from pbem.first_sparks.bot.seats import is_bot
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import ChanceKind, Record
from pbem.grammar import listed
from pbem.locale import phrase, phrase_of, speaking, tr
from pbem.table.lines import HOST

if TYPE_CHECKING:
    from pbem.carriers.git.init import Begun


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
    chose_it: ChoseIt = False,
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
    from pbem.carriers.git import init as git_init

    place, seats = _place(folder), game_setup.seats(players)
    _check_people(seats)
    drawn_from = game_setup.secret_from(secret, chance, chosen=chose_it)
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
        from pbem.shared.entry import backup_lines, enter

        entered = enter(record, player, secret)
        record, backup = entered.record, backup_lines("pbem git join", entered)
    begun = git_init.start(
        folder, game, record, drawn_from, keys=_keys(key or [], seats, sealed=chance == "sealed"), action=action
    )
    _show_begun(begun, folder / begun.path.name, record, action, backup, as_json)


def _show_begun(
    begun: "Begun", place: Path, record: Record, action: str, backup: tuple[str, ...], as_json: bool
) -> None:
    """Print what a new repository has, what is left to do, and what brings the secret of the first player back.

    *place* is that of the game file, as the folder was given.
    """
    text = f"created and committed {place}, with {listed(begun.written)}"
    text += "\nnext, push it to where all players can push; they clone it, and its PLAY.md says how to take part"
    if record.chance.kind == "sealed":
        text += f"\n{secrets.secret_path(place)} has all draws to come; keep a copy where no player can read it"
    if not action:
        text += "\nno CI workflow was written; to get one, name a copy of pbem with --action OWNER/REPO@REF"
    elif record.chance.kind == "sealed":
        secret = secrets.secret_path(place)
        text += f"\nthe job that draws needs the secret: gh secret set PBEM_SECRET --env draws < {secret}"
    more: dict[str, Any] = {"commit": begun.commit, "files": [begun.path.name, *begun.written], "game": record.game}
    more |= {"backup": backup[-1].strip()} if backup else {}
    whole = "\n".join((text, *backup))
    show_report(report.done("repository", text.partition("\n")[0], begun.path, whole, **more), as_json)


def _check_people(seats: Sequence[tuple[str, str]]) -> None:
    """Raise UsageError if a bot has a seat."""
    if any(is_bot(name) for _, name in seats):
        hint = "name a person for each seat; bots play in clubs, and with pbem play --bots"
        raise UsageError("no bot plays in a repository, so the game would wait for it", hint=hint)


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
    text: Message = "",
    key: Key = "",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Pull, play a move, commit it, and push it.

    If somebody else moved first, nothing is lost. Your plan, which stays in this clone, answers what you are asked
    next; without an order it answers what you are asked now.
    """
    by_plan = loading.Submission((), player=player)
    submission = by_plan
    if said or order:
        submission = ordered_in(own_language(), loading.submission_of(said, order, player))
    show_sent(git_move.move(game, submission, key, warn(), text), as_json)


def join(
    player: As = "", secret: JoinSecret = "", key: Key = "", game: GameOption = GAME, as_json: Json = False
) -> None:
    """Pull, join a shared game, commit, and push.

    Your secret is kept on this machine, in your data folder. The line that is printed at the end brings it back.
    """
    from pbem.carriers.git.player import entry
    from pbem.shared.entry import backup_lines

    joined = entry.join(game, player, secret, key, warn())
    told, line = backup_lines("pbem git join", joined.entered)
    restored = phrase("your secret for {game} is kept again", game=joined.entered.record.game)
    said = restored if joined.entered.restored else ""
    show_sent(joined.pushed, as_json, said, (tr(told), line), backup=line.strip())


def draw(
    secret: Secret = None,
    key: Key = "",
    reveal: Annotated[bool, typer.Option("--reveal", help="When the game is over, publish the secret.")] = False,
    player: As = "",
    new_secret: NewSecret = False,
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Pull, draw what is due, commit, and push.

    In a sealed game, the keeper of the secret draws. In a shared game, the player who is awaited does; if that
    player is asked next, the draw is committed with the order. If no draw is due, nothing is printed.
    """
    sent = None
    if new_secret:
        from pbem.carriers.git.player import entry
        from pbem.shared.entry import backup_lines, renewed

        sent = entry.renew(game, player, key, warn())
        told, line = backup_lines("pbem git join", renewed(sent.record, sent.judged.player))
        show_sent(sent, as_json, "", (tr(told), line), backup=line.strip())
        return
    try:
        sent = draws.draw(game, secret, key, player)
    except draws.NothingToDo as why:
        if not reveal:
            _show_nothing(str(why), game, as_json)
    if reveal and (sent is None or isinstance(sent.record.state.phase, Ended)):
        try:
            sent = draws.reveal(game, secret, key)
        except (draws.NothingToDo, Illegal) as why:
            _show_nothing(str(why), game, as_json)
    if sent is not None:
        show_sent(sent, as_json)


def reveal(secret: Secret = None, key: Key = "", game: GameOption = GAME, as_json: Json = False) -> None:
    """Pull, publish the secret, commit, and push.

    This is for a sealed game that is over: then everybody can audit the draws. If the secret is published already,
    nothing is printed.
    """
    try:
        show_sent(draws.reveal(game, secret, key), as_json)
    except draws.NothingToDo as why:
        _show_nothing(str(why), game, as_json)


def _show_nothing(why: str, game: str, as_json: bool) -> None:
    """Say in JSON alone that there is nothing to do: a job that is called again and again prints nothing."""
    if as_json:
        show_report(report.done("nothing-to-do", why, Path(game)), as_json, done=False)


def status(player: As = "", game: GameOption = GAME, as_json: Json = False) -> int:
    """Say in one line whose turn it is in this clone.

    The exit status is 0 if you are asked to move or to agree, or without a player if anybody is asked to move, and
    else 1. Nothing is fetched.
    """
    found, line = git_status.status(game, player, now())
    away = [{"player": colour, "until": each.until, "substitute": each.substitute} for colour, each in found.absences]
    data = found._asdict() | {"absences": away}
    show_report(report.done("status", line, Path(game), "", **data), as_json, done=False)
    return 0 if found.mine else 1


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
    try:
        with Objects() as objects:
            secret = secret or secret_at_hand(objects, game)
            checker = Judge(game, "checker", signed, secret, now())
            if pushed:
                told = files.read_stdin(hooks.PUSHED_LIMIT)
                with answering(objects, told, game):
                    steps = hooks.pushed(objects, told, checker._replace(role="server"))
                if steps:
                    note_accepted(objects.git_dir, steps[-1].commit)
            else:
                base = objects.commit_id(old) if old.strip("0") else ""
                with read_in(own_language()), speaking("en"):  # a player who commits by hand; pages are English
                    one = (compare_staged(objects, checker),) if staged else None
                    steps = one or compare(objects, base, objects.commit_id(new), checker)
    except PbemError as error:
        if annotate:
            said = _annotation(game if not isinstance(error, NotAllowed) else error.path or game, error)
            write_out(said, done=False)
        raise
    lines = [f"{step.commit[:10]} {step.by}: {step}".lstrip() for step in steps]
    message = phrase_of(len(steps), "{n} move checked, and it is valid", "{n} moves checked, all valid")
    kept = ("commit", "by", "deleted", "joined")
    data = [
        {key: getattr(step, key) for key in kept} | {"log": list(step.lines), "spoken": list(step.spoken)}
        for step in steps
    ]
    with speaking("en" if as_json else own_language()):
        text = "\n".join((*lines, tr(message)))
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
        reader = Judge(game, "reader", secret=secret_at_hand(objects, game), now=now())
        told, older = history.history(objects, name, reader)
    note = phrase("for older commits: {command}", command=older) if older else ""
    text = "\n".join((*map(str, told), *([tr(note)] if note else ())))
    show_report(
        report.done("told", note, Path(game), text, commits=[one._asdict() for one in told]), as_json, done=False
    )


def _annotation(path: str, error: PbemError) -> str:
    """Return what GitHub shows beside a file, escaped so that nothing in it is taken for another command."""

    def escaped(text: str, signs: str) -> str:
        return re.sub(f"[{signs}]", lambda found: f"%{ord(found[0]):02X}", text)

    reasons = "".join(f"\n- {reason.message}" for reason in error.reasons)
    said = escaped(f"{error.message}{reasons}", "%\r\n")
    place = escaped(path, "%\r\n:,")
    return f"::error file={place},title={error.code}::{said}\n"


def _keys(said: list[str], seats: tuple[tuple[str, str], ...], *, sealed: bool) -> dict[str, tuple[str, str]]:
    """Return the name and text of a public key file by colour, or by ``host``.

    A player may be called Host. In a sealed game, where the host has a key too, the colour names that player.
    """
    called = {HOST: HOST} | {name.casefold(): c for c, name in seats} | {colour: colour for colour, _ in seats}
    if sealed:
        called[HOST] = HOST
    keys: dict[str, tuple[str, str]] = {}
    for pair in said:
        who, _, name = pair.partition("=")
        if who.casefold() not in called or not name:
            message = "a key must be given as PLAYER=FILE or host=FILE, for a player of this game"
            raise UsageError(message, hint="for example: --key Ann=ann.pub")
        keys[called[who.casefold()]] = (name, files.read_text(Path(name), 1 << 14))
    return keys


_COMMANDS: Sequence[Callable[..., object]] = (
    *(init, join, move, draw, reveal, status, check, log),
    *table.COMMANDS,
    *(hook, pushed, tick),
)
_FOR_HOSTS = (init, check, hook, pushed, tick)


def family() -> typer.Typer:
    """Return the commands."""
    app = typer.Typer(help="Play through git: every commit is a move.", no_args_is_help=True)
    for command in _COMMANDS:
        shown = command if command in _FOR_HOSTS else in_own_language(command)
        app.command(command.__name__.replace("_", "-"))(shown)
        if command is table.disagree:
            app.command("object")(shown)
    app.command("help")(in_own_language(guide))
    return app
