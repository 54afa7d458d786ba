"""The JSON of `preceptor data`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from problems.sets.references import of_problem
from tui.text.pages.data import about, identity

if TYPE_CHECKING:
    from problems.sets.library import Holding, LibraryEntry


def describe_set(one: Holding) -> dict[str, Any]:
    """One entry of `data list --json`."""
    known = of_problem(one.problem).get(one.name)
    return {
        "name": one.name,
        "problem": one.problem,
        "instances": one.size,
        "state": one.state,
        "identity": identity(one),
        "design": one.described is not None and one.described.design,
        "about": about(one),
        "address": one.address or None,
        "best_known_by": known.solver if known else None,
        "stored": describe_entry(one.entry) if one.entry else None,
    }


def describe_entry(entry: LibraryEntry) -> dict[str, Any]:
    """A stored set: `content` is the sha256 of its instances, `sha256` that of the file."""
    return {
        "name": entry.name,
        "problem": entry.problem,
        "instances": entry.size,
        "source": entry.source,
        "content": entry.content,
        "file": str(entry.file),
        "sha256": entry.sha256,
    }
