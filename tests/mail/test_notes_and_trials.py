"""``try`` shows what an order would bring, and ``note`` comes back to its writer: neither is told to anybody else."""

import io
import re
import shutil
from pathlib import Path

import pytest
from clubs import a_club, a_table, an_order, keep_roster, kept, letters, play, the_record, tree
from people import Mail, nothing_quoted, reply
from test_folders import a_club as a_folder_club
from test_folders import did, put
from test_folders import letters as texts_of
from test_folders import the_asked as asked_in_folders
from test_hidden_food import PROBES, alike, probes

from pbem import game_files
from pbem.carriers.mail.settings import MailClub, read_club
from pbem.carriers.mail.setup import create
from pbem.carriers.mail.take import take
from pbem.carriers.rebuild import compare, rebuilt
from pbem.cli.app import run
from pbem.club import host
from pbem.club import store as memory
from pbem.club.folder import GameFolder, read_roster
from pbem.club.opening import open_game
from pbem.club.status import rows_of
from pbem.club.store import read_talk
from pbem.locale import Language
from pbem.page.text import WIDTH, columns
from pbem.table.notes import LONGEST_NOTE
from pbem.table.people import Opening

PLAN = "attack Bob at the fish"


@pytest.fixture
def club(tmp_path: Path) -> MailClub:
    return a_club(tmp_path / "club")


def said(mail: Mail) -> str:
    return " ".join(mail.text.split())


def question(mails: list[Mail]) -> Mail:
    return next(mail for mail in mails if mail.asks)


def the_others(club: MailClub, mail: Mail) -> set[str]:
    return {player.address for player in read_roster(a_table(club)).players} - {mail.to}


