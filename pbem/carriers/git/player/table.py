"""What a player says and decides at the table of a game through git: talk, and what others may have to agree to."""

import re
from collections.abc import Callable
from typing import NamedTuple

from pbem import rulings
from pbem.carriers.git.identity import speaker_in
from pbem.carriers.git.player.send import Judgement, Pushed, Tip, send
from pbem.carriers.git.point import game_after
from pbem.carriers.git.signing import check_new_keys, with_short_keys
from pbem.errors import Illegal, Stale
from pbem.first_sparks.clans import seat_name
from pbem.first_sparks.notation import mildest
from pbem.first_sparks.record import Record
from pbem.formats import shown
from pbem.locale import phrase
from pbem.rulings import Ruling
from pbem.table.lines import HOST, PROGRAM, Agrees, Disagrees, TableLine, Utterance, line_now, talk_in
from pbem.table.matters.kinds import Answer
from pbem.table.matters.matter import Matter, Setting, in_play
from pbem.table.matters.standing import Away
from pbem.table.matters.takebacks import TakeBack
from pbem.table.minutes import Motion
from pbem.table.motions import check, holds, is_decided_alone, missing, open_motion, setting_in, settles


class Speaker(NamedTuple):
    """Who says something in which game: the game file, player and key as they are given, and a *text* to go with it.

    *warn* gets messages about commits that are not moves.
    """

    game: str
    player: str
    key: str
    text: str
    warn: Callable[[str], None]


# What is said in a game at a commit, by a colour or ``host``.
WhatIsSaid = Callable[[Record, Tip, str], Utterance]


def note(speaker: Speaker) -> Pushed:
    """Say the text, without a move."""
    return _said(speaker, None)


def take_back(speaker: Speaker, to: int | None) -> Pushed:
    """Take the game back to the end of a turn, by default to before the player's last order, when all agree."""

    def wanted(record: Record, _: Tip, by: str) -> TakeBack:
        own = rulings.orders_of(record, by)
        if to is None and not own:
            raise Illegal(phrase("you have not given an order yet, so there is nothing that you can take back"))
        return TakeBack(own[-1].turn - 1 if to is None else to)

    return _said(speaker, wanted)


def about(speaker: Speaker, whom: str | None, matter: Callable[[Setting], Matter]) -> Pushed:
    """Decide or move something about a player, without one about whoever says it; *matter* makes it in that setting."""

    def said(record: Record, tip: Tip, by: str) -> Matter:
        named = by if whom is None or whom.casefold() == by else _seat(tip, whom)
        return matter(setting_in(tip.point.meeting, by, tip.time, named))

    return _said(speaker, said)


def absent(speaker: Speaker, until: str, substitute: str, new_key: str) -> Pushed:
    """Be away until the end of a day in UTC, or until further notice, while a substitute may play.

    For the key see ``replace``. Raises Illegal for a *substitute* by whose name the others could not tell who plays.
    """
    said = Away(until, substitute, new_key)

    def gone(record: Record, tip: Tip, by: str) -> Away:
        if substitute:
            _check_substitute(substitute, dict(tip.point.seated.players).get(by, ""))
        return said

    return _said(speaker, gone)


def _check_substitute(name: str, own: str) -> None:
    """Raise Illegal for a name by which the others could not tell who plays for a player called *own*.

    Only whoever gives the name is told: a repository in which it has happened before stays valid.
    """
    called = name.casefold()
    if called == own.casefold():
        hint = phrase("name whoever plays for you meanwhile")
        raise Illegal(phrase("nobody can be their own substitute"), hint=hint)
    if called in (HOST, PROGRAM) or re.fullmatch(r"(?:a )?bot(?: \d+)?", called):
        raise Illegal(
            phrase("a substitute cannot be called {name}", name=name), hint=phrase("give the name of a person")
        )
    if "," in name:
        hint = phrase("the minutes go on after a comma, so leave it out")
        raise Illegal(phrase("the name of a substitute cannot have a comma"), hint=hint)


def say(speaker: Speaker, said: Utterance) -> Pushed:
    """Say or move something that is the same in any game, such as that the game is paused."""
    return _said(speaker, lambda _, __, ___: said)


