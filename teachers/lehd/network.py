"""LEHD: a light encoder and a heavy decoder that choose the next node of a tour or a route.

F. Luo, X. Lin, F. Liu, Q. Zhang, Z. Wang, "Neural combinatorial optimization with heavy decoder:
toward large scale generalization", 2023. The network sees what is left of an instance, the node
where the way ends, the current node and all open ones; one layer encodes them, the others decide.
Nothing is normalised over nodes or states, so padding changes nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from teachers.lehd.batched_states import (
    GEOMETRY,
    LOAD,
    TREES,
    BatchedStates,
    invariant,
    plain,
    read_trees,
)


@dataclass(frozen=True, slots=True)
class Size:
    """How large a network is, what it reads and what it writes.

    `columns` are 1 for tours and 2 for routes: go to a node directly, or by the depot. `official`
    is the published network; ours differs in three ways that make it learn faster: it reads
    `invariant` features, half of its heads prefer close nodes, and layers scale what they read.
    With `trees`, for tours, it reads spanning trees, too, and those heads prefer what is near in
    them.
    """

    columns: int
    width: int = 128
    heads: int = 4
    layers: int = 6
    official: bool = False
    trees: bool = False


class AttentionLayer(nn.Module):
    """Attention among all nodes, then a perceptron for each, both added to what they read."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.heads = size.heads
        self.scaled = not size.official
        self.attend = nn.Linear(size.width, 3 * size.width, bias=False)
        self.combine = nn.Linear(size.width, size.width)
        self.widen = nn.Linear(size.width, 4 * size.width)
        self.narrow = nn.Linear(4 * size.width, size.width)
        for added in (self.combine, self.narrow):  # a deep sum starts near its first term
            nn.init.normal_(added.weight, std=0.5 / math.sqrt(size.layers * added.in_features))
            nn.init.zeros_(added.bias)

    def forward(self, nodes: Tensor, bias: Tensor) -> Tensor:
        """[B, N, width] to the same; `bias` [B, heads, N, N] is added to the logits."""
        nodes = nodes + self.combine(self._attention(self._read(nodes), bias))
        added: Tensor = self.narrow(functional.relu(self.widen(self._read(nodes))))
        return nodes + added

    def _read(self, nodes: Tensor) -> Tensor:
        return scaled(nodes) if self.scaled else nodes

    def _attention(self, nodes: Tensor, bias: Tensor) -> Tensor:
        parts = self.attend(nodes).unflatten(-1, (3, self.heads, -1))
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        logits = (query / math.sqrt(query.shape[-1])) @ key.transpose(-1, -2) + bias
        heads: Tensor = logits.softmax(-1) @ value
        return heads.transpose(1, 2).flatten(2)


class LEHD(nn.Module):
    """Scores of the open nodes; see `Size`."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.size = size
        routes = size.columns - 1
        ours = size.trees * TREES + GEOMETRY + routes * LOAD
        features = 2 + routes if size.official else ours
        self.embed = nn.Linear(features, size.width)
        self.encoder = AttentionLayer(size)
        self.first = nn.Linear(size.width + routes, size.width)
        self.last = nn.Linear(size.width + routes, size.width)
        self.decoder = nn.ModuleList(AttentionLayer(size) for _ in range(size.layers))
        self.score = nn.Linear(size.width, size.columns)

    def forward(self, states: BatchedStates) -> Tensor:
        """Logits [B, L, columns]; those of padding mean nothing."""
        logits: Tensor = self.score(self.embedded(states)[:, 2:])
        return logits

    def embedded(self, states: BatchedStates) -> Tensor:
        """The rows of `states` as the last layer leaves them, [B, N, width]."""
        features, bias = self._read(states)
        if torch.is_autocast_enabled(bias.device.type):
            bias = bias.bfloat16()
        nodes = self.encoder(self.embed(features[..., : self.embed.in_features]), bias)
        rest = states.rest.to(nodes)[:, None, None].expand(-1, 1, self.size.columns - 1)
        first = self.first(torch.cat([nodes[:, :1], rest], -1))
        last = self.last(torch.cat([nodes[:, 1:2], rest], -1))
        nodes = torch.cat([first, last, nodes[:, 2:]], 1)
        for layer in self.decoder:
            nodes = layer(nodes, bias)
        return nodes if self.size.official else scaled(nodes)

    def _read(self, states: BatchedStates) -> tuple[Tensor, Tensor]:
        """Features [B, N, at least as many as are embedded], biases of attention [B, heads, N, N].

        No attention is paid to padding, and less to what is far, in half of the heads: with slopes
        1/2, 1, ... to distances in steps. With `trees` it is what is not near, with slopes 4, 32,
        ..., and one more head prefers short distances.
        """
        hidden = torch.where(states.real, 0.0, -math.inf)[:, None, None]
        if self.size.official:
            return plain(states)[0], hidden
        features, steps = invariant(states)
        if not self.size.trees:
            return features, hidden - self._slopes(0.5, 2.0, states) * steps[:, None]
        read, nearness = read_trees(states, steps)
        bias = hidden - self._slopes(4.0, 8.0, states) * nearness[:, None]
        bias[:, self.size.heads - self.size.heads // 2 - 1] -= 0.5 * steps
        return torch.cat([read, features], -1), bias

    def _slopes(self, first: float, growth: float, states: BatchedStates) -> Tensor:
        """Those of the heads [heads, 1, 1]: 0 in one half of them, then growing from the first."""
        near = self.size.heads // 2
        powers = torch.arange(self.size.heads, device=states.real.device) - self.size.heads + near
        return torch.where(powers < 0, 0.0, first * growth**powers)[:, None, None]


def scaled(nodes: Tensor) -> Tensor:
    """Each row with a root mean square of 1."""
    return functional.rms_norm(nodes, nodes.shape[-1:], eps=1e-6)
