"""How screens shall be shown, and what one viewer keeps for the next: no Textual in here."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from problems.errors import UnknownName

SELDOM = 100_000
"""Values made since the last look, less those given up, at which Python looks again."""


def collect_less() -> None:
    """Look for garbage seldom, and never in what is loaded by now.

    A run of 1,000 programs is 100,000 values that stay: by Python's own thresholds the collector
    looks through all of them several times while they are read, which took half of the time, and
    through all that is imported at the start, which took an eighth.
    """
    gc.freeze()
    gc.set_threshold(SELDOM)


READ_ONLY = "PRECEPTOR_READ_ONLY"
"""The variable that `preceptor --read-only` sets: nothing can be changed from the screens."""

UI_HZ = "PRECEPTOR_UI_HZ"
"""The variable that `preceptor --ui-hz` sets: looks at the store in a second."""

HERTZ = 4.0
"""Looks at the store in a second."""

HERTZ_FAR = 2.0
"""The same over SSH."""

SLOWEST = 0.1
FASTEST = 20.0
"""Bounds of what may be asked for, in looks a second."""


def ask_read_only() -> None:
    """Let the screens of this process, and of those that it starts, change nothing."""
    os.environ[READ_ONLY] = "1"


def is_read_only() -> bool:
    """Whether screens shall change nothing."""
    return os.environ.get(READ_ONLY, "") not in ("", "0")


def ask_hertz(hertz: float) -> None:
    """Let the screens of this process look at the store so often in a second."""
    os.environ[UI_HZ] = str(hertz)


def pick_hertz() -> float:
    """Looks at the store in a second: as asked for, else what suits the line to the terminal."""
    with suppress(ValueError):
        asked = float(os.environ.get(UI_HZ, ""))
        if SLOWEST <= asked <= FASTEST:  # no number (NaN) is between any two
            return asked
    return HERTZ_FAR if "SSH_CONNECTION" in os.environ else HERTZ


def is_served() -> bool:
    """Whether the terminal is a page in a browser, to which textual-serve hands everything on."""
    return os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver")


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
    wanted = (os.environ.get(VARIABLE, ""), _read_theme())
    return next((name for name in wanted if name in available), usual)


def keep_theme(name: str) -> None:
    """Begin with it the next time, where the user's folder can be written."""
    with suppress(OSError):
        file = _theme_file()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{name}\n", "utf-8")


def _read_theme() -> str:
    try:
        return _theme_file().read_text("utf-8", errors="replace").strip()
    except OSError:
        return ""


def _theme_file() -> Path:
    from platformdirs import user_config_path

    return user_config_path("preceptor") / "theme"


_LAYOUT_LINE = re.compile(r"(\w{1,40}) ([\w-]{1,40})", re.ASCII)
"""The class of a screen and the id of its pane."""


@contextmanager
def kept_layout(layout: dict[str, str]) -> Iterator[None]:
    """Fill a layout with that of the last time, and keep what has become of it.

    It names the pane that is shown alone by the class of its screen. A viewer that only reads
    keeps nothing, and neither does one that cannot write the user's folder.
    """
    layout.update(_read_layout())
    before = dict(layout)
    yield
    if layout != before and not is_read_only():
        with suppress(OSError):
            _write_layout(layout)


def _read_layout() -> dict[str, str]:
    """What is kept; lines that name no screen and pane are passed over."""
    with suppress(OSError):
        lines = _layout_file().read_text("utf-8", errors="replace").splitlines()
        return {found[1]: found[2] for line in lines if (found := _LAYOUT_LINE.fullmatch(line))}
    return {}


def _write_layout(layout: dict[str, str]) -> None:
    file = _layout_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{screen} {pane}\n" for screen, pane in layout.items()), "utf-8")


def _layout_file() -> Path:
    from platformdirs import user_config_path

    return user_config_path("preceptor") / "layout"
