"""Who joins by mail: asked to confirm, and seated by a yes that proves whose it is."""

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from clubs import ANN, START, a_club, letters, tree
from people import Mail, a_mail, reply, tapped

import pbem
from pbem.carriers.mail.service import clocked
from pbem.carriers.mail.settings import MailClub
from pbem.carriers.mail.strangers.seats import says_yes
from pbem.carriers.mail.take import take
from pbem.carriers.rebuild import rebuilt
from pbem.club import host
from pbem.club.folder import GameFolder, read_roster
from pbem.club.opening import open_game
from pbem.errors import Illegal, NotUnderstood
from pbem.first_sparks.record import digest
from pbem.loading import load_components
from pbem.table.people import Opening


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    """A club with a game that has begun."""
    return a_club(tmp_path / "club")


def invited(club: MailClub, wish: str = "join monday Dan blue", address: str = "dan@d.example") -> Mail:
    """Return the letter that asks somebody to confirm a wish to play in a game with two free seats."""
    if not (club.games / "monday").exists():
        open_game(club, "monday", (f"Ann:red={ANN}",), Opening(3, "recommended"), None)
    letters(club)
    assert take(club, a_mail(address, "pbem@example.org", wish, subject=wish)).code == "asked"
    (asked,) = letters(club)
    return asked


def seats(club: MailClub) -> list[tuple[str, str]]:
    return [(player.name, player.colour) for player in read_roster(GameFolder(club.games / "monday")).players[1:]]


def test_a_wish_to_join_can_be_the_subject_alone(club: MailClub) -> None:
    open_game(club, "monday", (f"Ann:red={ANN}",), Opening(3, "recommended"), None)
    letters(club)

    for subject, code in (("Re: join monday Dan", "stranger"), ("join monday Dan blue", "asked")):
        assert take(club, a_mail("dan@d.example", "pbem@example.org", "Hello!", subject=subject)).code == code


