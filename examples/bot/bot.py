"""Bots play whole games against each other: python bot.py [GAMES]."""

import sys

from pbem import Choice, Game, choices, decides, new_game, play, replay, summary


def worth(choice: Choice, game: Game) -> int:
    """Return what an order is good for: members that tools feed, with food left over; cards that soon pay."""
    clan = next(clan for clan in game.state.clans if clan.colour == decides(game))
    hunted = {game.state.board.foods[space[:-1]] for space in clan.members}
    brings = {card.number: card.crops or 3 * (card.food in hunted) for card in game.state.components.cards.values()}
    word, *things = choice.order.split()
    food, size = clan.food - (choice.cost or 0), clan.size + len(things)
    if word in ("spread", "add"):
        fed = size <= sum(brings[tool.number] for tool in clan.tools) and food >= 4
        return size if fed or size >= 13 else -1
    if word in ("offer", "buy", "take"):
        return 3 * brings[int(things[0])] - (choice.cost or 0) if things else 1
    return -brings[int(things[0])] if word == "drop" else 0


for number in range(int(sys.argv[1]) if len(sys.argv) > 1 else 1):
    names = ["Ann", "Bob", "Cara", "Dan", "Eve", "Fay"][: 2 + number % 5]
    game = new_game(names, name=f"bots-{number}", secret=f"{number:064x}")
    while decides(game):
        game = play(game, max(choices(game, few=True), key=lambda choice: worth(choice, game)).order)
    assert sum(1 for _ in replay(game)) == len(game.log)
    print("\n".join(summary(game).splitlines()[:2]))  # noqa: T201 -- a program prints
