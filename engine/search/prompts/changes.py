"""What sets one program's text apart from another's."""

from __future__ import annotations

from difflib import SequenceMatcher, ndiff, unified_diff
from functools import lru_cache

LINES = 1_000
"""Lines of a program up to which it is compared: the work grows with their square."""


@lru_cache(maxsize=1024)
def likeness(one: str, other: str) -> float:
    """The share of their lines that two programs have in common; 0 for very long ones."""
    if _too_long(one, other):
        return 0.0
    lines = (one.splitlines(), other.splitlines())
    return SequenceMatcher(None, *lines, autojunk=False).ratio()


@lru_cache(maxsize=256)
def changed_blocks(old: str, new: str) -> str:
    """The lines in which the second program differs, each with one of context around."""
    if _too_long(old, new):
        return new
    lines = (old.splitlines(keepends=True), new.splitlines(keepends=True))
    changed = list(unified_diff(*lines, n=1))[2:]
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in changed)


@lru_cache(maxsize=256)
def changed_lines(old: str, new: str) -> tuple[str, ...]:
    """The lines that the second program has not from the first, and those that it lost."""
    if _too_long(old, new):
        return ()
    return tuple(
        line.rstrip()
        for line in ndiff(old.splitlines(), new.splitlines())
        if line[:1] in "+-" and line[1:].strip() and not line[1:].lstrip().startswith("#")
    )


def _too_long(*codes: str) -> bool:
    return any(code.count("\n") > LINES for code in codes)
