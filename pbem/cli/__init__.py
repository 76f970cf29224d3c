"""The command line: arguments in, text or JSON out. No rule, no format."""
