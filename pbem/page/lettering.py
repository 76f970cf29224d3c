"""Writing for pictures: letters and digits as strokes, since the renderer may have no fonts.

Each glyph has its own grid: capitals are 6 high, and small letters begin 2 below the
top, on the same baseline. A character without a glyph cannot be written.
"""

from typing import Final
from unicodedata import normalize

# The width, and the strokes as the data of an SVG path.
_GLYPHS: Final[dict[str, tuple[float, str]]] = {
    " ": (1.5, ""),
    "A": (4, "M0 6 2 0 4 6M.8 4H3.2"),
    "B": (3.7, "M0 0V6H2.1A1.55 1.55 0 0 0 2.1 2.9H0M0 0H1.9A1.45 1.45 0 0 1 1.9 2.9"),
    "C": (3.9, "M3.9 1.3A2 2 0 0 0 0 2V4A2 2 0 0 0 3.9 4.7"),
    "D": (3.8, "M0 0V6H1.6A2.2 2.4 0 0 0 3.8 3.6V2.4A2.2 2.4 0 0 0 1.6 0Z"),
    "E": (3.4, "M3.4 0H0V6H3.4M0 3H2.8"),
    "F": (3.4, "M3.4 0H0V6M0 3H2.8"),
    "G": (4, "M3.8 1.3A2 2 0 0 0 0 2V4A2 2 0 0 0 4 4V3.3H2.4"),
    "H": (3.8, "M0 0V6M3.8 0V6M0 3H3.8"),
    "I": (0, "M0 0V6"),
    "J": (2.8, "M2.8 0V4.5A1.4 1.5 0 0 1 0 4.6"),
    "K": (3.8, "M0 0V6M3.6 0 0 3.6M1.3 2.4 3.8 6"),
    "L": (3.2, "M0 0V6H3.2"),
    "M": (4.6, "M0 6V0L2.3 3.8 4.6 0V6"),
    "N": (3.8, "M0 6V0L3.8 6V0"),
    "O": (4, "M0 2A2 2 0 0 1 4 2V4A2 2 0 0 1 0 4Z"),
    "P": (3.7, "M0 6V0H2A1.7 1.7 0 0 1 2 3.4H0"),
    "Q": (4.2, "M0 2A2 2 0 0 1 4 2V4A2 2 0 0 1 0 4ZM2.6 4.6 4.2 6.2"),
    "R": (3.8, "M0 6V0H2A1.7 1.7 0 0 1 2 3.4H0M1.9 3.4 3.8 6"),
    "S": (3.7, "M3.5 1.1C3.1.3 2.6 0 1.9 0 .9 0 .2.6.2 1.5.2 3.6 3.7 2.4 3.7 4.5 3.7 5.4 2.9 6 1.9 6 1 6 .4 5.6 0 4.8"),
    "T": (3.8, "M0 0H3.8M1.9 0V6"),
    "U": (3.8, "M0 0V4.1A1.9 1.9 0 0 0 3.8 4.1V0"),
    "V": (4, "M0 0 2 6 4 0"),
    "W": (5.4, "M0 0 1.4 6 2.7 1.4 4 6 5.4 0"),
    "X": (3.8, "M0 0 3.8 6M3.8 0 0 6"),
    "Y": (3.8, "M0 0 1.9 3 3.8 0M1.9 3V6"),
    "Z": (3.6, "M0 0H3.6L0 6H3.6"),
    "a": (3.2, "M3.2 4A1.6 1.9 0 1 0 3.2 4.1M3.2 2.2V6"),
    "b": (3.2, "M0 0V6M0 4A1.6 1.9 0 1 1 0 4.1"),
    "c": (2.9, "M2.9 2.9A1.7 1.9 0 1 0 2.9 5.2"),
    "d": (3.2, "M3.2 0V6M3.2 4A1.6 1.9 0 1 0 3.2 4.1"),
    "e": (3.2, "M.1 4H3.2A1.6 1.9 0 1 0 2.8 5.3"),
    "f": (2.1, "M2.1.2A1.3 1.4 0 0 0 .8 1.6V6M0 2.4H1.9"),
    "g": (3.2, "M3.2 4A1.6 1.9 0 1 0 3.2 4.1M3.2 2.2V6.3A1.6 1.6 0 0 1 .3 7.1"),
    "h": (3, "M0 0V6M0 3.8A1.5 1.7 0 0 1 3 3.8V6"),
    "i": (0, "M0 2.2V6M0 .5V.6"),
    "j": (0.8, "M.8 2.2V6.6A1 1.1 0 0 1-.3 7.7M.8.5V.6"),
    "k": (2.9, "M0 0V6M2.7 2.2 0 4.6M1 3.8 2.9 6"),
    "l": (0, "M0 0V6"),
    "m": (4.8, "M0 2.2V6M0 3.6A1.2 1.5 0 0 1 2.4 3.6V6M2.4 3.6A1.2 1.5 0 0 1 4.8 3.6V6"),
    "n": (3, "M0 2.2V6M0 3.8A1.5 1.7 0 0 1 3 3.8V6"),
    "o": (3.2, "M0 4A1.6 1.9 0 1 1 0 4.1Z"),
    "p": (3.2, "M0 2.2V8M0 4A1.6 1.9 0 1 1 0 4.1"),
    "q": (3.2, "M3.2 2.2V8M3.2 4A1.6 1.9 0 1 0 3.2 4.1"),
    "r": (1.9, "M0 2.2V6M0 3.9A1.7 1.7 0 0 1 1.9 2.3"),
    "s": (
        2.7,
        "M2.5 2.7C2.2 2.3 1.9 2.1 1.4 2.1.6 2.1.2 2.5.2 3 .2 4.4 2.7 3.6 2.7 5 2.7 5.6 2.1 6 1.4 6 .8 6 .3 5.7 0 5.3",
    ),
    "t": (2.1, "M.8.6V4.8A1.1 1.1 0 0 0 2.1 5.9M0 2.2H2"),
    "u": (3, "M0 2.2V4.4A1.5 1.6 0 0 0 3 4.4M3 2.2V6"),
    "v": (3, "M0 2.2 1.5 6 3 2.2"),
    "w": (4.6, "M0 2.2 1.2 6 2.3 2.8 3.4 6 4.6 2.2"),
    "x": (2.8, "M0 2.2 2.8 6M2.8 2.2 0 6"),
    "y": (3.2, "M0 2.2 1.6 6M3.2 2.2 1.6 6 .9 7.6H.1"),
    "z": (2.8, "M0 2.2H2.8L0 6H2.8"),
    "0": (3.6, "M0 1.8A1.8 1.8 0 0 1 3.6 1.8V4.2A1.8 1.8 0 0 1 0 4.2Z"),
    "1": (1.6, "M0 1.4 1.6 0V6"),
    "2": (3.6, "M.1 1.6A1.75 1.7 0 0 1 3.5 1.8C3.5 3.2 1.4 4.4 0 6H3.6"),
    "3": (3.6, "M.2 1.1A1.6 1.45 0 1 1 1.6 2.9H1.2M1.6 2.9A1.75 1.55 0 1 1 0 4.8"),
    "4": (3.8, "M2.8 6V0L0 4.2H3.8"),
    "5": (3.6, "M3.2 0H.5L.2 2.8A1.85 1.8 0 1 1 0 4.9"),
    "6": (3.6, "M2.8 0C1.1.8 0 2.6 0 4.2A1.8 1.8 0 1 0 3.6 4.2 1.8 1.8 0 0 0 .2 3.6"),
    "7": (3.5, "M0 0H3.5L1.3 6"),
    "8": (3.4, "M1.7 2.8A1.4 1.4 0 1 1 1.8 2.8 1.6 1.6 0 1 1 1.6 2.8Z"),
    "9": (3.6, "M.8 6C2.5 5.2 3.6 3.4 3.6 1.8A1.8 1.8 0 1 0 0 1.8 1.8 1.8 0 0 0 3.4 2.4"),
    "+": (3, "M1.5 2V5M0 3.5H3"),
    "-": (2, "M0 3.6H2"),
    ".": (0, "M0 5.9V6"),
    ",": (0.5, "M.5 5.8 0 7"),
    ":": (0, "M0 2.9V3M0 5.5V5.6"),
    "'": (0, "M0 0V1.4"),
}
# Accents, around the middle of the top of a letter; a cedilla hangs from its foot.
_MARKS: Final[dict[str, str]] = {
    "\u0300": "M.5-.8-.6-1.7",
    "\u0301": "M-.5-.8.6-1.7",
    "\u0302": "M-.9-.8 0-1.7.9-.8",
    "\u0303": "M-1-.9C-.5-2 .5-.3 1-1.4",
    "\u0308": "M-.8-1.3V-1.2M.8-1.3V-1.2",
    "\u0327": "M.1 6.2C1.2 6.6.6 7.6-.5 7.3",
}
_WITHOUT_GLYPH: Final = str.maketrans(
    {"ß": "ss", "œ": "oe", "Œ": "Oe", "æ": "ae", "\u2019": "'", "\u2013": "-", "\xa0": " "}
)
_DOTLESS: Final = "M0 2.2V6"
_ABOVE_I: Final = ("\u0300", "\u0301", "\u0302", "\u0308")
_GAP: Final = 1.6


