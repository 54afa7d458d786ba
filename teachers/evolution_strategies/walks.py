"""Walks over the bipartitions of a graph, in compiled code by the rules of MaxCut.

A test compares them with `problems.maxcut` state by state.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np
from numba import njit

from problems.maxcut.instances import Instance
from problems.maxcut.state import State


class Graph(NamedTuple):
    """A graph of n vertices: `neighbours` and `weights` of vertex v from `bounds[v]` on.

    `sums` [n] are the absolute weights at a vertex, `norms` [n] their Euclidean norms, `unit` the
    root mean square of those (1 without edges).
    """

    bounds: np.ndarray
    neighbours: np.ndarray
    weights: np.ndarray
    sums: np.ndarray
    norms: np.ndarray
    unit: float


class Walk(NamedTuple):
    """Where a walk stands; it is changed in place.

    `spins` and `best_spins` [n] are +1 or -1, `gains` [n] what flips would add to the cut, `last`
    [n] the step of each vertex's last flip, -1 for never. `cuts` holds the cut and the best cut.
    """

    spins: np.ndarray
    best_spins: np.ndarray
    gains: np.ndarray
    last: np.ndarray
    cuts: np.ndarray


@lru_cache(maxsize=256)
def graph(instance: Instance) -> Graph:
    """The arrays of an instance; many states share one instance, so they are kept."""
    counts = [len(others) for others in instance.neighbours]
    weights = np.fromiter(chain(*instance.weights), np.float64)
    bounds = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    owners = np.repeat(np.arange(instance.size), counts)
    sums = np.bincount(owners, np.abs(weights), instance.size)
    squares = np.bincount(owners, weights**2, instance.size)
    unit = float(np.sqrt(squares.mean())) or 1.0
    neighbours = np.fromiter(chain(*instance.neighbours), np.int64)
    return Graph(bounds, neighbours, weights, sums, np.sqrt(squares), unit)


def begin(graph: Graph, spins: np.ndarray) -> Walk:
    """The first state of a walk from these spins [n]."""
    spins = spins.astype(np.float64)
    walk = Walk(spins, spins.copy(), np.zeros(len(spins)), np.full(len(spins), -1), np.zeros(2))
    add_up(graph, walk)
    return walk


def recall(state: State) -> Walk:
    """Where a rollout stands."""
    walk = begin(graph(state.instance), _spins(state.sides))
    walk.best_spins[:] = _spins(state.best_sides)
    walk.last[:] = [-1 if step is None else step for step in state.last_flips]
    walk.cuts[:] = state.cut, state.best_cut
    return walk


def _spins(sides: bytes) -> np.ndarray:
    return 1.0 - 2.0 * np.frombuffer(sides, dtype=np.uint8)


@njit(cache=True, nogil=True)
def add_up(graph, walk):  # type: ignore[no-untyped-def]
    """Write gains and cuts from the spins."""
    total = 0.0
    for vertex in range(len(walk.spins)):
        gain = 0.0
        for edge in range(graph.bounds[vertex], graph.bounds[vertex + 1]):
            product = walk.spins[vertex] * walk.spins[graph.neighbours[edge]]
            gain += graph.weights[edge] * product
            total += graph.weights[edge] * (1.0 - product)
        walk.gains[vertex] = gain
    walk.cuts[:] = total / 4.0


@njit(cache=True, nogil=True)
def flip(graph, walk, vertex, step):  # type: ignore[no-untyped-def]
    """Flip a vertex at a step."""
    walk.cuts[0] += walk.gains[vertex]
    walk.gains[vertex] = -walk.gains[vertex]
    walk.spins[vertex] = -walk.spins[vertex]
    walk.last[vertex] = step
    for edge in range(graph.bounds[vertex], graph.bounds[vertex + 1]):
        other = graph.neighbours[edge]
        walk.gains[other] += 2.0 * graph.weights[edge] * walk.spins[vertex] * walk.spins[other]
    if walk.cuts[0] > walk.cuts[1]:
        walk.cuts[1] = walk.cuts[0]
        walk.best_spins[:] = walk.spins
