"""Networks that the authors of a method publish, stored as teachers of the user's own.

A family that knows such a layout says so in its `official.py`: `LAYOUT` is a word for it, and
`read(found, stem)` turns the content of a file called `stem` into a header and arrays under our
names, or raises UserError with the reason why the layout is another. Nothing in a file is run.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from problems.errors import UserError
from teachers import EXACT
from teachers.weights import SHIPPED, Header, user_folder, write


def import_official(file: Path, name: str = "") -> Header:
    """Store an official file under `name`, by default the one its layout suggests.

    Raises UserError for a name that is taken, and for a file that no layout known here fits.
    """
    header, tensors = _recognised(file, _content(file))
    name = name or header.name
    taken = name in EXACT or (SHIPPED / f"{name}.json").exists()
    if taken or not re.fullmatch(r"[\w-]+", name):
        raise UserError(f"{name!r} is taken or not a plain word; choose another with --name")
    origin = {"file": file.name, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
    arrays = {key: value.contiguous().numpy() for key, value in tensors.items()}
    return write(replace(header, name=name, origin=origin), arrays, user_folder())


def check_fit(tensors: Mapping[str, Any], network: nn.Module) -> None:
    """Raise UserError with the first difference unless these are all the network's tensors."""
    wanted = {key: value.shape for key, value in network.state_dict().items()}
    found = {key: getattr(value, "shape", None) for key, value in tensors.items()}
    wrong = sorted(
        key for key in wanted.keys() | found.keys() if wanted.get(key) != found.get(key)
    )
    if wrong:
        raise UserError(f"{len(wrong)} tensors differ, the first is {wrong[0]!r}")


def _content(file: Path) -> dict[str, Any]:
    try:
        if file.suffix == ".safetensors":
            return load_file(file)
        found = torch.load(file, weights_only=True, map_location="cpu")
    except OSError as error:
        raise UserError(f"{file}: not a readable network file ({error.strerror})") from error
    except (EOFError, RuntimeError, UnpicklingError, SafetensorError) as error:
        raise UserError(
            f"{file}: not a readable network file: those contain tensors only"
        ) from error
    if not isinstance(found, dict):
        raise UserError(f"{file}: does not contain a table of tensors")
    return {str(key): value for key, value in found.items()}


def _recognised(file: Path, found: Mapping[str, Any]) -> tuple[Header, dict[str, Tensor]]:
    refusals = []
    for reader in sorted(Path(__file__).parents[1].glob("*/official.py")):
        family = import_module(f"..{reader.parent.name}.official", __package__)
        try:
            header, tensors = family.read(found, file.stem)
        except UserError as error:
            refusals.append(f"{family.LAYOUT} ({error})")
        else:
            return header, tensors
    raise UserError(f"{file}: matches no known layout: {'; '.join(refusals)}")
