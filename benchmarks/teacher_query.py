"""CPU time of a teacher's word on job shop states, against the targets (run as a script)."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import problems
import teachers
from problems import ProblemRef
from problems.base import Decision
from teachers.device import use_one_thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from problems.base import Problem
    from teachers.base import Teacher

BATCHES = (1, 32, 256)
PHASES = 64
TARGET, EACH = 1.5, 5.0
"""CPU seconds for one candidate's states, and CPU milliseconds a state at any batch size."""


def sampled(problem: Problem, phases: int) -> list[Decision]:
    """One state in every phase of a random walk on every design instance."""
    dice, found = random.Random(0), []
    for index, instance in enumerate(problem.load(problem.design)):
        state, step, walk = problem.start(instance), 0, []
        while actions := problem.actions(state):
            walk.append(Decision(index, step, state, actions, dice.choice(actions)))
            state, step = problem.step(state, walk[-1].chosen), step + 1
        found += [walk[int((phase + 0.5) * len(walk) / phases)] for phase in range(phases)]
    return found


def seconds(teacher: Teacher, decisions: Sequence[Decision], batch: int) -> float:
    """CPU seconds for all decisions, asked `batch` at a time."""
    started = time.process_time()
    for first in range(0, len(decisions), batch):
        teacher.verdicts(decisions[first : first + batch])
    return time.process_time() - started


def main() -> None:
    """Print milliseconds a state by batch size, then the time for one candidate."""
    use_one_thread()
    problem = problems.load("jssp")
    decisions = sampled(problem, PHASES)
    mixed = random.Random(1).sample(decisions, 512)
    teacher = teachers.load("offline-l2d", ProblemRef("jssp"), "cpu")
    teacher.verdicts(decisions[:32])  # the first call warms up
    for batch in BATCHES:
        each = 1000 * seconds(teacher, mixed, batch) / len(mixed)
        print(f"batch {batch:3}: {each:.2f} ms a state (target {EACH:g})")
    whole = seconds(teacher, decisions, len(decisions))
    print(f"{len(decisions)} states: {whole:.2f} s of CPU (target {TARGET:g})")


if __name__ == "__main__":
    main()
