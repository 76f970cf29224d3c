"""A club that plays by e-mail: where its mail comes from, how it goes out, and whose mail it is."""

import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal, NamedTuple

from pbem.club.carrier import Club, Posted
from pbem.club.settings import settings_of
from pbem.errors import NotUnderstood
from pbem.table.clock import instant
from pbem.table.letters.letter import Letter

if TYPE_CHECKING:  # what reads a mail is only loaded for one
    from pbem.reading.context import Context
    from pbem.reading.message import Post

HOST_HINT: Final = "give your own address, at which you want to be notified"
# What SMTP calls a mailbox, without quotes, comments and non-ASCII letters: nothing here can end a header.
ADDRESS: Final = r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?=.{1,190}\Z)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*"


_HOW_TO_PLAY: Final = (
    "How to play: when it is your turn, you get a letter with everything you need to decide. Press reply, write your "
    "order at the very top, and send. Anything else you write is passed on to the other players. Your first order gets "
    'a receipt; after that you only get a reply if an order could not be played, unless you write "news every". Write '
    '"help" to see what else you can ask for.'
)
_HELP: Final = (
    "You play by answering my letters. Press reply, write your order at the very top, and send. You can leave the rest "
    "of the letter as it is, or delete all of it. Write one order per line; several are played one after another, all "
    "or none. You only get a reply if an order could not be played. Anything else you write is passed on to the other "
    "players with their next letter."
)


Auth = Literal["password", "xoauth2", "oauthbearer"]


class WayIn(NamedTuple):
    """Where mail comes from: the club's Maildir, or IMAP.

    The password, or the token for another *auth*, is in a variable or a file, or is what a command prints.
    """

    kind: Literal["maildir", "imap"] = "maildir"
    folder: str = "inbox"
    host: str = ""
    port: int = 993
    security: Literal["none", "starttls", "tls"] = "tls"
    user: str = ""
    password_env: str = ""
    password_file: str = ""
    password_command: str = ""
    auth: Auth = "password"


class WayOut(NamedTuple):
    """How mail goes out: it stays in the outbox, or is handed to an SMTP server or to sendmail."""

    kind: Literal["files", "smtp", "sendmail"] = "files"
    host: str = "localhost"
    port: int = 25
    security: Literal["none", "starttls", "tls"] = "starttls"
    user: str = ""
    password_env: str = ""
    password_file: str = ""
    program: str = "/usr/sbin/sendmail"
    password_command: str = ""
    auth: Auth = "password"


_WAY_IN, _WAY_OUT = WayIn(), WayOut()


@dataclass(frozen=True)
class MailClub(Club):
    """A club whose adjudicator has a mail address.

    *plus* says whether mail to ``pbem+anything@example.org`` reaches us. *authserv* is the only server whose
    Authentication-Results count; "" for any. Mail that came before *since* is older than the club; "" if unknown.
    """

    form: ClassVar[str] = "pbem-club/2"
    to_make: ClassVar[str] = "create one with pbem mail init CLUB --address ADDRESS --host ADDRESS"
    to_answer: ClassVar[str] = "To answer, press reply, write {order} or another order at the very top, and send."
    how_to_play: ClassVar[str] = _HOW_TO_PLAY
    help: ClassVar[str] = _HELP
    command: ClassVar[str] = "pbem mail"
    salts: ClassVar[bool] = True
    to_release: ClassVar[str] = 'pbem mail tick CLUB --now "$(date -Is)" --release'

    plus: bool = True
    authserv: str = ""
    since: str = ""
    incoming: WayIn = _WAY_IN
    outgoing: WayOut = _WAY_OUT

    @property
    def travels(self) -> bool:
        """Whether a server or a program is named that brings mail or sends it."""
        return (self.incoming.kind, self.outgoing.kind) != ("maildir", "files")

    @property
    def outbox(self) -> Path:
        """The Maildir with the letters that are still to be sent."""
        return self.folder / "outbox"

    def posted(self, letter: Letter) -> Posted:
        """Return the letter as a mail in the outbox, with plain line ends as in any Maildir."""
        from pbem.carriers.mail.outgoing import post
        from pbem.carriers.mail.outgoing.mime import compose

        data = compose(post.mail_of(letter, self.address, plus=self.plus)).replace(b"\r\n", b"\n")
        return Posted(self.outbox / "new" / post.name_of(letter, data), data)

    def put(self, letter: Letter) -> None:
        """Put a letter that belongs to no game into the outbox."""
        from pbem.carriers.mail.outgoing import maildir

        path, data, _ = self.posted(letter)
        maildir.put(self.outbox, path, data)

    def id_of(self, letter: Letter) -> str:
        """Return the Message-ID of a letter."""
        from pbem.carriers.mail.outgoing import post

        return post.id_of(letter, self.address)

    def text_of(self, raw: bytes) -> str:
        """Return the text of a mail."""
        from pbem.carriers.mail.incoming.message import read_message

        return read_message(raw).text

    def post_of(self, raw: bytes, context: "Context") -> "Post":
        """Return a kept mail that was written in that *context*, as far as it is understood, with its attachments."""
        from pbem.carriers.mail.incoming.content import understood
        from pbem.carriers.mail.incoming.message import read_message

        return understood(raw, read_message(raw), context)[0]

    def is_address(self, text: str) -> bool:
        """Return whether the text is a plain mail address and nothing else."""
        return re.fullmatch(ADDRESS, text) is not None

    def wrong_with(self, text: str) -> str:
        """Return what keeps the text from being a mail address, as far as that can be told."""
        strange = re.search(r"[^A-Za-z0-9.!#$%&'*+/=?^_`{|}~@-]", text)
        if strange:
            return "there is a blank in it" if strange[0].isspace() else f"there is {strange[0]!a} in it"
        if "@" not in text:
            return "it lacks an @"
        return "there must be a name on each side of one @"

    def is_ours(self, address: str) -> bool:
        """Return whether the address is the club's own, or one of its plus-addresses."""
        ours, said = self.address.lower(), address.lower()
        local, _, host = ours.partition("@")
        return said == ours or (self.plus and said.startswith(f"{local}+") and said.endswith(f"@{host}"))

    @property
    def founded(self) -> datetime | None:
        """When the club was made, None if unknown; raises NotUnderstood."""
        try:
            return instant(self.since) if self.since else None
        except NotUnderstood:
            hint = 'write a time such as "2026-11-21T18:30:00Z"; mail that came before it is not touched'
            raise NotUnderstood(
                f"since in {self.folder / 'club.toml'} is not a valid time", path="since", hint=hint
            ) from None


def read_club(folder: Path) -> MailClub:
    """Return the club in the folder; raises NoSuchFile, NotUnderstood, or CannotCreate if it is somebody else's."""
    club = settings_of(MailClub, folder)
    path = folder / "club.toml"
    if club.is_ours(club.host):
        raise NotUnderstood(f"host in {path} is the club's own address", path="host", hint=HOST_HINT)
    if not re.fullmatch(r"[A-Za-z0-9._-]{0,255}", club.authserv):
        hint = 'use the name that your server gives itself in Authentication-Results, such as "mail.example.org"'
        raise NotUnderstood(f"authserv in {path} is not a valid server name", path="authserv", hint=hint)
    _ = club.founded
    return club
