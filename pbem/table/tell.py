"""What everybody at a table is told after something has occurred, and in which words: only this place decides it.

A reader gets one letter about all that has occurred. It tells what concerns this reader, what the own plan has done,
that the own motion is over, why the reader is asked again, how the game stands, and what was said.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple, assert_never

from pbem.first_sparks.briefing.situation import NOTHING
from pbem.first_sparks.briefing.words import colour_word
from pbem.first_sparks.state import GameState
from pbem.locale import phrase, speaking, tr
from pbem.page.page import Sections
from pbem.plans.intents import Intent
from pbem.table import talk
from pbem.table.letters import motions, notices, reminders
from pbem.table.letters.headlines import Headline, Occasion, headed, headline
from pbem.table.letters.letter import Letter, paragraphs, phrases
from pbem.table.letters.plans import about_plan, lost_ahead, reported
from pbem.table.letters.receipts import hears, new_agreement, of_a_stop, of_own_message, own_message, sees_new_market
from pbem.table.letters.situation import is_stopped, letter, waits
from pbem.table.lines import PROGRAM, Closes
from pbem.table.minutes import Motion
from pbem.table.occurrences import (
    AbsenceOver,
    Agreed,
    CameBack,
    DirectAnswer,
    GameBegun,
    HandedOver,
    MotionFailed,
    MotionMade,
    MotionOver,
    Moved,
    Occurrence,
    Paused,
    Reminded,
    Replaced,
    Resent,
    Resumed,
    Spoke,
    TakenBack,
    Unproved,
    WentAway,
)
from pbem.table.people import BOT, Player
from pbem.table.progress import Progress
from pbem.table.table import Table

_UNPROVED: Final = (
    "I got a message in your name that does not answer any of my letters, so I cannot tell whether you sent "
    "it. Nothing was changed. If you did, reply to this letter and write your order above the first line."
)


class Telling(NamedTuple):
    """The letters about a step, and the table *after* them: what is kept of what was said ahead and to the table.

    *answer* is the one that answers a message, and *asks* are those that ask for a motion.
    """

    after: Table
    letters: tuple[Letter, ...] = ()
    answer: Letter | None = None
    asks: tuple[Letter, ...] = ()


class _Share(NamedTuple):
    """What an occurrence has to tell a *reader*: *why* there is a letter, which *says* that in its headline.

    If it is not *due*, it only shapes a letter that is sent for another reason. A *direct* one leaves talk and news of
    plans for another letter, unless it *reports* them. Without a headline of its own it may have that of a stop.
    """

    reader: Player
    why: Sections = ()
    says: Headline | None = None
    due: bool = True
    is_plain: bool = False
    direct: DirectAnswer | None = None
    error: bool = False
    in_reply_to: str = ""
    nothing: str = NOTHING
    names_time: bool = False
    asks: bool = False
    with_game: bool = True


def tell(step: Progress) -> Telling:
    """Return the letters about a step.

    Everything that is read to a seat is made here, one seat after the other.
    """
    telling, beside = Telling(step.after), list[Letter]()
    for player in step.after.roster.players:
        with speaking(player.language):
            shares = [share for occurrence in step.occurrences for share in _shares(step, occurrence, player)]
            telling = _told(step, telling, player, shares)
        if (before := step.before.roster.player(player.colour)) is not None:
            with speaking(before.language):
                beside += _beside(step, before, player)
    return telling._replace(letters=(*beside, *telling.letters))


def _told(step: Progress, telling: Telling, player: Player, shares: list[_Share]) -> Telling:
    """Return the letters with those about one seat: one for each reader, who may be the player and a substitute."""
    hears_it = _hears(step, player)
    readers = dict.fromkeys(share.reader.reader for share in shares if share.due)
    if hears_it and not any(share.reader.reader in readers for share in shares):
        readers[shares[0].reader.reader if shares else player.reader] = None
    for address in readers:
        own = [share for share in shares if share.reader.reader == address] or [_Share(player)]
        telling = _one(step, telling, player, own)
    return telling


def _hears(step: Progress, player: Player) -> bool:
    """Return whether somebody gets a letter because the game has gone on."""
    if any(isinstance(each, WentAway | CameBack) and each.before.colour == player.colour for each in step.occurrences):
        return False  # they know, or are told so
    is_told = step.is_moved and hears(step.after, player, step.asks)
    return player.colour in step.asks or is_told or sees_new_market(step.after, player, step.before.kept)


def _one(step: Progress, telling: Telling, player: Player, shares: list[_Share]) -> Telling:
    """Return the letters with one to the reader of these shares."""
    table, after, first = step.after, telling.after, shares[0]
    why = [*new_agreement(step, player), *(section for share in shares for section in share.why)]
    says = next((share.says for share in shares if share.says is not None), None)
    if says is None and not any(share.is_plain for share in shares):
        looks = sees_new_market(table, player, step.before.kept)
        stopped = None if player.colour in table.asked else of_a_stop(table, player)
        says = headline(Occasion.RENEWED, player) if looks else stopped
    direct = next((share.direct for share in shares if share.direct is not None), None)
    sayings: tuple[talk.Saying, ...] = ()
    if direct is None or direct.reports:
        ahead, did = reported(step, player.colour, after.ahead)
        late = step.lapsed(player.colour)
        over = () if late is None else (motions.lapsed(late, table.names),)
        again = (tr(step.why[player.colour]),) if player.colour in step.why else ()
        why += paragraphs((*did, *over, *_still_open(step, player), *again))
        after = after.but(ahead=ahead)
        if late is not None and late in after.minutes.motions:
            after = after.with_line(PROGRAM, Closes(late.by))
    if direct is None:
        sayings, rest = talk.deliver(after.sayings, player)
        after = after.but(sayings=rest)
    own = letter(
        table,
        first.reader,
        tuple(why),
        sayings,
        says=says,
        in_reply_to=next((share.in_reply_to for share in shares if share.in_reply_to), ""),
        error=any(share.error for share in shares),
        with_game=direct.shows if direct else any(share.with_game for share in shares),
        nothing=next((share.nothing for share in shares if share.nothing != NOTHING), NOTHING),
        names_time=any(share.names_time for share in shares),
    )
    if own.to == BOT:  # nobody reads it, so that nobody has been told anything
        return telling
    asks = (*telling.asks, *((own,) if any(share.asks for share in shares) else ()))
    return Telling(after, (*telling.letters, own), own if direct is not None else telling.answer, asks)


def _still_open(step: Progress, player: Player) -> Iterator[str]:
    """Yield what others have moved before, for a player who is asked now, and has not answered that."""
    motion = step.after.open_motion
    if motion is None or motion != step.before.open_motion or player.colour not in step.asks:
        return
    if player in step.after.missing(motion):
        yield motions.still_open(motion, step.after.names)


# What is told to the reader of a seat


def _shares(step: Progress, occurrence: Occurrence, player: Player) -> Iterator[_Share]:
    """Yield what an occurrence has to tell those who read letters to a player's seat."""
    table, colour = step.after, player.colour
    match occurrence:
        case DirectAnswer(to=to):
            if to.colour == colour:
                yield _of_an_answer(occurrence)
        case Moved():
            if occurrence.player.colour == colour:
                yield _of_own_message(step, occurrence)
        case Agreed(motion=motion):
            turns_to = not table.decides or colour in table.asked  # which says more
            for reader in _readers(player, motion):
                why, says = motions.done(motion, reader, step.before.names)
                why = (*why, *_begins_to_stand_in(step, reader))
                yield _Share(reader, why, None if turns_to else says, is_plain=True)
        case Spoke(player=speaker):
            untold = any(colour in saying.untold for saying in table.sayings)
            if not table.decides and untold and player.news != "none":  # there is no next letter
                yield _Share(player, says=headline(Occasion.TALK, player, speaker=speaker.name), with_game=False)
        case WentAway() | CameBack() | HandedOver() | AbsenceOver():
            if occurrence.before.colour == colour:
                yield from _of_a_substitution(step, occurrence, player)
            elif isinstance(occurrence, WentAway):
                yield from _of_an_absence(step, occurrence, player)
        case Replaced(before=before):
            yield _of_a_replacement(table, before, player)
        case Paused():  # every letter says why
            yield _Share(player, says=headline(Occasion.PAUSED, player, table.state_for(player)))
        case Resumed():
            says = headline(Occasion.RESUMED, player, table.state_for(player))
            yield _Share(player, paragraphs((tr("The game goes on."),)), says)
        case Resent(to_all=to_all):
            if to_all or colour in table.asked:
                yield _Share(player, is_plain=True)
        case TakenBack():
            yield from _of_a_takeback(step, occurrence, player)
        case MotionFailed(motion=motion):
            for reader in _readers(player, motion):
                yield _Share(reader, *motions.failed(motion, reader, table.names))
        case MotionMade() | MotionOver():
            yield from _of_a_motion(table, occurrence, player)
        case Reminded():
            if occurrence.effect.colour == colour and colour in table.asked:
                says, text = reminders.asks_again(table, player, occurrence)
                yield _Share(player, paragraphs((text,)), says, names_time=True)
        case Unproved(player=named):
            if named.colour == colour:
                yield _of_an_unproved_message(player)
        case GameBegun():
            yield _of_a_beginning(table, player)
        case _ as unreachable:
            assert_never(unreachable)


