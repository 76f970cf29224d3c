"""How a command line becomes a call: the straight way for the commands of every turn, and Typer for all others."""
