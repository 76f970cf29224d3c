"""What tests need besides Python, the developer tools and git; where it is missing they are skipped before any fixture.

A test says ``@pytest.mark.needs("strace")``; a test with one of the ``FIXTURES`` needs what that starts. The last line
of a run says what was missing, and ``pytest --skipped`` runs only what the last run has skipped. Needs that the
variable ``PBEM_NEEDS`` names (``all``: whatever can be installed) must be met, and a test without them fails.

As a program, ``needs.py apt npm`` prints the packages of apt and npm that are missing.
"""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Generator
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from forked import WINDOWS

from pbem.grammar import listed, plural

SEARCH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ATTRIBUTE: Final = ("user.note", b"mine")
# The owner, user 7, the group, the mask and the others: tag, permissions, and who.
_ENTRIES = ((1, 6, -1), (2, 6, 7), (4, 4, -1), (16, 6, -1), (32, 4, -1))
ACCESS_LIST: Final = (
    "system.posix_acl_access",
    struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in _ENTRIES),
)
SKIPPED: Final = "pbem/skipped"  # where pytest's cache has what the last run skipped


class Need(NamedTuple):
    """How to see whether a need is met, and what meets it: packages of ``apt``, ``npm`` or ``pip``, or a deed."""

    is_met: Callable[[], bool]
    how: str
    what: str


def path_of(name: str) -> str | None:
    """Return the path of a program, also of one that only root has on the path."""
    return shutil.which(name, path=SEARCH)


def _all_of(*programs: str, files: tuple[str, ...] = ()) -> Callable[[], bool]:
    return lambda: all(map(path_of, programs)) and all(Path(file).exists() for file in files)


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _may_mount() -> bool:
    """Return whether a disk can be mounted, by doing so out of everybody's sight."""
    command = ["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", tempfile.gettempdir()]
    return _all_of("unshare", "mount")() and subprocess.run(command, check=False, capture_output=True).returncode == 0


def _keeps(name: str, value: bytes) -> bool:
    """Return whether files in the folder of the tests can have an extended attribute."""
    try:
        with tempfile.NamedTemporaryFile() as file:
            os.setxattr(file.fileno(), name, value)
    except (OSError, AttributeError):
        return False
    return True


def _can_trace() -> bool:
    from strokes import strikes

    return path_of("strace") is not None and strikes()


def _can_build() -> bool:
    """Return whether images of containers can be built: docker needs a server that runs."""
    docker = ["docker", "version"]
    return any(map(path_of, ("podman", "buildah"))) or (
        path_of("docker") is not None and subprocess.run(docker, check=False, capture_output=True).returncode == 0
    )


def _nobody_has_python() -> bool:
    from nobody import find_python, works_for_nobody

    return not _is_root() or works_for_nobody(sys.executable) or find_python() is not None


NEEDS: Final = {
    "ssh-keygen": Need(_all_of("ssh-keygen"), "apt", "openssh-client"),
    "opensmtpd": Need(_all_of("smtpd", "smtpctl", "sendmail"), "apt", "opensmtpd"),
    "dovecot": Need(
        _all_of("dovecot", files=("/usr/lib/dovecot/imap", "/usr/lib/dovecot/lmtp")),
        "apt",
        "dovecot-imapd dovecot-lmtpd",
    ),
    "sievec": Need(_all_of("sievec"), "apt", "dovecot-sieve"),
    "procmail": Need(_all_of("procmail"), "apt", "procmail"),
    "s-nail": Need(_all_of("s-nail"), "apt", "s-nail"),
    "systemd-analyze": Need(_all_of("systemd-analyze"), "apt", "systemd"),
    "strace": Need(_can_trace, "apt", "strace"),
    "chromium": Need(lambda: any(map(path_of, BROWSERS)), "apt", "chromium fonts-dejavu-core"),
    "node": Need(_all_of("node"), "apt", "nodejs"),
    "npm": Need(_all_of("node", "ajv", "taplo"), "npm", "ajv ajv-cli @taplo/cli vscode-json-languageservice"),
    "jq": Need(_all_of("jq"), "apt", "jq"),
    "groff": Need(_all_of("groff"), "apt", "groff"),
    "bash": Need(_all_of("bash"), "apt", "bash"),
    "zsh": Need(_all_of("zsh"), "apt", "zsh"),
    "fish": Need(_all_of("fish"), "apt", "fish"),
    "python3": Need(_nobody_has_python, "apt", "python3"),
    "cryptography": Need(lambda: bool(find_spec("cryptography")), "pip", "cryptography"),
    "builder": Need(_can_build, "", "run where podman or docker can build an image"),
    "root": Need(_is_root, "", "run as root"),
    "mount": Need(_may_mount, "", "run as root with the right to mount"),
    "attributes": Need(partial(_keeps, *ATTRIBUTE), "", "let TMPDIR be a folder that keeps extended attributes"),
    "access-lists": Need(partial(_keeps, *ACCESS_LIST), "", "let TMPDIR be a folder that keeps access lists"),
    "linux": Need(_all_of(files=("/proc/self/mem", "/dev/full")), "", "run on Linux"),
    "posix": Need(lambda: os.name == "posix" and not WINDOWS, "", "run on Linux or macOS"),
}

