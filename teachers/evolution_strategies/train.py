"""How the weights are found: by evolution strategies, from the costs of whole rollouts alone.

T. Salimans, J. Ho, X. Chen, S. Sidor, I. Sutskever, "Evolution strategies as a scalable
alternative to reinforcement learning", 2017: weights are disturbed in pairs of opposite noise,
each disturbed network is followed on the same random instances, and the weights go along the
noise that led to lower costs. What a cost is worth is told by the deviation of all costs of its
instance.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
import torch
from torch.nn.utils import vector_to_parameters

import problems
from problems.maxcut.instances import GraphGenerator
from teachers.evolution_strategies import shop_features, walk_features
from teachers.evolution_strategies.network import Layers, ScoringNetwork
from teachers.evolution_strategies.shops import empty
from teachers.evolution_strategies.teacher import FAMILY, TASKS
from teachers.evolution_strategies.walks import begin, graph
from teachers.training import training_loop
from teachers.training.evolution import evolve
from teachers.training.lattices import LATTICES_FROM, Lattice
from teachers.training.learner import Learner

LONGEST = 99
"""Durations are drawn from 1 to one less, as in the random sets of the paper."""
LENGTH = 2
"""Flips of a walk, times the number of vertices."""


class Kind(Protocol):
    """A kind of random instances."""

    def draw(self, rng: np.random.Generator) -> Any:
        """Some instances, in the form that `costs` takes."""

    def costs(self, drawn: Any, layers: Layers) -> list[float]:
        """What a network costs on each instance."""


@dataclass(frozen=True, slots=True)
class ShopKind:
    """So many shops of one size; the cost is the makespan."""

    jobs: int
    machines: int
    count: int

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Durations and machines, [count, jobs, machines] each."""
        shape = (self.count, self.jobs, self.machines)
        orders = np.tile(np.arange(self.machines), (self.count, self.jobs, 1))
        return rng.integers(1, LONGEST, shape), rng.permuted(orders, axis=2)

    def costs(self, drawn: tuple[np.ndarray, np.ndarray], layers: Layers) -> list[float]:
        """The makespans."""
        makespans: list[float] = shop_features.follow(empty(*drawn), layers).tolist()
        return makespans


@dataclass(frozen=True, slots=True)
class GraphKind:
    """One graph of a generator and random spins to start from; the cost is minus the best cut."""

    generator: GraphGenerator | Lattice

    def draw(self, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
        """The graph as arrays, and its spins."""
        (instance,) = self.generator.draw("drawn", int(rng.integers(1 << 32)), 1)
        return graph(instance), 1.0 - 2.0 * rng.integers(2, size=instance.size)

    def costs(self, drawn: tuple[Any, np.ndarray], layers: Layers) -> list[float]:
        """Minus the best cut of the walk."""
        arrays, spins = drawn
        steps = LENGTH * len(spins)
        return [-float(walk_features.follow(arrays, begin(arrays, spins), steps, layers))]


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

    family = FAMILY
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

        def follow(rows: np.ndarray) -> np.ndarray:
            drawn = [(kind, kind.draw(rng)) for kind in self.settings.kinds]
            return follow_all([*map(self._layers, rows)], drawn)

        return evolve(self, rng, follow)

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


SETTINGS = {
    "es-jssp": EvolutionSettings(
        "jssp",
        (ShopKind(10, 10, 4), ShopKind(15, 15, 2), ShopKind(20, 10, 2), ShopKind(20, 20, 3)),
        ("validation-10x10", "validation-20x20"),
    ),
    "es-maxcut": EvolutionSettings(
        "maxcut",
        (
            GraphKind(GraphGenerator("ba", 100, signed=True)),
            GraphKind(GraphGenerator("ba", 100, signed=True)),
            GraphKind(GraphGenerator("ba", 100, signed=True)),
            GraphKind(GraphGenerator("ba", 200, signed=True)),
            GraphKind(GraphGenerator("ba", 100, signed=False)),
            GraphKind(GraphGenerator("er", 60, signed=True)),
            GraphKind(GraphGenerator("er", 100, signed=True)),
            GraphKind(GraphGenerator("sparse", 125, signed=True)),
            GraphKind(Lattice(5)),
            GraphKind(Lattice(5)),
        ),
        ("validation",),
        lattices=20,
    ),
}


def describe_validation(settings: EvolutionSettings) -> str:
    """Whose greedy costs choose the weights, for the header."""
    sets = f"{' and '.join(settings.validation)}, first {settings.validation_size}"
    return f"{sets}, and {settings.lattices} lattices" if settings.lattices else sets


TRAINING = training_loop.FamilyTraining(
    family="evolution_strategies",
    about="A small network that scores actions, learned by evolution strategies",
    minutes=30.0,
    settings=lambda name, device: SETTINGS[name],
    learner=lambda settings, seed, seconds, device, report, until: EvolutionLearner(
        settings, seed, device
    ),
    build=FAMILY.build,
    architecture=lambda settings: {"network": "scoring"},
    validated=describe_validation,
    measured={
        "es-jssp": (
            "random-10x10",
            "random-15x15",
            "random-20x20",
            "taillard-20x20",
            "taillard-30x20",
        ),
        "es-maxcut": ("ba200w", "ba200w-eco", "gset-er800u", "gset-er800w", "physics"),
    },
)

train = partial(training_loop.train, TRAINING)
