"""Recalibration: the form of a score stays, its numbers move."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.llm.builtin.edits.craft import HINTED
from engine.llm.builtin.expressions.trees import (
    Sum,
    children,
    denominators,
    parts_of,
    places,
    replace_at,
    terms,
)

if TYPE_CHECKING:
    from engine.llm.builtin.edits.craft import Craft
    from engine.llm.builtin.expressions.trees import Path, Tree

STEPS = (0.15, 0.4, 0.8, 1.2)
"""Standard deviations of a weight's logarithm."""

COUNTS = (0.5, 0.3, 0.15)
"""Weights of moving one, two, three numbers at a time; the rest moves them all."""

FLIP = 0.03
"""Share of the moves that turn a weight's sign around."""

Spot = tuple[tuple[int, ...], int]


def recalibrate(score: Tree, craft: Craft) -> Tree:
    """Scale a few numbers, anywhere in the tree; a brief may say which way."""
    if craft.hints and craft.rng.random() < HINTED:
        return _follow_hint(score, craft)
    spots = find_weights(score)
    counts = [*range(1, len(COUNTS) + 1), len(spots)]
    count = craft.rng.choices(counts, [*COUNTS, 1 - sum(COUNTS)])[0]
    step = craft.rng.choice(STEPS)
    for spot in craft.rng.sample(spots, min(count, len(spots))):
        factor = math.exp(craft.rng.gauss(0, step))
        if craft.rng.random() < FLIP and not any(denominators(score, spot[0])):
            factor = -factor  # the sign of a denominator may not change
        score = scale_weight(score, spot, factor)
    return score


def find_weights(tree: Tree) -> list[Spot]:
    """Every number: the path of its sum and its position there."""
    return [
        (path, k)
        for path, node in places(tree)
        if isinstance(node, Sum)
        for k in range(len(node.parts))
    ]


def scale_weight(tree: Tree, spot: Spot, factor: float) -> Tree:
    """The tree with one number multiplied. The new sum may differ in form from the old one."""
    path, k = spot
    node = _at(tree, path)
    if not isinstance(node, Sum) or k >= len(node.parts):
        return tree
    weight, part = node.parts[k]
    return replace_at(
        tree, path, Sum((*node.parts[:k], (weight * factor, part), *node.parts[k + 1 :]))
    )


def _at(tree: Tree, path: Path) -> Tree | None:
    for step in path:
        below = children(tree)
        if step >= len(below):
            return None
        tree = below[step]
    return tree


def _follow_hint(score: Tree, craft: Craft) -> Tree:
    """Move the weight of a part that reads a hinted word the way the hint says."""
    hint = craft.rng.choice(craft.hints)
    parts = list(parts_of(score))
    reading = [k for k, (_, part) in enumerate(parts) if hint.source in terms(part)]
    if not reading:
        return recalibrate(score, replace(craft, hints=()))
    k = craft.rng.choice(reading)
    weight, part = parts[k]
    shift = hint.direction or craft.rng.choice((-1, 1))
    parts[k] = (weight + shift * abs(weight) * craft.rng.choice((0.3, 0.6, 1.5)), part)
    return Sum(tuple(parts))
