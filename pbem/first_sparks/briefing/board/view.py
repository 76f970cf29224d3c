"""What every drawing of the board shows: the members, the letters of the clans, and where a tile may be laid."""

from typing import Final

from pbem.first_sparks.adjudicator import choices
from pbem.first_sparks.land.board import Hex, cell_place
from pbem.first_sparks.moves import Lay
from pbem.first_sparks.phases import Laying
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.first_sparks.state import GameState
from pbem.locale import tr

# A clan's letter on the board stands for its colour, not for the player's name, so every list of clans has both.
LETTERS: Final = {
    "green": "G",
    "red": "R",
    "blue": "B",
    "black": "K",
    "white": "W",
    "yellow": "Y",
    NEUTRAL: "N",
}

# Where a hex lies from another one, by the direction of the board.
COMPASS: Final = ("east", "northeast", "northwest", "west", "southwest", "southeast")


def compass_word(number: int) -> str:
    """Return a direction of the board in words: ``northeast``."""
    return tr(COMPASS[number])


def members_by_clan(state: GameState) -> dict[str, tuple[str, ...]]:
    """Return the spaces of every clan in the game, including the neutral one, in the order of the letters."""
    members = {clan.colour: clan.members for clan in state.clans}
    if state.neutral is not None:
        members[NEUTRAL] = state.neutral
    return {colour: members[colour] for colour in LETTERS if colour in members}


def clans_by_space(state: GameState) -> dict[str, tuple[str, ...]]:
    """Return the clans on every occupied space, in the order of the letters."""
    clans: dict[str, tuple[str, ...]] = {}
    for colour, spaces in members_by_clan(state).items():
        for space in spaces:
            clans[space] = (*clans.get(space, ()), colour)
    return clans


def free_cells(state: GameState) -> tuple[Hex, ...]:
    """Return the cells that a legal order to lay the tile can name."""
    if not isinstance(state.phase, Laying):
        return ()
    cells = {cell for move in choices(state) if isinstance(move, Lay) for cell in (move.first, move.second)}
    return tuple(cell_place(cell) for cell in sorted(cells))
