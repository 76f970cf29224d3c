"""What is to come: the end of the game, the place in the player order, and the cards of the draw pile."""

from collections.abc import Iterator
from functools import reduce
from typing import Final

from pbem.first_sparks.briefing.words import clans_text, colour_word, counted, who
from pbem.first_sparks.cards import Pile
from pbem.first_sparks.forecast import next_place
from pbem.first_sparks.options import IDLE_ROUNDS
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.rules.game_end import ENDING_SIZE, ending_clans
from pbem.first_sparks.rules.spreading import MOST_NEW
from pbem.first_sparks.state import Clan, GameState
from pbem.grammar import listed, ordinal, plural
from pbem.locale import tr
from pbem.page.glue import glued, unbroken

# From this size on a clan can end the game in a single phase 3.
_NEAR: Final = ENDING_SIZE - MOST_NEW


_WARNED_AFTER: Final = 5  # rounds; fewer are not unusual
_LEADS: Final = "you would lead by {lead}"
_TRAILS: Final = "you would be {lead} behind"
_SHARES: Final = "you would share the lead"
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
        most = tr("Most members wins, then most food.")
        return f"{why.format(clans=clans_text(state, largest), size=size)} {most}"
    near = sorted((clan for clan in state.in_play if clan.size >= _NEAR), key=lambda clan: -clan.size)
    if not near:
        return ""
    more = tr("{clan} needs {number} more")
    needs = listed(more.format(clan=who(state, clan.colour), number=ENDING_SIZE - clan.size) for clan in near)
    ends = tr("The game ends in the round in which a clan reaches {size} members: {needs}.")
    return ends.format(size=ENDING_SIZE, needs=needs)


def how_it_may_end(state: GameState) -> str:
    """Return the warning that the game ends if nothing happens; nothing while that is far away or it is over."""
    past = state.idle - 1
    if past < _WARNED_AFTER or isinstance(state.phase, Ended) or state.options.older:
        return ""
    message = tr(
        "In the last {past} rounds nobody bought a card and no clan reached a new size. The game ends after {rounds}"
        " such rounds in a row."
    )
    return message.format(past=past, rounds=IDLE_ROUNDS)


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
        would = tr(_LEADS if lead > 0 else _TRAILS if lead else _SHARES)
        return would.format(lead=abs(lead))
    before = plural(len(later), *(_AHEAD if lead > 0 else _BEHIND if lead else _SHARED))
    return before.format(lead=abs(lead), clans=listed(map(colour_word, later)))


def ending(state: GameState, clan: Clan, *, brief: bool = False) -> str:
    """Return what the size of the clan, in this form, comes to in a game that is then certain to end."""
    how = standing(state, clan, brief=brief)
    if ending_clans(state):
        return tr("with {members} {what_follows}").format(members=counted(clan.size, "members"), what_follows=how)
    makes = tr("makes {size}: the game ends after this phase, {what_follows}")
    return makes.format(size=clan.size, what_follows=how)


def place(state: GameState, clan: Clan) -> str:
    """Return the place in the next player order of the clan, in this form: ``next round 2nd of 4``."""
    players, number = len(state.clans), next_place(state, clan)
    # A line "of 4" would be an order, so the blanks around "of" do not break.
    if number == 1:
        then = tr("next round {place}\N{NO-BREAK SPACE}of\N{NO-BREAK SPACE}{players}: you hunt and spread last")
    elif number == players:
        then = tr("next round {place}\N{NO-BREAK SPACE}of\N{NO-BREAK SPACE}{players}: you hunt and spread first")
    else:
        then = tr("next round {place}\N{NO-BREAK SPACE}of\N{NO-BREAK SPACE}{players}")
    return unbroken(then).format(place=ordinal(number), players=players)


def place_in_short(state: GameState, clan: Clan) -> str:
    """Return the place in the next player order of the clan, in this form: ``2nd``."""
    return ordinal(next_place(state, clan))


def cards_to_come(state: GameState) -> str:
    """Return what everybody knows of the draw pile, which has no order but this; nothing if it is empty.

    Its groups follow each other, and the cards of a group come in any order (R10.2).
    """
    parts = tuple(_parts_of_pile(state.pile))
    if not parts:
        return ""
    groups = reduce(lambda some, more: tr("{some}, then {more}").format(some=some, more=more), parts)
    to_come = tr("To come: {groups}.").format(groups=groups)
    if state.pile.size == len(parts):
        return to_come
    unknown = tr("Only the order of these groups is known.") if parts[1:] else tr("Their order is not known.")
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
        some = plural(len(pile.unseen), "{some} of the {n} card {numbers}", "{some} of the {n} cards {numbers}")
        yield some.format(some=coming, numbers=_numbers(pile.unseen))
    elif coming:
        yield _numbers(pile.unseen)
    if pile.shuffle:
        yield tr("Shuffle", "card")
    if pile.under:
        yield _numbers(pile.under)


def _numbers(cards: tuple[int, ...]) -> str:
    return " ".join(map(str, cards))
