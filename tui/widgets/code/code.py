"""Program text in the colours of the theme, with line numbers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from textual.content import Content

if TYPE_CHECKING:
    from collections.abc import Iterator

NUMBER = 4
"""Cells of a line number."""


@lru_cache(maxsize=64)
def highlight_lines(code: str) -> tuple[Content, ...]:
    """Lines of a Python program, highlighted; as many as `code.splitlines()` has."""
    from textual.highlight import highlight  # Pygments is slow to import

    whole = highlight(code, language="python")
    lines = []
    start = 0
    for line in code.splitlines():
        lines.append(whole[start : start + len(line)])
        start += len(line) + 1
    return tuple(lines)


def number_lines(code: str, width: int) -> Content:
    """A program with line numbers; what is longer than `width` goes on in lines without one."""
    rows: list[Content] = []
    for number, line in enumerate(highlight_lines(code), start=1):
        rows += break_line(f"{number:>{NUMBER}}   ", line, width)
    return Content("\n").join(rows)


def break_line(head: str, line: Content, width: int) -> list[Content]:
    """A line behind its head, broken where `width` cells are full, between words if possible."""
    room = max(1, width - len(head))
    heads = [head, f"{'↪':>{NUMBER}}".ljust(len(head))]
    return [
        Content.assemble((heads[start > 0], "$foreground 50%"), line[start:end])
        for start, end in _pieces(line.plain, room)
    ]


def _pieces(text: str, room: int) -> Iterator[tuple[int, int]]:
    """Where the pieces of a text start and end."""
    start = 0
    while len(text) - start > room:
        end = _find_break(text, start, room)
        yield start, end
        start = end
    yield start, len(text)


def _find_break(text: str, start: int, room: int) -> int:
    """Where a word begins in the second half of the room, or the word that its end would cut.

    A word that no line holds is cut where the room is full.
    """
    full = start + room
    begins = [k for k in range(full, start, -1) if _is_gap(text, k) and text[start:k].strip()]
    last = begins[0] if begins else full
    if last > start + room // 2:
        return last
    longest = min(len(text), last + room + 1)
    end = next((k for k in range(full, longest) if text[k] == " " or _is_gap(text, k)), longest)
    return last if end - last <= room else full


def _is_gap(text: str, index: int) -> bool:
    """Whether a word, a name or an operator begins there."""
    inside = all(one.isalnum() or one in "_." for one in text[index - 1 : index + 1])
    return not inside and text[index] != " "
