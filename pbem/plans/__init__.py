"""Answers that nobody has to be asked for: those of plans, and of bots."""
