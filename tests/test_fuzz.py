"""What the fuzzer has found once is mended for good; and the fuzzer still finds what there is to find."""

from functools import cache
from pathlib import Path
from random import Random

import pytest
from fuzz import loop, targets
from fuzz.loop import Finding, Target, fuzz, trouble_of
from fuzz.targets import all_targets

from pbem import loading
from pbem.errors import PbemError

pytestmark = pytest.mark.slow

CORPUS = Path(__file__).parent / "fuzz" / "corpus"
TARGETS = cache(all_targets)


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*/*")), ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_was_found_once_is_no_trouble_any_more(path: Path) -> None:
    assert trouble_of(TARGETS()[path.parent.name], path.read_bytes()) == ""


@pytest.mark.parametrize("name", TARGETS())
def test_what_each_target_begins_with_is_fine_and_so_are_some_changes(name: str) -> None:
    target = TARGETS()[name]
    few = target._replace(seeds=target.seeds[:: len(target.seeds) // 8 + 1])

    *findings, tried = fuzz(few, "the same each time", inputs=30)

    assert (findings, tried) == ([], 30)


@pytest.mark.parametrize("name", TARGETS())
def test_every_target_begins_with_something_that_is_accepted(name: str) -> None:
    """Else only refusals would be tried."""
    assert any(is_accepted(TARGETS()[name], seed) for seed in TARGETS()[name].seeds)


def is_accepted(target: Target, data: bytes) -> bool:
    try:
        target.judge(data)
    except PbemError:
        return False
    return True


def test_a_command_that_believes_a_changed_snapshot_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = (CORPUS / "game" / "a-tile-at-the-edge.toml").read_bytes()

    said_by = targets.said_by

    def credulous(*words: str) -> tuple[int, str]:
        return (0, "") if words[0] == "options" else said_by(*words)

    monkeypatch.setattr(targets, "said_by", credulous)

    assert trouble_of(TARGETS()["game"], changed).endswith("options believes what is not proved")


def test_changes_of_a_game_are_repaired_often_enough_that_some_are_proved_and_some_have_only_a_head_that_fits() -> None:
    """Else every change would be refused for its head alone, and nothing behind that would be tried."""
    random, target = Random(1), TARGETS()["game"]
    said = [refusal_of(targets.another_tree(random.choice(target.seeds), random)) for _ in range(60)]

    assert said.count("") > 9
    assert any("the snapshot does not match" in why for why in said)
    assert any("of the log is wrong" in why for why in said)


def refusal_of(data: bytes) -> str:
    try:
        loading.file_in(data.decode(), Path("game"))
    except PbemError as refused:
        return refused.message
    return ""


def planted(data: bytes) -> None:
    """Break on two words in one input, as a bug might."""
    if b"buy" in data and b"9999" in data:
        raise ZeroDivisionError


PLANTED = Target("planted", (b"offer 9\npass\n", b"stay\n"), planted, (b"buy", b"stay"))


def test_a_planted_bug_is_found_and_made_small_and_the_same_seed_finds_the_same() -> None:
    first, again = (list(fuzz(PLANTED, "1", inputs=20_000)) for _ in range(2))

    assert first == again
    (found, tried) = first
    assert isinstance(found, Finding)
    assert found.trouble == "ZeroDivisionError in planted of test_fuzz.py"
    assert sorted(map(found.data.count, (b"buy", b"9999"))) == [1, 1]
    assert len(found.data) == len(b"buy9999")
    assert tried == 20_000


def test_what_hangs_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "LONGEST", 0.05)

    def hang(_: bytes) -> None:
        while True:
            pass

    assert trouble_of(Target("hang", (b"",), hang), b"") == "it hangs"
