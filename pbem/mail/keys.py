"""What is secret in a club: its own key, and the passwords of its mailboxes."""

import os
import re
from pathlib import Path

from pbem import files
from pbem.errors import NoSuchFile, NotUnderstood
from pbem.mail.club import CLUB_FORMAT, Club, Incoming, Outgoing
from pbem.mail.shapes import read


def secret_key(club: Club) -> bytes:
    """Return the club's own key, of which the tickets of those are made who do not play yet."""
    path = club.folder / "club.secret.toml"
    key = read(path, CLUB_FORMAT).get("key")
    if not isinstance(key, str) or not re.fullmatch("[0-9a-f]{64}", key):
        raise NotUnderstood(f"{path} has no key", path="key")
    return bytes.fromhex(key)


def password(box: Outgoing | Incoming) -> str:
    """Return the password that the club's file names but does not hold; raises NotUnderstood, NoSuchFile."""
    if box.password_env:
        found = os.environ.get(box.password_env)
        if found is None:
            raise NoSuchFile(f"the variable {box.password_env} with the password is not set", path="club.toml")
        return found
    if box.password_file:
        return files.read_text(Path(box.password_file), 4096).rstrip("\n")
    hint = "password_env names a variable, password_file a file"
    raise NotUnderstood("club.toml does not say where the password is", path="club.toml", hint=hint)
