"""What may be cut off, or find the disk full: commands in a folder that is put back, and what they lead to."""

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

from clubs import a_club, play, tree
from forked import run_program
from gits import a_sealed_game, a_sealed_group, did, git, that_goes_on
from group import SEATS, Group

from pbem import loading
from pbem.club.index import INDEX
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.proof import verify
from pbem.first_sparks.record import Record
from pbem.game_files import uncommitted

End = dict[str, object]
PLAYERS = tuple(f"{name}:{colour}" for colour, name in SEATS.items())
LATER = "2026-11-22T12:00:00Z"


def files_of(folder: Path) -> End:
    """Return every file but those that nobody reads: unfinished ones, and locks."""
    kept = {name: data for name, data in tree(folder).items() if "/.pbem" not in f"/{name}"}
    return {name: data for name, data in kept.items() if "/pending/" not in f"/{name}"}


class Scenario(NamedTuple):
    """A command that writes: how its folder comes about, its words, and in which folder below and home it runs.

    *end* is what must be the same in the end, whatever has happened in between.
    """

    name: str
    begin: Callable[[Path], object]
    words: tuple[str, ...]
    at: str = ""
    home: str = "home"
    end: Callable[[Path], End] = files_of


def commits_of(folder: Path) -> End:
    """Return what the repositories of a group have come to, and the files of its homes and its club."""
    found: End = {"server.git": git(folder / "server.git", "log", "--format=%H %s", "main")}
    for place in sorted(path.parent for path in folder.glob("*/.git")):
        found[place.name] = git(place, "log", "--format=%H %s", "main"), git(place, "status", "--porcelain")
    for place in (*folder.glob("home*"), *folder.glob("club")):
        found |= {f"{place.name}/{name}": data for name, data in files_of(place).items()}
    return found


def status_of(folder: Path) -> End:
    """Return every file, and what the status says, with the index and without it."""
    club = folder / "club"
    said = [run_program("mail", "status", club, "--json").stdout]
    (club / INDEX).unlink(missing_ok=True)
    said.append(run_program("mail", "status", club, "--json").stdout)
    assert said[0] == said[1]
    return {**files_of(folder), "status": said[0]}


def joined_by(colour: str, folder: Path) -> End:
    """Return what ``files_of`` or ``commits_of`` does but the secrets that no game knows, of what was cut off."""
    path = folder / "game.toml"
    found = files_of(folder) if path.exists() else commits_of(folder)
    game = loading.load(path if path.exists() else folder / colour / "game.toml").record
    value = dict(game.chance.joined).get(colour, "-")
    return {name: data for name, data in found.items() if f"home of {colour}" not in name or value[:8] in name}


def is_whole(folder: Path) -> None:
    """Assert that nothing is torn that anybody can see: games are proved, and repositories hold all that they name."""
    for path in (*folder.glob("*.toml"), *folder.glob("*/game.toml"), *folder.glob("*/games/*/game.toml")):
        is_unfinished = any(part.startswith(".pbem-") for part in path.relative_to(folder).parts)  # nobody reads it
        if not is_unfinished and not uncommitted(path.name):
            verify(loading.load(path).record)
    for place in (*folder.glob("*.git"), *(path.parent for path in folder.glob("*/.git"))):
        git(place, "rev-list", "--objects", "--all", "--quiet")


# Shared games by hand


def _as(folder: Path, colour: str, *words: str) -> None:
    did(folder, *words, "--as", colour, XDG_DATA_HOME=str(folder / f"home of {colour}"))


def shared(folder: Path, joined: int = 3) -> None:
    """Begin a shared game that some have joined."""
    folder.mkdir()
    _as(folder, "red", "new", "game.toml", *PLAYERS, "--chance", "shared", "--board", "recommended")
    for colour in list(SEATS)[1:joined]:
        _as(folder, colour, "join", "game.toml")


