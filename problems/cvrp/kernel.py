"""The walk of routes in machine code, which calls a rule in machine code."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"
# (numba types what it compiles)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit, types

from problems.base import Kernel
from problems.cvrp.instances import Instance, arrays

INT = types.int64
REAL = types.float64
NODES = INT[::1]
DEMANDS = types.Array(REAL, 1, "C", readonly=True)
MATRIX = types.Array(REAL, 2, "C", readonly=True)
SIGNATURE = INT(INT, INT, NODES, REAL, DEMANDS, MATRIX)


@njit(types.intp(NODES, types.FunctionType(SIGNATURE), DEMANDS, MATRIX, REAL, NODES), cache=True)
def _walk(taken, choose, demands, distances, capacity, forced):
    """Fill `taken` with nodes; returns how many. Raises ValueError for what is not feasible."""
    need = demands.copy()
    need[0] = np.inf  # the depot and visited customers fit no vehicle
    left = len(need) - 1
    rest = capacity
    current = 0
    step = 0
    while left:
        fitting = np.flatnonzero(need <= rest)
        if not len(fitting):
            current = 0
            rest = capacity
            continue
        if step < len(forced):
            node = forced[step]
        else:
            node = choose(current, 0, fitting, rest, demands, distances)
        if 0 < node < len(need) and need[node] <= rest:
            rest -= need[node]
            need[node] = np.inf
            left -= 1
        elif node == 0 and current != 0:
            rest = capacity
        else:
            raise ValueError("no feasible node")
        current = node
        taken[step] = node
        step += 1
    return step


class CvrpKernel(Kernel):
    """See `problems.base.Kernel`."""

    signature = SIGNATURE

    def walk(
        self,
        function: Any,
        instance: Instance,
        reads: frozenset[str] | None,
        forced: Sequence[int] = (),
    ) -> list[int]:
        """The actions of `Cvrp.rollout`. Raises what the program raises."""
        distances, demands = arrays(instance)
        taken = np.empty(2 * instance.size, np.int64)
        start = np.array(forced, np.int64)
        count = _walk(taken, function, demands, distances, float(instance.capacity), start)
        actions: list[int] = taken[:count].tolist()
        return actions
