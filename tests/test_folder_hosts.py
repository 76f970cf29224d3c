"""What the host of a club of folders is told: what was done, what cannot be done, and how to do it."""

from pathlib import Path

import pytest
from forked import run_program
from test_folders import a_club, did, letters, put, the_asked, the_record

from pbem.club.folder import GameFolder, read_roster
from pbem.first_sparks.phases import Ended


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda _: None)


def resigned(club: Path) -> str:
    """Let the player who is asked leave the game, and return the name."""
    name = the_asked(club)
    for said in ("resign", "yes"):
        put(club, name, said)
        did("run", club)
    return name


def read_by_all(club: Path) -> list[list[str]]:
    return [letters(club, path.name) for path in sorted((club / "players").iterdir())]


def test_a_bot_stands_in_only_while_another_person_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    club = tmp_path / "club"
    did("init", club, "--host", "Eve")
    did("new", club, "friday", "Bob", "bot", "bot", "--board", "recommended")
    capsys.readouterr()

    did("absent", club, "friday", "Bob", "--substitute", "bot")

    told = "Bob is away, and the clock waits; a bot stands in only while another person plays\n"
    assert capsys.readouterr().out == told
    assert "and the game waits for you" in " ".join(letters(club, "Bob")[-1].split())


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("pause CLUB friday", "it cannot be paused"),
        ("absent CLUB friday Ann", "nobody waits for a player"),
        ("replace CLUB friday Ann Zoe=Zoe", "nobody can take a seat in it"),
        ("answer CLUB friday", "there is nothing to decide"),
    ],
)
def test_what_is_only_for_games_that_go_on_is_refused_in_one_that_is_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: str, why: str
) -> None:
    club = a_club(tmp_path)
    resigned(club)
    assert isinstance(the_record(club).state.phase, Ended)
    before = read_by_all(club)

    did(*words.replace("CLUB", str(club)).split(), status=65)

    assert f"the game is over, so {why}" in capsys.readouterr().err
    assert read_by_all(club) == before


def test_a_player_who_has_left_the_game_is_not_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    club = a_club(tmp_path, 4)
    name = resigned(club)
    before = read_by_all(club)

    did("absent", club, "friday", name, status=65)

    assert "has left the game, so nobody waits for that player" in capsys.readouterr().err
    assert read_by_all(club) == before


@pytest.mark.parametrize(
    ("player", "substitute", "why"),
    [
        ("Ann", "Ann", "Ann cannot be their own substitute"),
        ("Ann", "Annie=ann", "Ann cannot be their own substitute"),
        ("Cy", "Ann=sue", "a player in this game is called Ann already"),
        ("Cy", "ANN=sue", "a player in this game is called ANN already"),
    ],
)
def test_a_substitute_is_somebody_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], player: str, substitute: str, why: str
) -> None:
    club = a_club(tmp_path, 3)
    before = read_by_all(club)

    did("absent", club, "friday", player, "--substitute", substitute, status=65)

    assert why in capsys.readouterr().err
    assert read_by_all(club) == before


def test_a_bot_is_never_away(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    club = tmp_path / "club"
    did("init", club, "--host", "Eve")
    did("new", club, "friday", "Ann", "bot:red", "Bob", "--board", "recommended")

    did("absent", club, "friday", "red", status=65)

    assert "a bot plays red, and a bot is never away" in capsys.readouterr().err


@pytest.mark.parametrize("languages", [("Bob=fr", "de"), ("de", "Bob=fr")])
def test_the_language_of_one_player_counts_before_that_of_all(tmp_path: Path, languages: tuple[str, str]) -> None:
    club = tmp_path / "club"
    did("init", club, "--host", "Eve")

    did("new", club, "friday", "Ann", "Bob", *(word for each in languages for word in ("--language", each)))

    seated = read_roster(GameFolder(club / "games" / "friday")).players
    assert {player.name: player.language for player in seated} == {"Ann": "de", "Bob": "fr"}


def test_a_day_that_does_not_exist_is_named_as_it_was_typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    club = a_club(tmp_path, 3)

    did("absent", club, "friday", "Ann", "--until", "2026-02-30", status=65)

    assert "'2026-02-30' is not a valid time" in capsys.readouterr().err


def test_the_hint_for_a_new_player_has_an_address_of_this_club(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    club = a_club(tmp_path, 3)

    did("replace", club, "friday", "Ann", "Zoe", status=2)

    assert "hint: use letters, digits, - and _; for example: Ann=ann" in capsys.readouterr().err


def test_a_club_of_folders_without_its_settings_is_still_known_as_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    club = a_club(tmp_path)
    settings = club / "club.toml"
    make = "create one with pbem club init CLUB --host NAME"

    settings.write_text("")
    did("doctor", club, status=1)
    assert f"{settings} does not have the format pbem-folders/2" in capsys.readouterr().out
    settings.unlink()
    did("clock", club, "friday", status=66)
    assert f"hint: {make}" in capsys.readouterr().err
    did("doctor", club, status=1)
    assert make in capsys.readouterr().out


@pytest.mark.parametrize("family", ["club", "mail"])
def test_whoever_looks_for_a_club_where_there_is_none_hears_how_to_make_one(tmp_path: Path, family: str) -> None:
    for command in (("clock", tmp_path, "friday"), ("doctor", tmp_path)):
        done = run_program(family, *command)

        assert f"create one with pbem {family} init CLUB" in done.stdout + done.stderr


def test_the_command_that_lets_the_clock_decide_for_many_players_is_a_line_to_copy(tmp_path: Path) -> None:
    club = a_club(tmp_path, 3)
    did("clock", club, "friday", "--then", "answer", "--deadline", "1 day", "--grace", "1 hour")

    for now in ("21T12:00", "22T12:00", "22T13:00", "22T14:00"):
        did("run", club, "--now", f"2026-11-{now}:00Z")

    (held,) = [text for text in letters(club, "Eve") if "I have decided for none of them" in text]
    lead = "To let the clock decide for them all the same:"
    assert f'\n\n{lead}\n  pbem club run CLUB --now "$(date -Is)" --release\n\n' in held
    assert "e.g." not in held
    assert the_record(club).turn == 0
