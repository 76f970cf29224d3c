"""A move through git: pull, judge, write, commit, push. Whatever fails, nothing is lost or half done."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from pbem import files, game_files, interrupts, loading, rulings, secrets
from pbem.errors import NotYourTurn, PbemError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.record import SHARED, DrawSource, Record, waits_for
from pbem.first_sparks.state import CHANCE
from pbem.git import remembered, template
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
    sending,
)
from pbem.git.history import CommitNews, since
from pbem.git.judges import Reader
from pbem.git.own import nobody, player_in, signing_key
from pbem.git.public import public_text
from pbem.git.repository import Held, Objects
from pbem.git.sharing import in_short, is_value
from pbem.git.signing import ALLOWED_SIGNERS, HOST, check_signature
from pbem.grammar import plural
from pbem.loading import GameFile, Submission
from pbem.rulings import Ruling


class Pushed(NamedTuple):
    """A move that was made: the game file, what was pulled, the number of log lines before it, the record, its commit.

    ``suspect`` are the pulled commits that are not moves, ``waited`` the log
    lines of earlier commits that were sent only now, ``planned`` the orders that
    the player's plan gave.
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
    planned: tuple[str, ...] = ()
    player: str = ""


class Judgement(NamedTuple):
    """What is to be committed, and which of it are answers of the plan of *player*."""

    ruling: Ruling
    planned: tuple[str, ...] = ()
    player: str = ""
    subject: str = ""
    seen: bool = False  # only the player sees it, and nothing is committed yet


class Tip(NamedTuple):
    """The commit on which a move is made: the clone, its objects, and the entries of that commit."""

    clone: Clone
    objects: Objects
    held: Mapping[str, Held]


Judging = Callable[[GameFile, Tip], Judgement]


def move(game: str, submission: Submission, key: str = "", warn: Callable[[str], None] = lambda _: None) -> Pushed:
    """Make a player's move. Draws follow it if the game file contains the secret; else they are the host's.

    In a shared game the player draws first what is due. Without an order, the player only sees what came, and it is
    committed with the order; if somebody else is asked, it is committed at once.

    The player's plan, if this clone keeps one, answers what the player is asked next; without an order it answers
    the open question. Raises NotYourTurn if it does not. Not every server refuses illegal commits: *warn*
    gets a message about them, and we go on.
    """

    def judged(file: GameFile, tip: Tip) -> Judgement:
        record = file.record
        shared = record.chance.kind == SHARED
        draw = secrets.draws_of(record, file.path) if record.chance.secret or shared else None
        who = player_in(tip.clone, tip.objects, tip.held, record, submission.player, key)
        if submission.orders and not who:
            raise nobody(record)
        given = submission._replace(player=who if submission.orders else _asked(record, who))
        after = rulings.judge(record, given, draw if shared else None)
        player = rulings.player_of(record, given.player)
        ruling, answers = _with_answers(record, given, _planned(after.record, file.path, player), draw)
        if shared and not given.orders and not answers and after.history:
            return Judgement(after, (), player, seen=who_decides(after.record.state) == player)
        if not ruling.history:
            raise NotYourTurn(
                f"no plan in this clone answers for {record.state.clan(player).player} ({player}) now",
                hint="give an order: pbem git move --order ORDER, or plan ahead with pbem plan",
            )
        return Judgement(ruling, answers, player)

    def heed(suspect: tuple[CommitNews, ...]) -> None:
        warn(f"warning: {suspicion(suspect)}")

    return send(game, judged, key, heed)


def _asked(record: Record, player: str) -> str:
    """Return the colour of the player who is asked now; raises NotYourTurn if none is, or another than *player*."""
    decides = record.asked
    if record.missing:
        raise NotYourTurn(waits_for(record), hint="pbem git join --as PLAYER joins")
    if decides is None or decides == CHANCE:
        raise NotYourTurn("no player has to decide now")
    if player and rulings.player_of(record, player) != decides:
        asked, other = record.state.clan(decides), record.state.clan(rulings.player_of(record, player))
        raise NotYourTurn(f"it is not {other.player}'s turn; waiting for {asked.player} ({decides})")
    return decides


def _planned(record: Record, path: Path, player: str) -> tuple[str, ...]:
    """Return the answers of the player's plan, if this clone keeps one."""
    if not files.exists(game_files.plans_path(path)):
        return ()
    from pbem.ahead.plan_files import orders_of

    return orders_of(record, path, player)


