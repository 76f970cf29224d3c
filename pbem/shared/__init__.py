"""Shared games: the players' secrets, how players join, and how they draw."""
