"""What the network learns from a batch: the choice, and all neighbours along the solution.

The choice is one word on a whole state; the neighbours of every node are a word on each, for the
same work. The small head that reads them off serves the training alone.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from teachers.lehd.network import LEHD
    from teachers.lehd.training_windows import WindowBatch


class NeighbourHead(nn.Module):
    """Logits of two nodes being neighbours, from their embeddings: [B, N, width] to [B, N, N]."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.one = nn.Linear(width, width)
        self.other = nn.Linear(width, width)

    def forward(self, nodes: Tensor) -> Tensor:
        """The diagonal is minus infinity."""
        logits: Tensor = (self.one(nodes) @ self.other(nodes).transpose(1, 2)).float()
        itself = torch.eye(nodes.shape[1], dtype=torch.bool, device=nodes.device)
        return (logits / math.sqrt(nodes.shape[2])).masked_fill(itself, -math.inf)


def losses(network: LEHD, neighbours: NeighbourHead, batch: WindowBatch) -> tuple[Tensor, Tensor]:
    """Mean negative log-likelihood of a right choice, and of a node's neighbours."""
    nodes = network.embedded(batch.states)
    logits = network.score(nodes[:, 2:]).float()
    return choice_loss(logits, batch), neighbour_loss(neighbours(nodes), batch)


def choice_loss(logits: Tensor, batch: WindowBatch) -> Tensor:
    """Of any right choice among the feasible ones: `logits` [B, L, columns]."""
    fits = batch.states.fits
    feasible = torch.stack([fits, torch.ones_like(fits)], -1)[..., : logits.shape[-1]]
    total = logits.masked_fill(~feasible, -math.inf).flatten(1).logsumexp(1)
    right = logits.masked_fill(~batch.right, -math.inf).flatten(1).logsumexp(1)
    return (total - right).mean()


def neighbour_loss(logits: Tensor, batch: WindowBatch) -> Tensor:
    """Of the two neighbours of the current node and of each open one: `logits` [B, N, N]."""
    both = torch.stack([batch.after, batch.before], -1)
    chosen = logits.log_softmax(-1)[:, 1:].gather(-1, both)
    return -chosen.mean()
