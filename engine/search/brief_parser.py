"""An analyzer's reply, taken apart: a section for every operator, a paragraph for every slot."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEADING = re.compile(r"^\s*(?:#+|\*\*)\s*\(?([a-z][a-z0-9_]*)\)?\b.*$", re.MULTILINE)
_SLOT = re.compile(r"^[\s#*\-]*slot\s+(\d+)\b", re.MULTILINE | re.IGNORECASE)


def parse_briefs(text: str, operators: Sequence[str]) -> dict[str, str]:
    """The text under each operator's heading; operators without a section are left out."""
    marks = [m for m in _HEADING.finditer(text) if m.group(1) in operators]
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    bodies = {
        mark.group(1): text[mark.end() : end].strip()
        for mark, end in zip(marks, ends, strict=True)
    }
    return {operator: body for operator, body in bodies.items() if body}


def cut_out(section: str, slot: int) -> str:
    """What a section says to one slot, counted from 1: what stands before all slots, and its own.

    A section that does not name the slot is for all of them.
    """
    marks = [(int(mark.group(1)), mark.start()) for mark in _SLOT.finditer(section)]
    bounds = pairwise([*marks, (0, len(section))])
    own = [section[start:end] for (number, start), (_, end) in bounds if number == slot]
    if not own:
        return section
    return "\n".join(part.strip() for part in (section[: marks[0][1]], *own) if part.strip())
