"""Letters to people who have no seat, who ask for one, and who wait until their game begins."""

from typing import Final

from pbem.errors import PbemError
from pbem.first_sparks.briefing.headings import section
from pbem.first_sparks.briefing.words import own_set_lines, seat_text
from pbem.grammar import capital, plural
from pbem.locale import tr
from pbem.page.page import Prose, Sections
from pbem.reading.ticket import Ticket, ticket
from pbem.table.letters import headlines
from pbem.table.letters.headlines import Occasion, headline, notice_of
from pbem.table.letters.letter import Letter, paragraphs
from pbem.table.letters.notices import notice, plain
from pbem.table.people import Player

YES: Final = "yes"  # the answer to an invitation
_STRANGER: Final = (
    "I am the program that runs a club's games of The First Sparks by email. If you are already playing, reply to my "
    "latest letter: I cannot tell an order in a new message from a forged one.",
    'To join a game that is waiting for players, write "join", the name of the game, and the name you want to play '
    'under, for example "join {game} Zoe" or "join {game} Zoe red".',
)
_ASKED_TO_JOIN: Final = (
    "Someone - I hope it was you - asked to join {game}, a game of The First Sparks, as {player}, and gave this "
    "address."
)
_WAS_IT_YOU: Final = (
    'Was it you? Then reply to this letter with "yes" above the first line. An empty message does not count, because '
    "machines send those. If it was not you, do nothing."
)
_LAST_INVITATION: Final = (
    "This is the last time I write to this address about this game. You can still answer any of my letters about it: "
    'with "yes", or with "join {game}" and the name you want.'
)
_LAST_REFUSAL: Final = (
    "This is the last time I answer a request to join from this address that I cannot grant. Please ask the host."
)
_BEGINS: Final = (
    "It begins when 1 more player has joined. You will then get a letter that explains how to play. Until then there "
    "is nothing for you to do.",
    "It begins when {n} more players have joined. You will then get a letter that explains how to play. Until then "
    "there is nothing for you to do.",
)
_YOU_PLAY: Final = "You play {game}, a game of The First Sparks, as {player}."
_TO_INVITE: Final = "To invite somebody, ask them to write to {club}: {join} and the name they want to play under."
_DISMISSED: Final = (
    "You answered a letter of the game {game} that no longer counts: its seat has another player now, or another "
    "address. Nothing was changed, and what you wrote was not passed on. If you think this is a mistake, ask the host."
)


def to_stranger(address: str, game: str, in_reply_to: str) -> Letter:
    """Return the letter that tells a stranger what this is, and how one would join the *game*."""
    told = paragraphs(text.format(game=game) for text in map(tr, _STRANGER))
    return notice(address, tr(headlines.STRANGER), told, in_reply_to=in_reply_to)


def invitation(own: Ticket, player: Player, colour: str, own_set: str, in_reply_to: str, *, is_last: bool) -> Letter:
    """Return the letter with that ticket that asks whether the owner of an address wants to play.

    *player* has the name and the address, and *colour* is the wanted one, if any; *own_set* names the component set of
    the game. The last letter says that no other one follows.
    """
    called = seat_text(player.name, colour) if colour else player.name
    why = tr(_ASKED_TO_JOIN).format(game=own.game, player=called)
    last = (tr(_LAST_INVITATION).format(game=own.game),) if is_last else ()
    told = (*paragraphs((why, *own_set_lines(own_set), *last)), section("question", (Prose(tr(_WAS_IT_YOU)),)))
    yes = (YES, tr("Yes, I play as {player}").format(player=called))
    return plain(own, player, headline(Occasion.INVITATION, player), told, yes=yes, in_reply_to=in_reply_to)


def cannot_join(address: str, error: PbemError, in_reply_to: str, *, is_last: bool) -> Letter:
    """Return the letter that says what is wrong with a request to join, and the way out."""
    told = _wrong(error) + ((tr(_LAST_REFUSAL),) if is_last else ())
    return notice(address, tr(headlines.CANNOT_JOIN), paragraphs(told), in_reply_to=in_reply_to)


def _wrong(error: PbemError) -> tuple[str, ...]:
    hint = "" if "pbem " in error.hint else tr(error.hint)
    return tuple(filter(None, (capital(tr("{error}.").format(error=tr(error.message))), hint)))


def seated(game: str, player: Player, missing: int, club: str, own_set: str) -> Letter:
    """Return the letter to a player of a game that is waiting for others; *club* is the address of the club."""
    when = plural(missing, *_BEGINS)
    playing = tr(_YOU_PLAY).format(game=game, player=seat_text(player.name, player.colour))
    invite = tr(_TO_INVITE).format(club=club, join=f'"join {game}"')
    why = (f"{playing} {when}", invite, *own_set_lines(own_set))
    return plain(_first(game, player), player, headline(Occasion.OPEN, player), paragraphs(why))


def not_begun(game: str, player: Player, missing: int) -> Letter:
    """Return the letter to a player who has written before the game begins."""
    why = plural(
        missing,
        "The game {game} has not begun: it is waiting for 1 more player. You will get a letter when it begins.",
        "The game {game} has not begun: it is waiting for {n} more players. You will get a letter when it begins.",
    ).replace("{game}", game)
    return plain(_first(game, player), player, headline(Occasion.NOT_BEGUN, player), paragraphs((why,)))


def dismissed(game: str, address: str, in_reply_to: str) -> Letter:
    """Return the letter to a former player whose letters no longer count."""
    why: Sections = paragraphs((tr(_DISMISSED).format(game=game),))
    return notice(address, notice_of(game, "dismissed"), why, in_reply_to=in_reply_to)


def _first(game: str, player: Player) -> Ticket:
    return ticket(player.key, game, player.colour, 0)