def _with_answers(
    record: Record, given: Submission, answers: tuple[str, ...], draw: DrawSource | None
) -> tuple[Ruling, tuple[str, ...]]:
    """Return the ruling on a submission with as many of the planned answers as can be judged with it, and these.

    A commit is one submission. The others have to wait, as if they had been sent one by one.
    """
    for number in range(len(answers), 0, -1):
        with suppress(PbemError):
            return rulings.judge(record, given._replace(orders=given.orders + answers[:number]), draw), answers[:number]
    return rulings.judge(record, given, draw), ()


def suspicion(suspect: tuple[CommitNews, ...]) -> str:
    """Return the message about commits that are not moves, the oldest of which is last."""
    first, more = suspect[-1], len(suspect) - 1
    said = f"commit {first.commit[:10]} by {first.author} is not a legal move: {first.wrong}"
    return f"{said} (pbem git log shows {more} more)" if more else said


def send(name: str, judged: Judging, key: str, heed: Callable[[tuple[CommitNews, ...]], None]) -> Pushed:
    """Make the move that *judged* returns for the game; *heed* gets the incoming commits that are not moves."""
    clone = open_clone(Path())
    check_known(clone)
    with clone.objects() as objects:
        return _sent(clone, objects, name, judged, key, heed)


def _sent(
    clone: Clone,
    objects: Objects,
    name: str,
    judged: Judging,
    key: str,
    heed: Callable[[tuple[CommitNews, ...]], None],
) -> Pushed:
    """Make the move in the clone; see ``send``."""
    came: list[CommitNews] = []

    def look(old: str, new: str) -> None:
        told = since(objects, old, new, Reader(name))
        came.extend(told)
        if _wrong(told):
            heed(_wrong(told))

    path = clone.folder / name
    with files.locked(path):
        check_unlocked(clone)
        check_committed(clone, [name, template.README])
        tip, theirs = pull(clone, look)
        waited, unsent = _send_waiting(clone, objects, name, (tip, theirs), look)
        pulled = tuple(line for one in reversed(came) for line in one.lines or () if not is_value(line))
        try:
            text = files.read_text(path)
            file = loading.file_in(text, path, sound=remembered.is_known(remembered.form(text)))
            held = objects.entries(objects.commit(tip).tree) if tip else {}
            before, judgement = file.record, judged(file, Tip(clone, objects, held))
            ruling = judgement.ruling
        except PbemError as error:
            error.message = "; ".join([*news(pulled, waited), error.message])
            error.hint = unsent or error.hint
            raise
        told = Pushed(path, pulled, _wrong(came), waited, len(before.log), ruling.record, "", "", clone.where)
        told = told._replace(planned=judgement.planned, player=judgement.player)
        if judgement.seen:
            return told
        subject = judgement.subject or subject_of([str(entry) for entry, _ in ruling.history])
        message, written = message_of(subject, ruling.record), _pages(clone, held, before, ruling.record, name)
        names = [name, *(one.name for one in written)]
        kept = {place: _content(place) for place in (clone.folder / one for one in names)}
        try:
            _note(judgement, path)
            game_files.write(file, ruling.record)
            for page, text in written.items():
                files.replace(page, text)
            who = judgement.player or next((entry.by for entry, _ in ruling.history if entry.by != CHANCE), HOST)
            remembered.remember(remembered.form(files.read_text(path)))
            made = _signed(clone, objects, held, names, message, key, who)
        except BaseException:
            with interrupts.hold():
                clone.git("reset", "--soft", "--quiet", tip)
                for place, data in kept.items():  # not with git, which fails at the lock that made the commit fail
                    if data is None:
                        place.unlink(missing_ok=True)
                    else:
                        files.replace(place, data)
                for one in names:  # git restores none of them if it does not know one
                    clone.git("restore", "--staged", "--", one)
            raise
        if clone.remote:
            push(clone, tip, look)
            interrupts.done(f"{subject!r} was played and pushed")
    return told._replace(suspect=_wrong(came), subject=subject, commit=made)


def _wrong(told: Sequence[CommitNews]) -> tuple[CommitNews, ...]:
    """Return the commits that are not moves."""
    return tuple(one for one in told if one.wrong)


def _note(judgement: Judgement, path: Path) -> None:
    """Note which answers the plan gave, before the game is written: until then the note does not count."""
    if judgement.planned:
        from pbem.ahead.plan_files import note_orders

        note_orders(judgement.ruling.record, path, judgement.player, len(judgement.planned))


