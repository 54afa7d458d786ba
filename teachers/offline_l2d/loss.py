"""What the network learns from a batch: quantile returns, and not to trust what nobody tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional

from teachers.offline_l2d.network import OfflineL2D, tensors

if TYPE_CHECKING:
    from teachers.offline_l2d.episodes import EpisodeStates, TransitionBatch


def loss(
    network: OfflineL2D, target: OfflineL2D, batch: TransitionBatch, conservative: float
) -> Tensor:
    """Quantile Huber loss (QR-DQN) plus `conservative` times the term of CQL.

    That term is the mean of logsumexp over jobs of Q, minus Q of the job in the data. Returns are
    not discounted.
    """
    like = network.mean
    quantiles = network(*tensors(batch.now.graphs, like))
    values = masked(quantiles, batch.now)
    rows = torch.arange(len(batch.taken), device=like.device)
    taken = torch.from_numpy(batch.taken).to(like.device)
    goal = torch.from_numpy(batch.reward).to(like)[:, None] + ahead(target, batch.then)
    trust = values.logsumexp(dim=1) - values[rows, taken]
    return quantile_huber(quantiles[rows, taken], goal) + conservative * trust.mean()


def ahead(target: OfflineL2D, then: EpisodeStates) -> Tensor:
    """Quantiles [B, 32] of the best job by the target network; 0 where nothing is left to do."""
    with torch.no_grad():
        quantiles = target(*tensors(then.graphs, target.mean))
        best = masked(quantiles, then).argmax(dim=1)
        chosen = quantiles[torch.arange(len(best), device=best.device), best]
        open_ = torch.from_numpy(then.feasible.any(axis=1)).to(chosen)
        returns: Tensor = chosen * open_[:, None]
        return returns


def masked(quantiles: Tensor, states: EpisodeStates) -> Tensor:
    """Q [B, n] from quantiles [B, n, 32], minus infinity for finished jobs."""
    feasible = torch.from_numpy(states.feasible).to(quantiles.device)
    return quantiles.mean(dim=-1).masked_fill(~feasible, -torch.inf)


def quantile_huber(found: Tensor, goal: Tensor) -> Tensor:
    """Loss of K found quantiles [B, K] against K samples of the goal [B, K]."""
    levels = (torch.arange(found.shape[1], device=found.device) + 0.5) / found.shape[1]
    off = goal[:, None, :] - found[:, :, None]
    huber = functional.huber_loss(off, torch.zeros_like(off), reduction="none")
    weight = (levels[None, :, None] - (off < 0).to(off)).abs()
    return (weight * huber).mean(dim=2).sum(dim=1).mean()
