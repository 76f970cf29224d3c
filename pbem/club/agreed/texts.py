"""What players read about a wish that all others must agree to."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pbem.club.agreed.wish import JointWish
from pbem.club.reading.past import orders_of
from pbem.first_sparks.adjudicator import Entry
from pbem.first_sparks.bot.seats import is_bot
from pbem.first_sparks.moves import Draw
from pbem.first_sparks.record import Record
from pbem.grammar import listed, plural
from pbem.page.glue import glued

MOST_TOLD: Final = 12  # moves
_BACK: Final = (
    "{wisher} asks to take the game back to turn {turn}, to before {wisher}'s last own order. These moves would no "
    "longer count: {moves}."
)
_MORE_BACK: Final = (
    "{wisher} asks to take the game back to turn {turn}, to before {wisher}'s last own order. These moves would no "
    "longer count: {moves}; and {more} more."
)
_SAME_DRAWS: Final = "The draws among them would be the same again in the same situation."
_WITHOUT: Final = (
    "{wisher} asks that the game goes on without {whom} ({colour}). {whom} would leave the game permanently. The clan "
    "could not win any more, and would decide nothing; its members and cards would stay, and it would still hunt and "
    "eat."
)
_WITHOUT_YOU: Final = (
    "{wisher} asks the others to go on without you. If all of them agree, you leave the game permanently: your clan "
    "cannot win any more, and decides nothing; its members and cards stay. To keep your seat, answer this letter: any "
    "order or word from you ends that wish."
)
_WHEN: Final = ("It is done when {voters} has agreed.", "It is done when {voters} have all agreed.")
_HOW: Final = (
    "If you agree, answer this letter with {agree} on a line of "
    "its own; if not, with {disagree}. If the game goes on before that, the wish is over."
)
_OR_MEANT: Final = "If you meant to answer what {wisher} has asked all of you, write {agree} or {disagree} instead."
# What the letter about a wish says to those who have no question of the game to answer.
NOTHING_ELSE: Final = "Apart from what is asked above, you have nothing to decide now."
_ASKED: Final = (
    "I have asked {voters}. It is done when {voters} has agreed. Until then you can write {withdraw}.",
    "I have asked {voters}. It is done when all of them have agreed. Until then you can write {withdraw}.",
)


def story(undone: Sequence[Entry], turn: int, told: str, told_more: str, wisher: str = "") -> str:
    """Return one of two messages about moves that no longer count; the second is for more than are told."""
    own = [str(entry) for entry in undone if entry.is_order]
    text = told if len(own) <= MOST_TOLD else told_more
    return text.format(turn=turn, moves="; ".join(own[:MOST_TOLD]), more=len(own) - MOST_TOLD, wisher=wisher)


def undone_by(record: Record, turn: int) -> tuple[Entry, ...]:
    """Return the lines of the log after that turn."""
    return tuple(entry for entry, _ in record.history if entry.turn > turn)


def asking(wish: JointWish, record: Record, voters: Sequence[str]) -> tuple[str, ...]:
    """Return the paragraphs of the letter to all who must agree to a wish; *record* has the names of the players."""
    names = dict(record.players)
    when = plural(len(voters), *_WHEN).format(voters=listed(voters))
    how = " ".join((when, _HOW.format(agree=glued('"agree"'), disagree=glued('"disagree"'))))
    if wish.kind == "go on":
        said = _WITHOUT.format(wisher=names[wish.by], whom=names[wish.whom], colour=wish.whom)
        return (said, how)
    undone = undone_by(record, wish.to)
    said = story(undone, wish.to, _BACK, _MORE_BACK, names[wish.by])
    is_same = not record.chance.salted and any(isinstance(entry.move, Draw) for entry in undone)
    draws = (_SAME_DRAWS,) if is_same else ()
    return (" ".join((said, *draws)), how)


def warning(wish: JointWish, names: Mapping[str, str]) -> str:
    """Return what the player reads without whom the game is to go on."""
    return _WITHOUT_YOU.format(wisher=names[wish.by])


def asked(voters: Sequence[str]) -> str:
    """Return what a player reads about the own wish."""
    return plural(len(voters), *_ASKED).format(voters=listed(voters), withdraw=glued('"withdraw"'))


def or_meant(wish: JointWish, names: Mapping[str, str]) -> str:
    """Return how to answer a wish, for a player who may have meant that."""
    words = {"agree": glued('"agree"'), "disagree": glued('"disagree"')}
    return _OR_MEANT.format(wisher=names[wish.by], **words)


def wished(wish: JointWish, names: Mapping[str, str]) -> str:
    """Return what has been asked for, as a sentence."""
    wisher = names[wish.by]
    if wish.kind == "go on":
        return f"{wisher} has asked that the game goes on without {names[wish.whom]}."
    return f"{wisher} has asked to take the game back to turn {wish.to}."


def of_letters(record: Record, colour: str) -> Iterator[str]:
    """Yield what letters to a player may say about a wish in the game as it is, whoever has it.

    Where a bot stands in for somebody, some lines of the real one have fewer names. *record* has the names of players.
    """
    names, turn, head = dict(record.players), record.turn, record.head
    people = [colour for colour in names if not (record.state.clan(colour).resigned or is_bot(names[colour]))]
    wishes = [JointWish("go on", by, turn, head, whom=whom) for by in people for whom in people if by != whom]
    last = {by: orders[-1].turn - 1 for by in people if (orders := orders_of(record, by))}
    wishes += [JointWish("take back", by, turn, head, to) for by, to in last.items()]
    for wish in wishes:
        voters = [names[other] for other in people if other not in (wish.by, wish.whom)]
        if not voters:
            continue
        if colour == wish.by:
            yield asked(voters)
        elif colour == wish.whom:
            yield from (warning(wish, names), NOTHING_ELSE)
        else:
            yield from (NOTHING_ELSE, *asking(wish, record, voters), or_meant(wish, names), wished(wish, names))
