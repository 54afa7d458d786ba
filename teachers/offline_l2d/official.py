"""Import of the networks that the authors of L2D publish (zcaicaros/L2D, `SavedNetwork`)."""

from __future__ import annotations

import hashlib
import re
from pickle import UnpicklingError
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from problems.errors import UserError
from teachers.offline_l2d.network import L2DActor
from teachers.weights import SHIPPED, Header, user_folder, write

if TYPE_CHECKING:
    from pathlib import Path

LAYERS = {
    **{
        f"feature_extract.{theirs}": f"{layer}.{ours}"
        for index, layer in enumerate(("first", "second"))
        for theirs, ours in (
            (f"mlps.{index}.linears.0", "enter"),
            (f"mlps.{index}.batch_norms.0", "inner"),
            (f"mlps.{index}.linears.1", "leave"),
            (f"batch_norms.{index}", "outer"),
        )
    },
    "actor.linears.0": "hidden",
    "actor.linears.1": "logit",
}
"""Published layer names and ours; the critic is not needed."""


def import_l2d(path: Path, name: str | None = None) -> Header:
    """Store an official `.pth` or `.safetensors` file as a teacher of the user's own.

    It is called `l2d-` and the name of the file unless `name` is given. Raises UserError for a
    file that is no L2D network; nothing in the file is ever run.
    """
    name = name or f"l2d-{path.stem}"
    if not re.fullmatch(r"[\w-]+", name) or (SHIPPED / f"{name}.json").exists():
        raise UserError(f"{name!r} is taken or no plain word; choose another with --name")
    tensors = _renamed(path, _tensors(path))
    header = Header(
        name=name,
        problem="jssp",
        family="offline_l2d",
        about=f"Official L2D network {path.stem}, imported",
        architecture={"network": "l2d"},
        origin={"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()},
    )
    return write(header, {key: value.numpy() for key, value in tensors.items()}, user_folder())


def _tensors(path: Path) -> dict[str, Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        if path.suffix == ".safetensors":
            return load_file(path)
        found = torch.load(path, weights_only=True, map_location="cpu")
    except (OSError, EOFError, RuntimeError, UnpicklingError, SafetensorError) as error:
        raise UserError(f"{path}: not a readable network file ({error})") from error
    if not isinstance(found, dict) or not all(isinstance(v, Tensor) for v in found.values()):
        raise UserError(f"{path}: holds no table of tensors")
    return {str(key): value.contiguous() for key, value in found.items()}


def _renamed(path: Path, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The actor's tensors under our names. Raises UserError for any other layout."""
    actor = {
        _ours(name): value for name, value in tensors.items() if not name.startswith("critic.")
    }
    wanted = {name: value.shape for name, value in L2DActor().state_dict().items()}
    found = {name: value.shape for name, value in actor.items()}
    wrong = sorted(
        key for key in wanted.keys() | found.keys() if wanted.get(key) != found.get(key)
    )
    if wrong:
        raise UserError(
            f"{path}: not the layout of an L2D network; {len(wrong)} tensors differ, "
            f"the first is {wrong[0]!r}"
        )
    return actor


def _ours(name: str) -> str:
    for theirs, ours in LAYERS.items():
        if name.startswith(f"{theirs}."):
            return ours + name.removeprefix(theirs)
    return name
