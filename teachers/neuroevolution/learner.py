"""How the weights are found: by evolution strategies, from the best cuts of whole walks alone.

T. Salimans, J. Ho, X. Chen, S. Sidor, I. Sutskever, "Evolution strategies as a scalable
alternative to reinforcement learning", 2017: weights are disturbed in pairs of opposite noise,
each disturbed network walks over the same graphs from the same starts, and the weights follow the
noise that led to larger cuts. What a cut is worth is told by the deviation of all cuts of its
graph.
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
from problems.maxcut.sets.graphs import GraphGenerator
from teachers.neuroevolution.network import FlipNetwork
from teachers.neuroevolution.teacher import flipper
from teachers.neuroevolution.walks import begin, follow, graph
from teachers.training.learner import Learner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.maxcut.sets.data import Instance
    from teachers.neuroevolution.teacher import EvolvedFlipper
    from teachers.neuroevolution.walks import Layers

LENGTH = 2
"""Flips of a walk, times the number of vertices."""

KINDS = (
    GraphGenerator("ba", 100, signed=True),
    GraphGenerator("ba", 200, signed=True),
    GraphGenerator("er", 60, signed=True),
    GraphGenerator("sparse", 125, signed=True),
    GraphGenerator("ba", 100, signed=True),
    GraphGenerator("ba", 100, signed=False),
    GraphGenerator("er", 100, signed=True),
    GraphGenerator("sparse", 125, signed=True),
)


@dataclass(frozen=True, slots=True)
class NeuroevolutionSettings:
    """Everything beside seed and minutes that decides what is learned.

    An iteration draws a graph of each of the `kinds`, and a `population` of disturbed networks,
    half of them the opposites of the others; `deviation` is that of the noise.
    """

    kinds: tuple[GraphGenerator, ...] = KINDS
    population: int = 48
    deviation: float = 0.1
    learning_rate: float = 0.02
    average: float = 0.96
    validate_every: int = 20
    validation: str = "validation"


class NeuroevolutionLearner(Learner[NeuroevolutionSettings]):
    """Evolution strategies on random graphs.

    Iteration i draws its graphs, its starts and its noise from (seed, i) alone.
    """

    network: FlipNetwork
    average: FlipNetwork

    def __init__(self, settings: NeuroevolutionSettings, seed: int, device: torch.device) -> None:
        super().__init__(settings, seed, device)
        self.network = FlipNetwork().double().to(device)
        self.average = deepcopy(self.network).eval().requires_grad_(False)
        self.optimizer = torch.optim.Adam(self.network.parameters(), settings.learning_rate)
        self.problem = problems.load("maxcut")
        self.validation = (self.problem.load(settings.validation),)

    def learn(self) -> float:
        """One step along the noise that led to larger cuts; minus the mean cut of a vertex."""
        self.state.iteration += 1
        rng = np.random.default_rng([self.seed, self.state.iteration])
        weights = parameters_to_vector(self.network.parameters())
        half = rng.standard_normal((self.settings.population // 2, len(weights)))
        noise = np.concatenate([half, -half])
        disturbed = weights.detach().cpu().numpy() + self.settings.deviation * noise
        graphs = [
            kind.draw("drawn", int(rng.integers(1 << 32)), 1)[0] for kind in self.settings.kinds
        ]
        cuts = walk_all([self._layers(row) for row in disturbed], graphs, rng)
        direction = torch.from_numpy(worth(cuts) @ noise / len(noise)).to(weights)
        self.improve(-direction @ weights, 1 - self.settings.average, clip=False)
        return float(-(cuts.mean(axis=0) / [one.size for one in graphs]).mean())

    def teacher(self) -> EvolvedFlipper:
        """A copy of the averaged weights, in the form for queries."""
        return flipper("", "", deepcopy(self.average))

    def _layers(self, weights: np.ndarray) -> Layers:
        network = deepcopy(self.average)
        vector_to_parameters(torch.from_numpy(weights), network.parameters())
        return network.layers()


def walk_all(
    networks: Sequence[Layers], instances: Sequence[Instance], rng: np.random.Generator
) -> np.ndarray:
    """The best cut of each network on each graph, [networks, graphs], a thread for each core.

    All networks begin with the same random spins of a graph.
    """
    starts = [1.0 - 2.0 * rng.integers(2, size=instance.size) for instance in instances]

    def walked(layers: Layers) -> list[float]:
        return [
            follow(graph(one), begin(graph(one), start), LENGTH * one.size, layers)
            for one, start in zip(instances, starts, strict=True)
        ]

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return np.array(list(threads.map(walked, networks)))


def worth(cuts: np.ndarray) -> np.ndarray:
    """What each network is worth: the mean over graphs of its standardised cuts, [networks]."""
    spread = np.maximum(cuts.std(axis=0), 1e-9)
    found: np.ndarray = ((cuts - cuts.mean(axis=0)) / spread).mean(axis=1)
    return found
