"""A training under way: the network learns to go on as solutions do, and is validated."""

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
from teachers.lehd.loss import Neighbours, losses
from teachers.lehd.network import LEHD
from teachers.lehd.teacher import Constructor
from teachers.lehd.windows import Pool, draw
from teachers.rollout import mean_cost
from teachers.training.device import is_quick_in_bfloat16
from teachers.training.training_loop import TrainingLoop, follow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from teachers.lehd.labels import Part, Solved
    from teachers.lehd.network import Size

LAST_RATE = 0.01
"""The learning rate at the end, as a share of the highest."""


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """Everything beside seed and minutes that decides what is learned.

    `tokens` are the nodes of a batch. `validation` names instance sets and how many of their first
    instances choose the weights.
    """

    size: Size
    parts: tuple[Part, ...]
    validation: tuple[tuple[str, int], ...]
    tokens: int = 4096
    learning_rate: float = 1e-3
    weight_decay: float = 0.01
    warm_up: int = 100
    average: float = 0.995
    validate_every: int = 500


class Training:
    """Imitation of solved instances, one batch of states an iteration.

    The learning rate falls along half a cosine from the first second to the last, so `seconds`
    decides how it goes. A running average of the weights is validated and kept. Iteration i draws
    its batch from (seed, i) alone.
    """

    def __init__(
        self,
        recipe: TrainingSettings,
        seed: int,
        pools: Sequence[Solved],
        seconds: float,
        device: torch.device,
    ) -> None:
        torch.manual_seed(seed)
        self.recipe, self.seed, self.seconds, self.device = recipe, seed, seconds, device
        self.pools = [Pool.of(solved, device) for solved in pools]
        self.shares = torch.tensor([float(part.share) for part in recipe.parts], device=device)
        self.network = LEHD(recipe.size).to(device)
        self.neighbours = Neighbours(recipe.size.width).to(device)
        self.average = deepcopy(self.network).eval().requires_grad_(False)
        self.learned = nn.ModuleList([self.network, self.neighbours])
        self.optimizer = torch.optim.AdamW(
            self.learned.parameters(), betas=(0.9, 0.95), weight_decay=recipe.weight_decay
        )
        self.narrow = is_quick_in_bfloat16(device)
        self.problem = problems.load(recipe.parts[0].problem)
        sets = [self.problem.load(name)[:count] for name, count in recipe.validation]
        self.instances = [instance for instances in sets for instance in instances]
        self.course = TrainingLoop()

    def advance(self) -> None:
        """Learn until the next validation or the end, then validate; only learning counts time."""
        found = list[float]()
        while not found or (
            len(found) < self.recipe.validate_every and self.course.seconds < self.seconds
        ):
            started = time.monotonic()
            found.append(self._learn())
            self.course.seconds += time.monotonic() - started
        self.course.take_down(fmean(found), self._validate(), self.average)

    def parts(self) -> dict[str, Any]:
        """What a checkpoint holds beside the course."""
        return {"learned": self.learned, "average": self.average, "optimizer": self.optimizer}

    def _learn(self) -> float:
        """One iteration; the loss of the choice."""
        self.course.iteration += 1
        dice = torch.Generator(self.device).manual_seed((self.seed << 32) + self.course.iteration)
        pool = self.pools[int(torch.multinomial(self.shares, 1, generator=dice))]
        batch = draw(pool, self.recipe.tokens, self.problem.name, dice)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.narrow):
            choice, beside = losses(self.network, self.neighbours, batch)
        self.optimizer.zero_grad()
        (choice + beside).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.learned.parameters(), 1.0)
        for group in self.optimizer.param_groups:
            group["lr"] = self._learning_rate()
        self.optimizer.step()
        early = 9 / (10 + self.course.iteration)  # while weights move fast, so does their average
        follow(self.average, self.network, max(early, 1 - self.recipe.average))
        return choice.item()

    def _learning_rate(self) -> float:
        warm = min(1.0, self.course.iteration / self.recipe.warm_up)
        done = min(1.0, self.course.seconds / max(1.0, self.seconds))
        falling = (1 + math.cos(math.pi * done)) / 2
        return self.recipe.learning_rate * warm * (LAST_RATE + (1 - LAST_RATE) * falling)

    def _validate(self) -> float:
        """Mean cost of greedy rollouts."""
        return mean_cost(
            Constructor("", "", self.problem.name, self.average), self.problem, self.instances
        )
