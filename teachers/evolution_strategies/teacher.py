"""What the network is told of each problem's actions, and how it is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from problems.base import Decision
from teachers.evolution_strategies import shop_features, walk_features
from teachers.evolution_strategies.network import ScoringNetwork
from teachers.family import Family

CHUNK = 32
"""States in one forward."""


@dataclass(frozen=True, slots=True)
class ScoredTask:
    """A problem's actions in numbers.

    `observe` gives the features of all actions in each state, a row for each action's number;
    `rule` is the linear rule that the network is to begin with.
    """

    features: int
    rule: Mapping[int, float]
    observe: Callable[[Sequence[Any]], list[np.ndarray]]

    def network(self) -> ScoringNetwork:
        """A network that has learned nothing."""
        return ScoringNetwork(self.features, self.rule)


TASKS = {
    "jssp": ScoredTask(shop_features.FEATURES, shop_features.RULE, shop_features.observe),
    "maxcut": ScoredTask(walk_features.FEATURES, walk_features.RULE, walk_features.observe),
}


def score(network: ScoringNetwork, problem: str, batch: Sequence[Decision]) -> list[list[float]]:
    """The scores of all actions."""
    features = TASKS[problem].observe([decision.state for decision in batch])
    rows = torch.from_numpy(np.concatenate(features)).to(network.leave.weight.device)
    parts = torch.split(network(rows), [len(one) for one in features])
    return [part.tolist() for part in parts]


FAMILY = Family(
    make=lambda header: TASKS[header.problem].network(),
    # in double precision actions that look alike stay alike in any batch
    freeze=lambda network: network.eval().double().requires_grad_(False),
    split=lambda ds: [range(at, min(at + CHUNK, len(ds))) for at in range(0, len(ds), CHUNK)],
    score=score,
)
build = FAMILY.build
