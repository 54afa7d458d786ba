"""How values of flips are learned: rollouts are played, and learned from.

Parallel Q-learning: many rollouts instead of a memory of old ones, and returns over several steps
instead of a second network (M. Gallici et al., "Simplifying deep temporal difference learning",
2024). States, actions and rewards are those of ECO-DQN, without its reward for new local optima.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from statistics import fmean

import numpy as np
import torch
from torch import Tensor

import problems
from problems.maxcut.instances import GraphGenerator
from teachers.device import is_quick_in_bfloat16
from teachers.eco_dqn.environments import Environments, Transition
from teachers.eco_dqn.network import EcoDqn
from teachers.eco_dqn.teacher import FAMILY
from teachers.training import training_loop
from teachers.training.lattices import LATTICES_FROM, Lattice
from teachers.training.learner import Learner


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is learned from one iteration on, until the next lesson begins."""

    begins: int
    graphs: tuple[GraphGenerator | Lattice, ...]
    walks: int
    learning_rate: float


BA40 = GraphGenerator("ba", 40, signed=True)
BA100 = GraphGenerator("ba", 100, signed=True)
BA200 = GraphGenerator("ba", 200, signed=True)
ER40 = GraphGenerator("er", 40, signed=True)
ER40_UNSIGNED = GraphGenerator("er", 40, signed=False)
ER60 = GraphGenerator("er", 60, signed=True)
ER60_UNSIGNED = GraphGenerator("er", 60, signed=False)
CUBE = Lattice(5)

LESSONS = (
    Lesson(0, (BA40, BA40, BA40, BA40, BA40, ER40, ER40, ER40_UNSIGNED), 64, 1e-3),
    Lesson(400, (BA100, BA100, BA100, BA100, BA200, ER60, ER60, ER60_UNSIGNED), 32, 5e-4),
    Lesson(800, (BA100, BA100, BA100, BA200, BA200, CUBE, CUBE, ER60), 32, 2e-4),
)
"""Small graphs first: they teach most per second, and what they teach holds on large ones."""


@dataclass(frozen=True, slots=True)
class EcoDqnSettings:
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


class EcoDqnLearner(Learner[EcoDqnSettings]):
    """Q-learning on rollouts over random graphs.

    Between two validations all that is random comes from the seed and the iteration, and rollouts
    begin anew. What is validated are the set of the settings and some lattices, both alike.
    """

    family = FAMILY
    network: EcoDqn
    average: EcoDqn
    environments: Environments

    def __init__(self, settings: EcoDqnSettings, seed: int, device: torch.device) -> None:
        super().__init__(settings, seed, device)
        self.network = EcoDqn().to(device)
        self.average = deepcopy(self.network)
        self.optimizer = torch.optim.Adam(self.network.parameters())
        self.narrow = is_quick_in_bfloat16(device)
        self.problem = problems.load("maxcut")
        lattices = Lattice(5).draw("validation", LATTICES_FROM, settings.lattices)
        self.validation = (self.problem.load(settings.validation), lattices)

    def prepare(self) -> None:
        """Begin new rollouts, those of the lesson that it is time for."""
        lesson = self.settings.lesson(self.state.iteration)
        self.optimizer.param_groups[0]["lr"] = lesson.learning_rate
        rng = np.random.default_rng([self.seed, self.state.iteration])
        like = torch.empty(0, device=self.device)
        self.environments = Environments(lesson.graphs, lesson.walks, rng, like)

    def learn(self) -> float:
        """Play some steps on all rollouts, then learn from them in a random order."""
        settings = self.settings
        strays = max(settings.strays, 1 - self.state.iteration / settings.settled)
        self.state.iteration += 1
        steps, ahead = play(self.network, self.environments, settings.steps, strays)
        goals = returns(steps, ahead, settings.discount, settings.trace)
        order = self.environments.rng.permutation(settings.steps)
        return fmean(self.correct(steps[index], goals[index]) for index in order)

    def correct(self, step: Transition, goals: Tensor) -> float:
        """Move the values of the flips of one step towards their goals, [G]; the loss."""
        features = step.rollouts.observe()
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.narrow):
            values = self.network(step.rollouts.graphs, features)[step.vertices]
        loss: Tensor = ((values - goals).square() * step.alive).mean()
        self.improve(loss, 1 - self.settings.average)
        return loss.item()


@torch.no_grad()
def play(
    network: EcoDqn, environments: Environments, count: int, strays: float
) -> tuple[list[Transition], Tensor]:
    """Greedy flips with a share of strays; also the largest values behind the last of them."""
    environments.renew()
    steps = []
    for _ in range(count):
        values, vertices = values_ahead(network, environments)
        steps.append(environments.play(environments.stray(vertices, strays), values))
    return steps, values_ahead(network, environments)[0]


def values_ahead(network: EcoDqn, environments: Environments) -> tuple[Tensor, Tensor]:
    """The largest value on each rollout and its vertex, [G] each."""
    graphs = environments.rollouts.graphs
    return graphs.best(network(graphs, environments.rollouts.observe()))


def returns(steps: list[Transition], ahead: Tensor, discount: float, trace: float) -> list[Tensor]:
    """What each step is worth, [G] a step: the mean of the returns over 1, 2, ... steps.

    Longer returns weigh `trace` times as much as the next shorter one (Peng's Q(lambda)).
    """
    goals = list[Tensor]()
    later = ahead
    for step in reversed(steps):
        later = step.rewards + discount * step.goes_on * (trace * later + (1 - trace) * ahead)
        goals.append(later)
        ahead = step.values
    return goals[::-1]


TRAINING = training_loop.FamilyTraining(
    family="eco_dqn",
    about="Q-learning on walks over random graphs, after ECO-DQN",
    minutes=60.0,
    settings=lambda name, device: EcoDqnSettings(),
    learner=lambda settings, seed, seconds, device, report, until: EcoDqnLearner(
        settings, seed, device
    ),
    build=FAMILY.build,
    architecture=lambda settings: {"network": "eco-dqn"},
    validated=lambda settings: f"mean of {settings.validation} and {settings.lattices} lattices",
    measured={"eco-dqn": ("ba200w", "ba200w-eco", "physics")},
)

train = partial(training_loop.train, TRAINING)
