"""The way of a move through git: pull, judge, write, commit, push. Whatever fails, nothing is lost or half done."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pbem import files, game_files, interrupts, rulings, secrets
from pbem.errors import NotAllowed, NotYourTurn, PbemError, UsageError
from pbem.first_sparks import chance
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.record import Record, audit, carried_on
from pbem.first_sparks.state import CHANCE
from pbem.git import template
from pbem.git.clone import (
    Clone,
    Look,
    check_committed,
    check_known,
    check_unlocked,
    commit,
    drop,
    open_clone,
    pull,
    push,
)
from pbem.git.history import CommitNews, since
from pbem.git.judges import Reader
from pbem.git.signing import ALLOWED_SIGNERS, HOST, check_signature
from pbem.loading import GameFile, Submission
from pbem.report import text_for
from pbem.rulings import Ruling


class Pushed(NamedTuple):
    """A move that was made: the game file, what was pulled, the log lines before it, the record; its commit.

    ``suspect`` are the commits among those pulled that are no move, ``waited``
    the lines of what was committed here before and is sent only now.
    """

    path: Path
    pulled: tuple[str, ...]
    suspect: tuple[CommitNews, ...]
    waited: tuple[str, ...]
    before: int
    record: Record
    subject: str
    commit: str
    remote: str


def move(game: str, submission: Submission, key: str = "", warn: Callable[[str], None] = lambda _: None) -> Pushed:
    """Make a player's move. Draws follow it if the game shows its secret; else they are the host's.

    Not every server refuses what is no move: *warn* is told of it, and we go on.
    """

    def judged(file: GameFile) -> Ruling:
        draw = secrets.draws_of(file.record, file.path) if file.record.chance.secret else None
        return rulings.judge(file.record, submission, draw)

    def heed(suspect: tuple[CommitNews, ...]) -> None:
        warn(f"warning: {_suspicion(suspect)}")

    return _send(game, judged, key, heed)


def draw(game: str, secret: Path | None, key: str = "") -> Pushed:
    """Answer for chance, as the keeper of the secret; raises NotAllowed if what comes in is no move."""

    def drawn(file: GameFile) -> Ruling:
        held = secrets.read_secret(file.record, secret or secrets.secret_path(file.path))
        draws = chance.source(file.record.game, held)
        audit(file.record, held)
        if who_decides(file.record.state) != CHANCE:
            raise NotYourTurn("chance is not asked now")
        return Ruling(*carried_on(file.record, draws))

    def heed(suspect: tuple[CommitNews, ...]) -> None:
        hint = "it must go; or if it is right, git pull --ff-only, and draw again"
        raise NotAllowed(f"{_suspicion(suspect)}, and nothing is drawn after it", hint=hint)

    return _send(game, drawn, key, heed)


def _suspicion(suspect: tuple[CommitNews, ...]) -> str:
    """Return the words for commits that are no moves, the oldest of which is last."""
    first = suspect[-1]
    more = f" (pbem git log names {len(suspect) - 1} more)" if len(suspect) > 1 else ""
    return f"commit {first.commit[:10]} by {first.author} is no move, {first.wrong}{more}"


def _send(
    name: str, judged: Callable[[GameFile], Ruling], key: str, heed: Callable[[tuple[CommitNews, ...]], None]
) -> Pushed:
    """Make what *judged* makes of the game; *heed* is told of the commits that come in and are no move."""
    clone = open_clone(Path())
    check_known(clone.folder)
    came: list[CommitNews] = []

    def look(old: str, new: str) -> None:
        with clone.objects() as objects:
            told = since(objects, old, new, Reader(name))
        came.extend(told)
        suspect = tuple(one for one in told if one.wrong)
        if suspect:
            heed(suspect)

    path = clone.folder / name
    with files.locked(path):
        page = clone.folder / template.README
        check_unlocked(clone)
        check_committed(clone, [name, template.README])
        pull(clone, look)
        waited, unsent = _send_waiting(clone, name, look)
        tip, names = clone.commit_of("HEAD"), [name]
        pulled = tuple(line for one in reversed(came) for line in one.lines or ())
        try:
            with game_files.opened(path) as file:
                before, ruling = file.record, judged(file)
        except PbemError as error:
            error.message = ", and ".join([*news(pulled, waited), error.message])
            error.hint = unsent or error.hint
            raise
        subject = _subject([str(entry) for entry, _ in ruling.history])
        message, text = _message(subject, ruling.record), template.readme(ruling.record, name)
        if _is_ours(page, before, name):
            names.append(template.README)
        kept = {clone.folder / one: files.read_bytes(clone.folder / one, files.READ_LIMIT) for one in names}
        try:
            game_files.write(file, ruling.record)
            if template.README in names:
                files.replace(page, text)
            who = next((entry.by for entry, _ in ruling.history if entry.by != CHANCE), HOST)
            made = _signed(clone, tip, names, message, key, who)
        except BaseException:
            with interrupts.hold():
                clone.git("reset", "--soft", "--quiet", tip)
                for one, data in kept.items():  # not by git, which fails at the lock that made the commit fail
                    files.replace(one, data)
                clone.git("restore", "--staged", "--", *names)
            raise
        if clone.remote:
            push(clone, tip, look)
            interrupts.done(f"{subject!r} was played and pushed")
    suspect = tuple(one for one in came if one.wrong)
    return Pushed(path, pulled, suspect, waited, len(before.log), ruling.record, subject, made, clone.where)


def _send_waiting(clone: Clone, name: str, look: Look) -> tuple[tuple[str, ...], str]:
    """Send what was committed here and did not get out, if every commit of it is a move.

    Returns its lines, and what to do about a commit that is no move and was not sent. Raises what ``push`` does.
    """
    tip, theirs = clone.commit_of("HEAD"), clone.commit_of(clone.upstream) if clone.remote else ""
    if not theirs or tip == theirs:
        return (), ""
    with clone.objects() as objects:
        told = since(objects, theirs, tip, Reader(name))
    suspect = tuple(one for one in told if one.wrong)
    if suspect or not told:
        return (), f"{_suspicion(suspect)}, and was not sent; {drop(clone)} drops it" if suspect else ""
    push(clone, theirs, look)
    return tuple(line for one in reversed(told) for line in one.lines or ()), ""


def _is_ours(page: Path, record: Record, name: str) -> bool:
    """Return whether the page is ours to write, and not the group's own, whatever that may be."""
    try:
        return template.is_ours(files.read_text(page), record, name)
    except PbemError:
        return False


