"""Fusion: one score out of two, blended where the parents agree in form and joined elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.llm.builtin.edits.craft import UNLIKE_SCALE, draw_part, main_unit
from engine.llm.builtin.expressions.trees import add, parts_of, terms

if TYPE_CHECKING:
    from engine.llm.builtin.edits.craft import Craft
    from engine.llm.builtin.expressions.trees import Part, Tree

SHARES = (0.2, 0.5, 0.5, 0.8, 1.3, -0.3)
"""Where between the parents the blend lies; beyond 0 and 1 it goes on past one of them."""

KEEPS = (0.3, 0.6, 1.0)
"""Chances of the second parent's own parts to be taken over."""

EFFECT = (-0.8, 0.4)
"""Decades of the second parent's effect beside the first's."""


def fuse(first: Tree, second: Tree, craft: Craft) -> Tree:
    """The first score with what it lacks of the second, brought to its scale.

    Where the second has nothing of its own, a new term is added to the blend.
    """
    rng = craft.rng
    scale = _relative_scale(first, second, craft)
    mine = {part: weight for weight, part in parts_of(first)}
    theirs = {part: weight * scale for weight, part in parts_of(second)}
    share = rng.choice(SHARES)
    blend = [
        (weight + share * (theirs[part] - weight) if part in theirs else weight, part)
        for part, weight in mine.items()
    ]
    return add([*blend, *_take_over(first, theirs, craft)])


def _take_over(first: Tree, theirs: dict[Tree, float], craft: Craft) -> list[Part]:
    """Parts that only the second score has, one at least; a new term where it has none."""
    rng = craft.rng
    mine = {part for _, part in parts_of(first)}
    lacking = [
        part
        for part in theirs
        if part not in mine and craft.distinguishes(part) and _portable(part, craft)
    ]
    if not lacking:
        return [draw_part(first, craft)]
    keep = rng.choice(KEEPS)
    effect = 10 ** rng.uniform(*EFFECT)
    kept = [part for part in lacking if rng.random() < keep] or [rng.choice(lacking)]
    return [(theirs[part] * effect, part) for part in kept]


def _relative_scale(first: Tree, second: Tree, craft: Craft) -> float:
    """What makes the second score as large in effect as the first, 1 where that is unknown."""
    ratio = craft.measure.spread_ratio(first, second)
    if ratio is not None:
        return ratio
    alike = main_unit(first, craft) == main_unit(second, craft)
    return 1.0 if alike else 10 ** craft.rng.uniform(*UNLIKE_SCALE)


def _portable(part: Tree, craft: Craft) -> bool:
    """Whether a part is made of the task's words alone, so that it means the same anywhere."""
    return all(craft.grammar.vocabulary.find(source) for source in terms(part))
