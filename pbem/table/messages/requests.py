"""What players may request besides giving orders, and the answers: news, help, rules, absence."""

import re
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from typing import Any, Final, NamedTuple

from pbem.errors import Illegal, NotUnderstood, NotYourTurn, Stale
from pbem.first_sparks.briefing.words import seat_text
from pbem.first_sparks.plans.waves import as_asked
from pbem.first_sparks.record import Record
from pbem.first_sparks.state import GameState
from pbem.grammar import listed, phrase_listed
from pbem.locale import LANGUAGES, Language, Phrase, language_named, own_words, phrase, phrase_by, phrase_written, tr
from pbem.page.glue import glued
from pbem.page.page import Prose, Section, Sections
from pbem.reading.languages import in_english
from pbem.reading.lines import cleaned, is_order
from pbem.reading.recognisers.motions import spoken_in
from pbem.reading.recognisers.phrases import meaning
from pbem.reading.recognisers.requests import NOTE, is_near, named
from pbem.table.clock import away_until, is_renewed, renewed
from pbem.table.letters.headlines import Occasion, headed
from pbem.table.letters.help import KNOWN_REQUESTS, help_sections, plan_help_sections, request_help_sections
from pbem.table.letters.letter import Passage, paragraphs, phrases, together
from pbem.table.letters.plans import about_plan
from pbem.table.messages.answers import Heard, PlayersMessage, answer, refusal, replies_left, unanswered
from pbem.table.notes import noted, reads_own
from pbem.table.occurrences import CameBack, Occurrence, WentAway
from pbem.table.people import BOT, UNTIL_BACK, Player, Roster, check_substitute
from pbem.table.progress import go_on, stand_still
from pbem.table.table import House, Table, decides
from pbem.table.times import last_day, named_day

MOST_REQUESTS: Final = 5
_NEWS: Final = {
    "every": (
        "You will get a letter after every move, with everything that has happened. "
        'To change that, write "news turn" or "news none".'
    ),
    "turn": 'You will get a letter when it is your turn. To change that, write "news every" or "news none".',
    "none": 'You will get a letter only when it is your turn. To change that, write "news every" or "news turn".',
}
# Until the player returns, until a day, and until a day without a clock: then nothing sees that the day has passed.
_AWAY: Final = (
    'You are away from now on, and the game waits for you. When you return, write "back".',
    'You are away until {day}, and the game waits for you. If you return sooner, write "back".',
    "You are away until {day}, and the game waits for you. "
    'No clock has run in this game yet, so write "back" when you return.',
)
_STOOD_IN: Final = (
    'You are away from now on, and {substitute} stands in for you. When you return, write "back".',
    'You are away until {day}, and {substitute} stands in for you. If you return sooner, write "back".',
    "You are away until {day}, and {substitute} stands in for you. "
    'No clock has run in this game yet, so write "back" when you return.',
)
_BACK: Final = "Welcome back."
_BACK_WITH_SUBSTITUTE: Final = "Welcome back. The next time that you are away, {substitute} stands in for you again."
_NOT_AWAY: Final = "You were not away, so nothing has changed."
_IN_LISTS: Final = (
    "From now on your letters have lists in place of drawings, pictures and tables. "
    'To get those again, write "plain off".'
)
_DRAWN: Final = 'From now on your letters have drawings and tables again. To get lists, write "plain".'
SPOKEN: Final = (
    'From now on your letters are in English, and you can write in it. "language" and the name of another one changes '
    "that again."
)
_NO_LANGUAGE: Final = "I do not know that language. You can write: {known}."
_NOBODY: Final = (
    "I have asked nobody about {line}, and have not passed it on: nobody in this game is called {name}. "
    "The players are {players}."
)
_ALONE: Final = 'I have not counted "{request}", since your message has an order or a plan as well. Send it alone.'
_NEARLY: Final = (
    'I passed "{line}" on to the other players, and did nothing else with it. '
    "If it was meant for me, write one of these on a line of its own: {requests}."
)
_LASTING: Final = ("absent", "back", "language", "news", "plain", "stop")


def is_lasting(requests: Iterable[str]) -> bool:
    """Return whether a request has a lasting effect, so that the player must hear of it, whoever has written."""
    return any(request.split()[0] in _LASTING for request in requests)


def nearly(words: str, language: Language) -> str:
    """Return how to write a request, if a line of talk in that language looks like one, and else nothing."""
    lines = map(cleaned, words.splitlines())
    line = next((line for line in lines if is_near(in_english(line, language).text)), None)
    return "" if line is None else phrase(_NEARLY, line=line, requests=_known_requests())


