"""A group that plays by messages: seats, clock, talk, the host's tools, and letters as values; nothing about email."""
