"""The network: a score for the flip of each vertex, from the vertex's own features alone."""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import leaky_relu

from teachers.neuroevolution.walks import FEATURES, SLOPE, Layers

WIDTH = 16
GREED = 2.0
"""How much a gain counts before anything is learned."""


class FlipNetwork(nn.Module):
    """542 weights: two layers beside a linear term, which is greedy to begin with."""

    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Linear(FEATURES, WIDTH)
        self.inner = nn.Linear(WIDTH, WIDTH)
        self.leave = nn.Linear(WIDTH, 1, bias=False)
        self.straight = nn.Linear(FEATURES, 1, bias=False)
        with torch.no_grad():
            self.leave.weight.mul_(0.1)
            self.straight.weight.zero_()
            self.straight.weight[0, 0] = GREED

    def forward(self, features: Tensor) -> Tensor:
        """Features [V, 14] to scores [V]."""
        hidden = leaky_relu(self.enter(features), SLOPE)
        hidden = leaky_relu(self.inner(hidden), SLOPE)
        return cast("Tensor", self.leave(hidden) + self.straight(features)).squeeze(-1)

    def layers(self) -> Layers:
        """The weights for compiled walks."""
        found = (value.detach().cpu().double().numpy() for value in self.state_dict().values())
        return Layers(*found)
