"""A wish that all others must agree to, as it is kept in ``wish.toml`` of a game's folder: one at a time."""

from collections.abc import Collection
from contextlib import suppress
from typing import Any, Final, Literal, NamedTuple

from pbem import formats
from pbem.club.table import BOT, Player, Roster, Table
from pbem.club.toml_rows import build, read
from pbem.errors import PbemError
from pbem.first_sparks.record import Record, same_situations

WISH: Final = "wish.toml"
_FORMAT: Final = "pbem-wish/1"
_LAPSED: Final = {
    "take back": "Your wish to take the game back is over, since the game has gone on.",
    "go on": "Your wish to go on without {whom} is over, since the game has gone on.",
}


class JointWish(NamedTuple):
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

    def missing(self, record: Record, roster: Roster) -> tuple[Player, ...]:
        """Return those who must still agree."""
        return tuple(p for p in voters(record, roster, self.by, self.whom) if p.colour not in self.agreed)


def voters(record: Record, roster: Roster, by: str, whom: str = "") -> tuple[Player, ...]:
    """Return those who must agree to a wish: all other people who still play, or who stand in for them."""
    return tuple(
        player
        for player in roster.players
        if player.colour not in (by, whom) and player.reader != BOT and not record.state.clan(player.colour).resigned
    )


def read_wish(table: Table) -> JointWish | None:
    """Return the last wish in the game, or None; raises NotUnderstood."""
    path = table.folder / WISH
    if not path.exists():
        return None
    row = read(path, _FORMAT).get("wish")
    if row is None:
        return None
    texts = {key: tuple(row.get(key, ())) for key in ("agreed", "letters")} if formats.is_table(row) else {}
    return build(JointWish, row | texts if texts else row, path)


def kept_wish(wish: JointWish | None) -> tuple[tuple[str, bytes], ...]:
    """Return the part of a change that keeps the wish, or forgets what there was."""
    data: dict[str, Any] = {"format": _FORMAT}
    if wish is not None:
        data["wish"] = wish._asdict() | {"agreed": list(wish.agreed), "letters": list(wish.letters)}
    return ((WISH, formats.dump(data, "toml").encode()),)


def dropped(table: Table) -> tuple[tuple[str, bytes], ...]:
    """Return the part of a change that forgets any wish in the game."""
    return kept_wish(None) if (table.folder / WISH).exists() else ()


# When the game goes on


def lapsed(table: Table, record: Record) -> JointWish | None:
    """Return the wish that is over because the game has gone on, and whose owner has not been told."""
    with suppress(PbemError):
        wish = read_wish(table)
        return wish if wish is not None and not wish.holds(record) else None
    return None


def lapse(wish: JointWish | None, colour: str, record: Record) -> tuple[str, ...]:
    """Return what a player reads about the own wish that is over."""
    if wish is None or wish.by != colour:
        return ()
    return (_LAPSED[wish.kind].format(whom=dict(record.players).get(wish.whom, "")),)


def told_of(wish: JointWish | None, readers: Collection[str]) -> tuple[tuple[str, bytes], ...]:
    """Return the part of a change that forgets a wish that is over, if its owner is among the *readers* of letters."""
    return kept_wish(None) if wish is not None and wish.by in readers else ()
