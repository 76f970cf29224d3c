"""What may be wrong with a club by mail: its servers, and whether a letter to itself arrives as it was sent.

Nothing that a server has said after a password is shown, and no address but the club's own.
"""
