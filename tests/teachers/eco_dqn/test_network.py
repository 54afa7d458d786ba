"""Network and query: the published sums by hand, what reordering and batching must not change."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
import pytest
import torch

import problems
from problems.base import Decision
from problems.errors import TeacherUnavailable
from problems.maxcut.instances import Instance, adjacency, as_graph, as_spins
from problems.maxcut.state import State
from teachers.conformance import decisions
from teachers.eco_dqn.graphs import graph, side_by_side
from teachers.eco_dqn.network import EcoDqn
from teachers.eco_dqn.teacher import FAMILY, build, recall
from teachers.family import Learned
from teachers.weights import Header

DOUBLE = torch.empty(0, dtype=torch.float64)
MAXCUT = problems.load("maxcut")


def untrained() -> EcoDqn:
    """A network with random weights."""
    torch.manual_seed(0)
    return EcoDqn().double().requires_grad_(False)


def teacher() -> Learned:
    """A teacher with random weights."""
    return FAMILY.teacher(untrained(), "maxcut", "untrained", "any")


def taken(name: str, count: int = 2) -> list[Decision]:
    """Decisions of random programs on the first graphs of a set."""
    return decisions(MAXCUT, MAXCUT.load(name)[:count], each=3)


def weighted() -> Instance:
    """A graph whose edges have many weights and one of whose vertices has no edge."""
    rows = [(0, 1, 3), (0, 2, -2), (1, 2, 3), (2, 3, 5), (0, 4, 1), (3, 4, -4), (1, 4, 3)]
    return as_graph("weighted", 6, np.array(rows))


def published(network: EcoDqn, state: State) -> torch.Tensor:
    """The values of all flips, computed on the whole matrix as the published module does."""
    weights = torch.tensor(adjacency(state.instance))
    features = torch.tensor(published_features(state))
    linked = (weights != 0).double()
    degrees = linked.sum(dim=1, keepdim=True).clamp(min=1)
    size = len(weights)
    pairs = torch.cat([weights[..., None], features.expand(size, size, 7)], dim=2)
    edge = network.edge_embedding_layer
    heard = (edge.edge_embedding_NN(pairs).relu() * linked[..., None]).sum(dim=1) / degrees
    edges = edge.edge_feature_NN(torch.cat([heard, degrees / degrees.max()], dim=1)).relu()
    nodes = network.node_init_embedding_layer(features).relu()
    for turn in network.update_node_embedding_layer.children():
        message, update = turn.children()
        messages = message(torch.cat([weights @ nodes / degrees, edges], 1)).relu()
        nodes = update(torch.cat([nodes, messages], 1)).relu()
    pooled = network.readout_layer.layer_pooled(nodes.mean(dim=0)).expand(size, -1)
    last = network.readout_layer.layers_readout[0]
    return cast("torch.Tensor", last(torch.cat([pooled, nodes], 1).relu())[:, 0])


def published_features(state: State) -> np.ndarray:
    """The seven features of every vertex, counted flip by flip as the published walk does."""
    matrix, size, length = adjacency(state.instance), state.instance.size, state.max_steps
    spins = as_spins(state.profile.start(state.instance, state.attempt))
    since, best, best_spins = np.zeros(size), -np.inf, spins
    for flip in (None, *state.flips):
        if flip is not None:
            spins[flip] *= -1
            since += 1 / length
            since[flip] = 0
        cut = (matrix.sum() - spins @ matrix @ spins) / 4
        if cut > best:
            best, best_spins = cut, spins.copy()
    gains, unit = spins * (matrix @ spins), matrix.sum(axis=1).max()
    whole = [
        abs(cut - best) / unit,
        (spins != best_spins).sum(),
        1 - (gains <= 0).sum() / size,
        max(0, (state.step - length) / length + 1),
    ]
    return np.column_stack([(1 - spins) / 2, gains / unit, since, np.tile(whole, (size, 1))])


@pytest.mark.parametrize("instance", [weighted(), *MAXCUT.load("er20w")[:2]], ids=str)
def test_values_are_those_of_the_published_sums(instance: Instance) -> None:
    network = untrained()
    for decision in decisions(MAXCUT, [instance], each=4):
        walks = recall([decision.state], DOUBLE)
        values = network(walks.graphs, walks.observe())
        assert torch.allclose(values, published(network, decision.state), rtol=0, atol=1e-12)


def test_a_walk_of_tensors_is_the_walk_of_states() -> None:
    states = [MAXCUT.start(instance) for instance in (weighted(), *MAXCUT.load("er20w")[:2])]
    walks = recall(states, DOUBLE)
    firsts = torch.tensor([0, 6, 26])
    for flips in ((1, 5, 0), (1, 6, 3), (2, 5, 19), (1, 0, 3)):
        states = [MAXCUT.step(state, flip) for state, flip in zip(states, flips, strict=True)]
        walks = walks.flip(firsts + torch.tensor(flips))
        assert torch.equal(walks.observe(), recall(states, DOUBLE).observe())
        assert walks.cuts.tolist() == [state.cut for state in states]


def reversed_vertices(decision: Decision) -> Decision:
    """The same situation with the vertices numbered from the other end."""
    state, last = decision.state, decision.state.instance.size - 1
    rows = np.array([(last - u, last - v, weight) for u, v, weight in state.instance.edges()])
    turned = replace(
        state,
        instance=as_graph("turned", last + 1, rows),
        sides=state.sides[::-1],
        best_sides=state.best_sides[::-1],
        flips=tuple(last - flip for flip in state.flips),
    )
    return replace(decision, state=turned)


def test_renumbering_the_vertices_renumbers_the_scores() -> None:
    originals = taken("ba20w")
    turned = teacher().verdicts([reversed_vertices(decision) for decision in originals])
    for plain, other in zip(teacher().verdicts(originals), turned, strict=True):
        assert plain.scores is not None and other.scores is not None
        assert other.scores[::-1] == pytest.approx(plain.scores, abs=1e-12)


def test_a_graph_of_larger_degree_in_the_batch_shifts_no_score() -> None:
    sparse, dense = taken("ba20w", 1), taken("er60w", 1)
    alone, beside = teacher().verdicts(sparse), teacher().verdicts([*dense, *sparse])
    for one, other in zip(alone, beside[len(dense) :], strict=True):
        assert one.scores is not None
        assert other.scores == pytest.approx(one.scores, abs=1e-12)


def test_many_states_of_one_graph_share_its_arrays() -> None:
    instance, same = MAXCUT.load("ba20w")[0], MAXCUT.load("ba20w")[0]
    assert graph(instance) is graph(same)


def test_the_best_vertex_of_each_graph_is_found_whatever_their_sizes() -> None:
    graphs = side_by_side([graph(weighted()), graph(MAXCUT.load("ba20w")[0])], DOUBLE)
    values = torch.arange(26.0, dtype=torch.float64).remainder(23)
    tops, vertices = graphs.best(values)
    assert tops.tolist() == [5, 22] and vertices.tolist() == [5, 22]


def test_graphs_with_no_positive_degree_have_a_unit_too() -> None:
    instance = as_graph("negative", 3, np.array([(0, 1, -1), (1, 2, -1)]))
    values = teacher().verdicts(decisions(MAXCUT, [instance]))
    assert all(found.preferred is not None for found in values)


def changed(name: str, value: float) -> dict[str, np.ndarray]:
    """Random weights, one of which is set."""
    arrays = {key: tensor.numpy() for key, tensor in untrained().state_dict().items()}
    arrays[name].flat[0] = value
    return arrays


HEADER = Header("untrained", "maxcut", "eco_dqn", "", {"network": "eco-dqn"}, {}, sha256="0")


def test_scores_that_are_not_finite_prefer_nothing() -> None:
    arrays = changed("readout_layer.layers_readout.0.bias", float("nan"))
    for found in build(HEADER, arrays, torch.device("cpu")).verdicts(taken("ba20w", 1)):
        assert found.preferred is None and found.scores is None


def test_weights_of_another_network_are_refused() -> None:
    with pytest.raises(TeacherUnavailable, match="do not fit"):
        build(HEADER, {"weight": np.zeros(3)}, torch.device("cpu"))