def answer(speaker: Speaker, order: str) -> Pushed:
    """Decide for the player who is asked, as the host, or when the time of that player is up."""

    def answered(record: Record, tip: Tip, _: str) -> Answer:
        if any(one.lines for one in tip.came):
            hint = phrase("look at it, and try again")
            raise Stale(phrase("nothing is answered yet, since the game has only now gone on"), hint=hint)
        whom = record.asked
        if whom is None or whom not in dict(record.players):
            raise Illegal(phrase("no player has to decide now"))
        if record.opener:
            names = dict(tip.point.seated.players)
            who = seat_name(names[whom], whom)
            hint = phrase("the others can go on without that player: {exclude}", exclude=f"pbem git exclude {whom}")
            raise Illegal(phrase("{player} has to draw first, and nobody else can do that", player=who), hint=hint)
        given = order or mildest(record.state.phase)
        if not given:
            no_answer = phrase("declining, passing and staying are no answers to this question")
            raise Illegal(no_answer, hint=phrase("give an order"))
        return Answer(whom, given)

    return _said(speaker, answered)


def agree(speaker: Speaker, mover: str) -> Pushed:
    """Agree to the motion of a player, which is decided by it if nobody else has to agree."""

    def agreed(record: Record, tip: Tip, by: str) -> Utterance:
        motion = _open(record, tip, mover, by)
        if any(one.wrong or shown(motion.line.words) in one.spoken for one in tip.came):
            message = phrase(
                "nothing is agreed yet, since this motion has only now come in: {motion}", motion=motion.line.words
            )
            raise Stale(message, hint=phrase("if you agree with that, run pbem git agree again"))
        if settles(by, motion, tip.point.meeting, tip.time) or not missing(motion, in_play(record)):
            return motion.matter  # or the reason why it cannot be done yet
        return Agrees(motion.line.by)

    return _said(speaker, agreed)


def disagree(speaker: Speaker, mover: str) -> Pushed:
    """Object to the motion of a player, or withdraw the own one."""
    return _said(speaker, lambda record, tip, by: Disagrees(_open(record, tip, mover, by).line.by))


def _said(speaker: Speaker, saying: WhatIsSaid | None) -> Pushed:
    """Commit and push what somebody says; raises Illegal if it may not be said."""

    def judged(tip: Tip) -> Judgement:
        record = tip.point.record
        by = speaker_in(tip.clone, tip.point, speaker.player, speaker.key)
        talk = talk_in(speaker.text) if speaker.text or saying is None else ()
        lines = [line_now(record, by, said, tip.time) for said in talk]
        after = record
        if saying is None and [each._replace(time=tip.time) for each in tip.minutes.lines[-len(lines) :]] == lines:
            raise Illegal(phrase("you have just said that"))  # the command is given again
        if saying is not None:
            line = _line(saying(record, tip, by), by, tip)
            check_new_keys(line, tip.point.signers, tip.minutes)
            lines, after = [line, *lines], game_after(tip.point.game, line)
        for line in lines:
            check(line, tip.point.meeting)
        return Judgement(Ruling(after, ()), (), by, with_short_keys(lines[0].words), said=tuple(lines))

    return send(speaker.game, judged, speaker.key, speaker.warn)


def _line(said: Utterance, by: str, tip: Tip) -> TableLine:
    """Return the line for what is said: a matter is decided if it can be, and else moved."""
    record, minutes = tip.point.record, tip.minutes
    line = line_now(record, by, said, tip.time)
    if not isinstance(said, Matter):
        return line
    open_one = open_motion(said, minutes, record)
    try:
        check(line, tip.point.meeting)
    except Illegal:
        if is_decided_alone(said, by, record):
            raise
        if open_one is not None and by in missing(open_one, in_play(record)):
            return line_now(record, by, Agrees(open_one.line.by), tip.time)
        if open_one is not None:
            raise
        return line._replace(proposed=True)
    return line


def _seat(tip: Tip, said: str) -> str:
    return rulings.player_of(tip.point.seated, said)


def _open(record: Record, tip: Tip, mover: str, by: str) -> Motion:
    """Return the open motion that is meant: of the player who is named, or else the only one."""
    motions = [motion for motion in tip.minutes.motions if holds(motion, tip.minutes, record)]
    if mover:
        who = _seat(tip, mover) if mover.casefold() != HOST else HOST
        motions = [motion for motion in motions if motion.line.by == who]
    mine = [motion for motion in motions if by in missing(motion, in_play(record))]
    for found in (mine, motions):
        if len(found) == 1:
            return found[0]
    if motions:
        movers = ", ".join(motion.line.by for motion in motions)
        hint = phrase("name the player whose motion you mean: {players}", players=movers)
        raise Illegal(phrase("several motions are open"), hint=hint)
    hint = phrase("somebody may have objected or withdrawn it, or the game has gone on: pbem git log")
    raise Illegal(phrase("no motion is open"), hint=hint)
