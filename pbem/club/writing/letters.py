"""The letters: each begins with why it is sent, followed by the situation as its reader may see it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache
from types import MappingProxyType
from typing import Final, NamedTuple

from pbem import files, game_files
from pbem.ahead.intents import Intent, answered_turns, said_ahead
from pbem.club.ahead.asking import asking
from pbem.club.ahead.due import due
from pbem.club.ahead.kept import bot_seats, in_force, read_intents
from pbem.club.clock_files import UntilLooked, last_tick, time_allowed, until_looked
from pbem.club.journal import journal_rows
from pbem.club.reading.past import news_for
from pbem.club.settings import Club
from pbem.club.table import Player, Roster, Table, as_seated
from pbem.club.ticket import Ticket, marker_of, ticket
from pbem.club.times import shown
from pbem.club.writing.ending import proof, salt_of, whole_game
from pbem.club.writing.harmless import buttons, note_sections, talk_sections
from pbem.club.writing.headlines import Headline, by_situation, first_line, headline, notice_of, subject_of
from pbem.club.writing.help import AT_ANY_TIME, primer_sections
from pbem.club.writing.letter import Button, Letter
from pbem.club.writing.own_notes import read_notes, reads_own
from pbem.club.writing.talk import Saying
from pbem.club.writing.waiting import absence, look_text
from pbem.errors import PbemError
from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.briefing.board_svg import board_svg
from pbem.first_sparks.briefing.situation import NOTHING, for_letter
from pbem.first_sparks.phases import Adding, Answering, Ended, Settling, SettlingNeutral, Spreading, SpreadingNeutral
from pbem.first_sparks.plans.plan import holds_for_technology, renewed_market
from pbem.first_sparks.plans.together import as_asked, asked_together, question_to
from pbem.first_sparks.record import Record
from pbem.first_sparks.state import CHANCE, GameState
from pbem.game_files import own_set
from pbem.game_page import final_page
from pbem.grammar import listed
from pbem.page.page import Page, Prose, Sections
from pbem.page.page import paragraphs as page_paragraphs
from pbem.page.plain import in_lists
from pbem.page.png import svg_to_png
from pbem.sha import sha256

PICTURE_WIDTH: Final = 600  # pixels, more than one and a half for one on a phone; time and bytes grow with them
STRANGER: Final = (
    "I am the program that runs a club's games of The First Sparks by email. If you are already playing, reply to my "
    "latest letter: I cannot tell an order in a new message from a forged one.",
    'To join a game that is waiting for players, write "join", the name of the game, and the name you want to play '
    'under, for example "join saturday Zoe" or "join saturday Zoe red".',
)
_NO_REASON: Final = "no reason was given"  # what a pause without a reason is kept as
_PAUSED: Final = "The host has paused the game: {reason}. No orders are accepted until it is resumed."
_PAUSED_WITHOUT: Final = (
    "The host has paused the game without giving a reason. No orders are accepted until it is resumed."
)


class Desk(NamedTuple):
    """A game and everything needed to write about it, made once for all letters.

    *record* has the names of the current players, *kept* those of the game file. *picture* returns the drawn board,
    and *attached* the files about a game that is over: both are the same for everybody. *allowed* is the time limit, if
    a clock is running. *serial* grows with every line of the journal, so that no letter has the Message-ID of an
    earlier one, even if it says the same. *notes* are those that players have written to themselves, by colour.
    *ahead* is what players have said ahead, and *asked* are those who are asked and have not answered. *look* is until
    when plans wait since the market was renewed, or for how long if no tick has seen it, None if they do not. *cost*
    says how many mails the game took, in its last letter. *due* returns until when players have to answer whose time
    has begun to run. The time *now* is that of the last tick.
    """

    club: Club
    table: Table
    roster: Roster
    record: Record
    kept: Record
    picture: Callable[[], bytes]
    allowed: str = ""
    serial: int = 0
    attached: Callable[[], tuple[tuple[str, str], ...]] = tuple
    notes: Mapping[str, str] = MappingProxyType({})
    ahead: Mapping[str, Intent] = MappingProxyType({})
    asked: tuple[str, ...] = ()
    look: datetime | timedelta | None = None
    cost: str = ""
    due: Callable[[], Mapping[str, datetime | None]] = dict

    @property
    def now(self) -> datetime | None:
        """The time as of the last tick, if there has been one."""
        return last_tick(self.table)

    @property
    def decides(self) -> str:
        """The colour of the player whose turn it is, or nothing."""
        return decides(self.record)

    def state_for(self, player: Player) -> GameState:
        """Return the game as the player is asked: as if it were already their turn, if others are asked as well."""
        return as_asked(self.record.state, player.colour) if player.colour in self.asked else self.record.state


def _board(club: Club, table: Table, record: Record) -> bytes:
    """Return the drawn board; most orders do not change it, so the last one is kept in the game's folder."""
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


