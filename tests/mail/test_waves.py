"""Questions that are put to several players at the same time, and answers that come before their turn, late or anew."""

import os
import re
from itertools import product
from pathlib import Path
from random import Random

import pytest
from bots import SECRET, a_new_record, random_play
from clubs import a_club, letters
from people import Mail
from planners import MailGame, Wave, a_wave, an_offer, told
from work import Some

from pbem.carriers.rebuild import compare, rebuilt
from pbem.club import host
from pbem.club.store import read_intents, read_talk
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.chance.draws import source
from pbem.first_sparks.choice import main_choices
from pbem.first_sparks.phases import Adding, Answering, Settling, Spreading
from pbem.first_sparks.plans.waves import as_asked, asked_together, question_to
from pbem.first_sparks.play import played
from pbem.first_sparks.record import Record
from pbem.first_sparks.state import CHANCE
from pbem.table.letters.situation import asked_at_once


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No power fails here."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def offer(tmp_path: Path) -> Wave:
    """Three are asked about a card that all of them can buy."""
    return an_offer(tmp_path / "club")


def log_of(game: MailGame) -> list[str]:
    return [line for line in game.record.log if " * " not in line]


# Offers


def test_all_are_asked_at_once_and_the_answers_count_in_player_order(offer: Wave) -> None:
    first, second, third = offer.order
    for colour in (second, third):
        mail = offer.inbox[colour].mail
        assert re.search(
            "You are asked at the same time as .* and .*. The last one in player order to say yes", told(mail)
        )
        assert "QUESTION" in mail.text
    assert "You come first, so your answer is played at once." in told(offer.inbox[first].mail)
    begun, before = offer.record.turn, len(log_of(offer))

    for colour in (third, second):
        verdict, found = offer.say(colour, "buy")
        assert (verdict.code, [mail for mail in found if mail.to != f"{colour}@x.example"]) == ("planned", [])
        assert offer.record.turn == begun
        assert "played when it is your turn" in told(found[0]) if found else True
    assert offer.say(first, "decline")[0].code == "played"

    ends = [line.partition(" ")[2] for line in log_of(offer)[before:][:3]]
    assert ends == [f"{first} decline", f"{second} buy", f"{third} buy"]
    last = next(clan for clan in offer.record.state.clans if clan.colour == third)
    assert any(card.number for card in last.cards)
    compare(offer.table, rebuilt(offer.club, offer.table)[0].record)


@pytest.mark.parametrize(("others", "buys"), [("decline", True), ("buy", False)])
def test_buy_if_nobody_wants_it(offer: Wave, others: str, *, buys: bool) -> None:
    first, second, third = offer.order
    before = len(log_of(offer))
    assert offer.say(third, "I'll buy it if nobody wants it.")[0].code == "planned"
    offer.say(second, others)
    offer.say(first, "decline")

    assert log_of(offer)[before + 2].endswith("buy" if buys else "decline")
    compare(offer.table, rebuilt(offer.club, offer.table)[0].record)


def test_who_waits_is_asked_when_the_others_have_answered(offer: Wave) -> None:
    first, second, third = offer.order
    verdict, _ = offer.say(third, "wait")
    assert verdict.code == "planned"
    assert third not in offer.desk.asked
    assert third not in offer.inbox

    offer.say(second, "decline")
    _, found = offer.say(first, "buy")

    assert offer.desk.asked == (third,)
    assert [mail.to for mail in found if mail.asks] == [f"{third}@x.example"]
    assert offer.say(third, "buy")[0].code == "played"
    compare(offer.table, rebuilt(offer.club, offer.table)[0].record)


def test_the_first_has_nobody_to_wait_for(offer: Wave) -> None:
    first, *_ = offer.order

    verdict, (letter,) = offer.say(first, "wait")

    assert verdict.code == "refused"
    assert "nobody is asked before you, so there is nobody to wait for" in told(letter)


