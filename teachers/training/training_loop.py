"""The training of a teacher, the same in every family: begin or go on, learn, validate, publish.

The weights that are kept are those of the lowest greedy cost on an own validation set, and the
benchmark figures of the header are measured once, at the end.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Generic

import torch

from problems.errors import UnknownName, UserError, WorldError
from teachers.base import Teacher
from teachers.device import chosen_device, use_all_threads, use_one_thread
from teachers.training.learner import Learner, LearningSettings, S, TrainingState
from teachers.training.measure import TrainingProgress, at_hand, measure
from teachers.weights import Header, header_files, read, replace_file, user_folder, write

Build = Callable[[Header, Mapping[str, Any], torch.device], Teacher]

Report = Callable[[TrainingProgress], None]

SOLVING = 0.5
"""Share of the time of a training that may go into solving instances to learn from."""


@dataclass(frozen=True, slots=True)
class FamilyTraining(Generic[S]):
    """What a family brings to the training of its teachers.

    `settings` of a teacher on a device; `learner` from settings, seed, seconds, device, report and
    the second of `time.monotonic` until which it may look for something to learn from;
    `architecture`, from which `build` makes the network again, and the validation in words, both
    for the header; `measured` names the sets besides the design set whose figures the header of a
    teacher records.
    """

    family: str
    about: str
    minutes: float
    settings: Callable[[str, torch.device], S]
    learner: Callable[[S, int, float, torch.device, Report, float], Learner[S]]
    build: Build
    architecture: Callable[[S], Mapping[str, Any]]
    validated: Callable[[S], str]
    measured: Mapping[str, Collection[str]]
    all_threads: bool = False


def train(
    family: FamilyTraining[S],
    name: str,
    minutes: float | None = None,
    seed: int = 0,
    out: Path | None = None,
    device: str = "auto",
    report: Report = lambda _: None,
    resume: bool = True,
    start: str = "",
    settings: S | None = None,
    measured: Collection[str] | None = None,
) -> Header:
    """Train for `minutes` of wall time, solving instances included; write weights and header.

    Half of the time at most goes into instances to learn from, the rest into learning from those
    that are there; only the figures of the header are measured after it. Weights and header go
    into the folder `out`, the user's own by default, beside a checkpoint from which an interrupted
    training resumes. `start` names a teacher to begin with, `measured` the sets whose figures the
    header records, published ones only if they are imported. Raises UserError when a solver is
    needed and not installed, and as `learn_for`.
    """
    (use_all_threads if family.all_threads else use_one_thread)()
    place = chosen_device(device)
    folder = out or user_folder()
    minutes = family.minutes if minutes is None else minutes
    settings = settings or family.settings(name, place)
    checkpoint = checkpoint_file(settings, seed, name, folder)
    started = time.monotonic()
    share = 0.0 if resume and checkpoint.exists() else SOLVING
    until = started + 60 * minutes * share
    learner = family.learner(settings, seed, 60 * minutes, place, report, until)
    spent = time.monotonic() - started
    learn_for(minutes, learner, checkpoint, report, resume, start, spent)
    use_one_thread()
    told = origin(learner, name, minutes)
    sets = (*family.measured[name], learner.problem.design) if measured is None else measured
    header = publish(family, learner, _header(family, learner, name, told), sets, report, folder)
    checkpoint.unlink(missing_ok=True)
    return header


def learn_for(
    minutes: float,
    learner: Learner[S],
    checkpoint: Path,
    report: Report,
    resume: bool = True,
    start: str = "",
    spent: float = 0.0,
) -> None:
    """Learn until `minutes` are over, with a checkpoint after every validation.

    `start` names a teacher with weights to begin with; a training that is taken up again has begun
    already. So many seconds were `spent` before. Raises UnknownName and UserError for one
    that does not serve, WorldError for a checkpoint that cannot be read.
    """
    if resume and checkpoint.exists():
        restore(learner, checkpoint)
        learner.state.resumed += 1
    else:
        learner.state.begun = spent
        if start:
            start_from(learner, start)
    learner.state.seconds += spent
    while learner.state.seconds < 60 * minutes or learner.state.best is None:
        learner.advance(60 * minutes)
        save(learner, checkpoint)
        report(learner.state.progress(60 * minutes))


def publish(
    family: FamilyTraining[S],
    learner: Learner[S],
    header: Header,
    sets: Collection[str],
    report: Report,
    folder: Path,
) -> Header:
    """Measure the best weights on the sets that are at hand, and write weights and header."""
    assert learner.state.best is not None
    arrays = {name: value.cpu().numpy() for name, value in learner.state.best.items()}
    teacher = family.build(header, arrays, torch.device("cpu"))
    found = measure(teacher, learner.problem, at_hand(learner.problem, sets), report)
    return write(replace(header, measured=found), arrays, folder)


def origin(learner: Learner[S], name: str, minutes: float) -> dict[str, Any]:
    """How the weights came to be, for the header; how those it began with did is a part of it."""
    state = learner.state
    words = f"preceptor teachers train {name} --seed {learner.seed} --minutes {minutes:g}"
    facts: dict[str, Any] = {
        "recipe": asdict(learner.settings),
        "seed": learner.seed,
        "command": f"{words} --start {state.start['name']}" if state.start else words,
        "minutes": round(state.seconds / 60, 1),
        "iterations": state.iteration,
        "device": learner.device.type,
    }
    if learner.instances:
        facts["instances"] = list(learner.instances)
    if state.resumed:
        facts["resumed"] = state.resumed
    if state.start:
        facts["start"] = state.start
    return facts


def _header(
    family: FamilyTraining[S], learner: Learner[S], name: str, told: Mapping[str, Any]
) -> Header:
    return Header(
        name=name,
        problem=learner.problem.name,
        family=family.family,
        about=family.about,
        architecture=family.architecture(learner.settings),
        origin=told,
        validation={family.validated(learner.settings): learner.state.best_cost},
    )


STATE = "course"
"""What checkpoints call the state."""


def checkpoint_file(settings: LearningSettings, seed: int, name: str, folder: Path) -> Path:
    """Where the checkpoint of a teacher's training lies: one for each settings and seed."""
    digest = hashlib.sha256(repr(asdict(settings)).encode()).hexdigest()[:8]
    return folder / f".{name}-{seed}-{digest}.partial"


