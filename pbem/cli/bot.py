"""The command ``pbem bot``."""

from pbem import game_files
from pbem.cli.arguments import As, GamePath, Json
from pbem.cli.console import show_report
from pbem.plans import bots


def bot(game: GamePath, player: As = "", as_json: Json = False) -> None:
    """Say what a bot would decide, and why.

    It knows no more than the player whose turn it is.
    """
    with game_files.opened(game) as file:
        advice = bots.advice(game, file.record, player)
    show_report(advice, as_json, done=False)
