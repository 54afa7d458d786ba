"""A training under way: the network learns, is validated, and can be put aside and taken up."""

from __future__ import annotations

import time
from copy import deepcopy
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

import problems
from problems.errors import WorldError
from teachers.offline_l2d.episodes import Episodes, draw
from teachers.offline_l2d.experts import Part
from teachers.offline_l2d.loss import loss
from teachers.offline_l2d.network import OfflineL2D
from teachers.offline_l2d.teacher import Dispatcher
from teachers.rollout import rollouts
from teachers.weights import replace_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Recipe:
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


@dataclass(slots=True)
class Course:
    """Where a training stands.

    `costs` are the mean makespans on the validation sets, `best_costs` those with the lowest mean
    so far and `best` the weights that reached them.
    """

    iteration: int = 0
    seconds: float = 0.0
    loss: float = float("nan")
    costs: tuple[float, ...] = (float("inf"),)
    best_costs: tuple[float, ...] = (float("inf"),)
    best: dict[str, Tensor] | None = None


class Training:
    """Quantile Q-learning on recorded episodes.

    A running average of the weights is what the network learns towards, and what is validated and
    kept: the greedy schedules of the weights themselves vary by several percent along the way.
    Iteration i draws its batch and its dropout from (seed, i) alone, so a resumed training goes on
    as an uninterrupted one would.
    """

    def __init__(
        self, recipe: Recipe, seed: int, pools: Sequence[Episodes], device: torch.device
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
        self.sets = [self.problem.load(s)[: recipe.validation_size] for s in recipe.validation]
        self.course = Course()

    def advance(self) -> None:
        """Learn until the next validation, then validate."""
        started = time.monotonic()
        losses = [self._learn() for _ in range(self.recipe.validate_every)]
        course = self.course
        course.loss, course.costs = fmean(losses), self._validate()
        if fmean(course.costs) < fmean(course.best_costs):
            course.best_costs, course.best = course.costs, deepcopy(self.average.state_dict())
        course.seconds += time.monotonic() - started

    def save(self, file: Path) -> None:
        """Write everything that `restore` needs."""
        with replace_file(file) as handle:
            torch.save({"course": _fields(self.course), **self._parts()}, handle)

    def restore(self, file: Path) -> None:
        """Go on where `save` left. Raises WorldError for a file that does not read."""
        try:
            saved = torch.load(file, map_location=self.device, weights_only=True)
            self.network.load_state_dict(saved["network"])
            self.average.load_state_dict(saved["average"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.course = Course(**saved["course"])
        except Exception as error:  # a damaged pickle fails in any way
            raise WorldError(f"{file} does not read; remove it to start again") from error

    def _parts(self) -> dict[str, Any]:
        return {
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }

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
        self._follow()
        return value.item()

    def _follow(self) -> None:
        """Move the average one step towards the weights."""
        averages, weights = self.average.state_dict(), self.network.state_dict()
        for name, value in weights.items():
            if value.is_floating_point():  # the norms also count their batches
                averages[name].lerp_(value, 1 - self.recipe.average)

    def _validate(self) -> tuple[float, ...]:
        """Mean makespans of greedy rollouts; infinity where the network has diverged."""
        teacher = Dispatcher("", "", deepcopy(self.average).frozen())
        found = [rollouts(teacher, self.problem, instances) for instances in self.sets]
        return tuple(fmean(r.cost if r else float("inf") for r in ones) for ones in found)


def _fields(course: Course) -> dict[str, Any]:
    return {name: getattr(course, name) for name in course.__slots__}
