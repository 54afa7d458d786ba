"""How screens shall be shown, as the command line or the environment says: no Textual in here."""

from __future__ import annotations

import os
from contextlib import suppress

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
