"""What is written to whom: every letter is the situation as its reader may see it, and before it why it is sent."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from typing import Final, NamedTuple

from pbem import files
from pbem.errors import PbemError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.picture import board_svg
from pbem.first_sparks.record import Record
from pbem.first_sparks.sha import sha256
from pbem.first_sparks.state import CHANCE
from pbem.first_sparks.summary import summarize
from pbem.first_sparks.texts import wrapped
from pbem.mail.clock_files import time_allowed
from pbem.mail.club import Club, Player, Roster, Saying, Table
from pbem.mail.html import mailto, page
from pbem.mail.ledger import letter_name
from pbem.mail.letter import Letter, compose
from pbem.mail.names import as_seated
from pbem.mail.ticket import Ticket, address_of, digits_of, marker_of, message_id_of, ticket
from pbem.mail.wording import PICTURE_WIDTH, harmless, reply_tap, said, taps
from pbem.png import svg_to_png
from pbem.way import own_set, since

WELCOME: Final = (
    "Welcome to the game. You play by answering these mails: press reply, write your order above the first line, "
    "and send. What you write besides is told to the table. Whose turn it is gets a mail, and needs nothing else to "
    "decide. An order that was played is not answered, only one that was not; who wants to hear of every move, the "
    'own ones too, writes "news every". Write "help" to read what else you can ask for.'
)
HELP: Final = (
    "You play by answering my mails. Press reply, write your order into the first line, and send; leave the rest of "
    "the mail as it is, or delete all of it. One order a line; several are taken in turn, all or none. Only an order "
    "that was not played is answered. What is no order is told to the others with their next mail.",
    'You can also write: "show" for the situation, "options" for all that is legal now, "rules R4.5" for a rule, '
    '"news every", "news turn" or "news none" to hear of every move, yours too, only when you are asked, or nothing, '
    '"absent until 2026-12-31" and "back" when you are away, "resign" to leave the game.',
)
STRANGER: Final = (
    "This is the adjudicator of a club that plays The First Sparks by mail, and not a person. Who plays answers the "
    "mails of the game; an order in a new mail cannot be told from a forged one, so press reply in my latest mail.",
    'To join a game that waits for players, write "join", the name of the game and the name that you want to have '
    'there, for instance: "join saturday Zoe" or "join saturday Zoe red".',
)


class Desk(NamedTuple):
    """A game, and all that is needed to write about it, made once for all letters.

    *picture* gives the drawn board, which is the same for everybody, *allowed* is
    how long who is asked may think, if a clock ticks.
    """

    club: Club
    table: Table
    roster: Roster
    record: Record
    picture: Callable[[], bytes]
    allowed: str = ""

    @property
    def decides(self) -> str:
        """The colour of the player who is asked now, or nothing."""
        return decides(self.record)


def _board(club: Club, table: Table, record: Record) -> bytes:
    """Return the drawn board; most orders leave it as it is, so that the last one is kept in the game's folder."""
    if not club.picture:
        return b""
    svg = board_svg(record.state)
    kept = table.folder / f"board-{sha256(svg.encode()).hexdigest()[:16]}.png"
    if kept.exists():
        return files.read_bytes(kept)
    drawn = svg_to_png(svg, PICTURE_WIDTH) or b""
    with suppress(PbemError, OSError):
        for old in table.folder.glob("board-*.png"):
            old.unlink()
        if drawn:
            files.replace(kept, drawn, mode=0o600)
    return drawn


def decides(record: Record) -> str:
    """Return the colour of the player who is asked now, or nothing."""
    colour = who_decides(record.state)
    return colour if colour is not None and colour != CHANCE else ""


def desk_of(club: Club, table: Table, roster: Roster, record: Record) -> Desk:
    """Return the desk of a game."""
    seated = as_seated(record, roster)
    picture = cache(lambda: _board(club, table, seated))
    allowed = "" if roster.paused else time_allowed(table)
    return Desk(club, table, roster, seated, picture, allowed)


def letter(
    desk: Desk,
    player: Player,
    why: Sequence[str] = (),
    sayings: Sequence[Saying] = (),
    *,
    answers: str = "",
    error: bool = False,
) -> tuple[str, bytes]:
    """Return a letter and its name in the outbox: *why* it is sent, what was said, and the situation for the player.

    *answers* is the Message-ID of the mail that it answers, *error* that it
    refuses it: such a letter has a null sender, so that no machine answers it.
    """
    record = desk.record
    own = ticket(player.key, record.game, player.colour, record.turn)
    marker = marker_of(own, record.head)
    situation = summarize(
        record.state,
        player.colour,
        since(record, player.colour),
        game=record.game,
        turn=record.turn,
        head=record.head,
        by_reply=True,
        own_set=own_set(record),
    )
    lead, _, rest = situation.partition("\n\n")
    if desk.roster.paused:
        paused = f"The host has paused the game: {desk.roster.paused}. Orders are not accepted until it goes on."
        why = (*why, *paragraphs((paused,)))
    if desk.allowed and player.colour == desk.decides:
        lead += f"\nThe table waits {desk.allowed} for your answer."
    talk = [line for saying in sayings for line in said(saying.name, saying.text)]
    parts = ["\n".join(marker), *why, lead, "\n".join(("TABLE TALK", *talk)) if talk else "", rest]
    text = "\n\n".join(harmless(part.rstrip("\n")) for part in parts if part) + "\n"
    own_taps = taps(record.state, player.colour, _reply_to(desk.club, own), _subject(own.game), marker)
    board = desk.picture()
    html = page(text, _subject(own.game), own_taps, picture=bool(board), language=player.language)
    return _posted(desk.club, own, player, text, html, board, answers=answers, error=error)


