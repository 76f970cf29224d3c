"""What is to come: the end of the game, the place in the player order, and the cards of the draw pile."""

from collections.abc import Iterator
from typing import Final

from pbem.first_sparks.briefing.words import clans_text, counted, who
from pbem.first_sparks.cards import Pile
from pbem.first_sparks.forecast import next_place
from pbem.first_sparks.options import IDLE_ROUNDS
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.rules.game_end import ENDING_SIZE, ending_clans
from pbem.first_sparks.rules.spreading import MOST_NEW
from pbem.first_sparks.state import Clan, GameState
from pbem.grammar import listed, plural
from pbem.page.glue import glued

_PLACES: Final = ("1st", "2nd", "3rd", "4th", "5th", "6th")
# From this size on a clan can end the game in a single phase 3.
_NEAR: Final = ENDING_SIZE - MOST_NEW


_WARNED_AFTER: Final = 5  # rounds; fewer are not unusual
_AHEAD: Final = (
    "you would lead by {lead} before {clans} spreads",
    "you would lead by {lead} before {clans} spread",
)
_BEHIND: Final = (
    "you would be {lead} behind before {clans} spreads",
    "you would be {lead} behind before {clans} spread",
)
_SHARED: Final = (
    "you would share the lead before {clans} spreads",
    "you would share the lead before {clans} spread",
)


def how_it_will_end(state: GameState) -> str:
    """Return that the game is certain to end, or what large clans still need to end it; nothing before or after."""
    if isinstance(state.phase, Ended):
        return ""
    ending = ending_clans(state)
    if ending:
        size = max(clan.size for clan in ending)
        largest = tuple(clan.colour for clan in ending if clan.size == size)
        why = plural(
            len(largest),
            "{clans} has {size} members: the game ends after this phase.",
            "{clans} each have {size} members: the game ends after this phase.",
        )
        return f"{why.format(clans=clans_text(state, largest), size=size)} Most members wins, then most food."
    near = sorted((clan for clan in state.in_play if clan.size >= _NEAR), key=lambda clan: -clan.size)
    if not near:
        return ""
    needs = listed(f"{who(state, clan.colour)} needs {ENDING_SIZE - clan.size} more" for clan in near)
    return f"The game ends in the round in which a clan reaches {ENDING_SIZE} members: {needs}."


def how_it_may_end(state: GameState) -> str:
    """Return the warning that the game ends if nothing happens; nothing while that is far away or it is over."""
    past = state.idle - 1
    if past < _WARNED_AFTER or isinstance(state.phase, Ended) or state.options.older:
        return ""
    return (
        f"In the last {past} rounds nobody bought a card and no clan reached a new size. The game ends after"
        f" {IDLE_ROUNDS} such rounds in a row."
    )


def would_end(state: GameState, clan: Clan) -> bool:
    """Return whether the game is certain to end after this phase with the clan in this form."""
    return bool(ending_clans(state.with_clan(clan)))


def standing(state: GameState, clan: Clan, *, brief: bool = False) -> str:
    """Return how the clan, in this form, stands in a game that is certain to end: ``you would lead by 5``.

    The largest clan of the other players counts, as it is now, so clans that still spread are named, if it need not be
    *brief*. Food would decide a shared lead, but may be hidden.
    """
    lead = clan.size - max(other.size for other in state.in_play if other.colour != clan.colour)
    later = tuple(colour for colour in reversed(state.waiting) if state.clan(colour).members)
    if brief or not later:
        would = "you would lead by {lead}" if lead > 0 else "you would be {lead} behind"
        return would.format(lead=abs(lead)) if lead else "you would share the lead"
    before = _AHEAD if lead > 0 else _BEHIND if lead else _SHARED
    return plural(len(later), *before).format(lead=abs(lead), clans=listed(later))


def ending(state: GameState, clan: Clan, *, brief: bool = False) -> str:
    """Return what the size of the clan, in this form, comes to in a game that is then certain to end."""
    how = standing(state, clan, brief=brief)
    if ending_clans(state):
        return f"with {counted(clan.size, 'members')} {how}"
    return f"makes {clan.size}: the game ends after this phase, {how}"


def place(state: GameState, clan: Clan) -> str:
    """Return the place in the next player order of the clan, in this form: ``next round 2nd of 4``."""
    players, number = len(state.clans), next_place(state, clan)
    then = f"next round {glued(f'{_PLACES[number - 1]} of {players}')}"  # a line "of 4" would be an order
    if number == 1:
        return f"{then}: you hunt and spread last"
    return f"{then}: you hunt and spread first" if number == players else then


def place_in_short(state: GameState, clan: Clan) -> str:
    """Return the place in the next player order of the clan, in this form: ``2nd``."""
    return _PLACES[next_place(state, clan) - 1]


def cards_to_come(state: GameState) -> str:
    """Return what everybody knows of the draw pile, which has no order but this; nothing if it is empty.

    Its groups follow each other, and the cards of a group come in any order (R10.2).
    """
    parts = tuple(_parts_of_pile(state.pile))
    if not parts:
        return ""
    to_come = f"To come: {', then '.join(parts)}."
    if state.pile.size == len(parts):
        return to_come
    unknown = plural(len(parts), "Their order is not known.", "Only the order of these groups is known.")
    never = state.pile.never
    if never and len(state.pile.unseen) > never:
        removed = plural(
            never,
            "The other one was removed unseen.",
            "The other {n} were removed unseen.",
        )
        return f"{to_come} {removed} {glued(unknown)}"
    return f"{to_come} {glued(unknown)}"


def _parts_of_pile(pile: Pile) -> Iterator[str]:
    if pile.top:
        yield _numbers(pile.top)
    coming = len(pile.unseen) - pile.never
    if coming and pile.never:
        yield f"{coming} of the {counted(len(pile.unseen), 'cards')} {_numbers(pile.unseen)}"
    elif coming:
        yield _numbers(pile.unseen)
    if pile.shuffle:
        yield "Shuffle"
    if pile.under:
        yield _numbers(pile.under)


def _numbers(cards: tuple[int, ...]) -> str:
    return " ".join(map(str, cards))
