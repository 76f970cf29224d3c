"""`pbem stats`: what is counted of an archive, and how it is told."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bots import SECRET, a_choice, a_new_record, a_sensible_choice
from clubs import a_club, a_table, play, play_to_the_end, the_record
from fitting import fits
from phone import misfits

import pbem
from pbem import loading
from pbem.cli import app as cli
from pbem.club.host import take_back
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.events import CardBought, CardOffered, Hunted
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.play import played
from pbem.first_sparks.record import Record, at_line
from pbem.page.text import WIDTH, columns, text_of
from pbem.scripts.archive import places_in
from pbem.scripts.stats import median, statistics
from pbem.scripts.stats_html import html_of
from pbem.scripts.stats_rows import Side, Statistics
from pbem.scripts.stats_text import page_of

RECORDED = Path(__file__).parent / "games"
ZEROS = "0" * 64
NAMES = ("Ann:red", "Bob:blue", "Cara:green")


def a_short_game(name: str, players: tuple[str, ...] = NAMES, **options: Any) -> Record:
    """Return a game in which green adds a member and buys #7, on which the crop lies, and all others resign."""
    game = pbem.new_game(players, name=name, board="recommended", secret=ZEROS, **options)
    for order in ("add B2c", "stay", "stay", "offer 7", "decline", "decline"):
        game = pbem.play(game, order)
    for colour in ("red", "blue"):
        game = pbem.play(game, "resign", colour)
    return game


def counted(*paths: Path, jobs: int = 1) -> Statistics:
    return statistics(places_in(paths), jobs)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Four finished games, one of these in an older file too, one that goes on, and what else lies about."""
    folder = tmp_path / "archive"
    shutil.copytree(RECORDED, folder / "2026")
    game = loading.load(RECORDED / "4-players.toml").record
    pbem.save(at_line(game, 60), folder / "a-copy.toml")
    pbem.save(pbem.new_game(["Ann", "Angelika", "Zoe"], name="open", board="recommended"), folder / "open.toml")
    (folder / "move.toml").write_text('player = "red"\nmove = { order = "pass" }\n', encoding="utf-8")
    return folder


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """The program: its exit status and what it prints on standard output."""

    def run(*arguments: str | Path) -> tuple[int, str]:
        status = cli.run(["stats", *map(str, arguments)])
        return status, capsys.readouterr().out

    return run


# What is counted


def test_a_short_game_counted_by_hand(tmp_path: Path) -> None:
    """Green pays 1 for a member, and 1 for #7, which costs 2 less the crop on it: 5 food, 2 cards and 2 members."""
    pbem.save(a_short_game("friday"), tmp_path / "short.toml")

    found = counted(tmp_path)

    (group,) = found.groups
    assert (group.players, group.games, group.finished, group.open) == (3, 1, 1, 0)
    assert group.rounds == (1, 1, 1)
    assert group.lengths == ((1, 1),)
    assert group.places == ((1, 1, 1), (2, 1, 0), (3, 1, 0))
    assert group.sizes == ((1, 2, 0), (2, 1, 1))
    assert group.winners == Side(clans=1, members=2, food=5, cards=2)
    assert group.others == Side(clans=2, members=2, food=14, cards=2)
    assert set(group.harvest.values()) == {0}
    assert found.cards == (("", 7, "basket", 2, 1, 1, 1, 1),)
    assert (found.prices, found.rounds) == (((1, 1, 1, 1),), ((1, 1, 1, 1),))
    assert found.players == (("Cara", 1, 1, 1, 2), ("Ann", 1, 1, 0, 1), ("Bob", 1, 1, 0, 1))
    assert found.total._replace(players=3) == group
    assert (found.mails, found.copies, found.others, found.failures) == ((), 0, 0, ())


