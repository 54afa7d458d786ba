"""Importing published networks: which layouts are known, what is refused, that nothing runs."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from problems.errors import UserError
from teachers.training.official_layouts import import_official
from teachers.weights import read_header
from tests.teachers.offline_l2d.test_official import layout


def test_both_formats_give_the_same_weights(tmp_path: Path) -> None:
    torch.save(layout(), tmp_path / "net.pth")
    save_file(layout(), tmp_path / "net.safetensors")
    pickled = import_official(tmp_path / "net.pth", "pickled")
    safe = import_official(tmp_path / "net.safetensors", "safe")
    assert pickled.sha256 == safe.sha256


def test_an_import_may_be_named(tmp_path: Path, own_folder: Path) -> None:
    torch.save(layout(), tmp_path / "net.pth")
    import_official(tmp_path / "net.pth", "my-teacher")
    assert read_header(own_folder / "my-teacher.json").origin["file"] == "net.pth"


@pytest.mark.parametrize("name", ["offline-l2d", "../escape", ""])
def test_a_name_that_is_taken_or_no_word_is_refused(tmp_path: Path, name: str) -> None:
    file = tmp_path / "a b.pth"
    torch.save(layout(), file)
    with pytest.raises(UserError, match="--name"):
        import_official(file, name)


def test_a_foreign_network_is_refused_with_the_layouts_that_are_known(tmp_path: Path) -> None:
    torch.save({"weight": torch.zeros(3)}, tmp_path / "net.pth")
    with pytest.raises(UserError, match=r"matches no known layout: .*L2D \(\d+ tensors") as told:
        import_official(tmp_path / "net.pth")
    assert "\n" not in str(told.value)


def test_a_file_without_a_table_is_refused(tmp_path: Path) -> None:
    torch.save([torch.zeros(3)], tmp_path / "net.pth")
    with pytest.raises(UserError, match="does not contain a table of tensors"):
        import_official(tmp_path / "net.pth")


@pytest.mark.parametrize("suffix", ["pth", "safetensors"])
def test_a_file_that_is_no_network_is_refused(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"net.{suffix}"
    file.write_text("not a network")
    with pytest.raises(UserError, match="not a readable network file"):
        import_official(file)


class Trap:
    """A pickle that would write a file when it is read."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.file,)


def test_code_in_a_file_is_never_run(tmp_path: Path) -> None:
    torch.save(Trap(tmp_path / "touched"), tmp_path / "net.pth")
    with pytest.raises(UserError, match=r"network file: those contain tensors only$"):
        import_official(tmp_path / "net.pth")
    assert not (tmp_path / "touched").exists()
