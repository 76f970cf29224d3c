"""A Monte Carlo tree search that beats the bot of pbem, with the bot's own judgement: it looks further ahead.

``search(game)`` returns the choice for the clan that decides. It finds its way with ``apply`` and ``outcomes``, so that
it cannot know what will be drawn. It knows the food of all clans, also where the table hides it.
"""

import math
import random
import time
from itertools import pairwise

import pbem
from pbem.first_sparks.bot.decide import lead
from pbem.first_sparks.bot.tuning import DEFAULT, Tuning
from pbem.first_sparks.moves import Move

CURIOSITY = 0.25  # how much is tried that does not look best
HOPE = 0.9  # a win in the hand is better than one in the outlook
QUICK = Tuning(habits=(DEFAULT.habit,), rounding=(0.25, 0.75))  # two courses of the game, where the bot looks at twelve


def value(state: pbem.GameState) -> dict[str, float]:
    """Return what a state is worth to each clan, from -1 to 1: the result, or what the bot thinks of it."""
    if pbem.winners(state):
        return pbem.returns(state)
    first, *others = state.order
    worth = {first: HOPE * math.tanh(lead(state, first, QUICK) / 3)}
    if state.two_players:
        return worth | {others[0]: -worth[first]}
    return worth | {colour: HOPE * math.tanh(lead(state, colour, QUICK) / 3) for colour in others}


class Node:
    """A state, the choice or draw that led to it, and the sum of its values for the clan that chose."""

    def __init__(self, state: pbem.GameState, move: Move | None = None) -> None:
        self.state, self.move, self.decides = state, move, pbem.decides(state)
        self.moves: list[Move] | None = None
        self.below: list[Node] = []
        self.visits, self.total = 0, 0.0

    def next(self, chance: random.Random) -> "Node | None":
        """Return the node to look at next, None after the end. The more visits, the more draws are tried."""
        drawn = self.decides == "*"
        if self.moves is None:
            self.moves = [found[0] for found in pbem.outcomes(self.state) or pbem.choices(self.state, few=True)]
            chance.shuffle(self.moves)
        if len(self.below) < min(len(self.moves), 1 + math.sqrt(self.visits) if drawn else math.inf):
            move = self.moves[len(self.below)]
            self.below.append(Node(pbem.apply(self.state, move), move))
            return self.below[-1]
        if drawn or not self.below:
            return chance.choice(self.below) if drawn else None
        width = CURIOSITY * math.sqrt(math.log(self.visits))
        return max(self.below, key=lambda node: node.total / node.visits + width / math.sqrt(node.visits))


def search(game: pbem.Game | pbem.GameState, seconds: float = 1.0, iterations: int = 0, seed: int = 1) -> pbem.Choice:
    """Return the best choice found in so many CPU seconds, or in so many iterations, which is always the same."""
    root = Node(game if isinstance(game, pbem.GameState) else game.state)
    chance = random.Random(seed)  # noqa: S311 -- a search has no secrets
    if root.decides in (None, "*"):
        raise ValueError("no player decides in this situation")
    end = time.process_time() + seconds
    while root.visits < (iterations or 1) or (not iterations and time.process_time() < end):
        path = [root]
        while (path == [root] or path[-1].visits) and (below := path[-1].next(chance)):
            path.append(below)
        worth = value(path[-1].state)
        for above, node in pairwise(path):
            node.total += worth.get(above.decides or "", 0)
        for node in path:
            node.visits += 1
    best = max(root.below, key=lambda node: node.visits)
    return next(choice for choice in pbem.choices(root.state, few=True) if choice.move == best.move)
