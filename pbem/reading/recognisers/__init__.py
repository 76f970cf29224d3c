"""What a line can be, and how sure that is; each recogniser knows one kind of line."""
