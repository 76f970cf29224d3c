"""Answers in folders: each counts once, whatever comes between it and its place among those that were processed."""

import os
from pathlib import Path

import pytest
from test_folders import NAMES, a_club, did, letters, put, the_asked, the_record

from pbem.carriers import folders
from pbem.cli.app import run
from pbem.club import transaction
from pbem.first_sparks.adjudicator import choices


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda _: None)


def an_order(club: Path) -> str:
    return str(next(iter(choices(the_record(club).state))))


def minutes(club: Path) -> str:
    return (club / "games" / "friday" / "minutes.txt").read_text()


def test_an_answer_that_was_not_put_aside_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the run was killed before that, or the file cannot be moved, and though the game has gone on since."""
    club = a_club(tmp_path, 3)
    path = club / "players" / the_asked(club) / "answers" / "greeting.txt"
    path.write_text("Good luck!")
    with monkeypatch.context() as patch:
        patch.setattr(folders, "_put_aside", lambda _: None)
        did("run", club)
    (path.parent / "taken" / path.name).mkdir(parents=True)

    for turn in range(1, 3):
        put(club, the_asked(club), an_order(club))
        did("run", club, status=74)
        assert the_record(club).turn == turn

    assert minutes(club).count("Good luck!") == 1


def test_the_same_answer_in_a_new_file_of_the_same_name_counts_again(tmp_path: Path) -> None:
    club = a_club(tmp_path, 3)
    path = club / "players" / "Ann" / "answers" / "answer.txt"

    for _ in range(2):
        path.write_text("Good luck!")
        did("run", club)

    assert minutes(club).count("Good luck!") == 2


def test_an_answer_that_was_played_in_one_game_is_not_played_in_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = a_club(tmp_path, 3)
    did("new", club, "monday", *NAMES[:3], "--board", "recommended")
    for name in NAMES[:3]:
        put(club, name, "stay")

    played = set[int]()

    with monkeypatch.context() as patch:
        patch.setattr(folders, "_put_aside", lambda _: None)
        for _ in range(3):
            did("run", club)
            logs = [(club / "games" / game / "game.toml").read_text() for game in ("friday", "monday")]
            played.add(sum(log.count(' stay"') for log in logs))

    assert len(played) == 1


def test_an_answer_that_another_run_takes_meanwhile_is_no_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    club = a_club(tmp_path, 3)
    name = the_asked(club)
    put(club, name, an_order(club))
    read, put_aside = folders._read, folders._put_aside

    def read_late(path: Path) -> str | None:
        put_aside(path)
        return read(path)

    def put_aside_late(path: Path) -> None:
        put_aside(path)
        put_aside(path)

    with monkeypatch.context() as patch:
        patch.setattr(folders, "_read", read_late)
        did("run", club)
    assert the_record(club).turn == 0
    put(club, name, an_order(club))
    monkeypatch.setattr(folders, "_put_aside", put_aside_late)
    did("run", club)

    assert the_record(club).turn == 1
    assert capsys.readouterr().err == ""


def test_a_file_name_of_any_signs_loses_no_part_of_an_answer(tmp_path: Path) -> None:
    club = a_club(tmp_path, 3)
    (club / "players" / the_asked(club) / "answers" / "my\norder\udcff.txt").write_text(an_order(club))

    did("run", club)
    did("rebuild", club, "friday")

    assert the_record(club).turn == 1


@pytest.mark.parametrize("kind", ["long", "link", "broken link", "pipe"])
def test_a_player_is_told_once_of_an_answer_that_is_no_text(tmp_path: Path, kind: str) -> None:
    club = a_club(tmp_path, 3)
    name = the_asked(club)
    path = club / "players" / name / "answers" / "answer.txt"
    told = len(letters(club, name))
    if kind == "long":
        path.write_text(f"{an_order(club)}\n" * 100_000)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/etc/passwd" if kind == "link" else "nowhere")

    did("run", club)
    did("run", club)

    assert len(letters(club, name)) == told + 1
    why = "your answer is too long: a file can have at most 256 KiB"
    assert (why if kind == "long" else "your answer is a link or a device, and I only read text files") in " ".join(
        letters(club, name)[-1].split()
    )
    assert [each.relative_to(path.parent).as_posix() for each in path.parent.rglob("*.txt")] == ["taken/answer.txt"]
    assert the_record(club).turn == 0


def test_the_clock_stands_while_an_answer_cannot_be_processed(tmp_path: Path) -> None:
    """It needs a draw, and the host has lost the secret."""
    club = a_club(tmp_path, 3)
    did("clock", club, "friday", "--then", "answer", "--deadline", "1 day", "--grace", "1 hour", "--outage", "7 days")
    did("run", club, "--now", "2026-11-21T18:30:00Z")
    secret = club / "games" / "friday" / "game.secret.toml"
    kept = secret.read_bytes()
    secret.unlink()
    status = 0
    while not status:
        put(club, the_asked(club), an_order(club))
        status = run(["club", "run", str(club)])
    turn, name = the_record(club).turn, the_asked(club)
    told = len(letters(club, name))

    for day in range(22, 26):
        assert run(["club", "run", str(club), "--now", f"2026-11-{day}T18:30:00Z", "--release"]) == 66

    assert (the_record(club).turn, len(letters(club, name))) == (turn, told)
    secret.write_bytes(kept)
    did("run", club, "--now", "2026-11-26T18:30:00Z")
    assert the_record(club).turn == turn + 1
    assert "reminder" not in letters(club, name)[-1]


@pytest.mark.parametrize("left", ["", "what is this", "[", "\0"])
def test_no_player_is_blamed_for_a_damaged_secret(tmp_path: Path, left: str) -> None:
    """The answer waits until the host has put it right."""
    club = a_club(tmp_path, 3)
    secret = club / "games" / "friday" / "game.secret.toml"
    kept = secret.read_bytes()
    secret.write_text(left)
    status = 0
    while not status:
        put(club, the_asked(club), an_order(club))
        status = run(["club", "run", str(club)])
    turn, name = the_record(club).turn, the_asked(club)

    did("run", club, status=76)

    assert "not played" not in letters(club, name)[-1]
    secret.write_bytes(kept)
    did("run", club)
    assert the_record(club).turn == turn + 1


def test_a_reply_to_a_game_whose_folder_has_another_name_waits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    club = a_club(tmp_path, 3)
    name = the_asked(club)
    put(club, name, f"{an_order(club)}\n\n{letters(club, name)[-1]}")
    (club / "games" / "friday").rename(club / "games" / "sunday")

    did("run", club, status=76)

    assert f"the folder {club / 'games' / 'sunday'} has the game friday" in capsys.readouterr().err
    (club / "games" / "sunday").rename(club / "games" / "friday")
    did("run", club)
    assert the_record(club).turn == 1


def test_a_game_that_is_damaged_keeps_no_answer_from_another(tmp_path: Path) -> None:
    club = a_club(tmp_path, 3)
    name, order = the_asked(club), an_order(club)
    did("new", club, "monday", *NAMES[:3])
    (club / "games" / "monday" / "game.toml").write_text("what is this")
    put(club, name, order)

    did("run", club, status=65)

    assert the_record(club).turn == 1


def test_an_answer_whose_move_was_only_planned_is_not_played_in_another_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run was killed before the journal of the game had it, and the game asks somebody else now."""
    club = a_club(tmp_path, 3)
    did("new", club, "monday", *NAMES[:3], "--board", "recommended")
    name = the_asked(club)
    put(club, name, "stay")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(transaction, "note", killed)
        run(["club", "run", str(club)])
    did("run", club)

    journals = [(club / "games" / game / "mails" / "journal.ndjson").read_text() for game in ("friday", "monday")]
    assert [journal.count('"digest"') for journal in journals] == [1, 0]
