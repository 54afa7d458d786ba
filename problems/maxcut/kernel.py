"""The walk over cuts in machine code, which calls a rule in machine code."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
# (numba types what it compiles)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit, types

from problems.base import Kernel
from problems.maxcut.instances import Instance, adjacency, as_spins
from problems.maxcut.profile import WalkProfile
from problems.maxcut.state import start

INT = types.int64
REAL = types.float64
SPINS = REAL[::1]
MATRIX = types.Array(REAL, 2, "C", readonly=True)
HISTORY = types.Array(types.int32, 1, "C", readonly=True)
SIGNATURE = INT(SPINS, MATRIX, REAL, REAL, INT, INT, HISTORY)


@njit(
    types.void(types.int32[::1], types.FunctionType(SIGNATURE), SPINS, MATRIX, REAL, INT[::1]),
    cache=True,
)
def _walk(taken, choose, spins, weights, cut, forced):
    """Fill `taken` with vertices. Raises ValueError for what is none."""
    best = cut
    flips = len(taken)
    for step in range(flips):
        if step < len(forced):
            vertex = forced[step]
        else:
            vertex = choose(spins.copy(), weights, cut, best, step, flips, taken[:step])
        if not 0 <= vertex < len(spins):
            raise ValueError("no vertex")
        gain = 0.0
        for other in range(len(spins)):
            gain += weights[vertex, other] * spins[other]
        cut += spins[vertex] * gain
        best = max(best, cut)
        spins[vertex] = -spins[vertex]
        taken[step] = vertex


@dataclass(frozen=True)
class MaxcutKernel(Kernel):
    """See `problems.base.Kernel`."""

    profile: WalkProfile

    signature = SIGNATURE
    whole = True

    def walk(
        self,
        function: Any,
        instance: Instance,
        reads: frozenset[str] | None,
        forced: Sequence[int] = (),
    ) -> list[int]:
        """The actions of `Maxcut.rollout`. Raises what the program raises."""
        flips = self.profile.flips(instance.size)
        actions = list[int]()
        for attempt in range(self.profile.attempts):
            first = start(instance, self.profile, attempt)
            taken = np.empty(flips, np.int32)
            given = np.array(forced[attempt * flips : (attempt + 1) * flips], np.int64)
            spins = as_spins(first.sides)
            _walk(taken, function, spins, adjacency(instance), float(first.cut), given)
            actions += taken.tolist()
        return actions