def test_the_sums_are_those_of_the_logs(archive: Path) -> None:
    """Every clan, harvest and offer of the recorded games is counted once."""
    records = [loading.load(path).record for path in sorted(RECORDED.glob("*.toml"))]
    events = [event for record in records for _, state in record.history for event in state.events]

    found = counted(archive)

    hunted = sum(event.harvested for event in events if isinstance(event, Hunted))
    assert sum(found.total.harvest.values()) == sum(sum(g.harvest.values()) for g in found.groups) == hunted
    for rows in (found.cards, found.prices, found.rounds):
        assert sum(row.offered for row in rows) == sum(isinstance(event, CardOffered) for event in events)
        assert sum(row.bought for row in rows) == sum(isinstance(event, CardBought) for event in events)
    paid = sum(event.price - event.crop for event in events if isinstance(event, CardBought))
    assert sum(row.number * row.bought for row in found.prices) == paid
    winners = [record.state.phase.winners for record in records if isinstance(record.state.phase, Ended)]
    assert sum(row.wins for row in found.players) == found.total.winners.clans == sum(map(len, winners))
    assert sum(row.games for row in found.players) == sum(len(record.players) for record in records) + 3
    for group in (found.total, *found.groups):
        clans = group.winners.clans + group.others.clans
        assert sum(row.clans for row in group.sizes) == sum(row.clans for row in group.places) == clans
        assert sum(row.wins for row in group.sizes) == sum(row.wins for row in group.places) == group.winners.clans
        members = sum(row.number * row.clans for row in group.sizes)
        assert members == group.winners.members + group.others.members
        assert sum(games for _, games in group.lengths) == group.finished == group.games - group.open


@pytest.mark.slow
def test_many_games_are_counted_as_one_counts_them_one_by_one(tmp_path: Path) -> None:
    """Of every number of players, in both forms, with hidden food and without, careless ones too."""
    records: list[Record] = []
    for seed in range(30):
        random, record = Random(seed), a_new_record(2 + seed % 5, f"game-{seed}", hide_food=not seed % 7)
        choose = a_sensible_choice if seed % 3 else a_choice
        draw = source(record.game, SECRET)
        while asked := who_decides(record.state):
            record, _ = played(record, asked, choose(record.state, random), draw)
        pbem.save(record, tmp_path / f"{seed}.{'json' if seed % 4 == 1 else 'toml'}")
        records.append(record)
    places: Counter[tuple[int, int]] = Counter()
    sizes: Counter[int] = Counter()
    for record in records:
        winners = record.state.phase.winners if isinstance(record.state.phase, Ended) else ()
        first = next((state.order for _, state in record.history if state.round), ())
        places.update((len(first), place) for place, colour in enumerate(first, 1) if colour in winners)
        sizes.update(record.state.clan(colour).size for colour in winners)

    found = counted(tmp_path)

    counts = {(group.players, row.number): row.wins for group in found.groups for row in group.places if row.wins}
    assert counts == places
    assert {row.number: row.wins for row in found.total.sizes if row.wins} == sizes
    assert {row.name: row.wins for row in found.players} == wins(records)
    assert dict(found.total.lengths) == Counter(record.state.round for record in records)
    shared = found.total.winners.clans > found.total.finished
    assert ("A shared victory counts for each winner." in text_of(page_of(found))) == shared


def test_a_game_counts_once_however_often_it_is_kept(archive: Path) -> None:
    """The file with the longest log is the game, whichever comes first; the paths may overlap too."""
    found, twice = counted(archive), counted(archive, archive / "2026", archive / "open.toml")

    assert (found.total.games, found.total.finished, found.total.open, found.copies, found.others) == (5, 4, 1, 1, 1)
    assert twice == found._replace(copies=6)


def test_a_game_that_is_not_over_tells_only_its_round_and_its_players(tmp_path: Path) -> None:
    """Nothing of food, cards and messages, whether food is hidden or not."""
    for hide in (False, True):
        game = pbem.new_game(NAMES, name=f"friday-{hide:d}", board="recommended", secret=ZEROS, hide_food=hide)
        for order in ("add B2c", "stay", "stay", "offer 9", "decline", "decline"):
            game = pbem.play(game, order)
        pbem.save(game, tmp_path / f"{hide}.toml")

    found = counted(tmp_path)

    assert (found.total.open, found.total.open_rounds, found.total.rounds) == (2, (1, 1, 1), None)
    assert [(row.name, row.games, row.finished, row.members) for row in found.players] == [
        ("Ann", 2, 0, 0),
        ("Bob", 2, 0, 0),
        ("Cara", 2, 0, 0),
    ]
    assert (found.cards, found.prices, found.rounds, found.mails) == ((), (), (), ())
    assert (found.total.places, found.total.sizes, set(found.total.harvest.values())) == ((), (), {0})
    assert {*found.total.winners, *found.total.others} == {0}


