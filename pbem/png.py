"""Our own drawings as PNG, for mail programs and phones; resvg-py does it, which the extra ``[png]`` brings."""

import re
from functools import lru_cache
from typing import Final

from pbem.errors import NotUnderstood

# Our largest drawing has some 80,000 characters and is 2,500 high; beyond its memory the renderer ends the process.
_MOST_CHARACTERS: Final = 400_000
_MOST_PIXELS: Final = 4_000
_SIZE: Final = re.compile(r'<svg [^>]*?width="([1-9][0-9]{0,3})" height="([1-9][0-9]{0,3})"')


@lru_cache(maxsize=8)
def svg_to_png(svg: str, width: int | None = None) -> bytes | None:
    """Return the drawing as PNG, at most *width* pixels wide; None where resvg-py is not installed.

    Only for drawings of our own: no font, no file and no address is looked up.
    Raises NotUnderstood for what is no drawing or too large a one.
    """
    size = _SIZE.match(svg)
    if size is None or len(svg) > _MOST_CHARACTERS or max(int(size[1]), int(size[2])) > _MOST_PIXELS:
        raise NotUnderstood("this is no drawing of ours, or it is too large")
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        return None
    try:
        return bytes(
            svg_to_bytes(svg_string=svg, width=min(width or int(size[1]), int(size[1])), skip_system_fonts=True)
        )
    except ValueError:
        raise NotUnderstood("the drawing cannot be understood") from None
