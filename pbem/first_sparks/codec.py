"""Types of the game <-> the dictionaries that a file holds. No format, no file.

Whoever reads has checked the shape with the schema; what does not fit together
all the same (a card that the set does not have, a space beside the board)
raises Broken with the place.
"""

from typing import Any, Final

from pbem.errors import Broken
from pbem.first_sparks.adjudicator import STEPS, choices
from pbem.first_sparks.board import cell_name, cell_place, is_one_group, lay_out, places, rotation_of
from pbem.first_sparks.clans import tool_limit
from pbem.first_sparks.components import ComponentSet, LaidTile
from pbem.first_sparks.rules.preparation import place_violations, tiles_in_play
from pbem.first_sparks.state import (
    Adding,
    Answering,
    Clan,
    DealingHerbs,
    DrawingCard,
    DrawingTile,
    Dropping,
    Ended,
    GameState,
    Harvest,
    Laying,
    Market,
    Offering,
    Options,
    Phase,
    Pile,
    Settling,
    SettlingNeutral,
    Spreading,
    SpreadingNeutral,
    Starving,
    TakingOrDiscarding,
)

_PHASES: Final[dict[str, type[Phase]]] = {
    phase._field_defaults["name"]: phase
    for phase in (
        DealingHerbs,
        DrawingTile,
        Laying,
        SettlingNeutral,
        Settling,
        Adding,
        Offering,
        Answering,
        TakingOrDiscarding,
        Dropping,
        DrawingCard,
        Starving,
        SpreadingNeutral,
        Spreading,
        Ended,
    )
}


def encode_state(state: GameState) -> dict[str, Any]:
    """Return the snapshot of a state: plain lists, numbers and words; what is absent is left out.

    Values stand before tables, as TOML has them, so that JSON keeps the same order.
    """
    return {
        "round": state.round,
        "step": state.step,
        "idle": state.idle,
        "draws": state.draws,
        "first_offer": state.first_offer,
        "waiting": list(state.waiting),
        "agreed": list(state.agreed),
        "tiles": list(state.tiles),
        **({} if state.neutral is None else {"neutral": list(state.neutral)}),
        "phase": _encode_phase(state.phase),
        "harvest": state.harvest._asdict(),
        "market": _present(state.market),
        "pile": _present(state.pile),
        "board": [_encode_tile(laid) for laid in state.board.tiles],
        "clans": [_encode_clan(clan) for clan in state.clans],
    }


def decode_state(
    snapshot: dict[str, Any], components: ComponentSet, options: Options, players: tuple[tuple[str, str], ...]
) -> GameState:
    """Return the state that the snapshot describes; raises Broken where it does not make sense."""
    try:
        board = lay_out(tuple(_decode_tile(row, components) for row in snapshot["board"]))
        names = dict(players)
        neutral = snapshot.get("neutral")
        state = GameState(
            components,
            options,
            tuple(_decode_clan(row, names, components) for row in snapshot["clans"]),
            board,
            tuple(snapshot["tiles"]),
            Harvest(**snapshot["harvest"]),
            Market(**_tuples(snapshot["market"])),
            Pile(**_tuples(snapshot["pile"])),
            None if neutral is None else tuple(neutral),
            snapshot["round"],
            snapshot["step"],
            tuple(snapshot["waiting"]),
            _decode_phase(snapshot["phase"]),
            snapshot["first_offer"],
            snapshot.get("idle", 0),
            tuple(snapshot["agreed"]),
            snapshot["draws"],
        )
    except (KeyError, TypeError, ValueError, IndexError):
        raise Broken("the snapshot does not fit the component set or the players", path="state") from None
    for path, wrong in _senseless(state, names):
        if wrong:
            raise Broken("the snapshot does not make sense", path=f"state.{path}")
    _check_cards(state)
    if not isinstance(state.phase, Ended) and next(choices(state), None) is None:
        raise Broken("the snapshot asks for a decision in which nothing is legal", path="state.phase")
    return state


def _check_cards(state: GameState) -> None:
    """Raise Broken unless each card is in one place only."""
    pile = state.pile
    cards = [*state.market.cards, *pile.top, *pile.unseen, *pile.under]
    for clan in state.clans:
        cards += [card.number for card in clan.cards]
    if len(set(cards)) == len(cards):
        return
    places = [("market.cards", state.market.cards)]
    places += [(f"pile.{part}", getattr(pile, part)) for part in ("top", "unseen", "under")]
    places += [(f"clans[{n}].cards", tuple(card.number for card in c.cards)) for n, c in enumerate(state.clans)]
    twice = next(card for card in cards if cards.count(card) > 1)
    first, second, *_ = [f"state.{place}" for place, there in places for card in there if card == twice]
    raise Broken(f"the snapshot does not make sense: #{twice} is in {first} and in {second}", path=second)


