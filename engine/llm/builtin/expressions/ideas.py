"""One sentence that says in words what a score does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.llm.builtin.expressions.format import name_value
from engine.llm.builtin.expressions.trees import ONE, Product, Sum, parts_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from engine.llm.builtin.expressions.skeleton import Draft
    from engine.llm.builtin.expressions.trees import Part, Tree

MOST = 4
"""Parts that are spelled out."""


def idea_of(draft: Draft) -> str:
    """A sentence about a draft's score, its heaviest parts first."""
    names = dict(draft.names)
    turn = -1 if draft.skeleton.lowest else 1
    parts = sorted((p for p in parts_of(draft.score) if p[1] != ONE), key=lambda p: -abs(p[0]))
    said = [_phrase((turn * weight, part), names) for weight, part in parts[:MOST]]
    if len(parts) > MOST:
        said.append(f"{len(parts) - MOST} lighter terms")
    opening = "Looks ahead along choices of" if draft.looks_ahead else "Prefers"
    return f"{opening} {_join(said)}."


def _phrase(part: Part, names: Mapping[str, str]) -> str:
    weight, tree = part
    factors = tree.factors if isinstance(tree, Product) else (tree,)
    gates = [fade for factor in factors if (fade := _fade(factor, names))]
    rest = [f for f in factors if not _fade(f, names)] if len(gates) < len(factors) else factors
    gates = gates if len(gates) < len(factors) else []
    words = " times ".join(_spaced(factor, names) for factor in rest)
    return f"{'high' if weight > 0 else 'low'} {words}{''.join(f' ({gate})' for gate in gates)}"


def _fade(factor: Tree, names: Mapping[str, str]) -> str:
    """`fading with x` for `1 - x`, `growing with x` for `1 + x`, else nothing."""
    match factor:
        case Sum(parts=((start, one), (slope, word))) if one == ONE and start > 0:
            return f"{'fading' if slope < 0 else 'growing'} with {_spaced(word, names)}"
    return ""


def _spaced(tree: Tree, names: Mapping[str, str]) -> str:
    return name_value(tree, names).replace("_", " ")


def _join(said: list[str]) -> str:
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
