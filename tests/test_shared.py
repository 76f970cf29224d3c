"""Shared chance: nobody knows a draw before the decision, nobody steers it, and whoever has the file can prove it."""

import io
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from contextlib import chdir, redirect_stdout
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from fitting import fits
from gits import chained
from templates import copied, template

import pbem
from pbem import game_files, loading
from pbem.cli import app as cli
from pbem.errors import Broken, Illegal, NotAllowed, NotYourTurn, PbemError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance.contributions import MOST_SKIPPED, Opens, Renews, Skips
from pbem.first_sparks.chance.draws import CHAIN_LENGTH, Chain, pair
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.play import joined, opened, played, renewed_chain, taken_back
from pbem.first_sparks.proof import followed, verify
from pbem.first_sparks.record import Record, at_beginning, at_line, at_turn
from pbem.first_sparks.state import CHANCE
from pbem.game_files import data_of
from pbem.shared.chains import OwnChains
from pbem.shared.entry import enter

Run = Callable[..., str]
NAMES = {"red": "Ann", "blue": "Bob", "green": "Cara"}
SECRETS = {"red": "11" * 32, "blue": "22" * 32, "green": "33" * 32}
ALIKE = 300  # the seed of the game that many tests play alike, in which an opener is asked next


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The program, as each player has it on a machine of the own: what it prints, or what it complains about."""
    monkeypatch.chdir(tmp_path)

    def run(who: str, *arguments: str, status: int = 0) -> str:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / f"home of {who}"))
        assert cli.run([*arguments]) == status, capsys.readouterr()
        said = capsys.readouterr()
        return said.err if status and "--json" not in arguments else said.out

    return run


@pytest.fixture
def game(run: Run, tmp_path: Path) -> Path:
    """A shared game of three that has begun, always the same: Cara was the last to join, and Ann opens after her."""
    copied(played_alike(0)[0], tmp_path)
    return Path("game.toml")


@cache
def played_alike(number: int) -> tuple[Path, Record]:
    """Return a folder in which so many things were done in the game that all tests play alike, and the game."""

    def play(folder: Path) -> None:
        if number:
            copied(played_alike(number - 1)[0], folder)
            go_on(partial(run_in, folder), folder / "game.toml", Random(ALIKE + number))
        else:
            begin(folder)

    place = template("by-hand", play, number)
    return place, record_of(place / "game.toml")


def begin(folder: Path) -> None:
    """Begin the game, which all join."""
    folder.mkdir()
    seats = [f"{name}:{colour}" for colour, name in NAMES.items()]
    new = ("new", "game.toml", *seats, "--chance", "shared", "--as", "Ann", "--board", "recommended")
    run_in(folder, "Ann", *new, "--secret", SECRETS["red"])
    run_in(folder, "Bob", "join", "game.toml", "--as", "Bob", "--secret", SECRETS["blue"])
    run_in(folder, "Cara", "join", "game.toml", "--as", "green", "--secret", SECRETS["green"])


def run_in(folder: Path, who: str, *arguments: str) -> str:
    """Run the program in a folder, as ``run`` does in that of a test."""
    said = io.StringIO()
    home = {"XDG_DATA_HOME": str(folder / f"home of {who}")}
    with chdir(folder), patch.dict(os.environ, home), redirect_stdout(said):
        assert cli.run([*arguments]) == 0
    return said.getvalue()


def files_in(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def record_of(path: Path) -> Record:
    return loading.load(path).record


def any_order(record: Record, seed: Random) -> str:
    return seed.choice([choice.order for choice in main_choices(record.state)])


def go_on(run: Run, path: Path, seed: Random) -> None:
    """Let whoever is awaited draw or decide."""
    record = record_of(path)
    decides = record.opener or who_decides(record.state)
    assert decides
    if record.opener:
        run(NAMES[decides], "draw", str(path), "--as", decides)
    else:
        run(NAMES[decides], "play", str(path), "--as", decides, "--order", any_order(record, seed))


def until(run: Run, path: Path, wanted: Callable[[Record], bool], seed: int = 1) -> Record:
    """Play the game until a situation is reached; if nothing was done yet, do as the tests before, up to there."""
    if seed == 1 and files_in(Path()) == files_in(played_alike(0)[0]):
        number = 0
        while not wanted(played_alike(number)[1]):
            number += 1
        copied(played_alike(number)[0], Path())
    random = Random(seed)
    while not wanted(record_of(path)):
        go_on(run, path, random)
    return record_of(path)


def waits_for_opener(record: Record) -> bool:
    return record.opener is not None and bool(record.given.value) and record.turn > 0


def forged(path: Path, log: tuple[str, ...], **chance: Any) -> dict[str, Any]:
    """Return the data of a game with another log, whose head, turn and snapshot are as right as they can be."""
    record = record_of(path)
    data = data_of(record) | {"log": list(log)}
    data["chance"] |= chance
    if chance:
        record = record._replace(
            chance=record.chance._replace(joined=tuple((r["colour"], r["value"]) for r in chance["joined"]))
        )
    turn = int(log[-1].split()[0]) if log else 0
    return data | {"head": chained(record, log).head, "turn": turn}


def refused(data: dict[str, Any]) -> str:
    with pytest.raises(Broken) as error:
        loading.game_in(data, "game")
    return error.value.message


# The chains

FIRST = "be4671024a0293d23b6bd1bf7952a0fd68aac610e192293b3adfcdb9f596bd5f"
OLDER_FIRST = "fa198a9b4b61e4d6b980d2c5b16264166be823693e69ad8657e451002a6137f9"


@pytest.mark.parametrize(
    ("older", "before", "published"),
    [(False, b"first-sparks-link/2\0friday\0red\0", FIRST), (True, b"first-sparks-link/1\0", OLDER_FIRST)],
    ids=["bound", "older"],
)
def test_a_chain_is_made_as_the_documentation_says(older: bool, before: bytes, published: str) -> None:
    secret, chain = bytes(range(32)), Chain("friday", "red", older)
    made = [sha256(b"first-sparks-chain/1\0friday\0red\0" + secret).digest()]
    for _ in range(CHAIN_LENGTH):
        made.append(sha256(before + made[-1]).digest())

    first = chain.first_value(secret)

    assert first == made[-1] == bytes.fromhex(published)
    assert chain.values(secret, first) == tuple(reversed(made[:-1]))
    assert chain.values(secret, made[3]) == tuple(reversed(made[:3]))
    assert chain.values(secret, made[0]) == ()
    assert chain.link(made[0]) == made[1]


KEY = "26e6884c30f8a50ccffb0ea175bced801e443a1a22c2f9ee6f9d56f9a514f834"


def test_a_pair_of_values_is_the_key_of_draws() -> None:
    one, other = bytes([1] * 32), bytes([2] * 32)

    assert pair(one, other) == sha256(b"first-sparks-pair/1\0" + one + other).digest() == bytes.fromhex(KEY)
    assert pair(other, one) != pair(one, other)


def test_a_secret_gives_another_chain_in_another_game_or_clan() -> None:
    """Two players with the same secret file know nothing of each other's values."""
    secret = bytes([7] * 32)
    assert len({Chain(*one).first_value(secret) for one in (("a", "red"), ("a", "blue"), ("b", "red"))}) == 3


