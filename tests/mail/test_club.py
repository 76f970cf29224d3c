"""The club's files say what they hold, and what somebody has spoiled in them is told in a line."""

import os
from pathlib import Path

import pytest
from clubs import ADDRESS, HOST, a_club, a_table, letters, tree
from forked import run_program

from pbem.carriers.mail.settings import MailClub, WayIn, WayOut, read_club
from pbem.carriers.mail.setup import create, own_club
from pbem.club import folder as clubs
from pbem.club import private
from pbem.club.folder import GameFolder
from pbem.club.opening import open_game
from pbem.club.settings import club_text
from pbem.club.status import rows_of, with_counts
from pbem.club.store import load, read_talk, talk_rows
from pbem.errors import CannotCreate, NoSuchFile, NotUnderstood, PbemError, UsageError
from pbem.table.people import Opening, Player, Roster
from pbem.table.talk import Saying


def test_a_new_club_has_two_mailboxes_and_settings_that_can_be_read(tmp_path: Path) -> None:
    made = create(tmp_path / "club", ADDRESS, HOST)

    assert read_club(tmp_path / "club") == made
    assert create(tmp_path / "longest", "a" * 16 + "@x.example", HOST)
    for box in ("inbox", "outbox"):
        assert sorted(path.name for path in (tmp_path / "club" / box).iterdir()) == ["cur", "new", "tmp"]
    with pytest.raises(CannotCreate):
        create(tmp_path / "club", ADDRESS, HOST)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "pbem",
        "pbem@",
        "a b@example.org",
        "pbem@example.org\n",
        "Ann <a@b.example>",
        "p\u00e4@x.example",
        "a" * 17 + "@x.example",
    ],
)
def test_an_address_that_is_none_makes_no_club(tmp_path: Path, address: str) -> None:
    with pytest.raises(UsageError):
        create(tmp_path / "club", address, HOST)
    assert not (tmp_path / "club").exists()


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    incoming = WayIn("imap", host="imap.example.org", user="pbem", password_env="PASSWORD")  # noqa: S106
    club = MailClub(
        tmp_path, ADDRESS, HOST, plus=False, incoming=incoming, outgoing=WayOut("smtp", "mx.example.org", 587)
    )
    (tmp_path / "club.toml").write_text(club_text(club))
    player = Player(
        "red", "Ann", "ann@x.example", os.urandom(32), news="every", absent="2026-12-31", substitute="z@x.example"
    )
    roster = Roster((player,), Opening(4, "random", "open", hide_food=True), paused="holidays")
    table = GameFolder(tmp_path)
    sayings = (Saying("Ann (red)", 'a "quoted"\nline', ("blue", "green")),)
    table.private.write_bytes(private.text_with({}, {**clubs.roster_sections(roster), "sayings": talk_rows(sayings)}))

    assert read_club(tmp_path) == club
    assert clubs.read_roster(table) == roster
    assert read_talk(table) == sayings


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("pbem-club/2", "pbem-club/1"),
        ("pbem-club/2", "pbem-club/two"),
        ('address = "pbem@example.org"', 'address = "pbem"'),
        ('address = "pbem@example.org"', "address = 1"),
        ("plus = true", 'plus = "yes"'),
        ("port = 25", "port = true"),
        ('kind = "files"', 'kind = "pigeons"'),
        ("plus = true", "plus = true\nsecret_word = 1"),
        ("plus = true", 'plus = true\nsince = "secret_word"'),
        ('host = "host@example.org"', ""),
        ("plus", "[plus"),
    ],
)
def test_a_spoiled_club_file_is_told_and_nothing_of_it_repeated(tmp_path: Path, old: str, new: str) -> None:
    create(tmp_path / "club", ADDRESS, HOST)
    path = tmp_path / "club" / "club.toml"
    path.write_text(path.read_text().replace(old, new, 1))

    with pytest.raises(PbemError) as told:
        read_club(tmp_path / "club")

    assert "pigeons" not in told.value.message
    assert "secret_word" not in told.value.message


