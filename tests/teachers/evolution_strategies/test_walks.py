"""Compiled walks and what the network reads of a vertex, by the plain rules and by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import problems
from problems.maxcut.instances import GraphGenerator, Instance, as_graph
from teachers.evolution_strategies.network import ScoringNetwork
from teachers.evolution_strategies.teacher import FAMILY
from teachers.evolution_strategies.walk_features import FEATURES, RULE, describe, follow, observe
from teachers.evolution_strategies.walks import Walk, add_up, begin, flip, graph, recall
from teachers.rollout import rollouts

TASK = problems.load("maxcut")
PATH = as_graph("path", 3, np.array([[0, 1, 3], [1, 2, 4]]))
"""0 -3- 1 -4- 2; norms 3, 5, 4, unit sqrt(50 / 3)."""
UNIT = np.sqrt(50 / 3)


def described(walk: Walk, step: int, steps: int, instance: Instance = PATH) -> np.ndarray:
    """The features of all vertices."""
    features = np.zeros((instance.size, FEATURES))
    describe(graph(instance), walk, step, steps, features)
    return features


def test_a_graph_knows_its_unit() -> None:
    found = graph(PATH)
    assert found.bounds.tolist() == [0, 1, 3, 4]
    assert found.sums.tolist() == [3, 7, 4] and found.norms.tolist() == [3, 5, 4]
    assert found.unit == pytest.approx(UNIT)
    assert graph(as_graph("bare", 2, np.empty((0, 3), dtype=np.int64))).unit == 1.0


@given(st.integers(0, 10**6), st.integers(5, 12), st.lists(st.integers(0, 4), max_size=9))
def test_compiled_walks_keep_the_plain_rules(seed: int, size: int, vertices: list[int]) -> None:
    (instance,) = GraphGenerator("ba", size, signed=True).draw("any", seed, 1)
    state = TASK.start(instance)
    walk = recall(state)
    for step, vertex in enumerate(vertices):
        flip(graph(instance), walk, vertex, step)
        state = TASK.step(state, vertex)
    recalled = recall(state)
    assert walk.cuts.tolist() == [state.cut, state.best_cut]
    for field in ("spins", "best_spins", "gains", "last", "cuts"):
        assert np.array_equal(getattr(walk, field), getattr(recalled, field)), field
    assert np.isfinite(observe([state])).all()
    assert walk.gains.tolist() == [instance.gain(state.sides, v) for v in range(size)]


def test_features_by_hand() -> None:
    """From all spins up, vertex 1 was flipped at step 0 and vertex 0 at step 1: cut 7, then 4."""
    walk = begin(graph(PATH), np.ones(3))
    flip(graph(PATH), walk, 1, 0)
    flip(graph(PATH), walk, 0, 1)
    found = described(walk, 2, 6)
    assert found.shape == (3, FEATURES)
    assert found[:, 0] * UNIT == pytest.approx([3, -1, -4])
    assert found[:, 1] == pytest.approx([1, -1 / 7, -1])
    assert found[:, 2] * UNIT == pytest.approx([0, -4, -7])
    assert found[:, 3] == pytest.approx([1, 1 / 2, 0])
    assert found[:, 4] == pytest.approx([np.exp(-1 / 5), np.exp(-2 / 5), 0])
    assert found[:, 7].tolist() == [0, 0, 1]
    assert found[:, 8].tolist() == [1, 0, 0], "the best cut has vertex 1 alone on its side"
    assert found[:, 9] * UNIT == pytest.approx([0.2 * 3] * 3)
    assert found[:, 10] * UNIT == pytest.approx([3, 5, 4])
    assert found[0, 11:].tolist() == pytest.approx([4 / 3, 2 / 6, 0])


def test_cuts_and_gains_are_added_up_again() -> None:
    walk = begin(graph(PATH), np.array([1.0, -1.0, 1.0]))
    walk.gains[:] = 9
    add_up(graph(PATH), walk)
    assert walk.cuts.tolist() == [7, 7] and walk.gains.tolist() == [-3, -7, -4]


def test_a_compiled_walk_flips_what_the_teacher_prefers() -> None:
    torch.manual_seed(3)
    network = ScoringNetwork(FEATURES, RULE)
    instances = TASK.load("ba20w")[:5]
    found = rollouts(FAMILY.teacher(network, "maxcut"), TASK, instances)
    for instance, rollout in zip(instances, found, strict=True):
        spins = 1.0 - 2.0 * np.frombuffer(TASK.start(instance).sides, dtype=np.uint8)
        walk = begin(graph(instance), spins)
        best = follow(graph(instance), walk, 2 * instance.size, network.layers())
        assert rollout is not None and best == -rollout.cost


def test_renumbering_the_vertices_renumbers_the_features() -> None:
    (instance,) = GraphGenerator("ba", 12, signed=True).draw("any", 1, 1)
    turned = as_graph(
        "turned", 12, np.array([[*sorted([11 - u, 11 - v]), w] for u, v, w in instance.edges()])
    )
    spins = np.where(np.arange(12) % 3, 1.0, -1.0)
    plain = described(begin(graph(instance), spins), 0, 24, instance)
    other = described(begin(graph(turned), spins[::-1]), 0, 24, turned)
    assert other[::-1] == pytest.approx(plain, abs=1e-12)