def without_the_journal(files: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files without what any answered request adds: its letter and its row."""
    return {name: data for name, data in files.items() if "journal" not in name and not name.startswith("outbox/new/")}


# Trials


def test_a_trial_is_answered_and_changes_no_byte_but_for_the_letter_and_the_row(club: MailClub) -> None:
    asked = question(letters(club))
    before, rows = tree(club.folder), a_table(club).journal.read_text().count("\n")

    assert take(club, reply(asked, f"try {an_order(asked)}")).code == "answered"

    after = tree(club.folder)
    assert without_the_journal(after) == without_the_journal(before)
    assert len(set(after) - set(before)) == 1
    journal = a_table(club).journal.read_text()
    assert journal.count("\n") == rows + 1
    assert "try" not in journal
    (answer,) = letters(club)
    assert answer.to == asked.to
    assert f'played "{an_order(asked)}". Nothing was played' in said(answer)
    assert "Everything else stays as it is." in said(answer)
    assert answer.text.count("\nQUESTION\n") == 1
    assert an_order(answer) == an_order(asked)  # the question of the game stands there as before
    assert max(map(columns, answer.text.splitlines())) <= WIDTH
    assert take(club, reply(answer, an_order(asked))).code == "played"
    assert not any("trial" in mail.text.lower() for mail in letters(club) if mail.to != asked.to)


def test_the_situation_after_a_trial_stands_above_that_of_the_game(club: MailClub) -> None:
    asked = question(letters(club))
    space = an_order(asked).split()[-1]

    take(club, reply(asked, f"try {an_order(asked)}"))

    (answer,) = letters(club)
    then, _, now = answer.text.partition("\nQUESTION\n")
    assert "BOARD THEN" in then
    assert "CLANS THEN" in then
    assert space in then.partition("CLANS THEN")[2]
    assert space not in now.partition("\nCLANS")[2]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("try", "the order to try is missing"),
        ("try settle Z9z", "is not a space"),
        ("try offer 9", "refused: the rules forbid this order"),
        ("try sprad B1a", "is not an order"),
        ("Try 9", "is not an order"),
    ],
)
def test_a_trial_of_what_is_no_legal_order_is_refused_with_the_reasons_and_told_to_nobody(
    club: MailClub, words: str, says: str
) -> None:
    asked = question(letters(club))
    before = tree(club.folder)

    assert take(club, reply(asked, f"{words}\n\nHello all")).code == "answered"

    (answer,) = letters(club)
    assert says.lower() in said(answer).lower()
    assert [saying.text for saying in read_talk(a_table(club))] == ["Hello all"]
    assert tree(club.folder)["games/friday/game.toml"] == before["games/friday/game.toml"]


def test_a_trial_out_of_turn_says_whose_turn_it_is(club: MailClub) -> None:
    mails = letters(club)
    other = next(mail for mail in mails if not mail.asks)

    assert take(club, reply(other, f"try {an_order(question(mails))}")).code == "answered"

    assert "turn; waiting for" in said(letters(club)[0])


def test_options_out_of_turn_list_what_the_player_could_do_if_asked(club: MailClub) -> None:
    play(club, 3)
    host.resend(club, a_table(club), to_all=True)
    mails = letters(club)
    other = [mail for mail in mails if not mail.asks][-1]

    assert take(club, reply(other, "options")).code == "answered"

    (answer,) = letters(club)
    assert "IF IT WERE YOUR TURN" in answer.text
    assert "none of this can be played now" in said(answer)
    assert "offer 7" in answer.text
    assert not answer.taps
    assert take(club, reply(answer, "offer 7")).code == "refused"


def test_an_order_and_a_trial_in_one_mail_try_the_game_after_the_order(club: MailClub) -> None:
    asked = question(letters(club))

    assert take(club, reply(asked, f"{an_order(asked)}\n\ntry {an_order(asked)}")).code == "played"

    answer = next(mail for mail in letters(club) if mail.to == asked.to)
    assert "turn; waiting for" in said(answer)


def test_a_trial_is_alike_whatever_the_secret_is(club: MailClub, tmp_path: Path) -> None:
    """It is never even read: with another secret, nothing could be played."""
    play(club, 3)
    found = [mail for mail in letters(club) if mail.asks][-1]
    shutil.copytree(club.folder, tmp_path / "other")
    secret = tmp_path / "other" / "games" / "friday" / "game.secret.toml"
    secret.write_text(re.sub("[0-9a-f]{64}", "f" * 64, secret.read_text()))
    answers = []
    for folder in (club.folder, tmp_path / "other"):
        its = read_club(folder)
        memory._Last.digest = ""
        for number, words in enumerate(("try offer 7", "try pass", "try offer 7; pass", "options")):
            verdict = take(its, reply(found, words, number=number))
            answers.append((folder == club.folder, words, verdict, [(m.to, m.subject, m.text) for m in letters(its)]))
    one = [answer[1:] for answer in answers if answer[0]]
    other = [answer[1:] for answer in answers if not answer[0]]
    assert one == other
    assert one[0][1].code == "answered"


@pytest.mark.slow
@PROBES
def test_by_mail_a_trial_is_alike_where_only_hidden_food_differs(number: int, tmp_path: Path) -> None:
    probe = probes()[number]
    folder, seats = tmp_path / "one", [f"{name}:{colour}={colour}@x.example" for colour, name in probe.one.players]
    create(folder, "pbem@example.org", "host@example.org")
    text = (folder / "club.toml").read_text(encoding="utf-8").replace("picture = true", "picture = false")
    (folder / "club.toml").write_text(text, encoding="utf-8")
    opening = Opening(len(seats), "recommended", "open", hide_food=True)
    open_game(read_club(folder), probe.one.game, seats, opening, None)
    table = GameFolder(folder / "games" / probe.one.game)
    table.game.write_text(game_files.text_of(probe.one, "toml"), encoding="utf-8")
    letters(read_club(folder))
    host.resend(read_club(folder), table, to_all=True)
    shutil.copytree(folder, tmp_path / "other")
    mails = letters(read_club(folder))
    answers = []
    for name, record in (("one", probe.one), ("other", probe.other)):
        its = read_club(tmp_path / name)
        GameFolder(its.games / record.game).game.write_text(game_files.text_of(record, "toml"), encoding="utf-8")
        memory._Last.digest = ""
        letters(its)
        verdicts = []
        for at, words in enumerate((f"try {probe.order}", f"try {probe.order}; stay", "try resign", "options")):
            raw = reply(question(mails), words, beneath=nothing_quoted, number=at)
            verdicts.append((take(its, raw), [(mail.to, mail.subject, mail.text) for mail in letters(its)]))
        answers.append(verdicts)
    alike(*answers)
    assert "the trial stops before the clans hunt" in " ".join(answers[0][0][1][0][2].split())


# Notes


def noted(club: MailClub, mail: Mail, words: str = f"note {PLAN}") -> Mail:
    """Send a note, and return the answer."""
    assert take(club, reply(mail, words)).code == "answered"
    (answer,) = letters(club)
    assert answer.to == mail.to
    return answer


def test_a_note_comes_back_in_the_own_letters_and_in_nothing_that_anybody_else_sees(
    club: MailClub, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = question(letters(club))
    answer = noted(club, asked)
    own, others = [answer], []
    for _ in range(7):
        assert take(club, reply(question([answer]), an_order(answer))).code == "played"
        mails = letters(club)
        own += [mail for mail in mails if mail.to == asked.to]
        others += [mail for mail in mails if mail.to != asked.to]
        answer = question(mails)
    host.resend(club, a_table(club), to_all=True)
    mails = letters(club)

    assert len(own) > 2
    for mail in (*own, *(mail for mail in mails if mail.to == asked.to)):
        assert "Your note says: " in mail.text
        assert PLAN in said(mail)
        assert PLAN in " ".join(mail.html.split())
    for mail in (*others, *(mail for mail in mails if mail.to != asked.to)):
        assert PLAN not in said(mail)
        assert "Your note says" not in mail.text
    holding = {name for name, data in tree(club.folder).items() if PLAN.encode() in data}
    assert {name for name in holding if "/mails/" not in name} == {
        "games/friday/private.toml"
    }  # and what was sent to us
    assert a_table(club).private.stat().st_mode & 0o077 == 0
    assert PLAN not in str(rows_of(club))
    assert run(["mail", "status", str(club.folder)]) == 0
    assert PLAN not in capsys.readouterr().out


def test_neither_the_hosts_output_nor_a_subject_has_the_words_of_a_note(
    club: MailClub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = question(letters(club))
    for number, more in enumerate(((), ("--json",))):
        raw = reply(asked, f"note {PLAN}", number=number)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw)))
        assert run(["mail", "take", str(club.folder), *more]) == 0
        out = capsys.readouterr()
        assert "note" in out.out
        assert PLAN not in out.out + out.err

    answer, _ = letters(club)
    assert answer.subject == "[friday] your request: note"


def test_an_order_beside_a_note_is_played_and_the_game_can_be_rebuilt(club: MailClub) -> None:
    asked = question(letters(club))

    assert take(club, reply(asked, f"{an_order(asked)}\nnote {PLAN}")).code == "played"

    mine = next(mail for mail in letters(club) if mail.to == asked.to)
    assert "I have kept your note" in said(mine)
    assert PLAN in said(mine)
    assert PLAN not in a_table(club).game.read_text()
    compare(a_table(club), rebuilt(club, a_table(club))[0].record)


def test_a_note_that_looks_like_an_order_orders_nothing_however_it_is_repeated(club: MailClub) -> None:
    asked = question(letters(club))

    answer = noted(club, asked, f"note {an_order(asked)}")

    left = answer.text.split("\n", 3)[3]  # no marks, and no marker
    for beneath in (lambda _: "\n", lambda _: f"\n\n{left}"):
        assert take(club, reply(answer, "Well played!", beneath=beneath, number=1)).code in ("empty", "duplicate")
    assert the_record(club).turn == 0


def test_a_reply_that_repeats_a_letter_without_marks_does_not_tell_the_note(club: MailClub) -> None:
    answer = noted(club, question(letters(club)))
    left = answer.text.partition("Your note says")
    told = f"{left[1]}{left[2]}"

    take(club, reply(answer, "Well played!", beneath=lambda _: f"\n\n{told}"))

    assert PLAN not in str(read_talk(a_table(club)))


def test_a_note_that_is_too_long_is_not_kept(club: MailClub) -> None:
    answer = noted(club, question(letters(club)), f"note {'very ' * 300}long")

    assert f"at most {LONGEST_NOTE} are kept" in said(answer)
    assert not kept(a_table(club), "notes")


@pytest.mark.parametrize("words", ["note that I am away", "Note to all: I am away", "try again later", "Noted"])
def test_ordinary_talk_stays_talk(club: MailClub, words: str) -> None:
    asked = question(letters(club))

    take(club, reply(asked, words))

    assert [saying.text for saying in read_talk(a_table(club))] == [words]


# As text files


def test_notes_and_trials_work_in_a_club_of_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    club = a_folder_club(tmp_path, 3)
    asked = asked_in_folders(club)
    order = re.findall(r'file\s+with\s+"([^"]+)"', texts_of(club, asked)[-1])[0]

    put(club, asked, f"note {PLAN}\n\ntry {order}\n\nhow do I win?")
    did("run", club)

    answer = " ".join(texts_of(club, asked)[-1].split())
    assert f"Your note says: {PLAN}" in answer
    assert f'played "{order}". Nothing was played' in answer
    assert "R9.2 winner" in answer
    for other in ("Ann", "Bob", "Cy"):
        if other != asked:
            assert not any(PLAN in text for text in texts_of(club, other))
    assert PLAN not in capsys.readouterr().out
    assert (club / "games" / "friday" / "private.toml").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("language", "words"), [("en", "Note: buy fire"), ("it", "nota: buy fire"), ("fr", "note : buy fire")]
)
def test_a_note_with_a_colon_is_told_to_nobody(club: MailClub, language: Language, words: str) -> None:
    """It may be meant for all, but then its writer reads that it was kept, and can say it."""
    table = a_table(club)
    roster = read_roster(table)
    keep_roster(table, roster._replace(players=tuple(each._replace(language=language) for each in roster.players)))

    mail = question(letters(club))

    take(club, reply(mail, words))

    assert "buy fire" in kept(table, "notes")
    assert read_talk(table) == ()
    assert [answer.to for answer in letters(club)] == [mail.to]
