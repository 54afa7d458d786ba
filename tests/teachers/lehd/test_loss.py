"""The losses by hand."""

from __future__ import annotations

import math

import pytest
import torch

from teachers.lehd.batched_states import BatchedStates
from teachers.lehd.train import NeighbourHead, choice_loss, neighbour_loss
from teachers.lehd.training_windows import WindowBatch


def batch(right: list[list[int]], rest: float = 0.5) -> WindowBatch:
    """One state with two open customers; the second does not fit."""
    states = BatchedStates(
        torch.rand(1, 4, 2),
        torch.tensor([[0.0, 0.0, 0.3, 0.6]]),
        torch.tensor([rest]),
        torch.ones(1, 4, dtype=torch.bool),
    )
    after, before = torch.tensor([[2, 0, 0]]), torch.tensor([[2, 1, 0]])
    return WindowBatch(states, torch.tensor([right], dtype=torch.bool), after, before)


def test_the_choice_is_among_those_that_fit_and_those_by_the_depot() -> None:
    logits = torch.zeros(1, 2, 2)
    assert choice_loss(logits, batch([[1, 0], [0, 0]])).item() == pytest.approx(math.log(3))


def test_several_right_choices_count_together() -> None:
    logits = torch.zeros(1, 2, 2)
    assert choice_loss(logits, batch([[0, 1], [0, 1]])).item() == pytest.approx(math.log(3 / 2))
    assert choice_loss(logits, batch([[0, 1], [0, 1]], rest=1.0)).item() == pytest.approx(0)


def test_a_node_is_no_neighbour_of_itself_and_both_neighbours_count() -> None:
    head = NeighbourHead(8)
    for weight in head.parameters():
        torch.nn.init.zeros_(weight)
    logits = head(torch.rand(1, 4, 8))
    assert logits[0].diagonal().tolist() == [-math.inf] * 4
    assert neighbour_loss(logits, batch([[1, 0], [0, 0]])).item() == pytest.approx(math.log(3))
