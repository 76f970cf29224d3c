"""What there is to see at a step, as HTML: the board, the buttons, the clans, the market, the harvest spaces.

An element says by ``data-`` attributes which fact of a step it shows. ``replay.js`` writes the facts of another step
there, and has no words of its own.
"""

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Final

from pbem.first_sparks.briefing.board.view import clans_by_space
from pbem.first_sparks.briefing.result import food_tables
from pbem.first_sparks.briefing.words import colour_word, food_word, kind_word, own_set_lines, use_text, who
from pbem.first_sparks.components import FOOD_VALUE, FOODS
from pbem.first_sparks.record import History
from pbem.first_sparks.replay.pictures import board_picture
from pbem.first_sparks.replay.steps import Fact, Turn
from pbem.first_sparks.rules.two_players import NEUTRAL
from pbem.first_sparks.state import Clan, GameState
from pbem.locale import tr
from pbem.page.glue import unglued
from pbem.page.page import Grid, Prose

_UNKNOWN: Final = "\N{EN DASH}"
_BUTTONS: Final = {
    "first": "First turn",
    "back": "Previous turn",
    "play": "Play",
    "next": "Next turn",
    "last": "Last turn",
}
_ICONS: Final = {
    "first": "M5 5v14M18 5l-8 7 8 7",
    "back": "M15 5l-8 7 8 7",
    "play": "M7 4l12 8-12 8z",
    "next": "M9 5l8 7-8 7",
    "last": "M19 5v14M6 5l8 7-8 7",
}
_COLUMNS: Final = ("clan", "members", "food", "income", "cards")
_BOARD: Final = "The board. The table of clans lists the spaces on which each has members."


def _fact(tag: str, step: Turn, key: str, more: str = "", place: int | None = None) -> str:
    """Return an element with a fact, or with the value at that *place* of a fact with several."""
    fact = step.facts[key]
    at = ""
    if place is not None and isinstance(fact, tuple):
        fact, at = fact[place], f' data-at="{place}"'
    return f'<{tag} data-fact="{key}"{at}{more}>{_text(fact)}</{tag}>'


def _text(fact: Fact) -> str:
    return _UNKNOWN if fact is None else escape(" ".join(map(str, fact)) if isinstance(fact, tuple) else str(fact))


def header(game: str, step: Turn, own_set: str) -> Iterator[str]:
    """Yield the name of the game, where it stands, and its component set if that is not the built-in one."""
    place = _fact("span", step, "place")
    yield f"<header>\n<h1>{escape(game)}</h1>"
    turn = escape(tr("Turn {turn} of {turns}")).format(turn=f'<b id="turn">{step.number}</b>', turns=step.number)
    yield f"<p>{turn} \N{MIDDLE DOT} {place}</p>"
    yield from (f"<p>{escape(line)}</p>" for line in own_set_lines(own_set))
    yield "</header>"


def view(step: Turn) -> Iterator[str]:
    """Yield the board, the news of the step, and for whom the game waits then, or why somebody has won."""
    yield '<section id="view">'
    if step.state.board.tiles:
        yield board_picture(step.state.board, clans_by_space(step.state), tr(_BOARD))
    else:
        yield f"<p>{escape(tr('No tile is laid yet.'))}</p>"
    said = "\n".join(f"<p>{escape(told.text)}</p>" for told in step.told)
    yield f'<div id="told" aria-live="polite">\n{said}\n</div>'
    yield _fact("p", step, "why")
    yield _fact("p", step, "waits", ' class="waits"')
    yield "</section>"


def controls(last: int) -> Iterator[str]:
    """Yield the slider and the buttons, which only the script shows, since they do nothing without it."""
    yield f'<nav id="controls" aria-label="{escape(tr("Turns"))}" hidden>'
    yield f'<input type="range" id="slider" min="0" max="{last}" value="{last}" aria-label="{escape(tr("Turn"))}">'
    yield '<div class="buttons">'
    for key, path in _ICONS.items():
        words = escape(tr(_BUTTONS[key]))
        icon = f'<path class="on" d="{path}"/>'
        pause, other = "", ""
        if key == "play":
            pause, other = '<path class="off" d="M8 5v14M16 5v14"/>', f' data-pause="{escape(tr("Pause"))}"'
        yield (
            f'<button type="button" id="{key}" aria-label="{words}" title="{words}"{other}>'
            f'<svg viewBox="0 0 24 24" aria-hidden="true">{icon}{pause}</svg></button>'
        )
    yield "</div>\n</nav>"


def clans(step: Turn) -> Iterator[str]:
    """Yield the table of the clans."""
    titles = [("place", "")]
    titles += ((_COLUMNS[place], tr(_COLUMNS[place], "column")) for place in range(len(_COLUMNS)))
    heads = "".join(f'<th scope="col" class="{kind}">{escape(title)}</th>' for kind, title in titles)
    heading = escape(tr("Clans in player order"))
    yield f'<section id="clans">\n<h2>{heading}</h2>\n<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>'
    for place, clan in enumerate(step.state.clans, 1):
        colour = clan.colour
        note = _fact("small", step, f"note:{colour}", ' class="note"')
        name = f"{escape(clan.player)} <small>{escape(colour_word(colour))}</small> {note}"
        cells = (
            f'<td class="place">{place}</td>',
            f'<th scope="row" class="clan">{_disc(colour)}<span>{name}</span></th>',
            _members_cell(step, colour, clan.size),
            _number_cell(step, f"food:{colour}", "food", tr("hidden", "food")),
            _number_cell(step, f"income:{colour}", "income", _UNKNOWN),
            f'<td class="cards">{_cards(step, f"cards:{colour}", _numbers(clan))}</td>',
        )
        yield f'<tr data-clan="{colour}">{"".join(cells)}</tr>'
    if step.state.neutral is not None:
        name = f'<th scope="row" class="clan">{_disc(NEUTRAL)}<span>{escape(who(step.state, NEUTRAL))}</span></th>'
        yield f'<tr><td class="place"></td>{name}{_members_cell(step, NEUTRAL, len(step.state.neutral))}</tr>'
    yield "</tbody>\n</table>\n</section>"


