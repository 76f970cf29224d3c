"""A club whose letters are text files in folders: a second carrier, for a shared disk or to try pbem without mail."""
