"""The flags of the tests, and what all of them share."""

import signal
import time
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from work import Clock, Some

# By default a test fails that takes a fifth of a second once, or a second to think of some examples.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

# A shell that starts the tests in the background has them ignore these signals, and so would the programs they start.
for one, handler in (
    (signal.SIGINT, signal.default_int_handler),
    (signal.SIGHUP, signal.SIG_DFL),
    (signal.SIGTERM, signal.SIG_DFL),
):
    if signal.getsignal(one) is signal.SIG_IGN:
        signal.signal(one, handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="try everything where only some is tried; see -m full")
    parser.addoption("--games", type=int, help="how many random games to play: 400, or 2000 with --full")
    parser.addoption("--update", action="store_true", help="rewrite the recorded games and the told example")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what does more with ``--full``."""
    for item in items:
        if {"some", "games"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.full)


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Run the tests of a single file without workers, which take longer to start; None is one for each core."""
    named = {Path(said.split("::")[0]) for said in config.args}
    alone = len(named) == 1 and named.pop().is_file()
    return 0 if alone or config.getoption("--update") else None


@pytest.fixture
def some(request: pytest.FixtureRequest) -> Some:
    """A part of what there is to try, since all of it takes long."""
    return lambda things, every: islice(things, 0, None, 1 if request.config.getoption("--full") else every)


@pytest.fixture
def games(request: pytest.FixtureRequest) -> int:
    """The number of random games."""
    number: int = request.config.getoption("--games") or (2000 if request.config.getoption("--full") else 400)
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
