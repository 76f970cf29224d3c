"""People play whole games through mailboxes alone, while the post loses, doubles, delays and mixes up their mails."""

import os
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bots import a_sensible_choice
from clubs import START, a_table, terms, the_record
from forked import run_program
from people import Mail, drop, read, tapped
from programs import PROGRAMS

from pbem.carriers.mail.outgoing import outbox
from pbem.carriers.mail.service import run_once
from pbem.carriers.mail.settings import MailClub, read_club
from pbem.carriers.mail.setup import create
from pbem.club.deadlines import tick_all
from pbem.club.host import resend
from pbem.club.journal import journal_rows
from pbem.club.opening import open_game
from pbem.first_sparks.options import BoardWay
from pbem.first_sparks.plans.waves import as_asked
from pbem.first_sparks.proof import verify
from pbem.first_sparks.record import Record
from pbem.table.people import Opening
from pbem.table.table import decides

pytestmark = pytest.mark.salted

NAMES = ("Ann", "Bob", "Cy", "Dora", "Eve", "Finn")
HOST = "host@example.org"
STEP = timedelta(hours=6)  # the clock ticks every other one
A_DAY, A_WEEK = 4, 28
# Of a hundred mails, either way; most others arrive in the step in which they were sent.
LOST, DOUBLED, DELAYED = 10, 12, 20
MOST_STEPS = 4000


class Post:
    """The way of mails from one to another, with all that happens to them there."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.under_way: list[tuple[int, bytes]] = []
        self.lost = 0

    def carry(self, raw: bytes, step: int) -> None:
        """Take a mail."""
        chance = self.random.randrange(100)
        self.lost += chance < LOST
        for _ in range(0 if chance < LOST else 2 if chance < LOST + DOUBLED else 1):
            delay = self.random.randrange(1, 8) if self.random.randrange(100) < DELAYED else 0
            self.under_way.append((step + delay, raw))

    def arrives(self, step: int) -> list[bytes]:
        """Return the mails that arrive now, in any order."""
        due = [raw for when, raw in self.under_way if when <= step]
        self.under_way = [(when, raw) for when, raw in self.under_way if when > step]
        self.random.shuffle(due)
        return due


class Player:
    """Somebody who answers each question, and says something now and then.

    Orders are taken from the text or the links of a mail, or thought out, where the board lies as in the mail.
    """

    def __init__(self, name: str, random: Random) -> None:
        self.name, self.random = name, random
        self.got: list[Mail] = []

    def answer(self, mail: Mail, record: Record) -> tuple[bytes, str] | None:
        """Return what is sent when a mail has come, with what is said to the table, if an answer is asked for."""
        self.got.append(mail)
        if not mail.asks:
            return None
        number = len(self.got)
        taps = [tap for tap in mail.taps if not tap.body.startswith(("resign", "agree"))]
        orders = [tap.body.split("\n", 1)[0] for tap in taps] or mail.examples
        order = self.random.choice(orders)
        if f"[{record.game}/{record.turn}/{record.head[:8]}]" in mail.marker[0] and self.random.random() < 0.9:
            own = next(colour for colour, name in record.players if name == self.name)
            order = str(a_sensible_choice(as_asked(record.state, own), self.random))
        tap = next((tap for tap in taps if tap.body.startswith(f"{order}\n")), None)
        if tap is not None and self.random.random() < 0.2:
            return tapped(mail, tap), ""
        if self.random.random() < 0.05:
            order = "offer 99"  # a slip of the pen, which is refused and asked again
        saying = f"saying-{number}-of-{self.name}" if self.random.random() < 0.2 else ""
        words = f"{order}\n\nHello, {saying} to you all" if saying else order
        return self.random.choice(PROGRAMS)(mail, words, number), saying


def begun(folder: Path, players: int) -> tuple[MailClub, dict[str, Player]]:
    """Return a club with a game that has just begun, and who plays it, by their addresses."""
    create(folder, "pbem@example.org", HOST)
    settings = folder / "club.toml"
    settings.write_text(settings.read_text().replace("picture = true", "picture = false"))
    club = read_club(folder)
    people = {f"{name.lower()}@home.example": Player(name, Random(name)) for name in NAMES[:players]}
    seats = tuple(f"{player.name}={address}" for address, player in people.items())
    board: BoardWay = "players" if players == 6 else "recommended"
    open_game(club, "friday", seats, Opening(players, board, hide_food=players == 4), None)
    terms(club, 'deadline = "2 days"\nreminders = ["1 day"]\ngrace = "1 day"\nthen = "tell"\n')
    return club, people


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_a_whole_game_is_played_by_mail_alone(players: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # no power fails here, and the disk is slow
    random = Random(players + 20)
    monkeypatch.setattr(os, "urandom", random.randbytes)
    club, people = begun(tmp_path / "club", players)
    table = a_table(club)
    there, back = Post(random), Post(random)
    letters: list[Mail] = []
    said: dict[str, tuple[str, str]] = {}

    step = moved = 0
    record = the_record(club)
    while decides(record) or there.under_way or back.under_way or outbox.waiting(club):
        step += 1
        assert step < MOST_STEPS
        for path in outbox.waiting(club):
            raw = path.read_bytes()
            path.unlink()
            letters.append(read(raw))
            if letters[-1].to != HOST:
                there.carry(raw, step)
        if step - moved > A_WEEK and not (step - moved) % A_DAY:  # the host sees in the status who is waited for
            resend(club, table)
        for raw in there.arrives(step):
            to = read(raw).to
            answer = people[to].answer(read(raw), record)
            if answer is not None:
                back.carry(answer[0], step)
                said[sha256(answer[0]).hexdigest()] = to, answer[1]
        for number, raw in enumerate(back.arrives(step)):
            drop(club.folder, raw, f"{step:05}-{number:02}")
        done = run_once(club)
        assert done.troubles == ()
        if "played" in done.codes:
            moved, record = step, the_record(club)
        if step % 2:
            continue
        assert [tick.error for tick in tick_all(club, START + step * STEP) if tick.error] == []

    assert verify(record) == len(record.log)
    rows = journal_rows(table.journal)
    codes = [row["code"] for row in rows]
    assert codes.count("played") + codes.count("planned") == len(list(table.mails.glob("*.eml")))
    assert codes.count("planned") > 0
    if players > 4:  # many mails, so that all of it has happened
        assert min(there.lost, back.lost) > 5
        assert {"late", "already", "refused", "tick"} <= set(codes)
    told_once(said, rows, letters, set(people))
    assert not table.pending.exists()
    assert not list((club.folder / "inbox" / "new").iterdir())
    for words in (("verify",), ("mail", "rebuild", club.folder, "friday"), ("reveal",), ("audit",)):
        done = run_program(*words, *([] if words[1:] else [table.game]))
        assert done.returncode == 0, done.stderr


def told_once(
    said: dict[str, tuple[str, str]], rows: tuple[dict[str, Any], ...], letters: list[Mail], people: set[str]
) -> None:
    """Assert that the words of every accepted mail were written to each other player once, and no other ones."""
    accepted = {row["digest"] for row in rows if row["code"] in ("played", "planned", "heard", "empty")}
    number = 0
    for digest, (address, saying) in said.items():
        if saying:
            told = sorted(mail.to for mail in letters if saying in mail.text)
            assert told == (sorted(people - {address}) if digest in accepted else []), saying
            number += len(told)
    assert number > 0
