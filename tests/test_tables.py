"""The Parquet tables of `pbem simulate` and `pbem stats`: what is in them, and that others can read them."""

import os
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from clubs import a_club, play_to_the_end

import pbem
from pbem.cli import app as cli
from pbem.errors import CannotCreate
from pbem.scripts import tables
from pbem.scripts.simulation import simulate
from pbem.scripts.stats_rows import Statistics
from pbem.scripts.tables import CLANS, GAMES, NAMES, tables_in

pyarrow = pytest.importorskip("pyarrow")
parquet = import_module("pyarrow.parquet")
HERE = Path(__file__).parent
ARCHIVE = HERE / "games"
GUIDE = (HERE.parent / "examples" / "bot" / "README.md").read_text(encoding="utf-8")
BOTS = ("random", "random", "random")
Rows = list[dict[str, Any]]


def rows_of(folder: Path) -> tuple[Rows, Rows]:
    games, clans = (parquet.read_table(folder / name).to_pylist() for name in NAMES)
    return games, clans


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.slow
def test_one_row_a_game_and_one_a_clan(tmp_path: Path) -> None:
    found = simulate(25, BOTS, parquet=tmp_path / "tables").found

    games, clans = rows_of(tmp_path / "tables")

    assert [row["id"] for row in games] == list(range(25))
    assert [(row["id"], row["seat"]) for row in clans] == [(game, seat) for game in range(25) for seat in (1, 2, 3)]
    assert {row["game"] for row in games} == {f"simulation-{number}" for number in range(25)}
    assert sum(row["winners"] for row in games) == sum(row["won"] for row in clans) == found.total.winners.clans
    assert sorted(row["rounds"] for row in games) == [n for n, times in found.total.lengths for _ in range(times)]
    assert sorted(row["lead"] for row in games) == [n for n, times in found.total.leads for _ in range(times)]
    assert sum(row["offers"] for row in games) == sum(row.offered for row in found.prices)
    assert sum(row["sales"] for row in games) == sum(row.bought for row in found.prices)
    assert sum(row["members"] for row in clans) == found.total.winners.members + found.total.others.members
    for kind, food in found.total.harvest.items():
        assert sum(row[f"harvest_{kind}"] for row in clans) == food
    assert {row["player"] for row in clans} == {"random"}


def test_an_archive_as_tables(tmp_path: Path) -> None:
    """What is known only at the end is null while a game is open."""
    pbem.save(pbem.new_game(["Ann:red", "Bob:blue"], name="open", board="recommended"), tmp_path / "open.toml")

    assert cli.run(["stats", str(ARCHIVE), str(tmp_path / "open.toml"), "--parquet", str(tmp_path / "tables")]) == 0

    games, clans = rows_of(tmp_path / "tables")
    assert [Path(row["file"]).name for row in games] == [*sorted(path.name for path in ARCHIVE.iterdir()), "open.toml"]
    last = games[-1]
    assert (last["game"], last["players"], last["finished"], last["rounds"]) == ("open", 2, False, 0)
    assert {last[name] for name in ("winners", "lead", "offers", "sales", "messages", "days")} == {None}
    assert [list(row.values())[:4] for row in clans[-2:]] == [[4, 1, "red", "Ann"], [4, 2, "blue", "Bob"]]
    assert {value for row in clans[-2:] for value in list(row.values())[4:]} == {None}
    assert None not in {value for row in clans[:-2] for value in row.values()}


@pytest.mark.slow
def test_a_club_has_messages_and_days(tmp_path: Path) -> None:
    club = a_club(tmp_path)
    play_to_the_end(club)

    assert cli.run(["stats", str(tmp_path), "--parquet", str(tmp_path / "tables")]) == 0

    games, _ = rows_of(tmp_path / "tables")
    assert [row["messages"] is not None for row in games] == [True]


def test_the_number_of_workers_changes_no_byte(tmp_path: Path) -> None:
    for workers in (1, 3):
        simulate(23, BOTS, parquet=tmp_path / str(workers), workers=workers)

    assert bytes_of(tmp_path / "1") == bytes_of(tmp_path / "3")


