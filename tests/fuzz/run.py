"""Look for inputs that crash, hang or cheat: ``python tests/fuzz/run.py --seconds 60``, for all targets or for one.

Findings are written to ``corpus/TARGET/``, and ``tests/test_fuzz.py`` tries them again each time.
"""

import argparse
import sys
from hashlib import sha256
from pathlib import Path
from random import SystemRandom

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "mail")]

from fuzz.loop import Finding, fuzz  # noqa: E402
from fuzz.targets import all_targets  # noqa: E402

CORPUS = HERE / "corpus"


def main() -> int:
    """Try inputs until the time is up; return 1 if anything was found."""
    targets = all_targets()
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--seconds", type=float, default=60, help="the total time for all targets")
    asked.add_argument("--target", choices=targets, action="append", help="only this target; may be repeated")
    asked.add_argument(
        "--seed", default=str(SystemRandom().randrange(10**6)), help="any word; the same word repeats a run"
    )
    said = asked.parse_args()
    chosen = said.target or list(targets)
    found = 0
    for name in chosen:
        print(f"{name}: seed {said.seed}", flush=True)
        found_before = tuple(path.read_bytes() for path in sorted((CORPUS / name).glob("*")))
        target = targets[name]._replace(seeds=(*targets[name].seeds, *found_before))
        for each in fuzz(target, said.seed, seconds=said.seconds / len(chosen)):
            if isinstance(each, Finding):
                print(f"{name}: {each.trouble}\n  {kept(each)}", flush=True)
                found += 1
            else:
                print(f"{name}: {each} inputs", flush=True)
    return min(found, 1)


def kept(finding: Finding) -> Path:
    """Write what was found to the corpus, and return where it is."""
    path = CORPUS / finding.target / sha256(finding.data).hexdigest()[:12]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(finding.data)
    return path


if __name__ == "__main__":
    sys.exit(main())
