"""The statistics of an archive as an HTML page with charts: no script, nothing fetched, light and dark.

The charts are SVG made here, since a library for them would be larger than this program. Each stands above its numbers.
"""

from collections.abc import Callable, Sequence
from html import escape
from typing import Final, NamedTuple

from pbem.first_sparks.briefing.accounts import KINDS
from pbem.grammar import plural
from pbem.locale import tr
from pbem.page.page import Grid, Items, Prose, Section
from pbem.scripts.stats_rows import DealRow, Group, Statistics
from pbem.scripts.stats_text import average, column, harvest_means, heading_of, page_of, side_text

_WIDTH: Final = 340  # of a chart, in units that are about a pixel
_LABELS: Final = 66  # room for what stands left of a bar
_MOST_ROWS: Final = 15  # of a table that is shown at once
# Six colours for kinds, and six shades from little to much; on each the letters of the second.
_LIGHT: Final = {
    "c": ("#b8860b", "#a23b5a", "#2f6f96", "#7a5230", "#5f6b73", "#4f7942"),
    "ct": ("#fff",) * 6,
    "o": ("#ead9bb", "#dcbd8a", "#c79a57", "#a5722f", "#7a4a21", "#4d2c10"),
    "ot": ("#2b241d", "#2b241d", "#2b241d", "#fff", "#fff", "#fff"),
}
_DARK: Final = {
    "c": ("#e0b64a", "#e08aa4", "#7fb9dd", "#c99a6c", "#a9b4bb", "#9cc48c"),
    "ct": ("#1d1915",) * 6,
    "o": ("#54432f", "#74572f", "#8f6836", "#b98847", "#dcb06f", "#f3d9ae"),
    "ot": ("#fff", "#fff", "#fff", "#1d1915", "#1d1915", "#1d1915"),
}
_STYLE: Final = """\
:root{--page:#fbf7ec;--card:#fffdf7;--text:#3a3128;--soft:#6d6255;--line:#e2d8c3;--head:#7a4a21;%(light)s}
@media (prefers-color-scheme:dark){:root{--page:#1d1915;--card:#28221c;--text:#eee5d6;--soft:#b5a994;--line:#463c30;\
--head:#e0ae7a;%(dark)s}}
*{box-sizing:border-box}
body{margin:0;padding:12px;background:var(--page);color:var(--text);font:15px/1.45 sans-serif;\
-webkit-text-size-adjust:100%%}
main{max-width:1168px;margin:0 auto;columns:340px;column-gap:16px}
h1{margin:0 auto;max-width:1168px;font-size:22px}
body>p{margin:2px auto 16px;max-width:1168px;color:var(--soft)}
section{break-inside:avoid;margin:0 0 14px;padding:12px 13px;border:1px solid var(--line);border-radius:10px;\
background:var(--card)}
h2{margin:0;font-size:16px;color:var(--head)}
section>p,li{margin:4px 0;font-size:13px;color:var(--soft)}
ul{margin:6px 0;padding-left:18px}
li,td.t{overflow-wrap:anywhere}
svg{display:block;width:100%%;height:auto;margin:8px 0 2px}
text{fill:var(--text);font:11px sans-serif}
.e{text-anchor:end}.m{text-anchor:middle}.l{stroke:var(--line)}
.key{display:flex;flex-wrap:wrap;gap:2px 12px;margin:4px 0;padding:0;list-style:none}
.key i{display:inline-block;width:10px;height:10px;margin-right:5px;border-radius:2px}
summary{margin-top:6px;font-size:13px;color:var(--soft);cursor:pointer}
table{width:100%%;margin:6px 0 0;border-collapse:collapse;font-size:12px;font-variant-numeric:tabular-nums}
th{font-weight:normal;color:var(--soft)}
th,td{padding:2px;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}
.t{padding-left:10px;text-align:left}
@media (max-width:380px){table{font-size:11px}}
%(classes)s
"""


class Part(NamedTuple):
    """A part of a bar: its colour, how long it is, and what is written on it and said of it."""

    colour: str
    size: float
    text: str
    told: str


