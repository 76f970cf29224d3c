"""The commands for what happens at the table besides the moves, such as ``pbem git note`` and ``pbem git clock``."""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Concatenate, Literal

import typer

from pbem import files
from pbem.carriers.git.player import table
from pbem.carriers.git.player.send import Pushed
from pbem.carriers.git.player.table import Speaker
from pbem.carriers.git.signing import public_key, with_short_keys
from pbem.cli.arguments import As, Json
from pbem.cli.git.options import GAME, GameOption, Key, Message, own_language, show_sent, warn
from pbem.cli.language import ordered_in
from pbem.errors import UsageError
from pbem.first_sparks.briefing.words import colour_word
from pbem.first_sparks.record import SHARED
from pbem.grammar import listed, plural, span
from pbem.loading import Submission
from pbem.locale import tr
from pbem.table.lines import Returns, day_and_time
from pbem.table.matters.kinds import ChangeKey, Exclude, Pause, Replace, Resume, SetClock
from pbem.table.matters.matter import in_play
from pbem.table.matters.respites import Respite
from pbem.table.matters.standing import Away
from pbem.table.motions import missing, waits
from pbem.table.times import existing_day

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
_SHORT = timedelta(hours=12)
_SHORTENED = "a player could take an hour of that time from the next one, as the dates of commits may be wrong by that"
_REPLACES = "this replaces your earlier motion to {matter}"
_NOW = "nobody has to wait for {whom}, whose time is up: pbem git agree"
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
    _show(table.note(Speaker(game, player, key, said, warn())), as_json)


def _spoken(say: Callable[Concatenate[Speaker, ...], Pushed]) -> Callable[..., None]:
    """Return a command that shows what a player *says* at the table, with the options that all of these have."""

    def command(
        *,
        player: As = "",
        text: Message = "",
        key: Key = "",
        game: GameOption = GAME,
        as_json: Json = False,
        **given: object,
    ) -> None:
        _show(say(Speaker(game, player, key, text, warn()), **given), as_json)

    *shared, _ = signature(command).parameters.values()
    _, *own = signature(say).parameters.values()
    shown = wraps(say)(command)
    parameters = [*(each.replace(kind=Parameter.KEYWORD_ONLY) for each in own), *shared]
    vars(shown)["__signature__"] = Signature(parameters)  # which Typer reads
    return shown


@_spoken
def takeback(
    speaker: Speaker,
    to: Annotated[
        int | None,
        typer.Option("--to", metavar="TURN", min=0, help="The turn to go back to; by default before your last order."),
    ] = None,
) -> Pushed:
    """Take moves back, when all players agree.

    In a shared game, values that were opened since are passed over, so that nobody knows the next draw. In any other
    game, the same draws come again.
    """
    return table.take_back(speaker, to)


@_spoken
def exclude(speaker: Speaker, whom: Whom) -> Pushed:
    """Go on without a player who is silent.

    All others must agree. They wait a week, or longer if the clock gives a player more time or that player is away, and
    any sign of life ends it. If that player is asked and the time is up, nobody waits. The clan cannot win any more,
    and decides nothing.
    """
    return table.about(speaker, whom, lambda at: Exclude(at.whom))


@_spoken
def replace(
    speaker: Speaker,
    whom: Whom,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new player.")],
    new_key: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="The new player's public SSH key, if moves are signed.")
    ] = None,
) -> Pushed:
    """Give a seat to somebody else.

    You can give your own seat away. For another player's seat, all others must agree, and wait as for exclude.
    """
    file = _key_in(new_key) if new_key else ""
    return table.about(speaker, whom, lambda at: Replace(at.whom, file, name))


@_spoken
def absent(
    speaker: Speaker,
    until: Annotated[
        str, typer.Option("--until", metavar="DAY", help="The last day, by UTC; by default until you are back.")
    ] = "",
    substitute: Annotated[
        str | None, typer.Option("--substitute", metavar="NAME", help="Whoever plays for you meanwhile.")
    ] = None,
    new_key: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="The substitute's public SSH key, if moves are signed.")
    ] = None,
) -> Pushed:
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
    return table.absent(speaker, existing_day(until) if until else "", substitute or "", file)


@_spoken
def back(speaker: Speaker) -> Pushed:
    """Say that you are back.

    You have the full time for a question that waits for you, and your substitute plays no longer.
    """
    return table.say(speaker, Returns())


@_spoken
def pause(speaker: Speaker) -> Pushed:
    """Pause the game, when all agree.

    No orders are accepted, and the clock stops.
    """
    return table.say(speaker, Pause())


@_spoken
def resume(speaker: Speaker) -> Pushed:
    """Resume a paused game.

    Nobody has to agree. The clock goes on where it stopped.
    """
    return table.say(speaker, Resume())


