"""Maximum cut of the kind `whole`: the side of every vertex."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from pprint import pformat
from typing import TYPE_CHECKING

from problems.base import Contract
from problems.errors import InvalidAction
from problems.maxcut.contract import OBJECTIVE
from problems.maxcut.sets import named as sets
from problems.maxcut.sets.data import edges, from_record
from problems.maxcut.sparse import EDGES
from problems.maxcut.state import draw_sides
from problems.maxcut.whole.programs import SEEDS
from problems.sets.imports import load_set
from problems.shared.task import WholeTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.base import InstanceSet
    from problems.maxcut.sets.data import Instance
    from problems.shared.task import Given

CONTRACT = Contract(
    task="Maximum cut. A graph has edges with weights, whole numbers that may be negative; its "
    "vertices are\nput on two sides, and the cut is the sum of the weights of all edges whose two "
    "ends are on\ndifferent sides. Vertices are numbered from 0.",
    function="solve",
    arguments=EDGES,
    answer="solution",
    result="the side of every vertex, 0 or 1 (or -1 or 1), a list of int or a 1-D NumPy array of "
    "int64",
    objective=OBJECTIVE.replace("the best cut reached", "the cut"),
    sizes="winners are judged on graphs of 125 to 800 vertices, sparse and dense, and of up to "
    "20,000",
)


@dataclass(frozen=True)
class WholeMaxcut(WholeTask):
    """A solution is the side of every vertex."""

    contract: Contract = CONTRACT

    folder = Path(__file__).parents[1]
    seed_rules = SEEDS

    def sets(self) -> tuple[InstanceSet, ...]:
        """Those of the task, without the profile of its walks."""
        profile = f"; {self.task.profile.text}"
        return tuple(
            replace(one, about=one.about.removesuffix(profile)) for one in self.task.sets()
        )

    def load(self, name: str) -> tuple[Instance, ...]:
        """A set by name, of sparse graphs too, or a file or folder by path. As `load_set`."""
        generated = sets.generated_sparse(name) or sets.generated(name)
        return load_set(self, name, generated, from_record, self.folder, max)

    def arguments(self, instance: Instance) -> Given:
        """The edges, vertex by vertex."""
        graph = edges(instance)
        return graph.starts, graph.neighbours, graph.weights

    def evaluate(self, instance: Instance, solution: Sequence[int]) -> float:
        """Minus the cut. Raises InvalidAction for what are no sides of all vertices."""
        return -float(instance.cut(read_sides(instance, solution)))

    def draw_solution(self, instance: Instance, solution: Sequence[int]) -> str:
        """The side of every vertex, and which flips raise the cut."""
        return draw_sides(instance, read_sides(instance, solution))

    def follow(self, instance: Instance, actions: Sequence[int]) -> list[int]:
        """The sides at the best cut of a walk of one attempt."""
        sides = bytearray(self.task.profile.start(instance, 0))
        cut = best_cut = 0
        best = bytes(sides)
        for vertex in actions:
            cut += instance.gain(sides, vertex)
            sides[vertex] ^= 1
            if cut > best_cut:
                best_cut = cut
                best = bytes(sides)
        return list(best)

    def longest(self, instance: Instance) -> int:
        """A side for each vertex."""
        return instance.size

    def literal(self, instance: Instance) -> str:
        """The number of vertices and the edges."""
        return pformat((instance.size, tuple(instance.edges())), width=90, compact=True)


def read_sides(instance: Instance, solution: Sequence[int]) -> bytes:
    """The side of every vertex, 0 or 1. Raises InvalidAction."""
    if len(solution) != instance.size:
        raise InvalidAction(f"{len(solution)} sides for {instance.size} vertices")
    if not ({*solution} <= {0, 1} or {*solution} <= {-1, 1}):
        wrong = next((s for s in solution if s not in (-1, 0, 1)), None)
        told = "sides of -1 beside sides of 0" if wrong is None else f"a side of {wrong}"
        raise InvalidAction(f"{told}; sides are 0 and 1, or -1 and 1")
    return bytes(side > 0 for side in solution)
