"""Whose constants are moved next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.search.selection import by_cost
from engine.search.tuning.constants import find_constants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.domain.values import Candidate
    from engine.search.selection import Draw

TUNE = "tune"
"""The operator that searches over the constants of a program."""


def best_untuned(draw: Draw) -> Candidate | None:
    """The best program with constants that nobody has tuned yet, else of those tuned least often.

    A second try at a program has another seed. Without any constants it is the best program, and
    nobody while none is alive.
    """
    ranked = sorted(draw.population, key=by_cost(draw.settings.align))
    tunable = [c for c in ranked if find_constants(c.program.code)]
    times = list_tuned(draw.seen)
    return min(
        tunable or ranked, key=lambda c: times.count(c.id) + (c.id in draw.used), default=None
    )


def list_tuned(seen: Sequence[Candidate]) -> list[str]:
    """Ids of programs that were tuned, or that tuning made, as often as that has happened."""
    made = [c for c in seen if c.operator == TUNE]
    return [*(c.id for c in made), *(parent for c in made for parent in c.parents)]
