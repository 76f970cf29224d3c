"""The rules, one module a chapter of the rulebook, in its order.

preparation, placement, buying, hunting, spreading, bureaucracy, game_end, two_players.
"""