def _readers(player: Player, motion: Motion) -> tuple[Player, ...]:
    """Return who reads of a motion: the player as well while somebody stands in, if it is about the player's seat."""
    stood_in_for = motion.whom == player.colour and not player.is_home
    return (player, player.at_home) if stood_in_for else (player,)


def _of_an_unproved_message(player: Player) -> _Share:
    """Return what a player hears of a message in the own name that nothing proves."""
    says = headed(Occasion.WITHOUT_A_TICKET, player)
    direct = DirectAnswer(player, phrases(phrase(_UNPROVED)), says)
    return _Share(player, direct.why(), says(), direct=direct, error=True)


def _of_an_answer(direct: DirectAnswer) -> _Share:
    """Return what the writer of a message is answered."""
    says = direct.says() if direct.says is not None else None
    nothing = motions.NOTHING_ELSE if direct.asks else NOTHING
    share = _Share(direct.to, direct.why(), says, is_plain=True, direct=direct, nothing=nothing)
    return share._replace(error=direct.error, in_reply_to=direct.in_reply_to)


def _of_a_beginning(table: Table, player: Player) -> _Share:
    """Return what a player hears first."""
    return _Share(player, notices.welcome(table, player), headline(Occasion.WELCOME, player, table.state_for(player)))


def _of_own_message(step: Progress, moved: Moved) -> _Share:
    """Return what the writer of a message with orders or a plan hears: that it counts, if that is worth a letter."""
    why = own_message(step, moved)
    due = bool(why or moved.lines)  # a plan that was over at once has no other confirmation
    says = of_own_message(step, moved, is_news=due and moved.player.colour not in step.asks)
    in_reply_to = moved.post.message_id if due else ""
    return _Share(moved.writer, why if due else (), says, due=due, is_plain=True, in_reply_to=in_reply_to)


