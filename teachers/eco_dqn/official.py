"""The layout in which the authors of ECO-DQN publish networks (tomdbar/eco-dqn)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from teachers.eco_dqn.network import EcoDqn
from teachers.training.official_layouts import check_fit
from teachers.weights import Header

LAYOUT = "ECO-DQN"


def read(found: Mapping[str, Any], stem: str) -> tuple[Header, dict[str, Tensor]]:
    """The network as it is, for our layers bear the published names."""
    check_fit(found, EcoDqn())
    agent = stem.removeprefix("network_best_")
    header = Header(
        name=f"eco-dqn-{agent}",
        problem="maxcut",
        family="eco_dqn",
        about=f"Official ECO-DQN network {agent}, imported",
        architecture={"network": "eco-dqn"},
        origin={},
    )
    return header, dict(found)
