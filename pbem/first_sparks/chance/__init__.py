"""Chance: where draws come from, and what players contribute to them.

Why things are as they are:

- Shared chance has two openers, not all. If all players had to open each draw, each would wait for all. The one who
  has decided opens in the same submission, and the next one would be asked anyway.
- A chain in place of one commitment for each draw. A value is proved by the one before it, so that 32 bytes in the
  header are enough for a game, and nobody can choose which value to open.
- The last to join opens the first draws. That costs no extra submission, and nobody knows a value of the others
  then.
- A renewed chain does not open the draw that is due. Its owner knows the mover's value, and could have chosen the
  chain to suit it.
- Game and colour are in each link of a chain. So whoever copies a first value can never open the next one. It is
  refused at once too, before the others wait for it. Only shared games have the new format, so that no other
  changes.
- A player's program opens a value in one course of the game. A mover who shows two files would otherwise learn what
  the withdrawn one would have drawn. What was opened as a mover's in one, a liar could wait for as an opener's in
  the other.
- A mover's value is noted for the position before the order. Nobody knows the draw then, so a move that could not
  be written or pushed is simply made again. The opener's note is for one order. If a mover gives two orders, the
  opener can choose which one counts: to refuse that would leave no way to correct an order.
- The salt of a mail is that of its Message-ID, not of all its bytes: those change on the way, and the sender could
  not recognise the salt.
- An imagined game proves nothing. ``imagine`` keeps the log and changes the source of the draws, so that its head
  does not match and ``save`` refuses it.
"""
