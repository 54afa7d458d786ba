"""The network of SLIM here: a score for each open job, from its features and those of all others.

After A. Corsini, A. Porrello, S. Calderara, M. Dell'Amico, "Self-labeling the job shop scheduling
problem", 2024, with features of the partial schedule in place of a graph attention network: two
layers for each job, the mean and the maximum over the open jobs beside them, one layer more.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import relu

from teachers.slim.features import FEATURES

WIDTH = 64


class DispatchNetwork(nn.Module):
    """18,561 weights."""

    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Linear(FEATURES, WIDTH)
        self.inner = nn.Linear(WIDTH, WIDTH)
        self.others = nn.Linear(2 * WIDTH, WIDTH, bias=False)
        self.beside = nn.Linear(WIDTH, WIDTH)
        self.leave = nn.Linear(WIDTH, 1)

    def forward(self, features: Tensor, open_jobs: Tensor) -> Tensor:
        """Features [B, n, 30] and who is open [B, n] to scores [B, n], -inf for finished jobs."""
        jobs = relu(self.inner(relu(self.enter(features)))) * open_jobs.unsqueeze(-1)
        mean = jobs.sum(dim=1) / open_jobs.sum(dim=1, keepdim=True).clamp(min=1)
        pooled = torch.cat([mean, jobs.amax(dim=1)], dim=-1)
        seen = relu(self.beside(jobs) + self.others(pooled).unsqueeze(1))
        scores = cast("Tensor", self.leave(seen)).squeeze(-1)
        return scores.masked_fill(~open_jobs, -torch.inf)
