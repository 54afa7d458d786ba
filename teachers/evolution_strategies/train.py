"""Training from nothing: random instances, disturbed networks, whole rollouts."""

from __future__ import annotations

from functools import partial

from problems.maxcut.sets.graphs import GraphGenerator
from teachers.evolution_strategies.kinds import GraphKind, ShopKind
from teachers.evolution_strategies.learner import EvolutionLearner, EvolutionSettings
from teachers.evolution_strategies.teacher import build
from teachers.training import training_loop
from teachers.training.lattices import Lattice

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


FAMILY = training_loop.FamilyTraining(
    family="evolution_strategies",
    about="A small network that scores actions, learned by evolution strategies",
    minutes=30.0,
    settings=lambda name, device: SETTINGS[name],
    learner=lambda settings, seed, seconds, device, report, until: EvolutionLearner(
        settings, seed, device
    ),
    build=build,
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

train = partial(training_loop.train, FAMILY)
