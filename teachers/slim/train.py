"""Training from nothing: random shops, sampled schedules, imitation of the best."""

from __future__ import annotations

from functools import partial

from teachers.slim.learner import SlimLearner, SlimSettings
from teachers.slim.teacher import build
from teachers.training import training_loop

FAMILY = training_loop.FamilyTraining(
    family="slim",
    about="Imitates the best of its own sampled schedules, after Corsini et al.",
    minutes=30.0,
    settings=lambda name, device: SlimSettings(),
    learner=lambda settings, seed, seconds, device, report, until: SlimLearner(
        settings, seed, device
    ),
    build=build,
    architecture=lambda settings: {"network": "slim"},
    validated=lambda settings: (
        f"{' and '.join(settings.validation)}, first {settings.validation_size}"
    ),
    measured={
        "slim": (
            "random-10x10",
            "random-15x15",
            "random-20x20",
            "taillard-20x20",
            "taillard-30x20",
        )
    },
)

train = partial(training_loop.train, FAMILY)
