"""Groups of spaces: whether they are connected, what they touch, and how they can grow.

Here a set of spaces is a number, see ``bits``. Questions only.
"""

from collections.abc import Iterable, Iterator

from pbem.first_sparks.components import Food
from pbem.first_sparks.land.board import Board


def bits(board: Board, spaces: Iterable[str]) -> int:
    """Return the spaces as a number; raises KeyError for one that is not on the board."""
    bit, found = board.bit, 0
    for space in spaces:
        found |= bit[space]
    return found


def names(board: Board, group: int) -> tuple[str, ...]:
    """Return the spaces of a group, in the order of names."""
    named = board.named
    found: list[str] = []
    while group:
        space = group & -group
        found.append(named[space])
        group ^= space
    return tuple(found)


def spaces_in(group: int) -> Iterator[int]:
    """Yield the bit of every space of the group, in the order of names."""
    while group:
        space = group & -group
        yield space
        group ^= space


def beside(board: Board, group: int) -> int:
    """Return the spaces next to the group, without its own."""
    near, found, left = board.near, 0, group
    while left:
        space = left & -left
        found |= near[space]
        left ^= space
    return found & ~group


def around(board: Board, group: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the spaces next to the group, without its own, in their order."""
    return names(board, beside(board, bits(board, group)))


def areas_touched(board: Board, members: Iterable[str], food: Food) -> int:
    """Return how many hunting areas of *food* the members stand next to; two at one area count once."""
    areas = board.areas_of[food]
    group = bits(board, members) if areas else 0
    return sum([group & area != 0 for area in areas])


def is_one_group(board: Board, group: int) -> bool:
    """Return whether the spaces form one connected group; no spaces form one too."""
    near = board.near
    reached = group & -group
    left = group ^ reached
    while reached:
        space = reached & -reached
        reached ^= space
        found = near[space] & left
        reached |= found
        left ^= found
    return not left


def mountains_crossed(board: Board, members: int, new: int) -> int | None:
    """Return the fewest mountains on the way of the *new* members to the clan; None if there is no way.

    The order of placing is free, so members that can come without a mountain come first.
    """
    near, level = board.near, board.level
    crossed = reached = on_level = 0
    joined = members
    while True:
        while joined:
            space = joined & -joined
            joined ^= space
            reached |= near[space]
            on_level |= level[space]
        if not new:
            return crossed
        joined = new & on_level
        if not joined:
            over = new & reached
            if not over:
                return None
            joined = over & -over
            crossed += 1
        new ^= joined


# New spaces of a group; the spaces next to both, and those next to them without a mountain between; those that must not
# be added any more; and the mountains on the way.
Growth = tuple[int, int, int, int, int]


def no_growth(board: Board, members: int) -> Growth:
    """Return the growth by no space, with which all others begin."""
    near, level, left = board.near, board.level, members
    near_by = on_level = 0
    while left:
        space = left & -left
        near_by |= near[space]
        on_level |= level[space]
        left ^= space
    return 0, near_by, on_level, members, 0


def further_growths(board: Board, members: int, growths: Iterable[Growth]) -> Iterator[Growth]:
    """Yield every growth by one more space than those, lazily and each set of spaces once.

    *growths* are all of their number of spaces, and so are the results; they come in the same order, then by names.
    """
    near, level = board.near, board.level
    for spaces, near_by, on_level, closed, mountains in growths:
        fresh = near_by & ~closed
        done = closed
        while fresh:
            space = fresh & -fresh
            fresh ^= space
            done |= space
            crossed = 0 if space & on_level else 1
            if mountains:  # the new space may be a way round them
                crossed = mountains_crossed(board, members, spaces | space) or 0
            yield spaces | space, near_by | near[space], on_level | level[space], done, crossed
