"""The host's commands for a running game: each makes one complete change or none, and notifies the players."""

from collections.abc import Mapping
from typing import Any, Final

from pbem import files, formats, rulings
from pbem.club import private
from pbem.club.carrier import Club
from pbem.club.changes import keep as keep_changed
from pbem.club.clock_data import read_clock, terms_from
from pbem.club.folder import GameFolder
from pbem.club.journal import REPLACED, SAME, SEATS
from pbem.club.players import stand_in
from pbem.club.settings import players_address
from pbem.club.store import Parts, commit, load, read_minutes
from pbem.club.transaction import locked
from pbem.errors import Illegal, NotUnderstood, UsageError
from pbem.first_sparks.moves import Draw
from pbem.first_sparks.notation import expected, order_phrase, parse_order
from pbem.first_sparks.plans.waves import as_asked, early
from pbem.first_sparks.record import HEAD_DIGITS, Record
from pbem.game_setup import clean_name
from pbem.grammar import listed
from pbem.loading import Submission
from pbem.locale import phrase
from pbem.rulings import one_of
from pbem.table import host
from pbem.table.clock import Terms, away_until
from pbem.table.letters.motions import failed_for_host
from pbem.table.letters.notices import notice
from pbem.table.letters.receipts import HOST_ANSWERED, HOST_PLAYED
from pbem.table.matters.takebacks import TakeBack
from pbem.table.minutes import Motion
from pbem.table.people import BOT, UNTIL_BACK, Player, Roster, somebody_new
from pbem.table.progress import Progress, go_on
from pbem.table.questions import ASKS, READS, mildest
from pbem.table.table import Table
from pbem.table.tell import Telling, tell

CARRIED_ON: Final = "carried on"  # the codes of rows of the journal
AGREED: Final = "agreed"
FAILED: Final = "not carried out"
MATTER: Final = "matter"  # the key of such a row: what was decided, as in its line of the minutes


def player_of(roster: Roster, said: str) -> Player:
    """Return the player with that colour or name; raises NotUnderstood."""
    found = roster.player(one_of(tuple((player.colour, player.name) for player in roster.players), said))
    assert found is not None
    return found


def replace(club: Club, folder: GameFolder, said: str, name: str, address: str) -> Player:
    """Give a seat to somebody else with a new key, so that earlier letters no longer count; notify everybody.

    Letters have the new player's name from then on. The game file keeps the name with which the game began, because
    the hash chain of its log depends on it. The question gets its full time again.
    """
    with locked(folder):
        table = load(club, folder)
        before = player_of(table.roster, said)
        address = BOT if address.casefold() == BOT else players_address(club, address)
        seat = somebody_new(table.roster, before, name, address)
        done = {"code": REPLACED, "colour": seat.colour}
        again = bool(table.rows) and done.items() <= table.rows[-1].items()  # nothing has happened since
        if again and (before.name, before.address) == (seat.name, seat.address):
            raise UsageError(f"{seat.name} ({seat.colour}) already has that seat, with that address")
        step = host.replace(table, before, seat)
        row = done | {"name": seat.name} | ({SAME: True} if before.name == seat.name else {})
        _save(club, folder, step, row | {ASKS: list(step.after.asked)})
    return seat


def away(club: Club, folder: GameFolder, said: str, until: str, substitute: str = "") -> tuple[Player, bool]:
    """Record that a player is away until a day, or with *until* "" until further notice; a substitute plays meanwhile.

    Return the player, and whether somebody stands in: a bot does not where nobody else waits.

    *substitute* is an address, or a name and an address: ``Dan=dan@example.org``. The substitute gets the current
    question at once, with the full time limit; a ``bot`` answers it. Raises NotUnderstood for an invalid day,
    UsageError for an invalid name or address.
    """
    name, sign, address = substitute.partition("=") if "=" in substitute else ("", "", substitute)
    if address.casefold() == BOT:
        name, address = "", BOT
    elif substitute:
        players_address(club, address)
        name = clean_name(name) if sign else ""
    with locked(folder):
        table = load(club, folder)
        away_until(until or UNTIL_BACK, table.now, club.zone)
        before = player_of(table.roster, said)
        player = before._replace(absent=until or UNTIL_BACK)
        if substitute:
            player = player._replace(substitute=address, substitute_name=name, stand_in="")
        _save(club, folder, host.away(table, before, player), {"code": "absent", "colour": player.colour})
    return player, table.roster.stands_in(player)


