"""The travelling salesman problem of the kind `whole`: a tour through all nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from problems.shared.routing import sketch
from problems.shared.task import WholeTask, require_each_once
from problems.tsp.sets.data import matrix
from problems.tsp.whole.programs import SEEDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.base import Contract
    from problems.shared.task import Given
    from problems.tsp.sets.data import Instance

TASK = """\
Travelling salesman problem. A tour visits each node once and returns to where it started. Nodes
are numbered from 0; the program returns them in the order of a tour."""

DOTS = 12
"""Dots along a leg of a picture."""


@dataclass(frozen=True)
class WholeTsp(WholeTask):
    """A solution is a tour: all nodes in order of visit, from any of them on."""

    folder = Path(__file__).parents[1]
    seed_rules = SEEDS

    @property
    def contract(self) -> Contract:
        """`solve(distance_matrix)`."""
        rule: Contract = self.task.contract
        return replace(
            rule,
            task=TASK,
            function="solve",
            arguments=(replace(rule.arguments[-1], unit="length"),),
            answer="solution",
            result="the nodes in the order of the tour, each once, a list of int or a 1-D NumPy "
            "array of int64",
            objective="minimise the length of the closed tour",
            sizes="winners are judged on instances of 50 and 200 nodes and of up to 5,000",
            shown=(),
        )

    def arguments(self, instance: Instance) -> Given:
        """All distances."""
        return (matrix(instance),)

    def evaluate(self, instance: Instance, solution: Sequence[int]) -> float:
        """The length of the closed tour. Raises InvalidAction for what is none."""
        require_each_once(solution, range(instance.size), "node")
        return instance.length(solution)

    def draw_solution(self, instance: Instance, solution: Sequence[int]) -> str:
        """The nodes where they lie, with dots along the tour."""
        cost = f"tour of {instance.size} nodes, length {instance.length(solution):.6g}"
        if not instance.points:
            return f"{cost}\n{WholeTask.draw_solution(self, instance, solution)}"
        nodes = [instance.points[node] for node in (*solution, solution[0])]
        dots = [
            (x + (u - x) * dot / DOTS, y + (v - y) * dot / DOTS)
            for (x, y), (u, v) in pairwise(nodes)
            for dot in range(1, DOTS)
        ]
        size = instance.size
        layers = [("·", range(size, size + len(dots))), ("o", range(size)), ("#", [solution[0]])]
        return "\n".join([f"{cost}; # first", *sketch((*instance.points, *dots), layers)])

    def follow(self, instance: Instance, actions: Sequence[int]) -> list[int]:
        """The tour from node 0 on, with the last node, which is no choice."""
        return [0, *actions, *sorted(set(range(1, instance.size)).difference(actions))]

    def longest(self, instance: Instance) -> int:
        """Every node."""
        return instance.size
