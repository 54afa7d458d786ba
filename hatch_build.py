"""How a wheel is laid out: all packages below one parent, so that no name clashes with a user's.

In the source tree `problems`, `teachers`, `engine` and `tui` are packages of their own. Installed
under such names they would hide a user's `problems.py`, or hers them. A wheel therefore holds
`preceptor.problems` and so on, with every import among them written accordingly.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent

PARENT = "preceptor"
"""The package that an installation consists of; its own text is that of `preceptor.py`."""

PACKAGES = ("problems", "teachers", "engine", "tui")

_NAMES = "|".join(PACKAGES)
_FROM = re.compile(rf"^(\s*)from (?=(?:{_NAMES})[. ])", re.MULTILINE)
_IMPORT = re.compile(rf"^(\s*)import (?=(?:{_NAMES})$)", re.MULTILINE)
_OTHER = re.compile(rf"^\s*import .*\b(?:{_NAMES})\b.*$", re.MULTILINE)


def lay_out(folder: Path) -> None:
    """Write what is installed as package `preceptor` into a new folder, docs included.

    Raises ValueError for an import that it cannot rewrite.
    """
    for name in PACKAGES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / f"{PARENT}.py", folder / "__init__.py")
    shutil.copy(ROOT / "tui" / "__main__.py", folder / "__main__.py")
    for file in folder.rglob("*.py"):
        file.write_text(rewrite(file.read_text("utf-8")), "utf-8")
    shutil.copytree(ROOT / "docs", folder / "tui" / "docs")


def rewrite(text: str) -> str:
    """A module's text with its imports of ours below the parent, line by line.

    `problems.identity` undoes this: a result keeps its identity. Raises ValueError for
    `import engine.store` and the like, which binds another name than it imports.
    """
    moved = _IMPORT.sub(rf"\1from {PARENT} import ", _FROM.sub(rf"\1from {PARENT}.", text))
    if found := _OTHER.search(moved):
        raise ValueError(f"write `from ... import ...` for: {found[0].strip()}")
    return moved


def get_build_hook() -> type:
    """What hatchling asks this file for; a checkout installed with `-e` is left as it is."""
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface

    class PrivateParent(BuildHookInterface):  # type: ignore[type-arg, misc, unused-ignore]
        """Adds the packages to a wheel."""

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            if version == "editable":
                return
            self.made = Path(tempfile.mkdtemp())
            lay_out(self.made / PARENT)
            build_data["force_include"][str(self.made / PARENT)] = PARENT

        def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
            if version != "editable":
                shutil.rmtree(self.made)

    return PrivateParent