Bar = tuple[str, tuple[Part, ...]]


def html_of(found: Statistics, *, language: str = "en") -> str:
    """Return the page; the same statistics give the same bytes. *language* is the code of the one that is spoken."""
    title = escape(plural(found.total.games, "{n} game of The First Sparks", "{n} games of The First Sparks"))
    said = tr("{finished} finished, {open} open").format(finished=found.total.finished, open=found.total.open)
    if found.failures:
        failures = ("{games}; {n} file cannot be read", "{games}; {n} files cannot be read")
        said = plural(len(found.failures), *failures).format(games=said)
    cards = "\n".join(_card(section, found) for section in page_of(found).sections)
    return (
        f'<!DOCTYPE html>\n<html lang="{language}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="color-scheme" content="light dark"><title>{title}</title>\n<style>\n{_style()}</style></head>\n'
        f"<body>\n<h1>{title}</h1>\n<p>{escape(said)}</p>\n<main>\n{cards}\n</main>\n</body></html>\n"
    )


def _style() -> str:
    light, dark = (
        ";".join(f"--{name}{n}:{colour}" for name, colours in palette.items() for n, colour in enumerate(colours))
        for palette in (_LIGHT, _DARK)
    )
    classes = "".join(
        f".{name}{n}{{fill:var(--{name}{n});background:var(--{name}{n})}}text.{name}{n}{{fill:var(--{name}t{n})}}\n"
        for name in "co"
        for n in range(6)
    )
    return _STYLE % {"light": light, "dark": dark, "classes": classes.rstrip("\n")}


def _card(section: Section, found: Statistics) -> str:
    chart = _CHARTS[section.key](found) if section.key in _CHARTS else ""
    gloss = f"<p>{escape(section.gloss)}</p>" if section.gloss else ""
    parts: list[str] = []
    for block in section.blocks:
        match block:
            case Grid():
                long = len(block.rows) > _MOST_ROWS
                table = _table(block)
                folded = f"<details><summary>{escape(tr('Numbers'))}</summary>{table}</details>"
                parts.append(folded if long or chart else table)
            case Items(items):
                parts.append(f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in items)}</ul>")
            case Prose(text):
                parts.append(f"<p>{escape(text)}</p>")
            case _:
                raise AssertionError(block)
    inside = "\n".join(filter(None, (gloss, chart, *parts)))
    return f"<section>\n<h2>{escape(heading_of(section.key))}</h2>\n{inside}\n</section>"


def _table(grid: Grid) -> str:
    sides = ["<{0}{1}>{2}</{0}>".format("{0}", "" if column.right else ' class="t"', "{1}") for column in grid.columns]
    rows = [("th", tuple(column.title for column in grid.columns))]
    rows += [("td", row) for row in grid.rows if not isinstance(row, str)]
    lines = (
        "".join(side.format(kind, escape(cell)) for side, cell in zip(sides, row, strict=True)) for kind, row in rows
    )
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


# Charts


def _key(names: Sequence[tuple[str, str]]) -> str:
    entries = "".join(f'<li><i class="{colour}"></i>{escape(name)}</li>' for colour, name in names)
    return f'<ul class="key">{entries}</ul>'


def _svg(height: float, words: str, inside: str) -> str:
    return f'<svg viewBox="0 0 {_WIDTH} {height:g}" role="img" aria-label="{escape(words)}">{inside}</svg>'


def _lying(words: str, bars: Sequence[Bar], scale: Sequence[float]) -> str:
    """Return bars that lie below each other, each made of parts; *scale* is what would fill the width, for each."""
    drawn: list[str] = []
    left = max((_LABELS, *(6 * len(label) + 12 for label, _ in bars)))
    for number, ((label, parts), whole) in enumerate(zip(bars, scale, strict=True)):
        top = 24 * number
        drawn.append(f'<text class="e" x="{left - 6}" y="{top + 15}">{escape(label)}</text>')
        x = float(left)
        for part in parts:
            width = (_WIDTH - left) * part.size / whole if whole else 0
            if not width:
                continue
            drawn.append(
                f'<rect class="{part.colour}" x="{x:.1f}" y="{top + 2}" width="{width:.1f}" height="19">'
                f"<title>{escape(part.told)}</title></rect>"
            )
            if width >= 6 * len(part.text) + 4:
                middle = f'x="{x + width / 2:.1f}" y="{top + 15}"'
                drawn.append(f'<text class="m {part.colour}" {middle}>{escape(part.text)}</text>')
            x += width
    return _svg(24 * len(bars), words, "".join(drawn))