@pytest.mark.parametrize(("words", "talk"), [("wait", ""), ("I'll wait.\n\nWell played, all!", "Well played, all!")])
def test_who_is_not_asked_has_nothing_to_wait_for_and_nobody_hears_of_it(offer: Wave, words: str, talk: str) -> None:
    offerer = offer.record.state.phase.offerer  # type: ignore[union-attr]
    host.resend(offer.club, offer.table, to_all=True)
    mail = next(mail for mail in offer.fetch() if mail.to == f"{offerer}@x.example")

    verdict, (letter,) = offer.send(offerer, words, offer.question(mail)), offer.letters[-1:]

    assert (verdict.code, letter.to) == ("answered", f"{offerer}@x.example")
    assert "You are not asked now, so you need not say that you wait." in told(letter)
    assert [saying.text for saying in read_talk(offer.table)] == ([talk] if talk else [])


def test_of_several_early_answers_the_last_one_counts(offer: Wave) -> None:
    first, second, third = offer.order
    question, before = offer.inbox[third], len(log_of(offer))
    for number, words in enumerate(("buy", "wait", "decline")):
        assert offer.send(third, words, question, number=number).code == "planned"
        offer.fetch()
    offer.say(second, "decline")
    offer.say(first, "decline")

    assert log_of(offer)[before + 2].endswith(f"{third} decline")
    compare(offer.table, rebuilt(offer.club, offer.table)[0].record)


@pytest.mark.parametrize("words", ["forget", "take back", "forget\nwait"])
def test_who_takes_an_early_answer_back_is_asked_again(offer: Wave, words: str) -> None:
    first, second, third = offer.order
    question = offer.inbox[third]
    offer.send(third, "buy", question)
    offer.fetch()

    assert offer.send(third, words, question, number=1).code == "planned"
    offer.fetch()
    offer.say(second, "decline")
    offer.say(first, "decline")

    assert offer.desk.asked == (third,)
    compare(offer.table, rebuilt(offer.club, offer.table)[0].record)


def test_an_early_answer_comes_before_the_plan(offer: Wave) -> None:
    first, second, third = offer.order
    before, card = len(log_of(offer)), offer.inbox[third].state.phase.card  # type: ignore[union-attr]
    assert offer.say(third, f"plan buy {card}\ndecline")[0].code == "planned"
    offer.say(second, "decline")
    offer.say(first, "decline")

    assert log_of(offer)[before + 2].endswith(f"{third} decline")
    compare(offer.table, rebuilt(offer.club, offer.table)[0].record)


def test_who_plans_after_being_asked_is_not_asked_any_more_and_nobody_hears_of_it(offer: Wave) -> None:
    first, second, third = offer.order
    card, before = offer.inbox[third].state.phase.card, len(log_of(offer))  # type: ignore[union-attr]
    _, found = offer.say(third, f"plan decline {card}")
    assert [mail.to for mail in found] == [f"{third}@x.example"]
    assert third not in offer.desk.asked

    offer.say(second, "decline")
    offer.say(first, "decline")
    assert log_of(offer)[before + 2].endswith(f"{third} decline")
    while not any("As you said ahead, you declined" in mail.text for mail in offer.letters):
        decides = who_decides(offer.record.state) or ""
        assert decides
        offer.say(decides, str(offer.decided(offer.record.state, decides)))
    assert {mail.to for mail in offer.letters if "As you said ahead, you" in mail.text} == {f"{third}@x.example"}


def test_the_plan_is_shown_with_an_early_answer_that_is_kept(offer: Wave) -> None:
    *_, last = offer.order
    assert isinstance(offer.record.state.phase, Answering)
    question, order = offer.inbox[last], f"decline {offer.record.state.phase.card}"
    assert offer.say(last, order)[0].code == "planned"

    assert offer.send(last, "plan", question).code == "planned"

    shown = f'I have kept your answer: "{order}". It is played when it is your turn. You have no plan.'
    assert shown in told(offer.letters[-1])


