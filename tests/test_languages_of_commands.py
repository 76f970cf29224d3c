"""Commands and clones in the language of their reader, who writes orders in it too."""

import json
from html import unescape
from pathlib import Path
from typing import Final

import pytest
from forked import run_program
from friday import begun
from gits import a_group, did, game_at, git, pbem, that_goes_on

from pbem import loading
from pbem.cli.language import ordered_in, written_in
from pbem.first_sparks.notation import FORMS, ORDER_HEADING, ORDER_LINE, order_text
from pbem.first_sparks.plans.words import plan_text
from pbem.loading import Submission
from pbem.locale import LANGUAGES, Language, speaking, tr
from pbem.rule_search import index

OTHERS: Final[tuple[Language, ...]] = tuple(language for language in LANGUAGES if language != "en")
in_every_other = pytest.mark.parametrize("language", OTHERS)
# What each command prints, and how that begins in English.
COMMANDS: Final = {
    "show {game}": "QUESTION",
    "options {game}": "add nobody",
    "options {game} --after stay": "A TRIAL: NOTHING WAS PLAYED",
    "check {game} --as Cara --order stay": "legal; nothing was written",
    "play {game} --as Cara --order stay": "QUESTION",
    "replay {game}": "There was no other choice.",
    "replay {game} --html": "There was no other choice.",
    "stats {game}": "with the game rounds of those that are over",
    "stats {game} --html": "with their game rounds so far",
    "plan {game} --as Ann": "You have no plan.",
    "rules rotten-food": "EN, phase 1, discarding rotten food; FAQ, discarding rotten food",
}


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """A game of three on a recommended board; Cara (green), Bob (blue), Ann (red) may add a second member."""
    return begun(tmp_path)


def printed(*arguments: str | Path, stdin: str = "", status: int = 0) -> str:
    """Run the program, and return what it prints; to standard error if it ends with another status than 0."""
    done = run_program(*arguments, stdin=stdin)
    assert done.returncode == status, (arguments, done.stdout, done.stderr)
    return done.stderr if status else done.stdout


def said_in(language: Language, order: str) -> str:
    """Return an order as letters and pages call it in a language."""
    with speaking(language):
        return order_text(order)


def stands(message: str, text: str, language: Language) -> bool:
    """Return whether a message stands in a text in that language, wherever its lines are broken."""
    with speaking(language):
        return " ".join(tr(message).split()) in " ".join(unescape(text).split())


# Each command


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("command", "message"), COMMANDS.items(), ids=COMMANDS)
def test_what_a_command_prints_is_in_that_language(game: Path, command: str, message: str, language: Language) -> None:
    text = printed(*command.format(game=game).split(), "--language", language)

    assert stands(message, text, language)


@in_every_other
def test_json_is_the_same_in_every_language(game: Path, language: Language) -> None:
    for command in (
        "show {game}",
        "options {game}",
        "check {game} --as Cara --order stay",
        "stats {game}",
        "bot {game}",
    ):
        words = (*command.format(game=game).split(), "--json")

        assert printed(*words, "--language", language) == printed(*words)


@in_every_other
def test_a_page_says_in_which_language_it_is(game: Path, language: Language) -> None:
    page = game.with_name("game.html")
    printed("replay", game, "--html", "-o", page, "--json", "--language", language)

    assert f'<html lang="{language}">' in page.read_text(encoding="utf-8")
    assert f'<html lang="{language}">' in printed("stats", game, "--html", "--language", language)


def test_the_board_is_drawn_again_in_another_language(game: Path) -> None:
    picture = game.with_suffix(".svg")
    for language in LANGUAGES:
        printed("board", game, "--svg", "--language", language)

        assert stands("The board of First Sparks", picture.read_text(encoding="utf-8"), language)


@pytest.mark.parametrize("command", ["show", "options", "play", "check", "replay", "stats", "plan", "rules", "bot"])
def test_an_unknown_language_is_refused(game: Path, command: str) -> None:
    said = printed(command, *([] if command == "rules" else [game]), "--language", "es", status=2)

    assert said == (
        "usage: 'es' is not a language of pbem\n\n"
        "hint: choose en (English), it (italiano), fr (français) or de (Deutsch)\n"
    )


def test_a_batch_has_no_language(game: Path) -> None:
    assert "--batch can only be combined with" in printed("check", game, "--batch", "--language", "it", status=2)


