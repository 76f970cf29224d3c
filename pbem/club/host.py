"""The host's commands for a running game: each makes one complete change or none, and notifies the players."""

import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from pbem import files, loading, rulings
from pbem.ahead.intents import Intent, always_only, readdressed
from pbem.club import table as clubs
from pbem.club.agreed.texts import story
from pbem.club.agreed.wish import dropped
from pbem.club.ahead.asking import ASKS, READS
from pbem.club.ahead.due import mildest
from pbem.club.ahead.kept import bot_seats, kept_intents, read_intents
from pbem.club.ahead.onward import (
    Going,
    about_plan,
    carry_on,
    gone_on,
    letter_after,
    letters_after,
    parts_after,
    untold,
)
from pbem.club.ahead.said import taken_back
from pbem.club.cache import game_text
from pbem.club.clock import away_until
from pbem.club.clock_files import TICKS, clock_text, fresh_clock, fresh_question, last_tick, read_clock
from pbem.club.deadlines import stand_in
from pbem.club.journal import journal_rows
from pbem.club.settings import KEY_BYTES, Club, players_address
from pbem.club.table import BOT, UNTIL_BACK, Player, Roster, Table
from pbem.club.transaction import Change, locked, write
from pbem.club.writing.headlines import Occasion, headline, notice_of
from pbem.club.writing.letter import Letter
from pbem.club.writing.letters import (
    Desk,
    absence_letters,
    desk_of,
    letter,
    notice,
    paragraphs,
    relieved,
    substitution_text,
    welcome,
    with_due,
)
from pbem.club.writing.own_notes import kept_notes, read_notes
from pbem.errors import Illegal, NotUnderstood, UsageError
from pbem.first_sparks.moves import Draw
from pbem.first_sparks.notation import expected, parse_order
from pbem.first_sparks.plans.together import as_asked, early
from pbem.first_sparks.record import HEAD_DIGITS, Record, at_turn
from pbem.first_sparks.state import CHANCE
from pbem.game_setup import clean_name, seats
from pbem.grammar import listed
from pbem.loading import GameFile, Submission

TAKEN_BACK: Final = "taken-back"
SAME: Final = "same"  # the key of a row of the journal: the seat changed its address, and not its player


class Open(NamedTuple):
    """A game that the host is changing: its folder, its players, and its file."""

    club: Club
    table: Table
    roster: Roster
    game: GameFile

    @property
    def desk(self) -> Desk:
        """The desk for letters about the game as it is now."""
        return desk_of(self.club, self.table, self.roster, self.game.record)


Parts = tuple[tuple[str, bytes], ...]


def opened(club: Club, table: Table) -> Open:
    """Return a game that has begun; raises NoSuchFile, NotUnderstood, Broken."""
    roster, game = clubs.read_roster(table), loading.load(table.game)
    clubs.check_seats(table, roster, game.record)
    return Open(club, table, roster, game)


def player_of(roster: Roster, said: str) -> Player:
    """Return the player with that colour or name; raises NotUnderstood."""
    for player in roster.players:
        if said.casefold() in (player.colour, player.name.casefold()):
            return player
    players = listed(f"{player.name} ({player.colour})" for player in roster.players)
    raise NotUnderstood("no player has that name or colour", path="player", hint=f"the players are {players}")


def replace(club: Club, table: Table, said: str, name: str, address: str) -> Player:
    """Give a seat to somebody else with a new key, so that earlier letters no longer count; notify everybody.

    Letters have the new player's name from then on. The game file keeps the name with which the game began, because
    the hash chain of its log depends on it. The question gets its full time again.
    """
    with locked(table):
        game = opened(club, table)
        before = player_of(game.roster, said)
        address = BOT if address.casefold() == BOT else players_address(club, address)
        seat = Player(before.colour, name, address, os.urandom(KEY_BYTES), before.language)
        game = game._replace(roster=_left(_seated(game.roster, seat), before, seat))
        seat = next(player for player in game.roster.players if player.colour == before.colour)
        rows, done = journal_rows(table.journal), {"code": "replaced", "colour": seat.colour}
        again = bool(rows) and done.items() <= rows[-1].items()  # nothing has happened since
        if again and (before.name, before.address) == (seat.name, seat.address):
            raise UsageError(f"{seat.name} ({seat.colour}) already has that seat, with that address")
        is_same = before.name == seat.name
        why = (_SAME_NAME if is_same else _TAKES_OVER).format(new=seat.name, old=before.name, colour=seat.colour)
        notes, ahead = read_notes(table), dict(read_intents(table, game.game.record))
        mine = ahead.pop(seat.colour, None)
        if not is_same:
            notes.pop(seat.colour, None)
        elif mine is not None:
            ahead[seat.colour] = readdressed(mine, before.address, seat.address)
        going = _going(game, ahead, reads=(seat.colour,))
        going = going._replace(desk=going.desk._replace(notes=notes), wish=None)
        letters, told = list[Letter](), untold(going)
        for p in game.roster.players:
            new = p == seat and before.address != address
            kind: Occasion = "welcome" if new else "replaced"
            says = headline(kind, p, going.desk.state_for(p), new=seat.name, clan=seat.colour)
            first = (*paragraphs((why,)), *(welcome(going.desk, p) if new else ()))
            own, told = letter_after(going, told, p, first, says)
            letters.append(own)
        if before.address != address:
            subject = notice_of(table.name, "dismissed")
            letters.append(notice(before.address, subject, paragraphs((why, _NO_MORE_LETTERS))))
        letters += relieved(going.desk, before)
        row = {"code": "replaced", "colour": seat.colour, "name": seat.name} | ({SAME: True} if is_same else {})
        parts = (*parts_after(going, told), *fresh_question(table, seat.colour), *kept_notes(table, notes))
        _write_on(game, going, row | {ASKS: list(going.desk.asked)}, letters, (*parts, *dropped(table)))
    return seat