@_spoken
def change_key(
    speaker: Speaker,
    new_key: Annotated[Path, typer.Argument(metavar="FILE", help="The new public SSH key.")],
    whom: Annotated[str, typer.Option("--player", metavar="PLAYER", help="Another player, who has lost a key.")] = "",
) -> Pushed:
    """Sign with another key from now on.

    The commit is signed with the key that you have used so far. If it is lost, the others can give you a new one: all
    must agree, and wait as for exclude.
    """
    file = _key_in(new_key)
    return table.about(speaker, whom or None, lambda at: ChangeKey(at.whom, file))


@_spoken
def clock(
    speaker: Speaker,
    time: Annotated[str, typer.Argument(metavar="TIME", help='A time like "3 days" or "12 hours", or off.')],
    then: Annotated[
        Literal["tell", "answer", "exclude"],
        typer.Option(
            help="When the time of a player is up: tell everybody; let anybody answer with decline, pass or stay; "
            "or let anybody exclude the player."
        ),
    ] = "tell",
) -> Pushed:
    """Give every player a time to answer, when all agree.

    It goes by the dates of the commits. A server with pbem's hook accepts no date that differs from its own clock by
    more than an hour.
    """
    setting = SetClock(timedelta()) if time == "off" else SetClock(span(time, "the time"), then)
    return table.say(speaker, setting)


@_spoken
def more_time(
    speaker: Speaker, until: Annotated[str, typer.Argument(metavar="DAY", help="The last day, by UTC.")]
) -> Pushed:
    """Give everybody more time, when all agree.

    Nobody's time is up before the end of that day, which is at most a year away. Orders are still accepted.
    """
    return table.say(speaker, Respite(existing_day(until)))


@_spoken
def answer(
    speaker: Speaker,
    order: Annotated[
        list[str] | None, typer.Argument(metavar="[ORDER]", help="The order; by default decline, pass or stay.")
    ] = None,
) -> Pushed:
    """Decide for the player who is asked.

    The host of a sealed game can do so at any time, and anybody when the time of that player is up, if the clock is
    set to answer.
    """
    return table.answer(speaker, _order(order or []))


@_spoken
def agree(speaker: Speaker, mover: Mover = "") -> Pushed:
    """Agree to a motion.

    When nobody else has to agree, it is done. You cannot agree to what your clone has only now received: read it
    first, and agree again.
    """
    return table.agree(speaker, mover)


@_spoken
def disagree(speaker: Speaker, mover: Mover = "") -> Pushed:
    """Object to a motion, or withdraw your own.

    Either ends it.
    """
    return table.disagree(speaker, mover)


COMMANDS = (
    note,
    takeback,
    exclude,
    replace,
    change_key,
    absent,
    back,
    pause,
    resume,
    clock,
    more_time,
    answer,
    agree,
    disagree,
)


def _order(words: list[str]) -> str:
    """Return the order that a person has written in these words, "" without any."""
    return ordered_in(own_language(), Submission((" ".join(words),))).orders[0] if words else ""


def _key_in(path: Path) -> str:
    return public_key(str(path), files.read_text(path, 1 << 14))


def _how_to_play(sent: Pushed) -> tuple[str, ...]:
    """Return how a substitute plays who was named, in sentences."""
    said = sent.judged.said[0].said
    if not isinstance(said, Away) or not said.substitute:
        return ()
    plays = tr(_SIGNS if said.key else _PLAYS).format(name=said.substitute, colour=sent.judged.player)
    return (plays, tr(_SHARES).format(name=said.substitute)) if sent.record.chance.kind == SHARED else (plays,)


def _show(sent: Pushed, as_json: bool) -> None:
    """Print what was committed, and how a substitute plays, or who must still agree to the motion in it."""
    motion, said = sent.minutes.by(sent.judged.player), sent.judged.said[0].said
    if motion is None or motion.line not in sent.judged.said:
        is_short = isinstance(said, SetClock) and timedelta() < said.time < _SHORT
        show_sent(sent, as_json, more=(tr(_SHORTENED),) if is_short else _how_to_play(sent))
        return
    meeting = sent.tip.point.meeting._replace(minutes=sent.minutes)
    asked, until = missing(motion, in_play(sent.record)), waits(motion, meeting, sent.tip.time)
    alone = tr(_NOW if until is None else _ALONE)
    text = plural(len(asked), *(_MOVED if until is None else _LATER)) if asked else alone
    whom, when = colour_word(motion.whom), day_and_time(until or 0)
    who = listed(map(colour_word, asked)) if asked else ""
    over = (tr(_REPLACES).format(matter=with_short_keys(tr(sent.replaced.matter.in_words))),) if sent.replaced else ()
    show_sent(sent, as_json, more=(*over, text.format(who=who, whom=whom, when=when)))
