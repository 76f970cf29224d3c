"""What a game has cost its players, from its journal: mails, waits, and answers for which nobody was asked."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.record import Record
from pbem.first_sparks.state import CHANCE, GameState
from pbem.grammar import decimal, listed, plural
from pbem.locale import tr
from pbem.table.people import BOT, Roster
from pbem.table.questions import ASKS

THEN: Final = "then"  # the key of a row of the journal: the answers for which nobody was asked, as ``Onward`` has them


class Counts(NamedTuple):
    """What a game has cost: *mails* with answers or plans, *waits*, and answers of *plans* and of *bots*.

    A wait begins when somebody is asked while nobody else is being waited for: questions that are put to several at
    the same time are one. *players* are those who are no bots, and the *rounds* are at least one.
    """

    mails: int
    waits: int
    players: int
    rounds: int
    plans: int
    bots: int

    @property
    def each(self) -> float:
        """Mails a player and round."""
        return self.mails / max(1, self.players * self.rounds)


def counted(roster: Roster, record: Record, rows: Sequence[dict[str, Any]]) -> Counts:
    """Return what the game has cost so far; the *rows* are those of its journal.

    Mails that the host or the clock has sent for a player do not count, those of moves that were taken back do.
    """
    said = [row for row in rows if row.get("code") in ("played", "planned")]
    given = [by for row in rows for *_, by in row.get(THEN, ())]
    people = sum(player.address != BOT for player in roster.players)
    mails = sum(not row.get("instead") for row in said)
    rounds = max(1, record.state.round)
    return Counts(mails, _waits(record, rows), people, rounds, given.count("plan"), given.count("bot"))


def _waits(record: Record, rows: Sequence[dict[str, Any]]) -> int:
    states = {entry.turn: state for entry, state in record.history}  # each at the end of its turn
    waits = 0
    awaited: set[str] = set()
    step: tuple[int, str, int] | None = None
    for row in rows:
        if ASKS not in row and row.get("code") not in ("begun", "played", "planned"):
            continue
        state = states.get(int(row.get("turn", 0)))
        now = None if state is None else (state.round, state.step, getattr(state.phase, "card", 0))
        if now != step:
            awaited, step = set[str](), now
        awaited.discard(str(row.get("colour", "")))
        asks: Sequence[str] = row.get(ASKS, _decides(state))  # older games asked one at a time
        waits += bool(asks) and not awaited
        awaited.update(asks)
    return waits


def _decides(state: GameState | None) -> tuple[str, ...]:
    colour = None if state is None else who_decides(state)
    return () if colour in (None, CHANCE) else (str(colour),)


_PLAYED: Final = "You played {rounds} with {mails}, {each} a player and round."
_WITH_ANSWERS: Final = "You played {rounds} with {mails}, {each} a player and round; {answers}."
_WITH_BOTH: Final = "You played {rounds} with {mails}, {each} a player and round; {plans} and {bots}."


def of_the_end(counts: Counts) -> str:
    """Return what the last letter says about it."""
    words = _words(counts)
    if counts.plans and counts.bots:
        return tr(_WITH_BOTH).format_map(words)
    if counts.plans or counts.bots:
        return tr(_WITH_ANSWERS).format_map(words | {"answers": words["plans" if counts.plans else "bots"]})
    return tr(_PLAYED).format_map(words)


def of_a_game(name: str, counts: Counts) -> str:
    """Return what the status says about it."""
    words = _words(counts)
    first = "{name}: {rounds}, {mails} ({each} a player and round), {waits}".format(name=name, **words)
    given = [words[key] for key, number in (("plans", counts.plans), ("bots", counts.bots)) if number]
    return f"{first}; {listed(given)}" if given else first


def _words(counts: Counts) -> dict[str, str]:
    return {
        "rounds": plural(counts.rounds, "{n} round", "{n} rounds"),
        "mails": plural(counts.mails, "{n} mail", "{n} mails"),
        "waits": plural(counts.waits, "{n} wait", "{n} waits"),
        "plans": plural(counts.plans, "{n} answer came from plans", "{n} answers came from plans"),
        "bots": plural(counts.bots, "{n} answer came from bots", "{n} answers came from bots"),
        "each": decimal(counts.each),
    }
