"""The network: what changes its scores and what must not."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from teachers.lehd.batched_states import BatchedStates
from teachers.lehd.network import LEHD, Size
from tests.teachers.lehd.test_batched_states import random_states

SIZES = [
    Size(1, width=16, layers=2),
    Size(2, width=16, layers=2),
    Size(1, width=16, layers=2, trees=True),
    Size(1, width=16, heads=2, layers=2, official=True),
    Size(2, width=16, heads=2, layers=2, official=True),
]


@pytest.fixture(params=SIZES, ids=str)
def network(request: pytest.FixtureRequest) -> LEHD:
    """Untrained ones, for tours and routes, ours and as published."""
    torch.manual_seed(0)
    return LEHD(request.param).eval().requires_grad_(False)


def rows(states: BatchedStates, order: list[int]) -> BatchedStates:
    """The same states with their rows in another order."""
    values = (states.points, states.demands, states.real)
    points, demands, real = (value[:, order] for value in values)
    return BatchedStates(points, demands, states.rest, real)


def test_another_order_of_nodes_gives_the_scores_in_that_order(network: LEHD) -> None:
    states = random_states()
    scores, others = network(states), network(rows(states, [0, 1, 5, 3, 2, 4]))
    assert scores.shape == (3, 4, network.size.columns)
    assert torch.allclose(scores[:, [3, 1, 0, 2]], others, atol=1e-5)
    assert scores.std(1).min() > 1e-4


def test_padding_changes_no_score(network: LEHD) -> None:
    states = random_states()
    hidden = torch.cat([states.real, torch.zeros(3, 2, dtype=torch.bool)], 1)
    anything = torch.full((3, 2), 7.0)
    points = torch.cat([states.points, anything[..., None].expand(-1, -1, 2)], 1)
    padded = BatchedStates(points, torch.cat([states.demands, anything], 1), states.rest, hidden)
    assert torch.allclose(network(states), network(padded)[:, :4], atol=1e-5)


def test_what_is_left_matters_to_vehicles(network: LEHD) -> None:
    if network.size.columns == 2:
        states = random_states()
        fuller = replace(states, rest=states.rest + 0.2)
        assert not torch.allclose(network(states), network(fuller), atol=1e-5)


def test_the_published_size_has_as_many_weights_as_the_published_networks() -> None:
    def count(size: Size) -> int:
        return sum(weight.numel() for weight in LEHD(size).parameters())

    assert count(Size(1, heads=8, official=True)) == 1_415_169
    assert count(Size(2, heads=8, official=True)) == 1_415_682
