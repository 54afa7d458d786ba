"""Lists of items: Weibull sizes as FunSearch and EoH use them, uniform ones as in the OR-Library.

All are generated here from fixed seeds by the published recipes, and are substitutes: the very
lists of the papers came out of other seeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from preceptor import InstanceSet, UnknownName

SHAPE = 3
SCALE = 45
LARGEST = 100
"""Sizes are Weibull of this shape and scale, rounded, from 1 to the largest."""

UNIFORM = (20, 100)
"""Sizes of the OR-Library's classes u120 to u1000, both included (Falkenauer 1996)."""


class _Recipe(NamedTuple):
    lists: int
    items: int
    capacity: int
    seed: int
    weibull: bool = True


RECIPES = {
    "design": _Recipe(16, 1000, 100, 10_000),
    "selection": _Recipe(16, 1000, 100, 20_000),
    "weibull-1k-100": _Recipe(5, 1000, 100, 30_000),
    "weibull-5k-100": _Recipe(5, 5000, 100, 31_000),
    "weibull-10k-100": _Recipe(5, 10_000, 100, 32_000),
    "u120": _Recipe(20, 120, 150, 40_000, weibull=False),
    "u250": _Recipe(20, 250, 150, 41_000, weibull=False),
    "u500": _Recipe(20, 500, 150, 42_000, weibull=False),
    "u1000": _Recipe(20, 1000, 150, 43_000, weibull=False),
}
SEARCHED = ("design", "selection")


@dataclass(frozen=True, slots=True)
class Instance:
    """Sizes of items in the order in which they arrive, and what a bin holds."""

    name: str
    sizes: tuple[int, ...]
    capacity: int
    reference: float | None = None

    @property
    def bound(self) -> int:
        """Bins that are needed at least: all sizes over the capacity, rounded up."""
        return -(-sum(self.sizes) // self.capacity)


def list_sets() -> tuple[InstanceSet, ...]:
    """All sets as they are told."""
    return tuple(
        InstanceSet(name, one.lists, _describe(one), "substitute", design=name in SEARCHED)
        for name, one in RECIPES.items()
    )


def load_set(name: str) -> tuple[Instance, ...]:
    """The instances of a set, always the same. Raises UnknownName."""
    if name not in RECIPES:
        raise UnknownName("set", name, RECIPES)
    recipe = RECIPES[name]
    return tuple(_draw(f"{name}/{k}", recipe, recipe.seed + k) for k in range(recipe.lists))


def _describe(recipe: _Recipe) -> str:
    kind = f"Weibull({SHAPE}, {SCALE})" if recipe.weibull else "uniform 20..100"
    return f"{recipe.lists} lists of {recipe.items} items, {kind}, bins of {recipe.capacity}"


def _draw(name: str, recipe: _Recipe, seed: int) -> Instance:
    rng = np.random.RandomState(seed)
    if recipe.weibull:
        drawn = np.rint(np.clip(rng.weibull(SHAPE, recipe.items) * SCALE, 1, LARGEST))
    else:
        drawn = rng.randint(UNIFORM[0], UNIFORM[1] + 1, recipe.items)
    return Instance(name, tuple(map(int, drawn)), recipe.capacity)
