"""Searches as they might have been, for properties of what is drawn from them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from hypothesis import strategies as st

from engine.domain.specs.settings import Settings
from engine.domain.values import Candidate, Failure
from engine.search.selection import Draw
from tests.engine.builders import candidate

DEFAULTS = Settings()


def draw_from(
    seen: Sequence[Candidate],
    drawn: Sequence[Candidate] = (),
    settings: Settings = DEFAULTS,
    generation: int = 1,
    slot: int = 0,
    seed: int = 1,
) -> Draw:
    """A slot of a search that has seen these programs, all of them members."""
    rng = random.Random(seed)
    population = [c for c in seen if c.failure is None]
    return Draw(
        population, drawn, settings, rng, seen=seen, generation=generation, slot=slot, samplers={}
    )


COSTS = tuple(product((-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0), repeat=3))
SLOTS = 7
FALLEN = 5
"""One program of so many has failed."""


@st.composite
def histories(draw: st.DrawFn) -> list[Candidate]:
    """Up to 25 programs in order; children have parents among those alive before, some fell.

    Little is drawn for each, or drawing would take longer than the test.
    """
    seen: list[Candidate] = []
    for generation in range(draw(st.integers(1, 5))):
        living = [c.id for c in seen if c.failure is None]
        pairs = [(), *((one,) for one in living), *product(living, repeat=2)]
        for _ in range(draw(st.integers(1, 5))):
            costs = draw(st.sampled_from(COSTS))
            fate, slot = divmod(draw(st.integers(0, FALLEN * SLOTS - 1)), SLOTS)
            child = candidate(len(seen), sum(costs) / 3, generation=generation, costs=costs)
            child = replace(child, parents=draw(st.sampled_from(pairs)), slot=slot)
            if seen and fate == FALLEN - 1:
                child = replace(child, cost=None, failure=Failure("parse", "no code"))
            seen.append(child)
    return seen
