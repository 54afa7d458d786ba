"""How the process of a proof asks a program: each time another definition at another address.

An answer that hangs on where a function or an object lies in memory is another one then.
"""

from __future__ import annotations

import sys
import time
from itertools import cycle, islice, takewhile
from typing import TYPE_CHECKING, Any

from problems.base import FastRollout, rollout, visited

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from engine.evaluate.compiled.compile import Solve
    from problems.base import Function, Problem

END = 0.005
"""CPU seconds kept back for the end of the process."""

COPIES = 9
"""Definitions of the program, all alive, that answer in turn."""

DEFINING = 0.002
"""CPU seconds from which on no more are made."""

SMALL = range(48, 273, 16)
"""Sizes of small objects for which Python keeps free places apart, in bytes."""

EMPTY = sys.getsizeof(b"")


def ask_again(
    problem: Problem,
    instances: Sequence[Any],
    define: Callable[[], Function],
    request: Mapping[str, Any],
    send: Callable[[int, Sequence[int]], None],
    compiled: Callable[[], Solve | None] = lambda: None,
) -> None:
    """Answer group by group (`proof.Group`), after some while the time allows.

    The last answer may be cut short.

    `compiled` makes what solves a whole instance, None where the program is not compiled.
    """
    asked = _Asked(problem, define, request["reads"])
    clock = _Clock(request["seconds"] - END)
    walk: Solve | None = asked.walk
    for number, (index, steps, actions, walks) in enumerate(request["again"]):
        if number == request["always"]:
            clock.ticks = True
            walk = compiled() if request["pilots"] else walk
        if clock.is_over(len(actions)) or (walks and walk is None):
            return
        try:
            if walks and walk is not None:
                answers = walk(instances[index], ())
            else:
                states = clock.time_walk(problem, instances[index], actions)
                left = takewhile(lambda _: not clock.is_over(), steps)
                answers = [asked.answer(states[step], step) for step in left]
        except Exception as error:
            error.add_note(f"asked again, {_step(error)}instance {index}")
            raise
        send(number, answers)


def _step(error: Exception) -> str:
    return "".join(f"{note}, " for note in getattr(error, "__notes__", ())[-1:])


class _Clock:
    """CPU time of the process, once it ticks, and what it takes to walk to a state."""

    def __init__(self, end: float) -> None:
        self.end = end
        self.ticks = False
        self.seconds = 0.0
        self.steps = 0

    def is_over(self, steps: int = 0) -> bool:
        """Whether the time does not do for walking so many steps."""
        walk = steps * self.seconds / max(1, self.steps)
        return self.ticks and time.process_time() + walk > self.end

    def time_walk(self, problem: Problem, instance: Any, actions: Sequence[int]) -> list[Any]:
        """The states that actions lead through, and the one they lead to."""
        started = time.process_time()
        walk = visited(problem, instance, [*actions, 0])
        states = list(islice(walk, len(actions) + 1))  # the last action, any, is not taken
        self.seconds += time.process_time() - started
        self.steps += len(actions)
        return states


class _Asked:
    """A program that is defined again and again: no two answers can hang on the same address."""

    def __init__(
        self, problem: Problem, define: Callable[[], Function], reads: Sequence[str] | None
    ) -> None:
        self.problem = problem
        self.define = define
        self.reads = None if reads is None else frozenset(reads)
        self.functions: list[Function] = []
        self.seconds = 0.0  # of the definitions
        self.count = 0
        self.held: list[object] = []

    def answer(self, state: Any, step: int) -> int:
        """The action in a state."""
        try:
            return self.problem.decide(self.next(), state)
        except Exception as error:
            error.add_note(f"step {step}")
            raise

    def walk(self, instance: Any, forced: Sequence[int]) -> Sequence[int]:
        """The actions of an instance; every call goes to another function."""
        turns = cycle([self.next() for _ in range(COPIES)])

        def function(*arguments: object) -> object:
            return next(turns)(*arguments)

        if isinstance(self.problem, FastRollout):
            return self.problem.rollout(function, instance, self.reads, forced)
        return rollout(self.problem, function, instance, forced).actions

    def next(self) -> Function:
        """The next function, a new one at first, with the next free places taken away."""
        self.held.append(occupy(1 + self.count % 3))
        if len(self.functions) < COPIES and (self.count < 2 or self.seconds < DEFINING):
            started = time.process_time()
            self.functions.append(self.define())
            self.seconds += time.process_time() - started
        self.count += 1
        return self.functions[(self.count - 1) % len(self.functions)]


def occupy(count: int) -> list[object]:
    """Objects that take the next `count` places of every size, for as long as they are held."""
    taken: list[object] = []
    for _ in range(count):
        taken += [bytes(size - EMPTY) for size in SMALL]
        taken += [object(), float(count), [], {}, (count, 0)]
    return taken
