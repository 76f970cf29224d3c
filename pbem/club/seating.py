"""How a game comes to be: begun by the host, or joined by mail until all seats are taken.

Who joins is asked to confirm, by a mail to the address from which the wish came,
since a sender can be forged; until then nobody is seated.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from shutil import rmtree
from typing import Any, Final, Literal

from pbem import files, formats, game_files, game_setup, loading, secrets
from pbem.club import table as clubs
from pbem.club.reading.lines import cleaned
from pbem.club.reading.phrases import meaning
from pbem.club.settings import KEY_BYTES, Club, players_address, secret_key
from pbem.club.table import GAME_NAME, Opening, Player, Roster, Table
from pbem.club.ticket import Ticket, is_genuine, ticket
from pbem.club.transaction import Change, locked, write
from pbem.club.writing.headlines import headline
from pbem.club.writing.letter import Letter
from pbem.club.writing.letters import Desk, desk_of, letter, paragraphs, plain, welcome
from pbem.errors import CannotCreate, NotUnderstood, PbemError, UsageError
from pbem.first_sparks.briefing.headings import section
from pbem.first_sparks.briefing.words import own_set_lines
from pbem.first_sparks.components import COLOURS, ComponentSet
from pbem.first_sparks.options import Options
from pbem.first_sparks.record import Record
from pbem.page.page import Prose, Sections

Joined = Literal["joined", "begun", "duplicate"]

JOIN: Final = "join"  # stands in a ticket where a player's colour does, the number of the letter where its turn does
YES: Final = "yes"
# What may follow the yes to "Is it you?", the label of our button among it.
_IT_IS_ME: Final = re.compile(
    r"\W+(?:(?:it.?s|it is|it was|that.?s|that is|that was) me|i do|i am|i.?m in|count me in|i play as .*"
    r"|(?:i want|i.?d like|i.?d love|i would like|i would love) to(?: play| join)?)\W*$",
    re.IGNORECASE,
)
_GREETING: Final = re.compile(r"(?:hi|hello|hey|dear)\b[\w ,.!-]{0,30}", re.IGNORECASE)
COMPONENTS: Final = "components.toml"
BEGUN: Final = "begun.toml"  # the game as it was at the first question, for the host who rebuilds it


def open_game(club: Club, game: str, players: Sequence[str], opening: Opening, components: Path | None) -> Table:
    """Make the folder of a game and begin it, or wait for players while seats are free.

    *players* are written ``Ann=ann@example.org`` or ``Bob:blue=bob@example.org``.
    Raises UsageError, CannotCreate.
    """
    roster = Roster(seated(club, players), opening)
    if not len(roster.players) <= opening.seats or not 2 <= opening.seats <= 6:
        raise UsageError(f"{opening.seats} seats do not fit", hint="a game has 2 to 6 seats, and no more players")
    table = Table(club.games / game)
    if not re.fullmatch(GAME_NAME, game):
        raise UsageError(
            "the name of a game has 1 to 16 small letters, digits and hyphens, and no hyphen first",
            hint="it stands in the first line of every mail, and in its address",
        )
    own = formats.dump(loading.load_components(components).source, "toml").encode() if components else b""
    is_new = not table.folder.exists()
    table.folder.mkdir(mode=0o700, exist_ok=True)
    try:
        with locked(table):
            if table.players.exists():
                raise CannotCreate(
                    f"the club has a game {game} already", path=str(table.folder), hint="choose another name"
                )
            if len(roster.players) < opening.seats:
                _new_game(table, _filled(roster, opening.seats), opening, own)  # what cannot begin need not wait
            parts = ((COMPONENTS, own),) if own else ()
            write(club, table, _begun_or_open(club, table, roster, roster.players, parts))
    except PbemError:
        if is_new:
            rmtree(table.folder, ignore_errors=True)
        raise
    return table


def _filled(roster: Roster, seats: int) -> Roster:
    """Return the roster with somebody on every seat."""
    free = free_colours(roster)[: seats - len(roster.players)]
    return roster._replace(players=(*roster.players, *(Player(c, f"seat of {c}", "", b"") for c in free)))


def seated(club: Club, players: Sequence[str]) -> tuple[Player, ...]:
    """Return the players with new keys; colours left out are dealt in order. Raises UsageError."""
    pairs = [player.partition("=")[::2] for player in players]
    for name, address in pairs:
        if not address:
            raise UsageError(f"{name or 'a player'!a} needs an address", hint="for instance: Ann=ann@example.org")
        players_address(club, address)
    seats = game_setup.seats([name for name, _ in pairs])
    return tuple(
        Player(colour, name, address, os.urandom(KEY_BYTES))
        for (colour, name), (_, address) in zip(seats, pairs, strict=True)
    )


def _begun_or_open(
    club: Club, table: Table, roster: Roster, new: Sequence[Player], parts: tuple[tuple[str, bytes], ...] = ()
) -> Change:
    """Return the change that begins the game if all seats are taken, and else tells who is *new* that it waits."""
    assert roster.opening is not None
    missing = roster.opening.seats - len(roster.players)
    if missing:
        own_parts = (*parts, (table.players.name, clubs.roster_text(roster).encode()))
        own_set = _own_set_lines(dict(parts).get(COMPONENTS) or _kept_set(table))
        told = tuple(_waiting(club, table, player, missing, own_set) for player in new)
        return Change({"code": "open"}, parts=own_parts, letters=told)
    own = dict(parts).get(COMPONENTS) or _kept_set(table)
    record, made = _new_game(table, roster, roster.opening, own)
    roster = roster._replace(opening=None)
    desk = desk_of(club, table, roster, record)
    letters = [_welcome(desk, player) for player in roster.players]
    return Change(
        {"code": "begun", "turn": 0, "head": record.head},
        after=record.head,
        parts=(*parts, (table.players.name, clubs.roster_text(roster).encode()), *made),
        letters=tuple(letters),
    )


def _welcome(desk: Desk, player: Player) -> Letter:
    """Return the first letter of a game to a player."""
    return letter(desk, player, welcome(desk, player), says=headline("welcome", player, desk.record.state))


def _waiting(club: Club, table: Table, player: Player, missing: int, own_set: Sequence[str]) -> Letter:
    """Return the letter to a player of a game that waits for others; *own_set* names its component set."""
    more = "1 more has joined" if missing == 1 else f"{missing} more have joined"
    why = (
        f"You play as {player.name} ({player.colour}) in the game {table.name}. It begins when {more}, and then you "
        "get a mail that tells how to play. Until then there is nothing to do.",
        f'Whoever wants to come in writes to {club.address}: "join {table.name}", and the name to have there.',
        *own_set,
    )
    own = ticket(player.key, table.name, player.colour, 0)
    return plain(own, player, headline("open", player), paragraphs(why))


def _new_game(
    table: Table, roster: Roster, opening: Opening, own: bytes
) -> tuple[Record, tuple[tuple[str, bytes], ...]]:
    """Return a new game, and the files of it and of its secret, which lie in the folder of the change until then."""
    rmtree(table.pending, ignore_errors=True)
    table.pending.mkdir(mode=0o700)
    path = table.pending / table.game.name
    record = game_setup.new(
        path,
        table.name,
        tuple((player.colour, player.name) for player in roster.players),
        options=Options(opening.board, opening.hide_food),
        components=_components(own),
        sealed=opening.chance == "sealed",
        secret=game_setup.secret_from(""),
        form="toml",
    )
    made = [each for each in (secrets.secret_path(path), path) if each.exists()]
    begun = (BEGUN, files.read_bytes(path))
    return record, (begun, *((each.name, files.read_bytes(each)) for each in made))


def _kept_set(table: Table) -> bytes:
    """Return the file of the component set of a game that waits for players, nothing if it is the one that ships."""
    path = table.folder / COMPONENTS
    return files.read_bytes(path) if path.exists() else b""


def _components(own: bytes) -> ComponentSet:
    if not own:
        return loading.built_in()
    data = formats.parse(formats.decode(own, name=COMPONENTS), "toml", name=COMPONENTS)
    return loading.own_components(data, COMPONENTS)


def _own_set_lines(own: bytes) -> tuple[str, ...]:
    """Return the line that names the component set of that file, for who must know it before the game begins."""
    return own_set_lines(game_files.digits_of_set(_components(own)))


# By mail


class Unmet(NotUnderstood):
    """A wish to join that cannot be met, in words for whoever wishes; all else that is wrong is the host's."""


