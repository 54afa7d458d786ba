"""Tours to learn from, found by LKH: short from end to end, or only from where a rule had to stop.

A constructor that has taken a long way stands in states that no short tour holds: nodes are left
behind. It has to have seen some, with the best way on from there (S. Ross, G. Gordon, D. Bagnell,
"A reduction of imitation learning and structured prediction to no-regret online learning", 2011).
Here the rule that always goes to the nearest node in spanning trees leads into them, so nothing
has to be trained before.
"""

from __future__ import annotations

import numpy as np
import torch

from problems.tsp.sets.data import random_points
from teachers.lehd.spanning_trees import find_nearness

SCALE = 1_000_000
"""LKH works on integers: distances times this."""
JOINED = 3
"""Edges get so much longer, in sides of the square, than the one that has to be taken."""
LEAST_LEFT = 3
"""With fewer open nodes hardly anything is to be learned."""


def solve_tours(nodes: int, count: int, seed: int) -> np.ndarray:
    """Random points [count, nodes, 2] in the order of a short tour."""
    points = np.array(random_points(seed, count, nodes))
    return np.array([one[_shortest(distances(one))] for one in points])


def solve_begun_tours(nodes: int, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Random points [count, nodes, 2] in the order of tours, and how many the rule chose [count].

    Those are the first of each tour, any number of at least two; the others follow in the order of
    the shortest way on. `nodes` are at least 5.
    """
    points = np.array(random_points(seed, count, nodes))
    begun = np.random.default_rng(seed).integers(2, nodes - LEAST_LEFT, count, endpoint=True)
    return np.array(
        [one[_begun_tour(one, n)] for one, n in zip(points, begun, strict=True)]
    ), begun


def _begun_tour(points: np.ndarray, begun: int) -> list[int]:
    """The first `begun` nodes by the rule, then the shortest way through the others back to 0."""
    tour, left = [0], list(range(1, len(points)))
    while len(tour) < begun:
        tour.append(left.pop(_nearest(points[[0, tour[-1], *left]])))
    return [*tour, *(left[place] for place in shortest_way(points[[0, tour[-1], *left]]))]


def _nearest(rows: np.ndarray) -> int:
    """Which of the open nodes, row 2 on, is the nearest in trees to row 1; ties to the closer."""
    between = distances(rows)
    batch = torch.from_numpy(between)[None].float()
    nearness = find_nearness(batch, torch.tensor([len(rows)]))[0][0, 1, 2:].double().numpy()
    return int(np.lexsort((between[1, 2:], nearness))[0])


def shortest_way(rows: np.ndarray) -> list[int]:
    """The open nodes, row 2 on and numbered from 0, along a short way from row 1 to row 0.

    `rows` [n, 2] are places in the unit square, n at least 4. It is the tour that joins both ends,
    as all other edges are `JOINED` longer than that.
    """
    between = distances(rows) + JOINED
    between[0, 1] = between[1, 0] = 0
    tour = _shortest(between)
    start = tour.index(1)
    tour = [*tour[start:], *tour[:start]]
    if tour[1] == 0:
        tour = [tour[0], *tour[:0:-1]]
    return [node - 2 for node in tour[1:-1]]


def distances(points: np.ndarray) -> np.ndarray:
    """Between all points [n, 2]: [n, n]."""
    between: np.ndarray = np.linalg.norm(points[:, None] - points[None], axis=-1)
    return between


def _shortest(between: np.ndarray) -> list[int]:
    """A tour of one run of LKH."""
    import elkai

    matrix = np.rint(between * SCALE).astype(int)
    np.fill_diagonal(matrix, 0)
    found: list[int] = elkai.DistanceMatrix(matrix.tolist()).solve_tsp(runs=1)
    return found[:-1]
