"""A move through git, with the draws before it, the answers of a plan after it, and what the player says with it."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pbem import files, game_files, rulings, secrets
from pbem.carriers.git.identity import known_player_in, player_in
from pbem.carriers.git.player.send import Judgement, Pushed, Tip, send
from pbem.errors import NotYourTurn, PbemError, UsageError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.clans import clan_name, seat_name
from pbem.first_sparks.play import DrawSource, waits_for
from pbem.first_sparks.record import SHARED, Record
from pbem.first_sparks.state import CHANCE
from pbem.loading import Submission
from pbem.locale import phrase
from pbem.rulings import Ruling
from pbem.table.lines import TableLine, line_now, talk_in
from pbem.table.motions import check_goes_on


def move(game: str, submission: Submission, key: str, warn: Callable[[str], None], text: str = "") -> Pushed:
    """Make a player's move. Draws follow it if the game file contains the secret; else they are the host's.

    In a shared game the player draws first what is due. Without an order, the player only sees what came, and it is
    committed with the order; if somebody else is asked, it is committed at once.

    The player's plan, if this clone keeps one, answers what the player is asked next; without an order it answers
    the open question. Raises NotYourTurn if it does not. Not every server refuses illegal commits: *warn*
    gets a message about them, and we go on. The player says the *text* with the move.
    """
    talk = talk_in(text) if text else ()

    def judged(tip: Tip) -> Judgement:
        def spoken(by: str) -> tuple[TableLine, ...]:
            return tuple(line_now(record, by, said, tip.time) for said in talk)

        check_goes_on(tip.minutes)
        record, named, path = tip.point.record, tip.point.seated, tip.point.game.path
        shared = record.chance.kind == SHARED
        draw = secrets.draws_of(record, path) if record.chance.secret or shared else None
        find = known_player_in if submission.orders else player_in
        who = find(tip.clone, tip.point, submission.player, key)
        alias = rulings.player_of(named, submission.named) if submission.named else ""
        given = submission._replace(player=who if submission.orders else _asked(named, who), named=alias)
        after = rulings.judge(record, given, draw if shared else None)
        player = rulings.player_of(record, given.player)
        ruling, answers = _with_answers(record, given, _planned(after.record, path, player), draw)
        if shared and not given.orders and not answers and after.history:
            seen = who_decides(after.record.state) == player
            if seen and talk:
                raise UsageError("you have only drawn, so nothing is said yet", hint="say it with your order")
            return Judgement(after, (), player, seen=seen, said=spoken(player))
        if not ruling.history:
            raise NotYourTurn(
                phrase("no plan in this clone answers for {clan} now", clan=clan_name(record.state.clan(player))),
                hint=phrase("give an order: pbem git move --order ORDER, or plan ahead with pbem plan"),
            )
        return Judgement(ruling, answers, player, said=spoken(player))

    return send(game, judged, key, warn)


def _asked(record: Record, player: str) -> str:
    """Return the colour of the player who is asked now; raises NotYourTurn if none is, or another than *player*."""
    decides = record.asked
    if record.missing:
        raise NotYourTurn(waits_for(record), hint=phrase("a player joins with pbem git join --as PLAYER"))
    if decides is None or decides == CHANCE:
        raise NotYourTurn(phrase("no player has to decide now"))
    if player and rulings.player_of(record, player) != decides:
        names = dict(record.players)
        name, other = names[rulings.player_of(record, player)], seat_name(names[decides], decides)
        raise NotYourTurn(phrase("it is not {player}'s turn; waiting for {other}", player=name, other=other))
    return decides


def _planned(record: Record, path: Path, player: str) -> tuple[str, ...]:
    """Return the answers of the player's plan, if this clone keeps one."""
    if not files.exists(game_files.plans_path(path)):
        return ()
    from pbem.plans.files import orders_of

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
