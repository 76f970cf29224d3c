"""The state of a game: the clans, the board, the market, and the pending decision. Immutable.

Clans are in player order, the first player first. Food is a value, harvest
spaces count tokens, and members are named by their spaces.
"""

from typing import Final, NamedTuple

from pbem.first_sparks.board import Board
from pbem.first_sparks.components import Card, ComponentSet, Food, Kind
from pbem.first_sparks.events import Event
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import Phase
from pbem.quick import quick  # pyright: ignore[reportUnknownVariableType] -- of any tuple

CHANCE: Final = "*"
# The fields in the order in which they are given.
_OF_CLAN: Final = (
    "colour",
    "player",
    "food",
    "cards",
    "members",
    "resigned",
    "largest",
    "agreements",
)
_OF_STATE: Final = (
    "components",
    "options",
    "clans",
    "board",
    "tiles",
    "harvest",
    "market",
    "pile",
    "neutral",
    "round",
    "step",
    "waiting",
    "phase",
    "first_offer",
    "idle",
    "agreed",
    "draws",
    "events",
)


class Clan:
    """A player's people. Cards are in ascending order of number, members in the order of their spaces' names.

    ``largest`` is the largest size that the clan has had in this game, ``agreements`` the number of times that its
    player has agreed to end it, which older games do not count.
    """

    __slots__ = _OF_CLAN

    def __init__(
        self,
        colour: str,
        player: str,
        food: int = 7,
        cards: tuple[Card, ...] = (),
        members: tuple[str, ...] = (),
        resigned: bool = False,
        largest: int = 0,
        agreements: int = 0,
    ) -> None:
        self.colour = colour
        self.player = player
        self.food = food
        self.cards = cards
        self.members = members
        self.resigned = resigned
        self.largest = largest
        self.agreements = agreements

    def _copy(self) -> "Clan":
        return Clan(
            self.colour,
            self.player,
            self.food,
            self.cards,
            self.members,
            self.resigned,
            self.largest,
            self.agreements,
        )

    def _replace(self, **changes: object) -> "Clan":
        """Return the clan with other values for these fields."""
        clan = self._copy()
        for name, value in changes.items():
            setattr(clan, name, value)
        return clan

    def _values(self) -> tuple[object, ...]:
        return tuple([getattr(self, name) for name in _OF_CLAN])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Clan) and (self is other or self._values() == other._values())

    def __hash__(self) -> int:
        return hash((self.colour, self.food, self.cards, self.members))

    def __repr__(self) -> str:
        values = ", ".join([f"{name}={getattr(self, name)!r}" for name in _OF_CLAN])
        return f"Clan({values})"

    def __reduce__(self) -> "tuple[type[Clan], tuple[object, ...]]":
        return Clan, self._values()

    @property
    def size(self) -> int:
        """The number of members on the board."""
        return len(self.members)

    @property
    def tools(self) -> tuple[Card, ...]:
        """The clan's tools, including Herbs and Fields."""
        return tuple([card for card in self.cards if card.is_tool])

    def with_food(self, food: int) -> "Clan":
        """Return the clan with that food."""
        clan = self._copy()
        clan.food = food
        return clan

    def knows(self, knowledge: Kind) -> bool:
        """Return whether the clan owns that knowledge."""
        for card in self.cards:  # noqa: SIM110 -- any() takes three times as long, and hunting asks this most
            if card.kind == knowledge:
                return True
        return False

    def with_card(self, card: Card) -> "Clan":
        """Return the clan with one more card."""
        clan = self._copy()
        clan.cards = tuple(sorted((*self.cards, card)))
        return clan

    def with_members(self, spaces: tuple[str, ...]) -> "Clan":
        """Return the clan with new members on *spaces*."""
        clan = self._copy()
        clan.members = tuple(sorted(self.members + spaces))
        clan.largest = max(self.largest, len(clan.members))
        return clan