def due(folder: Path) -> None:
    """Play a shared game until red has to draw."""
    shared(folder)
    random, path = Random(2), folder / "game.toml"
    while (record := loading.load(path).record).opener != "red" or not record.turn:
        if record.opener:
            _as(folder, record.opener, "draw", "game.toml")
        else:
            _as(folder, str(record.asked), "play", "game.toml", "--order", _order(record, random))


def _order(record: Record, random: Random) -> str:
    return random.choice([choice.order for choice in main_choices(record.state)])


# Plans


def planned(folder: Path) -> None:
    """Begin a game in which two have planned."""
    folder.mkdir()
    did(folder, "new", "friday.toml", *PLAYERS, "--board", "recommended", "--i-chose-it", "--secret", "0" * 64)
    did(folder, "plan", "friday.toml", "--as", "blue", "stay", "pass")
    did(folder, "plan", "friday.toml", "--as", "red", "stay", "10 else pass")


# Git


def to_draw(folder: Path) -> None:
    """Play through git until red has to draw, and somebody else is asked then, so that the draw is committed."""
    group, random, before = Group(folder), Random(1), folder.with_name(f"{folder.name} before")
    while True:
        record = group.record("red")
        if record.opener == "red" and record.turn:
            shutil.copytree(folder, before, symlinks=True)
            is_committed = json.loads(group.did("red", "draw", "--json"))["commit"]
            shutil.rmtree(folder)
            before.rename(folder)
            if is_committed:
                return
        group.go_on(random)


def to_take_back(folder: Path, then: tuple[tuple[str, str], ...] = ()) -> None:
    """Play some turns through git; perhaps red wants to take one back, and others say something about that."""
    group = Group(folder)
    group.until(lambda record: record.turn >= 4 and not record.opener)
    for colour, word in then:
        group.did(colour, word)
    for colour in SEATS:
        group.record(colour)


def on_server(folder: Path) -> None:
    """A server of a sealed game that knows the addresses of the players, and on which nothing has followed a push."""
    folder.mkdir()
    record, by, order = a_sealed_game()
    group = that_goes_on(a_sealed_group(folder, record))
    shutil.copy(group.clone / "game.secret.toml", group.server)
    did(folder, "mail", "init", "club", "--address", "pbem@example.org", "--host", "h@example.org")
    git(group.server, "config", "pbem.club", "../club")
    for colour in ("green", "red", "blue"):
        git(group.server, "config", f"pbem.{colour}.address", f"{colour}@x.example")
    (group.server / "hooks" / "post-receive").unlink()
    did(group.clone, "git", "move", "--as", by, "--order", order)


def late(folder: Path, then: str) -> None:
    """The same when the time of the player who is asked is up."""
    on_server(folder)
    server, clone = folder / "server.git", folder / "clone"
    did(server, "git", "tick")
    for letter in (folder / "club" / "outbox" / "new").iterdir():
        letter.unlink()
    git(clone, "pull", "--quiet", "--ff-only")
    (server / "hooks" / "pre-receive").unlink()
    did(clone, "git", "clock", "1 hour", "--then", then, "--as", "green")
    did(clone, "git", "agree", "--as", "red")
    did(clone, "git", "agree", "--as", "blue")
    (server / "pbem-accepted").write_text(git(server, "rev-parse", "main") + "\n", encoding="utf-8")


# Clubs


def mail_club(folder: Path, index: str = "") -> None:
    """A club with two games; its index is there, lost or torn."""
    folder.mkdir()
    club = a_club(folder / "club", "friday", "monday")
    play(club, 3)
    did(folder, "mail", "tick", "club", "--now", "2026-11-21T12:00:00Z")
    path = club.folder / INDEX
    if index == "lost":
        path.unlink()
    if index == "torn":
        path.write_bytes(path.read_bytes()[:5000])
    assert path.exists() == (index != "lost")


def folder_club(folder: Path, *, game: bool = True) -> None:
    """A club whose letters are files, perhaps with a game."""
    folder.mkdir()
    did(folder, "club", "init", "club", "--host", "Eve")
    if game:
        did(folder, "club", "new", "club", "friday", "Ann", "Bob", "Cara", "--board", "recommended")


