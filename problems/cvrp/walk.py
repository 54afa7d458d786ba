"""The fast walk of a program through a whole instance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from problems.cvrp.sets.data import DEPOT, build_arrays
from problems.cvrp.state import refuse
from problems.shared.answers import as_index

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from problems.cvrp.sets.data import Instance


def rollout(
    function: Callable[..., object], instance: Instance, forced: Sequence[int] = ()
) -> list[int]:
    """The actions of the plain rollout.

    What customers need is kept in an array for the program's list and in a Python list for the
    answer's check; visited ones need more than any vehicle has, and so does the depot.
    """
    import numpy as np

    matrix, demands = build_arrays(instance)
    array = demands.copy()
    array[DEPOT] = math.inf
    need = array.tolist()
    left = instance.size - 1
    rest = capacity = float(instance.capacity)
    current = DEPOT
    taken = list[int]()
    while left:
        fitting = (array <= rest).nonzero()[0]
        if not len(fitting):
            current = DEPOT
            rest = capacity
            continue
        try:
            if len(taken) < len(forced):
                answer: object = forced[len(taken)]
            else:
                answer = function(current, DEPOT, fitting, rest, demands, matrix)
        except Exception as error:
            error.add_note(f"step {len(taken)}")
            raise
        node = int(answer) if type(answer) is np.int64 else as_index(answer)
        if 0 < node < len(need) and need[node] <= rest:
            rest -= need[node]
            array[node] = need[node] = math.inf
            left -= 1
        elif node == DEPOT != current:
            rest = capacity
        else:
            is_visited = 0 < node < len(need) and need[node] == math.inf
            raise refuse(len(taken), answer, instance, is_visited)
        current = node
        taken.append(node)
    return taken
