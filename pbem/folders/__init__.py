"""A club whose letters are text files in folders: the second carrier, for a shared disk or a quick try without mail."""