@quick
class Harvest(NamedTuple):
    """The tokens on the harvest spaces, or those added by each refill."""

    berries: int
    fish: int
    bears: int
    mammoths: int

    def of(self, food: Food) -> int:
        """Return the tokens of that food."""
        tokens: int = getattr(self, food)
        return tokens

    def less(self, food: Food, tokens: int) -> "Harvest":
        """Return the harvest spaces without *tokens* of that food."""
        return self._replace(**{food: self.of(food) - tokens})


@quick
class Market(NamedTuple):
    """The open technology cards, in ascending order of number.

    ``crop`` is the card with the crop, ``shuffle`` whether the Shuffle card lies
    above all others, ``places`` how many cards fit, including that one.
    """

    cards: tuple[int, ...]
    places: int
    crop: int | None = None
    shuffle: bool = False
    reduced: bool = False

    @property
    def current(self) -> tuple[int, ...]:
        """The cards that can be offered: the lower half, or all in a reduced market."""
        return self.cards if self.reduced else self.cards[: self.places // 2]

    @property
    def future(self) -> tuple[int, ...]:
        """The cards that cannot be offered yet."""
        return self.cards[len(self.current) :]


@quick
class Pile(NamedTuple):
    """What is publicly known of the draw pile (R10.2); its order is not stored anywhere.

    ``top`` is certain to come next, then ``unseen`` in any order, ``never`` of
    which stay out of the game, then the Shuffle card if ``shuffle`` is true, then
    ``under`` in any order.
    """

    top: tuple[int, ...] = ()
    unseen: tuple[int, ...] = ()
    never: int = 0
    shuffle: bool = True
    under: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """The number of cards in the pile, including the Shuffle card."""
        return len(self.top) + len(self.unseen) - self.never + self.shuffle + len(self.under)


class GameState:
    """One situation of a game.

    ``step`` is the current entry of the adjudicator's list, ``waiting`` the clans
    that it still has to ask or serve, in player order, ``phase`` the pending
    decision (None only while a step is at work). ``first_offer`` is true until
    the first offer of phase 1 has found its buyer, ``idle`` counts the game rounds
    in a row, including this one, without a purchase or progress (``with_members``).
    ``neutral`` has the neutral clan's members, None if it does not play.
    ``events`` is what has happened since the last entry; it is shown, not saved.

    No field of a state changes once it is made. A named tuple would say so, but compiled it takes longer to copy and to
    read, and rules do little else.
    """

    __slots__ = _OF_STATE

    def __init__(
        self,
        components: ComponentSet,
        options: Options,
        clans: tuple[Clan, ...],
        board: Board,
        tiles: tuple[str, ...],
        harvest: Harvest,
        market: Market,
        pile: Pile,
        neutral: tuple[str, ...] | None = None,
        round: int = 0,  # noqa: A002 -- the word of the rulebook
        step: str = "",
        waiting: tuple[str, ...] = (),
        phase: Phase | None = None,
        first_offer: bool = False,
        idle: int = 0,
        agreed: tuple[str, ...] = (),
        draws: int = 0,
        events: tuple[Event, ...] = (),
    ) -> None:
        self.components = components
        self.options = options
        self.clans = clans
        self.board = board
        self.tiles = tiles
        self.harvest = harvest
        self.market = market
        self.pile = pile
        self.neutral = neutral
        self.round = round
        self.step = step
        self.waiting = waiting
        self.phase = phase
        self.first_offer = first_offer
        self.idle = idle
        self.agreed = agreed
        self.draws = draws
        self.events = events

    def _copy(self) -> "GameState":
        return GameState(
            self.components,
            self.options,
            self.clans,
            self.board,
            self.tiles,
            self.harvest,
            self.market,
            self.pile,
            self.neutral,
            self.round,
            self.step,
            self.waiting,
            self.phase,
            self.first_offer,
            self.idle,
            self.agreed,
            self.draws,
            self.events,
        )

    def _replace(self, **changes: object) -> "GameState":
        """Return the state with other values for these fields."""
        state = self._copy()
        for name, value in changes.items():
            setattr(state, name, value)
        return state

    def _values(self) -> tuple[object, ...]:
        return tuple([getattr(self, name) for name in _OF_STATE])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GameState) and (self is other or self._values() == other._values())

    def __hash__(self) -> int:
        return hash((self.clans, self.board, self.harvest, self.market, self.pile, self.step, self.phase, self.waiting))

    def __repr__(self) -> str:
        return f"<GameState: round {self.round}, {self.step}, {self.phase}>"

    def __reduce__(self) -> "tuple[type[GameState], tuple[object, ...]]":
        return GameState, self._values()

    def __deepcopy__(self, _: object) -> "GameState":
        return self

    def _repr_html_(self) -> str:
        """Return the picture of the board, which a notebook shows instead of ``repr``."""
        from pbem.first_sparks.briefing.board_svg import board_html

        return board_html(self)

    def clan(self, colour: str) -> Clan:
        """Return the clan of that colour; raises KeyError if nobody plays it."""
        for clan in self.clans:
            if clan.colour == colour:
                return clan
        raise KeyError(colour)

    def clans_with(self, changed: Clan) -> tuple[Clan, ...]:
        """Return the clans in player order, with that one changed."""
        return tuple([changed if clan.colour == changed.colour else clan for clan in self.clans])

    def with_clan(self, changed: Clan, *events: Event) -> "GameState":
        """Return the state with that clan changed, and *events* added to what has happened."""
        return self._replace(clans=self.clans_with(changed), events=self.events + events)

    def with_members(self, changed: Clan, *events: Event) -> "GameState":
        """Return the state with that clan's members changed; the round is not idle if that is progress.

        Reaching a new size is progress; in an older game, so is placing or losing any member.
        """
        further = self.options.older or changed.largest > self.clan(changed.colour).largest
        return self.with_clan(changed, *events)._replace(idle=0 if further else self.idle)

    def with_events(self, *events: Event) -> "GameState":
        """Return the state with *events* added to what has happened."""
        state = self._copy()
        state.events = self.events + events
        return state

    def asking(self, phase: Phase, waiting: tuple[str, ...]) -> "GameState":
        """Return the state with that decision pending; the clans *waiting* come later."""
        state = self._copy()
        state.phase, state.waiting = phase, waiting
        return state

    def at(self, step: str, waiting: tuple[str, ...]) -> "GameState":
        """Return the state at the beginning of that step."""
        state = self._copy()
        state.step, state.waiting = step, waiting
        return state

    def decided(self, draws: int) -> "GameState":
        """Return the state with no pending decision, no events and no agreements."""
        state = self._copy()
        state.phase, state.events, state.agreed, state.draws = None, (), (), draws
        return state

    @property
    def order(self) -> tuple[str, ...]:
        """The colours of the clans in player order."""
        return tuple([clan.colour for clan in self.clans])

    @property
    def in_play(self) -> tuple[Clan, ...]:
        """The clans that have not resigned, in player order."""
        return tuple([clan for clan in self.clans if not clan.resigned])

    @property
    def order_in_play(self) -> tuple[str, ...]:
        """The colours of the clans that have not resigned, in player order."""
        return tuple([clan.colour for clan in self.clans if not clan.resigned])

    @property
    def two_players(self) -> bool:
        """Whether the rules for 2 players apply."""
        return len(self.clans) == 2

    def hides_food(self, clan: Clan) -> bool:
        """Return whether the table has agreed that others do not see the clan's food."""
        return self.options.hide_food and clan.knows("fire")

    def others_at(self, space: str, colour: str) -> int:
        """Return how many members of other clans, including the neutral one, stand on the space."""
        others = int(self.neutral is not None and space in self.neutral)
        for clan in self.clans:
            if space in clan.members and clan.colour != colour:
                others += 1
        return others