def test_cards_of_an_own_set_stand_apart(tmp_path: Path, run: Callable[..., tuple[int, str]]) -> None:
    text = Path(pbem.__file__).parent.joinpath("first_sparks", "data", "components.toml").read_text(encoding="utf-8")
    own = tmp_path / "own.toml"
    own.write_text(re.sub(r'(?m)^name = ".*?"', 'name = "mine"', text, count=1), encoding="utf-8")
    pbem.save(a_short_game("ours", components=own), tmp_path / "ours.toml")
    pbem.save(a_short_game("plain"), tmp_path / "plain.toml")

    found = counted(tmp_path)

    assert [(bool(card.own_set), card.number, card.offered) for card in found.cards] == [(False, 7, 1), (True, 7, 1)]
    assert f"Cards of the component set {found.cards[1].own_set}:" in run(tmp_path)[1]


def test_a_game_that_ends_before_its_first_round_has_no_place_to_win_from(tmp_path: Path) -> None:
    game = pbem.new_game(NAMES, name="short", board="recommended", secret=ZEROS)
    for colour in ("red", "blue"):
        game = pbem.play(game, "resign", colour)
    pbem.save(game, tmp_path / "short.toml")

    found = counted(tmp_path)

    assert (found.total.finished, found.total.rounds, found.total.places) == (1, (0, 0, 0), ())
    assert html_of(found)


@pytest.mark.parametrize(("numbers", "middle"), [((3,), 3), ((9, 1, 2), 2), ((4, 1), 2.5), ((5, 1, 3, 9), 4)])
def test_the_median(numbers: tuple[int, ...], middle: float) -> None:
    assert median(Counter(numbers)) == middle


# Clubs


def test_a_club_tells_messages_and_days(tmp_path: Path, run: Callable[..., tuple[int, str]]) -> None:
    """A game counts once beside the file of its beginning; the mails say when they came, by the club's own server."""
    club = a_club(tmp_path, "friday", "monday")
    play(club, 5)
    mails = sorted(a_table(club).mails.glob("*.eml"))
    for day, mail in zip((2, 3, 3, 4, 30), mails, strict=True):
        head = f"Received: from x; Mon, {day} Nov 2026 10:00:00 +0100\nReceived: from y; Sun, 1 Jan 2017 10:00:00 +0000"
        mail.write_bytes(f"{head}\n".encode() + mail.read_bytes())
    assert (counted(tmp_path).mails, counted(tmp_path).total.open) == ((), 2)
    game = the_record(club)
    for colour in ("red", "blue"):
        game = pbem.play(a_table(club).game, "resign", colour)
    assert isinstance(game.state.phase, Ended)
    rows = [
        {"code": "tick"},
        {"code": "played", "digest": "0" * 64, "turn": "../x", "colour": ["red"]},
        {"code": "replaced", "colour": ["red"], "name": "Eve"},
        {"code": "replaced", "colour": "red", "name": "<X>"},
    ]
    with a_table(club).journal.open("a") as journal:
        journal.writelines(f"{json.dumps(row)}\n" for row in rows)

    found = counted(tmp_path)

    assert found.mails == (("friday", 6, 28),)
    assert (found.total.games, found.total.finished, found.copies, found.failures) == (2, 1, 0, ())
    assert sorted((row.name, row.games) for row in found.players) == [("<X>", 1), ("Ann", 2), ("Bob", 1), ("Cy", 2)]
    assert fits(json.loads(run(tmp_path, "--json")[1]), "answer")


