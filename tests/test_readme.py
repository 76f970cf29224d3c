"""Every README is run, each in a folder of its own, from top to bottom; ``pytest --update`` rewrites the output."""

import ast
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any
from urllib.parse import urlsplit

import pytest
import typer
from forked import a_path
from gits import ENVIRONMENT

from pbem.carriers.mail.setup import create
from pbem.cli.git import play
from pbem.cli.git.help import NOT_FOR_PLAYERS
from pbem.club.settings import club_text
from pbem.table.matters.kinds import MOVED

ROOT = Path(__file__).parents[1]
FRONT = ROOT / "README.md"
PLACES = ("README.md", "examples/*/README.md", "schemas/README.md", "pbem/**/README.md")
READMES = {str(path.relative_to(ROOT)): path for place in PLACES for path in sorted(ROOT.glob(place))}
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SCRIPT = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SETTINGS = re.compile(r"^( *)```toml\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^( *)```.*?^\1```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)]+)\)|src=\"([^\"]+)\"")

every_readme = pytest.mark.parametrize("name", READMES)


def every_readme_with(block: re.Pattern[str]) -> pytest.MarkDecorator:
    names = [name for name, page in READMES.items() if block.search(page.read_text(encoding="utf-8"))]
    slow = pytest.mark.slow  # a whole game in a repository
    return pytest.mark.parametrize(
        "name", [pytest.param(name, marks=slow if name.startswith("examples/by-git") else ()) for name in names]
    )


