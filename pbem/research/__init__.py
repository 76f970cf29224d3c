"""The game for those who study it: a tree with chance nodes, numbers for actions, and what a player may know.

Why things are as they are:

- An action names one space. There are 443,000 sets of up to five spaces, and a network has an output for each
  action. So an answer is several steps, in any order, since the set is what counts.
- An information state is the history. All moves and draws are open. Hidden food follows from them, for whoever
  counts; an observation leaves it out.
"""
