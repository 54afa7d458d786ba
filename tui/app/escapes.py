"""What the application asks of a terminal by escape sequences, over SSH and through tmux too."""

from __future__ import annotations

import base64

from engine.domain.text.plain_text import clean

LIMIT = 74_994
"""Bytes of base64 that terminals take in one sequence; longer ones are dropped by some."""

BELL = "\x07"


def fits(text: str) -> bool:
    """Whether a text is short enough to be copied by OSC 52."""
    return len(_encoded(text)) <= LIMIT


def copying(text: str) -> str:
    """The sequence that copies a text: OSC 52."""
    return f"\x1b]52;c;{_encoded(text)}{BELL}"


def notice(text: str) -> str:
    """The sequence by which a terminal shows a text as a notice of the desktop: OSC 9."""
    return f"\x1b]9;{clean(text)}{BELL}"


def through_tmux(sequence: str) -> str:
    """The sequence wrapped so that tmux hands it on to the terminal outside.

    tmux by default drops a program's own OSC 52; it needs `allow-passthrough on` for this one.
    """
    escaped = sequence.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{escaped}\x1b\\"


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode("ascii")