def test_a_strange_secret_is_recognised() -> None:
    with pytest.raises(Broken, match="does not belong"):
        Chain("friday", "red").values(bytes(32), bytes(32))


@pytest.mark.parametrize(("older", "chains"), [(False, 5), (True, 1)], ids=["bound", "older"])
def test_a_value_links_to_another_one_in_each_game_and_clan(older: bool, chains: int) -> None:
    """Whoever publishes a value of another chain can never open the next one."""
    places = (("a", "red"), ("a", "blue"), ("b", "red"), ("ar", "ed"), ("a-red", ""))
    assert len({Chain(*place, older).link(bytes([7] * 32)) for place in places}) == chains


# Joining


def test_the_game_begins_when_all_have_joined(run: Run) -> None:
    run("Ann", "new", "game.toml", "Ann:red", "Bob:blue", "--chance", "shared", "--as", "Ann")

    assert record_of(Path("game.toml")).missing == ("blue",)
    assert "Waiting for Bob (blue) to join." in run("Ann", "show", "game.toml")
    assert "You are asked to join." in run("Bob", "show", "game.toml", "--as", "Bob")
    assert "everybody has joined; still missing: blue" in run(
        "Ann", "play", "game.toml", "--as", "Ann", "--order", "resign", status=77
    )
    run("Ann", "draw", "game.toml", "--as", "Ann", status=77)

    run("Bob", "join", "game.toml", "--as", "Bob")

    record = record_of(Path("game.toml"))
    assert (record.missing, record.opener) == ((), "red")
    assert [line.split()[:3] for line in record.log] == [["0", "blue", "opens"]]


def test_joining_keeps_a_secret_that_only_its_owner_may_read(run: Run, game: Path, tmp_path: Path) -> None:
    (kept,) = (tmp_path / "home of Bob" / "pbem").iterdir()

    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.name.startswith("game-blue-")
    secret = re.search('secret = "([0-9a-f]{64})"', kept.read_text(encoding="utf-8"))
    assert secret
    assert secret[1] not in game.read_text(encoding="utf-8")


def test_nobody_joins_twice_or_in_a_game_that_is_not_shared(run: Run, game: Path) -> None:
    before = game.read_bytes()
    assert "Bob (blue) has already joined" in run("Bob", "join", "game.toml", "--as", "Bob", status=65)
    assert "not the secret with which" in run(
        "Bob", "join", "game.toml", "--as", "Bob", "--secret", "0" * 64, status=76
    )
    assert game.read_bytes() == before
    run("Ann", "new", "open.toml", "Ann", "Bob", "--chance", "open")
    assert "the players do not share the draws" in run("Bob", "join", "open.toml", "--as", "Bob", status=65)


