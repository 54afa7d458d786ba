"""Which edits an operator's name stands for, and how often each is taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.llm.builtin.edits import restructure as r
from engine.llm.builtin.edits.calibrate import recalibrate
from engine.llm.builtin.edits.fusion import fuse
from engine.llm.builtin.expressions.trees import parts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.llm.builtin.edits.craft import Craft, Edit
    from engine.llm.builtin.expressions.trees import Tree

STRUCTURAL: list[tuple[Edit, float]] = [
    (r.add_term, 0.34),
    (r.replace_term, 0.12),
    (r.swap_word, 0.15),
    (r.gate, 0.10),
    (r.vary_form, 0.12),
    (r.drop_term, 0.12),
    (r.start_anew, 0.05),
]

SPARSE: list[tuple[Edit, float]] = [(r.add_term, 0.7), (r.gate, 0.15), (r.vary_form, 0.15)]
"""For a score of one part, which any other edit would only put in the place of."""

ONE_PARENT = ("s", "m1", "mutation")
"""Operators that change the structure of their first parent, however many they are given."""


def apply(operator: str, scores: Sequence[Tree], craft: Craft) -> Tree:
    """One edit of the first score, or a fusion of the first two, by an operator's name.

    A name that is not known here fuses where it has two parents.
    """
    first = scores[0]
    sparse = sum(craft.distinguishes(part) for _, part in parts_of(first)) < 2
    if operator in ("p", "m2") and not sparse:
        return recalibrate(first, craft)
    if operator == "free":
        return r.start_anew(first, craft)
    if operator == "m3":
        return r.drop_term(first, craft)
    if operator not in ("p", "m2", *ONE_PARENT) and len(scores) > 1:
        return fuse(first, scores[1], craft)
    edits, weights = zip(*(SPARSE if sparse else STRUCTURAL), strict=True)
    edit: Edit = craft.rng.choices(edits, weights)[0]
    return edit(first, craft)