def is_writable(text: str) -> bool:
    """Return whether every character has a glyph."""
    return all(character in _GLYPHS for character in text)


def writable(text: str) -> str:
    """Return the text with all that can be written of it; accents are characters of their own."""
    apart = normalize("NFD", text.translate(_WITHOUT_GLYPH))
    return "".join(character for character in apart if character in _GLYPHS or character in _MARKS)


def width_of(text: str, height: float) -> float:
    """Return how wide the text is when its capitals are *height* high."""
    letters = [character for character in text if character not in _MARKS]
    units = sum(_GLYPHS[character][0] for character in letters) + _GAP * (len(letters) - 1)
    return units * height / 6


def written(text: str, x: float, y: float, height: float, colour: str, *, bold: bool = False) -> str:
    """Return SVG that writes the text centred on *x*, *y*, with capitals *height* high; KeyError without a glyph."""
    scale = height / 6
    strokes: list[str] = []
    left = width = 0.0
    for index, character in enumerate(text):
        if character in _MARKS:
            low = character != "\u0327" and text[index - 1].islower()
            across = number(left - _GAP - width / 2)
            strokes.append(f'<path d="{_MARKS[character]}" transform="translate({across} {2 if low else 0})"/>')
            continue
        width, path = _GLYPHS[character]
        if character == "i" and text[index + 1 : index + 2] in _ABOVE_I:
            path = _DOTLESS
        if path:
            strokes.append(
                f'<path d="{path}" transform="translate({number(left)} 0)"/>' if left else f'<path d="{path}"/>'
            )
        left += width + _GAP
    place = f"translate({number(x - width_of(text, height) / 2)} {number(y - height / 2)}) scale({number(scale)})"
    return (
        f'<g transform="{place}" fill="none" stroke="{colour}" stroke-width="{1.15 if bold else 0.8}"'
        f' stroke-linecap="round" stroke-linejoin="round">{"".join(strokes)}</g>'
    )


def number(value: float) -> str:
    """Return a number for SVG, rounded to hundredths."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