NEW = ("friday", "Ann=ann@x.example", "Bob=bob@y.example")
KEEP = ("simulate", "--games", "4", "--bots", "random,random", "--jobs", "1", "--keep", "kept", "--seed", "1", "--json")
PROPOSED, AGREED = ("red", "takeback"), ("blue", "agree")


def by(
    colour: str, name: str, begin: Callable[[Path], object], *words: str, end: Callable[[Path], End] = files_of
) -> Scenario:
    """Return what a player does at home: in a clone of the own if it is a command of git."""
    is_git = words[0] == "git"
    end = partial(joined_by, colour) if "join" in words else commits_of if is_git else end
    return Scenario(name, begin, (*words, "--as", colour), colour if is_git else "", f"home of {colour}", end)


def mail(name: str, begin: Callable[[Path], object], *words: str, end: Callable[[Path], End] = files_of) -> Scenario:
    """Return what a host does with a club by mail."""
    return Scenario(name, begin, ("mail", words[0], "club", *words[1:]), end=end)


def backed_up(folder: Path) -> None:
    """A club and its backup."""
    mail_club(folder)
    did(folder, "mail", "backup", "club", "club.tar.gz")


def a_monday(folder: Path) -> None:
    """A club with another game."""
    a_club(folder / "club", "monday")


SCENARIOS = (
    by("blue", "join", partial(shared, joined=1), "join", "game.toml"),
    by("green", "join-last", partial(shared, joined=2), "join", "game.toml"),
    by("red", "draw", due, "draw", "game.toml"),
    by("red", "plan", planned, "plan", "friday.toml", "stay", "9 else pass"),
    by("red", "forget", planned, "plan", "friday.toml", "--forget"),
    by("green", "play-with-plans", planned, "play", "friday.toml", "--order", "stay"),
    Scenario("simulate-keep", Path.mkdir, KEEP),
    by("blue", "git-join", partial(Group, joined=False), "git", "join"),
    by("red", "git-draw", to_draw, "git", "draw"),
    by("red", "git-takeback", to_take_back, "git", "takeback"),
    by("blue", "git-agree", partial(to_take_back, then=(PROPOSED,)), "git", "agree"),
    by("green", "git-agree-last", partial(to_take_back, then=(PROPOSED, AGREED)), "git", "agree"),
    by("blue", "git-disagree", partial(to_take_back, then=(PROPOSED,)), "git", "disagree"),
    by("red", "git-note", to_take_back, "git", "note", "Hello!"),
    Scenario("git-tick-draws", on_server, ("git", "tick"), "server.git", end=commits_of),
    Scenario("git-tick-answers", partial(late, then="answer"), ("git", "tick"), "server.git", end=commits_of),
    Scenario("git-tick-tells", partial(late, then="tell"), ("git", "tick"), "server.git", end=commits_of),
    mail("index", mail_club, "tick", "--now", LATER, end=status_of),
    mail("index-lost", partial(mail_club, index="lost"), "tick", "--now", LATER, end=status_of),
    mail("index-torn", partial(mail_club, index="torn"), "tick", "--now", LATER, end=status_of),
    mail("mail-new", a_monday, "new", *NEW),
    mail("mail-new-open", a_monday, "new", *NEW, "--seats", "3"),
    mail("mail-replace", mail_club, "replace", "friday", "red", "Eve=eve@x.example"),
    mail("mail-replace-address", mail_club, "replace", "friday", "Bob", "Bob=new@x.example"),
    mail("backup", mail_club, "backup", "club.tar.gz"),
    Scenario("restore", backed_up, ("mail", "restore", "club.tar.gz", "copy")),
    Scenario("club-new", partial(folder_club, game=False), ("club", "new", "club", "friday", "Ann", "Bob", "bot")),
    Scenario("club-replace", folder_club, ("club", "replace", "club", "friday", "red", "Eve=Eve")),
)
