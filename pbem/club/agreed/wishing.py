"""What a message says about something that all others must agree to: a wish, an agreement, a no, or a withdrawal."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from pbem.club.agreed import texts
from pbem.club.agreed.lines import Spoken, spoken_in
from pbem.club.agreed.texts import NOTHING_ELSE, asked, asking, warning, wished
from pbem.club.agreed.wish import JointWish, kept_wish, read_wish, voters
from pbem.club.reading.asked import Asked
from pbem.club.reading.doubts import is_open
from pbem.club.reading.lines import cleaned
from pbem.club.reading.past import orders_of
from pbem.club.reading.proposals import plain_answer
from pbem.club.reading.received import Post, Verdict, id_digest, kept_name
from pbem.club.table import BOT, Player
from pbem.club.ticket import Ticket
from pbem.club.transaction import Change, write
from pbem.club.writing import talk
from pbem.club.writing.answers import Seat, replies_left, reply, write_answer
from pbem.club.writing.headlines import Occasion, headline
from pbem.club.writing.letter import Letter
from pbem.club.writing.letters import letter, paragraphs
from pbem.errors import PbemError
from pbem.first_sparks.phases import Ended
from pbem.first_sparks.record import same_situations
from pbem.grammar import listed
from pbem.page.glue import glued

MOST_WISHED: Final = 3  # by a player in a turn: each is a letter to everybody
WISHED: Final = "wished"  # the key of a row of the journal: the ids of the letters that ask for a wish
_OVER: Final = "The game is over, so there is nothing left to decide together."
_PUBLIC: Final = "The secret of the draws is public, so nothing can be changed in this game."
_NO_ORDER: Final = "You have not given an order yet, so there is nothing that you can take back."
_NOT_BEGUN: Final = "No order has been given yet. Ask the host, {host}, to give the seat of {whom} to somebody else."
_YOURSELF: Final = "To leave the game yourself, write {resign}."
_LEFT: Final = "{whom} has already left the game."
_YOU_LEFT: Final = "You have left the game, so the others decide whom they wait for."
_BOT: Final = "A bot plays for {whom}, so nobody waits for that seat."
_ALONE: Final = (
    "Nobody but you would have to agree, and you cannot decide that alone. Ask the host, {host}, who can decide for "
    "{whom}, or give the seat to somebody else or to a bot; if a clock is running, it does what the host has chosen."
)
_ENOUGH: Final = "You have asked for this often enough in this turn. Write to the others first."
_ONE_AT_A_TIME: Final = (
    "{wished} There can be only one such wish at a time, and that one is open: {missing} must agree."
)
_OWN: Final = "It is your own wish. {missing} must still agree. To withdraw it, write {withdraw}."
_NOTHING: Final = "There is nothing that you are asked to agree to now. To agree to end the game, write {agree_end}."
_NOT_YOURS: Final = "You have no wish that you could withdraw."
_OLD: Final = "You answered an older letter. Answer the one that says what you are asked to agree to."
_AGREED: Final = "You have agreed. {missing} must still agree."
_AGREED_BEFORE: Final = "You have already agreed. {missing} must still agree."
_NO: Final = "You have said no, so nothing is done."
_WITHDRAWN: Final = "Your wish is withdrawn."
_SAYS_NO: Final = "{name} does not agree, so your wish is over."
_STAYS: Final = "{name} has written, so your wish to go on without {name} is over."
_SAFE: Final = "Nobody asks to go on without you any more. You keep your seat."
_GREETING: Final = ("hi", "hello", "hey", "dear")


def open_wish(seat: Seat) -> JointWish | None:
    """Return the wish that is open in the game, or None; a file that cannot be read counts as none."""
    with suppress(PbemError):
        wish = read_wish(seat.table)
        return wish if wish is not None and wish.holds(seat.record) else None
    return None


def heard(seat: Seat, post: Post, letter_words: Callable[[], str], *, valid: bool) -> Post:
    """Return the message as it is meant while a wish is open: ``yes`` may answer that.

    Any message of the player without whom the game is to go on ends the wish.
    """
    post = _talk_of_nobody(seat, post)
    if post.orders and any(said.what == "take back" for said in _spoken(post)):
        post = post._replace(orders=None, proposed=post.orders.orders, wishes=())  # which of the two is meant?
    wish = open_wish(seat)
    if wish is None or not post.person or post.instead:
        return post
    if wish.whom == seat.player.colour:
        _stays(seat, wish)
        return post
    is_asked = seat.player.colour in (player.colour for player in wish.missing(seat.record, seat.roster))
    return _with_answer(wish, post, letter_words) if valid and is_asked else post


def or_meant(seat: Seat) -> tuple[str, ...]:
    """Return how to answer the open wish, if there is one to which the player must agree."""
    wish = open_wish(seat)
    if wish is None or seat.player not in wish.missing(seat.record, seat.roster):
        return ()
    return (texts.or_meant(wish, dict(seat.record.players)),)


def _talk_of_nobody(seat: Seat, post: Post) -> Post:
    """Return the message with a wish as talk that names nobody in the game: ``go on without delay``."""
    talked = tuple(
        wish
        for wish in post.wishes
        if (said := spoken_in(wish)) and said.what == "go on" and _named(seat, said.whom) is None
    )
    if not talked:
        return post
    wishes = tuple(wish for wish in post.wishes if wish not in talked)
    return post._replace(wishes=wishes, words="\n".join((*talked, *filter(None, (post.words,)))))


def _spoken(post: Post) -> tuple[Spoken, ...]:
    return tuple(said for wish in post.wishes if (said := spoken_in(wish)))


def _with_answer(wish: JointWish, post: Post, letter_words: Callable[[], str]) -> Post:
    """Return the message with its first line as the answer to a wish, if that is what it says.

    A plain yes or no counts only in reply to the letter about the wish. Where it can also answer the question of the
    game, the player is asked what is meant.
    """
    if post.wishes or post.plan or post.early or post.takes_back or post.reread is None:
        return post
    read = post.reread(Asked(letter=letter_words))
    lines = [line for line in map(cleaned, read.words.splitlines()) if line]
    first = next((line for line in lines if line.lower().split()[0].strip(",!") not in _GREETING), "")
    if read.wrong or read.orders or read.proposed or any(is_open(line) for line in lines if line != first):
        return post
    said = spoken_in(first)
    answer: str = said.what if said and said.what in ("agree", "disagree") else ""
    if not answer and not set(map(id_digest, post.names)).isdisjoint(wish.letters):
        answer = {"yes": "agree", "no": "disagree", "": ""}[plain_answer(first)]
    if not answer:
        return post
    if post.orders or post.proposed:
        return post._replace(orders=None, proposed=post.orders.orders if post.orders else post.proposed)
    words = "\n".join(line for line in read.words.splitlines() if cleaned(line) != first)
    return post._replace(wrong=None, wishes=(answer,), words=words)


def _stays(seat: Seat, wish: JointWish) -> None:
    """End a wish to go on without a player who has written."""
    player = seat.player
    told = _STAYS.format(name=player.name)
    letters = _to_wisher(seat, wish, told)
    head = seat.record.head
    row = {"code": "wish over", "game": seat.record.game, "turn": seat.record.turn, "head": head}
    write(seat.club, seat.table, Change(row, head, head, kept_wish(None), letters))


def _to_wisher(seat: Seat, wish: JointWish, told: str) -> tuple[Letter, ...]:
    wisher = seat.roster.player(wish.by)
    return (letter(seat.desk, wisher, paragraphs((told,)), says=headline("wish over", wisher)),) if wisher else ()


# Answers


def speaks_of_wishes(post: Post) -> bool:
    """Return whether a message without orders is about something that all others must agree to."""
    return bool(_spoken(post))


def answered(seat: Seat, said: Ticket, post: Post) -> Verdict:
    """Act on a message that speaks of a wish; only the first thing that it says about one counts."""
    wish, spoken = open_wish(seat), _spoken(post)[0]
    if not replies_left(seat, post, "answered"):
        return write_answer(seat, post, "answered", "no more replies in this turn", seat.record, (), ())
    if spoken.what == "withdraw":
        mine = wish is not None and wish.by == seat.player.colour
        return _ended(seat, post, wish, _WITHDRAWN) if wish and mine else _told(seat, post, _NOT_YOURS)
    if spoken.what in ("take back", "go on"):
        whom = _named(seat, spoken.whom)
        same = wish is not None and (wish.kind, wish.whom) == (spoken.what, whom.colour if whom else "")
        if wish is not None and not same:
            text = _ONE_AT_A_TIME.format(wished=wished(wish, dict(seat.record.players)), missing=_missing(seat, wish))
            return _told(seat, post, text)
        if wish is None:
            return _wished(seat, post, whom)
    if wish is None or seat.player.colour == wish.by:
        text = _NOTHING if wish is None else _OWN.format(missing=_missing(seat, wish), withdraw=glued('"withdraw"'))
        return _told(seat, post, text.replace("{agree_end}", glued('"agree end"')))
    if seat.player.colour not in (p.colour for p in voters(seat.record, seat.roster, wish.by, wish.whom)):
        return _told(seat, post, _NOTHING.format(agree_end=glued('"agree end"')))
    if said.turn not in dict(same_situations(seat.record)) or _answers_an_older(seat, post, wish):
        return _told(seat, post, _OLD)
    if spoken.what == "disagree":
        letters = _to_wisher(seat, wish, _SAYS_NO.format(name=seat.player.name))
        return _ended(seat, post, wish, _NO, letters)
    return _agreed(seat, post, wish)


def _agreed(seat: Seat, post: Post, wish: JointWish) -> Verdict:
    colour = seat.player.colour
    if seat.roster.paused:
        return _told(seat, post, _WAIT)
    if colour in wish.agreed:
        return _told(seat, post, _AGREED_BEFORE.format(missing=_missing(seat, wish)))
    wish = wish._replace(agreed=(*wish.agreed, colour))
    parts = (*kept_wish(wish), *_kept(seat, post))
    if not wish.missing(seat.record, seat.roster):  # it is done now, which all are told
        return write_answer(seat, post, "answered", "all have agreed", seat.record, (), parts)
    return _told(seat, post, _AGREED.format(missing=_missing(seat, wish)), parts)


_WAIT: Final = "This has to wait until the game is resumed."


def _ended(seat: Seat, post: Post, wish: JointWish, told: str, letters: tuple[Letter, ...] = ()) -> Verdict:
    """End the wish: tell the writer, and the player without whom the game was to go on."""
    player = seat.roster.player(wish.whom)
    if player is not None:
        letters += (letter(seat.desk, player, paragraphs((_SAFE,)), says=headline("safe", player)),)
    return _told(seat, post, told, (*kept_wish(None), *_kept(seat, post)), letters)


def _wished(seat: Seat, post: Post, whom: Player | None) -> Verdict:
    """Keep a new wish, and ask all who must agree to it; where nobody must, it is done at once."""
    record, player = seat.record, seat.player
    wrong = _impossible(seat, whom)
    if wrong:
        return _told(seat, post, wrong)
    if whom is None:
        wish = JointWish(
            "take back", player.colour, record.turn, record.head, orders_of(record, player.colour)[-1].turn - 1
        )
    else:
        wish = JointWish("go on", player.colour, record.turn, record.head, whom=whom.colour)
    others = voters(record, seat.roster, player.colour, wish.whom)
    if not others:
        parts = (*kept_wish(wish), *_kept(seat, post))
        return write_answer(seat, post, "answered", "nobody else has to agree", record, (), parts)
    desk, names = seat.desk, [other.name for other in others]
    why = paragraphs(asking(wish, record, names))
    kind: Occasion = "take back?" if whom is None else "go on?"
    absent = whom.name if whom is not None else ""
    letters = [
        letter(desk, other, why, says=headline(kind, other, wisher=player.name, absent=absent), nothing=NOTHING_ELSE)
        for other in others
    ]
    if whom is not None:
        told = paragraphs((warning(wish, dict(record.players)),))
        says = headline("without you", whom, wisher=player.name)
        letters.append(letter(desk, whom, told, says=says, nothing=NOTHING_ELSE))
    ids = tuple(id_digest(seat.club.id_of(own)) for own in letters)
    parts = (*kept_wish(wish._replace(letters=ids)), *_kept(seat, post))
    return _told(seat, post, asked(names), parts, tuple(letters), {WISHED: list(ids)})


def _impossible(seat: Seat, whom: Player | None) -> str:
    """Return why the player cannot wish that now, or nothing: to take back, or to go on without somebody."""
    record, player, host = seat.record, seat.player, seat.club.host
    wishes = sum(WISHED in row and row.get("turn") == record.turn for row in seat.rows if _is_by(row, player))
    if isinstance(record.state.phase, Ended):
        return _OVER
    if seat.roster.paused:
        return _WAIT
    if record.chance.kind == "sealed" and record.chance.secret:
        return _PUBLIC
    if wishes >= MOST_WISHED:
        return _ENOUGH
    if whom is None:
        return "" if orders_of(record, player.colour) else _NO_ORDER
    if whom.colour == player.colour:
        return _YOURSELF.format(resign=glued('"resign"'))
    if record.state.clan(player.colour).resigned:
        return _YOU_LEFT
    if record.state.clan(whom.colour).resigned:
        return _LEFT.format(whom=whom.name)
    if whom.reader == BOT:
        return _BOT.format(whom=whom.name)
    if not record.turn:
        return _NOT_BEGUN.format(host=host, whom=whom.name)
    alone = not voters(record, seat.roster, player.colour, whom.colour)
    return _ALONE.format(host=host, whom=whom.name) if alone else ""


def _is_by(row: dict[str, Any], player: Player) -> bool:
    return row.get("colour") == player.colour


def _answers_an_older(seat: Seat, post: Post, wish: JointWish) -> bool:
    """Return whether the message answers the letter about an earlier wish."""
    ids = set(map(id_digest, post.names))
    earlier = {str(own) for row in seat.rows for own in row.get(WISHED, ())}
    return not ids.isdisjoint(earlier) and ids.isdisjoint(wish.letters)


def _named(seat: Seat, said: str) -> Player | None:
    """Return the player whom a line names: ``bob``, ``red``, ``bob (red)``."""
    for player in seat.roster.players:
        name = player.name.lower()
        if said.lower() in (name, player.colour, f"{name} ({player.colour})", f"{name}, {player.colour}"):
            return player
    return None


def _missing(seat: Seat, wish: JointWish) -> str:
    return listed(player.name for player in wish.missing(seat.record, seat.roster))


def _kept(seat: Seat, post: Post) -> tuple[tuple[str, bytes], ...]:
    """Return the part of a change that keeps the message."""
    name = kept_name(seat.record.turn, seat.player.colour, post.digest)
    return ((f"{seat.table.mails.name}/{name}", post.raw),)


def _told(
    seat: Seat,
    post: Post,
    text: str,
    parts: tuple[tuple[str, bytes], ...] = (),
    more: tuple[Letter, ...] = (),
    row: dict[str, Any] | None = None,
) -> Verdict:
    """Answer the player, and pass on what else the message says."""
    parts += talk.kept(seat.table, talk.with_words(seat.table, seat.roster, seat.player, post.words))
    # Not by name, as other requests are: "take" alone, torn off a first line, would be an order.
    says, message = headline("joint wish", seat.player.writer), listed(post.wishes)
    return reply(seat, post, "answered", paragraphs((text,)), says, parts=parts, more=more, row=row, message=message)
