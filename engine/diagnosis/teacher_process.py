"""The teacher in a process of its own: torch, its threads and its crashes stay there.

What travels is small: action lists go in, facts and diagnostics come out; the process replays its
own rules to the sampled states. Without a teacher it finds the facts alone, and loads no torch.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from types import ModuleType
from typing import Any, TypeVar, cast

import problems
from engine.diagnosis.diagnostics import diagnose, find_same_later
from engine.diagnosis.facts import Observation, observe
from engine.diagnosis.placebo import shuffle_scores
from engine.diagnosis.queries import (
    Actions,
    Diagnose,
    ListTrials,
    Observe,
    SolveAlone,
    TeacherQuery,
)
from engine.diagnosis.rollout_teacher import list_trials, narrow, rate
from engine.diagnosis.sampling import Sample, Sampling, sample
from engine.domain.names import ROLLOUT
from engine.domain.values import DiagnosticsRow, FactsRow
from problems import ProblemRef
from problems.base import Problem
from problems.errors import PreceptorError, TeacherUnavailable
from problems.own_code import Overlong, blame, blame_overlong, describe, limited
from teachers.base import Teacher, Verdict
from teachers.conformance import ask

T = TypeVar("T")

_STARTING = threading.Lock()

HOUR = 3600.0
"""CPU seconds after which a teacher is taken to be in an endless loop."""

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")

COLLECTION = (100_000, 50, 100)
"""Thresholds of garbage collection: a candidate's states are a million objects without a cycle,
and Python's own thresholds take a quarter of a job-shop diagnosis to look through them.
"""


@dataclass(frozen=True, slots=True)
class TeacherSpec:
    """Which teacher is asked about which set, and at which states.

    An empty `teacher` is none; the scores of one that is `shuffled` mean nothing (`placebo`). An
    answer may take so many CPU `seconds`.
    """

    problem: ProblemRef
    teacher: str
    design: str
    sampling: Sampling
    device: str = "auto"
    shuffled: bool = False
    seconds: float = HOUR

    @property
    def tries(self) -> bool:
        """Whether the teacher is `rollout`, which needs to know what comes of actions."""
        return self.teacher == ROLLOUT


class TeacherProcess:
    """Asks one teacher, one candidate at a time; restarts a failed process once per question."""

    def __init__(self, spec: TeacherSpec) -> None:
        """Nothing starts before `open`."""
        self._spec = spec
        self._one_at_a_time = asyncio.Lock()
        self._process = _start()

    async def open(self) -> str:
        """Load the teacher, once more when its process dies; returns its fingerprint.

        Raises TeacherUnavailable, UnknownName.
        """
        async with self._one_at_a_time:
            for _ in range(2):
                try:
                    return await self._submit(_fingerprint, self._spec)
                except BrokenProcessPool:
                    self._restart()
            raise _died(self._spec, "was built, twice")

    async def ask(self, query: TeacherQuery[T]) -> T:
        """The answer to a question, from a new process where the first one failed."""
        reason = ""
        async with self._one_at_a_time:
            for _ in range(query.tries):
                try:
                    return await self._submit(_answer, self._spec, query)
                except BrokenProcessPool:
                    doing = "looked at a program, twice"
                    if isinstance(query, SolveAlone):
                        doing = f"solved {query.set}"
                    reason = str(_died(self._spec, doing))
                except TeacherUnavailable as error:
                    reason = str(error)
                self._restart()
        return query.no_answer(reason)

    async def close(self) -> None:
        """End the process; a question under way is waited for."""
        await asyncio.to_thread(self._process.shutdown, cancel_futures=True)

    async def _submit(self, task: Callable[..., T], *arguments: object) -> T:
        with _without_script():
            loop = asyncio.get_running_loop()
            answer = loop.run_in_executor(self._process, task, *arguments)
        return await answer

    def _restart(self) -> None:
        self._process.shutdown(wait=False, cancel_futures=True)
        self._process = _start()


def try_teacher(spec: TeacherSpec) -> None:
    """Load a teacher in a process that then ends. Raises as `TeacherProcess.open`."""
    try:
        with _start() as process:
            with _without_script():
                answer = process.submit(_fingerprint, spec)
            answer.result()
    except BrokenProcessPool as error:
        raise _died(spec, "was built") from error


def _start() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_set_up_process)


@contextmanager
def _without_script() -> Iterator[None]:
    """Hide the caller's script: a process that is started now would run it once more."""
    with _STARTING:
        script = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = script


def _died(spec: TeacherSpec, when: str) -> TeacherUnavailable:
    return TeacherUnavailable(
        f"{_name(spec)} died while it {when}; if memory ran out, try a smaller set"
    )


def _name(spec: TeacherSpec) -> str:
    return spec.teacher or f"the process that looks at {spec.problem.name}"


def _set_up_process() -> None:
    """One thread for every library, few searches for garbage, and no life after the engine's."""
    os.environ.update(dict.fromkeys(THREADS, "1"))
    gc.set_threshold(*COLLECTION)
    threading.Thread(target=_follow_parent, daemon=True).start()


def _follow_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@dataclass(frozen=True, slots=True)
class _Loaded:
    """What the process keeps between questions; `teacher` is None where there is none."""

    problem: Problem
    instances: tuple[Any, ...]
    teacher: Teacher | None


@dataclass(frozen=True, slots=True)
class _Seen:
    """The states of a candidate, and its facts."""

    sampled: Sample
    observation: Observation | None