def test_who_begins_must_say_who_they_are_and_a_bot_cannot_join(run: Run) -> None:
    assert "no player given" in run("Ann", "new", "game.toml", "Ann", "Bob", "--chance", "shared", status=65)
    assert "a bot has no secret" in run(
        "Ann", "new", "game.toml", "Ann", "bot", "--chance", "shared", "--as", "Ann", status=2
    )
    assert not Path("game.toml").exists()


def test_the_printed_line_brings_a_lost_secret_back(run: Run, game: Path, tmp_path: Path) -> None:
    run("Dora", "new", "other.toml", "Dora:red", "Bob:blue", "--chance", "shared", "--as", "Dora")
    line = json.loads(run("Bob", "join", "other.toml", "--as", "Bob", "--json"))["backup"]
    shutil.rmtree(tmp_path / "home of Dora")
    run("Dora", "draw", "other.toml", "--as", "Dora", status=66)
    shutil.rmtree(tmp_path / "home of Bob")

    run("Bob", *line.split()[1:])

    (kept,) = (tmp_path / "home of Bob" / "pbem").iterdir()
    assert kept.name.startswith("other-blue-")


# Playing


def test_a_whole_game_is_played_proved_and_told(run: Run, game: Path) -> None:
    record = until(run, game, lambda record: who_decides(record.state) is None)

    verify(record)
    assert f"yield all {record.state.draws} draws" in run("Dora", "verify", "game.toml")
    run("Dora", "audit", "game.toml")
    assert "no secret to publish" in run("Dora", "reveal", "game.toml", status=65)
    openers = [line.split()[1] for line in record.log if " opens " in line]
    assert openers[:2] == ["green", "red"]
    assert all(one != other for one, other in zip(openers[::2], openers[1::2], strict=True))


def test_each_decision_before_a_draw_needs_two_new_values(run: Run, game: Path) -> None:
    record = until(run, game, lambda record: record.state.round == 3)
    shown = [entry.move.value for entry, _ in record.history if isinstance(entry.move, Opens)]

    assert len(set(shown)) == len(shown)
    assert sum(entry.clan == CHANCE for entry, _ in record.history) == record.state.draws


def test_what_a_program_reads_says_who_has_to_draw(run: Run, game: Path) -> None:
    told = json.loads(run("Ann", "show", "game.toml", "--json"))

    assert fits(told, "answer")
    assert (told["decides"], told["opener"], told["missing"]) == (CHANCE, "red", [])
    drawn = json.loads(run("Ann", "draw", "game.toml", "--as", "Ann", "--json"))
    assert fits(drawn, "verdict")
    assert (drawn["opener"], drawn["log"][0].split()[1:3]) == (None, ["red", "opens"])


def test_an_opener_may_draw_and_decide_in_one_submission(run: Run, game: Path) -> None:
    record = until(run, game, waits_for_opener)
    by = record.opener
    assert by
    copy = Path("copy.toml")
    shutil.copy(game, copy)
    run(NAMES[by], "draw", "copy.toml", "--as", by)
    after = record_of(copy)
    assert who_decides(after.state) == by, "choose another seed: the opener should be asked next"
    order = any_order(after, Random(3))

    run(NAMES[by], "play", "game.toml", "--as", by, "--order", order)
    run(NAMES[by], "play", "copy.toml", "--as", by, "--order", order)

    assert copy.read_bytes() == game.read_bytes()


def test_a_clan_that_resigns_is_passed_over(run: Run, game: Path) -> None:
    record = until(run, game, waits_for_opener)
    by, mover = record.opener, record.given.mover
    assert by

    run(NAMES[by], "play", "game.toml", "--as", by, "--order", "resign")

    after = record_of(game)
    assert after.opener not in (by, mover, None)
    assert after.given.value == record.given.value
    assert after.opener
    run(NAMES[after.opener], "draw", "game.toml", "--as", after.opener)
    until(run, game, lambda record: who_decides(record.state) is None)


def test_a_mover_that_resigns_before_a_draw_is_passed_over(run: Run, game: Path) -> None:
    """Nobody can be made to open after a resignation, which others may declare."""

    def buys_last(record: Record) -> bool:
        decides = who_decides(record.state)
        if record.opener or not decides:
            return False
        return bool(played(record, decides, loading_move("resign"), None)[0].opener)

    record = until(run, game, buys_last, 2)
    by = who_decides(record.state)
    assert by

    run(NAMES[by], "play", "game.toml", "--as", by, "--order", "resign")

    after = record_of(game)
    assert after.opener not in (by, None)
    assert not after.given.value
    until(run, game, lambda record: who_decides(record.state) is None, 5)


def loading_move(order: str) -> Any:
    from pbem.first_sparks.notation import parse_order

    return parse_order(order, ())


# Lost secrets


def lose(tmp_path: Path, who: str) -> None:
    shutil.rmtree(tmp_path / f"home of {NAMES[who]}")


