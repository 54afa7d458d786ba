"""What runs inside the sandbox: a program on every instance; its errors become failures.

A proof asks it in turns: one call after the other goes to another definition of it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from traceback import walk_tb
from types import CodeType, ModuleType
from typing import Any

from engine.domain.values import Failure
from engine.evaluate.compiled.compile import Variants, compile_rule
from engine.evaluate.constants import Changed, check_unchanged, fingerprints, settle_unset
from engine.evaluate.sandbox.messages import (
    MESSAGE,
    pack_actions,
    pack_compiling,
    pack_failure,
    pack_refused,
)
from problems.base import Function, Problem, has_own
from problems.base import rollout as plain_rollout
from problems.errors import InvalidAction
from problems.own_code import Overlong, blame, blame_call

Solve = Callable[[Any, Sequence[int]], Sequence[int]]
"""From an instance and the actions that are forced at its beginning to all actions."""

FILE = "<program>"
"""The file name of a program, by which its lines are found in a traceback."""

UNSET = 0x7B
"""The byte in unset arrays of a program that is asked again: large numbers of any type."""

TRIED = 2
"""Instances that Python solves first, and on which a compiled rule has to do the same."""

COMPILING = 0.25
"""CPU seconds that numba takes for a rule, about."""

RESERVE = 4 << 20
"""Bytes kept back, so that a program that has used up the memory can still be reported."""


def solve_all(
    problem: Problem,
    instances: Sequence[Any],
    code: str,
    reads: frozenset[str] | None,
    compiled_within: float | None,
    channel: int,
    watched: bool = False,
    skip: int = 0,
    alike: bool = False,
) -> None:
    """Solve the instances in order and send each as it is finished; a failure ends the run.

    `channel` is the descriptor to send on, `reads` what the gate found (`Problem.rollout`).
    A rule is compiled where that pays; compiling aside, it may then take `compiled_within` CPU
    seconds, None if it is not to be compiled. `watched` programs may not change what they
    keep. The first `skip` instances are left out: they were solved before. A program that is
    `alike` was found before to act in machine code as in Python.
    """
    index = skip
    reserve = mmap(-1, RESERVE, MAP_PRIVATE | MAP_ANONYMOUS)
    try:
        plain = _plain_solver(problem, code, reads, compiled_within is None, watched)
        jobs = [(instance, ()) for instance in instances[skip:]]
        how = (compiled_within, channel, alike)
        for actions in _solve_jobs(problem, code, reads, plain, jobs, *how):
            _send(channel, pack_actions(index, actions))
            index += 1
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
    compiled_within: float | None,
    channel: int,
) -> None:
    """Let a program continue after the actions forced on an instance, and send each whole walk.

    The others as in `solve_all`. Where the program fails, in a state that it would not have come
    to, nothing but an empty walk is sent, and the next one is tried.
    """
    plain = _plain_solver(problem, code, reads, compiled_within is None)

    def solve(instance: Any, forced: Sequence[int]) -> Sequence[int]:
        try:
            return plain(instance, forced)
        except (Exception, Overlong):
            return ()

    walks = _solve_jobs(problem, code, reads, solve, prefixes, compiled_within, channel)
    for index, actions in enumerate(walks):
        _send(channel, pack_actions(index, actions))


def try_variants(
    problem: Problem, instances: Sequence[Any], request: Mapping[str, Any], channel: int
) -> None:
    """Send the walks of programs that differ in numbers alone, those of the first program first.

    A request says which programs, on which instances, and the CPU seconds of each program. When it
    is answered the next is read from the channel, until that is closed. Programs are compiled when
    they differ from those before in more than the numbers that those differed in. The process ends
    where they cannot be, or the first does not do what it does in Python; where a program fails,
    an empty walk is sent. `channel` as in `solve_all`.
    """
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    kernel = problem.kernel()
    variants: Variants | None = None
    with open(channel, "rb", closefd=False) as lines, suppress(Exception):
        while request:
            reads = None if request["reads"] is None else frozenset(request["reads"])
            codes = request["variants"]
            chosen = [instances[index] for index in request["chosen"]]
            if variants is None or not variants.load(codes):
                started = time.process_time()
                variants = Variants(codes, problem.contract, kernel)
                _send(channel, pack_compiling(time.process_time() - started))
                plain = _plain_solver(problem, codes[0], reads, alone=False)
                variants.choose(0)
                for instance in chosen[:TRIED]:
                    if kernel.walk(variants.function, instance, reads) != [*plain(instance, ())]:
                        return
            for number in range(len(codes)):
                variants.choose(number)
                end = time.process_time() + request["seconds"]
                for place, instance in enumerate(chosen, start=number * len(chosen)):
                    walk: Sequence[int] = ()
                    if time.process_time() < end:
                        with suppress(Exception):
                            walk = kernel.walk(variants.function, instance, reads)
                    _send(channel, pack_actions(place, walk))
            request = json.loads(lines.readline() or "null")


def answer_again(
    problem: Problem, instances: Sequence[Any], request: Mapping[str, Any], channel: int
) -> None:
    """Solve the instance of a proof (`proof.as_request`) again; a failure ends it."""
    code = request["code"]
    settle_unset(code, UNSET)
    text = _compile(code)
    reserve = mmap(-1, RESERVE, MAP_PRIVATE | MAP_ANONYMOUS)
    reads = None if request["reads"] is None else frozenset(request["reads"])
    try:

        def define() -> Function:
            return _define(text, problem.contract.function)[0]

        function = define() if problem.contract.whole else take_turns(define)
        actions = _solve(problem, function, instances[request["again"]], reads, ())
        _send(channel, pack_actions(0, actions))
    except BaseException as error:
        reserve.close()
        _send(channel, pack_failure(0, _explain(error, 1)))


def _plain_solver(
    problem: Problem, code: str, reads: frozenset[str] | None, alone: bool, watched: bool = False
) -> Solve:
    """How Python solves an instance with a program, `alone` or before machine code does."""
    if alone:  # what is compiled has no such arrays, and numba needs NumPy's own
        settle_unset(code, 0)
    text = _compile(code)
    name = problem.contract.function
    once = problem.contract.whole and "numba" in code  # or it would be compiled for every instance
    kept = _define(text, name) if once else None

    def plain(instance: Any, forced: Sequence[int]) -> Sequence[int]:
        function, namespace = kept or _define(text, name)
        if not watched:
            return _solve(problem, function, instance, reads, forced)
        before = fingerprints(namespace)
        actions = _solve(problem, function, instance, reads, forced)
        check_unchanged(before, namespace)
        return actions

    return plain


def _solve_jobs(
    problem: Problem,
    code: str,
    reads: frozenset[str] | None,
    plain: Solve,
    jobs: Sequence[tuple[Any, Sequence[int]]],
    compiled_within: float | None,
    channel: int,
    alike: bool = False,
) -> Iterator[Sequence[int]]:
    """Instances, each with forced actions, one after the other.

    The first few are solved by Python, none where machine code is known to act `alike`. Where what
    is left would take it longer than compiling, the program is compiled, if it then takes the same
    actions on these few: it never matters for what comes out, only for how long it takes. CPU time
    spent on compiling is reported; with it what Python took for these few, where the program is
    compiled.
    """
    started = time.process_time()
    done = []
    for instance, forced in jobs[: 0 if alike else TRIED]:
        done.append(plain(instance, forced))
        yield done[-1]
    spent = time.process_time() - started
    walk = plain
    worth_it = alike or spent * (len(jobs) - len(done)) > COMPILING * len(done)
    if compiled_within is not None and worth_it:
        walk, compiled = _compile_walk(
            problem, code, reads, plain, compiled_within, spent, channel
        )
        aside = time.process_time() - started
        tried = zip(jobs, done, strict=False)
        if any(list(walk(*job)) != list(actions) for job, actions in tried):
            walk = plain
            _send(channel, pack_refused("it would act otherwise"))
        elif compiled:
            _send(channel, pack_compiling(aside))
    for instance, forced in jobs[len(done) :]:
        yield walk(instance, forced)


def _compile_walk(
    problem: Problem,
    code: str,
    reads: frozenset[str] | None,
    plain: Solve,
    seconds: float,
    spent: float,
    channel: int,
) -> tuple[Solve, bool]:
    """The solver in machine code and True; `plain` under a limit and False where there is none.

    The program may take `seconds` of CPU time; what Python has `spent` before counts where there
    is no machine code. Where it fails on an instance, Python solves that instance: it
    fails there, too, and says how, or the failure was numba's alone.
    """
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)  # from here on this process looks at its time
    started = time.process_time()
    try:
        kernel = problem.kernel()
        function = compile_rule(code, problem.contract, kernel)
    except Exception as error:  # numba has many ways to say no
        function = None
        _send(channel, pack_refused(_name_refused(error)))
    compiling = time.process_time() - started
    _send(channel, pack_compiling(compiling))
    end = seconds + compiling + (spent if function else 0.0)

    def walk(instance: Any, forced: Sequence[int]) -> Sequence[int]:
        if time.process_time() > end:
            raise TookTooLong
        if function is None or not kernel.fits(instance):
            return plain(instance, forced)
        try:
            actions: Sequence[int] = kernel.walk(function, instance, reads, forced)
        except Exception as error:
            _send(channel, pack_refused(str(error) or type(error).__name__))
            return plain(instance, forced)
        return actions

    return walk, function is not None


def _name_refused(error: Exception) -> str:
    """What of a program numba has no machine code for, such as `numpy.full(float64, int64)`."""
    named = re.search(r">>> (.+)", str(error))
    return f"numba has no {named[1]}" if named else type(error).__name__


def _compile(code: str) -> CodeType:
    return compile(code, FILE, "exec", dont_inherit=True)


def _define(compiled: CodeType, name: str) -> tuple[Function, dict[str, Any]]:
    """The program's function, in a fresh namespace, so that nothing outlives an instance."""
    module = ModuleType("program")
    sys.modules["program"] = module  # where dataclasses look up annotations
    exec(compiled, vars(module))
    return vars(module)[name], vars(module)