def join_ticket(club: Club, game: str, address: str, number: int) -> Ticket:
    """Return the ticket that proves that who has it reads the mail of that address; each letter there has its own."""
    return ticket(_join_key(club, address), game, JOIN, number)


def confirms(club: Club, said: Ticket, address: str) -> bool:
    """Return whether the ticket is the one that was sent to that address, from which the mail comes."""
    return said.colour == JOIN and is_genuine(said, _join_key(club, address))


def _join_key(club: Club, address: str) -> bytes:
    import hmac

    return hmac.digest(secret_key(club), address.lower().encode(), "sha256")


def wished(table: Table, words: Sequence[str]) -> tuple[str, str]:
    """Return the name and colour that somebody wants in a game that waits for players; the colour may be left open.

    *words* are those after ``join GAME``. Raises Unmet.
    """
    roster = clubs.read_roster(table)
    free = free_colours(roster)
    if roster.opening is None:
        raise Unmet(f"the game {table.name} has begun without you, its seats are taken")
    colour = words[-1].lower() if len(words) > 1 and words[-1].lower() in COLOURS else ""
    if colour and colour not in free:
        raise Unmet(f"{colour} plays already", hint=f"free are {', '.join(free)}")
    said = " ".join(words[:-1] if colour else words)
    try:
        name = game_setup.clean_name(said)
        game_setup.seats(
            [*(f"{player.name}:{player.colour}" for player in roster.players), f"{name}:{colour or free[0]}"]
        )
    except UsageError as wrong:
        raise Unmet(wrong.message, hint=wrong.hint) from None
    return name, colour


