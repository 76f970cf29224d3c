"""A node of the game tree, in which every decision is a number."""

from collections import Counter
from functools import cached_property
from typing import Final

from pbem.errors import Illegal
from pbem.first_sparks.adjudicator import follow, new_game, who_decides
from pbem.first_sparks.components import COLOURS, ComponentSet
from pbem.first_sparks.options import IDLE_ROUNDS, BoardWay, Options
from pbem.first_sparks.rules.spreading import MOST_MEMBERS, MOST_NEW
from pbem.first_sparks.state import CHANCE, GameState
from pbem.game_setup import check_new
from pbem.grammar import listed
from pbem.loading import built_in
from pbem.research.actions import Actions, actions_of, answer, named_with, steps
from pbem.research.tree import returns, winners
from pbem.scripts.library import FilePath, Game, of_type, state_of

_MOST_SHOWN: Final = 12  # legal actions in a refusal


class Node:
    """A state, and what the clan that decides has *named* so far of its answer: spaces, or the first cell of a tile.

    Nodes are immutable values, equal and with the same hash if they say the same.
    """

    def __init__(self, game: Game | GameState | FilePath, named: tuple[str, ...] = ()) -> None:
        self.state = state_of(game)
        self.named = named

    @property
    def decides(self) -> str | None:
        """The colour of the clan that decides, ``*`` for chance, None after the end."""
        return who_decides(self.state)

    @property
    def table(self) -> Actions:
        """What the numbers mean."""
        return actions_of(self.state.components)

    @cached_property
    def _steps(self) -> Counter[str]:
        return steps(self.state, self.named)

    @cached_property
    def outcomes(self) -> tuple[tuple[int, float], ...]:
        """What chance may draw, in ascending order, each with its probability; nothing where a player decides."""
        if self.decides != CHANCE:
            return ()
        found = self._steps
        return tuple((self.table.number[word], n / found.total()) for word, n in self._in_order(found))

    @cached_property
    def actions(self) -> tuple[int, ...]:
        """The numbers that are legal now, in ascending order; for chance, those that can be drawn."""
        number = self.table.number
        return tuple(number[word] for word, _ in self._in_order(self._steps))

    def after(self, action: int) -> "Node":
        """Return the node after a legal action; raises Illegal with the actions that are legal."""
        if action not in self.actions:
            raise Illegal(f"action {action} is not legal now", hint=self._hint())
        word = self.table.words[action]
        move = answer(self.state, self.named, word)
        if move is None:
            return Node(self.state, named_with(self.state, self.named, word))
        return Node(follow(self.state, self.decides or "", move))

    def words(self, action: int) -> str:
        """Return what a number means: ``offer 12``, ``A1a`` or ``done``."""
        return self.table.words[action]

    @property
    def winners(self) -> tuple[str, ...]:
        """The colours that have won; nobody until the game is over."""
        return winners(self.state)

    @property
    def returns(self) -> dict[str, float]:
        """What the game is worth to each clan."""
        return returns(self.state)

    def _hint(self) -> str:
        known = [f"{number} ({self.words(number)})" for number in self.actions[:_MOST_SHOWN]]
        if not known:
            return "the game is over"
        text = listed(known, "and")
        return f"some that are legal: {text}" if len(self.actions) > _MOST_SHOWN else f"legal: {text}"

    def _in_order(self, found: "dict[str, int]") -> "list[tuple[str, int]]":
        number = self.table.number
        return sorted(found.items(), key=lambda pair: number[pair[0]])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and (self.named, self.state) == (other.named, other.state)

    def __hash__(self) -> int:
        return hash((self.named, self.state))

    def __repr__(self) -> str:
        return f"<Node: {self.state!r}, named {self.named}>"

    def __deepcopy__(self, _: object) -> "Node":
        return self

    @property
    def text(self) -> str:
        """Everything on the table, as everybody may read it."""
        from pbem.first_sparks.briefing.situation import position
        from pbem.page.page import Page
        from pbem.page.text import text_of

        return text_of(Page(tuple(position(self.state, None))))

    def _repr_html_(self) -> str:
        """Return the picture of the board, for a notebook."""
        return self.state._repr_html_()


def root(
    players: int, board: BoardWay = "random", hide_food: bool = False, components: ComponentSet | None = None
) -> Node:
    """Return the node before anything is drawn, of a game between 2 to 6 clans, which have the first colours in order.

    Raises UsageError for another number of players, and if the component set has no such board.
    """
    players = of_type(int, players)
    seats, options = tuple((colour, colour.capitalize()) for colour in COLOURS[:players]), Options(board, hide_food)
    used = components or built_in()
    check_new("research", (("", ""),) * players, options, used)
    return Node(new_game(used, seats, options))


def longest(components: ComponentSet, players: int) -> int:
    """Return a number of steps that no game can exceed; most games take less than a hundredth of it.

    A game ends after ten rounds in a row without a card bought or a clan at a new size (R9.3), and both are limited.
    """
    cards, sizes = len(components.cards), players * MOST_MEMBERS
    rounds = IDLE_ROUNDS * (cards + sizes + 1)
    # Every offer ends in a purchase, one perhaps in a discard; then clans may starve, and spread like the neutral one.
    a_round = (players + 1) * (players + 2) + players + (players + 1) * MOST_MEMBERS + players * (MOST_NEW + 1)
    preparation = players + 3 * len(components.tiles) + 2 * players + 1
    return preparation + rounds * a_round + cards + 1
