"""Play by email: mail in, ruling, mail out. It knows no rule of the game."""
