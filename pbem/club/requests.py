"""What players may request besides giving orders, and the answers: news, help, rules, absence."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import partial
from typing import Any, Final, NamedTuple

from pbem import report
from pbem.club import table as clubs
from pbem.club.agreed.lines import spoken_in
from pbem.club.ahead.onward import Going, about_plan, gone_on, letters_after, parts_after, report_to
from pbem.club.clock_files import last_tick, renewal
from pbem.club.reading.lines import cleaned
from pbem.club.reading.received import Post, Verdict
from pbem.club.reading.wishes import NOTE, named
from pbem.club.settings import Club
from pbem.club.table import BOT, UNTIL_BACK, Player, Roster
from pbem.club.times import last_day, named_day
from pbem.club.writing import talk
from pbem.club.writing.answers import Seat, replies_left, reply, write_answer
from pbem.club.writing.headlines import Headline, headline
from pbem.club.writing.help import help_sections, plan_help_sections
from pbem.club.writing.letter import Letter
from pbem.club.writing.letters import (
    Desk,
    absence_letters,
    decides,
    letter,
    paragraphs,
    relieved,
    substitution_text,
)
from pbem.club.writing.own_notes import kept_notes, noted, read_notes, reads_own
from pbem.errors import Illegal, NotUnderstood, NotYourTurn, Stale
from pbem.first_sparks.record import Record
from pbem.grammar import listed
from pbem.page.glue import GLUE, glued
from pbem.page.page import Prose, Section, Sections

MOST_WISHES: Final = 5
_TAKE_BACK: Final = glued("take back")
_GO_ON: Final = glued("go on without")
# No line of a letter begins with a word that is an order by itself.
_AWAY_AND_BACK: Final = glued("2026-12-31, back")
WISHES: Final = (
    "help, show, options, suggest, rules rot, try ORDER, note TEXT, news every|turn|none, plain, "
    f"{_TAKE_BACK}, {_GO_ON} NAME, absent until {_AWAY_AND_BACK}"
)
LONGEST_NEAR: Final = 8  # words
_NEWS: Final = {
    "every": (
        "You will get a letter after every move, with everything that has happened. "
        'To change that, write "news turn" or "news none".'
    ),
    "turn": 'You will get a letter when it is your turn. To change that, write "news every" or "news none".',
    "none": 'You will get a letter only when it is your turn. To change that, write "news every" or "news turn".',
}
_AWAY: Final = 'You are away from now on, and the game waits for you. When you return, write "back".'
_AWAY_UNTIL: Final = 'You are away until {day}, and the game waits for you. If you return sooner, write "back".'
_STOOD_IN: Final = 'You are away from now on, and {substitute} stands in for you. When you return, write "back".'
_STOOD_IN_UNTIL: Final = (
    'You are away until {day}, and {substitute} stands in for you. If you return sooner, write "back".'
)
_IN_LISTS: Final = (
    "From now on your letters have lists in place of drawings, pictures and tables. "
    'To get those again, write "plain off".'
)
_DRAWN: Final = 'From now on your letters have drawings and tables again. To get lists, write "plain".'
_ALONE: Final = 'I have not counted "{wish}", since your message has an order or a plan as well. Send it alone.'
_LASTING: Final = ("absent", "back", "news", "plain", "stop")
_NEAR: Final = (
    r"(?:(?:hi|hello|please|i|i'm|i'll|am|will|be|want|would|like|to|need|on) )*"
    r"(?:(?:absent|away|holidays?|vacation|resign(?:ing)?|unsubscribe)\b.*|(?:back|help|options)(?: \S+)?"
    r"|take (?:that|it|this) back|undo(?: (?:that|it|this))?|(?:go|carry) on without .*)"
)


def changed_readers(before: Roster, after: Roster) -> tuple[str, ...]:
    """Return the colours whose letters somebody else reads after a change."""
    pairs = zip(before.players, after.players, strict=True)
    return tuple(new.colour for old, new in pairs if old.reader != new.reader)


def is_lasting(wishes: Iterable[str]) -> bool:
    """Return whether a request has a lasting effect, so that the player must hear of it, whoever has written."""
    return any(wish.split()[0] in _LASTING for wish in wishes)


def nearly(words: str) -> Sections:
    """Return how to write a request, if a line of talk looks like one."""
    for line in map(cleaned, words.splitlines()):
        if len(line.split()) <= LONGEST_NEAR and re.fullmatch(_NEAR, line.lower().replace(",", "")):
            told = f'I passed "{line}" on to the other players, and did nothing else with it.'
            hint = f"If it was meant for me, write one of these on a line of its own: {WISHES},{GLUE}resign."
            return paragraphs((f"{told} {hint}",))
    return ()


def grant(
    club: Club, player: Player, wish: str, now: datetime | None = None, *, alone: bool = False
) -> tuple[Player, Sections | None]:
    """Return the player as requested, and the answer to one request; *now* is the time, if it is known.

    The answer is None if it depends on the game. A player who is *alone* with bots has nobody who waits, so that no bot
    stands in.
    """
    zone = club.zone
    word, *words = wish.split()
    try:
        match word.lower(), words:
            case "help", []:
                return player, help_sections(club)
            case "help", _:
                return player, plan_help_sections()
            case (("try" | "options" | "show"), _):
                return player, None
            case "suggest", []:
                return player, None
            case "rules", []:
                from pbem.rule_search import overview

                return player, overview()
            case "rules", _:
                from pbem.rule_search import rule_blocks, rules_named

                return player, (Section("why", tuple(rule_blocks(rules_named(tuple(words))))),)
            case "news", [("every" | "turn" | "none") as news]:
                return player._replace(news=news), paragraphs((_NEWS[news],))
            case "stop", []:
                return player._replace(news="none"), paragraphs((_NEWS["none"],))
            case "plain", ([] | ["off"]):
                text = _DRAWN if words else _IN_LISTS
                return player._replace(text="" if words else "plain"), paragraphs((text,))
            case "absent", _:
                from pbem.club.clock import away_until

                day = named_day(" ".join(words), now, zone) if words else UNTIL_BACK
                away_until(day, now, zone)
                player = player._replace(absent=day)
                stood_in = player.deputy and not (alone and player.deputy == BOT)
                messages = (_STOOD_IN, _STOOD_IN_UNTIL) if stood_in else (_AWAY, _AWAY_UNTIL)
                text = messages[bool(words)].format(day=last_day(day, zone, now), substitute=player.deputy_name)
                return player, paragraphs((text,))
            case "back", []:
                return player.at_home, paragraphs(("Welcome back.",))
            case _ if spoken_in(wish):
                return player, paragraphs((_ALONE.format(wish=wish),))
            case "join", _:
                return player, paragraphs(("You are already playing in this game.",))
            case _:
                unknown, hint = f'I do not understand the request "{wish[:60]}".', f"You can write: {WISHES}."
                return player, (Section("why", (Prose(unknown), Prose(hint))),)
    except (Illegal, NotYourTurn, NotUnderstood, Stale) as wrong:
        return player, (Section("why", report.refusal_blocks(wrong)),)


def _of_game(club: Club, player: Player, wish: str, record: Record) -> Sections:
    """Return the answer to a request that is about the game."""
    word, *words = wish.split()
    try:
        match word.lower():
            case "try":
                from pbem.what_if import trial_sections

                return trial_sections(record, player.colour, " ".join(words), waves=club.waves)
            case "suggest":
                from pbem.club.ahead.advice import advice_sections

                return advice_sections(record.state, player.colour, record.game, waves=club.waves)
            case "options" if decides(record) not in ("", player.colour):
                from pbem.what_if import SUPPOSED, supposed_blocks

                return (Section("trial", tuple(supposed_blocks(record, player.colour)), SUPPOSED),)
            case _:  # every letter has both
                return paragraphs(("Here is the game as it is now.",))
    except (Illegal, NotYourTurn, NotUnderstood, Stale) as wrong:
        return (Section("why", report.refusal_blocks(wrong)),)


# In a message


class Granted(NamedTuple):
    """The *roster* and the *notes* after the requests in a message; *answers* returns what is said in the game then."""

    roster: Roster
    notes: dict[str, str]
    answers: Callable[[Record], Sections]


def granted(seat: Seat, post: Post, note: str) -> Verdict:
    """Grant the requests and answer them; a request that would get no reply is not granted."""
    if not replies_left(seat, post, "answered"):
        return write_answer(seat, post, "answered", "no more replies in this turn", seat.record, (), ())
    roster, notes, answers = grants(seat, post)
    why = answers(seat.record)
    player = roster.player(seat.player.colour) or seat.player
    sayings = talk.with_words(seat.table, seat.roster, seat.player, post.words)
    going: Going | None = None
    if player.absent != seat.player.absent:
        reads = changed_readers(seat.roster, roster)
        going = gone_on(seat.club, seat.table, roster, seat.game, seat.ahead, seat.rows, sayings=sayings, reads=reads)
    desk = (going.desk if going else seat._replace(roster=roster).desk)._replace(notes=notes)
    more = tuple(to_substitute(desk, seat.player))
    parts = (*players_part(seat, roster), *kept_notes(seat.table, notes))
    row: dict[str, Any] = {}
    if going is None:
        parts += talk.kept(seat.table, sayings)
    else:
        row = going.course.row
        others, told = letters_after(going, without=(player.colour,))
        more += others if going.is_moved else (*others, *absence_letters(desk, player))
        if player.reader == player.address:
            told, did = report_to(going, player.colour, told)
            told, why = told._replace(readers=told.readers | {player.colour}), (*why, *did)
        parts += parts_after(going, told)
        parts += renewal(seat.table, player.colour) if player.colour in desk.asked else ()
    reader = player.at_home if is_lasting(post.wishes) else player
    why += paragraphs((note,)) if note else ()
    says = of_requests(reader, post)
    after = going.game.record if going is not None else None
    seat = seat._replace(roster=roster, player=reader)
    message = ", ".join(map(named, post.wishes))
    return reply(
        seat, post, "answered", why, says, parts=parts, more=more, row=row, message=message, desk=desk, after=after
    )


def of_requests(reader: Player, post: Post) -> Headline:
    """Return the headline of the answer to the requests in a message."""
    return headline("request", reader, wish=listed(map(named, post.wishes[:MOST_WISHES])))


def to_substitute(desk: Desk, before: Player) -> Iterator[Letter]:
    """Yield the letter to a substitute after requests of the player, as *before*: the question, or thanks."""
    player = desk.roster.player(before.colour) or before
    if player.reader == player.address:
        yield from relieved(desk, before)
    elif player.reader not in (before.reader, BOT) and player.colour in desk.asked:
        yield letter(desk, player, paragraphs((substitution_text(player),)))


def grants(seat: Seat, post: Post) -> Granted:
    """Grant the requests in a message, and answer them in the game as it is after it."""
    player, now = seat.player, last_tick(seat.table) if post.wishes else None
    notes = read_notes(seat.table)
    said: list[Callable[[Record], Sections]] = []
    if post.instead:
        said.append(partial(_in_any_game, paragraphs((post.instead,))))
    for wish in post.wishes[:MOST_WISHES]:
        if named(wish) == NOTE:
            is_own = reads_own(player) or reads_own(seat.player)
            notes, text = noted(notes, player, wish.removeprefix(NOTE), is_own=is_own)
            said.append(partial(_in_any_game, paragraphs((text,))))
            continue
        alone = all(other.reader == BOT for other in seat.roster.players if other.colour != player.colour)
        player, answer = grant(seat.club, player, wish, now, alone=alone)
        of_game = partial(_of_game, seat.club, player, wish)
        said.append(of_game if answer is None else partial(_in_any_game, answer))
    last = about_plan(seat.game.record, seat.ahead, seat.player, player)
    if len(post.wishes) > MOST_WISHES:
        last += paragraphs((f"I answer only the first {MOST_WISHES} requests in a message.",))
    said.append(partial(_in_any_game, (*last, *nearly(post.words))))

    def answers(record: Record) -> Sections:
        return tuple(section for each in said for section in each(record))

    return Granted(seat.roster.changed(player), notes, answers)


def _in_any_game(answer: Sections, _record: Record) -> Sections:
    return answer


def players_part(seat: Seat, roster: Roster) -> tuple[tuple[str, bytes], ...]:
    """Return the part of a change that saves the roster, if it has changed."""
    if roster == seat.roster:
        return ()
    return ((seat.table.players.name, clubs.roster_text(roster).encode()),)
