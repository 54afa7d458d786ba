"""How a constructor is learned: to continue as solutions do.

The choice is one word on a whole state; the neighbours of every node are a word on each, for the
same work. The small head that reads them off serves the training alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

import problems
from teachers.device import is_quick_in_bfloat16
from teachers.lehd.network import LEHD, Size
from teachers.lehd.solved_instances import RoutingPart, SolvedInstances, load_or_solve
from teachers.lehd.teacher import FAMILY
from teachers.lehd.training_windows import SolvedTensors, WindowBatch, draw
from teachers.training import training_loop
from teachers.training.learner import Learner
from teachers.training.solving import share_out
from teachers.training.training_loop import Report


class NeighbourHead(nn.Module):
    """Logits of two nodes being neighbours, from their embeddings: [B, N, width] to [B, N, N]."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.one = nn.Linear(width, width)
        self.other = nn.Linear(width, width)

    def forward(self, nodes: Tensor) -> Tensor:
        """The diagonal is minus infinity."""
        logits: Tensor = (self.one(nodes) @ self.other(nodes).transpose(1, 2)).float()
        itself = torch.eye(nodes.shape[1], dtype=torch.bool, device=nodes.device)
        return (logits / math.sqrt(nodes.shape[2])).masked_fill(itself, -math.inf)


def losses(network: LEHD, neighbours: NeighbourHead, batch: WindowBatch) -> tuple[Tensor, Tensor]:
    """Mean negative log-likelihood of a right choice, and of a node's neighbours."""
    nodes = network.embedded(batch.states)
    logits = network.score(nodes[:, 2:]).float()
    return choice_loss(logits, batch), neighbour_loss(neighbours(nodes), batch)


def choice_loss(logits: Tensor, batch: WindowBatch) -> Tensor:
    """Of any right choice among the feasible ones: `logits` [B, L, columns]."""
    fits = batch.states.fits
    feasible = torch.stack([fits, torch.ones_like(fits)], -1)[..., : logits.shape[-1]]
    total = logits.masked_fill(~feasible, -math.inf).flatten(1).logsumexp(1)
    right = logits.masked_fill(~batch.right, -math.inf).flatten(1).logsumexp(1)
    return (total - right).mean()


def neighbour_loss(logits: Tensor, batch: WindowBatch) -> Tensor:
    """Of the two neighbours of the current node and of each open one: `logits` [B, N, N]."""
    both = torch.stack([batch.after, batch.before], -1)
    chosen = logits.log_softmax(-1)[:, 1:].gather(-1, both)
    return -chosen.mean()


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

    family = FAMILY
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

    def parts(self) -> dict[str, Any]:
        """With the head that serves the training alone."""
        return {"learned": self.learned, "average": self.average, "optimizer": self.optimizer}


SETTINGS = {
    "lehd-tsp": LehdSettings(
        Size(columns=1, width=96, layers=4, trees=True),
        (
            RoutingPart("tsp", 50, 12_000),
            RoutingPart("tsp", 100, 5_000),
            RoutingPart("tsp", 200, 400),
        ),
        (("tsp60", 64), ("tsp180", 8)),
    ),
    "lehd-cvrp": LehdSettings(
        Size(columns=2),
        (
            RoutingPart(
                "cvrp", 12, 6_000, 1.0
            ),  # as scattered as what greedy routes leave at the end
            RoutingPart("cvrp", 25, 6_000, 2.0),
            RoutingPart("cvrp", 50, 10_000, 5.0),
            RoutingPart("cvrp", 100, 1_600, 1.5),
            RoutingPart("cvrp", 200, 160, 0.5),
        ),
        (("random-50", 96), ("random-180", 8)),
        learning_rate=5e-4,
        average=0.998,
        validate_every=600,
    ),
}
MORE_INSTANCES = 8
"""With CUDA: how many times as many instances."""

MORE_TOKENS = 16
"""With CUDA: how many times as many nodes in a batch."""


def choose_settings(name: str, device: torch.device) -> LehdSettings:
    """Those of a teacher; larger ones for a GPU and a machine of many cores."""
    settings = SETTINGS[name]
    if device.type != "cuda":
        return settings
    parts = tuple(
        replace(part, instances=MORE_INSTANCES * part.instances) for part in settings.parts
    )
    return replace(settings, parts=parts, tokens=MORE_TOKENS * settings.tokens)


def make_learner(
    settings: LehdSettings,
    seed: int,
    seconds: float,
    device: torch.device,
    report: Report,
    until: float,
) -> LehdLearner:
    """A training on the solved instances of all parts. Raises as `load_or_solve`."""
    solved = [
        load_or_solve(part, seed, report, share_out(until, len(settings.parts) - place))
        for place, part in enumerate(settings.parts)
    ]
    return LehdLearner(settings, seed, solved, seconds, device)


TRAINING = training_loop.FamilyTraining(
    family="lehd",
    about="Light encoder, heavy decoder, imitating short tours or routes",
    minutes=180.0,
    settings=choose_settings,
    learner=make_learner,
    build=FAMILY.build,
    architecture=lambda settings: asdict(settings.size),
    validated=lambda settings: " and ".join(f"{k}, first {n}" for k, n in settings.validation),
    measured={
        "lehd-tsp": ("tsp50", "tsp200", "tsp50-paper", "tsp200-paper"),
        "lehd-cvrp": ("cvrp50", "cvrp200", "cvrp200-paper"),
    },
    all_threads=True,
)

train = partial(training_loop.train, TRAINING)
