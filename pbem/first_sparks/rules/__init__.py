"""The rules, a module for each chapter of the rulebook, in its order.

preparation, placement, buying, hunting, spreading, bureaucracy, game_end, two_players.

Why things are as they are:

- A set of spaces is a number, with a bit for each space in the order of names, and so is a set of cells where a
  tile can lie. So a longer set of new members comes from a shorter one with a few operations. Lists of spreads are
  not kept between decisions: a clan that spreads has other members and other food the next time (of 500 lists in
  random play 18 come again, in careful play none).
- An agreement to end concerns the current situation: the next move cancels it. A player may agree 100 times in a
  game, which keeps the log of the longest possible game below 20,000 lines.
- Ten idle rounds in a row end a game. In an idle round no card is bought, and no clan reaches a new size. So every
  game ends, since cards and members are limited. Of 5,087 games between careful bots, all but 11 had at most six
  such rounds. A game without ``idle_rounds`` in its header is older than this rule and the limit of agreements, and
  neither applies to it.
- The board is its tiles. Neighbours and borders are computed on first use, since laying a tile does not need them.
"""
