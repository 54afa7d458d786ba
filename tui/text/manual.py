"""The pages of the manual, and the recording that comes with it."""

from __future__ import annotations

from pathlib import Path

import tui
from problems.errors import UnknownName

_PACKAGE = Path(tui.__file__).parent


def folder() -> Path:
    """Where the pages lie: inside the package where it is installed, beside it in a checkout."""
    inside = _PACKAGE / "docs"
    return inside if inside.is_dir() else _PACKAGE.parent / "docs"


def demo() -> Path:
    """A recorded run whose replies were written by hand."""
    return folder() / "demo" / "jssp-by-hand.run"


def titles() -> dict[str, str]:
    """The title of every page by its topic."""
    pages = sorted(folder().glob("*.md"))
    return {page.stem: page.read_text("utf-8").partition("\n")[0].lstrip("# ") for page in pages}


def read_page(topic: str) -> str:
    """A page as it is written. Raises UnknownName."""
    known = titles()
    if topic not in known:
        raise UnknownName("topic", topic, known)
    return (folder() / f"{topic}.md").read_text("utf-8")
