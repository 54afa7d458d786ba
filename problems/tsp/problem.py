"""The travelling salesman problem: choose the next node of a tour among those not visited yet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from pprint import pformat
from typing import TYPE_CHECKING

from problems.errors import InvalidAction
from problems.shared.answers import as_index
from problems.shared.routing import locate_step
from problems.shared.routing_problem import RoutingProblem, read_nint
from problems.tsp import walk
from problems.tsp.contract import contract
from problems.tsp.heuristics.rules import RULES, SEEDS
from problems.tsp.leftover import leftover
from problems.tsp.picture import picture
from problems.tsp.sets import formats
from problems.tsp.sets import named as sets
from problems.tsp.sets.data import Instance, from_record, matrix
from problems.tsp.state import START, State, complaint, start, visit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from problems.base import Contract, Decision, Function


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

    folder = Path(__file__).parent
    generated_sets = sets.GENERATED
    published_sets = sets.PUBLISHED
    readers = formats.READERS
    seed_rules = SEEDS
    all_rules = RULES

    start = staticmethod(start)
    step = staticmethod(visit)
    draw = staticmethod(picture)
    replay = staticmethod(walk.replay)
    leftover = staticmethod(leftover)
    from_record = staticmethod(from_record)

    @property
    def contract(self) -> Contract:
        """`select_next_node(current_node, destination_node, unvisited_nodes, distance_matrix)`."""
        return contract(self.rounded)

    def draw_set(self, name: str) -> tuple[Instance, ...]:
        """The instances of a generated set, none for other names."""
        return sets.generated(name)

    def actions(self, state: State) -> tuple[int, ...]:
        """Every unvisited node."""
        return state.unvisited

    def decide(self, function: Function, state: State) -> int:
        """The node that a program chooses. Raises InvalidAction for what is no unvisited node."""
        import numpy as np

        distances = matrix(state.instance)
        nodes = walk.sort_nearest(np.array(state.unvisited), distances[state.current])
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

    def locate(self, state: State, action: int) -> Mapping[str, float]:
        """Where a node lies, and where the way has come to."""
        return locate_step(state.instance.points, state.current, action)

    def traits(self, instance: Instance) -> Mapping[str, float]:
        """Nothing: nodes are drawn alike."""
        return {}

    def cost(self, state: State) -> float:
        """The length of the closed tour."""
        return state.instance.length(state.tour)

    def rollout(
        self,
        function: Function,
        instance: Instance,
        reads: frozenset[str] | None,
        forced: Sequence[int] = (),
    ) -> list[int]:
        """The plain walk's actions; what the program reads makes no difference."""
        return walk.rollout(function, instance, forced)

    def same_later(
        self, instance: Instance, actions: Sequence[int], decisions: Sequence[Decision]
    ) -> list[frozenset[int]]:
        """At the start the node visited last: the same tour the other way round."""
        return walk.same_later(instance, actions, decisions)

    def longest(self, instance: Instance) -> int:
        """Every node but the start and the last, which is no choice."""
        return max(0, instance.size - 2)

    @property
    def example(self) -> str:
        """Tours of 20 nodes."""
        return "tsp20"

    def literal(self, instance: Instance) -> str:
        """The points, and whether distances are rounded."""
        return pformat((instance.points, instance.rounded), width=90)


def build(nint: str = "false") -> Tsp:
    """The travelling salesman problem; `nint` is `true` for distances rounded as in TSPLIB.

    Programs then choose by rounded distances, too: on `tsplib` nearest neighbour builds other
    tours (mean 90862.50) than those of exact distances (90397.25, measured rounded 90357.03).
    Raises UserError for any other word.
    """
    return Tsp(rounded=read_nint("tsp", nint))
