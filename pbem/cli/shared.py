"""The commands of shared games: ``pbem join`` and ``pbem draw``."""

from pbem import report
from pbem.cli.arguments import As, GamePath, JoinSecret, Json, NewSecret, Plain, Unicode
from pbem.cli.console import printable, write_out
from pbem.shared.entry import drawing, joining, renewed, with_backup


def join(
    game: GamePath,
    player: As = "",
    secret: JoinSecret = "",
    as_json: Json = False,
    unicode: Unicode = False,
    plain: Plain = False,
) -> None:
    """Join a shared game.

    It begins when all players have joined. Your secret is kept on this machine, in your data folder. The line that is
    printed at the end brings it back.
    """
    with joining(game, player, secret) as joined:
        message = f"your secret for {joined.record.game} is kept again" if joined.restored else "you have joined"
        seen = report.view("joined", message, game, joined.record, joined.colour, unicode=unicode, plain=plain)
        result = printable(with_backup(seen, game, joined), as_json)
    write_out(result)


def draw(
    game: GamePath,
    player: As = "",
    new_secret: NewSecret = False,
    as_json: Json = False,
    unicode: Unicode = False,
    plain: Plain = False,
) -> None:
    """Draw what is due in a shared game, if it waits for you.

    You contribute your part of the secret to the draw. Then the game goes on to the next decision. With a new secret,
    the line that is printed at the end brings that one back.
    """
    with drawing(game, player, renew=new_secret) as (before, ruling):
        told = report.ruling("played", game, len(before.log), ruling.record, unicode=unicode, plain=plain)
        told = with_backup(told, game, renewed(ruling.record, player)) if new_secret else told
        result = printable(told, as_json)
    write_out(result)