def test_who_is_asked_before_the_own_turn_can_try_an_answer(offer: Wave) -> None:
    """It is tried as if it were the player's turn, and everybody else reads nothing of it."""
    *_, last = offer.order
    assert isinstance(offer.record.state.phase, Answering)
    card, before = offer.record.state.phase.card, offer.record

    verdict, (mail,) = offer.say(last, f"try buy {card}")

    assert verdict.code == "answered"
    assert f'This would follow if you played "buy {card}".' in told(mail)
    assert "told of it. It was tried as if it were your turn already; others are asked before you. - " in told(mail)
    assert offer.record == before


def test_a_try_to_spread_ahead_leaves_the_others_to_spread(tmp_path: Path) -> None:
    game = a_wave(tmp_path / "club", 3, Spreading, 3)
    first, *_, last = game.order
    name = next(clan.player for clan in game.record.state.clans if clan.colour == first)

    verdict, (mail,) = game.say(last, "try stay")

    assert verdict.code == "answered"
    assert f"Waiting for {name} ({first}) to spread or stay." in told(mail)


def test_the_welcome_tells_all_who_are_asked_that_they_are(tmp_path: Path) -> None:
    game = a_wave(tmp_path / "club", 3, Adding, 3)

    subjects = {game.inbox[colour].mail.subject for colour in game.order}
    assert subjects == {"[friday] welcome, your turn: add a second member or stay"}


def test_a_late_early_answer_is_told_to_be_late(offer: Wave) -> None:
    first, second, third = offer.order
    question = offer.inbox[third]
    for colour in (third, second, first):
        offer.say(colour, "decline")

    for number, words in enumerate(("buy if nobody wants it", "wait", "buy")):
        assert offer.send(third, words, question, number=number).code == "late"


def test_after_a_takeback_early_answers_count_no_more_and_the_question_is_sent_anew(offer: Wave) -> None:
    first, second, third = offer.order
    old = offer.inbox[second]
    offer.say(third, "buy")
    offer.say(first, "decline")
    host.take_back(offer.club, offer.table)
    offer.fetch()

    assert set(offer.desk.asked) == {first, second, third}
    assert offer.send(second, "buy", old).code == "late"
    assert not any(intent.early for intent in read_intents(offer.table, offer.record).values())
    for colour in offer.order:
        offer.say(colour, "decline")
    compare(offer.table, rebuilt(offer.club, offer.table)[0].record)


def test_a_seat_changes_hands_amid_a_wave(offer: Wave) -> None:
    _, second, third = offer.order
    before, old = len(log_of(offer)), offer.inbox[second]
    offer.say(second, "buy")
    offer.say(third, "buy if nobody wants it")
    host.replace(offer.club, offer.table, second, "Zoe", f"{second}@new.example")
    offer.fetch()

    assert offer.send(second, "buy", old, number=9).code in ("late", "former")
    for colour in offer.order:
        assert offer.say(colour, "decline")[0].code in ("played", "planned")

    assert offer.record.turn >= before
    compare(offer.table, rebuilt(offer.club, offer.table)[0].record)


# Spreading and settling


def dearer(game: Wave) -> tuple[str, str]:
    """Return an order of the first, and one of the last that costs more after it; nothing if there is no such pair."""
    first, *_, last = game.order
    for own in main_choices(as_asked(game.record.state, last)):
        for other in main_choices(game.record.state) if own.cost else ():
            after, _ = played(game.record, first, other.move, None) if len(game.order) > 1 else (game.record, ())
            then = {choice.order: choice.cost for choice in main_choices(as_asked(after.state, last))}
            if then.get(own.order) != own.cost:
                return other.order, own.order
    return "", ""


