"""Carrying a game on: all answers that nobody has to be asked for, as one change, with the letters about it."""

from typing import Final

from pbem import secrets
from pbem.club import cache as memory
from pbem.club.agreed.wish import lapse, lapsed, told_of
from pbem.club.ahead.course import carried_on, reported
from pbem.club.ahead.kept import kept_intents, read_intents
from pbem.club.journal import journal_rows
from pbem.club.settings import Club
from pbem.club.table import Table, read_roster
from pbem.club.transaction import Change, write
from pbem.club.writing import talk
from pbem.club.writing.ending import published
from pbem.club.writing.letter import Letter
from pbem.club.writing.letters import desk_of, letter, paragraphs
from pbem.club.writing.receipts import hears, of_a_stop

CARRIED_ON: Final = "carried on"  # the code of its row in the journal


def carry_on(club: Club, table: Table) -> bool:
    """Play all answers for which nobody has to be asked, and return whether there were any; the game is locked.

    They follow from a change that was no player's message: a bot stands in, a game goes on after a pause. Doing it
    again does nothing, so that it also finishes what an interrupted process has left.
    """
    roster = read_roster(table)
    if roster.paused or not table.game.exists():
        return False
    rows = journal_rows(table.journal)
    game = memory.load(table, rows)
    before, ahead = game.record, read_intents(table, game.record)
    course = carried_on(club, roster, before, ahead, secrets.draws_of(before, table.game), rows)
    if course.record.head == before.head:
        return False
    after = published(course.record, table)
    desk = desk_of(club, table, roster, after, course.ahead)
    kept, sayings = course.ahead, talk.read_talk(table)
    wish, readers = lapsed(table, after), set[str]()
    letters: list[Letter] = []
    for player in roster.players:
        if not hears(desk, player, course.asks):
            continue
        kept, did = reported(after, player.colour, kept) if player.colour in desk.ahead else (kept, ())
        own, sayings = talk.deliver(sayings, player)
        readers.add(player.colour)
        again = (course.again[player.colour],) if player.colour in course.again else ()
        why = paragraphs((*((" ".join(did),) if did else ()), *lapse(wish, player, desk.record), *again))
        letters.append(letter(desk, player, why, own, says=of_a_stop(desk, player), with_game=True))
    text = memory.text_of_game(game, after)
    parts = ((table.game.name, text.encode()), *talk.kept(table, sayings), *kept_intents(table, after, ahead, kept))
    parts += told_of(wish, readers)
    row = {"code": CARRIED_ON, "game": after.game, "turn": after.turn, "head": after.head, **course.row}
    write(club, table, Change(row, before.head, after.head, parts, tuple(letters)))
    memory.remember(game._replace(record=after), text)
    return True
