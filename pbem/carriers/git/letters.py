"""The letters of a server of games: who hears what of a push, and of the time that runs.

They are answered in a clone. What is the same in a club, they say in the words of its letters. They are no letters of
``table.tell``, which compares two tables: a table knows for each seat an address, the key of its tickets, what was said
ahead, and which talk its reader has not got, and for the game a journal and a clock of ticks. A repository has none of
these, since everybody reads its commits; each would have to be made up here, and left out again in every letter.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC
from functools import reduce
from types import MappingProxyType
from typing import Final

from pbem import report
from pbem.carriers.git.public import replaced, replacing
from pbem.carriers.git.server import PushNews
from pbem.carriers.git.status import Seen, line
from pbem.locale import Language, speaking, tr
from pbem.page.page import Page, Sections, paragraphs
from pbem.table.letters.letter import Letter
from pbem.table.letters.motions import asked_for, is_told, of_seat, warning
from pbem.table.letters.reminders import WAITED_FOR
from pbem.table.lines import date_of
from pbem.table.matters.standing import TimeUp
from pbem.table.minutes import Minutes, Motion
from pbem.table.times import shown

_SUBJECT: Final = 60  # characters of what was said
_ANSWER_FOR: Final = "pbem git answer"
_GO_ON: Final = "pbem git exclude {colour}"
_ANSWER: Final = "Answer in your clone of the game, with {agree} or {object}."
_PLAY: Final = "Play in your clone of the game, with {move}."
_HOME: Final = "Welcome back. Your absence is over, and it is your turn."
_YOUR_TIME: Final[dict[TimeUp, str]] = {
    "tell": "Your time is up, but an answer still counts.",
    "answer": "Your time is up. An answer counts until another player lets your clan decline, pass or stay.",
    "exclude": "Your time is up. An answer counts until another player decides to go on without you.",
}
_THEIR_TIME: Final[dict[TimeUp, str]] = {
    "tell": "",
    "answer": "Any player can now answer in that place: {answer}.",
    "exclude": "Any player can now decide to go on: {go_on}.",
}


def letters(
    seen: Seen, news: PushNews, addresses: Mapping[str, str], languages: Mapping[str, Language] = MappingProxyType({})
) -> Iterator[Letter]:
    """Yield the letters to those who are asked, after the end or if a player is late to all, and about talk to others.

    Without any news, it is a reminder. *addresses* are those of the players, by colour; others get none. *languages*
    are those in which they read, by colour too; others read English.
    """
    record = seen.record
    asked = record.missing or (record.asked,)
    for colour, name in record.players:
        said = [each.words for each in news.said if each.by != colour]
        is_turn = (news.moved or not news.said) and (colour in asked or None in asked)
        if addresses.get(colour) and (is_turn or said or (seen.is_late and not news.said)):
            language = languages.get(colour, "en")
            with speaking(language):
                subject = line(seen, colour) if is_turn or not said else f"{record.game}: {said[0][:_SUBJECT]}"
                told = (*said, *_why(seen, colour, news))
                page = _with_game(seen, colour, told) if is_turn else _without_game(seen, colour, told)
            yield Letter(addresses[colour], name, subject, page, language=language)


def _why(seen: Seen, colour: str, news: PushNews) -> Iterator[str]:
    """Yield what the player of that colour reads about new motions, and about the time that runs."""
    new = [motion for motion in seen.minutes.motions if motion.line in news.said]
    for motion in new:
        yield from _about_motion(seen, motion, colour)
        before = reduce(Minutes.after, seen.minutes.lines[: seen.minutes.lines.index(motion.line)], Minutes())
        over = replaced(motion.line, before, seen.record)
        yield from (replacing(over),) if over else ()
    if news.moved or news.said:
        return
    if seen.is_home and not seen.is_soon_late and colour == seen.record.asked:
        yield tr(_HOME)
    if seen.until is None:
        return
    if not seen.is_late and colour == seen.record.asked:
        yield tr(WAITED_FOR).format(due=shown(date_of(seen.until), UTC, date_of(seen.time)))
    elif seen.is_late:
        then = seen.minutes.standing.then
        text = tr(_YOUR_TIME[then]) if colour == seen.record.asked else tr(_THEIR_TIME[then])
        yield from (text.format(answer=_ANSWER_FOR, go_on=_GO_ON.format(colour=seen.record.asked)),) if text else ()


def _about_motion(seen: Seen, motion: Motion, colour: str) -> Iterator[str]:
    if motion in seen.open_to(colour) and is_told(motion):
        yield asked_for(motion, seen.record)
    elif motion in seen.about_seat_of(colour) and is_told(motion):
        yield warning(motion, dict(seen.record.players))[0]
        yield tr(of_seat(motion).anywhere)


def _without_game(seen: Seen, colour: str, told: tuple[str, ...]) -> Page:
    how = tr(_ANSWER).format(agree="pbem git agree", object="pbem git object")
    return Page(paragraphs("talk", (*told, line(seen, colour), *((how,) if seen.open_to(colour) else ()))))


def _with_game(seen: Seen, colour: str, told: tuple[str, ...]) -> Page:
    sections: Sections = report.page_for(seen.record, colour).sections
    kept = tuple(part for part in sections if part.key not in ("reply", "copy"))
    how = paragraphs("how", (tr(_PLAY).format(move="pbem git move"),)) if seen.record.asked else ()
    return Page((*paragraphs("talk", (*told, *seen.waits_for(colour))), *kept, *how))