def test_a_game_of_which_a_player_is_missing_is_not_loaded_and_names_the_colour(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    table = a_table(club)
    roster = clubs.read_roster(table)
    missing, *others = roster.players

    with pytest.raises(NotUnderstood, match=f"has no player for {missing.colour}"):
        load(club, table, roster._replace(players=tuple(others)))


def test_a_club_of_the_other_kind_says_which_command_is_for_it(tmp_path: Path) -> None:
    create(tmp_path / "mail", ADDRESS, HOST)
    run_program("club", "init", tmp_path / "files", "--host", "Eve")

    club, mail = run_program("club", "run", tmp_path / "mail"), run_program("mail", "status", tmp_path / "files")

    for done in (club, mail):
        assert (done.returncode, done.stdout) == (65, "")
    assert "mail is a club by mail\n\nhint: use pbem mail instead of pbem club" in club.stderr
    assert "files is a club whose letters are files\n\nhint: use pbem club instead of pbem mail" in mail.stderr


def test_a_club_of_an_older_version_says_of_which(tmp_path: Path) -> None:
    create(tmp_path / "club", ADDRESS, HOST)
    path = tmp_path / "club" / "club.toml"
    path.write_text(path.read_text().replace("pbem-club/2", "pbem-club/1"))

    with pytest.raises(NotUnderstood) as told:
        read_club(tmp_path / "club")

    assert told.value.message == f"{path} has the format pbem-club/1, and this version of pbem needs pbem-club/2"
    assert told.value.hint == "use the version of pbem that has made it"


@pytest.mark.parametrize(
    ("old", "new", "where", "hint"),
    [
        (
            'kind = "files"',
            'kind = "foo"',
            "invalid value for kind in [outgoing] of",
            'it must be "files", "smtp" or "sendmail"',
        ),
        (
            'kind = "maildir"',
            'kind = "foo"',
            "invalid value for kind in [incoming] of",
            'it must be "maildir" or "imap"',
        ),
        ("plus = true", 'plus = "yes"', "invalid value for plus in ", "it must be true or false"),
        ("port = 25", 'port = "25"', "invalid value for port in [outgoing] of", "it must be a whole number"),
    ],
)
def test_a_setting_that_does_not_fit_is_named_with_what_does(
    tmp_path: Path, old: str, new: str, where: str, hint: str
) -> None:
    create(tmp_path / "club", ADDRESS, HOST)
    path = tmp_path / "club" / "club.toml"
    path.write_text(path.read_text().replace(old, new, 1))

    with pytest.raises(NotUnderstood) as told:
        read_club(tmp_path / "club")

    assert told.value.message.startswith(where)
    assert told.value.hint == hint


@pytest.mark.parametrize("host", [ADDRESS, "PBEM@Example.org", "pbem+host@example.org"])
def test_the_host_reads_no_mail_at_the_clubs_own_address(tmp_path: Path, host: str) -> None:
    with pytest.raises(UsageError, match="own address"):
        create(tmp_path / "club", ADDRESS, host)
    assert not (tmp_path / "club").exists()
    create(tmp_path / "club", ADDRESS, HOST)
    path = tmp_path / "club" / "club.toml"
    path.write_text(path.read_text().replace(HOST, host))

    with pytest.raises(NotUnderstood, match="own address"):
        read_club(tmp_path / "club")


def test_what_the_file_of_a_club_cannot_say_is_no_known_key(tmp_path: Path) -> None:
    create(tmp_path / "club", ADDRESS, HOST)
    path = tmp_path / "club" / "club.toml"
    path.write_text(path.read_text().replace("plus = true", 'plus = true\nfolder = "elsewhere"'))

    with pytest.raises(NotUnderstood) as told:
        read_club(tmp_path / "club")

    known = "address, host, picture, answers_at_once, waves, timezone, strangers, strangers_a_day, language"
    assert told.value.hint == f"known keys: {known}, plus, authserv, since, incoming, outgoing"


@pytest.mark.parametrize(
    "text", ["", "format = 1", 'format = "pbem-private/1"\nplayers = 1', "\0", 'players = [{key = "x"}]']
)
def test_spoiled_players_are_told(tmp_path: Path, text: str) -> None:
    club = a_club(tmp_path / "club")
    a_table(club).private.write_text(text)

    with pytest.raises(NotUnderstood):
        clubs.read_roster(a_table(club))


@pytest.mark.parametrize("language", ["es", "EN", ""])
def test_a_language_that_we_do_not_speak_is_told(tmp_path: Path, language: str) -> None:
    club = a_club(tmp_path / "club")
    players = a_table(club).private
    players.write_text(players.read_text().replace('language = "en"', f'language = "{language}"', 1))

    with pytest.raises(NotUnderstood) as told:
        clubs.read_roster(a_table(club))

    assert told.value.message == f"invalid value for language in {players}"
    assert told.value.hint == 'it must be "en", "it", "fr" or "de"'


@pytest.mark.parametrize("game", ["..", "../club", "", "Friday", "a" * 17, "-x", "nothing"])
def test_a_name_that_is_no_game_is_none(tmp_path: Path, game: str) -> None:
    club = a_club(tmp_path / "club")

    with pytest.raises(NoSuchFile):
        clubs.folder_of(club, game)


@pytest.mark.parametrize(
    ("players", "seats"),
    [
        (("Ann",), 2),
        (("Ann=ann@x.example", "Ann=bob@x.example"), 2),
        (("Ann:pink=ann@x.example", "Bob=bob@x.example"), 2),
        ((f"Ann={ADDRESS}", "Bob=bob@x.example"), 2),
        (("Ann=ann@x.example\nBcc: all@x.example", "Bob=bob@x.example"), 2),
        (("Ann=ann@x.example", "Bob=bob@x.example", "Cy=cy@x.example"), 2),
        (("Ann=ann@x.example",), 1),
        ((), 0),
    ],
)
def test_players_that_do_not_fit_begin_no_game(tmp_path: Path, players: tuple[str, ...], seats: int) -> None:
    club = a_club(tmp_path / "club")
    letters(club)
    before = tree(club.folder)

    with pytest.raises(UsageError):
        open_game(club, "monday", players, Opening(seats), None)
    assert tree(club.folder) == before


@pytest.mark.parametrize("players", [("Ann=ann@x.example",), tuple(f"{n}={n}@x.example" for n in "ABCDEF")])
def test_a_game_that_could_not_begin_does_not_wait_for_players(tmp_path: Path, players: tuple[str, ...]) -> None:
    """There is no recommended board for six."""
    club = a_club(tmp_path / "club")
    before = tree(club.folder)

    with pytest.raises(UsageError):
        open_game(club, "monday", players, Opening(6, "recommended"), None)
    assert tree(club.folder) == before
    assert clubs.names_of(club) == ["friday"]


def test_a_game_is_not_begun_twice(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    before = tree(club.folder)

    with pytest.raises(CannotCreate):
        open_game(club, "friday", ("Ann=ann@x.example", "Bob=bob@x.example"), Opening(2), None)
    assert tree(club.folder) == before


def test_a_game_waits_with_its_own_component_set(tmp_path: Path) -> None:
    own = Path(clubs.__file__).parents[1] / "first_sparks" / "data" / "components.toml"
    changed = tmp_path / "own.toml"
    changed.write_text(own.read_text().replace('name = "reconstructed-1"', 'name = "ours"'))
    club = a_club(tmp_path / "club")

    table = open_game(club, "monday", ("Ann=ann@x.example",), Opening(2), changed)
    assert not table.game.exists()
    assert 'name = \\"ours\\"' in table.private.read_text() or 'name = "ours"' in table.private.read_text()

    begun = open_game(club, "tuesday", ("Ann=ann@x.example", "Bob=bob@x.example"), Opening(2), changed)
    assert 'name = "ours"' in begun.game.read_text()


def test_a_club_of_another_user_is_not_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create(tmp_path / "club", ADDRESS, HOST)
    monkeypatch.setattr(os, "geteuid", lambda: (tmp_path / "club").stat().st_uid + 1)

    with pytest.raises(CannotCreate, match="belongs to"):
        own_club(tmp_path / "club")


def test_a_key_that_is_nearly_known_is_named_as_it_should_be(tmp_path: Path) -> None:
    create(tmp_path / "club", ADDRESS, HOST)
    path = tmp_path / "club" / "club.toml"
    path.write_text(path.read_text().replace("kind =", "knd =", 1))

    with pytest.raises(PbemError, match="unknown keys in") as told:
        read_club(tmp_path / "club")

    assert told.value.hint.startswith("did you mean kind instead of knd? known keys: kind,")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("ann.example.org", "it lacks an @"),
        ("ann@example.org,bob@example.org", "there is ',' in it"),
        ("ann@example. org", "there is a blank in it"),
        ("ann@@example.org", "there must be a name on each side of one @"),
        ("ann@example..org", "there must be a name on each side of one @"),
    ],
)
def test_what_is_no_address_is_told_with_what_is_wrong(tmp_path: Path, address: str, why: str) -> None:
    with pytest.raises(UsageError) as told:
        create(tmp_path / "club", address, HOST)
    assert (told.value.message, told.value.hint) == (
        f"{address!a} is not a valid mail address",
        f"{why}; for example: --address pbem@example.org",
    )

    club = create(tmp_path / "club", ADDRESS, HOST)
    with pytest.raises(UsageError) as told:
        open_game(club, "friday", (f"Ann={address}", "Bob=bob@x.example"), Opening(2), None)
    assert (told.value.message, told.value.hint) == (
        f"{address!a} is not a valid address",
        f"{why}; for example: Ann=ann@example.org",
    )

    path = club.folder / "club.toml"
    path.write_text(path.read_text().replace(HOST, address))
    with pytest.raises(NotUnderstood, match=r"host in .* is not a valid address") as unread:
        read_club(club.folder)
    assert unread.value.hint == why


