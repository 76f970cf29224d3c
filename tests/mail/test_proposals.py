"""What is nearly an order is asked about once: a yes plays it, in that situation and no other."""

import json
from pathlib import Path

import pytest
from clubs import (
    a_club,
    a_copy,
    a_table,
    an_order,
    kept,
    letters,
    play,
    play_to_a_mild_question,
    resigned,
    the_asked,
    the_record,
    tree,
)
from people import Mail, nothing_quoted, reply

from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take
from pbem.carriers.rebuild import compare, rebuilt
from pbem.club import host
from pbem.club.folder import folder_of, read_roster
from pbem.club.journal import journal_rows
from pbem.errors import Broken
from pbem.first_sparks.adjudicator import choices
from pbem.first_sparks.phases import Answering, Offering


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with a game of three in which a card can be offered."""
    return a_copy(offering, tmp_path / "club")


def offering(folder: Path) -> None:
    club = a_club(folder)
    while not isinstance(the_record(club).state.phase, Offering):
        play(club, the_record(club).turn + 1)
    host.resend(club, a_table(club), to_all=True)


def mails(club: MailClub) -> tuple[Mail, Mail]:
    """Return the letter to the player who is asked, and one to another."""
    sent = letters(club)
    asked = the_asked(club).address
    return next(mail for mail in sent if mail.to == asked), next(mail for mail in sent if mail.to != asked)


def an_offer(club: MailClub) -> str:
    return str(next(choices(the_record(club).state)))


def play_to(club: MailClub, phase: type) -> None:
    """Play on until such a question is asked, of which all have a letter."""
    while not isinstance(the_record(club).state.phase, phase):
        asked, _ = mails(club)
        take(club, reply(asked, an_offer(club)))
        host.resend(club, a_table(club), to_all=True)


def text(mail: Mail) -> str:
    return " ".join(mail.text.split())


def check_rebuild(club: MailClub) -> None:
    """Check that the mails alone lead to the game."""
    table = folder_of(club, "friday")
    game, _ = rebuilt(club, table)
    compare(table, game.record)
    assert game.record.head == the_record(club).head


def test_a_yes_plays_what_was_nearly_an_order(club: MailClub) -> None:
    asked, _ = mails(club)
    order = an_offer(club)
    turn = the_record(club).turn

    assert take(club, reply(asked, order.replace("offer", "ofer"))).code == "proposed"
    (proposal,) = letters(club)
    assert f'Did you mean "{order}"? Reply "yes" to play it. Nothing was changed' in text(proposal)
    assert proposal.asks
    assert the_record(club).turn == turn
    assert take(club, reply(proposal, "Yes please\n\nhello all")).code == "played"

    assert any(line.endswith(order) for line in the_record(club).log[-3:])
    assert "hello all" in " ".join(map(text, letters(club)))
    check_rebuild(club)


def test_a_yes_counts_with_the_ticket_alone(club: MailClub) -> None:
    asked, _ = mails(club)
    take(club, reply(asked, an_offer(club).split()[1], beneath=nothing_quoted))

    assert take(club, reply(asked, "yes", beneath=nothing_quoted, number=1)).code == "played"
    check_rebuild(club)


def test_the_order_itself_may_be_sent_instead(club: MailClub) -> None:
    asked, _ = mails(club)
    take(club, reply(asked, an_offer(club).split()[1]))
    (proposal,) = letters(club)

    assert take(club, reply(proposal, "pass")).code == "played"
    assert "pass" in "".join(the_record(club).log[-4:])
    check_rebuild(club)


def test_a_request_beside_an_unclear_order_is_not_done_and_its_writer_reads_that(club: MailClub) -> None:
    asked, _ = mails(club)

    assert take(club, reply(asked, f"{an_offer(club).split()[1]}\n\nnote Bob bluffs")).code == "proposed"
    (proposal,) = letters(club)
    assert "I have not done what else you asked for either: send it again with your answer." in text(proposal)
    assert take(club, reply(proposal, "yes\n\nnote Bob bluffs")).code == "played"
    check_rebuild(club)


def test_kind_words_beside_a_yes_to_the_proposal_do_not_matter(club: MailClub) -> None:
    asked, _ = mails(club)
    take(club, reply(asked, an_offer(club).split()[1]))
    (proposal,) = letters(club)
    assert take(club, reply(proposal, "Hm, a nice evening")).code == "empty"

    assert take(club, reply(proposal, "yes, and good luck to all", number=1)).code == "played"
    check_rebuild(club)


def test_a_no_takes_it_back(club: MailClub) -> None:
    asked, _ = mails(club)
    take(club, reply(asked, an_offer(club).split()[1]))
    (proposal,) = letters(club)

    assert take(club, reply(proposal, "No")).code == "answered"
    (answer,) = letters(club)
    assert "Nothing was played." in text(answer)
    assert take(club, reply(proposal, "yes", number=2)).code == "refused"


def test_what_is_asked_for_may_not_be_allowed(club: MailClub) -> None:
    asked, _ = mails(club)

    assert take(club, reply(asked, "ofer 41")).code == "refused"
    assert "#41 is not in the market" in text(letters(club)[0])


def test_a_yes_to_nothing_is_refused_and_not_told(club: MailClub) -> None:
    asked, _ = mails(club)

    assert take(club, reply(asked, "yes")).code == "refused"
    assert not kept(a_table(club), "sayings") or "yes" not in kept(a_table(club), "sayings")


def test_a_proposal_is_forgotten_in_another_situation(club: MailClub) -> None:
    asked, other = mails(club)
    assert take(club, reply(other, "I resign")).code == "proposed"
    (proposal,) = letters(club)
    assert take(club, reply(asked, "pass")).code == "played"

    verdict = take(club, reply(proposal, "yes"))

    assert verdict.code == "proposed"  # once more, as the game has gone on
    assert "resign" not in the_record(club).log[-1]
    assert not any(clan.resigned for clan in the_record(club).state.clans)


def test_a_proposal_is_forgotten_after_a_takeback(club: MailClub) -> None:
    asked, _ = mails(club)
    take(club, reply(asked, an_offer(club).split()[1]))
    (proposal,) = letters(club)
    take(club, reply(asked, "pass", number=1))
    host.take_back(club, a_table(club))
    letters(club)

    turn = the_record(club).turn
    assert take(club, reply(proposal, "yes", number=2)).code == "late"
    host.resend(club, a_table(club), to_all=True)
    fresh, _ = mails(club)
    assert take(club, reply(fresh, "yes", number=3)).code == "refused"
    assert the_record(club).turn == turn


def test_nobody_says_yes_for_another(club: MailClub) -> None:
    asked, other = mails(club)
    take(club, reply(asked, an_offer(club).split()[1]))
    letters(club)

    assert take(club, reply(other, "yes", sender=asked.to)).code == "heard"


def test_what_is_said_in_between_leaves_only_a_yes_to_the_proposal_itself(club: MailClub) -> None:
    asked, _ = mails(club)
    take(club, reply(asked, an_offer(club).split()[1]))
    (proposal,) = letters(club)
    assert take(club, reply(asked, "What a day it was", number=1)).code == "empty"

    assert take(club, reply(asked, "yes", number=2)).code == "refused"
    assert take(club, reply(proposal, "yes", number=3)).code == "played"
    check_rebuild(club)


@pytest.mark.parametrize("request_", ["show", "news every", "rules R4.5", "help"])
@pytest.mark.parametrize("words", ["yes", "ok", "\U0001f44d"])
@pytest.mark.parametrize("to", ["the proposal", "the answer to the request"])
def test_a_request_does_not_take_the_place_of_a_proposal(club: MailClub, request_: str, words: str, to: str) -> None:
    asked, _ = mails(club)
    order = an_offer(club)
    take(club, reply(asked, order.replace("offer", "ofer")))
    (proposal,) = letters(club)
    assert take(club, reply(proposal, request_, number=1)).code == "answered"
    (answer,) = letters(club)

    assert take(club, reply(proposal if to == "the proposal" else answer, words, number=2)).code == "played"
    assert the_record(club).log[-1].endswith(order)
    check_rebuild(club)


def test_a_yes_to_the_answer_to_a_request_may_be_one_to_the_question_of_the_game(club: MailClub) -> None:
    play_to(club, Answering)
    asked, _ = mails(club)
    take(club, reply(asked, "resign"))
    letters(club)
    assert take(club, reply(asked, "show", number=1)).code == "answered"
    (answer,) = letters(club)
    turn = the_record(club).turn

    assert take(club, reply(answer, "yes", number=2)).code == "refused"
    assert "'yes' can mean resign or buy" in text(letters(club)[0])
    assert the_record(club).turn == turn


def test_a_yes_that_could_answer_two_questions_plays_neither(club: MailClub) -> None:
    play_to(club, Answering)
    asked, _ = mails(club)
    turn = the_record(club).turn
    assert take(club, reply(asked, "resign")).code == "proposed"
    (proposal,) = letters(club)

    assert take(club, reply(asked, "yes", beneath=nothing_quoted, number=1)).code in ("proposed", "refused")
    assert the_record(club).turn == turn
    letters(club)
    assert take(club, reply(asked, "resign", number=2)).code == "proposed"
    (proposal,) = letters(club)
    assert take(club, reply(proposal, "yes", number=3)).code == "played"
    assert any(clan.resigned for clan in the_record(club).state.clans)
    check_rebuild(club)


def test_a_yes_to_an_earlier_proposal_does_not_play_the_later_one(club: MailClub) -> None:
    asked, _ = mails(club)
    first, second = (str(choice) for choice in list(choices(the_record(club).state))[:2])
    take(club, reply(asked, first.split()[1]))
    (earlier,) = letters(club)
    assert take(club, reply(asked, "resign")).code == "proposed"
    letters(club)
    turn = the_record(club).turn

    assert take(club, reply(earlier, "yes")).code == "refused"
    assert take(club, reply(asked, second.split()[1], number=1)).code == "proposed"
    (later,) = letters(club)[-1:]
    assert take(club, reply(earlier, "yes", number=2)).code == "refused"
    assert the_record(club).turn == turn
    assert take(club, reply(asked, second.split()[1], number=3)).code == "proposed"
    (later,) = letters(club)[-1:]
    assert take(club, reply(later, "yes", number=4)).code == "played"
    assert the_record(club).log[-1].endswith(second)
    check_rebuild(club)


def test_a_game_is_rebuilt_in_which_another_agrees_to_end_between_a_proposal_and_the_yes(club: MailClub) -> None:
    asked, other = mails(club)
    take(club, reply(asked, an_offer(club).split()[1]))
    (proposal,) = letters(club)
    assert take(club, reply(other, "agree end")).code == "played"

    assert take(club, reply(proposal, "yes")).code == "played"
    check_rebuild(club)


AGREES = [
    "ok",
    "Yes, I meant that",
    "yes yes",
    "Correct!",
    "That's right.",
    "exactly",
    "Yes I did",
    "confirm",
    "go ahead",
    "yep",
    "y",
    "Exactly!",
    "right",
    "yes please",
    "yes, that's right",
    "Sure, thanks",
    "that's what I meant",
    "\U0001f44d",
    "\U0001f44d\U0001f3fb",
    "\u2705",
    "+1",
    "Yep, play it please",
]
DENIES = [
    "nope",
    "nah",
    "Wrong!",
    "No, wrong",
    "that's not what I meant",
    "never mind",
    "cancel that",
    "please don't",
    "not yet",
    "Certainly not",
    "\U0001f44e",
    "\u274c",
    "No, sorry",
]
# How one card is put for another.
INSTEAD = [
    "no, I meant {}",
    "No, offer {}",
    "no {}",
    "{} I mean",
    "sorry, I meant {}",
    "make it {}",
    "rather #{} please",
    "No.\n\nI meant {}.",
    "not that, {}",
    "Oops, {}!",
    "nope, offer {}",
    "correction: {}",
    "I meant #{}, sorry",
]


@pytest.mark.parametrize("words", AGREES)
def test_a_yes_in_other_words_plays_what_was_proposed_and_is_not_told(club: MailClub, words: str) -> None:
    asked, _ = mails(club)
    order = an_offer(club)
    take(club, reply(asked, order.split()[1]))
    (proposal,) = letters(club)

    assert take(club, reply(proposal, words)).code == "played"
    assert the_record(club).log[-1].endswith(order)
    assert not kept(a_table(club), "sayings")
    check_rebuild(club)


@pytest.mark.parametrize("words", DENIES)
def test_a_no_in_other_words_takes_it_back_and_is_not_told(club: MailClub, words: str) -> None:
    asked, _ = mails(club)
    take(club, reply(asked, an_offer(club).split()[1]))
    (proposal,) = letters(club)

    assert take(club, reply(proposal, words)).code == "answered"
    assert "Nothing was played." in text(letters(club)[0])
    assert not kept(a_table(club), "sayings")
    assert take(club, reply(proposal, "yes", number=2)).code == "refused"


@pytest.mark.parametrize("words", INSTEAD)
def test_what_is_put_for_the_proposal_is_played(club: MailClub, words: str) -> None:
    asked, _ = mails(club)
    first, second = (str(choice).split()[1] for choice in list(choices(the_record(club).state))[:2])
    take(club, reply(asked, first))
    (proposal,) = letters(club)

    assert take(club, reply(proposal, words.format(second))).code == "played"
    assert the_record(club).log[-1].endswith(f"offer {second}")
    assert not kept(a_table(club), "sayings")
    check_rebuild(club)


def test_a_proposal_may_be_put_for_another(club: MailClub) -> None:
    asked, _ = mails(club)
    first, second = (str(choice).split()[1] for choice in list(choices(the_record(club).state))[:2])
    take(club, reply(asked, first))
    (proposal,) = letters(club)

    assert take(club, reply(proposal, f"I think I meant {second}")).code == "proposed"
    (proposal,) = letters(club)
    assert f'Did you mean "offer {second}"?' in text(proposal)
    assert take(club, reply(proposal, "that's it")).code == "played"
    assert the_record(club).log[-1].endswith(f"offer {second}")
    check_rebuild(club)


@pytest.mark.parametrize(
    "words", ["yes if Bob does", "yes but not now", "yes I saw that movie", "haha yes", "yes?", "ok, but wait"]
)
def test_who_agrees_to_something_else_plays_nothing(club: MailClub, words: str) -> None:
    play_to(club, Answering)
    asked, _ = mails(club)
    assert take(club, reply(asked, "ok")).code == "proposed"
    (proposal,) = letters(club)

    assert take(club, reply(proposal, words)).code != "played"


@pytest.mark.parametrize(
    "words", ["ok", "do it", "exactly", "ok, but not now", "exactly the opposite", "do not", "\U0001f44d"]
)
def test_nobody_resigns_with_less_than_a_yes(club: MailClub, words: str) -> None:
    asked, _ = mails(club)
    take(club, reply(asked, "resign"))
    (proposal,) = letters(club)

    assert take(club, reply(proposal, words)).code != "played"


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        ("offer {}\n\nPass", "offer"),
        ("I offer {}\nPass", "offer"),
        ("Hello all\nPass", "proposed"),
        ("pass", "pass"),
        ("Pass", "pass"),
    ],
)
def test_the_name_of_a_player_beneath_a_mail_is_no_order(club: MailClub, words: str, outcome: str) -> None:
    colour, card = the_asked(club).colour, an_offer(club).split()[1]
    host.replace(club, a_table(club), colour, "Pass", "somebody@new.example")
    asked = next(mail for mail in letters(club) if mail.to == "somebody@new.example")

    code = take(club, reply(asked, words.format(card))).code

    assert code == ("proposed" if outcome == "proposed" else "played")
    if code == "played":
        assert the_record(club).log[-1].split()[2] == outcome
    check_rebuild(club)


# Older mails of the player's own, without any mark


def asked_again(club: MailClub, old: str) -> Mail:
    """Let who may pass do so with the words *old*, and return the letter by which that player may pass once more."""
    asked, _ = mails(club)
    assert take(club, reply(asked, old)).code == "played"
    while True:
        host.resend(club, a_table(club), to_all=True)
        question = next(mail for mail in letters(club) if mail.to == the_asked(club).address)
        if isinstance(the_record(club).state.phase, Offering) and question.to == asked.to:
            return question
        mild = next((tap.body for tap in question.taps if tap.body.startswith(("pass", "decline", "stay"))), "")
        assert take(club, reply(question, mild.split("\n")[0] or an_order(question))).code == "played"
        letters(club)


OLD = "I was away, sorry for that.\n\npass\n\nAnn"


def test_an_older_mail_beneath_new_words_is_asked_about(club: MailClub) -> None:
    question = asked_again(club, OLD)

    assert take(club, reply(question, f"Well played, Bob!\n\n{OLD}")).code == "proposed"
    (proposal,) = letters(club)
    assert take(club, reply(proposal, "yes")).code == "played"
    check_rebuild(club)


def test_a_robot_is_not_asked_about_an_older_mail(club: MailClub) -> None:
    question = asked_again(club, OLD)

    raw = reply(question, f"Well played, Bob!\n\n{OLD}", headers=["Precedence: bulk"])
    assert take(club, raw).code == "robot"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OLD, "Well played, Bob!\n\npass\n\nAnn"),
        (OLD, OLD),
        ("pass\n\nBest wishes from the sea\nAnn", "Well played!\n\npass\n\nBest wishes from the sea\nAnn"),
        ("Hi all,\npass", "Well played!\n\nHi all,\npass"),
    ],
)
def test_who_writes_as_always_is_not_asked(club: MailClub, old: str, new: str) -> None:
    question = asked_again(club, old)

    assert take(club, reply(question, new)).code == "played"


# Resigning


@pytest.mark.parametrize("words", ["resign", "I resign.", "Resign please", "ok, I want to resign"])
@pytest.mark.parametrize("is_asked", [True, False])
def test_who_resigns_is_asked_once_and_told_when_it_is_done(club: MailClub, words: str, is_asked: bool) -> None:
    mail = mails(club)[0 if is_asked else 1]
    before = a_table(club).game.read_bytes()

    assert take(club, reply(mail, words)).code == "proposed"
    (proposal,) = letters(club)
    assert 'Reply "yes" to leave the game permanently.' in text(proposal)
    assert a_table(club).game.read_bytes() == before
    assert take(club, reply(proposal, "yes")).code == "played"

    mine = [text(sent) for sent in letters(club) if sent.to == mail.to]
    assert any("You have left the game friday. Thank you" in sent for sent in mine)
    check_rebuild(club)


@pytest.mark.parametrize("order", ["resign", "agree end"])
def test_what_may_be_ordered_at_any_time_is_asked_about_in_reply_to_an_older_letter(club: MailClub, order: str) -> None:
    """Whoever is not asked may have no other; the proposal tells how the game stands today."""
    asked, other = mails(club)
    assert take(club, reply(asked, an_offer(club))).code == "played"
    letters(club)

    assert take(club, reply(other, order)).code == "proposed"
    (proposal,) = letters(club)
    assert take(club, reply(proposal, "yes")).code == "played"

    assert the_record(club).log[-1].endswith(order)
    assert not kept(a_table(club), "sayings")
    check_rebuild(club)


def test_resign_in_a_file_is_asked_about_too(club: MailClub) -> None:
    asked, _ = mails(club)
    raw = reply(asked, "", beneath=nothing_quoted).replace(b"Content-Type: text/plain; charset=utf-8", b"X-Y: z")
    raw = raw.replace(
        b"\n\n", b'\nContent-Type: text/plain; name="move.txt"\nContent-Disposition: attachment\n\nresign\n', 1
    )

    assert take(club, raw).code == "proposed"


def test_the_host_is_not_asked_back(club: MailClub) -> None:
    _, order = host.decide(club, a_table(club), "resign")

    assert order == "resign"
    assert any(clan.resigned for clan in the_record(club).state.clans)
    check_rebuild(club)


def test_a_robot_is_asked_nothing(club: MailClub) -> None:
    asked, _ = mails(club)
    before = tree(a_table(club).folder)

    assert take(club, reply(asked, "resign", headers=["Precedence: bulk"])).code == "robot"
    assert tree(a_table(club).folder) == before


# What is kept


def test_a_rebuild_misses_the_mail_that_was_confirmed(club: MailClub) -> None:
    asked, _ = mails(club)
    take(club, reply(asked, an_offer(club).split()[1]))
    (proposal,) = letters(club)
    take(club, reply(proposal, "yes"))
    (row,) = (row for row in journal_rows(a_table(club).journal) if row["code"] == "proposed")
    (kept,) = a_table(club).mails.glob(f"*{row['digest'][:12]}.eml")
    kept.write_bytes(reply(asked, "pas"))

    with pytest.raises(Broken):
        rebuilt(club, folder_of(club, "friday"))


def test_a_proposal_holds_no_words_and_no_token(club: MailClub) -> None:
    asked, _ = mails(club)
    take(club, reply(asked, f"{an_offer(club).split()[1]}\nmy words"))
    journal = a_table(club).journal.read_text()

    assert "my words" not in journal
    assert not any(player.key.hex() in journal for player in read_roster(a_table(club)).players)
    assert json.loads(journal.splitlines()[-1])["orders"] == [an_offer(club)]


def test_resigning_leaves_the_others_their_game(club: MailClub) -> None:
    _, other = mails(club)
    assert resigned(club, other).code == "played"
    play_to_a_mild_question(club)
    check_rebuild(club)
