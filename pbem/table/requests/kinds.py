"""What a player can ask for by a message: each request in one row of ``REQUESTS``.

The words by which it is recognised stand in ``reading/words/en.toml``, under ``requests``: in ``plain``, and in
``topics`` if one can ask for help with it.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

from pbem.errors import Illegal, NotUnderstood, NotYourTurn, Stale
from pbem.first_sparks.plans.waves import as_asked
from pbem.first_sparks.state import GameState
from pbem.locale import LANGUAGES, Phrase, language_named, own_words, phrase, phrase_by, phrase_written, tr
from pbem.page.glue import glued
from pbem.page.page import Items, Prose, Section, Sections
from pbem.page.page import paragraphs as page_paragraphs
from pbem.reading.lines import is_order
from pbem.reading.recognisers.motions import spoken_in
from pbem.reading.recognisers.phrases import meaning
from pbem.reading.recognisers.requests import NOTE
from pbem.table.clock import away_until
from pbem.table.letters.absence import away_from_now_on
from pbem.table.letters.help import REQUESTS as YOU_CAN_WRITE
from pbem.table.letters.help import plan_help_sections, primer_sections
from pbem.table.letters.letter import paragraphs, phrases, refusal
from pbem.table.letters.plans import what_is_ahead
from pbem.table.matters.kinds import MOVED
from pbem.table.notes import noted, reads_own
from pbem.table.people import BOT, UNTIL_BACK, check_substitute
from pbem.table.requests.request import Asked, Granted, Request, changed, told
from pbem.table.table import House, Table, decides
from pbem.table.times import named_day

_NEWS: Final = {
    "every": (
        "You will get a letter after every move, with everything that has happened. "
        'To change that, write "news turn" or "news none".'
    ),
    "turn": 'You will get a letter when it is your turn. To change that, write "news every" or "news none".',
    "none": 'You will get a letter only when it is your turn. To change that, write "news every" or "news turn".',
}
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
_ALONE: Final = 'I have not counted "{request}", since your message has an order or a plan as well. Send it alone.'


# Help


def _help(asked: Asked) -> Granted:
    words = asked.words
    topic = " ".join(words[words[:1] in (("with",), ("about",), ("on",)) :])
    if not topic:
        return told(asked, partial(_all_help, asked.table.house))
    return told(asked, plan_help_sections if topic in ("plan", "plans") else partial(_help_with, topic))


def _all_help(house: House) -> Sections:
    """Return the game, how to play, and what else a player can ask for."""
    listed_requests = Section("why", (Prose(tr(YOU_CAN_WRITE)), Items(requests_listed())))
    return (*primer_sections(), *page_paragraphs("why", (tr(house.help),)), listed_requests)


def _help_with(topic: str) -> Sections:
    """Return how another request is written, or else how all are."""
    about = tuple(tr(line) for line in HELP if line.startswith((f'"{topic}"', f'"{topic} ')))
    return (Section("why", (Prose(tr(YOU_CAN_WRITE)), Items(about or requests_listed()))),)


def _rules(asked: Asked) -> Granted:
    from pbem.rule_search import overview, rule_blocks, rules_named

    if not asked.words:
        return told(asked, overview)
    found = rules_named(asked.words, own_words(asked.text).partition(" ")[2], asked.player.language)
    return told(asked, lambda: (Section("why", tuple(rule_blocks(found))),))


# The game


def _of_game(answer: Callable[[Asked, Table], Sections]) -> Callable[[Asked], Granted]:
    """Return what grants an answer about the game as it is after the message."""

    def answered(asked: Asked, table: Table) -> Sections:
        try:
            return answer(asked, table)
        except (Illegal, NotYourTurn, NotUnderstood, Stale) as wrong:
            return refusal(wrong)()

    return lambda asked: Granted(asked.table, partial(answered, asked))


def _shown(asked: Asked, table: Table) -> Sections:
    """Return what the player has said ahead, and a remark: every letter shows the game, and what is legal."""
    return (*paragraphs((tr("Here is the game as it is now."),)), *what_is_ahead(table, asked.player))


def _options(asked: Asked, table: Table) -> Sections:
    record, colour = table.record, asked.player.colour
    if decides(record) in ("", colour):
        return _shown(asked, table)
    from pbem.what_if import SUPPOSED, supposed_blocks

    return (Section("trial", tuple(supposed_blocks(record, colour)), tr(SUPPOSED)),)


def _trial(asked: Asked, table: Table) -> Sections:
    from pbem.what_if import trial_sections

    record, colour, waves = table.record, asked.player.colour, table.house.waves
    state = as_asked(record.state, colour) if waves else record.state
    orders = "; ".join(_ordered(piece, state) for piece in " ".join(asked.words).split(";"))
    return trial_sections(record, colour, orders, waves=waves)


def _ordered(words: str, state: GameState) -> str:
    """Return the order that is meant by words to try, as in a reply; the words themselves if that is not certain."""
    meant = None if is_order(words.strip()) else meaning(words.strip(), state)
    return meant.orders[0] if meant and len(meant.orders) == 1 else words


def _suggest(asked: Asked) -> Granted | None:
    return None if asked.words else _of_game(_suggestion)(asked)


def _suggestion(asked: Asked, table: Table) -> Sections:
    from pbem.table.letters.advice import advice_sections

    record = table.record
    return advice_sections(record.state, asked.player.colour, record.game, waves=table.house.waves)


# Letters


def _note(asked: Asked) -> Granted:
    """Keep a note for a player; while somebody stands in, it is not sure who has written."""
    is_own = reads_own(asked.player) or reads_own(asked.writer)
    notes, text = noted(asked.table.notes, asked.player, asked.text.removeprefix(NOTE), is_own=is_own)
    return told(asked, phrases(text))._replace(table=asked.table.but(notes=notes))


def _news(asked: Asked) -> Granted | None:
    match asked.words:
        case [("every" | "turn" | "none") as news]:
            return changed(asked, asked.player._replace(news=news), phrases(phrase(_NEWS[news])))
        case _:
            return None


def _stop(asked: Asked) -> Granted | None:
    return None if asked.words else _news(asked._replace(text="news none"))


def _plain(asked: Asked) -> Granted | None:
    match asked.words:
        case []:
            return changed(asked, asked.player._replace(text="plain"), phrases(phrase(_IN_LISTS)))
        case ["off"]:
            return changed(asked, asked.player._replace(text=""), phrases(phrase(_DRAWN)))
        case _:
            return None


def _language(asked: Asked) -> Granted:
    """Let a player read letters in another language, of which the answer is the first one."""
    language = language_named(asked.words[0] if asked.words else "")
    if language is None:
        known = ", ".join(f"{glued(f'language {code}')} ({name})" for code, name in LANGUAGES.items())
        return told(asked, phrases(phrase(_NO_LANGUAGE, known=known)), refused=True)
    return changed(asked, asked.player._replace(language=language), phrases(phrase(SPOKEN)))


# Absence


def _absent(asked: Asked) -> Granted:
    """Let a player be away; one who is alone with bots has nobody who waits, so that no bot stands in.

    Raises NotUnderstood for a day that does not exist or is over, and Illegal for a substitute who plays in this game.
    """
    table, until, today = asked.table, " ".join(asked.words), asked.today
    roster, house = table.roster, table.house
    day = named_day(until, today, house.zone) if until else UNTIL_BACK
    away_until(day, today, house.zone)
    check_substitute(roster, asked.player)
    player = asked.player._replace(absent=day)
    alone = all(other.reader == BOT for other in roster.players if other.colour != player.colour)
    stands_in = bool(player.deputy) and not (alone and player.deputy == BOT)

    def text() -> Sections:
        return paragraphs((away_from_now_on(house.zone, player, today, is_timed=bool(table.now), stands_in=stands_in),))

    return changed(asked, player, text)


def _back(asked: Asked) -> Granted | None:
    """Let a player be back, who reads whether somebody will stand in the next time as well."""
    home = asked.player.at_home
    if asked.words:
        return None
    if home == asked.player:
        return told(asked, phrases(phrase(_NOT_AWAY)))
    if not home.deputy:
        return changed(asked, home, phrases(phrase(_BACK)))

    def text() -> Sections:
        return paragraphs((tr(_BACK_WITH_SUBSTITUTE).format(substitute=home.deputy_name),))

    return changed(asked, home, text)


def _join(asked: Asked) -> Granted:
    return told(asked, phrases(phrase("You are already playing in this game.")))


# All of them, in the order in which help lists them
REQUESTS: Final = (
    Request("show", _of_game(_shown), ("show",), help=('"show": the game as it stands',)),
    Request(
        "options",
        _of_game(_options),
        ("options",),
        help=('"options": everything that is legal now, or would be if it were your turn',),
    ),
    Request(
        "try",
        _of_game(_trial),
        ("try ORDER",),
        help=('"try" and an order: what would follow, without playing it',),
    ),
    Request(
        "suggest",
        _suggest,
        ("suggest",),
        help=('"suggest": what a bot would order and plan in your place, and why, without playing it',),
    ),
    Request(
        "rules",
        _rules,
        ("rules rot",),
        help=(
            '"rules": the chapters of the rules, and those asked for most',
            '"rules" and a number or a word, like "rules R4.5" or "rules rot": the rules about it',
        ),
    ),
    Request(
        "help",
        _help,
        ("help",),
        help=('"help plan": how to say ahead what you will answer, so that nobody has to wait for you',),
    ),
    Request(
        "note",
        _note,
        ("note TEXT",),
        help=('"note" and a text: a note to yourself, which stands in your letters; "note" alone clears it',),
    ),
    Request(
        "news",
        _news,
        ("news every", "news turn", "news none"),
        help=(
            '"news every": a letter after every move, yours included, with everything that has happened',
            '"news turn": a letter when it is your turn, when the game has to wait or is about to end, and at its end',
            '"news none": a letter only when it is your turn',
        ),
        lasts=True,
    ),
    Request("stop", _stop, lasts=True),
    Request(
        "plain",
        _plain,
        ("plain",),
        help=(
            '"plain": letters in lists, without drawings and tables, for example for a screen reader; "plain off" ends '
            "that",
        ),
        lasts=True,
    ),
    Request(
        "language",
        _language,
        ("language it",),
        help=(
            '"language" and a code: letters in English ("language en"), Italian ("it"), French ("fr") or German ("de")',
        ),
        lasts=True,
    ),
    Request(
        "absent",
        _absent,
        ("absent until 2026-12-31",),
        help=('"absent until 2026-12-31" or just "absent": you are away',),
        lasts=True,
    ),
    Request("back", _back, ("back",), help=('"back": you have returned',), lasts=True),
    Request("join", _join),
)
_BY_WORD: Final = {request.word: request for request in REQUESTS}
LASTING: Final = frozenset(request.word for request in REQUESTS if request.lasts)
# What a hint names of all that a player can write on a line of its own, and what help says of it: motions as well, and
# orders that are allowed at any time.
KNOWN: Final = (
    *(written for request in REQUESTS for written in request.written),
    *(kind.request for kind in MOVED.values()),
    "resign",
)
HELP: Final = (
    *(line for request in REQUESTS for line in request.help),
    *(kind.texts.help for kind in MOVED.values()),
    '"resign": you leave the game permanently',
    '"agree end": until the next move you agree to end the game as it stands; it ends when everyone agrees',
)


def requests_listed() -> tuple[str, ...]:
    """Return what a player can write, an item each."""
    return tuple(map(tr, HELP))


def known_requests() -> Phrase:
    """Return what a player can write, in one line."""

    def again() -> str:
        return ", ".join(glued(tr(request, "to write")) for request in KNOWN)

    return phrase_by(", ".join(map(glued, KNOWN)), again)


def grant(asked: Asked) -> Granted:
    """Grant a request."""
    request = _BY_WORD.get(asked.text.split()[0].lower())
    try:
        granted = request.grants(asked) if request is not None else None
    except (Illegal, NotYourTurn, NotUnderstood, Stale) as wrong:
        return told(asked, refusal(wrong), refused=True)
    if granted is not None:
        return granted
    if spoken_in(asked.text):
        return told(asked, phrases(phrase(_ALONE, request=asked.text)))
    short = phrase_written(asked.text[:60], own_words(asked.text)[:60])
    unknown = phrase('I do not understand the request "{request}".', request=short)
    hint = phrase("You can write: {requests}.", requests=known_requests())
    return told(asked, lambda: (Section("why", (Prose(tr(unknown)), Prose(tr(hint)))),), refused=True)
