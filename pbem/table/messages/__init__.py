"""What follows from a message of a player: orders, plans, requests, motions and words."""
