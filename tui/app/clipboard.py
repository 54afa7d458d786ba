"""Copying out of a terminal, over SSH and through tmux, by the escape sequence OSC 52."""

from __future__ import annotations

import base64

LIMIT = 74_994
"""Bytes of base64 that terminals take in one sequence; longer ones are dropped by some."""


def fits(text: str) -> bool:
    """Whether a text is short enough to be copied this way."""
    return len(_encoded(text)) <= LIMIT


def through_tmux(text: str) -> str:
    """The sequence wrapped so that tmux hands it on to the terminal outside.

    tmux by default drops a program's own OSC 52; it needs `allow-passthrough on` for this one.
    """
    return f"\x1bPtmux;\x1b\x1b]52;c;{_encoded(text)}\x07\x1b\\"


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode("ascii")
