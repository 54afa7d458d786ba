"""Program text in the colours of the theme, with line numbers."""

from __future__ import annotations

from functools import lru_cache

from textual.content import Content

NUMBER = 4
"""Cells of a line number."""

_MARGIN = NUMBER + 3


@lru_cache(maxsize=64)
def highlight_lines(code: str) -> tuple[Content, ...]:
    """Lines of a Python program, highlighted; as many as `code.splitlines()` has."""
    from textual.highlight import highlight  # Pygments is slow to import

    whole = highlight(code, language="python")
    lines, start = [], 0
    for line in code.splitlines():
        lines.append(whole[start : start + len(line)])
        start += len(line) + 1
    return tuple(lines)


def number_lines(code: str, width: int) -> Content:
    """A program with line numbers; what is longer than `width` goes on in lines without one."""
    room = max(1, width - _MARGIN)
    rows = []
    for number, line in enumerate(highlight_lines(code), start=1):
        for start in range(0, max(1, len(line)), room):
            head = f"{number:>{NUMBER}}   " if start == 0 else f"{'↪':>{NUMBER}}   "
            rows.append(Content.assemble((head, "$text-muted"), line[start : start + room]))
    return Content("\n").join(rows)
