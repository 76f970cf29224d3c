"""Players who are away through git, those who play for them meanwhile, and games that are paused."""

import json
import time
from functools import reduce
from pathlib import Path
from typing import Final
from unittest.mock import patch

import pytest
from bots import a_new_record
from fitting import fits
from gits import a_group, did, forged, game_at, git, keys_of, needs_ssh, pbem, push, text_after

from pbem.carriers.git import status as git_status
from pbem.carriers.git.point import Point, signers_after
from pbem.carriers.git.public import at_the_table
from pbem.carriers.git.repository import Objects
from pbem.carriers.git.signing import with_short_keys
from pbem.errors import Illegal, NotUnderstood
from pbem.first_sparks.record import HEAD_DIGITS, Record
from pbem.loading import GameFile
from pbem.table.limits import limit, waits_until
from pbem.table.lines import parse_line
from pbem.table.matters.standing import FOREVER
from pbem.table.minutes import Meeting, Minutes
from pbem.table.motions import check

DAY: Final = 86400
GAME: Final[Record] = a_new_record(3, "friday")  # of green, red and blue
ASKED: Final = str(GAME.asked)
OTHER, THIRD = (colour for colour, _ in GAME.players if colour != ASKED)
PLACE: Final = f"{GAME.turn}/{GAME.head[:HEAD_DIGITS]}"
KEY: Final = "ssh-ed25519 AAAA"


def on(day: int, words: str) -> str:
    """Return a line that is written on a day of January 2027, at noon."""
    return f"2027-01-{day:02}T12:00:00Z {PLACE} {words}"


def at(day: int) -> int:
    """Return the noon of a day of January 2027, in seconds since 1970."""
    return parse_line(on(1, "red is back")).time + (day - 1) * DAY


def minutes(*lines: str) -> Minutes:
    """Return minutes with these lines, whether they may be written or not."""
    return reduce(Minutes.after, map(parse_line, lines), Minutes())


def may_say(line: str, *before: str, keys: bool = False) -> str:
    """Return why a line may not be written after others, "" if it may."""
    try:
        check(parse_line(line), Meeting(GAME, minutes(*before), keys, lambda: at(1)))
    except Illegal as wrong:
        return wrong.message
    return ""


# What can be said


@pytest.mark.parametrize(
    "words",
    [
        "red is away",
        "red is away until 2027-01-15",
        "red is away, and lets Dora play",
        "red is away until 2027-01-15, and lets Dora play",
        f"red is away, and lets Dora play, who signs with {KEY}",
        f"red is away until 2027-01-15, and lets Dora Lee play, who signs with {KEY}",
        "red is back",
        "red proposes to pause the game",
        "red decides to pause the game",
        "red decides to resume the game",
    ],
)
def test_a_line_is_read_as_it_is_written(words: str) -> None:
    assert parse_line(on(1, words)).words == words


@pytest.mark.parametrize(
    "words",
    [
        "red is away until 2027-02-30",
        "red is away until tomorrow",
        "red is away until 2027-01-15T12:00:00Z",
        f"red is away, who signs with {KEY}",
        "red is back until 2027-01-15",
        "red is here",
        "red proposes to be away",
    ],
)
def test_another_line_is_not_understood(words: str) -> None:
    with pytest.raises(NotUnderstood):
        parse_line(on(1, words))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("red is back", "red is not away"),
        ("red is away until 2027-01-14", "2027-01-14 is already over"),
        ("red is away until 2027-01-15", ""),
        (f"red is away, and lets Dora play, who signs with {KEY}", "moves are not signed in this game"),
        ("red is away, and lets Steffi play", "another player is called Steffi"),
        ("red is away, and lets blue play", "another player is called blue"),
        ("red is away, and lets a:b play", "that is not a name for a player"),
        ("host is away", "this game has no host"),
        ("red decides to pause the game", "that needs a motion first, and green and blue must agree"),
        ("red decides to resume the game", "the game is not paused"),
        ("red proposes to resume the game", "the game is not paused"),
    ],
)
def test_what_may_be_said_about_the_own_absence_and_a_pause(words: str, why: str) -> None:
    assert may_say(on(15, words)) == why


