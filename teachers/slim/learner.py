"""How a dispatcher learns without solved instances: by imitating the best of its own samples.

Self-labelling (A. Corsini et al., 2024): many schedules of a random shop are drawn from the
network's own scores, and the shortest of them is what it learns to make. It is imitated in order
of start time, which gives the same schedule: of the many orders of one schedule, always the same.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn.functional import cross_entropy

import problems
from teachers.slim.features import observe
from teachers.slim.network import DispatchNetwork
from teachers.slim.shops import empty, place
from teachers.slim.teacher import dispatcher
from teachers.training.learner import Learner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import Tensor

    from teachers.slim.teacher import SlimDispatcher

LONGEST = 99
"""Durations are drawn from 1 to one less, as in the random sets of the paper."""


@dataclass(frozen=True, slots=True)
class SlimSettings:
    """Everything beside seed and minutes that decides what is learned.

    An iteration draws `shops` of the next of the `sizes` (jobs, machines), and `samples` schedules
    of each. `batch` are the states of one step of the optimizer.
    """

    sizes: tuple[tuple[int, int], ...] = (
        (10, 10),
        (15, 10),
        (15, 15),
        (20, 10),
        (20, 15),
        (20, 20),
    )
    shops: int = 8
    samples: int = 32
    batch: int = 400
    learning_rate: float = 5e-4
    average: float = 0.998
    validate_every: int = 60
    validation: tuple[str, ...] = ("validation-10x10", "validation-20x20")
    validation_size: int = 50


class SlimLearner(Learner[SlimSettings]):
    """Self-labelling on random shops.

    Iteration i draws its shops, its samples and its batches from (seed, i) alone.
    """

    network: DispatchNetwork
    average: DispatchNetwork

    def __init__(self, settings: SlimSettings, seed: int, device: torch.device) -> None:
        super().__init__(settings, seed, device)
        self.network = DispatchNetwork().to(device)
        self.average = deepcopy(self.network).eval().requires_grad_(False)
        self.optimizer = torch.optim.Adam(self.network.parameters(), settings.learning_rate)
        self.problem = problems.load("jssp")
        sets = [
            self.problem.load(name)[: settings.validation_size] for name in settings.validation
        ]
        self.validation = ([instance for instances in sets for instance in instances],)

    def learn(self) -> float:
        """Draw shops and schedules, and imitate the best schedule of each shop."""
        self.state.iteration += 1
        rng = np.random.default_rng([self.seed, self.state.iteration])
        torch.manual_seed((self.seed << 32) + self.state.iteration)
        sizes = self.settings.sizes
        jobs, machines = sizes[self.state.iteration % len(sizes)]
        durations, orders = draw_shops(rng, self.settings.shops, jobs, machines)
        labels = self.label(durations, orders)
        features, open_jobs, taken = self.imitated(durations, orders, labels)
        losses = list[float]()
        for part in torch.split(torch.randperm(len(taken)), self.settings.batch):
            rows = part.to(self.device)
            loss = cross_entropy(self.network(features[rows], open_jobs[rows]), taken[rows])
            self.improve(loss, 1 - self.settings.average)
            losses.append(loss.item())
        return float(np.mean(losses))

    def label(self, durations: np.ndarray, machines: np.ndarray) -> np.ndarray:
        """The best sampled schedule of each shop, as jobs in order of start: [B, n * m]."""
        samples = self.settings.samples
        starts, makespans = self.sample(
            np.repeat(durations, samples, axis=0), np.repeat(machines, samples, axis=0)
        )
        best = makespans.reshape(-1, samples).argmin(axis=1) + samples * np.arange(len(durations))
        order = starts[best].reshape(len(durations), -1).argsort(axis=1, kind="stable")
        labels: np.ndarray = order // durations.shape[2]
        return labels

    @torch.inference_mode()
    def sample(self, durations: np.ndarray, machines: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A schedule of each shop, drawn from the scores: starts [B, n, m], makespans [B]."""
        shops = empty(durations, machines)
        starts = np.zeros(durations.shape)
        for _ in range(durations.shape[1] * durations.shape[2]):
            scores = self.network(*self._tensors(*observe(shops)))
            noise = -torch.empty_like(scores).exponential_().log()  # Gumbel's
            place(shops, (scores + noise).argmax(dim=1).cpu().numpy(), starts)
        return starts, shops.ready.max(axis=1)

    def imitated(
        self, durations: np.ndarray, machines: np.ndarray, labels: np.ndarray
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The states along labelled schedules where there is a choice, and the job taken there."""
        found = [
            self._tensors(features, open_jobs, taken)
            for features, open_jobs, taken in walk(durations, machines, labels)
        ]
        features, open_jobs, taken = (torch.cat(column) for column in zip(*found, strict=True))
        choice = open_jobs.sum(dim=1) > 1
        return features[choice], open_jobs[choice], taken[choice]

    def teacher(self) -> SlimDispatcher:
        """A copy of the averaged weights, in the form for queries."""
        return dispatcher("", "", deepcopy(self.average))

    def _tensors(self, *arrays: np.ndarray) -> tuple[Tensor, ...]:
        """Arrays on the device, floats in the network's precision."""
        return tuple(
            torch.from_numpy(array).to(
                self.device, torch.float32 if array.dtype == np.float64 else None
            )
            for array in arrays
        )


def draw_shops(
    rng: np.random.Generator, count: int, jobs: int, machines: int
) -> tuple[np.ndarray, np.ndarray]:
    """Random shops: durations and machines, [B, n, m] each."""
    orders = np.tile(np.arange(machines), (count, jobs, 1))
    return rng.integers(1, LONGEST, (count, jobs, machines)), rng.permuted(orders, axis=2)


def walk(
    durations: np.ndarray, machines: np.ndarray, labels: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Features, open jobs and the job taken at each step of these dispatches [B, n * m]."""
    shops = empty(durations, machines)
    starts = np.zeros(durations.shape)
    for taken in labels.T:
        yield *observe(shops), np.ascontiguousarray(taken)
        place(shops, taken, starts)
