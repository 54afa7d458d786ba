"""Nearness by spanning trees, against trees that are built in the plain way."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from teachers.lehd.spanning_trees import FAR, find_nearness

NODES = st.integers(2, 9)


def drawn(seed: int, nodes: int) -> np.ndarray:
    """Distances [nodes, nodes] of random points."""
    points = np.random.default_rng(seed).random((nodes, 2))
    return apart(points)


def apart(points: np.ndarray) -> np.ndarray:
    """Distances of points [N, 2]."""
    distances: np.ndarray = np.linalg.norm(points[:, None] - points[None], axis=-1)
    return distances


def found(distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Nearness [N, N] and penalties [N] of one state."""
    rows = torch.from_numpy(distances.astype(np.float32))[None]
    nearness, penalties = find_nearness(rows, torch.tensor([len(distances)]))
    return nearness[0].numpy(), penalties[0].numpy()


def tree_length(edges: np.ndarray, forced: tuple[int, int] | None = None) -> float:
    """The shortest spanning tree, with one edge in it if asked for, by Kruskal's rule."""
    groups = list(range(len(edges)))
    pairs = sorted(combinations(groups, 2), key=lambda pair: (pair != forced, edges[pair]))
    length = 0.0
    for one, other in pairs:
        if groups[one] != groups[other]:
            length += edges[one, other]
            merged = groups[other]
            groups = [groups[one] if group == merged else group for group in groups]
    return length


@given(st.integers(0, 2**32 - 1), NODES)
def test_nearness_is_what_a_forced_edge_adds_to_the_tree(seed: int, nodes: int) -> None:
    distances = drawn(seed, nodes)
    nearness, penalties = found(distances)
    edges = distances + penalties[:, None] + penalties[None]
    if nodes > 2:
        edges[0, 1] = edges[1, 0] = FAR
    free = tree_length(edges)
    for pair in combinations(range(nodes), 2):
        if pair != (0, 1):
            added = tree_length(edges, pair) - free
            assert nearness[pair] == pytest.approx(added, abs=1e-5)
            assert nearness[pair[::-1]] == nearness[pair]


@given(st.integers(0, 2**32 - 1), NODES)
def test_every_state_has_a_nearness_of_all_its_nodes(seed: int, nodes: int) -> None:
    nearness, penalties = found(drawn(seed, nodes))
    assert np.isfinite(penalties).all() and (nearness >= 0).all()
    assert (nearness <= 1.01 * FAR).all()
    assert (nearness.diagonal() == 0).all() and (nearness == nearness.T).all()


def test_along_a_line_the_next_node_is_nearest() -> None:
    places = np.array([5.0, 0.0, 1.0, 2.0, 3.0, 4.0])
    nearness, penalties = found(abs(places[:, None] - places))
    along = [1, 2, 3, 4, 5, 0]
    assert all(nearness[one, other] == 0 for one, other in pairwise(along))
    assert (nearness[1, 3:] > 0).all()
    assert (penalties == 0).all()  # the first tree is a way


def test_a_node_that_the_tree_joins_to_three_others_is_penalised() -> None:
    """Node 3 lies between both ends, and node 2 has to be visited aside."""
    points = np.array([[2.0, 0.0], [0.0, 0.0], [1.0, 0.8], [1.0, 0.0]])
    _, penalties = found(apart(points))
    assert penalties[3] > 0 > penalties[2]


def test_padding_is_left_out() -> None:
    distances = drawn(0, 6)
    alone = found(distances)
    padded = np.full((1, 9, 9), 7.0, np.float32)
    padded[0, :6, :6] = distances
    nearness, penalties = find_nearness(torch.from_numpy(padded), torch.tensor([6]))
    assert np.array_equal(nearness[0, :6, :6], alone[0])
    assert np.array_equal(penalties[0, :6], alone[1])
    assert not nearness[0, 6:].any() and not nearness[0, :, 6:].any()


ODD = st.floats(width=32, allow_nan=True, allow_infinity=True)


@given(st.lists(ODD, min_size=25, max_size=25))
def test_any_distances_are_read(numbers: list[float]) -> None:
    nearness, penalties = found(np.array(numbers).reshape(5, 5))
    assert nearness.shape == (5, 5) and penalties.shape == (5,)
