"""What can be decided at a table: each kind of motion with all that it is, and what holds by what was decided."""
