"""How values of dispatches are learned from recorded episodes."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

import problems
from teachers.offline_l2d.episodes import Episodes, draw
from teachers.offline_l2d.expert_schedules import ShopPart
from teachers.offline_l2d.loss import loss
from teachers.offline_l2d.network import OfflineL2D
from teachers.offline_l2d.teacher import Dispatcher
from teachers.training.learner import Learner

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class OfflineL2DSettings:
    """Everything beside seed and minutes that decides what is learned."""

    parts: tuple[ShopPart, ...] = (ShopPart(10, 10, 200, 20.0), ShopPart(20, 20, 100, 2.0))
    batch: int = 64
    learning_rate: float = 5e-4
    weight_decay: float = 1e-3
    conservative: float = 1.0
    dropout: float = 0.0
    average: float = 0.999
    validate_every: int = 500
    validation: tuple[str, ...] = ("validation-10x10", "validation-20x20")
    validation_size: int = 50


class OfflineL2DLearner(Learner[OfflineL2DSettings]):
    """Quantile Q-learning on recorded episodes.

    The running average of the weights is also what the network learns towards: the greedy
    schedules of the weights themselves vary by several percent along the way. Iteration i draws
    its batch and its dropout from (seed, i) alone.
    """

    network: OfflineL2D
    average: OfflineL2D

    def __init__(
        self,
        settings: OfflineL2DSettings,
        seed: int,
        episodes: Sequence[Episodes],
        device: torch.device,
    ) -> None:
        super().__init__(settings, seed, device)
        self.episodes = episodes
        self.instances = tuple(len(one.actions) // 2 for one in episodes)
        self.network = OfflineL2D(dropout=settings.dropout)
        self._standardise()
        self.network.to(device)
        self.average = deepcopy(self.network).eval()
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), settings.learning_rate, weight_decay=settings.weight_decay
        )
        self.problem = problems.load("jssp")
        sets = [
            self.problem.load(name)[: settings.validation_size] for name in settings.validation
        ]
        self.validation = ([instance for instances in sets for instance in instances],)

    def learn(self) -> float:
        """One batch of transitions."""
        self.state.iteration += 1
        torch.manual_seed((self.seed << 32) + self.state.iteration)
        rng = np.random.default_rng([self.seed, self.state.iteration])
        batch = draw(self.episodes, self.settings.batch, rng)
        value = loss(self.network.train(), self.average, batch, self.settings.conservative)
        self.improve(value, 1 - self.settings.average, clip=False)
        return value.item()

    def teacher(self) -> Dispatcher:
        """A copy of the averaged weights, in the form for queries."""
        return Dispatcher("", "", deepcopy(self.average).frozen())

    def _standardise(self) -> None:
        rng = np.random.default_rng([self.seed, 0])
        batches = (draw(self.episodes, 64, rng) for _ in range(32))
        nodes = np.concatenate([batch.now.graphs.features.reshape(-1, 2) for batch in batches])
        self.network.mean.copy_(torch.from_numpy(nodes.mean(axis=0)))
        self.network.deviation.copy_(torch.from_numpy(nodes.std(axis=0) + 1e-3))
