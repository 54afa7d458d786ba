"""The capacitated vehicle routing problem: choose the next customer, or return to the depot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from pprint import pformat
from typing import Any, ClassVar, get_args

from problems.base import Contract, Function, Kernel
from problems.cvrp import formats, walk
from problems.cvrp import instances as sets
from problems.cvrp.contract import contract
from problems.cvrp.heuristics import RULES, SEEDS
from problems.cvrp.instances import DEPOT, CvrpGenerator, Depot, Instance, arrays, from_record
from problems.cvrp.state import State, go, picture, refuse, start
from problems.cvrp.whole import WholeCvrp
from problems.errors import UserError
from problems.shared.programs import as_index
from problems.shared.routing_problem import RoutingProblem, read_nint
from problems.shared.task import choose_kind


@dataclass(frozen=True, slots=True)
class Cvrp(RoutingProblem[Instance]):
    """Capacitated vehicle routing in the plane, minimising the total length of all routes.

    An action is a customer to visit next, or 0, the return to the depot. `custom` is how
    `random-N` is drawn (options `capacity` and `depot`). The first customer of all is no question
    for a teacher that sees partial tours.
    """

    rounded: bool = False
    custom: CvrpGenerator = sets.CENTRE50
    name: str = "cvrp"
    design: str = "design"
    selection: str = "selection"
    larger: str = "cvrp200"
    states: int = 512

    example: ClassVar[str] = "random-20"
    compiles: ClassVar[bool] = True
    opening: int = 1

    folder = Path(__file__).parent
    generated_sets = sets.GENERATED
    published_sets = sets.PUBLISHED
    readers = formats.READERS
    seed_rules = SEEDS
    all_rules = RULES

    start = staticmethod(start)
    step = staticmethod(go)
    draw = staticmethod(picture)
    rollout = staticmethod(walk.rollout)
    replay = staticmethod(walk.replay)
    same_later = staticmethod(walk.same_later)
    seek = staticmethod(walk.seek)
    from_record = staticmethod(from_record)

    @property
    def contract(self) -> Contract:
        """`select_next_node(current_node, depot, unvisited_nodes, rest_capacity, ...)`."""
        return contract(self.rounded)

    def draw_set(self, name: str) -> tuple[Instance, ...]:
        """The instances of a generated set, none for other names."""
        return sets.generated(name, self.custom)

    def actions(self, state: State) -> tuple[int, ...]:
        """The unvisited customers that fit, and 0 unless the vehicle is at the depot."""
        fitting = state.fitting
        return (DEPOT, *fitting) if fitting and state.current != DEPOT else fitting

    def decide(self, function: Function, state: State) -> int:
        """The node that a program chooses. Raises InvalidAction for what is not feasible."""
        import numpy as np

        matrix, demands = arrays(state.instance)
        fitting = np.array(state.fitting, dtype=np.int64)
        rest = float(state.rest)
        answer = function(state.current, DEPOT, fitting, rest, demands, matrix)
        node = as_index(answer)
        if node not in self.actions(state):
            raise refuse(state.step, answer, state.instance, state.has_visited(node))
        return node

    def fields(self, state: State, action: int) -> Mapping[str, float]:
        """Where an action leads and what it leaves, and the numbers of the state.

        `saving` is what going there directly saves over a way by the depot; `nearest_after` is the
        way on from there to the closest customer then left, or home after the last.
        """
        instance = state.instance
        here = state.current
        distance = instance.distance(here, action)
        home = instance.distance(DEPOT, action)
        others = [node for node in state.unvisited if node != action]
        onward = [instance.distance(action, node) for node in others]
        ways = [instance.distance(here, node) for node in state.fitting]
        demand = instance.demands[action]
        return {
            "distance": distance,
            "rank": sum(way < distance for way in ways),
            "distance_to_depot": home,
            "saving": instance.distance(here, DEPOT) + home - distance,
            "nearest_after": min(onward, default=home),
            "demand": demand,
            "capacity_after": state.rest - demand if action else instance.capacity,
            "is_return": int(action == DEPOT),
            "rest_capacity": state.rest,
            "fitting": len(ways),
            "unvisited": len(state.unvisited),
            "step": state.step,
        }

    def cost(self, state: State) -> float:
        """The total length of all routes."""
        return state.instance.length(state.way)

    def longest(self, instance: Instance) -> int:
        """A choice a customer, and a return after each that leaves room for the smallest.

        The smallest comes last and needs none; after the others the vehicle returns by itself.
        """
        smallest, *others = sorted(instance.demands[1:]) or (0,)
        return instance.size - 1 + sum(d + smallest <= instance.capacity for d in others)

    def kernel(self) -> Kernel:
        """The walk in machine code."""
        from problems.cvrp.kernel import CvrpKernel

        return CvrpKernel()

    def literal(self, instance: Instance) -> str:
        """The points, the demands, the capacity, and whether distances are rounded."""
        shown = (instance.points, instance.demands, instance.capacity, instance.rounded)
        return pformat(shown, width=90)


def build(
    nint: str = "false", capacity: str = "50", depot: str = "centre", kind: str = "rule"
) -> Any:
    """The capacitated vehicle routing problem.

    `nint` is `true` for distances rounded as in CVRPLIB; `capacity`, a whole number from 9, and
    `depot`, `centre` or `random`, say how the sets `random-N` are drawn. `kind` is `rule`, or
    `whole` for programs that return all routes at once. Raises UserError for anything else.
    """
    if depot not in get_args(Depot):
        raise UserError(f"cvrp: depot must be 'centre' or 'random', not {depot!r}")
    if not capacity.isdecimal() or int(capacity) < 9:
        raise UserError(f"cvrp: capacity must be a whole number of at least 9, not {capacity!r}")
    custom = CvrpGenerator(50, "centre" if depot == "centre" else "random", (int(capacity),) * 2)
    return choose_kind("cvrp", kind, Cvrp(read_nint("cvrp", nint), custom), WholeCvrp)
