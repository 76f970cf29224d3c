"""No test fails because the machine is busy: none looks at a clock."""

import re
from pathlib import Path

from hypothesis import HealthCheck, settings

HERE = Path(__file__).parent
# What they measure is their purpose; a server of another process has to be waited for; the fuzzer is given its time.
BENCHMARKS = {"benchmark.py", *(f"benchmark_{name}.py" for name in ("batch", "engine", "mail", "mcts", "scale"))}
MAY = {*BENCHMARKS, "mail/servers.py", "fuzz/loop.py"}
CLOCK = re.compile(r"\b(?:time\.)?(?:perf_counter|process_time|thread_time|monotonic)(?:_ns)?\(")
SHORT = re.compile(r"\b(?:timeout=|wait_until\([^\n]*, )(\d+)\b")  # seconds that a busy machine may well take


def test_no_test_looks_at_a_clock() -> None:
    found = {str(path.relative_to(HERE)) for path in HERE.rglob("*.py") if CLOCK.search(path.read_text())}

    assert found == MAY


def test_a_guard_against_a_hang_waits_long_enough_for_a_busy_machine() -> None:
    texts = {str(path.relative_to(HERE)): path.read_text() for path in HERE.rglob("*.py")}

    short = [(name, said) for name, text in texts.items() for said in SHORT.findall(text) if int(said) < 60]

    assert short == [("mail/servers.py", "5")]  # which is tried again


def test_no_example_of_hypothesis_has_a_deadline() -> None:
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check
    assert not any(re.search(r"deadline=(?!None)\w", path.read_text()) for path in HERE.glob("test_*.py"))
