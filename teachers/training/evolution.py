"""Evolution strategies: weights are found from the costs of whole rollouts alone.

T. Salimans, J. Ho, X. Chen, S. Sidor, I. Sutskever, "Evolution strategies as a scalable
alternative to reinforcement learning", 2017: weights are disturbed in pairs of opposite noise,
each disturbed network is followed on the same instances, and the weights go along the noise that
led to lower costs. What a cost is worth is told by the deviation of all costs of its instance.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol, TypeVar

import numpy as np
import torch
from torch.nn.utils import parameters_to_vector

from teachers.training.learner import Learner, LearningSettings


class EvolutionSettings(LearningSettings, Protocol):
    """An iteration disturbs a `population` of networks, half of them the opposites of the others.

    `deviation` is that of the noise, `average` how much a running average keeps of itself.
    """

    @property
    def population(self) -> int:
        """Networks an iteration, an even number."""

    @property
    def deviation(self) -> float:
        """Of the noise."""

    @property
    def average(self) -> float:
        """Share of the averaged weights that an iteration keeps."""


E = TypeVar("E", bound=EvolutionSettings)


class Evolution(Learner[E]):
    """Evolution strategies on instances; iteration i draws all it draws from (seed, i) alone."""

    @abstractmethod
    def follow(self, disturbed: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The costs of networks by their weights, [networks, weights], on some instances.

        They are [networks, instances].
        """

    def learn(self) -> float:
        """One step along the noise that led to lower costs; the mean cost of all networks."""
        self.state.iteration += 1
        rng = np.random.default_rng([self.seed, self.state.iteration])
        weights = parameters_to_vector(self.network.parameters())
        half = rng.standard_normal((self.settings.population // 2, len(weights)))
        noise = np.concatenate([half, -half])
        disturbed = weights.detach().cpu().numpy() + self.settings.deviation * noise
        costs = self.follow(disturbed, rng)
        direction = torch.from_numpy(worth(costs) @ noise / len(noise)).to(weights)
        self.improve(-direction @ weights, 1 - self.settings.average, clip=False)
        return float(costs.mean())


def worth(costs: np.ndarray) -> np.ndarray:
    """What each network is worth: minus the mean over instances of its standardised costs."""
    spread = np.maximum(costs.std(axis=0), 1e-9)
    found: np.ndarray = -((costs - costs.mean(axis=0)) / spread).mean(axis=1)
    return found
