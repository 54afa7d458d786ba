"""Training from nothing: solved instances, states along their solutions, imitation.

The weights with the lowest greedy cost on an own validation set are kept; the benchmark figures of
the header are measured once, at the end.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import torch

import problems
from teachers.device import chosen_device, use_one_thread
from teachers.lehd.labels import Part, solved
from teachers.lehd.network import Size
from teachers.lehd.teacher import build
from teachers.lehd.training import Recipe, Training
from teachers.progress import Progress
from teachers.verify import measure
from teachers.weights import Header, user_folder, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy as np

    Report = Callable[[Progress], None]

MINUTES = 60.0
RECIPES = {
    "lehd-tsp": Recipe(
        Size(columns=1),
        (Part("tsp", 50, 12_000), Part("tsp", 100, 5_000), Part("tsp", 200, 400)),
        (("tsp60", 32), ("tsp180", 6)),
    ),
    "lehd-cvrp": Recipe(
        Size(columns=2),
        (Part("cvrp", 50, 8_000), Part("cvrp", 100, 800), Part("cvrp", 200, 60)),
        (("random-60", 32), ("random-180", 6)),
    ),
}
MEASURED = {"lehd-tsp": ("tsp50", "tsp200"), "lehd-cvrp": ("cvrp50", "cvrp200")}


def train(
    name: str,
    minutes: float = MINUTES,
    seed: int = 0,
    out: Path | None = None,
    device: str = "auto",
    report: Report = lambda progress: None,
    resume: bool = True,
    recipe: Recipe | None = None,
    measured: tuple[str, ...] | None = None,
) -> Header:
    """Train for `minutes` of wall time after the labels are there; write weights and header.

    They go into the folder `out`, the user's own by default, beside a checkpoint from which an
    interrupted training resumes. `measured` names the sets whose figures the header records.
    Raises UserError when the labels need a solver that is not installed.
    """
    use_one_thread()
    recipe, folder = recipe or RECIPES[name], out or user_folder()
    pools = [solved(part, seed, report) for part in recipe.parts]
    training = Training(recipe, seed, pools, 60 * minutes, chosen_device(device))
    draft = folder / f".{name}-{seed}-{_digest(recipe)}.partial"
    if resume and draft.exists():
        training.restore(draft)
    while training.course.seconds < 60 * minutes or training.course.best is None:
        training.advance()
        training.save(draft)
        report(_progress(training))
    header, arrays = _header(name, training, minutes), _weights(training)
    teacher = build(header, arrays, torch.device("cpu"))
    sets = MEASURED[name] if measured is None else measured
    found = measure(teacher, problems.load(header.problem), sets, report)
    header = write(replace(header, measured=found), arrays, folder)
    draft.unlink(missing_ok=True)
    return header


def _progress(training: Training) -> Progress:
    course, whole = training.course, training.seconds
    left = max(0.0, whole - course.seconds)
    done = 1 - left / whole if left else 1.0
    return Progress("training", done, left, course.loss, course.cost, course.best_cost)


def _weights(training: Training) -> dict[str, np.ndarray]:
    best = training.course.best
    assert best is not None
    return {name: value.cpu().numpy() for name, value in best.items()}


def _header(name: str, training: Training, minutes: float) -> Header:
    recipe, seed, course = training.recipe, training.seed, training.course
    validated = " and ".join(f"{set_}, first {count}" for set_, count in recipe.validation)
    return Header(
        name=name,
        problem=training.problem.name,
        family="lehd",
        about="Light encoder, heavy decoder; imitates near-optimal solutions",
        architecture=asdict(recipe.size),
        origin={
            "recipe": asdict(recipe),
            "seed": seed,
            "command": f"preceptor teachers train {name} --seed {seed} --minutes {minutes:g}",
            "minutes": round(course.seconds / 60, 1),
            "iterations": course.iteration,
            "device": training.device.type,
        },
        validation={validated: course.best_cost},
    )


def _digest(recipe: Recipe) -> str:
    return hashlib.sha256(repr(recipe).encode()).hexdigest()[:8]