def test_an_opener_who_has_lost_the_secret_is_passed_over_once(run: Run, game: Path, tmp_path: Path) -> None:
    record = until(run, game, waits_for_opener)
    by = record.opener
    assert by
    assert "you need no new one" in run(NAMES[by], "draw", "game.toml", "--as", by, "--new-secret", status=65)
    lose(tmp_path, by)
    told = run(NAMES[by], "draw", "game.toml", "--as", by, status=66)
    assert "if it is lost, draw with --new-secret" in told

    told = run(NAMES[by], "draw", "game.toml", "--as", by, "--new-secret")

    after = record_of(game)
    assert f"pbem join game.toml --as {by} --secret " in told
    assert after.log[-1].split()[1:3] == [by, "renews"]
    assert after.opener not in (by, record.given.mover)
    again = until(run, game, lambda record: record.opener == by)
    lose(tmp_path, by)
    assert "only once in a game" in run(NAMES[by], "draw", "game.toml", "--as", by, "--new-secret", status=65)
    assert again.given.renewed == (by,)


def test_of_two_the_mover_opens_twice_if_the_other_has_lost_the_secret(run: Run, tmp_path: Path) -> None:
    run("Ann", "new", "two.toml", "Ann:red", "Bob:blue", "--chance", "shared", "--as", "Ann", "--board", "recommended")
    run("Bob", "join", "two.toml", "--as", "Bob")
    lose(tmp_path, "red")

    run("Ann", "draw", "two.toml", "--as", "Ann", "--new-secret")

    assert record_of(Path("two.toml")).opener == "blue"
    until(run, Path("two.toml"), lambda record: record.state.round == 3)


def test_a_mover_who_has_lost_the_secret_renews_it_before_the_order(run: Run, game: Path, tmp_path: Path) -> None:
    """The order is refused as long as nothing can be opened after it."""

    def draws_next(record: Record) -> bool:
        decides = who_decides(record.state)
        if record.opener or not decides or decides == CHANCE:
            return False
        order = next(iter(main_choices(record.state))).move
        return played(record, decides, order, None)[0].opener == decides

    record = until(run, game, draws_next)
    by = who_decides(record.state)
    assert by
    order = next(iter(main_choices(record.state))).order
    lose(tmp_path, by)
    before = game.read_bytes()
    run(NAMES[by], "play", "game.toml", "--as", by, "--order", order, status=66)
    assert game.read_bytes() == before

    run(NAMES[by], "draw", "game.toml", "--as", by, "--new-secret")
    run(NAMES[by], "play", "game.toml", "--as", by, "--order", order)

    lines = [line.split()[1:3] for line in record_of(game).log[len(record.log) :]]
    assert (lines[0], lines[-1]) == ([by, "renews"], [by, "opens"])
    assert record_of(game).opener not in (by, None)


# Attacks


def test_an_order_without_the_value_of_its_mover_is_refused(run: Run, game: Path) -> None:
    record = until(run, game, waits_for_opener)
    assert record.log[-1].split()[2] == "opens"

    message = refused(forged(game, record.log[:-1]))

    assert message == f"the log lacks the value of {record.given.mover} after the last line"


def test_a_value_of_somebody_else_or_a_later_one_is_refused(run: Run, game: Path, tmp_path: Path) -> None:
    record = until(run, game, waits_for_opener)
    *before, line = record.log
    turn, mover, *_ = line.split()
    other = record.opener
    assert other
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path / f"home of {NAMES[mover]}"))
        start = at_line(record, len(before))
        later = values_of(start, mover, tmp_path)
    assert later[0].hex() == line.split()[-1]

    strange = refused(forged(game, (*before, f"{turn} {mover} opens {'ab' * 32}")))
    skipped = refused(forged(game, (*before, f"{turn} {mover} opens {later[1].hex()}")))
    theirs = refused(forged(game, (*before, f"{turn} {other} opens {values_of(start, other, tmp_path)[0].hex()}")))

    assert strange.endswith(f"this is not the next value of the chain of {mover}")
    assert skipped.endswith(f"this is not the next value of the chain of {mover}")
    assert theirs.endswith(f"a value of {mover} is due, not of {other}")


def values_of(record: Record, colour: str, tmp_path: Path) -> tuple[bytes, ...]:
    """Return the values that a player can open, as one who has stolen the secret would."""
    (kept,) = (tmp_path / f"home of {NAMES[colour]}" / "pbem").glob(f"*-{colour}-*.toml")
    found = re.search('secret = "([0-9a-f]{64})"', kept.read_text(encoding="utf-8"))
    assert found
    shown = dict(record.given.shown)[colour]
    return record.chain(colour).values(bytes.fromhex(found[1]), bytes.fromhex(shown))


