"""The passwords of a club's mailboxes."""

import os
from pathlib import Path

from pbem import files
from pbem.errors import NoSuchFile, NotUnderstood
from pbem.mail.settings import WayIn, WayOut


def password(box: WayOut | WayIn) -> str:
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
