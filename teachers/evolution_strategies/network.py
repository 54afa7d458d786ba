"""The network: a score for each action from the action's own features, in Torch and compiled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, cast

import torch
from numba import njit
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

if TYPE_CHECKING:
    import numpy as np

WIDTH = 16
SLOPE = 0.1
"""Of the leaky rectifier."""
FIRST = 0.1
"""How much the two layers count before anything is learned, beside the linear term."""


class Layers(NamedTuple):
    """The weights of a `ScoringNetwork` as float64 arrays, outputs by inputs."""

    enter: np.ndarray
    enter_bias: np.ndarray
    inner: np.ndarray
    inner_bias: np.ndarray
    leave: np.ndarray
    straight: np.ndarray


class ScoringNetwork(nn.Module):
    """Two layers beside a linear term, which is a plain rule to begin with."""

    def __init__(self, features: int, rule: Mapping[int, float]) -> None:
        """`rule` gives the first weights of the linear term by feature, 0 where there is none."""
        super().__init__()
        self.enter = nn.Linear(features, WIDTH)
        self.inner = nn.Linear(WIDTH, WIDTH)
        self.leave = nn.Linear(WIDTH, 1, bias=False)
        self.straight = nn.Linear(features, 1, bias=False)
        with torch.no_grad():
            self.leave.weight.mul_(FIRST)
            self.straight.weight.zero_()
            for feature, weight in rule.items():
                self.straight.weight[0, feature] = weight

    def forward(self, features: Tensor) -> Tensor:
        """Features [A, F] to scores [A]."""
        hidden = leaky_relu(self.enter(features), SLOPE)
        hidden = leaky_relu(self.inner(hidden), SLOPE)
        return cast("Tensor", self.leave(hidden) + self.straight(features)).squeeze(-1)

    def layers(self) -> Layers:
        """The weights for compiled rollouts."""
        found = (value.detach().cpu().double().numpy() for value in self.state_dict().values())
        return Layers(*found)


@njit(cache=True, nogil=True)
def score(layers, row, hidden):  # type: ignore[no-untyped-def]
    """The score of an action from its features [F]; `hidden` [16] is room for a layer."""
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
