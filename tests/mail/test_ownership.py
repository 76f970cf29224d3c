"""A file that is replaced stays whose it was, and has no other name under which the old text would live on."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from bots import play_file
from clubs import a_club, a_table, an_order, letters, the_record, tree
from friday import begun
from needs import ACCESS_LIST, ATTRIBUTE
from nobody import as_nobody
from people import reply

import pbem
from pbem import files, secrets
from pbem.carriers.mail.take import take
from pbem.errors import CannotCreate, TryAgain
from pbem.loading import Submission

NOBODY, NOGROUP = 65534, 65534
DAEMON, SYNC = 1, 4  # two more users of Debian; sync is in nogroup, and daemon is not


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A game in which green is asked."""
    return begun(tmp_path)


def stay(path: Path) -> None:
    play_file(path, Submission(("stay",), "green"))


WRITERS: dict[str, Callable[[Path], object]] = {
    "play": stay,
    "play -o": lambda path: play_file(path.with_name("copy.toml"), Submission(("stay",), "green"), out=path),
    "library": lambda path: pbem.play(path, "stay"),
    "save": lambda path: pbem.save(pbem.load(path), path),
    "replace": lambda path: files.replace(path, "another text"),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_game_with_two_names_does_not_go_on_in_two_files(game: Path, writer: str) -> None:
    game.with_name("copy.toml").write_bytes(game.read_bytes())
    game.with_name("copy.secret.toml").write_bytes(secrets.secret_path(game).read_bytes())
    other = game.with_name("other.toml")
    other.hardlink_to(game)
    before = tree(game.parent)

    with pytest.raises(CannotCreate, match=r"has a second name, a hard link") as refusal:
        WRITERS[writer](game)

    assert tree(game.parent) == before
    way_out = refusal.value.hint.partition(": ")[2]
    subprocess.run(["sh", "-euc", way_out], check=True)
    WRITERS[writer](game)
    assert other.read_bytes() == before["other.toml"]


def test_a_name_that_a_killed_process_left_is_no_other_name(game: Path) -> None:
    litter = game.with_name(".pbem-0123456789abcdef.tmp")
    litter.hardlink_to(game)

    stay(game)

    assert not litter.exists()


@pytest.mark.parametrize("linked", ["game.toml", "private.toml", "mails/journal.ndjson"])
def test_a_game_of_a_club_with_two_names_is_left_alone_and_the_mail_comes_again(tmp_path: Path, linked: str) -> None:
    """As after a backup by ``cp -al``."""
    club = a_club(tmp_path / "club")
    asked = next(mail for mail in letters(club) if mail.asks)
    raw = reply(asked, f"{an_order(asked)}\nnews none")
    path = a_table(club).folder / linked
    path.touch()
    (tmp_path / "backup").hardlink_to(path)
    before, kept = path.read_bytes(), (tmp_path / "backup").read_bytes()

    with pytest.raises(CannotCreate, match="hard link"):
        take(club, raw)

    assert (path.read_bytes(), (tmp_path / "backup").read_bytes()) == (before, kept)
    (tmp_path / "backup").unlink()
    assert take(club, raw).code == "played"
    assert the_record(club).turn == 1


# Whose it is


@pytest.mark.needs("root")
def test_what_root_replaces_stays_its_owners(game: Path) -> None:
    os.chown(game, NOBODY, NOGROUP)
    game.chmod(0o640)

    stay(game)

    about = game.stat()
    assert (about.st_uid, about.st_gid, about.st_mode & 0o777) == (NOBODY, NOGROUP, 0o640)


@pytest.mark.needs("root")
def test_a_game_of_a_club_stays_of_its_group(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    asked = next(mail for mail in letters(club) if mail.asks)
    os.chown(a_table(club).game, -1, NOGROUP)
    a_table(club).game.chmod(0o640)

    assert take(club, reply(asked, an_order(asked))).code == "played"

    about = a_table(club).game.stat()
    assert (about.st_gid, about.st_mode & 0o777) == (NOGROUP, 0o640)


SCRIPT = "import sys; from pathlib import Path; from pbem import files; files.replace(Path(sys.argv[1]), 'new')"


@pytest.mark.needs("root")
@pytest.mark.parametrize(
    ("owner", "group", "mode", "outcome"),
    [
        (0, NOGROUP, 0o664, (NOBODY, NOGROUP)),  # shared by a group, which goes on to write it
        (NOBODY, 0, 0o644, (NOBODY, NOGROUP)),  # the group had no more than everybody has
        (NOBODY, 0, 0o640, "its group (root)"),
        (NOBODY, 0, 0o664, "its group (root)"),
        (0, 0, 0o606, "its group (root)"),
        (0, 0, 0o666, (NOBODY, NOGROUP)),
        (0, NOGROUP, 0o620, "its owner (root)"),
        (SYNC, NOGROUP, 0o664, (NOBODY, NOGROUP)),  # a member of the group
        (DAEMON, NOGROUP, 0o664, "its owner (daemon)"),
        (DAEMON, NOGROUP, 0o666, (NOBODY, NOGROUP)),
    ],
)
def test_what_somebody_else_may_use_is_not_taken_from_them(
    open_folder: Path, nobody_python: str, owner: int, group: int, mode: int, outcome: tuple[int, int] | str
) -> None:
    open_folder.chmod(0o777)
    path = open_folder / "game.toml"
    path.write_text("old")
    os.chown(path, owner, group)
    path.chmod(mode)

    done = as_nobody([nobody_python, "-c", SCRIPT, str(path)])

    about = path.stat()
    if isinstance(outcome, str):
        assert f"would change {outcome}".encode() in done.stderr
        assert (path.read_text(), about.st_uid, about.st_gid) == ("old", owner, group)
        assert list(open_folder.iterdir()) == [path]
    else:
        assert done.returncode == 0, done.stderr
        assert (path.read_text(), (about.st_uid, about.st_gid), about.st_mode & 0o777) == ("new", outcome, mode)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param(*ATTRIBUTE, marks=pytest.mark.needs("attributes")),
        pytest.param(*ACCESS_LIST, marks=pytest.mark.needs("access-lists")),
    ],
    ids=["attribute", "access list"],
)
def test_an_access_list_and_other_attributes_stay(game: Path, name: str, value: bytes) -> None:
    os.setxattr(game, name, value)
    mode = game.stat().st_mode

    stay(game)

    assert (os.getxattr(game, name), game.stat().st_mode) == (value, mode)


