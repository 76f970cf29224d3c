"""Requests: what players can ask for by a message, each in one row with its help."""
