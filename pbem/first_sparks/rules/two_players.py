"""2 players: fewer cards, a neutral clan, and a first offer that may be discarded.

The neutral clan neither eats nor starves, has no place in the player order and cannot win.
"""

from collections.abc import Iterator
from typing import Final

from pbem.errors import Violation
from pbem.first_sparks.events import MembersPlaced, OfferDiscarded
from pbem.first_sparks.market import without
from pbem.first_sparks.moves import SettleNeutral, SpreadNeutral
from pbem.first_sparks.phases import SettlingNeutral, SpreadingNeutral, TakingOrDiscarding
from pbem.first_sparks.rules import hunting, spreading
from pbem.first_sparks.state import GameState
from pbem.locale import phrase, phrase_of

# The set-up for 2 players. Rule: two-players-set-up (R1.9)
REMOVED_CARDS: Final = (10, 11, 15, 20, 24, 26, 33, 39)
MARKET_PLACES: Final = 6
REMOVED_UNSEEN: Final = 2

NEUTRAL: Final = "neutral"


def tile_layer(laid: int) -> int:
    """Return the place in player order of the player who lays the next tile: the first lays two, the second the third.

    Rule: two-players-lay (R1.5)
    """
    return 0 if laid < 2 else 1


def settle_neutral(state: GameState) -> GameState:
    """Ask the second player to put the neutral clan's first member on the board, by the rules of placement.

    Rule: neutral-first-member (R2.2)
    """
    if not state.two_players or state.neutral is not None:
        return state
    return state._replace(phase=SettlingNeutral(state.order[1]))


def put_neutral(state: GameState, phase: SettlingNeutral, move: SettleNeutral) -> GameState:
    """Return the state with the neutral clan's first member on the board."""
    return state._replace(neutral=(move.space,)).with_events(MembersPlaced(NEUTRAL, (move.space,), 0))


def discard_offer(state: GameState, phase: TakingOrDiscarding) -> GameState:
    """Return the state after the first player discarded its first offered card.

    For a hunting tool, the tokens that it would take, without virtual ones,
    leave the harvest space. If the next card that the player offers is declined,
    the player must buy it. A crop on the card is lost, a second player who was
    not asked counts as not buying, and instead of offering again the first
    player may pass: these three are our rulings.

    Rule: discard-offer (R4.12)
    """
    card = state.components.cards[phase.card]
    tokens: tuple[tuple[str, int], ...] = ()
    if card.food is not None:
        taken = hunting.taken_by(card, state.harvest.of(card.food), virtual=0)
        state = state._replace(harvest=state.harvest.less(card.food, taken))
        tokens = ((card.food, taken),) if taken else ()
    return state._replace(market=without(state.market, card.number), first_offer=False).with_events(
        OfferDiscarded(phase.clan, card.number, tokens)
    )


def spread_neutral(state: GameState) -> GameState:
    """Ask the second player for the neutral clan's new members, before its own spreading.

    They are free, and make it as large as the first player's clan. The limit of
    five does not apply, and it stops early only when no space is left: our ruling.

    Rule: neutral-spreads (R6.7)
    """
    if state.neutral is None:
        return state
    new = min(state.clans[0].size, len(state.board.spaces)) - len(state.neutral)
    if new <= 0:
        return state
    return state._replace(phase=SpreadingNeutral(state.order[1], new))


def spread_neutral_violations(state: GameState, phase: SpreadingNeutral, move: SpreadNeutral) -> Iterator[Violation]:
    """Yield every rule that these members of the neutral clan break."""
    neutral = state.neutral or ()
    if len(move.spaces) != phase.new:
        first = state.clans[0]
        why = phrase_of(
            phase.new,
            "the neutral clan grows from {now} to {size} members, like {player}'s clan: name {n} space, not {named}",
            "the neutral clan grows from {now} to {size} members, like {player}'s clan: name {n} spaces, not {named}",
            now=len(neutral),
            size=first.size,
            player=first.player,
            named=len(move.spaces),
        )
        yield Violation("neutral-number", why)
    unknown = tuple(space for space in move.spaces if space not in state.board.borders)
    if unknown:
        yield spreading.space_violation(state, unknown)
        return
    yield from spreading.group_violations(state.board, neutral, move.spaces, phrase("the neutral clan"))


def neutral_spreads(state: GameState, phase: SpreadingNeutral) -> Iterator[SpreadNeutral]:
    """Yield the ways to place the neutral clan's new members, lazily."""
    for spaces in spreading.connected_sets(state.board, state.neutral or (), phase.new):
        yield SpreadNeutral(spaces)


def place_neutral(state: GameState, phase: SpreadingNeutral, move: SpreadNeutral) -> GameState:
    """Return the state with the neutral clan's new members on the board."""
    spaces = tuple(sorted(move.spaces))
    neutral = tuple(sorted((state.neutral or ()) + spaces))
    return state._replace(neutral=neutral).with_events(MembersPlaced(NEUTRAL, spaces, 0))
