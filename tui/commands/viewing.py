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
    wanted = (os.environ.get(VARIABLE, ""), _read("theme").strip())
    return next((name for name in wanted if name in available), usual)


def keep_theme(name: str) -> None:
    """Begin with it the next time, where the user's folder can be written."""
    _keep("theme", f"{name}\n")


@contextmanager
def kept_layout(layout: dict[str, str]) -> Iterator[None]:
    """Fill a layout with that of the last time, and keep what has become of it.

    It names the pane that is shown alone by the class of its screen; lines that name no screen and
    pane are passed over. A viewer that only reads keeps nothing.
    """
    lines = (_LAYOUT_LINE.fullmatch(line) for line in _read("layout").splitlines())
    layout.update((found[1], found[2]) for found in lines if found)
    before = dict(layout)
    yield
    if layout != before and not is_read_only():
        _keep("layout", "".join(f"{screen} {pane}\n" for screen, pane in layout.items()))


_LAYOUT_LINE = re.compile(r"(\w{1,40}) ([\w-]{1,40})", re.ASCII)
"""The class of a screen and the id of its pane."""


def _read(name: str) -> str:
    """What is kept under a name in the user's folder; empty where nothing is."""
    try:
        return _file(name).read_text("utf-8", errors="replace")
    except OSError:
        return ""


def _keep(name: str, text: str) -> None:
    with suppress(OSError):
        file = _file(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


def _file(name: str) -> Path:
    from platformdirs import user_config_path  # slow to load

    return user_config_path("preceptor") / name
