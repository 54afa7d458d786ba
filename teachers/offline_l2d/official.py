"""The layout in which the authors of L2D publish networks (zcaicaros/L2D, `SavedNetwork`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from teachers.offline_l2d.network import L2DActor
from teachers.training.official_layouts import check_fit
from teachers.weights import Header

LAYOUT = "L2D"
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


def read(found: Mapping[str, Any], stem: str) -> tuple[Header, dict[str, Tensor]]:
    """The actor under our names; see `teachers.training.official_layouts`."""
    tensors = {_ours(key): value for key, value in found.items() if not key.startswith("critic.")}
    check_fit(tensors, L2DActor())
    header = Header(
        name=f"l2d-{stem}",
        problem="jssp",
        family="offline_l2d",
        about=f"Official L2D network {stem}, imported",
        architecture={"network": "l2d"},
        origin={},
    )
    return header, tensors


def _ours(name: str) -> str:
    for theirs, ours in LAYERS.items():
        if name.startswith(f"{theirs}."):
            return ours + name.removeprefix(theirs)
    return name
