"""A player that is a program: it decides from what its clan may know, and says why.

Why things are as they are:

- A bot is a player called ``Bot``, ``Bot 2`` and so on. The header of a game is bound into its chain, and a new
  field there would be one more thing that every reader of files must know. A name needs no new format, every text
  shows it, and a game from before there were bots stays as it is. Nothing happens by the name alone: bots decide
  only when somebody asks for it, with ``play --bots``.
- The bot looks ahead in numbers, not in states. It moves sizes, food and tools of all clans on through the next
  rounds, which takes a small part of the time that real play would. It judges a move by the mean of several such
  courses, and by the way there as well as by the end: a small change turns the end of a course, and judged by that
  alone it won a third fewer games. It uses only sums and products, which are the same on every machine.
- The bot counts what a way to a food costs, and that others may enter its spaces first. When any new member was
  taken to come near any food, one clan in ten bought a tool that it could never use, and ended with one member.
  Four rounds in which the surplus counts more feed it better than ten: the cards of later rounds are a guess.
"""
