"""Small travelling salesman instances, and programs to run on them."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from problems.tsp.instances import Instance


def plane(*points: tuple[float, float]) -> Instance:
    """An instance of these points."""
    return Instance("small", tuple((float(x), float(y)) for x, y in points))


def order(*nodes: int) -> Callable[..., int]:
    """A program that names these nodes one after the other."""
    left = iter(nodes)
    return lambda *_: next(left)


@st.composite
def planes(draw: st.DrawFn) -> Instance:
    """Any instance: points on a small grid make ties, and nodes that coincide."""
    coordinate = st.integers(0, 4)
    points = draw(st.lists(st.tuples(coordinate, coordinate), min_size=3, max_size=12))
    return Instance("any", tuple((float(x), float(y)) for x, y in points), draw(st.booleans()))
