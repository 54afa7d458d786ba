"""What the network reads of the flip of a vertex: fourteen numbers, free of any unit.

Gains are in units of the typical sum at a vertex, the root mean square over the vertices of the
Euclidean norm of a vertex's weights.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from problems.maxcut.state import State
from teachers.evolution_strategies.network import score
from teachers.evolution_strategies.walks import flip, graph, recall

FEATURES = 14
RULE = {0: 2.0}
"""The flip that gains most."""
MEMORIES = (5.0, 15.0, 50.0)
"""Flips within which the memory of a flip fades to 1/e."""
FAR = 10.0
"""The distance to the best cut is cut off here, in units."""


def observe(states: Sequence[State]) -> list[np.ndarray]:
    """The features of all vertices in each state, [n, 14]."""
    found = []
    for state in states:
        features = np.zeros((state.instance.size, FEATURES))
        describe(graph(state.instance), recall(state), state.step, state.max_steps, features)
        found.append(features)
    return found


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
