"""A carrier for tests, such as somebody might write for a messenger: letters and messages are JSON in a spool.

``spool/out`` has a file for each letter, which a gateway sends and removes. The gateway appends what people write to
``spool/in.ndjson``: a line with the number of the sender, an id, and the text. Players have telephone numbers.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from pbem import files
from pbem.carriers.rounds import Came, Taken, kept_text, take_all
from pbem.club.carrier import Club, Posted
from pbem.club.settings import create, settings_of
from pbem.sha import sha256
from pbem.table.letters.harmless import written
from pbem.table.letters.letter import Letter


@dataclass(frozen=True)
class Messenger(Club):
    """A club whose addresses are telephone numbers."""

    form: ClassVar[str] = "messenger/1"
    to_make: ClassVar[str] = "make one first"
    to_answer: ClassVar[str] = "To answer, write {order} or another order."
    how_to_play: ClassVar[str] = "How to play: when it is your turn, you get a message. Answer it with your order."
    help: ClassVar[str] = "You play by messages. Write one order per line."
    command: ClassVar[str] = "pbem club"
    to_release: ClassVar[str] = "messenger run CLUB --release"
    not_an_address: ClassVar[str] = "{text} is not a telephone number"
    address_hint: ClassVar[str] = "for example: Ann=+4930123456"

    def posted(self, letter: Letter) -> Posted:
        """Return the letter as a file for the gateway."""
        texts = [text for name, text in letter.attached if not name.endswith(".html")]
        text = "\n\n".join((letter.subject, written(letter.page), *texts))
        data = json.dumps({"to": letter.to, "text": text}).encode()
        name = sha256(data + f"{letter.serial} {letter.in_reply_to}".encode()).hexdigest()[:16]
        return Posted(self.folder / "spool" / "out" / f"{name}.json", data)

    def put(self, letter: Letter) -> None:
        """Queue a letter that belongs to no game."""
        files.replace(self.posted(letter).path, self.posted(letter).data, mode=0o600)

    def id_of(self, letter: Letter) -> str:
        """Return the name of the file."""
        return self.posted(letter).path.stem

    def text_of(self, raw: bytes) -> str:
        """Return the text of a message that was kept."""
        return kept_text(raw)

    def is_address(self, text: str) -> bool:
        """Return whether it is a number."""
        return re.fullmatch(r"\+[0-9]{6,15}", text) is not None

    def is_ours(self, address: str) -> bool:
        """Return whether it is the number of the club."""
        return address == self.address


def make(folder: Path, address: str, host: str) -> Messenger:
    """Make a club in a new folder."""
    club = Messenger(folder, address, host, picture=False)
    create(club, lambda: (folder / "spool" / "out").mkdir(parents=True))
    return own(folder)


def own(folder: Path) -> Messenger:
    """Return the club in a folder."""
    return settings_of(Messenger, folder)


def run(club: Messenger, now: datetime | None = None) -> Taken:
    """Take what people have written, and let the clock tick."""
    return take_all(club, list(_came(club.folder / "spool" / "in.ndjson")), now)


def _came(spool: Path) -> Iterator[Came]:
    for line in spool.read_text().splitlines() if spool.exists() else ():
        row = json.loads(line)

        def done(line: str = line) -> None:
            spool.write_text(spool.read_text().replace(f"{line}\n", "", 1))

        yield Came(row["from"], row["id"], lambda text=row["text"]: text, done)
