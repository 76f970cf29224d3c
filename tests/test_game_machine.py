"""A game as hypothesis drives it: any player may say anything at any time, leave, agree to end, or start from the file.

Random games (test_random_games) go far; this machine goes astray, and shrinks
what it finds to the shortest course.
"""

from itertools import islice

from bots import SECRET, a_new_record
from builders import COLOURS, the_components
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from test_random_games import cards_gone, cards_in_game, check_food, check_harvest, check_members, check_record

from pbem.errors import Illegal, NotUnderstood, NotYourTurn
from pbem.first_sparks.adjudicator import choices, violations, who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.notation import expected, parse_order
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.play import played
from pbem.first_sparks.proof import decode, encode
from pbem.first_sparks.record import History, digest

ORDERS = st.one_of(
    st.sampled_from(("pass", "buy", "decline", "take", "discard", "stay", "agree end", "draw 7", "offer 7", "drop 1")),
    st.builds("{} {}".format, st.sampled_from(("offer", "drop", "buy", "decline")), st.integers(1, 41)),
    st.builds(
        lambda word, spaces: " ".join((word, *spaces)),
        st.sampled_from(("settle", "settle neutral", "add", "spread", "spread neutral", "starve", "lay")),
        st.lists(st.builds("{}{}{}".format, st.sampled_from("ABCDE"), st.integers(1, 2), st.sampled_from("abc"))),
    ),
)


class AGame(RuleBasedStateMachine):
    """One game of 2 to 6 players."""

    @initialize(
        players=st.integers(2, 6),
        board=st.sampled_from(("players", "random")),
        hide_food=st.booleans(),
        game=st.text("ab"),
    )
    def begin(self, players: int, board: str, hide_food: bool, game: str) -> None:
        """Begin a game and come to its first decision."""
        self.record = a_new_record(players, f"machine-{game}"[:40], board, hide_food=hide_food)
        self.draw = source(self.record.game, SECRET)
        self.cards = cards_in_game(self.record.state)

    def follow(self, history: History) -> None:
        """Check every step on the way, as random play does."""
        before = self.before
        for _, state in history:
            check_food(before, state)
            check_members(before, state)
            check_harvest(before, state)
            self.cards -= cards_gone(state)
            assert cards_in_game(state) == self.cards
            before = state

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return isinstance(self.record.state.phase, Ended)

    @precondition(lambda self: not self.over)
    @rule(number=st.integers(0, 40))
    def play(self, number: int) -> None:
        """Play one of the legal moves."""
        self.before = self.record.state
        legal = tuple(islice(choices(self.before), 41))
        move = legal[number % len(legal)]
        assert not tuple(violations(self.before, move))
        self.record, history = played(self.record, who_decides(self.before) or "", move, self.draw)
        self.follow(history)

    @rule(by=st.sampled_from(COLOURS), order=ORDERS)
    def say(self, by: str, order: str) -> None:
        """Say anything: it is played if it is legal, and else refused with a reason and without a trace."""
        self.before = self.record.state
        try:
            move = parse_order(order, expected(self.before.phase))
            record, history = played(self.record, by, move, self.draw)
        except (Illegal, NotUnderstood, NotYourTurn):
            return
        assert not self.over
        self.record = record
        self.follow(history)

    @precondition(lambda self: not self.over and len(self.record.state.in_play) > 1)
    @rule(number=st.integers(0, 5))
    def resign(self, number: int) -> None:
        """Let somebody leave the game, whoever is asked."""
        self.before = self.record.state
        able = self.before.order_in_play
        self.record, history = played(self.record, able[number % len(able)], parse_order("resign", ()), self.draw)
        self.follow(history)

    @rule()
    def save_and_load(self) -> None:
        """Go on from the file's data: nothing that matters is lost."""
        components = the_components()
        data = encode(self.record, digest(components))
        self.record = decode(data, components, lambda _: components)
        assert encode(self.record, digest(components)) == data

    @invariant()
    def somebody_decides_until_the_end(self) -> None:
        """No dead end."""
        if hasattr(self, "record"):
            assert (who_decides(self.record.state) is None) == self.over
            assert self.over or next(choices(self.record.state), None) is not None

    def teardown(self) -> None:
        """The log leads to the snapshot, and the secret to the draws."""
        if hasattr(self, "record"):
            check_record(self.record)


TestAGame = AGame.TestCase
TestAGame.settings = settings(
    max_examples=max(50, settings.default.max_examples // 5),  # 200 games with --full
    stateful_step_count=80,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
