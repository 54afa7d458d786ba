"""Training from nothing: rollouts on random graphs, Q-learning."""

from __future__ import annotations

from functools import partial

from teachers.eco_dqn.learner import EcoDqnLearner, EcoDqnSettings
from teachers.eco_dqn.teacher import build
from teachers.training import training_loop

FAMILY = training_loop.FamilyTraining(
    family="eco_dqn",
    about="Q-learning on walks over random graphs, after ECO-DQN",
    minutes=60.0,
    settings=lambda name, device: EcoDqnSettings(),
    learner=lambda settings, seed, seconds, device, report, until: EcoDqnLearner(
        settings, seed, device
    ),
    build=build,
    architecture=lambda settings: {"network": "eco-dqn"},
    validated=lambda settings: f"mean of {settings.validation} and {settings.lattices} lattices",
    measured={"eco-dqn": ("ba200w", "ba200w-eco", "physics")},
)

train = partial(training_loop.train, FAMILY)
