"""The game in a commit, as it was accepted: its file, its minutes, and the keys that sign moves; and after a line."""

from pathlib import Path
from typing import NamedTuple

from pbem import formats, loading, secrets
from pbem.carriers.git.contents import read_file
from pbem.carriers.git.repository import Held, Objects
from pbem.carriers.git.signing import ALLOWED_SIGNERS, and_key, with_key, without_key
from pbem.errors import Illegal
from pbem.first_sparks.record import SHARED, Record
from pbem.loading import GameFile
from pbem.locale import phrase
from pbem.table.lines import MINUTES, Returns, TableLine, concerned
from pbem.table.matters.kinds import Answer
from pbem.table.matters.matter import Matter
from pbem.table.matters.standing import Away
from pbem.table.minutes import Meeting, Minutes, read_minutes, seated


class Point(NamedTuple):
    """The game in a commit: where it is kept, the id and the entries of the commit, the game file, and what it goes by.

    *signers* are the accepted keys, None if moves are not signed. What is not committed yet has no id.
    """

    objects: Objects
    commit: str
    entries: dict[str, Held]
    game: GameFile
    signers: bytes | None = None
    minutes: Minutes = Minutes()

    @property
    def record(self) -> Record:
        """The record of the game."""
        return self.game.record

    @property
    def seated(self) -> Record:
        """The record with the names of those who play now."""
        return seated(self.record, self.minutes)

    @property
    def meeting(self) -> Meeting:
        """The game with its minutes."""
        return Meeting(self.record, self.minutes, self.signers is not None, self.since)

    def read(self, name: str) -> bytes:
        """Return the content of a file; raises like ``read_file``."""
        return read_file(self.objects, self.entries, name)

    def since(self) -> int:
        """Return since when the game is where it is, in seconds since 1970, by the dates of the commits."""
        name, now = self.game.path.name, self.objects.commit(self.commit)
        while now.parents:
            before = self.objects.commit(now.parents[0])
            if self.objects.entries(before.tree).get(name) != self.entries[name]:
                return max(now.time, before.time)
            now = before
        return now.time


def point_at(objects: Objects, commit: str, name: str) -> Point:
    """Return the game in the commit with that id; *name* is that of the game file."""
    return point_in(objects, objects.commit(commit).tree, name, commit)


def point_in(objects: Objects, tree: str, name: str, commit: str = "") -> Point:
    """Return the game in a folder, which is that of a commit if it has an id."""
    entries = objects.entries(tree)
    text = formats.decode(read_file(objects, entries, name), name=name)
    return point_of(objects, commit, entries, loading.file_in(text, Path(name)))


def point_of(objects: Objects, commit: str, entries: dict[str, Held], game: GameFile) -> Point:
    """Return the game in a commit, whose game file has been read; without minutes nothing has been said."""
    point = Point(objects, commit, entries, game)
    if ALLOWED_SIGNERS in entries:
        point = point._replace(signers=point.read(ALLOWED_SIGNERS))
    if MINUTES in entries:
        text = formats.decode(point.read(MINUTES), name=MINUTES)
        point = point._replace(minutes=read_minutes(text, game.record.game))
    return point


def game_after(game: GameFile, line: TableLine) -> Record:
    """Return the game after a line, with draws that anybody can make; raises Illegal like ``judge``."""
    if line.proposed or not isinstance(line.said, Matter):
        return game.record
    draw = secrets.draws_of(game.record, game.path) if game.record.chance.secret else None
    after = line.said.game_after(game.record, draw)
    if isinstance(line.said, Answer) and after.chance.kind == SHARED and after.opener == line.said.whom:
        raise Illegal(phrase("a draw follows that answer, which only {player} can open", player=line.said.whom))
    return after


def signers_after(signers: bytes | None, line: TableLine, minutes: Minutes) -> bytes | None:
    """Return the text of the accepted keys after a line that follows these minutes, None if moves are not signed."""
    if signers is None or line.proposed:
        return signers
    substitute_key = minutes.after(line).substitute_key
    keys = dict(line.said.keys) if isinstance(line.said, Matter) else {}
    for whom, key in keys.items():  # instead of all keys that the player had
        signers = and_key(with_key(signers, whom, key), whom, substitute_key(whom))
    is_own = isinstance(line.said, Away | Returns)
    whom = line.by if is_own else concerned(line.said)
    before = minutes.substitute_key(whom)
    if whom not in keys and (is_own or before != substitute_key(whom)):
        signers = and_key(without_key(signers, whom, before), whom, substitute_key(whom))
    return signers
