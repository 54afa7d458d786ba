"""Text from outside without what a terminal obeys: one notation for it, one function to write it.

Models, strangers' files and faults send control characters: escape sequences that clear a screen
or replace the clipboard, marks that turn the direction of writing. Each is written as `\\uXXXX`,
which Python and JSON read inside a string as the character it stands for.
"""

from __future__ import annotations

import re
from typing import TypeVar

UNSAFE = (
    "\x00-\x08\x0b-\x1f"  # C0 but for tab and newline
    "\x7f-\x9f"  # DEL and C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks of direction
    "\u2028\u2029\ufeff"  # line and paragraph separators, byte order mark
    "\ud800-\udfff"  # halves of a pair, which no encoding holds
)
"""What is not printed as it is, as the inside of a regular expression's brackets."""

LONGEST = 6
"""Characters that one unsafe character becomes."""

_UNSAFE = re.compile(f"[{UNSAFE}]")
_LINE_ENDS = re.compile("\r\n?|\f")

Plain = TypeVar("Plain")


def clean(text: str) -> str:
    """The text with every unsafe character as `\\uXXXX`; of anything else nothing changes."""
    return _UNSAFE.sub(_write, text)


def one_line(text: str) -> str:
    """A name or another text for one line, clean, its line breaks and runs of blanks one blank."""
    return clean(" ".join(text.split()))


def clean_reply(text: str) -> str:
    """A reply, clean, with every kind of line end as a newline and without byte order marks."""
    return clean(_LINE_ENDS.sub("\n", text).replace("\ufeff", ""))


def clean_all(plain: Plain) -> Plain:
    """A JSON document with every text in it clean, names too."""
    found: object = plain
    if isinstance(plain, str):
        found = clean(plain)
    elif isinstance(plain, dict):
        found = {clean_all(name): clean_all(item) for name, item in plain.items()}
    elif isinstance(plain, list):
        found = [clean_all(item) for item in plain]
    return found  # type: ignore[return-value]


def _write(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
