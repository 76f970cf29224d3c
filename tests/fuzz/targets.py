"""What strangers can hand to the program, each with some inputs to begin with and with what must hold of any."""

import io
import json
import os
import shutil
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from copy import deepcopy
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any, get_args
from unittest.mock import patch

from bots import SECRET, a_choice, a_new_record, a_sensible_choice, random_play
from clubs import a_club, a_table, an_order, letters, the_asked
from fuzz.loop import Target
from people import Mail
from plans import some_lines
from programs import PROGRAMS
from pushed import FIRST, SECOND, Pushed

from pbem import formats, game_files, loading, rulings, secrets
from pbem.carriers.git.judges import Judge
from pbem.carriers.git.verdict import compare
from pbem.carriers.mail.incoming.message import read_message
from pbem.carriers.mail.take import take
from pbem.carriers.mail.tickets import tickets_in
from pbem.cli.app import run
from pbem.errors import NotUnderstood, PbemError
from pbem.first_sparks.adjudicator import choices, violations, who_decides
from pbem.first_sparks.chance import draws as chance
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.codec import encode_state
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.plans.answer import answer
from pbem.first_sparks.plans.explain import explain
from pbem.first_sparks.plans.lines import head_of
from pbem.first_sparks.plans.read import read
from pbem.first_sparks.plans.write import write, write_always
from pbem.first_sparks.play import played
from pbem.first_sparks.proof import claim, followed, replayed, verify
from pbem.first_sparks.record import Record, digest, next_head
from pbem.first_sparks.state import CHANCE
from pbem.reading.context import Context
from pbem.reading.decide import read_reply
from pbem.reading.ticket import is_genuine, ticket
from pbem.schema import schema_text
from pbem.scripts import batch

ROOT = Path(__file__).parents[2]
REPLIES = ROOT / "tests" / "mail" / "replies"
PLANS = ROOT / "tests" / "mail" / "plans.toml"
ENDS = {0, 2, 65, 66, 73, 74, 75, 76, 77}  # exit statuses; 70 is a bug of ours
ORDERS = ("offer 9", "buy", "decline", "pass", "stay", "take", "discard", "drop 7", "settle A1a", "add B2b", "resign")
WORDS = tuple(f"{word}".encode() for word in (*ORDERS, "agree end", "spread A1a B2b", "starve A1a", "lay A1 B2"))


def all_targets() -> dict[str, Target]:
    """Return every target by its name."""
    made = (a_game_target, a_move_target, a_set_target, a_mail_target, a_marker_target, a_batch_target, a_push_target)
    from fuzz.kept import kept_targets

    return {target.name: target for target in (*(make() for make in (*made, a_plan_target)), *kept_targets())}


# Games to begin with