def _attached(record: Record, kept: Record) -> tuple[tuple[str, str], ...]:
    """Return the files about a game that is over, each name with its text: the game, and its page if not too large."""
    if not isinstance(record.state.phase, Ended):
        return ()
    game, page = (f"{record.game}.toml", game_files.text_of(kept, "toml")), final_page(record)
    return (game, (f"{record.game}.html", page)) if page else (game,)


def decides(record: Record) -> str:
    """Return the colour of the player whose turn it is, or nothing."""
    colour = who_decides(record.state)
    return colour if colour is not None and colour != CHANCE else ""


def desk_of(
    club: Club,
    table: Table,
    roster: Roster,
    record: Record,
    ahead: Mapping[str, Intent] | None = None,
    until: UntilLooked | None = None,
) -> Desk:
    """Return the desk of a game, in which *ahead* has been said ahead, by default what is kept beside it.

    Plans wait *until* then, by default as the clock of the game says.
    """
    said = in_force(read_intents(table, record) if ahead is None else ahead, roster)
    waits, paused = until or until_looked(table), bool(roster.paused)
    asked = asking(record, said, bot_seats(roster), waves=club.waves, waits=waits, paused=paused).asked
    seated = as_seated(record, roster)
    picture, attached = cache(lambda: _board(club, table, seated)), cache(lambda: _attached(seated, record))
    allowed = "" if roster.paused else time_allowed(table)
    serial = table.journal.stat().st_size if table.journal.exists() else 0
    notes = read_notes(table)
    look = waits(renewed_market(record.state))
    return Desk(club, table, roster, seated, record, picture, allowed, serial, attached, notes, said, asked, look)


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
    nothing: str = NOTHING,
) -> Letter:
    """Return a letter: *why* it is sent, what was said, and the situation for the player.

    *says* is its headline, by default that of the situation. *in_reply_to* is the
    Message-ID of the mail that it answers; with *error* it rejects that mail, and
    has a null sender so that no machine answers it. *with_game* attaches the game
    file and the page of the game if it is over. *nothing* says that the player is not asked in the game.
    """
    record, state = desk.record, desk.state_for(player)
    if isinstance(state.phase, Ended) or not desk.roster.stands_in(player):
        player = player.writer  # no bot stands in for whoever reads this
    own = ticket(player.key, record.game, player.colour, record.turn)
    marker = marker_of(own, record.head)
    says = says or by_situation(player, state, record.turn, record.history)
    planned = answered_turns(desk.ahead, player.colour)
    (where, *question), rest = for_letter(
        state,
        player.colour,
        news_for(record, player.colour, lambda: journal_rows(desk.table.journal), planned),
        game=record.game,
        turn=record.turn,
        own_set=own_set(record),
        to_answer=desk.club.to_answer,
        course=record.history,
        every=player.news == "every",
        plain=player.reads_lists,
        nothing=nothing,
    )
    attached = desk.attached() if with_game else ()
    file, page_file, *_ = (*(name for name, _ in attached), "", "")
    if desk.roster.paused:
        why_not = _PAUSED_WITHOUT if desk.roster.paused == _NO_REASON else _PAUSED
        paused = why_not.format(reason=desk.roster.paused)
        why = (*why, *paragraphs((paused,)))
    if player.colour in desk.asked and desk.club.waves:
        where = where._replace(blocks=(*where.blocks, *asked_at_once(record.state, player.colour)))
    if desk.look is not None:
        plans_wait = look_text(desk.look, desk.club.zone, desk.now, is_own=has_waiting_plan(desk, player.colour))
        where = where._replace(blocks=(*where.blocks, Prose(plans_wait)))
    if desk.allowed and player.colour in desk.asked and not is_waited_for(desk, player.colour):
        where = where._replace(blocks=(*where.blocks, *_time_left(desk, player.colour)))
    note = note_sections(desk.notes.get(player.colour, "")) if reads_own(player) else ()
    cost = page_paragraphs("cost", (desk.cost,) if desk.cost else ())
    salt = page_paragraphs("salt", salt_of(record, player.colour))
    ending = (*salt, *cost, *whole_game(file, page_file), *proof(record, file))
    before, beside = (*why, where, *away(desk, player)), (*note, *talk_sections(sayings))
    ahead = planning(state, player.colour) if player.colour in desk.asked and not _plans(desk, player) else ()
    sections = (*before, *question, *ending, *ahead, *beside, *rest)
    page = Page(sections, first_line(own, says), marker)
    made = _compose(own, player, subject_of(own.game, says.subject), page, in_reply_to)
    return made._replace(
        buttons=buttons(state, player.colour),
        picture=b"" if player.reads_lists else desk.picture(),
        attached=attached,
        error=error,
        serial=desk.serial,
    )


