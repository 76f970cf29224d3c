"""Salts: every mail of a player adds to the secret of the draws, so that the host who keeps it cannot look ahead."""

from hashlib import sha256
from pathlib import Path

import pytest
from builders import the_components
from clubs import HOST, a_club, a_table, letters, play, play_to_the_end, the_record
from people import Mail, reply

from pbem.carriers.folders import FolderClub
from pbem.carriers.mail.incoming.message import read_message
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.carriers.rebuild import compare, rebuilt
from pbem.cli import app as cli
from pbem.club import host
from pbem.club.folder import GameFolder
from pbem.club.opening import open_game
from pbem.errors import Broken
from pbem.first_sparks.adjudicator import choices, who_decides
from pbem.first_sparks.chance.contributions import Salts
from pbem.first_sparks.chance.draws import salted
from pbem.first_sparks.options import Options
from pbem.first_sparks.play import carried_on, played
from pbem.first_sparks.proof import audit, followed, verify
from pbem.first_sparks.record import Chance, Lines, Record, begin
from pbem.loading import load
from pbem.table.letters.ending import salt_of
from pbem.table.people import Opening

pytestmark = pytest.mark.salted
SEATS = (("red", "Ann"), ("blue", "Bob"))


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    return a_club(tmp_path / "club")


def draw(n: int, k: int, /, salts: bytes = b"") -> int:
    return int.from_bytes(salts) % n


def salts_in(record: Record) -> list[tuple[int, str, str]]:
    return [(e.turn, e.by, e.move.value) for e, _ in record.history if isinstance(e.move, Salts)]


def asked(club: MailClub, game: str = "friday") -> Mail:
    record = the_record(club, game)
    now = f"[{game}/{record.turn}/{record.head[:8]}]"
    return next(mail for mail in reversed(letters(club)) if mail.asks and mail.marker[0].endswith(now))


def test_the_salt_of_a_mail_is_the_sha_256_of_its_message_id(club: MailClub) -> None:
    raw = reply(asked(club), "stay")

    assert take(club, raw).code == "played"

    (salt,) = salts_in(the_record(club))
    name = read_message(raw).message_id
    assert name.startswith("<")
    assert salt == (1, the_record(club).history[-2][0].by, sha256(name.encode()).hexdigest())


def test_the_key_is_made_of_all_salts_one_after_the_other() -> None:
    secret, one, other = bytes(range(32)), bytes([1] * 32), bytes([2] * 32)
    first = sha256(b"first-sparks-salt/1\0" + secret + one).digest()

    assert salted(secret, b"") == secret
    assert salted(secret, one) == first
    both = salted(secret, one + other)
    assert both == sha256(b"first-sparks-salt/1\0" + first + other).digest()
    assert both.hex().startswith("6652dde117a3e6718ae9e7994649826e")


@pytest.mark.slow
def test_a_whole_game_is_proved_and_rebuilt(club: MailClub) -> None:
    record = play_to_the_end(club)

    verify(record)
    assert len(salts_in(record)) == sum(entry.is_order for entry, _ in record.history)
    assert record.chance.secret
    assert audit(record, bytes.fromhex(record.chance.secret)) == record.state.draws
    again, played = rebuilt(club, a_table(club))
    assert (again.record.log, played) == (record.log, len(salts_in(record)))
    compare(a_table(club), again.record)
    salted = tuple(step for step in record.history if not isinstance(step[0].move, Salts))
    with pytest.raises(Broken):
        audit(
            record._replace(lines=Lines(salted, record.log, record.head)),
            bytes.fromhex(record.chance.secret),
        )


def test_the_same_orders_draw_otherwise_with_other_mails(tmp_path: Path) -> None:
    """So a host cannot try out what follows from an order of the own."""
    drawn = set[tuple[str, ...]]()
    for number in range(4):
        club = a_club(tmp_path / str(number))
        while not any(entry.turn and str(entry.move).startswith("draw") for entry, _ in the_record(club).history):
            question = asked(club)
            order = question.taps[0].body.split("\n", 1)[0]
            assert take(club, reply(question, order, number=number)).code == "played"
        drawn.add(tuple(line for line in the_record(club).log if " draw " in line))
    assert len(drawn) > 1


