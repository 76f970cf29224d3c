"""What the players of a club say ahead, and who is asked at the same time."""
