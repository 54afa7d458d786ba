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


def pages() -> dict[str, Path]:
    """The file of every page by its topic; a folder's is its `README.md`."""
    files = {file.stem: file for file in folder().glob("*.md")}
    files |= {file.parent.name: file for file in folder().glob("*/README.md")}
    return dict(sorted(files.items()))


def titles() -> dict[str, str]:
    """The title of every page by its topic."""
    heads = {topic: file.read_text("utf-8").partition("\n")[0] for topic, file in pages().items()}
    return {topic: head.lstrip("# ") for topic, head in heads.items()}


def read_page(topic: str) -> str:
    """A page as it is written. Raises UnknownName."""
    known = pages()
    if topic not in known:
        raise UnknownName("topic", topic, known)
    return known[topic].read_text("utf-8")
