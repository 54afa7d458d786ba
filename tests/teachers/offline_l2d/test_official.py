"""The published networks of L2D: what is imported, what is refused, what they reach."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

import problems
import teachers
from problems import ProblemRef
from problems.errors import UserError
from teachers.offline_l2d.network import L2DActor
from teachers.offline_l2d.official import LAYERS, import_l2d
from teachers.rollout import rollouts
from teachers.weights import read_header

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
    header = import_l2d(tmp_path / "6_6_1_99.pth")
    assert header.name == "l2d-6_6_1_99" and header.name in teachers.names()
    assert teachers.load(header.name, ProblemRef("jssp")).name == header.name


def test_both_formats_give_the_same_weights(tmp_path: Path) -> None:
    torch.save(layout(), tmp_path / "net.pth")
    save_file(layout(), tmp_path / "net.safetensors")
    pickled, safe = (import_l2d(tmp_path / f"net.{kind}", kind) for kind in ("pth", "safetensors"))
    assert pickled.sha256 == safe.sha256


def test_an_import_may_be_named(tmp_path: Path, own_folder: Path) -> None:
    torch.save(layout(), tmp_path / "net.pth")
    import_l2d(tmp_path / "net.pth", "my-teacher")
    assert read_header(own_folder / "my-teacher.json").origin["file"] == "net.pth"


@pytest.mark.parametrize("name", ["offline-l2d", "../escape", ""])
def test_a_name_that_is_taken_or_no_word_is_refused(tmp_path: Path, name: str) -> None:
    file = tmp_path / "a b.pth"
    torch.save(layout(), file)
    with pytest.raises(UserError, match="--name"):
        import_l2d(file, name)


def test_another_layout_is_refused_with_the_first_difference(tmp_path: Path) -> None:
    tensors = layout()
    tensors["actor.linears.0.weight"] = torch.zeros(32, 64)
    torch.save(tensors, tmp_path / "net.pth")
    with pytest.raises(UserError, match=r"1 tensors differ, the first is 'hidden.weight'"):
        import_l2d(tmp_path / "net.pth")


class Trap:
    """A pickle that would write a file when it is read."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.file,)


def test_code_in_a_file_is_never_run(tmp_path: Path) -> None:
    torch.save(Trap(tmp_path / "touched"), tmp_path / "net.pth")
    with pytest.raises(UserError, match="not a readable network file"):
        import_l2d(tmp_path / "net.pth")
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize("suffix", ["pth", "safetensors"])
def test_a_file_that_is_no_network_is_refused(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"net.{suffix}"
    file.write_text("not a network")
    with pytest.raises(UserError, match="not a readable network file"):
        import_l2d(file)


@PUBLISHED
def test_a_published_network_makes_the_schedules_that_the_published_program_makes() -> None:
    header = import_l2d(FOLDER / "20_20_1_99.pth")
    problem = problems.load("jssp")
    teacher = teachers.load(header.name, ProblemRef("jssp"))
    found = rollouts(teacher, problem, problem.load("taillard-20x20")[:4])
    assert [rollout.cost for rollout in found if rollout] == [2205, 2011, 2074, 2089]
