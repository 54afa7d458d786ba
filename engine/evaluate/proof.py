"""The proof that a program is a function of its arguments: some decisions are asked again.

A fresh process with another hash seed, other contents of unused memory and another order of
questions has to give the same actions. Every question goes to a definition of the program and to
free memory at addresses of their own. Which are asked depends on the program's text alone; how
many of them, on the CPU time that the evaluation took, so that the proof stays cheap.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any

from engine.domain.values import Failure
from engine.evaluate.sandbox.messages import Malformed, receive
from problems.base import visited

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from engine.evaluate.sandbox.zygote_client import ForkedChild
    from problems.base import Function, Problem

SURROUNDINGS = {"PYTHONHASHSEED": "20011", "MALLOC_PERTURB_": "165"}
"""How the process that asks again differs from the one that evaluates."""

SHARE = 0.1
"""CPU time of the proof as a share of the evaluation's."""

START = 0.008
"""CPU seconds of it that go into the process itself."""

LEAST = 2
"""Groups asked however long they take."""

GROUPS = 16
STEPS = 9
"""Instances looked into, and steps of each."""

COPIES = LEAST * STEPS
"""Definitions of the program, all alive, that answer in turn."""

DEFINING = 0.002
"""CPU seconds from which on no more are made."""

SMALL = range(48, 513, 16)
"""Sizes of small objects for which Python keeps free places apart, in bytes."""

EMPTY = sys.getsizeof(b"")


@dataclass(frozen=True, slots=True)
class QuestionGroup:
    """Steps of one instance, in the order in which they are asked; `actions` lead there."""

    instance: int
    steps: tuple[int, ...]
    actions: tuple[int, ...]


def choose_groups(code: str, claims: Sequence[Sequence[int]]) -> list[QuestionGroup]:
    """A few steps of several instances, last ones first, and then one instance from the start."""
    rng = random.Random(sha256(code.encode("utf-8", "surrogatepass")).digest())
    indices = [index for index, actions in enumerate(claims) if actions]
    rng.shuffle(indices)
    groups = []
    for index in indices[:GROUPS]:
        actions = claims[index]
        steps = sorted(rng.sample(range(len(actions)), min(STEPS, len(actions))), reverse=True)
        groups.append(QuestionGroup(index, tuple(steps), tuple(actions[: steps[0]])))
    for index in indices[:1]:
        actions = claims[index]
        groups.append(QuestionGroup(index, tuple(range(len(actions))), tuple(actions[:-1])))
    return groups


def as_request(
    code: str, set_name: str, groups: Sequence[QuestionGroup], cpu: float
) -> dict[str, object]:
    """The question to a zygote; `cpu` are the seconds of the evaluation."""
    return {
        "code": code,
        "set": set_name,
        "reads": None,
        "pilots": None,
        "again": [[group.instance, group.steps, group.actions] for group in groups],
        "seconds": max(0.0, SHARE * cpu - START),
    }


def ask_again(
    problem: Problem,
    instances: Sequence[Any],
    define: Callable[[], Function],
    request: Mapping[str, Any],
    send: Callable[[int, Sequence[int]], None],
) -> None:
    """In the child: answer group by group until the time is over; an answer may be cut short."""
    end = time.process_time() + request["seconds"]
    asked = _Asked(problem, define)
    for number, (index, steps, actions) in enumerate(request["again"]):
        walk = visited(problem, instances[index], [*actions, 0])
        states = list(islice(walk, len(actions) + 1))  # the last action, any, is not taken
        answers = list[int]()
        for step in steps:
            if number >= LEAST and time.process_time() > end:
                break
            answers.append(asked.answer(states[step], index, step))
        send(number, answers)
        if len(answers) < len(steps):
            return


class _Asked:
    """A program that is defined again and again: no two answers can hang on the same address."""

    def __init__(self, problem: Problem, define: Callable[[], Function]) -> None:
        self.problem = problem
        self.define = define
        self.functions: list[Function] = []
        self.seconds = 0.0  # of the definitions
        self.count = 0
        self.held: list[object] = []

    def answer(self, state: Any, index: int, step: int) -> int:
        """The action at a step of an instance; what the program raises says where it was asked."""
        function = self._next()
        try:
            return self.problem.decide(function, state)
        except Exception as error:
            error.add_note(f"asked again, instance {index}, step {step}")
            raise

    def _next(self) -> Function:
        """The next function, a new one at first, with the next free places taken away."""
        self.count += 1
        self.held.append(occupy(1 + self.count % 3))
        if len(self.functions) < COPIES and (self.count <= LEAST or self.seconds < DEFINING):
            started = time.process_time()
            self.functions.append(self.define())
            self.seconds += time.process_time() - started
        return self.functions[(self.count - 1) % len(self.functions)]


def occupy(count: int) -> list[object]:
    """Objects that take the next `count` places of every size, for as long as they are held."""
    taken: list[object] = []
    for _ in range(count):
        taken += [bytes(size - EMPTY) for size in SMALL]
        taken += [object(), float(count), [], {}, (count, 0)]
    return taken


async def compare(
    child: ForkedChild, groups: Sequence[QuestionGroup], claims: Sequence[Sequence[int]]
) -> Failure | None:
    """The failure of a program that answers otherwise than it did; None when nothing was found.

    Raises ZygoteGone.
    """
    for number, group in enumerate(groups):
        try:
            answers = await receive(child.stream, number, len(group.steps))
        except Malformed as error:
            return Failure("forged", f"the program wrote to our channel: {error}")
        except (EOFError, ConnectionError):
            return await _explain_end(child)
        if isinstance(answers, Failure):
            return _differs(answers.message, answers.line)
        for step, answer in zip(group.steps, answers, strict=False):
            if answer != claims[group.instance][step]:
                return _differs(
                    f"action {claims[group.instance][step]} became {answer} "
                    f"(instance {group.instance}, step {step})"
                )
        if len(answers) < len(group.steps):
            return None
    return None


async def _explain_end(child: ForkedChild) -> Failure | None:
    """A crash is told; a process that the system ended says nothing about the program."""
    ended = await child.ended
    if os.WIFSIGNALED(ended.status):
        number = os.WTERMSIG(ended.status)
        if number != signal.SIGKILL:
            return _differs(f"the process was ended by {signal.Signals(number).name}")
    return None


def _differs(what: str, line: int | None = None) -> Failure:
    return Failure(
        "nondeterministic",
        f"asked again in another process, the program decides differently: {what}",
        line,
        repairable=True,
    )
