"""Whose constants are moved next."""

from __future__ import annotations

from collections.abc import Sequence

from engine.domain.values import Candidate
from engine.search.selection import Draw, contenders
from engine.search.tuning.budget import pays
from engine.search.tuning.constants import find_constants

TUNE = "tune"
"""The operator that searches over the constants of a program."""


def best_untuned(draw: Draw) -> Candidate | None:
    """The best program with constants that nobody has tuned yet, else of those tuned least often.

    A second try at a program has another seed. Nobody where no program that is not far behind the
    best has constants, or where all are too slow for the operator's budget.
    """
    near = contenders(draw.population, draw.settings.align)
    tunable = [c for c in near if pays(c, draw.settings)]
    times = list_tuned(draw.seen)
    fresh = [c for c in tunable if c.id not in times or len(find_constants(c.program.code)) > 1]
    return min(fresh, key=lambda c: times.count(c.id) + (c.id in draw.used), default=None)


def list_tuned(seen: Sequence[Candidate]) -> list[str]:
    """Ids of programs that were tuned, or that tuning made, as often as that has happened.

    Children that were tuned before they were judged are among them.
    """
    made = [c for c in seen if c.operator == TUNE]
    judged = [c.id for c in seen if c.tuning is not None and c.operator != TUNE]
    return [*judged, *(c.id for c in made), *(parent for c in made for parent in c.parents)]
