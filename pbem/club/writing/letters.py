"""What is written to whom: every letter is the situation as its reader may see it, and before it why it is sent."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import cache
from typing import Final, NamedTuple

from pbem import files, game_files
from pbem.club.clock_files import time_allowed
from pbem.club.settings import Club
from pbem.club.table import UNTIL_BACK, Player, Roster, Table, as_seated
from pbem.club.ticket import Ticket, marker_of, ticket
from pbem.club.times import last_day
from pbem.club.writing.ending import proof
from pbem.club.writing.harmless import buttons, talk_sections
from pbem.club.writing.headlines import Headline, by_situation, first_line, headline, notice_of, subject_of
from pbem.club.writing.letter import Button, Letter
from pbem.club.writing.talk import Saying
from pbem.errors import PbemError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.briefing.board_svg import board_svg
from pbem.first_sparks.briefing.situation import for_letter
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import Record
from pbem.first_sparks.rules.game_end import ENDING_SIZE
from pbem.first_sparks.state import CHANCE
from pbem.game_files import own_set
from pbem.grammar import listed
from pbem.page.page import Page, Prose, Sections
from pbem.page.page import paragraphs as page_paragraphs
from pbem.page.png import svg_to_png
from pbem.rulings import since
from pbem.sha import sha256

PICTURE_WIDTH: Final = 600  # pixels, more than one and a half for one on a phone; time and bytes grow with them
HOW_TO_WIN: Final = (
    f"How to win: the game ends in the round in which a clan has {ENDING_SIZE} members. The clan with the most members "
    "wins, and of two equal ones the clan with more food. So spread over the board. New members cost food, and in "
    "every round each member eats 1 food. Tools hunt that food in the areas where your clan stands, and knowledge "
    "bends the rules in your favour. You buy both as cards, also for food. A third of the food that you keep rots, "
    "until you know fire."
)
REQUESTS: Final = (
    'You can also write: "show" for the situation, "options" for all that is legal now, "rules R4.5" for a rule, '
    '"news every", "news turn" or "news none" to hear of every move, yours too, only when you are asked, or nothing, '
    '"absent until 2026-12-31" and "back" when you are away, "resign" to leave the game.'
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
    svg = board_svg(record.state, own_set(record))
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
    why: Sections = (),
    sayings: Sequence[Saying] = (),
    *,
    says: Headline | None = None,
    in_reply_to: str = "",
    error: bool = False,
    with_game: bool = False,
) -> Letter:
    """Return a letter: *why* it is sent, what was said, and the situation for the player.

    *says* is its headline, that of the situation if nothing else. *in_reply_to* is
    the Message-ID of the mail that it answers, *error* that it refuses it: such
    a letter has a null sender, so that no machine answers it. *with_game* attaches
    the file of a game that is over.
    """
    record = desk.record
    own = ticket(player.key, record.game, player.colour, record.turn)
    marker = marker_of(own, record.head)
    says = says or by_situation(player, record.state, record.turn, record.history)
    (where, *question), rest = for_letter(
        record.state,
        player.colour,
        since(record, player.colour),
        game=record.game,
        turn=record.turn,
        own_set=own_set(record),
        to_answer=desk.club.to_answer,
        course=record.history,
    )
    file = f"{record.game}.toml" if with_game and isinstance(record.state.phase, Ended) else ""
    if desk.roster.paused:
        paused = f"The host has paused the game: {desk.roster.paused}. Orders are not accepted until it goes on."
        why = (*why, *paragraphs((paused,)))
    if desk.allowed and player.colour == desk.decides and not is_stopped(desk):
        where = where._replace(blocks=(*where.blocks, Prose(f"The table waits {desk.allowed} for your answer.")))
    sections = (*why, where, *away(desk, player), *question, *proof(record, file), *talk_sections(sayings), *rest)
    page = Page(sections, first_line(own, says), marker)
    attached = ((file, game_files.text_of(desk.kept, "toml")),) if file else ()
    made = _compose(own, player, subject_of(own.game, says.subject), page, in_reply_to)
    return made._replace(
        buttons=buttons(record.state, player.colour),
        picture=desk.picture(),
        attached=attached,
        error=error,
        serial=desk.serial,
    )


def away(desk: Desk, reader: Player) -> Sections:
    """Return what others read of players who are away, and asked or stood in for: until when, and by whom."""
    absent = (p for p in desk.roster.players if p.absent and p.colour != reader.colour and desk.decides)
    seen = (p for p in absent if p.colour == desk.decides or p.substitute)
    return paragraphs(absence(desk.club, player) for player in seen)


def absence_letters(desk: Desk, absent: Player) -> tuple[Letter, ...]:
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


def welcome(desk: Desk, player: Player) -> Sections:
    """Return the paragraphs of the first letter to a player: who plays, who is the host, and how to win and play."""
    who = who_plays(desk.record, player.colour, desk.club.host)
    return paragraphs((who, HOW_TO_WIN, desk.club.how_to_play))


def who_plays(record: Record, colour: str, host: str) -> str:
    """Return what a player reads first: the game, the others in it, and the host."""
    others = listed(f"{name} ({clan})" for clan, name in record.players if clan != colour)
    return f"This is {record.game}, a game of The First Sparks. You play {colour}, with {others}. Your host is {host}."


def _compose(own: Ticket, player: Player, subject: str, page: Page, in_reply_to: str) -> Letter:
    """Return a letter to who reads the player's mail."""
    to = player.reader
    name = player.name if to == player.address else player.substitute_name
    return Letter(to, name, subject, page, own, in_reply_to=in_reply_to, language=player.language)


def paragraphs(texts: Iterable[str]) -> Sections:
    """Return texts that say why a letter is sent, as paragraphs."""
    return page_paragraphs("why", texts)


# Letters that are not about a situation


def plain(
    own: Ticket,
    player: Player,
    says: Headline,
    why: Sections,
    *,
    yes: tuple[str, str] | None = None,
    in_reply_to: str = "",
) -> Letter:
    """Return a letter about a game that has not begun; *yes* is what may be answered to it, and the words to tap."""
    page = Page(why, first_line(own, says), marker_of(own, "0" * 8))
    letter = _compose(own, player, subject_of(own.game, says.subject), page, in_reply_to)
    return letter._replace(buttons=(Button(*yes),) if yes else ())


def notice(address: str, subject: str, why: Sections, *, in_reply_to: str = "", serial: int = 0) -> Letter:
    """Return a letter to somebody who has no ticket: the host, or a stranger. Nobody answers it.

    With the same *serial* the same letter has the same id, so that it waits once.
    """
    return Letter(address, "", subject, Page(why), in_reply_to=in_reply_to, error=True, serial=serial)


def substitution_text(player: Player) -> str:
    """Return what the substitute of a player reads who is asked instead."""
    return f"You stand in for {player.name} ({player.colour}), and play by answering these mails."


def relieved(desk: Desk, before: Player) -> tuple[Letter, ...]:
    """Return what the substitute is told, if there was one, of a player who was away *before*."""
    if before.reader == before.address:
        return ()
    why = f"You no longer stand in for {before.name} ({before.colour}) in the game {desk.table.name}. Thank you."
    subject = notice_of(desk.table.name, "relieved", absent=before.name)
    return (notice(before.substitute, subject, paragraphs((why,)), serial=desk.serial),)
