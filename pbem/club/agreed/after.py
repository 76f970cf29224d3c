"""What is left to do after a message was processed: what all have agreed to by it."""

from pbem.club.agreed.wish import WISH
from pbem.club.settings import Club
from pbem.club.table import Table


def finished(club: Club, table: Table) -> None:
    """Do what all players have agreed to by their messages; the game is locked.

    A message for which this is interrupted is delivered again, which does the rest.
    """
    if (table.folder / WISH).exists():
        from pbem.club.agreed.doing import carry_out

        carry_out(club, table)
