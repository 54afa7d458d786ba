"""The training of a teacher, the same in every family: learn, validate, keep the best, publish.

The weights that are kept are those of the lowest greedy cost on an own validation set, and the
benchmark figures of the header are measured once, at the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Generic

import torch

from teachers.base import Teacher
from teachers.device import chosen_device, use_all_threads, use_one_thread
from teachers.training.checkpoint import checkpoint_file, restore, save, start_from
from teachers.training.learner import Learner, S
from teachers.training.measure import TrainingProgress, at_hand, measure
from teachers.weights import Header, user_folder, write

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
