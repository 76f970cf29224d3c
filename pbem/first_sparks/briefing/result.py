"""How a game has ended: by which rule, why its winners have won, and what became of each clan's food."""

from collections.abc import Iterator, Sequence
from typing import Final, assert_never

from pbem.first_sparks.adjudicator import Entry
from pbem.first_sparks.briefing.accounts import KINDS, Account, accounts_of
from pbem.first_sparks.briefing.words import clans_text, counted, food_word, who
from pbem.first_sparks.components import FOODS
from pbem.first_sparks.options import IDLE_ROUNDS
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.rules.game_end import ENDING_SIZE, ended_by
from pbem.first_sparks.state import Clan, GameState
from pbem.grammar import plural
from pbem.locale import tr
from pbem.page.glue import glued, unbroken
from pbem.page.page import Block, Column, Grid, Prose


def victory(state: GameState) -> str:
    """Return the sentence that says who has won a game that is over."""
    winners = _winners(state)
    message = plural(len(winners), "{clans} wins.", "{clans} share the victory.")
    return message.format(clans=clans_text(state, winners))


def _winners(state: GameState) -> tuple[str, ...]:
    return state.phase.winners if isinstance(state.phase, Ended) else ()


def why_won(state: GameState) -> str:
    """Return by which rule a game that is over has ended, and by which its winners have won, with their numbers."""
    return " ".join((how_it_ended(state), *_score(state)))


_IDLE: Final = "The game ended after {rounds} rounds in a row without a purchase or a clan at a new size (R9.3)."


def how_it_ended(state: GameState) -> str:
    """Return the sentence on the rule by which a game that is over has ended."""
    match ended_by(state):
        case "thirteenth-member":
            return tr("A clan has reached {size} members (R9.1).").format(size=ENDING_SIZE)
        case "agree-end":
            return tr("All players in the game have agreed to end it (R9.3).")
        case "idle-rounds":
            if state.options.older:
                idle = tr("The game ended after {rounds} rounds in which nothing changed (R9.3).")
                return idle.format(rounds=state.idle)
            return tr(_IDLE).format(rounds=IDLE_ROUNDS)
        case "resign":
            gone = clans_text(state, (clan.colour for clan in state.clans if clan.resigned))
            others = len(state.clans) - len(state.in_play)
            return plural(others, "{who} has resigned (R9.3).", "{who} have resigned (R9.3).").format(who=gone)
        case _ as unreachable:
            assert_never(unreachable)


def _score(state: GameState) -> Iterator[str]:
    """Yield by what the winners are ahead, and why a clan that seems to be ahead of them has not won."""
    if len(state.in_play) == 1:
        return
    winners = _winners(state)
    first = state.clan(winners[0])
    if winners[1:]:
        score = tr("{clans} each have {members} and {food}\N{NO-BREAK SPACE}food (R9.2).")
    elif sum(clan.size == first.size for clan in state.in_play) > 1:
        score = tr("Of the largest clans, with {members} each, {clans} has the most food ({food}) (R9.2).")
    else:
        score = tr("{clans} has the largest clan, with {members} (R9.2).")
    members = glued(counted(first.size, "members"))
    yield unbroken(score).format(clans=clans_text(state, winners), members=members, food=first.food)
    ahead = tuple(clan.colour for clan in state.clans if clan.resigned and _is_ahead(clan, first))
    if ahead:
        said = plural(len(ahead), "{who} has resigned and cannot win.", "{who} have resigned and cannot win.")
        yield said.format(who=clans_text(state, ahead))
    if state.neutral is not None and len(state.neutral) >= first.size:
        yield tr("The neutral clan cannot win (R9.2).")


def _is_ahead(clan: Clan, winner: Clan) -> bool:
    return (clan.size, clan.food) >= (winner.size, winner.food)


def final_table(state: GameState) -> tuple[Grid, ...]:
    """Return the clans of a game that is over, winners first, then by members and food; the resigned come last."""
    ranks = _ranks(state)
    rows: list[tuple[str, ...]] = []
    for clan in map(state.clan, ranks):
        place = 1 + sum(rank < ranks[clan.colour] for rank in ranks.values())
        name = who(state, clan.colour)
        named = tr("{clan} (resigned)").format(clan=name) if clan.resigned else name
        rows.append((str(place), str(clan.size), str(clan.food), named))
    titles = tr("place", "column"), tr("members", "column"), tr("food", "column")
    columns = (*(Column(title, right=True) for title in titles), Column(tr("clan", "column")))
    return (Grid(columns, tuple(rows)),)


def _ranks(state: GameState) -> dict[str, tuple[bool, bool, int, int]]:
    """Return by what each clan is ranked at the end, the lowest first."""
    winners = _winners(state)
    ranks = {clan.colour: (clan.colour not in winners, clan.resigned, -clan.size, -clan.food) for clan in state.clans}
    return dict(sorted(ranks.items(), key=lambda ranked: ranked[1]))


def food_tables(
    state: GameState, history: Sequence[tuple[Entry, GameState]], order: Sequence[str] = ()
) -> Iterator[Block]:
    """Yield what each clan harvested, by kind, and what became of it, of the whole *history* of a game that is over.

    All numbers are food. The clans stand in that *order* of their colours, by default as in the final table.
    """
    order = order or tuple(_ranks(state))
    accounts = sorted(accounts_of(history).clans, key=lambda account: order.index(account.clan))
    names = [who(state, account.clan) for account in accounts]
    clan = Column(tr("clan", "column"))
    yield Prose(tr("Harvested, in food:"))
    kinds = (food_word(kind) if kind in FOODS else tr("crops", "column") for kind in KINDS)
    numbers = tuple(Column(title, right=True) for title in (*kinds, tr("all", "column")))
    yield Grid(
        (*numbers, clan),
        tuple(
            (*map(str, account.harvest), str(account.harvested), name)
            for account, name in zip(accounts, names, strict=True)
        ),
        hangs=True,
    )
    yield Prose(tr("Spent and lost, and the best harvest:"), apart=True)
    titles = tr("cards", "column"), tr("spreading", "column"), tr("eaten", "column"), tr("rotten", "column")
    numbers = tuple(Column(title, right=True) for title in titles)
    best = [_best(account) for account in accounts]
    yield Grid(
        (*numbers, Column(tr("best harvest", "column")), clan),
        tuple(
            (str(account.cards), str(account.spreading), str(account.eaten), str(account.rotten), said, name)
            for account, said, name in zip(accounts, best, names, strict=True)
        ),
        hangs=True,
    )


def _best(account: Account) -> str:
    """Return the largest single harvest and its round."""
    if not account.best:
        return tr("none", "harvest")
    return tr("{food} in round {round}").format(food=account.best, round=account.best_round)
