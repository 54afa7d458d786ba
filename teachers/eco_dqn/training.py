"""A training under way: walks are played, learned from, and can be put aside and taken up.

Parallel Q-learning: many walks instead of a memory of old ones, and returns over several steps
instead of a second network (M. Gallici et al., "Simplifying deep temporal difference learning",
2024). States, actions and rewards are those of ECO-DQN, without its reward for new local optima.
"""

from __future__ import annotations

import time
from copy import deepcopy
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

import problems
from problems.maxcut.sets.graphs import GraphGenerator as Kind
from teachers.eco_dqn.fleet import Fleet
from teachers.eco_dqn.lattices import Lattice
from teachers.eco_dqn.network import EcoDqn
from teachers.eco_dqn.teacher import flipper
from teachers.rollout import mean_cost
from teachers.training.device import is_quick_in_bfloat16
from teachers.training.training_loop import TrainingLoop, follow

if TYPE_CHECKING:
    from teachers.eco_dqn.fleet import Transition


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is learned from one iteration on, until the next lesson begins."""

    begins: int
    graphs: tuple[Kind | Lattice, ...]
    walks: int
    learning_rate: float


LATTICES_FROM = 7203
"""Seed of the lattices that validations look at."""

BA40, BA100, BA200 = (Kind("ba", size, signed=True) for size in (40, 100, 200))
ER40, ER60 = (Kind("er", size, signed=True) for size in (40, 60))
SMALL = (*[BA40] * 5, *[ER40] * 2, Kind("er", 40, signed=False))
LARGE = (*[BA100] * 4, BA200, *[ER60] * 2, Kind("er", 60, signed=False))
MIXED: tuple[Kind | Lattice, ...] = (*[BA100] * 3, *[BA200] * 2, *[Lattice(5)] * 2, ER60)
LESSONS = (Lesson(0, SMALL, 64, 1e-3), Lesson(400, LARGE, 32, 5e-4), Lesson(800, MIXED, 32, 2e-4))
"""Small graphs first: they teach most per second, and what they teach holds on large ones."""


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """Everything beside seed and minutes that decides what is learned.

    Lessons begin at multiples of `validate_every`. The share of strays falls from 1 to `strays`
    within `settled` iterations. What is validated is the mean of the mean costs on the set
    `validation` and on some `lattices` of 125 vertices.
    """

    lessons: tuple[Lesson, ...] = LESSONS
    steps: int = 16
    discount: float = 0.95
    trace: float = 0.8
    strays: float = 0.05
    settled: int = 60
    average: float = 0.999
    validate_every: int = 200
    validation: str = "validation"
    lattices: int = 8

    def lesson(self, iteration: int) -> Lesson:
        """The lesson that an iteration belongs to."""
        return [lesson for lesson in self.lessons if lesson.begins <= iteration][-1]


class Training:
    """Q-learning on walks over random graphs.

    The running average of the weights is what is validated and kept. Between two validations all
    that is random comes from the seed and the iteration, and walks begin anew, so a resumed
    training goes on as an uninterrupted one would.
    """

    def __init__(self, recipe: TrainingSettings, seed: int, device: torch.device) -> None:
        torch.manual_seed(seed)
        self.recipe, self.seed, self.device = recipe, seed, device
        self.network = EcoDqn().to(device)
        self.average = deepcopy(self.network)
        self.optimizer = torch.optim.Adam(self.network.parameters())
        self.narrow = is_quick_in_bfloat16(device)
        self.problem = problems.load("maxcut")
        lattices = Lattice(5).draw("validation", LATTICES_FROM, recipe.lattices)
        self.validated = self.problem.load(recipe.validation), lattices
        self.course = TrainingLoop()

    def advance(self) -> None:
        """Learn until the next validation, then validate."""
        started, course = time.monotonic(), self.course
        lesson = self.recipe.lesson(course.iteration)
        self.optimizer.param_groups[0]["lr"] = lesson.learning_rate
        dice = np.random.default_rng([self.seed, course.iteration])
        like = torch.empty(0, device=self.device)
        fleet = Fleet(lesson.graphs, lesson.walks, dice, like)
        losses = [self._learn(fleet) for _ in range(self.recipe.validate_every)]
        course.take_down(fmean(losses), self._validate(), self.average)
        course.seconds += time.monotonic() - started

    def parts(self) -> dict[str, Any]:
        """What a checkpoint holds beside the course."""
        return {"network": self.network, "average": self.average, "optimizer": self.optimizer}

    def _learn(self, fleet: Fleet) -> float:
        """Play some steps on all walks, then learn from them in a random order."""
        recipe = self.recipe
        strays = max(recipe.strays, 1 - self.course.iteration / recipe.settled)
        self.course.iteration += 1
        steps, ahead = play(self.network, fleet, recipe.steps, strays)
        goals = returns(steps, ahead, recipe.discount, recipe.trace)
        return fmean(
            self._correct(steps[index], goals[index])
            for index in fleet.dice.permutation(recipe.steps)
        )

    def _correct(self, step: Transition, goals: Tensor) -> float:
        features = step.walks.observe()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.narrow):
            values = self.network(step.walks.graphs, features)[step.vertices]
        loss: Tensor = ((values - goals).square() * step.alive).mean()
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        follow(self.average, self.network, 1 - self.recipe.average)
        return loss.item()

    def _validate(self) -> float:
        """Mean cost of greedy rollouts, both parts alike."""
        teacher = flipper("", "", deepcopy(self.average))
        return fmean(mean_cost(teacher, self.problem, part) for part in self.validated)


@torch.no_grad()
def play(
    network: EcoDqn, fleet: Fleet, count: int, strays: float
) -> tuple[list[Transition], Tensor]:
    """Greedy flips with a share of strays; also the largest values behind the last of them."""
    fleet.renew()
    steps = []
    for _ in range(count):
        values, vertices = values_ahead(network, fleet)
        steps.append(fleet.play(fleet.stray(vertices, strays), values))
    return steps, values_ahead(network, fleet)[0]


def values_ahead(network: EcoDqn, fleet: Fleet) -> tuple[Tensor, Tensor]:
    """The largest value on each walk and its vertex, [G] each."""
    graphs = fleet.walks.graphs
    return graphs.best(network(graphs, fleet.walks.observe()))


def returns(steps: list[Transition], ahead: Tensor, discount: float, trace: float) -> list[Tensor]:
    """What each step is worth, [G] a step: the mean of the returns over 1, 2, ... steps.

    Longer returns weigh `trace` times as much as the next shorter one (Peng's Q(lambda)).
    """
    goals, later = [], ahead
    for step in reversed(steps):
        later = step.rewards + discount * step.goes_on * (trace * later + (1 - trace) * ahead)
        goals.append(later)
        ahead = step.values
    return goals[::-1]
