"""Nobody learns anything from another's plan: all that others see is the same as if its owner had answered by hand."""

import os
import re
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bots import a_sensible_choice
from people import Mail
from planners import MailGame
from plans import a_plan
from work import Some

from pbem.club.journal import journal_rows
from pbem.club.status import rows_of
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.bot.suggest import suggest
from pbem.first_sparks.moves import Offer
from pbem.first_sparks.options import BoardWay
from pbem.first_sparks.plans.plan import cards_in_game
from pbem.first_sparks.plans.write import write, write_always
from pbem.first_sparks.record import Record
from pbem.first_sparks.state import CHANCE, GameState

pytestmark = pytest.mark.slow

MOST_TURNS = 70
GAMES = [(2, False), (3, False), (3, True), (4, True), (5, False)]
# The keys of a row of the journal, none of which has a word of a plan.
KEYS = {"digest", "id", "game", "turn", "colour", "code", "head", "then", "asks", "plan", "early", "file", "letter"}


def normal(mail: Mail) -> tuple[str, bytes]:
    """Return who gets a letter, and its bytes without what only numbers it."""
    head, empty, body = mail.raw.partition(b"\n\n")
    bare = re.sub(rb"(?mi)^(Message-ID|References|In-Reply-To):.*\n(?:[ \t].*\n)*", b"", head + b"\n")
    for boundary in re.findall(rb'boundary="([^"]+)"', bare + body):
        bare, body = bare.replace(boundary, b"B"), body.replace(boundary, b"B")
    return mail.to, bare + empty + body


def seen_by_others(game: MailGame, planner: str) -> dict[str, list[bytes]]:
    """Return the letters of each reader but the planner, in the order in which they came."""
    found: dict[str, list[bytes]] = {}
    for to, text in map(normal, game.letters):
        if to != f"{planner}@x.example":
            found.setdefault(to, []).append(text)
    return found


def planned(folder: Path, players: int, seed: int, *, hide_food: bool) -> tuple[MailGame, str, dict[int, Any]]:
    """Play a game in which one player plans at random, and the others answer when they are asked."""
    game = MailGame(folder, players, waves=False, hide_food=hide_food)
    random, planner = Random(seed), game.record.players[seed % players][0]
    seen: dict[int, Any] = {}
    while (colour := who_decides(game.record.state)) is not None and game.record.turn < MOST_TURNS:
        record = game.record
        words = str(a_sensible_choice(record.state, random))
        if colour == planner:
            words = "\n".join((words, *some_plan(record.state, planner, random)))
        else:
            seen[record.turn] = public(game)
        assert game.send(colour, words, beneath=game.beneath).code == "played"
    return game, planner, seen


def some_plan(state: GameState, planner: str, random: Random) -> tuple[str, ...]:
    """Return the lines of a plan, of any or of one that the bot would write."""
    if random.random() < 0.5:
        return suggest(state, planner)
    said = a_plan(state, planner, random)
    return (*(write(said.plan) if said.plan else ()), *(write_always(said.always) if said.always else ()))


def public(game: MailGame) -> object:
    """Return what is public: the file of the game, and what the status says."""
    return game.table.game.read_bytes(), list(rows_of(game.club))


def by_hand(folder: Path, record: Record, *, hide_food: bool) -> tuple[MailGame, dict[int, Any]]:
    """Play the same game with all orders sent when they are asked for."""
    game = MailGame(folder, len(record.players), waves=False, hide_food=hide_food)
    seen: dict[int, Any] = {}
    orders = [entry for entry, _ in record.history if entry.by != CHANCE]
    for entry in orders:
        seen[game.record.turn] = public(game)
        assert game.send(entry.by, str(entry.move), beneath=game.beneath).code == "played"
    return game, seen


@pytest.mark.parametrize(("players", "hide_food"), GAMES, ids=str)
def test_all_bytes_that_others_get_are_those_of_a_game_without_plans(
    players: int, hide_food: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, some: Some
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)
    # When the game is over, everybody may know how many answers came from plans.
    monkeypatch.setattr("pbem.table.letters.situation.of_the_end", lambda _: "")
    answered = 0
    for seed in some(range(6), 6):
        monkeypatch.setattr(os, "urandom", Random(seed).randbytes)
        game, planner, seen = planned(tmp_path / f"planned-{seed}", players, seed, hide_food=hide_food)
        monkeypatch.setattr(os, "urandom", Random(seed).randbytes)
        other, seen_by_hand = by_hand(tmp_path / f"hand-{seed}", game.record, hide_food=hide_food)
        answered += sum(len(row.get("then", ())) for row in journal_rows(game.table.journal))

        assert other.table.game.read_bytes() == game.table.game.read_bytes()
        assert seen_by_others(game, planner) == seen_by_others(other, planner)
        assert {turn: seen_by_hand[turn] for turn in seen} == seen
        for row in journal_rows(game.table.journal):
            assert row.keys() <= KEYS
            assert {by for *_, by in row.get("then", ())} <= {"plan"}
    assert answered > 0


def test_with_waves_no_letter_to_others_depends_on_what_a_plan_says_but_does_not_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, some: Some
) -> None:
    """A second game is the same but for a rule of the planner's about a card that nobody offers."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    for seed, (players, hide_food) in some(product(range(4), [(4, True), (3, False), (6, True)]), 12):
        random = Random(seed)
        monkeypatch.setattr(os, "urandom", Random(seed).randbytes)
        board: BoardWay = "random" if players < 6 else "players"
        game = MailGame(tmp_path / f"one-{players}-{seed}", players, hide_food=hide_food, board=board)
        planner = game.record.players[seed % players][0]
        while who_decides(game.record.state) is not None and game.record.turn < MOST_TURNS:
            assert game.answers(random, {planner}).code in ("played", "planned", "refused")
        offered = {entry.move.card for entry, _ in game.record.history if isinstance(entry.move, Offer)}
        never = max(set(cards_in_game(game.record.state.components, players)) - offered)

        monkeypatch.setattr(os, "urandom", Random(seed).randbytes)
        other = MailGame(tmp_path / f"two-{players}-{seed}", players, hide_food=hide_food, board=board)
        for colour, words in game.sent:
            said = f"{words}\nalways decline {never}" if colour == planner else words
            other.send(colour, said, beneath=other.beneath)

        assert other.record.log == game.record.log
        assert seen_by_others(game, planner) == seen_by_others(other, planner)
