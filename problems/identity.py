"""Identity of code: a digest of the source text of whole rooms, never of a list of file names.

A result carries the identity of the rooms that made it, so that a stored result is never taken
for one of other code, and a change elsewhere voids nothing.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
"""The folder in which the packages lie; rooms are named from here, as in `problems/tsp`."""

SOURCE = (".py", ".md")
"""Suffixes of files that are code or are read by code; prompts are Markdown."""

_MOVED = (
    (re.compile(rb"^(\s*)from preceptor\.", re.MULTILINE), rb"\1from "),
    (re.compile(rb"^(\s*)from preceptor import ", re.MULTILINE), rb"\1import "),
)
"""The imports of ours in an installation, which lies below `preceptor` (hatch_build.py), and how
the source tree has them."""


@cache
def digest_rooms(rooms: tuple[str, ...], without: tuple[str, ...] = ()) -> str:
    """sha256 over the source files of folders and single files, by path and content.

    `rooms` are relative to `ROOT`, or absolute for what is the user's own. Folders named in
    `without` are left out wherever they lie. Where and how we are installed changes nothing.
    """
    sha = hashlib.sha256()
    for room in rooms:
        base = ROOT / room
        files = [base] if base.is_file() else sorted(base.rglob("*"))
        for file in files:
            place = file.relative_to(base.parent)
            if file.suffix in SOURCE and not set(without) & set(place.parts):
                sha.update(f"{place.as_posix()}\0".encode() + _source(file) + b"\0")
    return sha.hexdigest()


def _source(file: Path) -> bytes:
    """The text of a file, of one of ours as it is in the source tree."""
    text = file.read_bytes()
    if __name__ != "problems.identity" and file.is_relative_to(ROOT):
        for moved, before in _MOVED:
            text = moved.sub(before, text)
    return text