def _solve(
    problem: Problem,
    function: Function,
    instance: Any,
    reads: frozenset[str] | None,
    forced: Sequence[int],
) -> Sequence[int]:
    if has_own(problem, "rollout"):
        return problem.rollout(function, instance, reads, forced)
    return _plain_walk(problem, function, instance, forced)


class TookTooLong(Exception):
    """A program has used up its CPU time."""


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
    except (Exception, Overlong) as error:
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
    with suppress(Exception, Overlong):
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
        case TookTooLong():
            return Failure("timeout", "the CPU time is used up")
        case Changed():
            return Failure("nondeterministic", f"{error} {where}", line, repairable=True)
        case MemoryError():
            return Failure("memory", f"the memory limit was reached {where}", line)
        case InvalidAction():
            text = _text(error)
            kind = "non-finite" if text.startswith("non-finite") else "invalid action"
            return Failure(kind, f"{text} {where}", line)  # type: ignore[arg-type]
        case Overlong():
            return Failure("exception", f"{blame_call(error)} {where}")
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


COPIES = 9
"""Definitions of the program, all alive, that answer in turn."""

DEFINING = 0.002
"""CPU seconds from which on no more are made."""

SMALL = range(48, 273, 16)
"""Sizes of small objects for which Python keeps free places apart, in bytes."""

EMPTY = sys.getsizeof(b"")

OCCUPIED = 64
"""Calls before which free places are taken away."""


def take_turns(define: Callable[[], Function]) -> Function:
    """A function whose calls go to several definitions in turn; two of them at least."""
    functions: list[Function] = []
    held: list[object] = []
    count = 0
    seconds = 0.0

    def function(*arguments: Any) -> object:
        nonlocal count, seconds
        if count < OCCUPIED:
            held.append(occupy(1 + count % 3))
            held.append((iter(()), iter(())))  # where loops of `occupy` have left free places
        if len(functions) < COPIES and (count < 2 or seconds < DEFINING):
            started = time.process_time()
            functions.append(define())
            seconds += time.process_time() - started
        count += 1
        return functions[(count - 1) % len(functions)](*arguments)

    return function


def occupy(count: int) -> list[object]:
    """Objects that take the next `count` places of every size, for as long as they are held."""
    taken: list[object] = []
    for _ in range(count):
        taken += [bytes(size - EMPTY) for size in SMALL]
        taken += [object(), float(count), [], {}, (count, 0)]
    return taken
