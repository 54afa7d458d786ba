"""Where a training begins: at a checkpoint of its own, or with the weights of another teacher."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from problems.errors import UnknownName, UserError, WorldError
from teachers.training.learner import Learner, LearningSettings, TrainingState
from teachers.weights import header_files, read, replace_file

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
