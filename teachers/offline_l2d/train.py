"""Training from nothing: expert schedules, noisy copies, conservative quantile Q-learning.

After Offline-LD (van Remmerden et al. 2025).
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

import problems
from teachers.offline_l2d.episodes import (
    Episodes,
    EpisodeStates,
    TransitionBatch,
    draw,
    record_episodes,
)
from teachers.offline_l2d.expert_schedules import ShopPart, load_or_solve
from teachers.offline_l2d.network import OfflineL2D, tensors
from teachers.offline_l2d.teacher import FAMILY
from teachers.training import training_loop
from teachers.training.learner import Learner
from teachers.training.solving import share_out
from teachers.training.training_loop import Report


def loss(
    network: OfflineL2D, target: OfflineL2D, batch: TransitionBatch, conservative: float
) -> Tensor:
    """Quantile Huber loss (QR-DQN) plus `conservative` times the term of CQL.

    That term is the mean of logsumexp over jobs of Q, minus Q of the job in the data. Returns are
    not discounted.
    """
    like = network.mean
    quantiles = network(*tensors(batch.now.graphs, like))
    values = masked(quantiles, batch.now)
    rows = torch.arange(len(batch.taken), device=like.device)
    taken = torch.from_numpy(batch.taken).to(like.device)
    goal = torch.from_numpy(batch.reward).to(like)[:, None] + ahead(target, batch.then)
    trust = values.logsumexp(dim=1) - values[rows, taken]
    return quantile_huber(quantiles[rows, taken], goal) + conservative * trust.mean()


def ahead(target: OfflineL2D, then: EpisodeStates) -> Tensor:
    """Quantiles [B, 32] of the best job by the target network; 0 where nothing is left to do."""
    with torch.no_grad():
        quantiles = target(*tensors(then.graphs, target.mean))
        best = masked(quantiles, then).argmax(dim=1)
        chosen = quantiles[torch.arange(len(best), device=best.device), best]
        open_ = torch.from_numpy(then.feasible.any(axis=1)).to(chosen)
        returns: Tensor = chosen * open_[:, None]
        return returns


def masked(quantiles: Tensor, states: EpisodeStates) -> Tensor:
    """Q [B, n] from quantiles [B, n, 32], minus infinity for finished jobs."""
    feasible = torch.from_numpy(states.feasible).to(quantiles.device)
    return quantiles.mean(dim=-1).masked_fill(~feasible, -torch.inf)


def quantile_huber(found: Tensor, goal: Tensor) -> Tensor:
    """Loss of K found quantiles [B, K] against K samples of the goal [B, K]."""
    levels = (torch.arange(found.shape[1], device=found.device) + 0.5) / found.shape[1]
    off = goal[:, None, :] - found[:, :, None]
    huber = functional.huber_loss(off, torch.zeros_like(off), reduction="none")
    weight = (levels[None, :, None] - (off < 0).to(off)).abs()
    return (weight * huber).mean(dim=2).sum(dim=1).mean()


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

    family = FAMILY
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

    def _standardise(self) -> None:
        rng = np.random.default_rng([self.seed, 0])
        batches = (draw(self.episodes, 64, rng) for _ in range(32))
        nodes = np.concatenate([batch.now.graphs.features.reshape(-1, 2) for batch in batches])
        self.network.mean.copy_(torch.from_numpy(nodes.mean(axis=0)))
        self.network.deviation.copy_(torch.from_numpy(nodes.std(axis=0) + 1e-3))


def make_learner(
    settings: OfflineL2DSettings,
    seed: int,
    seconds: float,
    device: torch.device,
    report: Report,
    until: float,
) -> OfflineL2DLearner:
    """A training on the episodes of all parts. Raises as `load_or_solve`."""
    rng = np.random.default_rng([seed, 1])
    solved = [
        load_or_solve(part, seed, report, share_out(until, len(settings.parts) - place))
        for place, part in enumerate(settings.parts)
    ]
    episodes = [record_episodes(schedules, rng) for schedules in solved]
    return OfflineL2DLearner(settings, seed, episodes, device)


TRAINING = training_loop.FamilyTraining(
    family="offline_l2d",
    about="Quantile Q-learning from CP-SAT schedules and noisy copies, after Offline-LD",
    minutes=60.0,
    settings=lambda name, device: OfflineL2DSettings(),
    learner=make_learner,
    build=FAMILY.build,
    architecture=lambda settings: {"network": "offline-l2d"},
    validated=lambda settings: (
        f"{' and '.join(settings.validation)}, first {settings.validation_size}"
    ),
    measured={
        "offline-l2d": (
            "random-10x10",
            "random-15x15",
            "random-20x20",
            "taillard-20x20",
            "taillard-30x20",
        )
    },
)

train = partial(training_loop.train, TRAINING)
