"""A club whose letters are files: whole games are played by reading and writing text files, without any mail."""

import os
import re
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random

import pytest
from fitting import codes_of, commands_of, runner
from templates import copied, template

from pbem import files, loading
from pbem.carriers import rounds
from pbem.carriers.rounds import Came
from pbem.cli.app import run
from pbem.club.carrier import Club
from pbem.club.folder import GameFolder, read_roster
from pbem.errors import NoSuchFile
from pbem.first_sparks.adjudicator import choices, who_decides
from pbem.first_sparks.phases import Answering, Ended, Offering
from pbem.first_sparks.record import Record
from pbem.game_page import page_of
from pbem.table.messages.verdict import Verdict

NAMES = ("Ann", "Bob", "Cy", "Dora")


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda _: None)  # there are hundreds of letters, and none need outlive a power cut


def did(*words: object, status: int = 0) -> None:
    assert run(["club", *map(str, words)]) == status


def a_club(folder: Path, players: int = 2) -> Path:
    """Return a club with a game that has just begun."""
    copied(template("folders", partial(_begin, players=players), players), folder)
    return folder / "club"


def _begin(folder: Path, players: int) -> None:
    club = folder / "club"
    did("init", club, "--host", "Eve")
    did("new", club, "friday", *NAMES[:players], "--board", "players" if players == 2 else "recommended")


def the_record(club: Path) -> Record:
    return loading.load(club / "games" / "friday" / "game.toml").record


def the_asked(club: Path) -> str:
    record = the_record(club)
    return dict(record.players)[who_decides(record.state) or ""]


def letters(club: Path, name: str) -> list[str]:
    """Return the letters of a player, the newest one last."""
    paths = (club / "players" / name / "letters").glob("*.txt")
    return [path.read_text(encoding="utf-8") for path in sorted(paths, key=lambda path: path.stat().st_mtime_ns)]


def put(club: Path, name: str, text: str) -> None:
    folder = club / "players" / name / "answers"
    folder.mkdir(exist_ok=True)
    number = len(list(folder.rglob("*.txt")))
    (folder / f"{number}.txt").write_text(text, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4])