_TAKES_OVER: Final = "{new} plays {colour} from now on, instead of {old}."
_SAME_NAME: Final = "{new} ({colour}) now plays from another address."
_NO_MORE_LETTERS: Final = (
    "Replies to earlier letters no longer count, and you will get no more letters about this game."
)


def _seated(roster: Roster, seat: Player) -> Roster:
    """Return the roster with somebody new in a seat; raises UsageError for an invalid name."""
    changed = roster.changed(seat)
    names = dict(seats([f"{player.name}:{player.colour}" for player in changed.players]))
    return changed.changed(seat._replace(name=names[seat.colour]))


def _left(roster: Roster, before: Player, seat: Player) -> Roster:
    """Return the roster with the keys of the previous player retired; that may be the same person."""
    roster = roster.retired(before)
    if before.address.lower() == seat.address.lower():
        return roster
    former = (
        key._replace(address=key.address or before.address) if key.colour == seat.colour else key
        for key in roster.former
    )
    return roster._replace(former=tuple(former))


def away(club: Club, table: Table, said: str, until: str, substitute: str = "") -> Player:
    """Record that a player is away until a day, or with *until* "" until further notice; a substitute plays meanwhile.

    *substitute* is an address, or a name and an address: ``Dan=dan@example.org``. The substitute gets the current
    question at once, with the full time limit; a ``bot`` answers it. Raises NotUnderstood for an invalid day,
    UsageError for an invalid name or address.
    """
    away_until(until or UNTIL_BACK, last_tick(table), club.zone)
    name, sign, address = substitute.partition("=") if "=" in substitute else ("", "", substitute)
    if address.casefold() == BOT:
        name, address = "", BOT
    elif substitute:
        players_address(club, address)
        name = clean_name(name) if sign else ""
    with locked(table):
        game = opened(club, table)
        before = player_of(game.roster, said)
        player = before._replace(absent=until or UNTIL_BACK)
        if substitute:
            player = player._replace(substitute=address, substitute_name=name, stand_in="")
        going = _seat_changed(game, before, player)
        desk, asked = going.desk, player.colour in going.desk.asked
        reads = asked and player.reader not in (player.address, BOT)
        why = {player.colour: paragraphs((substitution_text(player),))} if reads else {}
        letters, told = letters_after(going, why, without=() if why else (player.colour,))
        if plan := about_plan(game.game.record, going.said, before, player):
            letters += (letter(desk, player.at_home, plan),)
        letters += relieved(desk, before) if before.reader != player.reader else ()
        letters += () if going.is_moved else absence_letters(desk, player)
        parts = (*parts_after(going, told), *(fresh_question(table, player.colour) if asked else ()))
        roster = game.roster.changed(player)
        _write_on(game._replace(roster=roster), going, {"code": "absent", "colour": player.colour}, letters, parts)
    return player


def back(club: Club, table: Table, said: str) -> Player:
    """Record that a player is back, send them the question with its full time if it is theirs, tell the substitute."""
    with locked(table):
        game = opened(club, table)
        before = player_of(game.roster, said)
        player = before.at_home
        going = _seat_changed(game, before, player)
        asked, plan = player.colour in going.desk.asked, about_plan(game.game.record, going.said, before, player)
        why = {player.colour: (*paragraphs(("Welcome back.",)), *plan)} if asked or plan else {}
        letters, told = letters_after(going, why, without=() if why else (player.colour,))
        letters += relieved(going.desk, before)
        fresh = fresh_question(table, player.colour) if asked and before.absent else ()
        parts, roster = (*parts_after(going, told), *fresh), game.roster.changed(player)
        _write_on(game._replace(roster=roster), going, {"code": "back", "colour": player.colour}, letters, parts)
    return player


