"""Tours to learn from: short, or begun by a rule and short from there."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("elkai")

from teachers.lehd.solved_instances import RoutingPart, solve
from teachers.lehd.solved_tours import (
    LEAST_LEFT,
    distances,
    shortest_way,
    solve_begun_tours,
    solve_tours,
)


def way_length(between: np.ndarray, way: tuple[int, ...] | list[int]) -> float:
    """From row 1 through the open nodes, numbered from 0, to row 0."""
    rows = [1, *(node + 2 for node in way), 0]
    return float(sum(between[a, b] for a, b in pairwise(rows)))


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_a_way_on_is_the_shortest_that_any_order_gives(seed: int, left: int) -> None:
    rows = np.random.default_rng(seed).random((left + 2, 2))
    between = distances(rows)
    found = way_length(between, shortest_way(rows))
    best = min(way_length(between, order) for order in permutations(range(left)))
    assert found == pytest.approx(best, abs=1e-5)


def test_begun_tours_visit_what_short_ones_of_the_same_seed_visit() -> None:
    begun = solve_begun_tours(12, 4, 1)[0]
    short = solve_tours(12, 4, 1)
    for one, other in zip(begun, short, strict=True):
        assert sorted(one.tolist()) == sorted(other.tolist())


def test_begun_tours_cost_more_than_short_ones_and_less_than_any_others() -> None:
    def length(points: np.ndarray) -> float:
        return float(np.linalg.norm(points - np.roll(points, 1, axis=1), axis=-1).sum())

    begun, short = solve_begun_tours(40, 20, 2)[0], solve_tours(40, 20, 2)
    other = np.random.default_rng(0).permuted(short, axis=1)
    assert length(short) < length(begun) < 1.1 * length(short) < length(other)


def test_the_first_nodes_of_a_begun_tour_are_the_rules_and_the_others_are_open() -> None:
    points, begun = solve_begun_tours(10, 30, 3)
    assert begun.min() == 2 and begun.max() == 10 - LEAST_LEFT
    found = solve(RoutingPart("tsp", 10, 30, begun=True), 3)
    assert np.array_equal(found.points, points.astype(np.float32))
    assert (found.routes == -1).sum(1).tolist() == begun.tolist()
    assert (np.diff(found.routes, axis=1) >= 0).all() and not found.demands.any()
