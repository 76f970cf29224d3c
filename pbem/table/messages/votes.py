"""What a message says about something that all others must agree to: a motion, an agreement, a no, or a withdrawal."""

import re
from collections.abc import Callable, Collection
from typing import Final

from pbem.errors import NotUnderstood
from pbem.first_sparks.briefing.words import to_write
from pbem.grammar import listed, phrase_listed, unaccented
from pbem.loading import Submission
from pbem.locale import LANGUAGES, Language, own_words, phrase, phrase_written
from pbem.plans.intents import FORGET, is_early
from pbem.reading.context import Context
from pbem.reading.doubts import is_open
from pbem.reading.languages import in_english
from pbem.reading.lines import cleaned
from pbem.reading.message import Post
from pbem.reading.recognisers.confirmations import is_spoken_out, plain_answer
from pbem.reading.recognisers.motions import OPENINGS, Spoken, spoken_in, takes_answer_back, without_wishes
from pbem.reading.vocabulary import any_of
from pbem.table.letters import motions as texts
from pbem.table.letters.headlines import Occasion, headed
from pbem.table.letters.letter import Passage, phrases, refusal, together
from pbem.table.lines import Agrees, Closes, Disagrees
from pbem.table.matters.kinds import MOVED
from pbem.table.matters.matter import Matter, Setting
from pbem.table.messages.answers import Heard, PlayersMessage, answer, heard, replies_left, unanswered
from pbem.table.messages.verdict import id_digest
from pbem.table.minutes import Motion
from pbem.table.occurrences import MotionMade, MotionOver, Occurrence
from pbem.table.people import Player, Roster, of_reader
from pbem.table.progress import stand_still
from pbem.table.table import Table

MOST_MOVED: Final = 3  # by a player in a turn: each is a letter to everybody
ASKED: Final = "motion"  # the key of a row of the journal: the ids of the letters that ask for one
# After the name of a player.
_REASON: Final = r", (?:s?he|they) (?:never|does|has|is|did|will not|won)|(?:,| )(?:because|since)\b"
_LIKE_AN_ANSWER: Final = rf"(?i){any_of('motions.like_an_answer')}"
_LIKE_YES_OR_NO: Final = rf"(?i){any_of('motions.like_yes_or_no')}"
_YES: Final = rf"(?i){any_of('motions.gladly')}"
_NO_TO_IT: Final = rf"(?i){any_of('motions.rather_not')}"
_THANKS: Final = rf"(?i){any_of('confirmations.thanks')}"
_FEW_WORDS: Final = 12
_LONGEST_VOTE: Final = 120  # characters
_OVER: Final = "The game is over, so there is nothing left to decide together."
_PUBLIC: Final = "The secret of the draws is public, so nothing can be changed in this game."
_ENOUGH: Final = "You have asked for this often enough in this turn. Write to the others first."
_ONE_AT_A_TIME: Final = (
    "{open_one} There can be only one motion at a time. {missing} must still agree to that one, and {object} ends it."
)
_OWN: Final = "It is your own motion. {missing} must still agree. To withdraw it, write {withdraw}."
_NOTHING: Final = "There is nothing that you are asked to agree to now. To agree to end the game, write {agree_end}."
_NOT_YOURS: Final = "You have no motion that you could withdraw."
_OLD: Final = "You answered an older letter. Answer the one that says what you are asked to agree to."
_AGREED: Final = "You have agreed. {missing} must still agree."
_AGREED_BEFORE: Final = "You have already agreed. {missing} must still agree."
_NO: Final = "You have objected, so nothing is done."
_WITHDRAWN: Final = "Your motion is withdrawn."
_LEFT: Final = "You have left the game, so the others decide what becomes of it."
_BOT_PLAYS: Final = "A bot plays for you now, so the others decide without you. When you are back, write {back} first."
_WAIT: Final = "This has to wait until the game is resumed."


def understood(
    table: Table, player: Player, post: Post, letter_words: Callable[[], str], *, valid: bool, may_order: bool
) -> Post:
    """Return the message as it is meant while a motion is open: ``yes`` may answer that.

    If it answers an older letter, it *may* not *order* anything, so that it does not answer the question in that. To
    take back is first about an early answer, and only then about the game.
    """
    post = _talk_of_nobody(table.roster, post)
    if valid and _takes_answer_back(table, player, post):
        return post._replace(early=FORGET, requests=(), words=post.words if post.requests else "")
    if post.orders and any(said.what == "take back" for said in _spoken(post)):
        post = post._replace(orders=None, proposed=post.orders.orders, requests=())  # which of the two is meant?
    motion = table.open_motion
    if motion is None or not post.person or post.instead or not valid or player not in table.voters(motion):
        return post
    is_missing = player in table.missing(motion)  # who has agreed can still object
    post = _beside_order(post, player.language) if post.orders else post
    is_agreed = is_missing and any(said.what == "agree" for said in _spoken(post))
    if post.orders and not motion.matter.is_of_the_table and is_agreed:
        return post._replace(orders=None, proposed=post.orders.orders, requests=())  # the order would end the motion
    return _with_answer(_letters(table)[0], post, letter_words, player.language, may_order=may_order)