def test_players_read_the_salt_of_their_last_mail(club: MailClub) -> None:
    raw = reply(asked(club), "stay")
    digits = sha256(read_message(raw).message_id.encode()).hexdigest()[:16]
    take(club, raw)
    play(club, 6)

    told = [mail for mail in letters(club) if digits in " ".join(mail.text.split())]

    assert {mail.to for mail in told} <= {read_message(raw).sender}
    for mail in told:
        assert f"added {digits} to the secret of the draws" in " ".join(mail.text.split())


def test_who_has_taken_a_seat_over_reads_of_no_salt_of_somebody_else(club: MailClub) -> None:
    question = asked(club)
    take(club, reply(question, "stay"))
    letters(club)
    colour = the_record(club).log[-1].split()[1]

    host.replace(club, a_table(club), colour, "Zoe", "zoe@new.example")

    (welcome,) = (mail for mail in letters(club) if mail.to == "zoe@new.example")
    assert "to the secret of the draws" not in " ".join(welcome.text.split())
    host.resend(club, a_table(club), to_all=True)
    (again,) = (mail for mail in letters(club) if mail.to == "zoe@new.example")
    assert "to the secret of the draws" not in " ".join(again.text.split())


def test_the_salt_that_is_told_is_the_newest_of_that_player() -> None:
    record = begin("friday", SEATS, Options("recommended"), the_components(), Chance("sealed", "0" * 64, salted=True))
    record, _ = carried_on(record, draw)
    salts, own = [sha256(bytes([number])).hexdigest() for number in range(4)], dict[str, str]()
    for salt in salts:
        colour, order = str(who_decides(record.state)), next(iter(choices(record.state)))
        record, _ = played(record, colour, order, draw, salt)
        own[colour] = salt

    assert len(own) < len(salts)
    for colour, salt in own.items():
        assert salt[:16] in " ".join(salt_of(record, colour))


def test_nobody_but_a_player_adds_a_salt(club: MailClub) -> None:
    """An answer by the host or the clock comes from nobody's mail."""
    assert cli.run(["mail", "answer", str(club.folder), "friday", "stay"]) == 0

    assert salts_in(the_record(club)) == []
    record, _ = rebuilt(club, a_table(club))
    assert record.record == the_record(club)


def test_the_host_who_plays_adds_no_salt(tmp_path: Path) -> None:
    """The keeper of the secret could write the own mail again until the draw suits."""
    club = a_club(tmp_path / "club")
    open_game(club, "monday", (f"Ann={HOST}", "Bob=b@x.example"), Opening(2, "recommended"), None)
    while len(the_record(club, "monday").log) < 60:
        question = asked(club, "monday")
        assert take(club, reply(question, question.taps[0].body.split("\n", 1)[0])).code == "played"
    record = the_record(club, "monday")

    players = {name: colour for colour, name in record.players}
    assert {by for _, by, _ in salts_in(record)} == {players["Bob"]}
    assert any(entry.is_order and entry.by == players["Ann"] for entry, _ in record.history)
    assert rebuilt(club, a_table(club, "monday"))[0].record.log == record.log


def test_games_by_files_have_no_salts(tmp_path: Path) -> None:
    assert cli.run(["club", "init", str(tmp_path / "club"), "--host", "Eve"]) == 0
    assert cli.run(["club", "new", str(tmp_path / "club"), "friday", "Ann", "Bob"]) == 0

    assert not FolderClub.salts
    assert not load(GameFolder(tmp_path / "club" / "games" / "friday").game).record.chance.salted


def test_a_salt_in_a_game_that_takes_none_is_refused(club: MailClub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MailClub, "salts", False)
    open_game(club, "monday", ("Ann=a@x.example", "Bob=b@x.example"), Opening(2, "recommended"), None)
    record = the_record(club, "monday")

    assert not record.chance.salted
    assert salts_in(record) == []


@pytest.mark.parametrize("line", ["1 {by} salts {salt}", "1 {other} salts {salt}", "1 yellow salts {salt}"])
def test_each_order_has_one_salt_and_no_other_line_has_any(club: MailClub, line: str) -> None:
    """So that a host cannot add some in somebody's name until the draws are as wished."""
    assert take(club, reply(asked(club), "stay")).code == "played"
    record = the_record(club)
    by = record.history[-2][0].by
    other = next(colour for colour, _ in record.players if colour != by)

    with pytest.raises(Broken, match="must come right after an order"):
        followed(record, (line.format(by=by, other=other, salt="ab" * 32),))
