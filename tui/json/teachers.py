"""The JSON of `preceptor teachers`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import teachers
from tui.text.pages.teachers import problem_of, weights_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from teachers.training.measure import TrainingProgress
    from teachers.verify import Figure
    from teachers.weights import Header


def describe_teacher(name: str, header: Header | None) -> dict[str, Any]:
    """One entry of `teachers list --json`; all null or empty for a teacher without weights."""
    return {
        "name": name,
        "problem": problem_of(name, header),
        "default": name == teachers.default(problem_of(name, header) or ""),
        "weights": weights_of(name, header),
        "about": header.about if header else None,
        "sha256": header.sha256 if header else None,
        "origin": dict(header.origin) if header else {},
        "validation": dict(header.validation) if header else {},
        "measured": dict(header.measured) if header else {},
    }


def describe_progress(progress: TrainingProgress) -> dict[str, Any]:
    """One word on a training, a line of `teachers train --json`."""
    return {"event": "training-progress", **asdict(progress)}


def describe_figures(name: str, figures: Sequence[Figure]) -> dict[str, Any]:
    """One entry of `teachers verify --json`."""
    return {
        "name": name,
        "figures": [
            {
                "set": one.instances,
                "recorded": one.recorded,
                "found": one.found,
                "equal": one.equal,
            }
            for one in figures
        ],
    }