def test_an_opener_can_neither_open_first_nor_two_draws_ahead(run: Run, game: Path, tmp_path: Path) -> None:
    record = until(run, game, waits_for_opener)
    by = record.opener
    assert by
    first, second, *_ = values_of(record, by, tmp_path)

    early = (*record.log[:-1], f"{record.turn} {by} opens {first.hex()}", record.log[-1])
    ahead = (*record.log, f"{record.turn} {by} opens {second.hex()}")

    assert "is due, not of" in refused(forged(game, early))
    assert "not the next value" in refused(forged(game, ahead))
    run(NAMES[by], "draw", "game.toml", "--as", by)
    run(NAMES[by], "draw", "game.toml", "--as", by, status=77)
    twice = (*record_of(game).log, f"{record.turn} {by} opens {second.hex()}")
    assert "no value of" in refused(forged(game, twice))


def test_another_card_than_the_values_yield_is_refused(run: Run, game: Path) -> None:
    record = until(run, game, waits_for_opener)
    by = record.opener
    assert by
    run(NAMES[by], "draw", "game.toml", "--as", by)
    log = record_of(game).log
    place = next(n for n in range(len(record.log), len(log)) if log[n].split()[1:3] == ["*", "draw"])
    drawn = log[place].split()[-1]
    other = next(str(card) for card in record.state.pile.unseen if str(card) != drawn)

    message = refused(forged(game, (*log[:place], f"{record.turn} * draw {other}")))

    assert message.endswith("this is not what the opened values yield")


def test_check_computes_nothing_before_the_draw_is_opened(run: Run, game: Path) -> None:
    """Whoever may order can check as many orders as they like: what follows is the same, and no draw is in it."""
    record = until(run, game, lambda record: who_decides(record.state) not in (None, CHANCE) and record.state.round > 0)
    by = who_decides(record.state)
    assert by
    before = game.read_bytes()

    for choice in list(main_choices(record.state))[:4]:
        told = json.loads(run(NAMES[by], "check", "game.toml", "--as", by, "--order", choice.order, "--json"))
        assert not any("draw" in line.lower() for line in told["news"])

    assert game.read_bytes() == before
    with pytest.raises(PbemError):
        opened(played(record, by, next(iter(main_choices(record.state))).move, None)[0], "nobody", OwnChains())


def test_nobody_can_open_for_somebody_else(run: Run, game: Path) -> None:
    record = until(run, game, waits_for_opener)
    for who in set(NAMES) - {record.opener}:
        assert "has to draw first" in run(NAMES[who], "draw", "game.toml", "--as", who, status=77)
    assert record.opener
    mover = record.given.mover
    run(NAMES[mover], "draw", "game.toml", "--as", record.opener, status=66)


def test_a_value_is_not_opened_for_another_course_of_the_game(run: Run, game: Path, tmp_path: Path) -> None:
    """A mover who shows two files, to see what the one that is withdrawn would have drawn."""

    def draws_next(record: Record) -> bool:
        decides = who_decides(record.state)
        if record.opener or decides in (None, CHANCE):
            return False
        return sum(after.opener is not None for after in what_may_follow(record)) > 2

    record = until(run, game, draws_next)
    by = who_decides(record.state)
    assert by
    by_opener: dict[str | None, list[str]] = {}
    for choice in main_choices(record.state):
        waits = played(record, by, choice.move, None)[0]
        waits = waits._replace(given=waits.given._replace(value="ab"))
        by_opener.setdefault(waits.opener, []).append(choice.order)
    orders = next(same for opener, same in by_opener.items() if opener and len(same) > 1)
    for name, order in zip(("one.toml", "other.toml"), orders, strict=False):
        shutil.copy(game, name)
        run(NAMES[by], "play", name, "--as", by, "--order", order)
    opener = record_of(Path("one.toml")).opener
    assert opener == record_of(Path("other.toml")).opener
    assert opener

    run(NAMES[opener], "draw", "one.toml", "--as", opener)
    shutil.copy("one.toml", "again.toml")

    told = run(NAMES[opener], "draw", "other.toml", "--as", opener, status=65)
    assert "for another course of the game" in told


def what_may_follow(record: Record) -> list[Record]:
    decides = who_decides(record.state)
    assert decides
    return [played(record, decides, choice.move, None)[0] for choice in main_choices(record.state)]


def test_who_joins_last_knows_no_value_of_the_others(run: Run, game: Path) -> None:
    """The chains are bound by the head before the first draw: another first value is another game."""
    record = record_of(game)
    others = [{"colour": colour, "value": value} for colour, value in record.chance.joined[:-1]]

    message = refused(forged(game, record.log, joined=[*others, {"colour": "green", "value": "ab" * 32}]))

    assert message.endswith("not the next value of the chain of green")
    assert "twice" in refused(forged(game, record.log, joined=[*others, others[0]]))


def test_nobody_joins_with_a_first_value_of_somebody_else(run: Run, tmp_path: Path) -> None:
    run("Ann", "new", "copied.toml", "Ann:red", "Bob:blue", "--chance", "shared", "--as", "Ann")
    path = Path("copied.toml")
    record = record_of(path)
    ((_, value),) = record.chance.joined

    with pytest.raises(Illegal, match="the first value of blue has been published in this game before"):
        joined(record, "blue", value)
    both = [{"colour": colour, "value": value} for colour in ("red", "blue")]
    assert refused(forged(path, (), joined=both)) == "two players have published the same first value"