def test_players_join_by_mail_after_they_have_confirmed(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    letters(club)
    open_game(club, "monday", (f"Ann:red={ANN}",), Opening(3, "recommended"), None)
    (told,) = letters(club)
    assert told.to == ANN
    assert "as Ann (red). It begins when 2 more players have joined" in " ".join(told.text.split())
    assert take(club, reply(told, "When?")).code == "waiting"
    letters(club)

    for name, address in (("Dan blue", "dan@d.example"), ("Eve", "eve@e.example")):
        assert take(club, a_mail(address, "pbem@example.org", f"join monday {name}")).code == "asked"
        asked = next(mail for mail in letters(club) if mail.to == address)
        assert not (club.games / "monday" / "game.toml").exists()
        forged = reply(asked, f"join monday {name}", sender="mallory@m.example")
        assert take(club, forged).code != "joined"
        letters(club)
        verdict = take(club, reply(asked, f"join monday {name}"))
        assert take(club, reply(asked, f"join monday {name}", number=1)).code == "duplicate"

    assert verdict.code == "begun"
    assert [(p.name, p.colour) for p in read_roster(GameFolder(club.games / "monday")).players] == [
        ("Ann", "red"),
        ("Dan", "blue"),
        ("Eve", "green"),
    ]
    assert sorted(mail.to for mail in letters(club)) == sorted([ANN, "dan@d.example", "eve@e.example"])


@pytest.mark.parametrize(
    "words",
    [
        "yes",
        "Yes!",
        "> old\n\n*YES*.",
        "yes\n\nDan\n-- \nDan of the hills",
        "Yes please!",
        "Yes, thanks",
        "Hello,\n\nyep, that was me.",
        "Hi, yes\nDan",
        "Yes, it's me",
        "Yes, I want to play",
        "Yes, I play as Dan (blue)",  # the label of our button
    ],
)
def test_a_yes_above_the_letter_confirms(club: MailClub, words: str) -> None:
    assert take(club, reply(invited(club), words)).code == "joined"
    assert seats(club) == [("Dan", "blue")]


@pytest.mark.parametrize(
    "wish",
    ["and the name Dan", "with the name Dan", "as Dan", "under my name Dan", "mit dem Namen Dan", "sous le nom Dan"],
)
def test_words_before_the_name_are_no_part_of_it(club: MailClub, wish: str) -> None:
    asked = invited(club, f"join monday {wish} blue")
    assert "as Dan (blue)" in " ".join(asked.text.split())

    assert take(club, reply(asked, "yes")).code == "joined"
    assert seats(club) == [("Dan", "blue")]


def test_a_tap_confirms(club: MailClub) -> None:
    asked = invited(club)
    (tap,) = asked.taps

    assert take(club, tapped(asked, tap)).code == "joined"
    assert seats(club) == [("Dan", "blue")]
    assert take(club, tapped(asked, tap._replace(body=f"{tap.body}\n"))).code == "duplicate"


def test_a_yes_confirms_what_its_own_letter_asks(club: MailClub) -> None:
    first, second = invited(club), invited(club, "join monday Dana green")

    assert take(club, reply(first, "yes")).code == "joined"
    assert seats(club) == [("Dan", "blue")]
    assert take(club, reply(second, "yes")).code == "duplicate"


@pytest.mark.parametrize(
    "words",
    [
        "",
        "\n\n-- \nyes",
        "yes, I am away until Monday",
        "Thank you. yes",
        "I would\nyes",
        "yes, but not now",
        "yes, that was me, but I am away",
        "yes?",
        "Hello",
        "not yes",
    ],
)
def test_what_is_no_yes_is_asked_again(club: MailClub, words: str) -> None:
    asked = invited(club)

    assert take(club, reply(asked, words)).code == "asked"
    (again,) = letters(club)
    assert 'reply to this letter with "yes"' in " ".join(again.text.split())
    assert seats(club) == []
    assert take(club, reply(again, "yes")).code == "joined"


@pytest.mark.parametrize(
    "header", ["Auto-Submitted: auto-replied", "Precedence: bulk", "Subject: Automatic reply: hello", "Return-Path: <>"]
)
@pytest.mark.parametrize("words", ["yes", ""])
def test_no_robot_confirms_or_is_asked_again(club: MailClub, header: str, words: str) -> None:
    raw = reply(invited(club), words)
    name = header.partition(":")[0].encode()
    kept = [line for line in raw.split(b"\n") if not line.startswith(name + b":")]

    assert take(club, b"\n".join([header.encode(), *kept])).code == "robot"
    assert seats(club) == []
    assert letters(club) == []


def test_a_yes_of_somebody_else_or_without_the_ticket_confirms_nothing(club: MailClub) -> None:
    asked = invited(club)

    assert take(club, reply(asked, "yes", sender="mallory@m.example")).code == "stranger"
    assert take(club, a_mail("dan@d.example", "pbem@example.org", "yes")).code == "stranger"
    other = invited(club, "join monday Eve", "eve@e.example")
    assert take(club, reply(other, "yes", sender="dan@d.example")).code == "silent"
    assert seats(club) == []


@pytest.mark.parametrize(
    "yes",
    [
        "Yes, please!",
        "oui",
        "sì",
        "Hallo\nja, gerne",
        "sure",
        "\N{THUMBS UP SIGN}",
        "Yes please, looking forward to it",
        "Oui, c'était moi",
        "Ja, ich war das.",
        "Sì, sono stata io!",
        "That was me.",
    ],
)
def test_a_yes_in_any_language_takes_the_seat(club: MailClub, yes: str) -> None:
    asked = invited(club)

    assert take(club, reply(asked, yes)).code == "joined"


@pytest.mark.parametrize(
    "words",
    [
        "stop",
        "no",
        "Hello,\n\nNo, it was not me!",
        "No thanks",
        "I did not ask that.",
        "Nein, das war ich nicht.",
        "Non, ce n'était pas moi",
        "No, non sono stato io",
    ],
)
def test_who_does_not_want_to_play_is_left_in_peace(club: MailClub, words: str) -> None:
    asked = invited(club)

    assert take(club, reply(asked, words)).code == "silent"
    assert letters(club) == []


def test_no_line_of_the_letter_that_asks_is_a_yes(club: MailClub) -> None:
    for name in ("Dan", "D" * 24, "Dan of the hills", "yes", "D yes"):
        asked = invited(club, f"join monday {name}", f"{len(name)}{name[-3:]}@d.example")
        assert not [line for line in asked.text.split("\n") if says_yes(line)]


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        ("join nothing Dan", "no game 'nothing'. Ask the host"),
        ("join friday Dan", "has already begun"),
        ("join monday Ann", "The name Ann is already taken. Choose another one."),
        ("join monday Dan red", "Red is already taken"),
    ],
)
def test_a_wish_to_join_that_cannot_be_met_is_answered_three_times_at_most(
    tmp_path: Path, wish: str, says: str
) -> None:
    club = a_club(tmp_path / "club")
    open_game(club, "monday", (f"Ann:red={ANN}",), Opening(2), None)
    letters(club)

    verdicts = [take(club, a_mail("dan@d.example", "pbem@example.org", wish, subject=str(n))).code for n in range(5)]

    assert verdicts == ["refused", "refused", "refused", "silent", "silent"]
    told = [" ".join(mail.text.split()) for mail in letters(club)]
    assert all(says in text and "pbem mail" not in text and "GAME" not in text for text in told)