@pytest.mark.needs("access-lists")
def test_what_the_folder_gives_to_new_files_is_not_given_to_an_old_one(game: Path) -> None:
    os.setxattr(game.parent, "system.posix_acl_default", ACCESS_LIST[1])

    stay(game)

    assert ACCESS_LIST[0] not in os.listxattr(game)


@pytest.mark.needs("access-lists")
def test_an_access_list_that_cannot_be_kept_is_not_lost(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.setxattr(game, *ACCESS_LIST)
    before = game.read_bytes()

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "setxattr", refuse)
    with pytest.raises(CannotCreate, match="would remove its access list"):
        stay(game)
    assert game.read_bytes() == before


# What is done is done


def test_a_name_that_cannot_be_taken_away_does_not_unmake_the_change(
    game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **_more: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "unlink", refuse)

    files.replace(game, "another text")
    files.create(game.with_name("new.toml"), "a text")

    assert game.read_text() == "another text"
    assert game.with_name("new.toml").read_text() == "a text"


def test_a_claim_that_cannot_be_filled_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without hard links, on a disk that is full."""

    def refuse(*_: object, **_more: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(os, "replace", refuse)

    with pytest.raises(TryAgain):
        files.create(tmp_path / "new.toml", "a text")

    assert list(tmp_path.iterdir()) == []
