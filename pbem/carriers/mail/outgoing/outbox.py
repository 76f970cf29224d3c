"""Mail out: letters in the outbox go to an SMTP server, to sendmail, or stay there.

A letter is deleted only after it was accepted, so that it goes out at least once,
and twice is harmless. A letter that is rejected permanently moves to the folder
``.failed``, and the host is notified; one that is rejected for now stays.
"""

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from pbem import files
from pbem.carriers.mail.outgoing import maildir, smtp
from pbem.carriers.mail.outgoing.smtp import TIMEOUT, Hand, Later, Refused
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.tickets import head_of
from pbem.carriers.mail.trouble import in_words
from pbem.errors import NoSuchFile, PbemError, TryAgain
from pbem.formats import shown
from pbem.grammar import plural

_MOST_PASSED_OVER: Final = 3  # letters in a row; then it is the server
LETTER_LIMIT: Final = 8 * 1024 * 1024
# Exit codes of sendmail (sysexits.h) about the letter, not the machine: bad data, no such user, no such host.
_BAD_DATA: Final = 65
_SENDMAIL_REFUSES: Final = (_BAD_DATA, 67, 68)


class Sent(NamedTuple):
    """What became of the outbox: how many letters were accepted, rejected permanently, and left for later, and why.

    *untold* is why a letter to the host was rejected permanently, if one was: nobody can be notified of that by mail.
    """

    sent: int = 0
    failed: int = 0
    left: int = 0
    trouble: str = ""
    untold: str = ""


def waiting(club: MailClub) -> tuple[Path, ...]:
    """Return the queued letters, by game and turn, including those that a mail program has looked at."""
    return _letters(club.outbox)


def refused(club: MailClub) -> tuple[Path, ...]:
    """Return the letters that were rejected permanently, until the host deletes them."""
    return _letters(club.outbox / ".failed")


def retry(club: MailClub, names: Sequence[str] = ()) -> int:
    """Queue letters again that were rejected permanently, all without *names*, and return their number.

    Raises NoSuchFile for a name that no rejected letter has; then no letter is moved.
    """
    with files.locked(club.outbox / "new"):
        found = {path.name: path for path in refused(club)}
        for name in names:
            if name not in found:
                hint = "pbem mail status CLUB lists them"
                raise NoSuchFile(f"no rejected letter is named {name[:80]!a}", path=shown(name), hint=hint)
        chosen = [found[name] for name in names or found]
        for path in chosen:
            count = _retries(club, path.name)
            count.parent.mkdir(mode=0o700, exist_ok=True)
            files.replace(count, "." * (_number_in(count) + 1), mode=0o600)
            path.replace(club.outbox / "new" / path.name)
    return len(chosen)


def _retries(club: MailClub, name: str) -> Path:
    """Return the file that has a dot for each time that a letter was put back, so that each notice is a new one."""
    return club.outbox / ".failed" / "retried" / name


def _number_in(count: Path) -> int:
    return count.stat().st_size if count.exists() else 0


def _letters(maildir: Path) -> tuple[Path, ...]:
    folders = (folder for folder in (maildir / "new", maildir / "cur") if folder.is_dir())
    found = [path for folder in folders for path in folder.iterdir() if path.name[0] != "."]
    return tuple(sorted(found, key=lambda path: path.name))


def send(club: MailClub, *, wait: float = 0) -> Sent:
    """Send the outbox, each letter by itself; raises TryAgain while another process does so.

    Letters that arrive meanwhile go out too, so that a process that finds another
    one at work need not try again: the last look before the lock is released finds none.
    A letter at which the server ends a connection that has carried none is passed over, as a few in a row are: it may
    be because of that letter.
    """
    if club.outgoing.kind == "files" or not waiting(club):
        return Sent(left=len(waiting(club)))
    found, passed_over = Sent(), 0
    tried: set[str] = set()
    with files.locked(club.outbox / "new", wait=wait):
        while letters := tuple(path for path in waiting(club) if path.name not in tried):
            before = found
            try:
                with way(club) as hand:
                    found, stopped = _send_all(club, letters, hand, found, tried)
            except TryAgain as error:
                if before == Sent():
                    raise
                stopped = Later(error.message, all_of_them=True)
            has_carried = (found.sent, found.failed) != (before.sent, before.failed)
            if stopped and not (stopped.again and has_carried):
                found = found._replace(trouble=found.trouble or str(stopped))
                if passed_over == _MOST_PASSED_OVER or not stopped.lost:
                    break
                tried.add(next(path.name for path in letters if path.name not in tried))
            passed_over = passed_over + 1 if stopped and not has_carried else 0
        return found._replace(left=len(waiting(club)))