# Orders


@in_every_other
def test_an_order_can_be_in_that_language(game: Path, language: Language) -> None:
    printed("play", game, "--as", "Cara", "--order", said_in(language, "add B2c"), "--language", language)
    printed("play", game, "--as", "Bob", "--order", "stay", "--language", language)

    assert [str(entry) for entry, _ in loading.load(game).record.history[-2:]] == ["1 green add B2c", "2 blue stay"]


@in_every_other
def test_the_answer_that_a_page_begins_can_be_sent_back(game: Path, language: Language) -> None:
    shown = printed("show", game, "--language", language)
    with speaking(language):
        heading, line = tr(ORDER_HEADING), tr(ORDER_LINE).format(order=order_text("add B2c"))
    assert f"{line}\n" in shown.partition(heading)[2]

    answer = heading + shown.partition(heading)[2]
    printed("play", game, "-", "--as", "Cara", "--language", language, stdin=answer)

    assert str(loading.load(game).record.history[-1][0]) == "1 green add B2c"


@in_every_other
def test_an_order_in_json_is_understood_too(game: Path, language: Language) -> None:
    order = said_in(language, "stay")

    told = json.loads(printed("play", game, "--as", "Cara", "--order", order, "--language", language, "--json"))

    assert (told["code"], told["log"]) == ("played", ["1 green stay"])


@in_every_other
def test_every_order_is_understood_in_that_language_and_in_english(language: Language) -> None:
    """No word of the order language means another order elsewhere."""
    orders = [order.replace("CARD", "12") for order in FORMS]
    own = [said_in(language, order) for order in orders]

    assert ordered_in(language, Submission(tuple(own))).orders == tuple(orders)
    assert ordered_in(language, Submission(tuple(orders))).orders == tuple(orders)


@in_every_other
def test_a_plan_can_be_in_that_language(game: Path, language: Language) -> None:
    printed("plan", game, "--as", "Ann", said_in(language, "stay"), "--language", language)

    with speaking(language):
        own = plan_text("plan stay")
    assert f"{own}\n" in printed("plan", game, "--as", "Ann", "--language", language)
    assert "plan stay\n" in printed("plan", game, "--as", "Ann")


@pytest.mark.parametrize(("language", "word"), [("it", "fuoco"), ("fr", "feu"), ("de", "Feuer")])
def test_a_rule_is_found_by_a_card_in_that_language(language: Language, word: str) -> None:
    assert "R8.1 fire\n" in printed("rules", word, "--language", language)


@in_every_other
def test_every_rule_is_found_by_its_id_in_every_language(language: Language) -> None:
    for rule in index().rules:
        for name in (rule["id"], rule["number"]):
            assert "-" in name or written_in(language, [name]) == [name]


# Refusals


@in_every_other
def test_a_refusal_is_in_that_language_and_keeps_its_status(game: Path, language: Language) -> None:
    early = ("play", game, "--as", "Bob", "--order", said_in(language, "stay"), "--language", language)
    said = printed(*early, status=77)

    with speaking(language):
        cara = f"Cara ({tr('green', 'clan colour')})"
        why = tr("it is not {player}'s turn; waiting for {other}").format(player="Bob", other=cara)
    assert why in said
    assert said_in(language, "stay") in said
    assert (
        json.loads(run_program(*early, "--json").stdout)["message"] == "it is not Bob's turn; waiting for Cara (green)"
    )


@in_every_other
def test_what_is_said_of_the_command_line_is_english(game: Path, language: Language) -> None:
    assert "give either a move file or --order" in printed("play", game, "--language", language, status=2)
    assert "cannot be opened" in printed("show", "nowhere.toml", "--language", language, status=66)


# A clone