def _known_requests() -> Phrase:
    def again() -> str:
        return ", ".join(glued(tr(request, "to write")) for request in KNOWN_REQUESTS)

    return phrase_by(", ".join(map(glued, KNOWN_REQUESTS)), again)


class Granted(NamedTuple):
    """The *player* as requested, and the *answer* to one request: None if it depends on the game as it is then.

    A request that is *refused* has changed nothing, and the answer says why.
    """

    player: Player
    answer: Passage | None = None
    refused: bool = False


def without_nobody(message: PlayersMessage) -> Heard | None:
    """Ask who is meant by a message that asks to go on without somebody who does not play; None for any other one.

    It is that line alone, and ends with a name. Any other one is talk: ``go on without delay``.
    """
    line, roster = cleaned(message.post.words), message.table.roster
    said = spoken_in(line) if "\n" not in message.post.words.strip() else None
    name = line.rstrip(" .!?").rpartition(" ")[2]
    if said is None or said.whom != name.lower() or not re.fullmatch(r"[A-Z][a-z]+", name):
        return None

    def why() -> Sections:
        players = listed(seat_text(player.name, player.colour) for player in roster.players)
        return paragraphs((tr(_NOBODY).format(name=name, line=glued(f'"{line}"'), players=players),))

    words = "told that nobody in the game has that name"
    return answer(message, "answered", why, headed(Occasion.UNSURE, message.player), words=words)


def grant(
    house: House, roster: Roster, player: Player, request: str, now: datetime | None, today: datetime | None
) -> Granted:
    """Grant one request of a player; *now* is the time of the last tick, and *today* the latest that is known."""
    word, *words = request.split()
    try:
        match word.lower(), words:
            case "help", []:
                return Granted(player, partial(help_sections, house))
            case "help", _:
                topic = " ".join(words[words[0] in ("with", "about", "on") :])
                is_plan = topic in ("plan", "plans")
                return Granted(player, plan_help_sections if is_plan else partial(request_help_sections, topic))
            case (("try" | "options" | "show"), _):
                return Granted(player)
            case "suggest", []:
                return Granted(player)
            case "rules", []:
                from pbem.rule_search import overview

                return Granted(player, overview)
            case "rules", _:
                from pbem.rule_search import rule_blocks, rules_named

                own = own_words(request).partition(" ")[2]
                found = rules_named(tuple(words), own, player.language)
                return Granted(player, lambda: (Section("why", tuple(rule_blocks(found))),))
            case "news", [("every" | "turn" | "none") as news]:
                return Granted(player._replace(news=news), phrases(phrase(_NEWS[news])))
            case "stop", []:
                return Granted(player._replace(news="none"), phrases(phrase(_NEWS["none"])))
            case "plain", ([] | ["off"]):
                text = phrase(_DRAWN if words else _IN_LISTS)
                return Granted(player._replace(text="" if words else "plain"), phrases(text))
            case "language", _:
                return _language(player, words[0] if words else "")
            case "absent", _:
                return _absent(house, roster, player, " ".join(words), now, today)
            case "back", []:
                return _back(player)
            case _ if spoken_in(request):
                return Granted(player, phrases(phrase(_ALONE, request=request)))
            case "join", _:
                return Granted(player, phrases(phrase("You are already playing in this game.")))
            case _:
                unknown = phrase('I do not understand the request "{request}".', request=_short(request))
                hint = phrase("You can write: {requests}.", requests=_known_requests())
                return Granted(player, lambda: (Section("why", (Prose(tr(unknown)), Prose(tr(hint)))),), refused=True)
    except (Illegal, NotYourTurn, NotUnderstood, Stale) as wrong:
        return Granted(player, refusal(wrong), refused=True)


def _short(request: str) -> str:
    return phrase_written(request[:60], own_words(request)[:60])


def _language(player: Player, named: str) -> Granted:
    """Let a player read letters in another language, of which the answer is the first one."""
    language = language_named(named)
    if language is None:
        known = ", ".join(f"{glued(f'language {code}')} ({name})" for code, name in LANGUAGES.items())
        return Granted(player, phrases(phrase(_NO_LANGUAGE, known=known)), refused=True)
    return Granted(player._replace(language=language), phrases(phrase(SPOKEN)))


