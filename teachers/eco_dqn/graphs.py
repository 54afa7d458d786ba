"""Graphs as arrays: one by itself, and many side by side for one pass of the network."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from problems.maxcut.instances import Instance


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """One graph with n vertices and E directed edges, two for each edge of the instance.

    Directed edges ascend by the vertex that hears. What a vertex says depends on the weight of
    the edge alone, so a vertex has as many voices as its edges have weights: `voices[e]` is the
    voice heard over edge e, `speakers` [P] and `loudness` [P] its vertex and its weight.
    `heaviest` is the largest sum of the weights at a vertex.
    """

    counts: NDArray[np.int64]
    sources: NDArray[np.int64]
    weights: NDArray[np.float64]
    voices: NDArray[np.int64]
    speakers: NDArray[np.int64]
    loudness: NDArray[np.float64]
    heaviest: float

    @property
    def size(self) -> int:
        """Number of vertices."""
        return len(self.counts)

    @property
    def unit(self) -> float:
        """ECO-DQN's: the largest weighted degree; where none is positive, the largest degree."""
        return self.heaviest if self.heaviest > 0 else float(max(1, self.counts.max()))


@lru_cache(maxsize=256)
def graph(instance: Instance) -> Graph:
    """The arrays of an instance; many states share one instance, so they are kept."""
    sources = np.fromiter(chain(*instance.neighbours), np.int64)
    weights = np.fromiter(chain(*instance.weights), np.float64)
    order = np.lexsort([weights, sources])
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (np.diff(sources[order]) != 0) | (np.diff(weights[order]) != 0)
    voices = np.empty(len(order), dtype=np.int64)
    voices[order] = fresh.cumsum() - 1
    first = order[fresh]
    counts = np.array([len(others) for others in instance.neighbours])
    heaviest = float(max(sum(row) for row in instance.weights))
    return Graph(counts, sources, weights, voices, sources[first], weights[first], heaviest)


@dataclass(frozen=True, slots=True, eq=False)
class GraphBatch:
    """G graphs side by side: V vertices in all, numbered through, and P voices.

    `weights` [V, V], symmetric, and `voices` [V, P] are sparse, with a row for each vertex that
    hears; `shares` [V, 1] are degrees over the largest of the same graph. `units` [G] are the
    numbers by which ECO-DQN divides cuts. `owners` [V] says which graph a vertex belongs to.
    """

    sizes: tuple[int, ...]
    owners: Tensor
    weights: Tensor
    voices: Tensor
    speakers: Tensor
    loudness: Tensor
    degrees: Tensor
    shares: Tensor
    units: Tensor

    def totals(self, values: Tensor) -> Tensor:
        """Sums over the vertices of each graph: [V, ...] to [G, ...]."""
        sums = values.new_zeros(len(self.sizes), *values.shape[1:])
        return sums.index_add(0, self.owners, values)

    def means(self, values: Tensor) -> Tensor:
        """Means over the vertices of each graph: [V, ...] to [G, ...]."""
        sizes = torch.tensor(self.sizes).to(values)
        return self.totals(values) / sizes.view(-1, *[1] * (values.dim() - 1))

    def best(self, values: Tensor) -> tuple[Tensor, Tensor]:
        """The largest value of each graph and the vertex that has it, among all V; [V] to [G]."""
        ends = torch.tensor(self.sizes, device=values.device).cumsum(0)
        starts = ends - ends.diff(prepend=ends.new_zeros(1))
        table = values.new_full((len(self.sizes), max(self.sizes)), -torch.inf)
        places = torch.arange(len(values), device=values.device) - starts[self.owners]
        table[self.owners, places] = values
        tops, vertices = table.max(dim=1)
        return tops, starts + vertices

    def gains(self, spins: Tensor) -> Tensor:
        """What each cut would gain by the flip of each vertex; [V] to [V]."""
        return spins * (self.weights @ spins[:, None])[:, 0]

    def cuts(self, spins: Tensor) -> Tensor:
        """The cut of each graph; [V] to [G]."""
        ones = torch.ones_like(spins)
        return self.totals(self.gains(ones) - self.gains(spins)) / 4


def side_by_side(graphs: Sequence[Graph], like: Tensor) -> GraphBatch:
    """Graphs as tensors, on the device of `like` and in its precision."""
    sizes = np.array([graph.size for graph in graphs])
    counts = np.concatenate([graph.counts for graph in graphs])
    degrees = np.maximum(counts, 1)
    tops = np.array([max(1, graph.counts.max()) for graph in graphs])
    voices = _shifted([g.voices for g in graphs], np.array([len(g.speakers) for g in graphs]))
    speakers = _shifted([g.speakers for g in graphs], sizes)
    sources = _shifted([g.sources for g in graphs], sizes)
    weights = np.concatenate([graph.weights for graph in graphs])
    loudness = np.concatenate([graph.loudness for graph in graphs])
    return GraphBatch(
        sizes=tuple(sizes.tolist()),
        owners=torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes)).to(like.device),
        weights=_sparse(counts, sources, weights, len(counts), like),
        voices=_sparse(counts, voices, np.ones(len(voices)), len(speakers), like),
        speakers=torch.from_numpy(speakers).to(like.device),
        loudness=torch.from_numpy(loudness[:, None]).to(like),
        degrees=torch.from_numpy(degrees[:, None]).to(like),
        shares=torch.from_numpy((degrees / np.repeat(tops, sizes))[:, None]).to(like),
        units=torch.from_numpy(np.array([graph.unit for graph in graphs])).to(like),
    )


def _shifted(parts: Sequence[NDArray[np.int64]], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Numbers inside each part as numbers among all parts, which have these sizes."""
    starts = np.cumsum(sizes) - sizes
    return np.concatenate([part + start for part, start in zip(parts, starts, strict=True)])


def _sparse(
    counts: NDArray[np.int64],
    columns: NDArray[np.int64],
    values: NDArray[np.float64],
    width: int,
    like: Tensor,
) -> Tensor:
    """A matrix with `counts` entries a row; 32-bit indices are what the fast kernels take."""
    ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR")
        matrix = torch.sparse_csr_tensor(
            torch.from_numpy(ends),
            torch.from_numpy(columns.astype(np.int32)),
            torch.from_numpy(values),
            (len(counts), width),
            check_invariants=False,
        )
    return matrix.to(like)
