"""What `preceptor new` copies out: a problem, a teacher, a writer and a method to start from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.api.evaluator import Evaluated

FILES = {
    "problem": ("problem.py", "data.py", "test_problem.py"),
    "whole": ("problem.py", "data.py", "test_problem.py"),
    "evaluator": ("problem.py", "test_problem.py"),
    "teacher": ("teacher.py", "test_teacher.py"),
    "writer": ("writer.py", "test_writer.py"),
    "method": ("method.toml", "blend.md", "test_method.py"),
}
"""What each of the folders here gives away."""


def write_evaluator(folder: Path, found: Evaluated) -> tuple[str, ...]:
    """Write the folder of a problem that is made of an evaluator; returns the names of its files.

    Raises UserError for a folder that holds something, WorldError when it cannot be written.
    """
    from engine.api.evaluator import write_problem

    return write_problem(f"{__name__}.evaluator", FILES["evaluator"], folder, found)


def make_problem(
    evaluate: Callable[..., Any],
    seeds: Sequence[Callable[..., Any] | str],
    folder: Path | str,
    *,
    task: str = "",
    result: str = "",
    metric: str = "",
    maximize: bool | None = None,
    instances: Sequence[object] | None = None,
    scipy: bool = False,
) -> str:
    """Write the folder of a problem whose programs return what `evaluate` takes; its path.

    `evaluate(solution)` returns a number or a dict, of which `metric` is optimised (a plain number
    and `cost` are minimised, else say `maximize`); with `instances` it is called as
    `evaluate(solution, instance)`. `seeds` are the first programs, functions
    `solve(seed)` or `solve(instance, seed)` or their texts; all take what they read from their own
    file or notebook cell. `task` says what has to be found and `result` what a solution looks
    like: models are told nothing else. Programs may import SciPy with `scipy`. Raises UserError
    for a function that reads more than its file defines, and for a folder that holds something.
    Example: `start_run(problem(evaluate, [solve], "packing", metric="score", maximize=True))`
    """
    from engine.api.evaluator import read_function

    settings = {"TASK": task, "RESULT": result, "METRIC": metric, "MAXIMIZE": maximize}
    settings |= {"SCIPY": scipy}
    told = {name: value for name, value in settings.items() if value not in ("", None)}
    write_evaluator(Path(folder), read_function(evaluate, seeds, instances, told))
    return str(folder)
