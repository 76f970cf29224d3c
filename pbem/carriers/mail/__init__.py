"""Play by email: mail in, ruling, mail out. It knows no rule of the game.

Why things are as they are:

- Every letter has its own Message-ID, even if it says the same as an earlier one: some servers drop copies.
- A letter's first line ends with its situation, ``(friday/57)``. The line is above the marker. Its end shows where
  our own text begins in a reply that quotes it without marks, whatever its words are.
"""
