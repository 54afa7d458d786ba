"""CPU time of the teachers' words, against the targets: `teacher_query.py [NAME]...`, or all."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import problems
import teachers
from engine.diagnosis.diagnostics import diagnose, find_same_later
from engine.diagnosis.facts import observe
from engine.diagnosis.sampling import Sample, plan_sampling, sample
from problems import ProblemRef
from problems.base import Decision, Problem
from teachers.base import Teacher
from teachers.device import use_one_thread
from teachers.weights import header_files, read_header

T = TypeVar("T")

BATCHES = (1, 32, 256)
TARGET = 3.0
"""CPU seconds to diagnose one candidate, with one core of the two."""


def main() -> None:
    """A line a teacher: milliseconds a state by batch size, then one candidate by its parts."""
    use_one_thread()
    for name in sys.argv[1:] or sorted(header_files()):
        problem = problems.load(read_header(header_files()[name]).problem)
        teacher = teachers.load(name, ProblemRef(problem.name), "cpu")
        measure(teacher, problem)


def measure(teacher: Teacher, problem: Problem) -> None:
    """Print what a teacher takes on the states of the problem's first seed."""
    instances = problem.load(problem.design)
    sampling = plan_sampling(len(instances), problem.states)
    walks = [actions(problem, instance) for instance in instances]
    sampled, replaying = timed(sample, problem, instances, walks, sampling)
    teacher.verdicts(sampled.decisions[:32])  # the first call warms up
    each = ", ".join(f"{size}: {query(teacher, sampled, size):.2f}" for size in BATCHES)
    seen, observing = timed(observe, problem, sampled, sampling.cases // 2)
    verdicts, asking = timed(teacher.verdicts, sampled.decisions)
    later, looking = timed(find_same_later, problem, instances, walks, sampled.decisions)
    rest = (sampling.cases, seen, 0, later)
    _, counting = timed(diagnose, problem, sampled, verdicts, *rest)
    print(f"{teacher.name} on {problem.name}: ms a state at batch {each}")
    parts = {
        "replay": replaying,
        "facts": observing,
        "teacher": asking,
        "later": looking,
        "diagnostics": counting,
    }
    whole = sum(parts.values())
    split = ", ".join(f"{name} {1000 * one / len(verdicts):.3f}" for name, one in parts.items())
    print(f"  {len(verdicts)} states in {whole:.2f} s (target {TARGET:g})")
    print(f"  ms a state {1000 * whole / len(verdicts):.3f}: {split}")


def actions(problem: Problem, instance: Any) -> Sequence[int]:
    """What the problem's first seed does on an instance."""
    space: dict[str, Any] = {}
    exec(problem.seeds()[0].code or "", space)
    function = space[problem.contract.function]
    return problem.rollout(function, instance, None)


def query(teacher: Teacher, sampled: Sample, batch: int) -> float:
    """CPU milliseconds a state, for 512 of the states asked `batch` at a time."""
    decisions = random.Random(1).sample(sampled.decisions, min(512, len(sampled.decisions)))
    _, seconds = timed(_ask, teacher, decisions, batch)
    return 1000 * seconds / len(decisions)


def timed(call: Callable[..., T], *arguments: Any) -> tuple[T, float]:
    """A call's answer and its CPU seconds."""
    started = time.process_time()
    answer = call(*arguments)
    return answer, time.process_time() - started


def _ask(teacher: Teacher, decisions: Sequence[Decision], batch: int) -> None:
    for first in range(0, len(decisions), batch):
        teacher.verdicts(decisions[first : first + batch])


if __name__ == "__main__":
    main()
