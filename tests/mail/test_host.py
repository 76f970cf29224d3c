"""What the host does is done wholly, told to the players, and leaves nothing of value in old mails."""

import json
import re
from pathlib import Path

import pytest
from bots import play_file
from clubs import (
    ADDRESS,
    ANN,
    BOB,
    CY,
    START,
    a_club,
    a_table,
    an_order,
    letters,
    play,
    play_to_a_mild_question,
    terms,
    the_asked,
    the_record,
    ticked,
    tree,
)
from people import Mail, read, reply

from pbem import loading, secrets
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.carriers.rebuild import compare, rebuilt, write
from pbem.cli.app import run
from pbem.club import host
from pbem.club.folder import read_roster
from pbem.club.journal import journal_rows
from pbem.club.opening import open_game
from pbem.club.status import rows_of
from pbem.club.store import load
from pbem.errors import Broken, CannotCreate, Illegal, NoSuchFile, NotUnderstood, UsageError
from pbem.first_sparks.proof import verify
from pbem.first_sparks.record import at_turn
from pbem.loading import order_lines
from pbem.table.letters.situation import letter
from pbem.table.people import Opening

ALL = {ANN, BOB, CY}


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with one game at turn 6; who is asked has not yet got the question."""
    return a_club(tmp_path / "club", turn=6)


def the_question(club: MailClub) -> Mail:
    """Return the mail to who is asked, and empty the outbox."""
    to = the_asked(club).reader
    return next(mail for mail in letters(club) if mail.to == to and mail.taps)


# Replacing


def test_who_is_replaced_gets_no_word_in_any_more_and_the_new_player_plays_on(club: MailClub) -> None:
    table, before = a_table(club), the_asked(club)
    old = the_question(club)

    host.replace(club, table, before.name, "Dora", "dora@new.example")
    told = {mail.to: mail for mail in letters(club)}
    refused = take(club, reply(old, an_order(old)))
    played = take(club, reply(told["dora@new.example"], an_order(told["dora@new.example"])))

    assert told.keys() == ALL | {"dora@new.example"}
    assert "you will get no more letters" in " ".join(told[before.address].text.split())
    assert not told[before.address].asks
    assert "This is friday, a game of The First Sparks. You play blue against" in " ".join(
        told["dora@new.example"].text.split()
    )
    for mail in told.values():
        who = "You play" if mail.to == "dora@new.example" else "Dora plays"
        assert f"{who} {before.colour} from now on, instead of {before.name}." in " ".join(mail.text.split())
    assert refused.code != "played"
    assert played.code == "played"
    assert verify(the_record(club)) == len(the_record(club).log)
    assert dict(the_record(club).players)[before.colour] == before.name, "the hash chain stands on the first name"


def test_who_takes_a_seat_over_has_an_own_name_in_every_text(club: MailClub) -> None:
    """And the file keeps the one with which the game began."""
    table, before = a_table(club), the_asked(club)
    gone, stays = before.name, next(p for p in read_roster(table).players if p.colour != before.colour)
    letters(club)
    host.replace(club, table, before.colour, "Dora", "dora@new.example")
    told = letters(club)
    own = next(mail for mail in told if mail.to == "dora@new.example")
    host.resend(club, table, to_all=True)
    told += letters(club)
    other = next(mail for mail in told if mail.to == stays.address)
    refused = take(club, reply(own, "offer 41"))
    assert take(club, reply(other, "offer 41")).code == "refused"
    answers = letters(club)
    mixed = b'multipart/mixed; boundary="b"'
    raw = reply(own, "", beneath=lambda _: "").replace(b"text/plain; charset=utf-8", mixed)
    move = f'player = "Dora"\norders = ["{an_order(own)}"]\n'
    part = "--b\nContent-Type: application/toml\nContent-Disposition: attachment; filename=move.toml\n\n"
    played = take(club, raw + f"{part}{move}--b--\n".encode())

    assert (refused.code, played.code) == ("refused", "played")
    texts = [" ".join(mail.text.split()) for mail in (*told, *answers, *letters(club))]
    assert len(texts) > 8
    assert [text for text in texts if gone in text.replace(f"instead of {gone}", "")] == []
    assert all("Dora" in text for text in texts if "CLANS" in text)
    assert any(stays.name in text for text in texts)
    record = the_record(club)
    assert (dict(record.players)[before.colour], verify(record)) == (gone, len(record.log))
    assert rebuilt(club, table)[0].record.head == record.head
    assert {row["name"] for row in rows_of(club)} <= {p.name for p in read_roster(table).players}


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("Bob", "new@x.example"),
        ("Dora", "no address"),
        ("D:a", "d@x.example"),
        ("", "d@x.example"),
        ("red", "d@x.example"),
    ],
)
def test_a_seat_goes_to_nobody_who_cannot_be_told_apart_or_written_to(club: MailClub, name: str, address: str) -> None:
    before = tree(club.folder)
    with pytest.raises(UsageError):
        host.replace(club, a_table(club), "green", name, address)

    assert tree(club.folder) == before


def test_a_seat_is_given_to_the_same_player_once_in_a_row(club: MailClub) -> None:
    host.replace(club, a_table(club), "green", "Ann", ANN)  # with a new key: a letter has fallen into wrong hands
    before = tree(club.folder)

    with pytest.raises(UsageError):
        host.replace(club, a_table(club), "green", "Ann", ANN)

    assert tree(club.folder) == before


def test_a_player_may_get_another_address_and_keep_the_name(club: MailClub) -> None:
    host.replace(club, a_table(club), "green", "Ann", "ann@new.example")

    assert read_roster(a_table(club)).player("green").address == "ann@new.example"  # type: ignore[union-attr]


def test_who_only_gets_another_name_is_not_told_to_go(club: MailClub) -> None:
    letters(club)
    host.replace(club, a_table(club), "green", "Anna", ANN)

    assert [mail.marker[0][:2] for mail in letters(club)] == ["=="] * 3


# Answering for somebody


def test_the_host_answers_for_who_is_asked_who_is_told_and_a_rebuild_finds_it(club: MailClub) -> None:
    colour = play_to_a_mild_question(club)
    letters(club)
    before = the_record(club)

    for _ in range(2):
        host.decide(club, a_table(club))
        after, sent = the_record(club), letters(club)
        host.take_back(club, a_table(club), before.turn)
        letters(club)

    order = after.log[len(before.log)].removeprefix(f"{after.turn} {colour} ")
    assert order in ("decline", "pass", "stay")
    told = next(mail for mail in sent if mail.to == {"green": ANN, "red": BOB, "blue": CY}[colour])
    assert f"The host has played for you: {order}." in told.text
    row = next(row for row in reversed(journal_rows(a_table(club).journal)) if row["code"] == "played")
    assert row["instead"]
    made, _ = rebuilt(club, a_table(club))
    compare(a_table(club), made.record)


def test_the_host_may_answer_with_any_order_and_only_with_a_legal_one(
    club: MailClub, capsys: pytest.CaptureFixture[str]
) -> None:
    order, before = an_order(the_question(club)), tree(club.folder)
    command = ["mail", "answer", str(club.folder), "friday"]

    assert run([*command, "offer", "41"]) == 65
    assert run([*command, "dance"]) == 65
    assert tree(club.folder) == before
    assert "refused, and nothing was changed: " in capsys.readouterr().err
    assert run([*command, *order.upper().split()]) == 0
    assert capsys.readouterr().out == f"played for Cy: {order}\n"
    assert the_record(club).turn == 7


def test_nobody_is_answered_for_by_chance_where_no_answer_is_mild_or_the_game_is_over(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    laid = open_game(club, "laid", (f"Ann={ANN}", f"Bob={BOB}"), Opening(2), None)
    with pytest.raises(NotUnderstood, match="cannot decline"):
        host.decide(club, laid)
    host.decide(club, laid, "resign")
    with pytest.raises(Illegal, match="the game is over"):
        host.decide(club, laid)


# Pausing


def test_a_pause_without_a_reason_is_told_in_a_whole_sentence(club: MailClub) -> None:
    the_question(club)

    host.pause(club, a_table(club), "")

    said = "The host has paused the game without giving a reason. No orders are accepted until it is resumed."
    assert all(said in " ".join(mail.text.split()) for mail in letters(club))


def test_a_paused_game_takes_no_order_and_all_are_told(club: MailClub) -> None:
    question = the_question(club)

    host.pause(club, a_table(club), "Ann has a baby")
    told = letters(club)
    refused = take(club, reply(question, an_order(question)))
    letters(club)
    host.resume(club, a_table(club))

    assert {mail.to for mail in told} == ALL
    assert all("paused the game: Ann has a baby." in " ".join(mail.text.split()) for mail in told)
    assert refused.code == "paused"
    assert {mail.to for mail in letters(club)} == ALL
    assert take(club, reply(question, an_order(question), number=1)).code == "played"


# Taking back


def test_the_last_move_is_taken_back_and_kept(club: MailClub) -> None:
    at_five = at_turn(the_record(club), 5)
    six = the_record(club)
    six_text = a_table(club).game.read_bytes()
    letters(club)

    host.take_back(club, a_table(club))

    after = the_record(club)
    assert (after.turn, after.log, after.head) == (5, at_five.log, at_five.head)
    assert after.log == six.log[: len(after.log)]
    assert verify(after) == len(after.log)
    assert (a_table(club).taken_back / f"0006-{six.head[:8]}.toml").read_bytes() == six_text
    assert journal_rows(a_table(club).journal)[-1]["code"] == "taken back"
    told = letters(club)
    assert {mail.to for mail in told} == ALL
    undone = next(line for line in six.log if line.startswith("6 "))
    assert all("taken the game back to turn 5" in " ".join(mail.text.split()) for mail in told)
    assert all(undone in " ".join(mail.text.split()) for mail in told)
    for mail in told:
        assert ("Please answer this letter: replies to earlier ones" in mail.text) == mail.asks
        assert ("Replies to earlier letters no longer count." in mail.text) != mail.asks
    mine = next(mail for mail in told if mail.to == the_asked(club).address)
    assert take(club, reply(mine, an_order(mine))).code == "played"


def test_every_state_on_the_way_can_be_gone_back_to(club: MailClub) -> None:
    record = the_record(club)
    for turn in range(record.turn):
        earlier = at_turn(record, turn)
        assert earlier.turn == turn
        assert verify(earlier) == len(earlier.log)
    assert at_turn(record, record.turn)._replace(state=record.state) == record


def test_no_mail_from_before_is_worth_anything_when_its_turn_comes_again(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club", turn=4)
    old: list[bytes] = []
    for turn in range(4, 7):
        question = the_question(club)
        old.append(reply(question, an_order(question), number=9))
        assert take(club, reply(question, an_order(question))).code == "played"
        assert the_record(club).turn == turn + 1
    host.take_back(club, a_table(club), 4)
    for turn in range(4, 8):
        question = the_question(club)
        before = the_record(club)
        for raw in old:
            assert take(club, raw).code not in ("played", "already")
        assert the_record(club) == before
        assert take(club, reply(question, an_order(question), number=turn)).code == "played"


def test_a_draw_among_what_is_taken_back_is_warned_of(club: MailClub, capsys: pytest.CaptureFixture[str]) -> None:
    record = the_record(club)
    while not any(line.startswith(f"{record.turn} * draw") for line in record.log):
        play(club, record.turn + 1)
        record = the_record(club)

    assert run(["mail", "takeback", str(club.folder), "friday"]) == 0
    assert "warning: draws were taken back" in capsys.readouterr().out
    assert run(["mail", "takeback", str(club.folder), "friday", "--to", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["turn"] == 0


def test_there_is_no_going_back_to_what_was_not_or_after_the_secret_is_out(club: MailClub) -> None:
    before = tree(club.folder)
    for turn in (6, 7, -1):
        with pytest.raises(Illegal, match="cannot go back"):
            host.take_back(club, a_table(club), turn)
    assert tree(club.folder) == before
    play_file(a_table(club).game, order_lines(["resign"], "")._replace(player="red"))
    play_file(a_table(club).game, order_lines(["resign"], "")._replace(player="blue"))
    secrets.reveal(a_table(club).game)
    with pytest.raises(Illegal, match="secret"):
        host.take_back(club, a_table(club))


def test_a_question_that_comes_again_has_all_the_time(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    ticked(club, 0)
    ticked(club, 30)
    play(club, 1)
    host.take_back(club, a_table(club))
    ticked(club, 40)
    letters(club)
    ticked(club, 70)

    assert letters(club) == []


# Sending again


def test_the_question_is_sent_again_as_it_was(club: MailClub) -> None:
    question = the_question(club)

    host.resend(club, a_table(club))
    again = letters(club)
    host.resend(club, a_table(club), to_all=True)

    assert [(mail.to, mail.marker) for mail in again] == [(question.to, question.marker)]
    assert {mail.to for mail in letters(club)} == ALL


def test_a_bot_gets_no_letter_again(club: MailClub) -> None:
    host.replace(club, a_table(club), "Cy", "Bot", "bot")

    told = host.resend(club, a_table(club), to_all=True)

    assert [player.name for player in told] == ["Ann", "Bob"]


# Rebuilding


def test_a_game_is_rebuilt_from_its_mails_alone(club: MailClub, tmp_path: Path) -> None:
    lost = a_table(club).game.read_bytes()
    a_table(club).game.unlink()

    made, mails = rebuilt(club, a_table(club))
    write(made, tmp_path / "again.toml")

    assert mails == 6
    assert (tmp_path / "again.toml").read_bytes() == lost
    with pytest.raises(CannotCreate):
        write(made, tmp_path / "again.toml")


def test_a_mail_with_a_photo_is_played_and_rebuilt(club: MailClub) -> None:
    asked = the_question(club)
    photo = b"\n--b\nContent-Type: image/jpeg\nContent-Transfer-Encoding: base64\n\n" + (b"Q" * 76 + b"\n") * 130_000
    head, _, text = reply(asked, an_order(asked)).partition(b"\n\n")
    head = head.replace(b"text/plain; charset=utf-8", b"multipart/mixed; boundary=b")

    verdict = take(club, head + b"\n\n--b\n\n" + text + photo + b"--b--\n")

    assert verdict.code == "played"
    compare(a_table(club), rebuilt(club, a_table(club))[0].record)


def test_what_was_taken_back_and_what_the_clock_has_played_is_rebuilt_too(club: MailClub) -> None:
    host.take_back(club, a_table(club), 4)
    play(club, 7, seed=5)
    terms(club, 'then = "answer"\n')
    play_to_a_mild_question(club)
    turn = the_record(club).turn
    for hour in (0, 30, 60, 72, 84):
        ticked(club, hour)
    assert the_record(club).turn == turn + 1

    made, mails = rebuilt(club, a_table(club))

    compare(a_table(club), made.record)
    assert made.record.log == the_record(club).log
    assert mails == 6 + turn + 1 - 4


def test_a_snapshot_that_was_changed_is_not_what_the_mails_lead_to(club: MailClub) -> None:
    text = a_table(club).game.read_text()
    a_table(club).game.write_text(re.sub(r"^food = \d+", "food = 27", text, count=1, flags=re.MULTILINE))

    with pytest.raises(Broken, match="snapshot"):
        compare(a_table(club), rebuilt(club, a_table(club))[0].record)


def test_a_mail_that_is_lost_or_changed_is_named(club: MailClub) -> None:
    mail = min(a_table(club).mails.glob("*.eml"))
    raw = mail.read_bytes()
    mail.write_bytes(raw + b"\n")
    with pytest.raises(Broken, match=f"{mail.name} is not the message that was accepted"):
        rebuilt(club, a_table(club))
    mail.unlink()
    with pytest.raises(NoSuchFile, match="a message is missing"):
        rebuilt(club, a_table(club))


def test_a_game_that_was_played_past_the_mails_is_not_what_they_lead_to(club: MailClub, tmp_path: Path) -> None:
    play_file(a_table(club).game, order_lines(["resign"], "")._replace(player="red"))
    folder = str(club.folder)

    assert run(["mail", "rebuild", folder, "friday"]) == 76
    assert run(["mail", "rebuild", folder, "friday", "-o", str(tmp_path / "again.toml")]) == 0
    assert loading.load(tmp_path / "again.toml").record.turn == 6


# All together


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["replace", "Ann", "Dora=dora@x.example"], "replaced"),
        (["absent", "green", "--until", "2026-12-31"], "absent"),
        (["absent", "green", "--substitute", "sub@x.example"], "absent"),
        (["back", "green"], "back"),
        (["pause", "--why", "holidays"], "paused"),
        (["resume"], "resumed"),
        (["takeback"], "taken-back"),
        (["resend"], "resent"),
        (["resend", "--all"], "resent"),
        (["answer"], "answered"),
        (["rebuild"], "rebuilt"),
    ],
)
def test_every_tool_answers_in_json(
    club: MailClub, capsys: pytest.CaptureFixture[str], words: list[str], code: str
) -> None:
    command, *rest = words
    assert run(["mail", command, str(club.folder), "friday", *rest, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["ok"], said["code"], said["game"]) == (True, code, "friday")


@pytest.mark.parametrize("address", [ADDRESS, "PBEM@Example.org", "pbem+friday@example.org"])
@pytest.mark.parametrize(
    "words",
    [
        ["new", "monday", "Eve={}", "Dan=dan@d.example", "--board", "random"],
        ["new", "monday", "Eve={}", "--seats", "3"],
        ["replace", "friday", "Ann", "Dora={}"],
        ["absent", "friday", "green", "--substitute", "{}"],
    ],
    ids=" ".join,
)
def test_no_player_has_the_address_of_the_club(
    club: MailClub, capsys: pytest.CaptureFixture[str], words: list[str], address: str
) -> None:
    before = tree(club.folder)
    command, *rest = (word.format(address) for word in words)

    assert run(["mail", command, str(club.folder), *rest, "--json"]) == 2

    said = json.loads(capsys.readouterr().out)
    assert said["message"] == f"{address} is the club's own address, where no player reads letters"
    assert tree(club.folder) == before


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["replace", "friday", "Ann", "Dora"], 2),
        (["replace", "friday", "Eve", "Dora=dora@x.example"], 65),
        (["absent", "friday", "green", "--until", "soon"], 65),
        (["absent", "friday", "green", "--substitute", "nobody"], 2),
        (["takeback", "friday", "--to", "99"], 65),
        (["pause", "monday"], 66),
        (["rebuild", "../x"], 66),
    ],
)
def test_what_cannot_be_done_changes_nothing(club: MailClub, words: list[str], status: int) -> None:
    before = tree(club.folder)
    command, *rest = words
    assert run(["mail", command, str(club.folder), *rest]) == status
    assert tree(club.folder) == before


def test_no_tool_tells_a_key_or_the_secret(club: MailClub, capsys: pytest.CaptureFixture[str]) -> None:
    keys = [player.key.hex() for player in read_roster(a_table(club)).players]
    for command in (["status"], ["tick", "--now", START.isoformat()]):
        run(["mail", command[0], str(club.folder), *command[1:], "--json"])
    for command in ("takeback", "pause", "resume", "resend", "rebuild"):
        run(["mail", command, str(club.folder), "friday", "--json"])
    keys += [player.key.hex() for player in read_roster(a_table(club)).players]
    said = capsys.readouterr().out
    sent = "".join(path.read_text() for path in (club.outbox / "new").iterdir())
    journal = a_table(club).journal.read_text()

    for secret in (*keys, bytes(range(32)).hex()):
        assert secret not in said + sent + journal


def test_a_letter_is_in_the_language_of_its_reader(club: MailClub) -> None:
    """There is one language only; the letter takes it from the player all the same."""
    desk = load(club, a_table(club))
    seat = the_asked(club)._replace(language="fr")  # type: ignore[arg-type]

    mail = read(club.posted(letter(desk, seat)).data)

    assert b"\nContent-Language: fr\n" in mail.raw.partition(b"\n\n")[0]
    assert '<html lang="fr">' in mail.html
