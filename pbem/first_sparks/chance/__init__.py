"""Chance: where draws come from, and what players contribute to them."""
