"""Instance sets, and what an import stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.names import NOTHING
from tui.text.formatting import table
from tui.text.streams import line_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.sets.library import Holding, LibraryEntry

HEAD = ("set", "problem", "instances", "state", "identity", "about")


def page_sets(found: Sequence[Holding]) -> str:
    """A line for each set; the identity says how surely it is the paper's set."""
    rows = [
        (one.name, one.problem, str(one.size), one.state, identity(one) or NOTHING, about(one))
        for one in found
    ]
    return table(HEAD, rows, line_width())


def page_entry(entry: LibraryEntry) -> str:
    """One line of what was stored."""
    plural = "" if entry.size == 1 else "s"
    return f"{entry.name}: {entry.size} instance{plural} of {entry.problem}, from {entry.source}"


def identity(one: Holding) -> str | None:
    """How surely it is the paper's set; None for sets without a counterpart there."""
    described = one.described
    return None if described is None or described.design else described.identity


def about(one: Holding) -> str:
    """The set in a few words."""
    if one.described is not None:
        return one.described.about
    return f"from {one.entry.source}" if one.entry else ""