@pytest.mark.parametrize(
    ("address", "doubt"),
    [
        ("ann@gmial.com", "ann@gmial.com may have a typing error; did you mean ann@gmail.com?"),
        ("Ann@GMAIL.CON", "Ann@GMAIL.CON may have a typing error; did you mean ann@gmail.com?"),
        ("ann@hotmial.fr", "ann@hotmial.fr may have a typing error; did you mean ann@hotmail.fr?"),
        ("ann@outlook", "ann@outlook has no dot after the @"),
        *((f"ann@{domain}", "") for domain in ("gmail.com", "mail.com", "yahoo.at", "gmx.com", "localhost", "x.co")),
    ],
)
def test_what_looks_like_a_typing_error_in_an_address_is_told(tmp_path: Path, address: str, doubt: str) -> None:
    club = create(tmp_path / "club", ADDRESS, HOST)

    done = run_program("mail", "new", club.folder, "friday", f"Ann={address}", "Bob=bob@y.example")

    assert done.returncode == 0, done
    assert [line for line in done.stdout.splitlines() if "warning" in line] == ([f"warning: {doubt}"] if doubt else [])


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("[incoming]\n", '[incoming]\nsecretword = "x"\n', "unknown keys in [incoming] of"),
        ("[incoming]\n", "[secretword]\n", "unknown keys in"),
        ("plus =", '"secretword" =', "unknown keys in"),
    ],
)
def test_an_unknown_key_is_not_told_but_its_line_is(tmp_path: Path, old: str, new: str, where: str) -> None:
    """Somebody may have put a secret there; a line of another table that begins alike is not meant."""
    create(tmp_path / "club", ADDRESS, HOST)
    path = tmp_path / "club" / "club.toml"
    path.write_text(path.read_text().replace(old, new, 1))
    lines = path.read_text().splitlines()
    number = next(number for number, line in enumerate(lines, 1) if "secretword" in line)

    with pytest.raises(PbemError) as told:
        read_club(tmp_path / "club")

    assert told.value.message == f"{where} {path}, in line {number}"
    assert "secretword" not in str(told.value.as_json())


def test_a_game_that_cannot_be_read_has_no_counts(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    a_table(club).game.write_text("nonsense")
    rows = list(rows_of(club, None))

    assert rows[0]["error"]
    assert list(with_counts(club, [rows[0] | {"turn": 3}])) == []
