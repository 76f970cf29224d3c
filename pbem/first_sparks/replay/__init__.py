"""A game as one page on which every turn can be seen.

Why things are as they are:

- The replay of a game is written once. Python writes its last turn, and the script puts the facts of another turn
  into the same places. A test in a browser compares these with what Python writes for that turn.
"""
