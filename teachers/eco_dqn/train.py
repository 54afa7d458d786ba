"""Training from nothing: walks on random graphs, Q-learning, the best checkpoint on own graphs.

The checkpoint with the largest greedy cuts on an own validation set is kept; the benchmark figures
of the header are measured once, at the end.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import torch

import problems
from problems.errors import UserError
from teachers.device import chosen_device, use_one_thread
from teachers.eco_dqn.teacher import build
from teachers.eco_dqn.training import Recipe, Training
from teachers.progress import Progress
from teachers.verify import measure
from teachers.weights import Header, user_folder, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Report = Callable[[Progress], None]

MINUTES = 60.0
MEASURED = ("ba200w", "er200w", "ba200w-eco", "physics")
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
    """Train for `minutes` of wall time; write weights and header.

    They go into the folder `out`, the user's own by default, beside a checkpoint from which an
    interrupted training resumes. `measured` names the sets whose figures the header records,
    published ones only if they are imported.
    """
    use_one_thread()
    folder = out or user_folder()
    training = Training(recipe, seed, chosen_device(device))
    draft = folder / f".{name}-{seed}-{_digest(recipe)}.partial"
    if resume and draft.exists():
        training.restore(draft)
    while training.course.seconds < 60 * minutes or training.course.best is None:
        training.advance()
        training.save(draft)
        report(_progress(training, 60 * minutes))
    header = _header(name, training, minutes)
    arrays = {key: value.cpu().numpy() for key, value in training.course.best.items()}
    teacher = build(header, arrays, torch.device("cpu"))
    at_hand = tuple(filter(_is_at_hand, measured))
    found = measure(teacher, problems.load("maxcut"), at_hand, report)
    header = write(replace(header, measured=found), arrays, folder)
    draft.unlink(missing_ok=True)
    return header


def _is_at_hand(name: str) -> bool:
    try:
        problems.load("maxcut").load(name)
    except UserError:
        return False
    return True


def _progress(training: Training, whole: float) -> Progress:
    course = training.course
    left = max(0.0, whole - course.seconds)
    done = 1 - left / whole if left else 1.0
    return Progress("training", done, left, course.loss, course.cost, course.best_cost)


def _header(name: str, training: Training, minutes: float) -> Header:
    recipe, seed, course = training.recipe, training.seed, training.course
    return Header(
        name=name,
        problem="maxcut",
        family="eco_dqn",
        about="Q-learning on walks over random graphs, after ECO-DQN",
        architecture={"network": "eco-dqn"},
        origin={
            "recipe": asdict(recipe),
            "seed": seed,
            "command": f"preceptor teachers train {name} --seed {seed} --minutes {minutes:g}",
            "minutes": round(course.seconds / 60, 1),
            "iterations": course.iteration,
            "device": training.device.type,
        },
        validation={recipe.validation: course.best_cost},
    )


def _digest(recipe: Recipe) -> str:
    return hashlib.sha256(repr(recipe).encode()).hexdigest()[:8]
