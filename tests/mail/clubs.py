"""A club in a folder of its own, with games that people play, for the tests of time and of the host's tools."""

import re
import shutil
import tomllib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial, reduce
from pathlib import Path
from random import Random
from unittest.mock import patch

from bots import a_sensible_choice
from people import Mail, delivered, nothing_quoted, read, reply
from templates import copied, template

from pbem import loading
from pbem.carriers.mail.settings import MailClub, read_club
from pbem.carriers.mail.setup import create
from pbem.carriers.mail.take import take
from pbem.club import private
from pbem.club.deadlines import Ticked, tick_all
from pbem.club.folder import GameFolder, read_roster, roster_sections
from pbem.club.index import INDEX
from pbem.club.opening import open_game
from pbem.club.store import load
from pbem.first_sparks.record import Record, first_head, next_head
from pbem.secrets import secret_path
from pbem.table.messages.verdict import Verdict
from pbem.table.people import Opening, Player, Roster
from pbem.table.table import decides

START = datetime(2026, 11, 21, 12, tzinfo=UTC)
ADDRESS, HOST = "pbem@example.org", "host@example.org"
ANN, BOB, CY = "ann@x.example", "bob@y.example", "cy@z.example"
SECRET = bytes(range(32))


def a_club(folder: Path, *games: str, waves: bool = False, turn: int = 0) -> MailClub:
    """Return a new club with games of three on a recommended board; the letters of their beginning are out already.

    With *waves*, as clubs have them by default, several players can be asked at the same time. People have played the
    only game up to that *turn*, as ``play`` lets them.
    """
    given = games or ("friday",), waves, turn
    copied(template("club", partial(_made, *given), *given, MailClub.salts), folder)
    return read_club(folder)


def a_copy(make: Callable[[Path], object], folder: Path) -> MailClub:
    """Return a copy of the club that a function makes in a folder, once for all tests."""
    copied(template(f"{make.__module__}.{make.__name__}", make, MailClub.salts), folder)
    return read_club(folder)


def copy_of(table: GameFolder, name: str) -> GameFolder:
    """Return a copy of a game, as a game of that name beside it."""
    copy = GameFolder(Path(shutil.copytree(table.folder, table.folder.with_name(name))))
    for path in filter(Path.exists, (copy.game, copy.begun)):
        record = loading.load(path).record
        head = reduce(next_head, record.log, first_head(record._replace(game=name)))
        text = path.read_text().replace(f'game = "{record.game}"', f'game = "{name}"', 1)
        path.write_text(text.replace(record.head, head))
    if (secret := secret_path(copy.game)).exists():
        secret.write_text(secret.read_text().replace(f'game = "{table.name}"', f'game = "{name}"'))
    return copy


def _made(games: tuple[str, ...], waves: bool, turn: int, folder: Path) -> None:
    """Make such a club, of which all tests have copies."""
    if turn:
        (game,) = games
        play(a_club(folder, game, waves=waves), turn, game)
        return
    create(folder, ADDRESS, HOST)
    text = (folder / "club.toml").read_text().replace("picture = true", "picture = false")
    text = text if waves else text.replace("waves = true", "waves = false")
    (folder / "club.toml").write_text(text.replace('strangers = "silent"', 'strangers = "answer"'))
    club = read_club(folder)
    for game in games:
        players = (f"Ann:green={ANN}", f"Bob:red={BOB}", f"Cy:blue={CY}")
        with patch("pbem.game_setup.secret_from", lambda _: SECRET):
            open_game(club, game, players, Opening(3, "recommended"), None)


def a_table(club: MailClub, game: str = "friday") -> GameFolder:
    """Return a game's folder."""
    return GameFolder(club.games / game)


def the_record(club: MailClub, game: str = "friday") -> Record:
    """Return a game as its file has it now."""
    return loading.load(a_table(club, game).game).record


def the_asked(club: MailClub, game: str = "friday") -> Player:
    """Return the player who must decide now."""
    player = read_roster(a_table(club, game)).player(decides(the_record(club, game)))
    assert player is not None
    return player


