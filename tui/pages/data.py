"""Instance sets and what an import brought, as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tui.words import NOTHING, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.catalogue import Holding
    from problems.library import Entry

HEAD = ("set", "problem", "instances", "state", "identity", "about")


def page_sets(found: Sequence[Holding]) -> str:
    """A line a set; the identity is how surely it is the paper's set."""
    rows = [
        (one.name, one.problem, str(one.size), one.state, _identity(one) or NOTHING, _about(one))
        for one in found
    ]
    return table(HEAD, rows)


def describe_set(one: Holding) -> dict[str, Any]:
    """One entry of `data list --json`."""
    return {
        "name": one.name,
        "problem": one.problem,
        "instances": one.size,
        "state": one.state,
        "identity": _identity(one),
        "design": one.described is not None and one.described.design,
        "about": _about(one),
        "address": one.address or None,
        "stored": describe_entry(one.entry) if one.entry else None,
    }


def page_entry(entry: Entry) -> str:
    """One line of what was stored."""
    plural = "" if entry.size == 1 else "s"
    return f"{entry.name}: {entry.size} instance{plural} of {entry.problem}, from {entry.source}"


def describe_entry(entry: Entry) -> dict[str, Any]:
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


def _identity(one: Holding) -> str | None:
    """None for sets that the paper has no counterpart of."""
    described = one.described
    return None if described is None or described.design else described.identity


def _about(one: Holding) -> str:
    if one.described is not None:
        return one.described.about
    return f"from {one.entry.source}" if one.entry else ""