def test_a_whole_game_is_played_by_text_files(tmp_path: Path, players: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Each answer is written by whoever is asked, some as a phrase, some above the whole letter."""
    club = a_club(tmp_path, players)
    random = Random(players)
    while not isinstance(the_record(club).state.phase, Ended):
        record, asked = the_record(club), the_asked(club)
        question = letters(club, asked)[-1]
        assert "\nQUESTION\n" in question
        assert 'into your folder\n"answers"' in question or 'into your folder "answers"' in " ".join(question.split())
        order = str(next(iter(choices(record.state)))) if record.turn > 400 else str(some_choice(record, random))
        put(club, asked, random.choice([order, f"{order}\n", f"I {order}, please", f"{order}\n\n{question}"]))
        did("run", club)
        assert the_record(club).turn > record.turn, capsys.readouterr().out

    for name in NAMES[:players]:
        last = letters(club, name)[-1]
        assert "the game is over" in last
        assert the_record(club).chance.secret in last
        game = club / "players" / name / "letters" / "friday.toml"
        assert "save the attached friday.toml" in " ".join(last.split())
        assert loading.load(game).record.head == the_record(club).head
        assert "friday.html, which comes with this letter, shows every turn" in " ".join(last.split())
        assert "<html" not in last
        page = club / "players" / name / "letters" / "friday.html"
        assert page.read_bytes() == page_of(the_record(club)).encode()
        assert page.stat().st_mode & 0o777 == 0o600


def some_choice(record: Record, random: Random) -> object:
    listed = [move for move, _ in zip(choices(record.state), range(40), strict=False)]
    return random.choice(listed)


@pytest.mark.parametrize("yes", ["yes", "\N{THUMBS UP SIGN}", "ok"])
@pytest.mark.parametrize("late", [True, False])
def test_a_yes_plays_what_an_older_letter_has_asked_about(tmp_path: Path, yes: str, late: bool) -> None:
    """Though it could also answer whether to buy; one that was written before that letter is asked about."""
    club = a_club(tmp_path)
    while not isinstance(the_record(club).state.phase, Answering):
        put(club, the_asked(club), str(next(iter(choices(the_record(club).state)))))
        did("run", club)
    asked, turn = the_asked(club), the_record(club).turn
    put(club, asked, "not that one")
    did("run", club)
    assert 'Did you mean "decline"? Reply "yes" to play it.' in letters(club, asked)[-1]

    put(club, asked, yes)
    if not late:
        os.utime(max((club / "players" / asked / "answers").glob("*.txt")), (0, 0))
    did("run", club)
    assert the_record(club).turn - turn == late
    assert late or yes != "yes" or "'yes' can mean decline or buy" in letters(club, asked)[-1]
    assert any(line.endswith("decline") for line in the_record(club).log[-3:]) == late


@pytest.mark.parametrize("yes", ["yes, no problem", "va bene", "einverstanden", "ja klar"])
def test_a_yes_agrees_to_the_motion_of_the_letter_that_its_writer_had(tmp_path: Path, yes: str) -> None:
    """An answer that is a file names no letter."""
    club = a_club(tmp_path, 3)
    names = [player.name for player in read_roster(GameFolder(club / "games" / "friday")).players]
    mover = ""
    while mover in ("", the_asked(club)) or not isinstance(the_record(club).state.phase, Offering):
        mover = the_asked(club)
        put(club, mover, str(next(iter(choices(the_record(club).state)))))
        did("run", club)
    asked = next(name for name in names if name not in (mover, the_asked(club)))
    put(club, mover, "take back")
    did("run", club)
    assert "Do you agree?" in letters(club, asked)[-1]

    for talk in ("please", "Gern!", "No.\nThat was my fault"):
        put(club, asked, talk)
        did("run", club)
        assert not re.search("You have (agreed|objected)", "".join(letters(club, asked)[-1:]))

    put(club, asked, yes)
    did("run", club)

    assert "You have agreed." in letters(club, asked)[-1]


def test_a_yes_counts_though_somebody_else_who_is_asked_has_answered_meanwhile(tmp_path: Path) -> None:
    club = a_club(tmp_path, 3)
    asked = [player.name for player in read_roster(GameFolder(club / "games" / "friday")).players]
    first = the_asked(club)
    unclear = next(name for name in reversed(asked) if name != first and "QUESTION" in "".join(letters(club, name)))
    space = re.findall(r"^  (?:add|settle) ([A-F]\d[abc])", letters(club, unclear)[-1], re.MULTILINE)[-1]
    put(club, unclear, space)
    did("run", club)
    assert "Did you mean" in letters(club, unclear)[-1]
    other = str(next(iter(choices(the_record(club).state))))
    put(club, first, other)
    did("run", club)

    put(club, unclear, "yes")
    did("run", club)

    assert "does not answer the question" not in letters(club, unclear)[-1]
    assert f"{space}" in letters(club, unclear)[-1]


def test_an_answer_that_is_refused_says_why_and_talk_is_told(tmp_path: Path) -> None:
    club = a_club(tmp_path, 3)
    asked = the_asked(club)
    turn = the_record(club).turn

    put(club, asked, "settle Z9z\nHello all")
    did("run", club)

    assert the_record(club).turn == turn
    assert "refused:" in letters(club, asked)[-1]
    put(club, asked, f"{next(iter(choices(the_record(club).state)))}\n\nHello all")
    did("run", club)
    assert the_record(club).turn > turn
    other = the_asked(club)
    put(club, other, str(next(iter(choices(the_record(club).state)))))
    did("run", club)
    assert "says: Hello all" in letters(club, other)[-1]


def test_nobody_answers_for_another(tmp_path: Path) -> None:
    """Not even with the marked lines of the other's letter."""
    club = a_club(tmp_path, 3)
    asked, record = the_asked(club), the_record(club)
    other = next(name for name in NAMES[:3] if name != asked)
    order = next(iter(choices(record.state)))

    for text in (str(order), f"{order}\n\n{letters(club, asked)[-1]}"):
        put(club, other, text)
        did("run", club)

    assert the_record(club).log == record.log


def test_the_host_has_the_same_tools(tmp_path: Path) -> None:
    club = a_club(tmp_path, 3)
    asked = the_asked(club)
    put(club, asked, str(next(iter(choices(the_record(club).state)))))
    did("run", club)

    did("takeback", club, "friday")
    assert the_asked(club) == asked
    assert "taken back" in letters(club, asked)[-1]
    did("absent", club, "friday", asked, "--substitute", "Dora")
    assert "You are standing in for" in letters(club, "Dora")[-1]
    put(club, "Dora", str(next(iter(choices(the_record(club).state)))))
    did("run", club)
    assert the_record(club).turn == 1
    did("back", club, "friday", asked)
    did("replace", club, "friday", "Cy", "Zoe=Zoe")
    assert re.search("welcome", letters(club, "Zoe")[-1])
    did("pause", club, "friday", "--why", "lunch")
    did("resume", club, "friday")
    did("status", club)


def test_the_status_has_its_times_in_the_zone_of_the_club(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    club = a_club(tmp_path, 3)
    settings = club / "club.toml"
    settings.write_text(settings.read_text().replace('timezone = "UTC"', 'timezone = "Asia/Tokyo"'))
    did("run", club, "--now", "2026-11-21T18:30:00Z")
    capsys.readouterr()

    did("status", club)

    told = capsys.readouterr().out
    assert "03:30" in told
    assert "Times are in the time zone Asia/Tokyo." in told


def test_the_clock_ticks_for_files_too(tmp_path: Path) -> None:
    club = a_club(tmp_path, 3)
    asked = the_asked(club)

    for day in range(21, 24):
        for hour in range(0, 24, 4):
            did("run", club, "--now", f"2026-11-{day}T{hour:02}:00:00Z")

    assert "reminder" in letters(club, asked)[-1]


def test_the_clock_waits_for_an_answer_that_the_club_may_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    club = a_club(tmp_path, 3)
    asked = the_asked(club)
    did("clock", club, "friday", "--then", "bot", "--deadline", "1 day", "--grace", "1 hour", "--outage", "7 days")
    did("run", club, "--now", "2026-11-21T18:30:00Z")
    put(club, asked, str(next(iter(choices(the_record(club).state)))))
    read = files.read_bytes

    def refused(path: Path, limit: int = files.READ_LIMIT) -> bytes:
        if path.parent.name == "answers":
            raise NoSuchFile(f"{path} cannot be opened") from PermissionError()
        return read(path, limit)

    with monkeypatch.context() as patch:
        patch.setattr(files, "read_bytes", refused)
        for day in range(22, 26):
            did("run", club, "--now", f"2026-11-{day}T18:30:00Z", "--release", status=75)

    assert "stands in" not in letters(club, asked)[-1]
    did("run", club, "--now", "2026-11-26T18:30:00Z")
    assert the_record(club).turn == 1


def test_an_answer_with_the_name_of_the_folder_for_old_answers_stops_nobody(tmp_path: Path) -> None:
    club = a_club(tmp_path, 3)
    asked = the_asked(club)
    folder = club / "players" / asked / "answers"
    put(club, asked, str(next(iter(choices(the_record(club).state)))))
    next(folder.iterdir()).rename(folder / "taken")
    (folder / "a.txt").write_text("Good morning!")

    did("run", club)

    assert the_record(club).turn == 1
    assert [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*.*"))] == ["taken/a.txt"]
    assert (folder / "taken" / "taken").is_file()


@pytest.mark.parametrize("name", [".answer.txt.swp", ".DS_Store", "answer.txt~", "#answer.txt#", "~$answer.docx"])
def test_what_an_editor_keeps_beside_an_answer_is_told_to_nobody(name: str, tmp_path: Path) -> None:
    club = a_club(tmp_path, 3)
    asked = the_asked(club)
    path = club / "players" / asked / "answers" / name
    path.write_text(f"{next(iter(choices(the_record(club).state)))}\nI secretly want card 9.\n")

    did("run", club)

    assert path.exists()
    assert the_record(club).turn == 0
    assert not any("card 9" in page.read_text() for page in club.rglob("*.txt"))


def test_a_bug_in_one_answer_keeps_no_other_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    club = a_club(tmp_path, 3)
    asked = the_asked(club)
    other = next(name for name in NAMES if name != asked)
    put(club, other, "Hello!")
    put(club, asked, str(next(iter(choices(the_record(club).state)))))
    take = rounds.take

    def broken(home: Club, message: Came, text: str) -> Verdict:
        return take(home, message, text if "Hello" not in text else str(1 // 0))

    with monkeypatch.context() as patch:
        patch.setattr(rounds, "take", broken)
        did("run", club, status=75)
    assert the_record(club).turn == 1

    did("run", club)
    assert "Hello!" in (club / "games" / "friday" / "minutes.txt").read_text()


def test_a_file_in_place_of_the_folder_for_answers_stops_nobody(tmp_path: Path) -> None:
    club = a_club(tmp_path, 3)
    asked = the_asked(club)
    other = next(name for name in NAMES if name != asked)
    (club / "players" / other / "answers").rmdir()
    (club / "players" / other / "answers").write_text("Hello!")
    put(club, asked, str(next(iter(choices(the_record(club).state)))))

    did("run", club)

    assert the_record(club).turn == 1


def test_an_answer_that_cannot_be_put_aside_keeps_no_other_back(tmp_path: Path) -> None:
    club = a_club(tmp_path, 3)
    asked = the_asked(club)
    other = next(name for name in NAMES if name != asked)
    folder = club / "players" / other / "answers"
    (folder / "taken" / "hello.txt").mkdir(parents=True)
    (folder / "hello.txt").write_text("Hello!")
    put(club, asked, str(next(iter(choices(the_record(club).state)))))

    did("run", club, status=74)

    assert the_record(club).turn == 1
    did("run", club, status=74)
    (folder / "taken" / "hello.txt").rmdir()
    did("run", club)


@pytest.mark.slow
def test_what_the_clock_holds_back_the_host_can_release(tmp_path: Path) -> None:
    """With three games due at once it decides for none, and names a command that does it; none is about mail."""
    club, times = a_club(tmp_path, 3), [f"2026-11-{day}T{hour:02}:00:00Z" for day in range(21, 30) for hour in (0, 12)]
    for game in ("monday", "tuesday"):
        did("new", club, game, *NAMES[:3], "--board", "recommended")
    for table in (club / "games").iterdir():
        did("clock", club, table.name, "--then", "answer")
    for now in times:
        did("run", club, "--now", now)
    (held,) = [text for text in letters(club, "Eve") if "--release" in text]
    command = re.search(r'pbem (club run CLUB --now "\$\(date -Is\)" --release)', " ".join(held.split()))
    assert command
    assert the_record(club).turn == 0

    words = command[1].replace("CLUB", str(club)).replace('"$(date -Is)"', times[-1]).split()
    assert run(words) == 0
    assert the_record(club).turn > 0
    assert not [text for name in (*NAMES[:3], "Eve") for text in letters(club, name) if "pbem mail" in text]


@pytest.mark.parametrize("host", ["", "../x", "a/b", "pbem", "Ann Lee", "x" * 60])
def test_a_name_that_no_folder_can_have_makes_no_club(tmp_path: Path, host: str) -> None:
    did("init", tmp_path / "club", "--host", host, status=2)
    assert not (tmp_path / "club").exists()


def test_whoever_plays_has_a_name_that_a_folder_can_have(tmp_path: Path) -> None:
    did("init", tmp_path / "club", "--host", "Eve")
    did("new", tmp_path / "club", "friday", "../x", "Bob", status=2)
    assert not (tmp_path / "x").exists()


COMMANDS = (
    ("founded", "init another --host Eve"),
    ("examined", "doctor another"),
    ("begun", "new club monday Ann:red Bob"),
    ("run", "run club --now 2026-11-21T12:00:00Z"),
    ("status", "status club"),
    ("replaced", "replace club friday Cy Zoe=Zoe"),
    ("answered", "answer club friday"),
    ("absent", "absent club friday Bob --until 2026-12-31"),
    ("back", "back club friday Bob"),
    ("paused", "pause club friday"),
    ("resumed", "resume club friday"),
    ("taken-back", "takeback club friday"),
    ("resent", "resend club friday --all"),
    ("clock", "clock club friday --then answer"),
    ("rebuilt", "rebuild club friday"),
    ("backed-up", "backup club club.tar.gz"),
    ("restored", "restore club.tar.gz copy"),
)


def test_what_every_command_answers_fits_the_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    club = a_club(tmp_path, 3)
    while not any(str(move) == "stay" for move in choices(the_record(club).state)):
        put(club, the_asked(club), str(next(iter(choices(the_record(club).state)))))
        did("run", club)
    told = runner("club", capsys)

    for code, words in COMMANDS:
        (answer,) = told("club", *words.split())
        assert answer["code"] == code
    (refused,) = told("club", "status", "nowhere", status=66)
    assert refused["code"] == "no-such-file"
    assert {words.split()[0] for _, words in COMMANDS} == commands_of("club")
    assert set(codes_of("club")) <= {code for code, _ in COMMANDS}


# With bots, and by agreement


def test_one_person_plays_alone_with_bots(tmp_path: Path) -> None:
    club = tmp_path / "club"
    did("init", club, "--host", "Eve")
    did("new", club, "friday", "Ann", "bot", "bot", "--board", "recommended")
    random = Random(1)
    while not isinstance(the_record(club).state.phase, Ended):
        assert the_asked(club) == "Ann"
        put(club, "Ann", str(random.choice(list(choices(the_record(club).state)))))
        did("run", club)

    assert {path.name for path in (club / "players").iterdir()} == {"Ann"}
    assert "the game is over" in letters(club, "Ann")[-1]


def test_moves_are_taken_back_by_files_when_all_agree(tmp_path: Path) -> None:
    club = a_club(tmp_path, 3)
    asked = the_asked(club)
    put(club, asked, str(next(iter(choices(the_record(club).state)))))
    did("run", club)
    turn = the_record(club).turn

    put(club, asked, "take back, please")
    did("run", club)
    for name in {*NAMES[:3]} - {asked}:
        assert f"{asked} asks to take the game back to turn {turn - 1}" in " ".join(letters(club, name)[-1].split())
        put(club, name, "agree")
    did("run", club)

    assert the_record(club).turn == turn - 1
    assert the_asked(club) == asked


def test_a_game_of_files_goes_on_without_somebody(tmp_path: Path) -> None:
    club = a_club(tmp_path, 4)
    put(club, the_asked(club), str(next(iter(choices(the_record(club).state)))))
    did("run", club)
    late = the_asked(club)
    others = [name for name in NAMES if name != late]

    for name in others:
        put(club, name, f"go on without {late}")
    did("run", club)

    colour = next(colour for colour, name in the_record(club).players if name == late)
    assert the_record(club).state.clan(colour).resigned
    assert the_asked(club) != late


def test_a_player_with_a_substitute_can_be_back(tmp_path: Path) -> None:
    club = a_club(tmp_path, 3)
    did("absent", club, "friday", "Ann", "--substitute", "Dora=dora")

    put(club, "Ann", "back")
    did("run", club)

    assert "Welcome back." in letters(club, "Ann")[-1]


@pytest.mark.parametrize("name", ["private.toml", "game.toml"])
def test_a_game_of_which_a_file_is_lost_is_not_begun_again_and_its_answers_wait(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    club = a_club(tmp_path, 3)
    asked, game = the_asked(club), club / "games" / "friday"
    kept = (game / name).read_bytes()
    (game / name).unlink()
    left = sorted(path.read_bytes() for path in game.rglob("*") if path.is_file())
    put(club, asked, "stay")

    did("new", club, "friday", "Xan", "Yul", status=73)
    did("run", club, status=66)
    did("status", club)

    assert f"{name} is lost" in capsys.readouterr().out
    assert sorted(path.read_bytes() for path in game.rglob("*") if path.is_file()) == left
    (game / name).write_bytes(kept)
    did("run", club)
    assert the_record(club).turn == 1


@pytest.mark.parametrize("name", ["private.toml", "game.toml", "minutes.txt"])
def test_a_run_names_a_lost_file_though_nobody_has_written_and_a_rebuild_writes_it_again(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    club = a_club(tmp_path, 3)
    put(club, the_asked(club), "stay\n\nGood luck!")
    did("run", club)
    lost = club / "games" / "friday" / name
    kept = lost.read_text()
    lost.unlink()

    did("run", club, status=66)
    assert "hint: the command rebuild CLUB GAME makes it again" in capsys.readouterr().err
    did("rebuild", club, "friday")

    assert f"written again: {name}" in capsys.readouterr().out
    assert lost.read_text() == kept
    did("run", club)
    assert capsys.readouterr().err == ""


def test_a_game_of_files_is_rebuilt_whoever_has_given_the_orders(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Players, their plans, a substitute, the host, a bot, and all others who have agreed."""
    club = a_club(tmp_path, 4)
    for name in NAMES:
        put(club, name, "plan pass" if name == "Ann" else "always drop least")
    did("run", club)
    did("absent", club, "friday", "Bob", "--substitute", "Eda")
    for turn in range(16):
        asked, order = the_asked(club), str(next(iter(choices(the_record(club).state))))
        if turn == 3:
            did("answer", club, "friday")
            continue
        put(club, "Eda" if asked == "Bob" else asked, order)
        did("run", club)
    did("takeback", club, "friday")
    did("replace", club, "friday", "Cy", "Robbie=bot")
    for name in ("Ann", "Eda"):
        put(club, name, "go on without Dora")
    did("run", club)
    record = the_record(club)
    assert record.state.clan({name: colour for colour, name in record.players}["Dora"]).resigned
    capsys.readouterr()

    did("rebuild", club, "friday", "-o", tmp_path / "rebuilt.toml")
    did("rebuild", club, "friday")

    assert "lead to the current game" in capsys.readouterr().out
    assert loading.load(tmp_path / "rebuilt.toml").record.head == record.head


def test_what_the_host_undoes_twice_is_called_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    club = a_club(tmp_path, 3)
    did("absent", club, "friday", "Ann", "--substitute", "Dora=dora")
    did("pause", club, "friday")
    told = len(letters(club, "Ann"))
    capsys.readouterr()

    for _ in range(2):
        did("back", club, "friday", "Ann")
        did("resume", club, "friday")

    assert capsys.readouterr().out.splitlines() == [
        "Ann is back; Dora stands in again the next time",
        "friday has resumed",
        "Ann was not away",
        "friday was not paused; its clock starts again at the next tick",
    ]
    assert len(letters(club, "Ann")) == told + 2, "the question, and that the game goes on"


def test_a_player_cannot_be_the_substitute_of_another(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    club = a_club(tmp_path, 3)

    did("absent", club, "friday", "Ann", "--substitute", "Cy", status=65)

    assert "plays in this game, and nobody plays two seats" in capsys.readouterr().err
    assert "is away" not in letters(club, "Bob")[-1]


def test_lost_minutes_are_not_begun_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    club = a_club(tmp_path, 3)
    put(club, the_asked(club), "stay\n\nGood luck!")
    did("run", club)
    minutes = club / "games" / "friday" / "minutes.txt"
    minutes.unlink()

    put(club, the_asked(club), "stay")
    did("run", club, status=66)

    assert "minutes.txt is lost" in capsys.readouterr().err
    assert run(["verify", str(minutes.with_name("game.toml"))]) == 66
    assert "minutes.txt is lost" in capsys.readouterr().err
    assert not minutes.exists()
    assert the_record(club).turn == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
def test_an_answer_counts_however_an_editor_has_saved_it(tmp_path: Path, encoding: str) -> None:
    club = a_club(tmp_path, 3)
    asked, record = the_asked(club), the_record(club)
    text = f"{next(iter(choices(record.state)))}\r\n\r\nSchöne Grüße"
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    folder = club / "players" / asked / "answers"
    (folder / "answer.txt").write_bytes(f"{mark}{text}".encode(encoding))
    did("run", club)

    assert the_record(club).turn > record.turn
    assert "Schöne Grüße" in (club / "games" / "friday" / "minutes.txt").read_text(encoding="utf-8")


def test_a_day_without_a_year_is_the_next_one_after_the_answer_was_written(tmp_path: Path) -> None:
    """Where no clock ticks, only the file says when that was."""
    club = a_club(tmp_path)
    put(club, "Ann", "absent until 3 December")
    (answer,) = (club / "players" / "Ann" / "answers").glob("*.txt")
    written = datetime(2026, 11, 20, tzinfo=UTC).timestamp()
    os.utime(answer, (written, written))

    did("run", club)

    assert "You are away until Thu 3 Dec, and the game waits for you." in letters(club, "Ann")[-1]