def _subject(game: str) -> str:
    return f"[{game}] The First Sparks"  # always the same: by it some mail programs tell what is one thread


def _reply_to(club: Club, own: Ticket) -> str:
    return address_of(own, club.address) if club.plus else club.address


def _posted(
    club: Club, own: Ticket, player: Player, text: str, html: str, board: bytes, *, answers: str, error: bool
) -> tuple[str, bytes]:
    host = club.address.partition("@")[2]
    to, reply_to = player.reader, _reply_to(club, own)
    made = Letter(
        to=to,
        name=player.name if to == player.address else "",
        subject=_subject(own.game),
        text=text,
        html=html,
        png=board,
        message_id=message_id_of(own, "\0".join((text, to, answers, str(error))), club.address),
        references=(f"<{own.game}.thread@{host}>", *((answers,) if answers else ())),
        reply_to=reply_to,
        sender=club.address,
        list_id=f"<{own.game}.{host}>",
        unsubscribe=f"<{mailto(reply_to, 'stop', ('stop', '', *text.splitlines()[:2]))}>",  # with the marker
        answers_error=error,
        replies=bool(answers),
        language=player.language,
    )
    return _named(own.game, own.turn, made)


def id_of(made: bytes) -> str:
    """Return the Message-ID of a letter of ours."""
    found = re.search(rb"^Message-ID:\s*(<[^>]+>)", made, re.MULTILINE)
    return found[1].decode() if found else ""


def _named(game: str, turn: int, made: Letter) -> tuple[str, bytes]:
    """Return a letter as a Maildir holds it, with plain line ends, and its name there."""
    data = compose(made).replace(b"\r\n", b"\n")
    return letter_name(game, turn, data), data


def paragraphs(texts: Iterable[str]) -> tuple[str, ...]:
    """Return texts as paragraphs of 72 columns."""
    return tuple("\n".join(wrapped(text)) for text in texts)


# Letters that are not about a situation


def plain(
    club: Club,
    own: Ticket,
    player: Player,
    why: Sequence[str],
    *,
    yes: tuple[str, str] | None = None,
    answers: str = "",
) -> tuple[str, bytes]:
    """Return a letter about a game that has not begun; *yes* is what may be answered to it, and the words to tap."""
    marker = marker_of(own, "0" * 8)
    text = "\n\n".join(("\n".join(marker), *map(harmless, why))) + "\n"
    own_taps = (reply_tap(*yes, _reply_to(club, own), _subject(own.game), marker),) if yes else ()
    html = page(text, _subject(own.game), own_taps, language=player.language)
    return _posted(club, own, player, text, html, b"", answers=answers, error=False)


def notice(club: Club, address: str, subject: str, why: Sequence[str], *, answers: str = "") -> tuple[str, bytes]:
    """Return a letter to somebody who has no ticket: the host, or a stranger. Nobody answers it."""
    content = "\0".join((subject, *why, address, answers))
    host = club.address.partition("@")[2]
    made = Letter(
        to=address,
        name="",
        subject=subject,
        text="\n\n".join(map(harmless, why)) + "\n",
        html="",
        png=b"",
        message_id=f"<notice.{digits_of(sha256(content.encode()).digest())}@{host}>",
        references=(answers,) if answers else (),
        reply_to=club.address,
        sender=club.address,
        list_id="",
        unsubscribe="",
        answers_error=True,
        replies=bool(answers),
    )
    return _named("club", 0, made)


def stands_in(player: Player) -> str:
    """Return what the substitute of a player reads who is asked instead."""
    return f"You stand in for {player.name} ({player.colour}), and play by answering these mails."


def relieved(desk: Desk, before: Player) -> tuple[tuple[str, bytes], ...]:
    """Return what the substitute is told, if there was one, of a player who was away *before*."""
    if before.reader == before.address:
        return ()
    why = f"You stand in for {before.name} ({before.colour}) no longer. Thank you."
    return (notice(desk.club, before.substitute, f"The game {desk.table.name}", paragraphs((why,))),)
