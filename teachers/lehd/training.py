"""A training under way: the network learns, is validated, and can be put aside and taken up."""

from __future__ import annotations

import math
import time
from copy import deepcopy
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

import problems
from problems.errors import WorldError
from teachers.lehd.loss import Neighbours, losses
from teachers.lehd.network import LEHD
from teachers.lehd.teacher import Constructor
from teachers.lehd.windows import Pool, draw
from teachers.rollout import rollouts
from teachers.weights import replace_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from teachers.lehd.labels import Part, Solved
    from teachers.lehd.network import Size


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything beside seed and minutes that decides what is learned.

    `tokens` are the nodes of a batch. `validation` maps instance sets to
    how many of their first instances choose the weights.
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


@dataclass(slots=True)
class Course:
    """Where a training stands; `best` are the weights of the lowest validation cost so far."""

    iteration: int = 0
    seconds: float = 0.0
    loss: float = float("nan")
    cost: float = float("inf")
    best_cost: float = float("inf")
    best: dict[str, Tensor] | None = None


class Training:
    """Imitation of solved instances, one batch of states an iteration.

    The learning rate falls along half a cosine from the first second to the last, so `seconds`
    decides when it ends. A running average of the weights is validated and kept.
    """

    def __init__(
        self,
        recipe: Recipe,
        seed: int,
        pools: Sequence[Solved],
        seconds: float,
        device: torch.device,
    ) -> None:
        torch.manual_seed(seed)
        self.recipe, self.seed, self.seconds, self.device = recipe, seed, seconds, device
        self.pools = [Pool.of(solved, device) for solved in pools]
        self.network = LEHD(recipe.size).to(device)
        self.neighbours = Neighbours(recipe.size.width).to(device)
        self.average = deepcopy(self.network).eval().requires_grad_(False)
        self.learned = nn.ModuleList([self.network, self.neighbours])
        self.optimizer = torch.optim.AdamW(
            self.learned.parameters(), betas=(0.9, 0.95), weight_decay=recipe.weight_decay
        )
        self.problem = problems.load(recipe.parts[0].problem)
        self.instances = [
            instance
            for name, count in recipe.validation
            for instance in self.problem.load(name)[:count]
        ]
        self.course = Course()

    def advance(self) -> None:
        """Learn until the next validation, then validate."""
        course, costs = self.course, []
        for _ in range(self.recipe.validate_every):
            started = time.monotonic()
            costs.append(self._learn())
            course.seconds += time.monotonic() - started
            if course.seconds >= self.seconds:
                break
        course.loss, course.cost = fmean(costs), self._validate()
        if course.cost <= course.best_cost:
            course.best_cost, course.best = course.cost, deepcopy(self.average.state_dict())

    def save(self, file: Path) -> None:
        """Write everything that `restore` needs."""
        with replace_file(file) as handle:
            torch.save({"course": _fields(self.course), **self._parts()}, handle)

    def restore(self, file: Path) -> None:
        """Go on where `save` left. Raises WorldError for a file that does not read."""
        try:
            saved = torch.load(file, map_location=self.device, weights_only=True)
            self.learned.load_state_dict(saved["learned"])
            self.average.load_state_dict(saved["average"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.course = Course(**saved["course"])
        except Exception as error:  # a damaged pickle fails in any way
            raise WorldError(f"{file} does not read; remove it to start again") from error

    def _parts(self) -> dict[str, Any]:
        return {
            "learned": self.learned.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }

    def _learn(self) -> float:
        """One iteration, which draws its batch from (seed, iteration) alone; the choice's loss."""
        self.course.iteration += 1
        dice = torch.Generator(self.device).manual_seed((self.seed << 32) + self.course.iteration)
        batch = draw(self.pools, self.recipe.tokens, self.problem.name, dice)
        with torch.autocast(self.device.type, torch.bfloat16):
            choice, neighbours = losses(self.network, self.neighbours, batch)
        self.optimizer.zero_grad()
        (choice + neighbours).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.learned.parameters(), 1.0)
        for group in self.optimizer.param_groups:
            group["lr"] = self._learning_rate()
        self.optimizer.step()
        self._follow()
        return choice.item()

    def _learning_rate(self) -> float:
        warm = min(1.0, self.course.iteration / self.recipe.warm_up)
        share = min(1.0, self.course.seconds / max(1.0, self.seconds))
        return (
            self.recipe.learning_rate * warm * (0.01 + 0.99 * (1 + math.cos(math.pi * share)) / 2)
        )

    def _follow(self) -> None:
        """Move the average one step towards the weights, faster in the beginning."""
        step = max(1 - self.recipe.average, 9 / (10 + self.course.iteration))
        with torch.no_grad():
            for kept, learned in zip(
                self.average.parameters(), self.network.parameters(), strict=True
            ):
                kept.lerp_(learned, step)

    def _validate(self) -> float:
        """Mean cost of greedy rollouts; infinity when the network has diverged."""
        teacher = Constructor("", "", self.problem.name, self.average)
        found = rollouts(teacher, self.problem, self.instances)
        return fmean(math.inf if rollout is None else rollout.cost for rollout in found)


def _fields(course: Course) -> dict[str, Any]:
    return {name: getattr(course, name) for name in course.__slots__}