def _disc(colour: str) -> str:
    return f'<svg class="disc" viewBox="-19 -19 38 38" aria-hidden="true"><use href="#{colour}-17"/></svg>'


def _members_cell(step: Turn, colour: str, size: int) -> str:
    """Return the number of members, and their spaces for readers who do not see the board."""
    listed = _fact("span", step, f"members:{colour}", ' class="unseen"')
    return f'<td class="members"><b data-count="members:{colour}">{size}</b> {listed}</td>'


def _number_cell(step: Turn, key: str, kind: str, unknown: str) -> str:
    text = escape(unknown) if step.facts[key] is None else _text(step.facts[key])
    return f'<td class="{kind}" data-fact="{key}" data-unknown="{escape(unknown)}">{text}</td>'


def _cards(step: Turn, key: str, numbers: Iterable[int]) -> str:
    crop = step.state.market.crop if key in {"current", "future"} else None
    cards = "".join(_card(step.state, number, number == crop) for number in numbers)
    return f'<ul class="deck" data-cards="{key}">{cards}</ul>'


def _card(state: GameState, number: int, bears_crop: bool = False) -> str:
    card = state.components.cards[number]
    use = escape(unglued(use_text(state.components, card)))
    costs, crop = (escape(text) for text in (tr("costs {price}").format(price=card.price), tr("has the crop on it")))
    kind = card.food or ("crops" if card.is_tool else "knowledge")
    kinds = f"{kind} crop" if bears_crop else kind
    return (
        f'<li class="card {kinds}" data-card="{number}" title="{use}">'
        f'<span><b>#{number}</b> {escape(kind_word(card.kind))}</span><span class="more"> <i>{costs}</i> '
        f"<span>{use}</span> <em>{crop}</em></span></li>"
    )


def deck(steps: Sequence[Turn]) -> str:
    """Return every card that is visible at some step, for the script to copy."""
    seen: set[int] = set()
    for step in steps:
        seen.update(step.state.market.cards, *(_numbers(clan) for clan in step.state.clans))
    cards = "\n".join(_card(steps[-1].state, number) for number in sorted(seen))
    return f'<template id="deck">\n{cards}\n</template>'


def _numbers(clan: Clan) -> tuple[int, ...]:
    return tuple(card.number for card in clan.cards)


def market(step: Turn) -> Iterator[str]:
    """Yield the market, and what is known of the draw pile."""
    yield f'<section id="market">\n<h2>{escape(tr("Market"))}</h2>'
    lying = step.state.market
    yield f"<h3>{escape(tr('Current market'))}</h3>\n{_cards(step, 'current', lying.current)}"
    yield f"<h3>{escape(tr('Future market'))}</h3>\n{_cards(step, 'future', lying.future)}"
    hidden = "" if lying.shuffle else " hidden"
    yield f'<p data-shown="shuffle"{hidden}>{escape(tr("The Shuffle card lies above all of these."))}</p>'
    yield f"<p>{escape(tr('Draw pile: {cards}.')).format(cards=_fact('span', step, 'pile'))}</p>"
    yield f"<p>{escape(tr('A tool with 4-6:2 takes 2 tokens if there are 4 to 6.'))}</p>\n</section>"


def harvest(step: Turn) -> Iterator[str]:
    """Yield the harvest spaces."""
    yield f'<section id="harvest">\n<h2>{escape(tr("Harvest spaces"))}</h2>\n<ul>'
    for place, food in enumerate(FOODS):
        sign = f'<svg class="sign" viewBox="-27 -27 54 54" aria-hidden="true"><use href="#{food}"/></svg>'
        tokens, refill = (_fact(tag, step, key, place=place) for tag, key in (("b", "harvest"), ("small", "refill")))
        worth = tr("worth {value}").format(value=FOOD_VALUE[food])
        named = f"<span>{escape(food_word(food))}<small>{escape(worth)}</small></span>"
        yield f'<li class="{food}">{sign}{tokens} {refill}{named}</li>'
    yield "</ul>\n</section>"


def food(end: GameState, history: History) -> Iterator[str]:
    """Yield what became of each clan's food, of the whole history of a game that is over."""
    yield f'<section id="food">\n<h2>{escape(tr("Food of the whole game"))}</h2>'
    caption = ""
    for block in food_tables(end, history, end.order):
        if isinstance(block, Prose):
            caption = escape(unglued(block.text).removesuffix(":").rstrip())
        elif isinstance(block, Grid):
            yield f"<figure><figcaption>{caption}</figcaption>\n{_table(block)}</figure>"
    yield "</section>"


def _table(table: Grid) -> str:
    """Return a table with its last column, which names the rows, as the first."""
    titles = (column.title for column in (table.columns[-1], *table.columns[:-1]))
    heads = "".join(f'<th scope="col">{escape(unglued(title))}</th>' for title in titles)
    rows = "\n".join(f"<tr>{''.join(_cells(row))}</tr>" for row in table.rows)
    return f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"


def _cells(row: Sequence[str]) -> Iterator[str]:
    yield f'<th scope="row">{escape(unglued(row[-1]))}</th>'
    for cell in row[:-1]:
        yield f"<td>{escape(unglued(cell))}</td>"