def _send_waiting(
    clone: Clone, objects: Objects, name: str, tips: tuple[str, str], look: Look
) -> tuple[tuple[str, ...], str]:
    """Send what was committed here but never pushed, if every commit of it is a move.

    Returns its lines, and a hint about a commit that is not a move and was not pushed. Raises what ``push`` does.
    """
    tip, theirs = tips
    if not theirs or tip == theirs:
        return (), ""
    told = since(objects, theirs, tip, Reader(name))
    suspect = _wrong(told)
    if suspect or not told:
        return (), f"{suspicion(suspect)}; it was not pushed, and {drop(clone)} drops it" if suspect else ""
    push(clone, theirs, look)
    return tuple(line for one in reversed(told) for line in one.lines or () if not is_value(line)), ""


def _pages(clone: Clone, held: Mapping[str, Held], before: Record, after: Record, name: str) -> dict[Path, str]:
    """Return what people read of the game after a move, by path: the README, and once it is over the page of all of it.

    Without what the group has made itself: its own README, or another file in the place of the page.
    """
    readme, place = clone.folder / template.README, clone.folder / template.PAGE
    page, there = template.page(after), place.name in held
    linked = bool(page) and (_content(place) == page.encode() if there else _is_free(place))
    return {
        **({readme: template.readme(after, name, linked=linked)} if _is_ours(readme, before, name) else {}),
        **({place: page} if linked and not there else {}),
    }


def _is_ours(page: Path, record: Record, name: str) -> bool:
    """Return whether pbem may write the README, which else is the group's own."""
    try:
        return template.is_ours(files.read_text(page), record, name)
    except PbemError:
        return False


def _is_free(place: Path) -> bool:
    """Return whether the page of a game can be added where none is committed: the place is empty, or has our page."""
    from pbem.game_page import is_page

    try:
        data = _content(place)
    except PbemError:
        return False
    return data is None or is_page(data[:300])


def _content(path: Path) -> bytes | None:
    """Return the content of a file, None if nothing has that name."""
    return files.read_bytes(path, files.READ_LIMIT) if os.path.lexists(path) else None


def _signed(
    clone: Clone, objects: Objects, held: Mapping[str, Held], names: list[str], message: str, key: str, who: str
) -> str:
    """Commit on the tip, signed if moves are, and return the id; raises NotSigned if the key is not one of *who*."""
    signers = held.get(ALLOWED_SIGNERS)
    key = signing_key(clone, key) if signers else ""
    new = [name for name in names if name not in held]
    commit(clone, names, message, new=new, key=key, signed=signers is not None)
    made = objects.head()
    if signers:
        text = objects.read(signers.oid, "blob", files.READ_LIMIT, ALLOWED_SIGNERS)
        check_signature(objects.commit(made), text, who, again=False)
    subject = message.partition("\n")[0]
    if clone.remote:
        interrupts.done(f"{subject!r} is committed here; {sending(clone)} pushes it")
    else:
        interrupts.done(f"{subject!r} is committed here")
    return made


def news(pulled: tuple[str, ...], waited: tuple[str, ...]) -> list[str]:
    """Return a message about what was pulled, and one about what was pushed only now."""
    told: list[str] = []
    if pulled:
        came = plural(len(pulled), "{last} came in just now", "{last} and {more} more came in just now")
        told.append(came.format(last=pulled[-1], more=len(pulled) - 1))
    if waited:
        told.append(f"your earlier {subject_of(waited)} was pushed")
    return told


def subject_of(lines: Sequence[str]) -> str:
    """Return the first order or draw as it is logged, and how many more there are."""
    known = [line for line in lines if not is_value(line)]
    orders = [line for line in known if line.split(" ")[1] != CHANCE] or known or [in_short(line) for line in lines]
    if not orders:
        return "the secret"
    return plural(len(orders), "{first}", "{first} and {more} more").format(first=orders[0], more=len(orders) - 1)


def message_of(subject: str, record: Record) -> str:
    """Return a commit message: the orders, what everybody may see of the game now, and its place in the game."""
    trailers = f"Pbem-Game: {record.game}\nPbem-Turn: {record.turn}\nPbem-Head: {record.head}\n"
    return f"{subject}\n\n{public_text(record)}\n{trailers}"
