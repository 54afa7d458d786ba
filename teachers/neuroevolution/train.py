"""Training from nothing: random graphs, disturbed networks, whole walks."""

from __future__ import annotations

from functools import partial

from teachers.neuroevolution.learner import NeuroevolutionLearner, NeuroevolutionSettings
from teachers.neuroevolution.teacher import build
from teachers.training import training_loop

FAMILY = training_loop.FamilyTraining(
    family="neuroevolution",
    about="A small network that flips vertices, by evolution strategies",
    minutes=30.0,
    settings=lambda name, device: NeuroevolutionSettings(),
    learner=lambda settings, seed, seconds, device, report, until: NeuroevolutionLearner(
        settings, seed, device
    ),
    build=build,
    architecture=lambda settings: {"network": "neuroevolution"},
    validated=lambda settings: settings.validation,
    measured={"neuroevolution": ("ba200w", "ba200w-eco", "physics")},
)

train = partial(training_loop.train, FAMILY)
