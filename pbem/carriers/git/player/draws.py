"""Draws through git: by the keeper of a sealed game, or by the player whose value is due in a shared one."""

from pathlib import Path

from pbem import secrets
from pbem.carriers.git.player.send import Judgement, Pushed, Tip, send
from pbem.errors import NoSuchFile
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.play import carried_on, opened, waits_for
from pbem.first_sparks.proof import audit
from pbem.first_sparks.record import SHARED, Record
from pbem.first_sparks.state import CHANCE
from pbem.rulings import Ruling
from pbem.shared.chains import OwnChains
from pbem.table.motions import check_goes_on


class NothingToDo(Exception):
    """The keeper of a secret has nothing to do now: no draw is due, or the secret is published."""


def draw(game: str, secret: Path | None, key: str = "", player: str = "") -> Pushed:
    """Answer for chance, as the keeper of the secret; raises NotAllowed if an incoming commit is not a legal move.

    In a shared game the *player* of this clone draws, if it waits for that. Raises NothingToDo if no draw is due.
    """

    def drawn(tip: Tip) -> Judgement:
        record = tip.point.record
        if record.chance.kind == SHARED:
            check_goes_on(tip.minutes)
            return _opening(record, tip.player(player))
        due = who_decides(record.state) == CHANCE
        try:
            held = secrets.read_secret(record, secret or secrets.secret_path(tip.point.game.path))
        except NoSuchFile as missing:
            raise missing if due else NothingToDo("no draw is due") from None
        draws = secrets.draws_from(record.game, lambda: held)
        audit(record, held)
        if not due:
            raise NothingToDo("no draw is due")
        return Judgement(Ruling(*carried_on(record, draws)))

    return send(game, drawn, key)


def reveal(game: str, secret: Path | None, key: str = "") -> Pushed:
    """Publish the secret of a game that is over, as its keeper; raises Illegal before the end.

    Raises NothingToDo if it is published, and NotAllowed like ``draw``.
    """

    def revealed(tip: Tip) -> Judgement:
        record = tip.point.record
        if record.chance.secret:
            raise NothingToDo("the secret is published already")
        path = secret or secrets.secret_path(tip.point.game.path)
        return Judgement(Ruling(secrets.published_from(record, path), ()))

    return send(game, revealed, key)


def _opening(record: Record, who: str) -> Judgement:
    """Return what follows when a player draws in a shared game; if that player is asked next, it is only seen."""
    if record.opener != who:
        raise NothingToDo(waits_for(record) or "no draw is due")
    after, history = opened(record, who, OwnChains())
    return Judgement(Ruling(after, history), (), who, seen=who_decides(after.state) == who)
