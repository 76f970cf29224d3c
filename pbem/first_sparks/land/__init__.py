"""The land: what groups of spaces on the board have to do with each other."""
