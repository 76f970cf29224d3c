"""Letters that are not about a situation, and what newcomers read first."""

from typing import Final

from pbem.first_sparks.briefing.words import colour_word, seat_text, to_write
from pbem.first_sparks.record import Record
from pbem.grammar import listed
from pbem.locale import spoken, tr
from pbem.page.page import Page, Sections
from pbem.reading.ticket import Ticket, marker_of, ticket
from pbem.table.letters.absence import away_from_now_on
from pbem.table.letters.headlines import Headline, Occasion, first_line, headline, notice_of, subject_of
from pbem.table.letters.help import AT_ANY_TIME, OTHER_LANGUAGES, primer_sections
from pbem.table.letters.letter import Button, Letter, paragraphs
from pbem.table.letters.plans import about_plan
from pbem.table.letters.reminders import TO_BOT
from pbem.table.letters.situation import addressed
from pbem.table.people import Player
from pbem.table.progress import Progress
from pbem.table.table import Table

_STANDS_IN: Final = "You are standing in for {player}, and play by answering these letters. Write {help} to see how."
_RELIEVED: Final = "You no longer stand in for {player} in the game {game}. Thank you for your help."
_TAKES_OVER: Final = "{new} plays {colour} from now on, instead of {old}."
_YOU_TAKE_OVER: Final = "You play {colour} from now on, instead of {old}."
_YOU_MOVED: Final = "You now play {colour} from this address."
_SAME_NAME: Final = "{new} ({colour}) now plays from another address."
_NO_MORE_LETTERS: Final = (
    "Replies to earlier letters no longer count, and you will get no more letters about this game."
)
_WHO_PLAYS: Final = (
    "This is {game}, a game of The First Sparks. You play {colour} against {others}. Your host is {host}."
)


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
    letter = addressed(own, player, subject_of(own.game, says.subject), page, in_reply_to)
    return letter._replace(buttons=(Button(*yes),) if yes else ())


def notice(address: str, subject: str, why: Sections, *, in_reply_to: str = "", serial: int = 0) -> Letter:
    """Return a letter to somebody without a ticket: the host or a stranger. Nobody answers it.

    With the same *serial* the same letter has the same id, so that it is queued only once.
    """
    page = Page(why)
    return Letter(address, "", subject, page, in_reply_to=in_reply_to, error=True, serial=serial, language=spoken())


def substitution_text(player: Player) -> str:
    """Return what the substitute of a player reads when it is the player's turn."""
    called = seat_text(player.name, player.colour)
    return tr(_STANDS_IN).format(player=called, help=tr(to_write("help")))


def stood_in_for(step: Progress, before: Player, player: Player, *, by_host: bool) -> Letter:
    """Return the letter to a player for whom somebody stands in, as the host has noted, or a bot, since time is up."""
    table, home = step.after, before.at_home
    told, says = tr(TO_BOT), headline(Occasion.HANDED_TO_A_BOT, home)
    if by_host:
        told = away_text(table, player)
        says = headline(Occasion.AWAY_YOURSELF, home)
    own = ticket(home.key, table.name, player.colour, table.record.turn)
    why = (*paragraphs((told,)), *about_plan(step.before, before, player))
    return plain(own, home, says, why, head=table.record.head)._replace(serial=table.serial)


def away_text(table: Table, player: Player) -> str:
    """Return what a player reads whom the host has noted as away."""
    is_timed, stands_in = table.now is not None, table.roster.stands_in(player)
    return away_from_now_on(table.house.zone, player, table.now, is_timed=is_timed, stands_in=stands_in)


def relieved(table: Table, before: Player) -> tuple[Letter, ...]:
    """Return the letter that thanks the substitute, if one stood in for the player as it was *before*."""
    if before.is_home:
        return ()
    why = tr(_RELIEVED).format(player=seat_text(before.name, before.colour), game=table.name)
    subject = notice_of(table.name, "relieved", absent=before.name)
    return (notice(before.reader, subject, paragraphs((why,)), serial=table.serial),)


def takes_over(before: Player, seat: Player, *, is_own: bool) -> str:
    """Return what somebody new in a seat reads, or the same player at another address, and what others read of that."""
    if before.name == seat.name:
        message = tr(_YOU_MOVED if is_own else _SAME_NAME)
    else:
        message = tr(_YOU_TAKE_OVER if is_own else _TAKES_OVER)
    return message.format(new=seat.name, old=before.name, colour=colour_word(seat.colour))


def dismissal(table: Table, before: Player, told: Sections) -> Letter:
    """Return the letter that tells whoever had a seat *before* why that is over."""
    return notice(before.address, notice_of(table.name, "dismissed"), (*told, *paragraphs((tr(_NO_MORE_LETTERS),))))


def welcome(table: Table, player: Player) -> Sections:
    """Return the paragraphs that introduce the game to a player: who plays, the host, the game, and how to play."""
    who = who_plays(table.record, player.colour, table.house.host)
    how = map(tr, (table.house.how_to_play, AT_ANY_TIME, OTHER_LANGUAGES))
    return (*paragraphs((who,)), *primer_sections(), *paragraphs(tuple(how)))


def who_plays(record: Record, colour: str, host: str) -> str:
    """Return what a player reads first: the game, the opponents, and the host."""
    others = opponents(record, colour)
    return tr(_WHO_PLAYS).format(game=record.game, colour=colour_word(colour), others=others, host=host)


def opponents(record: Record, colour: str) -> str:
    """Return the other players of a game, as one lists them."""
    return listed(seat_text(name, clan) for clan, name in record.players if clan != colour)
