"""The land: the board and its hexes, groups of spaces, and what they touch."""
