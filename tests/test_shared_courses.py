"""Two courses of a shared game: nobody opens a value in one, which others see, and again in another.

In files that go from hand to hand, a player can be shown both. Each is played here by somebody who means no harm.
"""

import io
import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
import test_shared
from test_shared import NAMES, SECRETS, Run, record_of, what_may_follow

import pbem
from pbem import game_files
from pbem.errors import CannotWrite, NotAllowed
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance.draws import Chain
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.play import opened, played
from pbem.first_sparks.record import Record
from pbem.first_sparks.state import CHANCE
from pbem.scripts import batch

run = test_shared.run
game = test_shared.game
REFUSED = "you have opened this value for another course of the game, and may not open it again"


class Liars(NamedTuple):
    """The chains of players who note nothing, and open whatever they like, with their secrets."""

    secrets: Mapping[str, str]

    def opens(self, record: Record, colour: str) -> str:
        """Return the next value of a player's chain."""
        shown = bytes.fromhex(dict(record.given.shown)[colour])
        return next_values(record.chain(colour), self.secrets[colour])[shown].hex()


@cache
def next_values(chain: Chain, secret: str) -> Mapping[bytes, bytes]:
    """Return the value that comes after each one of a chain, which takes as long as to find a single one."""
    known = bytes.fromhex(secret)
    first = chain.first_value(known)
    return dict(pairwise((first, *chain.values(known, first))))


def course(begun: Record, seed: int, secrets: Mapping[str, str] = SECRETS) -> Iterator[Record]:
    """Yield the positions of a game that has begun, in a course of its own."""
    record, random = begun, Random(seed)
    while (decides := record.opener or who_decides(record.state)) is not None:
        yield record
        if record.opener:
            record, _ = opened(record, record.opener, Liars(secrets))
        else:
            move = random.choice([choice.move for choice in main_choices(record.state)])
            record, _ = played(record, decides, move, Liars(secrets))


def opens_next(record: Record) -> tuple[str, str]:
    """Return who could open a value now, and how: "opener", or "mover" with an order; "", "" if nobody."""
    if record.opener:
        return record.opener, "opener"
    return (who_decides(record.state) or "", "mover") if any(drawing_orders(record)) else ("", "")


def drawing_orders(record: Record) -> Iterator[str]:
    """Yield the orders of the player who decides, after which that player opens a draw."""
    by = who_decides(record.state)
    for choice, after in zip(main_choices(record.state), what_may_follow(record), strict=True):
        if after.opener == by:
            yield choice.order


def two_courses(path: Path, first: str, second: str) -> tuple[str, Path, Path]:
    """Return a player, and files with two courses of a game: see ``courses``."""
    by, *both = courses(record_of(path), first, second)
    one, other = Path("one.toml"), Path("other.toml")
    for file, record in zip((one, other), both, strict=True):
        pbem.save(record, file)
    return by, one, other


def courses(begun: Record, first: str, second: str, secrets: Mapping[str, str] = SECRETS) -> tuple[str, Record, Record]:
    """Return a player, and two courses of a game in which that player could open the same value, and in which way."""
    for seed in range(1, 20):
        one, other = ([at for at in course(begun, n, secrets) if at.turn > 2] for n in (seed, seed + 20))
        for left in one:
            by, way = opens_next(left)
            rights = (at for at in other if way == first and opens_next(at) == (by, second))
            for right in rights:
                if dict(left.given.shown)[by] == dict(right.given.shown)[by]:
                    return by, left, right
    raise AssertionError("none of these games has such courses")


def shown(run: Run, path: Path, name: str, by: str, order: str) -> Path:
    """Return a file in which that player has gone on from the game with an order."""
    course = path.with_name(name)
    shutil.copy(path, course)
    run(NAMES[by], "play", name, "--as", by, "--order", order)
    return course


def order_in(path: Path) -> str:
    """Return an order after which its player opens a value, or any if one is due before it."""
    record = record_of(path)
    return "pass" if record.opener else next(drawing_orders(record))


def opens(run: Run, path: Path, by: str) -> None:
    """Open a value of that player."""
    if record_of(path).opener:
        run(NAMES[by], "draw", str(path), "--as", by)
    else:
        run(NAMES[by], "play", str(path), "--as", by, "--order", order_in(path))


def kept_by(who: str) -> dict[str, str]:
    """Return the files of a player with secrets, by name."""
    folder = Path(f"home of {NAMES[who]}") / "pbem"
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


# Ways to give an order, each of which tells the error


def by_command(run: Run, path: Path, by: str, order: str) -> str:
    return run(NAMES[by], "play", str(path), "--as", by, "--order", order, status=65)


def by_json(run: Run, path: Path, by: str, order: str) -> str:
    run(NAMES[by], "convert", str(path), "course.json")
    return run(NAMES[by], "play", "course.json", "--as", by, "--order", order, status=65)


