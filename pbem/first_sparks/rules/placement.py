"""The placement round: first members, perhaps second ones, and the first player order."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from pbem.errors import Violation
from pbem.first_sparks.clans import in_order, order_by_size
from pbem.first_sparks.events import MembersPlaced
from pbem.first_sparks.land.groups import bits, names
from pbem.first_sparks.moves import Add, Settle, Spread, Stay
from pbem.first_sparks.phases import Adding, Settling
from pbem.first_sparks.rules import spreading
from pbem.first_sparks.state import Clan, GameState
from pbem.grammar import phrase_listed
from pbem.locale import phrase, phrase_of

_add: Final = lru_cache(maxsize=64)(Add)


def settle(state: GameState) -> GameState:
    """Ask the next clan, in reverse player order, to put its first member on the board, free of charge.

    Rule: first-member (R2.1)
    """
    if not state.waiting:
        return state
    return state.asking(Settling(state.waiting[-1]), state.waiting[:-1])


def settle_violations(state: GameState, colour: str, space: str) -> Iterator[Violation]:
    """Yield every rule that a first member on *space* breaks; *colour* may be the neutral clan's.

    No two first members may stand next to the same hunting area, so the space is
    empty too. A recommended board has fixed starting spaces.
    """
    if space not in state.board.borders:
        yield spreading.space_violation(state, (space,))
        return
    there = [who for who, area in _settled_areas(state) if area == space[:2]]
    if there:
        why = phrase_of(
            len(there),
            "{clans} already stands next to {area}",
            "{clans} already stand next to {area}",
            clans=phrase_listed(there),
            area=space[:2],
        )
        yield Violation("settle-free-area", why)
    starts = starting_spaces(state, colour)
    if space not in starts:
        where = phrase_listed(starts, "or")
        said = phrase("on the recommended board this clan starts on {spaces}, not {space}", spaces=where, space=space)
        yield Violation("settle-starting-space", said)


def starting_spaces(state: GameState, colour: str) -> tuple[str, ...]:
    """Return the spaces where the clan may start while nobody stands there.

    These are all spaces; on a recommended board the last player takes starting
    space 1, the one before it 2, and so on. Two players and the neutral clan choose.

    Rule: recommended-starting-spaces (R1.10)
    """
    if state.options.board != "recommended":
        return state.board.spaces
    starts = state.components.boards[len(state.board.tiles)].start
    if state.two_players:
        return starts
    return (starts[state.order[::-1].index(colour)],)


def settles(state: GameState, colour: str) -> tuple[str, ...]:
    """Return the spaces where the clan may put its first member: the board without what is forbidden."""
    board = state.board
    free = bits(board, starting_spaces(state, colour))
    for _, area in _settled_areas(state):
        free &= ~board.area[area]
    return names(board, free)


def put_first_member(state: GameState, phase: Settling, move: Settle) -> GameState:
    """Return the state with the clan's first member on the board."""
    settled = state.clan(phase.clan).with_members((move.space,))
    return state.with_clan(settled, MembersPlaced(phase.clan, (move.space,), 0))


def add_second(state: GameState) -> GameState:
    """Ask the next clan, in player order, whether it adds a second member next to its first.

    It costs as much as one new member in phase 3; the publisher confirmed the base of 1.

    Rule: second-member (R2.3)
    """
    if not state.waiting:
        return state
    return state.asking(Adding(state.waiting[0]), state.waiting[1:])


def adds(state: GameState, clan: Clan) -> list[Add]:
    """Return every way to add a second member next to the first."""
    return [_add(space) for space, _ in spreading.reach(state, clan)]


def add_violations(state: GameState, clan: Clan, move: Add) -> Iterator[Violation]:
    """Yield every rule that a second member there breaks."""
    return spreading.spread_violations(state, clan, (move.space,), most=1)


def add(state: GameState, phase: Adding, move: Add | Stay) -> GameState:
    """Return the state with the second member on the board, or without one."""
    return spreading.place(state, phase, Spread((move.space,)) if isinstance(move, Add) else move)


def set_first_order(state: GameState) -> GameState:
    """Return the state in the player order of the first game round.

    Rule: first-player-order (R2.4)
    """
    return in_order(state, order_by_size(state.clans))


def _settled_areas(state: GameState) -> Iterator[tuple[str, str]]:
    """Yield who already stands next to which hunting area."""
    for clan in state.clans:
        for space in clan.members:
            yield clan.player, space[:2]
    for space in state.neutral or ():
        yield "the neutral clan", space[:2]
