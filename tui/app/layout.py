"""Which panes are shown alone, kept from one viewer to the next beside the theme."""

from __future__ import annotations

import re
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from tui.app.viewing import is_read_only

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LINE = re.compile(r"(\w{1,40}) ([\w-]{1,40})", re.ASCII)
"""The class of a screen and the id of its pane."""


@contextmanager
def kept_layout(layout: dict[str, str]) -> Iterator[None]:
    """Fill a layout with that of the last time, and keep what has become of it.

    It names the pane that is shown alone by the class of its screen. A viewer that only reads
    keeps nothing, and neither does one that cannot write the user's folder.
    """
    layout.update(_read())
    before = dict(layout)
    yield
    if layout != before and not is_read_only():
        with suppress(OSError):
            _write(layout)


def _read() -> dict[str, str]:
    """What is kept; lines that name no screen and pane are passed over."""
    with suppress(OSError):
        lines = _file().read_text("utf-8", errors="replace").splitlines()
        return {found[1]: found[2] for line in lines if (found := _LINE.fullmatch(line))}
    return {}


def _write(layout: dict[str, str]) -> None:
    file = _file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{screen} {pane}\n" for screen, pane in layout.items()), "utf-8")


def _file() -> Path:
    from platformdirs import user_config_path

    return user_config_path("preceptor") / "layout"
