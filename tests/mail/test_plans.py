"""Plans by mail, as players try them and as an attacker would: kept, confirmed, played and reported, for one alone."""

import os
import re
import shutil
from collections.abc import Sequence
from copy import copy
from email.message import EmailMessage
from pathlib import Path

import pytest
from clubs import ANN, BOB, CY, a_club, a_table, letters, the_asked, the_record
from people import Mail, nothing_quoted, reply

from pbem.carriers.mail.settings import read_club
from pbem.carriers.mail.take import take
from pbem.carriers.rebuild import compare, rebuilt
from pbem.club import host, private
from pbem.club.folder import read_roster
from pbem.club.store import read_talk
from pbem.first_sparks.phases import Answering, Ended, Offering
from pbem.page.page import Page
from pbem.page.text import text_of
from pbem.table.letters.help import plan_help_sections
from pbem.table.messages.verdict import Verdict

OPENING = ("add D1b", "add B1a", "add C1a", "offer 8", "decline", "decline")


class Scene:
    """A game of Ann (green), Bob (red) and Cy (blue), and the last letter that each of them got."""

    def __init__(self, folder: Path, *, waves: bool = False, turn: int = 6) -> None:
        self.club = a_club(folder, waves=waves)
        self.table = a_table(self.club)
        self.last: dict[str, Mail] = {}
        self.read()
        for order in OPENING[:turn]:
            self.says(the_asked(self.club).address, order)

    def copied(self, folder: Path) -> "Scene":
        """Return the same in another folder."""
        made = copy(self)
        made.club, made.last = read_club(Path(shutil.copytree(self.club.folder, folder))), dict(self.last)
        made.table = a_table(made.club)
        return made

    def read(self) -> list[Mail]:
        """Deliver the letters."""
        found = letters(self.club)
        self.last |= {mail.to: mail for mail in found}
        return found

    def says(self, who: str, words: str, mail: Mail | None = None, number: int = 0) -> tuple[Verdict, list[Mail]]:
        """Let a player answer a letter, by default the last one; return what became of it, and the letters."""
        verdict = take(self.club, reply(mail or self.last[who], words, number=number))
        return verdict, self.read()

    def stays_until(self, who: str) -> None:
        """Let those who spread stay until a player is asked."""
        while (asked := the_asked(self.club).address) != who:
            assert self.says(asked, "stay")[0].code == "played"

    def plans(self) -> str:
        """Return what is kept."""
        return str(private.sections(self.table.private).get("plans", ""))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No power fails here."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """The scene of all tests, made once."""
    made = Scene(tmp_path_factory.mktemp("saved") / "club")
    assert the_record(made.club).state.phase == Offering("blue")
    return made


@pytest.fixture
def scene(saved: Scene, tmp_path: Path) -> Scene:
    """Round 1: Bob has bought #8; Cy offers or passes, Ann comes after him. The market is #7 #9 #10 #11."""
    return saved.copied(tmp_path / "club")


def told(mail: Mail) -> str:
    """Return why a letter was sent, as one line."""
    return " ".join(mail.text.partition("\nfriday, turn")[0].split("\n", 3)[3].split())


# Said, kept and confirmed


def test_a_plan_is_kept_and_confirmed_and_nobody_else_hears_of_it(scene: Scene) -> None:
    game = scene.table.game.read_bytes()

    verdict, (letter,) = scene.says(ANN, "plan 10 9\nplan drop least\n\nHello all, what a night!")

    assert (verdict.code, letter.to, letter.subject) == ("planned", ANN, "[friday] your plan")
    said = told(letter)
    assert "I have kept your plan. Nobody else sees it, except the keeper of the club's folder." in said
    assert "- You decline #7 basket." in said
    assert "- You say yes to #9 fire, unless you can buy #10 bow from the current market." in said
    assert (
        "- On your own turn you offer the first that you can buy of #10 bow or #9 fire; otherwise you are asked."
        in said
    )
    assert "- As things are today, with no answer before yours, you would say yes to #10 bow." in said
    assert "- As things are today, you would offer #10 bow on your own turn." in said
    assert scene.table.game.read_bytes() == game
    assert scene.table.private.stat().st_mode & 0o777 == 0o600
    scene.says(CY, "pass")
    scene.stays_until(BOB)
    assert "what a night" in scene.last[BOB].text


