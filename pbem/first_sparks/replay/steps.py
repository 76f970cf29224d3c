"""A game turn by turn: its news, and what there was to see after it.

A step is a turn with all draws and forced decisions that follow it; step 0 is
the game before the first turn. Hidden food is None until the game is over, so that
nothing that is made from steps can reveal it.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from pbem.first_sparks import events
from pbem.first_sparks.adjudicator import Entry, who_decides
from pbem.first_sparks.briefing.board.view import members_by_clan
from pbem.first_sparks.briefing.duties import duty_of, told
from pbem.first_sparks.briefing.headings import PREPARATION, STAGES, stage_of, stage_text
from pbem.first_sparks.briefing.news import sentences
from pbem.first_sparks.briefing.question import decider
from pbem.first_sparks.briefing.result import why_won
from pbem.first_sparks.briefing.words import counted, stance
from pbem.first_sparks.components import FOODS
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import History, Record, at_line
from pbem.first_sparks.rules.preparation import refill_numbers, tiles_in_play
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.first_sparks.secrecy import hides_food
from pbem.first_sparks.state import Clan, GameState
from pbem.grammar import capital
from pbem.locale import tr
from pbem.page.glue import unglued

Fact = str | int | None | tuple[str, ...] | tuple[int, ...]


class Told(NamedTuple):
    """A sentence of the news, and its round (0 before the first) and phase."""

    round: int
    stage: str
    text: str


class Turn(NamedTuple):
    """A step: its number, its news, the state after it, and what there is to see of it.

    *facts* are, by key: ``round``; ``place`` and ``waits``, where the game stands and for whom it waits, in words;
    ``why`` the winners have won, in words, empty before the end; ``tiles`` on the board; ``order``, the colours;
    ``harvest`` and ``refill``, tokens by food in the order of FOODS;
    ``current`` and ``future``, the market's cards; ``crop``, a card; ``shuffle`` above the market, 1 or 0; ``pile`` in
    words; and for each clan, with a colon and its colour: ``members``, its spaces; ``cards``; ``food``, None if
    hidden; ``income``, what its last harvest was worth, None before the first; ``note`` in words, of who has won,
    resigned or agreed to the end.
    """

    number: int
    told: tuple[Told, ...]
    state: GameState
    facts: dict[str, Fact]


def turns(record: Record, last: int | None = None) -> tuple[Turn, ...]:
    """Return the steps of a game up to the turn *last*, or all, as far as they are public."""
    is_over = isinstance(record.state.phase, Ended)
    found: list[Turn] = []
    income: dict[str, int] = {}
    stage = PREPARATION
    for number, history in _histories(record):
        if last is not None and number > last:
            break
        state = history[-1][1] if history else at_line(record, 0).state
        told, stage = _told(history, found[-1].state.round if found else 0, stage)
        for _, after in history:
            income |= {event.clan: event.harvested for event in after.events if isinstance(event, events.Hunted)}
        found.append(Turn(number, told, state, _facts(state, income, is_over)))
    return tuple(found)


def changes(facts: dict[str, Fact], before: dict[str, Fact]) -> dict[str, Fact]:
    """Return the facts that have changed."""
    return {key: fact for key, fact in facts.items() if key not in before or fact != before[key]}


def _histories(record: Record) -> Iterator[tuple[int, History]]:
    """Yield every turn with its lines of the log; turn 0 too if it has none."""
    if not record.history or record.history[0][0].turn:
        yield 0, ()
    for number, lines in groupby(record.history, key=_turn_of):
        yield number, tuple(lines)


def _turn_of(line: tuple[Entry, GameState]) -> int:
    return line[0].turn


def _told(history: History, number: int, stage: str) -> tuple[tuple[Told, ...], str]:
    """Return the news of a step that begins in that round and phase, and the phase in which it ends."""
    told: list[Told] = []
    for event, sentence in sentences(history):
        number = event.round if isinstance(event, events.RoundBegan) else number
        stage = stage_of(event, number, stage)
        told.append(Told(number, stage, unglued(sentence)))
    return tuple(told), stage


def _facts(state: GameState, income: dict[str, int], is_over: bool) -> dict[str, Fact]:
    """Return what there is to see; everything if the game *is_over*."""
    market, pile = state.market, state.pile
    cards = tr("{cards}, the Shuffle card among them") if pile.shuffle else "{cards}"
    facts: dict[str, Fact] = {
        "round": state.round,
        "place": _place(state),
        "waits": _waits(state),
        "why": unglued(why_won(state)) if isinstance(state.phase, Ended) else "",
        "tiles": len(state.board.tiles),
        "order": state.order,
        "harvest": tuple(state.harvest.of(food) for food in FOODS),
        "refill": _refill(state),
        "current": market.current,
        "future": market.future,
        "crop": market.crop,
        "shuffle": int(market.shuffle),
        "pile": cards.format(cards=counted(pile.size, "cards")),
    }
    if state.two_players:  # the neutral clan comes later than the others
        facts[f"members:{NEUTRAL}"] = ()
    facts |= {f"members:{colour}": spaces for colour, spaces in members_by_clan(state).items()}
    for clan in state.clans:
        hidden = not is_over and hides_food(state, clan, None)
        facts |= {
            f"cards:{clan.colour}": tuple(card.number for card in clan.cards),
            f"food:{clan.colour}": None if hidden else clan.food,
            f"income:{clan.colour}": income.get(clan.colour),
            f"note:{clan.colour}": _note(state, clan),
        }
    return facts


def _place(state: GameState) -> str:
    over = isinstance(state.phase, Ended)
    stage = tr("the game is over") if over else stage_text(STAGES[state.step])
    return tr("Round {first}, {phase}").format(first=state.round, phase=stage) if state.round else capital(stage)


def _waits(state: GameState) -> str:
    return unglued(told(duty_of(state).awaited, state, decider(state))) if who_decides(state) else ""


def _refill(state: GameState) -> tuple[str, ...]:
    """Return what the refill adds by food; it is known once the board is complete."""
    players = len(state.clans)
    refill = refill_numbers(state.board, players)
    complete = len(state.board.tiles) == tiles_in_play(players)
    return tuple(f"+{refill.of(food)}" if complete else "" for food in FOODS)


def _note(state: GameState, clan: Clan) -> str:
    if isinstance(state.phase, Ended) and clan.colour in state.phase.winners:
        return tr("shares the victory", "a clan") if state.phase.winners[1:] else tr("wins", "a clan")
    return stance(state, clan)
