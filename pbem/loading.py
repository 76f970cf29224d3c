"""Loading game files, move files and component sets: each is checked by its schema, and then by sense."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from pbem import files, formats, schema
from pbem.errors import NotUnderstood, UsageError
from pbem.first_sparks.components import ComponentSet, components_from
from pbem.first_sparks.components_sense import senseless
from pbem.first_sparks.notation import ORDER_HEADING, ORDER_LINE
from pbem.first_sparks.proof import Claim, claim, decode, proved
from pbem.first_sparks.record import Record
from pbem.formats import Format
from pbem.locale import phrase, tr
from pbem.quick import quick

MOST_ORDERS: Final = 20
FORMS: Final = schema.FORMS | {"secret": "a secret file", "plans": "a file of plans"}
# Patterns, compiled when they are first used: a move file that is TOML needs only one of them.
_FORMAT: Final = rf"first-sparks-({'|'.join(FORMS)})/"
_MARKER: Final = r"\[([a-z0-9-]{1,40})/([0-9]{1,6})/([0-9a-f]{8,64})\]"
_REMARK: Final = r"(?:^|(?<=\s))#(?!\d).*"  # a number after # is a card, anything else is a remark
_TOO_MANY: Final = "{name} contains {n} orders; a submission may have 1 to {most}"
_NO_GAME: Final = 'a game file has the line format = "first-sparks-game/1"; pbem new makes one'
_MOVE_KEY: Final = r"(?m)^\s*(?:#:schema|(?:format|player|game|turn|head|moves?|orders)\s*=|\[+moves?\]+)"


@quick
class Submission(NamedTuple):
    """What a player sends: the orders, and the position for which they were written, if that is given.

    ``player`` is who sends them, ``named`` the player named in the move file itself.
    """

    orders: tuple[str, ...]
    player: str = ""
    game: str = ""
    turn: int | None = None
    head: str = ""
    named: str = ""


class GameFile(NamedTuple):
    """A game as it was read: its record, and the format and schema line of its file."""

    path: Path
    record: Record
    form: Format
    schema: str


@cache
def built_in() -> ComponentSet:
    """Return the component set that ships with the program, ``first_sparks/data/components.toml``."""
    from pbem.generated.built_in import SOURCE

    return components_from(SOURCE)


def format_in(text: str) -> Format:
    """Return the format of a text: a JSON file begins with a brace, a TOML file never does."""
    return "json" if text.lstrip()[:1] == "{" else "toml"


def kinds_in(text: str) -> set[str]:
    """Return the kinds of pbem files that a text claims to be; several, since a game file embeds a component set."""
    return set(re.findall(_FORMAT, text))


def _check_kind(text: str, kind: schema.FileKind, name: str) -> None:
    """Raise NotUnderstood for a pbem file of another kind, and for any other file where a game is expected.

    Even a damaged file can be recognised: every pbem file names its format, only a move file may leave it out.
    """
    said = re.findall(_FORMAT, text)
    if kind not in said and (said or kind == "game"):
        path, wanted = formats.shown(name), FORMS[kind]
        message = f"{path} is {FORMS[said[0]]}, not {wanted}" if said else f"{path} is not {wanted}"
        raise NotUnderstood(message, path=path, hint="" if said else _NO_GAME)


def load(path: Path) -> GameFile:
    """Return the game in the file, proved from its log; raises NoSuchFile, NotUnderstood or Broken."""
    return file_in(files.read_text(path), path)


def file_in(text: str, path: Path, *, sound: bool = False) -> GameFile:
    """Return the game in a text that was read from *path*, or from there in a commit; see ``load``, ``claim_in``."""
    form = format_in(text)
    return GameFile(path, proved(claim_in(text, path, sound=sound)), form, formats.schema_line(text, form))


def claim_in(text: str, path: Path, *, sound: bool = False) -> Claim:
    """Return what the text of a game file claims, for ``proved`` to judge; raises NotUnderstood or Broken.

    A *sound* text was written by us, and is not checked by the schema.
    """
    _check_kind(text, "game", str(path))
    data = formats.parse(text, format_in(text), name=str(path))
    if not sound:
        schema.check(data, "game", str(path))
    return claim(data, built_in(), own_components)


def game_in(data: dict[str, Any], name: str) -> Record:
    """Return the game in the data of a game file, proved from its log; raises NotUnderstood or Broken."""
    schema.check(data, "game", name)
    return decode(data, built_in(), own_components)


def own_components(data: dict[str, Any], name: str = "components") -> ComponentSet:
    """Return a component set that somebody made; raises NotUnderstood with everything in it that makes no sense."""
    try:
        components = components_from(data)
    except KeyError as missing:
        message = f"a recommended board names tile {missing.args[0]}, which is not in the set"
        raise NotUnderstood(message, path=name) from None
    wrong = tuple(senseless(components))
    if wrong:
        raise NotUnderstood(f"{name} is not a valid component set", reasons=wrong, path=name)
    return components


def load_components(path: Path) -> ComponentSet:
    """Return the component set in the file, checked by schema and by sense."""
    text = files.read_text(path)
    data = formats.parse(text, format_in(text), name=str(path))
    schema.check(data, "components", str(path))
    return own_components(data, str(path))


def read_submission(text: str, form: Format | None, name: str) -> Submission:
    """Return the submission in a move file or in order lines; if *form* is None, find out which it is."""
    _check_kind(text, "move", name)
    if form is None:
        form = format_in(text) if format_in(text) == "json" or re.search(_MOVE_KEY, text) else None
    if form is None:
        return order_lines(text.splitlines(), name)
    return submission_in(formats.parse(text, form, name=name), name)


def submission_in(data: dict[str, Any], name: str) -> Submission:
    """Return the submission in the data of a move file."""
    schema.check(data, "move", name)
    moves = data.get("moves") or ([data["move"]] if "move" in data else [])
    orders = data.get("orders") or [schema.order_text(move) for move in moves]
    return Submission(
        tuple(orders), data.get("player", ""), data.get("game", ""), data.get("turn"), data.get("head", "").lower()
    )


def order_lines(lines: Sequence[str], name: str) -> Submission:
    """Return the submission in plain text: one order a line, remarks after ``#``, and the marker anywhere.

    The heading and the ``order:`` before an order, as in the text for the player, may be copied too, in English or in
    the language that is spoken.
    """
    marker = next(filter(None, (re.search(_MARKER, line) for line in lines if "[" in line)), None)
    label = rf"(?i)^\s*(?:{_label(ORDER_LINE)}|{_label(tr(ORDER_LINE))})\s*:"
    bare = [_bare(line, label) if any(sign in line for sign in "[#:") else line.strip() for line in lines]
    orders = tuple([line for line in bare if line and line.upper() not in (ORDER_HEADING, tr(ORDER_HEADING).upper())])
    if not 0 < len(orders) <= MOST_ORDERS:
        why = phrase("{name} contains no orders", name=name)
        if orders:
            why = phrase(_TOO_MANY, name=name, n=len(orders), most=MOST_ORDERS)
        raise NotUnderstood(why, path=name, hint=phrase("write each order on a line of its own"))
    if marker is None:
        return Submission(orders)
    return Submission(orders, game=marker[1], turn=int(marker[2]), head=marker[3])


def _label(message: str) -> str:
    """Return a pattern for what stands before the colon."""
    return re.escape(message.partition(":")[0].strip())


def _bare(line: str, label: str) -> str:
    """Return the order in a line."""
    return re.sub(label, "", re.sub(_REMARK, "", re.sub(_MARKER, "", line))).strip()


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
    """Return the submission as that of the player who sends it; ``judge`` refuses it if it names another player."""
    return submission._replace(player=player or submission.player, named=submission.player)


def submission_of(move: str, orders: Sequence[str] | None, player: str) -> Submission:
    """Return what a player sends: the move file of that name, standard input for ``-``, or the given orders."""
    if bool(move) == bool(orders):
        raise UsageError("give either a move file or --order", hint='for example: --order "offer 12" --as red')
    if orders:
        return order_lines(orders, "the command line")._replace(player=player)
    if move == "-":
        return signed(read_submission(files.read_stdin(), None, "standard input"), player)
    endings: dict[str, Format] = {".toml": "toml", ".json": "json"}
    form = endings.get(Path(move).suffix.lower())
    return signed(read_submission(files.read_text(Path(move)), form, move), player)
