"""The passwords of a club's mailboxes."""

import os
from pathlib import Path

from pbem import files
from pbem.carriers.mail.settings import WayIn, WayOut
from pbem.errors import NoSuchFile, NotUnderstood


def password(box: WayOut | WayIn) -> str:
    """Return the password, from the variable or file that club.toml names; raises NotUnderstood, NoSuchFile."""
    if box.password_env:
        found = os.environ.get(box.password_env)
        if found is None:
            message = f"the environment variable {box.password_env}, which holds the password, is not set"
            raise NoSuchFile(message, path="club.toml")
        return found
    if box.password_file:
        return files.read_text(Path(box.password_file), 4096).rstrip("\n")
    hint = "set password_env to the name of a variable, or password_file to the path of a file"
    raise NotUnderstood("club.toml does not say where the password is", path="club.toml", hint=hint)
