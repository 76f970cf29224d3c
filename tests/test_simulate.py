"""`pbem simulate`: games between bots, the same on any workers; what a stop keeps, and what may go wrong."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import mishaps
import pytest
from fitting import fits
from forked import run_program

import pbem
from pbem import loading, rulings
from pbem.cli import app as cli
from pbem.cli.workers import workers_of
from pbem.errors import Illegal, NotUnderstood, TryAgain, UsageError
from pbem.scripts import shards, simulation
from pbem.scripts.jobs import in_order
from pbem.scripts.shards import Keep
from pbem.scripts.simulation import Simulation, counted, facts_of, played_shards, secret_of, shards_of, simulate

HERE = Path(__file__).parent
THREE = ("random", "random", "random")
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command: its exit status, and what it prints on both streams."""

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        status = cli.run(["simulate", *map(str, arguments)])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


@pytest.fixture
def marker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "happened"
    monkeypatch.setenv(mishaps.MARKER, str(path))
    return path


# The games


@pytest.mark.slow
def test_a_simulated_game_is_the_open_game_of_that_name_and_secret(tmp_path: Path) -> None:
    """So anybody can look at it: pbem new, and then pbem play --bots."""
    plan = Simulation(("bot", "bot"), "recommended", seed="a seed")
    path = tmp_path / "simulation-3.toml"
    secret = secret_of("a seed", 3).hex()
    pbem.save(pbem.new_game(["bot", "bot"], name="simulation-3", board="recommended", secret=secret), path)
    with rulings.playing(path, None, bots=True):
        pass

    record = pbem.load(path)

    history = simulation.played(plan, plan.bots, 3)
    lines = [re.sub("(buy|decline) [0-9]+", r"\1", str(entry)) for entry, _ in history]
    assert lines == list(record.log)
    assert history[-1][1].order == record.state.order
    assert facts_of(plan, 3).lines == len(record.log)


def test_a_secret_for_other_implementations() -> None:
    assert secret_of("1", 0).hex() == "3291094670744868aabdb5ee1d832c05d315a60408fa3d609020a5ba1ff012bb"


def test_everybody_sits_one_seat_further_in_each_game() -> None:
    plan = Simulation(("random", "mishaps:first", "random"))

    assert [facts_of(plan, number).names.index("mishaps:first") for number in range(6)] == [1, 2, 0, 1, 2, 0]


def test_a_game_follows_from_its_number_and_the_seed() -> None:
    plan = Simulation(THREE)

    assert facts_of(plan, 7) == facts_of(plan, 7)
    assert facts_of(plan, 7)._replace(known_as="", game="") != facts_of(plan, 8)._replace(known_as="", game="")
    assert facts_of(plan, 7) != facts_of(plan._replace(seed="2"), 7)


@pytest.mark.parametrize("board", ["players", "random", "recommended"])
def test_each_board_and_number_of_players(board: str, run: Run) -> None:
    for number in range(2, 6 if board == "recommended" else 7):  # there is no recommended board for 6
        arguments = ["--games", "1", "--bots", ",".join(["random"] * number), "--board", board, "--hide-food"]
        status, out, _ = run(*arguments, "--json")

        data = json.loads(out)
        assert status == 0
        assert fits(data, "answer")
        assert (data["code"], data["games"], data["board"]) == ("simulated", 1, board)
        assert [seat["number"] for seat in data["total"]["seats"]] == list(range(1, number + 1))
        assert data["players"][0]["games"] == number


def test_the_sums_are_those_of_the_games() -> None:
    plan = Simulation(THREE)
    facts = [facts_of(plan, number) for number in range(12)]

    found = simulate(12, THREE).found

    assert found.total.games == found.total.finished == 12
    assert dict(found.total.leads) == {
        lead: sum(game.lead == lead for game in facts) for lead in sorted({game.lead for game in facts})
    }
    for seat in found.total.seats:
        assert seat.clans == 12
        assert seat.wins == sum(clan.won for game in facts for clan in game.clans if clan.seat == seat.number)
    assert sum(row.offered for row in found.prices) == sum(len(game.deals) for game in facts)


def test_each_clan_of_a_bot_counts(run: Run) -> None:
    _, out, _ = run("--games", "2", "--bots", "random,random,mishaps:first", "--board", "random")

    titles, *rows = (line.split() for line in out.partition("\nBOTS")[2].splitlines()[1:] if line)
    assert (titles[0], titles[-1]) == ("clans", "name")
    assert {row[-1]: row[0] for row in rows} == {"random": "4", "mishaps:first": "2"}