def test_it_answers_in_a_chain_with_one_letter_for_each_and_is_reported_once(scene: Scene) -> None:
    scene.says(ANN, "plan 9 else pass")

    verdict, found = scene.says(CY, "offer 7")

    assert (verdict.code, the_record(scene.club).turn) == ("played", 9)  # declined, offered, bought
    assert sorted(mail.to for mail in found) == [ANN]  # who spreads first
    assert told(found[0]) == "As you said ahead, you declined #7 basket and bought #9 fire for 3. The plan is done."
    for who in (ANN, CY, BOB):
        assert all("plan you" not in mail.text for mail in scene.says(who, "stay")[1])
    assert "plan 9" not in scene.plans()
    compare(scene.table, rebuilt(scene.club, scene.table)[0].record)


def test_an_order_and_a_plan_in_one_mail_the_order_comes_first(scene: Scene) -> None:
    verdict, found = scene.says(CY, "plan 9 11 else pass\noffer 7")

    assert (verdict.code, {mail.to for mail in found}) == ("played", {ANN, CY})
    assert scene.last[CY].subject == "[friday] played: offer 7"
    assert "You say yes to #11 rod, unless you can buy #9 fire" in told(scene.last[CY])
    scene.says(ANN, "buy")  # and Cy is next again
    scene.stays_until(CY)
    assert "As you said ahead, you bought #9 fire for 3. The plan is done." in told(scene.last[CY])
    compare(scene.table, rebuilt(scene.club, scene.table)[0].record)


def test_a_plan_alone_on_the_own_turn_answers_at_once(scene: Scene) -> None:
    verdict, found = scene.says(CY, "plan 9 7 else pass")

    assert verdict.code == "played"
    assert str(the_record(scene.club).log[-1]).endswith("blue offer 9")
    assert {mail.to for mail in found} == {ANN, CY}
    assert "As you said ahead, you offered #9 fire." in told(scene.last[CY])
    assert "You say yes to #7 basket, unless you can buy #9 fire" in told(scene.last[CY])
    compare(scene.table, rebuilt(scene.club, scene.table)[0].record)


def test_who_planned_is_told_why_there_is_a_question(scene: Scene) -> None:
    scene.says(ANN, "plan 12")

    scene.says(CY, "pass")
    assert "You are asked because nothing in your plan can be offered now." in told(scene.last[ANN])

    assert scene.last[ANN].subject == "[friday] your turn: offer a card or pass"


def test_a_card_that_is_new_is_asked_about(tmp_path: Path) -> None:
    scene = Scene(tmp_path / "club", turn=4)  # Ann is asked about #8
    state = the_record(scene.club).state
    assert state.phase == Answering("green", "red", 8, (), ()) or isinstance(state.phase, Answering)
    old = scene.last[CY]
    scene.says(the_asked(scene.club).address, "decline")
    while the_record(scene.club).turn < 6:
        scene.says(the_asked(scene.club).address, "decline")
    assert 41 in the_record(scene.club).state.market.cards  # it came with the purchase of #8
    assert the_record(scene.club).state.phase == Offering("blue")
    scene.says(ANN, "plan 12 10", scene.last[ANN])

    verdict, _ = scene.says(CY, "plan 41", old)  # as its writer saw the table: #41 was in no market

    assert verdict.code == "planned"
    assert "which is new" in told(scene.last[ANN]) or "#41" in told(scene.last[ANN])


