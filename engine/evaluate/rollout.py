"""What runs inside the sandbox: a program on every instance; its errors become failures."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from traceback import walk_tb
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from engine.domain.values import Failure
from engine.evaluate.asking import ask_again
from engine.evaluate.compiled.compile import try_faster
from engine.evaluate.constants import (
    Changed,
    check_unchanged,
    digest,
    fingerprints,
    plain_caches,
    settle_unset,
    shared_arrays,
)
from engine.evaluate.sandbox.messages import MESSAGE, pack_actions, pack_failure
from engine.evaluate.texts import Texts
from problems.base import Compilable, FastRollout, seek
from problems.base import rollout as plain_rollout
from problems.errors import InvalidAction
from problems.own_code import blame

if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence
    from types import CodeType

    from engine.evaluate.compiled.compile import Helpers, Solve
    from problems.base import Function, Problem

FILE = "<program>"
"""The file name of a program, by which its lines are found in a traceback."""

UNSET = 0x7B
"""The byte in unset arrays of a program that is asked again: large numbers of any type."""

AGAIN = 20
"""Instances after which a compiled program is asked the first one again."""

RESERVE = 4 << 20
"""Bytes kept back, so that a program that has used up the memory can still be reported."""


def solve_all(
    problem: Problem,
    instances: Sequence[Any],
    code: str,
    reads: frozenset[str] | None,
    pilots: Sequence[Any],
    channel: int,
    watched: bool = False,
    skip: int = 0,
) -> None:
    """Solve the instances in order and send each as it is finished; a failure ends the run.

    `channel` is the descriptor to send on, `reads` what the gate found (`FastRollout.rollout`),
    `pilots` the instances on which the program is compiled on trial, none if it is not to be.
    `watched` programs may change neither what they keep nor what they are given. The first `skip`
    instances are left out: they were solved before.
    """
    index = skip
    reserve = mmap(-1, RESERVE, MAP_PRIVATE | MAP_ANONYMOUS)
    if not pilots:  # numba would stumble
        settle_unset(code, 0)
    try:
        solve = _choose_solver(problem, code, reads, pilots, watched)
        for index, instance in enumerate(instances[skip:], start=skip):
            _send(channel, pack_actions(index, solve(instance, ())))
    except RulesFailed as failed:
        _send(channel, pack_actions(index, failed.actions))
    except BaseException as error:  # SystemExit and KeyboardInterrupt are a program's doing too
        reserve.close()
        _send(channel, pack_failure(index, _explain(error, index)))


def continue_from(
    problem: Problem,
    prefixes: Sequence[tuple[Any, Sequence[int]]],
    code: str,
    reads: frozenset[str] | None,
    pilots: Sequence[Any],
    channel: int,
) -> None:
    """Let a program go on after the actions forced on an instance, and send each whole walk.

    `reads`, `pilots` and `channel` as in `solve_all`. Where the program fails, in a state that it
    would not have come to, nothing but an empty walk is sent, and the next one is tried.
    """
    if not pilots:
        settle_unset(code, 0)
    solve = _choose_solver(problem, code, reads, pilots, watched=False)
    for index, (instance, forced) in enumerate(prefixes):
        try:
            walk = pack_actions(index, solve(instance, forced))
        except Exception:
            walk = pack_actions(index, ())
        _send(channel, walk)


def answer(
    problem: Problem,
    walks: Sequence[tuple[Any, Sequence[int], Sequence[int]]],
    code: str,
    channel: int,
) -> None:
    """Send what a program would do at some steps of each walk: an instance, actions, the steps.

    Nothing but an empty answer is sent for a walk in which the program fails. `channel` as in
    `solve_all`.
    """
    settle_unset(code, 0)
    text = _compile(code)
    for index, (instance, actions, steps) in enumerate(walks):
        try:
            function, _ = _define(text, problem.contract.function)
            states = seek(problem, instance, actions, steps)
            found = pack_actions(index, [problem.decide(function, states[k]) for k in steps])
        except Exception:
            found = pack_actions(index, ())
        _send(channel, found)


def answer_again(
    problem: Problem,
    instances: Sequence[Any],
    request: Mapping[str, Any],
    pilots: Sequence[Any],
    channel: int,
) -> None:
    """Answer the questions of a proof (`proof.as_request`); a failure ends it."""
    code = request["code"]
    settle_unset(code, UNSET)
    texts = Texts()
    text = _compile(texts.watched(code) if request["texts"] else code)
    name = problem.contract.function
    reserve = mmap(-1, RESERVE, MAP_PRIVATE | MAP_ANONYMOUS)
    sent = list[int]()

    def send(number: int, actions: Sequence[int]) -> None:
        if texts.found:
            raise Changed(f"the program makes text of {texts.found[0]}")
        _send(channel, pack_actions(number, actions))
        sent.append(number)

    def define() -> Function:
        return _define(text, name, texts.names)[0]

    def plain(
        instance: Any, forced: Sequence[int], helpers: Helpers | None = None
    ) -> Sequence[int]:
        function, namespace = _define(text, name, texts.names)
        if helpers is not None:
            helpers.install(namespace)
        return _solve(problem, function, instance, None, forced)

    def compiled() -> Solve | None:
        if not isinstance(problem, Compilable):
            return None
        solve = try_faster(problem, code, name, plain, pilots, None)
        return None if solve is plain else solve

    try:
        ask_again(problem, instances, define, request, send, compiled)
    except BaseException as error:
        reserve.close()
        _send(channel, pack_failure(len(sent), _explain(error, 1)))


def _choose_solver(
    problem: Problem,
    code: str,
    reads: frozenset[str] | None,
    pilots: Sequence[Any],
    watched: bool,
) -> Solve:
    """How a program solves an instance: compiled, where that is possible, or as it stands."""
    text = _compile(code)
    name = problem.contract.function

    def plain(
        instance: Any, forced: Sequence[int], helpers: Helpers | None = None
    ) -> Sequence[int]:
        function, namespace = _define(text, name)
        if helpers is not None:
            helpers.install(namespace)
        if not watched:
            return _solve(problem, function, instance, reads, forced)
        before = fingerprints(namespace)
        arrays = shared_arrays(problem, instance)
        held = digest(arrays)
        actions = _solve(problem, function, instance, reads, forced)
        check_unchanged(before, namespace)
        if digest(arrays) != held:
            raise Changed("the program wrote to the arrays that it is given")
        return actions

    if pilots and isinstance(problem, Compilable):
        solve = try_faster(problem, code, name, plain, pilots, reads)
        return plain if solve is plain else _asked_twice(solve)
    return plain


def _asked_twice(solve: Solve) -> Solve:
    """The same, but every so many instances the first one is solved again."""
    solved: list[tuple[Any, Sequence[int], Sequence[int]]] = []

    def asked(instance: Any, forced: Sequence[int]) -> Sequence[int]:
        solved.append((instance, forced, solve(instance, forced)))
        if len(solved) % AGAIN == 0:
            first, given, actions = solved[0]
            if solve(first, given) != actions:
                raise Changed("the compiled program decides differently when it is asked again")
        return solved[-1][2]

    return asked


def _compile(code: str | ast.Module) -> CodeType:
    return compile(code, FILE, "exec", dont_inherit=True)


def _define(
    compiled: CodeType, name: str, known: Mapping[str, object] = MappingProxyType({})
) -> tuple[Function, dict[str, Any]]:
    """The program's function, in a fresh namespace, so that nothing outlives an instance."""
    module = ModuleType("program")
    vars(module).update(known)
    sys.modules["program"] = module  # where dataclasses look up annotations
    with plain_caches():
        exec(compiled, vars(module))
    return vars(module)[name], vars(module)


