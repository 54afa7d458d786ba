"""The travelling salesman problem: choose the next node of a tour among those not visited yet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from pprint import pformat
from typing import TYPE_CHECKING

from problems.errors import InvalidAction
from problems.shared.routing import as_node, describe, read_nint
from problems.tsp import walk
from problems.tsp.contract import contract
from problems.tsp.heuristics.rules import RULES, SEEDS
from problems.tsp.picture import picture
from problems.tsp.sets import formats
from problems.tsp.sets import named as sets
from problems.tsp.sets.data import matrix
from problems.tsp.state import START, State, complaint, start, visit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from problems.base import Contract, Function, InstanceSet, Rule
    from problems.sets.files import File
    from problems.sets.library import Published, Record
    from problems.tsp.sets.data import Instance


@dataclass(frozen=True, slots=True)
class Tsp:
    """The travelling salesman problem in the plane, minimising the length of the closed tour.

    An action is a node: go there next. `rounded` distances are whole numbers (option `nint`).
    """

    rounded: bool = False
    name: str = "tsp"
    design: str = "design"
    states: int = 512

    @property
    def contract(self) -> Contract:
        """`select_next_node(current_node, destination_node, unvisited_nodes, distance_matrix)`."""
        return contract(self.rounded)

    def sets(self) -> tuple[InstanceSet, ...]:
        """The design set, two generated sets, the paper's three sets."""
        return describe(sets.described(), self.rounded)

    def load(self, name: str) -> tuple[Instance, ...]:
        """A set by name, or a file or folder by path. Raises as `sets.load`."""
        return sets.load(self, name, self.rounded)

    def published(self) -> tuple[Published, ...]:
        """The paper's three sets."""
        return sets.PUBLISHED

    def read(self, file: File) -> Sequence[Record]:
        """The instances in a file of another's. Raises UserError."""
        return formats.read(file)

    def seeds(self) -> tuple[Rule, ...]:
        """Seven classical ways to choose the next node."""
        return SEEDS

    def rules(self) -> tuple[Rule, ...]:
        """The seeds and five heuristics that build whole tours."""
        return RULES

    def start(self, instance: Instance) -> State:
        """Node 0 alone."""
        return start(instance)

    def actions(self, state: State) -> tuple[int, ...]:
        """Every unvisited node."""
        return state.unvisited

    def decide(self, function: Function, state: State) -> int:
        """The node that a program chooses. Raises InvalidAction for what is no unvisited node."""
        import numpy as np

        distances = matrix(state.instance)
        nodes = walk.sort_nearest(np.array(state.unvisited), distances[state.current])
        answer = function(state.current, START, nodes, distances)
        node = as_node(answer)
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

    def step(self, state: State, action: int) -> State:
        """Go to a node. Raises InvalidAction when it is no unvisited one."""
        return visit(state, action)

    def cost(self, state: State) -> float:
        """The length of the closed tour."""
        return state.instance.length(state.tour)

    def objective(self, cost: float) -> float:
        """The length itself."""
        return cost

    def draw(self, state: State) -> str:
        """The nodes where they lie, and which of them are visited."""
        return picture(state)

    def rollout(
        self, function: Function, instance: Instance, reads: frozenset[str] | None
    ) -> list[int]:
        """The plain walk's actions; what the program reads makes no difference."""
        return walk.rollout(function, instance)

    def replay(self, instance: Instance, actions: Sequence[int]) -> float:
        """The tour length of an action list. Raises InvalidAction as `step` does."""
        return walk.replay(instance, actions)

    @property
    def compiled_from(self) -> int:
        """Sets of 50 nodes are through before a program is compiled."""
        return 200

    @property
    def example(self) -> str:
        """Tours of 20 nodes."""
        return "tsp20"

    def literal(self, instance: Instance) -> str:
        """The points, and whether distances are rounded."""
        return pformat((instance.points, instance.rounded), width=90)

    def simulator(self) -> str:
        """The text of `standalone.py`."""
        return Path(__file__).with_name("standalone.py").read_text("utf-8")


def build(nint: str = "false") -> Tsp:
    """The travelling salesman problem; `nint` is `true` for distances rounded as in TSPLIB.

    Programs then choose by rounded distances, too: on `tsplib` nearest neighbour builds other
    tours (mean 90862.50) than those of exact distances (90397.25, measured rounded 90357.03).
    Raises UserError for any other word.
    """
    return Tsp(rounded=read_nint("tsp", nint))