def play(club: MailClub, turn: int, game: str = "friday", seed: int = 1) -> None:
    """Let people answer their mails until the game is at that turn; what is in the outbox then stays there."""
    random = Random(seed)
    while (record := the_record(club, game)).turn < turn:
        now = f"[{game}/{record.turn}/{record.head[:8]}]"
        found = [(path, read(path.read_bytes())) for path in (club.outbox / "new").glob(f"{game}-*")]
        question = next(mail for _, mail in found if mail.asks and mail.marker[0].endswith(now))
        for path, _ in found:
            path.unlink()
        raw = reply(question, an_order(question, random), beneath=nothing_quoted)
        assert take(club, raw).code == "played"


def play_to_the_end(club: MailClub, game: str = "friday", seed: int = 1) -> Record:
    """Let people answer their mails sensibly until the game is over, one each day, and return the game."""
    random = Random(seed)
    while decides(record := the_record(club, game)):
        now = f"[{game}/{record.turn}/{record.head[:8]}]"
        found = [(path, read(path.read_bytes())) for path in (club.outbox / "new").glob(f"{game}-*")]
        question = next(mail for _, mail in found if mail.asks and mail.marker[0].endswith(now))
        for path, _ in found:
            path.unlink()
        day = format_datetime(START + timedelta(days=record.turn))
        order = str(a_sensible_choice(record.state, random))
        raw = reply(question, order, headers=(f"Received: from x; {day}",), beneath=nothing_quoted)
        assert take(club, raw).code == "played"
    return record


def play_to_a_mild_question(club: MailClub, game: str = "friday") -> str:
    """Play on until the question can be answered with decline, pass or stay, and return who is asked."""
    while not (awaited := load(club, a_table(club, game)).situation.awaited)[0].mildest:
        play(club, the_record(club, game).turn + 1, game)
    return awaited[0].colour


def an_order(mail: Mail, random: Random | None = None) -> str:
    """Return an order that answers the question of a mail: the first that can be tapped, or any, or the example."""
    taps = [tap.body.split("\n", 1)[0] for tap in mail.taps]
    found = taps or re.findall('write "([^"]+)"', mail.text.split("To answer,")[1])[:1]
    return random.choice(found) if random else found[0]


def resigned(club: MailClub, mail: Mail) -> Verdict:
    """Answer a mail with ``resign``, and the question whether that is meant with ``yes``."""
    assert take(club, reply(mail, "resign")).code == "proposed"
    asks = next(asks for asks in letters(club) if asks.to == mail.to)
    return take(club, reply(asks, "yes"))


def a_bounce(mail: Mail, action: str = "failed", message: str = "") -> bytes:
    """Return the report of a server (RFC 3464) that a letter was not delivered."""
    head = mail.raw.replace(b"\r\n", b"\n").partition(b"\n\n")[0].decode()
    return (
        "Return-Path: <>\nFrom: MAILER-DAEMON@mx.example\nTo: pbem@example.org\nSubject: Undelivered\n"
        f"Message-ID: <{message or 'b'}@mx.example>\nMIME-Version: 1.0\n"
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\n\n'
        "--b\nContent-Type: text/plain\n\nI am sorry.\n"
        f"--b\nContent-Type: message/delivery-status\n\nFinal-Recipient: rfc822; {mail.to}\nAction: {action}\n"
        f"Status: 5.1.1\n\n--b\nContent-Type: text/rfc822-headers\n\n{head}\n\n--b--\n"
    ).encode()


def letters(club: MailClub) -> list[Mail]:
    """Empty the outbox and return what was in it."""
    return delivered(club.folder)


def ticked(club: MailClub, hours: float, *, release: bool = False) -> list[Ticked]:
    """Tick so many hours after ``START``."""
    return list(tick_all(club, START + timedelta(hours=hours), release=release))


def terms(club: MailClub, text: str, game: str = "friday") -> None:
    """Write the terms of a game's clock."""
    private.keep(a_table(club, game).private, {"clock": tomllib.loads(text)})


def keep_roster(table: GameFolder, roster: Roster) -> None:
    """Write who plays a game, as a host does by hand."""
    private.keep(table.private, roster_sections(roster))


def kept(table: GameFolder, section: str) -> str:
    """Return what a section of ``private.toml`` has, as text; "" for nothing."""
    return str(private.sections(table.private).get(section, ""))


def has_ticked(table: GameFolder) -> bool:
    """Return whether a tick has seen the game."""
    return "ticks" in private.sections(table.private)


def tree(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder with what is in it, but not the index, which depends on the times of files."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != INDEX)
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}
