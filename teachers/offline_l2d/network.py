"""The two networks that dispatch: a quantile network after Offline-LD, and the actor of L2D.

Both embed a schedule by graph isomorphism: every node adds the features of its predecessors in job
and on its machine to its own, then goes through a small perceptron. Both score a job by the
embedding of its next operation beside the mean over all nodes. Offline-LD (van Remmerden et al.
2025) predicts 32 quantiles of the return, L2D (Zhang et al. 2020) a logit. Arguments of every
`forward` are those of `ShopGraphs`, as tensors: nodes [B, N, F], before [2, B * N], candidates
[B, n].
"""

from __future__ import annotations

from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from teachers.offline_l2d.graphs import ShopGraphs

WIDTH = 64


class NodeNorm(nn.BatchNorm1d):
    """Batch norm over all nodes of a batch; in queries, with running statistics."""

    def forward(self, nodes: Tensor) -> Tensor:
        """[B, N, F] to the same."""
        return super().forward(nodes.flatten(0, 1)).view_as(nodes)


class GraphNorm(nn.BatchNorm1d):
    """Batch norm with the mean and the biased variance of each graph's own nodes.

    The published programs of L2D query one graph at a time and never leave training mode.
    """

    def forward(self, nodes: Tensor) -> Tensor:
        """[B, N, F] to the same."""
        variance, mean = torch.var_mean(nodes, dim=1, keepdim=True, correction=0)
        return (nodes - mean) * torch.rsqrt(variance + self.eps) * self.weight + self.bias


class GraphLayer(nn.Module):
    """One aggregation and its perceptron; `slope` is that of the leaky rectifier, 0 for none."""

    def __init__(self, inputs: int, norm: type[nn.BatchNorm1d], slope: float) -> None:
        super().__init__()
        self.enter = nn.Linear(inputs, WIDTH)
        self.leave = nn.Linear(WIDTH, WIDTH)
        self.inner: nn.Module = norm(WIDTH)
        self.outer: nn.Module = norm(WIDTH)
        self.slope = slope

    def forward(self, nodes: Tensor, before: Tensor) -> Tensor:
        """[B, N, F] to [B, N, 64]."""
        return self.perceive(aggregate(nodes, before))

    def perceive(self, sums: Tensor) -> Tensor:
        """The perceptron alone: a function of each node's aggregated features, [B, N, F]."""
        hidden = self.inner(self.enter(sums))
        hidden = functional.leaky_relu(hidden, self.slope, inplace=True)
        hidden = self.outer(self.leave(hidden))
        return functional.leaky_relu(hidden, self.slope, inplace=True)

    def fold(self) -> None:
        """Move running statistics into the linear layers: the same function, fewer passes."""
        fold(self.enter, self.inner)
        fold(self.leave, self.outer)
        self.inner = self.outer = nn.Identity()


class OfflineL2D(nn.Module):
    """One layer, 64 wide, and a head to 32 quantiles of the return of dispatching a job.

    Features are standardised with the mean and deviation of the training data, kept as buffers.
    Unlike Offline-LD's, the head also sees the job's last operation: messages only flow forward,
    so without it a job's remaining work would be invisible.
    """

    mean: Tensor
    deviation: Tensor

    def __init__(self, quantiles: int = 32, dropout: float = 0.4) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(2))
        self.register_buffer("deviation", torch.ones(2))
        self.layer = GraphLayer(2, NodeNorm, slope=0.01)
        self.head = nn.Sequential(
            nn.Dropout(dropout),
            nn.Linear(3 * WIDTH, 32),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(32, quantiles),
        )

    def forward(self, nodes: Tensor, before: Tensor, candidates: Tensor) -> Tensor:
        """Quantiles [B, n, 32]."""
        embedded = self.layer(self.standardise(nodes), before)
        last = embedded.unflatten(1, (candidates.shape[1], -1))[:, :, -1]
        seen = torch.cat([beside_mean(embedded, candidates), last], dim=-1)
        return cast("Tensor", self.head(seen))

    def standardise(self, nodes: Tensor) -> Tensor:
        """Features as deviations from the training data's mean."""
        return (nodes - self.mean) / self.deviation

    def scores(self, graphs: ShopGraphs) -> Tensor:
        """Q [B, n]: the mean of a job's quantiles, as `forward` has them.

        States of one rollout share most of their nodes, and in a query an embedding is a function
        of two sums: each distinct pair of sums goes through the perceptron once.
        """
        nodes, before, candidates = tensors(graphs, self.mean)
        if self.training:
            return cast("Tensor", self(nodes, before, candidates).mean(dim=-1))
        sums, index = distinct(aggregate(self.standardise(nodes), before).flatten(0, 1))
        embedded = self.layer.perceive(sums[None])[0]
        index = index.view(nodes.shape[:2])
        mean = occurrences(index, len(sums)).to(embedded) @ embedded / nodes.shape[1]
        chosen = embedded[index.flatten()[candidates]]
        last = embedded[index.view(*candidates.shape, -1)[:, :, -1]]
        seen = torch.cat([chosen, mean[:, None].expand_as(chosen), last], dim=-1)
        return cast("Tensor", self.head(seen).mean(dim=-1))

    def frozen(self) -> OfflineL2D:
        """Turn into its form for queries, whose scores do not depend on the batch; returns self.

        Double precision costs little at this width and keeps equal candidates equal.
        """
        self.eval().double().requires_grad_(False)
        self.layer.fold()
        return self