def _takes_answer_back(table: Table, player: Player, post: Post) -> bool:
    """Return whether a message is nothing but a request to take back, and its writer has an early answer."""
    if post.orders or post.proposed or post.plan or post.early or len(post.requests) > 1:
        return False
    says_so = not post.requests and takes_answer_back(cleaned(in_english(post.words, player.language).text))
    asks_so = [each.what for each in _spoken(post)] == ["take back"]
    return (says_so or asks_so) and is_early(table.kept, player.colour, of_reader(table.ahead, player))


def ended_by(table: Table, player: Player, post: Post) -> MotionOver | None:
    """Return that a message ends a motion: any one of the player without whom the game is to go on does."""
    motion = table.open_motion
    if motion is None or motion.whom != player.colour or not post.person or post.instead:
        return None
    return MotionOver(motion, player.colour, stays=True)


def or_meant(table: Table, player: Player) -> tuple[str, ...]:
    """Return how to answer the open motion, if there is one to which the player must agree."""
    motion = table.open_motion
    if motion is None or player not in table.missing(motion):
        return ()
    return (texts.or_meant(motion, table.names),)


def nearly_meant(table: Table, player: Player, post: Post) -> tuple[str, ...]:
    """Return how to answer the open motion, if talk looks like an answer to it that did not count.

    Of somebody who has to answer that is also a line like yes or no, and a few words in reply to the letter that asks.
    """
    motion, words = table.open_motion, post.words
    if motion is None or player not in table.voters(motion):
        return ()
    lines = [cleaned(in_english(line, player.language).text) for line in words.splitlines()]
    is_like_one = any(re.match(_LIKE_AN_ANSWER, line) for line in lines)
    if player in table.missing(motion) and not is_like_one:
        is_reply = _is_reply(_letters(table)[0], post.names or post.seen) and len(words.split()) <= _FEW_WORDS
        is_like_one = is_reply or any(re.match(_LIKE_YES_OR_NO, line) for line in lines)
    return (texts.or_meant(motion, table.names),) if is_like_one else ()


def _is_reply(asking: frozenset[str], names: Collection[str]) -> bool:
    return not asking.isdisjoint(map(id_digest, names))


def _talk_of_nobody(roster: Roster, post: Post) -> Post:
    """Return the message with a motion as talk that names nobody in the game: ``go on without delay``."""
    talked = tuple(
        request
        for request in post.requests
        if (said := spoken_in(request)) and said.whom and _named(roster, said.whom) is None
    )
    if not talked:
        return post
    requests = tuple(request for request in post.requests if request not in talked)
    return post._replace(requests=requests, words="\n".join((*map(own_words, talked), *filter(None, (post.words,)))))


def _spoken(post: Post) -> tuple[Spoken, ...]:
    return tuple(said for request in post.requests if (said := spoken_in(request)))


def _beside_order(post: Post, language: Language) -> Post:
    """Return the message with an answer to the motion that stands beside an order as a request, and not as talk."""
    told, answers = post.words.splitlines(), dict[str, str]()
    for line in told:
        english = cleaned(in_english(line, language).text)
        said = spoken_in(english)
        if said and said.what in ("agree", "disagree"):
            answers[line] = phrase_written(english, line.strip())
    words = "\n".join(line for line in told if line not in answers)
    return post._replace(requests=(*post.requests, *answers.values()), words=words)


