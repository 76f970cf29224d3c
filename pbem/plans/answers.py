"""Answers for which nobody has to be asked: those of plans, and those of bots."""

from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Final, NamedTuple, cast

from pbem.errors import PbemError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.bot.seats import is_bot
from pbem.first_sparks.moves import AgreeEnd, Move
from pbem.first_sparks.play import DrawSource, played
from pbem.first_sparks.record import History, Record
from pbem.first_sparks.state import CHANCE
from pbem.plans.intents import MOST_ANSWERS, Ahead, By, Intent, Intents, Moment, Waits, answered_at, said_ahead


class Onward(NamedTuple):
    """A game after the answers that nobody had to be asked for, what happened, and the plans with what they answered.

    *answers* are all of them: the colour, the order, and who or what gave it.
    """

    record: Record
    history: History
    kept: dict[str, Intent]
    answers: tuple[tuple[str, str, By], ...] = ()


# Returns what the clan that decides does in the game, None if it is not a bot.
BotMoves = Callable[[Record, str], Move | None]


def bot_seats(record: Record) -> tuple[str, ...]:
    """Return the colours of the bots at the table, in seating order."""
    return tuple(colour for colour, name in record.players if is_bot(name))


def bots_in(seats: Collection[str]) -> BotMoves:
    """Return what bots decide in these seats; the name of a game is their seed, so that they always decide the same."""

    def decided(record: Record, colour: str) -> Move | None:
        if colour not in seats:
            return None
        from pbem.first_sparks.bot.decide import decide

        return decide(record.state, colour, record.game)

    return decided


_NO_BOTS: Final = bots_in(())


def never(_market: int) -> None:
    """Return that plans do not wait."""
    return


def played_on(
    record: Record,
    kept: Intents,
    draw: DrawSource | None,
    bots: BotMoves = _NO_BOTS,
    waits: Waits = never,
    *,
    keeps_secret: bool = False,
) -> Onward:
    """Return the game after all answers for which nobody has to be asked: those of plans, and those of *bots*.

    Before an answer of a plan that *waits*, the game waits too.

    Each is played as if its owner had sent it. After an agreement to end the game nothing is played, since any move
    would cancel the agreement. Plans that cannot be read or played answer nothing, and their owners are asked: a
    move of somebody else must not fail because of them, nor tell that there are any. A caller that *keeps_secret* of
    the draws can try again when it can be read: that raises NoSuchFile, so that nothing is played by halves.
    """
    after, history = dict(kept), cast("History", ())
    answers: list[tuple[str, str, By]] = []
    ahead: dict[str, Ahead] = {}
    while (colour := who_decides(record.state)) not in (None, CHANCE) and not record.state.agreed:
        assert colour is not None
        if colour not in ahead:
            ahead[colour] = said_ahead(record, colour, after.get(colour, Intent()))
        planned = ahead[colour].answer(record)
        if ahead[colour].waits(planned, record, waits):
            break
        move, by_plan = planned.move, planned.move is not None
        if move is None:
            move = bots(record, colour)
        if move is None:
            break
        try:
            record, steps = played(record, colour, move, draw)
        except PbemError:  # the secret is not here, and the answer needs a draw
            if keeps_secret:
                raise
            break
        history += steps
        by: By = "bot" if not by_plan else "plan" if ahead[colour].early is None else "early"
        answers.append((colour, str(move), by))
        if by_plan:
            mark, intent = Moment(len(record.log), record.head, steps[0][0].turn), after[colour]
            if ahead[colour].early is not None:  # it was for one question
                ahead[colour] = ahead[colour]._replace(early=None)
                after[colour] = intent._replace(played=(*intent.played, mark)[-MOST_ANSWERS:])
            else:
                after[colour] = answered_at(intent, mark)
    return Onward(record, history, after, tuple(answers))


def agreeing(record: Record, seats: Collection[str], draw: DrawSource | None, bots: BotMoves) -> Onward:
    """Return the game after the bots have answered to an agreement to end it; nothing is planned in it.

    Those in *seats* of their own agree once all people have. A bot that has to decide before that plays on, which
    cancels the agreement.
    """
    state, decides = record.state, who_decides(record.state)
    if not state.agreed or decides is None:
        return Onward(record, (), {})
    playing = [clan.colour for clan in state.clans if not clan.resigned]
    if all(colour in seats or colour in state.agreed for colour in playing):
        orders: list[tuple[str, Move]] = [(colour, AgreeEnd()) for colour in playing if colour not in state.agreed]
    else:
        move = bots(record, decides)
        orders = [(decides, move)] if move is not None else []
    history, answers = cast("History", ()), list[tuple[str, str, By]]()
    with suppress(PbemError):
        for colour, move in orders:
            record, steps = played(record, colour, move, draw)
            history += steps
            answers.append((colour, str(move), "bot"))
    return Onward(record, history, {}, tuple(answers))


def is_ready(record: Record, kept: Intents, bots: BotMoves = _NO_BOTS) -> bool:
    """Return whether the next answer has been said ahead for this phase or question, or is a bot's."""
    colour = who_decides(record.state)
    if colour in (None, CHANCE) or record.state.agreed:
        return False
    planned = said_ahead(record, colour, kept.get(colour, Intent())).answer(record)
    return not planned.why.always if planned.move is not None else bots(record, colour) is not None
