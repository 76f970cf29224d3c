"""The flags of the tests."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--games", type=int, default=2000, help="how many random games to play (20000 for a long night)")
    parser.addoption("--update", action="store_true", help="rewrite the recorded games and the told example")


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
