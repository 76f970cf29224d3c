"""A game as one HTML page: every step to look at, and without scripts the last one with the whole log.

Nothing is fetched from anywhere, which the page forbids itself. A part of the page says by ``data-`` attributes
which fact of a step it shows; ``replay.js`` writes the facts of another step there, and has no words of its own.
"""

import json
from base64 import b64encode
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from pbem.first_sparks.briefing.board_view import LETTERS, clans_by_space, members_by_clan
from pbem.first_sparks.briefing.words import own_set_lines, use_text
from pbem.first_sparks.components import FOOD_VALUE, FOODS
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import Record
from pbem.first_sparks.replay.charts import LEFT, RIGHT, chart
from pbem.first_sparks.replay.pictures import board_picture, parts, places
from pbem.first_sparks.replay.steps import Fact, Told, Turn, changes, turns
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.first_sparks.state import GameState
from pbem.page.glue import unglued
from pbem.sha import sha256

START: Final = (
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="generator" content="pbem">\n'
)
_UNKNOWN: Final = "\N{EN DASH}"
_BUTTONS: Final = (
    ("first", "First turn", "M5 5v14M18 5l-8 7 8 7"),
    ("back", "Previous turn", "M15 5l-8 7 8 7"),
    ("play", "Play", "M7 4l12 8-12 8z"),
    ("next", "Next turn", "M9 5l8 7-8 7"),
    ("last", "Last turn", "M19 5v14M6 5l8 7-8 7"),
)
_CHARTS: Final = (
    ("members", "Members", "The members of each clan, turn by turn"),
    ("food", "Food", "The food of each clan, turn by turn"),
    ("income", "Income", "What the last harvest of each clan was worth, turn by turn"),
)


class Assets(NamedTuple):
    """The style and the script of the page, as texts."""

    style: str
    script: str


