"""Bots play whole games against each other: python bot.py [GAMES]."""

import sys

from pbem import Choice, Game, choices, decides, new_game, play, summary
from pbem.first_sparks.moves import Add, Buy, Drop, Offer, Spread


def worth(choice: Choice, game: Game) -> int:
    """Return the value of a choice: members that the tools can feed, with food left over; cards that soon pay."""
    clan, price = game.state.clan(decides(game) or ""), choice.cost or 0
    hunted = {game.state.board.foods[space[:-1]] for space in clan.members}
    brings = {card.number: card.crops or 3 * (card.food in hunted) for card in game.state.components.cards.values()}
    match choice.move:
        case Spread() | Add() as move:
            size = clan.size + (len(move.spaces) if isinstance(move, Spread) else 1)
            fed = clan.food - price >= 4 and size <= sum(brings[tool.number] for tool in clan.tools)
            return size if fed or size >= 13 else -1
        case Offer(card=number) | Buy(card=int(number)):
            return 3 * brings[number] - price
        case Drop(card=number):
            return -brings[number]
    return 0


for number in range(int(sys.argv[1]) if len(sys.argv) > 1 else 1):
    game = new_game(["Ann", "Bob", "Cara", "Dan", "Eve", "Fay"][: 2 + number % 5], secret=f"{number:064x}")
    while decides(game):
        game = play(game, max(choices(game, few=True), key=lambda choice: worth(choice, game)).order)
    print("\n".join(summary(game).splitlines()[:2]))  # noqa: T201 -- a program prints
