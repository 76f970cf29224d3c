"""What a player or the keeper of a secret does in a clone: pull, judge, commit, push."""
