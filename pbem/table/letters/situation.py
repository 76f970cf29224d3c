"""The letter about how the game stands: it begins with why it is sent, and shows what its reader may see."""

from collections.abc import Callable, Container, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from pbem.first_sparks.adjudicator import who_decides
from pbem.first_sparks.briefing.situation import NOTHING, for_letter
from pbem.first_sparks.briefing.words import seat_text, to_write
from pbem.first_sparks.phases import Adding, Answering, Ended, Settling, SettlingNeutral, Spreading, SpreadingNeutral
from pbem.first_sparks.plans.plan import holds_for_technology
from pbem.first_sparks.plans.waves import as_asked, asked_together, question_to
from pbem.first_sparks.record import History, Record, at_line
from pbem.first_sparks.state import GameState
from pbem.game_files import own_set
from pbem.grammar import in_words, listed
from pbem.locale import tr
from pbem.page.glue import unbroken
from pbem.page.page import Page, Prose, Sections
from pbem.page.page import paragraphs as page_paragraphs
from pbem.page.plain import in_lists
from pbem.plans.intents import Intent, answered_turns, said_ahead
from pbem.reading.ticket import Ticket, marker_of, ticket
from pbem.rulings import since
from pbem.table.costs import of_the_end
from pbem.table.letters.absence import absence, look_text
from pbem.table.letters.ending import proof, salt_of, whole_game
from pbem.table.letters.harmless import buttons, note_sections, talk_sections
from pbem.table.letters.headlines import Headline, Occasion, by_situation, first_line, headline, subject_of
from pbem.table.letters.letter import Letter, paragraphs
from pbem.table.notes import reads_own
from pbem.table.people import Player
from pbem.table.table import NO_REASON, Table
from pbem.table.talk import Saying
from pbem.table.times import shown

_PAUSED: Final = "The host has paused the game: {reason}. No orders are accepted until it is resumed."
_PAUSED_WITHOUT: Final = (
    "The host has paused the game without giving a reason. No orders are accepted until it is resumed."
)


# The parts of a letter, in their order. Those that show the game have the keys of their sections, which
# ``first_sparks/briefing/situation.py`` makes; the others are named in ``letter``.
ORDER: Final = (
    *("why", "pause", "situation", "away", "question", "reply", "final", "ending", "ahead", "note", "talk"),
    *("happened", "food", "board", "harvest", "market", "clans"),
)
NO_ANSWERS: Final = "You cannot answer now. When the game is resumed, you get this question again."


def letter(
    table: Table,
    player: Player,
    why: Sections = (),
    sayings: Sequence[Saying] = (),
    *,
    says: Headline | None = None,
    in_reply_to: str = "",
    error: bool = False,
    with_game: bool = False,
    nothing: str = NOTHING,
    names_time: bool = False,
) -> Letter:
    """Return a letter: *why* it is sent, what was said, and the situation for the player.

    *says* is its headline, by default that of the situation. It answers the mail with the id *in_reply_to*; with
    *error* it rejects that mail, so that no machine answers it. *with_game* attaches the game if it is over. *nothing*
    says that the player is not asked. How much time is left is not said where *why* already *names_time*.
    """
    record, state, colour = table.record, table.state_for(player), player.colour
    if isinstance(state.phase, Ended) or not table.roster.stands_in(player):
        player = player.writer  # no bot stands in for whoever reads this
    own = ticket(player.key, table.name, colour, record.turn)
    is_paused = bool(table.roster.paused and table.decides)
    paused = headline(Occasion.PAUSED, player) if is_paused else None
    says = says or paused or by_situation(player, state, record.turn, record.history)
    shown = for_letter(
        state,
        colour,
        news_for(record, colour, lambda: table.rows, answered_turns(table.in_force, colour)),
        game=table.name,
        turn=record.turn,
        own_set=own_set(record),
        to_answer=tr(table.house.to_answer),
        course=record.history,
        every=player.news == "every",
        plain=player.reads_lists,
        nothing=nothing,
    )
    attached = table.attached(player.language) if with_game else ()
    sections = in_order(
        with_blocks(_unanswerable(shown) if is_paused else shown, _about_time(table, player, names_time=names_time)),
        why=why,
        pause=_pause(table),
        away=away(table, player),
        ending=_ending(table, player, attached),
        ahead=planning(state, colour) if colour in table.asked and not _plans(table, player) else (),
        note=note_sections(table.notes.get(colour, "")) if reads_own(player) else (),
        talk=talk_sections(sayings),
    )
    page = Page(sections, first_line(own, says), marker_of(own, record.head))
    return addressed(own, player, subject_of(own.game, says.subject), page, in_reply_to)._replace(
        buttons=() if is_paused else buttons(state, colour),
        picture=b"" if player.reads_lists else table.picture(player.language),
        attached=attached,
        error=error,
        serial=table.serial,
    )


