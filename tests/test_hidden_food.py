"""Hidden food cannot be probed: games that differ in nothing else answer every submission alike, whatever way it comes.

Two games with component sets of their own, of which one sells Fire dearer, have the same log while their owners of Fire
have different food. We look for decisions after which a hunt comes, and after the hunt somebody else is asked.
"""

import copy
import json
import re
import shutil
from collections.abc import Iterator
from functools import cache
from itertools import islice, product
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from bots import SECRET, a_choice, a_new_record, a_sensible_choice
from builders import the_components
from gits import GAME, did, git, page_of
from gits import pbem as program
from mail.people import read, reply

import pbem
from pbem import game_files, report, rulings
from pbem.carriers.mail.settings import read_club
from pbem.carriers.mail.setup import create
from pbem.carriers.mail.take import take
from pbem.cli import app as cli
from pbem.club import store as memory
from pbem.club.folder import GameFolder
from pbem.club.opening import open_game
from pbem.errors import PbemError
from pbem.first_sparks.adjudicator import choices, who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.components import ComponentSet, components_from
from pbem.first_sparks.events import Hunted
from pbem.first_sparks.play import played
from pbem.first_sparks.proof import followed
from pbem.first_sparks.record import Record, begin
from pbem.first_sparks.state import CHANCE
from pbem.loading import Submission
from pbem.scripts import batch
from pbem.table.people import Opening

PRICES = (-3, -2, -1, 1, 2, 3)
SEEDS = (21, 25, 31, 35, 38, 46, 50, 62)  # of 120 games those in which most is found soon
MORE = ("stay", "pass", "decline", "resign", "agree end", "starve A1a", "spread Z9z", "offer 41", "hello")


class Probe(NamedTuple):
    """A decision of a player in two games, after which another player is asked in the one than in the other."""

    player: str
    order: str
    one: Record
    other: Record

    @property
    def submissions(self) -> tuple[tuple[str, ...], ...]:
        """All pairs and some triples of orders, and each order alone."""
        first = (self.order, *(str(move) for move in islice(choices(self.one.state), 3)), "agree end", "resign")
        pairs = tuple(product(dict.fromkeys(first), dict.fromkeys((*first, *MORE))))
        triples = tuple((self.order, one, two) for one, two in product(MORE, MORE[:4]))
        return (*((order,) for order in first), *pairs, *triples)


@cache
def a_set(dearer: int, fires: frozenset[int] = frozenset()) -> ComponentSet:
    """Return a component set in which these cards cost so much more; the name says that it is none of ours."""
    data = copy.deepcopy(the_components().source)
    for row in data["cards"]:
        if row["number"] in fires:
            row["price"] += dearer
    data["name"] = "own"
    return components_from(data)


def in_the_set(record: Record, components: ComponentSet) -> Record | None:
    """Return the game with the same log and another set, None if the log is not legal there."""
    start = begin(record.game, record.players, record.options, components, record.chance)
    try:
        return followed(start, record.log)[0]
    except PbemError:
        return None


def probes_of(seed: int) -> Iterator[Probe]:
    """Yield the decisions of one game that a player could have probed with."""
    record, random = a_new_record(2 + seed % 4, f"hide-{seed}", "recommended", hide_food=True), Random(seed)
    draw = source(record.game, SECRET)
    while (asked := who_decides(record.state)) is not None and record.turn < 60:
        if any(record.state.hides_food(clan) for clan in record.state.clans if clan.colour != asked):
            for move in islice(choices(record.state), 6):
                yield from probes_with(record, asked, str(move))
        move = (a_choice if seed % 2 else a_sensible_choice)(record.state, random)
        record, _ = played(record, asked, move, draw)


def probes_with(record: Record, asked: str, order: str) -> Iterator[Probe]:
    after, history = ruling(record, asked, order)
    if any(isinstance(event, Hunted) for _, state in history for event in state.events):
        owned = frozenset(c.number for clan in record.state.clans for c in clan.cards if c.kind == "fire")
        for price in PRICES:
            other = in_the_set(record, a_set(price, owned))
            if other is None or report.seen(other.state, asked) != report.seen(record.state, asked):
                continue
            if ruling(other, asked, order)[0].state.phase != after.state.phase:
                mine = in_the_set(record, a_set(0))
                assert mine is not None
                yield Probe(asked, order, mine, other)
                return


