"""The snapshot of a state: the dictionaries for a file. No format, no file.

Nobody reads them back: the state of a game results from its log.
"""

from typing import Any

from pbem.first_sparks.cards import Market, Pile
from pbem.first_sparks.components import LaidTile
from pbem.first_sparks.land.board import cell_name, places
from pbem.first_sparks.options import Options
from pbem.first_sparks.phases import Phase
from pbem.first_sparks.state import Clan, GameState


def encode_state(state: GameState) -> dict[str, Any]:
    """Return the snapshot of a state, in plain lists, numbers and words; what is absent is left out.

    Values come before tables, as in TOML, so that JSON keeps the same order.
    """
    return {
        "round": state.round,
        "step": state.step,
        "quiet" if state.options.older else "idle": state.idle,
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
        "clans": [_encode_clan(clan, state.options) for clan in state.clans],
    }


def _encode_phase(phase: Phase | None) -> dict[str, Any]:
    assert phase is not None
    row = {key: _plain(value) for key, value in phase._asdict().items()}
    return {"name": row.pop("name"), **row}


def encode_options(options: Options) -> dict[str, Any]:
    """Return the options as data; a game that began before idle rounds were counted does not name them."""
    return {key: value for key, value in options._asdict().items() if key != "idle_rounds" or not options.older}


def decode_options(data: dict[str, Any]) -> Options:
    """Return the options from the data of a file."""
    said: dict[str, Any] = {"idle_rounds": 0, **data}
    return Options(**said)


def _encode_clan(clan: Clan, options: Options) -> dict[str, Any]:
    row: dict[str, Any] = {"colour": clan.colour, "food": clan.food}
    row["cards"] = [card.number for card in clan.cards]
    row["members"] = list(clan.members)
    if clan.resigned:
        row["resigned"] = True
    if clan.largest > clan.size and not options.older:
        row["largest"] = clan.largest
    if clan.agreements:
        row["agreements"] = clan.agreements
    return row


def _encode_tile(laid: LaidTile) -> dict[str, Any]:
    return {"tile": laid.tile.letter, "cells": [cell_name(place) for place in places(laid)]}


def _present(values: Market | Pile) -> dict[str, Any]:
    """Return the fields without those that are None, and tuples as lists."""
    return {key: _plain(value) for key, value in values._asdict().items() if value is not None}


def _plain(value: object) -> object:
    """Return a value for a file, in which a tuple is a list."""
    return [*value] if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownVariableType] -- of any type
