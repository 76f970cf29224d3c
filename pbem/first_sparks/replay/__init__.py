"""A game as one page on which every turn can be seen."""
