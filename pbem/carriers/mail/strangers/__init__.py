"""Mail of people who have no seat: who gets an answer, and who gets a seat that is free."""
