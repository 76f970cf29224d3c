"""Plans: what a player decides ahead, in words, as a value, and as the answers that it gives. Pure, like the game."""