FIXTURES: Final = {
    "browser": ("chromium",),
    "calls": ("strace",),
    "dovecot": ("dovecot", "root"),
    "nobody_python": ("python3", "root"),
    "post": ("opensmtpd",),
}


@cache
def is_met(name: str) -> bool:
    """Return whether a need is met here; raises KeyError for one that nobody has written down."""
    return NEEDS[name].is_met()


def unmet(item: pytest.Item) -> list[str]:
    """Return the needs of a test that are not met, by name."""
    needs = [name for mark in item.iter_markers("needs") for name in mark.args]
    needs += [name for fixture in getattr(item, "fixturenames", ()) for name in FIXTURES.get(fixture, ())]
    return [name for name in dict.fromkeys(needs) if not is_met(name)]


def is_wanted(name: str) -> bool:
    """Return whether a test that lacks this must fail."""
    wanted = os.environ.get("PBEM_NEEDS", "").split()
    return name in wanted or ("all" in wanted and NEEDS[name].how != "")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that lacks something, before any fixture is made."""
    if missing := unmet(item):
        if wanted := list(filter(is_wanted, missing)):
            pytest.fail(f"{listed(wanted)} must be here, says PBEM_NEEDS", pytrace=False)
        item.user_properties.append(("unmet", missing))
        pytest.skip(f"needs {listed(missing)}")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With ``--skipped`` leave out what the last run has not skipped; with ``--slow`` too, the slow ones stay."""
    if config.getoption("--skipped"):
        skipped, slow = skipped_before(config), config.getoption("--slow")
        stay = [item for item in items if item.nodeid in skipped or (slow and item.get_closest_marker("slow"))]
        config.hook.pytest_deselected(items=[*{*items}.difference(stay)])
        items[:] = stay


def skipped_before(config: pytest.Config) -> set[str]:
    """Return the ids of the tests that the last run has skipped."""
    return set(config.cache.get(SKIPPED, []) if config.cache else [])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None]:
    """Remember what was skipped, and end with a line that says what would bring it back."""
    config = session.config
    if config.getoption("--skipped") and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        session.exitstatus = pytest.ExitCode.OK  # the last run skipped nothing
    yield
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if hasattr(config, "workerinput") or config.getoption("collectonly") or terminal is None:
        return
    skipped: list[pytest.TestReport] = terminal.stats.get("skipped", [])
    if getattr(config, "cache", None):  # it can be switched off
        is_more = config.getoption("--slow") and not config.getoption("--skipped")
        before = skipped_before(config) if is_more else set[str]()
        config.cache.set(SKIPPED, sorted(before | {report.nodeid for report in skipped}))
    if skipped:
        terminal.write_line(what_is_missing(skipped))


def what_is_missing(skipped: list[pytest.TestReport]) -> str:
    """Return how many tests were skipped, and what would run them, with how many it would run or help to run."""
    missing: Counter[str] = Counter()
    for report in skipped:
        reason = str(report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr)
        missing.update(dict(report.user_properties).get("unmet", [reason.removeprefix("Skipped: ")]))
    ways: dict[str, list[str]] = {}
    for name, number in sorted(missing.items()):
        _, how, what = NEEDS.get(name) or Need(bool, "", name)
        ways.setdefault(f"install with {how}: " if how else "", []).append(f"{what} ({number})")
    told = "; ".join(how + ", ".join(every) for how, every in sorted(ways.items(), reverse=True))
    return f"{plural(len(skipped), '1 test was skipped; to run it', '{n} tests were skipped; to run them')} too, {told}"


if __name__ == "__main__":
    sys.path.append(str(Path(__file__).with_name("mail")))
    print(*(need.what for name, need in NEEDS.items() if need.how in sys.argv[1:] and not is_met(name)))  # noqa: T201