def back(club: Club, folder: GameFolder, said: str) -> Player:
    """Record that a player is back, send them the question with its full time if it is theirs, tell the substitute.

    Return the player as before; nobody hears anything of one who was not away.
    """
    with locked(folder):
        table = load(club, folder)
        before = player_of(table.roster, said)
        _save(club, folder, host.back(table, before), {"code": "back", "colour": before.colour})
    return before


def pause(club: Club, folder: GameFolder, why: str) -> None:
    """Pause a game: no orders are accepted and its clock stops until ``resume``; notify everybody."""
    with locked(folder):
        _save(club, folder, host.pause(load(club, folder), why), {"code": "paused"})


def resume(club: Club, folder: GameFolder) -> bool:
    """Resume a game, with its clock running from the next tick on; if it was paused, notify everybody, and return that.

    Raises NotUnderstood if the terms of its clock cannot be read.
    """
    with locked(folder):
        table = load(club, folder)
        if table.terms is None:
            read_clock(folder)  # which says what is wrong
        step = host.resume(table)
        told = tell(step)
        told = told._replace(after=told.after.but(clock=told.after.clock._replace(last=None)))
        _write(club, folder, step, told, {"code": "resumed"})
    return bool(table.roster.paused)


def set_clock(folder: GameFolder, changes: Mapping[str, object]) -> Terms:
    """Change the terms of a game's clock, each of *changes* as text (``3 days``), and return them all.

    The next tick goes by them, also for questions that are open. Raises NotUnderstood, and then changes nothing.
    """
    with locked(folder):
        kept = private.sections(folder.private).get("clock", {})
        wanted = {**kept, **changes} if formats.is_table(kept) else dict(changes)
        terms = terms_from(wanted)
        if changes:
            keep_changed(folder, {"clock": wanted})
    return terms


def resend(club: Club, folder: GameFolder, *, to_all: bool = False) -> tuple[Player, ...]:
    """Send the current question again to all who are asked, or the situation *to_all*; return who gets a letter."""
    with locked(folder):
        table = load(club, folder)
        _save(club, folder, host.resend(table, to_all=to_all), {"code": "resent", ASKS: list(table.asked)})
    told = (player for player in table.roster.players if to_all or player.colour in table.asked)
    return tuple(player for player in told if player.reader != BOT)


def decide(club: Club, folder: GameFolder, order: str = "", said: str = "") -> tuple[Player, str]:
    """Give an order for a player, by default the one that changes least; return both.

    The player is the one whose turn it is, or another one who is asked at the same time. Raises Illegal or
    NotUnderstood, and then changes nothing.
    """
    with locked(folder):
        table = load(club, folder)
        host.check_not_over(table, "there is nothing to decide")
        colour = player_of(table.roster, said).colour if said else table.decides
        if colour not in (table.decides, *table.asked):
            asked = listed(f"{p.name} ({p.colour})" for p in table.roster.players if p.colour in table.asked)
            raise Illegal("that player is not asked now", hint=f"these are asked: {asked}" if asked else "")
        least = mildest(table.kept, colour)
        if not order and not least:
            hint = f"add an order to the command; pbem options {folder.game} lists the legal ones"
            raise NotUnderstood("the player cannot decline, pass or stay now", path="order", hint=hint)
        move = parse_order(order or least, expected(as_asked(table.kept.state, colour).phase))
        order = str(move)
        if colour == table.decides:
            rulings.judge(table.record, Submission((order,), colour), None)
            why = phrase(HOST_PLAYED, order=order_phrase(order))
        else:
            early(table.record.state, colour, move)
            why = phrase(HOST_ANSWERED, order=order_phrase(order))
        by = f"the host, after {len(table.rows)} lines of the journal"  # never the same message twice
        return stand_in(club, folder, table, colour, order, by, why), order


# Taking back


