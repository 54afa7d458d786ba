"""The message-passing network of ECO-DQN: a value for the flip of every vertex.

T. D. Barrett, W. R. Clements, J. N. Foerster, A. I. Lvovsky, "Exploratory combinatorial
optimization with reinforcement learning", 2020. Layers are named as in the published files, and
a graph's values never depend on what else is in the batch. Under autocast the wide layers run in
fewer bits, the sums over edges and the values do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, relu

if TYPE_CHECKING:
    from teachers.eco_dqn.graphs import GraphBatch

FEATURES = 7
WIDTH = 64
ROUNDS = 3


class NeighbourSum(torch.autograd.Function):
    """Sums over neighbours by a symmetric matrix: its own transpose, which need not be found."""

    @staticmethod
    def forward(ctx: Any, weights: Tensor, nodes: Tensor) -> Tensor:
        """[V, V] times [V, 64]."""
        ctx.weights = weights
        return weights @ nodes

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[None, Tensor]:
        """The same for the gradient; the weights have none."""
        return None, ctx.weights @ gradients[0]


def all_bits(values: Tensor) -> torch.autocast:
    """A block in which autocast does nothing."""
    return torch.autocast(values.device.type, enabled=False)


class EdgeEmbedding(nn.Module):
    """What a vertex hears over its edges before the first round, and how many edges it has."""

    def __init__(self) -> None:
        super().__init__()
        self.edge_embedding_NN = nn.Linear(1 + FEATURES, WIDTH - 1, bias=False)
        self.edge_feature_NN = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, graphs: GraphBatch, features: Tensor) -> Tensor:
        """[V, 7] to [V, 64]."""
        weight = self.edge_embedding_NN.weight
        said = linear(features, weight[:, 1:])[graphs.speakers]
        with all_bits(features):
            heard = graphs.voices @ relu(said + graphs.loudness * weight[:, 0])
        embedded = torch.cat([heard / graphs.degrees, graphs.shares], dim=1)
        return relu(cast("Tensor", self.edge_feature_NN(embedded)))


class Round(nn.Module):
    """One round of messages."""

    def __init__(self) -> None:
        super().__init__()
        self.message_layer = nn.Linear(2 * WIDTH, WIDTH, bias=False)
        self.update_layer = nn.Linear(2 * WIDTH, WIDTH, bias=False)

    def forward(self, graphs: GraphBatch, nodes: Tensor, edges: Tensor) -> Tensor:
        """Embeddings of vertices and of what they heard over edges, [V, 64] each, to [V, 64]."""
        with all_bits(nodes):
            summed: Tensor = NeighbourSum.apply(  # type: ignore[no-untyped-call]
                graphs.weights, nodes.to(graphs.degrees)
            )
        heard = summed / graphs.degrees
        messages = relu(self.message_layer(torch.cat([heard, edges], dim=1)))
        return relu(cast("Tensor", self.update_layer(torch.cat([nodes, messages], dim=1))))


class Readout(nn.Module):
    """The value of a vertex from its embedding beside the mean of its graph."""

    def __init__(self) -> None:
        super().__init__()
        self.layer_pooled = nn.Linear(WIDTH, WIDTH, bias=False)
        self.layers_readout = nn.ModuleList([nn.Linear(2 * WIDTH, 1)])

    def forward(self, graphs: GraphBatch, nodes: Tensor) -> Tensor:
        """[V, 64] to [V]."""
        pooled = relu(self.layer_pooled(graphs.means(nodes)))[graphs.owners]
        return cast("Tensor", self.layers_readout[0](torch.cat([pooled, nodes], dim=1))[:, 0])


class EcoDqn(nn.Module):
    """58,425 weights; no bias but in the last layer."""

    def __init__(self) -> None:
        super().__init__()
        self.node_init_embedding_layer = nn.Sequential(nn.Linear(FEATURES, WIDTH, bias=False))
        self.edge_embedding_layer = EdgeEmbedding()
        self.update_node_embedding_layer = nn.ModuleList([Round() for _ in range(ROUNDS)])
        self.readout_layer = Readout()

    def forward(self, graphs: GraphBatch, features: Tensor) -> Tensor:
        """The value of every flip, [V], from the features of every vertex, [V, 7]."""
        nodes = relu(self.node_init_embedding_layer(features))
        edges = self.edge_embedding_layer(graphs, features)
        for messages in self.update_node_embedding_layer:
            nodes = messages(graphs, nodes, edges)
        with all_bits(nodes):
            return cast("Tensor", self.readout_layer(graphs, nodes.to(features)))