@pytest.mark.slow
def test_an_early_spread_that_became_dearer_is_asked_about_again_with_the_reason(tmp_path: Path) -> None:
    game = Wave(tmp_path / "club", 4, board="recommended")
    pair = ("", "")
    while not pair[1]:
        game.until(Spreading, 4)
        pair = dearer(game)
        if not pair[1]:
            for colour in reversed(game.order):
                game.say(colour, str(game.decided(as_asked(game.record.state, colour), colour)))
    first, second, third, last = game.order
    assert game.say(last, pair[1])[0].code == "planned"
    assert game.say(first, pair[0])[0].code == "played"

    assert set(game.desk.asked) == {second, third, last}
    again = next(mail for mail in reversed(game.letters) if mail.to.startswith(last))
    more = "(which is more than when you gave it|and you have [0-9]+)[.]"
    assert re.search(f'Your answer "{pair[1]}" would cost [0-9]+ food now, {more}', told(again))
    assert "your plan" not in told(again)
    for colour in (last, third, second):
        assert game.say(colour, "stay")[0].code in ("planned", "played")
    compare(game.table, rebuilt(game.club, game.table)[0].record)


def test_settling_by_a_ranking(tmp_path: Path) -> None:
    game = Wave(tmp_path / "club", 3).until(Settling, 3)
    first, second, third = game.order
    areas = {choice.order.split()[1][:2]: choice.order.split()[1] for choice in main_choices(game.record.state)}
    free = list(areas.values())[:3]

    assert game.say(third, f"settle {' '.join(free)}")[0].code == "planned"
    assert game.say(second, f"settle {free[0]}, {free[1]}")[0].code == "planned"
    assert game.say(first, f"settle {free[0]}")[0].code == "played"

    where = {clan.colour: clan.members for clan in game.record.state.clans}
    assert where == {first: (free[0],), second: (free[1],), third: (free[2],)}
    compare(game.table, rebuilt(game.club, game.table)[0].record)


def test_the_first_of_two_may_settle_by_a_ranking_before_the_neutral_clan_is_placed(tmp_path: Path) -> None:
    game = Wave(tmp_path / "club", 2)
    second, first = (who_decides(game.record.state) or "", game.record.state.order[0])
    areas = {choice.order.split()[1][:2]: choice.order.split()[1] for choice in main_choices(game.inbox[first].state)}
    free = list(areas.values())[:3]
    assert set(game.desk.asked) == {first, second}
    assert "who also places the neutral clan. Both come before you." in told(game.inbox[first].mail)

    assert game.say(first, f"settle {' '.join(free)}")[0].code == "planned"
    assert game.say(second, f"settle neutral {free[0]}\nsettle {free[1]}")[0].code == "played"

    where = {clan.colour: clan.members for clan in game.record.state.clans}
    assert (game.record.state.neutral, where) == ((free[0],), {first: (free[2],), second: (free[1],)})
    compare(game.table, rebuilt(game.club, game.table)[0].record)


def test_several_orders_for_a_later_turn_are_refused_with_what_to_do(tmp_path: Path) -> None:
    game = Wave(tmp_path / "club", 3).until(Settling, 3)
    *_, last = game.order
    free = [choice.order for choice in main_choices(game.inbox[last].state)][:2]

    verdict, (letter,) = game.say(last, "\n".join(free))

    assert verdict.code == "refused"
    assert "only one order can be kept for your turn" in told(letter)


# Of any course


def choices_in(mail: Mail) -> set[str]:
    """Return the answers that a letter offers, as its buttons name them: each with its cost."""
    return {" ".join(label.split()) for label in re.findall(r'href="mailto:[^>]*>([^<]*)</a>', mail.html)}


