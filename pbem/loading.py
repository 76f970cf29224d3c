"""What comes in: game files, move files and component sets, each checked by its schema and then by sense."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import files, formats, schema
from pbem.errors import NotUnderstood, UsageError
from pbem.first_sparks.components import ComponentSet, components_from
from pbem.first_sparks.components_sense import senseless
from pbem.first_sparks.notation import ORDER_HEADING
from pbem.first_sparks.record import Claim, Record, claim, decode, proved
from pbem.formats import Format

MOST_ORDERS: Final = 20
FORMS: Final = schema.FORMS | {"secret": "the secret file of a game"}
# Patterns, compiled when they are first looked for: a move file that is TOML needs one of them.
_FORMAT: Final = rf"first-sparks-({'|'.join(FORMS)})/"
_MARKER: Final = r"\[([a-z0-9-]{1,40})/([0-9]{1,6})/([0-9a-f]{8,64})\]"
_LABEL: Final = r"(?i)^\s*order\s*:"
_REMARK: Final = r"(?:^|(?<=\s))#(?!\d).*"  # a number after # is a card
_MOVE_KEY: Final = r"(?m)^\s*(?:#:schema|(?:format|player|game|turn|head|moves?|orders)\s*=|\[+moves?\]+)"


class Submission(NamedTuple):
    """What a player sends: the orders, and the situation for which they were written, as far as it is named.

    ``player`` is who plays, ``named`` the player whom the move file itself names.
    """

    orders: tuple[str, ...]
    player: str = ""
    game: str = ""
    turn: int | None = None
    head: str = ""
    named: str = ""


class GameFile(NamedTuple):
    """A game as it was read: the record, and how its file is written."""

    path: Path
    record: Record
    form: Format
    schema: str


@cache
def built_in() -> ComponentSet:
    """Return the component set that ships with the program."""
    path = Path(__file__).parent / "first_sparks" / "data" / "components.toml"
    return components_from(formats.parse(path.read_text(encoding="utf-8"), "toml", name="components.toml"))


def format_in(text: str) -> Format:
    """Return the format of a text: a JSON file begins with a brace, and a TOML file never does."""
    return "json" if text.lstrip()[:1] == "{" else "toml"


def kinds_in(text: str) -> set[str]:
    """Return which kinds of our files a text says it is: a game file embeds a component set."""
    return set(re.findall(_FORMAT, text))


def _check_kind(text: str, kind: schema.FileKind, name: str) -> None:
    """Raise NotUnderstood for a file of ours of another kind, and for any file that is no game where one should be.

    It need not be sound to be known: every file of ours says its format, but for a move file, which may.
    """
    said = re.findall(_FORMAT, text)
    if kind not in said and (said or kind == "game"):
        what = f"is {FORMS[said[0]]}, not {FORMS[kind]}" if said else f"is not {FORMS[kind]}"
        raise NotUnderstood(f"{formats.shown(name)} {what}", path=formats.shown(name))


def load(path: Path) -> GameFile:
    """Return the game in the file, proved from its log; raises NoSuchFile, NotUnderstood or Broken."""
    return file_in(files.read_text(path), path)


def file_in(text: str, path: Path, *, sound: bool = False) -> GameFile:
    """Return the game in a text that was read from *path*, or from there in a commit; as ``load`` and ``game_in``."""
    form = format_in(text)
    return GameFile(path, proved(claim_in(text, path, sound=sound)), form, formats.schema_line(text, form))


def claim_in(text: str, path: Path, *, sound: bool = False) -> Claim:
    """Return what the text of a game file says, for ``proved`` to judge; raises NotUnderstood or Broken.

    A *sound* text was written by us, and need not be asked whether it has the form of a game.
    """
    _check_kind(text, "game", str(path))
    data = formats.parse(text, format_in(text), name=str(path))
    if not sound:
        schema.check(data, "game", str(path))
    return claim(data, built_in(), own_components)


def game_in(data: dict[str, Any], name: str) -> Record:
    """Return the game that the data of a game file describe, proved from its log; raises NotUnderstood or Broken."""
    schema.check(data, "game", name)
    return decode(data, built_in(), own_components)


def own_components(data: dict[str, Any], name: str = "components") -> ComponentSet:
    """Return somebody's own component set; raises NotUnderstood with everything in it that makes no sense."""
    try:
        components = components_from(data)
    except KeyError as missing:
        message = f"a recommended board names tile {missing.args[0]}, which the set does not have"
        raise NotUnderstood(message, path=name) from None
    wrong = tuple(senseless(components))
    if wrong:
        raise NotUnderstood(f"{name} makes no sense as a component set", reasons=wrong, path=name)
    return components


