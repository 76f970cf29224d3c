"""A club of many games: what ticks and the status need to know of games in which nothing has happened."""
