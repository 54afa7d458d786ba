"""What the network reads of a state."""

from __future__ import annotations

import math

import pytest
import torch

from teachers.lehd.batched_states import BatchedStates, invariant

QUARTER = torch.tensor([[0.0, 1.0], [-1.0, 0.0]])


def random_states(nodes: int = 6, count: int = 3) -> BatchedStates:
    """Random states of vehicles."""
    rng = torch.Generator().manual_seed(0)
    points = torch.rand(count, nodes, 2, generator=rng)
    demands = torch.rand(count, nodes, generator=rng) / 4
    demands[:, :2] = 0
    real = torch.ones(count, nodes, dtype=torch.bool)
    return BatchedStates(points, demands, torch.full((count,), 0.6), real)


def moved(states: BatchedStates, points: torch.Tensor) -> BatchedStates:
    """The same states with other points."""
    return BatchedStates(points, states.demands, states.rest, states.real)


@pytest.mark.parametrize(
    "change",
    [
        lambda points: points + 3.0,
        lambda points: points * 40.0,
        lambda points: points @ QUARTER,
        lambda points: points.flip(-1),
    ],
    ids=["moved", "scaled", "turned", "mirrored"],
)
def test_where_and_how_large_a_state_is_makes_no_difference(change) -> None:  # type: ignore[no-untyped-def]
    states = random_states()
    for one, other in zip(
        invariant(states), invariant(moved(states, change(states.points))), strict=True
    ):
        assert torch.allclose(one, other, atol=1e-4)


def test_the_end_lies_ahead_and_the_farthest_node_at_distance_one() -> None:
    features, _ = invariant(random_states())
    assert torch.allclose(features[:, 0, 1], torch.zeros(3), atol=1e-6)
    assert (features[:, 0, 0] > 0).all() and (features[..., 1].sum(1) >= 0).all()
    assert torch.allclose(features[..., 2].amax(1), torch.ones(3))


def test_a_way_that_ends_where_it_stands_is_read_too() -> None:
    states = random_states()
    points = states.points.clone()
    points[:, 0] = points[:, 1]
    features, distances = invariant(moved(states, points))
    assert features.isfinite().all() and distances.isfinite().all()
    assert (features[:, 0, :2] == 0).all()


def test_distances_are_counted_in_steps_of_the_crowd() -> None:
    states = random_states(nodes=9)
    _, distances = invariant(states)
    gaps = torch.cdist(states.points, states.points)
    ratio = distances[0, 2, 3] / gaps[0, 2, 3]
    assert ratio == pytest.approx(math.sqrt(9) / gaps[0, 1].max().item(), rel=1e-4)


def test_vehicles_still_needed_and_the_waste_they_allow_are_said_to_every_node() -> None:
    demands = torch.tensor([[0.0, 0.0, 0.5, 0.4, 0.3]] * 3)
    rest = torch.tensor([0.5, 0.2, 1.0])
    real = torch.ones(3, 5, dtype=torch.bool)
    features, _ = invariant(BatchedStates(torch.rand(3, 5, 2), demands, rest, real))
    needed, waste = features[:, :, 8].expm1(), features[:, :, 9]
    assert torch.allclose(needed, torch.tensor([[1.0], [1.0], [1.0]]).expand(3, 5))
    assert torch.allclose(waste, torch.tensor([[0.3], [0.0], [0.8]]).expand(3, 5), atol=1e-6)


def test_only_customers_that_fit_come_next_and_none_from_the_depot() -> None:
    demands = torch.tensor([[0.0, 0.0, 0.2, 0.5, 0.7]] * 2)
    real = torch.tensor([[True, True, True, True, False]] * 2)
    states = BatchedStates(torch.rand(2, 5, 2), demands, torch.tensor([0.5, 1.0]), real)
    assert states.fits.tolist() == [[True, True, False], [False, False, False]]
