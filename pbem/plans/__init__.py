"""Answers that nobody has to be asked for: those of plans, and of bots.

Why things are as they are:

- A plan is kept as its owner wrote it, with the head of the game then, and is read again from the state at that
  head. So a takeback ends it by itself, and what "new" means is what its owner had seen.
- An early answer is a plan for one question. It has the cost of the day when it was written, so that nobody pays
  more than the letter said. No second mechanism plays it.
- The journal has the answers that nobody was asked for, and says whether a plan or a bot gave them. ``rebuild``
  plays those of bots again as they are there, since a newer bot may decide otherwise, and derives those of plans
  from the messages.
"""