@pytest.mark.parametrize(
    ("words", "keys", "way_out"),
    [
        ("red is back", False, "pbem git absent --until DAY"),
        ("red is away until 2027-01-14", False, "pbem git back"),
        ("green is away", False, "pbem git back"),
        ("red is away, and lets Dora play", True, "pbem git absent --substitute NAME KEY.pub"),
        (f"red is away, and lets Dora play, who signs with {KEY}", False, "pbem git absent --substitute NAME"),
        ("red decides to seat Zoe as red", True, "pbem git replace PLAYER NAME KEY.pub"),
        (f"red decides to seat Zoe as red, who signs with {KEY}", False, "pbem git replace PLAYER NAME"),
        ("red proposes to go on without red", False, "pbem git move --order resign"),
        ("red decides to resume the game", False, "pbem git pause"),
    ],
)
def test_a_refusal_names_the_command_that_does_what_is_wanted(words: str, keys: bool, way_out: str) -> None:
    with pytest.raises(Illegal) as refused:
        check(parse_line(on(15, words)), Meeting(GAME, minutes(on(1, "green is away")), keys, lambda: at(1)))

    assert refused.value.hint.endswith(way_out)


def test_a_substitute_in_a_signed_game_has_a_key() -> None:
    assert may_say(on(1, "red is away, and lets Dora play"), keys=True) == "the substitute needs a key"
    assert may_say(on(1, f"red is away, and lets Dora play, who signs with {KEY}"), keys=True) == ""


# The clock


CLOCK: Final = on(1, "red decides to set the clock to 3 days, then answer")


@pytest.mark.parametrize(
    ("said", "until"),
    [
        ((), 4),
        ((on(2, f"{OTHER} is away"),), 4),
        ((on(2, f"{ASKED} is away until 2027-01-10"),), 13.5),  # the tenth is included
        ((on(2, f"{ASKED} is away"),), 34),  # nobody waits longer than 30 days
        ((on(2, f"{ASKED} is away"), on(6, f"{ASKED} is back")), 9),
        ((on(2, f"{ASKED} is away until 2027-01-10"), on(6, f"{ASKED} is back")), 9),
        ((on(2, f"{ASKED} is away"), on(6, f"{ASKED} is away until 2027-01-07")), 10.5),
        ((on(3, f"{ASKED} is away, and lets Dora play"),), 6),
        ((on(3, f"{ASKED} is away, and lets Dora play"), on(5, f"{ASKED} is back")), 8),
        ((on(2, f"{ASKED} is away"), on(4, f"{ASKED} decides to seat Zoe as {ASKED}")), 7),
        ((on(2, f"{OTHER} decides to pause the game"), on(6, f"{THIRD} decides to resume the game")), 8),
        ((on(2, f"{OTHER} decides to pause the game"),), None),
        ((on(7, f"{OTHER} decides to pause the game"),), 4),  # after the time was up
    ],
)
def test_the_time_of_who_is_away_and_of_a_paused_game_does_not_run(said: tuple[str, ...], until: float | None) -> None:
    """The question is asked on the first of January, and the clock gives three days."""
    expected = FOREVER if until is None else at(1) + int((until - 1) * DAY)

    assert limit(ASKED, minutes(CLOCK, *said), at(1), at(20)) == expected


def test_being_away_again_and_again_does_not_buy_more_than_thirty_days() -> None:
    away = (line for day in range(2, 30, 2) for line in (on(day, f"{ASKED} is away"), on(day + 1, f"{ASKED} is back")))

    often = minutes(CLOCK, *away, "2027-02-05T12:00:00Z " + on(1, f"{ASKED} is away").partition(" ")[2])

    assert limit(ASKED, often, at(1), at(60)) == at(32)  # three days after the last return within 30 days


@pytest.mark.parametrize(
    ("said", "until"),
    [
        ((), 8),
        ((on(1, f"{THIRD} is away until 2027-01-10"),), 17.5),
        ((on(1, f"{THIRD} is away"),), 38),
        ((on(1, f"{THIRD} is away, and lets Dora play"),), 8),
    ],
)
def test_a_seat_is_not_lost_by_an_absence_that_is_not_too_long(said: tuple[str, ...], until: float) -> None:
    """The others wait a week for a sign of life, from the return on, but no longer than 30 days for that."""
    table = minutes(*said, on(1, f"{OTHER} proposes to go on without {THIRD}"))

    assert waits_until(table.motions[0], table) == at(1) + int((until - 1) * DAY)


def test_the_others_are_told_from_when_on_they_can_go_on() -> None:
    away = on(1, f"{THIRD} is away until 2027-01-10")
    motion, agreed = on(1, f"{OTHER} proposes to go on without {THIRD}"), on(2, f"{ASKED} agrees with {OTHER}")
    decided = f"{OTHER} decides to go on without {THIRD}"

    assert may_say(on(9, decided), away, motion, agreed) == (
        f"{THIRD} is away: that can be decided from 2027-01-18 00:00 UTC on"
    )
    assert may_say(on(18, decided), away, motion, agreed) == ""