def with_due(desk: Desk) -> Desk:
    """Return the desk for letters after which the time of those who are asked already runs on."""
    return desk._replace(due=cache(lambda: due(desk.table, desk.kept, desk.asked, waves=desk.club.waves)))


def _time_left(desk: Desk, colour: str) -> tuple[Prose, ...]:
    """Return how much time a player who is asked has to answer; nothing is said of time that is over."""
    if colour not in desk.due():
        return (Prose(f"You have {desk.allowed} to answer."),)
    until = desk.due()[colour]
    return (Prose(f"You have until {shown(until, desk.club.zone, desk.now)} to answer."),) if until else ()


def planning(state: GameState, colour: str) -> Sections:
    """Return the second part of a letter that asks for new members: what can be said now about the next market."""
    if not isinstance(state.phase, Spreading | Adding | SpreadingNeutral):
        return ()
    from pbem.first_sparks.briefing.market_ahead import plan_ahead

    said = plan_ahead(state, colour)
    return (said,) if said.blocks else ()


def _plans(desk: Desk, player: Player) -> bool:
    """Return whether the player already has a plan about cards that is not over."""
    intent = desk.ahead.get(player.colour, Intent())
    plan = said_ahead(desk.kept, player.colour, intent).plan if intent.plan else None
    return plan is not None and plan.speaks_of_cards


def asked_at_once(state: GameState, colour: str) -> tuple[Prose, ...]:
    """Return what a player reads who is asked together with others, whatever these have said ahead."""
    together = asked_together(state) if question_to(state, colour) else ()
    if len(together) < 2:
        return ()
    others = listed(
        f"{state.clan(other).player} ({other})" for other in state.order if other in together and other != colour
    )
    is_first = who_decides(state) == colour
    said = _FIRST if is_first else _AT_ONCE.get(type(state.phase)) or _AT_ONCE[type(as_asked(state, colour).phase)]
    return (Prose(said.format(others=others)),)


_FIRST: Final = "You are asked at the same time as {others}. You come first, so your answer is played at once."
_SPREADING_AT_ONCE: Final = (
    "You are asked at the same time as {others}. Your answer is played once those before you have answered, if it "
    "costs no more then than now; otherwise you are asked again. You may also answer that you wait for the others."
)
_AT_ONCE: Final[Mapping[type, str]] = {
    Answering: "You are asked at the same time as {others}. The last one in player order to say yes buys the card. You "
    'may also say that you would buy "if nobody wants it", or that you wait for the others.',
    Spreading: _SPREADING_AT_ONCE,
    Adding: _SPREADING_AT_ONCE,
    Settling: "You are asked at the same time as {others}. Your answer is played once those before you have "
    "answered. You may name several spaces, the best one first: the first one that is still free counts.",
    SettlingNeutral: "You are asked at the same time as {others}, who also places the neutral clan. Both come before "
    "you. You may name several spaces, the best one first: the first one that is still free counts.",
}


def has_waiting_plan(desk: Desk, colour: str) -> bool:
    """Return whether plans wait, and a player has one for this technology phase."""
    if desk.look is None or colour not in desk.ahead:
        return False
    plan = said_ahead(desk.kept, colour, desk.ahead[colour]).plan
    return plan is not None and holds_for_technology(plan, desk.kept.state)


