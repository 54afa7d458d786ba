"""What made a program: its operator by name and title, and its parents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.monitor import OPERATORS

if TYPE_CHECKING:
    from collections.abc import Sequence


def format_origin(operator: str, parents: Sequence[str]) -> str:
    """`m mechanism fusion of p0008 + p0011`; a method's own operators have no title."""
    known = OPERATORS.get(operator)
    title = f" {known.title}" if known and known.title != operator else ""
    origin = f" of {' + '.join(parents)}" if parents else ""
    return f"{operator}{title}{origin}"
