"""The adjudicator for Power Grid: The First Sparks by email, through a git repository, or with scripts."""