def _solve(
    problem: Problem,
    function: Function,
    instance: Any,
    reads: frozenset[str] | None,
    forced: Sequence[int],
) -> Sequence[int]:
    if isinstance(problem, FastRollout):
        return problem.rollout(function, instance, reads, forced)
    return _plain_walk(problem, function, instance, forced)


class RulesFailed(Exception):
    """The rules of a problem failed where a program has no say, after these `actions`.

    They are claimed as if they solved the instance: the engine finds the same out on replaying
    them, and need not believe what a child says of its problem.
    """

    def __init__(self, actions: Sequence[int]) -> None:
        super().__init__("the rules failed")
        self.actions = actions


def _plain_walk(
    problem: Problem, function: Function, instance: Any, forced: Sequence[int]
) -> Sequence[int]:
    """The plain walk. Raises RulesFailed."""
    try:
        return plain_rollout(problem, function, instance, forced).actions
    except MemoryError:
        raise
    except Exception as error:
        if _has_part(error, FILE, "decide"):
            raise
        taken, feasible = _walk_until_failure(problem, function, instance)
        if not feasible:
            raise
        raise RulesFailed(taken) from error


def _walk_until_failure(
    problem: Problem, function: Function, instance: Any
) -> tuple[list[int], bool]:
    """The actions of a walk up to the one that the rules fail at, and whether all are feasible."""
    taken = list[int]()
    feasible = True
    with suppress(Exception):
        state = problem.start(instance)
        while actions := problem.actions(state):
            taken.append(problem.decide(function, state))
            feasible = taken[-1] in actions
            state = problem.step(state, taken[-1])
    return taken, feasible


def _has_part(error: BaseException, file: str, function: str) -> bool:
    """Whether code of a file, or a function of that name, took part in an error."""
    codes = [frame.f_code for frame, _ in walk_tb(error.__traceback__)]
    return any(code.co_filename == file or code.co_name == function for code in codes)


def _send(channel: int, message: bytes) -> None:
    rest = memoryview(message)
    while rest:
        rest = rest[os.write(channel, rest) :]


def _explain(error: BaseException, index: int) -> Failure:
    """The failure of instance `index`; one on the very first counts as a failed smoke test."""
    where = f"({_step(error)}instance {index})"
    line = _line(error)
    match error:
        case Changed():
            return Failure("nondeterministic", f"{error} {where}", line, repairable=True)
        case MemoryError():
            return Failure("memory", f"the memory limit was reached {where}", line)
        case InvalidAction():
            text = _text(error)
            kind = "non-finite" if text.startswith("non-finite") else "invalid action"
            return Failure(kind, f"{text} {where}", line)  # type: ignore[arg-type]
        case SyntaxError() if line is None:  # of the program's text, not raised by the program
            return Failure("parse", f"{error.msg}", error.lineno, repairable=True)
    said = f"{type(error).__name__}: {_text(error)}"
    message = f"{(blame(error) if line is None else None) or said} {where}"
    if index == 0:
        return Failure("smoke", message, line, repairable=True)
    return Failure("exception", message, line)


def _text(error: BaseException) -> str:
    """What an error says; the class may be the program's own, and then even that can fail."""
    try:
        return str(error)[:MESSAGE]
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