def _standing(words: str, bars: Sequence[Bar], *, nested: bool) -> str:
    """Return bars beside each other, their parts above each other, or *nested*: each within the one before."""
    left, bottom, height = 30, 136, 116
    tops = [max((p.size for p in parts), default=0) if nested else sum(p.size for p in parts) for _, parts in bars]
    top = max(tops, default=0) or 1
    step = (_WIDTH - left) / len(bars)
    wide = min(step * 0.8, 44)
    drawn: list[str] = []
    for value in dict.fromkeys((0, top / 2 if top % 2 == 0 else top, top)):
        y = bottom - height * value / top
        drawn.append(f'<path class="l" d="M{left} {y:.1f}H{_WIDTH}"/>')
        drawn.append(f'<text class="e" x="{left - 5}" y="{y + 4:.1f}">{value:g}</text>')
    every = -(-len(bars) // 20)  # so many labels have room
    for number, (label, parts) in enumerate(bars):
        x, y = left + step * number + (step - wide) / 2, float(bottom)
        for part in parts:
            tall = height * part.size / top
            y = bottom if nested else y
            drawn.append(
                f'<rect class="{part.colour}" x="{x:.1f}" y="{y - tall:.1f}" width="{wide:.1f}" height="{tall:.1f}">'
                f"<title>{escape(part.told)}</title></rect>"
            )
            y -= tall
        if number % every == 0:
            drawn.append(f'<text class="m" x="{x + wide / 2:.1f}" y="{bottom + 15}">{escape(label)}</text>')
    return _svg(bottom + 20, words, "".join(drawn))


def _players(group: Group) -> str:
    return plural(group.players, "{n} player", "{n} players")


def _lengths(found: Statistics) -> str:
    """Return how many games took how many rounds, by number of players."""
    groups = [group for group in found.groups if group.finished]
    if not groups:
        return ""
    colours = {group.players: f"c{group.players - 2}" for group in groups}
    lengths = [rounds for rounds, _ in found.total.lengths]
    bars: list[Bar] = []
    for rounds in range(lengths[0], lengths[-1] + 1):
        parts: list[Part] = []
        for group in groups:
            number = dict(group.lengths).get(rounds, 0)
            took = plural(rounds, "{n} round", "{n} rounds")
            games = plural(number, "{n} game", "{n} games")
            told = tr("{players}, {rounds}: {games}").format(players=_players(group), rounds=took, games=games)
            parts += [Part(colours[group.players], number, "", told)] if number else []
        bars.append((str(rounds), tuple(parts)))
    chart = _standing(tr("Finished games by their number of game rounds"), bars, nested=False)
    return chart + _key([(colours[group.players], _players(group)) for group in groups])


def _places(found: Statistics) -> str:
    """Return for each number of players the shares of the wins of each place."""
    groups = [group for group in found.groups if sum(place.wins for place in group.places)]
    bars: list[Bar] = []
    for group in groups:
        told = tr("{players}, place {place}: {wins} of {clans}").format
        bars.append(
            (
                _players(group),
                tuple(
                    Part(
                        f"o{6 - p.number}",
                        p.wins,
                        str(p.wins),
                        told(players=_players(group), place=p.number, wins=p.wins, clans=p.clans),
                    )
                    for p in group.places
                ),
            )
        )
    most = max((len(group.places) for group in groups), default=0)
    if not bars:
        return ""
    chart = _lying(heading_of("places"), bars, [sum(p.size for p in parts) for _, parts in bars])
    named = tr("place {place}").format
    return chart + _key([(f"o{5 - place}", named(place=place + 1)) for place in range(most)])


def _sizes(found: Statistics) -> str:
    """Return how many clans had how many members at the end, and how many of these won."""
    bars: list[Bar] = []
    sizes = {size.number: size for size in found.total.sizes}
    for number in range(min(sizes), max(sizes) + 1):
        clans, wins = (sizes[number].clans, sizes[number].wins) if number in sizes else (0, 0)
        members, of_size = plural(number, "{n} member", "{n} members"), plural(clans, "{n} clan", "{n} clans")
        told = tr("{members}: {clans}, {wins} won").format(members=members, clans=of_size, wins=wins)
        bars.append((str(number), (Part("o1", clans, "", told), Part("o4", wins, "", told))))
    chart = _standing(tr("Clans by members at the end"), bars, nested=True)
    return chart + _key([("o1", column("clans")), ("o4", side_text(won=True))])


def _ends(found: Statistics) -> str:
    """Return members, food and cards of winners and of others, on average."""
    bars: list[Bar] = []
    scale: list[float] = []
    for what in ("members", "food", "cards"):
        means: list[float] = []
        for won, side, colour in ((True, found.total.winners, "o4"), (False, found.total.others, "o1")):
            total: int = getattr(side, what)
            text = average(total, side.clans)
            means.append(total / side.clans if side.clans else 0)
            part = Part(colour, means[-1], text, tr(_MEANS[what, won]).format(mean=text))
            bars.append((column(what) if won else "", (part,)))
        scale += [max(means)] * 2
    chart = _lying(tr("Members, food and cards of winners and others on average"), bars, scale)
    return chart + _key([("o4", side_text(won=True)), ("o1", side_text(won=False))])


_MEANS: Final = {
    ("members", True): "members of winners: {mean}",
    ("members", False): "members of others: {mean}",
    ("food", True): "food of winners: {mean}",
    ("food", False): "food of others: {mean}",
    ("cards", True): "cards of winners: {mean}",
    ("cards", False): "cards of others: {mean}",
}


def _harvest(found: Statistics) -> str:
    """Return what a clan harvested in a game on average, by kind of food."""
    bars: list[Bar] = []
    for group in (group for group in found.groups if group.finished):
        clans = group.winners.clans + group.others.clans
        means = harvest_means(group)
        told = tr("{players}, {kind}: {mean}").format
        parts = (
            Part(f"c{n}", food / clans, means[n], told(players=_players(group), kind=column(kind), mean=means[n]))
            for n, (kind, food) in enumerate(group.harvest.items())
        )
        bars.append((_players(group), tuple(parts)))
    most = max((sum(part.size for part in parts) for _, parts in bars), default=0)
    chart = _lying(tr("Harvest of a clan in a game by kind of food"), bars, [most] * len(bars))
    return chart + _key([(f"c{n}", column(kind)) for n, kind in enumerate(KINDS)])


def _deals(words: str, rows: Sequence[DealRow]) -> str:
    """Return how many cards were offered, bought, and bought by winners, at each number from the first to the last."""
    found = {row.number: row for row in rows}
    bars: list[Bar] = []
    for number in range(min(found), max(found) + 1):
        row = found.get(number, DealRow(number, 0, 0, 0))
        told = tr(_DEAL).format(number=number, offered=row.offered, bought=row.bought, won=row.won)
        parts = (Part("o0", row.offered, "", told), Part("o2", row.bought, "", told), Part("o5", row.won, "", told))
        bars.append((str(number), parts))
    names = ("offered", "bought", "by winners")
    return _standing(words, bars, nested=True) + _key(list(zip(("o0", "o2", "o5"), map(column, names), strict=True)))


_DEAL: Final = "{number}: {offered} offered, {bought} bought, {won} by winners"


_CHARTS: Final[dict[str, Callable[[Statistics], str]]] = {
    "games": _lengths,
    "places": _places,
    "sizes": _sizes,
    "ends": _ends,
    "harvest": _harvest,
    "prices": lambda found: _deals(heading_of("prices"), found.prices),
    "rounds": lambda found: _deals(heading_of("rounds"), found.rounds),
}
