"""A tour under construction and the exact rules; every faster way is measured against it."""

from __future__ import annotations

from dataclasses import dataclass

from problems.errors import InvalidAction
from problems.shared.programs import as_index
from problems.shared.routing import sketch
from problems.tsp.instances import Instance

START = 0
"""The node where every tour starts and ends."""


@dataclass(frozen=True, slots=True)
class State:
    """A partial tour: the nodes in order of visit, node 0 the first."""

    instance: Instance
    tour: tuple[int, ...]
    visited: int
    """Bit `i` is set when node `i` is on the tour."""

    @property
    def current(self) -> int:
        """The node visited last."""
        return self.tour[-1]

    @property
    def step(self) -> int:
        """Number of choices made so far."""
        return max(0, min(len(self.tour) - 1, self.instance.size - 2))

    @property
    def unvisited(self) -> tuple[int, ...]:
        """The nodes not visited yet, ascending."""
        return tuple(i for i in range(self.instance.size) if not self.visited >> i & 1)

    @property
    def finished(self) -> bool:
        """Whether all nodes are on the tour."""
        return len(self.tour) == self.instance.size


def start(instance: Instance) -> State:
    """Node 0 alone."""
    return _closed(State(instance, (START,), 1 << START))


def visit(state: State, action: object) -> State:
    """Go to an unvisited node; the last one left is appended without a choice.

    Raises InvalidAction for what is no unvisited node.
    """
    node = as_index(action)
    if not 0 <= node < state.instance.size or state.visited >> node & 1 or state.finished:
        raise InvalidAction(complaint(state.step, action))
    return _closed(_with(state, node))


def complaint(step: int, action: object) -> str:
    """What is wrong with an action that is no unvisited node."""
    return f"step {step}: {action!r} is no unvisited node"


def _closed(state: State) -> State:
    """With the last node appended when it is the only one left."""
    if len(state.tour) != state.instance.size - 1:
        return state
    return _with(state, state.unvisited[0])


def _with(state: State, node: int) -> State:
    return State(state.instance, (*state.tour, node), state.visited | 1 << node)


LEFT = "o"
PASSED = "·"
CURRENT = "@"
END = "#"


def picture(state: State) -> str:
    """The nodes where they lie, at most 48 x 24; several in one place show as one.

    Two lines where nodes have no coordinates.
    """
    shown = state.instance.length(state.tour) if state.finished else _walked(state)
    head = (
        f"{len(state.tour)} of {state.instance.size} visited, length {shown:.6g}\n"
        f"{LEFT} left, {PASSED} visited, {CURRENT} current, {END} node 0"
    )
    if not state.instance.points:
        return head
    layers = [
        (PASSED, state.tour),
        (LEFT, state.unvisited),
        (CURRENT, state.tour[-1:]),
        (END, state.tour[:1]),
    ]
    path = (*state.tour, state.tour[0]) if state.finished else state.tour
    return "\n".join([head, *sketch(state.instance.points, layers, path)])


def _walked(state: State) -> float:
    """Length of the path so far."""
    pairs = zip(state.tour, state.tour[1:], strict=False)
    return sum(state.instance.distance(node, following) for node, following in pairs)
