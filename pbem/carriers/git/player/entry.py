"""Joining a shared game through git, and going on with a new secret."""

from collections.abc import Callable
from typing import NamedTuple

from pbem.carriers.git.player.send import Judgement, Pushed, Tip, send
from pbem.rulings import Ruling
from pbem.shared.entry import Entered, drawn, enter
from pbem.table.motions import check_goes_on


class NewPlayer(NamedTuple):
    """The commit by which a player has joined a game, and what only that player may know."""

    pushed: Pushed
    entered: Entered


def join(game: str, player: str, secret: str, key: str, warn: Callable[[str], None]) -> NewPlayer:
    """Join a shared game; see ``enter``. A *secret* in hexadecimal that is brought back makes no commit."""
    done: list[Entered] = []

    def judged(tip: Tip) -> Judgement:
        entered = enter(tip.point.record, tip.player(player), secret)
        done.append(entered)
        subject = f"{dict(entered.record.players)[entered.colour]} ({entered.colour}) joins"
        ruling = Ruling(entered.record, entered.record.history)
        return Judgement(ruling, (), entered.colour, subject, seen=entered.restored)

    return NewPlayer(send(game, judged, key, warn), done[-1])


def renew(game: str, player: str, key: str, warn: Callable[[str], None]) -> Pushed:
    """Go on with a new secret in a shared game; see ``drawn``."""

    def judged(tip: Tip) -> Judgement:
        check_goes_on(tip.minutes)
        who = tip.player(player)
        return Judgement(drawn(tip.point.record, who, renew=True), (), who)

    return send(game, judged, key, warn)
