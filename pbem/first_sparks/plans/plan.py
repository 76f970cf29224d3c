"""A plan as a value, and for how long it holds."""

from typing import Final, Literal, NamedTuple

from pbem.first_sparks import phases
from pbem.first_sparks.components import Card, ComponentSet
from pbem.first_sparks.moves import Move
from pbem.first_sparks.rules import buying, placement, spreading
from pbem.first_sparks.rules.two_players import REMOVED_CARDS
from pbem.first_sparks.state import GameState

KINDS: Final = ("basket", "rod", "bow", "spear", "field", "fire", "plow", "sled", "speech", "intelligence")
CLASSES: Final = ("tool", "knowledge", *KINDS)
NOBODY: Final = "nobody"
SOMEBODY: Final = "somebody"
LEAST: Final = "least"

TECHNOLOGY: Final = buying.offers_and_answers.__name__
_SPREADING: Final = spreading.spread.__name__
_SETTLING: Final = placement.settle.__name__
_ADDING: Final = placement.add_second.__name__


class Wish(NamedTuple):
    """A card by its number, or a class: any card of a *kind*, ``tool`` or ``knowledge``, of at most the price *most*.

    Of *card* and *kind* one is empty; *most* is None if any price will do.
    """

    card: int = 0
    kind: str = ""
    most: int | None = None

    def __str__(self) -> str:
        if self.card:
            return str(self.card)
        return f"any {self.kind}" if self.most is None else f"any {self.kind} up to {self.most}"

    def fits(self, card: Card) -> bool:
        """Return whether the card is the one wished for, or belongs to the class."""
        if self.card:
            return self.card == card.number
        kind = self.kind in (card.kind, "tool" if card.is_tool else "knowledge")
        return kind and (self.most is None or card.price <= self.most)


class Acceptance(NamedTuple):
    """Say yes to the wish whenever it is offered; *wanted_by* is the condition.

    That is "" for none, ``nobody`` or ``somebody`` for what the clans before have answered, or the colour of one of
    them that must have said yes.
    """

    wish: Wish
    wanted_by: str = ""


class Placing(NamedTuple):
    """Members for spaces, for at most *most* food (None is any cost); *stay* says what happens otherwise: stay or ask.

    For spreading all spaces count together, for the second member they are a ranking.
    """

    spaces: tuple[str, ...]
    most: int | None = None
    stay: bool = False


class Plan(NamedTuple):
    """What a player has decided ahead.

    ``known`` are the cards that lay on the table when it was written, ``written`` is the game round then, and
    ``market`` the game round whose technology phase it is for. ``new`` says what happens to a card that is not among
    ``known`` and in no wish, "" if the player has not said; ``drop`` is a card or ``least``.
    """

    colour: str
    known: tuple[int, ...]
    written: int
    market: int
    ranking: tuple[Wish, ...] = ()
    otherwise: Literal["", "ask", "pass"] = ""
    buys: tuple[Acceptance, ...] = ()
    declines: tuple[Wish, ...] = ()
    passes: bool = False
    offers: tuple[Wish, ...] = ()
    new: Literal["", "ask", "decline"] = ""
    drop: int | Literal["", "least"] = ""
    take: Literal["", "take", "discard"] = ""
    spread: Placing | None = None
    spread_neutral: tuple[str, ...] = ()
    stay: bool = False
    settle: tuple[str, ...] = ()
    settle_neutral: tuple[str, ...] = ()
    add: Placing | None = None

    @property
    def speaks_of_cards(self) -> bool:
        """Whether the plan says anything about what to buy, decline or offer."""
        return bool(self.passes or self.wants or self.offers or self.declines or self.new or self.otherwise)

    @property
    def wants(self) -> bool:
        """Whether the plan wishes for a card; then those that it does not name are declined."""
        return bool(self.ranking or self.buys)

    @property
    def of_technology(self) -> bool:
        """Whether the plan has anything to say in a technology phase."""
        return bool(self.speaks_of_cards or self.drop or self.take)

    @property
    def of_spreading(self) -> bool:
        """Whether the plan has anything to say while clans spread."""
        return bool(self.spread or self.spread_neutral or (self.stay and self.written))

    @property
    def of_placement(self) -> bool:
        """Whether the plan has anything to say in the placement round."""
        return bool(self.settle or self.settle_neutral or self.add or (self.stay and not self.written))


class Always(NamedTuple):
    """What a player has decided until further notice; a plan comes before it."""

    declines: tuple[Wish, ...] = ()
    least: bool = False