def test_memory_is_that_of_some_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are written in groups."""
    monkeypatch.setattr(tables, "_AT_ONCE", 10)

    simulate(35, BOTS, parquet=tmp_path)

    assert parquet.ParquetFile(tmp_path / "games.parquet").num_row_groups == 4
    assert [row["id"] for row in rows_of(tmp_path)[0]] == list(range(35))


def test_a_table_can_be_empty(tmp_path: Path) -> None:
    with tables_in(tmp_path):
        pass

    assert rows_of(tmp_path) == ([], [])


def test_the_guide_lists_every_column() -> None:
    assert f"`{'`, `'.join(GAMES)}`" in " ".join(GUIDE.split())
    assert f"`{'`, `'.join(name for name in CLANS if not name.startswith('harvest_'))}`" in " ".join(GUIDE.split())
    assert all(f"`{name}`" in GUIDE for name in CLANS)


# Whoever reads them


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Statistics]:
    """A folder with the tables of some games, and what was found in these."""
    folder = tmp_path_factory.mktemp("simulated")
    return folder, simulate(60, BOTS, parquet=folder / "tables").found


WINS = "SELECT seat, count(*) AS games, sum(won::int) AS wins FROM '{}' GROUP BY seat ORDER BY seat"


@pytest.mark.filterwarnings("ignore")  # those of the libraries
@pytest.mark.parametrize("library", ["pandas", "polars", "duckdb"])
def test_others_read_them_at_once(library: str, simulated: tuple[Path, Statistics]) -> None:
    module: Any = pytest.importorskip(library)
    folder, found = simulated
    clans = folder / "tables" / "clans.parquet"

    if library == "pandas":
        frame = module.read_parquet(clans).groupby("seat")["won"]
        told = list(zip(frame.count(), frame.sum(), strict=True))
    elif library == "polars":
        frame = module.read_parquet(clans).group_by("seat").agg(games=module.len(), wins=module.col("won").sum())
        told = [row[1:] for row in frame.sort("seat").rows()]
    else:
        told = [row[1:] for row in module.sql(WINS.format(clans)).fetchall()]

    assert [tuple(map(int, row)) for row in told] == [(seat.clans, seat.wins) for seat in found.total.seats]


@pytest.mark.filterwarnings("ignore")
def test_the_query_of_the_guide(simulated: tuple[Path, Statistics], monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb: Any = pytest.importorskip("duckdb")
    monkeypatch.chdir(simulated[0])

    (query,) = re.findall(r"^```sql\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)

    assert [row[0] for row in duckdb.sql(query).fetchall()] == [1, 2, 3]


# What may go wrong


def test_an_older_table_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    simulate(3, BOTS, parquet=tmp_path)
    simulate(5, BOTS, parquet=tmp_path)
    assert len(rows_of(tmp_path)[0]) == 5

    (tmp_path / "clans.parquet").write_bytes(b"mine")
    before = bytes_of(tmp_path)
    with pytest.raises(CannotCreate, match=r"clans.parquet already exists and was not made by pbem"):
        simulate(3, BOTS, parquet=tmp_path)
    assert bytes_of(tmp_path) == before


def test_a_table_of_somebody_else_is_not_replaced(tmp_path: Path) -> None:
    parquet.write_table(pyarrow.table({"id": [1]}), tmp_path / "games.parquet")

    assert cli.run(["simulate", "--games", "1", "--bots", "random,random", "--parquet", str(tmp_path)]) == 73


def test_an_error_leaves_the_older_tables_and_nothing_else(tmp_path: Path) -> None:
    simulate(3, BOTS, parquet=tmp_path)
    before = bytes_of(tmp_path)

    assert cli.run(["simulate", "--bots", "mishaps:fails,random", "--parquet", str(tmp_path)]) == 65

    assert bytes_of(tmp_path) == before


def test_no_empty_folder_is_left_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("empty", "there"):
        (tmp_path / name).mkdir()

    for name in ("new", "there"):  # the second one was made by somebody else
        assert cli.run(["stats", str(tmp_path / "empty"), "--parquet", str(tmp_path / name)]) == 66

    assert "no game files found" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "there"]


def test_a_full_disk_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    simulate(3, BOTS, parquet=tmp_path)
    before = bytes_of(tmp_path)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert cli.run(["simulate", "--games", "1", "--bots", "random,random", "--parquet", str(tmp_path)]) == 75

    assert "cannot be written because the disk is full" in capsys.readouterr().err
    assert bytes_of(tmp_path) == before


@pytest.mark.parametrize("place", ["/dev/null", "/nowhere/at/all", "-"])
def test_a_place_where_no_folder_can_be(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["simulate", "--games", "1", "--bots", "random,random", "--parquet", place]) in (2, 73)
    assert "Traceback" not in capsys.readouterr().err


def test_the_extra_is_named_where_it_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    assert cli.run(["stats", str(ARCHIVE), "--parquet", str(tmp_path / "tables")]) == 2
    assert "pip install '.[parquet]'" in capsys.readouterr().err
    assert not (tmp_path / "tables").exists()
