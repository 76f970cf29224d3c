"""What a program says to the service manager that runs it: that it is ready, and still at work.

The protocol of systemd is one datagram to a socket that a variable names, so that a library for it would only be
something else to install.
"""

import os
import socket
from contextlib import suppress
from typing import Final

WARNING: Final = "<4>"  # what journald takes for the level of a line


def tell_manager(*said: str) -> None:
    """Tell the service manager, if one listens, assignments such as ``READY=1``."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as door:
        door.settimeout(1)
        door.sendto("\n".join(said).encode(), address.replace("@", "\0", 1) if address[0] == "@" else address)


def level_of_warnings() -> str:
    """Return what begins a line that journald is to show as a warning, "" where nobody would understand it."""
    return WARNING if os.environ.get("JOURNAL_STREAM") else ""