def replay_page(record: Record, assets: Assets, last: int | None = None, own_set: str = "") -> str:
    """Return the page of a game up to the turn *last*, or of all of it: the same bytes for the same game.

    It shows what anybody may know (see ``turns``). *own_set* names a component set that is not the one which ships.
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
        *_header(record.game, end, own_set),
        "<main>",
        *_view(end),
        *_controls(end.number),
        *_clans(end),
        *_market(end),
        *_harvest(end),
        *_charts(steps, hides=record.options.hide_food and not isinstance(record.state.phase, Ended)),
        *_log(steps),
        "</main>",
        _deck(steps),
        f'<script type="application/json" id="game">{_data(steps)}</script>',
        f"<script>{script}</script>",
        "</body>\n</html>\n",
    )
    return START + "\n".join((*head, *body))


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _data(steps: Sequence[Turn]) -> str:
    """Return what the script needs, as JSON: of each step what is not as in the step before."""
    end = steps[-1].state
    facts = [{}, *(step.facts for step in steps)]
    data = {
        "clans": list(members_by_clan(end)),
        **places(end.board),
        "chart": [LEFT, RIGHT],
        "steps": [changes(after, before) for before, after in pairwise(facts)],
    }
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


# What there is to see at a step


def _fact(tag: str, step: Turn, key: str, more: str = "", place: int | None = None) -> str:
    """Return an element with a fact; of one that has several values with the one at that *place*."""
    fact = step.facts[key]
    at = ""
    if place is not None and isinstance(fact, tuple):
        fact, at = fact[place], f' data-at="{place}"'
    return f'<{tag} data-fact="{key}"{at}{more}>{_text(fact)}</{tag}>'


def _text(fact: Fact) -> str:
    return _UNKNOWN if fact is None else escape(" ".join(map(str, fact)) if isinstance(fact, tuple) else str(fact))


def _header(game: str, step: Turn, own_set: str) -> Iterator[str]:
    place = _fact("span", step, "place")
    yield f"<header>\n<h1>{escape(game)}</h1>"
    yield f'<p>Turn <b id="turn">{step.number}</b> of {step.number} \N{MIDDLE DOT} {place}</p>'
    yield from (f"<p>{escape(line)}</p>" for line in own_set_lines(own_set))
    yield "</header>"


def _view(step: Turn) -> Iterator[str]:
    """Yield the board, what was said at the step, and for whom the game waits then."""
    yield '<section id="view">'
    if step.state.board.tiles:
        words = "The board. The table of the clans names the spaces on which their members stand."
        yield board_picture(step.state.board, clans_by_space(step.state), words)
    else:
        yield "<p>No tile is laid yet.</p>"
    said = "\n".join(f"<p>{escape(told.text)}</p>" for told in step.told)
    yield f'<div id="told" aria-live="polite">\n{said}\n</div>'
    yield f"{_fact('p', step, 'waits')}\n</section>"


def _controls(last: int) -> Iterator[str]:
    """Yield the slider and the buttons; they are shown by the script, without which they do nothing."""
    yield '<nav id="controls" aria-label="Turns" hidden>'
    yield f'<input type="range" id="slider" min="0" max="{last}" value="{last}" aria-label="Turn">'
    yield '<div class="buttons">'
    for key, words, path in _BUTTONS:
        icon = f'<path class="on" d="{path}"/>'
        pause, other = ('<path class="off" d="M8 5v14M16 5v14"/>', ' data-pause="Pause"') if key == "play" else ("", "")
        yield (
            f'<button type="button" id="{key}" aria-label="{words}" title="{words}"{other}>'
            f'<svg viewBox="0 0 24 24" aria-hidden="true">{icon}{pause}</svg></button>'
        )
    yield "</div>\n</nav>"


def _clans(step: Turn) -> Iterator[str]:
    titles = ("", "clan", "members", "food", "income", "cards")
    heads = "".join(f'<th scope="col" class="{title or "place"}">{title}</th>' for title in titles)
    yield f'<section id="clans">\n<h2>Clans in player order</h2>\n<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>'
    for place, clan in enumerate(step.state.clans, 1):
        colour = clan.colour
        note = _fact("small", step, f"note:{colour}", ' class="note"')
        name = f"{escape(clan.player)} <small>{colour}</small> {note}"
        cells = (
            f'<td class="place">{place}</td>',
            f'<th scope="row" class="clan">{_disc(colour)}<span>{name}</span></th>',
            _members_cell(step, colour),
            _number_cell(step, f"food:{colour}", "food", "hidden"),
            _number_cell(step, f"income:{colour}", "income", _UNKNOWN),
            f'<td class="cards">{_cards(step, f"cards:{colour}")}</td>',
        )
        yield f'<tr data-clan="{colour}">{"".join(cells)}</tr>'
    if step.state.neutral is not None:
        name = f'<th scope="row" class="clan">{_disc(NEUTRAL)}<span>the neutral clan</span></th>'
        yield f'<tr><td class="place"></td>{name}{_members_cell(step, NEUTRAL)}</tr>'
    yield "</tbody>\n</table>\n</section>"


def _disc(colour: str) -> str:
    return f'<svg class="disc" viewBox="-19 -19 38 38" aria-hidden="true"><use href="#{colour}-17"/></svg>'


def _members_cell(step: Turn, colour: str) -> str:
    """Return the number of members, and for who does not see the board their spaces."""
    spaces = step.facts[f"members:{colour}"]
    number = len(spaces) if isinstance(spaces, tuple) else 0
    listed = _fact("span", step, f"members:{colour}", ' class="unseen"')
    return f'<td class="members"><b data-count="members:{colour}">{number}</b> {listed}</td>'


def _number_cell(step: Turn, key: str, kind: str, unknown: str) -> str:
    text = unknown if step.facts[key] is None else _text(step.facts[key])
    return f'<td class="{kind}" data-fact="{key}" data-unknown="{unknown}">{text}</td>'


def _cards(step: Turn, key: str) -> str:
    numbers = step.facts[key]
    crop = step.facts["crop"] if key in {"current", "future"} else None
    cards = (
        "".join(_card(step.state, int(number), number == crop) for number in numbers or ())
        if isinstance(numbers, tuple)
        else ""
    )
    return f'<ul class="deck" data-cards="{key}">{cards}</ul>'


def _card(state: GameState, number: int, bears_crop: bool = False) -> str:
    card = state.components.cards[number]
    use = escape(unglued(use_text(state.components, card)))
    kind = card.food or ("crops" if card.is_tool else "knowledge")
    return (
        f'<li class="card {kind}{" crop" if bears_crop else ""}" data-card="{number}" title="{use}">'
        f'<span><b>#{number}</b> {card.kind}</span><span class="more"> <i>costs {card.price}</i> '
        f"<span>{use}</span> <em>with the crop</em></span></li>"
    )


def _deck(steps: Sequence[Turn]) -> str:
    """Return every card that is to be seen at one of the steps, to be copied."""
    seen: set[int] = set()
    for step in steps:
        for key, fact in step.facts.items():
            if isinstance(fact, tuple) and (key in {"current", "future"} or key.startswith("cards:")):
                seen.update(map(int, fact))
    cards = "\n".join(_card(steps[-1].state, number) for number in sorted(seen))
    return f'<template id="deck">\n{cards}\n</template>'


def _market(step: Turn) -> Iterator[str]:
    yield '<section id="market">\n<h2>Market</h2>'
    for key, title in (("current", "Current market"), ("future", "Future market")):
        yield f"<h3>{title}</h3>\n{_cards(step, key)}"
    hidden = "" if step.facts["shuffle"] else " hidden"
    yield f'<p data-shown="shuffle"{hidden}>The Shuffle card lies above them all.</p>'
    yield f"<p>In the draw pile: {_fact('span', step, 'pile')}.</p>"
    yield "<p>Of a tool, 4-6:2 means that it takes 2 tokens where 4 to 6 lie.</p>\n</section>"


def _harvest(step: Turn) -> Iterator[str]:
    yield '<section id="harvest">\n<h2>Harvest spaces</h2>\n<ul>'
    for place, food in enumerate(FOODS):
        sign = f'<svg class="sign" viewBox="-27 -27 54 54" aria-hidden="true"><use href="#{food}"/></svg>'
        tokens, refill = (_fact(tag, step, key, place=place) for tag, key in (("b", "harvest"), ("small", "refill")))
        named = f"<span>{food}<small>worth {FOOD_VALUE[food]}</small></span>"
        yield f'<li class="{food}">{sign}{tokens} {refill}{named}</li>'
    yield "</ul>\n</section>"


# The whole game


def _charts(steps: Sequence[Turn], *, hides: bool) -> Iterator[str]:
    end = steps[-1]
    rounds = [step.state.round for step in steps]
    yield '<section id="charts">\n<h2>Charts <small>by game round</small></h2>'
    for key, title, words in _CHARTS:
        series = {
            clan.colour: [_height(step.facts[f"{key}:{clan.colour}"]) for step in steps]
            for clan in sorted(end.state.clans, key=lambda clan: tuple(LETTERS).index(clan.colour))
        }
        gloss = (
            "where it is not hidden" if key == "food" and hides else "of the last harvest" if key == "income" else ""
        )
        caption = f"{title} <small>{gloss}</small>" if gloss else title
        yield f"<figure><figcaption>{caption}</figcaption>\n{chart(words, series, rounds, end.number)}</figure>"
    yield "</section>"


def _height(fact: Fact) -> int | None:
    return len(fact) if isinstance(fact, tuple) else fact if isinstance(fact, int) else None


def _log(steps: Sequence[Turn]) -> Iterator[str]:
    """Yield the sentences of all steps by game rounds and phases, each with a link to its step."""
    yield '<section id="log">\n<h2>Log</h2>\n<div>'
    rows = [(told, step.number) for step in steps for told in step.told]
    named: set[int] = set()
    for number, of_round in groupby(rows, key=lambda row: row[0].round):
        yield f"<section>\n<h3>{f'Round {number}' if number else 'Before round 1'}</h3>"
        for stage, of_stage in groupby(of_round, key=lambda row: row[0].stage):
            yield f"<h4>{stage[:1].upper()}{stage[1:]}</h4>\n<ol>"
            for told, turn in of_stage:
                yield _entry(told, turn, first=turn not in named)
                named.add(turn)
            yield "</ol>"
        yield "</section>"
    yield "</div>\n</section>"


def _entry(told: Told, turn: int, *, first: bool) -> str:
    name = f' id="{turn}"' if first else ""
    return f'<li{name}><a href="#{turn}"><b>{turn if first else ""}</b> <span>{escape(told.text)}</span></a></li>'