def test_a_word_of_a_substitute_keeps_the_seat() -> None:
    away = on(1, f"{THIRD} is away, and lets Dora play")
    motion, word = on(2, f"{OTHER} proposes to go on without {THIRD}"), on(3, f"{THIRD} says I play for her.")

    assert "has no motion that is open" in may_say(on(4, f"{ASKED} agrees with {OTHER}"), away, motion, word)


# A pause


def test_all_agree_to_a_pause_and_any_one_ends_it() -> None:
    pause = (on(1, "red proposes to pause the game"), on(1, "blue agrees with red"))
    paused = (*pause, on(1, "green decides to pause the game"))

    assert may_say(on(1, "red decides to pause the game"), *pause) == "green must still agree"
    assert may_say(on(1, "green decides to pause the game"), *pause) == ""
    assert may_say(on(2, "blue proposes to pause the game"), *paused) == ("this has to wait until the game is resumed")
    assert may_say(on(2, "blue decides to resume the game"), *paused) == ""


@pytest.mark.parametrize(
    ("words", "waits"),
    [
        ("red says Hello", False),
        ("red is away", False),
        ("red decides to seat Zoe as red", False),
        ("red disagrees with green", False),
        ("blue agrees with green", True),
        ("red proposes to set the clock to 3 days, then tell", True),
        ("red proposes to go on without blue", True),
        ("red proposes to seat Zoe as blue", True),
    ],
)
def test_what_has_to_wait_while_the_game_is_paused(words: str, waits: bool) -> None:
    clock = on(1, "green proposes to set the clock to 2 days, then tell")
    said = may_say(on(2, words), clock, on(1, "red decides to pause the game"))

    assert said == ("this has to wait until the game is resumed" if waits else "")


# What everybody reads


@pytest.mark.parametrize(
    ("words", "day", "text"),
    [
        ("red is away until 2027-01-10", 5, "Christian (red) is away until Sun 10 Jan 2027, and the game waits."),
        ("red is away until 2027-01-10", 11, ""),
        ("red is away", 25, "Christian (red) is away, and the game waits."),
        (
            "red is away until 2027-01-10, and lets Dora play",
            5,
            "Christian (red) is away until Sun 10 Jan 2027. Dora stands in.",
        ),
        (
            "red decides to pause the game",
            25,
            "The game is paused, and no orders are accepted. Any player can resume it with pbem git resume.",
        ),
    ],
)
def test_everybody_reads_why_the_game_waits(words: str, day: int, text: str) -> None:
    assert " ".join(at_the_table(GAME, minutes(on(1, words)), at(day))) == text


def test_the_times_of_a_status_are_written_alike() -> None:
    away = minutes(on(1, f"{OTHER} is away until 2027-01-10"))

    told = git_status.line(git_status.Seen(GAME, away, until=at(4), time=at(1)))

    asked = f"friday, turn 0: waiting for {GAME.state.clan(ASKED).player} ({ASKED}) until Mon 4 Jan, 12:00 UTC."
    assert told.startswith(f"{asked} {GAME.state.clan(OTHER).player} ({OTHER}) is away until Sun 10 Jan, and ")


@pytest.mark.parametrize(
    ("said", "asked", "day", "is_home"),
    [
        (f"{ASKED} is away until 2027-01-10", 1, 10, False),
        (f"{ASKED} is away until 2027-01-10", 1, 11, True),
        (f"{ASKED} is away until 2027-01-10", 11, 12, False),  # and was not away when asked
        (f"{OTHER} is away until 2027-01-10", 1, 11, False),
        (f"{ASKED} is back", 1, 11, False),
    ],
)
def test_who_was_away_when_asked_is_home_again(said: str, asked: int, day: int, is_home: bool) -> None:
    game = GameFile(Path("game.toml"), GAME, "toml", "")
    point = Point(Objects(git_dir=Path()), "", {}, game, None, minutes(on(1, said)))

    with patch.object(Point, "since", lambda _: at(asked)):
        assert git_status.now_at(point, at(day)).is_home == is_home


def status_of(player: str, *lines: str) -> str:
    """Return what a player reads about whose turn it is, on the first day of January, after these lines."""
    return git_status.line(git_status.Seen(GAME, minutes(*lines), until=None, time=at(1)), player)


