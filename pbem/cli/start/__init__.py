"""How a command line becomes a call."""
