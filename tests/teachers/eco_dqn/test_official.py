"""The published networks of ECO-DQN: what is imported, what is refused, what they reach."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import problems
import teachers
from problems import ProblemRef
from problems.errors import UserError
from problems.maxcut.annealing import anneal
from teachers.eco_dqn.network import EcoDqn
from teachers.rollout import rollouts
from teachers.training.official_layouts import import_official

FOLDER = Path(__file__).parents[4] / "shared" / "data" / "teachers" / "eco_dqn"
PUBLISHED = pytest.mark.skipif(not FOLDER.is_dir(), reason="the published networks are not here")


def test_a_file_in_the_published_layout_is_imported_under_its_name(tmp_path: Path) -> None:
    torch.save(EcoDqn().state_dict(), tmp_path / "network_best_BA_20spin.pth")
    header = import_official(tmp_path / "network_best_BA_20spin.pth")
    assert header.name == "eco-dqn-BA_20spin" and header.name in teachers.names()
    assert teachers.load(header.name, ProblemRef("maxcut")).name == header.name


def test_another_layout_is_refused_with_the_first_difference(tmp_path: Path) -> None:
    tensors = EcoDqn().state_dict() | {"node_init_embedding_layer.0.weight": torch.zeros(64, 8)}
    torch.save(tensors, tmp_path / "net.pth")
    with pytest.raises(UserError, match=r"the first is 'node_init_embedding_layer.0.weight'"):
        import_official(tmp_path / "net.pth")


@PUBLISHED
def test_a_published_network_finds_the_best_cuts_of_small_graphs() -> None:
    header = import_official(FOLDER / "network_best_BA_20spin.pth")
    problem = problems.load("maxcut")
    graphs = problem.load("ba20w")[:20]
    teacher = teachers.load(header.name, ProblemRef("maxcut"))
    cuts = [-rollout.cost for rollout in rollouts(teacher, problem, graphs) if rollout]
    assert cuts == [anneal(instance, runs=20, sweeps=100)[1] for instance in graphs]
