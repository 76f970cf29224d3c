"""A player that is a program: it decides from what its clan may know, and says why."""
