"""How a constructor is learned: to go on as solutions do."""

from __future__ import annotations

import math
import time
from copy import deepcopy
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

import problems
from teachers.device import is_quick_in_bfloat16
from teachers.lehd.loss import NeighbourHead, losses
from teachers.lehd.network import LEHD
from teachers.lehd.teacher import Constructor
from teachers.lehd.training_windows import SolvedTensors, draw
from teachers.training.learner import Learner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from teachers.lehd.network import Size
    from teachers.lehd.solved_instances import RoutingPart, SolvedInstances

LAST_RATE = 0.01
"""The learning rate at the end, as a share of the highest."""


@dataclass(frozen=True, slots=True)
class LehdSettings:
    """Everything beside seed and minutes that decides what is learned.

    `tokens` are the nodes of a batch. `validation` names instance sets and how many of their first
    instances choose the weights.
    """

    size: Size
    parts: tuple[RoutingPart, ...]
    validation: tuple[tuple[str, int], ...]
    tokens: int = 4096
    learning_rate: float = 1e-3
    weight_decay: float = 0.01
    warm_up: int = 100
    average: float = 0.995
    validate_every: int = 500


class LehdLearner(Learner[LehdSettings]):
    """Imitation of solved instances, one batch of states an iteration.

    The learning rate falls along half a cosine from the first iteration to the last second, so
    `seconds` decides how it goes. Iteration i draws its batch from (seed, i) alone.
    """

    network: LEHD
    average: LEHD

    def __init__(
        self,
        settings: LehdSettings,
        seed: int,
        solved: Sequence[SolvedInstances],
        seconds: float,
        device: torch.device,
    ) -> None:
        super().__init__(settings, seed, device)
        self.seconds = seconds
        self.instances = tuple(len(one.points) for one in solved)
        self.solved = [SolvedTensors.of(one, device) for one in solved]
        self.shares = torch.tensor([float(part.share) for part in settings.parts], device=device)
        self.network = LEHD(settings.size).to(device)
        self.neighbours = NeighbourHead(settings.size.width).to(device)
        self.average = deepcopy(self.network).eval().requires_grad_(False)
        self.learned = nn.ModuleList([self.network, self.neighbours])
        self.optimizer = torch.optim.AdamW(
            self.learned.parameters(), betas=(0.9, 0.95), weight_decay=settings.weight_decay
        )
        self.narrow = is_quick_in_bfloat16(device)
        self.problem = problems.load(settings.parts[0].problem)
        sets = [self.problem.load(name)[:count] for name, count in settings.validation]
        self.validation = ([instance for instances in sets for instance in instances],)

    def advance(self) -> None:
        """Learn until the next validation or the end, then validate; both count as time."""
        found = list[float]()
        while not found or (
            len(found) < self.settings.validate_every and self.state.seconds < self.seconds
        ):
            started = time.monotonic()
            found.append(self.step())
            self.state.seconds += time.monotonic() - started
        started = time.monotonic()
        self.validate(fmean(found))
        self.state.seconds += time.monotonic() - started

    def learn(self) -> float:
        """One batch of states; the loss of the choice."""
        self.state.iteration += 1
        rng = torch.Generator(self.device).manual_seed((self.seed << 32) + self.state.iteration)
        solved = self.solved[int(torch.multinomial(self.shares, 1, generator=rng))]
        batch = draw(solved, self.settings.tokens, self.problem.name, rng)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.narrow):
            choice, beside = losses(self.network, self.neighbours, batch)
        for group in self.optimizer.param_groups:
            group["lr"] = self.learning_rate()
        early = 9 / (10 + self.state.iteration)  # while weights move fast, so does their average
        self.improve(choice + beside, max(early, 1 - self.settings.average))
        return choice.item()

    def learning_rate(self) -> float:
        """The rate at this iteration and second."""
        warm = min(1.0, self.state.iteration / self.settings.warm_up)
        begun = self.state.begun
        done = min(1.0, (self.state.seconds - begun) / max(1.0, self.seconds - begun))
        falling = (1 + math.cos(math.pi * done)) / 2
        return self.settings.learning_rate * warm * (LAST_RATE + (1 - LAST_RATE) * falling)

    def teacher(self) -> Constructor:
        """The averaged weights."""
        return Constructor("", "", self.problem.name, self.average)

    def parts(self) -> dict[str, Any]:
        """With the head that serves the training alone."""
        return {"learned": self.learned, "average": self.average, "optimizer": self.optimizer}
