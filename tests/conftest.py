"""The flags of the tests, and what all of them share."""

import time
from pathlib import Path

import pytest
from work import Clock


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--games", type=int, default=2000, help="how many random games to play (20000 for a long night)")
    parser.addoption("--update", action="store_true", help="rewrite the recorded games and the told example")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Run the tests of a single file without workers, which take longer to start; None is one for each core."""
    named = {Path(said.split("::")[0]) for said in config.args}
    alone = len(named) == 1 and named.pop().is_file()
    return 0 if alone or config.getoption("--update") else None


@pytest.fixture
def games(request: pytest.FixtureRequest) -> int:
    """The number of random games."""
    number: int = request.config.getoption("--games")
    return number


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether golden texts are rewritten."""
    flag: bool = request.config.getoption("--update")
    return flag


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Time that passes when the program sleeps, and only then."""
    made = Clock()
    monkeypatch.setattr(time, "sleep", made.sleep)
    monkeypatch.setattr(time, "monotonic", lambda: made.now)
    return made
