"""The teacher in a process of its own: torch, its threads and its crashes stay over there.

What travels is small: action lists go in, diagnostics come out; the process replays its own
rules to the sampled states.
"""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from typing import TYPE_CHECKING, Any, TypeVar

import problems
from engine.diagnostics import Sampling, diagnose, sample
from problems.errors import TeacherUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engine.types import Diagnostics
    from problems import ProblemRef
    from problems.base import Problem, Rollout
    from teachers.base import Teacher

T = TypeVar("T")

Actions = tuple[tuple[int, ...], ...]

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class TeacherSpec:
    """Which teacher comments on which set, and at which states."""

    problem: ProblemRef
    teacher: str
    design: str
    sampling: Sampling
    device: str = "auto"


class TeacherProcess:
    """Asks one teacher, one candidate at a time; restarts a crashed process once per question."""

    def __init__(self, spec: TeacherSpec) -> None:
        """Nothing starts before `open`."""
        self._spec = spec
        self._turn = asyncio.Lock()
        self._pool = self._start()

    async def open(self) -> str:
        """Load the teacher; returns its fingerprint. Raises TeacherUnavailable, UnknownName."""
        return await self._submit(_fingerprint, self._spec)

    async def diagnose(self, rollouts: Sequence[Sequence[int]]) -> Diagnostics | None:
        """Diagnostics of one candidate from its action lists; None when the teacher fails.

        `rollouts` holds the actions of every instance of the set, in order.
        """
        actions = tuple(tuple(taken) for taken in rollouts)
        async with self._turn:
            for _ in range(2):
                try:
                    return await self._submit(_diagnose, self._spec, actions)
                except BrokenProcessPool:
                    self._pool = self._start()
        return None

    async def solve(self, set_name: str) -> list[Rollout | None]:
        """The teacher on its own: greedy rollouts of a set, None where it preferred nothing.

        Raises UnknownName for the set, TeacherUnavailable when the process dies.
        """
        async with self._turn:
            try:
                return await self._submit(_solve, self._spec, set_name)
            except BrokenProcessPool as error:
                self._pool = self._start()
                raise TeacherUnavailable(
                    f"{self._spec.teacher} died while it solved {set_name}; "
                    "if memory ran out, try a smaller set"
                ) from error

    async def close(self) -> None:
        """End the process; a question under way is waited for."""
        await asyncio.to_thread(self._pool.shutdown, cancel_futures=True)

    async def _submit(self, task: Callable[..., T], *arguments: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, task, *arguments)

    def _start(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_settle_in)


def _settle_in() -> None:
    """One thread for every library, and no life after the engine's."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@dataclass(frozen=True, slots=True)
class _Class:
    """What the process keeps loaded between questions."""

    problem: Problem
    instances: tuple[Any, ...]
    teacher: Teacher


_LOADED: dict[TeacherSpec, _Class] = {}


def _load(spec: TeacherSpec) -> _Class:
    if spec not in _LOADED:
        import teachers

        problem = problems.load(spec.problem)
        teacher = teachers.load(spec.teacher, spec.problem, spec.device)
        _LOADED[spec] = _Class(problem, problem.load(spec.design), teacher)
    return _LOADED[spec]


def _fingerprint(spec: TeacherSpec) -> str:
    return _load(spec).teacher.fingerprint


def _diagnose(spec: TeacherSpec, rollouts: Actions) -> Diagnostics | None:
    loaded = _load(spec)
    sampled = sample(loaded.problem, loaded.instances, rollouts, spec.sampling)
    verdicts = loaded.teacher.verdicts(sampled.decisions)
    return diagnose(loaded.problem, sampled, verdicts, spec.sampling.cases)


def _solve(spec: TeacherSpec, set_name: str) -> list[Rollout | None]:
    from teachers.rollout import rollouts

    loaded = _load(spec)
    return rollouts(loaded.teacher, loaded.problem, loaded.problem.load(set_name))
