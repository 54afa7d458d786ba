"""A network that learns: what is the same in every family, from one validation to the next."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from statistics import fmean
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import torch
from torch import Tensor, nn

from problems.base import Problem
from teachers.base import Teacher
from teachers.device import give_back_memory
from teachers.family import Family
from teachers.rollout import mean_cost
from teachers.training.measure import TrainingProgress

GIVE_BACK = 50
"""Iterations after which freed memory is handed back to the system."""


class LearningSettings(Protocol):
    """Everything beside seed and minutes that decides what is learned: a frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def validate_every(self) -> int:
        """Iterations between two validations."""


S = TypeVar("S", bound=LearningSettings)


@dataclass(slots=True)
class TrainingState:
    """Where a training stands; `best` are the weights of the lowest validation cost so far.

    `seconds` are all that it took, `begun` of them were over before the first iteration, with
    solving instances. `start` is the teacher whose weights it began with (name, sha256, origin),
    None for a training from nothing. It was taken up again `resumed` times.
    """

    iteration: int = 0
    seconds: float = 0.0
    loss: float = float("nan")
    cost: float = float("inf")
    best_cost: float = float("inf")
    best: dict[str, Tensor] | None = None
    begun: float = 0.0
    start: dict[str, Any] | None = None
    resumed: int = 0

    def add_validation(self, loss: float, cost: float, network: nn.Module) -> None:
        """Note the mean loss since the last validation, and the cost of the network validated."""
        self.loss = loss
        self.cost = cost
        if cost < self.best_cost:
            self.best_cost = cost
            self.best = deepcopy(network.state_dict())

    def progress(self, whole: float) -> TrainingProgress:
        """Where it stands of `whole` seconds."""
        left = max(0.0, whole - self.seconds)
        done = 1 - left / whole if left else 1.0
        return TrainingProgress("training", done, left, self.loss, self.cost, self.best_cost)


class Learner(ABC, Generic[S]):
    """A training under way.

    A family's class has `family`, sets the other attributes in `__init__`, and says in `learn`
    what an iteration does. A running average of the weights is validated and kept. What is random
    in an iteration has to come from the seed and its number, so that a resumed training continues
    as an uninterrupted one.
    """

    family: ClassVar[Family]
    network: nn.Module
    average: nn.Module
    optimizer: torch.optim.Optimizer
    problem: Problem
    validation: Sequence[Sequence[Any]]
    """Groups of instances; what is validated is the mean of their mean costs."""
    instances: tuple[int, ...] = ()
    """How many solved instances of each part it learns from, where there are any."""

    def __init__(self, settings: S, seed: int, device: torch.device) -> None:
        torch.manual_seed(seed)
        self.settings = settings
        self.seed = seed
        self.device = device
        self.state = TrainingState()

    @abstractmethod
    def learn(self) -> float:
        """Do one iteration, count it in the state, and return its loss."""

    def teacher(self) -> Teacher:
        """A copy of the averaged weights, in the form for queries."""
        return self.family.teacher(deepcopy(self.average), self.problem.name)

    def step(self) -> float:
        """An iteration as `learn` does it; now and then memory is given back."""
        loss = self.learn()
        if self.state.iteration % GIVE_BACK == 0:
            give_back_memory()
        return loss

    def prepare(self) -> None:
        """Get ready for the iterations up to the next validation."""

    def advance(self, seconds: float = math.inf) -> None:
        """Learn until the next validation, then validate; both count as time.

        Where so many seconds of training are over, the validation comes early.
        """
        losses = list[float]()
        with self._counted():
            self.prepare()
        while not losses or (
            len(losses) < self.settings.validate_every and self.state.seconds < seconds
        ):
            with self._counted():
                losses.append(self.step())
        with self._counted():
            self.validate(fmean(losses))

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Count what is done meanwhile as training."""
        started = time.monotonic()
        yield
        self.state.seconds += time.monotonic() - started

    def validate(self, loss: float) -> None:
        """Validate after a mean loss, and note both."""
        self.state.add_validation(loss, self.validation_cost(), self.average)

    def validation_cost(self) -> float:
        """Mean cost of greedy rollouts."""
        teacher = self.teacher()
        return fmean(mean_cost(teacher, self.problem, group) for group in self.validation)

    def improve(self, loss: Tensor, share: float, clip: bool = True) -> None:
        """Move the network against a loss, and its average a `share` of the way after it."""
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        if clip:
            groups = self.optimizer.param_groups
            weights = [weight for group in groups for weight in group["params"]]
            nn.utils.clip_grad_norm_(weights, 1.0)
        self.optimizer.step()
        follow(self.average, self.network, share)

    def parts(self) -> dict[str, Any]:
        """The modules and the optimizer that a checkpoint holds beside the state."""
        return {"network": self.network, "average": self.average, "optimizer": self.optimizer}


def follow(average: nn.Module, network: nn.Module, share: float) -> None:
    """Move a running average of a network a share of the way towards it, norms included."""
    averages = average.state_dict()
    for name, value in network.state_dict().items():
        if value.is_floating_point():  # the norms also count their batches
            averages[name].lerp_(value, share)
