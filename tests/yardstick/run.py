"""Record what people see of the program in many sessions, and compare another version of it with the recording.

    python tests/yardstick/run.py record            write recording.xz
    python tests/yardstick/run.py compare [NAME]    carry out the recorded actions, and show what is different now

The recording is the yardstick of a redesign: whatever people see stays as it is, or the difference has a reason that
they would accept, which stands in DIFFERENCES.md. It goes when the redesign is done.
"""

import argparse
import difflib
import json
import lzma
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

_HERE = Path(__file__).parent
sys.path[:0] = [str(_HERE), str(_HERE.parent), str(_HERE.parent / "mail")]
RECORDING = _HERE / "recording.xz"


class Recorded(NamedTuple):
    """A session with all its actions, each with what was seen of it."""

    name: str
    carrier: str
    steps: list[tuple[list[object], str]]


def record(session: object) -> Recorded:
    """Play a session, and return it with all that was seen."""
    from scripts import Session, script
    from world import WORLDS

    assert isinstance(session, Session)
    folder = Path(tempfile.mkdtemp(prefix="yardstick-"))
    try:
        world = WORLDS[session.carrier](folder / "world", session.name)
        return Recorded(
            session.name, session.carrier, [(action, world.act(action)) for action in script(session, world)]
        )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def compare(recorded: Recorded) -> tuple[str, list[str]]:
    """Carry out the actions of a session, and return its name and what is different."""
    from world import WORLDS

    folder = Path(tempfile.mkdtemp(prefix="yardstick-"))
    found = []
    try:
        world = WORLDS[recorded.carrier](folder / "world", recorded.name)
        for number, (action, before) in enumerate(recorded.steps):
            after = world.act(action)
            if after != before:
                lines = difflib.unified_diff(
                    before.splitlines(), after.splitlines(), "before", "after", lineterm="", n=2
                )
                found.append("\n".join((f"== {recorded.name} {number}: {json.dumps(action)}", *lines)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return recorded.name, found


def sessions_in(path: Path) -> Iterator[Recorded]:
    """Yield the recorded sessions."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            said = json.loads(line)
            yield Recorded(said["name"], said["carrier"], said["steps"])


def _ready() -> None:
    """Put the seams in, and start the process that the program is forked from."""
    import seams

    seams.install()
    from forked import served

    served()


def main() -> int:
    """Record or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("record", "compare"))
    parser.add_argument("name", nargs="?", default="", help="only sessions whose names begin so")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("-o", "--output", type=Path, default=RECORDING)
    said = parser.parse_args()
    with get_context("spawn").Pool(said.jobs, _ready) as pool:
        if said.what == "record":
            return _record(pool, said.name, said.output)
        chosen = (each for each in sessions_in(said.output) if each.name.startswith(said.name))
        different = total = 0
        for _, found in pool.imap(compare, chosen):
            total += 1
            different += bool(found)
            print("\n".join(found), end="\n" if found else "", flush=True)
        print(f"{different} of {total} sessions are different")
        return bool(different)


def _record(pool: object, name: str, output: Path) -> int:
    _ready()
    from scripts import sessions

    chosen = [session for session in sessions() if session.name.startswith(name)]
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 28}]
    with lzma.open(output, "wt", encoding="utf-8", filters=filters) as lines:
        for made in pool.imap(record, chosen):  # type: ignore[attr-defined]
            lines.write(json.dumps(made._asdict(), ensure_ascii=False) + "\n")
            print(made.name, len(made.steps), sum(len(told) for _, told in made.steps), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
