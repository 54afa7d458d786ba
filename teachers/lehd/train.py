"""Training from nothing: solved instances, states along their solutions, imitation."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from teachers.lehd.labels import Part, solved
from teachers.lehd.network import Size
from teachers.lehd.teacher import build
from teachers.lehd.training import Training, TrainingSettings
from teachers.training.device import chosen_device, use_all_threads, use_one_thread
from teachers.training.training_loop import draft_file, origin, publish, pursue
from teachers.weights import Header, user_folder

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from teachers.training.training_loop import Report

MINUTES = 60.0
RECIPES = {
    "lehd-tsp": TrainingSettings(
        Size(columns=1),
        (Part("tsp", 50, 12_000), Part("tsp", 100, 5_000), Part("tsp", 200, 400)),
        (("tsp60", 32), ("tsp180", 6)),
    ),
    "lehd-cvrp": TrainingSettings(
        Size(columns=2),
        (
            Part("cvrp", 12, 6_000, 1.0),  # as scattered as what greedy routes leave at the end
            Part("cvrp", 25, 6_000, 2.0),
            Part("cvrp", 50, 10_000, 5.0),
            Part("cvrp", 100, 1_600, 1.5),
            Part("cvrp", 200, 160, 0.5),
        ),
        (("random-50", 96), ("random-180", 8)),
        learning_rate=5e-4,
        average=0.998,
        validate_every=600,
    ),
}
LARGER = 8, 16
"""With CUDA: how many times as many instances, and nodes in a batch."""
MEASURED = {
    "lehd-tsp": ("tsp50", "tsp200", "tsp50-paper", "tsp200-paper"),
    "lehd-cvrp": ("cvrp50", "cvrp200", "cvrp200-paper"),
}


def train(
    name: str,
    minutes: float = MINUTES,
    seed: int = 0,
    out: Path | None = None,
    device: str = "auto",
    report: Report = lambda _: None,
    resume: bool = True,
    recipe: TrainingSettings | None = None,
    measured: Collection[str] | None = None,
    start: str = "",
) -> Header:
    """Train for `minutes` of wall time after the solutions are there; write weights and header.

    They go into the folder `out`, the user's own by default, beside a checkpoint from which an
    interrupted training resumes. `measured` names the sets whose figures the header records.
    `start` names a teacher of the same size to begin with. Raises UserError when solutions are
    needed and their solver is not installed, and as `pursue`.
    """
    use_all_threads()
    place, folder = chosen_device(device), out or user_folder()
    recipe = recipe or (larger(RECIPES[name]) if place.type == "cuda" else RECIPES[name])
    pools = [solved(part, seed, report) for part in recipe.parts]
    training = Training(recipe, seed, pools, 60 * minutes, place)
    draft = draft_file(training, name, folder)
    pursue(training, draft, minutes, report, resume, start)
    use_one_thread()
    header = _header(name, training, minutes, start)
    sets = MEASURED[name] if measured is None else measured
    header = publish(header, training.course, build, sets, report, folder)
    draft.unlink(missing_ok=True)
    return header


def larger(recipe: TrainingSettings) -> TrainingSettings:
    """For a GPU and a machine of many cores."""
    instances, tokens = LARGER
    parts = tuple(replace(part, instances=instances * part.instances) for part in recipe.parts)
    return replace(recipe, parts=parts, tokens=tokens * recipe.tokens)


def _header(name: str, training: Training, minutes: float, start: str) -> Header:
    recipe = training.recipe
    validated = " and ".join(f"{set_}, first {count}" for set_, count in recipe.validation)
    return Header(
        name=name,
        problem=training.problem.name,
        family="lehd",
        about="Light encoder, heavy decoder, imitating short tours or routes",
        architecture=asdict(recipe.size),
        origin=origin(training, name, minutes, start),
        validation={validated: training.course.best_cost},
    )
