"""Training from nothing: solved instances, states along their solutions, imitation."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING

from teachers.lehd.learner import LehdLearner, LehdSettings
from teachers.lehd.network import Size
from teachers.lehd.solved_instances import RoutingPart, load_or_solve
from teachers.lehd.teacher import build
from teachers.training import training_loop
from teachers.training.solving import share_out

if TYPE_CHECKING:
    import torch

    from teachers.training.training_loop import Report

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


FAMILY = training_loop.FamilyTraining(
    family="lehd",
    about="Light encoder, heavy decoder, imitating short tours or routes",
    minutes=180.0,
    settings=choose_settings,
    learner=make_learner,
    build=build,
    architecture=lambda settings: asdict(settings.size),
    validated=lambda settings: " and ".join(f"{k}, first {n}" for k, n in settings.validation),
    measured={
        "lehd-tsp": ("tsp50", "tsp200", "tsp50-paper", "tsp200-paper"),
        "lehd-cvrp": ("cvrp50", "cvrp200", "cvrp200-paper"),
    },
    all_threads=True,
)

train = partial(training_loop.train, FAMILY)
