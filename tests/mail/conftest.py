"""The servers, for every test of the mail."""

from servers import devel, dovecot, nobody_python, open_folder, sink

__all__ = ["devel", "dovecot", "nobody_python", "open_folder", "sink"]
