"""Instance sets and what an import brought, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.domain.names import NOTHING
from tui.text.formatting import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.sets.catalogue import Holding
    from problems.sets.library import LibraryEntry

HEAD = ("set", "problem", "instances", "state", "identity", "about")


def page_sets(found: Sequence[Holding]) -> str:
    """A line a set; the identity is how surely it is the paper's set."""
    rows = [
        (one.name, one.problem, str(one.size), one.state, _identity(one) or NOTHING, _about(one))
        for one in found
    ]
    return table(HEAD, rows)


def page_entry(entry: LibraryEntry) -> str:
    """One line of what was stored."""
    plural = "" if entry.size == 1 else "s"
    return f"{entry.name}: {entry.size} instance{plural} of {entry.problem}, from {entry.source}"


def _identity(one: Holding) -> str | None:
    """None for sets that the paper has no counterpart of."""
    described = one.described
    return None if described is None or described.design else described.identity


def _about(one: Holding) -> str:
    if one.described is not None:
        return one.described.about
    return f"from {one.entry.source}" if one.entry else ""