def test_a_first_value_of_another_game_opens_nothing(run: Run, tmp_path: Path) -> None:
    """The same players have the same colours there, and what they have opened there is known."""
    values_there: list[bytes] = []
    for name in ("one", "other"):
        run("Ann", "new", f"{name}.toml", "Ann:red", "Bob:blue", "--chance", "shared", "--as", "Ann")
        record = record_of(Path(f"{name}.toml"))
        if not values_there:
            values_there = [bytes.fromhex(dict(record.chance.joined)["red"]), *values_of(record, "red", tmp_path)[:2]]
    copied = joined(record._replace(chance=record.chance._replace(joined=())), "blue", "ab" * 32)
    copied = joined(copied, "red", values_there[0].hex())

    for value in values_there:
        with pytest.raises(Broken, match="this is not the next value of the chain of red"):
            followed(copied, (f"0 red opens {value.hex()}",))


def test_nobody_renews_a_chain_with_a_value_that_is_known(run: Run, game: Path, tmp_path: Path) -> None:
    """Neither with a first value, the own one included, nor with one that was opened last."""
    record = until(run, game, lambda record: record.turn > 5 and not record.opener)
    known = {*dict(record.chance.joined).values(), *dict(record.given.shown).values()}
    assert len(known) > len(NAMES)
    for value in known:
        with pytest.raises(Broken, match="has been published in this game before"):
            followed(record, (f"{record.turn} red renews {value}",))

    renewed, _ = followed(record, (f"{record.turn} red renews {'ab' * 32}",))
    with pytest.raises(Broken, match="has been published in this game before"):
        followed(renewed, (f"{record.turn} blue renews {'ab' * 32}",))


def test_a_renewed_chain_is_bound_like_the_first(run: Run, game: Path, tmp_path: Path) -> None:
    """Blue publishes a value that nobody has seen yet, but red alone could open what comes after it."""
    record = until(run, game, lambda record: record.turn > 3 and not record.opener)
    theirs = values_of(record, "red", tmp_path)
    renewed, _ = followed(record, (f"{record.turn} blue renews {theirs[4].hex()}",))

    with pytest.raises(Broken, match="not one of the next 512 values of the chain of blue"):
        followed(renewed, (f"{record.turn} blue skips {theirs[5].hex()}",))


def test_the_format_of_a_game_is_bound_too(run: Run, game: Path) -> None:
    """Nobody makes an older game of it, whose links are not bound."""
    data = json.loads(json.dumps(data_of(record_of(game))))
    assert data["format"] == "first-sparks-game/2"
    assert "not the next value of the chain" in refused(data | {"format": "first-sparks-game/1"})
    run("Ann", "new", "early.toml", "Ann:red", "Bob:blue", "--chance", "shared", "--as", "Ann")
    early = data_of(record_of(Path("early.toml")))
    assert "head does not match" in refused(early | {"format": "first-sparks-game/1"})
    Path("older.json").write_text(json.dumps(older_of(early)), encoding="utf-8")
    assert "the format is different" in run("Ann", "verify", "early.toml", "--since", "older.json", status=76)