def test_a_plan_in_reply_to_an_older_letter_is_read_as_its_writer_saw_the_table(scene: Scene) -> None:
    """Ann's last letter is of turn 4; #41 has come since, and she has not seen it."""
    assert 41 in the_record(scene.club).state.market.cards

    scene.says(ANN, "plan 10")
    assert "- You are asked about #41 spear, which is new." in told(scene.last[ANN])
    scene.says(ANN, "plan 10")  # in reply to the confirmation, which shows it

    assert "- You decline #41 spear." in told(scene.last[ANN])


def test_a_new_plan_replaces_the_old_one_as_a_whole_and_not_what_always_holds(scene: Scene) -> None:
    scene.says(ANN, "plan 10\nplan decline 12\nalways decline 22")
    scene.says(ANN, "plan drop least")

    assert 'You wrote: "plan drop least" and "always decline 22".' in told(scene.says(ANN, "plan")[1][0])
    scene.says(ANN, "always drop least")
    assert 'You wrote: "plan drop least" and "always drop least".' in told(scene.says(ANN, "Plan?")[1][0])
    assert told(scene.says(ANN, "forget")[1][0]) == "You have no plan any more."
    assert told(scene.says(ANN, "plan")[1][0]) == "You have no plan."
    assert "10" not in re.sub("writer.*|head.*|turn.*|line.*", "", scene.plans()).replace("plans/1", "")


def test_what_always_holds_answers_until_it_is_changed(scene: Scene) -> None:
    scene.says(ANN, "always decline 7 9")

    scene.says(CY, "offer 7")

    assert the_record(scene.club).state.phase == Offering("green")  # Cy has bought it
    assert "always decline 7 9" in scene.plans()


@pytest.mark.parametrize(
    ("first", "ends"),
    [
        ("offer 7", "As you said ahead, you declined #7 basket and bought #9 fire for 3. The plan is done."),
        ("pass", "As you said ahead, you bought #9 fire for 3. The plan is done."),
    ],
)
def test_a_plan_is_over_when_its_owner_has_bought(scene: Scene, first: str, ends: str) -> None:
    scene.says(ANN, "plan 9")
    scene.says(CY, first)

    assert ends in told(scene.last[ANN])


def test_a_plan_is_over_when_its_owner_has_passed(scene: Scene) -> None:
    scene.says(ANN, "plan pass")
    scene.says(CY, "pass")

    assert told(scene.last[ANN]) == "As you said ahead, you passed. The plan is over, since you have passed."


def test_a_plan_that_answered_nothing_is_reported_too(scene: Scene) -> None:
    scene.says(ANN, "plan 12")
    scene.says(CY, "pass")
    scene.says(ANN, "pass")

    assert "Nothing was answered by your plan. The plan is over, since you have passed." in told(scene.last[ANN])


# What is wrong is told to its writer alone, and nothing is kept or played

WRONG = {
    "a word that is no card": ("plan 14 banana", '"banana" is not a card'),
    "a card that is not in the game": ("plan 99", "card 99 is never in the market of this game"),
    "talk that begins like a plan": ("Plan to win!\n\nHi all", '"win" is not a card'),
    "always": ("always decline banana", '"banana" is not a card'),
    "if": ("If you want, we meet.\n\npass", "a condition is written like"),
    "a contradiction": ("plan 14 19\nplan decline 14", "#14 is wanted and declined"),
    "a thousand lines": ("\n".join(f"plan {n}" for n in range(1000)), "it has 1000 lines; a plan has at most 60"),
    "a long line": (
        f"plan {' '.join(map(str, range(1000)))}",
        "card 0 is never in the market|more than 400 characters",
    ),
    "beside an order": ("offer 7\nplan 14 banana", '"banana" is not a card'),
    "another phase": ("plan spread B1a", "spreading can only be planned after the hunt"),
    "in another's name": ("plan red 14", '"red" is not a card'),
    "below a signature": ("Hello all\n\n-- \nplan 14 19", "is below your signature line"),
}


