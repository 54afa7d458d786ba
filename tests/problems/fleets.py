"""Small vehicle routing instances, and programs to run on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hypothesis import strategies as st

from problems.cvrp.instances import Instance


def fleet(capacity: int, *nodes: tuple[float, float, int]) -> Instance:
    """An instance of these nodes, x, y and demand each, the depot first."""
    points = tuple((float(x), float(y)) for x, y, _ in nodes)
    return Instance("small", points, tuple(demand for _, _, demand in nodes), capacity)


def answers(*nodes: object) -> Callable[..., object]:
    """A program that names these nodes one after the other."""
    left: Iterable[object] = iter(nodes)
    return lambda *_: next(left)  # type: ignore[call-overload]


@st.composite
def fleets(draw: st.DrawFn) -> Instance:
    """Any instance: a small grid makes ties and nodes that coincide, demands may be zero."""
    node = st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 5))
    customers = draw(st.lists(node, min_size=2, max_size=9))
    (x, y, _), capacity = draw(node), draw(st.integers(5, 14))
    points = tuple((float(x), float(y)) for x, y, _ in [(x, y, 0), *customers])
    demands = (0, *(demand for _, _, demand in customers))
    return Instance("any", points, demands, capacity, draw(st.booleans()))
