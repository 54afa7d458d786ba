"""CPU milliseconds of gate and proof beside the evaluation, a program of each task a line.

python benchmarks/proof.py [REPEATS]
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from engine.evaluate import proof
from engine.evaluate.gate.inspect import inspect
from engine.evaluate.pool import Evaluator, Limits
from engine.evaluate.sandbox.zygote_client import ForkedChild
from problems import ProblemRef
from problems.base import Problem
from problems.shared.programs import as_rule
from tests.contracts.loops import aged_gain, remote_first, seed_and_neighbours

TARGET = 0.1
"""CPU time of the proof as a share of the evaluation's (issue 12)."""

REPEATS = 5
TASKS = ("jssp", "tsp", "cvrp", "maxcut")
LARGE: dict[str, tuple[str, Callable[..., Any]]] = {
    "tsp": ("tsp200", remote_first),
    "cvrp": ("cvrp200", seed_and_neighbours),
    "maxcut": ("ba200w", aged_gain),
}
"""A set and a program of nested loops, which is compiled there."""


class Asked:
    """The children of proofs, by way of the function that compares their answers."""

    def __init__(self) -> None:
        self.children: list[ForkedChild] = []
        self.compare = proof.compare

    async def __call__(self, child: ForkedChild, *more: Any) -> Any:
        """What the function says."""
        self.children.append(child)
        return await self.compare(child, *more)

    def milliseconds(self) -> float:
        """CPU time of the last one."""
        return 1000 * self.children[-1].ended.result().cpu


def cases(problem: Problem) -> Iterator[tuple[str, str, str]]:
    """Name, code and set: every seed on the design set, loops on a larger one."""
    for rule in problem.seeds():
        yield rule.name, rule.code or "", problem.design
    if problem.name in LARGE:
        name, function = LARGE[problem.name]
        rule = as_rule(function, problem.contract.function)
        yield f"{rule.name} (loops)", f"import math\n{rule.code}", name


async def measure(evaluator: Evaluator, asked: Asked, code: str, name: str) -> list[float]:
    """CPU milliseconds of gate, evaluation and proof."""
    started = time.process_time()
    inspect(code, evaluator.problem.contract)
    gate = 1000 * (time.process_time() - started)
    evaluation = await evaluator.evaluate(code, name)
    assert evaluation.failure is None, evaluation.failure
    return [gate, 1000 * evaluation.cpu, asked.milliseconds()]


async def main(repeats: int) -> None:
    """Print medians."""
    proof.compare = asked = Asked()  # type: ignore[assignment]
    print(f"{'':<40}{'gate':>8}{'evaluation':>12}{'proof':>8}  (CPU ms; target {TARGET:.0%})")
    for task in TASKS:
        async with Evaluator.start(ProblemRef(task), Limits(), workers=1) as evaluator:
            for title, code, name in cases(evaluator.problem):
                rows = [await measure(evaluator, asked, code, name) for _ in range(repeats)]
                gate, cpu, again = map(statistics.median, zip(*rows, strict=True))
                words = f"{task} {title}, {name}"
                print(f"{words:<40}{gate:8.1f}{cpu:12.1f}{again:8.1f}{again / cpu:8.1%}")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if sys.argv[1:] else REPEATS))
