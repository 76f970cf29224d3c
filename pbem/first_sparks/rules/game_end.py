"""The end of the game, by a clan of 13 members or by the players' choice."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal

from pbem.errors import Violation
from pbem.first_sparks.events import AgreedToEnd, GameEnded, Resigned
from pbem.first_sparks.options import IDLE_ROUNDS
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.state import Clan, GameState
from pbem.locale import phrase

Ending = Literal["thirteenth-member", "resign", "agree-end", "idle-rounds"]

ENDING_SIZE: Final = 13
# Per player and game: more than anybody needs, and few compared with the moves of a long game.
MOST_AGREEMENTS: Final = 100
_agreed: Final = lru_cache(maxsize=64)(AgreedToEnd)


def end(state: GameState) -> GameState:
    """End the game after a phase 3 in which a clan placed its 13th member, without a phase 4.

    Rule: thirteenth-member (R9.1)
    """
    if ending_clans(state) or is_stuck(state):
        return finish(state, winners(state))
    return state


def ending_clans(state: GameState) -> tuple[Clan, ...]:
    """Return the clans of 13 members or more, in player order: if there is one, the game is certain to end.

    It ends after the current phase, which is phase 3: only then can a clan become so large, and no other phase follows.
    The result is empty if the game is over.
    """
    if isinstance(state.phase, Ended):
        return ()
    return tuple([clan for clan in state.clans if len(clan.members) >= ENDING_SIZE])


def is_stuck(state: GameState) -> bool:
    """Return whether the game is stuck: ten game rounds in a row without a card bought or a clan at a new size.

    The game then ends and is scored. A new size is one that the clan never had before, so losing a member and placing
    it again does not count. Every game ends, since the cards are finite and no clan has more than 15 members. Our
    ruling; by the rulebook a game could go on forever once the market is empty or no clan can feed more members.
    Older games count idle rounds differently (``Options.older``).

    Rule: idle-rounds (R9.3)
    """
    return state.idle >= IDLE_ROUNDS


def winners(state: GameState) -> tuple[str, ...]:
    """Return the winning colours: most members, then most food; clans that are still tied share the victory.

    Sharing is our ruling. The neutral clan and players who have resigned cannot win.

    Rule: winner (R9.2)
    """
    best = max(_score(clan) for clan in state.in_play)
    return tuple(clan.colour for clan in state.in_play if _score(clan) == best)


def _score(clan: Clan) -> tuple[int, int]:
    return clan.size, clan.food


def ended_by(state: GameState) -> Ending:
    """Return the id of the rule by which a game that is over has ended.

    Players may agree or resign in a round that would have been the last anyway: then that is why it ended.
    """
    if len(state.in_play) == 1:
        return "resign"
    if all(colour in state.agreed for colour in state.order_in_play):
        return "agree-end"
    return "idle-rounds" if is_stuck(state) else "thirteenth-member"


def finish(state: GameState, winning: tuple[str, ...]) -> GameState:
    """Return the state in which the game is over."""
    return state._replace(phase=Ended(winning), waiting=()).with_events(GameEnded(winning))


def resign(state: GameState, colour: str) -> GameState:
    """Return the state in which the player has left the game.

    The clan keeps its members and cards and is not asked any more, and the last
    clan left in play wins at once. Our ruling: a game by mail needs this, unlike
    one at a table.

    Rule: resign (R9.3)
    """
    state = state.with_clan(state.clan(colour)._replace(resigned=True), Resigned(colour))
    state = state._replace(agreed=tuple(other for other in state.agreed if other != colour))
    if len(state.in_play) == 1:
        return finish(state, state.order_in_play)
    return agreed_by_all(state)


def agree_violations(state: GameState, colour: str) -> Iterator[Violation]:
    """Yield every rule that agreeing breaks: agreeing twice changes nothing, and there is a limit.

    Each agreement is a line of the log, which must not grow without bound. A player who has used up all can only
    withhold agreement, as every player may. Older games have no limit. Our ruling.
    """
    clan = state.clan(colour)
    if colour in state.agreed:
        why = phrase("{player} has already agreed to end the game, which holds until the next move", player=clan.player)
        yield Violation("agree-once", why)
    if clan.agreements >= MOST_AGREEMENTS:
        why = phrase(
            "{player} has agreed to end this game {n} times, which is the limit", player=clan.player, n=MOST_AGREEMENTS
        )
        yield Violation("agree-limit", why)


def agree_end(state: GameState, colour: str) -> GameState:
    """Return the state in which the player agrees to end the game as it stands.

    An agreement is only valid in this situation: the next move of the game
    cancels it. Our ruling.

    Rule: agree-end (R9.3)
    """
    clan = state.clan(colour)
    counted = clan if state.options.older else clan._replace(agreements=clan.agreements + 1)
    agreed = tuple([c.colour for c in state.clans if c.colour == colour or c.colour in state.agreed])
    return agreed_by_all(state._replace(clans=state.clans_with(counted), agreed=agreed, events=(_agreed(colour),)))


def agreed_by_all(state: GameState) -> GameState:
    """End the game if every player left in it has agreed."""
    for clan in state.clans:
        if not (clan.resigned or clan.colour in state.agreed):
            return state
    return finish(state, winners(state))
