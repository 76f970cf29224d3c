"""The commands for what happens at the table besides the moves, such as ``pbem git note`` and ``pbem git clock``."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

import typer

from pbem import files
from pbem.carriers.git.player import table
from pbem.carriers.git.player.send import Pushed
from pbem.carriers.git.player.table import Speaker
from pbem.carriers.git.signing import public_key, with_short_keys
from pbem.cli.arguments import As, Json
from pbem.cli.git.options import GAME, GameOption, Key, Message, named, own_language, show_sent, warn
from pbem.cli.language import ordered_in
from pbem.errors import UsageError
from pbem.first_sparks.briefing.words import colour_word
from pbem.first_sparks.record import SHARED
from pbem.grammar import listed, plural, span
from pbem.loading import Submission
from pbem.locale import tr
from pbem.table.limits import waits_until
from pbem.table.lines import Returns, day_and_time
from pbem.table.matters.kinds import ChangeKey, Exclude, Pause, Replace, Resume, SetClock
from pbem.table.matters.matter import in_play
from pbem.table.motions import missing

Whom = Annotated[str, typer.Argument(metavar="PLAYER", help="The player, by name or colour.")]
Mover = Annotated[
    str, typer.Argument(metavar="[PLAYER]", help="The player whose motion is meant, if there are several.")
]
_MOVED = (
    "it is done when {who} has agreed: pbem git agree",
    "it is done when {who} have agreed: pbem git agree",
)
_LATER = (
    "it can be done from {when} on, if {who} has agreed and {whom} is silent until then: pbem git agree",
    "it can be done from {when} on, if {who} have agreed and {whom} is silent until then: pbem git agree",
)
_PLAYS = "{name} plays in a clone of this repository, for example with pbem git move --as {colour}"
_SIGNS = "{name} plays in a clone of this repository, and signs with that key"
_SHARES = "{name} also needs the line with your secret that pbem git join has printed"
_REPLACES = "this replaces your earlier motion to {matter}"
_ALONE = "it can be done from {when} on, if {whom} is silent until then: pbem git agree"


def note(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What you say; - for standard input.")],
    player: As = "",
    key: Key = "",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Say something to the others, without a move."""
    said = files.read_stdin() if text == "-" else text
    _show(table.note(_speaker(game, player, key, said)), as_json)


def takeback(
    to: Annotated[
        int | None,
        typer.Option("--to", metavar="TURN", min=0, help="The turn to go back to; by default before your last order."),
    ] = None,
    player: As = "",
    text: Message = "",
    key: Key = "",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Take moves back, when all players agree.

    In a shared game, values that were opened since are passed over, so that nobody knows the next draw. In any other
    game, the same draws come again.
    """
    _show(table.take_back(_speaker(game, player, key, text), to), as_json)


def exclude(
    whom: Whom,
    player: As = "",
    text: Message = "",
    key: Key = "",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Go on without a player who is silent.

    All others must agree. They wait a week, or longer if the clock gives a player more time or that player is away, and
    any sign of life ends it. If that player is asked and the time is up, nobody waits. The clan cannot win any more,
    and decides nothing.
    """
    _show(table.about(_speaker(game, player, key, text), whom, lambda at: Exclude(at.whom)), as_json)


def replace(
    whom: Whom,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new player.")],
    new_key: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="The new player's public SSH key, if moves are signed.")
    ] = None,
    player: As = "",
    text: Message = "",
    key: Key = "",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Give a seat to somebody else.

    You can give your own seat away. For another player's seat, all others must agree, and wait as for exclude.
    """
    file = _key_in(new_key) if new_key else ""
    _show(table.about(_speaker(game, player, key, text), whom, lambda at: Replace(at.whom, file, name)), as_json)


def absent(
    until: Annotated[
        str, typer.Option("--until", metavar="DAY", help="The last day, by UTC; by default until you are back.")
    ] = "",
    substitute: Annotated[
        str | None, typer.Option("--substitute", metavar="NAME", help="Whoever plays for you meanwhile.")
    ] = None,
    new_key: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="The substitute's public SSH key, if moves are signed.")
    ] = None,
    player: As = "",
    text: Message = "",
    key: Key = "",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Say that you are away.

    The clock waits for you, but for one question no longer than 30 days; or a substitute plays. It ends on that day,
    or when you say that you are back.
    """
    if substitute is not None and not substitute.strip():
        hint = "pbem git absent --substitute NAME, or leave it out if nobody plays for you"
        raise UsageError("the substitute has no name", hint=hint)
    if new_key is not None and substitute is None:
        raise UsageError("a key is only needed for a substitute", hint="pbem git absent --substitute NAME FILE")
    file = _key_in(new_key) if new_key else ""
    sent = table.absent(_speaker(game, player, key, text), until, substitute or "", file)
    _show(sent, as_json, *_how_to_play(sent, substitute, signed=bool(file)))


def back(player: As = "", text: Message = "", key: Key = "", game: GameOption = GAME, as_json: Json = False) -> None:
    """Say that you are back.

    You have the full time for a question that waits for you, and your substitute plays no longer.
    """
    _show(table.say(_speaker(game, player, key, text), Returns()), as_json)


