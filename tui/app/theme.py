"""The theme of the screens: named by the user, else the one that was chosen last."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

from problems.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

VARIABLE = "TEXTUAL_THEME"
"""Textual's own variable, which `preceptor --theme` sets."""


def name_theme(name: str) -> None:
    """Let the screens of this process have a theme. Raises UnknownName."""
    from textual.theme import BUILTIN_THEMES  # Textual is slow to import

    if name not in BUILTIN_THEMES:
        raise UnknownName("theme", name, tuple(BUILTIN_THEMES))
    os.environ[VARIABLE] = name


def pick_theme(available: Collection[str], usual: str) -> str:
    """The theme to begin with: the one named, the one kept, or the usual one."""
    wanted = (os.environ.get(VARIABLE, ""), _read_kept())
    return next((name for name in wanted if name in available), usual)


def keep_theme(name: str) -> None:
    """Begin with it the next time, where the user's folder can be written."""
    with suppress(OSError):
        file = _file()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{name}\n", "utf-8")


def _read_kept() -> str:
    try:
        return _file().read_text("utf-8", errors="replace").strip()
    except OSError:
        return ""


def _file() -> Path:
    from platformdirs import user_config_path

    return user_config_path("preceptor") / "theme"