def free_colours(roster: Roster) -> tuple[str, ...]:
    """Return the colours that nobody has yet."""
    return tuple(colour for colour in COLOURS if roster.player(colour) is None)


def invitation(
    club: Club, own: Ticket, name: str, colour: str, address: str, in_reply_to: str, last: Sections = ()
) -> Letter:
    """Return the letter with that ticket that asks whether the owner of the address wants to play.

    *last* are the paragraphs that say that there is no other one.
    """
    called = f"{name} ({colour})" if colour else name
    asks = (
        f"Somebody, I hope it was you, wants to play in the game {own.game} as {called}, and gave this address.",
        'Is it you? To answer, press reply, write "yes" above the first line, and send. An empty mail does not count, '
        "because machines send those. If it was not you, do nothing.",
    )
    why, question = asks
    player = Player(JOIN, name, address, b"")
    yes = (YES, f"Yes, I play as {called}")
    says = headline("invitation", player)
    own_set = _own_set_lines(_kept_set(Table(club.games / own.game)))
    asked = section("question", (Prose(question),))
    return plain(own, player, says, (*paragraphs((why, *own_set)), *last, asked), yes=yes, in_reply_to=in_reply_to)


def plays(table: Table, address: str) -> bool:
    """Return whether somebody with that address has a seat in the game."""
    return any(player.address.lower() == address for player in clubs.read_roster(table).players)


def says_yes(words: str) -> bool:
    """Return whether the first line below a greeting is a yes and nothing else: no machine writes that."""
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    return any(map(_is_yes, lines[:1])) or (
        len(lines) > 1 and bool(_GREETING.fullmatch(lines[0])) and _is_yes(lines[1])
    )


def _is_yes(line: str) -> bool:
    found = meaning(_IT_IS_ME.sub("", cleaned(line)), None)
    return found is not None and found.said == YES and found.alone


def join(club: Club, table: Table, words: Sequence[str], address: str, digest: str) -> Joined:
    """Seat somebody whose address is proved, as *words* wish, and begin the game if it is full; the game is locked.

    Return the code for the journal: ``joined``, ``begun``, or ``duplicate`` where
    the address plays already. Raises Unmet where the wish cannot be met.
    """
    roster = clubs.read_roster(table)
    if plays(table, address):
        return "duplicate"
    name, colour = wished(table, words)
    player = Player(colour or free_colours(roster)[0], name, address, os.urandom(KEY_BYTES))
    change = _begun_or_open(club, table, roster._replace(players=(*roster.players, player)), (player,))
    row: dict[str, Any] = {"digest": digest, "colour": player.colour, **change.journal}
    if row["code"] == "open":
        row["code"] = "joined"
    write(club, table, change._replace(journal=row))
    code: Joined = row["code"]
    return code


def refusal(error: PbemError) -> Sections:
    """Return what is wrong with a wish to join, and the way out."""
    hint = "" if "pbem " in error.hint else error.hint
    return paragraphs(filter(None, (f"{error.message}.", hint)))
