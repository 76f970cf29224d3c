"""The requests in a message of a player, besides orders: they are granted one after the other, and answered."""

import re
from collections.abc import Iterable
from functools import partial
from typing import Any, Final, NamedTuple

from pbem.first_sparks.briefing.words import seat_text
from pbem.grammar import listed, phrase_listed
from pbem.locale import Language, phrase, tr
from pbem.page.glue import glued
from pbem.page.page import Sections
from pbem.reading.languages import in_english
from pbem.reading.lines import cleaned
from pbem.reading.recognisers.motions import spoken_in
from pbem.reading.recognisers.requests import is_about_substitute, is_near, named
from pbem.table.clock import is_renewed, renewed
from pbem.table.letters.headlines import Occasion, headed
from pbem.table.letters.letter import paragraphs, phrases, together
from pbem.table.letters.plans import about_plan
from pbem.table.messages.answers import Heard, PlayersMessage, answer, replies_left, unanswered
from pbem.table.occurrences import CameBack, Occurrence, WentAway
from pbem.table.people import Player
from pbem.table.progress import go_on, stand_still
from pbem.table.requests.kinds import LASTING, grant, known_requests
from pbem.table.requests.request import Asked, Response
from pbem.table.table import Table

MOST_REQUESTS: Final = 5
_NOBODY: Final = (
    "I have asked nobody about {line}, and have not passed it on: nobody in this game is called {name}. "
    "The players are {players}."
)
_SUBSTITUTE: Final = (
    "Only the host can name somebody who plays for you: write to the host directly, whom your first letter names. "
    "I pass on no address."
)
_ADDRESS: Final = r"[^\s<>(),;:@]{1,64}@[^\s<>(),;:@]{1,80}"
_NEARLY: Final = (
    'I passed "{line}" on to the other players, and did nothing else with it. '
    "If it was meant for me, write one of these on a line of its own: {requests}."
)


def is_lasting(requests: Iterable[str]) -> bool:
    """Return whether a request has a lasting effect, so that the player must hear of it, whoever has written."""
    return any(request.split()[0] in LASTING for request in requests)


def nearly(words: str, language: Language) -> tuple[str, ...]:
    """Return how to write a request, if a line of talk in that language looks like one, and who names a substitute."""
    lines = {line: in_english(line, language).text for line in map(cleaned, words.splitlines())}
    asked = next((line for line, english in lines.items() if is_near(english)), None)
    near = () if asked is None else (phrase(_NEARLY, line=asked, requests=known_requests()),)
    return (*near, phrase(_SUBSTITUTE)) if any(map(is_about_substitute, lines.values())) else near


def without_addresses(words: str, language: Language) -> str:
    """Return talk in that language without the addresses in lines about a substitute, which are not for everybody."""
    lines = words.splitlines()
    about = {line for line in lines if is_about_substitute(in_english(line, language).text)}
    return "\n".join(re.sub(_ADDRESS, "...", line) if line in about else line for line in lines)


def without_nobody(message: PlayersMessage) -> Heard | None:
    """Ask who is meant by a message that asks for something about somebody who does not play; None for any other one.

    It is that line alone, and has a name. Any other one is talk: ``go on without delay``.
    """
    line, roster = cleaned(message.post.words), message.table.roster
    said = spoken_in(line) if "\n" not in message.post.words.strip() else None
    names = re.findall(r"\b[A-Z][a-z]+\b", line)
    name = next((name for name in reversed(names) if said is not None and name.lower() == said.whom), "")
    if not name:
        return None

    def why() -> Sections:
        players = listed(seat_text(player.name, player.colour) for player in roster.players)
        return paragraphs((tr(_NOBODY).format(name=name, line=glued(f'"{line}"'), players=players),))

    words = "told that nobody in the game has that name"
    return answer(message, "answered", why, headed(Occasion.UNSURE, message.player), words=words)


class Requested(NamedTuple):
    """The table after the requests in a message; *answers* returns what is said at the table as it is in the end.

    *refused* are those that were not granted, as headlines name them.
    """

    table: Table
    player: Player
    answers: Response
    refused: tuple[str, ...] = ()


def granted(message: PlayersMessage, note: str = "") -> Heard:
    """Grant the requests and answer them; a request that would get no reply is not granted."""
    if not replies_left(message, "answered"):
        return unanswered(message, "answered")
    table, before, post = message.table, message.player, message.post
    after, player, answers, refused = grants(message, table)
    after = after.with_words(before, post.words)
    why = together(partial(answers, after), phrases(note))
    step = stand_still(message.before, after)
    row: dict[str, Any] = {}
    goes_on = player.absent != before.absent
    if goes_on:
        occurrence: Occurrence = WentAway(before) if player.absent else CameBack(before)
        step = go_on(message.before, after, occurrence)
        step, row = step._replace(after=_with_full_time(step.after, player)), dict(step.row)
    reader = player.at_home if is_lasting(post.requests) else player
    about = refused or tuple(map(named, post.requests[:MOST_REQUESTS]))
    says = headed(Occasion.REQUEST_REFUSED if refused else Occasion.REQUEST, reader, request=phrase_listed(about))
    return answer(
        message,
        "answered",
        why,
        says,
        words=", ".join(map(named, post.requests)),
        row=row,
        step=step,
        reports=goes_on and player.is_home,
        to=reader,
    )


def _with_full_time(table: Table, player: Player) -> Table:
    """Return the table with the full time for a player who is asked, if the terms of the clock allow that."""
    terms, clock = table.terms, table.clock
    if terms is None or clock.last is None or player.colour not in table.asked:
        return table
    full = tuple(
        renewed(each) if each.colour == player.colour and is_renewed(terms, each, clock.last) else each
        for each in clock.questions
    )
    return table.but(clock=clock._replace(questions=full))


def grants(message: PlayersMessage, table: Table) -> Requested:
    """Grant the requests in a message, and answer them in the game as it is after it."""
    writer, post, colour = message.player, message.post, message.colour
    said, refused, player = list[Response](), list[str](), writer
    for request in post.requests[:MOST_REQUESTS]:
        table, answered, is_refused = grant(Asked(table, player, request, writer, message.today))
        player = table.roster.player(colour) or player
        said.append(answered)
        refused += [named(request)] if is_refused else []
    plan = partial(about_plan, message.table, writer, player)
    many = phrase("I answer only the first {most} requests in a message.", most=MOST_REQUESTS)
    last = phrases(many if len(post.requests) > MOST_REQUESTS else "", *nearly(post.words, player.language))
    instead = phrases(post.instead)

    def answers(after: Table) -> Sections:
        granted = (section for each in said for section in each(after))
        return (*instead(), *granted, *plan(), *last())

    return Requested(table, player, answers, tuple(refused))
