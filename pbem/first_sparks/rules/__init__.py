"""The rules, a module for each chapter of the rulebook, in its order.

preparation, placement, buying, hunting, spreading, bureaucracy, game_end, two_players.
"""
