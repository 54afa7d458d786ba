"""The layout in which the authors of LEHD publish networks (CIAM-Group/NCO_code, `checkpoint`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor

from problems.errors import UserError
from teachers.lehd.network import LEHD, Size
from teachers.training.official_layouts import check_fit
from teachers.weights import Header

LAYOUT = "LEHD"
SIZES = {"tsp": Size(1, heads=8, official=True), "cvrp": Size(2, heads=8, official=True)}
PARTS = {
    "encoder.embedding": "embed",
    "encoder.layers.0": "encoder",
    "decoder.embedding_first_node": "first",
    "decoder.embedding_last_node": "last",
    "decoder.layers": "decoder",
    "decoder.Linear_final": "score",
    "multi_head_combine": "combine",
    "feedForward.W1": "widen",
    "feedForward.W2": "narrow",
}
"""Published names and ours; `decoder.k_1` is not used, and three projections are one of ours."""
PROJECTIONS = "Wq.weight", "Wk.weight", "Wv.weight"


def read(found: Mapping[str, Any], stem: str) -> tuple[Header, dict[str, Tensor]]:
    """The network under our names; see `teachers.training.official_layouts`."""
    weights = found.get("model_state_dict")
    if not isinstance(weights, dict):
        raise UserError("no table `model_state_dict`")
    tensors = _renamed(weights)
    score = getattr(tensors.get("score.weight"), "shape", ())
    problem = "tsp" if tuple(score[:1]) == (1,) else "cvrp"
    check_fit(tensors, LEHD(SIZES[problem]))
    header = Header(
        name=f"lehd-{problem}-{stem}",
        problem=problem,
        family="lehd",
        about=f"Official LEHD network {stem}, imported",
        architecture=asdict(SIZES[problem]),
        origin={},
    )
    return header, tensors


def _renamed(weights: Mapping[str, Any]) -> dict[str, Any]:
    tensors = {
        _ours(key): value
        for key, value in weights.items()
        if not key.endswith(PROJECTIONS) and not key.startswith("decoder.k_1.")
    }
    for key in weights:
        layer, _, projection = key.rpartition("Wq")
        if projection == ".weight":
            tensors[_ours(layer) + "attend.weight"] = _joined(weights, layer)
    return tensors


def _joined(weights: Mapping[str, Any], layer: str) -> Tensor:
    try:
        return torch.cat([weights[layer + name] for name in PROJECTIONS])
    except (KeyError, TypeError, RuntimeError) as error:
        raise UserError(f"the projections of {layer} do not fit: {error}") from error


def _ours(name: str) -> str:
    for theirs, ours in PARTS.items():
        name = name.replace(theirs, ours)
    return name
