"""How the weights are found: by evolution strategies, from the costs of whole rollouts alone.

T. Salimans, J. Ho, X. Chen, S. Sidor, I. Sutskever, "Evolution strategies as a scalable
alternative to reinforcement learning", 2017: weights are disturbed in pairs of opposite noise,
each disturbed network is followed on the same random instances, and the weights go along the
noise that led to lower costs. What a cost is worth is told by the deviation of all costs of its
instance.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.nn.utils import parameters_to_vector, vector_to_parameters

import problems
from teachers.evolution_strategies.tasks import TASKS
from teachers.evolution_strategies.teacher import scorer
from teachers.training.lattices import LATTICES_FROM, Lattice
from teachers.training.learner import Learner

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from teachers.evolution_strategies.kinds import Kind
    from teachers.evolution_strategies.network import Layers, ScoringNetwork
    from teachers.evolution_strategies.teacher import Scorer


@dataclass(frozen=True, slots=True)
class EvolutionSettings:
    """Everything beside seed and minutes that decides what is learned.

    An iteration draws instances of all `kinds`, and a `population` of disturbed networks, half of
    them the opposites of the others; `deviation` is that of the noise. The sets of
    `validation` and some `lattices` of 125 vertices, all alike, choose the weights.
    """

    problem: str
    kinds: tuple[Kind, ...]
    validation: tuple[str, ...]
    validation_size: int = 50
    lattices: int = 0
    population: int = 48
    deviation: float = 0.1
    learning_rate: float = 0.02
    average: float = 0.97
    validate_every: int = 20


class EvolutionLearner(Learner[EvolutionSettings]):
    """Evolution strategies on random instances.

    Iteration i draws its instances and its noise from (seed, i) alone.
    """

    network: ScoringNetwork
    average: ScoringNetwork

    def __init__(self, settings: EvolutionSettings, seed: int, device: torch.device) -> None:
        super().__init__(settings, seed, device)
        self.network = TASKS[settings.problem].network().double().to(device)
        self.average = deepcopy(self.network).eval().requires_grad_(False)
        self.optimizer = torch.optim.Adam(self.network.parameters(), settings.learning_rate)
        self.problem = problems.load(settings.problem)
        self.validation = [
            self.problem.load(name)[: settings.validation_size] for name in settings.validation
        ]
        if settings.lattices:
            drawn = Lattice(5).draw("validation", LATTICES_FROM, settings.lattices)
            self.validation.append(drawn)

    def learn(self) -> float:
        """One step along the noise that led to lower costs; the mean cost of all networks."""
        self.state.iteration += 1
        rng = np.random.default_rng([self.seed, self.state.iteration])
        weights = parameters_to_vector(self.network.parameters())
        half = rng.standard_normal((self.settings.population // 2, len(weights)))
        noise = np.concatenate([half, -half])
        disturbed = weights.detach().cpu().numpy() + self.settings.deviation * noise
        drawn = [(kind, kind.draw(rng)) for kind in self.settings.kinds]
        costs = follow_all([self._layers(row) for row in disturbed], drawn)
        direction = torch.from_numpy(worth(costs) @ noise / len(noise)).to(weights)
        self.improve(-direction @ weights, 1 - self.settings.average, clip=False)
        return float(costs.mean())

    def teacher(self) -> Scorer:
        """A copy of the averaged weights, in the form for queries."""
        return scorer("", "", self.problem.name, deepcopy(self.average))

    def _layers(self, weights: np.ndarray) -> Layers:
        network = deepcopy(self.average)
        vector_to_parameters(torch.from_numpy(weights), network.parameters())
        return network.layers()


def follow_all(networks: Sequence[Layers], drawn: Sequence[tuple[Kind, Any]]) -> np.ndarray:
    """The cost of each network on each drawn instance, [networks, instances].

    A thread for each core: rollouts are compiled, and do not hold each other up.
    """

    def costs(layers: Layers) -> list[float]:
        return [cost for kind, instances in drawn for cost in kind.costs(instances, layers)]

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return np.array(list(threads.map(costs, networks)))


def worth(costs: np.ndarray) -> np.ndarray:
    """What each network is worth: minus the mean over instances of its standardised costs."""
    spread = np.maximum(costs.std(axis=0), 1e-9)
    found: np.ndarray = -((costs - costs.mean(axis=0)) / spread).mean(axis=1)
    return found
