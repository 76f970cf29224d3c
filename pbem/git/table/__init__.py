"""What happens at the table of a game besides the moves: talk, keys, substitutes, the clock, and what all agree to."""