def _signed(clone: Clone, tip: str, names: list[str], message: str, key: str, who: str) -> str:
    """Commit on the tip, signed where moves are, and return the id; raises NotSigned if that is no key of *who*."""
    with clone.objects() as objects:
        held = objects.entries(objects.commit(tip).tree).get(ALLOWED_SIGNERS)
        key = str(Path(key).expanduser().absolute()) if key else ""
        if held and not (key or clone.git("config", "user.signingkey").line):
            hint = "--key ~/.ssh/id_ed25519, or git config user.signingkey"
            raise UsageError("moves are signed here, and it is not said with which key", hint=hint)
        made = commit(clone, names, message, key=key, signed=held is not None)
        if held:
            signers = objects.read(held.oid, "blob", files.READ_LIMIT, ALLOWED_SIGNERS)
            check_signature(objects.commit(made), signers, who)
    sends = f"; git push {clone.where} {clone.branch} sends it" if clone.remote else ""
    interrupts.done(f"{message.partition(chr(10))[0]!r} is committed here{sends}")
    return made


def news(pulled: tuple[str, ...], waited: tuple[str, ...]) -> list[str]:
    """Return the words for what was pulled, and for what is sent only now."""
    more = f" and {len(pulled) - 1} more" if len(pulled) > 1 else ""
    came = [f"{pulled[-1]}{more} came in just now"] if pulled else []
    return came + ([f"{_subject(list(waited))} had waited here and is sent now"] if waited else [])


def _subject(lines: list[str]) -> str:
    """Return the first order or draw as it is logged, and how many more there are."""
    orders = [line for line in lines if line.split(" ")[1] != CHANCE] or lines
    return orders[0] + (f" and {len(orders) - 1} more" if len(orders) > 1 else "")


def _message(subject: str, record: Record) -> str:
    """Return the message of a commit: what was ordered, what everybody may see of the game now, where it stands."""
    trailers = f"Pbem-Game: {record.game}\nPbem-Turn: {record.turn}\nPbem-Head: {record.head}\n"
    return f"{subject}\n\n{text_for(record, None, unicode=False)}\n{trailers}"
