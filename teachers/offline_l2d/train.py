"""Training from nothing: expert schedules, noisy copies, conservative quantile Q-learning.

After Offline-LD (van Remmerden et al. 2025).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from teachers.offline_l2d.episodes import record_episodes
from teachers.offline_l2d.expert_schedules import load_or_solve
from teachers.offline_l2d.learner import OfflineL2DLearner, OfflineL2DSettings
from teachers.offline_l2d.teacher import build
from teachers.training import training_loop
from teachers.training.solving import share_out

if TYPE_CHECKING:
    import torch

    from teachers.training.training_loop import Report


def make_learner(
    settings: OfflineL2DSettings,
    seed: int,
    seconds: float,
    device: torch.device,
    report: Report,
    until: float,
) -> OfflineL2DLearner:
    """A training on the episodes of all parts. Raises as `load_or_solve`."""
    rng = np.random.default_rng([seed, 1])
    solved = [
        load_or_solve(part, seed, report, share_out(until, len(settings.parts) - place))
        for place, part in enumerate(settings.parts)
    ]
    episodes = [record_episodes(schedules, rng) for schedules in solved]
    return OfflineL2DLearner(settings, seed, episodes, device)


FAMILY = training_loop.FamilyTraining(
    family="offline_l2d",
    about="Quantile Q-learning from CP-SAT schedules and noisy copies, after Offline-LD",
    minutes=60.0,
    settings=lambda name, device: OfflineL2DSettings(),
    learner=make_learner,
    build=build,
    architecture=lambda settings: {"network": "offline-l2d"},
    validated=lambda settings: (
        f"{' and '.join(settings.validation)}, first {settings.validation_size}"
    ),
    measured={
        "offline-l2d": (
            "random-10x10",
            "random-15x15",
            "random-20x20",
            "taillard-20x20",
            "taillard-30x20",
        )
    },
)

train = partial(training_loop.train, FAMILY)
