"""Training from nothing: expert schedules, noisy copies, conservative quantile Q-learning.

After Offline-LD (van Remmerden et al. 2025). The checkpoint with the lowest greedy makespan on
own validation sets is kept; the benchmark figures of the header are measured once, at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from teachers.offline_l2d.episodes import episodes
from teachers.offline_l2d.experts import experts
from teachers.offline_l2d.teacher import build
from teachers.offline_l2d.training import Training, TrainingSettings
from teachers.training.device import chosen_device, use_one_thread
from teachers.training.training_loop import draft_file, origin, publish, pursue
from teachers.weights import Header, user_folder

if TYPE_CHECKING:
    from pathlib import Path

    from teachers.offline_l2d.episodes import Episodes
    from teachers.training.training_loop import Report

MINUTES = 10.0
MEASURED = (
    *("random-10x10", "random-15x15", "random-20x20"),
    *("taillard-20x20", "taillard-30x20"),
)
RECIPE = TrainingSettings()


def train(
    name: str,
    minutes: float = MINUTES,
    seed: int = 0,
    out: Path | None = None,
    device: str = "auto",
    report: Report = lambda _: None,
    resume: bool = True,
    start: str = "",
    recipe: TrainingSettings = RECIPE,
    measured: tuple[str, ...] = MEASURED,
) -> Header:
    """Train for `minutes` of wall time after the experts are there; write weights and header.

    They go into the folder `out`, the user's own by default, beside a checkpoint from which an
    interrupted training resumes. `start` names a teacher to begin with, `measured` the sets whose
    figures the header records. Raises UserError when the experts need CP-SAT and it is not
    installed, and as `pursue`.
    """
    use_one_thread()
    folder = out or user_folder()
    training = Training(recipe, seed, _pools(recipe, seed, report), chosen_device(device))
    folder = out or user_folder()
    draft = draft_file(training, name, folder)
    pursue(training, draft, minutes, report, resume, start)
    header = _header(name, training, minutes, start)
    header = publish(header, training.course, build, measured, report, folder)
    draft.unlink(missing_ok=True)
    return header


def _pools(recipe: TrainingSettings, seed: int, report: Report) -> list[Episodes]:
    dice = np.random.default_rng([seed, 1])
    return [episodes(experts(part, seed, report), dice) for part in recipe.parts]


def _header(name: str, training: Training, minutes: float, start: str) -> Header:
    recipe = training.recipe
    validated = f"{' and '.join(recipe.validation)}, first {recipe.validation_size}"
    return Header(
        name=name,
        problem="jssp",
        family="offline_l2d",
        about="Quantile Q-learning from CP-SAT schedules and noisy copies, after Offline-LD",
        architecture={"network": "offline-l2d"},
        origin=origin(training, name, minutes, start),
        validation={validated: training.course.best_cost},
    )
