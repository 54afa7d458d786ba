"""Fusion: one score out of two, blended where the parents agree in form and joined elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.llm.builtin.craft import UNLIKE_SCALE, main_unit
from engine.llm.builtin.trees import add, parts_of, terms

if TYPE_CHECKING:
    from engine.llm.builtin.craft import Craft
    from engine.llm.builtin.trees import Part, Tree

SHARES = (0.2, 0.5, 0.5, 0.8, 1.3, -0.3)
"""Where between the parents the blend lies; beyond 0 and 1 it goes on past one of them."""

KEEPS = (0.3, 0.6, 1.0)
"""Chances of the second parent's own parts to be taken over."""


def fuse(first: Tree, second: Tree, craft: Craft) -> Tree:
    """Both scores in one, the second brought to the scale of the first."""
    dice = craft.dice
    scale = _relative_scale(first, second, craft)
    mine = {part: weight for weight, part in parts_of(first)}
    theirs = {part: weight * scale for weight, part in parts_of(second)}
    share, keep = dice.choice(SHARES), dice.choice(KEEPS)
    parts: list[Part] = []
    for part in dict.fromkeys([*mine, *theirs]):
        if part in mine and part in theirs:
            parts.append((mine[part] + share * (theirs[part] - mine[part]), part))
        elif part in mine:
            if dice.random() < max(keep, 0.6):
                parts.append(
                    (mine[part] * (1 if dice.random() < 0.5 else 1 - min(share, 0.9)), part)
                )
        elif dice.random() < keep and _portable(part, craft):
            parts.append((theirs[part] * dice.choice((0.25, 0.5, 1.0)), part))
    return add(parts)


def _relative_scale(first: Tree, second: Tree, craft: Craft) -> float:
    """What makes the second score as large in effect as the first, 1 where that is unknown."""
    ours, theirs = craft.measure.spread(first), craft.measure.spread(second)
    if ours is not None and theirs is not None:
        return ours / theirs
    alike = main_unit(first, craft) == main_unit(second, craft)
    return 1.0 if alike else 10 ** craft.dice.uniform(*UNLIKE_SCALE)


def _portable(part: Tree, craft: Craft) -> bool:
    """Whether a part is made of the task's words alone, so that it means the same anywhere."""
    return all(craft.grammar.vocabulary.find(source) for source in terms(part))
