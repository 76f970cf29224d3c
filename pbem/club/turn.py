"""Act on a player's message: judge its orders, grant its requests, pass its words on to the table.

All of it is one change to the game's folder, or none. The sender has already been
authenticated; the reply goes to the player's own address and to no other.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from pbem import loading, report, rulings, secrets
from pbem.ahead.intents import Intent, answered_turns
from pbem.club import cache as memory
from pbem.club.agreed import wishing
from pbem.club.ahead.asking import ASKS
from pbem.club.ahead.course import THEN
from pbem.club.ahead.kept import read_intents
from pbem.club.ahead.onward import gone_on, letters_after, parts_after
from pbem.club.ahead.said import (
    ahead_after,
    answered_early,
    confirmed_to,
    early_receipt,
    planned,
    still_ahead,
    without_wait,
)
from pbem.club.journal import journal_rows
from pbem.club.reading.again import ends_with_an_older
from pbem.club.reading.asked import PROPOSED, TAKEN_BACK
from pbem.club.reading.past import is_heard, orders_of, was_played
from pbem.club.reading.received import (
    AT_ANY_TIME,
    FOR_GOOD,
    Post,
    Verdict,
    id_digest,
    in_context,
    kept_name,
)
from pbem.club.requests import changed_readers, granted, grants, is_lasting, nearly, players_part, to_substitute
from pbem.club.settings import Club
from pbem.club.table import Player, Roster, Table, as_seated, called
from pbem.club.ticket import Ticket, ticket
from pbem.club.transaction import Change, write
from pbem.club.writing import talk
from pbem.club.writing.answers import Seat, replies_left, reply, write_answer
from pbem.club.writing.headlines import Occasion, headline
from pbem.club.writing.letter import Letter
from pbem.club.writing.letters import letter, paragraphs, plain, with_due
from pbem.club.writing.own_notes import kept_notes, read_notes
from pbem.club.writing.receipts import of_own_message, receipt_of
from pbem.errors import Illegal, NotUnderstood, NotYourTurn, PbemError, Stale
from pbem.first_sparks.record import Record, same_situations
from pbem.grammar import listed, plural
from pbem.loading import Submission
from pbem.page.page import Section, Sections

NOT_HEARD: Final = (
    "The rest of your message was not passed on, because you answered an old letter. To be heard, answer this one."
)
if TYPE_CHECKING:
    from pbem.first_sparks.plans.read import PlanLines

NOT_KEPT: Final = "I have not kept the plan in this message: send it again, without the order."
NOT_KEPT_EITHER: Final = "I have not kept your plan either: send it again with your answer."
PLAN: Final = "plan"  # the keys of a row of the journal whose message says something ahead: the turn that it answers
EARLY: Final = "early"
UNSALTED: Final = "unsalted"  # the order of the host, who keeps the secret, adds no salt to it
STANDS_IN: Final = "stands in"  # the key of a row whose message a substitute may have written
NOTHING_CHANGED: Final = "Nothing was changed, and nothing you wrote was passed on."


def respond(
    club: Club, table: Table, roster: Roster, player: Player, said: Ticket, post: Post, *, valid: bool = True
) -> Verdict:
    """Act on a message of the player, written with that ticket; the game is locked.

    Orders need a ticket for the current situation, words one no older than the player's last own order. A request is
    granted with any ticket, since the player is told of it and can undo it. Orders that are allowed at any time are
    proposed for confirmation in reply to an older letter, since a player whose turn it is not may have no newer one.
    With a ticket that is not *valid*, such as one from before a takeback, everything is late.
    """
    rows = journal_rows(table.journal)
    if is_known(rows, post):
        return Verdict("duplicate", "this message was processed before", table.name)
    if not table.game.exists():
        return _waits(club, table, roster, player, rows, post)
    game = memory.load(table, rows)
    seat = Seat(
        club, table, roster, player, game, as_seated(game.record, roster), rows, read_intents(table, game.record)
    )
    note = read_notes(table).get(player.colour, "")
    letter = partial(_words_of_letter, seat, min(said.turn, seat.record.turn), note)
    turn = said.turn if valid else None
    post = in_context(post, seat.record, rows, player.colour, turn, letter, waves=club.waves)
    post = wishing.heard(seat, post, letter, valid=valid)
    if post.wrong is not None:
        return _refused(seat, post, post.wrong)
    if not post.person:
        post = post._replace(plan=(), early="")
    post, waits = without_wait(seat, post)
    if post.plan and not valid:
        return _late(seat, said, post, post.orders, valid=valid)
    try:
        lines = planned(seat, said, post) if post.plan else None
        early = answered_early(seat, said, post) if valid else None
    except (Illegal, NotUnderstood) as wrong:
        return _refused(seat, post, wrong)
    if post.early and early is None:  # its question is over
        return _late(seat, said, post, None, valid=valid)
    if post.orders and post.text and _may_be_old(seat, post.orders, post.text):
        post = post._replace(orders=None, proposed=post.orders.orders)
    orders = post.orders or (Submission(post.proposed) if post.proposed else None)
    if early is not None and not post.proposed:
        return _answered(seat, said, post, lines, early, waits)
    if orders is not None and early is None and (said.turn not in dict(same_situations(seat.record)) or not valid):
        stale = not valid or was_played(seat.record, player.colour, said.turn, orders.orders)
        if not stale and post.person and AT_ANY_TIME.issuperset(map(str.lower, orders.orders)):
            return _proposed(seat, post, orders, is_legal=early is not None)
        return _late(seat, said, post, orders, valid=valid)
    if post.orders is not None:
        return _play(seat, post, post.orders._replace(head=post.orders.head or post.head), said, lines)
    if not post.person:
        return Verdict("robot", "sent by a robot, without orders", table.name)
    if orders is not None:
        return _proposed(seat, post, orders, is_legal=early is not None)
    if lines is not None:
        return _answered(seat, said, post, lines, None, waits)
    if post.takes_back:
        why = paragraphs(("Nothing was played. Here is the game as it is now.",))
        return reply(seat, post, "answered", why, row={TAKEN_BACK: True}, message="told that nothing was played")
    words = post.words if is_heard(seat.record, said, answered_turns(seat.ahead, player.colour)) else ""
    if not valid or (post.words and not words and not post.wishes):
        return _late(seat, said, post, None, valid=valid)
    if post.wishes and wishing.speaks_of_wishes(post):
        return wishing.answered(seat, said, post._replace(words=words))
    if post.wishes:
        note = NOT_HEARD if post.words and not words else waits
        post = post._replace(words=words)
        return granted(seat, post, note)
    if waits:
        parts = talk.kept(seat.table, talk.with_words(seat.table, seat.roster, seat.player, words))
        message = "told that there is nobody to wait for"
        return reply(seat, post, "answered", paragraphs((waits,)), parts=parts, message=message)
    if post.words:
        return _pass_on(seat, post)
    why = paragraphs(("I found no order in your message. Write it above the first line of the letter.",))
    return reply(seat, post, "empty", why, headline("empty", player), message="told that it has no order")


def _words_of_letter(seat: Seat, turn: int, note: str) -> str:
    from pbem.club.writing.ours import words_of_letter

    return words_of_letter(seat.club, seat.record, seat.player, turn, note)


def _waits(
    club: Club, table: Table, roster: Roster, player: Player, rows: Sequence[dict[str, Any]], post: Post
) -> Verdict:
    """Tell a player once that the game has not begun."""
    told = any(row.get("code") == "waiting" and row.get("colour") == player.colour for row in rows)
    if told or not post.person or roster.opening is None:
        return Verdict("silent", "the game is waiting for players", table.name)
    missing = roster.opening.seats - len(roster.players)
    why = (
        plural(
            missing,
            "The game {game} has not begun: it is waiting for 1 more player. You will get a letter when it begins.",
            "The game {game} has not begun: it is waiting for {n} more players. You will get a letter when it begins.",
        ).replace("{game}", table.name),
    )
    own_ticket = ticket(player.key, table.name, player.colour, 0)
    own = plain(own_ticket, player, headline("not begun", player), paragraphs(why))
    row = {"digest": post.digest, "id": id_digest(post.message_id), "colour": player.colour, "code": "waiting"}
    write(club, table, Change(row, letters=(own,)))
    return Verdict("waiting", "told that the game has not begun", table.name, None, 1)


def is_known(rows: Sequence[dict[str, Any]], post: Post) -> bool:
    """Return whether the message is in the journal, or one of its id has counted; a rejected one may be corrected."""
    name = id_digest(post.message_id)
    return any(
        row.get("digest") == post.digest
        or (name and row.get("id") == name and row.get("code") in ("played", "planned"))
        for row in rows
    )


# Orders


def _play(seat: Seat, post: Post, orders: Submission, said: Ticket, lines: "PlanLines | None") -> Verdict:
    record = seat.record
    if seat.roster.paused:  # the letter says why
        return _paused(seat, post)
    try:
        submission = loading.signed(orders, seat.player.colour)
        # Who keeps the secret could write the own mail again and again until a draw suits.
        is_keeper = seat.player.reader == seat.club.host
        salt = "" if is_keeper else post.salt
        ruling = rulings.judge(record, submission, secrets.draws_of(record, seat.table.game), salt)
    except (Illegal, NotYourTurn, NotUnderstood, Stale) as refused:
        return _refused(seat, post, refused)
    after = called(ruling.record, dict(seat.game.record.players))  # with the names of the file
    why: Sections = ()
    if FOR_GOOD in map(str.lower, orders.orders) and not post.instead:
        why = paragraphs((f"You have left the game {record.game}. Thank you for playing.",))
    receipt = receipt_of(record, seat.player, orders.orders) if post.person and not post.instead else ()
    ahead = ahead_after(seat, said, lines, None)
    row = ({PLAN: said.turn} if lines else {}) | ({UNSALTED: True} if is_keeper else {})
    return _change(seat, post, after, ahead, lines, (*receipt, *why), orders.orders, row)


def _answered(
    seat: Seat, said: Ticket, post: Post, lines: "PlanLines | None", early: Intent | None, waits: str
) -> Verdict:
    """Keep what the player says ahead, and play what follows from it; *waits* says why there is nobody to wait for."""
    if seat.roster.paused:
        return _paused(seat, post)
    if early is None and not replies_left(seat, post, "planned"):
        return write_answer(seat, post, "silent", "no more replies in this turn", seat.record, (), ())
    orders = post.orders.orders if post.orders else (post.early.removeprefix("plan "),) if post.early else ()
    is_first = not orders_of(seat.record, seat.player.colour)
    is_told = early is not None and not post.instead and (is_first or lines is not None or seat.player.news == "every")
    receipt = early_receipt(early, listed(orders)) if early is not None and is_told else ()
    receipt = (*receipt, *paragraphs((waits,) if waits else ()))
    ahead = ahead_after(seat, said, lines, early)
    row = ({PLAN: said.turn} if lines else {}) | ({EARLY: said.turn} if early else {})
    return _change(seat, post, seat.game.record, ahead, lines, receipt, (), row)


def _change(
    seat: Seat,
    post: Post,
    after: Record,
    ahead: Mapping[str, Intent],
    lines: "PlanLines | None",
    receipt: Sections,
    orders: Sequence[str],
    row: dict[str, Any],
) -> Verdict:
    """Make the change to the game that the *orders* of a message, and what is said *ahead*, bring about.

    *after* is the game after the orders, with the names of the file; what plans, early answers and bots answer comes
    on top of that. The *row* of the journal says that the message says something ahead, and which turn it answers.
    """
    table, me = seat.table, seat.player
    roster, notes, answers = grants(seat, post)
    own_row = {"code": "played", "colour": me.colour, "instead": bool(post.instead)}
    going = gone_on(
        seat.club,
        table,
        roster,
        seat.game,
        seat.ahead,
        seat.rows,
        after=after,
        ahead=ahead,
        sayings=talk.with_words(table, seat.roster, me, post.words),
        row=own_row,
        reads=changed_readers(seat.roster, roster),
    )
    going = going._replace(desk=with_due(going.desk._replace(notes=notes)))
    if not going.is_moved:  # nobody else hears of it: not even that somebody has said something ahead
        asks = tuple(colour for colour in going.course.asks if colour == me.colour)
        going = going._replace(course=going.course._replace(asks=asks))
    desk, course, after = going.desk, going.course, going.game.record
    row |= {STANDS_IN: True} if me.reader != me.address else {}
    more = {**({"confirms": post.confirms} if post.confirms else {}), **course.row, **row, ASKS: list(course.asks)}
    at_once = () if orders else tuple(order for colour, order, _ in course.row.get(THEN, ()) if colour == me.colour)
    confirmed = confirmed_to(seat, after, desk.record.state, lines, course.ahead, receipt, at_once)
    own_why = (*confirmed, *answers(as_seated(after, seat.roster)))
    is_reply = bool(own_why or lines)  # a plan that was over at once has no other confirmation
    player = roster.player(me.colour) or me
    reader = player.at_home if is_lasting(post.wishes) else player.writer
    is_news = is_reply and me.colour not in course.asks
    says = {me.colour: of_own_message(desk, reader, post, orders, lines, at_once, is_news=is_news)}
    why = {me.colour: own_why} if is_reply else {}
    telling = going
    if post.everybody:  # it says that a wish is granted
        telling = going._replace(wish=None)
        others = [other for other in roster.players if other.colour != me.colour]
        why |= {other.colour: paragraphs((post.everybody,)) for other in others}
        gone = {o.colour: headline("gone on", o, desk.record.state, absent=me.name) for o in others if desk.decides}
        says |= dict.fromkeys((other.colour for other in others), None) | gone
    letters, told = letters_after(telling, why, says, to=reader, in_reply_to=post.message_id if is_reply else "")
    parts = (_kept(seat, post, after.turn), *players_part(seat, roster), *kept_notes(table, notes))
    parts += parts_after(going, told)
    letters = (*to_substitute(desk, me), *letters)
    message = f"turn {after.turn}" if going.is_moved else "kept what the player says ahead"
    return write_answer(seat, post, "played" if going.is_moved else "planned", message, after, letters, parts, more)


def _may_be_old(seat: Seat, orders: Submission, text: str) -> bool:
    """Return whether orders that the player gave before may come from an older message quoted below the new words."""
    given = {str(entry.move) for entry in orders_of(seat.record, seat.player.colour)}
    repeated = not given.isdisjoint(map(str.lower, orders.orders))
    return repeated and ends_with_an_older(text, seat.club, seat.table, seat.rows, seat.player.colour)


def _paused(seat: Seat, post: Post) -> Verdict:
    paused = headline("while paused", seat.player)
    message = "the game is paused"
    return reply(seat, post, "paused", paragraphs((NOTHING_CHANGED,)), paused, error=True, message=message)


def _kept(seat: Seat, post: Post, turn: int) -> tuple[str, bytes]:
    """Return the part of a change that keeps the message, so that the game can be rebuilt."""
    return f"{seat.table.mails.name}/{kept_name(turn, seat.player.colour, post.digest)}", post.raw


def _proposed(seat: Seat, post: Post, orders: Submission, *, is_legal: bool) -> Verdict:
    """Ask the player whether these orders are meant, if they are legal; change nothing else."""
    if seat.roster.paused:
        return _paused(seat, post)
    try:
        if not is_legal:
            rulings.judge(seat.record, loading.signed(orders, seat.player.colour), None)
    except (Illegal, NotYourTurn, NotUnderstood, Stale) as refused:
        return _refused(seat, post, refused)
    if not replies_left(seat, post, PROPOSED):
        return reply(seat, post, "refused", (), message="no more replies in this turn")
    meant = listed((f'"{order}"' for order in orders.orders), "and then")
    asks = plural(
        len(orders.orders),
        'Did you mean {orders}? Reply "yes" to play it.',
        'Did you mean {orders}? Reply "yes" to play them.',
    ).replace("{orders}", meant)
    if FOR_GOOD in map(str.lower, orders.orders):
        asks = 'Do you want to resign? Reply "yes" to leave the game permanently.'
    nothing = NOTHING_CHANGED if post.words else "Nothing was changed."
    if post.plan:
        nothing = f"{nothing} {NOT_KEPT_EITHER}"
    says = headline("proposed", seat.player, order=meant)
    own = letter(
        seat.desk,
        seat.player.writer,
        paragraphs((asks, nothing, *wishing.or_meant(seat))),
        says=says,
        in_reply_to=post.message_id,
    )
    more = {"orders": orders.orders, "letter": id_digest(seat.club.id_of(own))}
    more |= {"confirms": post.confirms} if post.confirms else {}
    parts = (_kept(seat, post, seat.record.turn),)
    return write_answer(seat, post, "proposed", f"asked whether {meant} was meant", seat.record, (own,), parts, more)


def _refused(seat: Seat, post: Post, error: PbemError) -> Verdict:
    why = (Section("why", report.refusal_blocks(error)), *paragraphs((NOTHING_CHANGED,)), *still_ahead(seat))
    kind: Occasion = "refused" if error.order else "unclear" if isinstance(error, NotUnderstood) else "not now"
    says = headline(kind, seat.player, order=error.order)
    message = f"{error.order}: {error.message}" if error.order else error.message
    return reply(seat, post, "refused", why, says, error=True, message=message)


def _late(seat: Seat, said: Ticket, post: Post, orders: Submission | None, *, valid: bool) -> Verdict:
    """Answer a reply to an old letter: its orders were already played, or are not played at all."""
    if orders is not None and was_played(seat.record, seat.player.colour, said.turn, orders.orders):
        played = listed(orders.orders)
        done = f"You had already played this in turn {said.turn + 1}: {played}. There is nothing more to do."
        done = f"{done} {NOT_KEPT}" if post.plan else done
        says = headline("already", seat.player, order=played)
        return reply(seat, post, "already", paragraphs((done,)), says, message=f"{played} in turn {said.turn + 1}")
    late = f"You answered a letter of turn {said.turn}, but the game is at turn {seat.record.turn} now."
    if not valid:
        late = "You answered a letter from before the game was taken back or your seat changed hands."
    text = f"{late} {NOTHING_CHANGED} Here is the game as it is now."
    says = headline("late" if valid else "outdated", seat.player, turn=str(said.turn))
    message = f"it answers turn {said.turn}" if valid else "it answers a letter that no longer counts"
    return reply(seat, post, "late", paragraphs((text,)), says, error=True, message=message)


# Words


def _pass_on(seat: Seat, post: Post) -> Verdict:
    """Keep the words for the others' next letters; if it is the player's turn, tell them that there was no order."""
    sayings = talk.with_words(seat.table, seat.roster, seat.player, post.words)
    desk = seat.desk
    if desk.decides == seat.player.colour:
        why = paragraphs(("I found no order in your message. The other players will read what you wrote.",))
        says, message = headline("empty", seat.player), "told that it has no order, and passed on to the table"
        why = (*why, *nearly(post.words))
        return reply(seat, post, "empty", why, says, parts=talk.kept(seat.table, sayings), message=message)
    letters: list[Letter] = []
    if why := nearly(post.words):
        says, message = headline("unsure", seat.player), "passed on to the table, and asked whether it is a request"
        return reply(seat, post, "heard", why, says, parts=talk.kept(seat.table, sayings), message=message)
    # There is no next letter once the game is over, so it goes out now.
    if not desk.decides and replies_left(seat, post, "answered"):
        for player in seat.roster.players:
            own, sayings = talk.deliver(sayings, player)
            if own and player.news != "none":
                says = headline("talk", player, speaker=seat.player.name)
                letters.append(letter(desk, player, (), own, says=says))
    return write_answer(
        seat, post, "heard", "passed on to the table", seat.record, letters, talk.kept(seat.table, sayings)
    )
