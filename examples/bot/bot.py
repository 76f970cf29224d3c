"""Bots play whole games against each other: python bot.py [GAMES]."""

import sys
from random import Random

from pbem import Game, choices, decides, new_game, play, replay, summary


def decision(game: Game, dice: Random) -> str:
    """Return an order: grow, or else buy, with what food is not needed to feed the clan; otherwise anything legal."""
    clan = next(clan for clan in game.state.clans if clan.colour == decides(game))
    listed = choices(game, few=True)
    paid = [choice for choice in listed if clan.food - (choice.cost or 0) >= clan.size]
    growing = [choice.order for choice in paid if choice.order.startswith(("spread", "add"))]
    buying = [choice for choice in paid if choice.order.startswith(("offer", "buy", "take"))]
    if growing:
        return max(growing, key=len)
    return max(buying, key=lambda choice: choice.cost or 0).order if buying else dice.choice(listed).order


for number in range(int(sys.argv[1]) if len(sys.argv) > 1 else 1):
    dice = Random(number)  # noqa: S311 -- a bot may be predictable
    names = ["Ann", "Bob", "Cara", "Dan", "Eve", "Fay"][: 2 + number % 5]
    game = new_game(names, name=f"bots-{number}", secret=f"{number:064x}")
    while decides(game):
        game = play(game, decision(game, dice))
    assert sum(1 for _ in replay(game)) == len(game.log)
    print("\n".join(summary(game).splitlines()[:2]))  # noqa: T201 -- a program prints
