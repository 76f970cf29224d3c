"""A mail is taken: it is played, or refused with the question again, or needs no answer; and it is never lost."""

import json
import re
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from clubs import ANN, BOB, CY, HOST, a_club, an_order, kept, letters, play, resigned, the_asked, the_record
from forked import run_program
from people import Mail, Person, a_mail, drop, exchange, nothing_quoted, reply, tapped

from pbem import loading
from pbem.carriers.mail.settings import MailClub, read_club
from pbem.carriers.mail.take import take
from pbem.club import host
from pbem.club import store as memory
from pbem.club.folder import GameFolder, read_roster
from pbem.club.journal import journal_rows
from pbem.club.opening import open_game
from pbem.first_sparks.notation import expected
from pbem.first_sparks.proof import _proved, verify
from pbem.table.messages.answers import MOST_NOTED
from pbem.table.people import Opening

ADDRESSES = {"green": ANN, "red": BOB, "blue": CY}


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with a game of three in the placement round; nobody has answered a mail yet."""
    return a_club(tmp_path / "club")


def table(club: MailClub) -> GameFolder:
    return GameFolder(club.games / "friday")


def question(club: MailClub) -> Mail:
    """Return the mail in which a player is asked now, all others having been delivered too."""
    return next(mail for mail in letters(club) if mail.asks)


def others(club: MailClub, asked: Mail) -> list[str]:
    return [address for address in ADDRESSES.values() if address != asked.to]


def codes(club: MailClub) -> list[str]:
    return [row["code"] for row in journal_rows(table(club).journal)]


def pbem(*arguments: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    return run_program(*arguments, stdin=stdin)


# Orders


def test_an_order_is_played_and_the_next_player_is_asked(club: MailClub) -> None:
    asked = question(club)
    order = an_order(asked)

    verdict = take(club, reply(asked, order))

    assert verdict.code == "played"
    assert the_record(club).turn == 1
    assert f"1 {next(p.colour for p in read_roster(table(club)).players if p.address == asked.to)} {order}" in (
        the_record(club).log
    )
    (then,) = (mail for mail in letters(club) if mail.to != asked.to)
    assert then.to == the_asked(club).address
    assert then.asks


@pytest.mark.parametrize("carrier", ["all", "address", "references", "marker"])
def test_one_carrier_of_the_ticket_is_enough(club: MailClub, carrier: str) -> None:
    asked = question(club)
    bare = asked._replace(
        reply_to=asked.reply_to if carrier in ("all", "address") else "pbem@example.org",
        message_id=asked.message_id if carrier in ("all", "references") else "<other@phone.example>",
    )
    words = an_order(asked)
    raw = reply(bare, words) if carrier in ("all", "marker") else reply(bare, words, beneath=nothing_quoted)

    assert take(club, raw).code == "played"


def test_a_tapped_answer_is_played(club: MailClub) -> None:
    asked = question(club)

    assert take(club, tapped(asked, asked.taps[0])).code == "played"


@pytest.mark.parametrize(
    "words",
    ["offer 41", "settle Z9z", "stay\noffer 7", "buy 9 please"],
    ids=["illegal", "no space", "too many", "half"],
)
def test_what_cannot_be_played_is_refused_with_the_question_and_changes_nothing(club: MailClub, words: str) -> None:
    asked = question(club)
    before = table(club).game.read_bytes()

    verdict = take(club, reply(asked, words))

    assert verdict.code == "refused"
    assert table(club).game.read_bytes() == before
    (answer,) = letters(club)
    assert answer.to == asked.to
    assert answer.text.lower().count("nothing was changed") == 1
    assert max(map(len, answer.text.split("\n"))) <= 72
    assert answer.asks
    assert b"Return-Path: <>" in answer.raw


def test_carriers_that_disagree_refuse(club: MailClub) -> None:
    first = question(club)
    assert take(club, reply(first, an_order(first))).code == "played"
    second = question(club)
    mixed = second._replace(reply_to=first.reply_to)

    verdict = take(club, reply(mixed, an_order(second)))

    assert verdict.code == "refused"
    assert the_record(club).turn == 1


def test_from_alone_proves_nothing(club: MailClub) -> None:
    asked = question(club)

    verdict = take(club, a_mail(asked.to, "pbem@example.org", an_order(asked)))

    assert verdict.code == "reminded"
    assert the_record(club).turn == 0


def test_another_players_ticket_does_not_play_for_the_one_who_is_asked(club: MailClub) -> None:
    mails = letters(club)
    asked = next(mail for mail in mails if mail.asks)
    other = next(mail for mail in mails if not mail.asks)

    verdict = take(club, reply(other, an_order(asked), sender=asked.to))

    assert verdict.code == "refused"
    assert the_record(club).turn == 0
    (answer,) = letters(club)
    assert answer.to == other.to


def test_a_forwarded_ticket_is_answered_to_the_player_and_nobody_else(club: MailClub) -> None:
    """Who has the mail may play it, as a player does from another address; what is told goes home."""
    asked = question(club)

    assert take(club, reply(asked, "offer 41", sender="eve@evil.example")).code == "refused"
    assert {mail.to for mail in letters(club)} == {asked.to}
    assert take(club, reply(asked, an_order(asked), sender="ann@work.example")).code == "played"


def test_a_made_up_ticket_is_none(club: MailClub) -> None:
    asked = question(club)
    token = asked.marker[1].rpartition(": ")[2].removesuffix(" ==")
    forged = "0000000000000000"
    raw = reply(asked, an_order(asked), sender="eve@evil.example").replace(token.encode(), forged.encode())

    assert take(club, raw).code == "stranger"
    assert the_record(club).turn == 0


# Late, twice, crossing


def test_the_same_mail_twice_is_played_once_and_not_answered(club: MailClub) -> None:
    asked = question(club)
    raw = reply(asked, an_order(asked))
    take(club, raw)
    letters(club)

    assert take(club, raw).code == "duplicate"
    assert take(club, raw.replace(b"Date: Sat", b"X-Hop: 2\nDate: Sat")).code == "duplicate"
    assert letters(club) == []
    assert the_record(club).turn == 1


def test_a_corrected_mail_is_played_under_its_old_message_id(club: MailClub) -> None:
    """As a program sends it where a mail can be edited and sent again."""
    asked = question(club)
    order = an_order(asked)
    wrong, right = (reply(asked, words, number=1) for words in ("add Z9z", order))

    assert take(club, wrong).code == "refused"
    assert take(club, right).code == "played"


def test_the_same_order_once_more_gets_a_receipt(club: MailClub) -> None:
    asked = question(club)
    take(club, reply(asked, an_order(asked)))
    letters(club)

    verdict = take(club, reply(asked, an_order(asked), number=1))

    assert verdict.code == "already"
    (answer,) = letters(club)
    assert answer.to == asked.to
    assert "you had already played" in answer.text


def test_a_late_order_is_answered_with_todays_question_and_not_applied(club: MailClub) -> None:
    first = question(club)
    other = next(order for order in (tap.body.split("\n")[0] for tap in first.taps) if order != an_order(first))
    take(club, reply(first, an_order(first)))
    log = the_record(club).log
    letters(club)

    verdict = take(club, reply(first, other, number=1))

    assert verdict.code == "late"
    assert the_record(club).log == log
    (answer,) = letters(club)
    assert answer.to == first.to
    assert "[friday/1/" in answer.marker[0]


def test_of_two_crossing_mails_one_is_played_and_the_other_told(club: MailClub) -> None:
    mails = letters(club)
    asked = next(mail for mail in mails if mail.asks)
    other = next(mail for mail in mails if not mail.asks)

    assert resigned(club, other).code == "played"
    assert take(club, reply(asked, an_order(asked))).code == "late"
    told = [mail for mail in letters(club) if mail.to == asked.to]
    assert told[-1].asks


def test_an_order_that_crosses_an_agreement_is_played(club: MailClub) -> None:
    """Somebody agreed to end the game while it was written: what is asked is the same."""
    mails = letters(club)
    asked = next(mail for mail in mails if mail.asks)
    agreed = [reply(mail, "agree end") for mail in mails if not mail.asks]

    assert [take(club, raw).code for raw in agreed] == ["played", "played"]
    assert take(club, reply(asked, an_order(asked))).code == "played"
    assert the_record(club).turn == 3
    assert verify(the_record(club))


def test_a_ticket_from_before_a_takeback_is_late_though_only_agreements_followed(club: MailClub) -> None:
    mails = letters(club)
    asked = next(mail for mail in mails if mail.asks)
    assert take(club, reply(next(mail for mail in mails if not mail.asks), "agree end")).code == "played"
    host.take_back(club, table(club), None)

    assert take(club, reply(asked, an_order(asked))).code == "late"


# Robots, strangers, loops


@pytest.mark.parametrize(
    "header",
    ["Auto-Submitted: auto-replied", "Return-Path: <>", "Precedence: auto_reply", "X-Autoreply: yes"],
)
def test_a_robot_is_neither_played_nor_answered(club: MailClub, header: str) -> None:
    asked = question(club)

    verdict = take(club, reply(asked, an_order(asked), headers=[header]))

    assert verdict.code == "robot"
    assert letters(club) == []
    assert the_record(club).turn == 0


def test_a_persons_order_with_odd_headers_is_played(club: MailClub) -> None:
    asked = question(club)

    assert (
        take(club, reply(asked, an_order(asked), headers=["Precedence: bulk", "List-Id: <us.example>"])).code
        == "played"
    )


def test_a_mail_with_odd_headers_and_no_orders_is_not_answered(club: MailClub) -> None:
    asked = question(club)

    assert take(club, reply(asked, "I am away", headers=["Precedence: bulk"])).code == "robot"
    assert letters(club) == []


def test_our_own_mail_that_comes_back_is_not_answered(club: MailClub) -> None:
    for mail in letters(club):
        assert take(club, mail.raw).code == "robot"
    assert letters(club) == []


def test_a_player_without_a_ticket_is_reminded_once_a_turn_at_the_known_address(club: MailClub) -> None:
    asked = question(club)

    verdicts = [take(club, a_mail(asked.to.upper(), "pbem@example.org", f"offer {n}")).code for n in range(3)]

    assert verdicts == ["reminded", "silent", "silent"]
    (answer,) = letters(club)
    assert answer.to == asked.to
    assert answer.asks


def test_a_stranger_is_told_once_what_this_is_and_learns_nothing_of_a_game(club: MailClub) -> None:
    letters(club)

    verdicts = [take(club, a_mail("eve@evil.example", "pbem@example.org", f"hello {n}")).code for n in range(3)]

    assert verdicts == ["stranger", "silent", "silent"]
    (answer,) = letters(club)
    assert answer.to == "eve@evil.example"
    assert not any(name in answer.text for name in ("Ann", "Bob", "Cy", "friday"))


def test_two_robots_that_look_like_people_come_to_an_end(club: MailClub) -> None:
    """Every mail of ours is answered at once with words that are no order: after a few answers there is silence."""
    rounds = 0
    while (mails := letters(club)) and rounds < 100:
        rounds += 1
        for number, mail in enumerate(mails):
            take(club, reply(mail, "thank you for your mail", number=1000 * rounds + number))

    assert rounds < 10


@pytest.mark.slow
@pytest.mark.parametrize("words", ["offer 99", "Hello.", "", "news every"])
def test_the_journal_grows_no_more_after_very_many_mails_in_one_turn(club: MailClub, words: str) -> None:
    """What can be played still counts."""
    asked = question(club)
    mails = (reply(asked, words, number=number, beneath=nothing_quoted) for number in range(MOST_NOTED + 3))
    found = [take(club, raw).code for raw in mails]

    assert [code == "silent" for code in found] == [False] * MOST_NOTED + [True] * 3
    assert len(codes(club)) == 1 + MOST_NOTED
    assert take(club, reply(asked, an_order(asked))).code == "played"


@pytest.mark.parametrize("raw", [b"", b"\0", b"From: a\n", b"\xff" * 5000, b"Subject: " + b"x" * 300000], ids=str)
def test_any_bytes_are_dealt_with(club: MailClub, raw: bytes) -> None:
    letters(club)

    take(club, raw[:40] if len(raw) > 5000 else raw)

    assert the_record(club).turn == 0


# Wishes and words


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        ("help", "press reply"),
        ("show", "here is the game"),
        ("options", "it is not the turn of"),
        ("rules R4.3", "R4.3"),
        ("rules R99", "no rule has the id or number"),
        ("rules", "the rules that players ask for most"),
        ("rules rot", "R4.15 rotten-food"),
        ("rules spreading", "R6.3 base-cost"),
        ("How does one win?", "R9.2 winner"),
        ("how do I win", "R9.1 thirteenth-member"),
        ("rules rottn", "similar words that rules have: rotten"),
        ("try", "the order to try is missing"),
        ("note", "You have no note"),
        ("news sometimes", "news every, news turn, news none"),
        ("absent until yesterday", "give the last day, like 2026-12-31"),
        ("news every", "after every move"),
        ("absent until 2027-01-02", "away until Sat 2 Jan"),
        ("absent until 2027-99-99", "is not a day"),
        ("back", "You were not away"),
    ],
)
def test_a_wish_is_met_in_one_letter(club: MailClub, wish: str, says: str) -> None:
    other = next(mail for mail in letters(club) if not mail.asks)

    verdict = take(club, reply(other, wish))

    assert verdict.code == "answered"
    (answer,) = letters(club)
    assert answer.to == other.to
    assert says.lower() in " ".join(answer.text.split()).lower()


@pytest.mark.parametrize(
    "words",
    [
        "absent until New Year",
        "I am away until Easter",
        "On holiday, see you",
        "back now",
        "help needed",
        "I would like to unsubscribe now",
    ],
)
@pytest.mark.parametrize("is_asked", [True, False])
def test_what_is_nearly_a_wish_is_answered_and_told_to_the_table(club: MailClub, words: str, is_asked: bool) -> None:
    mail = next(mail for mail in letters(club) if mail.asks == is_asked)

    assert take(club, reply(mail, f"Hello\n{words}\nAnn")).code in ("empty", "heard")

    (answer,) = letters(club)
    said = " ".join(answer.text.split())
    assert answer.to == mail.to
    assert (
        f'I passed "{words}" on to the other players, and did nothing else with it. If it was meant for me, write one'
        in said
    )
    assert "absent until 2026-12-31, back, take back" in said
    assert words in kept(table(club), "sayings")


def test_what_is_nearly_a_wish_beside_an_order_is_answered_too(club: MailClub) -> None:
    asked = question(club)

    assert take(club, reply(asked, f"{an_order(asked)}\n\nI am away until Christmas")).code == "played"
    assert "meant for me" in next(mail for mail in letters(club) if mail.to == asked.to).text


@pytest.mark.parametrize(
    "words", ["Back to the fish!", "The bears are away", "See you on Friday, help yourself to them"]
)
def test_other_talk_is_not_answered(club: MailClub, words: str) -> None:
    other = next(mail for mail in letters(club) if not mail.asks)

    assert take(club, reply(other, words)).code == "heard"
    assert letters(club) == []


def test_news_are_sent_as_each_one_likes(club: MailClub) -> None:
    mails = {mail.to: mail for mail in letters(club)}
    asked = next(mail for mail in mails.values() if mail.asks)
    every, none = others(club, asked)
    take(club, reply(mails[every], "news every"))
    take(club, reply(mails[none], "stop"))
    letters(club)

    take(club, reply(asked, an_order(asked)))

    assert {mail.to for mail in letters(club)} == {asked.to, every, the_asked(club).address}


def test_who_wants_every_news_gets_a_receipt_for_the_own_order_too(club: MailClub) -> None:
    asked = question(club)
    take(club, reply(asked, "news every"))
    again = question(club)

    take(club, reply(again, an_order(again)))

    (receipt,) = (mail for mail in letters(club) if mail.to == asked.to)
    assert an_order(asked).split()[-1] in receipt.text.partition("WHAT HAS HAPPENED")[2].partition("BOARD")[0]


@pytest.mark.parametrize(
    "words",
    [
        "settle Z9z",
        "offer 41",
        "then settle",
        "offer 7\nwell\nstay",
        "rules spreading",
        "absent until soon",
        "news now",
    ],
)
def test_no_letter_to_a_player_has_the_words_of_the_host_or_of_the_program(club: MailClub, words: str) -> None:
    asked = question(club)
    take(club, reply(asked, words))

    (answer,) = letters(club)
    assert not re.search(r"pbem \w|not-understood|order-line|CLUB|--", answer.text.partition("\nBOARD")[0])


def test_an_order_out_of_turn_is_echoed_as_it_was_written(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club", "monday")
    letters(club)
    open_game(club, "two", (f"Ann={ANN}", f"Bob={BOB}"), Opening(2, "recommended"), None)
    while "settle neutral" not in expected(the_record(club, "two").state.phase):
        play(club, the_record(club, "two").turn + 1, "two")
    letters(club)
    host.resend(club, GameFolder(club.games / "two"), to_all=True)
    mine = next(mail for mail in letters(club) if not mail.asks)

    assert take(club, reply(mine, "settle C1c")).code == "refused"
    assert "order: settle C1c\n" in letters(club)[0].text


def test_orders_and_wishes_in_one_mail_are_all_met(club: MailClub) -> None:
    asked = question(club)

    assert take(club, reply(asked, f"{an_order(asked)}\nnews every")).code == "played"
    assert next(p for p in read_roster(table(club)).players if p.address == asked.to).news == "every"
    assert "a letter after every move" in next(mail for mail in letters(club) if mail.to == asked.to).text


def test_table_talk_reaches_each_other_player_once_with_the_next_letter(club: MailClub) -> None:
    mails = letters(club)
    asked = next(mail for mail in mails if mail.asks)
    other = next(mail for mail in mails if not mail.asks)

    assert take(club, reply(other, "Hello all,\nmay the best one win")).code == "heard"
    assert letters(club) == []
    take(club, reply(asked, f"{an_order(asked)}\n\nGood luck!"))
    seen: dict[str, list[str]] = {}
    random = Random(1)
    for _ in range(8):
        for mail in letters(club):
            seen.setdefault(mail.to, []).extend(
                text for text in ("may the best one win", "Good luck!") if text in mail.text
            )
            if mail.asks:
                take(club, reply(mail, an_order(mail, random)))

    third = next(address for address in ADDRESSES.values() if address not in (asked.to, other.to))
    assert seen[third] == ["may the best one win", "Good luck!"]
    assert seen[asked.to] == ["may the best one win"]
    assert seen[other.to] == ["Good luck!"]


def test_an_empty_answer_of_who_is_asked_is_asked_again(club: MailClub) -> None:
    asked = question(club)

    assert take(club, reply(asked, "")).code == "empty"
    (answer,) = letters(club)
    assert answer.asks


def test_words_of_who_is_asked_are_answered_for_there_was_no_order(club: MailClub) -> None:
    asked = question(club)

    assert take(club, reply(asked, "C1c must be a lovely place")).code == "empty"
    (answer,) = letters(club)
    told = " ".join(answer.text.split())
    assert "I found no order in your message. The other players will read what you wrote." in told
    assert answer.asks


def test_a_person_with_words_and_no_order_is_answered_until_it_is_said_to_be_the_last(club: MailClub) -> None:
    asked = question(club)

    answers = []
    for number in range(9):
        take(club, reply(asked, f"Which space is best for me, number {number}?"))
        answers += [" ".join(mail.text.split()) for mail in letters(club)]

    assert len(answers) == 6
    assert ["my last reply to a message like this" in text for text in answers] == [False] * 5 + [True]
    assert take(club, reply(asked, an_order(asked))).code == "played"


@pytest.mark.parametrize("words", ["show", "resend", "stay", "Hello"])
def test_a_letter_of_a_paused_game_says_so_and_why_once(club: MailClub, words: str) -> None:
    asked = question(club)
    host.pause(club, table(club), "Ann is ill")
    letters(club)

    if words == "resend":
        host.resend(club, table(club))
    else:
        take(club, reply(asked, words))

    (answer,) = letters(club)
    said = "The host has paused the game: Ann is ill. No orders are accepted until it is resumed."
    assert " ".join(answer.text.split()).count(said) == 1


def test_an_attached_move_file_is_played(club: MailClub) -> None:
    asked = question(club)
    move = f'orders = ["{an_order(asked)}"]\n'
    raw = (
        reply(asked, "", beneath=nothing_quoted)
        .replace(b"text/plain; charset=utf-8", b'multipart/mixed; boundary="b"')
        .decode()
        + '--b\nContent-Type: text/plain\n\nsee the file\n--b\nContent-Type: application/toml; name="move.toml"\n'
        + f'Content-Disposition: attachment; filename="move.toml"\n\n{move}--b--\n'
    )

    assert take(club, raw.encode()).code == "played"


def test_a_resignation_while_the_board_is_laid_ends_the_game_and_the_file_can_be_read(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club", "monday")
    open_game(club, "laid", (f"Ann={ANN}", f"Bob={BOB}"), Opening(2), None)
    mail = next(mail for mail in letters(club) if "laid" in mail.subject)

    assert resigned(club, mail).code == "played"

    verify(loading.load(club.games / "laid" / "game.toml").record)
    assert all("the game is over" in mail.text for mail in letters(club))


# What may be relied upon


def test_who_resigns_is_told_of_the_end_and_no_more_that_one_may_resign(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    for leaver in (ANN, BOB):
        host.resend(club, table(club), to_all=True)
        mail = next(mail for mail in letters(club) if mail.to == leaver)
        assert resigned(club, mail).code == "played"
        sent = letters(club)
        host.resend(club, table(club), to_all=True)
        mine = " ".join(next(mail for mail in letters(club) if mail.to == leaver).text.split())
        assert 'may write "resign"' not in mine
        assert ("You have resigned." in mine) == (leaver == ANN)

    assert {mail.to for mail in sent} == {ANN, BOB, CY}
    assert not any(mail.asks for mail in sent)


def test_the_journal_holds_no_body_no_token_and_no_key(club: MailClub) -> None:
    asked = question(club)
    take(club, reply(asked, f"{an_order(asked)}\n\nmy words"))
    journal = table(club).journal.read_text()

    assert "my words" not in journal
    assert asked.marker[1].rpartition(": ")[2].removesuffix(" ==") not in journal
    assert not any(player.key.hex() in journal for player in read_roster(table(club)).players)


def test_only_the_owner_reads_addresses_keys_secrets_and_mails(club: MailClub) -> None:
    asked = question(club)
    take(club, reply(asked, an_order(asked)))
    private = ("private.toml", "game.secret.toml", "mails/journal.ndjson")

    assert [table(club).folder.joinpath(name).stat().st_mode & 0o077 for name in private] == [0, 0, 0]
    assert (club.folder / "club.secret.toml").stat().st_mode & 0o077 == 0
    folders = [club.folder, *(path for path in club.folder.rglob("*") if path.is_dir())]
    assert [path for path in folders if path.stat().st_mode & 0o077] == []


def test_what_is_remembered_changes_no_letter(club: MailClub) -> None:
    """The history that is carried on from mail to mail is the one that a replay of the log gives."""
    play(club, 12)
    remembered = memory.load_game(table(club)).record
    _proved.clear()

    assert the_record(club).history == remembered.history


def test_the_take_of_a_game_in_trouble_is_for_later(club: MailClub) -> None:
    asked = question(club)
    table(club).game.write_text(table(club).game.read_text().replace("head = ", "head = 1 # "))

    done = pbem("mail", "take", club.folder, stdin=reply(asked, an_order(asked)))

    assert done.returncode == 75
    assert "Traceback" not in done.stderr
    assert codes(club) == ["begun"]


@pytest.mark.parametrize("folder", ["nowhere", "."])
def test_no_club_is_trouble_that_passes_too(tmp_path: Path, folder: str) -> None:
    """An MTA must keep the mail until the host has mended the line that calls us."""
    assert pbem("mail", "take", tmp_path / folder, stdin=b"From: a@b.example\n\nhello\n").returncode == 75


# Through the command line, in folders only


@pytest.mark.slow
def test_two_play_a_whole_game_by_replying_to_what_lies_in_the_outbox(tmp_path: Path) -> None:
    folder = tmp_path / "club"
    assert pbem("mail", "init", folder, "--address", "pbem@example.org", "--host", HOST).returncode == 0
    settings = folder / "club.toml"
    settings.write_text(settings.read_text().replace("waves = true", "waves = false"))
    begun = pbem("mail", "new", folder, "friday", f"Ann={ANN}", f"Bob:blue={BOB}", "--board", "recommended", "--json")
    assert json.loads(begun.stdout)["code"] == "begun"
    people = {ANN: Person(ANN, 1), BOB: Person(BOB, 2)}
    number = 0
    while answers := list(exchange(folder, people)):
        for answer in answers:
            number += 1
            drop(folder, answer, f"{number:04}")
        if number % 7 == 1:
            done = pbem("mail", "run", folder, "--once", "--json")
            assert done.returncode == 0, done.stderr
            assert json.loads(done.stdout)["codes"] == {"played": 1}
        else:
            from pbem.carriers.mail.service import run_once

            assert run_once(read_club(folder)).codes == {"played": 1}

    record = loading.load(folder / "games" / "friday" / "game.toml").record
    assert verify(record) == len(record.log)
    assert "the game is over" in people[ANN].got[-1].text
    assert "the game is over" in people[BOB].got[-1].text
    assert list((folder / "inbox" / "new").iterdir()) == []
    assert len(list((folder / "inbox" / ".dealt" / "cur").iterdir())) == number == record.turn


def test_run_says_a_line_a_mail_and_how_many_there_were(club: MailClub) -> None:
    asked = question(club)
    drop(club.folder, reply(asked, an_order(asked)), "1")
    drop(club.folder, a_mail("eve@evil.example", "pbem@example.org", "hello"), "2")

    done = pbem("mail", "run", club.folder, "--once")
    again = pbem("mail", "run", club.folder, "--once")

    assert sorted(done.stdout.splitlines()) == [
        "2 messages processed, 0 letters sent, 3 in the outbox",
        "friday: played, turn 1",
        "stranger, told what this is",
    ]
    assert again.stdout == "0 messages processed, 0 letters sent, 3 in the outbox\n"


def test_take_says_what_it_did_in_json(club: MailClub) -> None:
    asked = question(club)

    done = pbem("mail", "take", club.folder, "--json", stdin=reply(asked, an_order(asked)))

    said = json.loads(done.stdout)
    assert (done.returncode, said["ok"], said["verdict"], said["game"], said["turn"]) == (
        0,
        True,
        "played",
        "friday",
        1,
    )


def test_a_full_standard_output_does_not_bring_the_mail_back(club: MailClub) -> None:
    asked = question(club)
    command = [sys.executable, "-m", "pbem", "mail", "take", str(club.folder)]

    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, input=reply(asked, an_order(asked)), stdout=full, check=False)

    assert done.returncode == 0
    assert the_record(club).turn == 1


def test_a_bug_of_ours_brings_the_mail_back_and_says_where(club: MailClub) -> None:
    asked = question(club)
    table(club).private.unlink()
    table(club).private.mkdir()

    done = pbem("mail", "take", club.folder, "--json", stdin=reply(asked, an_order(asked)))

    assert done.returncode == 75
    assert json.loads(done.stdout)["code"] == "try-again"
    assert the_record(club).turn == 0


def test_a_mail_that_cannot_be_taken_keeps_no_other_one_waiting(club: MailClub) -> None:
    """The game of the first one is broken; the second one comes from a stranger."""
    asked = question(club)
    drop(club.folder, reply(asked, an_order(asked)), "1")
    drop(club.folder, a_mail("eve@evil.example", "pbem@example.org", "hello"), "2")
    sound = table(club).game.read_text()
    table(club).game.write_text("nothing")

    done = pbem("mail", "run", club.folder, "--once", "--json")

    assert done.returncode == 75
    assert json.loads(done.stdout)["ok"] is False
    assert [path.name for path in (club.folder / "inbox" / "new").iterdir()] == ["1"]
    table(club).game.write_text(sound)
    again = pbem("mail", "run", club.folder, "--once", "--json")
    assert (again.returncode, json.loads(again.stdout)["codes"]) == (0, {"played": 1})
