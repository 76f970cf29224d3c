"""A browser without a window, driven over the DevTools protocol: messages of JSON through two pipes.

So nothing is installed but Chromium itself, and no port is opened. See ``mail/phone.py`` for where it is looked for.
"""

import json
import os
import signal
from base64 import b64decode
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from select import select
from typing import Any, NamedTuple

from mail.phone import BROWSER, FLAGS

PATIENCE = 120  # seconds without a word from the browser
KEYS = {"ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35}


class Viewed(NamedTuple):
    """How a page is looked at: how wide and high, whether in the dark, on a screen or on paper."""

    width: int = 1200
    height: int = 900
    dark: bool = False
    media: str = "screen"
    scripts: bool = True


class Browser:
    """A page in a browser; ``events`` are what it told since it was opened."""

    def __init__(self, to: int, back: int) -> None:
        self._to, self._from = to, back
        self._rest = b""
        self._number = 0
        self._session = ""
        self.events: list[tuple[str, dict[str, Any]]] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command, and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") == self._number:
                assert "error" not in told, told
                result: dict[str, Any] = told["result"]
                return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            assert select([self._from], [], [], PATIENCE)[0], "the browser does not answer"
            self._rest += os.read(self._from, 1 << 20)
        text, self._rest = self._rest.split(b"\0", 1)
        told: dict[str, Any] = json.loads(text)
        if "method" in told:
            self.events.append((told["method"], told["params"]))
        return told

    def open(self, url: str, viewed: Viewed | None = None) -> None:
        """Go to a page, and wait until it is there."""
        look = viewed or Viewed()
        self.look(look)
        self.ask("Emulation.setScriptExecutionDisabled", value=not look.scripts)
        for address in ("about:blank", url):  # from the same page a link would only lead to another place in it
            self.events.clear()
            self.ask("Page.navigate", url=address)
            while "Page.loadEventFired" not in (name for name, _ in self.events):
                self._next()

    def look(self, viewed: Viewed) -> None:
        """Look at the page in another way."""
        width, height, dark, media, _ = viewed
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def value(self, script: str) -> Any:
        """Return what an expression of JavaScript is."""
        done = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait_for(self, condition: str) -> None:
        """Wait until an expression of JavaScript is true."""
        self.value(f"new Promise(done => {{ const look = () => {condition} ? done() : setTimeout(look, 20); look() }})")

    def press(self, key: str) -> None:
        """Press a key and let it go."""
        for kind in ("keyDown", "keyUp"):
            code = KEYS[key]
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def click(self, selector: str, part: float = 0.5) -> None:
        """Click on the first element of that kind, so far from its left as *part* of its width."""
        found = self.value(
            f"(() => {{ const part = document.querySelector({json.dumps(selector)});"
            " part.scrollIntoView({block: 'center'}); const box = part.getBoundingClientRect();"
            " return [box.left, box.top, box.width, box.height] })()"
        )
        left, top, width, height = found
        for kind in ("mousePressed", "mouseReleased"):
            x, y = left + width * part, top + height / 2
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self, *, whole: bool = False) -> bytes:
        """Return what is to be seen, or the *whole* page, as PNG."""
        return b64decode(self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"])

    def paper(self) -> bytes:
        """Return the first sheet of the page as it is printed, as PDF."""
        return b64decode(self.ask("Page.printToPDF", preferCSSPageSize=True, pageRanges="1")["data"])

    def complaints(self) -> list[str]:
        """Return the errors that were told, and the addresses of all that was fetched from elsewhere."""
        found: list[str] = []
        for name, params in self.events:
            if name == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"]))
            elif name == "Log.entryAdded" and params["entry"]["level"] in {"error", "warning"}:
                found.append(params["entry"]["text"])
            elif name == "Runtime.consoleAPICalled":
                found.append(str(params["args"]))
            elif name == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "data:")):
                found.append(params["request"]["url"])
        return found


@contextmanager
def browsing(folder: Path) -> Generator[Browser]:
    """Lend a browser, which keeps its own files in the folder."""
    assert BROWSER is not None
    asked, to = os.pipe()
    back, answers = os.pipe()
    # The browser reads from 3 and writes to 4, which must be none of ours on the way there.
    theirs = [os.dup(end) for end in (asked, answers)]
    high = [_above(end) for end in theirs]
    arguments = [BROWSER, *FLAGS, f"--user-data-dir={folder / 'browser'}", "--remote-debugging-pipe", "about:blank"]
    log = os.open(folder / "browser.log", os.O_WRONLY | os.O_CREAT, 0o600)
    process = os.posix_spawn(
        BROWSER,
        arguments,
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_DUP2, _above(log), 1),
            (os.POSIX_SPAWN_DUP2, 1, 2),
            (os.POSIX_SPAWN_DUP2, high[0], 3),
            (os.POSIX_SPAWN_DUP2, high[1], 4),
        ],
        setpgroup=0,
    )
    for end in (asked, answers, *theirs, *high, log):
        os.close(end)
    try:
        yield Browser(to, back)
    finally:
        os.close(to)
        os.close(back)
        with suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)
        os.waitpid(process, 0)


def _above(end: int) -> int:
    """Return another number for an open file, above those that the browser expects to be its pipes."""
    import fcntl

    return fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10)