SHUFFLED = "shuffled "
"""What the fingerprint of a placebo begins with; the teacher's own follows."""

REMEMBERED = 8
"""Candidates whose states are kept, for the teacher is asked of those whose facts are known."""


_LOADED: dict[TeacherSpec, _Loaded] = {}
_SEEN: OrderedDict[tuple[TeacherSpec, Actions], _Seen] = OrderedDict()


@contextmanager
def _as_teacher_unavailable(spec: TeacherSpec) -> Iterator[None]:
    """A third party's code raises anything, and what only it knows no other process can read."""
    try:
        with limited(spec.seconds):
            yield
    except PreceptorError:
        raise
    except Overlong as error:
        raise TeacherUnavailable(blame_overlong(error, spec.seconds, _name(spec))) from error
    except (Exception, SystemExit) as error:  # an exit would end the engine without a word
        told = blame(error) or f"{_name(spec)} failed: {describe(error)}"
        raise TeacherUnavailable(told) from error


def _load(spec: TeacherSpec) -> _Loaded:
    if spec not in _LOADED:
        problem = problems.load(spec.problem)
        _LOADED[spec] = _Loaded(problem, problem.load(spec.design), _load_teacher(spec))
        gc.freeze()  # else every full collection goes through libraries, weights and instances
    return _LOADED[spec]


def _load_teacher(spec: TeacherSpec) -> Teacher | None:
    if spec.teacher in ("", ROLLOUT):
        return None
    import teachers

    return teachers.load(spec.teacher, spec.problem, spec.device)


def _teacher(spec: TeacherSpec) -> Teacher:
    teacher = _load(spec).teacher
    if teacher is None:
        raise TeacherUnavailable(f"teacher {spec.teacher} lets programs go on, and nothing else")
    return teacher


def _fingerprint(spec: TeacherSpec) -> str:
    """Of the teacher, and whether its scores are shuffled; empty without one.

    That of `rollout`, whose code is that of all diagnostics, is its name.
    """
    with _as_teacher_unavailable(spec):
        own = _identify(spec.teacher, _load(spec).teacher)
        return f"{SHUFFLED}{own}" if spec.shuffled else own


def _identify(word: str, teacher: Teacher | None) -> str:
    if teacher is None:
        return word
    import teachers

    return teachers.identify(word, teacher)


def _look(spec: TeacherSpec, rollouts: Actions) -> _Seen:
    """The states of a candidate and its facts; those of the last few are at hand."""
    seen = _SEEN.pop((spec, rollouts), None)
    if seen is None:
        loaded = _load(spec)
        sampled = sample(loaded.problem, loaded.instances, rollouts, spec.sampling)
        seen = _Seen(sampled, observe(loaded.problem, sampled, spec.sampling.cases // 2))
    _SEEN[spec, rollouts] = seen
    if len(_SEEN) > REMEMBERED:
        _SEEN.popitem(last=False)
    return seen


def _answer(spec: TeacherSpec, query: TeacherQuery[T]) -> T:
    """The answer to a question, in the process that has the teacher."""
    with _as_teacher_unavailable(spec):
        loaded = _load(spec)
        found: Any
        match query:
            case Observe(rollouts):
                found = _observe(spec, rollouts)
            case ListTrials(rollouts):
                found = ()
                seen = _look(spec, rollouts)
                if seen.observation is not None:
                    sampled, _ = narrow(loaded.problem, seen.sampled, seen.observation)
                    found = list_trials(sampled, rollouts)
            case Diagnose():
                found = _diagnose(spec, query)
            case SolveAlone(name):
                from teachers.rollout import rollouts as roll_out

                found = roll_out(_teacher(spec), loaded.problem, loaded.problem.load(name))
        return cast("T", found)


def _observe(spec: TeacherSpec, rollouts: Actions) -> FactsRow:
    started = time.process_time()
    found = _look(spec, rollouts).observation
    taken = time.process_time() - started
    if found is None:
        return FactsRow(None, "no state with a choice", taken)
    return FactsRow(found.facts, cpu=taken)


def _diagnose(spec: TeacherSpec, query: Diagnose) -> DiagnosticsRow:
    loaded = _load(spec)
    problem, rollouts, reached = loaded.problem, query.rollouts, query.reached
    teacher = None if reached is not None else _teacher(spec)
    started = time.process_time()
    seen = _look(spec, rollouts)
    sampled = seen.sampled
    observation = seen.observation
    verdicts: Sequence[Verdict] = []
    if teacher is not None:
        verdicts = ask(teacher, sampled.decisions)
    elif reached and observation is not None:
        sampled, observation = narrow(problem, sampled, observation)
        verdicts = rate(sampled, reached)
    if spec.shuffled:
        verdicts = shuffle_scores(sampled.decisions, verdicts, spec.sampling.seed)
    later = find_same_later(problem, loaded.instances, rollouts, sampled.decisions)
    cases = spec.sampling.cases
    found = diagnose(problem, sampled, verdicts, cases, observation, query.checks, later)
    failure = "" if found else _explain_silence(spec, len(verdicts))
    return DiagnosticsRow(found, failure, time.process_time() - started)


def _explain_silence(spec: TeacherSpec, states: int) -> str:
    """Why there is no diagnosis of a program."""
    if not states:
        return "no state with a choice"
    return f"{_name(spec)} gives no preference in any of {states} states: no finite score"