def _absent(
    house: House, roster: Roster, player: Player, until: str, now: datetime | None, today: datetime | None
) -> Granted:
    """Let a player be away; one who is alone with bots has nobody who waits, so that no bot stands in.

    Raises NotUnderstood for a day that does not exist or is over, and Illegal for a substitute who plays in this game.
    """
    day = named_day(until, today, house.zone) if until else UNTIL_BACK
    away_until(day, today, house.zone)
    check_substitute(roster, player)
    player = player._replace(absent=day)
    alone = all(other.reader == BOT for other in roster.players if other.colour != player.colour)
    stands_in = bool(player.deputy) and not (alone and player.deputy == BOT)

    def text() -> Sections:
        place = 0 if not until else 1 if now else 2
        message = tr(_STOOD_IN[place]) if stands_in else tr(_AWAY[place])
        last = last_day(day, house.zone, today)
        return paragraphs((message.format(day=last, substitute=player.deputy_name),))

    return Granted(player, text)


def _back(player: Player) -> Granted:
    """Let a player be back, who reads whether somebody will stand in the next time as well."""
    home = player.at_home
    if home == player:
        return Granted(player, phrases(phrase(_NOT_AWAY)))
    if not home.deputy:
        return Granted(home, phrases(phrase(_BACK)))
    return Granted(home, lambda: paragraphs((tr(_BACK_WITH_SUBSTITUTE).format(substitute=home.deputy_name),)))


def _ordered(words: str, state: GameState) -> str:
    """Return the order that is meant by words to try, as in a reply; the words themselves if that is not certain."""
    meant = None if is_order(words.strip()) else meaning(words.strip(), state)
    return meant.orders[0] if meant and len(meant.orders) == 1 else words


def _of_game(house: House, player: Player, request: str, record: Record) -> Sections:
    """Return the answer to a request that is about the game."""
    word, *words = request.split()
    try:
        match word.lower():
            case "try":
                from pbem.what_if import trial_sections

                state = as_asked(record.state, player.colour) if house.waves else record.state
                orders = "; ".join(_ordered(piece, state) for piece in " ".join(words).split(";"))
                return trial_sections(record, player.colour, orders, waves=house.waves)
            case "suggest":
                from pbem.table.letters.advice import advice_sections

                return advice_sections(record.state, player.colour, record.game, waves=house.waves)
            case "options" if decides(record) not in ("", player.colour):
                from pbem.what_if import SUPPOSED, supposed_blocks

                return (Section("trial", tuple(supposed_blocks(record, player.colour)), tr(SUPPOSED)),)
            case _:  # every letter has both
                return paragraphs((tr("Here is the game as it is now."),))
    except (Illegal, NotYourTurn, NotUnderstood, Stale) as wrong:
        return refusal(wrong)()


# In a message


class Requested(NamedTuple):
    """The table after the requests in a message; *answers* returns what is said in the game as it is then.

    *refused* are those that were not granted, as headlines name them.
    """

    table: Table
    player: Player
    answers: Callable[[Record], Sections]
    refused: tuple[str, ...] = ()


def granted(message: PlayersMessage, note: str = "") -> Heard:
    """Grant the requests and answer them; a request that would get no reply is not granted."""
    if not replies_left(message, "answered"):
        return unanswered(message, "answered")
    table, before, post = message.table, message.player, message.post
    after, player, answers, refused = grants(message, table)
    after = after.with_words(before, post.words)
    why = together(partial(answers, table.record), phrases(note))
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
        reports=goes_on and player.reader == player.address,
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
    player, post, notes = message.player, message.post, dict(table.notes)
    now = table.now if post.requests else None
    today = max(filter(None, (now, post.came)), default=None)
    said: list[Callable[[Record], Sections]] = []
    refused: list[str] = []
    if post.instead:
        said.append(partial(_in_any_game, phrases(post.instead)))
    for request in post.requests[:MOST_REQUESTS]:
        if named(request) == NOTE:
            is_own = reads_own(player) or reads_own(message.player)
            notes, text = noted(notes, player, request.removeprefix(NOTE), is_own=is_own)
            said.append(partial(_in_any_game, phrases(text)))
            continue
        player, answered, is_refused = grant(table.house, table.roster, player, request, now, today)
        of_game = partial(_of_game, table.house, player, request)
        said.append(of_game if answered is None else partial(_in_any_game, answered))
        refused += [named(request)] if is_refused else []
    plan = partial(about_plan, message.table, message.player, player)
    many = phrase("I answer only the first {most} requests in a message.", most=MOST_REQUESTS)
    last = phrases(many if len(post.requests) > MOST_REQUESTS else "", nearly(post.words, player.language))
    said += [partial(_in_any_game, plan), partial(_in_any_game, last)]

    def answers(record: Record) -> Sections:
        return tuple(section for each in said for section in each(record))

    return Requested(table.but(roster=table.roster.changed(player), notes=notes), player, answers, tuple(refused))


def _in_any_game(answered: Passage, _record: Record) -> Sections:
    return answered()