def _seat_changed(game: Open, before: Player, player: Player) -> Going:
    """Return how the game goes on with the player as changed, who may now read the letters of the seat or not."""
    reads = (player.colour,) if before.reader != player.reader else ()
    return _going(
        game._replace(roster=game.roster.changed(player)), read_intents(game.table, game.game.record), reads=reads
    )


def pause(club: Club, table: Table, why: str) -> None:
    """Pause a game: no orders are accepted and its clock stops until ``resume``; notify everybody."""
    with locked(table):
        game = opened(club, table)
        game = game._replace(roster=game.roster._replace(paused=why or "no reason was given"))
        _write(game, {"code": "paused"}, _letters_to_all(game.desk, "paused", ()))  # every letter says why


def resume(club: Club, table: Table) -> None:
    """Resume a game, with its clock running from the next tick on; if it was paused, notify everybody."""
    with locked(table):
        game = opened(club, table)
        was_paused = bool(game.roster.paused)
        game = game._replace(roster=game.roster._replace(paused=""))
        _, seen = read_clock(table)
        going = _going(game, read_intents(table, game.game.record))
        why = {player.colour: paragraphs(("The game goes on.",)) for player in game.roster.players if was_paused}
        says = {p.colour: headline("resumed", p, going.desk.state_for(p)) for p in game.roster.players if was_paused}
        letters, told = letters_after(going, why, says)
        parts = (*parts_after(going, told), (TICKS, clock_text(seen._replace(last=None))))
        _write_on(game, going, {"code": "resumed"}, letters, parts)


def resend(club: Club, table: Table, *, to_all: bool = False) -> tuple[Player, ...]:
    """Send the current question again to all who are asked, or the situation *to_all*; return who gets a letter."""
    with locked(table):
        game = opened(club, table)
        desk = with_due(game.desk)
        players = tuple(p for p in game.roster.players if to_all or p.colour in desk.asked)
        row = {"code": "resent", ASKS: list(desk.asked)}
        _write(game, row, [letter(desk, player, with_game=True) for player in players])
    return players


def decide(club: Club, table: Table, order: str = "", said: str = "") -> tuple[Player, str]:
    """Give an order for a player, by default the one that changes least; return both.

    The player is the one whose turn it is, or another one who is asked at the same time. Raises Illegal or
    NotUnderstood, and then changes nothing.
    """
    with locked(table):
        game = opened(club, table)
        record, desk = game.game.record, game.desk
        if not desk.decides:
            raise Illegal("the game is over, so there is nothing to decide")
        colour = player_of(game.roster, said).colour if said else desk.decides
        if colour not in (desk.decides, *desk.asked):
            asked = listed(f"{p.name} ({p.colour})" for p in game.roster.players if p.colour in desk.asked)
            raise Illegal("that player is not asked now", hint=f"these are asked: {asked}" if asked else "")
        if not order and not mildest(record, colour):
            hint = f"add an order to the command; pbem options {table.game} lists the legal ones"
            raise NotUnderstood("the player cannot decline, pass or stay now", path="order", hint=hint)
        move = parse_order(order or mildest(record, colour), expected(as_asked(record.state, colour).phase))
        order = str(move)
        if colour == desk.decides:
            rulings.judge(desk.record, Submission((order,), colour), None)
            why = f"The host has played for you: {order}."
        else:
            early(desk.record.state, colour, move)
            why = f"The host has answered for you: {order}. It is played when it is your turn."
        by = f"the host, after {len(journal_rows(table.journal))} lines of the journal"  # never the same message twice
        return stand_in(club, table, game.roster, record, colour, order, by, why), order


# Taking back


def take_back(club: Club, table: Table, turn: int | None = None) -> tuple[Record, bool]:
    """Take a game back to the end of an earlier turn, by default to before a person's last move; notify everybody.

    The game as it was before is kept in ``taken-back/``. Every player gets a new key, so that letters of the turns
    taken back no longer count when those turns come again; a former key still tells whose a reply is. Return the game,
    and whether draws were taken back: with the same secret and the same candidates the same will be drawn again.

    Raises Illegal for a turn that does not exist, or if the secret of the draws is public.
    """
    with locked(table):
        game = opened(club, table)
        record = game.game.record
        if not record.turn:
            raise Illegal("no move has been played yet, so there is nothing to take back")
        wanted = _before_the_last(game) if turn is None else turn
        if not 0 <= wanted < record.turn:
            raise Illegal(f"the game is at turn {record.turn} and cannot go back to turn {wanted}")
        if record.chance.kind == "sealed" and record.chance.secret:
            raise Illegal("the secret of the draws has been revealed, so the game cannot be taken back")
        done = undo(game, wanted)
        carry_on(club, table)
    return done