def by_library(run: Run, path: Path, by: str, order: str) -> str:
    run(NAMES[by], "show", str(path))  # on the player's machine
    with pytest.raises(NotAllowed) as error:
        pbem.play(path, order, by)
    return error.value.message


def in_memory(run: Run, path: Path, by: str, order: str) -> str:
    run(NAMES[by], "show", str(path))
    with pytest.raises(NotAllowed) as error:
        pbem.play(pbem.load(path), order, by)
    return error.value.message


def by_batch(run: Run, path: Path, by: str, order: str) -> str:
    run(NAMES[by], "show", str(path))
    return answered({"game": str(path), "move": {"player": by, "orders": [order]}})


def by_batch_in_memory(run: Run, path: Path, by: str, order: str) -> str:
    run(NAMES[by], "show", str(path))
    return answered({"game": game_files.data_of(record_of(path)), "move": {"player": by, "orders": [order]}})


def answered(line: dict[str, object]) -> str:
    chunks = batch.chunks_of(io.BytesIO(json.dumps(line).encode()))  # type: ignore[arg-type]
    (verdict,) = batch.verdicts(chunks, playing=True, jobs=1)
    return str(json.loads(verdict.text).get("message"))


@pytest.mark.parametrize("way", [by_command, by_json, by_library, in_memory, by_batch, by_batch_in_memory])
@pytest.mark.parametrize("second", ["mover", "opener"])
@pytest.mark.parametrize("first", ["mover", "opener"])
def test_a_value_is_not_opened_in_a_second_course(
    run: Run, game: Path, first: str, second: str, way: Callable[[Run, Path, str, str], str]
) -> None:
    """What was opened as a mover's, a liar could wait for as an opener's, and know the draw before the decision."""
    by, one, other = two_courses(game, first, second)
    opens(run, one, by)
    before, kept = other.read_bytes(), kept_by(by)

    assert REFUSED in way(run, other, by, order_in(other))

    assert (other.read_bytes(), kept_by(by)) == (before, kept)


@pytest.mark.parametrize("first", ["mover", "opener"])
def test_nothing_is_drawn_in_a_second_course(run: Run, game: Path, first: str) -> None:
    by, one, other = two_courses(game, first, "opener")
    opens(run, one, by)

    told = run(NAMES[by], "draw", str(other), "--as", by, status=65)

    assert REFUSED in told
    assert "go on with the file in which you opened it" in told


def test_nothing_is_opened_in_an_older_file_than_one_that_went_further(run: Run, game: Path) -> None:
    """It need not be the same value: all that come later must stay unknown there too."""
    by, one, other = two_courses(game, "opener", "mover")
    seen = dict(record_of(one).given.shown)[by]
    later = next(at for at in course(record_of(one), 1) if opens_next(at)[0] == by and dict(at.given.shown)[by] != seen)
    pbem.save(later, "later.toml")
    opens(run, Path("later.toml"), by)

    assert REFUSED in by_command(run, other, by, order_in(other))


def test_a_mover_may_order_something_else_in_the_same_position_until_the_opener_has_drawn(run: Run, game: Path) -> None:
    """Nobody can know the draw before; then the opener's note forbids it."""
    record = test_shared.until(run, game, two_orders_draw)
    by = who_decides(record.state)
    assert by
    courses: dict[str | None, list[Path]] = {}
    for number, order in enumerate(drawing_orders(record)):
        course = shown(run, game, f"{number}.toml", by, order)
        courses.setdefault(record_of(course).opener, []).append(course)
    opener, (one, other, *_) = next((who, same) for who, same in courses.items() if who and len(same) > 1)
    assert record_of(one).given.value == record_of(other).given.value

    run(NAMES[opener], "draw", str(one), "--as", opener)

    assert REFUSED in run(NAMES[opener], "draw", str(other), "--as", opener, status=65)


def test_a_mover_whose_game_has_gone_on_orders_nothing_else(run: Run, game: Path) -> None:
    """By then the mover knows the draw, and so do others."""
    positions = [at for at in course(record_of(game), 1) if opens_next(at)[0]]
    now, by = next((at, opens_next(at)[0]) for at in positions if opens_next(at)[1] == "mover")
    later = next(at for at in positions if at.turn > now.turn and opens_next(at)[0] == by)
    for record, name in ((now, "one.toml"), (later, "later.toml")):
        pbem.save(record, name)
        shutil.copy(name, f"before-{name}")
        opens(run, Path(name), by)

    opens(run, Path("before-later.toml"), by)
    assert REFUSED in by_command(run, Path("before-one.toml"), by, order_in(Path("before-one.toml")))


def two_orders_draw(record: Record) -> bool:
    by = who_decides(record.state)
    if record.opener or by in (None, CHANCE):
        return False
    then = [after for after in what_may_follow(record) if after.opener == by]
    openers = [after._replace(given=after.given._replace(value="ab")).opener for after in then]
    return len(set(openers)) < len(openers)


