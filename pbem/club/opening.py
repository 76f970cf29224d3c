"""Starting a game: the host begins it, or it waits for players until all seats are taken."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

from pbem import formats, game_files, game_setup, loading, secrets
from pbem.club import folder as clubs
from pbem.club import private
from pbem.club.carrier import Club
from pbem.club.folder import GAME_NAME, GameFolder
from pbem.club.settings import KEY_BYTES, players_address
from pbem.club.store import beside
from pbem.club.transaction import Change, is_made, locked, write
from pbem.errors import CannotCreate, PbemError, UsageError
from pbem.first_sparks.components import COLOURS, ComponentSet
from pbem.first_sparks.options import Options
from pbem.first_sparks.record import Record
from pbem.grammar import language_called
from pbem.locale import speaking
from pbem.table.letters.letter import Letter
from pbem.table.letters.seats import seated as seated_letter
from pbem.table.occurrences import GameBegun
from pbem.table.people import BOT, Opening, Player, Roster
from pbem.table.progress import go_on
from pbem.table.table import Table
from pbem.table.tell import tell

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
    of_all = [language_called(code) for code in languages if "=" not in code]
    roster = roster._replace(opening=opening._replace(components=own, language=of_all[-1] if of_all else ""))
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
            write(club, folder, begun_or_open(club, folder, roster, roster.players))
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
    for each in sorted(languages, key=lambda each: "=" in each):  # so that what is said of one player counts
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


def begun_or_open(club: Club, folder: GameFolder, roster: Roster, new: Sequence[Player]) -> Change:
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
    begun, secret = _new_game(club, folder, roster)
    roster = roster._replace(opening=None)
    near = beside(club, folder, begun)._replace(draw=lambda: secrets.draws_from(begun.game, lambda: secret))
    first = Table(club, near, roster, begun)
    step = go_on(first, first, GameBegun())  # in which bots may decide
    record = step.after.kept
    made = {folder.inside(folder.begun): game_files.text_of(begun, "toml")}
    if begun.chance.kind == "sealed":
        made[secrets.secret_path(folder.game).name] = game_setup.secret_text(begun.game, secret)
    made[folder.game.name] = game_files.text_of(record, "toml")
    return Change(
        {"code": "begun", "turn": record.turn, "head": record.head, **step.row},
        ("", record.head),
        parts=(_kept(folder, roster), *((name, text.encode()) for name, text in made.items())),
        letters=tell(step).letters,
    )


def _kept(folder: GameFolder, roster: Roster) -> tuple[str, bytes]:
    """Return the part of a change that keeps the roster of a game that has not gone on yet."""
    kept = private.sections(folder.private) if folder.private.exists() else dict[str, Any]()
    return folder.private.name, private.text_with(kept, clubs.roster_sections(roster))


def _new_game(club: Club, folder: GameFolder, roster: Roster) -> tuple[Record, bytes]:
    """Return a new game, and the secret of its draws."""
    opening, secret = roster.opening, game_setup.secret_from("")
    assert opening is not None
    record = game_setup.begin_record(
        folder.name,
        tuple((player.colour, player.name) for player in roster.players),
        options=Options(opening.board, opening.hide_food),
        components=_components(roster),
        kind=opening.chance,
        salted=club.salts and opening.chance == "sealed",
        secret=secret,
    )
    return record, secret


def _components(roster: Roster) -> ComponentSet:
    """Return the component set of a game that is waiting for players."""
    if roster.opening is None or not roster.opening.components:
        return loading.built_in()
    data = formats.parse(roster.opening.components, "toml", name=_COMPONENTS)
    return loading.own_components(data, _COMPONENTS)


def own_set_of(folder: GameFolder) -> str:
    """Return the digits that name the component set of a game that is waiting for players, "" for the built-in one."""
    return game_files.digits_of_set(_components(clubs.read_roster(folder)))


def free_colours(roster: Roster) -> tuple[str, ...]:
    """Return the colours that nobody has yet."""
    return tuple(colour for colour in COLOURS if roster.player(colour) is None)
