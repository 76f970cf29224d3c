"""Mail in: a mailbox, and what is in a mail."""