def _senseless(state: GameState, names: dict[str, str]) -> tuple[tuple[str, bool], ...]:
    """Return what must not be: names of clans, spaces, cards and steps that this game does not have."""
    colours = set(state.order)
    spaces = set(state.board.spaces)
    known = set(state.components.cards)
    phase = state.phase._asdict() if state.phase is not None else {}
    asked = [*phase.get("wanted_by", ()), *phase.get("unasked", ()), *phase.get("winners", ())]
    asked += [phase[key] for key in ("clan", "offerer") if key in phase]
    pile = state.pile
    groups = [clan.members for clan in state.clans]
    dropping = phase["clan"] if isinstance(state.phase, Dropping) else ""
    laid, needed = len(state.board.tiles), tiles_in_play(len(names))
    # A game may end while its tiles are laid, when all but one resign.
    unfinished = isinstance(state.phase, DealingHerbs | DrawingTile | Laying | Ended)
    return (
        ("board", not _is_laid(state)),
        ("board", laid > needed or (not unfinished and laid < needed)),
        ("board", isinstance(state.phase, DrawingTile | Laying) and laid == needed),
        ("tiles", isinstance(state.phase, DrawingTile) and not state.tiles),
        ("clans", colours != set(names) or len(state.clans) != len(names)),
        ("clans", any(not spaces.issuperset(clan.members) for clan in state.clans)),
        ("clans", any(len(set(clan.members)) != clan.size for clan in state.clans)),
        ("clans", any(clan.largest < clan.size for clan in state.clans)),
        ("clans", any(len(clan.tools) > tool_limit(clan) + (clan.colour == dropping) for clan in state.clans)),
        ("clans", any(not is_one_group(state.board, group) for group in groups if spaces.issuperset(group))),
        ("pile", pile.size < 0 or (isinstance(state.phase, DrawingCard) and pile.size == 0)),
        ("neutral", not spaces.issuperset(state.neutral or ()) or (state.neutral is not None and len(names) != 2)),
        ("market", not known.issuperset(state.market.cards) or list(state.market.cards) != sorted(state.market.cards)),
        ("market", state.market.crop is not None and state.market.crop not in state.market.cards),
        ("pile", not known.issuperset((*pile.top, *pile.unseen, *pile.under))),
        ("pile", list(pile.unseen) != sorted(pile.unseen) or list(pile.under) != sorted(pile.under)),
        ("tiles", not set(state.components.tiles).issuperset(state.tiles)),
        ("step", state.step not in STEPS),
        ("waiting", not colours.issuperset((*state.waiting, *state.agreed))),
        ("phase", not colours.issuperset(asked) or phase.get("card", 7) not in known),
        ("phase", "tile" in phase and phase["tile"] not in state.components.tiles),
        ("phase", isinstance(state.phase, SettlingNeutral | SpreadingNeutral | TakingOrDiscarding) and len(names) != 2),
    )


def _is_laid(state: GameState) -> bool:
    """Return whether the tiles lie as a game lays them: one after the other by the rules, or all as recommended."""
    tiles = state.board.tiles
    if state.options.board == "recommended":
        return tiles == state.components.boards[tiles_in_play(len(state.clans))].tiles
    return not any(any(place_violations(lay_out(tiles[:n]), *places(laid))) for n, laid in enumerate(tiles))


def _encode_phase(phase: Phase | None) -> dict[str, Any]:
    assert phase is not None
    row = {key: list(value) if isinstance(value, tuple) else value for key, value in phase._asdict().items()}
    return {"name": row.pop("name"), **row}


def _decode_phase(row: dict[str, Any]) -> Phase:
    phase: Phase = _PHASES[row["name"]](**_tuples(row))
    return phase


def _encode_clan(clan: Clan) -> dict[str, Any]:
    row: dict[str, Any] = {"colour": clan.colour, "food": clan.food}
    row["cards"] = [card.number for card in clan.cards]
    row["members"] = list(clan.members)
    if clan.resigned:
        row["resigned"] = True
    if clan.largest > clan.size:
        row["largest"] = clan.largest
    return row


def _decode_clan(row: dict[str, Any], names: dict[str, str], components: ComponentSet) -> Clan:
    cards = tuple(components.cards[number] for number in row["cards"])
    members, resigned = tuple(row["members"]), row.get("resigned", False)
    largest = row.get("largest", len(members))
    return Clan(row["colour"], names[row["colour"]], row["food"], cards, members, resigned, largest)


def _encode_tile(laid: LaidTile) -> dict[str, Any]:
    return {"tile": laid.tile.letter, "cells": [cell_name(place) for place in places(laid)]}


def _decode_tile(row: dict[str, Any], components: ComponentSet) -> LaidTile:
    first, second = map(cell_place, row["cells"])
    rotation = rotation_of(first, second)
    if rotation is None:
        raise ValueError("the cells are not next to each other")
    return LaidTile(components.tiles[row["tile"]], *first, rotation)


def _present(values: Market | Pile) -> dict[str, Any]:
    """Return the fields that say something: no None, tuples as lists."""
    fields = values._asdict().items()
    return {key: list(value) if isinstance(value, tuple) else value for key, value in fields if value is not None}


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
