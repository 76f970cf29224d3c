"""An IMAP server in a thread that behaves as servers do on bad days, and counts what it is asked.

It has one folder, knows IDLE, and speaks just enough of RFC 3501 for a club. Each ``quirk`` is one of them.
"""

import re
import socketserver
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from threading import Thread
from typing import Final, NamedTuple

from servers import HOST

NEW: Final = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Stored(NamedTuple):
    """A mail in the folder, of which a large one is only made when somebody asks for a part of it."""

    raw: bytes
    came: datetime = NEW
    padding: int = 0

    @property
    def size(self) -> int:
        """The number of its bytes."""
        return len(self.raw) + self.padding

    def part(self, most: int) -> bytes:
        """Return its first bytes."""
        return (self.raw + b"x" * min(self.padding, most))[:most]


class OddImap:
    """What the server holds, how it behaves, and what it was asked, a line each, without the tags."""

    def __init__(self) -> None:
        self.mails: dict[int, Stored] = {}
        self.answered: set[int] = set()
        self.last = 0  # number of a mail
        self.asked: list[str] = []
        self.sent = 0  # bytes
        self.logins = 0
        self.exists = True  # the folder
        self.hangs_up: list[str] = []  # the next commands at which the connection ends
        self.refuses: list[str] = []  # the next commands that are refused
        self.mute: list[str] = []  # the next commands that are never answered
        self.chatters = False  # says "* n EXISTS" at each NOOP and at the begin of each IDLE
        self.idle_says: list[str] = []  # what the next IDLEs report at once
        self.uidvalidity = 1
        self.port = 0

    def put(self, raw: bytes, came: datetime = NEW, padding: int = 0) -> None:
        """Deliver a mail."""
        self.last += 1
        self.mails[self.last] = Stored(raw, came, padding)

    def make_anew(self) -> None:
        """Make the folder again: the same mails have other numbers, and no flags."""
        self.uidvalidity += 1
        self.mails = {number + self.last: mail for number, mail in self.mails.items()}
        self.last = max(self.mails, default=0)
        self.answered.clear()

    def count(self, command: str) -> int:
        """Return how often the server was asked something that begins like that."""
        return sum(line.startswith(command) for line in self.asked)

    def found(self, wanted: str) -> list[int]:
        """Return the mails that a search finds."""
        since = re.search(r"SINCE ([0-9A-Za-z-]+)", wanted)
        from_day = datetime.strptime(since[1], "%d-%b-%Y").date() if since else datetime.min.date()
        return [uid for uid, mail in self.mails.items() if uid not in self.answered and mail.came.date() >= from_day]


class _Talk(socketserver.StreamRequestHandler):
    odd: OddImap

    def handle(self) -> None:
        with suppress(OSError):
            self._say("* OK here")
            while line := self.rfile.readline().decode().rstrip("\r\n"):
                tag, _, words = line.partition(" ")
                if not self._answer(tag, words):
                    return

    def _say(self, *lines: str, raw: bytes = b"") -> None:
        data = raw or "".join(f"{line}\r\n" for line in lines).encode()
        self.odd.sent += len(data)
        self.wfile.write(data)
        self.wfile.flush()

    def _answer(self, tag: str, words: str) -> bool:
        """Answer a command; return False if the connection ends."""
        odd = self.odd
        command = words.upper().removeprefix("UID ").split()[0]
        odd.asked.append("LOGIN" if command == "LOGIN" else words)
        if command in odd.hangs_up:
            odd.hangs_up.remove(command)
            self._say("* BYE until another time")
            return False
        if command in odd.mute:
            odd.mute.remove(command)
            self.rfile.read()  # until the other end has had enough
            return False
        if command in odd.refuses or (not odd.exists and command in ("SELECT", "SEARCH", "FETCH", "STORE")):
            with suppress(ValueError):
                odd.refuses.remove(command)
            self._say(f"{tag} NO [NONEXISTENT] no such thing")
            return True
        getattr(self, f"_{command.lower()}", lambda _: None)(words)
        self._say(f"{tag} OK done")
        return command != "LOGOUT"

    def _capability(self, _: str) -> None:
        self._say("* CAPABILITY IMAP4rev1 IDLE")

    def _login(self, _: str) -> None:
        self.odd.logins += 1

    def _select(self, _: str) -> None:
        self._say(f"* {len(self.odd.mails)} EXISTS", f"* OK [UIDVALIDITY {self.odd.uidvalidity}] so many")
        self.reported = len(self.odd.mails)

    def _noop(self, _: str) -> None:
        self._report()

    def _report(self) -> None:
        if self.odd.chatters or self.reported != len(self.odd.mails):
            self.reported = len(self.odd.mails)
            self._say(f"* {self.reported} EXISTS")

    def _idle(self, _: str) -> None:
        self._say("+ idling")
        self._report()
        if self.odd.idle_says:
            self._say(self.odd.idle_says.pop(0))
        assert self.rfile.readline().strip() == b"DONE"

    def _search(self, words: str) -> None:
        self._say(f"* SEARCH {' '.join(map(str, self.odd.found(words)))}")

    def _fetch(self, words: str) -> None:
        _, _, uids, what = words.split(maxsplit=3)
        for uid in map(int, uids.split(",")):
            mail = self.odd.mails.get(uid)
            if mail is None:
                continue
            if part := re.search(r"<0\.([0-9]+)>", what):
                raw = mail.part(int(part[1]))
                head = f"* {uid} FETCH (UID {uid} BODY[]<0> {{{len(raw)}}}\r\n".encode()
                self._say(raw=head + raw + b")\r\n")
            else:
                came = mail.came.strftime("%d-%b-%Y %H:%M:%S +0000")
                self._say(f'* {uid} FETCH (UID {uid} FLAGS () INTERNALDATE "{came}" RFC822.SIZE {mail.size})')

    def _store(self, words: str) -> None:
        self.odd.answered |= set(map(int, words.split()[2].split(","))) & set(self.odd.mails)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


@contextmanager
def an_odd_imap(port: int = 0) -> Iterator[OddImap]:
    """Run that server, perhaps at a certain port."""
    odd = OddImap()
    talk = type("Talk", (_Talk,), {"odd": odd})
    with _Server((HOST, port), talk) as server:
        odd.port = server.server_address[1]
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield odd
        finally:
            server.shutdown()
            thread.join()