def test_another_component_set_is_played(tmp_path: Path, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["components", "--format", "toml"]) == 0
    box = tmp_path / "box.toml"
    box.write_text(capsys.readouterr().out.replace('name = "', 'name = "my ', 1), encoding="utf-8")

    status, out, _ = run("--games", "1", "--bots", "random,random", "--components", box)
    data = json.loads(run("--games", "1", "--bots", "random,random", "--components", box, "--json")[1])

    assert status == 0
    assert f"They use the component set {data['components']['digest'][:8]}." in " ".join(out.split())
    assert data["components"]["built_in"] is False
    assert {card["own_set"] for card in data["cards"]} == {data["components"]["digest"][:8]}
    assert json.loads(run("--games", "1", "--bots", "random,random", "--json")[1])["components"]["built_in"] is True


# On any workers


def test_the_number_of_jobs_changes_no_byte(run: Run) -> None:
    one = run("--games", "23", "--bots", "random,random")

    assert one[0] == 0
    assert one[1].startswith("SIMULATION\n23 simulated games between random and random on boards that they laid,\n")
    assert run("--games", "23", "--bots", "random,random", "--jobs", "3") == one


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_any_executor_does_the_work(kind: Callable[[int], Executor]) -> None:
    with kind(3) as executor:
        assert simulate(23, THREE, workers=executor) == simulate(23, THREE)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # Python 3.12 warns of a fork with threads
def test_what_a_killed_process_had_to_do_is_done_again(marker: Path) -> None:
    bots = ("mishaps:dies_once", "random")

    found = simulate(60, bots, workers=3)

    assert marker.exists()
    assert found == simulate(60, bots)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_work_that_kills_every_worker_is_given_up() -> None:
    with pytest.raises(TryAgain, match="the same work was begun 4 times, and every time its worker was lost"):
        simulate(60, ("mishaps:always_dies", "random"), workers=2)


def test_results_are_told_in_order_whoever_is_first() -> None:
    with ThreadPoolExecutor(4) as executor:
        assert list(in_order(abs, range(-50, 0), executor)) == [(number, -number) for number in range(-50, 0)]


# A stop


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.slow
def test_a_run_goes_on_from_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part is kept as soon as it is finished, and found by the next run, with more games too."""
    folder, told = tmp_path / "kept", list[int]()
    plan = Simulation(THREE)
    keep = Keep(folder, told.append)
    for _, (shard, _) in zip(range(3), played_shards(plan, 60, 1, keep), strict=False):
        assert f"{shard.first:09}-10.json" in names_in(folder)
    played: list[int] = []
    monkeypatch.setattr(simulation, "facts_of", lambda plan, number: played.append(number) or facts_of(plan, number))

    found = counted(plan, played_shards(plan, 75, 1, keep))

    assert played == list(range(30, 75))
    assert told == [3]
    assert found == simulate(75, THREE)


STOPPED = 200  # games, of which a stop loses some


@pytest.fixture(scope="module")
def undisturbed() -> str:
    """What the command says that the next test stops."""
    found = run_program("simulate", "--games", str(STOPPED), "--bots", "random,random")
    assert (found.returncode, found.stderr) == (0, "")
    return found.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("jobs", "how"), [("1", signal.SIGINT), ("2", signal.SIGINT), ("2", signal.SIGKILL)])
def test_a_stop_loses_only_the_parts_at_work(jobs: str, how: signal.Signals, undisturbed: str, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    words = ["simulate", "--games", str(STOPPED), "--bots", "random,random", "--jobs", jobs, "--keep", str(folder)]
    command = [sys.executable, "-m", "pbem", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        while not folder.exists() or len(names_in(folder)) < 4:
            assert process.poll() is None
            time.sleep(0.005)
        process.send_signal(how)
        out, err = process.communicate(timeout=120)
    before = {name for name in names_in(folder) if name.endswith(".json")}
    told = f"interrupted; the finished parts are in {folder}, and the same command continues from there\n"
    assert (process.returncode, out, err.decode()) == ((130, b"", told) if how == signal.SIGINT else (-how, b"", ""))

    done = run_program(*words)

    assert (done.returncode, done.stdout) == (0, undisturbed)
    assert done.stderr == f"continuing after {len(before) - 1} finished parts in {folder}\n"
    after = {name for name in names_in(folder) if name.endswith(".json")}  # a half-written file may be there too
    assert after == {"about.json", *(f"{first:09}-10.json" for first in range(0, STOPPED, 10))}


def test_a_stop_before_the_first_part_promises_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For instance while a scheduler is awaited: there is no folder yet."""
    folder = tmp_path / "kept"
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt), workers_of(1, None, folder):
            raise KeyboardInterrupt
        folder.mkdir(exist_ok=True)

    told = f"interrupted; the finished parts are in {folder}, and the same command continues from there\n"
    assert capsys.readouterr().err == told