def _with_answer(
    asking: frozenset[str], post: Post, letter_words: Callable[[], str], language: Language, *, may_order: bool
) -> Post:
    """Return the message with its first line as the answer to a motion, if that is what it says.

    A plain yes or no counts only in reply to a letter about the motion, whose ids are *asking*. If it names no letter,
    it is enough that its writer had that one, if it says nothing else and may be no order. Where it can also answer the
    question of the game, the player is asked what is meant.
    """
    if post.requests or post.plan or post.early or post.takes_back or post.reread is None:
        return post
    read = post.reread(Context(letter=letter_words, language=language))
    told = read.words.splitlines()
    lines = [cleaned(in_english(line, language).text) for line in told]
    first = next((line for line in lines if line and line.lower().split()[0].strip(",!") not in OPENINGS), "")
    may_be_else = post.orders or post.proposed or len(list(filter(None, lines))) > 1
    is_asked = _is_reply(asking, post.names or (() if may_be_else else post.seen))
    if is_asked and may_order and post.orders and _may_be_a_vote(post.orders, read.orders):
        return post._replace(orders=None, proposed=post.orders.orders)
    if read.wrong or read.orders or read.proposed or any(is_open(line) for line in lines if line not in ("", first)):
        return post
    said = spoken_in(first)
    answered: str = said.what if said and said.what in ("agree", "disagree") else ""
    is_sure = bool(answered) and is_asked
    if not answered and is_asked:
        answered = _plainly(told[lines.index(first)] if first else "", language, to_a_letter=bool(post.names))
    if not answered:
        return post
    if may_order and not is_sure and (post.orders or post.proposed):
        return post._replace(orders=None, proposed=post.orders.orders if post.orders else post.proposed)
    words = "\n".join(line for line, meant in zip(told, lines, strict=True) if meant != first)
    return post._replace(wrong=None, orders=None, proposed=(), requests=(answered,), words=words)


def _plainly(own: str, language: Language, *, to_a_letter: bool) -> str:
    """Return what a line that is nothing but yes or no in some language says of a motion, the writer's own first."""
    read = (cleaned(in_english(own, each).text) for each in (language, *LANGUAGES))
    plain = (_plain_vote(line) for line in map(without_wishes, read) if to_a_letter or is_spoken_out(line))
    return {"yes": "agree", "no": "disagree", "": ""}[next(filter(None, plain), "")]


def _plain_vote(line: str) -> str:
    """Return whether a cleaned line says nothing but yes, ``Sure, no problem!``, or nothing but no."""
    if answered := plain_answer(line):
        return answered
    parts = filter(None, map(str.strip, re.split(r"[.,;:!]+", line[:_LONGEST_VOTE])))
    said = {_said_in(part) for part in parts} - {"thanks"}
    return said.pop() if len(said) == 1 else ""


def _said_in(words: str) -> str:
    for answered, pattern in (("yes", _YES), ("no", _NO_TO_IT), ("thanks", _THANKS)):
        if re.fullmatch(pattern, words):
            return answered
    return plain_answer(words)


def _may_be_a_vote(orders: Submission, alone: Submission | None) -> bool:
    """Return whether orders may answer a motion: ``decline``, or a ``buy`` that only the question makes an order."""
    return orders.orders == ("decline",) or (orders.orders == ("buy",) and (alone is None or alone.orders != ("buy",)))


# Answers


def speaks_of_motions(post: Post) -> bool:
    """Return whether a message without orders is about something that all others must agree to."""
    return bool(_spoken(post))


def voted(message: PlayersMessage) -> Heard:
    """Act on a message that speaks of a motion; only the first thing that it says about one counts."""
    table, colour, motion, spoken = message.table, message.colour, message.table.open_motion, _spoken(message.post)[0]
    if not replies_left(message, "answered"):
        return unanswered(message, "answered")
    if spoken.what == "withdraw":
        is_own = motion is not None and motion.by == colour
        return _ended(message, motion, phrase(_WITHDRAWN)) if motion and is_own else _told(message, phrase(_NOT_YOURS))
    if motion is not None and not table.missing(motion) and (spoken.what != "disagree" or colour == motion.by):
        return _told(message, phrase(_WAIT))  # for nobody else: a pause alone keeps it from being done
    if spoken.what in MOVED:
        kind, setting = MOVED[spoken.what], _setting(message, spoken)
        try:
            if motion is None:
                return _moved(message, kind, setting)
            is_the_same = kind.is_moved_by(setting, motion.matter)
        except NotUnderstood as wrong:
            return _told(message, refusal(wrong))
        if not is_the_same:
            open_one = texts.motion_text(motion, table.names)
            holes = {"missing": _missing(table, motion), "object": to_write("object")}
            return _told(message, phrase(_ONE_AT_A_TIME, open_one=open_one, **holes))
    if motion is None:
        return _told(message, phrase(_NOTHING, agree_end=to_write("agree end")))
    if colour == motion.by:
        return _told(message, phrase(_OWN, missing=_missing(table, motion), withdraw=to_write("withdraw")))
    if message.player not in table.voters(motion):
        return _told(message, phrase(_NOTHING, agree_end=to_write("agree end")))
    if message.said.turn < motion.line.turn or _answers_an_older(message, motion):
        return _told(message, phrase(_OLD))
    return _ended(message, motion, phrase(_NO)) if spoken.what == "disagree" else _agreed(message, motion)


