"""Preceptor from Python: runs, studies and measurements to start, the seams to implement.

Example: `from preceptor import start_run; print(start_run("jssp").wait().best)`
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from problems import ProblemRef
from problems import load as load_problem
from problems.base import (
    Argument,
    Contract,
    Decision,
    FastReplay,
    FastRollout,
    Field,
    InstanceSet,
    Problem,
    Rollout,
    Rule,
)
from problems.errors import BadModule, InvalidAction, PreceptorError, UnknownName, UserError
from problems.suite import CHECKS as PROBLEM_CHECKS
from teachers.base import Teacher, Verdict, verdict
from teachers.suite import CHECKS as TEACHER_CHECKS
from teachers.suite import decisions

if TYPE_CHECKING:
    from engine.api.forecast import forecast, forecast_study
    from engine.api.measure.scripts import bench, diagnose, evaluate, tune
    from engine.api.resolve import RunRequest
    from engine.api.run import Run, start_run
    from engine.api.store import RunStore, open_store
    from engine.api.study import Study, start_study
    from engine.domain.specs.settings import Caps
    from engine.domain.values import Candidate, Message, Recipe, Reply, Request, Usage
    from engine.llm.base import Metered, ProviderDown, Writer
    from engine.runtime.writers.suite import CHECKS as WRITER_CHECKS

_APPLICATION = {
    **dict.fromkeys(
        ("Candidate", "Message", "Recipe", "Reply", "Request", "Usage"), "engine.domain.values"
    ),
    **dict.fromkeys(("Metered", "ProviderDown", "Writer"), "engine.llm.base"),
    "WRITER_CHECKS": "engine.runtime.writers.suite",
    "Caps": "engine.domain.specs.settings",
    "Run": "engine.api.run",
    "RunRequest": "engine.api.resolve",
    "RunStore": "engine.api.store",
    "Study": "engine.api.study",
    "bench": "engine.api.measure.scripts",
    "diagnose": "engine.api.measure.scripts",
    "evaluate": "engine.api.measure.scripts",
    "forecast": "engine.api.forecast",
    "forecast_study": "engine.api.forecast",
    "open_store": "engine.api.store",
    "start_run": "engine.api.run",
    "start_study": "engine.api.study",
    "tune": "engine.api.measure.scripts",
}
"""Where the application layer's names are, loaded when first used: a user's problem imports this
module too, in processes that shall hold little else."""

_CALLED = {"WRITER_CHECKS": "CHECKS"}
"""What is called otherwise where it lies."""


def __getattr__(name: str) -> Any:
    """A name of the application layer. Raises AttributeError for no such name."""
    if name in _APPLICATION:
        return getattr(import_module(_APPLICATION[name]), _CALLED.get(name, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "PROBLEM_CHECKS",
    "TEACHER_CHECKS",
    "WRITER_CHECKS",
    "Argument",
    "BadModule",
    "Candidate",
    "Caps",
    "Contract",
    "Decision",
    "FastReplay",
    "FastRollout",
    "Field",
    "InstanceSet",
    "InvalidAction",
    "Message",
    "Metered",
    "PreceptorError",
    "Problem",
    "ProblemRef",
    "ProviderDown",
    "Recipe",
    "Reply",
    "Request",
    "Rollout",
    "Rule",
    "Run",
    "RunRequest",
    "RunStore",
    "Study",
    "Teacher",
    "UnknownName",
    "Usage",
    "UserError",
    "Verdict",
    "Writer",
    "bench",
    "decisions",
    "diagnose",
    "evaluate",
    "forecast",
    "forecast_study",
    "load_problem",
    "open_store",
    "start_run",
    "start_study",
    "tune",
    "verdict",
]

if __name__ == "__main__":
    from tui.__main__ import main

    main()
