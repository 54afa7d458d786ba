"""The network: a score for each action from the numbers that the problem tells of it.

A field counts by its value in units of its deviation over the states of a plain program, and,
where there is a hidden layer, also by its place among the actions of its state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
import torch
from torch import Tensor, nn

from problems.errors import TeacherUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.base import Decision, Problem

FIRST = 0.1
"""How much the hidden layer counts before anything is learned."""

FAR = 10.0
"""Deviations from which on a value counts no more, where there is a hidden layer."""

LARGEST = 1e12
"""What stands for a field without a finite value."""


class FieldNetwork(nn.Module):
    """A linear score of K fields, with a hidden layer beside it where `hidden` units are asked."""

    center: Tensor
    scale: Tensor

    def __init__(self, names: Sequence[str], hidden: int) -> None:
        super().__init__()
        self.names = tuple(names)
        inputs = len(names) * (2 if hidden else 1)
        self.straight = nn.Linear(inputs, 1, bias=False)
        self.enter = nn.Linear(inputs, hidden) if hidden else None
        self.leave = nn.Linear(hidden, 1, bias=False) if hidden else None
        with torch.no_grad():
            self.straight.weight.zero_()
            if self.leave is not None:
                self.leave.weight.mul_(FIRST)
        self.register_buffer("center", torch.zeros(len(names)))
        self.register_buffer("scale", torch.ones(len(names)))

    def settle(self, values: np.ndarray) -> None:
        """Take mean and deviation of fields from values [A, K]; 1 for one that is constant."""
        deviation = values.std(axis=0)
        self.center.copy_(torch.from_numpy(values.mean(axis=0)))
        self.scale.copy_(torch.from_numpy(np.where(deviation > 0, deviation, 1.0)))

    def forward(self, values: Tensor, sizes: Sequence[int]) -> Tensor:
        """Fields [A, K] of the actions of some states, `sizes` of each, to scores [A]."""
        inputs = (values - self.center) / self.scale
        if self.enter is None or self.leave is None:
            return cast("Tensor", self.straight(inputs)).squeeze(-1)
        inputs = torch.cat([inputs.clamp(-FAR, FAR), find_places(inputs, sizes)], dim=1)
        hidden = torch.tanh(self.enter(inputs))
        return cast("Tensor", self.leave(hidden) + self.straight(inputs)).squeeze(-1)


def find_places(values: Tensor, sizes: Sequence[int]) -> Tensor:
    """Each value's place between least (-1) and largest (1) of its state, 0 of equal ones."""
    places = []
    for part in torch.split(values, list(sizes)):
        low, high = part.amin(dim=0), part.amax(dim=0)
        width = high - low
        places.append(torch.where(width > 0, 2 * (part - low) / width.clamp_min(1e-300) - 1, 0.0))
    return torch.cat(places)


def read_fields(task: Problem, names: Sequence[str], batch: Sequence[Decision]) -> np.ndarray:
    """The fields of all actions of some decisions, [A, K].

    Raises TeacherUnavailable where the problem has no field of that name.
    """
    rows = []
    for decision in batch:
        for action in decision.actions:
            found = task.fields(decision.state, action)
            try:
                rows.append([float(found[name]) for name in names])
            except KeyError as error:
                told = f"fields() gives no {error.args[0]!r}, on which its teacher was trained"
                raise TeacherUnavailable(f"{task.name}: {told}; train it again") from error
    values = np.array(rows, dtype=np.float64).reshape(len(rows), len(names))
    return np.nan_to_num(values, nan=0.0, posinf=LARGEST, neginf=-LARGEST)
