"""Mail in and mail out, once or forever: read the mailbox, process each mail, send the outbox."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from datetime import datetime
from typing import Final, NamedTuple

from pbem import files, interrupts
from pbem.carriers.mail.incoming import mailbox as inbox
from pbem.carriers.mail.incoming.mailbox import Inbox
from pbem.carriers.mail.outgoing import delays as overdue
from pbem.carriers.mail.outgoing import outbox
from pbem.carriers.mail.outgoing.outbox import Sent
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.strangers import answers, tally
from pbem.carriers.mail.take import games_named, take
from pbem.carriers.rounds import later
from pbem.club.deadlines import Ticked, tick_all
from pbem.club.status import unreadable
from pbem.errors import NotUnderstood, PbemError, TryAgain, UsageError
from pbem.table.messages.verdict import Verdict

LONGEST_PAUSE: Final = 300.0  # seconds between two attempts to reach a server that is away


class MailRun(NamedTuple):
    """The result of one look into the mailbox: a verdict for each mail, the number left for later, and what went wrong.

    *did* is what the clock has done, a line each; *older* the number of mails that are not touched because they are
    older than the club, if that is news. The mailbox was *looked* through to its end.
    """

    verdicts: tuple[Verdict, ...] = ()
    later: int = 0
    did: tuple[str, ...] = ()
    sent: Sent = Sent()
    troubles: tuple[PbemError, ...] = ()
    older: int = 0
    looked: bool = False

    @property
    def codes(self) -> dict[str, int]:
        """The number of mails with each verdict."""
        return dict(Counter(verdict.code for verdict in self.verdicts))


def run_once(club: MailClub, now: datetime | None = None, *, today: datetime | None = None) -> MailRun:
    """Process all mail that waits and is not older than the club, tick if *now* is given, and send.

    Without *now*, letters to strangers count for the day *today*.
    """
    try:
        with inbox.opened(club) as box:
            return _round(club, box, now, now or today, first=True)
    except TryAgain as trouble:
        return _with_sent(club, MailRun(troubles=(trouble,)))


def watched(club: MailClub, poll: float) -> Iterator[MailRun]:
    """Yield a round whenever mail may have come, at least every *poll* seconds.

    A server that ends a connection on which mail was waited for, as many do after half an hour or when a token expires,
    is called again at once and nothing is said of it. After other trouble the next attempt comes after *poll* seconds,
    and then after twice the time each, up to ``LONGEST_PAUSE``. A file that is not there, such as one with a password,
    is such trouble too. Raises UsageError, NotUnderstood if the settings cannot be used when it begins.
    """
    import time
    from datetime import UTC

    begun, failures = False, 0
    while True:
        waited = False
        try:
            with inbox.opened(club) as box:
                first = True
                while True:
                    now = datetime.now(UTC).replace(microsecond=0)
                    yield _round(club, box, now, now, first=first)
                    begun, first = True, False
                    box.wait(poll)
                    waited, failures = True, 0
        except PbemError as trouble:
            if not begun and isinstance(trouble, UsageError | NotUnderstood):  # the settings: only a person mends them
                raise
            if waited:
                continue
            yield _with_sent(club, MailRun(troubles=(trouble,)))
            time.sleep(min(poll * 2**failures, max(poll, LONGEST_PAUSE)))
            failures = min(failures + 1, 10)


def clocked(
    club: MailClub, now: datetime, *, release: bool = False, but: Collection[str] = ()
) -> tuple[tuple[Ticked, ...], tuple[PbemError, ...]]:
    """Tick in every game except *but*, and in the outbox; return what was done, and what went wrong.

    The clock stands in a game of which a letter cannot be sent: whom it would warn has to read that.
    """
    done: list[Ticked] = []
    troubles: list[PbemError] = []
    steps: tuple[Callable[[], None], ...] = (
        # This keeps what was done before an error.
        lambda: done.extend(tick_all(club, now, release=release, but={*but, *overdue.games_of_letters(club, now)})),
        lambda: overdue.look(club, now),
        lambda: answers.forget(club, now),
    )
    for step in steps:
        try:
            step()
        except (PbemError, OSError) as error:  # the other steps go on
            troubles.append(_trouble(error))
    return tuple(done), (*(each.error for each in done if each.error), *troubles)


def _news_of_older(club: MailClub, mailbox: str, older: int, troubles: list[PbemError]) -> int:
    """Return how many mails are older than the club, 0 if the host knows about them already."""
    try:
        return older if tally.is_news(club, mailbox, older) else 0
    except PbemError as error:  # mail can be processed all the same
        troubles.append(error)
        return older


def _round(club: MailClub, box: Inbox, now: datetime | None, today: datetime | None, *, first: bool) -> MailRun:
    """Process all mail that waits, tick, and send; the *first* time also count the mails that are older than the club.

    The clock ticks after the mail was read, with the time before that, so that it
    never decides for a player who answered in time. It stops while the mailbox, or
    a mail in it, cannot be read, and in a game of which a mail cannot be processed
    now, or a letter not be sent; trouble in another game does not stop it.
    """
    verdicts: list[Verdict] = []
    troubles: list[PbemError] = []
    unread: set[str] = set()
    later, older, looked = 0, 0, True
    try:
        if first:
            older = _news_of_older(club, box.name, box.older(), troubles)
        for raw, done, junk, size in box.mails():
            try:
                verdict = take(club, raw, today, junk, size)
            except Exception as error:
                later += 1
                troubles.append(_trouble(error))
                unread |= games_named(club, raw)
                continue
            verdicts.append(verdict)
            try:
                done()
            except PbemError as error:  # it is read again, and recognised
                troubles.append(error)
            interrupts.go_on()
    except KeyboardInterrupt:
        if not verdicts:
            raise
        return _with_sent(club, MailRun(tuple(verdicts), later, troubles=tuple(troubles)))
    except PbemError as lost:
        troubles.append(lost)
        now, looked = None, False
    ticked, wrong = clocked(club, now, but=unread) if now else ((), _unreadable(club) if looked else ())
    did = tuple(f"{game.game}: {what}" for game in ticked for what in game.what)
    return _with_sent(
        club, MailRun(tuple(verdicts), later, did, Sent(), (*troubles, *wrong), older, looked and not later)
    )


def _unreadable(club: MailClub) -> tuple[PbemError, ...]:
    """Return what is wrong with games that cannot be read, as a tick would find out."""
    try:
        return tuple(unreadable(club))
    except (PbemError, OSError) as error:
        return (_trouble(error),)


def _trouble(error: Exception | KeyboardInterrupt) -> PbemError:
    if isinstance(error, KeyboardInterrupt):
        return TryAgain("interrupted", hint="the next run processes what is left in the mailbox and in the outbox")
    if isinstance(error, OSError):
        return files.unexpected(error)
    return error if isinstance(error, PbemError) else later(error)


def _with_sent(club: MailClub, round_: MailRun) -> MailRun:
    """Send the outbox, whatever happened to the mail in, but nothing after a signal to stop; return the whole round."""
    try:
        interrupts.go_on()
        sent = outbox.send(club)
        trouble = outbox.raised(sent)
    except (PbemError, OSError, KeyboardInterrupt) as error:
        sent, trouble = Sent(), _trouble(error)
        with suppress(OSError):
            sent = Sent(left=len(outbox.waiting(club)))
    return round_._replace(sent=sent, troubles=round_.troubles + ((trouble,) if trouble is not None else ()))
