"""What players read about what they say ahead: whether it was kept, played at once, or is over."""

from pathlib import Path

import pytest
from clubs import a_club, letters, the_asked, the_record
from people import Mail, reply

from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.take import take

SECTION = "MARKET OF THE NEXT ROUND"


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with waves, and a game that has just begun."""
    return a_club(tmp_path / "club", waves=True)


def welcomed(club: MailClub) -> list[Mail]:
    """Return the first letters, in player order."""
    found = {mail.to: mail for mail in letters(club)}
    state = the_record(club).state
    names = [state.clan(colour).player for colour in state.order]
    return [next(mail for to, mail in found.items() if to.startswith(name.lower())) for name in names]


def told(club: MailClub, to: str) -> tuple[str, str]:
    """Return the subject and the text of the only letter to somebody."""
    (mail,) = (mail for mail in letters(club) if mail.to == to)
    return mail.subject, " ".join(mail.text.split())


def test_an_early_answer_beside_a_plan_is_confirmed_too(club: MailClub) -> None:
    first, second, _ = welcomed(club)
    assert take(club, reply(first, "stay")).code == "played"
    letters(club)

    assert take(club, reply(second, "stay\nplan offer 8")).code == "played"  # it was not early any more

    subject, text = told(club, second.to)
    assert subject == "[friday] played: stay"
    assert "Your order was played: stay." in text
    assert "I have kept your answer" not in text
    assert "I have kept your plan." in text
    assert f"you have played: stay. (friday/{the_record(club).turn})" in text


def test_an_early_answer_is_called_an_answer(club: MailClub) -> None:
    _, second, third = welcomed(club)

    assert take(club, reply(second, "stay")).code == "planned"
    subject, text = told(club, second.to)
    assert subject == "[friday] your answer"
    assert 'I have kept your answer: "stay".' in text

    assert take(club, reply(third, "wait")).code == "planned"
    assert told(club, third.to)[0] == "[friday] your answer"
    assert take(club, reply(third, "stay\nplan offer 8", number=2)).code == "planned"
    subject, text = told(club, third.to)
    assert subject == "[friday] your plan"
    assert 'I have kept your answer: "stay". It is played when it is your turn. I have kept your plan.' in text


def test_a_question_about_a_plan_keeps_nothing(club: MailClub) -> None:
    first, *_ = welcomed(club)

    assert take(club, reply(first, "plan")).code == "planned"

    _, text = told(club, first.to)
    assert "this is about what you say ahead. (friday/0)" in text
    assert "You have no plan." in text


def test_the_next_market_is_told_until_there_is_a_plan_for_it(club: MailClub) -> None:
    first, *_ = welcomed(club)
    assert SECTION in first.text

    take(club, reply(first, "plan drop least"))
    assert SECTION in told(club, first.to)[1]
    take(club, reply(first, "plan 7", number=2))
    assert SECTION not in told(club, first.to)[1]


def test_a_plan_that_answers_at_once_is_told_once(club: MailClub) -> None:
    """A plan that buys at once is not kept; the one that it replaces is not done by that."""
    for mail in welcomed(club):
        take(club, reply(mail, "stay"))
    (asked,) = (mail for mail in letters(club) if mail.asks)
    take(club, reply(asked, "offer 10"))
    offered = {mail.to: mail for mail in letters(club) if mail.asks}
    early = offered.pop(the_asked(club).address)
    take(club, reply(early, "decline"))
    (last,) = offered.values()
    letters(club)
    take(club, reply(last, "plan offer 8"))
    letters(club)

    assert take(club, reply(last, "plan buy 10", number=2)).code == "played"

    subject, text = told(club, last.to)
    assert subject == "[friday] played: buy"
    assert text.count("As you said ahead, you bought #10 bow for 4. The plan is done.") == 1
    assert text.count("The plan is done.") == 1
    assert "I have kept" not in text


def test_the_report_of_a_purchase_names_the_crop(club: MailClub) -> None:
    first, second, third = welcomed(club)
    take(club, reply(first, "stay\nplan 7"))
    take(club, reply(second, "stay"))
    take(club, reply(third, "stay"))
    for mail in letters(club):
        if mail.asks and mail.to != first.to:
            take(club, reply(mail, "decline"))

    take(club, reply(first, "plan", number=2))

    text = told(club, first.to)[1]
    assert "you bought #7 basket for 2 and took the crop on it. The plan is done." in text