def test_who_is_away_reads_so_and_the_others_read_the_name() -> None:
    away = on(1, "blue is away until 2999-01-15")

    assert status_of("blue", away).endswith(". You are away until Tue 15 Jan 2999, and the game waits.")
    assert status_of("green", away).endswith(
        f". {GAME.state.clan('blue').player} (blue) is away until Tue 15 Jan 2999, and the game waits."
    )


def test_who_has_made_a_motion_reads_who_must_still_agree() -> None:
    motion = (on(1, "green proposes to pause the game"), on(1, "red agrees with green"))

    of_green, of_blue = (status_of(each, *motion).partition("; ")[2] for each in ("green", "blue"))
    assert of_green == "blue must still agree to your motion to pause the game"
    assert of_blue == "green proposes to pause the game, and you are asked to agree"
    assert "motion" not in status_of("green", *motion, on(1, "blue disagrees with green"))


# Keys


SIGNERS: Final = b'green namespaces="git" ssh-ed25519 GGGG\nred namespaces="git" ssh-ed25519 RRRR\n'


def signers_of(*lines: str) -> bytes:
    """Return the accepted keys after these lines."""
    signers, table = SIGNERS, Minutes()
    for line in map(parse_line, lines):
        signers, table = signers_after(signers, line, table) or b"", table.after(line)
    return signers


def test_the_key_of_a_substitute_counts_beside_the_own_one_until_the_player_is_back() -> None:
    away = on(1, "red is away, and lets Dora play, who signs with ssh-ed25519 DDDD")
    dora, new = b'red namespaces="git" ssh-ed25519 DDDD\n', b'red namespaces="git" ssh-ed25519 NNNN\n'
    green = SIGNERS.splitlines(keepends=True)[0]

    assert signers_of(away) == SIGNERS + dora
    assert signers_of(away, on(2, "red is back")) == SIGNERS
    assert signers_of(away, on(2, "red is away")) == SIGNERS
    assert signers_of(away, on(2, "red decides to let red sign with ssh-ed25519 NNNN")) == green + new + dora
    assert signers_of(away, on(2, "red decides to seat Zoe as red, who signs with ssh-ed25519 NNNN")) == green + new


def test_the_own_key_may_be_that_of_the_substitute_too() -> None:
    away = on(1, "red is away, and lets Dora play, who signs with ssh-ed25519 RRRR")

    assert signers_of(away, on(2, "red is back")) == SIGNERS


@pytest.mark.parametrize(
    ("words", "day", "void"),
    [
        ("red says Hello", 2, False),
        ("red agrees with blue", 2, False),
        ("red is back", 2, False),
        ("red decides to go on without blue", 2, False),
        ("red is away", 2, True),
        ("red decides to seat Dora as red, who signs with ssh-ed25519 DDDD", 2, True),
        ("red decides to let red sign with ssh-ed25519 DDDD", 2, True),
        ("red says Hello", 11, True),
    ],
)
def test_a_substitute_plays_and_agrees_but_does_not_give_the_seat_away(words: str, day: int, void: bool) -> None:
    table = minutes(on(1, "red is away until 2027-01-10, and lets Dora play, who signs with ssh-ed25519 DDDD"))
    line = parse_line(on(day, words))

    assert table.void_key("red", line.said, line.time) == ("ssh-ed25519 DDDD" if void else "")


@pytest.mark.parametrize(
    ("words", "in_short"),
    [
        (
            f"red decides to let red sign with {KEY}12345678=",
            "red decides to let red sign with ssh-ed25519 ...12345678",
        ),
        (f"red says Sign with {KEY}12345678", f"red says Sign with {KEY}12345678"),
        ("red proposes to pause the game", "red proposes to pause the game"),
    ],
)
def test_a_line_to_look_at_has_no_whole_key(words: str, in_short: str) -> None:
    assert with_short_keys(words) == in_short


# Through git


@pytest.mark.slow
def test_a_program_reads_who_is_away_and_whether_the_game_is_paused(tmp_path: Path) -> None:
    clone = a_group(tmp_path).clone
    before = json.loads(did(clone, "git", "status", "--json"))
    did(clone, "git", "absent", "--until", "2999-01-15", "--as", "blue")
    did(clone, "git", "absent", "--substitute", "Dora", "--as", "green")
    for words in (("pause", "--as", "red"), ("agree", "--as", "blue"), ("agree", "--as", "green")):
        did(clone, "git", *words)

    after = json.loads(pbem(clone, "git", "status", "--json").stdout)

    assert fits(before, "git")
    assert fits(after, "git")
    assert (before["paused"], before["absences"]) == (False, [])
    assert after["paused"]
    assert sorted(after["absences"], key=lambda each: str(each["player"])) == [
        {"player": "blue", "until": "2999-01-15", "substitute": ""},
        {"player": "green", "until": "", "substitute": "Dora"},
    ]


