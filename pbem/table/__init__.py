"""What people do around a game: who plays, what they say and agree, and what they are told; no file, mail or clock."""
