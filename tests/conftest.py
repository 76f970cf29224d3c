"""The flags of the tests, and what all of them share."""

import gc
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Generator
from itertools import islice
from pathlib import Path
from zlib import crc32

import forked
import needs
import pytest
import templates
from hypothesis import HealthCheck, settings
from work import Clock, Some

# By default a test fails that takes a fifth of a second once, or a second to think of some examples.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("full", settings.get_profile("busy"), max_examples=1000)
settings.load_profile("busy")

# Hundreds of programs are started, and the tests by several workers: none should compile anew what another has.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# What tests write need not outlive a power cut, so it is kept in memory where that has room for it.
MEMORY, ROOM = Path("/dev/shm"), 2 << 30  # noqa: S108
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
    os.environ.setdefault("TMPDIR", str(MEMORY))
    tempfile.tempdir = None  # which is found anew

# What the program remembers for its user, no test finds where another run of them has left it.
_CACHE = tempfile.TemporaryDirectory(prefix="pbem-cache-")
os.environ["XDG_CACHE_HOME"] = _CACHE.name

templates.root()  # of all workers

# A shell that starts the tests in the background has them ignore these signals, and so would the programs they start.
for one, handler in (
    (signal.SIGINT, signal.default_int_handler),
    (getattr(signal, "SIGHUP", signal.SIGTERM), signal.SIG_DFL),  # Windows has none
    (signal.SIGTERM, signal.SIG_DFL),
):
    if signal.getsignal(one) is signal.SIG_IGN:
        signal.signal(one, handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full", action="store_true", help="run all cases of tests that otherwise run only a part of them; see -m full"
    )
    parser.addoption(
        "--part", metavar="SEED/N", help="run one in N of the tests; which ones follows from the seed, such as a commit"
    )
    parser.addoption("--slow", action="store_true", help="run only the tests that a run of all leaves out as slow")
    parser.addoption(
        "--one", metavar="SEED", help="run one case of each slow test, which follows from the seed, such as a commit"
    )
    parser.addoption(
        "--skipped", action="store_true", help="run only those that the last run has skipped; both may be given"
    )
    parser.addoption("--games", type=int, help="the number of random games; by default 400, or 2000 with --full")
    parser.addoption(
        "--update", action="store_true", help="rewrite the recorded games, the examples, and the output in all READMEs"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Try ten times as many examples with ``--full``, and let a worker fork before it has imported the tests.

    A translation that has changed since pbem was installed is compiled first.
    """
    config.pluginmanager.register(needs)
    if not hasattr(config, "workerinput"):
        for text in (Path(__file__).parent.parent / "pbem" / "locale").glob("*/LC_MESSAGES/pbem.po"):
            compiled = text.with_suffix(".mo")
            if not compiled.exists() or compiled.stat().st_mtime < text.stat().st_mtime:
                import catalogues

                catalogues.compile_all()
    if config.getoption("--full"):
        settings.load_profile("full")
    covers = config.getoption("cov_source", default=None)  # what is imported before that begins would count as missed
    if hasattr(config, "workerinput") and not forked.WINDOWS and not covers:
        forked.served()
        forked.prepare()


# Of a test with many cases the whole suite tries a part; the rules of the game, and what is as quick, it tries in full.
MANY = 5
ONE_IN = 8
ALL_OF = (
    "tests/rules/",
    "tests/test_conformance.py",
    "tests/test_readme.py",
)


# A file that is slow as a whole is not even imported where slow tests are left out: some start libraries or have games.
ALL_SLOW = re.compile(r"^pytestmark = .*\bpytest\.mark\.slow\b", re.MULTILINE)
SLOW = "pytest.mark.slow"


def is_part(config: pytest.Config) -> bool:
    """Return whether a run of the whole suite leaves the rest of many cases out."""
    is_whole = all(Path(said).is_dir() for said in config.args) and not config.getoption("keyword")
    return is_whole and not config.getoption("--full") and not config.getoption("--update")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file of which nothing would run."""
    if not collection_path.name.startswith("test_") or not is_part(config):
        return None
    text, slow = collection_path.read_text(encoding="utf-8"), config.getoption("--slow")
    if not config.getoption("--skipped"):
        return True if (SLOW not in text if slow else ALL_SLOW.search(text)) else None
    name = collection_path.relative_to(config.rootpath).as_posix()
    is_wanted = (slow and SLOW in text) or any(each.startswith(f"{name}::") for each in needs.skipped_before(config))
    return None if is_wanted else True


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make of a test with many cases only those that run, since making a case costs more than many a case takes."""
    is_drawn = metafunc.config.getoption("--one") and metafunc.definition.get_closest_marker("slow")
    if is_drawn or not is_part(metafunc.config):
        return
    if is_one_of_many(metafunc.definition.nodeid, len(metafunc._calls)):
        metafunc._calls[:] = metafunc._calls[::ONE_IN]


def is_one_of_many(nodeid: str, cases: int) -> bool:
    """Return whether a test has so many cases that a run of the whole suite tries a part of them."""
    return cases >= MANY and not nodeid.startswith(ALL_OF)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage meanwhile, and never look again through what is made here: all of it stays to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what does more with ``--full``, and leave what is slow out of a run of the whole suite, or all else."""
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
        takes_examples = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        if takes_examples or {"some", "games"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.full)
    for test, many in cases.items():
        if is_one_of_many(test, len(many)):
            for item in many:
                item.add_marker(pytest.mark.full)
    left_out = set[pytest.Item]()
    if is_part(config) and not config.getoption("--skipped"):
        left_out |= {item for item in items if bool(item.get_closest_marker("slow")) != config.getoption("--slow")}
    if part := config.getoption("--part"):
        seed, _, number = part.rpartition("/")
        left_out |= {item for item in items if crc32(f"{seed} {item.nodeid}".encode()) % int(number)}
    if seed := config.getoption("--one"):
        for test, many in cases.items():
            slow = [item for item in many if item.get_closest_marker("slow")]
            if slow:
                slow.pop(crc32(f"{seed} {test}".encode()) % len(slow))
            left_out |= set(slow)
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Run the tests of a single file without workers, which take longer to start; else one more than there are cores.

    Some tests wait, for a mail server or a clock, and another may work in the meantime.
    """
    named = {Path(said.split("::")[0]) for said in config.args}
    alone = len(named) == 1 and named.pop().is_file()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 0 if alone or config.getoption("--update") else cores + 1


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


@pytest.fixture
def more_kinds() -> Generator[None]:
    """Other kinds of motions, which only tests have."""
    from more_kinds import moving_more

    with moving_more():
        yield
