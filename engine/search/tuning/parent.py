"""Whose constants are moved next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.search.selection import by_cost
from engine.search.tuning.constants import find_constants

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.domain.values import Candidate, Recipe
    from engine.search.selection import Draw

TUNE = "tune"
"""The operator that searches over the constants of a program."""


def best_untuned(draw: Draw) -> Candidate:
    """The best program with constants that nobody has tuned yet, else of those tuned least often.

    A second try at a program has another seed. Without any constants it is the best program.
    """
    ranked = sorted(draw.population, key=by_cost(draw.settings.align))
    tunable = [c for c in ranked if find_constants(c.program.code)]
    return min(tunable or ranked, key=lambda c: draw.tuned.count(c.id))


def list_tuned(seen: Iterable[Candidate], recipes: Iterable[Recipe]) -> tuple[str, ...]:
    """Ids of programs that were tuned, that tuning made, or that open `recipes` are to tune.

    As often as that has happened.
    """
    made = [c for c in seen if c.operator == TUNE]
    parents = [parent for c in made for parent in c.parents]
    under_way = [parent.id for r in recipes if r.operator == TUNE for parent in r.parents]
    return (*(c.id for c in made), *parents, *under_way)
