"""A phone: the pages of letters in a browser without a window, as narrow as phones are, and what does not fit.

Chromium does it, if it is installed (Debian's ``chromium``). All pages stand in one, each in a frame as
wide as a phone, so that the browser starts only once.
"""

import json
import re
import subprocess
from collections.abc import Sequence
from html import escape, unescape
from pathlib import Path

from needs import BROWSERS, path_of

WIDTHS = (360, 390)
BROWSER = next(filter(None, map(path_of, BROWSERS)), None)
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
)
# What is wider than its frame, or than the block that it stands in and that cuts it or must be pushed aside.
MEASURE = """
addEventListener("load", () => {
  const found = [];
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument, root = page.documentElement;
    if (root.clientWidth !== +frame.width) found.push([frame.title, "the frame is " + root.clientWidth + " wide"]);
    if (!page.body.textContent.trim()) found.push([frame.title, "the page is empty"]);
    if (root.scrollWidth > root.clientWidth) found.push([frame.title, "the page is " + root.scrollWidth + " wide"]);
    for (const part of page.body.querySelectorAll("*")) {
      const box = part.getBoundingClientRect();
      const cut = getComputedStyle(part).display !== "inline" && part.scrollWidth > part.clientWidth + 1;
      if (cut || box.right > root.clientWidth - 8 || box.left < 8)
        found.push([frame.title, part.tagName + " " + part.textContent.slice(0, 200)]);
    }
  }
  document.body.replaceChildren();
  document.body.dataset.found = JSON.stringify(found);
});
"""


def misfits(
    folder: Path, pages: Sequence[tuple[str, str]], style: str = "", widths: Sequence[int] = WIDTHS
) -> list[str]:
    """Return what does not fit in which of these named pages, on phones of all these widths."""
    frames = "".join(
        f'<iframe title="{escape(name)}, {width} wide" width="{width}" height="9000" srcdoc="{escape(page)}"></iframe>'
        for name, page in pages
        for width in widths
    )
    start = folder / "phones.html"
    style = f"<style>iframe {{ border: 0 }}{style}</style>"
    start.write_text(
        f'<!DOCTYPE html><meta charset="utf-8">{style}<script>{MEASURE}</script><body>{frames}', encoding="utf-8"
    )
    assert BROWSER is not None
    done = subprocess.run(
        [BROWSER, *FLAGS, f"--user-data-dir={folder / 'browser'}", "--dump-dom", start.as_uri()],
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    found = re.search('data-found="([^"]*)"', done.stdout)
    assert found, done.stderr[-2000:]
    return [f"{page}: {what}" for page, what in json.loads(unescape(found[1]))]
