"""What you can look up without a game: the rules and the component set."""

from pathlib import Path
from typing import Any

from pbem import formats
from pbem.first_sparks.briefing.words import use_text
from pbem.first_sparks.components import Card, ComponentSet, Tile
from pbem.first_sparks.record import HEAD_DIGITS, digest
from pbem.formats import Format
from pbem.locale import spoken
from pbem.page.glue import unglued
from pbem.page.text import lines_of
from pbem.report import Report, done
from pbem.rule_search import RULEBOOK, rule_blocks, rules_named


def rules(which: tuple[str, ...], own: str = "", *, only_rulings: bool) -> Report:
    """Return the index of the rules, or the entries with these ids, R numbers (``R4`` is a chapter) or words.

    *own* are the words as they were written in the language that is spoken.
    """
    found = rules_named(which, own, spoken(), only_rulings=only_rulings)
    return done("rules", "", Path(RULEBOOK.name), "\n".join(lines_of(rule_blocks(found))), rules=found)


def checked(found: ComponentSet, path: Path) -> Report:
    """Return the report that a component set of your own is valid."""
    numbers = f"{len(found.cards)} cards, {len(found.tiles)} tiles"
    text = f"{path} is a valid component set: {numbers}; games name it {digest(found)[:HEAD_DIGITS]}"
    return done("components", text, path, digest=digest(found))


def components(found: ComponentSet, path: Path, form: Format | None = None) -> Report:
    """Return the cards and tiles of a set, each value marked by how well it is known, or the set as a file."""
    text = _table(found) if form is None else formats.dump(found.source, form).rstrip("\n")
    return done("components", "", path, text, digest=digest(found), components=found.source)


def _table(found: ComponentSet) -> str:
    default = found.source.get("provenance", "")
    rows = {row["number"]: row for row in found.source["cards"]}
    tiles = {row["letter"]: row for row in found.source["tiles"]}
    lines = [
        f"component set {found.name}, {digest(found)[:HEAD_DIGITS]}",
        "Each value has a letter that says how it is known. p: it is printed in",
        "the rulebook. i: we inferred it from there. r: we reconstructed it.",
        "b: it was read off a box.",
        "",
        "card  kind          price  use; 4-6:2 takes 2 tokens where 4 to 6 lie",
        *(_card_line(found, found.cards[number], _marks(rows[number], default)) for number in sorted(found.cards)),
        "",
        "tile  hunting areas       from players  mountains",
        *(_tile_line(found.tiles[letter], _marks(tiles[letter], default)) for letter in sorted(found.tiles)),
    ]
    return "\n".join(lines)


def _marks(row: dict[str, Any], default: str) -> dict[str, str]:
    """Return the letter of the provenance of each value, with that of the whole set under ``set``."""
    own = row.get("provenance", default)
    known: dict[str, Any] = own if formats.is_table(own) else dict.fromkeys(row, own)
    said = {**dict.fromkeys(row, default), **known, "set": default}
    return {key: {"rulebook": "p", "inferred": "i", "box": "b"}.get(word, "r") for key, word in said.items()}


def _card_line(found: ComponentSet, card: Card, mark: dict[str, str]) -> str:
    price = f"{card.price:3}{mark['price']}" if "price" in mark else "   -"
    use = {"plow": "set"}.get(card.kind, "harvest" if card.harvest else "crops")
    text = f"{unglued(use_text(found, card))} {mark.get(use, '')}"
    return f"{card.number:4}  {card.kind + ' ' + mark['kind']:14}{price}  {text}".rstrip()


def _tile_line(tile: Tile, mark: dict[str, str]) -> str:
    areas = f"{'+'.join(tile.hunting_areas)} {mark['hunting_areas']}"
    players = f"{tile.min_players}{mark['min_players']}"
    return f"{tile.letter:>4}  {areas:20}{players:14}{' '.join(tile.mountains)} {mark['mountains']}"
