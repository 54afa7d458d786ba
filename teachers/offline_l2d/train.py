"""Training from nothing: expert schedules, noisy copies, conservative quantile Q-learning.

After Offline-LD (van Remmerden et al. 2025). The checkpoint with the lowest greedy makespan on
own validation sets is kept; the benchmark figures of the header are measured once, at the end.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, replace
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np
import torch

import problems
from teachers.device import chosen_device, use_one_thread
from teachers.offline_l2d.episodes import episodes
from teachers.offline_l2d.experts import experts
from teachers.offline_l2d.teacher import build
from teachers.offline_l2d.training import Recipe, Training
from teachers.progress import Progress
from teachers.verify import measure
from teachers.weights import Header, user_folder, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from teachers.offline_l2d.episodes import Episodes

    Report = Callable[[Progress], None]

MINUTES = 10.0
MEASURED = (
    *("random-10x10", "random-15x15", "random-20x20"),
    *("taillard-20x20", "taillard-30x20"),
)
RECIPE = Recipe()


def train(
    name: str,
    minutes: float = MINUTES,
    seed: int = 0,
    out: Path | None = None,
    device: str = "auto",
    report: Report = lambda progress: None,
    resume: bool = True,
    recipe: Recipe = RECIPE,
    measured: tuple[str, ...] = MEASURED,
) -> Header:
    """Train for `minutes` of wall time after the experts are there; write weights and header.

    They go into the folder `out`, the user's own by default, beside a checkpoint from which an
    interrupted training resumes. `measured` names the sets whose figures the header records.
    Raises UserError when the experts need CP-SAT and it is not installed.
    """
    use_one_thread()
    folder = out or user_folder()
    training = Training(recipe, seed, _pools(recipe, seed, report), chosen_device(device))
    draft = folder / f".{name}-{seed}-{_digest(recipe)}.partial"
    if resume and draft.exists():
        training.restore(draft)
    while training.course.seconds < 60 * minutes or training.course.best is None:
        training.advance()
        training.save(draft)
        report(_progress(training, 60 * minutes))
    header, arrays = _header(name, training, minutes), _weights(training)
    teacher = build(header, arrays, torch.device("cpu"))
    found = measure(teacher, problems.load("jssp"), measured, report)
    header = write(replace(header, measured=found), arrays, folder)
    draft.unlink(missing_ok=True)
    return header


def _pools(recipe: Recipe, seed: int, report: Report) -> list[Episodes]:
    dice = np.random.default_rng([seed, 1])
    return [episodes(experts(part, seed, report), dice) for part in recipe.parts]


def _progress(training: Training, whole: float) -> Progress:
    course = training.course
    left = max(0.0, whole - course.seconds)
    done = 1 - left / whole if left else 1.0
    cost, best = fmean(course.costs), fmean(course.best_costs)
    return Progress("training", done, left, course.loss, cost, best)


def _weights(training: Training) -> dict[str, np.ndarray]:
    """The best checkpoint."""
    assert training.course.best is not None
    return {key: value.cpu().numpy() for key, value in training.course.best.items()}


def _header(name: str, training: Training, minutes: float) -> Header:
    recipe, seed, course = training.recipe, training.seed, training.course
    return Header(
        name=name,
        problem="jssp",
        family="offline_l2d",
        about="Quantile Q-learning from CP-SAT schedules and noisy copies, after Offline-LD",
        architecture={"network": "offline-l2d"},
        origin={
            "recipe": asdict(recipe),
            "seed": seed,
            "command": f"preceptor teachers train {name} --seed {seed} --minutes {minutes:g}",
            "minutes": round(course.seconds / 60, 1),
            "iterations": course.iteration,
            "device": training.device.type,
        },
        validation=dict(zip(_validation_sets(recipe), course.best_costs, strict=True)),
    )


def _validation_sets(recipe: Recipe) -> list[str]:
    return [f"{name}, first {recipe.validation_size}" for name in recipe.validation]


def _digest(recipe: Recipe) -> str:
    return hashlib.sha256(repr(recipe).encode()).hexdigest()[:8]