def run_block(block: str, folder: Path, environment: dict[str, str]) -> str:
    """Return the block with the output of its commands as it is now; none leaves the folder of whoever types."""
    shown = []
    for command in (line for line in block.splitlines() if line.startswith("$ ")):
        done = subprocess.run(
            ["sh", "-c", f"{command[2:]}\npwd -P >../folder"],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert Path(f"{folder}/../folder").read_text(encoding="utf-8") == f"{folder.resolve()}\n", command
        shown.append(f"{command}\n{done.stdout}")
    return "".join(shown)


@every_readme_with(BLOCK)
def test_the_console_blocks_say_what_the_program_says(name: str, tmp_path: Path, update: bool) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    environment = {**ENVIRONMENT, "PATH": a_path(), "NO_COLOR": "1"}

    text = READMES[name].read_text(encoding="utf-8")
    now = BLOCK.sub(lambda found: f"```console\n{run_block(found[1], folder, environment)}```", text)
    if update:
        READMES[name].write_text(now, encoding="utf-8")

    assert now == text or update


EACH = """
import sys
for script in sys.argv[1:]:
    exec(script, {"__name__": "__main__"})
    print(end="\\f")
"""


@every_readme_with(SCRIPT)
def test_the_python_blocks_run(name: str, tmp_path: Path) -> None:
    """Each by itself, in a Python that starts once."""
    scripts = SCRIPT.findall(READMES[name].read_text(encoding="utf-8"))
    command = [sys.executable, "-W", "error", "-c", EACH, *scripts]

    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    *shown, rest = done.stdout.split("\f")
    assert (len(shown), rest) == (len(scripts), "")
    assert all(shown)
    assert not re.search(r"[\x00-\x08]|\\x[01]", done.stdout)


def test_no_readme_tells_to_add_a_setting_that_a_new_club_has(tmp_path: Path) -> None:
    """A key or a table that stands twice in a file of TOML makes it unreadable."""
    text = club_text(create(tmp_path / "club", "pbem@example.org", "host@example.org"))
    has = re.findall(r"^\[?(\w+)", text, re.MULTILINE)
    for name, page in READMES.items():
        said = " ".join(page.read_text(encoding="utf-8").split())
        assert not re.search(rf"(?:add|another table|a table) `\[?(?:{'|'.join(has)})\b", said), name


@every_readme
def test_every_link_leads_to_something(name: str) -> None:
    """To a file here, and in a README to one of its headings, as GitHub names them."""
    page = READMES[name]
    wrong = []
    for link in ("".join(found) for found in LINK.findall(without_code(page))):
        there = urlsplit(link)
        target = (page.parent / there.path).resolve() if there.path else page
        found = target.is_relative_to(ROOT) and target.exists() and not there.scheme
        if not found or (there.fragment and there.fragment not in anchors(target)):
            wrong.append(link)

    assert wrong == []


def without_code(page: Path) -> str:
    return FENCED.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> list[str]:
    """Return the names of the headings of a page, made as GitHub makes them."""
    text = FENCED.sub(lambda code: code[0].strip("`"), page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


def test_the_readmes_show_every_form_of_use() -> None:
    shown = {name for name, page in READMES.items() if BLOCK.search(page.read_text(encoding="utf-8"))}

    assert shown >= {
        "README.md",
        "schemas/README.md",
        *(f"examples/{way}/README.md" for way in ("by-mail", "by-git", "bot")),
    }
    assert SCRIPT.search(READMES["examples/bot/README.md"].read_text(encoding="utf-8"))


def test_the_front_page_shows_the_game_at_once() -> None:
    """A picture of the board, a letter, how to install it and where to read on stand in its first 20 lines."""
    lines = FRONT.read_text(encoding="utf-8").splitlines()
    top = "\n".join(lines[:20])

    assert len(lines) <= 160
    for shown in ("three-players/board.svg", "by-mail/letter.svg", "<!-- install -->", "pip install"):
        assert shown in top
    for folder in ("examples/by-mail", "examples/by-git", "examples/bot", "pbem/first_sparks"):
        assert f"({folder}/README.md)" in top


def test_every_readme_is_reached_from_the_front_page() -> None:
    text = FRONT.read_text(encoding="utf-8")

    assert [name for name in READMES if name != "README.md" and f"]({name})" not in text] == []


def test_the_table_of_folders_names_every_folder() -> None:
    """Each folder with code, and no other, has a row, which says what the folder itself says first."""
    text = READMES["pbem/README.md"].read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(pbem/[\w/]*)` \| (.+) \|$", text, re.M))
    packages = {f"{path.parent.relative_to(ROOT).as_posix()}/": path for path in (ROOT / "pbem").rglob("__init__.py")}
    said = {folder: (getdoc(path) or "").partition("\n")[0] for folder, path in packages.items()}

    assert rows == said | {"pbem/": rows["pbem/"]}


def getdoc(path: Path) -> str | None:
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def test_every_module_that_a_readme_names_is_there() -> None:
    text = READMES["pbem/README.md"].read_text(encoding="utf-8")
    named = re.findall(r"`((?:pbem/)?[\w/]+\.py)`", text.partition("## Folders")[2])
    found = [path.as_posix() for folder in ("pbem", "tests") for path in (ROOT / folder).rglob("*.py")]

    assert [name for name in named if not any(path.endswith(f"/{name.removeprefix('pbem/')}") for path in found)] == []


def settings_of(name: str) -> list[str]:
    """Return the TOML that a README shows."""
    return [dedent(indent + text) for indent, text in SETTINGS.findall(READMES[name].read_text(encoding="utf-8"))]


def test_the_move_file_is_one() -> None:
    """A player can copy it."""
    from pbem.loading import Submission, read_submission

    moves = [block for block in settings_of("schemas/README.md") if "orders" in block]

    assert [read_submission(move, "toml", "README.md") for move in moves] == [
        Submission(("offer 9",), player="Cara", turn=3)
    ]


def test_the_clock_that_is_shown_is_the_one_without_a_file() -> None:
    from pbem.club.clock_data import terms_from
    from pbem.formats import parse
    from pbem.table.clock import Terms

    (clock,) = (block for block in settings_of("examples/by-mail/README.md") if "deadline" in block)

    assert terms_from(parse(clock, "toml", name="private.toml")["clock"]) == Terms()


def test_the_mailboxes_that_are_shown_are_settings(tmp_path: Path) -> None:
    """A host can copy them into ``club.toml``."""
    from pbem.carriers.mail.settings import read_club
    from pbem.carriers.mail.setup import create

    tables = [block for block in settings_of("examples/by-mail/README.md") if "ing]" in block]
    create(tmp_path / "club", "pbem@example.org", "host@example.org")
    settings = tmp_path / "club" / "club.toml"
    own = settings.read_text(encoding="utf-8").partition("\n[")[0]
    settings.write_text("\n".join((own, *tables)), encoding="utf-8")
    club = read_club(settings.parent)

    assert (club.incoming.kind, club.outgoing.kind) == ("imap", "smtp")


def test_the_readmes_name_every_command() -> None:
    from pbem.cli.app import COMMANDS

    text = "".join(page.read_text(encoding="utf-8") for page in READMES.values())

    assert [name for name in COMMANDS if f"pbem {name}" not in text] == []


def test_the_guide_to_git_names_every_command_of_a_player() -> None:
    text = (ROOT / "examples" / "by-git" / "README.md").read_text(encoding="utf-8")
    commands: Any = typer.main.get_command(play.family())
    names = [name for name in commands.commands if name not in NOT_FOR_PLAYERS]

    assert [name for name in names if not re.search(rf"\bpbem git {name}\b", text)] == []


def test_the_guide_for_hosts_says_what_each_motion_of_a_player_does() -> None:
    text = (ROOT / "examples" / "by-mail" / "README.md").read_text(encoding="utf-8")
    for kind in MOVED.values():
        assert f"\n| `{kind.request.replace('NAME', 'Bob')}` | " in text