def test_the_parts_of_a_long_run_are_larger_and_begin_where_those_of_a_short_one_do() -> None:
    every = [*shards_of(1_000_000)]

    assert [shard.games for shard in every[:100]] == [10] * 100
    assert len(every) < 11_000
    assert max(shard.games for shard in every) == 100
    assert all(shard.games <= max(10, shard.first / 100) for shard in every)
    assert [before.first + before.games for before in every] == [after.first for after in every[1:]] + [1_000_000]
    assert [*shards_of(31_415)][:-1] == every[: len([*shards_of(31_415)]) - 1]


def test_what_is_kept_is_the_same_for_any_number_of_workers(tmp_path: Path) -> None:
    for workers in (1, 3):
        simulate(23, THREE, keep=tmp_path / str(workers), workers=workers)

    one, three = ({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in ("1", "3"))
    assert one == three
    assert len(one) == 4


@pytest.mark.parametrize("damage", ["", "[", "{}", "[]", "[[1]]", '[["."]]', "null", "7"])
def test_a_damaged_part_is_played_again(damage: str, tmp_path: Path) -> None:
    found = simulate(20, THREE, keep=tmp_path)
    part = tmp_path / "000000010-10.json"
    text = part.read_text(encoding="utf-8")
    part.write_text(damage, encoding="utf-8")

    assert simulate(20, THREE, keep=tmp_path) == found
    assert part.read_text(encoding="utf-8") == text


def test_the_parts_of_another_run_are_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    simulate(1, THREE, keep=tmp_path)

    for changed in ({"seed": "2"}, {"bots": ("random", "random")}, {"board": "random"}, {"hide_food": True}):
        with pytest.raises(UsageError, match=f"another run, with another value of {next(iter(changed))}"):
            simulate(1, **{"bots": THREE, "keep": tmp_path, **changed})  # type: ignore[arg-type]
    monkeypatch.setattr(shards, "this_version", lambda: "another")
    with pytest.raises(UsageError, match="with another value of version"):
        simulate(1, THREE, keep=tmp_path)


def test_the_parts_of_another_command_are_not_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    simulate(1, THREE, keep=tmp_path)

    assert cli.run(["stats", str(HERE / "games"), "--keep", str(tmp_path)]) == 2
    assert f"usage: {tmp_path} keeps the parts of another command\n" in capsys.readouterr().err


def test_a_bot_that_was_changed_does_not_go_on(tmp_path: Path) -> None:
    """Neither from what it has played before, nor with workers that know its older file."""
    bot = tmp_path / "changing.py"
    text = "from mishaps import first"
    command = [sys.executable, "-m", "pbem", "simulate", "--games", "1", "--bots", "changing:first,random"]

    def run(text: str) -> tuple[int, str]:
        bot.write_text(text, encoding="utf-8")
        known = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(HERE)])}
        keep = ["--keep", str(tmp_path / "kept")]
        done = subprocess.run([*command, *keep], capture_output=True, text=True, check=False, env=known, timeout=600)
        return done.returncode, done.stderr.partition("\n")[0]

    assert run(text) == (0, "")
    assert run(text) == (0, f"continuing after 1 finished part in {tmp_path / 'kept'}")
    status, said = run(f"{text}  # and more")
    assert status == 2
    assert said.endswith("keeps the parts of another run, with another value of modules")


