"""Preceptor from Python: runs, studies and measurements to start, the seams to implement.

- search: `start_run(RunRequest(...))`, `start_study`, `open_store` give a `Run`, a `Study`;
  `forecast` tells first what one would cost; raise `Stop` in a callback of `Run.wait` to end it;
- look: `Run.table` and `Study.table` for data frames; `plot.curve`, `plot.front`, `plot.heldout`;
- measure a function, file or rule: `evaluate`, `bench`, `diagnose`, `tune`;
- make a problem of a function that evaluates: `problem`;
- implement: `Problem`, `WholeFunction`, `EvaluatorProblem`, `EnvironmentProblem`, `Teacher`,
  `Writer`, with a suite of checks for each: `PROBLEM_CHECKS` and so on;
- every error that we foresee is a `PreceptorError`: one sentence of what to do.

Example: `from preceptor import start_run; print(start_run("jssp").wait().best)`
"""

from __future__ import annotations

TYPE_CHECKING = False  # nothing is imported before `main` receives a Ctrl-C
if TYPE_CHECKING:
    from typing import Any

    from engine.api.forecast import forecast, forecast_study
    from engine.api.measure.scripts import bench, diagnose, evaluate, tune
    from engine.api.resolve import RunRequest
    from engine.api.run import Run, Stop, start_run
    from engine.api.store import RunStore, open_store
    from engine.api.study import Study, start_study
    from engine.domain.specs.settings import Caps
    from engine.domain.values import Candidate, Message, Recipe, Reply, Request, Usage
    from engine.llm.base import Metered, ProviderDown, Writer
    from engine.report import axes as plot
    from engine.runtime.writers.suite import CHECKS as WRITER_CHECKS
    from problems import ProblemRef
    from problems import load as load_problem
    from problems.base import (
        Argument,
        Contract,
        Decision,
        Field,
        InstanceSet,
        Problem,
        Rollout,
        Rule,
    )
    from problems.conformance import CHECKS as PROBLEM_CHECKS
    from problems.environment import EnvironmentProblem
    from problems.errors import BadModule, InvalidAction, PreceptorError, UnknownName, UserError
    from problems.evaluator import EvaluatorProblem
    from problems.whole import WholeFunction
    from teachers.base import Teacher, Verdict, verdict
    from teachers.conformance import CHECKS as TEACHER_CHECKS
    from teachers.conformance import decisions
    from tui.template import make_problem as problem

_HOMES = {
    "engine.api.forecast": ("forecast", "forecast_study"),
    "engine.api.measure.scripts": ("bench", "diagnose", "evaluate", "tune"),
    "engine.api.resolve": ("RunRequest",),
    "engine.api.run": ("Run", "Stop", "start_run"),
    "engine.api.store": ("RunStore", "open_store"),
    "engine.api.study": ("Study", "start_study"),
    "engine.domain.specs.settings": ("Caps",),
    "engine.domain.values": ("Candidate", "Message", "Recipe", "Reply", "Request", "Usage"),
    "engine.llm.base": ("Metered", "ProviderDown", "Writer"),
    "engine.runtime.writers.suite": ("WRITER_CHECKS",),
    "problems": ("ProblemRef", "load_problem"),
    "problems.base": (
        *("Argument", "Contract", "Decision", "Field", "InstanceSet", "Problem", "Rollout"),
        "Rule",
    ),
    "problems.environment": ("EnvironmentProblem",),
    "problems.evaluator": ("EvaluatorProblem",),
    "problems.errors": (
        *("BadModule", "InvalidAction", "PreceptorError", "UnknownName", "UserError"),
    ),
    "problems.conformance": ("PROBLEM_CHECKS",),
    "problems.whole": ("WholeFunction",),
    "teachers.base": ("Teacher", "Verdict", "verdict"),
    "teachers.conformance": ("TEACHER_CHECKS", "decisions"),
    "tui.template": ("problem",),
}
"""Where the names are, each loaded when it is first used: a user's problem imports this module,
too, in processes that shall hold little else."""

_CALLED = {
    "PROBLEM_CHECKS": "CHECKS",
    "TEACHER_CHECKS": "CHECKS",
    "WRITER_CHECKS": "CHECKS",
    "load_problem": "load",
    "problem": "make_problem",
}
"""What is called otherwise where it lies."""

_PARENT = f"{__name__}." if "__path__" in globals() else ""
"""What stands before the names of packages: nothing in the source tree, where they lie beside
this file; an installation has them below `preceptor` (hatch_build.py)."""


def __getattr__(name: str) -> Any:
    """A name of `__all__`. Raises AttributeError for any other."""
    from importlib import import_module

    if name == "plot":
        return import_module(f"{_PARENT}engine.report.axes")
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(_PARENT + home), _CALLED.get(name, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The names of `__all__`, for tab completion and `help`."""
    return [*__all__]


async def carry_out(assignment: bytes, task: bytes, key: str) -> Any:
    """What an engine has the workers of a Dask cluster do (`engine/runtime/executors`).

    It lies here because this module has one name in a source tree and in an installation.
    """
    from engine.runtime.executors.worker import carry_out as carry_out_there

    return await carry_out_there(assignment, task, key)


async def describe(problem: str, options: Any) -> dict[str, Any]:
    """What a worker of a Dask cluster reports of itself to an engine, as `carry_out`."""
    from asyncio import to_thread

    from engine.runtime.executors.worker import describe as describe_there

    return await to_thread(describe_there, problem, options)


def main() -> None:
    """The command `preceptor`."""
    from tui.__main__ import main as run_command

    run_command()


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
    "EnvironmentProblem",
    "EvaluatorProblem",
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
    "Stop",
    "Study",
    "Teacher",
    "UnknownName",
    "Usage",
    "UserError",
    "Verdict",
    "WholeFunction",
    "Writer",
    "bench",
    "decisions",
    "diagnose",
    "evaluate",
    "forecast",
    "forecast_study",
    "load_problem",
    "open_store",
    "plot",
    "problem",
    "start_run",
    "start_study",
    "tune",
    "verdict",
]

if __name__ == "__main__":  # of the source tree; an installation has a file for it
    import sys
    from pathlib import Path

    sys.path.insert(0, str(Path(__file__).parent))  # before any `problems.py` of this folder
    main()
