"""What players read about a motion, to which all others must agree."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from pbem.first_sparks.bot.seats import is_bot
from pbem.first_sparks.briefing.words import colour_word, to_write
from pbem.first_sparks.record import Record, called
from pbem.grammar import listed, phrase_listed, plural
from pbem.locale import phrase, phrase_of, tr
from pbem.page.page import Sections
from pbem.table.letters.headlines import Headline, Occasion, headline, headline_of, notice_of, reader_of
from pbem.table.letters.letter import paragraphs
from pbem.table.matters.kinds import MOVED
from pbem.table.matters.matter import MotionTexts, SeatTexts
from pbem.table.matters.takebacks import by_host, by_motion
from pbem.table.minutes import Motion, NamedMotion
from pbem.table.motions import voters
from pbem.table.occurrences import MotionOver, TakenBack
from pbem.table.people import Player

_WHEN: Final = ("It is done when {voters} has agreed.", "It is done when {voters} have agreed.")
_HOW: Final = (
    "If you agree, answer this letter with {agree} on a line of its own; if not, with {object}. The game goes on "
    "meanwhile."
)
_HOW_SOON: Final = (
    "If you agree, answer this letter with {agree} on a line of "
    "its own; if not, with {object}. If the game goes on before that, the motion is over."
)
_STILL_OPEN: Final = "{what} You have not answered that yet: send {agree} or {object} in a message of its own."
_OR_MEANT: Final = "If you meant to answer what {mover} has asked all of you, write {agree} or {object} instead."
_OR_WORD: Final = "Any order or word from you or from {whom} ends that motion."
_SEAT_SAFE: Final = "The motion about the seat of {whom} is over, and nothing has changed."
_SAYS_NO: Final = "{name} objects, so your motion is over."
_FAILED: Final = "The motion of {mover} cannot be carried out. It is over, and nothing has changed. The host knows why."
_FAILED_FOR_HOST: Final = (
    'In the game {game}, all have agreed to "{matter}", as {mover} had asked, but it cannot be done: {why}. The motion '
    "is over, nothing has changed, and the players know that, but not why."
)
# What the letter about a motion says to those who have no question of the game to answer.
NOTHING_ELSE: Final = "Apart from what is asked above, you have nothing to decide now."
# What the letter about a takeback says to those who have nothing to decide now, and to others.
NO_LONGER: Final = "Replies to earlier letters no longer count."
ANSWER_THIS: Final = "Please answer this letter: replies to earlier ones no longer count."
_ASKED: Final = (
    "I have asked {voters}. It is done when {voters} has agreed. Until then you can write {withdraw}.",
    "I have asked {voters}. It is done when each of them has agreed. Until then you can write {withdraw}.",
)


def _holes(motion: Motion, names: Mapping[str, str], name: str = "") -> dict[str, str]:
    """Return what fills the holes of the words about a motion, read by somebody of that name."""
    return {
        "name": name,
        "mover": names[motion.by],
        "whom": names.get(motion.matter.named, ""),
        "colour": colour_word(motion.matter.named),
        **motion.matter.holes,
    }


def is_told(motion: Motion) -> bool:
    """Return whether letters say what a motion is about."""
    return motion.matter.word in MOVED


def asked_for(motion: Motion, record: Record) -> str:
    """Return what a motion is about; *record* has the names of the players."""
    return motion.matter.asked(_holes(motion, dict(record.players)), record)


def asking(motion: Motion, record: Record, voters: Sequence[str]) -> tuple[str, ...]:
    """Return the paragraphs of the letter to all who must agree to a motion; *record* has the names of the players."""
    when = plural(len(voters), *_WHEN).format(voters=listed(voters))
    how = tr(_HOW if motion.matter.is_of_the_table else _HOW_SOON)
    how = how.format(agree=tr(to_write("agree")), object=tr(to_write("object")))
    return (asked_for(motion, record), " ".join((when, how)))


def warning(motion: Motion, names: Mapping[str, str]) -> tuple[str, str]:
    """Return what the player concerned reads of a motion, and how to end it by an answer to the letter."""
    texts = of_seat(motion)
    return tr(texts.warns).format_map(_holes(motion, names)), tr(texts.ends)


def of_seat(motion: Motion) -> SeatTexts:
    """Return what the player reads whose seat a motion is about, which has to be one about a seat."""
    texts = motion.matter.texts.seat
    assert texts is not None
    return texts


def _read_by(player: Player, motion: Motion) -> MotionTexts | SeatTexts:
    """Return what is read when a motion was carried out: by the player of the seat, or by others and a substitute."""
    is_own = player.colour == motion.whom and player.is_home
    return of_seat(motion) if is_own else motion.matter.texts


def taken_back(
    done: TakenBack, turn: int, names: Mapping[str, str], *, asked: bool
) -> tuple[Occasion, tuple[str, str]]:
    """Return the kind of letter about a takeback to the end of that turn, and what somebody *asked* or not reads."""
    motion = done.motion
    if motion is None:
        kind = Occasion.TAKEN_BACK
        why = by_host(done.undone, turn)
    else:
        kind, why = (
            Occasion.TAKEN_BACK_TOGETHER,
            by_motion(done.undone, turn, names[motion.by], alone=not motion.agreed),
        )
    if not asked:
        return kind, (why, tr(NO_LONGER))
    return kind, (why, tr(ANSWER_THIS))


def asked_of(motion: Motion, voter: Player, record: Record, voters: Sequence[Player]) -> tuple[Sections, Headline]:
    """Return what somebody reads who must agree to a motion, and the headline."""
    holes = _holes(motion, dict(record.players), reader_of(voter))
    says = headline_of(motion.matter.texts.headline, holes)
    return paragraphs(asking(motion, record, [each.name for each in voters])), says


def warned(motion: Motion, player: Player, record: Record) -> tuple[Sections, Headline]:
    """Return what the player whose seat a motion is about reads, or a substitute, and the headline."""
    names = dict(record.players)
    holes = _holes(motion, names, reader_of(player))
    if player.is_home:
        return paragraphs((" ".join(warning(motion, names)),)), headline_of(of_seat(motion).headline, holes)
    subject, *_, line = motion.matter.texts.headline
    return paragraphs(_to_substitute(motion, record)), headline_of((subject, line), holes)


def safe(motion: Motion, player: Player, names: Mapping[str, str]) -> str:
    """Return what the player whose seat a motion was about reads when somebody has ended it, or a substitute."""
    return tr(of_seat(motion).safe) if player.is_home else tr(_SEAT_SAFE).format(whom=names[motion.whom])


def _to_substitute(motion: Motion, record: Record) -> tuple[str, str]:
    """Return what a substitute reads of a motion about the seat."""
    return asked_for(motion, record), tr(_OR_WORD).format(whom=dict(record.players)[motion.whom])


def ended(over: MotionOver, name: str) -> str:
    """Return what a player reads whose motion somebody of that name has ended."""
    return tr(of_seat(over.motion).stays if over.stays else _SAYS_NO).format(name=name)


def done(motion: Motion, player: Player, names: Mapping[str, str]) -> tuple[Sections, Headline]:
    """Return what a player reads of a motion that was carried out, and the headline."""
    texts = _read_by(player, motion)
    holes = _holes(motion, names, reader_of(player))
    return paragraphs((tr(texts.done).format_map(holes),)), headline_of(texts.done_headline, holes)


def failed(motion: Motion, player: Player, names: Mapping[str, str]) -> tuple[Sections, Headline]:
    """Return what a player reads of a motion that could not be carried out, and the headline; not why, or too much."""
    return paragraphs((tr(_FAILED).format(mover=names[motion.by]),)), headline(Occasion.MOTION_FAILED, player)


def failed_for_host(motion: Motion, game: str, names: Mapping[str, str], why: str) -> tuple[str, Sections]:
    """Return the subject and the text of the letter to the host about a motion that could not be carried out."""
    text = _FAILED_FOR_HOST.format(game=game, matter=motion.matter, mover=names[motion.by], why=why)
    return notice_of(game, "motion failed"), paragraphs((text,))


def asked(voters: Sequence[str]) -> str:
    """Return what a player reads about the own motion."""
    return phrase_of(len(voters), *_ASKED, voters=phrase_listed(voters), withdraw=to_write("withdraw"))


def or_meant(motion: Motion, names: Mapping[str, str]) -> str:
    """Return how to answer a motion, for a player who may have meant that."""
    words = {"agree": to_write("agree"), "object": to_write("object")}
    return phrase(_OR_MEANT, mover=names[motion.by], **words)


def motion_text(motion: Motion, names: Mapping[str, str]) -> str:
    """Return what has been asked for, as a sentence."""
    return phrase(motion.matter.texts.has_asked, **_holes(motion, names))


def still_open(motion: Motion, names: Mapping[str, str]) -> str:
    """Return what a player reads in a later letter about a motion, and has neither agreed nor objected."""
    words = {"agree": tr(to_write("agree")), "object": tr(to_write("object"))}
    return tr(_STILL_OPEN).format(what=tr(motion_text(motion, names)), **words)


def lapsed(motion: Motion, names: Mapping[str, str]) -> str:
    """Return what a player reads about the own motion that is over, if nobody has ended it."""
    return tr(motion.matter.texts.too_late).format_map(_holes(motion, names))


def of_letters(moved: Iterable[NamedMotion], record: Record, colour: str) -> Iterator[str]:
    """Yield what letters to a player may say about these motions.

    Where a bot stands in for somebody, some lines of the real one have fewer names.
    """
    for motion, names in moved:
        record = called(record, names)
        people = [colour for colour in names if not (record.state.clan(colour).resigned or is_bot(names[colour]))]
        others = [names[other] for other in voters(motion.matter, motion.by, people)]
        if not (others and is_told(motion)):
            continue
        yield tr(_FAILED).format(mover=names[motion.by])
        if colour == motion.by:
            yield from (tr(asked(others)), lapsed(motion, names))
            yield from (tr(_SAYS_NO).format(name=name) for name in others)
        elif colour == motion.whom:
            yield from (*warning(motion, names), *_to_substitute(motion, record))
            yield from (tr(NOTHING_ELSE), tr(of_seat(motion).safe), tr(_SEAT_SAFE).format(whom=names[motion.whom]))
        else:
            yield from (
                tr(NOTHING_ELSE),
                *asking(motion, record, others),
                tr(or_meant(motion, names)),
                still_open(motion, names),
            )
        yield from _outcomes(motion, colour, names)


def _outcomes(motion: Motion, colour: str, names: Mapping[str, str]) -> Iterator[str]:
    """Yield what a player may read of a motion that was carried out, or ended by the player concerned."""
    of_own_seat = (of_seat(motion).done,) if colour == motion.whom else ()
    yield from (tr(done).format_map(_holes(motion, names)) for done in (motion.matter.texts.done, *of_own_seat) if done)
    if motion.whom and colour == motion.by:
        yield tr(of_seat(motion).stays).format(name=names[motion.whom])