def test_a_bot_may_be_in_a_zip_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So can dask give it to its workers."""
    with zipfile.ZipFile(tmp_path / "bots.zip", "w") as zipped:
        zipped.writestr("zipped.py", "from mishaps import first")
    monkeypatch.syspath_prepend(tmp_path / "bots.zip")

    found = simulate(1, ("zipped:first", "random"))

    assert found.games == 1
    assert found.plan.modules == (sha256(b"from mishaps import first").hexdigest()[:16], "")


def test_a_bot_may_be_in_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a notebook, where there is nothing to compare."""
    notebook = ModuleType("notebook_of_somebody")
    vars(notebook)["first"] = mishaps.first
    monkeypatch.setitem(sys.modules, notebook.__name__, notebook)

    found = simulate(1, ("notebook_of_somebody:first", "random"))

    assert (found.games, found.plan.modules) == (1, ())


def test_workers_with_another_file_of_a_bot_are_refused() -> None:
    plan = simulation.plan_of(["mishaps:first", "random"], board="random", hide_food=False, seed="1", components=None)
    older = plan._replace(modules=("0" * 16, ""))
    missing = plan._replace(bots=("nowhere:first", "random"))

    assert [one.games for one, _ in played_shards(plan, 1, 1)] == [1]
    with pytest.raises(UsageError, match="a worker has another version of the bot 'mishaps:first'"):
        list(played_shards(older, 1, 1))
    with pytest.raises(UsageError, match="on a worker, the bot 'nowhere:first' cannot be imported"):
        list(played_shards(missing, 1, 1))


def test_a_folder_with_other_files_is_refused(tmp_path: Path, run: Run) -> None:
    (tmp_path / "letter.txt").write_text("Hello", encoding="utf-8")

    status, _, err = run("--games", "1", "--keep", tmp_path)

    assert status == 73
    assert "has other files in it" in err
    assert names_in(tmp_path) == {"letter.txt"}


