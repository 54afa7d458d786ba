"""How near nodes are to each other in what is left: spanning trees under penalties, compiled.

What is left is a way from the current node through all open ones to the end. Every way is a
spanning tree, so the shortest tree is a lower bound; penalties on nodes change all ways alike, and
those under which the shortest tree looks most like a way make it the best bound (M. Held,
R. M. Karp, "The traveling-salesman problem and minimum spanning trees: part II", 1971). The
*nearness* of two nodes is what that tree becomes longer by when it has to join them: alpha of
K. Helsgaun, "An effective implementation of the Lin-Kernighan traveling salesman heuristic", 2000.
"""

from __future__ import annotations

import numpy as np
import torch
from numba import njit
from torch import Tensor

ROUNDS = 40
"""Trees that are built; the penalties of the best bound are kept."""
FIRST = 0.8
"""The first change of a penalty, as a share of a tree's mean edge."""
FALL = 0.9
"""What a change is of the one before."""
MEMORY = 0.3
"""Share of the round before in a change."""
FAR = 1e6
"""The length of edges that no way takes, in steps."""


def find_nearness(distances: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
    """Nearness [B, N, N] and penalties [B, N] of `distances` [B, N, N], in their unit.

    Row 0 is the end, row 1 the current node, and the first `counts` [B] rows are real; others get
    0. Ends that no way joins, as other nodes are left, are about `FAR` from each other.
    """
    nearness, penalties = _find_all(distances.cpu().numpy(), counts.cpu().numpy())
    place = distances.device
    return torch.from_numpy(nearness).to(place), torch.from_numpy(penalties).to(place)


@njit(cache=True, nogil=True)
def _find_all(distances, counts):  # type: ignore[no-untyped-def]
    nearness = np.zeros(distances.shape, np.float32)
    penalties = np.zeros(distances.shape[:2], np.float32)
    for b in range(len(distances)):
        count = counts[b]
        edges = distances[b, :count, :count].astype(np.float64)
        if count > 2:
            edges[0, 1] = edges[1, 0] = FAR
        _find_one(edges, nearness[b], penalties[b])
    return nearness, penalties


@njit(cache=True, nogil=True)
def _find_one(edges, nearness, penalties):  # type: ignore[no-untyped-def]
    """Write the nearness of all nodes, and their penalties under the best bound."""
    size = len(edges)
    order, parent = np.empty(size, np.int64), np.zeros(size, np.int64)
    trial, kept, before = np.zeros(size), np.zeros(size), np.zeros(size)
    bound, change = -np.inf, 0.0
    for number in range(ROUNDS):
        length = _build(edges, trial, order, parent) - 2 * trial.sum() + trial[0] + trial[1]
        if length > bound:
            bound = length
            kept[:] = trial
        change = FIRST * length / size if number == 0 else FALL * change
        surplus = _surplus(order, parent)
        if not surplus.any():
            break
        trial += change * ((1 - MEMORY) * surplus + MEMORY * before)
        before = surplus
    _build(edges, kept, order, parent)
    penalties[:size] = kept
    _write_nearness(edges, kept, order, parent, nearness)


@njit(cache=True, nogil=True)
def _build(edges, penalties, order, parent):  # type: ignore[no-untyped-def]
    """Prim's tree from node 1: nodes in the order in which they join, and whom; its length."""
    size = len(edges)
    shortest = np.full(size, np.inf)
    is_open = np.ones(size, np.bool_)
    newest, length = 1, 0.0
    is_open[1] = False
    order[0] = 1
    for place in range(1, size):
        nearest, least = -1, np.inf
        for node in range(size):
            if is_open[node]:
                through = edges[newest, node] + penalties[newest] + penalties[node]
                if through < shortest[node]:
                    shortest[node] = through
                    parent[node] = newest
                if shortest[node] < least or nearest < 0:
                    nearest, least = node, shortest[node]
        is_open[nearest] = False
        order[place] = newest = nearest
        length += least
    return length


@njit(cache=True, nogil=True)
def _surplus(order, parent):  # type: ignore[no-untyped-def]
    """Edges at each node beyond those of a way: one at both ends, two at all others."""
    surplus = np.full(len(order), -2.0)
    surplus[:2] = -1.0
    for node in order[1:]:
        surplus[node] += 1
        surplus[parent[node]] += 1
    return surplus


@njit(cache=True, nogil=True)
def _write_nearness(edges, penalties, order, parent, nearness):  # type: ignore[no-untyped-def]
    """An edge's length beyond the longest edge of the tree between its ends, at least 0."""
    longest = np.zeros(edges.shape)
    for place in range(1, len(order)):
        node = order[place]
        above = parent[node]
        edge = edges[node, above] + penalties[node] + penalties[above]
        for other in order[:place]:
            between = edge if other == above else max(edge, longest[above, other])
            longest[node, other] = longest[other, node] = between
            beyond = edges[node, other] + penalties[node] + penalties[other] - between
            nearness[node, other] = nearness[other, node] = max(beyond, 0.0)
