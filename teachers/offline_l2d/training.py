"""A training under way: the network learns, is validated, and can be put aside and taken up."""

from __future__ import annotations

import time
from copy import deepcopy
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

import problems
from teachers.offline_l2d.episodes import Episodes, draw
from teachers.offline_l2d.experts import Part
from teachers.offline_l2d.loss import loss
from teachers.offline_l2d.network import OfflineL2D
from teachers.offline_l2d.teacher import Dispatcher
from teachers.rollout import mean_cost
from teachers.training.training_loop import TrainingLoop, follow

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """Everything beside seed and minutes that decides what is learned."""

    parts: tuple[Part, ...] = (Part(10, 10, 200, 20.0), Part(20, 20, 100, 2.0))
    batch: int = 64
    learning_rate: float = 5e-4
    weight_decay: float = 1e-3
    conservative: float = 1.0
    dropout: float = 0.0
    average: float = 0.999
    validate_every: int = 500
    validation: tuple[str, ...] = ("validation-10x10", "validation-20x20")
    validation_size: int = 50


class Training:
    """Quantile Q-learning on recorded episodes.

    A running average of the weights is what the network learns towards, and what is validated and
    kept: the greedy schedules of the weights themselves vary by several percent along the way.
    Iteration i draws its batch and its dropout from (seed, i) alone, so a resumed training goes on
    as an uninterrupted one would.
    """

    def __init__(
        self, recipe: TrainingSettings, seed: int, pools: Sequence[Episodes], device: torch.device
    ) -> None:
        torch.manual_seed(seed)
        self.recipe, self.seed, self.pools, self.device = recipe, seed, pools, device
        self.network = OfflineL2D(dropout=recipe.dropout)
        self._standardise()
        self.network.to(device)
        self.average = deepcopy(self.network).eval()
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), recipe.learning_rate, weight_decay=recipe.weight_decay
        )
        self.problem = problems.load("jssp")
        sets = [self.problem.load(name)[: recipe.validation_size] for name in recipe.validation]
        self.instances = [instance for instances in sets for instance in instances]
        self.course = TrainingLoop()

    def advance(self) -> None:
        """Learn until the next validation, then validate."""
        started = time.monotonic()
        losses = [self._learn() for _ in range(self.recipe.validate_every)]
        self.course.take_down(fmean(losses), self._validate(), self.average)
        self.course.seconds += time.monotonic() - started

    def parts(self) -> dict[str, Any]:
        """What a checkpoint holds beside the course."""
        return {"network": self.network, "average": self.average, "optimizer": self.optimizer}

    def _standardise(self) -> None:
        dice = np.random.default_rng([self.seed, 0])
        nodes = np.concatenate(
            [draw(self.pools, 64, dice).now.graphs.features.reshape(-1, 2) for _ in range(32)]
        )
        self.network.mean.copy_(torch.from_numpy(nodes.mean(axis=0)))
        self.network.deviation.copy_(torch.from_numpy(nodes.std(axis=0) + 1e-3))

    def _learn(self) -> float:
        self.course.iteration += 1
        iteration, recipe = self.course.iteration, self.recipe
        torch.manual_seed((self.seed << 32) + iteration)
        dice = np.random.default_rng([self.seed, iteration])
        batch = draw(self.pools, recipe.batch, dice)
        value = loss(self.network.train(), self.average, batch, recipe.conservative)
        self.optimizer.zero_grad()
        value.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        follow(self.average, self.network, 1 - recipe.average)
        return value.item()

    def _validate(self) -> float:
        """Mean makespan of greedy rollouts."""
        teacher = Dispatcher("", "", deepcopy(self.average).frozen())
        return mean_cost(teacher, self.problem, self.instances)
