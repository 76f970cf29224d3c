"""Many games: they are found and verified, and a change of the rules shows in which of them, and from which line."""

import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gits import chained

import pbem
from pbem.cli import app as cli
from pbem.first_sparks.rules import buying
from pbem.formats import LONGEST_LOG
from pbem.schema import schema_text
from pbem.scripts import engines
from pbem.scripts.archive import places_in

RECORDED = Path(__file__).parent / "games"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Four finished games in two folders, and what else lies about."""
    folder = tmp_path / "archive"
    shutil.copytree(RECORDED, folder / "2026")
    (folder / "2026" / "2-players.toml").rename(folder / "old.toml")
    (folder / ".git").mkdir()
    shutil.copy(RECORDED / "2-players.toml", folder / ".git" / "hidden.toml")
    (folder / "old.secret.toml").write_text('format = "first-sparks-secret/1"', encoding="utf-8")
    (folder / "game.schema.json").write_text('{"const": "first-sparks-game/1"}', encoding="utf-8")
    (folder / "move.toml").write_text('player = "red"\nmove = { order = "pass" }\n', encoding="utf-8")
    (folder / "notes.txt").write_text("first-sparks-game/1", encoding="utf-8")
    return folder


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, list[str]]:
    """Return the exit status of a command, and the lines that it prints."""
    status = cli.run([str(argument) for argument in arguments])
    return status, capsys.readouterr().out.splitlines()


def objects(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, list[dict[str, Any]]]:
    status, lines = run(capsys, *arguments, "--json")
    return status, [json.loads(line) for line in lines]


def tampered(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_games_of_a_folder_are_found_in_order(archive: Path) -> None:
    """Deeper ones too, but nothing hidden, no secret and no schema; a file that is named is taken as it is."""
    found = [str(place.path.relative_to(archive)) for place in places_in([archive, archive / "notes.txt"])]

    games = ["2026/4-players.toml", "2026/5-players.toml", "2026/6-players.toml"]
    assert found == ["move.toml", "old.toml", *games, "notes.txt"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_archive_is_verified_with_a_table_at_the_end(
    archive: Path, jobs: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, lines = run(capsys, "verify", archive, "--jobs", jobs)

    assert status == 0
    assert [line.split() for line in lines] == [
        ["players", "games", "finished", "lines", "failed"],
        ["2", "1", "1", "82", "0"],
        ["4", "1", "1", "141", "0"],
        ["5", "1", "1", "123", "0"],
        ["6", "1", "1", "143", "0"],
        ["all", "4", "4", "489", "0"],
        ["no", "game", "1"],
    ]


WRONG = {
    "log": ('"1 red', '"1 white', 76, "line 13 of the log is wrong: it is not white's turn", "log[12]"),
    "snapshot": ("idle = ", "idle = 1", 76, "the snapshot does not match the log", "state.idle"),
    "form": ("turn = ", "turn = -", 76, "does not match the schema of a game file", ""),
    "torn": ("[state]", "[state", 76, "cannot be parsed", ""),
}


@pytest.mark.parametrize(("old", "new", "status", "message", "place"), WRONG.values(), ids=list(WRONG))
def test_a_game_that_fails_is_named(
    old: str, new: str, status: int, message: str, place: str, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The others are verified all the same."""
    path = archive / "2026" / "4-players.toml"
    tampered(path, old, new)

    said = run(capsys, "verify", archive)
    code, answers = objects(capsys, "verify", archive, "--jobs", "2")

    assert (said[0], code) == (status, status)
    assert said[1][0].startswith(str(path))
    assert message in said[1][0]
    assert said[1][0].endswith(f"({place})") or not place
    failed = [answer for answer in answers if not answer["ok"]]
    assert [answer.get("file") for answer in failed] == [str(path), None]
    assert answers[-1] | {"games": 4, "failed": 1} == answers[-1]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.toml", ""),
        ("a.json", "\n \n"),
        ("a.toml", "#:sch"),
        ("a.toml", "#:schema ./game.schema.json\n"),
        ("a.toml", "#:schema ./game.schema.json\nformat = "),
        ("a.json", '{"format": "first-spar'),
        ("a.toml", None),
        ("a.json", None),
    ],
)
def test_what_is_left_of_a_game_is_not_passed_over(
    name: str, text: str | None, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An empty file, one that is cut off in its first lines, one (None) whose format cannot be read any more."""
    path = archive / name
    if text is None:
        pbem.save(pbem.load(archive / "old.toml"), path)
        tampered(path, "first-sparks-game/1", "first-spXrks-game/1")
        if name == "a.json":
            path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8"))), encoding="utf-8")
    else:
        path.write_text(text, encoding="utf-8")

    status, lines = run(capsys, "verify", archive)

    assert status == 76
    assert [line for line in lines if line.startswith(f"{path} ")] == lines[:1]
    assert lines[-2].split() == ["all", "5", "4", "489", "1"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mine.toml", "# nothing = 1\n"),
        ("mine.toml", 'players = 4\nstate = "new"\nratio = 1.5\nday = 2026-11-21\n'),
        ("mine.json", '{"dpi": 1e2, "head": {"log": []}}'),
        ("mine.json", f'["{"x" * 200_000}"]'),
        ("shape.json", schema_text("game")),
        ("move.json", '{"format": "first-sparks-move/1", "orders": ["pass"], "turn": 1, "head": "0123abcd"}'),
        ("old.toml", 'format = "first-sparks-secret/1"\n'),
    ],
)
def test_a_file_of_another_kind_does_not_fail_an_archive(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(RECORDED / "2-players.toml", tmp_path / "game.toml")
    (tmp_path / name).write_text(text, encoding="utf-8")

    status, answers = objects(capsys, "verify", tmp_path)

    assert status == 0
    assert (answers[-1]["games"], answers[-1]["others"]) == (1, 1)


def test_folders_that_are_not_looked_into_are_told(
    archive: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link, which might lead anywhere, and one that may not be read."""
    (archive / "linked").symlink_to(RECORDED)
    (archive / "shut").mkdir()
    scandir = os.scandir

    def guarded(path: str) -> Any:
        if Path(path).name == "shut":
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)

    status, lines = run(capsys, "verify", archive)
    compared, _ = run(capsys, "diff-engines", archive.parent / "digests", archive, "--store")

    link, shut = archive / "linked", archive / "shut"
    assert lines[0] == f"{link} cannot be opened: symbolic links are not followed"
    assert f"{shut} " in lines[1]
    assert (status, compared) == (76, 76)