def take_back(club: Club, folder: GameFolder, turn: int | None = None) -> tuple[Record, bool]:
    """Take a game back to the end of an earlier turn, by default to before a person's last move; notify everybody.

    The game as it was before is kept in ``mails/taken-back``. Return the game, and whether draws were taken back: with
    the same secret and the same candidates the same will be drawn again.

    Raises Illegal for a turn that does not exist, or if the secret of the draws is public.
    """
    with locked(folder):
        table = load(club, folder)
        if not table.kept.turn:
            raise Illegal(host.NEVER_BEGUN)
        wanted = host.turn_before_the_last(table) if turn is None else turn
        host.check_takeback(table, wanted)
        step = host.undo(table, wanted)
        _undo(club, folder, step)
        carry_on(club, folder)
    undone = table.kept.history[len(step.after.kept.log) :]
    return step.after.kept, not table.kept.chance.salted and any(isinstance(entry.move, Draw) for entry, _ in undone)


def start_again(club: Club, folder: GameFolder) -> None:
    """Let a game that comes from a backup go on: replies to letters that are out no longer count, and all get another.

    Moves may have been played after the backup, whose turns come again. A game that has ended stays as it is.
    """
    with locked(folder):
        if folder.game.exists() and (table := load(club, folder)).decides:
            _undo(club, folder, host.undo(table, table.kept.turn))


def _undo(club: Club, folder: GameFolder, step: Progress, **more: object) -> None:
    """Save a step that takes a game back, and keep what it was before; *more* is noted in the journal."""
    before, after = step.before.kept, step.after
    kept = folder.inside(folder.taken_back / f"{before.turn:04}-{before.head[:HEAD_DIGITS]}.toml")
    everybody = [player.colour for player in after.roster.players]
    row = {"code": "taken back", "turn": after.kept.turn, ASKS: list(after.asked), READS: everybody, **more}
    _save(club, folder, step, row, ((kept, files.read_bytes(folder.game)),))


# What all have agreed to, and what is left to play


def finished(club: Club, folder: GameFolder) -> None:
    """Do what all players have agreed to by their messages; the game is locked.

    It is called after every message, so that it also finishes what an interrupted process has left.
    """
    if not folder.game.exists() or not read_minutes(folder).motions:
        return
    table = load(club, folder)
    motion = table.open_motion
    if motion is None or table.roster.paused or table.missing(motion):
        return
    try:
        step = host.carry_out(table, motion)
    except Illegal as wrong:
        _close(club, folder, table, motion, wrong)
        return
    if isinstance(motion.matter, TakeBack):
        _undo(club, folder, step, agreed=True)
    else:
        row = {"code": AGREED, MATTER: str(motion.matter), ASKS: list(step.asks)}
        _save(club, folder, step, row | _changed_seats(table.roster, step.after.roster))
    carry_on(club, folder)


def _changed_seats(before: Roster, after: Roster) -> dict[str, Any]:
    """Return what the journal notes about seats that have another player or address, for a rebuild."""
    pairs = [(old, new) for old, new in zip(before.players, after.players, strict=True) if old.key != new.key]
    return {SEATS: [[new.colour, new.name, old.name == new.name] for old, new in pairs]} if pairs else {}


def _close(club: Club, folder: GameFolder, table: Table, motion: Motion, wrong: Illegal) -> None:
    """End a motion that cannot be carried out, and tell the players, and the host why."""
    step = host.cannot_carry_out(table, motion)
    told = tell(step)
    letter = notice(club.host, *failed_for_host(motion, table.name, table.names, wrong.message), serial=table.serial)
    row = {"code": FAILED, MATTER: str(motion.matter)}
    _write(club, folder, step, told._replace(letters=(*told.letters, letter)), row)


def carry_on(club: Club, folder: GameFolder) -> bool:
    """Play all answers for which nobody has to be asked, and return whether there were any; the game is locked.

    They follow from a change that was no player's message, such as a takeback. Doing it again does nothing, so that it
    also finishes what an interrupted process has left.
    """
    if not folder.game.exists():
        return False
    table = load(club, folder)
    step = go_on(table, table)
    if step.is_moved:
        _save(club, folder, step, {"code": CARRIED_ON})
    return step.is_moved


# Writing


def _save(club: Club, folder: GameFolder, step: Progress, row: dict[str, Any], more: Parts = ()) -> None:
    """Tell everybody of a step, and save it."""
    _write(club, folder, step, tell(step), row, more)


def _write(
    club: Club, folder: GameFolder, step: Progress, told: Telling, row: dict[str, Any], more: Parts = ()
) -> None:
    record = told.after.kept
    about = {"game": record.game, "turn": record.turn, "head": record.head, **step.row, **row}
    commit(club, folder, step.before, told.after, about, told.letters, more)