def _of_a_substitution(
    step: Progress, occurrence: WentAway | CameBack | HandedOver | AbsenceOver, player: Player
) -> Iterator[_Share]:
    """Yield what is told to a player who is away or back, and to the substitute."""
    table, before = step.after, occurrence.before
    is_asked, plan = player.colour in table.asked, about_plan(step.before, before, player)
    match occurrence:
        case WentAway(by_host=True) if player.is_home and player != before:
            told = (*paragraphs((notices.away_text(table, player),)), *plan)
            yield _Share(player, told, headline(Occasion.AWAY_YOURSELF, player))
        case WentAway(by_host=by_host):
            if is_asked and (stands_in := _begins_to_stand_in(step, player, is_named=by_host)):
                yield _Share(player, stands_in)
        case CameBack(by_host=True) if is_asked or plan:
            yield _Share(player, (*paragraphs((tr("Welcome back."),)), *plan))
        case HandedOver() if player.reader != BOT:
            says = headline(Occasion.ASKED, player, table.state_for(player))
            yield _Share(player, paragraphs((tr(reminders.TAKES_OVER).format(player=player.name),)), says)
            told = (*paragraphs((tr(reminders.HANDED_OVER).format(substitute=player.deputy_name),)), *plan)
            yield _Share(player.at_home, told, headline(Occasion.HANDED_OVER, player.at_home))
        case AbsenceOver() if is_asked or plan:
            yield _Share(player, (*paragraphs((tr(reminders.BACK_ASKED if is_asked else reminders.BACK),)), *plan))
        case CameBack() | HandedOver() | AbsenceOver():
            pass
        case _ as unreachable:
            assert_never(unreachable)


def _begins_to_stand_in(step: Progress, player: Player, *, is_named: bool = False) -> Sections:
    """Return what a person reads who stands in for a player from now on, or whom the host has just named."""
    before = step.before.roster.player(player.colour)
    is_new = is_named or before is None or before.reader != player.reader
    is_person = player.reader not in (player.address, BOT)
    return paragraphs((notices.substitution_text(player),)) if is_new and is_person else ()


