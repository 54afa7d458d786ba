"""What can be measured, however it is given: a function, code, a file, a rule, a teacher."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

from engine.api.resolve import option_words, resolve_settings
from engine.domain.specs.settings import split_options
from engine.domain.values import Candidate, Program
from engine.evaluate.pool import Limits
from engine.runtime.executors.executor import open_executor
from engine.runtime.measure.program_file import RECORDED, extract
from engine.runtime.measure.solvers import (
    Solver,
    SolverResources,
    find_program,
    find_solver,
    find_teacher,
    refuse_whole,
)
from problems.base import Rule
from problems.errors import UserError

__all__ = ["Solver", "SolverResources", "as_solver", "choose_solvers", "open_resources"]

from collections.abc import Sequence

from engine.api.resolve import Options
from engine.domain.specs.settings import Settings
from problems.base import Problem

Solvable = Callable[..., Any] | Candidate | Program | Path | str
"""A function, a program of a run, a file, code, `run:N/ID`, a rule's name or `teacher:NAME`."""


def open_resources(
    problem: str,
    options: Options = (),
    device: str = "auto",
    design: str | None = None,
    patience: float | None = None,
) -> tuple[SolverResources, Settings]:
    """What lets solvers loose on a problem, and the settings.

    A program may take `patience` CPU seconds for a set, unless `options` say `eval_seconds`; None:
    as many as in a run. Raises UnknownName, UserError.
    """
    ref, settings = resolve_settings(problem, options, design)
    if patience is None or "eval_seconds" in split_options(option_words(options)):
        patience = settings.eval_seconds
    limits = Limits(patience, settings.memory_mb)
    return SolverResources(ref, limits, open_executor(settings), device), settings


def choose_solvers(
    problem: Problem,
    rules: Sequence[str],
    programs: Sequence[str],
    teachers: Sequence[str],
    store: Path,
) -> list[Solver]:
    """Rules by name, programs by place, teachers by name; all classical rules without any.

    Raises UnknownName, BadProgram, UserError.
    """
    if teachers:
        refuse_whole(problem)
    named = [find_solver(problem, word) for word in rules]
    named += [find_program(problem, place, store) for place in programs]
    named += [find_teacher(name) for name in teachers]
    return named or [find_solver(problem, rule.name) for rule in problem.rules()]


def as_solver(problem: Problem, given: Solvable, store: Path) -> Solver:
    """The solver that something stands for; `store` holds the runs of `run:N`.

    Raises UserError for a function whose source cannot be found, BadProgram for text without the
    function that the problem asks for, UnknownName.
    """
    if isinstance(given, Candidate):
        return _program(given.id, given.program.code)
    if isinstance(given, Program):
        return _program("program", given.code)
    if not isinstance(given, Path | str):
        name = getattr(given, "__name__", "function")
        text = source_of(given, problem.contract.function)
        return _program(name, extract(text, problem.contract, name))
    word = str(given)
    if "\n" in word:
        return _program("code", extract(word, problem.contract, "the code"))
    if isinstance(given, Path) or word.startswith(RECORDED) or Path(word).suffix == ".py":
        return find_program(problem, word, store)
    return find_solver(problem, word)


def source_of(function: Callable[..., Any], called: str) -> str:
    """The text of a function, which stands alone whatever its annotations mention.

    In it the function is `called` so. Raises UserError where Python has not kept the text, for a
    lambda, and for a function that reads variables of another one.
    """
    name = getattr(function, "__name__", "")
    if name == "<lambda>":
        raise UserError(
            "a lambda has no text of its own; give a function by `def`, text or a file"
        )
    if read := getattr(getattr(function, "__code__", None), "co_freevars", ()):
        names = ", ".join(read)
        raise UserError(
            f"{name} reads {names} of the function around it; give it as a constant or a default"
        )
    try:
        text = dedent(inspect.getsource(function))
    except (OSError, TypeError) as error:
        raise UserError(
            f"the source of {function!r} cannot be found; give the code as text or as a file"
        ) from error
    renamed = re.sub(rf"\b{re.escape(name)}\b", called, text)
    return f"from __future__ import annotations\n{renamed}"


def _program(name: str, code: str) -> Solver:
    return Solver(name, "program", Rule(name, "", code=code))
