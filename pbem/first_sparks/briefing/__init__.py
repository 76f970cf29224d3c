"""What the game tells its players; the only place with the game's sentences."""
