"""The walk of tours in machine code, which calls a rule in machine code."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
# (numba types what it compiles)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit, types

from problems.base import Kernel
from problems.tsp.instances import Instance, matrix

INT = types.int64
NODES = INT[::1]
MATRIX = types.Array(types.float64, 2, "C", readonly=True)
SIGNATURE = INT(INT, INT, NODES, MATRIX)


@njit(types.void(NODES, types.FunctionType(SIGNATURE), MATRIX, NODES), cache=True)
def _walk(taken, choose, distances, forced):
    """Fill `taken` with nodes. Raises ValueError for an action that is not feasible."""
    size = len(distances)
    left = np.ones(size, np.bool_)
    left[0] = False
    current = 0
    for step in range(size - 2):
        if step < len(forced):
            current = forced[step]
        else:
            nodes = np.flatnonzero(left)
            order = np.argsort(distances[current][nodes], kind="mergesort")
            current = choose(current, 0, nodes[order], distances)
        if not (0 <= current < size and left[current]):
            raise ValueError("no unvisited node")
        left[current] = False
        taken[step] = current


class TspKernel(Kernel):
    """See `problems.base.Kernel`."""

    signature = SIGNATURE

    def walk(
        self,
        function: Any,
        instance: Instance,
        reads: frozenset[str] | None,
        forced: Sequence[int] = (),
    ) -> list[int]:
        """The actions of `Tsp.rollout`. Raises what the program raises."""
        taken = np.empty(max(0, instance.size - 2), np.int64)
        _walk(taken, function, matrix(instance), np.array(forced, np.int64))
        actions: list[int] = taken.tolist()
        return actions