def test_who_has_joined_is_told_once_that_the_game_has_not_begun(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    open_game(club, "monday", (), Opening(2), None)
    take(club, a_mail("dan@d.example", "pbem@example.org", "join monday Dan"))
    asked = next(mail for mail in letters(club) if mail.to == "dan@d.example")
    take(club, reply(asked, "join monday Dan"))
    (joined,) = letters(club)
    assert "It begins when 1 more player has joined" in " ".join(joined.text.split())

    assert [take(club, reply(joined, "offer 7", number=n)).code for n in range(3)] == ["waiting", "silent", "silent"]
    (answer,) = letters(club)
    assert "has not begun" in answer.text


def test_a_refused_wish_to_join_changes_nothing(tmp_path: Path) -> None:
    club = a_club(tmp_path / "club")
    letters(club)
    before = tree(club.games)

    take(club, a_mail("dan@d.example", "pbem@example.org", "join friday Dan"))

    assert tree(club.games) == before


def asked_for(club: MailClub, game: str, number: int, address: str = "dan@d.example") -> list[str]:
    """Return what becomes of so many wishes to join a game, whoever has sent them."""
    wishes = (a_mail(address, "pbem@example.org", f"join {game} Dan", subject=f"{game} {n}") for n in range(number))
    return [take(club, wish).code for wish in wishes]


def test_who_was_asked_three_times_about_one_game_can_still_join_it_and_others(club: MailClub) -> None:
    """Anybody can send wishes in another's name."""
    for game in ("monday", "sunday"):
        open_game(club, game, (f"Ann:red={ANN}",), Opening(3), None)
    letters(club)
    assert asked_for(club, "monday", 5) == ["asked"] * 3 + ["silent"] * 2
    mails = letters(club)
    last = ["the last time I write" in " ".join(mail.text.split()) for mail in mails]
    assert sorted(last) == [False, False, True]

    assert asked_for(club, "sunday", 1) == ["asked"]
    assert take(club, reply(mails[last.index(True)], "yes")).code == "joined"
    assert seats(club) == [("Dan", "green")]


def test_the_last_letter_says_how_to_take_another_name(club: MailClub) -> None:
    open_game(club, "monday", (f"Ann:red={ANN}",), Opening(3), None)
    letters(club)
    for number in range(3):
        take(club, a_mail("dan@d.example", "pbem@example.org", "join monday Don", subject=str(number)))
    (last,) = [mail for mail in letters(club) if "the last time" in mail.text]
    assert 'with "yes", or with "join monday" and the name' in " ".join(last.text.split())

    assert take(club, reply(last, "join monday Dave")).code == "joined"
    assert seats(club) == [("Dave", "green")]


@pytest.mark.parametrize("text", ["nothing", 'format = "pbem-private/1"\nplayers = 7\n'])
def test_a_mistake_of_the_host_refuses_no_wish_and_is_told_to_no_stranger(club: MailClub, text: str) -> None:
    asked = invited(club)
    players = club.games / "monday" / "private.toml"
    sound = players.read_text()
    players.write_text(text)

    for wish in (a_mail("eve@e.example", "pbem@example.org", "join monday Eve"), reply(asked, "yes")):
        with pytest.raises(NotUnderstood):
            take(club, wish)
        assert letters(club) == []
        players.write_text(sound)
        assert take(club, wish).code in ("asked", "joined")
        letters(club)
        players.write_text(text)


def test_wishes_that_cannot_be_met_use_up_none_that_can(club: MailClub) -> None:
    open_game(club, "monday", (f"Ann:red={ANN}",), Opening(3), None)
    letters(club)
    assert asked_for(club, "tuesday", 4) == ["refused"] * 3 + ["silent"]
    last = ["the last time I answer" in " ".join(mail.text.split()) for mail in letters(club)]
    assert sorted(last) == [False, False, True]

    assert asked_for(club, "monday", 1) == ["asked"]


def test_what_was_asked_is_forgotten_when_it_is_answered(club: MailClub) -> None:
    asked = invited(club)
    assert take(club, reply(asked, "yes")).code == "joined"

    assert list((club.folder / "strangers").iterdir()) == []
    assert take(club, reply(asked, "yes", number=1)).code == "duplicate"
    assert take(club, reply(asked, "Thank you", number=2)).code == "duplicate"


def test_strangers_are_forgotten_after_a_month(club: MailClub) -> None:
    hello = a_mail("eve@e.example", "pbem@example.org", "hello")
    assert take(club, hello).code == "stranger"
    (path,) = (club.folder / "strangers").iterdir()
    os.utime(path, (START.timestamp(), START.timestamp()))

    clocked(club, START + timedelta(days=30))
    assert take(club, hello.replace(b"hello", b"hello?")).code == "silent"
    clocked(club, START + timedelta(days=31))
    assert take(club, hello.replace(b"hello", b"hello!")).code == "stranger"


def test_a_club_that_does_not_tick_forgets_by_the_mail_that_comes(club: MailClub) -> None:
    hellos = [a_mail(f"eve{number}@e.example", "pbem@example.org", "hello") for number in range(3)]
    assert take(club, hellos[0], START).code == "stranger"
    (path,) = (club.folder / "strangers").iterdir()
    os.utime(path, (START.timestamp(), START.timestamp()))

    take(club, hellos[1], START + timedelta(days=30))
    assert path.exists()
    take(club, hellos[2], START + timedelta(days=31))
    assert not path.exists()


def test_a_yes_after_the_game_has_begun_is_told_so(club: MailClub) -> None:
    asked = invited(club)
    for name in ("Eve", "Fay"):
        take(club, reply(invited(club, f"join monday {name}", f"{name}@e.example"), "yes"))
    letters(club)

    assert take(club, reply(asked, "yes")).code == "refused"
    (told,) = letters(club)
    assert "has already begun" in told.text


def test_a_component_set_of_its_own_is_named_to_who_may_want_to_play(club: MailClub, tmp_path: Path) -> None:
    """Whoever confirms has agreed to the cards, and cannot know them from a game that has not begun."""
    own = tmp_path / "own.toml"
    shipped = Path(pbem.__file__).parent / "first_sparks" / "data" / "components.toml"
    own.write_text(shipped.read_text(encoding="utf-8").replace("plow_bonus = 1", "plow_bonus = 2"), encoding="utf-8")
    digits = digest(load_components(own))[:8]
    letters(club)

    open_game(club, "monday", (f"Ann:red={ANN}",), Opening(3, "recommended"), own)
    (told,) = letters(club)
    asked = invited(club)
    assert take(club, reply(asked, "yes")).code == "joined"
    (seated,) = letters(club)

    for letter in (told, asked, seated):
        assert f"This game uses its own component set, {digits}." in " ".join(letter.text.split())


def test_nothing_is_said_of_the_component_set_that_ships(club: MailClub) -> None:
    assert "component set" not in invited(club).text


@pytest.mark.parametrize(
    "command",
    [lambda club, table: host.pause(club, table, ""), rebuilt, host.take_back],
)
def test_a_game_that_waits_for_players_is_not_called_lost(
    club: MailClub, command: Callable[[MailClub, GameFolder], object]
) -> None:
    invited(club)

    with pytest.raises(Illegal, match="has not begun, since not everybody has joined"):
        command(club, GameFolder(club.games / "monday"))


# In another language


def in_german(club: MailClub, wish: str) -> Mail:
    """Return the letter that answers a wish to play in a game that waits for players and is held in German."""
    open_game(club, "samstag", (f"Ann:red={ANN}",), Opening(3, "recommended"), None, ("de",))
    letters(club)
    take(club, a_mail("tom@t.example", "pbem@example.org", wish, subject="Hallo"))
    (told,) = letters(club)
    return told


def test_the_letters_to_whoever_joins_are_in_the_language_of_the_game(club: MailClub) -> None:
    asked = in_german(club, "join samstag Tom")
    assert "willst du mitspielen" in asked.subject

    assert take(club, reply(asked, "ja")).code == "joined"
    (seated,) = letters(club)
    assert "Du spielst" in seated.text
    assert "Rot ist schon vergeben" in in_answer_to(club, "join samstag Uwe red")


def in_answer_to(club: MailClub, wish: str) -> str:
    take(club, a_mail("uwe@u.example", "pbem@example.org", wish, subject="Hallo"))
    (told,) = letters(club)
    return " ".join(told.text.split())


def test_a_request_in_a_third_language_is_answered_in_that(club: MailClub) -> None:
    asked = in_german(club, "Ciao, vorrei unirmi a samstag come Giulia")
    assert "Giulia" in asked.text
    assert "vuoi giocare" in asked.subject

    assert take(club, reply(asked, "sì")).code == "joined"
    (player,) = [each for each in read_roster(GameFolder(club.games / "samstag")).players if each.name == "Giulia"]
    assert player.language == "it"


@pytest.mark.parametrize(
    ("wish", "name"),
    [
        ("Ich möchte gern bei samstag mitspielen. Ich heiße Heidi.", "Heidi"),
        ("mitspielen samstag Tom", "Tom"),
        ("mitmachen samstag Tom", "Tom"),
        ("Hallo, kann ich bei samstag mitspielen? Mein Name ist Tom", "Tom"),
        ("je voudrais rejoindre samstag sous le nom de Tom", "Tom"),
        ("Bonjour, je voudrais rejoindre samstag, je m'appelle Tom", "Tom"),
        ("Ciao, vorrei unirmi a samstag come Giulia", "Giulia"),
        ("Hello, I'd like to join samstag as Tom", "Tom"),
    ],
)
def test_a_wish_to_join_in_a_whole_sentence_is_understood(club: MailClub, wish: str, name: str) -> None:
    asked = in_german(club, wish)
    assert f"{name}" in asked.text

    assert take(club, reply(asked, "yes")).code == "joined"
    assert [each.name for each in read_roster(GameFolder(club.games / "samstag")).players] == ["Ann", name]


def test_the_example_names_the_game_only_to_whoever_does(club: MailClub) -> None:
    told = in_german(club, "Wie komme ich zu samstag?")

    assert '"join samstag Zoe"' in " ".join(told.text.split())
    assert '"join saturday Zoe"' in in_answer_to(club, "How can I play?")
