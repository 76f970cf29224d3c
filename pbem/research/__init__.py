"""The game for those who study it: a tree with chance nodes, numbers for actions, and what a player may know."""
