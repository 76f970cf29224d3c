"""Games played through a git repository: a commit is a move, and a server can refuse anything else."""
