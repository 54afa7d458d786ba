"""What a search has tried: parent to child, what changed, what it did to the cost."""

from __future__ import annotations

from difflib import ndiff
from typing import TYPE_CHECKING

from engine.search.prompts.constants import list_constants
from engine.search.prompts.formatting import cut, number
from engine.search.prompts.programs import IDEA, cost_difference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.values import Candidate

CHANGES = 10
"""Changed lines shown of a child, at most."""

DETAILED = 2
"""Children shown with their changed lines."""

WIDTH = 110
"""Characters of a changed line."""


def list_attempts(
    parents: Sequence[Candidate], seen: Sequence[Candidate], few: int = 3, others: int = 4
) -> str:
    """Children of these parents with the lines that changed, then the newest of the others."""
    ids = {parent.id for parent in parents}
    children = [c for c in reversed(seen) if c.parents]
    own = [child for child in children if child.parents[0] in ids][:few]
    rest = [child for child in children if child not in own][:others]
    by_id = {c.id: c for c in seen}
    detailed = [
        summarise_attempt(child, by_id) + _changes(child, by_id) for child in own[:DETAILED]
    ]
    brief = [summarise_attempt(child, by_id) for child in (*own[DETAILED:], *rest)]
    tuned = [f"- {p.id} by its constants{list_constants(p)}" for p in parents if p.tuning]
    return "\n".join([*tuned, *detailed, *brief])


def list_newest(seen: Sequence[Candidate], most: int = 12) -> str:
    """The newest children of a search, one line each."""
    by_id = {c.id: c for c in seen}
    children = [c for c in reversed(seen) if c.parents]
    return "\n".join(summarise_attempt(child, by_id) for child in children[:most])


def summarise_attempt(child: Candidate, by_id: dict[str, Candidate]) -> str:
    """One attempt: its operator and parents, what became of it, its idea."""
    made = f"- {child.id} ({child.operator} of {' with '.join(child.parents)})"
    if child.failure is not None and child.failure.kind == "no gain":
        return f"{made}: nothing gained, {cut(child.failure.message, 200)}{list_constants(child)}"
    if child.failure is not None:
        outcome = f"rejected, {child.failure.kind}: {cut(child.failure.message, 120)}"
    else:
        gaps = [
            cost_difference(child, by_id[parent]) for parent in child.parents if parent in by_id
        ]
        outcome = "; ".join([f"cost {number(child.cost)}", *filter(None, gaps[:1])])
    idea = cut(child.program.idea, IDEA)
    return f"{made}: {outcome}. {idea}".rstrip() + list_constants(child)


def _changes(child: Candidate, by_id: dict[str, Candidate]) -> str:
    """The lines that a child added to its first parent's program and took from it, if few."""
    parent = by_id.get(child.parents[0])
    if parent is None or not child.program.code:
        return ""
    changed = [
        line
        for line in ndiff(parent.program.code.splitlines(), child.program.code.splitlines())
        if line[:1] in "+-" and line[1:].strip() and not line[1:].lstrip().startswith("#")
    ]
    if not changed or len(changed) > 2 * CHANGES:
        return ""
    return "".join(f"\n    {line.rstrip()[:WIDTH]}" for line in changed[:CHANGES])