def in_order(shown: Sections, **beside: Sections) -> Sections:
    """Return the sections of a letter in their ``ORDER``: those that show the game, and what is *beside* them."""
    parts = {section.key: (section,) for section in shown} | beside
    return tuple(section for name in sorted(parts, key=ORDER.index) for section in parts[name])


def with_blocks(shown: Sections, about_time: Sequence[Prose]) -> Sections:
    """Return the sections with more about time where the game stands."""
    return tuple(
        each._replace(blocks=(*each.blocks, *about_time)) if each.key == "situation" else each for each in shown
    )


def addressed(own: Ticket, player: Player, subject: str, page: Page, in_reply_to: str) -> Letter:
    """Return a letter to whoever reads the player's mail."""
    to = player.reader
    name = player.name if to == player.address else player.substitute_name
    page = in_lists(page) if player.reads_lists else page
    return Letter(to, name, subject, page, own, in_reply_to=in_reply_to, language=player.language)


def _pause(table: Table) -> Sections:
    """Return why no orders are accepted now, if the game is paused."""
    if not table.roster.paused:
        return ()
    if table.roster.paused == NO_REASON:
        return paragraphs((tr(_PAUSED_WITHOUT),))
    return paragraphs((tr(_PAUSED).format(reason=table.roster.paused),))


def _unanswerable(shown: Sections) -> Sections:
    """Return the sections with the remark that a question cannot be answered, in place of how to do that."""
    if all(section.key != "question" for section in shown):  # somebody else is asked
        return shown
    no_answers = (Prose(tr(NO_ANSWERS)),)
    return tuple(each._replace(blocks=no_answers) if each.key == "reply" else each for each in shown)


def _ending(table: Table, player: Player, attached: Sequence[tuple[str, str]]) -> Sections:
    """Return what letters say at the end: the player's part in the draws, the cost, and how to see it all."""
    file, page, *_ = (*(name for name, _ in attached), "", "")
    salt = page_paragraphs("salt", salt_of(table.record, player.colour, table.minutes.seated_at(player.colour)))
    cost = page_paragraphs("cost", (of_the_end(table.cost),) if table.cost else ())
    return (*salt, *cost, *whole_game(file, page), *proof(table.record, file))


def _about_time(table: Table, player: Player, *, names_time: bool) -> Sequence[Prose]:
    """Return who is asked at the same time, until when plans wait, and how much time there is to answer."""
    told: list[Prose] = []
    asked = player.colour in table.asked
    if asked and table.house.waves:
        told += asked_at_once(table.record.state, player.colour)
    if table.look is not None:
        is_own = has_waiting_plan(table, player.colour)
        told.append(Prose(look_text(table.look, table.house.zone, table.now, is_own=is_own)))
    if asked and not names_time and player.colour in table.due:
        told.append(Prose(_time_left(table, table.due[player.colour])))
    return told


def _time_left(table: Table, due: datetime | timedelta) -> str:
    """Return how much time a player who is asked has to answer, from now on if it has not begun to run."""
    if isinstance(due, timedelta):
        return tr("You have {span} to answer.").format(span=in_words(due))
    return tr("You have until {due} to answer.").format(due=shown(due, table.house.zone, table.now))


def planning(state: GameState, colour: str) -> Sections:
    """Return the second part of a letter that asks for new members: what can be said now about the next market."""
    if not isinstance(state.phase, Spreading | Adding | SpreadingNeutral):
        return ()
    from pbem.first_sparks.plans.next_market import plan_ahead

    said = plan_ahead(state, colour)
    return (said,) if said.blocks else ()


def _plans(table: Table, player: Player) -> bool:
    """Return whether the player already has a plan about cards that is not over."""
    intent = table.in_force.get(player.colour, Intent())
    plan = said_ahead(table.kept, player.colour, intent).plan if intent.plan else None
    return plan is not None and plan.speaks_of_cards


