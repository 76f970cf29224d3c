"""Compiles the catalogues of other languages, which gettext reads, and what ``PBEM_COMPILE=1`` asks for: the rules.

These are the rules of the game, its bot, and the shapes of files. Otherwise the wheel is pure Python.
mypyc compiles the same source, which stays in the wheel too: a Python that cannot load what was compiled reads it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from babel.messages.frontend import CommandLineInterface
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

GAME = "pbem/first_sparks"
FOLDERS = (GAME, f"{GAME}/bot", f"{GAME}/chance", f"{GAME}/land", f"{GAME}/rules")
# mypyc computes a cached property each time, which the tables of a board are, and cannot unpack a generator in a tuple,
# as the bot's plans do; the other two are seldom asked.
LEFT_OUT = {f"{GAME}/{name}.py" for name in ("components_sense", "secrecy", "bot/suggest", "land/board")}


def modules(root: Path) -> list[str]:
    """Return the modules to compile, as paths below *root*."""
    found = [path.relative_to(root).as_posix() for folder in FOLDERS for path in sorted((root / folder).glob("*.py"))]
    compiled = [name for name in found if name not in LEFT_OUT and not name.endswith("__init__.py")]
    return ["pbem/quick.py", "pbem/generated/shapes.py", *compiled]


class CompiledRules(BuildHookInterface[Any]):
    """Compiles in a folder of its own: a compiled module left in the checkout would hide all changes to its source."""

    folder: Path | None = None

    def dependencies(self) -> list[str]:
        """Return what the build needs in addition."""
        return ["mypy[mypyc]>=2"] if self._is_asked_for() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the catalogues in place, and the rules to be added to the wheel."""
        CommandLineInterface().run(
            ["pybabel", "-q", "compile", "-D", "pbem", "-d", str(Path(self.root, "pbem/locale"))]
        )
        if not self._is_asked_for() or version == "editable":
            return
        self.folder = Path(tempfile.mkdtemp(prefix="pbem-compile-"))
        shutil.copytree(Path(self.root) / "pbem", self.folder / "pbem", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
        # Whatever else is installed makes no difference: only what is compiled is checked, and by its own types.
        (self.folder / "mypy.ini").write_text("[mypy]\nfollow_imports = silent\nignore_missing_imports = True\n")
        command = [sys.executable, "-m", "mypyc", *modules(self.folder)]
        # In lines as long as those of mypyc, this warning takes gcc more than all the rest.
        flags = f"{os.environ.get('CFLAGS', '')} -Wno-misleading-indentation"
        env = os.environ | {"CFLAGS": flags}
        subprocess.run(command, cwd=self.folder, check=True, env=env)  # noqa: S603 -- of our own modules
        for path in (*self.folder.glob("*__mypyc.*"), *self.folder.glob("pbem/**/*.*")):
            if path.suffix in (".so", ".pyd"):
                build_data["force_include"][str(path)] = path.relative_to(self.folder).as_posix()
        build_data["pure_python"], build_data["infer_tag"] = False, True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was only needed to build."""
        if self.folder is not None:
            shutil.rmtree(self.folder)

    @staticmethod
    def _is_asked_for() -> bool:
        return os.environ.get("PBEM_COMPILE") == "1"
