"""The commands ``pbem git ...``."""
