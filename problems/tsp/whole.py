"""The travelling salesman problem of the kind `whole`: a tour, and the programs to start from."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
# (programs carry no annotations, and these are programs)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from problems.base import Contract
from problems.shared.programs import as_rule
from problems.shared.routing import sketch
from problems.shared.task import Given, WholeTask, require_each_once, whole_contract
from problems.tsp.instances import Instance, matrix


def near_and_far_from_home(distance_matrix):
    """From node 0 always go to a near node left, rather to one that is far from node 0."""
    distances = distance_matrix.tolist()
    home = distances[0]
    left = list(range(1, len(distances)))
    tour = [0]
    while left:
        way = distances[tour[-1]]
        node = min(left, key=lambda node: way[node] - 0.1 * home[node])
        left.remove(node)
        tour.append(node)
    return tour


def far_insertion(distance_matrix):
    """Insert a node that is far from the tour, and from node 0, where that lengthens it least."""
    distances = distance_matrix.tolist()
    home = distances[0]
    tour = [0]
    nearest = list(home)
    left = list(range(1, len(distances)))
    while left:
        node = max(left, key=lambda node: nearest[node] + 0.1 * home[node])
        left.remove(node)
        way = distances[node]
        place = min(
            range(len(tour)),
            key=lambda k: way[tour[k - 1]] + way[tour[k]] - distances[tour[k - 1]][tour[k]],
        )
        tour.insert(place, node)
        nearest = [min(pair) for pair in zip(nearest, way, strict=True)]
    return tour


# fmt: off
# (the texts below go into prompts as they stand)


def two_opt(distances, near, tour):
    """Reverse stretches of a tour while that shortens it; edges lead to near nodes."""
    size = len(tour)
    place = [0] * size
    for k, node in enumerate(tour):
        place[node] = k
    improved = True
    while improved:
        improved = False
        for a in list(tour):
            for b in near[a]:
                i = place[a]
                j = place[b]
                after_a = tour[(i + 1) % size]
                after_b = tour[(j + 1) % size]
                old = distances[a][after_a] + distances[b][after_b]
                new = distances[a][b] + distances[after_a][after_b]
                if b != a and new < old - 1e-9:
                    i, j = min(i, j) + 1, max(i, j)
                    tour[i : j + 1] = tour[i : j + 1][::-1]
                    for k in range(i, j + 1):
                        place[tour[k]] = k
                    improved = True
    return tour


def far_nodes_early_two_opt(distance_matrix):
    """Go to a near node, rather to one that is far from most others, then improve by 2-opt."""
    distances = distance_matrix.tolist()
    mean = distance_matrix.mean(axis=1).tolist()
    near = distance_matrix.argsort(axis=1)[:, 1:11].tolist()
    left = list(range(1, len(distances)))
    tour = [0]
    while left:
        way = distances[tour[-1]]
        node = min(left, key=lambda node: way[node] - 0.1 * mean[node])
        left.remove(node)
        tour.append(node)
    return two_opt(distances, near, tour)


# fmt: on

SEEDS = (
    as_rule(near_and_far_from_home, "solve"),
    as_rule(far_insertion, "solve"),
    as_rule(far_nodes_early_two_opt, "solve", two_opt),
)


TASK = """\
Travelling salesman problem. A tour visits each node once and returns to where it started. Nodes
are numbered from 0; the program returns them in the order of a tour."""


@dataclass(frozen=True)
class WholeTsp(WholeTask):
    """A solution is a tour: all nodes in order of visit, from any of them on."""

    folder = Path(__file__).parent
    seed_rules = SEEDS

    @property
    def contract(self) -> Contract:
        """`solve(distance_matrix)`."""
        rule: Contract = self.task.contract
        return whole_contract(
            rule,
            task=TASK,
            arguments=(replace(rule.arguments[-1], unit="length"),),
            result="the nodes in the order of the tour, each once, a list of int or a 1-D NumPy "
            "array of int64",
            objective="minimise the length of the closed tour",
            sizes="winners are judged on instances of 50 and 200 nodes and of up to 5,000",
        )

    def arguments(self, instance: Instance) -> Given:
        """All distances."""
        return (matrix(instance),)

    def evaluate(self, instance: Instance, solution: Sequence[int]) -> float:
        """The length of the closed tour. Raises InvalidAction for what is none."""
        require_each_once(solution, range(instance.size), "node")
        return instance.length(solution)

    def draw_solution(self, instance: Instance, solution: Sequence[int]) -> str:
        """The nodes where they lie, joined by lines along the tour."""
        cost = f"tour of {instance.size} nodes, length {instance.length(solution):.6g}"
        if not instance.points:
            return f"{cost}\n{WholeTask.draw_solution(self, instance, solution)}"
        layers = [("o", range(instance.size)), ("#", [solution[0]])]
        path = (*solution, solution[0])
        return "\n".join([f"{cost}; # first", *sketch(instance.points, layers, path)])

    def follow(self, instance: Instance, actions: Sequence[int]) -> list[int]:
        """The tour from node 0 on, with the last node, which is no choice."""
        return [0, *actions, *sorted(set(range(1, instance.size)).difference(actions))]

    def longest(self, instance: Instance) -> int:
        """Every node."""
        return instance.size
