"""The letters of a server of games: who hears what of a push, and of the time that runs."""

from functools import reduce
from random import Random
from typing import Final

from bots import a_new_record, random_play

from pbem.carriers.git.letters import letters
from pbem.carriers.git.public import replaced
from pbem.carriers.git.server import PushNews
from pbem.carriers.git.status import Seen
from pbem.first_sparks.record import HEAD_DIGITS, Record
from pbem.page.text import text_of
from pbem.table.lines import parse_line
from pbem.table.minutes import Minutes

GAME: Final[Record] = next(
    after for after, _, _ in random_play(a_new_record(3, "friday"), Random(1)) if after.turn == 6
)
NAMES: Final = dict(GAME.players)
ASKED: Final = str(GAME.asked)
OTHER, THIRD = (colour for colour in NAMES if colour != ASKED)
ADDRESSES: Final = {colour: f"{colour}@example.org" for colour in NAMES}
NOON: Final = parse_line("2027-01-01T12:00:00Z 0/00000000 red is back").time
NOTHING: Final = PushNews(moved=False)


def told(
    news: PushNews, *words: str, said: int = 0, until: int | None = None, now: int = NOON, clock: str = ""
) -> dict[str, str]:
    """Return the letters about a push that adds the last of the lines with these words, without line breaks."""
    place = f"2027-01-01T12:00:00Z {GAME.turn}/{GAME.head[:HEAD_DIGITS]} "
    lines = tuple(parse_line(place + each) for each in (*([clock] if clock else []), *words))
    minutes = reduce(Minutes.after, lines, Minutes())
    seen = Seen(GAME, minutes, until, now)
    news = news._replace(said=lines[len(lines) - said :])
    found = letters(seen, news, ADDRESSES)
    return {each.to.partition("@")[0]: " ".join(f"{each.subject} {text_of(each.page)}".split()) for each in found}


def test_all_others_read_what_was_said() -> None:
    found = told(NOTHING, f"{OTHER} says Good luck!", said=1)

    assert found.keys() == {ASKED, THIRD}
    assert all("says Good luck!" in text for text in found.values())
    assert all("CLANS" not in text for text in found.values())


def test_who_is_asked_to_agree_to_a_takeback_reads_which_moves_it_undoes() -> None:
    order = next(str(entry) for entry, _ in reversed(GAME.history) if entry.is_order)
    found = told(NOTHING, f"{OTHER} proposes to take the game back to turn 5", said=1)

    assert found.keys() == {ASKED, THIRD}
    for text in found.values():
        assert f"{NAMES[OTHER]} asks to take the game back to turn 5" in text
        assert f"These moves would no longer count: {order}." in text
        assert "Answer in your clone of the game, with pbem git agree or pbem git object." in text
        assert "answer this letter" not in text


def test_whoever_is_to_leave_reads_how_to_keep_the_seat() -> None:
    found = told(NOTHING, f"{OTHER} proposes to go on without {THIRD}", said=1)

    assert f"{NAMES[OTHER]} asks that the game goes on without {NAMES[THIRD]} ({THIRD})." in found[ASKED]
    assert f"{NAMES[OTHER]} asks the others to go on without you." in found[THIRD]
    assert "To keep your seat, move, object or say something" in found[THIRD]


def test_other_motions_are_told_as_the_minutes_have_them() -> None:
    found = told(NOTHING, f"{OTHER} proposes to pause the game", said=1)

    assert f"{OTHER} proposes to pause the game, and you are asked to agree" in found[THIRD]


def test_the_others_read_that_a_motion_replaces_an_earlier_one() -> None:
    first, second = f"{OTHER} proposes to pause the game", f"{OTHER} proposes to take the game back to turn 5"
    replaces = f"This replaces an earlier motion of {OTHER}: to pause the game."

    assert replaces in told(NOTHING, first, second, said=1)[THIRD]
    assert replaces not in told(NOTHING, first, f"{OTHER} withdraws", second, said=1)[THIRD]


def test_a_reminder_says_until_when_there_is_time() -> None:
    found = told(NOTHING, clock="red decides to set the clock to 2 days, then answer", until=NOON + 86400)

    assert found.keys() == {ASKED}
    assert "The other players are waiting for you. You have until Sat 2 Jan, 12:00 UTC." in found[ASKED]
    assert "CLANS" in found[ASKED]


def test_all_hear_that_the_time_is_up_and_what_can_be_done() -> None:
    found = told(NOTHING, clock="red decides to set the clock to 1 day, then answer", until=NOON, now=NOON + 1)

    assert "Your time is up. An answer counts until another player lets your clan decline" in found[ASKED]
    assert "Any player can now answer in that place: pbem git answer." in found[OTHER]
    excluded = told(NOTHING, clock="red decides to set the clock to 1 day, then exclude", until=NOON, now=NOON + 1)
    assert f"Any player can now decide to go on: pbem git exclude {ASKED}." in excluded[THIRD]


def test_a_letter_with_the_game_says_who_is_away() -> None:
    found = told(PushNews(), f"{OTHER} is away until 2027-01-15")

    assert found.keys() == {ASKED}
    assert f"{NAMES[OTHER]} ({OTHER}) is away until Fri 15 Jan, and the game waits." in found[ASKED]


def test_who_is_asked_reads_that_the_own_absence_is_over() -> None:
    seen = Seen(GAME, Minutes(), None, NOON, is_home=True)

    (found,) = letters(seen, NOTHING, ADDRESSES)

    assert found.to == ADDRESSES[ASKED]
    assert "Welcome back. Your absence is over, and it is your turn." in text_of(found.page)


def test_who_has_no_address_gets_no_letter() -> None:
    seen = Seen(GAME, Minutes(), None, NOON)

    assert list(letters(seen, PushNews(), {OTHER: "somebody@example.org", ASKED: ""})) == []


def test_a_letter_that_cannot_be_delivered_is_not_lost_without_a_word() -> None:
    """Only what answers an error has no sender to whom a machine could report that."""
    found = tuple(letters(Seen(GAME, Minutes(), None, NOON), PushNews(moved=True), ADDRESSES))

    assert found
    assert not any(each.error for each in found)


def test_a_motion_replaces_only_one_that_is_still_open() -> None:
    here, words = f"{GAME.turn}/{GAME.head[:HEAD_DIGITS]}", f"{OTHER} proposes to take the game back to turn 0"
    new, lapsed = (parse_line(f"2027-01-01T12:00:00Z {place} {words}") for place in (here, "0/00000000"))

    assert replaced(new, Minutes().after(lapsed), GAME) is None
    assert replaced(new, Minutes().after(new), GAME)
