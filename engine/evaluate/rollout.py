"""What runs inside the sandbox: a program on every instance; its errors become failures."""

from __future__ import annotations

import os
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from typing import TYPE_CHECKING, Any

from engine.domain.values import Failure
from engine.evaluate.compiled.compile import try_compiled
from engine.evaluate.sandbox.messages import pack_actions, pack_failure
from problems.base import Compilable, FastRollout
from problems.base import rollout as plain_rollout
from problems.errors import InvalidAction

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType

    from engine.evaluate.compiled.compile import Solve
    from problems.base import Function, Problem

FILE = "<program>"
"""The file name of a program, by which its lines are found in a traceback."""

RESERVE = 4 << 20
"""Bytes kept back, so that a program that has used up the memory can still be reported."""


def solve_all(
    problem: Problem,
    instances: Sequence[Any],
    code: str,
    reads: frozenset[str] | None,
    pilots: Sequence[Any],
    channel: int,
) -> None:
    """Solve the instances in order and send each as it is finished; a failure ends the run.

    `channel` is the descriptor to send on, `reads` what the gate found (`FastRollout.rollout`),
    `pilots` the instances on which the program is compiled on trial, none if it is not to be.
    """
    index = 0
    reserve = mmap(-1, RESERVE, MAP_PRIVATE | MAP_ANONYMOUS)
    try:
        solve = _choose_solver(problem, code, reads, pilots)
        for index, instance in enumerate(instances):
            _send(channel, pack_actions(index, solve(instance)))
    except BaseException as error:  # SystemExit and KeyboardInterrupt are a program's doing too
        reserve.close()
        _send(channel, pack_failure(index, _explain(error, index)))


def _choose_solver(
    problem: Problem, code: str, reads: frozenset[str] | None, pilots: Sequence[Any]
) -> Solve:
    """How a program solves an instance: compiled, where that is possible, or as it stands."""
    text = compile(code, FILE, "exec", dont_inherit=True)
    name = problem.contract.function

    def plain(instance: Any) -> Sequence[int]:
        return _solve(problem, _define(text, name), instance, reads)

    if pilots and isinstance(problem, Compilable):
        return try_compiled(problem, code, name, plain, pilots)
    return plain


def _define(compiled: CodeType, name: str) -> Function:
    """The program's function in a fresh namespace, so that nothing outlives an instance."""
    namespace: dict[str, Any] = {"__name__": "program"}
    exec(compiled, namespace)
    return namespace[name]


def _solve(
    problem: Problem, function: Function, instance: Any, reads: frozenset[str] | None
) -> Sequence[int]:
    if isinstance(problem, FastRollout):
        return problem.rollout(function, instance, reads)
    return plain_rollout(problem, function, instance).actions


def _send(channel: int, message: bytes) -> None:
    rest = memoryview(message)
    while rest:
        rest = rest[os.write(channel, rest) :]


def _explain(error: BaseException, index: int) -> Failure:
    """The failure of instance `index`; one on the very first counts as a failed smoke test."""
    where = f"({_step(error)}instance {index})"
    line = _line(error)
    match error:
        case MemoryError():
            return Failure("memory", f"the memory limit was reached {where}", line)
        case InvalidAction():
            text = _text(error)
            kind = "non-finite" if text.startswith("non-finite") else "invalid action"
            return Failure(kind, f"{text} {where}", line)  # type: ignore[arg-type]
        case SyntaxError():
            return Failure("parse", f"{error.msg}", error.lineno, repairable=True)
    message = f"{type(error).__name__}: {_text(error)} {where}"
    if index == 0:
        return Failure("smoke", message, line, repairable=True)
    return Failure("exception", message, line)


def _text(error: BaseException) -> str:
    """What an error says; the class may be the program's own, and then even that can fail."""
    try:
        return str(error)
    except BaseException:
        return "(an error without words)"


def _step(error: BaseException) -> str:
    """The step that a rollout has noted on an error, with a comma; nothing without a note."""
    try:
        return f"{error.__notes__[-1]}, "
    except BaseException:
        return ""


def _line(error: BaseException) -> int | None:
    """The program's own line closest to the error."""
    line = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line