def _before_the_last(game: Open) -> int:
    """Return the turn before the last move that was no bot's, since a bot would make the same move again."""
    nobody = (CHANCE, *bot_seats(game.roster))
    record = game.game.record
    turns = (entry.turn for entry, _ in reversed(record.history) if entry.by not in nobody)
    return next(turns, record.turn) - 1


def undo(game: Open, wanted: int, wish: tuple[str, str, str] | None = None) -> tuple[Record, bool]:
    """Take a game back to the end of that turn, as ``take_back`` says; the game is locked, and an open wish is over.

    With a *wish* of the players all read one of its two messages, as ``story`` has them, with the name of the wisher.
    """
    club, table, record = game.club, game.table, game.game.record
    earlier = at_turn(record, wanted)
    undone = tuple(entry for entry, _ in record.history[len(earlier.log) :])
    renewed = tuple(player._replace(key=os.urandom(KEY_BYTES)) for player in game.roster.players)
    kept = f"{TAKEN_BACK}/{record.turn:04}-{record.head[:HEAD_DIGITS]}.toml"
    roster = game.roster.retired(*game.roster.players)._replace(players=renewed)
    after = Open(club, table, roster, game.game._replace(record=earlier))
    said = read_intents(table, record)
    ahead = {colour: always_only(intent) for colour, intent in said.items()}
    desk = desk_of(club, table, roster, earlier, ahead)
    parts = (
        (kept, files.read_bytes(table.game)),
        *fresh_clock(table),
        *dropped(table),
        (table.game.name, game_text(game.game, earlier).encode()),
        *kept_intents(table, record, said, ahead),
    )
    everybody = [player.colour for player in roster.players]
    row = {"code": "taken back", "turn": wanted, ASKS: list(desk.asked), READS: everybody}
    row |= {"agreed": True} if wish else {}
    kind: Occasion = "taken back together" if wish else "taken back"
    told = story(undone, wanted, *(wish or (_TAKEN_BACK, _MORE_TAKEN_BACK, "")))
    why = (told, "Please answer this letter: replies to earlier ones no longer count.")
    _write(after, row, _letters_to_all(desk, kind, why, said), parts, before=record.head)
    return earlier, not record.chance.salted and any(isinstance(entry.move, Draw) for entry in undone)


_TAKEN_BACK: Final = "The host has taken the game back to turn {turn}. These moves no longer count: {moves}."
_MORE_TAKEN_BACK: Final = (
    "The host has taken the game back to turn {turn}. These moves no longer count: {moves}; and {more} more."
)


# Writing


def _letters_to_all(
    desk: Desk, kind: Occasion, why: Sequence[str], lost: Mapping[str, Intent] = MappingProxyType({})
) -> tuple[Letter, ...]:
    """Return a letter to every player: why it is sent, which plan and early answer are *lost*, and the situation.

    Whoever has a plan is told so even while a substitute plays.
    """
    letters: list[Letter] = []
    for player in desk.roster.players:
        says = headline(kind, player, desk.state_for(player), turn=str(desk.record.turn))
        home = player._replace(absent="")
        told = {each.reader: taken_back(lost.get(player.colour, Intent()), each, player) for each in (home, player)}
        readers = (player, home) if told[home.reader] and home.reader != player.reader else (player,)
        letters += (letter(desk, each, paragraphs((*why, *told[each.reader])), says=says) for each in readers)
    return tuple(letters)


def _going(game: Open, ahead: Mapping[str, Intent], reads: Sequence[str] = ()) -> Going:
    """Return how the game goes on with its players as they are now, and what they have said *ahead*."""
    said, rows = read_intents(game.table, game.game.record), journal_rows(game.table.journal)
    return gone_on(game.club, game.table, game.roster, game.game, said, rows, ahead=ahead, reads=reads)


def _write_on(game: Open, going: Going, row: dict[str, Any], letters: Sequence[Letter], parts: Parts) -> None:
    """Save a change after which the game goes on."""
    before, after = game.game.record.head, game._replace(game=going.game)
    _write(after, going.course.row | row, letters, parts, before=before)


def _write(game: Open, row: dict[str, Any], letters: Sequence[Letter], parts: Parts = (), before: str = "") -> None:
    """Save the roster and whatever else has changed; *before* is the previous head if the game has changed."""
    record = game.game.record
    players = (game.table.players.name, clubs.roster_text(game.roster).encode())
    about = {"game": record.game, "turn": record.turn, "head": record.head} | row
    change = Change(about, before or record.head, record.head, (players, *parts), tuple(letters))
    write(game.club, game.table, change)
