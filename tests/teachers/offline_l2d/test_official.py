"""The published networks of L2D: what is imported, what is refused, what they reach."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import problems
import teachers
from problems import ProblemRef
from problems.errors import UserError
from teachers.offline_l2d.network import L2DActor
from teachers.offline_l2d.official import LAYERS
from teachers.rollout import rollouts
from teachers.training.official_layouts import import_official

FOLDER = Path(__file__).parents[4] / "shared" / "data" / "teachers" / "l2d"
PUBLISHED = pytest.mark.skipif(not FOLDER.is_dir(), reason="the published networks are not here")


def layout() -> dict[str, torch.Tensor]:
    """Untrained weights under the published names."""
    torch.manual_seed(0)
    theirs = {ours: name for name, ours in LAYERS.items()}
    tensors = {}
    for name, value in L2DActor().state_dict().items():
        layer, _, last = name.rpartition(".")
        tensors[f"{theirs[layer]}.{last}"] = value
    return tensors


def test_a_file_in_the_published_layout_is_imported_under_its_name(tmp_path: Path) -> None:
    torch.save(layout(), tmp_path / "6_6_1_99.pth")
    header = import_official(tmp_path / "6_6_1_99.pth")
    assert header.name == "l2d-6_6_1_99" and header.name in teachers.names()
    assert teachers.load(header.name, ProblemRef("jssp")).name == header.name


def test_another_layout_is_refused_with_the_first_difference(tmp_path: Path) -> None:
    tensors = layout()
    tensors["actor.linears.0.weight"] = torch.zeros(32, 64)
    torch.save(tensors, tmp_path / "net.pth")
    with pytest.raises(UserError, match=r"1 tensors differ, the first is 'hidden.weight'"):
        import_official(tmp_path / "net.pth")


@PUBLISHED
def test_a_published_network_makes_the_schedules_that_the_published_program_makes() -> None:
    header = import_official(FOLDER / "20_20_1_99.pth")
    problem = problems.load("jssp")
    teacher = teachers.load(header.name, ProblemRef("jssp"))
    found = rollouts(teacher, problem, problem.load("taillard-20x20")[:4])
    assert [rollout.cost for rollout in found if rollout] == [2205, 2011, 2074, 2089]
