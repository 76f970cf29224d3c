"""How a game goes on: orders, the draws that follow, and what the players of a shared game add to these."""

import re
from functools import partial
from typing import Protocol, cast

from pbem.errors import Illegal, NotYourTurn
from pbem.first_sparks.adjudicator import Draws, Entry, adjudicate, carry_on, follow, who_decides
from pbem.first_sparks.chance.contributions import Contribution, Given, Opens, Renews, Salts, Skips, check, check_new
from pbem.first_sparks.chance.draws import commitment, source
from pbem.first_sparks.clans import seat_name
from pbem.first_sparks.moves import Move
from pbem.first_sparks.record import SHARED, Chance, History, Record, at_beginning, at_turn, extended
from pbem.first_sparks.state import CHANCE, GameState
from pbem.grammar import phrase_listed
from pbem.locale import phrase, phrase_in
from pbem.quick import new


class Chains(Protocol):
    """The secrets of players that are on this machine, for a shared game."""

    def opens(self, record: Record, colour: str) -> str:
        """Return the next value of a player's chain; raises NoSuchFile if its secret is not here."""
        ...


class SaltedDraws(Protocol):
    """The draws of a game that takes salts: the index among n candidates of draw k, after these salts."""

    def __call__(self, n: int, k: int, /, salts: bytes = b"") -> int:
        """Return the index, 0 to n - 1."""
        ...


# What this machine has to make draws: the secret of the game, or those of players.
DrawSource = Draws | SaltedDraws | Chains


def joined(record: Record, colour: str, value: str) -> Record:
    """Return a shared game that a player has joined, with the first value of the own chain; raises Illegal."""
    if colour not in record.missing:
        raise Illegal(f"nobody has to join this game as {colour}")
    if not re.fullmatch("[0-9a-f]{64}", value):
        raise Illegal(f"the first value of {colour} is not 64 hexadecimal digits")
    check_new(record.chain(colour), value, dict(record.chance.joined).values())
    chance = record.chance._replace(joined=(*record.chance.joined, (colour, value)))
    return at_beginning(record._replace(chance=chance))


def imagined_game(record: Record, key: bytes) -> Record:
    """Return the same situation as an open game whose draws come from that key, at the next decision."""
    other = record._replace(chance=Chance("open", commitment(key), key.hex()), given=Given())
    return carried_on(other, source(record.game, key))[0]


def carried_on(record: Record, chance: DrawSource | None) -> tuple[Record, History]:
    """Return the record at the next choice of a player, or where chance has to wait, and what happened before."""
    draw = _draws(record.chance, record.game, record.given, chance)
    turn = record.turn
    steps = [(new(Entry, (turn, by, clan, move)), state) for by, clan, move, state in carry_on(record.state, draw)]
    return extended(record, tuple(steps))


def _draws(kind: Chance, game: str, given: Given, chance: DrawSource | None) -> Draws | None:
    """Return the draws that can be made now, None if chance has to wait."""
    if kind.kind == SHARED:
        return source(game, given.key) if given.key else None
    if kind.salted and callable(chance):
        return partial(cast("SaltedDraws", chance), salts=given.salts)
    return chance if callable(chance) else None


def played(record: Record, by: str, move: Move, chance: DrawSource | None, salt: str = "") -> tuple[Record, History]:
    """Return the record after one order of the clan *by*, at the next choice, and what happened from the order on.

    If a draw follows in a shared game, the clan opens it, unless chance has to wait. Raises NotYourTurn and Illegal
    like ``adjudicate``.
    """
    return _after(record, by, move, adjudicate(record.state, by, move), chance, salt)


def chosen(record: Record, move: Move, chance: DrawSource | None) -> Record:
    """Return the record after a move that ``choices`` has listed for its state, at the next choice: see ``played``.

    The move is not judged again. The game is not a shared one, in which a draw may be due first.
    """
    by = who_decides(record.state)
    assert by not in (CHANCE, None)
    return _after(record, by, move, follow(record.state, by, move), chance, "")[0]


def _after(
    record: Record, by: str, move: Move, state: GameState, chance: DrawSource | None, salt: str
) -> tuple[Record, History]:
    """Return what ``played`` does, given the *state* after the order alone."""
    turn = record.turn + 1
    entry = new(Entry, (turn, by, by, _without_guard(move)))
    moved, first = extended(record._replace(turn=turn), ((entry, state),))
    if salt and moved.chance.salted:
        moved, added = _contributed(moved, by, Salts(salt))
        first += added
    after, rest = carried_on(moved, chance)
    if after.opener == by == after.given.mover and not after.given.value and chance is not None:
        assert not callable(chance)
        after, opened = _contributed(after, by, Opens(chance.opens(after, by)))
        rest += opened
    return after, first + rest


def opened(record: Record, by: str, chains: Chains) -> tuple[Record, History]:
    """Return the shared game after the clan *by* has opened, at the next choice, and what happened from then on.

    Raises NotYourTurn if nothing has to be opened, or by somebody else.
    """
    if record.opener != by:
        raise NotYourTurn(phrase("no draw is due") if record.opener is None else waits_for(record))
    record, first = _contributed(record, by, Opens(chains.opens(record, by)))
    record, rest = carried_on(record, chains)
    return record, first + rest


def renewed_chain(record: Record, by: str, value: str, chains: Chains) -> tuple[Record, History]:
    """Return the shared game after the clan *by* has renewed its chain, and what happened from then on.

    If a value of the clan is due, the next clan has to open instead; a mover opens itself. Raises Illegal the second
    time.
    """
    record, first = _contributed(record, by, Renews(value))
    if record.opener != by:
        return record, first
    record, rest = opened(record, by, chains)
    return record, first + rest


def waits_for(record: Record) -> str:
    """Return what a shared game waits for, as an error says it; empty if for nobody's value."""
    if record.missing:
        missing = phrase_listed(phrase_in(colour, "clan colour") for colour in record.missing)
        return phrase("the game begins when everybody has joined; still missing: {missing}", missing=missing)
    if record.opener is None:
        return ""
    return phrase("{player} has to draw first", player=seat_name(dict(record.players)[record.opener], record.opener))


def _contributed(record: Record, by: str, said: Contribution) -> tuple[Record, History]:
    check(record.given, record.state, record.chain(by), said, salted=record.chance.salted)
    return extended(record, ((Entry(record.turn, by, by, said), record.state._replace(events=())),))


def taken_back(record: Record, turn: int) -> Record:
    """Return the game as it was at the end of an earlier turn, to go on from there.

    In a shared game, each clan passes over the values that it has opened since, so that nobody knows the next draw.
    Raises Illegal if the turn is not an earlier one, or if somebody has begun a new chain since.
    """
    if not 0 <= turn < record.turn:
        why = phrase(
            "turn {turn} is not an earlier turn of this game, which is at turn {now}", turn=turn, now=record.turn
        )
        raise Illegal(why)
    before = at_turn(record, turn)
    if before.given.renewed != record.given.renewed:
        raise Illegal("somebody has begun a new chain since, which cannot be taken back")
    opened_before = dict(before.given.shown)
    for colour, value in record.given.shown:
        if value != opened_before[colour]:
            before, _ = _contributed(before, colour, Skips(value))
    return before


def _without_guard(move: Move) -> Move:
    """Return the move for the log, without the card number after buy or decline, which was only a guard."""
    return move._replace(card=None) if move.word in ("buy", "decline") else move