@pytest.mark.slow
def test_a_club_that_has_played_three_whole_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that was taken back and played on counts once, and the files of the club are no copies."""
    monkeypatch.setattr("os.fsync", lambda _: None)
    names = ("friday", "monday", "sunday")
    club = a_club(tmp_path / "club", *names)
    play(club, 6, "monday")
    take_back(club, a_table(club, "monday"), 3)
    records = [play_to_the_end(club, game, seed) for game, seed in zip(names, (1, 18, 8), strict=True)]
    shutil.copy(a_table(club).game, tmp_path / "copy.toml")

    found = counted(tmp_path)

    assert (found.total.games, found.total.finished, found.copies, found.failures) == (3, 3, 1, ())
    turns = [record.turn for record in records]
    assert [(row.game, row.days) for row in found.mails] == [(names[n], turn - 1) for n, turn in enumerate(turns)]
    assert [row.mails for row in found.mails] == [turns[0], turns[1] + 3, turns[2]]
    assert found.total.rounds is not None
    assert sorted(record.state.round for record in records)[::2] == [found.total.rounds.fewest, found.total.rounds.most]
    assert {row.name: row.wins for row in found.players} == wins(records)


def wins(records: Sequence[Record]) -> Counter[str]:
    """Return how often each player has won, everybody being named."""
    found = Counter({name: 0 for record in records for _, name in record.players})
    for record in records:
        if isinstance(record.state.phase, Ended):
            found.update(record.state.clan(colour).player for colour in record.state.phase.winners)
    return found


def test_mails_without_a_date_give_no_days(tmp_path: Path) -> None:
    club = a_club(tmp_path)
    play(club, 2)
    for mail in a_table(club).mails.glob("*.eml"):
        mail.write_bytes(b"Date: yesterday\n\n")
    for colour in ("red", "blue"):
        pbem.play(a_table(club).game, "resign", colour)

    assert counted(tmp_path).mails == (("friday", 2, None),)


# How it is told


def test_the_table_has_the_width_of_a_page(archive: Path, run: Callable[..., tuple[int, str]]) -> None:
    wide = ("W" * 24, "\u5927" * 24, "a b c d e f g h i j k l")
    pbem.save(
        a_short_game("wide", tuple(f"{name}:{c}" for name, c in zip(wide, ("red", "blue", "green"), strict=True))),
        archive / f"{'x' * 90}.toml",
    )

    status, text = run(archive)

    assert status == 0
    assert max(map(columns, text.splitlines())) <= WIDTH
    assert text.startswith("GAMES, with the game rounds of those that are over\n  players  games  finished  open")
    assert "\n1 file contains a game that is already counted.\n1 other file is not a game.\n" in text
    heads = [block.split("\n")[0].split(",")[0] for block in text.split("\n\n")]
    assert heads == [
        "GAMES",
        "OPEN GAMES",
        "WINS BY SEAT",
        "WINS BY PLACE IN THE FIRST PLAYER ORDER",
        "WINS BY MEMBERS AT THE END",
        "LEAD OF THE LARGEST CLAN",
        "CLANS AT THE END",
        "HARVEST OF A CLAN IN A GAME",
        "TECHNOLOGY CARDS BY PRICE PAID",
        "TECHNOLOGY CARDS BY GAME ROUND",
        "TECHNOLOGY CARDS",
        "PLAYERS",
    ]


@pytest.mark.parametrize("form", [(), ("--json",), ("--html",)], ids=["table", "json", "html"])
def test_the_same_games_give_the_same_bytes(
    form: tuple[str, ...], archive: Path, run: Callable[..., tuple[int, str]]
) -> None:
    (archive / "torn.toml").write_text("[state", encoding="utf-8")
    first = run(archive, *form)

    assert first[0] == 76
    assert run(archive, *form) == first == run(archive, *form, "--jobs", "3")


def test_a_file_that_cannot_be_read_is_named_and_counted(archive: Path, run: Callable[..., tuple[int, str]]) -> None:
    """The others are counted all the same, and the exit status says that something is wrong."""
    path = archive / "2026" / "4-players.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("idle = ", "idle = 1", 1), encoding="utf-8")

    status, text = run(archive)
    code, answer = run(archive, "--json")
    html = run(archive, "--html")[1]

    assert (status, code) == (76, 76)
    assert "snapshot does not match the log" in " ".join(text.split("FILES THAT CANNOT BE READ\n")[1].split())
    data = json.loads(answer)
    assert fits(data, "answer")
    assert data["message"] == "5 games, 1 file cannot be read"
    assert (data["ok"], data["games"], data["failed"], data["copies"]) == (False, 5, 1, 0)
    assert [failure["file"] for failure in data["failures"]] == [str(path)]
    assert "1 file cannot be read" in html
    assert "4-players.toml" in html


def test_json_has_the_keys_of_its_schema(archive: Path, run: Callable[..., tuple[int, str]]) -> None:
    status, answer = run(archive, "--json")

    data = json.loads(answer)
    assert (status, data["ok"], data["message"]) == (0, True, "5 games")
    assert fits(data, "answer")
    assert not fits(data | {"another": 1}, "answer")
    assert [group["players"] for group in data["groups"]] == [2, 3, 4, 5, 6]


ERRORS = {
    "an empty folder": (("empty",), 66, "no game files found"),
    "no folder": (("nowhere",), 66, "nowhere"),
    "a file that is no game": (("notes.txt",), 65, "is not a game file"),
    "a torn game": (("torn.toml",), 76, "the snapshot does not match the log"),
    "nothing": ((), 2, "Missing argument"),
    "two forms": (("empty", "--json", "--html"), 2, "--html cannot be combined with --json"),
}


@pytest.mark.parametrize(("arguments", "status", "message"), ERRORS.values(), ids=list(ERRORS))
def test_what_cannot_be_counted_is_an_error(
    arguments: tuple[str, ...],
    status: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    Path("notes.txt").write_text("Hello", encoding="utf-8")
    text = (RECORDED / "4-players.toml").read_text(encoding="utf-8")
    Path("torn.toml").write_text(text.replace("idle = ", "idle = 1", 1), encoding="utf-8")

    assert cli.run(["stats", *arguments]) == status

    said = capsys.readouterr()
    assert message in said.out + said.err


def test_the_page_is_whole_by_itself_and_escapes_names(archive: Path, run: Callable[..., tuple[int, str]]) -> None:
    """Nothing is fetched, nothing runs, and each chart says in words what it shows."""
    evil = ("<script>alert(1)</scrip", "&amp;\"'<b>", "Cara")
    names = tuple(f"{name}:{colour}" for name, colour in zip(evil, ("red", "blue", "green"), strict=True))
    pbem.save(a_short_game("evil", names), archive / "evil.toml")

    html = run(archive, "--html")[1]

    assert "&lt;script&gt;alert(1)&lt;/scrip" in html
    assert "&amp;amp;&quot;&#x27;&lt;b&gt;" in html
    for word in ("<script", "http", "url(", "@import", "<img", "<link", "onload"):
        assert word not in html
    tags = Counter(re.findall(r"<(/?\w+)", html))
    for tag in ("section", "table", "svg", "ul", "details", "main", "tr", "text", "title"):
        assert tags[tag] == tags[f"/{tag}"] > 0
    assert html.count('role="img" aria-label="') == tags["svg"] == 7
    assert "prefers-color-scheme:dark" in html


@pytest.mark.slow
@pytest.mark.needs("chromium")
def test_the_page_fits_on_a_phone_with_all_its_tables_open(archive: Path, tmp_path: Path) -> None:
    names = tuple(f"{name}:{c}" for name, c in zip(("W" * 24, "x" * 23, "Cara"), ("red", "blue", "green"), strict=True))
    pbem.save(a_short_game("wide", names), archive / "wide.toml")
    broken = archive / f"{'y' * 100}.toml"
    broken.write_text((archive / "wide.toml").read_text(encoding="utf-8").replace("turn = ", "turn = 9"))
    page = re.sub("<title>.*?</title></rect>", "</rect>", html_of(counted(archive)))  # a box that nobody sees

    assert not misfits(tmp_path, [("folded", page), ("open", page.replace("<details>", "<details open>"))])