def test_a_log_line_that_the_rules_forbid_is_named(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Head and all rewritten, as a forger would."""
    from pbem import game_files, loading

    path = archive / "2026" / "4-players.toml"
    record = loading.load(path).record
    number = next(number for number, line in enumerate(record.log) if " offer " in line)
    forged = record.log[number].rpartition(" ")[0] + " 41"
    log = (*record.log[:number], forged, *record.log[number + 1 :])
    record = chained(record, log)
    path.write_text(game_files.text_of(record, "toml"), encoding="utf-8")

    status, lines = run(capsys, "verify", archive)

    assert status == 76
    assert lines[0].startswith(f"{path}: line {number + 1} of the log is wrong: the rules forbid this order: #41 ")
    assert lines[0].endswith(f"(log[{number}])")


def test_where_there_is_no_game_nothing_is_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty folder is a wrong folder."""
    assert run(capsys, "verify", tmp_path) == (66, [])


def test_a_single_game_is_answered_as_ever(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "verify", archive / "old.toml") == (
        0,
        ["the log (82 lines), the chain and the snapshot agree; the secret yields all 25 draws"],
    )
    tampered(archive / "old.toml", "idle = ", "idle = 1")
    status, answers = objects(capsys, "verify", archive / "old.toml")
    assert (status, [answer["path"] for answer in answers]) == (76, ["state.idle"])


# ---------------------------------------------------------------- a change of the rules


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_same_rules_change_nothing(archive: Path, jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever the files are called, and whichever jobs have stored the digests."""
    digests = archive.parent / "digests.ndjson"
    assert run(capsys, "diff-engines", digests, archive, "--store")[1] == ["the digests of 4 games were stored"]
    first = digests.read_bytes()
    assert run(capsys, "diff-engines", digests, archive, "--store", "--jobs", jobs)[0] == 0
    assert digests.read_bytes() == first
    (archive / "old.toml").rename(archive / "new.toml")

    assert run(capsys, "diff-engines", digests, archive, "--jobs", jobs) == (
        0,
        ["4 games: 0 changed, 0 failed, 0 without stored digests, 0 missing"],
    )


def test_a_change_of_a_ruling_names_the_games_and_the_lines(
    archive: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of the food rots, not a third: every game goes on as it was up to its first end of phase 1 with 2 food."""
    digests = archive.parent / "digests.ndjson"
    run(capsys, "diff-engines", digests, archive, "--store")
    monkeypatch.setattr(buying, "rotten_food", lambda clan: clan.food // 2)

    status, answers = objects(capsys, "diff-engines", digests, archive)

    changed = [answer for answer in answers if answer["code"] == "changed"]
    assert status == 76
    assert [Path(answer["file"]).name for answer in changed][:1] == ["old.toml"]
    assert answers[-1]["changed"] == len(changed) > 0
    for answer in changed:
        number = int(answer["path"][4:-1])
        assert number > 6
        assert answer["message"].startswith(f"line {number + 1} of the log, ")
        assert answer["message"].endswith("leads to another situation")


def test_what_is_not_allowed_any_more_is_told(
    archive: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And, the other way round, what is allowed now."""
    from pbem.errors import Violation

    digests = archive.parent / "digests.ndjson"
    run(capsys, "diff-engines", digests, archive / "old.toml", "--store")
    with monkeypatch.context() as patched:
        patched.setattr(buying, "offer_violations", lambda *_: iter([Violation("no-offers", "nothing is offered")]))
        status, lines = run(capsys, "diff-engines", digests, archive / "old.toml")
        assert status == 76
        assert "is no longer allowed (line " in lines[0]
        run(capsys, "diff-engines", digests, archive / "old.toml", "--store")

    status, lines = run(capsys, "diff-engines", digests, archive / "old.toml")

    assert status == 76
    assert lines[0].endswith("was not allowed, but is now")


def test_games_without_digests_are_counted(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digests = archive.parent / "digests.ndjson"
    run(capsys, "diff-engines", digests, archive / "old.toml", "--store")
    (archive / "2026" / "5-players.toml").write_text("torn = ", encoding="utf-8")

    status, answers = objects(capsys, "diff-engines", digests, archive)

    assert status == 76  # for the file that is torn
    assert answers[-1] | {"games": 4, "changed": 0, "failed": 1, "new": 2, "missing": 0} == answers[-1]


def test_stored_games_that_are_not_here_are_counted(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digests = archive.parent / "digests.ndjson"
    run(capsys, "diff-engines", digests, archive, "--store")

    status, answers = objects(capsys, "diff-engines", digests, archive / "old.toml")

    assert (status, answers[-1]["games"], answers[-1]["missing"]) == (0, 1, 3)


def test_digests_are_kept_if_a_game_of_the_archive_fails(archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A new set without the game would say nothing of it ever after."""
    digests = archive.parent / "digests.ndjson"
    run(capsys, "diff-engines", digests, archive, "--store")
    before = digests.read_bytes()
    (archive / "2026" / "5-players.toml").write_text("torn = ", encoding="utf-8")

    status, said = run(capsys, "diff-engines", digests, archive, "--store")

    assert (status, said[-1]) == (76, "nothing was stored, because 1 game failed")
    assert digests.read_bytes() == before


def test_the_digests_of_the_longest_game_can_be_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, log = tmp_path / "digests.ndjson", ("1 red stay",) * LONGEST_LOG
    course = engines.Course(tmp_path, "g" * 40, "0" * 64, log, ("01234567",) * LONGEST_LOG)
    monkeypatch.setattr(engines, "each_game", lambda *_: iter([course, course]))

    list(engines.store(path, (), 1))

    with engines.stored(path) as found:
        assert found.of(course.head) == "01234567" * LONGEST_LOG
        assert found.missing() == 0


@pytest.mark.parametrize("text", ["", "no digests\n", '{"format": "first-sparks-digests/2"}\n', "[" * 1000])
def test_a_file_that_holds_no_digests_is_neither_read_nor_overwritten(
    text: str, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = archive / "notes.txt"
    path.write_text(text, encoding="utf-8")

    assert run(capsys, "diff-engines", path, archive)[0] == 65
    assert run(capsys, "diff-engines", path, archive, "--store")[0] == 73
    assert path.read_text(encoding="utf-8") == text
    assert engines.FORMAT not in text


@pytest.mark.parametrize(
    ("spoil", "status", "said"),
    [
        (lambda rows: rows[:-1], 65, "is incomplete"),
        (lambda rows: [*rows, rows[-1]], 65, "is incomplete"),
        (lambda rows: [rows[0].replace('"games": 4', '"game": 4'), *rows[1:]], 65, "is incomplete"),
        (lambda rows: [*rows[:-1], rows[-1].replace('"}', '0"}')], 65, "line 5 does not contain digests of a game"),
        (lambda rows: [*rows[:-1], rows[-1].replace('"}', '01234567"}')], 76, "the game has more digests than"),
        (lambda rows: [*rows[:-1], rows[-1][:-10] + '"}'], 76, "was not allowed, but is now"),
    ],
    ids=["a row less", "a row more", "no number", "half a digest", "a digest more", "a digest less"],
)
def test_digests_that_were_cut_or_spoilt_are_found(
    spoil: Callable[[list[str]], list[str]], status: int, said: str, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    digests = archive.parent / "digests.ndjson"
    run(capsys, "diff-engines", digests, archive, "--store")
    rows = digests.read_text(encoding="utf-8").splitlines()
    digests.write_text("\n".join(spoil(rows)) + "\n", encoding="utf-8")

    code = cli.run(["diff-engines", str(digests), str(archive)])
    printed = capsys.readouterr()

    assert code == status
    assert said in printed.out + printed.err
