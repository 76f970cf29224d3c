"""How letters and moves travel: by email, as files in folders, through git. Each way is a carrier."""
