"""Our own drawings as PNG, for mail programs and phones; this needs the extra ``[png]``.

resvg-py draws them, but only with 4 bytes a pixel, which makes a PNG three times
as large as necessary. Pillow gives it a palette.
"""

import re
from functools import lru_cache
from importlib.util import find_spec
from io import BytesIO
from typing import Final, cast

from pbem.errors import NotUnderstood

# Our largest drawing has some 80,000 characters and is 2,500 high; a renderer without memory ends the process.
_MOST_CHARACTERS: Final = 400_000
_MOST_PIXELS: Final = 4_000
# A drawing has some thirty colours, and a thousand blends of them at its edges.
_COLOURS: Final = 48
_SIZE: Final = re.compile(r'<svg [^>]*?width="([1-9][0-9]{0,3})" height="([1-9][0-9]{0,3})"')


@lru_cache(maxsize=8)
def svg_to_png(svg: str, width: int | None = None) -> bytes | None:
    """Return the drawing as PNG, at most *width* pixels wide; None if the extra ``[png]`` is not installed.

    Only for our own drawings: no font, file or address is looked up.
    Raises NotUnderstood for anything else, and for a drawing that is too large.
    """
    size = _SIZE.match(svg)
    if size is None or len(svg) > _MOST_CHARACTERS or max(int(size[1]), int(size[2])) > _MOST_PIXELS:
        raise NotUnderstood("the SVG was not drawn by pbem, or it is too large")
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        return None
    if find_spec("PIL") is None:  # both or none, before anything is drawn
        return None
    try:
        drawn = svg_to_bytes(svg_string=svg, width=min(width or int(size[1]), int(size[1])), skip_system_fonts=True)
    except ValueError:
        raise NotUnderstood("the SVG cannot be rendered") from None
    return _with_palette(bytes(drawn))


def _with_palette(png: bytes) -> bytes:
    """Return an opaque PNG with a palette of the most frequent colours, to which all others are rounded."""
    from PIL import Image

    with Image.open(BytesIO(png)) as drawn:
        pixels = drawn.convert("RGB")
    counted = cast("list[tuple[int, tuple[int, ...]]]", pixels.getcolors(pixels.width * pixels.height))
    commonest = sorted(counted, reverse=True)[:_COLOURS]
    palette = Image.new("P", (1, 1))
    palette.putpalette([part for _, colour in commonest for part in colour])
    small = BytesIO()
    pixels.quantize(palette=palette, dither=Image.Dither.NONE).save(small, "PNG")
    return small.getvalue()