@cache
def games() -> tuple[Record, ...]:
    """Return games of all player counts at some of their turns, the last one over."""
    found = []
    for players in (2, 3, 4, 6):
        every = [record for record, *_ in random_play(a_new_record(players, "friday"), Random(players), 60)]
        found += every[:: len(every) // 2]
    record, random, draw = a_new_record(3, "friday", "recommended"), Random(1), chance.source("friday", SECRET)
    while (decides := who_decides(record.state)) is not None and record.turn < 300:
        record, _ = played(record, decides, a_sensible_choice(record.state, random), draw)
        found += [record] if record.turn in (9, 30) else []
    return (*found, record)


def texts() -> tuple[bytes, ...]:
    """Return the files of those games, some of them JSON."""
    every = [game_files.text_of(game, "json" if number % 3 else "toml").encode() for number, game in enumerate(games())]
    return (*every, (ROOT / "examples" / "first-move" / "game.toml").read_bytes())


# Changes that keep the form


def another_tree(data: bytes, random: Random) -> bytes:
    """Return the TOML or JSON with something else in one place, and perhaps a head that fits the log again."""
    try:
        text = data.decode()
        form = loading.format_in(text)
        tree = formats.parse(text, form, name="game")
    except (PbemError, UnicodeDecodeError):
        return data
    for _ in range(random.choice((1, 1, 2, 3))):
        altered(tree, random)
    try:
        if "log" in tree and random.random() < 0.8:
            _repair(tree, snapshot_too=random.random() < 0.5)
        return formats.dump(tree, random.choice((form, "json"))).encode()
    except Exception:  # it has no form that can be written, or no log
        return json.dumps(tree).encode()


def _repair(tree: dict[str, Any], *, snapshot_too: bool) -> None:
    """Let turn and head fit header and log again, and the snapshot too, as far as the log can be followed."""
    set_ = tree["components"].get("set")
    if isinstance(set_, dict):
        tree["components"] |= {"name": set_["name"], "digest": digest(loading.own_components(set_))}
    said = claim(tree, loading.built_in(), loading.own_components)
    head = said.begun.head
    for line in said.log:
        head = next_head(head, line)
    tree |= {"head": head, "turn": sum(" * " not in line for line in said.log)}
    if snapshot_too:
        legal = 0
        with suppress(PbemError):
            for _ in replayed(said):
                legal += 1
        record = followed(said.begun, said.log[:legal])[0]
        tree |= {"head": record.head, "turn": record.turn, "log": list(record.log), "state": encode_state(record.state)}


def altered(tree: Any, random: Random) -> None:
    """Change one thing somewhere in the tree."""
    node, donor = tree, random.choice(donors())
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        if not keys:
            return
        key = random.choice(keys)
        inner = node[key]
        if not isinstance(inner, dict | list) or not inner or random.random() < 0.2:
            break
        node, donor = inner, _at(donor, key)
    what = random.randrange(7)
    if what == 0:
        del node[key]
    elif what == 1 and isinstance(node, list):
        node.insert(random.randint(0, len(node)), node[key])
    elif what == 2 and isinstance(node, list):
        other = random.randrange(len(node))
        node[key], node[other] = node[other], node[key]
    elif what == 3:
        node[key] = random.choice((0, 1, -1, 7, 10**9, True, "", "red", "A1a", [], {}, [0], ["A1a"]))
    elif what == 4 and _at(donor, key) is not None:
        node[key] = deepcopy(_at(donor, key))
    else:
        node[key] = _another(inner, random)


@cache
def donors() -> tuple[Any, ...]:
    """Return games, at least one with each kind of phase, from which a part may come into another."""
    found = {}
    for players, hide_food in ((2, True), (3, False), (5, True)):
        new = a_new_record(players, "friday", hide_food=hide_food)
        for record, *_ in random_play(new, Random(players), 250):
            found.setdefault((players, type(record.state.phase)), record)
    return tuple(map(game_files.data_of, (*found.values(), *games())))


@cache
def vocabulary() -> tuple[str, ...]:
    """Return the words that the schema of a game knows."""

    def words(node: Any) -> Iterator[str]:
        if isinstance(node, dict):
            yield from (word for word in (*node.get("enum", ()), node.get("const")) if isinstance(word, str))
            node = list(node.values())
        for inner in node if isinstance(node, list) else ():
            yield from words(inner)

    return tuple(sorted({"A1a", "B2c", "7", "41", "*", "draw", *ORDERS, *words(json.loads(schema_text("game")))}))


def _at(node: Any, key: Any) -> Any:
    """Return what another tree has at a place, None where there is nothing."""
    try:
        return node[key]
    except (TypeError, LookupError):
        return None


def _another(value: Any, random: Random) -> Any:
    """Return a value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + random.choice((-1, 1, 1, 2, -7, 40, 10**6))
    if isinstance(value, str):
        words = value.split(" ")
        place = random.randrange(len(words))
        words[place] = random.choice(vocabulary())
        return " ".join(words) if random.random() < 0.8 else value + random.choice((" 1", "x", "\n", "\u00e9"))
    if isinstance(value, dict):
        return dict(list(value.items())[:-1])
    return value[:-1] if isinstance(value, list) else 0


# The program in this process


def said_by(*words: str) -> tuple[int, str]:
    """Run a command, and return its status and what it prints; an error that is not for its user gets out."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        status = run(list(words))
    assert status in ENDS, f"pbem {words[0]} ends with {status}"
    return status, out.getvalue()


@cache
def a_folder() -> Path:
    """Return a folder of this process, in memory if there is such a place."""
    memory = Path("/dev/shm")  # noqa: S108
    folder = Path(tempfile.mkdtemp(prefix="pbem-fuzz-", dir=memory if os.access(memory, os.W_OK) else None))
    import atexit

    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def emptied(name: str) -> Path:
    """Return a folder with nothing in it."""
    folder = a_folder() / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


no_disk: Callable[[], Any] = partial(patch, "os.fsync", lambda _: None)  # nothing here need outlive a power cut


# Game files


def a_game_target() -> Target:
    """Every command that reads a game."""
    words = (*WORDS, b"[state]", b"[[state.clans]]", b'"1 red pass"')
    return Target("game", texts(), judge_game, words, another_tree, glance=partial(judge_game, glancing=True))


def judge_game(data: bytes, *, glancing: bool = False) -> None:
    """What is no proved game is refused by every command; what is one is told of, and is sound after a move.

    Who reads it changes nothing, and no more does a refusal. *glancing* tries some of the commands and orders, others
    with other data.
    """
    try:
        record = loading.file_in(formats.decode(data, name="game.toml"), Path("game.toml")).record
    except PbemError:
        record = None
    path = emptied("game") / "game.toml"
    path.write_bytes(data)
    drawn, converted = a_folder() / "board.svg", a_folder() / "converted.json"
    converted.unlink(missing_ok=True)
    some = Random(data).sample if glancing else lambda all_of_them, _: all_of_them
    may_refuse = (["verify"], ["audit"], ["show", "--as", "red"])  # draws that are not those of the secret; nobody's
    reading_it = (
        *may_refuse,
        *(["show"], ["options", "--json"], ["replay"], ["replay", "--json"], ["components", "--of"]),
        *(["board", "-o", str(drawn)], ["convert", str(converted)]),
    )
    with no_disk():
        for words in some(reading_it, 2):
            command, *rest = words
            of = (command, "--of", str(path)) if rest == ["--of"] else (command, str(path), *rest)
            status, _ = said_by(*of)
            assert status or record, f"{command} believes what is not proved"
            assert not status or record is None or words in may_refuse, f"{command} refuses what is proved"
        assert [(file, file.read_bytes()) for file in path.parent.iterdir()] == [(path, data)], "who reads has written"
        if record:
            again = game_files.text_of(record, "json")
            assert game_files.text_of(loading.file_in(again, path).record, "json") == again, (
                "it does not come back as it was"
            )
            if not glancing or converted.exists():
                assert loading.load(converted).record == record, "it is another game in another format"
        decides = str((record and who_decides(record.state)) or "red")
        for order in some(("pass", "stay", "decline", "resign", "agree end"), 1):
            told = said_by("check", str(path), "--order", order, "--as", decides)[0]
            status, _ = said_by("play", str(path), "--order", order, "--as", decides)
            assert (told and status) or record, "an order is judged in what is not proved"
            if status:
                assert path.read_bytes() == data, "a refusal has written"
            else:
                assert told == 0, "check refuses what is played"
                loading.load(path)
                path.write_bytes(data)
        over = record is not None and isinstance(record.state.phase, Ended)
        assert said_by("reveal", str(path))[0] or over, "the secret is out too early"


# Moves


def a_move_target() -> Target:
    """Move files and lines of orders, in some situation."""
    move = b'player = "green"\nturn = 3\nhead = "12345678"\norders = ["offer 9", "buy"]\n'
    table = b'format = "first-sparks-move/1"\n[[moves]]\norder = "spread"\nspaces = ["A1a", "B2b"]\n'
    plain = [f"{n}\n{order}\n".encode() for n, order in enumerate(ORDERS)]
    played_ones = [
        f"{number}\n{a_choice(game.state, Random(number))}\n".encode()
        for number, game in enumerate(games())
        if who_decides(game.state) not in (CHANCE, None)
    ]
    seeds = (b"1\n" + move, b"2\n" + table, b'3\n{"orders": ["stay"], "player": "red"}', *plain, *played_ones)
    return Target("move", seeds, judge_move, (*WORDS, b"order: ", b"[friday/3/12345678]", b"[[moves]]", b"YOUR ANSWER"))


def judge_move(data: bytes) -> None:
    """A submission is refused, or the game after it is sound. The first line says which game it is for."""
    number, _, rest = data.partition(b"\n")
    record = games()[int(number) % len(games()) if number.isdigit() and len(number) < 5 else 0]
    submission = loading.read_submission(formats.decode(rest, name="move"), None, "move")
    assert 0 < len(submission.orders) <= loading.MOST_ORDERS
    decides = who_decides(record.state)
    by = decides if decides not in (CHANCE, None) else "green"
    ruling = rulings.judge(record, loading.signed(submission._replace(player=""), by), secrets.draws_in_memory(record))
    is_sound(ruling.record)
    assert ruling.record.turn > record.turn


def is_sound(record: Record) -> None:
    """Assert that a game is proved, and comes back from its file as it was."""
    verify(record)
    for form in get_args(formats.Format):
        text = game_files.text_of(record, form)
        assert game_files.text_of(loading.file_in(text, Path("game")).record, form) == text


# Component sets


def a_set_target() -> Target:
    """Sets of one's own, and games with them."""
    shipped = (ROOT / "pbem" / "first_sparks" / "data" / "components.toml").read_bytes()
    tree = formats.parse(shipped.decode(), "toml", name="components")
    kinds = b"herbs basket rod bow spear field fire speech intelligence sled plow".split()
    return Target("set", (formats.dump(tree, "json").encode(), shipped), judge_set, tuple(kinds), another_tree)


def judge_set(data: bytes) -> None:
    """A set is refused with reasons, or games can be begun with it and played, and are sound."""
    folder = emptied("set")
    path, game = folder / "set.toml", folder / "game.json"
    path.write_bytes(data)
    if said_by("components", "--check", str(path))[0]:
        return
    names, rest = ("Ann", "Bob", "Cara"), ("--components", str(path), "--secret", SECRET.hex(), "--chance", "open")
    with no_disk():
        for board in ("recommended", "random"):
            game.unlink(missing_ok=True)
            if said_by("new", str(game), *names, *rest, "--board", board)[0] == 0:
                said_by("show", str(game))
                plays(loading.load(game).record, 15)


def plays(record: Record, turns: int) -> None:
    """Play on for some turns, and look at the text and at what can be ordered."""
    random, draw = Random(record.head), secrets.draws_in_memory(record)
    for _ in range(turns):
        decides = who_decides(record.state)
        if decides in (CHANCE, None):
            break
        assert next(choices(record.state), None) is not None, "a dead end"
        tuple(main_choices(record.state))
        record, _ = played(record, decides, a_choice(record.state, random), draw)
    is_sound(record)


# Mails


@cache
def the_club() -> tuple[Path, Mail]:
    """Return a club as it was saved, and the letter with which it has asked."""
    folder = a_folder() / "saved"
    club = a_club(folder)
    asked = next(mail for mail in letters(club) if mail.asks)
    assert asked.to == the_asked(club).address
    return folder, asked


def a_mail_target() -> Target:
    """Any bytes, as an MTA hands them on."""
    collected = tuple(path.read_bytes() for path in sorted(REPLIES.glob("*.eml")))
    heads = b"From: |To: |Subject: |Message-ID: |References: |Content-Type: text/html|Content-Type: multipart/mixed"
    asked = the_club()[1]
    said = (an_order(asked), f"{an_order(asked)}\n\nHello all!", "resign", "news all\n", "what now?", "offer 41")
    answers = tuple(program(asked, text, number) for number, program in enumerate(PROGRAMS) for text in said)
    parts = b"boundary=b|--b\n|--b--\n|charset=utf-7|base64|quoted-printable|Auto-Submitted: auto-replied|<blockquote>"
    words = (*heads.split(b"|"), *parts.split(b"|"), b"pbem@example.org", b"ann@x.example", b"> ", b"On x wrote:\n")
    return Target("mail", (*answers, *collected), judge_mail, (*WORDS, *words))


def judge_mail(data: bytes) -> None:
    """A mail ends in a verdict; the game is the one before or one with a move more, and every letter can be read."""
    saved, _ = the_club()
    folder = a_folder() / "club"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(saved, folder)
    from pbem.carriers.mail.settings import read_club

    club = read_club(folder)
    table, other = a_table(club), (folder / "club.toml").read_bytes()
    before = table.game.read_bytes()
    with no_disk():
        verdict = take(club, data)
    if table.game.read_bytes() != before:
        assert verdict.code == "played", f"{verdict.code} has changed the game"
        is_sound(loading.load(table.game).record)
    assert (folder / "club.toml").read_bytes() == other
    for mail in letters(club):
        assert read_message(mail.raw).unreadable == "", "a letter of ours cannot be read"


# Markers and tickets


def a_marker_target() -> Target:
    """What proves who writes, and the text around it."""
    own = ticket(SECRET, "friday", "red", 12)
    marker = f"buy\n\n== write your orders ABOVE this line == [friday/12/1a2b3c4d]\n== for red only: {own.token} ==\n"
    seeds = (
        marker,
        f"pbem+{own}@example.org\nbuy",
        f"<{own}.0123456789abcdef@example.org>\n> buy\npass",
        "pass\n-- \n",
    )
    return Target("marker", tuple(seed.encode() for seed in seeds), judge_marker, (*WORDS, str(own).encode(), b"== "))


def judge_marker(data: bytes) -> None:
    """No ticket is found that does not stand there, and none is genuine but the one that was made."""
    text = data.decode(errors="replace")
    own = ticket(SECRET, "friday", "red", 12)
    for found in tickets_in((text,), (text,), text.split("\n")):
        assert found.token in text.lower()
        assert is_genuine(found, SECRET) is (found == own)
    try:
        said = read_reply(text)
    except NotUnderstood:
        return
    assert all(order.split() for order in said.orders)
    assert not any(ord(sign) < 32 and sign != "\n" for sign in said.talk)


# Plans by mail


def a_plan_target() -> Target:
    """The text of a reply with a plan, in some situation."""
    written = [text for table in tomllib.loads(PLANS.read_text(encoding="utf-8")).values() for text in table["written"]]
    random, seeds = Random(1), [f"{number}\n{text}" for number, text in enumerate(written[::3])]
    for number, game in enumerate(games()):
        for clan in game.state.clans[:2]:
            lines = some_lines(game.state, clan.colour, random) if game.state.market.cards else []
            seeds.append("\n".join((f"{number}", *lines, "buy if nobody wants it")))
    words = (
        b"plan |always |forget|else pass|else ask|any |up to |if nobody wants it|new decline|drop least|at most |rod"
    )
    return Target(
        "plan", tuple(seed.encode() for seed in seeds), judge_plan, (*WORDS, *words.split(b"|"), b"- ", b"; ")
    )


def judge_plan(data: bytes) -> None:
    """A plan is refused as a whole, or read; then its normal form means the same, and each answer is legal.

    The first line says which game it is for. Nothing that begins with the word plan is told to the table.
    """
    number, _, rest = data.partition(b"\n")
    record = games()[int(number) % len(games()) if number.isdigit() and len(number) < 5 else 0]
    state, decides = record.state, who_decides(record.state)
    colour = decides if decides not in (CHANCE, None) else record.players[0][0]
    asked = Context(state if decides == colour else None, "Ann", waves=True)
    reply = read_reply(rest.decode(errors="replace"), asked)
    assert not any(head_of(line) == "plan" for line in reply.talk.split("\n")), "it is told to the table"
    if not reply.plan:
        return
    said = read(reply.plan, state, colour)
    always = write_always(said.always) if said.always else ()
    if normal := (*(write(said.plan) if said.plan else ()), *always):
        assert read(normal, state, colour)[:2] == said[:2], "its normal form means something else"
    explain(said.plan, said.always, state)
    if decides == colour:
        move = answer(said.plan, said.always, state).move
        assert move is None or not any(violations(state, move)), "it answers what is not legal"


# Lines of a batch


def a_batch_target() -> Target:
    """Lines of NDJSON."""
    lines = [
        json.dumps({"game": game_files.data_of(game), "move": order, "as": who_decides(game.state) or "red"}).encode()
        for game, order in zip(games(), ORDERS, strict=False)
    ]
    short = json.dumps({"game": "nowhere.toml", "move": {"orders": ["stay"]}}).encode()
    words = (*WORDS, b'"game"', b'"move"', b'"as"', b'{"orders": ["stay"]}', b"\n\n", b"[]", b"{}")
    return Target("batch", (*lines, short, short + b"\n\n" + short), judge_batch, words, another_line)


def another_line(data: bytes, random: Random) -> bytes:
    lines = data.split(b"\n")
    place = random.randrange(len(lines))
    lines[place] = another_tree(lines[place], random).replace(b"\n", b" ")
    return b"\n".join(lines)


def judge_batch(data: bytes) -> None:
    """Every line that is not blank gets its verdict, none of them a bug of ours; a game that is answered is sound."""
    asked = sum(bool(line.strip()) or len(line) > batch.LONGEST_LINE for line in data.split(b"\n"))
    with chdir(emptied("batch")):
        for playing in (False, True):
            found = list(batch.verdicts(batch.chunks_of(io.BytesIO(data)), playing=playing))  # type: ignore[arg-type]
            assert len(found) == asked, "a line has no verdict"
            for verdict in found:
                answer = json.loads(verdict.text)
                assert verdict.exit_status in ENDS, f"a line ends with {verdict.exit_status}: {answer['message']}"
                if "next" in answer:
                    loading.game_in(answer["next"], "next")
        assert not list(Path().iterdir())


# Commits


@cache
def the_base() -> Record:
    """Return the game that was pushed last."""
    return next(game for game in games() if game.turn == 30)


def a_push_target() -> Target:
    """The game file of a commit."""
    base = the_base()
    decides = who_decides(base.state) or ""
    after = []
    for seed in range(6):
        now, random = base, Random(seed)
        for _ in range(1 + seed % 2):
            if who_decides(now.state) == decides:
                now = played(now, decides, a_choice(now.state, random), secrets.draws_in_memory(base))[0]
        after.append(game_files.text_of(now, "toml").encode())
    return Target("push", tuple(after), judge_push, (*WORDS, b"[state]", b"log = ["), another_tree)


def judge_push(data: bytes) -> None:
    """What is accepted is the game before and one submission, to the byte as we write it."""
    base = the_base()
    objects = Pushed({"game.toml": game_files.text_of(base, "toml").encode()}, {"game.toml": data})
    server = Judge("game.toml", "server")
    (step,) = compare(objects, FIRST, SECOND, server)  # type: ignore[arg-type]
    found = loading.file_in(data.decode(), Path("game.toml")).record
    verify(found)
    assert game_files.text_of(found, "toml").encode() == data, "it is not what we write"
    assert found.log == (*base.log, *step.lines), "the log is not that of the base"
    assert len(found.log) > len(base.log)
