"""What pbem writes into a game repository: README, guide, page of the whole game, files for git and CI, the hooks."""

import json
import re
from collections.abc import Sequence
from importlib.resources import files as resources
from typing import Final

from pbem.carriers.git.public import public_text
from pbem.errors import UsageError
from pbem.first_sparks.record import Record
from pbem.game_files import GUIDE, UNCOMMITTED, own_set

README: Final = "README.md"
PAGE: Final = "replay.html"
WORKFLOWS: Final = ".github/workflows"
ACTION: Final = "examples/github-action"


def filled(name: str, **values: str) -> str:
    """Return the template of that name, with ``@GAME@`` replaced by the value of ``game``, and so on."""
    text = (resources("pbem.carriers.git") / "templates" / name).read_text(encoding="utf-8")
    return re.sub("@([A-Z]+)@", lambda found: values[found[1].lower()], text)


def page(record: Record) -> str:
    """Return the page that shows a whole game; it is empty before the end, and for a game whose page is too large."""
    from pbem.game_page import final_page

    return final_page(record)


def readme(record: Record, game: str, waits: Sequence[str] = (), *, linked: bool = False) -> str:
    """Return the README of a game: how to take part, why it *waits*, and what everybody may see of it now.

    It can be *linked* with the page of a game that is over, if that is in the repository.
    """
    # Indented text is shown as it is, whatever the names of the players contain.
    lines = public_text(record, waits).splitlines()
    now = "\n".join(f"    {line}".rstrip() for line in lines)
    return filled("readme_over.md" if linked else "readme.md", id=record.game, game=game, now=now)


def is_ours(text: str, record: Record, game: str) -> bool:
    """Return whether the text is a README of the game that pbem wrote."""
    for name in ("readme.md", "readme_over.md"):
        words = filled(name, id=record.game, game=game, now="").rstrip()
        if text.startswith(words):
            return all(line.startswith("    ") or not line for line in text[len(words) :].splitlines())
    return False


def _guide(record: Record, game: str, branch: str, action: str, *, signed: bool) -> str:
    """Return how to take part, for somebody who has only the clone; no move changes it."""
    from importlib.metadata import version

    place, _, ref = action.partition("@")
    address = "https://github.com/" + "/".join(place.split("/")[:2])
    values = {
        "id": record.game,
        "game": game,
        "branch": branch,
        "version": version("pbem"),
        "source": f"Install it from {address}:" if action else "Ask the host for a copy; FOLDER is its path:",
        "install": f'"git+{address}@{ref}"' if action else "FOLDER",
        "set": own_set(record),
    }
    cards = ["own_set"] if own_set(record) else []
    how = ["signed" if signed else "unsigned", record.chance.kind, *(["github"] if action else [])]
    return "\n".join(filled(f"guide/{part}.md", **values) for part in ("begin", *cards, *how))


def setting(record: Record, game: str, branch: str, action: str, *, signed: bool) -> dict[str, str]:
    """Return the other files of a new game repository by name; *action* is ``OWNER/REPOSITORY@REF`` or empty."""
    form = "JSON" if game.endswith(".json") else "TOML"
    texts = {
        GUIDE: _guide(record, game, branch, action, signed=signed),
        ".gitattributes": filled("gitattributes", game=game, form=form),
        ".gitignore": filled("gitignore", uncommitted="\n".join(f"*{end}" for end in UNCOMMITTED)),
    }
    if action:
        jobs = {"moves": "", "draws": "/draw"} if record.chance.kind == "sealed" else {"moves": ""}
        for job, place in jobs.items():
            uses = _action(action, place)
            texts[f"{WORKFLOWS}/{job}.yml"] = filled(f"{job}.yml", game=game, branch=json.dumps(branch), action=uses)
    return texts


def _action(said: str, place: str) -> str:
    """Return what a workflow uses: the given action, or the one at a *place* below it."""
    found = re.fullmatch(r"([\w.-]+/[\w.-]+)(/[\w./-]+)?@([\w./-]+)", said, re.ASCII)
    if found is None:
        hint = f"use --action OWNER/REPOSITORY@REF, with a copy of pbem that contains {ACTION}"
        raise UsageError(f"not a valid action reference: {said[:80]!a}", hint=hint)
    return f"{found[1]}{found[2] or '/' + ACTION}{place}@{found[3]}"