@pytest.mark.parametrize(("words", "why"), WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("who", [ANN, CY])
def test_what_is_wrong_is_refused_as_a_whole(scene: Scene, who: str, words: str, why: str) -> None:
    game = scene.table.game.read_bytes()

    verdict, (letter,) = scene.says(who, words)

    assert (verdict.code, letter.to) == ("refused", who)
    assert re.search(why.replace("|", "|"), told(letter)), told(letter)
    assert "Nothing was changed, and nothing you wrote was passed on." in told(letter)
    assert (scene.plans(), scene.table.game.read_bytes(), read_talk(scene.table)) == ("", game, ())


def test_no_line_of_a_refusal_begins_like_a_plan(scene: Scene) -> None:
    _, (letter,) = scene.says(ANN, "always decline banana")

    assert "e.g. plan" not in letter.text


def test_a_plan_with_an_order_that_is_only_proposed_is_not_kept_and_that_is_said(scene: Scene) -> None:
    verdict, (letter,) = scene.says(CY, "I guess 7?\nplan 14")

    assert verdict.code == "proposed"
    assert "I have not kept your plan either: send it again with your answer." in told(letter)
    assert scene.says(CY, "yes")[0].code == "played"
    assert scene.plans() == ""


def test_a_plan_beside_resign_waits_for_no_yes(scene: Scene) -> None:
    verdict, (letter,) = scene.says(ANN, "resign\nplan 14")
    assert verdict.code == "proposed"
    assert "I have not kept your plan either" in told(letter)

    assert scene.says(ANN, "yes")[0].code == "played"

    for words in ("plan 14", "always drop least", "plan banana"):
        verdict, (letter,) = scene.says(ANN, words)
        assert (verdict.code, letter.to) == ("refused", ANN)
        assert "you have left the game, so there is nothing left to plan" in told(letter)
    assert scene.plans() == ""


def test_when_the_game_is_over_there_is_nothing_to_plan_and_nobody_else_gets_a_letter(scene: Scene) -> None:
    old = scene.last[ANN]
    scene.says(ANN, "plan 12\nalways drop least")
    for who in (CY, ANN, BOB):
        if scene.says(who, "agree end")[0].code == "proposed":
            scene.says(who, "yes")
    assert isinstance(the_record(scene.club).state.phase, Ended)
    assert "The plan is over with the game." in told(scene.last[ANN])

    for mail in (scene.last[ANN], old):
        for words in ("plan 14", "plan banana", "always decline 22", "plan spread B1a"):
            verdict, found = scene.says(ANN, words, mail)
            assert (verdict.code, [letter.to for letter in found]) == ("refused", [ANN])
            assert "the game is over, so there is nothing left to plan" in told(found[0])
        for words in ("plan", "forget"):
            verdict, found = scene.says(ANN, words, mail)
            assert (verdict.code, [letter.to for letter in found]) == ("planned", [ANN])


def test_while_the_game_is_paused_nothing_is_kept(scene: Scene) -> None:
    host.pause(scene.club, scene.table, "tea")
    scene.read()

    for who in (ANN, CY):
        verdict, (letter,) = scene.says(who, "plan 9")
        assert (verdict.code, letter.to) == ("paused", who)
    assert scene.plans() == ""


def test_a_letter_from_before_a_takeback_plans_nothing_and_the_plan_is_over(scene: Scene) -> None:
    scene.says(ANN, "always drop least")
    old = scene.last[ANN]
    scene.says(ANN, "plan 12")
    host.take_back(scene.club, scene.table)
    scene.read()

    for words in ("plan 14", "plan banana", "always decline 22"):
        verdict, (letter,) = scene.says(ANN, words, old)
        assert (verdict.code, letter.to) == ("late", ANN)
        assert "from before the game was taken back" in told(letter)
    _, (letter, *_) = scene.says(ANN, "plan")
    assert "plan 12" not in told(letter)
    assert "discard the tool" in told(letter)


def test_a_plan_whose_phase_is_over_is_refused(scene: Scene) -> None:
    old = scene.last[ANN]
    for who in (CY, ANN):
        scene.says(who, "pass")

    verdict, (letter,) = scene.says(ANN, "plan 14 19", old)

    assert (verdict.code, letter.to) == ("refused", ANN)
    assert "you answered a letter of turn 5, and what you plan there is over" in told(letter)


def test_with_an_order_that_was_already_played_the_plan_is_said_not_to_be_kept(scene: Scene) -> None:
    old = scene.last[CY]
    scene.says(CY, "offer 7", old)

    verdict, (letter,) = scene.says(CY, "offer 7\nplan 14", old, number=1)

    assert verdict.code == "already"
    assert "I have not kept the plan in this message" in told(letter)
    assert scene.plans() == ""


def test_who_has_the_ticket_writes_for_that_seat_and_is_answered_there(scene: Scene) -> None:
    """Nobody is identified by an address; Bob, who forwards Ann's letter to himself, learns nothing."""
    raw = reply(scene.last[ANN], "plan 10", sender=BOB)

    assert take(scene.club, raw).code == "planned"

    assert [mail.to for mail in scene.read()] == [ANN]
    clash = reply(
        scene.last[ANN], "plan 9\n\n" + "\n".join(scene.last[BOB].text.split("\n")[:3]), beneath=nothing_quoted
    )
    assert take(scene.club, clash).code == "refused"
    assert [mail.to for mail in scene.read()] == [ANN]
    assert "plan 9" not in scene.plans()


def test_the_same_message_again_is_a_duplicate(scene: Scene) -> None:
    raw = reply(scene.last[ANN], "plan 10")
    assert take(scene.club, raw).code == "planned"
    kept, _ = scene.plans(), scene.read()

    assert take(scene.club, raw).code == "duplicate"
    assert (scene.plans(), scene.read()) == (kept, [])


def test_a_copy_that_comes_late_by_another_way_does_not_bring_an_old_plan_back(scene: Scene) -> None:
    """It has the same Message-ID, and another trace of how it came."""
    letter = scene.last[ANN]
    raw = reply(letter, "plan 10")
    take(scene.club, raw)
    scene.says(ANN, "plan 11", letter)
    kept = scene.plans()

    assert take(scene.club, b"Received: by relay.example\n" + raw).code == "duplicate"
    assert (scene.plans(), scene.read()) == (kept, [])


@pytest.mark.parametrize("header", ["Auto-Submitted: auto-replied", "Precedence: bulk", "X-Autoreply: yes"])
def test_a_robot_plans_nothing_and_gets_no_answer(scene: Scene, header: str) -> None:
    verdict = take(scene.club, reply(scene.last[ANN], "plan 10", headers=(header,)))

    assert (verdict.code, scene.read(), scene.plans()) == ("robot", [], "")


def quoted(text: str, mark: str) -> str:
    return "\n".join(f"{mark}{line}" for line in text.split("\n"))


HELP = text_of(Page(plan_help_sections()))


@pytest.mark.parametrize("mark", ["> ", "| ", ""])
def test_what_our_own_letter_says_about_plans_is_no_plan_in_a_reply(scene: Scene, mark: str) -> None:
    scene.says(ANN, "help plan")
    assert "(plan 14 else pass)" in scene.last[ANN].text

    verdict = take(
        scene.club, reply(scene.last[ANN], f"Thanks!\n\n{quoted(scene.last[ANN].text, mark)}", beneath=nothing_quoted)
    )

    assert (verdict.code, scene.plans()) == ("heard", "")


@pytest.mark.parametrize(
    "above",
    [
        "---------- Forwarded message ---------\nFrom: Bob <bob@y.example>\nDate: today\nSubject: x\nTo: me\n",
        "-----Original Message-----\nFrom: Bob\nSent: Saturday\nTo: Ann\nSubject: x\n",
        "On Sat, Nov 21, 2026 at 10:00 Bob <bob@y.example> wrote:\n",
    ],
    ids=["forwarded", "original", "wrote"],
)
def test_a_plan_in_a_forwarded_message_is_none(scene: Scene, above: str) -> None:
    verdict = take(scene.club, reply(scene.last[CY], f"Look!\n\n{above}\n> plan 14", beneath=nothing_quoted))
    assert verdict.code in ("empty", "heard", "refused")
    bare = take(scene.club, reply(scene.last[CY], f"Look!\n\n{above}\nplan 14", beneath=nothing_quoted, number=1))

    assert bare.code in ("empty", "heard", "refused")
    assert scene.plans() == ""
    assert all("plan 14" not in mail.text for mail in scene.read() if mail.to != CY)


def as_html(mail: Mail, page: str) -> bytes:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = mail.to, mail.reply_to, f"Re: {mail.subject}"
    made["Message-ID"], made["In-Reply-To"] = "<page@x.example>", mail.message_id
    made["References"] = f"{mail.references} {mail.message_id}"
    made.set_content(page, subtype="html")
    return made.as_bytes()


@pytest.mark.parametrize(
    "page",
    [
        "<div>plan 10 9</div><div>plan drop least</div><blockquote>{letter}</blockquote>",
        "<ul><li>plan 10 9</li><li>plan drop least</li></ul>",
        "<p>plan&nbsp;10,&nbsp;9<br><b>Plan</b> drop least.</p>",
    ],
)
def test_a_plan_in_html_alone_is_read(scene: Scene, page: str) -> None:
    raw = as_html(scene.last[ANN], f"<html><body>{page.format(letter=scene.last[ANN].html)}</body></html>")

    assert take(scene.club, raw).code == "planned"
    assert "You wrote" not in scene.read()[0].text
    assert re.findall("'(plan .*?)'", scene.plans()) == ["plan 10 9", "plan drop least"]


# Nobody else learns of it


def test_with_news_of_every_move_others_hear_nothing_of_a_plan_that_is_only_kept(scene: Scene) -> None:
    for who in (BOB, CY):
        scene.says(who, "news every")

    for words in ("plan 12", "always drop least", "plan", "forget"):
        _, found = scene.says(ANN, words)
        assert [mail.to for mail in found] == [ANN]


def test_nor_when_the_game_waits_for_somebody_who_is_away(scene: Scene) -> None:
    host.away(scene.club, scene.table, "Cy", "")
    scene.read()

    _, found = scene.says(ANN, "plan 12")

    assert [mail.to for mail in found] == [ANN]


def test_a_substitute_neither_reads_nor_uses_the_plan_of_the_player(scene: Scene) -> None:
    scene.says(ANN, "plan 9")
    host.away(scene.club, scene.table, "Ann", "", "Dan=dan@w.example")
    scene.read()

    scene.says(CY, "pass")

    assert the_record(scene.club).state.phase == Offering("green")
    assert "plan 9" not in scene.last["dan@w.example"].text
    assert told(scene.says("dan@w.example", "plan")[1][0]) == "You have no plan."
    scene.says("dan@w.example", "plan drop least")
    host.back(scene.club, scene.table, "Ann")
    scene.read()
    assert "plan 9" not in scene.plans() or the_asked(scene.club).reader == ANN


def test_a_player_who_takes_the_seat_gets_no_plan(scene: Scene) -> None:
    scene.says(ANN, "plan 9\nalways decline 7")
    host.replace(scene.club, scene.table, "Ann", "Zoe", "zoe@v.example")
    scene.read()

    scene.says(CY, "offer 7")

    assert isinstance(the_record(scene.club).state.phase, Answering)
    assert told(scene.says("zoe@v.example", "plan")[1][0]) == "You have no plan."
    assert read_roster(scene.table).player("green")


def words_of(scene: Scene, lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line in scene.table.journal.read_text(encoding="utf-8")]


def test_the_journal_and_the_game_file_have_no_word_of_a_plan(scene: Scene) -> None:
    scene.says(ANN, "plan 9 else pass\nalways decline 22")
    scene.says(CY, "offer 7")

    assert words_of(scene, ["9 else", "decline 22", "else pass", "always"]) == []
    assert "plan" not in scene.table.game.read_text(encoding="utf-8")
