"""A group that plays by messages: seats, clock, talk, the host's tools, letters as values. It knows no e-mail."""
