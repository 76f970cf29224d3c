"""Mail in and mail out, once or for ever: read the mailbox, take each mail, send the outbox."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from pbem.errors import PbemError, TryAgain
from pbem.mail import inbox, outbox
from pbem.mail.answering import Verdict
from pbem.mail.club import Club
from pbem.mail.inbox import Inbox
from pbem.mail.outbox import Sent
from pbem.mail.take import take

if TYPE_CHECKING:
    from datetime import datetime


class Round(NamedTuple):
    """What one look into the mailbox came to: a verdict a mail, the number left for later, and what went wrong."""

    verdicts: tuple[Verdict, ...]
    later: int
    sent: Sent
    troubles: tuple[PbemError, ...]

    @property
    def codes(self) -> dict[str, int]:
        """The number of mails with each verdict."""
        return dict(Counter(verdict.code for verdict in self.verdicts))


def run_once(club: Club) -> Round:
    """Take every mail that waits, and send; a mail that cannot be taken now keeps no other one waiting."""
    try:
        with inbox.opened(club) as box:
            return _with_sent(club, _taken(club, box))
    except TryAgain as trouble:
        return _with_sent(club, Round((), 0, Sent(), (trouble,)))


def watched(club: Club, poll: float) -> Iterator[Round]:
    """Yield a round whenever mail may have come, at least every *poll* seconds.

    The clock ticks after the mail has been read, with the time before that: who
    has answered in time is not answered for. While there is no way to the mailbox
    it stands still.
    """
    from datetime import UTC, datetime

    while True:
        try:
            with inbox.opened(club) as box:
                while True:
                    now = datetime.now(UTC).replace(microsecond=0)
                    round_ = _taken(club, box)
                    yield _with_sent(club, round_._replace(troubles=round_.troubles + _ticked(club, now)))
                    box.wait(poll)
        except TryAgain as trouble:  # the connection is lost: another one, after a while
            import time

            yield _with_sent(club, Round((), 0, Sent(), (trouble,)))
            time.sleep(poll)


def _taken(club: Club, box: Inbox) -> Round:
    """Take every mail that waits; raises TryAgain when the mailbox is lost."""
    verdicts: list[Verdict] = []
    troubles: list[PbemError] = []
    later = 0
    for raw, done in box.mails():
        try:
            verdict = take(club, raw)
        except Exception as error:
            later += 1
            troubles.append(
                error if isinstance(error, PbemError) else TryAgain(f"a bug of ours, {type(error).__name__}")
            )
            continue
        verdicts.append(verdict)
        try:
            done()
        except PbemError as error:  # it comes again, and is known
            troubles.append(error)
    return Round(tuple(verdicts), later, Sent(), tuple(troubles))


def _with_sent(club: Club, round_: Round) -> Round:
    """Send the outbox, however the mail in fared."""
    try:
        sent = outbox.send(club)
        trouble = outbox.raised(sent)
    except PbemError as error:
        sent, trouble = Sent(), error
    return round_._replace(sent=sent, troubles=round_.troubles + ((trouble,) if trouble is not None else ()))


def _ticked(club: Club, now: "datetime") -> tuple[PbemError, ...]:
    """Do what is due in every game, and return what went wrong."""
    from pbem.mail.ticks import tick_all

    return tuple(done.error for done in tick_all(club, now) if done.error)