def _of_an_absence(step: Progress, occurrence: WentAway, player: Player) -> Iterator[_Share]:
    """Yield what another player hears if it is the turn of somebody who has gone away without a substitute.

    While others come before that player, the game goes on; they are told when it stops. Of a substitute whom the host
    has named they hear at once.
    """
    table, absent = step.after, occurrence.before
    stops = not step.is_moved and absent.colour == table.decides and is_stopped(table)
    seat = table.roster.player(absent.colour)
    is_named = occurrence.by_host and seat is not None and seat.reader not in (absent.reader, seat.address)
    if (stops or (is_named and table.decides)) and waits(table, player):
        is_asked = player.colour in step.asks
        says = None if is_asked else headline(Occasion.AWAY, player, table.record.state, absent=absent.name)
        yield _Share(player, says=says)


def _of_a_motion(table: Table, occurrence: MotionMade | MotionOver, player: Player) -> Iterator[_Share]:
    """Yield what is told to those who must agree to a motion, to its owner, and to whom it is about."""
    motion, colour = occurrence.motion, player.colour
    if isinstance(occurrence, MotionMade):
        if colour == motion.whom:
            for reader in _readers(player, motion):
                told = motions.warned(motion, reader, table.record)
                yield _Share(reader, *told, nothing=motions.NOTHING_ELSE, asks=True)
        elif player in (voters := table.voters(motion)):
            told = motions.asked_of(motion, player, table.record, voters)
            yield _Share(player, *told, nothing=motions.NOTHING_ELSE, asks=True)
    elif colour != occurrence.by and colour == motion.by:
        over = paragraphs((motions.ended(occurrence, table.names[occurrence.by]),))
        yield _Share(player, over, headline(Occasion.MOTION_OVER, player, _to_answer(table, player)))
    elif colour == motion.whom and not table.kept.state.clan(colour).resigned:
        is_news = colour != occurrence.by
        for reader in _readers(player, motion):
            says = headline(Occasion.SAFE, reader, _to_answer(table, reader)) if is_news and reader.is_home else None
            yield _Share(reader, paragraphs((motions.safe(motion, reader, table.names),)), says, due=is_news)


def _to_answer(table: Table, player: Player) -> GameState | None:
    """Return the game as the player is asked, None while nobody can answer."""
    return None if table.roster.paused else table.state_for(player)


def _of_a_replacement(table: Table, before: Player, player: Player) -> _Share:
    """Return what everybody is told about somebody new in a seat; letters to a new address begin with a welcome."""
    seat = table.roster.player(before.colour) or before
    is_new = player == seat and before.address != seat.address
    kind = Occasion.WELCOME if is_new else Occasion.REPLACED
    says = headline(kind, player, table.state_for(player), new=seat.name, clan=colour_word(seat.colour))
    why = notices.takes_over(before, seat, is_own=player == seat)
    return _Share(player, (*paragraphs((why,)), *(notices.welcome(table, player) if is_new else ())), says)


def _of_a_takeback(step: Progress, occurrence: TakenBack, player: Player) -> Iterator[_Share]:
    """Yield what the readers of letters to a player hear about a takeback, and that a plan is over by it.

    Whoever has a plan is told so even while a substitute plays.
    """
    table, intent = step.after, step.before.ahead.get(player.colour, Intent())
    is_asked = player.colour in table.asked
    kind, told = motions.taken_back(occurrence, table.record.turn, step.before.names, asked=is_asked)
    says = headline(kind, player, table.state_for(player), turn=str(table.record.turn))
    home = player._replace(absent="")
    lost = lost_ahead(intent, home, player) if home.reader != player.reader else ()
    yield _Share(player, paragraphs((*told, *lost_ahead(intent, player, player))), says)
    if lost:
        yield _Share(home, paragraphs((*told, *lost)), says)


# Letters beside those about the situation


def _beside(step: Progress, before: Player, player: Player) -> Iterator[Letter]:
    """Yield letters to those who read what was for a seat *before*, and do not now that it is *player*'s."""
    table, colour, occurred = step.after, player.colour, step.occurrences
    if before.address != player.address and all(each.address != before.address for each in table.roster.players):
        agreed = (each.motion for each in occurred if isinstance(each, Agreed) and each.motion.whom == colour)
        if (motion := next(agreed, None)) is not None:
            told, _ = motions.done(motion, before.at_home, step.before.names)
        else:
            told = paragraphs((notices.takes_over(before, player, is_own=False),))
        yield notices.dismissal(table, before, told)
    handed = player.reader == BOT and any(isinstance(each, HandedOver) and each.before == before for each in occurred)
    away = any(isinstance(each, WentAway) and each.by_host and each.before == before for each in occurred)
    if handed or (away and not player.is_home):
        yield notices.stood_in_for(step, before, player, by_host=away)
    if before.reader != player.reader:
        yield from notices.relieved(table, before)
