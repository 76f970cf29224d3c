"""Games that are kept in folders: seats, settings, ticks, the host's tools; nothing about email.

Why things are as they are:

- A club is a dataclass, although the game has none: a club by mail is a club with more settings, and named tuples
  cannot inherit. Only the commands of a club pay for it.
- A tick at which nothing is due is not written into the game. It only lets time run, so one line for the whole club
  says when the last one was, and ``private.toml`` of the game says when something is due. After that, ticks are written
  there: if they are not, the game was not there, and no time has run.
- The index is believed only while the files look as they did, by inode, size and times. So nobody who writes a game
  has to tell the index, and nothing is lost between two writes. To look at 10,000 games in this way takes about as
  long as starting the program. An index that had to be told would save that, and would overlook a change by hand.
- Each row of the index has a checksum, since SQLite does not notice a changed bit. A damaged index is made again.
- The index also has the row of the status and the addresses of each game. Otherwise the status and a stranger's mail
  would read all games, which takes a minute for 10,000.
- A note belongs to the player, not to the seat. A substitute neither reads nor writes notes, since a ticket does
  not tell which of the two has written. A new player in the seat does not get the note of the one before.
"""