def pause(player: As = "", text: Message = "", key: Key = "", game: GameOption = GAME, as_json: Json = False) -> None:
    """Pause the game, when all agree.

    No orders are accepted, and the clock stops.
    """
    _show(table.say(_speaker(game, player, key, text), Pause()), as_json)


def resume(player: As = "", text: Message = "", key: Key = "", game: GameOption = GAME, as_json: Json = False) -> None:
    """Resume a paused game.

    Nobody has to agree. The clock goes on where it stopped.
    """
    _show(table.say(_speaker(game, player, key, text), Resume()), as_json)


def change_key(
    new_key: Annotated[Path, typer.Argument(metavar="FILE", help="The new public SSH key.")],
    whom: Annotated[str, typer.Option("--player", metavar="PLAYER", help="Another player, who has lost a key.")] = "",
    player: As = "",
    text: Message = "",
    key: Key = "",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Sign with another key from now on.

    The commit is signed with the key that you have used so far. If it is lost, the others can give you a new one: all
    must agree, and wait as for exclude.
    """
    file = _key_in(new_key)
    _show(table.about(_speaker(game, player, key, text), whom or None, lambda at: ChangeKey(at.whom, file)), as_json)


def clock(
    time: Annotated[str, typer.Argument(metavar="TIME", help='A time like "3 days" or "12 hours", or off.')],
    then: Annotated[
        Literal["tell", "answer", "exclude"],
        typer.Option(
            help="When the time of a player is up: tell everybody; let anybody answer with decline, pass or stay; "
            "or let anybody exclude the player."
        ),
    ] = "tell",
    player: As = "",
    text: Message = "",
    key: Key = "",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Give every player a time to answer, when all agree.

    It goes by the dates of the commits. A server with pbem's hook accepts no date that differs from its own clock by
    more than an hour.
    """
    setting = SetClock(timedelta()) if time == "off" else SetClock(span(time, "the time"), then)
    _show(table.say(_speaker(game, player, key, text), setting), as_json)


def answer(
    order: Annotated[
        list[str] | None, typer.Argument(metavar="[ORDER]", help="The order; by default decline, pass or stay.")
    ] = None,
    player: As = "",
    text: Message = "",
    key: Key = "",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Decide for the player who is asked.

    The host of a sealed game can do so at any time, and anybody when the time of that player is up, if the clock is
    set to answer.
    """
    _show(table.answer(_speaker(game, player, key, text), _order(order or [])), as_json)


def agree(
    mover: Mover = "",
    player: As = "",
    text: Message = "",
    key: Key = "",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Agree to a motion.

    When nobody else has to agree, it is done. You cannot agree to what your clone has only now received: read it
    first, and agree again.
    """
    _show(table.agree(_speaker(game, player, key, text), mover), as_json)


def disagree(
    mover: Mover = "",
    player: As = "",
    text: Message = "",
    key: Key = "",
    game: GameOption = GAME,
    as_json: Json = False,
) -> None:
    """Object to a motion, or withdraw your own.

    Either ends it.
    """
    _show(table.disagree(_speaker(game, player, key, text), mover), as_json)


COMMANDS = (note, takeback, exclude, replace, change_key, absent, back, pause, resume, clock, answer, agree, disagree)


def _order(words: list[str]) -> str:
    """Return the order that a person has written in these words, "" without any."""
    return ordered_in(own_language(), Submission((" ".join(words),))).orders[0] if words else ""


def _speaker(game: str, player: str, key: str, text: str) -> Speaker:
    return Speaker(named(game), player, key, text, warn())


def _key_in(path: Path) -> str:
    return public_key(str(path), files.read_text(path, 1 << 14))


def _how_to_play(sent: Pushed, substitute: str | None, *, signed: bool) -> tuple[str, ...]:
    """Return how the substitute plays, in sentences; none without a substitute."""
    if not substitute:
        return ()
    plays = tr(_SIGNS if signed else _PLAYS).format(name=substitute, colour=sent.player)
    return (plays, tr(_SHARES).format(name=substitute)) if sent.record.chance.kind == SHARED else (plays,)


def _show(sent: Pushed, as_json: bool, *more: str) -> None:
    """Print what was committed, and who must still agree to the motion in it; *more* lines come last."""
    motion = sent.minutes.by(sent.player)
    if motion is None or motion.line.words not in sent.said:
        show_sent(sent, as_json, more=more)
        return
    asked, until = missing(motion, in_play(sent.record)), waits_until(motion, sent.minutes)
    text = plural(len(asked), *(_MOVED if until is None else _LATER)) if asked else tr(_ALONE)
    whom, when = colour_word(motion.whom), day_and_time(until or 0)
    who = listed(map(colour_word, asked)) if asked else ""
    over = (tr(_REPLACES).format(matter=with_short_keys(tr(sent.replaced.matter.in_words))),) if sent.replaced else ()
    show_sent(sent, as_json, more=(*over, text.format(who=who, whom=whom, when=when)))
