"""The state of a game: the clans, the board, the market, and the pending decision. Immutable.

Clans are in player order, the first player first. Food is a value, harvest
spaces count tokens, and members are named by their spaces.
"""

from typing import ClassVar, Final, NamedTuple

from pbem.first_sparks.cards import Market, Pile
from pbem.first_sparks.components import FOODS, Card, ComponentSet, Food, Kind
from pbem.first_sparks.events import Event
from pbem.first_sparks.land.board import Board
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import Phase
from pbem.quick import Fields, Same, new, quick  # pyright: ignore[reportUnknownVariableType] -- of any tuple

CHANCE: Final = "*"
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


class Clan(Fields):
    """A player's people. Cards are in ascending order of number, members in the order of their spaces' names.

    ``largest`` is the largest size that the clan has had in this game, ``agreements`` the number of times that its
    player has agreed to end it, which older games do not count.
    """

    __slots__ = _OF_CLAN
    _fields: ClassVar = _OF_CLAN

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

    def _replace(
        self,
        *,
        colour: str | Same = ...,
        player: str | Same = ...,
        food: int | Same = ...,
        cards: tuple[Card, ...] | Same = ...,
        members: tuple[str, ...] | Same = ...,
        resigned: bool | Same = ...,
        largest: int | Same = ...,
        agreements: int | Same = ...,
    ) -> "Clan":
        """Return the clan with other values for these fields."""
        return Clan(
            self.colour if colour is ... else colour,
            self.player if player is ... else player,
            self.food if food is ... else food,
            self.cards if cards is ... else cards,
            self.members if members is ... else members,
            self.resigned if resigned is ... else resigned,
            self.largest if largest is ... else largest,
            self.agreements if agreements is ... else agreements,
        )

    def __hash__(self) -> int:
        return hash((self.colour, self.food, self.cards, self.members))

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
        return self[FOODS.index(food)]

    def less(self, food: Food, tokens: int) -> "Harvest":
        """Return the harvest spaces without *tokens* of that food."""
        place = FOODS.index(food)
        return new(Harvest, (*self[:place], self[place] - tokens, *self[place + 1 :]))


class GameState(Fields):
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
    _fields: ClassVar = _OF_STATE

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

    def _replace(
        self,
        *,
        components: ComponentSet | Same = ...,
        options: Options | Same = ...,
        clans: tuple[Clan, ...] | Same = ...,
        board: Board | Same = ...,
        tiles: tuple[str, ...] | Same = ...,
        harvest: Harvest | Same = ...,
        market: Market | Same = ...,
        pile: Pile | Same = ...,
        neutral: tuple[str, ...] | Same | None = ...,
        round: int | Same = ...,  # noqa: A002 -- as above
        step: str | Same = ...,
        waiting: tuple[str, ...] | Same = ...,
        phase: Phase | Same | None = ...,
        first_offer: bool | Same = ...,
        idle: int | Same = ...,
        agreed: tuple[str, ...] | Same = ...,
        draws: int | Same = ...,
        events: tuple[Event, ...] | Same = ...,
    ) -> "GameState":
        """Return the state with other values for these fields."""
        return GameState(
            self.components if components is ... else components,
            self.options if options is ... else options,
            self.clans if clans is ... else clans,
            self.board if board is ... else board,
            self.tiles if tiles is ... else tiles,
            self.harvest if harvest is ... else harvest,
            self.market if market is ... else market,
            self.pile if pile is ... else pile,
            self.neutral if neutral is ... else neutral,
            self.round if round is ... else round,
            self.step if step is ... else step,
            self.waiting if waiting is ... else waiting,
            self.phase if phase is ... else phase,
            self.first_offer if first_offer is ... else first_offer,
            self.idle if idle is ... else idle,
            self.agreed if agreed is ... else agreed,
            self.draws if draws is ... else draws,
            self.events if events is ... else events,
        )

    def __hash__(self) -> int:
        return hash((self.clans, self.board, self.harvest, self.market, self.pile, self.step, self.phase, self.waiting))

    def __repr__(self) -> str:
        return f"<GameState: round {self.round}, {self.step}, {self.phase}>"

    def __deepcopy__(self, _: object) -> "GameState":
        return self

    def _repr_html_(self) -> str:
        """Return the picture of the board, which a notebook shows instead of ``repr``."""
        from pbem.first_sparks.briefing.board.picture import board_html

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
