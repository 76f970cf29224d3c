"""Games by the thousand: the library, batches, archives, and the comparison of two engines.

Why things are as they are:

- One way to share out work, whoever does it: ``in_order`` takes any executor. Parts are the same whatever the
  number of workers, so a part that is kept is found again, and a sum has the same bytes everywhere.
- Files are read here, not by the workers: a cluster need not see them. That is a small part of judging a game.
- Work is sent as an errand: as bytes, from which ``pickle.loads`` makes the result. A worker of dask that has to
  import what it lacks ends, even if it is somebody else's. The client waits forever for an error that it cannot
  read.
- The parts of a simulation grow to a hundredth of what is before them. So a million games are 10,000 files, and a
  hundred games still keep ten workers busy.
- A worker is asked for its version with every part, by a digest of the rules and of what is counted: the number of
  a version does not change while somebody tries out rules.
- One part at a time in a process. The caches are made for one thread, and Python computes in one at a time anyway.
- Errors are not kept, but found again: they are rare, and a repaired file should count at once.
- Bots change seats from game to game, so that neither is the seat taken for the bot nor the bot for the seat.
- A choice that was listed for this very state is played without being judged again, as ``pbem.play`` sees by the
  state itself and the exact text. A rollout does nothing else, and saves a fifth of its time.
"""
