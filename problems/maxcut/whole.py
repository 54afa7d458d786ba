"""Maximum cut of the kind `whole`: the side of every vertex, and the programs to start from."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (programs carry no annotations, and these are programs)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from pprint import pformat
from typing import TYPE_CHECKING

from problems.base import Contract, InstanceSet
from problems.errors import InvalidAction
from problems.maxcut import instances as sets
from problems.maxcut.contract import OBJECTIVE
from problems.maxcut.instances import Instance, edges, from_record
from problems.maxcut.sparse import EDGES
from problems.maxcut.state import draw_sides
from problems.sets.imports import load_set
from problems.shared.programs import as_rule
from problems.shared.task import Given, WholeTask

if TYPE_CHECKING:
    import numpy as np


def side_by_side(starts, neighbours, weights):
    """Put each vertex on the side where it cuts more, those of most weight first."""
    size = len(starts) - 1
    ends = [neighbours[starts[v] : starts[v + 1]].tolist() for v in range(size)]
    links = [weights[starts[v] : starts[v + 1]].tolist() for v in range(size)]
    total = [sum(map(abs, row)) for row in links]
    spins = [0] * size
    order = sorted(range(size), key=lambda v: -total[v] - 0.1 * sum(links[v]))
    for v in order:
        pull = sum(w * spins[u] for u, w in zip(ends[v], links[v], strict=True))
        spins[v] = -1 if pull > 0 else 1
    return [1 if spin > 0 else 0 for spin in spins]


def find_gains(starts, neighbours, weights, spins):
    """What the cut gains when a vertex is flipped."""
    owners = np.repeat(np.arange(len(spins)), np.diff(starts))
    return spins * np.bincount(owners, weights * spins[neighbours], len(spins))


def flip(v, starts, neighbours, weights, spins, gains):
    """Flip a vertex, and keep the gains those of the spins."""
    row = slice(starts[v], starts[v + 1])
    gains[neighbours[row]] -= 2 * spins[v] * weights[row] * spins[neighbours[row]]
    gains[v] = -gains[v]
    spins[v] = -spins[v]


def greedy_flips(starts, neighbours, weights):
    """From all vertices on one side flip the one that gains most, until none gains."""
    spins = np.ones(len(starts) - 1)
    gains = find_gains(starts, neighbours, weights, spins)
    v = gains.argmax()
    while gains[v] > 0:
        flip(v, starts, neighbours, weights, spins, gains)
        v = gains.argmax()
    return [int(spin) for spin in spins]


def tabu_flips(starts, neighbours, weights):
    """Always flip the vertex that gains most, none twice within a tenure, and keep the best."""
    tenure = 20
    steps = 600
    spins = np.ones(len(starts) - 1)
    gains = find_gains(starts, neighbours, weights, spins)
    free_from = np.zeros(len(spins))
    cut = best_cut = 0.0
    best = spins.copy()
    for step in range(steps):
        v = np.where(free_from <= step, gains, -np.inf).argmax()
        cut += gains[v]
        flip(v, starts, neighbours, weights, spins, gains)
        free_from[v] = step + 1 + tenure
        if cut > best_cut:
            best_cut = cut
            best = spins.copy()
    return [int(spin) for spin in best]


SEEDS = (
    as_rule(side_by_side, "solve"),
    as_rule(greedy_flips, "solve", find_gains, flip, imports="import numpy as np"),
    as_rule(tabu_flips, "solve", find_gains, flip, imports="import numpy as np"),
)


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

    folder = Path(__file__).parent
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
