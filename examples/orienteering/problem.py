"""Orienteering: the tour grows node by node while the way back to the depot is short enough."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from preceptor import Argument, Contract, Field, InstanceSet, InvalidAction, Rule

from .data import Instance, list_sets, load_set

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NODE = (
    Field("prize", "prize", "what a visit is worth"),
    Field("distance", "length", "way from where the tour is now"),
    Field("back", "length", "way from the node to the depot"),
    Field("detour", "length", "how much longer the tour gets: there and back, less the way back"),
    Field("near", "prize", "prizes of other unvisited nodes within a tenth of the limit"),
)
STATE = (
    Field("left", "length", "length that is left"),
    Field("home", "length", "way from where the tour is now to the depot"),
    Field("used", "ratio", "share of the limit that is used"),
)
CONTRACT = Contract(
    task=(
        "A tour starts at a depot, visits nodes and ends at the depot. It may not be longer than "
        "a limit, and so cannot visit all nodes. It grows node by node as long as one can be "
        "reached from where it is, with the way back."
    ),
    function="score",
    arguments=(
        Argument("node", "an unvisited node that can be reached, with the way back", NODE),
        Argument("state", "the situation it is scored in", STATE),
    ),
    answer="score",
    result="a finite number; the node of the highest score is next, ties go to the lowest",
    objective="maximise the sum of the prizes",
    sizes="20, 50 and 100 nodes in the unit square, tours of 2, 3 and 4",
)
SEEDS = (
    Rule(
        "nearest",
        "Go to the nearest node.",
        code="def score(node, state):\n    return -node.distance\n",
    ),
    Rule(
        "prize-per-distance",
        "Go where the prize is largest for the way (Tsiligirides 1984, without his chance).",
        code="def score(node, state):\n    return node.prize / max(0.001, node.distance)\n",
    ),
)
PER_DETOUR = Rule(
    "prize-per-detour",
    "Go where the prize is largest for what it adds to the tour.",
    code="def score(node, state):\n    return node.prize / max(0.001, node.detour)\n",
)
ROUNDING = 1e-9
"""By how much a tour may be too long for the digits of its distances."""


@dataclass(frozen=True, slots=True)
class State:
    """The nodes that are visited, in order, and the length up to the last of them."""

    instance: Instance
    visited: tuple[int, ...] = ()
    length: float = 0.0

    @property
    def here(self) -> int:
        """Where the tour is now."""
        return self.visited[-1] if self.visited else 0


@dataclass(frozen=True, slots=True)
class Problem:
    """An action is the number of a node; a tour ends when none can be reached any more."""

    name: str = Path(__file__).parent.name
    contract: Contract = CONTRACT
    design: str = "design"
    selection: str = "selection"
    states: int = 256

    def sets(self) -> tuple[InstanceSet, ...]:
        """All instance sets."""
        return list_sets()

    def load(self, name: str) -> tuple[Instance, ...]:
        """The instances of a set. Raises UnknownName."""
        return load_set(name)

    def seeds(self) -> tuple[Rule, ...]:
        """The programs that every search starts from."""
        return SEEDS

    def rules(self) -> tuple[Rule, ...]:
        """What `preceptor bench` compares with."""
        return (*SEEDS, PER_DETOUR)

    def start(self, instance: Instance) -> State:
        """At the depot."""
        return State(instance)

    def actions(self, state: State) -> tuple[int, ...]:
        """The unvisited nodes from which the way back is short enough."""
        distances = state.instance.distances
        ways = distances[state.here]
        most = state.instance.limit - state.length + ROUNDING
        visited = {0, *state.visited}
        reached = (node for node, way in enumerate(ways) if way + distances[node][0] <= most)
        return tuple(node for node in reached if node not in visited)

    def decide(self, function: Callable[..., Any], state: State) -> int:
        """The node of the highest score. Raises InvalidAction for a score that is no number."""
        view = _describe(state)
        scores = {node: _score(function, state, node, view) for node in self.actions(state)}
        return max(scores, key=lambda node: (scores[node], -node))

    def fields(self, state: State, action: int) -> Mapping[str, float]:
        """The numbers that a program reads here, by name."""
        return {**_describe_node(state, action), **_describe(state)}

    def step(self, state: State, action: int) -> State:
        """Visit a node. Raises InvalidAction where it cannot be."""
        if action not in self.actions(state):
            raise InvalidAction(f"node {action} cannot be visited now")
        length = state.length + state.instance.distances[state.here][action]
        return State(state.instance, (*state.visited, action), length)

    def cost(self, state: State) -> float:
        """Minus the prizes; costs are always minimised."""
        return -math.fsum(state.instance.prizes[node] for node in state.visited)

    def objective(self, cost: float) -> float:
        """The sum of the prizes."""
        return -cost

    def draw(self, state: State) -> str:
        """The map: visited nodes `#`, others by the first digit of their prize, the depot `D`."""
        rows = [[" "] * 60 for _ in range(20)]
        for node, (x, y) in enumerate(state.instance.places):
            mark = str(int(10 * state.instance.prizes[node]))[0]
            mark = "#" if node in state.visited else mark
            rows[int(19.99 * y)][int(59.99 * x)] = mark if node else "D"
        head = f"{len(state.visited)} nodes, {state.length:.2f} of {state.instance.limit:g}"
        return "\n".join([head, *("".join(row).rstrip() for row in rows)])

    def longest(self, instance: Instance) -> int:
        """All nodes."""
        return len(instance.prizes)


def build() -> Problem:
    """The problem."""
    return Problem()


def _describe_node(state: State, node: int) -> dict[str, float]:
    """What a program is told of a node that can be visited."""
    instance = state.instance
    ways = instance.distances[node]
    distance = ways[state.here]
    near = instance.limit / 10
    around = (k for k, way in enumerate(ways) if way <= near and k != node)
    return {
        "prize": instance.prizes[node],
        "distance": distance,
        "back": ways[0],
        "detour": distance + ways[0] - instance.distances[state.here][0],
        "near": sum(instance.prizes[k] for k in around if k not in state.visited),
    }


def _describe(state: State) -> dict[str, float]:
    """What a program is told of the situation."""
    return {
        "left": state.instance.limit - state.length,
        "home": state.instance.distances[state.here][0],
        "used": state.length / state.instance.limit,
    }


def _score(
    function: Callable[..., Any], state: State, node: int, view: Mapping[str, float]
) -> float:
    """What a program says of a node. Raises InvalidAction for what is no finite number."""
    score = function(SimpleNamespace(**_describe_node(state, node)), SimpleNamespace(**view))
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise InvalidAction(f"node {node}: a score is a number, not {type(score).__name__}")
    if not math.isfinite(score):
        raise InvalidAction(f"non-finite score {score} of node {node}")
    return score