def _send_all(
    club: MailClub, letters: Sequence[Path], hand: Hand, found: Sent, tried: set[str]
) -> tuple[Sent, Later | None]:
    """Send these letters; return what became of all so far, and why no more can be sent on this connection, if so.

    The names of those that were *tried* are added there.
    """
    for path in letters:
        try:
            letter = _send(club, path, hand)
        except Refused as refused:
            told = _fail(club, path, refused)
            found = found._replace(failed=found.failed + 1, untold=found.untold or ("" if told else str(refused)))
        except Later as later:
            if later.all_of_them:
                return found, later
            found = found._replace(trouble=found.trouble or str(later))
        else:
            found = found._replace(sent=found.sent + 1)
            path.unlink(missing_ok=True)  # at once, so that it is not sent twice
            _retries(club, path.name).unlink(missing_ok=True)
            _note_mended(club, path.name, letter)
        tried.add(path.name)
    return found, None


def _note_mended(club: MailClub, name: str, letter: bytes) -> None:
    """Record that a letter was accepted, if the last one to that player was not."""
    from pbem.carriers.mail.bounces import accepted

    with suppress(PbemError, OSError):  # it was sent all the same
        accepted(club, name, letter)


def _send(club: MailClub, path: Path, hand: Hand) -> bytes:
    """Hand a letter over and return it; raises Refused, or Later."""
    from email.utils import formatdate

    try:
        letter = files.read_bytes(path, LETTER_LIMIT)
    except PbemError as error:
        raise Later(error.message) from None
    head, recipient = head_of(letter)
    if not recipient:
        raise Refused("the letter has no recipient")
    sender = "" if head.get("Return-Path", "").strip() == "<>" else club.address
    # That header is for us, and for the server that delivers the mail. A sent mail must have a date; a stored letter
    # has none, so that the same letter is the same bytes.
    bare = re.sub(rb"\AReturn-Path:[^\n]*\n", b"", letter)
    hand(bare if "Date" in head else f"Date: {formatdate()}\n".encode() + bare, sender, recipient)
    return letter


def _fail(club: MailClub, path: Path, refused: Refused) -> bool:
    """Notify the host and put a letter aside, in this order, so that none is put aside without notice.

    Return False if it was a letter to the host.
    """
    from pbem.carriers.mail.bounces import undeliverable

    letter = files.read_bytes(path, LETTER_LIMIT)
    serial = _number_in(_retries(club, path.name))
    told = undeliverable(club, letter, path.name, str(refused), address=refused.address, serial=serial)
    if told:
        club.put(told)
    aside = club.outbox / ".failed"
    maildir.make(aside)
    path.replace(aside / "new" / path.name)
    return told is not None


@contextmanager
def way(club: MailClub) -> Generator[Hand]:
    """Yield what hands a letter over, to a server or to sendmail; raises TryAgain if the connection fails."""
    if club.outgoing.kind == "sendmail":
        yield lambda letter, sender, _: _sendmail(club.outgoing.program, letter, sender)
        return
    with smtp.opened(club.outgoing, club.address.partition("@")[2]) as hand:
        yield hand


# sendmail


def _sendmail(program: str, letter: bytes, sender: str) -> None:
    import subprocess

    command = [program, "-t", "-i", "-f", sender or "<>"]
    lines = letter.replace(b"\r\n", b"\n")
    try:
        done = subprocess.run(command, input=lines, capture_output=True, timeout=TIMEOUT, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Later(f"{program} cannot be run: {in_words(error)}", all_of_them=True) from None
    if done.returncode in _SENDMAIL_REFUSES:
        why = f"{program} exited with {done.returncode}: {done.stderr.decode('ascii', 'replace')}"
        raise Refused(why.rstrip(": \n"), address=done.returncode != _BAD_DATA)
    if done.returncode:
        raise Later(f"{program} exited with {done.returncode}")


def raised(sent: Sent) -> PbemError | None:
    """Return the error of a command that left letters in the outbox, to be sent another time."""
    if not sent.trouble:
        return None
    message = plural(sent.left, "{n} letter is still queued: {why}", "{n} letters are still queued: {why}")
    return TryAgain(message.format(why=sent.trouble))
