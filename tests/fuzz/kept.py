"""What pbem keeps and a person may damage, or hand on: plans, minutes, a club's files, secrets, shared games."""

import io
import json
import os
import shutil
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from datetime import date, datetime
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import tomli_w
from bots import SECRET, a_new_record, a_sensible_choice
from clubs import START, a_club, an_order, letters, play, terms
from fuzz.loop import ODD, Target
from fuzz.targets import (
    ENDS,
    PLANS,
    WORDS,
    a_folder,
    altered,
    another_line,
    emptied,
    judge_batch,
    judge_mail,
    no_disk,
    the_base,
    the_club,
)
from gits import a_sealed_game
from plans import some_lines
from programs import PROGRAMS
from pushed import FIRST, SECOND, Pushed

from pbem import game_files, game_setup, loading, secrets
from pbem.carriers.git.judges import Judge
from pbem.carriers.git.point import point_at
from pbem.carriers.git.status import line, now_at
from pbem.carriers.git.verdict import compare
from pbem.carriers.mail.incoming.message import read_message
from pbem.carriers.mail.settings import read_club
from pbem.carriers.mail.take import take
from pbem.cli.app import run
from pbem.club import private
from pbem.errors import PbemError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.options import Options
from pbem.first_sparks.play import joined, opened, played
from pbem.first_sparks.proof import verify
from pbem.first_sparks.record import Record
from pbem.plans.rows import FORMAT as PLANS_FORMAT
from pbem.shared import chains
from pbem.table.limits import by_clock, waits_until
from pbem.table.lines import MINUTES
from pbem.table.matters.matter import in_play
from pbem.table.motions import holds, missing

LONGEST = 2.0  # seconds of a processor
NOW = "2026-11-23T12:00:00Z"
STRANGE: tuple[Any, ...] = (
    *(0, -1, 2**62, -(2**63), 1e300, float("nan"), float("inf"), True, "", "x" * 5000, *ODD, "\0", "a\nb", "\x1b[2J"),
    *(date(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59), [], [[]], [[[[[[1]]]]]], {}, {"": {}}, [{}], ["", 1]),
    *("1000000000 days", "0 seconds", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "bot", "red", "*", "host"),
)


def kept_targets() -> Iterator[Target]:
    """Yield a target for each kind of file."""
    words = tuple(b'plan |always |[[players]]|"0"|= |[[|]]|"""|answer|turn|head|colour|key'.split(b"|"))
    made = (
        Target("plans-file", plans_seeds(), judge_plans, (*WORDS, *words), another_file),
        Target("minutes", minutes_seeds(), judge_minutes, MINUTES_WORDS, another_minute),
        *(
            Target(
                name,
                club_seeds(file),
                partial(judge_club, file),
                words,
                another_file,
                partial(judge_club, file, glancing=True),
            )
            for name, file in CLUB_FILES.items()
        ),
        Target("secret", (sealed()[1],), judge_secret, words, another_file),
        Target("chain", chain_seeds(), judge_chain, words, another_file),
        Target("batch-shared", shared_lines(), judge_batch, (*WORDS, b'"chance"', b'"joined"'), another_line),
        Target("mail-plans", mail_seeds(), judge_mail, (*WORDS, *words)),
    )
    return (target._replace(longest=LONGEST) for target in made)


def another_file(data: bytes, random: Random) -> bytes:
    """Return TOML with something else in some places, of any kind that TOML knows."""
    try:
        tree = tomllib.loads(data.decode())
    except (ValueError, RecursionError):
        return data
    for _ in range(random.choice((1, 1, 2, 3))):
        if random.random() < 0.5:
            altered(tree, random)
            continue
        node: Any = tree
        while node:
            key = random.choice(list(node)) if isinstance(node, dict) else random.randrange(len(node))
            if not isinstance(node[key], dict | list) or random.random() < 0.2:
                node[key] = random.choice(STRANGE)
                break
            node = node[key]
    with suppress(ValueError, TypeError, RecursionError):
        return tomli_w.dumps(tree).encode(errors="replace")
    return data


def said(*words: str | Path) -> tuple[int, str]:
    """Run a command, and return its status and all that it says; no error of ours, and no secret of the game."""
    told = io.StringIO()
    with redirect_stdout(told), redirect_stderr(told):
        status = run([str(word) for word in words])
    assert status in ENDS, f"pbem {words[0]} ends with {status}"
    assert SECRET.hex() not in told.getvalue(), f"pbem {words[0]} tells a secret"
    return status, told.getvalue()


