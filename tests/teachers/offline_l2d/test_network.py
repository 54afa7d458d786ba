"""The networks: what folding, batching and reordering must not change."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import pytest
import torch

import problems
import teachers
from problems import ProblemRef
from problems.base import Decision
from problems.errors import TeacherUnavailable
from problems.identity import digest_rooms
from problems.jssp.instances import Instance
from teachers.base import Teacher
from teachers.conformance import decisions
from teachers.offline_l2d.graphs import graphs
from teachers.offline_l2d.network import GraphNorm, L2DActor, NodeNorm, OfflineL2D, tensors
from teachers.offline_l2d.teacher import build
from teachers.weights import Header

HEADER = Header("untrained", "jssp", "offline_l2d", "", {"network": "offline-l2d"}, {}, sha256="0")


def taken(name: str, count: int = 3) -> list[Decision]:
    """Decisions of random programs on the first instances of a set."""
    problem = problems.load("jssp")
    return decisions(problem, problem.load(name)[:count], each=3)


def lived(network: OfflineL2D) -> OfflineL2D:
    """A network whose norms have seen data."""
    network.train()
    with torch.no_grad():
        for _ in range(3):
            network(*tensors(graphs([d.state for d in taken("random-4x3")]), network.mean))
    return network.eval()


def test_folding_the_norms_changes_no_score() -> None:
    torch.manual_seed(0)
    network = lived(OfflineL2D())
    states = graphs([decision.state for decision in taken("random-5x4")])
    plain = deepcopy(network).double()
    with torch.no_grad():
        unfolded = plain(*tensors(states, plain.mean)).mean(dim=-1)
    frozen = network.frozen().scores(states)
    assert torch.allclose(unfolded, frozen, rtol=0, atol=1e-12)


def test_a_score_is_the_mean_of_32_quantiles() -> None:
    network = lived(OfflineL2D()).frozen()
    states = graphs([decision.state for decision in taken("random-5x4")])
    quantiles = network(*tensors(states, network.mean))
    assert quantiles.shape == (9, 5, 32)
    assert torch.allclose(network.scores(states), quantiles.mean(dim=-1), rtol=0, atol=1e-12)


def test_a_graph_norm_uses_each_graphs_own_biased_statistics() -> None:
    nodes = torch.tensor([[[0.0], [2.0]], [[5.0], [25.0]]])
    normed = GraphNorm(1, eps=0.0)(nodes)
    assert normed.flatten().tolist() == pytest.approx([-1, 1, -1, 1])


def test_a_node_norm_in_queries_uses_the_statistics_that_it_learned() -> None:
    norm = NodeNorm(1, eps=0.0).eval()
    norm.running_mean, norm.running_var = torch.tensor([3.0]), torch.tensor([4.0])
    assert norm(torch.tensor([[[5.0], [3.0]]])).flatten().tolist() == pytest.approx([1, 0])


def untrained(kind: str) -> Teacher:
    """A teacher with random weights."""
    torch.manual_seed(1)
    network = lived(OfflineL2D()) if kind == "offline-l2d" else L2DActor()
    arrays = {name: value.numpy() for name, value in network.state_dict().items()}
    header = replace(HEADER, architecture={"network": kind})
    return build(header, arrays, torch.device("cpu"))


def reversed_jobs(decision: Decision) -> Decision:
    """The same situation with the jobs numbered from the other end."""
    state = decision.state
    last = state.instance.jobs - 1
    instance = Instance("turned", state.instance.durations[::-1], state.instance.machines[::-1])
    lines = tuple(
        tuple(placed._replace(job=last - placed.job) for placed in line) for line in state.machines
    )
    turned = replace(
        state,
        instance=instance,
        next_op=state.next_op[::-1],
        job_ready=state.job_ready[::-1],
        machines=lines,
    )
    actions = tuple(sorted(last - action for action in decision.actions))
    return Decision(0, decision.step, turned, actions, actions[0])


@pytest.mark.parametrize("kind", ["offline-l2d", "l2d"])
def test_renumbering_the_jobs_renumbers_the_scores(kind: str) -> None:
    teacher, originals = untrained(kind), taken("random-6x5")
    turned = teacher.verdicts([reversed_jobs(decision) for decision in originals])
    for plain, other in zip(teacher.verdicts(originals), turned, strict=True):
        assert plain.scores is not None and other.scores is not None
        assert other.scores[::-1] == pytest.approx(plain.scores, abs=1e-12)


def test_states_of_different_sizes_share_one_call() -> None:
    teacher = untrained("offline-l2d")
    mixed = [*taken("random-3x3", 1), *taken("random-5x2", 1), *taken("random-3x3", 1)]
    sizes = [len(found.scores or ()) for found in teacher.verdicts(mixed)]
    assert sizes == [len(decision.actions) for decision in mixed]


def test_scores_that_are_not_finite_prefer_nothing() -> None:
    arrays = {name: value.numpy() for name, value in OfflineL2D().state_dict().items()}
    arrays["head.4.bias"][0] = float("nan")
    teacher = build(HEADER, arrays, torch.device("cpu"))
    for found in teacher.verdicts(taken("random-3x3", 1)):
        assert found.preferred is None and found.scores is None


def test_weights_of_another_network_are_refused() -> None:
    arrays = {name: value.numpy() for name, value in L2DActor().state_dict().items()}
    with pytest.raises(TeacherUnavailable, match="do not fit"):
        build(HEADER, arrays, torch.device("cpu"))


def test_a_fingerprint_names_weights_code_device_and_torch() -> None:
    words = teachers.load("offline-l2d", ProblemRef("jssp"), "cpu").fingerprint.split()
    header = next(header for header in teachers.headers() if header.name == "offline-l2d")
    code = digest_rooms(("teachers/base.py", "teachers/family.py", "teachers/offline_l2d"))[:16]
    torch_word = f"torch-{torch.__version__}"
    assert words == [header.sha256[:16], f"code-{code}", "cpu", torch_word]