@pytest.mark.slow
@needs_ssh
def test_a_substitute_plays_through_git_until_the_player_is_back(tmp_path: Path) -> None:
    keys = keys_of(tmp_path, "green", "red", "blue", "dora")
    given = [word for who in ("green", "red", "blue") for word in ("--key", f"{who}={keys[who]}.pub")]
    group = a_group(tmp_path / "group", *given)
    dora = f"{keys['dora']}.pub"
    date = f"@{int(time.time())} +0000"
    now = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}  # of the server, too

    said = did(group.clone, "git", "absent", "--substitute", "Dora", dora, "--key", keys["red"], **now)

    public = " ".join((tmp_path / "dora.pub").read_text(encoding="utf-8").split()[:2])
    words = "red is away, and lets Dora play, who signs with"
    in_short = f"{words} ssh-ed25519 ...{public[-8:]}"
    assert said.startswith(f"{in_short}: pushed to origin\n")
    assert git(group.clone, "log", "-1", "--format=%s") == in_short
    assert f"{words} {public}" in git(group.clone, "log", "-1", "--format=%b").splitlines()
    assert (group.clone / "minutes.txt").read_text(encoding="utf-8").endswith(f"{words} {public}\n")
    assert did(group.clone, "git", "log").splitlines()[0].endswith(f": {in_short}")
    assert "Christian (red) is away. Dora stands in." in (group.clone / "README.md").read_text(encoding="utf-8")
    of_red = did(group.clone, "git", "status", "--as", "red").strip()
    assert of_red == "friday, turn 0: it is your turn. You are away. Dora stands in for you."
    git(group.clone, "config", "user.signingkey", str(keys["dora"]))
    of_dora = did(group.clone, "git", "status").strip()
    assert of_dora == "friday, turn 0: it is your turn. Christian (red) is away. Dora stands in."
    stolen = pbem(group.clone, "git", "change-key", dora, "--as", "red", "--key", keys["dora"], **now)
    assert stolen.returncode == 77
    assert "signed by the substitute of red, but must be signed by red" in stolen.stderr
    assert "hint: a substitute plays, but cannot change the key of red" in stolen.stderr
    longer = pbem(group.clone, "git", "absent", "--as", "red", "--key", keys["dora"], **now)
    assert "hint: a substitute can only end the absence: pbem git back --as red" in longer.stderr
    given = pbem(group.clone, "git", "replace", "red", "Dora", dora, "--as", "red", "--key", keys["dora"], **now)
    assert "hint: a substitute plays, but cannot give the seat of red away" in given.stderr
    assert "1 red stay" in did(group.clone, "git", "move", "--order", "stay", "--key", keys["dora"], **now)
    did(group.clone, "git", "back", "--key", keys["red"], **now)
    late = pbem(group.clone, "git", "note", "I am still here", "--as", "red", "--key", keys["dora"])
    assert "unknown key, but must be signed by red" in late.stderr
    assert "hint: red is back, so you are not the substitute of red any more" in late.stderr
    late = pbem(group.clone, "git", "move", "--order", "stay", "--key", keys["dora"])
    assert late.stderr.startswith("not-understood: red is back, so you are not the substitute of red any more\n")
    assert "is away" not in (group.clone / "README.md").read_text(encoding="utf-8")
    assert did(group.clone, "git", "check", group.base, "HEAD", "--signed").endswith("3 moves checked, all valid\n")


