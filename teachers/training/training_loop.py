"""A course of training, the same in every family: learn and validate, keep a checkpoint, publish.

A checkpoint lets an interrupted training go on; the weights that are kept are those of the lowest
greedy cost on an own validation set, and the benchmark figures of the header are measured once, at
the end.
"""

from __future__ import annotations

import hashlib
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import torch
from torch import Tensor, nn

import problems
from problems.errors import UnknownName, UserError, WorldError
from teachers.training.progress import TrainingProgress
from teachers.verify import at_hand, measure
from teachers.weights import header_files, read, read_header, replace_file, write

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from pathlib import Path

    from _typeshed import DataclassInstance

    from teachers.base import Teacher
    from teachers.weights import Header

    Report = Callable[[TrainingProgress], None]
    Build = Callable[[Header, Mapping[str, Any], torch.device], Teacher]


@dataclass(slots=True)
class TrainingLoop:
    """Where a training stands; `best` are the weights of the lowest validation cost so far."""

    iteration: int = 0
    seconds: float = 0.0
    loss: float = float("nan")
    cost: float = float("inf")
    best_cost: float = float("inf")
    best: dict[str, Tensor] | None = None

    def take_down(self, loss: float, cost: float, network: nn.Module) -> None:
        """The mean loss since the last validation, and the cost of the network validated now."""
        self.loss, self.cost = loss, cost
        if cost < self.best_cost:
            self.best_cost, self.best = cost, deepcopy(network.state_dict())

    def progress(self, whole: float) -> TrainingProgress:
        """Where it stands of `whole` seconds."""
        left = max(0.0, whole - self.seconds)
        done = 1 - left / whole if left else 1.0
        return TrainingProgress("training", done, left, self.loss, self.cost, self.best_cost)


class Training(Protocol):
    """A training under way; `recipe` is everything beside seed and minutes that decides it."""

    @property
    def recipe(self) -> DataclassInstance:
        """A frozen dataclass, written into the header."""

    @property
    def network(self) -> nn.Module:
        """What learns."""

    @property
    def average(self) -> nn.Module:
        """A running average of its weights, which is validated and kept."""

    seed: int
    device: torch.device
    course: TrainingLoop

    def advance(self) -> None:
        """Learn until the next validation, then validate."""

    def parts(self) -> Mapping[str, Any]:
        """The modules and the optimizer that a checkpoint holds beside the course."""


def pursue(
    training: Training,
    draft: Path,
    minutes: float,
    report: Report,
    resume: bool,
    start: str = "",
) -> None:
    """Train for `minutes`, with a checkpoint in `draft` after every validation.

    `start` names a teacher with weights to begin with. Raises UnknownName and UserError for one
    that does not serve, WorldError for a checkpoint that does not read.
    """
    if resume and draft.exists():
        restore(training, draft)
    elif start:
        begin(training, start)
    while training.course.seconds < 60 * minutes or training.course.best is None:
        training.advance()
        save(training, draft)
        report(training.course.progress(60 * minutes))


def publish(
    header: Header,
    course: TrainingLoop,
    build: Build,
    measured: Collection[str],
    report: Report,
    folder: Path,
) -> Header:
    """Measure the best weights on the sets `measured`, where they are at hand, and write both."""
    assert course.best is not None
    arrays = {name: value.cpu().numpy() for name, value in course.best.items()}
    teacher = build(header, arrays, torch.device("cpu"))
    problem = problems.load(header.problem)
    found = measure(teacher, problem, at_hand(problem, measured), report)
    return write(replace(header, measured=found), arrays, folder)


def origin(training: Training, name: str, minutes: float, start: str = "") -> dict[str, Any]:
    """How the weights came to be, for the header; how those of `start` did is a part of it."""
    seed, course = training.seed, training.course
    words = f"preceptor teachers train {name} --seed {seed} --minutes {minutes:g}"
    facts = {
        "recipe": asdict(training.recipe),
        "seed": seed,
        "command": f"{words} --start {start}" if start else words,
        "minutes": round(course.seconds / 60, 1),
        "iterations": course.iteration,
        "device": training.device.type,
    }
    if not start:
        return facts
    began = read_header(header_files()[start])
    return {**facts, "start": {"sha256": began.sha256, "origin": began.origin}}


def draft_file(training: Training, name: str, folder: Path) -> Path:
    """Where the checkpoint of a teacher's training lies: one for each recipe and seed."""
    digest = hashlib.sha256(repr(training.recipe).encode()).hexdigest()[:8]
    return folder / f".{name}-{training.seed}-{digest}.partial"


def begin(training: Training, start: str) -> None:
    """Give both networks of a training the weights of another teacher.

    Raises UnknownName, and UserError for weights of another shape.
    """
    files = header_files()
    if start not in files:
        raise UnknownName("teacher with weights", start, files)
    _, arrays = read(files[start])
    weights = {name: torch.from_numpy(array) for name, array in arrays.items()}
    for network in (training.network, training.average):
        try:
            network.load_state_dict(weights)
        except RuntimeError as error:
            raise UserError(f"the weights of {start} do not fit: {error}") from error


def save(training: Training, file: Path) -> None:
    """Write everything that `restore` needs."""
    parts = {name: part.state_dict() for name, part in training.parts().items()}
    course = {name: getattr(training.course, name) for name in TrainingLoop.__slots__}
    with replace_file(file) as handle:
        torch.save({"course": course, **parts}, handle)


def restore(training: Training, file: Path) -> None:
    """Go on where `save` left. Raises WorldError for a file that does not read."""
    try:
        saved = torch.load(file, map_location=training.device, weights_only=True)
        for name, part in training.parts().items():
            part.load_state_dict(saved[name])
        training.course = TrainingLoop(**saved["course"])
    except Exception as error:  # a damaged pickle fails in any way
        raise WorldError(f"{file} does not read; remove it to start again") from error


def follow(average: nn.Module, network: nn.Module, step: float) -> None:
    """Move a running average of a network a share of the way towards it, norms included."""
    averages = average.state_dict()
    for name, value in network.state_dict().items():
        if value.is_floating_point():  # the norms also count their batches
            averages[name].lerp_(value, step)
