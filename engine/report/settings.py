"""Everything that was asked for, as plain values."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from engine.domain.specs.settings import option_name

if TYPE_CHECKING:
    from engine.domain.specs.settings import RunSpec


def describe_settings(spec: RunSpec) -> dict[str, Any]:
    """Everything that was asked for: names, caps, every named setting, the problem's options."""
    return {
        "problem": spec.problem.name,
        "method": spec.method,
        "seed": spec.seed,
        "writer": spec.writer,
        "analyzer": spec.analyzer or spec.writer,
        "teacher": spec.teacher or None,
        "caps": asdict(spec.caps),
        "options": {option_name(name): value for name, value in asdict(spec.settings).items()},
        "problem_options": dict(spec.problem.options),
    }
