"""A motion: what a player has asked all others to agree to. There is one at a time."""

from typing import Final, Literal, NamedTuple

from pbem.first_sparks.record import Record, same_situations
from pbem.table.people import BOT, Player, Roster

_LAPSED: Final = {
    "take back": "Your wish to take the game back is over, since the game has gone on.",
    "go on": "Your wish to go on without {whom} is over, since the game has gone on.",
}


class JointMotion(NamedTuple):
    """What a player, the colour *by*, has asked all others for in a game that was at that *turn* and *head*.

    To ``take back`` the game to the end of the turn *to*, or to ``go on`` without the colour *whom*. *agreed* are those
    who have agreed, and *letters* the ids of the letters that ask for it.
    """

    kind: Literal["take back", "go on"]
    by: str
    turn: int
    head: str
    to: int = 0
    whom: str = ""
    agreed: tuple[str, ...] = ()
    letters: tuple[str, ...] = ()

    def holds(self, record: Record) -> bool:
        """Return whether the game has not gone on since; agreeing to its end does not count."""
        return (self.turn, self.head) in same_situations(record)

    def voters(self, record: Record, roster: Roster) -> tuple[Player, ...]:
        """Return those who must agree: all other people who still play, or who stand in for them."""
        return voters(record, roster, self.by, self.whom)

    def missing(self, record: Record, roster: Roster) -> tuple[Player, ...]:
        """Return those who must still agree."""
        return tuple(p for p in self.voters(record, roster) if p.colour not in self.agreed)


def voters(record: Record, roster: Roster, by: str, whom: str = "") -> tuple[Player, ...]:
    """Return those who must agree to a motion: all other people who still play, or who stand in for them."""
    return tuple(
        player
        for player in roster.players
        if player.colour not in (by, whom) and player.reader != BOT and not record.state.clan(player.colour).resigned
    )


# When the game goes on


def lapse(motion: JointMotion | None, colour: str, record: Record) -> tuple[str, ...]:
    """Return what a player reads about the own motion that is over, since the game has gone on."""
    if motion is None or motion.by != colour:
        return ()
    return (_LAPSED[motion.kind].format(whom=dict(record.players).get(motion.whom, "")),)