def _agreed(message: PlayersMessage, motion: Motion) -> Heard:
    table, colour = message.table, message.colour
    if table.roster.paused:
        return _told(message, phrase(_WAIT))
    if colour in motion.agreed:
        return _told(message, phrase(_AGREED_BEFORE, missing=_missing(table, motion)))
    after = table.with_line(colour, Agrees(motion.by))
    if after.open_motion is not None and not after.missing(after.open_motion):  # it is done now, which all are told
        after = after.with_words(message.player, message.post.words)
        return heard(message, "answered", "all have agreed", stand_still(message.before, after), counts=True)
    return _told(message, phrase(_AGREED, missing=_missing(after, after.open_motion)), after=after)


def _ended(message: PlayersMessage, motion: Motion, told: str) -> Heard:
    after = message.table.with_line(message.colour, Disagrees(motion.by))
    return _told(message, told, MotionOver(motion, message.colour), after=after)


def _moved(message: PlayersMessage, kind: type[Matter], setting: Setting) -> Heard:
    """Keep a new motion, and ask all who must agree to it; where nobody must, it is done at once."""
    table, player = message.table, message.player
    matter = _impossible(message) or kind.moved(setting)
    if isinstance(matter, str):
        return _told(message, matter)
    after = table.with_line(player.colour, matter, proposed=True)
    motion = after.open_motion
    assert motion is not None
    others = [other.name for other in after.voters(motion)]
    if not others:
        step = stand_still(message.before, after.with_words(player, message.post.words))
        return heard(message, "answered", "nobody else has to agree", step, counts=True)
    return _told(message, texts.asked(others), MotionMade(motion), after=after)


def _setting(message: PlayersMessage, spoken: Spoken) -> Setting:
    named = _named(message.table.roster, spoken.whom)
    setting = message.table.setting(message.colour, named.colour if named is not None else "", spoken.about)
    return setting._replace(now=message.today)


def _impossible(message: PlayersMessage) -> str:
    """Return why the player cannot move anything now, or nothing."""
    table, player, record = message.table, message.player, message.table.kept
    rows = (row for row in table.rows if row.get("colour") == player.colour and row.get("turn") == record.turn)
    if table.is_over:
        return phrase(_OVER)
    if record.state.clan(player.colour).resigned:
        return phrase(_LEFT)
    if player.colour not in table.voting:
        return phrase(_BOT_PLAYS, back=to_write("back"))
    if table.roster.paused:
        return phrase(_WAIT)
    if record.chance.kind == "sealed" and record.chance.secret:
        return phrase(_PUBLIC)
    return phrase(_ENOUGH) if sum(ASKED in row for row in rows) >= MOST_MOVED else ""


# Who is meant


def _answers_an_older(message: PlayersMessage, motion: Motion) -> bool:
    """Return whether the message answers a letter about an earlier motion, or another one that may have told of it."""
    ids, (now, *earlier) = set(map(id_digest, message.post.names)), _letters(message.table)
    if not ids or not ids.isdisjoint(now):
        return False
    lines = message.table.minutes.lines
    before = lines[: lines.index(motion.line)] if message.said.turn == motion.line.turn else ()
    ended = (line for line in before if isinstance(line.said, Matter | Disagrees | Closes))
    return any(line.turn == motion.line.turn for line in ended) or any(not ids.isdisjoint(each) for each in earlier)


def _letters(table: Table) -> tuple[frozenset[str], ...]:
    """Return the ids of the letters about each motion that somebody was asked about, the newest first; never empty."""
    found = [frozenset(map(str, row[ASKED])) for row in reversed(table.rows) if ASKED in row]
    return tuple(found) or (frozenset(),)


def _named(roster: Roster, said: str) -> Player | None:
    """Return the player whom a line names: ``bob``, ``red``, ``bob (red)``, or ``bob, he never answers``."""
    whole = unaccented(said)
    for text in (whole, re.split(_REASON, whole)[0]):
        for player in roster.players:
            name = unaccented(player.name)
            if text in (name, player.colour, f"{name} ({player.colour})", f"{name}, {player.colour}"):
                return player
    return None


def _missing(table: Table, motion: Motion | None) -> str:
    return phrase_listed(player.name for player in table.missing(motion)) if motion else ""


def _told(message: PlayersMessage, text: str | Passage, *occurrences: Occurrence, after: Table | None = None) -> Heard:
    """Answer the player, and pass on what else the message says; it counts if the minutes have more *after* it."""
    said = (after or message.table).with_words(message.player, message.post.words)
    # Not by name, as other requests are: "take" alone, torn off a first line, would be an order.
    says = headed(Occasion.MOTION, message.player.writer)
    return answer(
        message,
        "answered",
        together(phrases(text) if isinstance(text, str) else text, phrases(message.unheard)),
        says,
        words=listed(message.post.requests),
        step=stand_still(message.before, said, *occurrences),
        counts=after is not None,
    )