def away(desk: Desk, reader: Player) -> Sections:
    """Return what others read about absent players who are asked or have a substitute."""
    absent = (p for p in desk.roster.players if p.absent and p.colour != reader.colour and desk.decides)
    seen = (p for p in absent if p.colour in desk.asked or p.deputy)
    return paragraphs(absence(desk.club, player, desk.now) for player in seen)


def absence_letters(desk: Desk, absent: Player) -> tuple[Letter, ...]:
    """Return the letters to the others if it is the turn of a player who is away without a substitute.

    While others come before that player, the game goes on; they are told when it stops.
    """
    if absent.colour != desk.decides or not is_stopped(desk):
        return ()
    state, readers = desk.record.state, (p for p in desk.roster.players if p.colour != absent.colour and waits(desk, p))
    return tuple(letter(desk, p, says=headline("away", p, state, absent=absent.name)) for p in readers)


def is_stopped(desk: Desk) -> bool:
    """Return whether it is the turn of an absent player without a substitute, so that the game waits."""
    return desk.decides in desk.asked and is_waited_for(desk, desk.decides)


def is_waited_for(desk: Desk, colour: str) -> bool:
    """Return whether a player is away and nobody stands in."""
    player = desk.roster.player(colour)
    return player is not None and bool(player.absent) and not desk.roster.stands_in(player)


def waits(desk: Desk, player: Player) -> bool:
    """Return whether the player wants to know why the game is not moving."""
    return player.news != "none" and not desk.record.state.clan(player.colour).resigned


def welcome(desk: Desk, player: Player) -> Sections:
    """Return the paragraphs that introduce the game to a player: who plays, the host, the game, and how to play."""
    who = who_plays(desk.record, player.colour, desk.club.host)
    return (*paragraphs((who,)), *primer_sections(), *paragraphs((desk.club.how_to_play, AT_ANY_TIME)))


def who_plays(record: Record, colour: str, host: str) -> str:
    """Return what a player reads first: the game, the opponents, and the host."""
    game, others = f"{record.game}, a game of The First Sparks", opponents(record, colour)
    return f"This is {game}. You play {colour} against {others}. Your host is {host}."


def opponents(record: Record, colour: str) -> str:
    """Return the other players of a game, as one lists them."""
    return listed(f"{name} ({clan})" for clan, name in record.players if clan != colour)


def _compose(own: Ticket, player: Player, subject: str, page: Page, in_reply_to: str) -> Letter:
    """Return a letter to whoever reads the player's mail."""
    to = player.reader
    name = player.name if to == player.address else player.substitute_name
    page = in_lists(page) if player.reads_lists else page
    return Letter(to, name, subject, page, own, in_reply_to=in_reply_to, language=player.language)


def paragraphs(texts: Iterable[str]) -> Sections:
    """Return the texts that say why a letter is sent, as paragraphs."""
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
    head: str = "0" * 8,
) -> Letter:
    """Return a letter without a situation; *yes* is the answer it asks for, and the button's label.

    It is about a game that has not begun, or to a player for whom a bot stands in.
    """
    page = Page(why, first_line(own, says), marker_of(own, head))
    letter = _compose(own, player, subject_of(own.game, says.subject), page, in_reply_to)
    return letter._replace(buttons=(Button(*yes),) if yes else ())


def notice(address: str, subject: str, why: Sections, *, in_reply_to: str = "", serial: int = 0) -> Letter:
    """Return a letter to somebody without a ticket: the host or a stranger. Nobody answers it.

    With the same *serial* the same letter has the same id, so that it is queued only once.
    """
    return Letter(address, "", subject, Page(why), in_reply_to=in_reply_to, error=True, serial=serial)


def substitution_text(player: Player) -> str:
    """Return what the substitute of a player reads when it is the player's turn."""
    called = f"{player.name} ({player.colour})"
    return f'You are standing in for {called}, and play by answering these letters. Write "help" to see how.'


def relieved(desk: Desk, before: Player) -> tuple[Letter, ...]:
    """Return the letter that thanks the substitute, if one stood in for the player as it was *before*."""
    if before.reader == before.address:
        return ()
    called = f"{before.name} ({before.colour})"
    why = f"You no longer stand in for {called} in the game {desk.table.name}. Thank you for your help."
    subject = notice_of(desk.table.name, "relieved", absent=before.name)
    return (notice(before.reader, subject, paragraphs((why,)), serial=desk.serial),)
