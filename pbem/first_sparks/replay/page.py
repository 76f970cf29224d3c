"""A game as one HTML page: every step to look at, and without scripts the last one with the whole log.

The page loads nothing, and forbids itself to do so. The caller reads its style and its script, ``replay.css`` and
``replay.js``.
"""

import json
from base64 import b64encode
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from pbem.first_sparks.briefing.board.view import LETTERS, members_by_clan
from pbem.first_sparks.briefing.headings import stage_text
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import Record
from pbem.first_sparks.replay.charts import LEFT, RIGHT, chart
from pbem.first_sparks.replay.panels import clans, controls, deck, food, harvest, header, market, view
from pbem.first_sparks.replay.pictures import parts, places
from pbem.first_sparks.replay.steps import Fact, Told, Turn, changes, turns
from pbem.grammar import capital
from pbem.locale import tr
from pbem.sha import sha256

# How every page begins, before and after its language.
START: Final = '<!DOCTYPE html>\n<html lang="'
HEAD: Final = '">\n<head>\n<meta charset="utf-8">\n<meta name="generator" content="pbem">\n'
_TITLES: Final = {"members": "Members", "food": "Food", "income": "Income"}
_SHOWS: Final = {
    "members": "The members of each clan, turn by turn",
    "food": "The food of each clan, turn by turn",
    "income": "The value of each clan's last harvest, turn by turn",
}


class Assets(NamedTuple):
    """The style and the script of the page, as texts."""

    style: str
    script: str


def replay_page(
    record: Record, assets: Assets, last: int | None = None, own_set: str = "", *, language: str = "en"
) -> str:
    """Return the page of a game up to the turn *last*, or of all of it: the same bytes for the same game.

    It shows what is public (see ``turns``). *own_set* names a component set other than the built-in one, *language* is
    the code of the one that is spoken.
    """
    steps = turns(record, last)
    end = steps[-1]
    style, script = (f"\n{text.strip()}\n" for text in assets)
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:"
    head = (
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}; base-uri 'none'; form-action 'none'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        '<link rel="icon" href="data:,">',
        f"<title>{escape(record.game)}</title>",
        f"<style>{style}</style>",
        "</head>",
    )
    body = (
        "<body>",
        parts(members_by_clan(end.state)),
        *header(record.game, end, own_set),
        "<main>",
        *view(end),
        *controls(end.number),
        *clans(end),
        *market(end),
        *harvest(end),
        *_charts(steps, hides=record.options.hide_food and not isinstance(record.state.phase, Ended)),
        *(food(end.state, record.history) if isinstance(end.state.phase, Ended) else ()),
        *_log(steps),
        "</main>",
        deck(steps),
        f'<script type="application/json" id="game">{_data(steps)}</script>',
        f"<script>{script}</script>",
        "</body>\n</html>\n",
    )
    return f"{START}{language}{HEAD}" + "\n".join((*head, *body))


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _data(steps: Sequence[Turn]) -> str:
    """Return what the script needs, as JSON: for each step what has changed."""
    end = steps[-1].state
    facts = [{}, *(step.facts for step in steps)]
    data = {
        "clans": list(members_by_clan(end)),
        **places(end.board),
        "chart": [LEFT, RIGHT],
        "steps": [changes(after, before) for before, after in pairwise(facts)],
    }
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


# The whole game


def _charts(steps: Sequence[Turn], *, hides: bool) -> Iterator[str]:
    end = steps[-1]
    rounds = [step.state.round for step in steps]
    glosses = {"food": tr("where it is not hidden") if hides else "", "income": tr("of the last harvest")}
    heading, gloss = escape(tr("Charts")), escape(tr("by game round"))
    yield f'<section id="charts">\n<h2>{heading} <small>{gloss}</small></h2>'
    for key in _TITLES:
        series = {
            clan.colour: [_height(step.facts[f"{key}:{clan.colour}"]) for step in steps]
            for clan in sorted(end.state.clans, key=lambda clan: tuple(LETTERS).index(clan.colour))
        }
        caption = f"{escape(tr(_TITLES[key]))} <small>{escape(glosses.get(key, ''))}</small>"
        drawn = chart(tr(_SHOWS[key]), series, rounds, end.number)
        yield f"<figure><figcaption>{caption}</figcaption>\n{drawn}</figure>"
    yield "</section>"


def _height(fact: Fact) -> int | None:
    """Return the height of a fact in a chart: the members, or the food; None if it is unknown."""
    if isinstance(fact, tuple):
        return len(fact)
    return fact if isinstance(fact, int) else None


def _log(steps: Sequence[Turn]) -> Iterator[str]:
    """Yield the sentences of all steps by game rounds and phases, each with a link to its step."""
    yield f'<section id="log">\n<h2>{escape(tr("Log"))}</h2>\n<div>'
    rows = [(told, step.number) for step in steps for told in step.told]
    named: set[int] = set()
    for number, of_round in groupby(rows, key=lambda row: row[0].round):
        title = tr("Round {number}").format(number=number) if number else tr("Before round 1")
        yield f"<section>\n<h3>{escape(title)}</h3>"
        for stage, of_stage in groupby(of_round, key=lambda row: row[0].stage):
            yield f"<h4>{escape(capital(stage_text(stage)))}</h4>\n<ol>"
            for told, turn in of_stage:
                yield _entry(told, turn, first=turn not in named)
                named.add(turn)
            yield "</ol>"
        yield "</section>"
    yield "</div>\n</section>"


def _entry(told: Told, turn: int, *, first: bool) -> str:
    name, label = (f' id="{turn}"', turn) if first else ("", "")
    return f'<li{name}><a href="#{turn}"><b>{label}</b> <span>{escape(told.text)}</span></a></li>'
