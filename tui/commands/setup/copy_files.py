"""Files that come with Preceptor, copied out for the user to change."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from problems.errors import UserError, WorldError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def copy_out(package: str, names: Iterable[str], folder: Path) -> tuple[str, ...]:
    """Copy files of a package to a new or empty folder; returns their names.

    Raises UserError for a folder that holds something, WorldError when it cannot be written.
    """
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UserError(f"{folder} is there already and not empty; name a new folder")
        folder.mkdir(parents=True, exist_ok=True)
        for name in (copied := tuple(names)):
            text = files(package).joinpath(name).read_text("utf-8")
            (folder / name).write_text(text, "utf-8")
    except OSError as error:
        raise WorldError(f"{folder} cannot be written: {error.strerror}") from error
    return copied