def test_a_move_that_could_not_be_written_is_played_again(
    run: Run, game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The value was noted before; its note is for this course."""
    record = test_shared.until(run, game, two_orders_draw)
    by, before = who_decides(record.state), game.read_bytes()
    assert by
    order, another, *_ = drawing_orders(record)

    def fail(*_: object) -> None:
        raise CannotWrite("the disk is full")

    with monkeypatch.context() as full:
        full.setattr("pbem.rulings.write", fail)
        run(NAMES[by], "play", "game.toml", "--as", by, "--order", order, status=74)
    assert game.read_bytes() == before

    shown(run, game, "again.toml", by, order)
    shown(run, game, "other.toml", by, another)


def test_an_order_that_comes_after_a_resignation_is_still_for_the_same_course(run: Run, game: Path) -> None:
    """Through git, the commit of somebody else can come first, and the move must be made again."""
    record = test_shared.until(run, game, two_orders_draw)
    by = who_decides(record.state)
    assert by
    order = next(drawing_orders(record))
    shown(run, game, "rejected.toml", by, order)
    agreed, resigned = (colour for colour in NAMES if colour != by)
    run(NAMES[agreed], "play", "game.toml", "--as", agreed, "--order", "agree end")
    run(NAMES[resigned], "play", "game.toml", "--as", resigned, "--order", "resign")

    run(NAMES[by], "play", "game.toml", "--as", by, "--order", order)


def test_nothing_is_noted_by_what_only_looks(run: Run, game: Path) -> None:
    record = test_shared.until(run, game, two_orders_draw)
    by = who_decides(record.state)
    assert by
    before = kept_by(by)
    for order in drawing_orders(record):
        run(NAMES[by], "check", "game.toml", "--as", by, "--order", order)
        run(NAMES[by], "options", "game.toml", "--as", by)
        pbem.check(game, order, by)
    assert kept_by(by) == before


def test_a_note_is_as_secret_as_the_secret_and_comes_before_the_game(
    run: Run, game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is killed in between has a note too many, and no opened value without one."""
    record = test_shared.until(run, game, two_orders_draw)
    by = who_decides(record.state)
    assert by
    (kept,) = (tmp_path / f"home of {NAMES[by]}" / "pbem").iterdir()
    written: list[str] = []
    replace = pbem.files.replace

    def noted(path: Path, *rest: object, **more: object) -> None:
        written.append(path.name)
        replace(path, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr("pbem.files.replace", noted)
    run(NAMES[by], "play", "game.toml", "--as", by, "--order", next(drawing_orders(record)))

    assert written == [kept.name, "game.toml"]
    assert kept.stat().st_mode & 0o777 == 0o600
    assert record_of(game).given.value in kept.read_text(encoding="utf-8")


def test_whoever_was_shown_another_course_goes_on_with_a_new_secret_once(run: Run, game: Path) -> None:
    by, one, other = two_courses(game, "opener", "mover")
    run(NAMES[by], "draw", str(one), "--as", by, "--new-secret", status=65)  # nothing is opened yet
    opens(run, one, by)

    run(NAMES[by], "draw", str(other), "--as", by, "--new-secret")
    opens(run, other, by)

    assert record_of(other).given.renewed == (by,)
    assert "yield all" in run("Dora", "verify", str(other))


def test_whoever_joins_two_games_with_the_same_name_and_secret_draws_in_one(run: Run) -> None:
    """The last to join opens the first draws at once."""
    for folder in ("one", "other"):
        Path(folder).mkdir()
        run("Ann", "new", f"{folder}/game.toml", "Ann:red", "Bob:blue", "--chance", "shared", "--as", "Ann")
    join = ("--as", "Bob", "--secret", "12" * 32)
    run("Bob", "join", "one/game.toml", *join)
    before = Path("other/game.toml").read_bytes()

    told = run("Bob", "join", "other/game.toml", *join, status=65)

    assert REFUSED in told
    assert Path("other/game.toml").read_bytes() == before
    run("Bob", "join", "other/game.toml", "--as", "Bob")


@pytest.mark.parametrize("rows", ['"x"', '["x"]', "[1]", f'["{"ab" * 32}"]', f'["{"ab" * 32} {"cd" * 31}"]', "{}"])
def test_damaged_notes_are_refused(run: Run, game: Path, rows: str) -> None:
    record = test_shared.until(run, game, two_orders_draw)
    by = who_decides(record.state)
    assert by
    ((name, text),) = kept_by(by).items()
    path = Path(f"home of {NAMES[by]}") / "pbem" / name
    path.write_text(re.sub(r"(?s)opened = .*?\]", "", text) + f"opened = {rows}\n", encoding="utf-8")
    order = next(drawing_orders(record))
    assert "not the file with the secret" in run(
        NAMES[by], "play", "game.toml", "--as", by, "--order", order, status=65
    )
