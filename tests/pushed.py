"""Two commits of a game that are in no repository, for what is judged by their files alone."""

from collections.abc import Mapping
from hashlib import sha256

from pbem.carriers.git.repository import FILE_MODE, Commit, Held
from pbem.errors import NotUnderstood

FIRST, SECOND = "0" * 40, "1".rjust(40, "0")


class Pushed:
    """Two commits with these files, as ``Objects`` gives them, at some second since 1970."""

    def __init__(self, before: Mapping[str, bytes], after: Mapping[str, bytes], seconds: int = 0) -> None:
        self.seconds = seconds
        self.trees: dict[str, dict[str, Held]] = {}
        self.blobs: dict[str, bytes] = {}
        for tree, files in (("0", before), ("1", after)):
            self.trees[tree] = {name: Held(FILE_MODE, sha256(data).hexdigest()) for name, data in files.items()}
            self.blobs |= {self.trees[tree][name].oid: data for name, data in files.items()}

    def commit(self, oid: str) -> Commit:
        """Return one of the commits."""
        return Commit(oid, f"{int(oid, 16)}", (FIRST,) if int(oid, 16) else (), "ann", self.seconds, b"", b"")

    def entries(self, tree: str) -> dict[str, Held]:
        """Return the folder of a commit."""
        return self.trees[tree]

    def read(self, oid: str, _kind: str, limit: int, name: str) -> bytes:
        """Return a file, if it is not too large."""
        if len(self.blobs[oid]) > limit:
            raise NotUnderstood(f"{name} is too large")
        return self.blobs[oid]
