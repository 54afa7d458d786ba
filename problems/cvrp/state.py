"""Routes under construction and the exact rules; every faster way is measured against it."""

from __future__ import annotations

from dataclasses import dataclass

from problems.cvrp.instances import DEPOT, Instance
from problems.errors import InvalidAction
from problems.shared.programs import as_index
from problems.shared.routing import sketch


@dataclass(frozen=True, slots=True)
class State:
    """A vehicle on its way.

    `way` lists the nodes in order of visit from the depot on; a return to the depot stands in it
    as 0, whether the program asked for it or not.
    """

    instance: Instance
    way: tuple[int, ...]
    visited: int
    """Bit `i` is set when customer `i` has been visited."""
    rest: int
    """Capacity left on this route."""
    unused: int
    """Capacity that was left when the vehicle returned last; all of it before the first return."""
    step: int
    """Number of choices made so far."""

    @property
    def current(self) -> int:
        """The node where the vehicle is."""
        return self.way[-1]

    @property
    def last_customer(self) -> int:
        """The customer visited last, also when the vehicle has returned since; 0 if none."""
        return self.way[-1] or self.way[max(-2, -len(self.way))]

    @property
    def unvisited(self) -> tuple[int, ...]:
        """The customers not visited yet, ascending, whether they fit or not."""
        visited = self.visited
        return tuple([i for i in range(1, self.instance.size) if not visited >> i & 1])

    @property
    def fitting(self) -> tuple[int, ...]:
        """The unvisited customers whose demand fits, ascending: what a program is shown."""
        demands = self.instance.demands
        rest = self.rest
        return tuple([i for i in self.unvisited if demands[i] <= rest])

    def has_visited(self, node: int) -> bool:
        """Whether a customer has been visited; false for what is no node."""
        return node > 0 and bool(self.visited >> node & 1)


def start(instance: Instance) -> State:
    """A full vehicle at the depot."""
    return State(instance, (DEPOT,), 0, instance.capacity, instance.capacity, 0)


def go(state: State, action: object) -> State:
    """Visit a customer that fits, or return to the depot.

    When nothing fits after that, the vehicle returns without a choice. Raises InvalidAction for
    what is neither such a customer nor a return from elsewhere.
    """
    node = as_index(action)
    step = state.step + 1
    if node == DEPOT != state.current:
        return _returned(state, step)
    if node not in state.fitting:
        raise refuse(state.step, action, state.instance, state.has_visited(node))
    visited = state.visited | 1 << node
    rest = state.rest - state.instance.demands[node]
    there = State(state.instance, (*state.way, node), visited, rest, state.unused, step)
    return there if there.fitting else _returned(there, step)


def refuse(step: int, action: object, instance: Instance, is_visited: bool) -> InvalidAction:
    """What is wrong with an action that is not feasible."""
    node = as_index(action)
    if not 0 <= node < instance.size:
        reason = "is no node"
    elif node == DEPOT:
        reason = "is the depot, and the vehicle is there already"
    elif is_visited:
        reason = "has been visited already"
    else:
        reason = f"has a demand of {instance.demands[node]}, which does not fit any more"
    return InvalidAction(f"step {step}: {action!r} {reason}")


def _returned(state: State, step: int) -> State:
    """At the depot, refilled."""
    capacity = state.instance.capacity
    return State(state.instance, (*state.way, DEPOT), state.visited, capacity, state.rest, step)


PASSED = "·"
TOO_MUCH = "x"
FITS = "o"
CURRENT = "@"
HOME = "#"


def picture(state: State) -> str:
    """The nodes where they lie, at most 48 x 24; the vehicle shows even at the depot."""
    left = state.unvisited
    served = state.instance.size - 1 - len(left)
    head = (
        f"{served}/{state.instance.size - 1} served, "
        f"length {state.instance.length(state.way):.6g}, "
        f"room {state.rest}/{state.instance.capacity}"
    )
    key = f"{FITS} fits, {TOO_MUCH} not, {PASSED} served, {CURRENT} vehicle, {HOME} depot"
    passed = [node for node in range(1, state.instance.size) if state.visited >> node & 1]
    layers = [
        (PASSED, passed),
        (TOO_MUCH, left),
        (FITS, state.fitting),
        (HOME, [DEPOT]),
        (CURRENT, [state.current]),
    ]
    return "\n".join([head, key, *sketch(state.instance.points, layers, state.way)])
