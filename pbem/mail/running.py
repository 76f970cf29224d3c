"""Mail in and mail out, once or for ever: read the mailbox, take each mail, send the outbox."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from pbem.errors import PbemError, TryAgain
from pbem.mail import inbox, outbox
from pbem.mail.club import Club
from pbem.mail.inbox import Inbox
from pbem.mail.outbox import Sent
from pbem.mail.take import take


class Round(NamedTuple):
    """What one look into the mailbox came to: mails by their verdict, those left for later, and what went wrong."""

    codes: dict[str, int]
    later: int
    sent: Sent
    troubles: tuple[PbemError, ...]

    @property
    def taken(self) -> int:
        """The number of mails that were dealt with."""
        return sum(self.codes.values())


def run_once(club: Club) -> Round:
    """Take every mail that waits, and send; a mail that cannot be taken now keeps no other one waiting."""
    with inbox.opened(club) as box:
        return _round(club, box)


def watched(club: Club, poll: float) -> Iterator[Round]:
    """Yield a round whenever mail may have come, at least every *poll* seconds, and tick the clock each time."""
    while True:
        try:
            with inbox.opened(club) as box:
                while True:
                    wrong = _tick(club)
                    round_ = _round(club, box)
                    yield round_._replace(troubles=wrong + round_.troubles)
                    box.wait(poll)
        except TryAgain as trouble:  # the connection is lost: another one, after a while
            import time

            yield Round({}, 0, Sent(), (trouble,))
            time.sleep(poll)


def _round(club: Club, box: Inbox) -> Round:
    codes: Counter[str] = Counter()
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
        else:
            codes[verdict.code] += 1
            done()
    sent = Sent()
    try:
        sent = outbox.send(club)
        trouble = outbox.raised(sent)
    except PbemError as error:
        trouble = error
    troubles += [trouble] if trouble is not None else []
    return Round(dict(codes), later, sent, tuple(troubles))


def _tick(club: Club) -> tuple[PbemError, ...]:
    """Do what is due now in every game, and return what went wrong."""
    from datetime import UTC, datetime

    from pbem.mail.ticks import tick_all

    return tuple(done.error for done in tick_all(club, datetime.now(UTC).replace(microsecond=0)) if done.error)
