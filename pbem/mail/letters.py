"""What is written to whom: every letter is the situation as its reader may see it, and before it why it is sent."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from typing import Final, NamedTuple

from pbem import files, way
from pbem.errors import PbemError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.picture import board_svg
from pbem.first_sparks.record import Record
from pbem.first_sparks.rules.game_end import ENDING_SIZE
from pbem.first_sparks.sha import sha256
from pbem.first_sparks.state import CHANCE
from pbem.first_sparks.summary import summarize_for_letter
from pbem.first_sparks.texts import listed, wrapped
from pbem.mail.clock_files import time_allowed
from pbem.mail.club import UNTIL_BACK, Club, Player, Roster, Table
from pbem.mail.ending import proof
from pbem.mail.headlines import Headline, by_situation, first_line, headline, notice_of, subject_of, thread_of
from pbem.mail.html import mailto, page
from pbem.mail.ledger import letter_name
from pbem.mail.letter import Letter, compose
from pbem.mail.names import as_seated
from pbem.mail.talk import Saying
from pbem.mail.ticket import Ticket, address_of, digits_of, marker_of, message_id_of, ticket
from pbem.mail.times import last_day
from pbem.mail.wording import PICTURE_WIDTH, harmless, reply_tap, said, taps
from pbem.png import svg_to_png
from pbem.way import own_set, since

HOW_TO_WIN: Final = (
    f"How to win: the game ends in the round in which a clan has {ENDING_SIZE} members. The clan with the most members "
    "wins, and of two equal ones the clan with more food. So spread over the board. New members cost food, and in "
    "every round each member eats 1 food. Tools hunt that food in the areas where your clan stands, and knowledge "
    "bends the rules in your favour. You buy both as cards, also for food. A third of the food that you keep rots, "
    "until you know fire."
)
HOW_TO_PLAY: Final = (
    "How to play: you get a letter when it is your turn, and it has all that you need to decide. Press reply, write "
    "your order at the very top, and send. Whatever else you write is told to the other players. Your first order "
    'gets a receipt; later you hear only of orders that were not played, unless you write "news every". Write "help" '
    "to see what else you can ask for."
)
HELP: Final = (
    "You play by answering my letters. Press reply, write your order at the very top, and send. Leave the rest of the "
    "letter as it is, or delete all of it. Write one order a line; several are played in turn, all or none. You get an "
    "answer if an order could not be played. All else that you write is told to the others in their next letter.",
    'You can also write: "show" for the situation, "options" for all that is legal now, "rules R4.5" for a rule, '
    '"news every", "news turn" or "news none" to hear of every move, yours too, only when you are asked, or nothing, '
    '"absent until 2026-12-31" and "back" when you are away, "resign" to leave the game.',
)
STRANGER: Final = (
    "This is the adjudicator of a club that plays The First Sparks by mail, and not a person. If you play already, "
    "press reply in my latest letter: an order in a new mail cannot be told from a forged one.",
    'To join a game that waits for players, write "join", the name of the game and the name that you want to have '
    'there, for instance: "join saturday Zoe" or "join saturday Zoe red".',
)


class Desk(NamedTuple):
    """A game, and all that is needed to write about it, made once for all letters.

    *record* has the names of those who play now, *kept* those of the game file. *picture* gives the drawn board,
    which is the same for everybody, *allowed* is how long who is asked may think, if a clock ticks. *serial* grows
    with every line of the journal, so that no letter has the Message-ID of an earlier one, even if it says the same.
    """

    club: Club
    table: Table
    roster: Roster
    record: Record
    kept: Record
    picture: Callable[[], bytes]
    allowed: str = ""
    serial: int = 0

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
    serial = table.journal.stat().st_size if table.journal.exists() else 0
    return Desk(club, table, roster, seated, record, picture, allowed, serial)


def letter(
    desk: Desk,
    player: Player,
    why: Sequence[str] = (),
    sayings: Sequence[Saying] = (),
    *,
    says: Headline | None = None,
    answers: str = "",
    error: bool = False,
    with_game: bool = False,
) -> tuple[str, bytes]:
    """Return a letter and its name in the outbox: *why* it is sent, what was said, and the situation for the player.

    *says* is its headline, that of the situation if nothing else. *answers* is
    the Message-ID of the mail that it answers, *error* that it refuses it: such
    a letter has a null sender, so that no machine answers it. *with_game* attaches
    the file of a game that is over.
    """
    record = desk.record
    own = ticket(player.key, record.game, player.colour, record.turn)
    marker = marker_of(own, record.head)
    says = says or by_situation(player, record.state, record.turn, record.history)
    first, rest = summarize_for_letter(
        record.state,
        player.colour,
        since(record, player.colour),
        game=record.game,
        turn=record.turn,
        own_set=own_set(record),
    )
    where, _, question = first.partition("\n\n")
    file = f"{record.game}.toml" if with_game and isinstance(record.state.phase, Ended) else ""
    if desk.roster.paused:
        paused = f"The host has paused the game: {desk.roster.paused}. Orders are not accepted until it goes on."
        why = (*why, *paragraphs((paused,)))
    if desk.allowed and player.colour == desk.decides and not is_stopped(desk):
        where += f"\nThe table waits {desk.allowed} for your answer."
    talk = [line for saying in sayings for line in said(saying.name, saying.text)]
    table_talk = "\n".join(("TABLE TALK", *talk)) if talk else ""
    parts = (*why, where, *away(desk, player), question, *proof(record, file), table_talk, rest)
    text = _text(own, marker, says, parts)
    own_taps = taps(record.state, player.colour, _reply_to(desk.club, own), thread_of(own.game), marker)
    board = desk.picture()
    subject = subject_of(own.game, says.subject)
    html = page(text, subject, own_taps, picture=bool(board), language=player.language)
    attached = ((file, way.text_of(desk.kept, "toml")),) if file else ()
    made = _made(desk.club, own, player, subject, text, marker, answers=answers, serial=desk.serial)
    return _named(own.game, own.turn, made._replace(html=html, png=board, answers_error=error, attached=attached))


def _text(own: Ticket, marker: Sequence[str], says: Headline, parts: Iterable[str]) -> str:
    """Return the text of a letter: one line that says what it is, the marker, and all else."""
    top = "\n".join((first_line(own, says.line), *marker))
    return "\n\n".join((top, *(harmless(part.rstrip("\n")) for part in parts if part))) + "\n"


def away(desk: Desk, reader: Player) -> tuple[str, ...]:
    """Return what others read of players who are away, and asked or stood in for: until when, and by whom."""
    absent = (p for p in desk.roster.players if p.absent and p.colour != reader.colour and desk.decides)
    seen = (p for p in absent if p.colour == desk.decides or p.substitute)
    return paragraphs(absence(desk.club, player) for player in seen)


def told_of_absence(desk: Desk, absent: Player) -> tuple[tuple[str, bytes], ...]:
    """Return the letters to the others, if the game stops because a player is away; a substitute lets it go on."""
    if desk.decides != absent.colour or not is_stopped(desk):
        return ()
    readers = (p for p in desk.roster.players if p.colour != absent.colour and waits(desk, p))
    state = desk.record.state
    return tuple(letter(desk, p, says=headline("away", p, state, absent=absent.name)) for p in readers)


def is_stopped(desk: Desk) -> bool:
    """Return whether the game waits for somebody who is away, and nobody stands in."""
    asked = desk.roster.player(desk.decides)
    return asked is not None and bool(asked.absent) and not asked.substitute


def waits(desk: Desk, player: Player) -> bool:
    """Return whether the player wants to know why the game stands still."""
    return player.news != "none" and not desk.record.state.clan(player.colour).resigned


def absence(club: Club, player: Player) -> str:
    """Return the sentence that a player is away, until when, and who stands in."""
    until = "" if player.absent == UNTIL_BACK else f" until {last_day(player.absent, club.zone)}"
    called = f"{player.name} ({player.colour})"
    if not player.substitute:
        return f"{called} is away{until}, and the game waits."
    return f"{called} is away{until}; {player.substitute_name or 'a substitute'} stands in."


def welcome(desk: Desk, player: Player) -> tuple[str, ...]:
    """Return the paragraphs of the first letter to a player: who plays, who is the host, and how to win and play."""
    others = listed(f"{p.name} ({p.colour})" for p in desk.roster.players if p.colour != player.colour)
    who = f"This is {desk.table.name}, a game of The First Sparks. You play {player.colour}, with {others}."
    return paragraphs((f"{who} Your host is {desk.club.host}.", HOW_TO_WIN, HOW_TO_PLAY))


def _reply_to(club: Club, own: Ticket) -> str:
    return address_of(own, club.address) if club.plus else club.address


def _made(
    club: Club,
    own: Ticket,
    player: Player,
    subject: str,
    text: str,
    marker: Sequence[str],
    *,
    answers: str,
    serial: int = 0,
) -> Letter:
    """Return a letter to who reads the player's mail, with a text and no other part yet."""
    host = club.address.partition("@")[2]
    to, reply_to = player.reader, _reply_to(club, own)
    return Letter(
        to=to,
        name=player.name if to == player.address else player.substitute_name,
        subject=subject,
        text=text,
        html="",
        png=b"",
        message_id=message_id_of(own, "\0".join((text, to, answers, str(serial))), club.address),
        references=(f"<{own.game}.thread@{host}>", *((answers,) if answers else ())),
        reply_to=reply_to,
        sender=club.address,
        list_id=f"<{own.game}.{host}>",
        unsubscribe=f"<{mailto(reply_to, 'stop', ('stop', '', *marker))}>",
        answers_error=False,
        replies=bool(answers),
        language=player.language,
    )


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
    says: Headline,
    why: Sequence[str],
    *,
    yes: tuple[str, str] | None = None,
    answers: str = "",
) -> tuple[str, bytes]:
    """Return a letter about a game that has not begun; *yes* is what may be answered to it, and the words to tap."""
    marker = marker_of(own, "0" * 8)
    text = _text(own, marker, says, why)
    own_taps = (reply_tap(*yes, _reply_to(club, own), thread_of(own.game), marker),) if yes else ()
    subject = subject_of(own.game, says.subject)
    html = page(text, subject, own_taps, language=player.language)
    made = _made(club, own, player, subject, text, marker, answers=answers)._replace(html=html)
    return _named(own.game, own.turn, made)


def notice(
    club: Club, address: str, subject: str, why: Sequence[str], *, answers: str = "", serial: int = 0
) -> tuple[str, bytes]:
    """Return a letter to somebody who has no ticket: the host, or a stranger. Nobody answers it.

    With the same *serial* the same letter has the same Message-ID, so that it lies in the outbox once.
    """
    content = "\0".join((subject, *why, address, answers, str(serial)))
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
    why = f"You no longer stand in for {before.name} ({before.colour}) in the game {desk.table.name}. Thank you."
    subject = notice_of(desk.table.name, "relieved", absent=before.name)
    return (notice(desk.club, before.substitute, subject, paragraphs((why,)), serial=desk.serial),)
