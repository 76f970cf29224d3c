"""What people do around a game: who plays, what is said and agreed, who is told what. It reads no file or clock."""
