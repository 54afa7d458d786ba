"""What the network is told of each problem's actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from teachers.evolution_strategies import shop_features, walk_features
from teachers.evolution_strategies.network import ScoringNetwork

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np


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
