"""Mail out: letters as mails, and how they are sent."""
