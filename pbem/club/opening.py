"""Starting a game: the host begins it, or players join by mail until all seats are taken.

Anybody who asks to join must confirm it, by answering a letter to the address that
the request came from, since a sender can be forged. Until then nobody is seated.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from shutil import rmtree
from typing import Any, Final, Literal

from pbem import files, formats, game_files, game_setup, loading, secrets
from pbem.club import folder as clubs
from pbem.club import private
from pbem.club.carrier import Club
from pbem.club.folder import GAME_NAME, GameFolder
from pbem.club.settings import KEY_BYTES, players_address, secret_key
from pbem.club.store import beside
from pbem.club.transaction import Change, is_made, locked, write
from pbem.errors import CannotCreate, NotUnderstood, PbemError, UsageError
from pbem.first_sparks.components import COLOURS, ComponentSet
from pbem.first_sparks.options import Options
from pbem.first_sparks.record import Record
from pbem.grammar import language_called, phrase_listed
from pbem.locale import Language, phrase, phrase_in, speaking
from pbem.reading.languages import in_english
from pbem.reading.lines import cleaned
from pbem.reading.recognisers.phrases import meaning
from pbem.reading.ticket import Ticket, is_genuine, ticket
from pbem.table.letters.letter import Letter
from pbem.table.letters.seats import YES
from pbem.table.letters.seats import seated as seated_letter
from pbem.table.occurrences import GameBegun
from pbem.table.people import BOT, Opening, Player, Roster
from pbem.table.progress import go_on
from pbem.table.table import Table
from pbem.table.tell import tell

Joined = Literal["joined", "begun", "duplicate"]

JOIN: Final = "join"  # takes the place of the colour in a ticket, as the number of the letter takes that of the turn
# What may follow the yes to "Was it you?", including the label of the button.
_IT_IS_ME: Final = (
    r"(?i)\W+(?:(?:it.?s|it is|it was|that.?s|that is|that was) me|it was|i do|i am|i.?m in|count me in|i play as .*"
    r"|(?:i want|i.?d like|i.?d love|i would like|i would love) to(?: play| join)?)\W*$"
)
_GREETING: Final = r"(?i)(?:hi|hello|hey|dear)\b[\w ,.!-]{0,30}"
_COMPONENTS: Final = "components.toml"


def open_game(
    club: Club,
    game: str,
    players: Sequence[str],
    opening: Opening,
    components: Path | None,
    languages: Sequence[str] = (),
) -> GameFolder:
    """Make the folder of a game and begin it, or wait for players while seats are free.

    *players* look like ``Ann=ann@example.org`` or ``Bob:blue=bob@example.org``, and *languages* like ``Ann=it``; one
    without a name is that of all. Raises UsageError, CannotCreate.
    """
    roster = Roster(with_languages(seated(club, players), languages), opening)
    if not 2 <= opening.seats <= 6:
        raise UsageError(f"a game needs 2 to 6 seats, not {opening.seats}")
    if len(roster.players) > opening.seats:
        raise UsageError(f"there are {len(roster.players)} players, but only {opening.seats} seats")
    folder = GameFolder(club.games / game)
    if not re.fullmatch(GAME_NAME, game):
        raise UsageError(
            "the name of a game has 1 to 16 lowercase letters, digits and hyphens, and does not begin with a hyphen",
            hint="it is part of the first line and of the address of every letter",
        )
    own = formats.dump(loading.load_components(components).source, "toml") if components else ""
    roster = roster._replace(opening=opening._replace(components=own))
    is_new = not folder.folder.exists()
    folder.folder.mkdir(mode=0o700, exist_ok=True)
    try:
        with locked(folder):
            if any(path.exists() for path in (folder.private, folder.game, folder.mails)):
                raise CannotCreate(
                    f"the club already has a game {game}", path=str(folder.folder), hint="choose another name"
                )
            if len(roster.players) < opening.seats:  # fail now rather than when all seats are taken
                _new_game(club, folder, _filled(roster, opening.seats))
            write(club, folder, _begun_or_open(club, folder, roster, roster.players))
    except PbemError:
        if is_new and not is_made(folder):
            rmtree(folder.folder, ignore_errors=True)
        raise
    return folder


def _filled(roster: Roster, seats: int) -> Roster:
    """Return the roster with somebody in every seat."""
    free = free_colours(roster)[: seats - len(roster.players)]
    return roster._replace(players=(*roster.players, *(Player(c, f"seat of {c}", "", b"") for c in free)))


def seated(club: Club, players: Sequence[str]) -> tuple[Player, ...]:
    """Return the players with new keys; missing colours are assigned in order. A seat ``bot`` needs no address.

    Raises UsageError.
    """
    pairs = [_address_of(player) for player in players]
    for name, address in pairs:
        if not address:
            raise UsageError(f"player {name!a} has no address", hint="for example: Ann=ann@example.org")
        if address != BOT:
            players_address(club, address)
    if pairs and all(address == BOT for _, address in pairs):
        raise UsageError("at least one player must be a person", hint="for example: Ann=ann@example.org bot bot")
    seats = game_setup.seats([name for name, _ in pairs])
    return tuple(
        Player(colour, name, address, os.urandom(KEY_BYTES), club.language)
        for (colour, name), (_, address) in zip(seats, pairs, strict=True)
    )


def with_languages(players: tuple[Player, ...], languages: Sequence[str]) -> tuple[Player, ...]:
    """Return the players with the languages of their letters, as ``open_game`` takes them; raises UsageError."""
    for each in languages:
        name, _, code = each.rpartition("=")
        language = language_called(code)
        meant = [player.colour for player in players if name.strip().casefold() in ("", player.name.casefold())]
        if not meant:
            raise UsageError(f"no player is called {name!a}", hint="for example: --language Ann=it")
        players = tuple(player._replace(language=language) if player.colour in meant else player for player in players)
    return players


def _address_of(player: str) -> tuple[str, str]:
    """Return the name of a player, perhaps with a colour, and the address; of a bot that is ``bot``."""
    name, sign, address = player.partition("=")
    is_bot = not sign and name.partition(":")[0].casefold() == BOT
    return name, BOT if is_bot or address.casefold() == BOT else address


def _begun_or_open(club: Club, folder: GameFolder, roster: Roster, new: Sequence[Player]) -> Change:
    """Return the change that begins the game if all seats are taken, or else tells the *new* players that it waits."""
    assert roster.opening is not None
    missing = roster.opening.seats - len(roster.players)
    if missing:
        own_set = game_files.digits_of_set(_components(roster))
        told: list[Letter] = []
        for player in new:
            with speaking(player.language):
                told.append(seated_letter(folder.name, player, missing, club.address, own_set))
        return Change({"code": "open"}, parts=(_kept(folder, roster),), letters=tuple(told))
    begun, made = _new_game(club, folder, roster)
    roster = roster._replace(opening=None)
    near = beside(club, folder, begun)._replace(draw=lambda: secrets.draws_of(begun, folder.pending / folder.game.name))
    first = Table(club, near, roster, begun)
    step = go_on(first, first, GameBegun())
    record = step.after.kept
    if step.is_moved:  # bots have decided
        made = {**made, folder.game.name: game_files.text_of(record, "toml").encode()}
    return Change(
        {"code": "begun", "turn": record.turn, "head": record.head, **step.row},
        ("", record.head),
        parts=(_kept(folder, roster), *made.items()),
        letters=tell(step).letters,
    )


def _kept(folder: GameFolder, roster: Roster) -> tuple[str, bytes]:
    """Return the part of a change that keeps the roster of a game that has not gone on yet."""
    kept = private.sections(folder.private) if folder.private.exists() else dict[str, Any]()
    return folder.private.name, private.text_with(kept, clubs.roster_sections(roster))


def _new_game(club: Club, folder: GameFolder, roster: Roster) -> tuple[Record, dict[str, bytes]]:
    """Return a new game and its files, including its secret, made in the folder of the pending change."""
    opening = roster.opening
    assert opening is not None
    rmtree(folder.pending, ignore_errors=True)
    folder.pending.mkdir(mode=0o700)
    path = folder.pending / folder.game.name
    record = game_setup.new(
        path,
        folder.name,
        tuple((player.colour, player.name) for player in roster.players),
        options=Options(opening.board, opening.hide_food),
        components=_components(roster),
        kind=opening.chance,
        salted=club.salts and opening.chance == "sealed",
        secret=game_setup.secret_from(""),
        form="toml",
    )
    made = [each for each in (secrets.secret_path(path), path) if each.exists()]
    return record, {folder.inside(folder.begun): files.read_bytes(path), **{e.name: files.read_bytes(e) for e in made}}


def _components(roster: Roster) -> ComponentSet:
    """Return the component set of a game that is waiting for players."""
    if roster.opening is None or not roster.opening.components:
        return loading.built_in()
    data = formats.parse(roster.opening.components, "toml", name=_COMPONENTS)
    return loading.own_components(data, _COMPONENTS)


def own_set_of(folder: GameFolder) -> str:
    """Return the digits that name the component set of a game that is waiting for players, "" for the built-in one."""
    return game_files.digits_of_set(_components(clubs.read_roster(folder)))


# By mail


class Unmet(NotUnderstood):
    """A request to join that cannot be granted, in words for its sender; any other error is for the host."""


def join_ticket(club: Club, game: str, address: str, number: int) -> Ticket:
    """Return the ticket that proves that its holder reads the mail of that address; each letter has its own."""
    return ticket(_join_key(club, address), game, JOIN, number)


def confirms(club: Club, said: Ticket, address: str) -> bool:
    """Return whether the ticket was sent to that address, from which the mail comes."""
    return said.colour == JOIN and is_genuine(said, _join_key(club, address))


def _join_key(club: Club, address: str) -> bytes:
    import hmac

    return hmac.digest(secret_key(club), address.lower().encode(), "sha256")


def seat_asked_for(folder: GameFolder, words: Sequence[str]) -> tuple[str, str]:
    """Return the name and colour that somebody wants in a game that is waiting for players; the colour may be empty.

    *words* are those after ``join GAME``. Raises Unmet.
    """
    roster = clubs.read_roster(folder)
    free = free_colours(roster)
    if roster.opening is None:
        raise Unmet(phrase("the game {game} has already begun, and all its seats are taken", game=folder.name))
    colour = words[-1].lower() if len(words) > 1 and words[-1].lower() in COLOURS else ""
    if colour and colour not in free:
        colours = phrase_listed(phrase_in(each, "clan colour") for each in free)
        taken = phrase("{colour} is already taken", colour=phrase_in(colour, "clan colour"))
        raise Unmet(taken, hint=phrase("These colours are free: {colours}.", colours=colours))
    said = " ".join(words[:-1] if colour else words)
    try:
        name = game_setup.clean_name(said)
        if name.casefold() in (player.name.casefold() for player in roster.players):
            taken = phrase("the name {name} is already taken", name=name)
            raise Unmet(taken, hint=phrase("Choose another one."))
        game_setup.seats(
            [*(f"{player.name}:{player.colour}" for player in roster.players), f"{name}:{colour or free[0]}"]
        )
    except UsageError as wrong:
        raise Unmet(wrong.message, hint=wrong.hint) from None
    return name, colour


def free_colours(roster: Roster) -> tuple[str, ...]:
    """Return the colours that nobody has yet."""
    return tuple(colour for colour in COLOURS if roster.player(colour) is None)


def plays(folder: GameFolder, address: str) -> bool:
    """Return whether somebody with that address has a seat in the game."""
    return any(player.address.lower() == address for player in clubs.read_roster(folder).players)


def says_yes(words: str, language: Language) -> bool:
    """Return whether the first line after any greeting is a plain yes, which no machine writes."""
    lines = [in_english(line.strip(), language).text for line in words.splitlines() if line.strip()]
    return any(map(_is_yes, lines[:1])) or (
        len(lines) > 1 and bool(re.fullmatch(_GREETING, lines[0])) and _is_yes(lines[1])
    )


def _is_yes(line: str) -> bool:
    found = meaning(re.sub(_IT_IS_ME, "", cleaned(line)), None)
    return found is not None and found.said == YES and found.alone


def join(club: Club, folder: GameFolder, words: Sequence[str], address: str, digest: str) -> Joined:
    """Seat somebody whose address is proved, as *words* ask, and begin the game if it is full; the game is locked.

    Return the code for the journal: ``joined``, ``begun``, or ``duplicate`` if the
    address already plays. Raises Unmet if the request cannot be granted.
    """
    roster = clubs.read_roster(folder)
    if plays(folder, address):
        return "duplicate"
    name, colour = seat_asked_for(folder, words)
    player = Player(colour or free_colours(roster)[0], name, address, os.urandom(KEY_BYTES), club.language)
    change = _begun_or_open(club, folder, roster._replace(players=(*roster.players, player)), (player,))
    row: dict[str, Any] = {"digest": digest, "colour": player.colour, **change.journal}
    if row["code"] == "open":
        row["code"] = "joined"
    write(club, folder, change._replace(journal=row))
    code: Joined = row["code"]
    return code
