"""Upkeep: what a host does to keep a club well: see what is wrong with it, and keep a copy."""
