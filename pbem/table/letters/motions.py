"""What players read about a motion, to which all others must agree."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from pbem.first_sparks.adjudicator import Entry
from pbem.first_sparks.bot.seats import is_bot
from pbem.first_sparks.briefing.words import colour_word, to_write
from pbem.first_sparks.moves import Draw
from pbem.first_sparks.notation import order_text
from pbem.first_sparks.record import Record
from pbem.grammar import listed, phrase_listed, plural
from pbem.locale import phrase, phrase_of, tr
from pbem.page.page import Sections
from pbem.table.decisions import movable
from pbem.table.letters.headlines import Headline, Occasion, headline, headline_of, reader_of
from pbem.table.letters.letter import paragraphs
from pbem.table.lines import TakeBack, line_now
from pbem.table.minutes import Motion
from pbem.table.occurrences import MotionOver, TakenBack
from pbem.table.people import Player

MOST_TOLD: Final = 12  # moves
_BACK: Final = (
    "{mover} asks to take the game back to turn {turn}, to before {mover}'s last own order. These moves would no "
    "longer count: {moves}."
)
_MORE_BACK: Final = (
    "{mover} asks to take the game back to turn {turn}, to before {mover}'s last own order. These moves would no "
    "longer count: {moves}; and {more} more."
)
_SAME_DRAWS: Final = "The draws among them would be the same again in the same situation."
_WITHOUT: Final = (
    "{mover} asks that the game goes on without {whom} ({colour}). {whom} would leave the game permanently. The clan "
    "could not win any more, and would decide nothing; its members and cards would stay, and it would still hunt and "
    "eat."
)
_WITHOUT_YOU: Final = (
    "{mover} asks the others to go on without you. If all of them agree, you leave the game permanently: your clan "
    "cannot win any more, and decides nothing; its members and cards stay."
)
_KEEP: Final = "To keep your seat, answer this letter: any order or word from you ends that motion."
ANY_WORD: Final = "To keep your seat, move, object or say something: any order or word from you ends that motion."
_WHEN: Final = ("It is done when {voters} has agreed.", "It is done when {voters} have agreed.")
_HOW: Final = (
    "If you agree, answer this letter with {agree} on a line of "
    "its own; if not, with {object}. If the game goes on before that, the motion is over."
)
_OR_MEANT: Final = "If you meant to answer what {mover} has asked all of you, write {agree} or {object} instead."
SAFE: Final = "Nobody asks to go on without you any more. You keep your seat."
_SAYS_NO: Final = "{name} objects, so your motion is over."
_STAYS: Final = "{name} has written, so your motion to go on without {name} is over."
_BY_HOST: Final = (
    "The host has taken the game back to turn {turn}. These moves no longer count: {moves}.",
    "The host has taken the game back to turn {turn}. These moves no longer count: {moves}; and {more} more.",
)
_TOGETHER: Final = (
    "You have agreed to take the game back to turn {turn}, as {mover} asked. These moves no longer count: {moves}.",
    "You have agreed to take the game back to turn {turn}, as {mover} asked. These moves no longer count: "
    "{moves}; and {more} more.",
)
_ALONE: Final = (
    "You have taken the game back to turn {turn}. These moves no longer count: {moves}.",
    "You have taken the game back to turn {turn}. These moves no longer count: {moves}; and {more} more.",
)
# What the letter about a motion says to those who have no question of the game to answer.
NOTHING_ELSE: Final = "Apart from what is asked above, you have nothing to decide now."
_ASKED: Final = (
    "I have asked {voters}. It is done when {voters} has agreed. Until then you can write {withdraw}.",
    "I have asked {voters}. It is done when each of them has agreed. Until then you can write {withdraw}.",
)


class MotionTexts(NamedTuple):
    """A kind of motion in words: its line of help, the headline of the letter that asks to agree, what is asked.

    When it is *done*, everybody reads that, below a headline of its own; whom it is about reads the second ones. A
    takeback says what it undoes, see ``taken_back``. All are whole messages with the holes ``mover``, ``whom`` and
    ``colour`` (of the player whom it is about).
    """

    help: str
    headline: tuple[str, ...]
    asks: str
    has_asked: str
    too_late: str
    done_headlines: tuple[tuple[str, ...], ...] = ()
    done: tuple[str, ...] = ()


# By the word of its line in the minutes.
_TEXTS: Final[Mapping[str, MotionTexts]] = {
    "take back": MotionTexts(
        '"take back": you ask the others to take the game back to before your last order',
        (
            "{mover} asks to take something back",
            "{name}, {mover} asks to take something back. Do you agree?",
            "{name}, {mover} asks to take something back.",
        ),
        _BACK,
        "{mover} has asked to take the game back to turn {turn}.",
        "Your motion to take the game back is over, since the game has gone on.",
    ),
    "exclude": MotionTexts(
        '"go on without" and a name: you ask the others to go on without that player',
        (
            "{mover} asks to go on without {whom}",
            "{name}, {mover} asks to go on without {whom}. Do you agree?",
            "{name}, {mover} asks to go on without {whom}.",
        ),
        _WITHOUT,
        "{mover} has asked that the game goes on without {whom}.",
        "Your motion to go on without {whom} is over, since the game has gone on.",
        (
            ("the game goes on without {whom}", "{name}, the game goes on without {whom}."),
            ("you have left the game", "{name}, you have left the game."),
        ),
        (
            "You have agreed to go on without {whom}, as {mover} asked. {whom} has left the game.",
            "The others have agreed to go on without you, as {mover} asked. You have left the game.",
        ),
    ),
}


def _holes(motion: Motion, names: Mapping[str, str]) -> dict[str, str]:
    """Return what fills the holes of the words about a motion."""
    turn = str(motion.matter.to) if isinstance(motion.matter, TakeBack) else ""
    return {
        "mover": names[motion.by],
        "whom": names.get(motion.whom, ""),
        "colour": colour_word(motion.whom),
        "turn": turn,
    }


def _is_long(undone: Sequence[Entry]) -> bool:
    """Return whether there are more moves than are told."""
    return sum(entry.is_order for entry in undone) > MOST_TOLD


def story(undone: Sequence[Entry], turn: int, told: str, mover: str = "") -> str:
    """Return a message about moves that no longer count; it says how many more there are, if it is a long one."""
    own = [_move_text(entry) for entry in undone if entry.is_order]
    return told.format(turn=turn, moves="; ".join(own[:MOST_TOLD]), more=len(own) - MOST_TOLD, mover=mover)


def _move_text(entry: Entry) -> str:
    """Return a move as the log has it, ``57 red pass``."""
    return tr("{turn} {colour} {order}", "a move").format(
        turn=entry.turn, colour=colour_word(entry.by), order=order_text(str(entry.move))
    )


def undone_by(record: Record, turn: int) -> tuple[Entry, ...]:
    """Return the lines of the log after that turn."""
    return tuple(entry for entry, _ in record.history if entry.turn > turn)


def in_help() -> Iterator[str]:
    """Yield how each kind is moved by a message, in English."""
    yield from (texts.help for texts in _TEXTS.values())


def is_told(motion: Motion) -> bool:
    """Return whether letters say what a motion is about."""
    return motion.matter.word in _TEXTS


def asked_for(motion: Motion, record: Record) -> str:
    """Return what a motion is about; *record* has the names of the players."""
    names = dict(record.players)
    if not isinstance(motion.matter, TakeBack):
        return tr(_TEXTS[motion.matter.word].asks).format_map(_holes(motion, names))
    turn = motion.matter.to
    undone = undone_by(record, turn)
    said = story(undone, turn, tr(_MORE_BACK if _is_long(undone) else _BACK), names[motion.by])
    is_same = not record.chance.salted and any(isinstance(entry.move, Draw) for entry in undone)
    return " ".join((said, tr(_SAME_DRAWS))) if is_same else said


def asking(motion: Motion, record: Record, voters: Sequence[str]) -> tuple[str, ...]:
    """Return the paragraphs of the letter to all who must agree to a motion; *record* has the names of the players."""
    when = plural(len(voters), *_WHEN).format(voters=listed(voters))
    how = " ".join((when, tr(_HOW).format(agree=tr(to_write("agree")), object=tr(to_write("object")))))
    return (asked_for(motion, record), how)


def would_leave(motion: Motion, names: Mapping[str, str]) -> str:
    """Return what the player reads without whom the game is to go on, but not how to prevent it."""
    return tr(_WITHOUT_YOU).format(mover=names[motion.by])


def warning(motion: Motion, names: Mapping[str, str]) -> str:
    """Return what the player reads without whom the game is to go on."""
    return " ".join((would_leave(motion, names), tr(_KEEP)))


def taken_back(done: TakenBack, turn: int, names: Mapping[str, str]) -> tuple[Occasion, tuple[str, str]]:
    """Return the kind of letter about a takeback to the end of that turn, and what everybody reads about it."""
    motion = done.motion
    kind: Occasion = "taken back" if motion is None else "taken back together"
    long = _is_long(done.undone)
    told = tr(_BY_HOST[long]) if motion is None else tr(_TOGETHER[long]) if motion.agreed else tr(_ALONE[long])
    why = story(done.undone, turn, told, "" if motion is None else names[motion.by])
    return kind, (why, tr("Please answer this letter: replies to earlier ones no longer count."))


def asked_of(motion: Motion, voter: Player, record: Record, voters: Sequence[Player]) -> tuple[Sections, Headline]:
    """Return what somebody reads who must agree to a motion, and the headline."""
    names = dict(record.players)
    holes = {"name": reader_of(voter), **_holes(motion, names)}
    says = headline_of(_TEXTS[motion.matter.word].headline, holes)
    return paragraphs(asking(motion, record, [each.name for each in voters])), says


def warned(motion: Motion, player: Player, names: Mapping[str, str]) -> tuple[Sections, Headline]:
    """Return what the player reads without whom the game is to go on, and the headline."""
    return paragraphs((warning(motion, names),)), headline("without you", player, mover=names[motion.by])


def ended(over: MotionOver, name: str) -> str:
    """Return what a player reads whose motion somebody of that name has ended."""
    return tr(_STAYS if over.stays else _SAYS_NO).format(name=name)


def done(motion: Motion, player: Player, names: Mapping[str, str]) -> tuple[Sections, Headline]:
    """Return what a player reads of a motion that was carried out, and the headline."""
    texts, holes = _TEXTS[motion.matter.word], {"name": reader_of(player), **_holes(motion, names)}
    at = -1 if player.colour == motion.whom else 0
    return paragraphs((tr(texts.done[at]).format_map(holes),)), headline_of(texts.done_headlines[at], holes)


def asked(voters: Sequence[str]) -> str:
    """Return what a player reads about the own motion."""
    return phrase_of(len(voters), *_ASKED, voters=phrase_listed(voters), withdraw=to_write("withdraw"))


def or_meant(motion: Motion, names: Mapping[str, str]) -> str:
    """Return how to answer a motion, for a player who may have meant that."""
    words = {"agree": to_write("agree"), "object": to_write("object")}
    return phrase(_OR_MEANT, mover=names[motion.by], **words)


def motion_text(motion: Motion, names: Mapping[str, str]) -> str:
    """Return what has been asked for, as a sentence."""
    return phrase(_TEXTS[motion.matter.word].has_asked, **_holes(motion, names))


def lapsed(motion: Motion, names: Mapping[str, str]) -> str:
    """Return what a player reads about the own motion that is over, since the game has gone on."""
    return tr(_TEXTS[motion.matter.word].too_late).format_map(_holes(motion, names))


def of_letters(record: Record, colour: str) -> Iterator[str]:
    """Yield what letters to a player may say about a motion in the game as it is, whoever has it.

    Where a bot stands in for somebody, some lines of the real one have fewer names. *record* has the names of players.
    """
    names = dict(record.players)
    people = [colour for colour in names if not (record.state.clan(colour).resigned or is_bot(names[colour]))]
    for mover, matter in ((by, matter) for by in people for matter in movable(record, by, people)):
        motion = Motion(line_now(record, mover, matter, 0, proposed=True))
        voters = [names[other] for other in people if other not in (motion.by, motion.whom)]
        if not voters:
            continue
        if colour == motion.by:
            yield tr(asked(voters))
        elif colour == motion.whom:
            yield from (warning(motion, names), tr(NOTHING_ELSE))
        else:
            yield from (
                tr(NOTHING_ELSE),
                *asking(motion, record, voters),
                tr(or_meant(motion, names)),
                tr(motion_text(motion, names)),
            )
