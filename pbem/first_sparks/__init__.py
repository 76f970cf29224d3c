"""The game *Power Grid: The First Sparks*: pure, without input or output but for its own data."""