@pytest.mark.slow
def test_a_clone_speaks_the_language_of_its_player(tmp_path: Path) -> None:
    """Bob plays in French, Ann in English, and what is committed is the same as in English."""
    group = a_group(tmp_path)
    french = group.another_clone("french")
    git(french, "config", "pbem.language", "fr")
    git(french, "config", "pbem.player", "red")

    status = did(french, "git", "status")
    early = pbem(french, "git", "move", "--as", "blue", "--order", said_in("fr", "stay"))
    did(french, "git", "note", "Bonjour !")
    moved = did(french, "git", "move", "--order", said_in("fr", "stay"))

    with speaking("fr"):
        assert status.startswith(tr("{place}: it is your turn").format(place=_place(0)))
        blue, red = "Steffi", f"Christian ({tr('red', 'clan colour')})"
        why = tr("it is not {player}'s turn; waiting for {other}").format(player=blue, other=red)
        assert (early.returncode, why in early.stderr) == (77, True)
        assert tr("{subject}: pushed to {remote}").format(subject="1 red stay", remote="origin") in moved
    assert stands("MARKET", moved, "fr")
    assert stands("How the game goes:", did(french, "git", "help"), "fr")
    assert json.loads(pbem(french, "git", "status", "--json").stdout)["message"].endswith("waiting for Steffi (blue)")


@pytest.mark.slow
def test_what_a_clone_commits_is_in_english(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    french = group.another_clone("french")
    git(french, "config", "pbem.language", "fr")
    did(french, "git", "pause", "--as", "red")

    did(french, "git", "move", "--as", "red", "--order", said_in("fr", "stay"))

    message = git(french, "log", "-1", "--format=%B")
    assert message.startswith("1 red stay\n")
    assert "CLANS" in message
    assert "CLANS" in git(french, "show", "HEAD:README.md")
    assert did(group.another_clone("third"), "git", "check", group.base, "HEAD").endswith(
        "2 moves checked, all valid\n"
    )
    assert str(game_at(french).record.log[-1]) == "1 red stay"


@pytest.mark.slow
def test_the_page_of_a_game_that_ends_in_a_clone_is_in_english(tmp_path: Path) -> None:
    group = a_group(tmp_path)
    french = group.another_clone("french")
    git(french, "config", "pbem.language", "fr")

    for colour in ("green", "red", "blue"):
        said = did(french, "git", "move", "--as", colour, "--order", said_in("fr", "agree end"))

    with speaking("fr"):
        assert tr("{place}: the game is over").partition("}")[2] in pbem(french, "git", "status").stdout
    assert stands("FINAL TABLE", said, "fr")
    assert '<html lang="en">' in git(french, "show", "HEAD:replay.html")
    assert "FINAL TABLE" in git(french, "show", "HEAD:README.md")


def test_a_clone_with_an_unknown_language_says_how_to_set_it(tmp_path: Path) -> None:
    clone = a_group(tmp_path).clone
    git(clone, "config", "pbem.language", "klingon")

    done = pbem(clone, "git", "status")

    assert done.returncode == 2
    assert "git's setting pbem.language is 'klingon', which is not a language of pbem" in done.stderr
    assert "or de (Deutsch): git config pbem.language CODE" in done.stderr


def test_a_server_writes_to_each_player_in_the_language_that_it_knows(tmp_path: Path) -> None:
    group, club = that_goes_on(a_group(tmp_path)), tmp_path / "club"
    did(tmp_path, "mail", "init", club, "--address", "pbem@example.org", "--host", "host@example.org")
    for key, value in {"club": club, "blue.address": "steffi@example.net", "blue.language": "de"}.items():
        git(group.server, "config", f"pbem.{key}", str(value))
    before = {*(club / "outbox" / "new").iterdir()}

    did(group.clone, "git", "move", "--as", "red", "--order", "stay")

    (letter,) = {*(club / "outbox" / "new").iterdir()} - before
    mail = letter.read_text(encoding="utf-8")
    assert "Content-Language: de" in mail
    with speaking("de"):
        assert tr("{place}: it is your turn").partition("}")[2] in mail


def test_a_server_that_does_not_know_a_language_writes_in_that_of_its_club(tmp_path: Path) -> None:
    group, club = that_goes_on(a_group(tmp_path)), tmp_path / "club"
    did(tmp_path, "mail", "init", club, "--address", "pbem@example.org", "--host", "host@example.org")
    for key, value in {"club": club, "blue.address": "steffi@example.net", "blue.language": "klingon"}.items():
        git(group.server, "config", f"pbem.{key}", str(value))

    done = pbem(group.clone, "git", "move", "--as", "red", "--order", "stay")

    assert done.returncode == 0
    newest = max((club / "outbox" / "new").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    assert "Content-Language: en" in newest.read_text(encoding="utf-8")


def _place(turn: int) -> str:
    return tr("{game}, turn {turn}").format(game="friday", turn=turn)