def older_of(data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of a game that nobody else has joined, as an older version would have begun it."""
    record = loading.game_in(data, "game")
    return data_of(at_beginning(record._replace(chance=record.chance._replace(older=True))))


@pytest.mark.parametrize("kind", ["open", "sealed"])
def test_only_shared_games_have_the_new_format(run: Run, kind: str) -> None:
    run("Ann", "new", "other.toml", "Ann:red", "Bob:blue", "--chance", kind, "--board", "recommended")
    data = data_of(record_of(Path("other.toml")))
    assert data["format"] == "first-sparks-game/1"
    assert "does not have the format" in refused(data | {"format": "first-sparks-game/2"})


def test_a_log_that_ends_before_the_opened_draws_is_refused(run: Run, game: Path) -> None:
    """Nobody could go on in it."""
    record = until(run, game, waits_for_opener)
    by = record.opener
    assert by
    run(NAMES[by], "draw", "game.toml", "--as", by)

    message = refused(forged(game, record_of(game).log[: len(record.log) + 1]))

    assert message == "the log lacks the draws that have been opened"


def test_nothing_is_opened_before_all_have_joined(run: Run, tmp_path: Path) -> None:
    run("Ann", "new", "early.toml", "Ann:red", "Bob:blue", "--chance", "shared", "--as", "Ann")
    path = Path("early.toml")
    record = record_of(path)

    for line in (f"0 red opens {values_of(record, 'red', tmp_path)[0].hex()}", f"0 red renews {'ab' * 32}"):
        assert refused(forged(path, (line,))).endswith("not everybody has joined the game")
    for wrong in ("zz", "AB" * 32, ""):
        with pytest.raises(Illegal, match="64 hexadecimal digits"):
            joined(record, "blue", wrong)
    with pytest.raises(Illegal, match="nobody has to join"):
        joined(record, "yellow", "ab" * 32)


def test_values_of_moves_taken_back_are_passed_over(run: Run, game: Path, tmp_path: Path) -> None:
    """Skipping is harmless by itself: nobody can do it while a draw is due."""
    record = until(run, game, lambda record: record.turn > 5 and not record.opener)
    shown = record.given.shown
    before = next(turn for turn in range(record.turn - 1, -1, -1) if at_turn(record, turn).given.shown != shown)

    back = taken_back(record, before)

    assert back.turn == before
    assert back.given.shown == record.given.shown
    assert back.state._replace(events=()) == at_turn(record, before).state._replace(events=())
    assert loading.game_in(data_of(back), "game").given == back.given
    by = back.log[-1].split()[1]
    mine = values_of(record, by, tmp_path)
    for value in ("ab" * 32, dict(back.given.shown)[by], mine[MOST_SKIPPED].hex()):
        with pytest.raises(Broken, match="not one of the next 512 values"):
            followed(back, (f"{before} {by} skips {value}",))
    assert followed(back, (f"{before} {by} skips {mine[MOST_SKIPPED - 1].hex()}",))[0].log
    for turn in (record.turn, record.turn + 1, -1):
        with pytest.raises(Illegal, match="not an earlier turn"):
            taken_back(record, turn)


def test_nobody_passes_over_a_value_while_a_draw_is_due(run: Run, game: Path, tmp_path: Path) -> None:
    record = until(run, game, waits_for_opener)
    for by in NAMES:
        line = f"{record.turn} {by} skips {values_of(record, by, tmp_path)[0].hex()}"
        with pytest.raises(Broken, match="must not pass over a value while a draw is due"):
            followed(record, (line,))


def test_a_new_chain_cannot_be_taken_back(run: Run, game: Path, tmp_path: Path) -> None:
    record = until(run, game, lambda record: record.turn > 3 and not record.opener)
    lose(tmp_path, "red")
    run("Ann", "draw", "game.toml", "--as", "Ann", "--new-secret")

    with pytest.raises(Illegal, match="somebody has begun a new chain since"):
        taken_back(record_of(game), record.turn - 1)


def test_contributions_have_no_place_in_other_games(run: Run) -> None:
    run("Ann", "new", "open.toml", "Ann:red", "Bob:blue", "--chance", "open", "--board", "recommended")
    record = record_of(Path("open.toml"))

    for line in (
        f"0 red opens {'ab' * 32}",
        f"0 red salts {'ab' * 32}",
        f"0 red renews {'ab' * 32}",
        f"0 red skips {'ab' * 32}",
    ):
        with pytest.raises(Broken):
            followed(record, (line,))


@pytest.mark.parametrize("line", ["0 red opens", "0 red opens xyz", f"0 red opens {'AB' * 32}", "0 red salts 12"])
def test_a_contribution_that_is_none_is_refused(run: Run, game: Path, line: str) -> None:
    with pytest.raises(Broken, match=r"64 hexadecimal digits|valid order"):
        followed(record_of(game), (line,))


def test_a_damaged_secret_file_is_refused(run: Run, game: Path, tmp_path: Path) -> None:
    (kept,) = (tmp_path / "home of Ann" / "pbem").iterdir()
    before, text = game.read_bytes(), kept.read_text(encoding="utf-8")
    for wrong in ("", "=", text.replace("red", "blue"), text.replace('secret = "', 'secret = "z'), text[:-3]):
        kept.write_text(wrong, encoding="utf-8")
        run("Ann", "draw", "game.toml", "--as", "Ann", status=65)
    kept.unlink()
    kept.mkdir()
    run("Ann", "draw", "game.toml", "--as", "Ann", status=66)
    assert game.read_bytes() == before


def test_a_chain_begun_while_a_draw_is_due_does_not_open_it(run: Run, game: Path, tmp_path: Path) -> None:
    """Its owner knows the mover's value, and could have chosen the chain to suit it."""
    record = until(run, game, waits_for_opener)
    mover, due = record.given.mover, record.opener
    third = next(colour for colour in NAMES if colour not in (mover, due))
    for who in (mover, third):
        lose(tmp_path, who)

    assert "must wait until it is made" in run(
        NAMES[mover], "draw", "game.toml", "--as", mover, "--new-secret", status=65
    )
    run(NAMES[third], "draw", "game.toml", "--as", third, "--new-secret")
    assert due
    run(NAMES[due], "play", "game.toml", "--as", due, "--order", "resign")

    assert record_of(game).opener == mover


def test_errors_of_the_library(run: Run, game: Path) -> None:
    record = record_of(game)
    with pytest.raises(NotYourTurn):
        opened(record, "blue", OwnChains())
    with pytest.raises(NotAllowed):
        enter(record, "blue")
    with pytest.raises(Illegal):
        joined(record, "blue", "ab" * 32)


# Games of the format before

OLDER = Path(__file__).parent / "older_games" / "shared"  # each has lines that renew and skip


class Recorded:
    """The chains of recorded games, in which red, blue and green have easy secrets, and easier ones when renewed."""

    def opens(self, record: Record, colour: str) -> str:
        """Return the next value of a player's chain."""
        number = 1 + [*NAMES].index(colour) + 10 * (colour in record.given.renewed)
        shown = bytes.fromhex(dict(record.given.shown)[colour])
        return record.chain(colour).values(bytes([number] * 32), shown)[0].hex()


def text_of(record: Record) -> str:
    return game_files.text_of(record, "toml", "../../../schemas/game.schema.json")


@pytest.mark.parametrize("path", sorted(OLDER.iterdir()), ids=lambda path: path.stem)
def test_an_older_game_is_played_on_byte_for_byte(path: Path) -> None:
    """From its beginning, as it would have been by the version that began it."""
    old = loading.load(path).record
    assert {"renews", "skips"} <= {line.split()[2] for line in old.log}
    assert verify(old) == len(old.log)
    record = at_beginning(old)

    while len(record.log) < len(old.log):
        entry = old.history[len(record.log)][0]
        match entry.move:
            case Opens():
                record, _ = opened(record, entry.by, Recorded())
            case Renews(value):
                record, _ = renewed_chain(record, entry.by, value, Recorded())
            case Skips():
                record, _ = followed(record, (str(entry),))
            case move:
                record, _ = played(record, entry.by, move, Recorded())

    assert text_of(record) == path.read_text(encoding="utf-8")


def test_an_older_game_is_told_and_converted_as_any_other(run: Run) -> None:
    path = str(OLDER / "renewed.toml")
    assert "yield all 20 draws" in run("Ann", "verify", path)
    run("Ann", "audit", path)
    run("Ann", "convert", path, "older.json")
    run("Ann", "convert", "older.json", "older.toml")
    assert loading.load(Path("older.toml")).record == loading.load(Path(path)).record
    assert json.loads(Path("older.json").read_text(encoding="utf-8"))["format"] == "first-sparks-game/1"
    assert "finished" in run("Ann", "stats", path)


@pytest.mark.slow
def test_players_of_an_older_game_go_on_in_it(run: Run) -> None:
    """Each brings back the secret with which the game was begun; nothing turns it into a game of another format."""
    old = loading.load(OLDER / "renewed.toml").record
    begun = at_turn(old, 12)
    pbem.save(begun, "older.toml")
    for number, (colour, name) in enumerate(NAMES.items(), 1):
        run(name, "join", "older.toml", "--as", colour, "--secret", f"{number:02}" * 32)

    record = until(run, Path("older.toml"), lambda record: who_decides(record.state) is None)

    assert record.log[: len(begun.log)] == begun.log
    assert record.chance.older
    assert "yield all" in run("Dora", "verify", "older.toml")


# A second implementation

PROVE = Path(__file__).parent / "second" / "prove.mjs"


@pytest.mark.slow
@pytest.mark.needs("node")
def test_a_program_in_another_language_proves_a_whole_game(run: Run, game: Path) -> None:
    record = until(run, game, lambda record: who_decides(record.state) is None, 4)
    run("Dora", "convert", "game.toml", "game.json")
    lines = run("Dora", "replay", "game.toml", "--json")

    def proved(lines: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(["node", PROVE, "game.json"], input=lines, capture_output=True, text=True, check=False)

    assert proved(lines).stdout == f"{record.state.draws} draws proved\n"
    drawn = next(line.split()[-1] for line in record.log if line.startswith("0 * draw "))
    other = next(n for n in "123" if n != drawn)
    assert "not what the values yield" in proved(lines.replace(f"* draw {drawn}", f"* draw {other}", 1)).stderr
    value = record.log[1].split()[-1]
    assert "not the next value" in proved(lines.replace(value, "ab" * 32, 1)).stderr
    data = json.loads(Path("game.json").read_text(encoding="utf-8"))
    Path("game.json").write_text(json.dumps(data | {"format": "first-sparks-game/1"}), encoding="utf-8")
    assert "not the next value" in proved(lines).stderr
    data["chance"]["joined"][0]["value"] = data["chance"]["joined"][1]["value"]
    Path("game.json").write_text(json.dumps(data), encoding="utf-8")
    assert "the same first value" in proved(lines).stderr


@pytest.mark.needs("node")
@pytest.mark.parametrize("path", sorted(OLDER.iterdir()), ids=lambda path: path.stem)
def test_a_program_in_another_language_proves_older_games(run: Run, path: Path) -> None:
    run("Dora", "convert", str(path), "game.json")
    lines = run("Dora", "replay", str(path), "--json")
    done = subprocess.run(["node", PROVE, "game.json"], input=lines, capture_output=True, text=True, check=False)

    assert done.stdout == f"{loading.load(path).record.state.draws} draws proved\n", done.stderr