@pytest.mark.slow
@needs_ssh
def test_a_server_refuses_what_a_substitute_may_not_do(tmp_path: Path) -> None:
    keys = keys_of(tmp_path, "green", "red", "blue", "dora")
    given = [word for who in ("green", "red", "blue") for word in ("--key", f"{who}={keys[who]}.pub")]
    group = a_group(tmp_path / "group", *given)
    did(group.clone, "git", "absent", "--substitute", "Dora", f"{keys['dora']}.pub", "--key", keys["red"])
    record = game_at(group.clone).record
    public = " ".join((tmp_path / "dora.pub").read_text(encoding="utf-8").split()[:2])
    text, signers = (git(group.clone, "show", f"HEAD:{name}") + "\n" for name in ("minutes.txt", "allowed_signers"))
    place = f"2001-02-03T04:05:06Z {record.turn}/{record.head[:HEAD_DIGITS]}"
    line = f"{place} red decides to let red sign with {public}\n"
    own = "".join(row for row in signers.splitlines(keepends=True) if not row.startswith("red "))
    row = f'red namespaces="git" {public}\n'
    files = {"minutes.txt": (text + line).encode(), "allowed_signers": (own + row + row).encode()}

    refused = push(group, forged(group.clone, files, key=keys["dora"]))

    assert refused.returncode == 1
    assert "signed by the substitute of red, but must be signed by red" in refused.stderr
    kept = {"minutes.txt": f"{text}{place} red is back\n".encode()}
    assert "is not what follows from what was decided" in push(group, forged(group.clone, kept, key=keys["red"])).stderr


@pytest.mark.slow
def test_no_order_is_accepted_while_the_game_is_paused(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    clone = group.clone
    assert "it is done when green and blue have agreed" in did(clone, "git", "pause", "--as", "red")
    moved = did(clone, "git", "move", "--as", "red", "--order", "stay")
    assert "1 red stay" in moved
    did(clone, "git", "pause", "--as", "blue")  # which is to agree
    assert "green decides to pause the game: pushed" in did(clone, "git", "agree", "--as", "green")

    refused = pbem(clone, "git", "move", "--as", "blue", "--order", "stay")
    status = pbem(clone, "git", "status", "--as", "blue")

    assert refused.returncode == 65
    assert "illegal: the game is paused, so no orders are accepted" in refused.stderr  # said here, not by the server
    assert status.returncode == 1
    assert status.stdout == (
        "friday, turn 1: nobody is asked to move. The game is paused, and no orders are accepted. "
        "Any player can resume it with pbem git resume.\n"
    )
    by_hand = forged(clone, {"game.toml": text_after(game_at(clone), "blue", "stay").encode()})
    assert "the game is paused, so no orders are accepted" in push(group, by_hand).stderr
    did(clone, "git", "resume", "--as", "blue", "-m", "Here we go.")
    did(clone, "git", "move", "--as", "blue", "--order", "stay")
    did(clone, "git", "check", group.base, "HEAD")


def test_a_day_is_given_as_a_day(tmp_path: Path) -> None:
    group = a_group(tmp_path)

    for until, wrong in (
        ("tomorrow", "'tomorrow' is not a day"),
        ("2027-02-30", "'2027-02-30' is not a day"),
        ("2027-01-01T12:00:00Z", "'2027-01-01T12:00:00Z' is not a day"),
    ):
        done = pbem(group.clone, "git", "absent", "--until", until, "--as", "red")
        assert done.returncode == 65
        assert done.stderr == f"not-understood: {wrong}\n\nhint: give the last day, like 2026-12-31\n"
    key = pbem(group.clone, "git", "absent", "x.pub", "--as", "red")
    assert "a key is only needed for a substitute" in key.stderr


def test_help_says_how_the_game_goes_and_what_a_player_can_do(tmp_path: Path) -> None:
    told = did(tmp_path, "git", "help")

    assert told.startswith("How the game goes:\n- Aim: be the largest when a clan reaches 13 members")
    for command in ("move", "absent", "back", "pause", "resume", "agree", "object", "takeback"):
        assert f"\n- pbem git {command}: " in told
    assert "pbem git hook" not in told


def test_to_object_is_to_disagree(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    did(group.clone, "git", "pause", "--as", "red")

    assert "blue disagrees with red: pushed" in did(group.clone, "git", "object", "--as", "blue")

    assert "no motion is open" in pbem(group.clone, "git", "agree", "--as", "green").stderr


def test_nobody_is_late_while_the_game_is_paused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pause has begun after the time was up, which then counts for nothing."""
    said = [CLOCK, on(7, f"{OTHER} decides to pause the game")]
    game = GameFile(Path("game.toml"), GAME, "toml", "")
    monkeypatch.setattr(Point, "since", lambda _: at(1))

    def is_late() -> bool:
        point = Point(Objects(git_dir=Path()), "", {}, game, minutes=minutes(*said))
        return git_status.now_at(point, at(20)).is_late

    assert not is_late()
    said.append(on(8, f"{THIRD} decides to resume the game"))
    assert is_late()