@pytest.mark.slow
def test_archives_are_kept_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of verify, stats and diff-engines; what has failed is looked at again, and what a club says is read each time."""
    games, digests = str(HERE / "games"), str(tmp_path / "digests")
    commands = (["verify", games], ["stats", games], ["stats", games, "--json"], ["diff-engines", digests, games])
    assert cli.run(["diff-engines", digests, games, "--store"]) == 0
    for number, command in enumerate(commands):
        capsys.readouterr()
        assert cli.run(command) == 0
        plain = capsys.readouterr()
        folder = str(tmp_path / str(number))
        assert cli.run([*command, "--keep", folder]) == 0
        assert capsys.readouterr() == plain
        assert cli.run([*command, "--keep", folder, "--jobs", "2"]) == 0
        said = capsys.readouterr()
        assert said.out == plain.out
        assert said.err == f"continuing after 1 finished part in {folder}\n"


def test_a_failure_is_not_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torn, folder = tmp_path / "torn.toml", tmp_path / "kept"
    torn.write_text("format = 'first-sparks-game/1'", encoding="utf-8")

    for _ in range(2):
        assert cli.run(["verify", str(HERE / "games"), str(torn), "--keep", str(folder)]) == 76
        assert "does not match the schema" in capsys.readouterr().out

    assert names_in(folder) == {"about.json"}


def test_a_bot_may_return_a_choice() -> None:
    plans = (Simulation((f"mishaps:{name}", "random")) for name in ("first", "chooses"))
    moves, choices = ([entry for entry, _ in simulation.played(plan, plan.bots, 1)] for plan in plans)

    assert moves == choices


# What may go wrong


def test_who_has_written_a_bot_learns_in_which_line_it_fails(run: Run) -> None:
    _, _, err = run("--games", "1", "--bots", "random,mishaps:fails")

    lines = Path(mishaps.__file__).read_text(encoding="utf-8").splitlines()
    line = 1 + lines.index("    return {}[colour]")
    assert f"hint: it failed in line {line} of mishaps.py" in err


def test_a_seed_may_be_a_number() -> None:
    assert simulate(2, ["random"] * 2, seed=1) == simulate(2, ["random"] * 2, seed="1")
    with pytest.raises(TypeError, match="expected str, not bytes"):
        simulate(2, ["random"] * 2, seed=b"1")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="expected int, not str"):
        simulate("2")  # type: ignore[arg-type]


WRONG: dict[str, tuple[list[str], int, str]] = {
    "no games": (["--games", "0"], 2, "0 is not in the range"),
    "no seed": (["--seed", ""], 2, "the seed must not be empty"),
    "one bot": (["--bots", "bot"], 2, "a game needs 2 to 6 bots, not 1"),
    "seven bots": (["--bots", ",".join(["bot"] * 7)], 2, "a game needs 2 to 6 bots, not 7"),
    "a stranger": (["--bots", "bot,frob"], 2, "unknown bot 'frob'"),
    "no bot": (["--bots", "bot,"], 2, "unknown bot ''"),
    "no module": (["--bots", "bot,frob:decide"], 2, "cannot be imported: No module named 'frob'"),
    "no function": (["--bots", "bot,mishaps:frob"], 2, "cannot be imported"),
    "no function but a thing": (["--bots", "bot,mishaps:MARKER"], 2, "unknown bot 'mishaps:MARKER'"),
    "a bot that fails": (["--bots", "random,mishaps:fails"], 65, "the bot mishaps:fails failed in simulation-0"),
    "a bot that leaves": (["--bots", "random,mishaps:leaves"], 65, "mishaps:leaves failed in simulation-0: SystemExit"),
    "a bot that talks": (
        ["--bots", "random,mishaps:talks"],
        65,
        "mishaps:talks returned no move in simulation-0, but '",
    ),
    "a bot that cheats": (["--bots", "random,mishaps:cheats"], 65, "the rules forbid what the bot mishaps:cheats"),
    "no set": (["--components", "nowhere.toml"], 66, "nowhere.toml cannot be opened"),
    "no set but a text": (["--components", str(HERE / "conftest.py")], 65, "conftest.py"),
    "no folder": (["--keep", "/nowhere/at/all"], 73, "cannot be used as a folder"),
    "a file": (["--keep", str(HERE / "conftest.py")], 73, "cannot be used as a folder"),
    "standard output": (["--keep", "-"], 2, "writes to a file, not to standard output"),
    "two kinds of workers": (["--jobs", "2", "--cluster", "10.0.0.1:8786"], 2, "cannot be combined"),
    "no address": (["--cluster", "somewhere"], 2, "'somewhere' is not the address of a scheduler"),
}


@pytest.mark.parametrize(("arguments", "status", "message"), WRONG.values(), ids=list(WRONG))
def test_what_cannot_be_simulated_is_an_error(arguments: list[str], status: int, message: str, run: Run) -> None:
    """In one line, with one process and with two, and in JSON."""
    for jobs in ([], ["--jobs", "2"]) if "--cluster" not in arguments else ([],):
        code, out, err = run(*arguments, *jobs)
        assert (code, out) == (status, "")
        assert message in " ".join(err.split())
        assert "Traceback" not in err
    code, out, _ = run(*arguments, "--json")
    assert code == status
    assert fits(json.loads(out), "verdict")


def test_the_library_says_the_same() -> None:
    with pytest.raises(UsageError):
        simulate(0)
    with pytest.raises(UsageError, match="at least one worker"):
        simulate(1, workers=0)
    with pytest.raises(TypeError):
        simulate(1, "bot")
    for workers in (None, 1.5):
        with pytest.raises(TypeError, match="expected workers, not"):
            simulate(1, workers=workers)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="the board must be one of"):
        simulate(1, board="round")  # type: ignore[arg-type]
    with pytest.raises(NotUnderstood, match="KeyError"):
        simulate(1, ("mishaps:fails", "random"))
    with pytest.raises(Illegal) as refused:
        simulate(1, ("mishaps:cheats", "random"))
    assert refused.value.reasons


def test_a_full_disk_is_said_and_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    simulate(10, THREE, keep=tmp_path)

    def full(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    status, _, err = run("--games", "30", "--bots", ",".join(THREE), "--keep", tmp_path)

    assert status == 75
    assert "because the disk is full" in err
    assert names_in(tmp_path) == {"about.json", "000000000-10.json"}


def test_memory_does_not_grow_with_the_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """A game is forgotten when it is counted."""
    import weakref

    class Counted(list[Any]):
        """A result of which we know when it is gone."""

    alive: dict[int, weakref.ref[Any]] = {}
    most = 0

    def results() -> Iterator[Any]:
        nonlocal most
        for number in range(200):
            found = Counted([facts])
            alive[number] = weakref.ref(found)
            yield simulation.Shard(number, 1), found
            del found
            most = max(most, sum(one() is not None for one in alive.values()))

    facts = facts_of(Simulation(("random", "random")), 0)
    counted(Simulation(("random", "random")), results())

    assert most <= 2


def test_the_built_in_set_is_named() -> None:
    assert simulate(1, ("random", "random")).data()["components"]["name"] == loading.built_in().name