Because = Literal[
    "silent",  # the plan does not speak of this question
    "cannot",  # the card cannot be bought: declining is the only answer
    "declined",  # a card that the plan declines
    "passes",  # the plan buys nothing
    "bought",  # a card that the plan always buys
    "condition",  # a card that the plan would buy if others had answered differently
    "best",  # nothing better of the ranking can be bought
    "better",  # `other`, which is better, can be bought
    "unwanted",  # it was on the table, and the plan does not name it
    "new",  # it was not on the table
    "bait",  # the plan only says to offer it
    "offered",  # the first of the list that can be bought
    "nothing",  # nothing of the list can be offered
    "only",  # nothing at all can be offered
    "named",  # as the plan says
    "least",  # the tool whose loss costs least
    "missing",  # the tool to drop is not there
    "illegal",  # the rules forbid it now
    "dear",  # it costs `cost` now, more than the plan allows
]


class Why(NamedTuple):
    """Why a plan gives this answer, or none; *card* and *other* are cards, *cost* is food; ``always`` is a rule."""

    because: Because
    card: int = 0
    other: int = 0
    cost: int = 0
    always: bool = False


class Planned(NamedTuple):
    """What a plan says to the open question: the move, None to ask the player, and why."""

    move: Move | None
    why: Why


def on_the_table(state: GameState) -> tuple[int, ...]:
    """Return the cards that everybody sees in the current and the future market."""
    return state.market.cards


def market_ahead(state: GameState, colour: str) -> int:
    """Return the game round whose technology phase runs for that clan, or comes next."""
    runs = state.step == TECHNOLOGY and colour in state.waiting
    return state.round if runs else state.round + 1


def cards_in_game(components: ComponentSet, players: int) -> dict[int, Card]:
    """Return the cards that can lie in the market of a game with so many players, by number."""
    out = REMOVED_CARDS if players == 2 else ()
    return {number: card for number, card in components.cards.items() if card.kind != "herbs" and number not in out}


def renewed_market(state: GameState) -> int:
    """Return the game round whose technology phase runs with a renewed market, 0 if none does.

    The market of the first one lies there from the beginning.
    """
    return state.round if state.step == TECHNOLOGY and state.round > 1 else 0


def spreading_runs(state: GameState) -> bool:
    """Return whether the clans spread, or first the neutral clan."""
    return state.step == _SPREADING or isinstance(state.phase, phases.SpreadingNeutral)


def placement_runs(state: GameState) -> bool:
    """Return whether the clans place their first members, or first the neutral clan does."""
    return state.step in (_SETTLING, _ADDING) or isinstance(state.phase, phases.SettlingNeutral)


def holds_for_technology(plan: Plan, state: GameState) -> bool:
    """Return whether the technology phase that the plan is for still asks its owner, or will."""
    if not plan.of_technology or _is_out(plan, state):
        return False
    if state.round != plan.market:
        return state.round < plan.market
    return state.step == TECHNOLOGY and (plan.colour in state.waiting or _asks_to_drop(plan, state))


def holds_for_spreading(plan: Plan, state: GameState) -> bool:
    """Return whether the spreading that the plan is for still asks its owner, or will."""
    if not plan.of_spreading or _is_out(plan, state) or state.round != plan.written:
        return False
    return spreading_runs(state) and _still_comes(plan, state)


def holds_for_placement(plan: Plan, state: GameState) -> bool:
    """Return whether the placement round still asks the owner of the plan, or will."""
    if not plan.of_placement or _is_out(plan, state) or not placement_runs(state):
        return False
    adding = (plan.add or plan.stay) and state.step != _ADDING
    return bool(adding) or _still_comes(plan, state)


def holds(plan: Plan, state: GameState) -> bool:
    """Return whether the plan can still answer a question; otherwise it is over."""
    return holds_for_technology(plan, state) or holds_for_spreading(plan, state) or holds_for_placement(plan, state)


def _is_out(plan: Plan, state: GameState) -> bool:
    return isinstance(state.phase, phases.Ended) or state.clan(plan.colour).resigned


def _asks_to_drop(plan: Plan, state: GameState) -> bool:
    return isinstance(state.phase, phases.Dropping) and state.phase.clan == plan.colour


def _still_comes(plan: Plan, state: GameState) -> bool:
    """Return whether the clan is asked in this step, or waits for its turn, which comes after the neutral clan's."""
    neutral = isinstance(state.phase, (phases.SpreadingNeutral, phases.SettlingNeutral))
    return neutral or plan.colour in state.waiting or getattr(state.phase, "clan", "") == plan.colour
