"""Small graphs, and programs to run on them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st

from problems.maxcut.instances import Instance, as_graph


def graph(size: int, *edges: tuple[int, int, int]) -> Instance:
    """A graph of these edges: two vertices and a weight."""
    return as_graph("small", size, np.array(edges, dtype=np.int64).reshape(-1, 3))


def order(*vertices: int) -> Callable[..., int]:
    """A program that names these vertices one after the other."""
    left = iter(vertices)
    return lambda *_: next(left)


@st.composite
def graphs(draw: st.DrawFn) -> Instance:
    """Any graph of few vertices: small weights of both signs make ties, vertices may be alone."""
    size = draw(st.integers(2, 9))
    pairs = [(u, v) for u in range(size) for v in range(u + 1, size)]
    weights = draw(st.lists(st.integers(-2, 2), min_size=len(pairs), max_size=len(pairs)))
    edges = [(*pair, weight) for pair, weight in zip(pairs, weights, strict=True) if weight]
    return graph(size, *edges)