def load_components(path: Path) -> ComponentSet:
    """Return the component set in the file, checked by schema and by sense."""
    text = files.read_text(path)
    data = formats.parse(text, format_in(text), name=str(path))
    schema.check(data, "components", str(path))
    return own_components(data, str(path))


def read_submission(text: str, form: Format | None, name: str) -> Submission:
    """Return the submission in a move file, or in lines of orders; *form* None finds out which it is."""
    _check_kind(text, "move", name)
    if form is None:
        form = format_in(text) if format_in(text) == "json" or re.search(_MOVE_KEY, text) else None
    if form is None:
        return order_lines(text.splitlines(), name)
    return submission_in(formats.parse(text, form, name=name), name)


def submission_in(data: dict[str, Any], name: str) -> Submission:
    """Return the submission that the data of a move file describe."""
    schema.check(data, "move", name)
    moves = data.get("moves") or ([data["move"]] if "move" in data else [])
    orders = data.get("orders") or [schema.order_text(move) for move in moves]
    return Submission(
        tuple(orders), data.get("player", ""), data.get("game", ""), data.get("turn"), data.get("head", "").lower()
    )


def order_lines(lines: Sequence[str], name: str) -> Submission:
    """Return the submission in plain text: an order a line, ``#`` begins a remark, the marker stands anywhere.

    ``order:`` before an order and the heading above it, as the text for the player has them, may be copied too.
    """
    marker = next(filter(None, (re.search(_MARKER, line) for line in lines)), None)
    bare = (re.sub(_LABEL, "", re.sub(_REMARK, "", re.sub(_MARKER, "", line))).strip() for line in lines)
    orders = tuple(line for line in bare if line and line.upper() != ORDER_HEADING)
    if not 0 < len(orders) <= MOST_ORDERS:
        raise NotUnderstood(
            f"{name} holds {len(orders) or 'no'} orders, a submission has 1 to {MOST_ORDERS}",
            path=name,
            hint="write each order on a line of its own",
        )
    if marker is None:
        return Submission(orders)
    return Submission(orders, game=marker[1], turn=int(marker[2]), head=marker[3])


def read_any(text: str, path: Path) -> tuple[dict[str, Any], Format]:
    """Return the data of a game, move or component file, checked by its schema, and its format; a game is proved."""
    form = format_in(text)
    data = formats.parse(text, form, name=str(path))
    if "log" in data:
        game_in(data, str(path))
    else:
        schema.check(data, "components" if "cards" in data else "move", str(path))
    return data, form


def signed(submission: Submission, player: str) -> Submission:
    """Return the submission as the player's who brings it; ``judge`` refuses it if it names another."""
    return submission._replace(player=player or submission.player, named=submission.player)


def submission_of(move: str, orders: Sequence[str] | None, player: str) -> Submission:
    """Return what a player sends: the move file of that name, standard input for ``-``, or orders as they are."""
    if bool(move) == bool(orders):
        raise UsageError("give either a move file or --order", hint='for instance: --order "offer 12" --as red')
    if orders:
        return order_lines(orders, "the command line")._replace(player=player)
    if move == "-":
        return signed(read_submission(files.read_stdin(), None, "standard input"), player)
    endings: dict[str, Format] = {".toml": "toml", ".json": "json"}
    form = endings.get(Path(move).suffix.lower())
    return signed(read_submission(files.read_text(Path(move)), form, move), player)
