"""Training from nothing: walks on random graphs, Q-learning, the best checkpoint on own graphs.

The checkpoint with the largest greedy cuts on an own validation set is kept; the benchmark figures
of the header are measured once, at the end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from teachers.eco_dqn.teacher import build
from teachers.eco_dqn.training import Training, TrainingSettings
from teachers.training.device import chosen_device, use_one_thread
from teachers.training.training_loop import draft_file, origin, publish, pursue
from teachers.weights import Header, user_folder

if TYPE_CHECKING:
    from pathlib import Path

    from teachers.training.training_loop import Report

MINUTES = 60.0
MEASURED = ("ba200w", "ba200w-eco", "physics")
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
    """Train for `minutes` of wall time; write weights and header.

    They go into the folder `out`, the user's own by default, beside a checkpoint from which an
    interrupted training resumes. `start` names a teacher to begin with, `measured` the sets whose
    figures the header records, published ones only if they are imported. Raises as `pursue`.
    """
    use_one_thread()
    training, folder = Training(recipe, seed, chosen_device(device)), out or user_folder()
    draft = draft_file(training, name, folder)
    pursue(training, draft, minutes, report, resume, start)
    header = _header(name, training, minutes, start)
    header = publish(header, training.course, build, measured, report, folder)
    draft.unlink(missing_ok=True)
    return header


def _header(name: str, training: Training, minutes: float, start: str) -> Header:
    return Header(
        name=name,
        problem="maxcut",
        family="eco_dqn",
        about="Q-learning on walks over random graphs, after ECO-DQN",
        architecture={"network": "eco-dqn"},
        origin=origin(training, name, minutes, start),
        validation={_validated(training.recipe): training.course.best_cost},
    )


def _validated(recipe: TrainingSettings) -> str:
    return f"mean of {recipe.validation} and {recipe.lattices} lattices"
