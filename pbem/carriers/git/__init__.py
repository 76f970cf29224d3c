"""Games played through a git repository: a commit is a move, and a server can refuse anything else.

Why things are as they are:

- The page of a finished game is proved like its log. It is a function of the log, so a check demands exactly these
  bytes, and nobody can bring another script into the repository. Without the page a last move is valid too: an
  older pbem did not write it, and a very long game has none.
- A plan lies in git's own folder. No command of git commits, sends or cleans away what is there, whatever the group
  has in its ``.gitignore``, and each clone has its own. So plans of older games need no change of a repository.
- A valid signature of the usual form is recognised in our process. ``ssh-keygen`` checks one at a time, and to start it
  takes longer than to judge a move. So the library ``cryptography`` is asked first, if it is installed; what it does
  not find valid is left to ``ssh-keygen``, which a server asks every time. Nothing is remembered from one run to the
  next: with the library it would save a tenth of the time, and it would have to be kept where nobody else writes.
- What a server has to tell is noted before it is done, and crossed out when it is told. A run that was cut off is
  told of by the next one: letters once, and the command in ``pbem.notify`` at least once.
- Being away is nobody else's matter, so no agreement is needed. It stops the clock for one question no longer than 30
  days, as in a club, and puts off the loss of a seat by no more: else one player could keep the game from going on. A
  substitute's key stands beside the player's own in ``allowed_signers`` until the player says something else about it;
  whether it still counts at a commit follows from the minutes, so that no server has to write when the day has come.
- All must agree to a pause, since it stops everybody's game, and any player alone resumes it, so that nobody's game
  waits for somebody who is gone.
- A page for everybody has no question. The README and the commits list the choices of the player who is asked, with
  their costs. The question with its advice is for that player, and ``pbem show`` has it.
- Keys are checked by ``ssh-keygen``, not by git. Git trusts the date in the commit. It checks whose key it is, not
  whether it is the key of the player whose turn it is.
- A server draws only after a commit that it has judged itself. The hook before the push notes the commit in the
  server's own folder. Without that, somebody could push what they like to a server without that hook, and see what
  the secret yields.
"""