def asked_at_once(state: GameState, colour: str) -> tuple[Prose, ...]:
    """Return what a player reads who is asked together with others, whatever these have said ahead."""
    together = asked_together(state) if question_to(state, colour) else ()
    if len(together) < 2:
        return ()
    others = listed(
        seat_text(state.clan(other).player, other) for other in state.order if other in together and other != colour
    )
    if who_decides(state) == colour:
        said = tr(_FIRST)
    else:
        phase = type(state.phase) if type(state.phase) in _AT_ONCE else type(as_asked(state, colour).phase)
        said = unbroken(tr(_AT_ONCE[phase]))
    return (Prose(said.format(others=others, wait=tr(to_write("wait")), nobody=tr(to_write("if nobody wants it")))),)


_FIRST: Final = "You are asked at the same time as {others}. You come first, so your answer is played at once."
_SPREADING_AT_ONCE: Final = (
    "You are asked at the same time as {others}. Your answer is played once those before you have answered, if it "
    "costs no more then than now; otherwise you are asked again. To be asked when the others have answered, "
    "write\N{NO-BREAK SPACE}{wait}."
)
_AT_ONCE: Final[Mapping[type, str]] = {
    Answering: "You are asked at the same time as {others}. The last one in player order to say yes buys the card. You "
    "may also say that you would\N{NO-BREAK SPACE}buy\N{NO-BREAK SPACE}{nobody}. To be asked when the others have "
    "answered, write\N{NO-BREAK SPACE}{wait}.",
    Spreading: _SPREADING_AT_ONCE,
    Adding: _SPREADING_AT_ONCE,
    Settling: "You are asked at the same time as {others}. Your answer is played once those before you have "
    "answered. You may name several spaces, the best one first: the first one that is still free counts.",
    SettlingNeutral: "You are asked at the same time as {others}, who also places the neutral clan. Both come before "
    "you. You may name several spaces, the best one first: the first one that is still free counts.",
}


def has_waiting_plan(table: Table, colour: str) -> bool:
    """Return whether plans wait, and a player has one for this technology phase."""
    if table.look is None or colour not in table.in_force:
        return False
    plan = said_ahead(table.kept, colour, table.in_force[colour]).plan
    return plan is not None and holds_for_technology(plan, table.kept.state)


def away(table: Table, reader: Player) -> Sections:
    """Return what others read about absent players who are asked or have a substitute."""
    absent = (p for p in table.roster.players if p.absent and p.colour != reader.colour and table.decides)
    seen = (p for p in absent if p.colour in table.questioned or p.deputy)
    return paragraphs(absence(table.house.zone, player, table.now) for player in seen)


def is_stopped(table: Table) -> bool:
    """Return whether it is the turn of an absent player without a substitute, so that the game waits."""
    return table.situation.waits_for(table.decides) is not None


def waits(table: Table, player: Player) -> bool:
    """Return whether the player wants to know why the game is not moving."""
    return player.news != "none" and not table.record.state.clan(player.colour).resigned


def news_for(
    record: Record, colour: str, rows: Callable[[], Sequence[dict[str, Any]]], planned: Container[int] = ()
) -> History:
    """Return what has happened from the player's last message with orders on.

    The *rows* of the journal tell where that message begins, and are only read if the player gave several orders.
    Turns *planned* by the player, which were played without a message, belong to what has happened.
    """
    first = next((line for line, (entry, _) in enumerate(record.history) if entry.turn in planned), None)
    if first is not None:
        return (*news_for(at_line(record, first), colour, rows), *record.history[first:])
    history = since(record, colour)
    own = [number for number, (entry, _) in enumerate(history) if entry.by == colour and entry.is_order]
    if len(own) < 2:
        return history
    ends: list[int] = []  # the turns in which earlier messages of the player ended
    for row in rows():
        if row.get("code") == "taken back":
            ends = [turn for turn in ends if turn <= row.get("turn", 0)]
        elif row.get("code") == "played" and row.get("colour") == colour:
            ends.append(row.get("turn", 0))
    last = history[own[-1]][0].turn
    end = max((turn for turn in ends if turn < last), default=0)
    return history[next(number for number in own if history[number][0].turn > end) :]
