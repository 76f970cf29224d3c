"""What pbem writes into a game repository: the README with the board, what git and CI have to know, the hooks."""

import json
import re
from importlib.resources import files as resources
from typing import Final

from pbem.errors import UsageError
from pbem.first_sparks.record import Record
from pbem.game_files import own_set
from pbem.report import text_for

README: Final = "README.md"
WORKFLOWS: Final = ".github/workflows"
ACTION: Final = "examples/github-action"
GUIDE: Final = "PLAY.md"


def filled(name: str, **values: str) -> str:
    """Return the template of that name; ``@GAME@`` in it is the value of ``game``, and so on."""
    text = (resources("pbem.git") / "templates" / name).read_text(encoding="utf-8")
    return re.sub("@([A-Z]+)@", lambda found: values[found[1].lower()], text)


def readme(record: Record, game: str) -> str:
    """Return the page of a game: how to take part, and what everybody may see of it now."""
    # Indented, it is shown as it is, whatever the players call themselves.
    lines = text_for(record, None, unicode=False).splitlines()
    now = "\n".join(f"    {line}".rstrip() for line in lines)
    return filled("readme.md", id=record.game, game=game, now=now)


def is_ours(page: str, record: Record, game: str) -> bool:
    """Return whether the text is a page of the game as we write it, be it of an earlier situation."""
    words = filled("readme.md", id=record.game, game=game, now="").rstrip()
    return page.startswith(words) and all(
        line.startswith("    ") or not line for line in page[len(words) :].splitlines()
    )


def _guide(record: Record, game: str, branch: str, action: str, *, signed: bool) -> str:
    """Return how to take part, for somebody who has nothing but the clone; no move changes it."""
    from importlib.metadata import version

    place, _, ref = action.partition("@")
    address = "https://github.com/" + "/".join(place.split("/")[:2])
    values = {
        "id": record.game,
        "game": game,
        "branch": branch,
        "version": version("pbem"),
        "source": f"It lies at {address}:" if action else "Who hosts the game says where it lies, here the FOLDER:",
        "install": f'"git+{address}@{ref}"' if action else "FOLDER",
        "set": own_set(record),
    }
    cards = ["own_set"] if own_set(record) else []
    how = ["signed" if signed else "unsigned", record.chance.kind, *(["github"] if action else [])]
    return "\n".join(filled(f"guide/{part}.md", **values) for part in ("begin", *cards, *how))


def setting(record: Record, game: str, branch: str, action: str, *, signed: bool) -> dict[str, str]:
    """Return the other files of a new game repository by name; *action* is ``OWNER/REPOSITORY@REF`` or nothing."""
    form = "JSON" if game.endswith(".json") else "TOML"
    texts = {
        GUIDE: _guide(record, game, branch, action, signed=signed),
        ".gitattributes": filled("gitattributes", game=game, form=form),
        ".gitignore": filled("gitignore"),
    }
    if action:
        jobs = {"moves": "", "draws": "/draw"} if record.chance.kind == "sealed" else {"moves": ""}
        for job, place in jobs.items():
            uses = _action(action, place)
            texts[f"{WORKFLOWS}/{job}.yml"] = filled(f"{job}.yml", game=game, branch=json.dumps(branch), action=uses)
    return texts


def _action(said: str, place: str) -> str:
    """Return what a workflow uses: the action at a place, or below it."""
    found = re.fullmatch(r"([\w.-]+/[\w.-]+)(/[\w./-]+)?@([\w./-]+)", said, re.ASCII)
    if found is None:
        hint = f"--action OWNER/REPOSITORY@REF, where a copy of pbem lies with its {ACTION}"
        raise UsageError("that is no place of an action", hint=hint)
    return f"{found[1]}{found[2] or '/' + ACTION}{place}@{found[3]}"