def ruling(record: Record, by: str, *orders: str) -> rulings.Ruling:
    return rulings.judge(record, Submission(orders, by), None)


@cache
def probes() -> tuple[Probe, ...]:
    """Return what was found: a pass at the end of phase 1, and members that starve before others have hunted."""
    every = [probe for seed in SEEDS for probe in islice(probes_of(seed), 1)]
    passes = [probe for probe in every if probe.order == "pass"]
    others = [probe for probe in every if probe.order != "pass"]
    assert passes[2:]
    assert others[2:]
    return (*passes[:4], *others[:4])


def masked(text: object) -> str:
    """Return a text without what names the component set: digests, heads, and what is made of them."""
    return re.sub(r"\b(?=[a-f]*[0-9])[0-9a-f]{6,64}\b", "#", str(text))


def alike(one: object, other: object) -> None:
    assert masked(one) == masked(other)


PROBES = pytest.mark.parametrize("number", range(8))


@pytest.mark.slow
@PROBES
def test_the_library_and_a_batch_answer_alike(number: int) -> None:
    """What is refused is refused in the same words; what is accepted in one game is accepted in the other."""
    probe = probes()[number]
    refused = 0
    for orders in probe.submissions:
        answers = []
        for record in (probe.one, probe.other):
            game = game_files.data_of(record)
            said = [checked(record, probe.player, orders)]
            for playing in (False, True):
                line = json.dumps({"game": game, "move": {"orders": orders, "player": probe.player}}).encode()
                answer = json.loads(next(batch.verdicts([[line]], playing=playing)).text)
                said.append(answer["code"] if playing and answer["ok"] else answer)
            answers.append(said)
        alike(*answers)
        refused += "cannot be judged yet, because the hunt comes first" in str(answers)
    assert refused > len(MORE)


def checked(record: Record, player: str, orders: tuple[str, ...]) -> str:
    """Return what the library says, with all that an error carries."""
    try:
        pbem.play(record, list(orders), player)
    except PbemError as refused:
        return f"{report.refusal(refused)} {refused.exit_status} {refused.as_json()}"
    return report.verdict(Path(), record, ruling(record, player, *orders).history).text()


