"""The travelling salesman problem: choose the next node of a tour among those not visited yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from pprint import pformat
from typing import Any, ClassVar

from problems.base import Contract, Function, InstanceSet, Kernel
from problems.errors import InvalidAction, UserError
from problems.sets.library import Published
from problems.shared.programs import as_index
from problems.shared.routing_problem import RoutingProblem, read_nint
from problems.shared.task import choose_kind
from problems.tsp import formats, walk
from problems.tsp import instances as sets
from problems.tsp.contract import contract, contract_of_given
from problems.tsp.heuristics import RULES, SEEDS
from problems.tsp.instances import Instance, from_record, matrix
from problems.tsp.standalone import sort_nearest
from problems.tsp.state import START, State, complaint, picture, start, visit
from problems.tsp.whole import WholeTsp

MOST_NODES = 12_000
"""Nodes of the largest instance: its matrix has 1.2 GB, and a program may take 2."""


@dataclass(frozen=True, slots=True)
class Tsp(RoutingProblem[Instance]):
    """The travelling salesman problem in the plane, minimising the length of the closed tour.

    An action is a node: go there next.
    """

    rounded: bool = False
    name: str = "tsp"
    design: str = "design"
    selection: str = "selection"
    larger: str = "tsp200"
    states: int = 512

    example: ClassVar[str] = "tsp20"
    compiles: ClassVar[bool] = True

    folder = Path(__file__).parent
    generated_sets: ClassVar[tuple[InstanceSet, ...]] = sets.GENERATED
    published_sets: ClassVar[tuple[Published, ...]] = sets.PUBLISHED
    readers = formats.READERS
    seed_rules = SEEDS
    all_rules = RULES

    start = staticmethod(start)
    step = staticmethod(visit)
    draw = staticmethod(picture)
    rollout = staticmethod(walk.rollout)
    replay = staticmethod(walk.replay)
    same_later = staticmethod(walk.same_later)
    from_record = staticmethod(from_record)

    @property
    def contract(self) -> Contract:
        """`select_next_node(current_node, destination_node, unvisited_nodes, distance_matrix)`."""
        return contract(self.rounded)

    def draw_set(self, name: str) -> tuple[Instance, ...]:
        """The instances of a generated set, none for other names."""
        return sets.generated(name)

    def load(self, name: str) -> tuple[Instance, ...]:
        """A set by name, or a file or folder by path.

        Raises as `RoutingProblem.load`, and UserError for distances that are not Euclidean and
        for more than `MOST_NODES` nodes.
        """
        instances = _refuse_large(name, RoutingProblem.load(self, name))
        for instance in instances:
            if instance.metric:
                raise UserError(
                    f"{name}: the distances of {instance.name} are {instance.metric}, not "
                    "Euclidean; programs see them under --option tsp.distances=tsplib"
                )
        return instances

    def actions(self, state: State) -> tuple[int, ...]:
        """Every unvisited node."""
        return state.unvisited

    def decide(self, function: Function, state: State) -> int:
        """The node that a program chooses. Raises InvalidAction for what is no unvisited node."""
        import numpy as np

        distances = matrix(state.instance)
        nodes = sort_nearest(np.array(state.unvisited), distances[state.current])
        answer = function(state.current, START, nodes, distances)
        node = as_index(answer)
        if node not in state.unvisited:
            raise InvalidAction(complaint(state.step, answer))
        return node

    def fields(self, state: State, action: int) -> Mapping[str, float]:
        """How far a node is from here, from the end and from the rest, and its rank by nearness.

        `nearest_other` and `mean_to_others` are its distances to the other unvisited nodes.
        """
        ways = {node: state.instance.distance(state.current, node) for node in state.unvisited}
        others = [state.instance.distance(action, node) for node in ways if node != action]
        return {
            "distance": ways[action],
            "rank": sum(way < ways[action] for way in ways.values()),
            "distance_to_destination": state.instance.distance(action, START),
            "nearest_other": min(others),
            "mean_to_others": sum(others) / len(others),
            "unvisited": len(ways),
            "step": state.step,
        }

    def cost(self, state: State) -> float:
        """The length of the closed tour."""
        return state.instance.length(state.tour)

    def longest(self, instance: Instance) -> int:
        """Every node but the start and the last, which is no choice."""
        return max(0, instance.size - 2)

    def kernel(self) -> Kernel:
        """The walk in machine code."""
        from problems.tsp.kernel import TspKernel

        return TspKernel()

    def literal(self, instance: Instance) -> str:
        """The points, and whether distances are rounded."""
        return pformat((instance.points, instance.rounded), width=90)


@dataclass(frozen=True, slots=True)
class GivenTsp(Tsp):
    """The same problem with TSPLIB's distances: whole numbers by rule, or those of a table.

    Nodes lie in the plane, on the earth, or nowhere: programs see distances alone, as ever.
    """

    rounded: bool = True
    design: str = "design-metrics"
    selection: str = "selection-metrics"
    larger: str = "selection-metrics"

    example: ClassVar[str] = "metrics-20"

    generated_sets = sets.GENERATED_MIXED
    published_sets = tuple(one for one in sets.PUBLISHED if one.described.name == "tsplib")

    @property
    def contract(self) -> Contract:
        """`select_next_node(...)` as ever; what distances mean differs."""
        return contract_of_given()

    def draw_set(self, name: str) -> tuple[Instance, ...]:
        """The instances of a generated set, none for other names."""
        return sets.generated_mixed(name)

    def load(self, name: str) -> tuple[Instance, ...]:
        """A set by name, or a file or folder by path.

        Raises as `RoutingProblem.load`, and UserError for more than `MOST_NODES` nodes.
        """
        return _refuse_large(name, RoutingProblem.load(self, name))

    def literal(self, instance: Instance) -> str:
        """The distances of every node to the nodes before it."""
        table = matrix(instance)
        rows = tuple(tuple(table[node, :node].tolist()) for node in range(instance.size))
        return pformat(rows, width=90, compact=True)


def _refuse_large(name: str, instances: tuple[Instance, ...]) -> tuple[Instance, ...]:
    """The same instances. Raises UserError when one's matrix would be too large."""
    for instance in instances:
        if instance.size > MOST_NODES:
            gigabytes = 8 * instance.size**2 / 1e9
            raise UserError(
                f"{name}: {instance.name} has {instance.size} nodes, whose distance_matrix would "
                f"take {gigabytes:.1f} GB; instances may have up to {MOST_NODES}"
            )
    return instances


def build(nint: str = "false", distances: str = "plane", kind: str = "rule") -> Any:
    """The travelling salesman problem; `nint` is `true` for distances rounded as in TSPLIB.

    Programs then choose by rounded distances, too: on `tsplib` nearest neighbour builds other
    tours (mean 90862.50) than those of exact distances (90397.25, measured rounded 90357.03).
    `distances` are `plane`, Euclidean, or `tsplib`, as the instance's TSPLIB file has them:
    rounded, rounded up, ATT, GEO, or a table. `kind` is `rule`, or `whole` for programs that
    return a tour at once. Raises UserError for any other word.
    """
    rounded = read_nint("tsp", nint)
    if distances not in ("plane", "tsplib"):
        raise UserError(f"tsp: distances must be 'plane' or 'tsplib', not {distances!r}")
    rule = GivenTsp() if distances == "tsplib" else Tsp(rounded=rounded)
    return choose_kind("tsp", kind, rule, WholeTsp)
