"""Charts as SVG: how a number of every clan went from step to step.

A line keeps its height until the number changes. Lines that would cover each other run side by side, and each ends
with its clan's letter, so that nobody needs to tell colours apart.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Final, NamedTuple

from pbem.first_sparks.briefing.board.view import LETTERS
from pbem.page.lettering import number

WIDTH, HEIGHT = 360, 190
LEFT, RIGHT = 26, 336  # where the first and the last step stand
_TOP, _BOTTOM = 12, 166
_BESIDE: Final = 1.6  # how far apart lines of the same height run
_LETTER: Final = 11
_LEAST_LABEL: Final = 18

Series = Mapping[str, Sequence[int | None]]


class _Axes(NamedTuple):
    """What the sides of a chart stand for: so many steps, and values up to the highest."""

    steps: int
    most: int

    def x(self, step: float) -> float:
        return LEFT + (RIGHT - LEFT) * step / max(1, self.steps - 1)

    def y(self, value: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * value / self.most


def chart(words: str, series: Series, rounds: Sequence[int], step: int) -> str:
    """Return a chart: for every clan its number at each step, None where it is not known.

    *rounds* has the round of each step, *step* is marked. *words* say what it shows to who cannot see it.
    """
    known = [value for values in series.values() for value in values if value is not None]
    unit = _unit(max(known, default=1))
    scale = _Axes(len(rounds), max(unit, -(-max(known, default=1) // unit) * unit))
    inside = "\n".join(
        (
            *_levels(scale, unit),
            *_rounds(scale, rounds),
            f'<path class="now" d="M0 {_TOP - 6}V{_BOTTOM}" transform="translate({number(scale.x(step))} 0)"/>',
            *_lines(scale, series),
        )
    )
    label = escape(words, quote=False).replace('"', "&quot;")
    return f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">\n{inside}\n</svg>'


def _unit(most: int) -> int:
    """Return how far the levels are apart, of which there are at most six."""
    return next(unit for unit in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000, most) if most <= 5 * unit)


def _levels(scale: _Axes, unit: int) -> Iterator[str]:
    for value in range(0, scale.most + 1, unit):
        y = number(scale.y(value))
        yield f'<path class="level" d="M{LEFT} {y}H{RIGHT}"/>'
        yield f'<text x="{LEFT - 5}" y="{number(scale.y(value) + 3.5)}" text-anchor="end">{value}</text>'


def _rounds(scale: _Axes, rounds: Sequence[int]) -> Iterator[str]:
    """Yield where rounds begin, with their numbers where there is room."""
    labelled = -float(_LEAST_LABEL)
    for step in range(1, len(rounds)):
        if rounds[step] == rounds[step - 1]:
            continue
        x = scale.x(step)
        yield f'<path class="round" d="M{number(x)} {_TOP}V{_BOTTOM + 4}"/>'
        if x - labelled >= _LEAST_LABEL:
            labelled = x
            yield f'<text x="{number(x)}" y="{_BOTTOM + 16}" text-anchor="middle">{rounds[step]}</text>'


def _lines(scale: _Axes, series: Series) -> Iterator[str]:
    ends: list[tuple[float, str]] = []
    for place, (colour, values) in enumerate(series.items()):
        aside = (place - (len(series) - 1) / 2) * _BESIDE
        path = "".join(_path(scale, values, aside))
        if path:
            yield f'<g class="line {colour}"><path class="edge" d="{path}"/><path d="{path}"/></g>'
        if values and (last := values[-1]) is not None:
            ends.append((scale.y(last) + aside, colour))
    for y, colour in _apart(ends):
        yield f'<text class="letter" x="{RIGHT + 7}" y="{number(y + 4)}">{LETTERS[colour]}</text>'


def _path(scale: _Axes, values: Sequence[int | None], aside: float) -> Iterator[str]:
    """Yield the line, which goes on until the step before the next height, and breaks off where nothing is known."""
    before: int | None = None
    for step, value in enumerate(values):
        if value is not None and before is None:
            yield f"M{number(scale.x(step))} {number(scale.y(value) + aside)}"
        elif before is not None and value != before:
            yield f"H{number(scale.x(step))}"
            if value is not None:
                yield f"V{number(scale.y(value) + aside)}"
        before = value
    if before is not None:
        yield f"H{number(scale.x(len(values) - 1))}"


def _apart(ends: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Return the letters at the ends of lines, moved until none covers another and none is above or below the chart."""
    placed: list[tuple[float, str]] = []
    lowest = float(_BOTTOM)
    for y, colour in sorted(ends, reverse=True):
        placed.append((min(lowest, y), colour))
        lowest = placed[-1][0] - _LETTER
    highest = float(_TOP)
    for place in reversed(range(len(placed))):
        y, colour = placed[place]
        placed[place] = (max(highest, y), colour)
        highest = placed[place][0] + _LETTER
    return placed