@PROBES
def test_the_commands_answer_alike(number: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    probe = probes()[number]
    path = tmp_path / "game.toml"
    for orders in [(probe.order, "stay"), (probe.order, "hello"), ("agree end", probe.order, "stay"), (probe.order,)]:
        said = [f"--order={order}" for order in orders]
        for command in ["check"], ["check", "--json"], *([["play"], ["play", "--json"]] if orders[1:] else []):
            answers = []
            for record in (probe.one, probe.other):
                text = game_files.text_of(record, "toml")
                path.write_text(text, encoding="utf-8")
                code = cli.run([command[0], str(path), "--as", probe.player, *said, *command[1:]])
                assert path.read_text(encoding="utf-8") == text
                answers.append((code, *capsys.readouterr()))
            alike(*answers)


@PROBES
def test_mails_are_answered_alike(number: int, tmp_path: Path) -> None:
    probe = probes()[number]
    folder, seats = tmp_path / "one", [f"{name}:{colour}={colour}@x.example" for colour, name in probe.one.players]
    create(folder, "pbem@example.org", "host@example.org")
    text = (folder / "club.toml").read_text(encoding="utf-8").replace("picture = true", "picture = false")
    (folder / "club.toml").write_text(text, encoding="utf-8")
    opening = Opening(len(seats), "recommended", "open", hide_food=True)
    open_game(read_club(folder), probe.one.game, seats, opening, None)
    table = GameFolder(folder / "games" / probe.one.game)
    table.game.write_text(game_files.text_of(probe.one, "toml"), encoding="utf-8")
    did(tmp_path, "mail", "resend", "one", probe.one.game, "--all")
    shutil.copytree(folder, tmp_path / "other")
    question = next(
        mail
        for mail in (read(path.read_bytes()) for path in (folder / "outbox" / "new").iterdir())
        if mail.asks and f"/{probe.one.turn}/" in mail.marker[0]
    )
    answers = []
    for name, record in (("one", probe.one), ("other", probe.other)):
        club = read_club(tmp_path / name)
        game = GameFolder(club.games / record.game).game
        game.write_text(game_files.text_of(record, "toml"), encoding="utf-8")
        memory._Last.digest = ""
        for path in (club.outbox / "new").iterdir():
            path.unlink()
        # The head in the marker names the one game; a careful person leaves no marker.
        raw = reply(question, f"{probe.order}\nstay", beneath=lambda _: "\n")
        verdict = take(club, raw)
        letters = [read(path.read_bytes()) for path in (club.outbox / "new").iterdir()]
        answers.append((verdict, [(letter.to, letter.subject, letter.text) for letter in letters]))
    assert "the hunt comes first" in answers[0][1][0][2]
    alike(*answers)


@pytest.mark.parametrize("number", [0, 4])
def test_git_answers_alike(number: int, tmp_path: Path) -> None:
    probe = probes()[number]
    answers = []
    for folder, record in ((tmp_path / "one", probe.one), (tmp_path / "other", probe.other)):
        folder.mkdir()
        names = [f"{name}:{colour}" for colour, name in record.players]
        did(folder, "git", "init", "--chance", "open", "clone", *names)
        clone, text = folder / "clone", game_files.text_of(record, "toml")
        (clone / GAME).write_text(text, encoding="utf-8")
        (clone / "README.md").write_bytes(page_of(text))
        git(clone, "commit", "--quiet", "--all", "--amend", "--no-edit")
        orders = ("--order", probe.order, "--order", "stay")
        moved = program(clone, "git", "move", "--as", probe.player, *orders)
        lines = [f'"{record.turn + n} {probe.player} {order}",' for n, order in enumerate((probe.order, "stay"), 1)]
        forged = text.replace("\n]\nplayers", "\n    " + "\n    ".join(lines) + "\n]\nplayers", 1)
        assert forged != text
        (clone / GAME).write_text(forged, encoding="utf-8")
        git(clone, "commit", "--quiet", "--all", "--message", "two orders")
        judged = program(clone, "git", "check", "HEAD~1", "HEAD")
        answers.append([(done.returncode, done.stdout, done.stderr) for done in (moved, judged)])
    assert "the hunt comes first" in answers[0][0][2]
    assert "the hunt comes first" in answers[0][1][2]
    alike(*answers)


def test_who_decides_after_a_hunt_is_not_told_even_if_it_is_chance() -> None:
    """Players who spend everything are asked nothing after the hunt; that this is so depends on hidden food."""
    record, random = a_new_record(4, "hide-14", "recommended", hide_food=True), Random(14)
    draw, by_chance = source(record.game, SECRET), 0
    while record.turn < 40 and (asked := who_decides(record.state)) is not None:
        listed = tuple(main_choices(record.state))
        for order in (choice.order for choice in listed):
            after, history = ruling(record, asked, order)
            if not any(isinstance(event, Hunted) for _, state in history for event in state.events):
                continue
            by_chance += who_decides(after.state) == CHANCE
            with pytest.raises(PbemError, match="because the hunt comes first"):
                ruling(record, asked, order, "stay")
        dearest = max(listed, key=lambda choice: (choice.cost or 0) + 3 * random.random())
        record = rulings.judge(record, Submission((dearest.order,), asked), draw).record
    assert by_chance


def test_where_food_is_open_orders_after_a_hunt_are_played() -> None:
    """There is nothing to hide, and to wait for another mail would cost a day."""
    asked_again = 0
    for probe in probes():
        state = probe.one.state
        record = probe.one._replace(state=state._replace(options=state.options._replace(hide_food=False)))
        if who_decides(ruling(record, probe.player, probe.order).record.state) == probe.player:
            asked_again += 1
            assert ruling(record, probe.player, probe.order, "stay").record.turn == record.turn + 2
    assert asked_again
