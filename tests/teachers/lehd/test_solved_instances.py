"""Solved instances: right, in order, kept."""

from __future__ import annotations

import numpy as np
import pytest

from problems.errors import UserError
from teachers.lehd import solved_instances as module
from teachers.lehd.solved_instances import CAPACITIES, RoutingPart, load_or_solve, solve
from teachers.training.measure import TrainingProgress

TOURS, ROUTES = RoutingPart("tsp", 8, 3), RoutingPart("cvrp", 40, 2)


def length(points: np.ndarray) -> np.ndarray:
    """Of closed tours [K, n, 2]."""
    lengths: np.ndarray = np.linalg.norm(points - np.roll(points, 1, axis=1), axis=-1)
    return np.array(lengths.sum(axis=1))


def test_nodes_stand_in_the_order_of_a_short_tour() -> None:
    pytest.importorskip("elkai")
    found = solve(TOURS, 1)
    rng = np.random.default_rng(0)
    others = [length(rng.permuted(found.points, axis=1)).min() for _ in range(50)]
    assert found.points.shape == (3, 8, 2)
    assert length(found.points).min() <= min(others)
    assert not found.routes.any() and not found.demands.any()


@pytest.mark.parametrize(("seed", "centred"), [(2, True), (3, False)])
def test_routes_keep_to_the_capacity(seed: int, centred: bool) -> None:
    pytest.importorskip("pyvrp")
    found = solve(ROUTES, seed)
    assert (found.depots == 0.5).all() == centred
    assert (np.diff(found.routes, prepend=0) >= 0).all() and found.routes.max() > 0
    for demands, routes in zip(found.demands, found.routes, strict=True):
        loads = np.bincount(routes, demands)
        assert loads.max() <= 1 + 1e-6
        assert 1 / CAPACITIES[1] <= demands.min() and demands.max() <= 9 / CAPACITIES[0]


def test_solved_instances_are_kept_and_not_solved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("elkai")
    heard: list[TrainingProgress] = []
    first = load_or_solve(TOURS, 0, heard.append)
    assert [progress.done for progress in heard] == [1.0]
    monkeypatch.setattr(module, "solve", None)
    again = load_or_solve(TOURS, 0, heard.append)
    assert np.array_equal(first.points, again.points)
    assert len(heard) == 1


def test_without_a_solver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"preceptor\[reference\]"):
        load_or_solve(ROUTES, 0, lambda progress: None)