class L2DActor(nn.Module):
    """The policy of L2D: two layers with norms per graph, then a tanh perceptron to a logit."""

    def __init__(self) -> None:
        super().__init__()
        self.first = GraphLayer(2, GraphNorm, slope=0.0)
        self.second = GraphLayer(WIDTH, GraphNorm, slope=0.0)
        self.hidden = nn.Linear(2 * WIDTH, 32)
        self.logit = nn.Linear(32, 1)

    def forward(self, nodes: Tensor, before: Tensor, candidates: Tensor) -> Tensor:
        """Logits [B, n]."""
        embedded = self.second(self.first(nodes, before), before)
        hidden = torch.tanh(self.hidden(beside_mean(embedded, candidates)))
        return cast("Tensor", self.logit(hidden)[..., 0])

    def scores(self, graphs: ShopGraphs) -> Tensor:
        """Logits [B, n]: a softmax over them would only saturate."""
        return cast("Tensor", self(*tensors(graphs, self.logit.weight)))

    def frozen(self) -> L2DActor:
        """Turn into its form for queries, in double precision; returns self."""
        return self.eval().double().requires_grad_(False)


def aggregate(nodes: Tensor, before: Tensor) -> Tensor:
    """Each node plus its predecessors; the row behind the last node stands for none."""
    flat = nodes.flatten(0, 1)
    padded = torch.cat([flat, flat.new_zeros(1, flat.shape[1])])
    return (flat + padded[before[0]] + padded[before[1]]).view_as(nodes)


def beside_mean(nodes: Tensor, candidates: Tensor) -> Tensor:
    """The candidates' embeddings with the mean of their graph beside each: [B, n, 2 * F]."""
    chosen = nodes.flatten(0, 1)[candidates]
    mean = nodes.mean(dim=1, keepdim=True)
    return torch.cat([chosen, mean.expand_as(chosen)], dim=-1)


def distinct(rows: Tensor) -> tuple[Tensor, Tensor]:
    """The distinct rows of [R, 2], and for each row which of them it is, [R]."""
    pairs = rows.cpu().double().contiguous().numpy().view(np.complex128)[:, 0]
    found, index = np.unique(pairs, return_inverse=True)
    values = torch.from_numpy(found.view(np.float64).reshape(-1, 2))
    return values.to(rows), torch.from_numpy(index).to(rows.device)


def occurrences(index: Tensor, count: int) -> Tensor:
    """How often each of `count` values stands in each row of [B, N]: [B, count]."""
    shifted = index + count * torch.arange(len(index), device=index.device)[:, None]
    return torch.bincount(shifted.flatten(), minlength=count * len(index)).view(-1, count)


def fold(linear: nn.Linear, norm: nn.Module) -> None:
    """Change `linear` into itself followed by a batch norm with its running statistics."""
    assert isinstance(norm, nn.BatchNorm1d)
    assert norm.running_mean is not None and norm.running_var is not None
    scale = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
    linear.bias.copy_((linear.bias - norm.running_mean) * scale + norm.bias)
    linear.weight.mul_(scale[:, None])


def tensors(graphs: ShopGraphs, like: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The arrays of `graphs` on the device of `like`, features in its precision."""
    return (
        torch.from_numpy(graphs.features).to(like),
        torch.from_numpy(graphs.before).to(like.device),
        torch.from_numpy(graphs.candidates).to(like.device),
    )