def files_in(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def refused_without_a_trace(folder: Path) -> Iterator[Callable[..., int]]:
    """Yield what runs commands that leave all files of a folder as they were unless they succeed."""

    def ran(*words: str | Path) -> int:
        before = files_in(folder)
        status, _ = said(*words)
        after = files_in(folder)
        assert not status or after == before, f"a refusal of pbem {words[0]} has written"
        assert not any(".pbem-" in name for name in after), "something is half-written"
        return status

    with no_disk():
        yield ran


# Plans


@cache
def a_planned_game() -> tuple[Record, bytes]:
    """Return a game with open chance, in which buying goes on."""
    record, random = a_new_record(3, "friday", "recommended"), Random(1)
    draw = secrets.draws_in_memory(record)
    while record.turn < 20:
        record, _ = played(record, str(who_decides(record.state)), a_sensible_choice(record.state, random), draw)
    return record, game_files.text_of(record, "toml").encode()


def plans_seeds() -> tuple[bytes, ...]:
    """Return files as the program writes them, and one that it could have written."""
    record, text = a_planned_game()
    found, random = [], Random(2)
    for _ in range(6):
        path = emptied("plans") / "game.toml"
        path.write_bytes(text)
        for clan in record.state.clans:
            said("plan", path, "--as", clan.colour, *some_lines(record.state, clan.colour, random))
        said("play", path, "--order", "pass")
        if game_files.plans_path(path).exists():
            found.append(game_files.plans_path(path).read_bytes())
    bare = {"format": PLANS_FORMAT, "game": "friday", "players": [{"colour": "red", "plan": ["plan pass"]}]}
    return (*found, tomli_w.dumps(bare).encode())


def judge_plans(data: bytes) -> None:
    """Whatever lies beside a game, it is played on by the rules, and the plan of a player can be forgotten or kept."""
    record, text = a_planned_game()
    folder = emptied("plans")
    path, decides = folder / "game.toml", str(who_decides(record.state))
    path.write_bytes(text)
    plans = game_files.plans_path(path)
    plans.write_bytes(data)
    order = str(a_sensible_choice(record.state, Random(data)))
    with refused_without_a_trace(folder) as ran:
        ran("plan", path, "--as", "red")
        assert ran("check", path, "--order", order, "--as", decides) == 0
        assert plans.read_bytes() == data
        assert ran("play", path, "--order", order, "--as", decides) == 0, "plans stand in the way of a move"
        verify(loading.load(path).record)
        if ran("plan", path, "--as", "blue", "drop least") == 0:
            assert ran("plan", path, "--as", "blue") == 0, "a plan that was kept cannot be read"
        ran("plan", path, "--as", "red", "--forget")


# Minutes

PLACE = "2001-09-09T01:46:40Z 30/{head}"
SAYINGS = (
    *("says Hello!", "proposes to take the game back to turn 3", "agrees with red", "disagrees with red", "withdraws"),
    *("decides to set the clock to 2 days, then answer", "proposes to set the clock to 1 hour, then exclude"),
    *("proposes to stop the clock", "decides to go on without blue", "proposes to go on without green"),
    *("decides to seat Eve as red", "proposes to seat Eve as blue, who signs with ssh-ed25519 AAAA"),
    *("decides to answer pass for blue", "decides to let red sign with ssh-ed25519 AAAAC3Nz", "decides to answer x"),
)
BY = ("red", "blue", "green", "host", "yellow", "nobody")
MINUTES_WORDS = tuple(
    f"{word}".encode()
    for word in (*BY, *SAYINGS, "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "1000000000 days", "999999999", " to ")
)


def a_minute(random: Random) -> str:
    """Return a line that may be right."""
    place = PLACE.format(head=the_base().head[:8])
    if random.random() < 0.2:
        place = random.choice(("2001-09-09T01:46:41Z 29/01234567", "9999-12-31T23:59:59Z 0/00000000", "2001 x/y"))
    return f"{place} {random.choice(BY)} {random.choice(SAYINGS)}\n"


def minutes_seeds() -> tuple[bytes, ...]:
    """Return minutes with lines of all kinds."""
    random = Random(3)
    texts = ["".join(a_minute(random) for _ in range(random.choice((1, 1, 2, 3, 8)))) for _ in range(40)]
    lines = [f"{PLACE.format(head=the_base().head[:8])} {by} {words}\n" for by in BY[:4] for words in SAYINGS]
    return tuple(f"first-sparks-minutes/1 friday\n{text}".encode() for text in (*texts, *lines, ""))


def another_minute(data: bytes, random: Random) -> bytes:
    """Return minutes with another line somewhere."""
    lines = data.split(b"\n")
    at = random.randrange(len(lines))
    return b"\n".join((*lines[:at], a_minute(random).encode().rstrip(b"\n"), *lines[at + random.choice((0, 1)) :]))


def judge_minutes(data: bytes) -> None:
    """Minutes after others are judged as a push and as history, and what they say of the turn can be told."""
    base = the_base()
    text, first = game_files.text_of(base, "toml").encode(), minutes_seeds()[Random(data).randrange(10)]
    for before in (first, b"first-sparks-minutes/1 friday\n", data):
        objects: Any = Pushed(*({"game.toml": text, MINUTES: told} for told in (before, data)))
        for judge in (Judge("game.toml", "server", now=1_000_000_000), Judge("game.toml", "reader")):
            with suppress(PbemError):
                compare(objects, FIRST, SECOND, judge)
    seen = now_at(point_at(objects, "1", "game.toml"), 1_000_000_000)
    for colour, _ in seen.record.players:
        assert line(seen, colour).isprintable()
    by_clock(base, seen.minutes)
    for motion in seen.minutes.motions:
        if holds(motion, seen.minutes, base):
            missing(motion, in_play(base))
            waits_until(motion, seen.minutes)


# A club

CLUB_FILES = {
    "club-settings": "club.toml",
    "private": "games/friday/private.toml",
}
CLOCKS = (
    'then = "answer"\ndeadline = "2 days"\nreminders = ["12 hours", "1 day"]\noutage = "20 days"\n',
    'then = "bot"\nlook = "5 hours"\noutage = "20 days"\nabsence = "3 days"\n',
    'then = "hand over"\ndeadline = "1 hour"\nreminders = []\n',
    'then = "tell"\n',
)


@cache
def a_busy_club() -> tuple[Path, bytes]:
    """Return a club as it was saved, in which somebody has planned and somebody is away; and an answer."""
    folder = a_folder() / "busy"
    club = a_club(folder)
    play(club, 12)
    asked = next(mail for mail in letters(club) if mail.asks)
    take(club, PROGRAMS[0](asked, f"{an_order(asked)}\nplan drop least\nalways drop least\n", 1))
    play_on = next(mail for mail in letters(club) if mail.asks)
    said("mail", "tick", folder, "--now", START.isoformat())
    said("mail", "absent", folder, "friday", "Cy", "--until", "2026-12-24")
    terms(club, CLOCKS[0])
    letters(club)
    return folder, PROGRAMS[0](play_on, an_order(play_on), 2)


def club_seeds(file: str) -> tuple[bytes, ...]:
    """Return what a file of the club has, also with other clocks."""
    path = a_busy_club()[0] / file
    if path.name != "private.toml":
        return (path.read_bytes(),)
    clocks = ({"clock": tomllib.loads(text)} for text in CLOCKS)
    return tuple(private.text_with(private.sections(path), clock) for clock in clocks)


def judge_club(file: str, data: bytes, *, glancing: bool = False) -> None:
    """A club with another file goes on or says what is wrong; nobody's key is told, and games are sound.

    *glancing* tries some of the commands, others with other data.
    """
    every = (("status",), ("tick", "--now", NOW), ("resend", "friday"), ("take",))
    saved, answer = a_busy_club()
    folder = a_folder() / "busy-now"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(saved, folder)
    (folder / file).write_bytes(data)
    keys = [word for word in (saved / "games/friday/private.toml").read_text().split('"') if len(word) == 64]
    with no_disk():
        for command, *words in Random(data).sample(every, 1 if glancing else len(every)):
            with suppress(PbemError):
                told = str(take(read_club(folder), answer)) if command == "take" else ""
                told = told or said("mail", command, folder, *words)[1]
                assert not any(key in told for key in keys), "a key is told"
    verify(loading.load(folder / "games/friday/game.toml").record)
    assert not list(folder.rglob(".pbem-*.tmp")), "something is half-written"
    assert not (folder / "games/friday/pending").exists(), "a change is half-made"
    with suppress(PbemError):
        for mail in letters(read_club(folder)):
            assert read_message(mail.raw).unreadable == "", "a letter of ours cannot be read"


# Secrets


@cache
def sealed() -> tuple[bytes, bytes, str, str]:
    """Return a sealed game before a draw, its secret file, who is asked, and the order before the draw."""
    record, by, order = a_sealed_game()
    secret = {"format": "first-sparks-secret/1", "game": record.game, "secret": SECRET.hex()}
    return game_files.text_of(record, "toml").encode(), tomli_w.dumps(secret).encode(), by, order


def judge_secret(data: bytes) -> None:
    """With another secret no draw is made, and no word of it is told."""
    text, secret, by, order = sealed()
    folder = emptied("secret")
    path = folder / "game.toml"
    path.write_bytes(text)
    (folder / "game.secret.toml").write_bytes(data)
    with refused_without_a_trace(folder) as ran:
        ran("audit", path)
        assert ran("reveal", path), "the secret is out too early"
        assert ran("check", path, "--order", order, "--as", by) == 0
        is_played = ran("play", path, "--order", order, "--as", by) == 0
    assert is_played or data != secret
    assert (folder / "game.secret.toml").read_bytes() == data
    verify(loading.load(path).record)


# Shared games


def a_home() -> Any:
    """Return what lets secrets of players be kept here."""
    return patch.dict(os.environ, {"XDG_DATA_HOME": str(a_folder() / "home")})


@cache
def shared_games() -> tuple[Record, ...]:
    """Return a shared game in each of its situations; Ann, who is red, has the secret of the other tests."""
    seats = (("red", "Ann"), ("blue", "Bob"), ("green", "Cara"))
    options = Options("recommended", hide_food=False)
    record = game_setup.begin_record(
        "friday", seats, options=options, components=loading.built_in(), kind="shared", secret=b""
    )
    found, random, own = [record], Random(4), chains.OwnChains()
    with a_home(), no_disk():
        for number, (colour, _) in enumerate(seats):
            record = joined(
                record, colour, chains.begun(record, colour, SECRET if not number else bytes([number] * 32))
            )
            found.append(record)
        while record.turn < 40:
            if record.opener:
                record, _ = opened(record, record.opener, own)
            else:
                by = str(who_decides(record.state))
                draw = secrets.draws_of(record, Path("nowhere.toml"))
                record, _ = played(record, by, a_sensible_choice(record.state, random), draw)
            found.append(record)
    return tuple(found)


@cache
def before_a_draw() -> Record:
    """Return a shared game in which red has to draw."""
    return next(record for record in shared_games() if record.opener == "red" and record.turn)


def chain_seeds() -> tuple[bytes, ...]:
    """Return the file with red's secret, before red has opened anything for somebody else and after."""
    with a_home():
        path = chains.path_of(before_a_draw(), "red")
        text = path.read_text(encoding="utf-8")
    tree = tomllib.loads(text)
    first = {key: value for key, value in tree.items() if key not in ("opened", "head")}
    return tuple(tomli_w.dumps(each).encode() for each in (first, tree))


def judge_chain(data: bytes) -> None:
    """With another secret nothing is opened; a value that belongs to the chain is opened, and once."""
    record = before_a_draw()
    folder = emptied("chain")
    path = folder / "game.toml"
    path.write_text(game_files.text_of(record, "toml"), encoding="utf-8")
    with patch.dict(os.environ, {"XDG_DATA_HOME": str(folder / "home")}), refused_without_a_trace(folder) as ran:
        place = chains.path_of(record, "red")
        place.parent.mkdir(parents=True)
        place.write_bytes(data)
        ran("draw", path, "--as", "red", "--new-secret")
        if ran("draw", path, "--as", "red") == 0:
            assert tomllib.loads(place.read_text(encoding="utf-8"))["opened"], "nobody knows what was opened"
            assert ran("draw", path, "--as", "red"), "it is drawn twice"
    verify(loading.load(path).record)


def shared_lines() -> tuple[bytes, ...]:
    """Return lines of a batch with shared games."""
    found = []
    for number, game in enumerate(shared_games()):
        by = game.opener or game.asked or "red"
        choices = main_choices(game.state) if not game.missing and not game.opener else ()
        order = next((choice.order for choice in choices), "stay")
        found.append(json.dumps({"game": game_files.data_of(game), "move": order, "as": by}).encode())
        if number % 5 == 4:
            found[-1] += b"\n" + found[-2]
    return tuple(found)


# Replies with plans


def mail_seeds() -> tuple[bytes, ...]:
    """Return answers to what a club has asked that say something ahead."""
    folder, asked = the_club()
    state, random, found = loading.load(folder / "games/friday/game.toml").record.state, Random(5), []
    written = [text for table in tomllib.loads(PLANS.read_text(encoding="utf-8")).values() for text in table["written"]]
    for number, program in enumerate(PROGRAMS * 6):
        lines = some_lines(state, state.clans[number % 3].colour, random) if state.market.cards else []
        orders = (an_order(asked),) if number % 2 else ()
        found.append(program(asked, "\n".join((*orders, *lines, *random.sample(written, 2))), 100 + number))
    return tuple(found)