@pytest.mark.slow
def test_all_who_are_asked_have_the_open_question_and_nobody_gets_it_twice(tmp_path: Path, some: Some) -> None:
    """In any order of answers, some of which wait or come late."""
    for seed, (players, hide_food) in some(product(range(6), [(4, False), (3, True), (2, False), (6, True)]), 13):
        random = Random(seed)
        board = "random" if players < 6 else "players"
        game = MailGame(tmp_path / f"club-{players}-{seed}", players, hide_food=hide_food, board=board)  # type: ignore[arg-type]
        planners = set(random.sample([colour for colour, _ in game.record.players], players // 2))
        held: dict[str, tuple[object, set[str]]] = {}  # the question that each player has, and its choices
        kept = len(game.letters)
        older: dict[str, list[object]] = {}
        while who_decides(game.record.state) is not None and game.record.turn < 90:
            state, asked_now = game.record.state, game.desk.asked
            for mail in game.letters[kept:] if game.sent else []:
                to = mail.to.partition("@")[0]
                if not mail.asks or to == game.sent[-1][0]:
                    continue
                now = (question_to(state, to) or (game.record.turn, str(state.phase)), choices_in(mail))
                again = "Your answer cannot be played" in mail.text or game.waiting(to)
                assert held.get(to) != now or again, (game.record.turn, to, mail.text)
            kept = len(game.letters)
            for colour in asked_now:
                assert colour in game.inbox, (game.record.turn, colour)
                asked = as_asked(state, colour)
                held[colour] = (
                    question_to(state, colour) or (game.record.turn, str(state.phase)),
                    choices_in(game.inbox[colour].mail),
                )
                offered = {choice.order for choice in main_choices(asked)}
                taps = {tap.body.splitlines()[0] for tap in game.inbox[colour].mail.taps} - {"resign", "agree end"}
                assert not taps or len(offered) > 40 or taps == offered, (game.record.turn, colour)
            late = [colour for colour in older if older[colour] and random.random() < 0.1]
            if late:
                game.send(late[0], str(random.choice(("stay", "decline", "wait", "buy"))), older[late[0]].pop(), 7)  # type: ignore[arg-type]
                continue
            before = dict(game.inbox)
            verdict = game.answers(random, planners)
            assert verdict.code in ("played", "planned", "refused"), verdict
            older.setdefault(game.sent[-1][0], []).append(before[game.sent[-1][0]])
        record = game.record
        by_hand(game.begun, record)
        compare(game.table, rebuilt(game.club, game.table)[0].record)


def by_hand(begun: Record, ended: Record) -> None:
    """The same orders one by one give the same log and head."""
    draw, record = source(begun.game, SECRET), begun
    for entry, _ in ended.history[len(begun.log) :]:
        if entry.by != CHANCE:
            record, _ = played(record, entry.by, entry.move, draw)
    assert (record.log, record.head) == (ended.log, ended.head)


@pytest.mark.parametrize("players", [3, 5])
def test_who_is_asked_at_once_and_what_is_told_of_it_does_not_depend_on_hidden_food(players: int) -> None:
    seen = 0
    record = a_new_record(players, "friday", "random", hide_food=True)
    for now, _, _ in random_play(record, Random(players), 150):
        state, random = now.state, Random(now.turn)
        if not state.round or who_decides(state) in (None, CHANCE) or len(asked_together(state)) < 2:
            continue  # nobody owns Fire in the placement round
        for clan in state.clans:
            knows = state._replace(clans=state.clans_with(clan.with_card(state.components.cards[9])))  # fire
            if who_decides(state) == clan.colour:
                continue
            assert knows.hides_food(knows.clan(clan.colour))
            one, other = (
                knows._replace(clans=knows.clans_with(knows.clan(clan.colour).with_food(food)))
                for food in (random.randrange(3), random.randrange(40))
            )
            together = asked_together(one)
            assert together == asked_together(other)
            for reader in together:
                if reader != clan.colour:
                    assert asked_at_once(one, reader) == asked_at_once(other, reader)
            seen += 1
    assert seen > 9


@pytest.mark.slow
def test_without_waves_one_is_asked_at_a_time(tmp_path: Path) -> None:
    game = Wave(tmp_path / "club", 4, board="recommended", waves=False)
    for _ in range(30):
        decides = who_decides(game.record.state) or ""
        assert game.desk.asked == (decides,)
        if isinstance(game.record.state.phase, Answering):
            waits = game.send(decides, "wait", game.inbox[decides])
            assert waits.code in ("answered", "silent")
            assert "nobody is asked before you, so there is nobody to wait for." in told(game.letters[-1])
        assert game.send(decides, str(game.decided(game.record.state, decides))).code == "played"
    assert not any("at the same time" in mail.text for mail in game.letters)


def test_a_club_whose_settings_say_nothing_asks_in_waves(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club", waves=True)
    assert club.waves
    assert sum(mail.asks for mail in letters(club)) == 3