def start_from(learner: Learner[Any], start: str) -> None:
    """Give both networks of a training the weights of another teacher, and note which it was.

    Raises UnknownName, and UserError for weights of another shape.
    """
    files = header_files()
    if start not in files:
        raise UnknownName("teacher with weights", start, files)
    header, arrays = read(files[start])
    weights = {name: torch.from_numpy(array) for name, array in arrays.items()}
    for network in (learner.network, learner.average):
        try:
            network.load_state_dict(weights)
        except RuntimeError as error:
            raise UserError(f"the weights of {start} do not fit: {error}") from error
    began = {"name": start, "sha256": header.sha256, "origin": header.origin}
    learner.state.start = json.loads(json.dumps(began))  # as plain as a checkpoint needs it


def save(learner: Learner[Any], file: Path) -> None:
    """Write everything that `restore` needs."""
    parts = {name: part.state_dict() for name, part in learner.parts().items()}
    state = {name: getattr(learner.state, name) for name in TrainingState.__slots__}
    with replace_file(file) as handle:
        torch.save({STATE: state, **parts}, handle)


def restore(learner: Learner[Any], file: Path) -> None:
    """Go on where `save` left. Raises WorldError for a file that does not read."""
    try:
        saved = torch.load(file, map_location=learner.device, weights_only=True)
        for name, part in learner.parts().items():
            part.load_state_dict(saved[name])
        learner.state = TrainingState(**saved[STATE])
    except Exception as error:  # a damaged pickle fails in any way
        raise WorldError(f"{file} cannot be read; remove it to start again") from error
