"""Recognisers: each says what a line can be, and how sure that is; ``decide.py`` says what counts."""
