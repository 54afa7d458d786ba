"""Walks over the bipartitions of a graph in compiled code, and what the network reads of a vertex.

Fourteen numbers, free of any unit: gains are in units of the typical sum at a vertex, the root
mean square over the vertices of the Euclidean norm of a vertex's weights.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from problems.maxcut.sets.data import Instance
    from problems.maxcut.state import State

FEATURES = 14
MEMORIES = (5.0, 15.0, 50.0)
"""Flips within which the memory of a flip fades to 1/e."""
FAR = 10.0
"""The distance to the best cut is cut off here, in units."""
SLOPE = 0.1
"""Of the leaky rectifier."""


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


class Layers(NamedTuple):
    """The weights of a `FlipNetwork` as float64 arrays, outputs by inputs."""

    enter: np.ndarray
    enter_bias: np.ndarray
    inner: np.ndarray
    inner_bias: np.ndarray
    leave: np.ndarray
    straight: np.ndarray


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


def observe(graph: Graph, walk: Walk, step: int, steps: int) -> np.ndarray:
    """The features of all vertices before a step of so many, [n, 14]."""
    features = np.zeros((len(walk.spins), FEATURES))
    describe(graph, walk, step, steps, features)
    return features


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


@njit(cache=True, nogil=True)
def describe(graph, walk, step, steps, features):  # type: ignore[no-untyped-def]
    """Write the features of all vertices."""
    size = len(walk.spins)
    largest = walk.gains.max()
    gaining = (walk.gains > 0).sum() / size
    behind = walk.cuts[1] - walk.cuts[0]
    for vertex in range(size):
        row = features[vertex]
        gain = walk.gains[vertex]
        row[0] = gain / graph.unit
        row[1] = gain / max(graph.sums[vertex], 1e-9)
        row[2] = (gain - largest) / graph.unit
        _describe_memory(walk.last[vertex], step, row)
        row[8] = 1.0 if walk.spins[vertex] != walk.best_spins[vertex] else 0.0
        row[9] = min(behind / graph.unit, FAR) * 0.2
        row[10] = graph.norms[vertex] / graph.unit
        row[11] = 4.0 * gaining
        row[12] = step / steps
        row[13] = 1.0 if gain > behind else 0.0


@njit(cache=True, nogil=True)
def _describe_memory(last, step, row):  # type: ignore[no-untyped-def]
    """How long ago a vertex was flipped."""
    if last < 0:
        row[3:7] = 0.0
        row[7] = 1.0
        return
    age = step - last
    row[3] = 1.0 / age
    for place in range(len(MEMORIES)):
        row[4 + place] = np.exp(-age / MEMORIES[place])
    row[7] = 0.0


@njit(cache=True, nogil=True)
def score(layers, row, hidden):  # type: ignore[no-untyped-def]
    """The score of a vertex from its features; `hidden` is room for a layer."""
    found = 0.0
    for feature in range(len(row)):
        found += layers.straight[0, feature] * row[feature]
    for unit in range(len(hidden)):
        value = layers.enter_bias[unit]
        for feature in range(len(row)):
            value += layers.enter[unit, feature] * row[feature]
        hidden[unit] = value if value > 0 else SLOPE * value
    for unit in range(len(hidden)):
        value = layers.inner_bias[unit]
        for other in range(len(hidden)):
            value += layers.inner[unit, other] * hidden[other]
        found += layers.leave[0, unit] * (value if value > 0 else SLOPE * value)
    return found


@njit(cache=True, nogil=True)
def follow(graph, walk, steps, layers):  # type: ignore[no-untyped-def]
    """Flip the vertex of the highest score for so many steps, from the start; the best cut."""
    features = np.zeros((len(walk.spins), FEATURES))
    hidden = np.zeros(len(layers.enter_bias))
    for step in range(steps):
        describe(graph, walk, step, steps, features)
        chosen = 0
        highest = -np.inf
        for vertex in range(len(features)):
            found = score(layers, features[vertex], hidden)
            if found > highest:
                chosen = vertex
                highest = found
        flip(graph, walk, chosen, step)
    return walk.cuts[1]
